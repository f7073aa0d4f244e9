"""Flexible links in joint coordinates: against the core in absolute coordinates, orders of the
three integrators, stiff modes, both Jacobians, the article's planar formula, restart, motors.

L. Zhang, X. Rui, J. Zhang, G. Wang, J. Gu, X. Zhang: A framework for establishing constraint
Jacobian matrices of planar rigid-flexible-multibody systems, 2023: equations (31) and (41).
"""

import numpy as np
import pytest
from recursive_models import QUIET, add_body, assert_same_motion, run_with
from scipy.spatial.transform import Rotation

import linkwork as lw

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")
SOFT = lw.Section(EA=400.0, EIy=4.0, EIz=6.0, GJ=0.2, mass=1.5, Jx=2e-3, Jy=1e-3, Jz=1e-3)
STEEL = lw.Section.rectangle(0.02, 0.01, E=2.1e11, density=7800)
BOUNDARIES = {
    "clamped-free": {"boundary": "clamped-free", "modes": 3},
    "pinned-pinned": {"boundary": "pinned-pinned", "modes": 3},
    "craig-bampton": {"boundary": "craig-bampton", "modes": 1},
}
ENDS = ("root", "tip")
Z = (0, 0, 1)


def arm(shapes, entered, damping=0.0):
    """ground – hinge – link – hinge – hand, and a finger on a ball beside the link's middle."""
    rng = np.random.default_rng(5)
    m = lw.Model("arm", gravity=(1.0, -2.0, -9.0))
    start, end = np.zeros(3), np.array([0.9, 0.3, -0.2])
    if entered == "tip":
        start, end = end, start
    link = m.add("link", lw.FlexibleLink(
        start, end, SOFT, **BOUNDARIES[shapes], damping=damping, velocity=(0, 0, 0)
    ))  # fmt: skip
    near, far = (link.root, link.tip) if entered == "root" else (link.tip, link.root)
    hand = add_body(m, rng, (1.2, 0.2, 0.0), "hand", moving=False)
    finger = add_body(m, rng, (0.4, 0.2, -0.3), "finger", moving=False)
    m.add("base", lw.Revolute(lw.GROUND, near, at=(0, 0, 0), axis=(1, 2, -1), rate=2.0))
    m.add("wrist", lw.Revolute(far, hand, at=(0.9, 0.3, -0.2), axis=(2, -1, 1), rate=-1.0))
    m.add("ball", lw.Spherical(link.at(0.4), finger, at=(0.36, 0.12, -0.08)))
    return m


def four_bar(spatial=False, motor=None, section=SOFT, closing=lw.PointOnLine, **words):
    """Crank, flexible coupler, rocker.  In space: a tilted crank, a cross and a ball.

    With closing=lw.Revolute the planar one has three redundant rows.
    """
    A, B, C, D = np.array([(0, 0, 0), (0.3, 0.2, 0), (1.2, 0.8, 0), (1.5, 0, 0)], float)
    words = {"boundary": "pinned-pinned", "modes": 2, **words}
    m = lw.Model("four-bar", gravity=(0, -9.81, 0))
    crank = m.add("crank", lw.Body.link(A, B, radius=0.03, mass=1))
    link = m.add("coupler", lw.FlexibleLink(B, C, section, normal=None if spatial else Z, **words))
    rocker = m.add("rocker", lw.Body.link(D, C, radius=0.03, mass=1.5))
    axis = (0.3, 0, 1) if spatial else Z
    if motor is None:
        m.add("A", lw.Revolute(lw.GROUND, crank, at=A, axis=axis, rate=3.0))
    else:
        m.add("A", lw.Motor(lw.GROUND, crank, at=A, axis=axis, angle=motor))
    kind = lw.Universal if spatial else lw.Revolute
    more = {"axis_a": (0, 0, 1), "axis_b": (2, -3, 0)} if spatial else {"axis": Z}
    m.add("B", kind(crank, link.root, at=B, **more))
    m.add("D", lw.Revolute(lw.GROUND, rocker, at=D, axis=Z))
    last = {} if spatial else {"axis": Z}
    m.add("C", (lw.Spherical if spatial else closing)(link.tip, rocker, at=C, **last))
    return m


def flying():
    """A link that nothing holds, with a weight welded beside its tip, tumbling."""
    m = lw.Model("flying")
    rod = m.add("rod", lw.FlexibleLink(
        (0.3, 0, 0), (1.1, 0.4, 0.2), SOFT, boundary="clamped-free", modes=3,
        velocity=(0.2, -0.1, 0.3), angular_velocity=(1.0, 2.0, -1.5),
    ))  # fmt: skip
    weight = m.add("weight", lw.Body(0.7, (0.01, 0.02, 0.025), position=(1.2, 0.3, 0.4)))
    m.add("weld", lw.Fixed(rod.tip, weight, at=(1.1, 0.4, 0.2)))
    return m


# --------------------------------------------------------------------------------- against the core


@pytest.mark.parametrize("entered", ENDS)
@pytest.mark.parametrize("shapes", BOUNDARIES)
def test_arm(shapes, entered):
    """Two formulations with errors of order h⁴: at 1e-3 their motions are 1e-8 apart."""
    m = arm(shapes, entered, damping=0.01)
    ours, core = (run_with(method, m, t=0.1) for method in (lw.Recursive(), lw.RK4()))
    assert np.abs(core["link"].amplitudes).max() > 1e-3
    assert_same_motion(ours, core, 1e-8)
    for part in ("total", "kinetic", "potential", "dissipated"):
        mine, other = (run.energy[part].values for run in (ours, core))
        assert np.abs(mine - other).max() < 1e-6


@pytest.mark.parametrize("spatial", [False, True], ids=["planar", "spatial"])
@pytest.mark.parametrize("cut", ["C", "B", "D"])
def test_four_bar(spatial, cut):
    """The cut decides whether the coupler is entered from its root, from its tip, or last."""
    m = four_bar(spatial, closing=lw.PointOnLine if cut == "C" else lw.Revolute)
    ours = run_with(lw.Recursive(cuts=[cut]), m, t=0.15)
    core = run_with(lw.RK4(), m, t=0.15)
    assert_same_motion(ours, core, 1e-8, forces=1e-5)
    assert float(ours.violation.position.max()) < 1e-10


def test_against_generalized_alpha():
    """The default method tends to ours with the square of its step."""
    m = four_bar()
    at = run_with(lw.Recursive(), m, t=0.2)["coupler.tip"].position.values[-1]
    error = [
        np.abs(run_with(lw.GeneralizedAlpha(), m, t=0.2, h=h)["coupler.tip"].position.values[-1]
               - at).max()
        for h in (2e-3, 1e-3)
    ]  # fmt: skip
    assert error[1] < 1e-4
    assert 3.4 < error[0] / error[1] < 4.6


def test_free_floating():
    m = flying()
    ours, core = (run_with(method, m, t=0.2, h=5e-4) for method in (lw.Recursive(), lw.RK4()))
    assert_same_motion(ours, core, 1e-8)
    for total in (ours.momentum.values, ours.angular_momentum.values):
        assert np.abs(total - total[0]).max() < 1e-7 * np.abs(total[0]).max()
    energy = ours.energy.total.values
    assert np.abs(energy / energy[0] - 1).max() < 1e-7


# -------------------------------------------------------------------------------- integrators


def last(m, t, h, **words):
    """Where the bodies are and how they move at the end."""
    return np.asarray(run_with(lw.Recursive(**words), m, t=t, h=h, every=10**6).motion)[-1]


@pytest.mark.parametrize("build", [four_bar, lambda: arm("pinned-pinned", "tip", 0.02)])
@pytest.mark.parametrize("integrator, order, h", [("rk4", 4, 4e-3), ("implicit", 2, 2e-3)])
def test_order(build, integrator, order, h):
    m = build()
    exact = last(m, 0.16, 5e-4)
    error = [np.abs(last(m, 0.16, k, integrator=integrator) - exact).max() for k in (h, h / 2)]
    assert error[0] / error[1] > 2 ** (order - 0.35)
    assert error[0] / error[1] < 2 ** (order + 0.6)


def test_tolerance_is_followed():
    """A hundred times less tolerance, about a hundred times less error."""
    m = four_bar()
    exact = last(m, 0.16, 2.5e-4)
    words = {"integrator": "dormand-prince"}
    error = [
        np.abs(last(m, 0.16, 1e-3, rtol=r, atol=r / 100, **words) - exact).max()
        for r in (1e-4, 1e-6, 1e-8)
    ]
    assert error[0] < 1e-2 and error[2] < 1e-6
    assert error[0] / error[1] > 20 and error[1] / error[2] > 20


def test_stiff_modes():
    """A steel coupler stretches with kilohertz: nothing for rk4, "implicit" does not resolve it."""
    m = four_bar(section=STEEL, boundary="craig-bampton", modes=1)
    assert m["coupler"].modal.frequency.max() > 1000
    with pytest.raises(lw.ConvergenceError):
        run_with(lw.Recursive(), m, t=0.4, h=2e-3)
    ours, half = (
        run_with(lw.Recursive(integrator="implicit"), m, t=0.4, h=h) for h in (2e-3, 1e-3)
    )
    core = run_with(lw.GeneralizedAlpha(), m, t=0.4, h=2.5e-4, every=1600)
    fine = core["coupler.tip"].position.values[-1]
    error = [
        np.abs(run["coupler.tip"].position.values[-1] - fine).max() for run in (ours, half)
    ]
    assert error[0] < 5e-4 and error[0] / error[1] > 3
    assert float(ours.violation.position.max()) < 1e-9
    energy = ours.energy.total.values
    assert np.abs(energy - energy[0]).max() < 1e-2 * float(ours.energy.kinetic.max())


INTEGRATORS = {"rk4": 1e-6, "dormand-prince": 1e-6, "implicit": 2e-4}


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_motor(integrator):
    """A crank driven by a law, and what the motor gives, against the core."""
    m = four_bar(motor=lw.expression("2*t + 0.1*sin(9*t)"))
    ours = run_with(lw.Recursive(integrator=integrator), m, t=0.2)
    core = run_with(lw.RK4(), m, t=0.2, h=5e-4, every=2)
    expected = 2 * ours.time + 0.1 * np.sin(9 * ours.time)
    assert np.abs(ours["A"].angle.values - expected).max() < 1e-9
    within = INTEGRATORS[integrator]
    assert np.abs(ours["coupler"].amplitudes - core["coupler"].amplitudes).max() < within
    torque, other = (run["A"].torque.values for run in (ours, core))
    assert np.abs(torque - other).max() < 100 * within * np.abs(other).max()


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("build", [four_bar, lambda: four_bar(motor=lw.sine(0.4, 2.0)),
                                   lambda: arm("craig-bampton", "tip", 0.01)],
                         ids=["loop", "motor", "tree"])  # fmt: skip
def test_restart_with_the_same_digits(build, integrator, tmp_path):
    method, m = lw.Recursive(integrator=integrator), build()
    whole = run_with(method, m, t=0.06, h=2e-3)
    first = run_with(method, m, t=0.03, h=2e-3)
    first.save(tmp_path / "first.nc")
    for second in (run_with(method, m, t=0.06, h=2e-3, start=first),
                   lw.resume(tmp_path / "first.nc", t=0.06, **QUIET)):  # fmt: skip
        for part in ("motion", "acceleration", "gamma", "work"):
            rows = [np.asarray(getattr(run, part))[-15:] for run in (second, whole)]
            assert np.array_equal(*rows), part


# ------------------------------------------------------------------------- equations as functions


TREES = {f"{s}, {e}": (lambda s=s, e=e: arm(s, e)) for s in BOUNDARIES for e in ENDS}


def random_place(joints, size, seed=2):
    """Coordinates and velocities away from the start; amplitudes a tenth of the others."""
    rng = np.random.default_rng(seed)
    v = rng.normal(size=len(joints.v))
    v[[".q" in name for name in joints.velocity_names]] *= 0.1
    return moved(joints, joints.q, size * v), v


def moved(joints, q, d):
    """q moved by joint velocities d over a unit of time, quaternions on their sphere."""
    out, rates = np.array(q), iter(np.arange(len(d)))
    balls = {i for i, name in enumerate(joints.names) if name.endswith(".w")}
    for i in range(len(q)):
        if i in balls:
            k = [next(rates) for _ in range(3)]
            turn = Rotation.from_quat(q[i : i + 4], scalar_first=True) * Rotation.from_rotvec(d[k])
            out[i : i + 4] = turn.as_quat(scalar_first=True)
        elif not balls & {i - 1, i - 2, i - 3}:
            out[i] += d[next(rates)]
    return out


@pytest.mark.parametrize("name", TREES)
def test_inverse_of_forward(name):
    joints = lw.joint_space(TREES[name]())
    q, v = random_place(joints, 0.05)
    tau = np.random.default_rng(3).normal(size=len(v))
    a = joints.forward(q, v, forces=tau)
    assert np.abs(joints.inverse(q, v, a) - tau).max() < 1e-9 * np.abs(a).max()


def test_inverse_of_forward_in_a_loop():
    """What inverse dynamics ask for is what the cut joint's rows give: it lies in their range."""
    joints = lw.joint_space(four_bar())
    q, v = random_place(joints, 0.05)
    tau = joints.inverse(q, v, joints.forward(q, v))
    J = joints.jacobian(q)
    left = tau - J.T @ np.linalg.lstsq(J.T, tau, rcond=None)[0]
    assert np.abs(tau).max() > 0.1 and np.abs(left).max() < 1e-9


@pytest.mark.parametrize("name", TREES)
def test_mass_matrix_and_kinetic_energy(name):
    """½ vᵀ M v is the kinetic energy that the core finds for the same motion."""
    m = TREES[name]()
    joints = lw.joint_space(m)
    q, v = random_place(joints, 0.05)
    run = run_with(lw.RK4(), m, t=1e-6, h=1e-6, start=joints.state(q, v))
    expected = float(run.energy.kinetic[0])
    assert 0.5 * v @ joints.mass_matrix(q) @ v == pytest.approx(expected, rel=1e-9)


# ------------------------------------------------------------------------------------ the Jacobians


LOOPS = {
    "planar": (four_bar, "C"),
    **{f"planar, cut {c}": (lambda: four_bar(closing=lw.Revolute), c) for c in "BCD"},
    **{f"spatial, cut {c}": (lambda: four_bar(spatial=True), c) for c in "BCD"},
    "all shapes": (lambda: four_bar(boundary="craig-bampton", modes=2), "C"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_both_jacobians_and_differences(name):
    build, cut = LOOPS[name]
    joints = lw.joint_space(build(), cuts=[cut])
    for size in (0.0, 0.05, 0.2):
        q, _ = random_place(joints, size)
        semi, direct = (joints.jacobian(q, how) for how in ("semi-analytic", "direct"))
        assert np.abs(semi - direct).max() < 1e-12 * np.abs(semi).max()
        ahead, behind = (
            np.stack([joints.violation(moved(joints, q, e)) for e in step * np.eye(len(joints.v))])
            for step in (1e-6, -1e-6)
        )
        differences = (ahead - behind).T / 2e-6
        assert np.abs(semi - differences).max() < 2e-8 * (1 + np.abs(semi).max())


def closed_by_a_bar(entered, boundary):
    """Pin O, a flexible link, pin T, a bar whose end P is cut from the ground."""
    O, T, P = np.array([(0, 0, 0), (0.8, 0.5, 0), (1.5, -0.1, 0)], float)
    m = lw.Model("planar")
    ends = (O, T) if entered == "root" else (T, O)
    link = m.add("link", lw.FlexibleLink(*ends, SOFT, modes=2, boundary=boundary, normal=Z))
    near, far = (link.root, link.tip) if entered == "root" else (link.tip, link.root)
    bar = m.add("bar", lw.Body.link(T, P, radius=0.01, mass=1))
    m.add("O", lw.Revolute(lw.GROUND, near, at=O, axis=Z))
    m.add("T", lw.Revolute(far, bar, at=T, axis=Z))
    m.add("P", lw.PointOnLine(lw.GROUND, bar, at=P, axis=Z))
    return m


def article(m, joints, q, entered, exact):
    """(31), ∂r_OP/∂q_f: P behind the tip end T of a link that hangs on its root end R.

    θ = Φ_θ q_f is the article's rotation of a section; ours is 2 asin(θ/2), which differs by θ³/24
    and turns by 1/√(1 − θ²/4) of Φ_θ; `exact` takes that into account.
    """
    state = joints.state(q)

    def place(name):
        row = state.motion[state.bodies.index(name)]
        return row[:3], Rotation.from_quat(row[3:7], scalar_first=True).as_matrix()

    amplitudes = q[[n.startswith("link.q") for n in joints.names]]
    _, A = place("link")
    other = "tip" if entered == "root" else "root"
    numbers = m["link"].interfaces
    rho, Phi, turn = {}, {}, {}
    for letter, end in (("R", entered), ("T", other)):
        rho0, Phi_u, Phi_th = numbers[end]
        theta = Phi_th[1] @ amplitudes  # the section's y axis is the normal
        assert np.abs(Phi_th[[0, 2]]).max() < 1e-12
        rho[letter], Phi[letter] = rho0 + Phi_u @ amplitudes, Phi_u
        turn[letter] = Phi_th[1] / (np.sqrt(1 - theta**2 / 4) if exact else 1.0)
    r, R = place("bar")
    home = m["bar"]
    P = r + R @ Rotation.from_quat(home.orientation, scalar_first=True).as_matrix().T @ (
        np.array([1.5, -0.1, 0]) - home.position)  # fmt: skip
    TP = P - place(f"link.{other}")[0]
    D = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 0.0]])
    out = np.outer(D @ (A @ rho["R"] - A @ rho["T"] - TP), turn["R"])
    out += -A @ Phi["R"] + A @ Phi["T"] + np.outer(D @ TP, turn["T"])
    return out[:2]


@pytest.mark.parametrize("how", ["semi-analytic", "direct"])
@pytest.mark.parametrize("entered", ENDS)
@pytest.mark.parametrize("boundary", ["pinned-pinned", ("free", "clamped"), "clamped-free"])
def test_formula_of_the_article(boundary, entered, how):
    m = closed_by_a_bar(entered, boundary)
    joints = lw.joint_space(m, cuts=["P"])
    assert [n.split(".")[1] for n in joints.row_names] == ["x", "y"]
    bent = [n.startswith("link.q") for n in joints.velocity_names]
    gaps = []
    for size in (0.04, 0.02):
        q = joints.q + size * np.array([0.3, 1.0, -0.7, 0.5])
        J = joints.jacobian(q, how)[:, bent]
        large = np.abs(J).max()
        assert np.abs(J - article(m, joints, q, entered, exact=True)).max() < 1e-12 * large
        gaps.append(np.abs(J - article(m, joints, q, entered, exact=False)).max())
    assert gaps[0] < 0.02 * large and 3 < gaps[0] / gaps[1] < 5
