"""Laws of a whole rotation (Tasora, Righettini 1999) against SciPy's rotations and Euler's law.

Reactions are compared with dL/dt of L = R J Rᵀω, ω and dL/dt by differences of R(t) as SciPy makes
it from Euler angles: nothing of the quaternions in linkwork takes part.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drive_differences import central
from sample_elements import moving, two_bodies
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork import compile_model

J = np.array([1.0, 2.0, 3.0])
MASS = 2.0


def angles(t: float) -> np.ndarray:
    """Euler angles ZXZ: ten turns of spin in ten seconds, two of precession, nutation through 0."""
    return np.array([1.2 * t, 0.9 * np.sin(0.7 * t), 6.3 * t + 0.05 * t * t])


def tumbling():
    """The same motion as a product of three laws."""
    return (
        lw.rotation_vector(0, 0, lw.ramp(1.2))
        * lw.quaternion(lw.expression("cos(0.45*sin(0.7*t))"),
                        lw.expression("sin(0.45*sin(0.7*t))"), 0, 0)
        * lw.rotation_vector(0, 0, lw.polynomial([0, 6.3, 0.05]))
    )  # fmt: skip


def rotation(t: float) -> np.ndarray:
    return Rotation.from_euler("ZXZ", angles(t)).as_matrix()


def spin(t: float) -> np.ndarray:
    """ω in world axes from R'Rᵀ."""
    W = central(rotation, t, 5e-3) @ rotation(t).T
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


def momentum(t: float) -> np.ndarray:
    R = rotation(t)
    return R @ (J * (R.T @ spin(t)))


def torque(t: float) -> np.ndarray:
    return central(momentum, t, 5e-3)


def tumbler(**laws) -> lw.Model:
    m = lw.Model("tumbler")
    body = m.add("body", lw.Body(MASS, J))
    m.add("lock", lw.Lock(lw.GROUND, body, at=(0, 0, 0), **laws))
    return m


def same_rotation(q: np.ndarray, R: np.ndarray) -> float:
    """How far a quaternion (scalar first) is from a matrix."""
    return float(np.abs(Rotation.from_quat(q[[1, 2, 3, 0]]).as_matrix() - R).max())


# --------------------------------------------------------------------------------- laws alone

LAWS = {
    "product": tumbling,
    "vector through π and 2π": lambda: lw.rotation_vector(
        lw.ramp(0.5), lw.polynomial([0.1, 1, -0.2]), lw.expression("4*sin(t)")
    ),
    "vector through 0": lambda: lw.rotation_vector(*(lw.polynomial([-a, a]) for a in (1, 0.5, 2))),
    "quaternion of any length": lambda: lw.quaternion(
        lw.expression("3*sin(t + 1)"), lw.polynomial([1, 2, 0.3]), lw.ramp(-1), 2
    ),
    "function": lambda: lw.quaternion(
        lambda t: (2 + t, t * t, 1, -t), d1=lambda t: (1, 2 * t, 0, -1), d2=lambda t: (0, 2, 0, 0)
    ),
}


@pytest.mark.parametrize("kind", LAWS)
def test_derivatives_of_laws(kind: str) -> None:
    law = LAWS[kind]()
    times = np.array([0.1, 0.31, 1.0, 1.7, 3.0, 4.4])  # a ramp begins at 0 with a corner
    jets = law.jets(times)
    np.testing.assert_allclose(np.linalg.norm(jets[:, 0], axis=1), 1, rtol=0, atol=1e-14)
    for k, level in ((0, 1), (1, 2)):
        slope = [central(lambda x, k=k: law.jets(np.array([x]))[0, k], t, 5e-3) for t in times]
        np.testing.assert_allclose(jets[:, level], slope, rtol=0, atol=1e-9)


def test_a_product_is_the_second_rotation_in_the_axes_of_the_first() -> None:
    for t in (0.0, 0.4, 3.0, 9.9):
        assert same_rotation(tumbling().jets(np.array([t]))[0, 0], rotation(t)) < 1e-13


def test_a_rotation_vector_is_its_exponential() -> None:
    law = LAWS["vector through π and 2π"]()
    for t in (0.0, 0.5, 1.3, 3.3, 6.0):
        theta = [float(d(t)) for d in law.theta]
        exact = Rotation.from_rotvec(theta).as_matrix()
        assert same_rotation(law.jets(np.array([t]))[0, 0], exact) < 1e-13


def test_tables_join_orientations_of_any_sign_smoothly() -> None:
    """Through the nodes, between them within the spline's h⁴; matrices and quaternions alike."""
    rng = np.random.default_rng(3)
    t = np.linspace(0, 5, 251)
    turns = Rotation.from_euler("ZXZ", np.array([angles(x) for x in t]))
    q = turns.as_quat()[:, [3, 0, 1, 2]] * rng.choice([-2.0, 0.5], size=(len(t), 1))
    between = t[:-1] + 0.01
    for given in (q, turns, turns.as_matrix()):
        law = lw.rotation_table(t, given)
        for times, bound in ((t, 1e-13), (between, 3e-6)):
            jets = law.jets(times)[:, 0]
            assert max(same_rotation(p, rotation(x)) for p, x in zip(jets, times)) < bound


# ----------------------------------------------------------------------------- in the lock joint


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("where", ["drive", "drive_a", "drive_b"])
def test_C_t_and_Q_c_are_exact_in_violated_states(where: str, seed: int) -> None:
    m, (a, b), rng = two_bodies(seed)

    def law():
        return lw.polynomial(rng.uniform(-0.5, 0.5, 4))

    laws = {"x": law(), "y": law(), "z": law(),
            "rotation": lw.rotation_vector(law(), law(), law())
            * lw.quaternion(law(), 1 + law(), law(), law())}  # fmt: skip
    m.add("lock", lw.Lock(a, b, at=rng.normal(size=3), axis=rng.normal(size=3), **{where: laws}))
    data = compile_model(m).data()
    state = moving(data, rng)
    e = data.evaluate(state, rates=True)

    def C(t: float, going: float) -> np.ndarray:
        there = replace(state.moved(t * going * state.velocities), time=state.time + t)
        return data.evaluate(there, tangent=False).C

    def rate(t: float, going: float) -> np.ndarray:
        return central(lambda x: C(x, going), t, 5e-3)

    np.testing.assert_allclose(e.Ct, rate(0.0, 0.0), rtol=0, atol=1e-10)
    total = e.Cq @ state.velocities.ravel() + e.Ct
    np.testing.assert_allclose(total, rate(0.0, 1.0), rtol=0, atol=1e-10)
    second = central(lambda t: rate(t, 1.0), 0.0, 5e-3)
    np.testing.assert_allclose(-e.Qc, second, rtol=0, atol=1e-8)


def test_reactions_of_a_tumbling_body_over_ten_turns() -> None:
    """Torques are dL/dt, forces those of the point that moves on r_t in axes of the ground."""
    m = tumbler(
        drive={
            "rotation": tumbling(),
            "x": lw.expression("0.1*sin(2*t)"),
            "z": lw.polynomial([0, 0, 1]),
        }
    )
    run = lw.kinematics(m, t=10, h=0.05, progress=False)
    for k in range(0, len(run), 10):
        t = float(run.time[k])
        assert same_rotation(run["body"].orientation.values[k], rotation(t)) < 1e-11
        np.testing.assert_allclose(run["lock"].torque.values[k], torque(t), rtol=0, atol=1e-6)
        exact = MASS * np.array([-0.4 * np.sin(2 * t), 0, 2])
        np.testing.assert_allclose(run["lock"].force.values[k], exact, rtol=0, atol=1e-9)
    turns = abs(run["lock"].angle.values[-1]) / (2 * np.pi)
    assert turns == pytest.approx((angles(10.0)[0] + angles(10.0)[2]) / (2 * np.pi), abs=0.5)


@pytest.mark.parametrize(
    "method",
    [lw.GeneralizedAlpha(), lw.GeneralizedAlpha(stabilized=True), lw.HHT(), lw.BDF2(), lw.MS2(),
     lw.MSSTC3(), lw.DIRK33(), lw.RK4(), lw.Recursive()],
    ids=lambda method: type(method).__name__ + "+" * bool(getattr(method, "stabilized", False)),
)  # fmt: skip
def test_every_method_follows_the_law(method) -> None:
    """Orientation and place to round-off of the constraint (a stage's or Baumgarte's error for
    RK4); torques by the method's own accelerations, of first order at worst in single steps."""
    m = tumbler(drive={"rotation": tumbling(), "y": lw.expression("0.1*sin(2*t)")})
    run = lw.transient(m, t=2, h=2e-3, every=100, method=method, progress=False)
    for k in range(1, len(run)):
        t = float(run.time[k])
        assert same_rotation(run["body"].orientation.values[k], rotation(t)) < 1e-6
        assert abs(run["body"].position.values[k, 1] - 0.1 * np.sin(2 * t)) < 1e-6
        np.testing.assert_allclose(run["lock"].torque.values[k], torque(t), rtol=0, atol=0.2)


def test_laws_on_both_markers_and_rows_multiply() -> None:
    """R_a Q_S T = R_b Q_P: with all three laws the body is at Q_S T Q_Pᵀ."""
    wave = lw.rotation_vector(lw.expression("2*sin(t)"), 0, lw.ramp(1))
    m = tumbler(drive={"rotation": tumbling()}, drive_a={"rotation": wave},
                drive_b={"rotation": lw.rotation_vector(0, lw.ramp(3), 0)})  # fmt: skip
    run = lw.kinematics(m, t=4, h=0.1, progress=False)
    for k in (0, 11, 25, 40):
        t = float(run.time[k])
        Qa = Rotation.from_rotvec([2 * np.sin(t), 0, t]).as_matrix()
        Qb = Rotation.from_rotvec([0, 3 * t, 0]).as_matrix()
        assert same_rotation(run["body"].orientation.values[k], Qa @ rotation(t) @ Qb.T) < 1e-12
    rest = lw.static(m, progress=False)
    assert same_rotation(rest["body"].orientation.values, rotation(0.0)) < 1e-12


@pytest.mark.parametrize("start", [3.0, np.pi, -np.pi, 4.0])
def test_a_law_may_begin_half_a_turn_from_where_the_model_is_described(start: float) -> None:
    m = tumbler(drive={"rotation": lw.rotation_vector(0, lw.polynomial([start, 1]), 0)})
    run = lw.transient(m, t=0.1, h=0.01, progress=False)
    for k in (0, 10):
        exact = Rotation.from_rotvec([0, start + float(run.time[k]), 0]).as_matrix()
        assert same_rotation(run["body"].orientation.values[k], exact) < 1e-10


def test_some_rows_steer_the_axis_and_leave_the_spin_free() -> None:
    """Rows rx ry: the body is at R_z(ψ) R_t with ψ free; two formulations agree on it."""
    m = tumbler(
        rows="x y z rx ry",
        drive={"rotation": lw.rotation_vector(lw.expression("0.8*sin(3*t)"), 0, 0)},
    )
    runs = [lw.transient(m, t=1, h=5e-4, every=500, method=x, progress=False)
            for x in (lw.GeneralizedAlpha(), lw.Recursive())]  # fmt: skip
    q = [run["body"].orientation.values[-1] for run in runs]
    assert 1 - abs(q[0] @ q[1]) < 1e-9
    for run in runs:
        R = Rotation.from_quat(run["body"].orientation.values[-1][[1, 2, 3, 0]]).as_matrix()
        Rt = Rotation.from_rotvec([0.8 * np.sin(3.0), 0, 0]).as_matrix()
        np.testing.assert_allclose((R @ Rt.T)[:, 2], (0, 0, 1), atol=1e-8)


def test_inverse_dynamics_gives_torques_in_the_main_marker_axes() -> None:
    m = tumbler(drive={"rotation": tumbling()})
    found = lw.inverse(m, t=1, h=0.1, progress=False)
    assert found.names == ("lock rx", "lock ry", "lock rz")
    for k in (3, 10):
        values = [float(found[name][k]) for name in found.names]
        np.testing.assert_allclose(values, torque(0.1 * k), rtol=0, atol=1e-6)


@pytest.mark.parametrize("row", ["rx", "ry", "rz"])
def test_inverse_dynamics_of_one_driven_rotation(row: str) -> None:
    """J α about its axis, whichever that is."""
    m = tumbler(drive={row: lw.polynomial([0, 0, 1.0])})
    found = lw.inverse(m, t=1, h=0.1, progress=False)["lock"]
    np.testing.assert_allclose(found, 2 * J["xyz".index(row[1])], rtol=1e-9)


def test_files_keep_rotation_laws(tmp_path) -> None:
    t = np.linspace(0, 5, 51)
    table = lw.rotation_table(t, Rotation.from_euler("ZXZ", np.array([angles(x) for x in t / 5])))
    m = tumbler(drive={"rotation": tumbling(), "x": lw.ramp(1)}, drive_b={"rotation": table})
    first = lw.transient(m, t=0.1, h=0.01, progress=False)
    first.save(tmp_path / "first.nc")
    again = lw.load(tmp_path / "first.nc").system.model["lock"]
    assert again.drive == m["lock"].drive and again.drive_b == m["lock"].drive_b
    rest = lw.resume(tmp_path / "first.nc", t=0.2, progress=False)
    whole = lw.transient(m, t=0.2, h=0.01, progress=False)
    assert np.array_equal(rest.motion[-1], whole.motion[-1])


def test_energy_momentum_refuses_in_one_sentence() -> None:
    m = tumbler(drive={"rotation": tumbling()})
    with pytest.raises(lw.ModelError, match="'lock' follows a function of time"):
        lw.transient(m, t=0.1, h=0.01, method=lw.EnergyMomentum(), progress=False)


def test_no_input_of_linearised_equations() -> None:
    with pytest.raises(lw.ModelError, match="rotation law of Lock 'lock' has no single value"):
        lw.linearize(tumbler(drive={"rotation": lw.quaternion(1, 0, 0, 0)}), inputs=["lock"],
                     outputs=["body.position.x"])  # fmt: skip


WRONG = [
    (lambda b: lw.Lock(lw.GROUND, b, at=(0, 0, 0), drive={"rotation": lw.ramp(1)}),
     "'rotation' of a Lock: expected a rotation over time"),
    (lambda b: lw.Lock(lw.GROUND, b, at=(0, 0, 0), drive={"rz": tumbling()}),
     "'rz' of a Lock: expected a function of time with one value, found a rotation"),
    (lambda b: lw.Lock(lw.GROUND, b, at=(0, 0, 0), drive={"rz": 1, "rotation": tumbling()}),
     "the whole rotation, and 'rz' as well"),
    (lambda b: lw.Lock(lw.GROUND, b, at=(0, 0, 0), rows="x y", drive={"rotation": tumbling()}),
     "'rotation', which is not one of its rows 'x y'"),
    (lambda b: lw.Force(b, (1, 0, 0), drive=tumbling()), "one value, found a rotation"),
    (lambda b: lw.quaternion(tumbling(), 0, 0, 0), "one value, found a rotation"),
    (lambda b: lw.quaternion(1, 2, 3), "expected four functions of time or numbers"),
    (lambda b: lw.quaternion(lw.ramp(1), 0, 0, 0).jets(np.zeros(1)), "not all zero at t = 0"),
    (lambda b: lw.rotation_table([0, 1, 2, 3], np.eye(4)), "180° between numbers 0 and 1"),
    (lambda b: lw.rotation_table([0, 1], "no"), "expected n quaternions"),
    (lambda b: lw.rotation_table([0, 1, 2], 2 * np.ones((3, 3, 3))), "expected n quaternions"),
    (lambda b: lw.Lock(lw.GROUND, b, at=(0, 0, 0), drive={"rotation": lw.quaternion(
        1, lw.reads(b, "position", "x"), 0, 0)}), "function of time alone"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "words"), WRONG)
def test_mistakes_are_told(make, words: str) -> None:
    m = lw.Model()
    with pytest.raises(lw.ModelError, match=words):
        make(m.add("body", lw.Body(1, (1, 1, 1))))
