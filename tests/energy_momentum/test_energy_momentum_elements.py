"""Every joint and force with the energy-momentum method: energy balance, order, agreement."""

import numpy as np
import pytest
from director_models import torsion, two_bodies
from example_scripts import EXAMPLES, load_example

import linkwork as lw
from linkwork import compile_model

EM = lw.EnergyMomentum
QUIET = pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")


def spring(damping=0.0):
    m, a, b = two_bodies()
    m.add("pin", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("spring", lw.Spring(
        a, b, at_a=(1, 0, 0), at_b=(1.2, 0.1, 0.1), stiffness=200, length=0.1, damping=damping,
        preload=2))  # fmt: skip
    return m


def bushing(damping=None):
    m, a, b = two_bodies()
    m.add("cross", lw.Universal(lw.GROUND, a, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("bushing", lw.Bushing(
        a, b, at=(1, 0, 0), stiffness=[500, 400, 300, 20, 30, 10], damping=damping))  # fmt: skip
    return m


def drag(t, x):
    wrench = np.zeros((2, 6))
    wrench[:, :3] = -2 * x.velocity
    wrench[0, 3:] = -0.1 * x.angular_velocity[0]
    return wrench


def forced():
    m, a, b = two_bodies()
    m.add("ball", lw.Spherical(lw.GROUND, a, at=(0, 0, 0)))
    m.add("rod", lw.Distance(a, b, at_a=(1, 0, 0), at_b=(1.4, 0.3, 0.1)))
    m.add("push", lw.Force(lw.Frame(b, (0.1, 0, 0.2)), (3, 5, 1), drive=lw.sine(1, 2)))
    m.add("turn", lw.Torque(a, (0, 0.5, 1), follower=True))
    m.add("drag", lw.UserForce([a, b], drag))
    return m


def slide_and_weld():
    m, a, b = two_bodies()
    m.add("slide", lw.Prismatic(lw.GROUND, a, at=(0, 0, 0), axis=(1, 0, 1)))
    m.add("weld", lw.Fixed(a, b, at=(1, 0, 0)))
    return m


def plane_and_line():
    """Joints whose first body is the one further out: the tree passes them backwards."""
    m, a, b = two_bodies()
    m.add("table", lw.Planar(a, lw.GROUND, at=(0, 0, 0), axis=(0.2, 0, 1)))
    m.add("wire", lw.PointOnLine(b, a, at=(1, 0, 0), axis=(1, 0, 0)))
    return m


def shaft():
    m, a, b = two_bodies()
    a.angular_velocity = (5, 0, 0)
    m.add("bearing", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("joint", lw.Homokinetic(a, b, at=(1, 0, 0), axis=(1, 0, 0)))
    m.add("plate", lw.PointOnPlane(lw.GROUND, b, at=(1.8, 0.1, 0), axis=(1, 0, 0)))
    return m


def plunging():
    m, a, b = two_bodies()
    a.angular_velocity = (5, 0, 0)
    m.add("bearing", lw.Revolute(a, lw.GROUND, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("joint", lw.Rzeppa(a, b, at=(1, 0, 0), axis=(1, 0, 0)))
    m.add("square", lw.Orthogonal(lw.GROUND, b, axis_a=(1, 0, 0), axis_b=(0, 1, 0)))
    return m


def rows_of_lock():
    m, a, b = two_bodies()
    m.add("coupling", lw.Oldham(lw.GROUND, a, at=(0, 0, 0), axis=(0.2, 0, 1)))
    m.add("rows", lw.Lock(b, a, at=(1, 0, 0), axis=(0, 1, 1), rows="y z rx rz"))
    return m


def parallel():
    m, a, b = two_bodies()
    b.angular_velocity = (0, 3, 0)
    m.add("pin", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("same axis", lw.Parallel(b, a, axis=(0, 1, 0)))
    m.add("string", lw.Spring(a, b, stiffness=50))
    return m


def free():
    m, a, b = two_bodies()
    a.angular_velocity, b.angular_velocity = (1, 2, 3), (0.1, 4, 0.1)
    return m


CONSERVATIVE = [
    free, spring, bushing, slide_and_weld, plane_and_line, shaft, plunging, rows_of_lock,
    parallel,
]  # fmt: skip
OTHERS = [
    lambda: spring(3.0), torsion, lambda: bushing([5, 4, 3, 0.2, 0.1, 0.1]), forced,
]  # fmt: skip
NAMES = [f.__name__ for f in CONSERVATIVE]
NAMES += ["damped spring", "torsion", "damped bushing", "forced"]


@pytest.mark.parametrize("build", [*CONSERVATIVE, *OTHERS], ids=NAMES)
def test_balance_order_and_reactions(build):
    """The energy balance closes at any step; motion and reactions approach those of
    generalized-alpha with the second order of both."""
    model = build()
    best = lw.transient(
        model, t=0.5, h=1e-4, method=lw.GeneralizedAlpha(0.9), every=10**6, progress=False
    )
    errors = []
    for h in (1e-2, 5e-3, 2.5e-3):
        run = lw.transient(model, t=0.5, h=h, method=EM(), progress=False)
        scale = max(1.0, float(np.abs(run.energy.kinetic).max()))
        assert np.abs(run.energy.balance.values).max() < 1e-10 * scale
        assert run.violation.position.values.max(initial=0) < 1e-12
        size = max(1.0, np.abs(best.gamma).max(initial=0))
        gamma = np.abs(run.gamma[-1] - best.gamma[-1]).max(initial=0) / size
        errors.append((np.abs(run.motion[-1] - best.motion[-1]).max(), gamma))
    if build in CONSERVATIVE:
        energy = run.energy.total.values
        assert np.ptp(energy) < 1e-10 * scale
    for coarse, _, fine in np.transpose(errors):
        # 16 by the order, or as good as the reference
        assert fine < 1e-6 or 10 < coarse / fine < 25, errors
    assert errors[-1][0] < 1e-2 and errors[-1][1] < 3e-2


@pytest.mark.parametrize("build", [*CONSERVATIVE, *OTHERS], ids=NAMES)
def test_constrained_and_reduced_agree(build):
    a, b = (
        lw.transient(build(), t=0.1, h=5e-3, method=EM(reduced=r), progress=False)
        for r in (True, False)
    )
    # round-off, and in a bushing that hardly turns, round-off over its turn in a step
    assert np.abs(a.motion - b.motion).max() < 2e-9
    assert np.abs(a.energy.total - b.energy.total).max() < 1e-10


def test_rigid_motions_change_nothing():
    """The whole model turned and shifted, gravity with it: the same motion, turned and shifted."""
    from linkwork.extend import rotations

    q = np.array([0.5, -0.1, 0.7, 0.5])
    q /= np.linalg.norm(q)
    R, shift = rotations.matrix(q), np.array([0.3, -2.0, 1.0])
    runs = []
    for turned in (False, True):
        T, s = (R, shift) if turned else (np.eye(3), np.zeros(3))
        m = lw.Model("two", gravity=T @ [0, 0, -9.81])
        a, b = (
            m.add(name, lw.Body(1, (0.1, 0.2, 0.25), position=T @ np.array(x) + s,
                                orientation=q if turned else None))
            for name, x in (("a", (0.5, 0, 0)), ("b", (1.5, 0, 0)))
        )  # fmt: skip
        m.add("ball", lw.Spherical(lw.GROUND, a, at=s))
        m.add("sleeve", lw.Cylindrical(a, b, at=T @ [1, 0, 0] + s, axis=T @ [1, 1, 0]))
        m.add("spring", lw.Spring(lw.GROUND, b, at_a=T @ [2, 1, 0] + s, stiffness=30, length=0.2))
        runs.append(lw.transient(m, t=0.5, h=1e-2, method=EM(), progress=False))
    one, two = (run["b"].position.values for run in runs)
    assert np.abs(one @ R.T + shift - two).max() < 1e-11
    one, two = (run["sleeve"].force_world.values for run in runs)
    assert np.abs(one @ R.T - two).max() < 1e-8


def beyond_directors(model):
    """Whether a model has what lw.EnergyMomentum does not step: values beside bodies, flexible
    parts, motion laws, friction, gears, stops, hard contacts, rolling."""
    system = compile_model(model)
    laws = any(e.entry.rows and e.entry.laws for e in system.elements)
    others = (lw.Beam, lw.FlexibleLink, lw.Friction, lw.Gear, lw.Stop)
    kinds = any(isinstance(item, others) for item in model.items.values())
    hard = any(getattr(item, "hard", False) for item in model.items.values())
    speeds = system.on_velocities.any()
    return bool(system.layout.nodes or laws or kinds or hard or speeds)


@QUIET
@pytest.mark.parametrize("name", [path.stem for path in EXAMPLES])
def test_examples_with_both_methods(name):
    """Every example's model: the same motion as generalized-alpha, or a refusal in one sentence."""
    example = load_example(name)
    h = min(example.step, 1e-3) / 4
    t = 40 * h
    if beyond_directors(example.build()):
        words = r"EnergyMomentum.*[;:] use .*(GeneralizedAlpha|Moreau)\(\)"
        with pytest.raises(lw.ModelError, match=words):
            lw.transient(example.build(), t, h, EM(), progress=False)
        return
    runs = [lw.transient(example.build(), t, s, EM(), progress=False) for s in (h, h / 2)]
    reference = lw.GeneralizedAlpha(0.9, stabilized=True)
    best = lw.transient(example.build(), t, h / 8, reference, every=8, progress=False)
    size = np.abs(best.motion).max(axis=(0, 1)) + 1e-3
    coarse, fine = (np.abs((run.motion[-1] - best.motion[-1]) / size).max() for run in runs)
    # the reference is not exact either
    assert fine < 1e-6 or coarse / fine == pytest.approx(4, rel=0.35), (coarse, fine)
    assert fine < 2e-2


@pytest.mark.parametrize("reduced", [True, False])
def test_restart_goes_on_with_the_same_digits(tmp_path, reduced):
    model, method = torsion(), EM(reduced=reduced)
    whole = lw.transient(model, t=0.4, h=0.01, method=method, progress=False)
    half = lw.transient(model, t=0.2, h=0.01, method=method, progress=False)
    half.save(tmp_path / "half.nc")
    on = lw.resume(tmp_path / "half.nc", t=0.4, progress=False)
    assert np.array_equal(on.motion[-1], whole.motion[-1])
    assert float(on.energy.kinetic[-1]) == float(whole.energy.kinetic[-1])
    back = lw.load(tmp_path / "half.nc")
    assert np.array_equal(back.energy.total.values, half.energy.total.values)
    assert np.array_equal(back.angular_momentum.values, half.angular_momentum.values)


def test_an_event_ends_a_run_at_its_root():
    m = lw.Model("swing", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (0, 0, 0), position=(1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    stop = [lambda t, now: now["rod"].position[0]]
    run = lw.transient(m, t=2, h=1e-3, method=EM(), stop=stop, progress=False)
    assert abs(float(run["rod"].position[-1, 0])) < 1e-9
    assert run.time[-1] == pytest.approx(2.367841947576237 / 4, abs=1e-5)  # elliptic integral


def test_explicit_null_space_gives_the_same_steps():
    """The reduced equations with P written out, against the sparse form that the method solves."""
    from inside import beginning, step_rows

    from linkwork.nullspace.constraints.null_space import null_spaces
    from linkwork.nullspace.directors import Directors

    model = plane_and_line()
    full, data, state, _ = beginning(model, None, EM())
    run = EM().run(full, data, state, 1e-2)
    directors = Directors(run.parts)
    m, h = run.parts.motion, 1e-2
    for k in range(5):
        q0, v0 = directors.q(m.base), directors.v(m.velocity)
        out = step_rows(full.system, 0, sum(run.own.values()))
        run.advance(np.array([(k + 1) * h]), np.zeros((1, 0)), np.array([-1]), out)
        q1 = directors.q(m.base)
        P, F = null_spaces(directors, q0, q1)
        R = directors.M @ (2 / h * (q1 - q0)[: directors.n] - 2 * v0) - h * directors.weight
        G = directors.jacobian(0.5 * (q0 + q1))
        assert P.shape[1] == 12 * 2 - G.shape[0]  # n − m
        assert np.abs(G @ P).max() < 1e-14
        assert np.abs(directors.jacobian(q1) @ F).max() < 1e-14
        assert np.abs(P.T @ R).max() < 1e-10  # of momenta of size one over h
        assert np.linalg.matrix_rank(P) == P.shape[1]
        move = np.linalg.lstsq(P, (q1 - q0)[: directors.n], rcond=None)
        assert np.abs(P @ move[0] - (q1 - q0)[: directors.n]).max() < 1e-13  # [B] (12)
