"""Readings of joints and loads along their freedoms: closed forms, outputs, tangents, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from inside import model_from_dict, model_to_dict, signal_values
from test_signals import STEP, moved_state

import linkwork as lw
from linkwork import compile_model

VELOCITIES = pytest.mark.filterwarnings("ignore::linkwork.errors.VelocityWarning")
METHODS = [lw.GeneralizedAlpha(0.9), lw.RK4(), lw.Recursive(), lw.MSSTH3(), lw.EnergyMomentum()]
IDS = [type(m).__name__ for m in METHODS]
STIFFNESS, DAMPING, INERTIA = 40.0, 3.0, 0.1 + 0.25  # of the controller, and about the pin


def pd_pendulum(turns=0.0):
    """A rod without weight on a pin, whose controller holds the angle at `turns`."""
    m = lw.Model()
    rod = m.add("rod", lw.Body(1, (0.1, 0.1, 0.02), position=(0, 0, 0.5)))
    pin = m.add("pin", lw.Revolute(
        lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=0.2 + turns, rate=0.3))  # fmt: skip
    angle, rate = lw.reads(pin, "angle"), lw.reads(pin, "rate")
    m.add("motor", lw.JointTorque(pin, -STIFFNESS * (angle - turns) - DAMPING * rate))
    return m


def damped(t):
    """I φ̈ = −k φ − d φ̇ from φ = 0.2 and φ̇ = 0.3."""
    s = DAMPING / INERTIA / 2
    w = np.sqrt(STIFFNESS / INERTIA - s**2)
    return np.exp(-s * t) * (0.2 * np.cos(w * t) + (0.3 + s * 0.2) / w * np.sin(w * t))


@pytest.mark.parametrize("turns", [0.0, 7.0, -20.0])
@pytest.mark.parametrize("method", METHODS, ids=IDS)
def test_pd_pendulum_in_closed_form(method, turns):
    """A damped oscillation, also around an angle several turns away from zero."""
    run = lw.transient(pd_pendulum(turns), 1.0, 2e-3, method, progress=False)
    expected = turns + damped(run.time)
    np.testing.assert_allclose(run["pin"].angle, expected, rtol=0, atol=1e-5)
    torque = -STIFFNESS * (run["pin"].angle - turns) - DAMPING * run["pin"].rate
    np.testing.assert_allclose(run["motor"].torque, torque, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["motor"].rate, run["pin"].rate, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["motor"].power, torque * run["pin"].rate, atol=1e-10)


@pytest.mark.parametrize("method", METHODS[:3], ids=IDS[:3])
def test_the_angle_is_counted_over_turns(method):
    """A controller that takes the pin three turns further, from rest: critically damped."""
    m = lw.Model()
    rod = m.add("rod", lw.Body(1, (0.1, 0.1, 0.02), position=(0, 0, 0.5)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    w, goal = 4.0, 6 * np.pi
    drive = -INERTIA * w**2 * (lw.reads(pin, "angle") - goal) - 2 * INERTIA * w * lw.reads(
        pin, "rate"
    )
    m.add("motor", lw.JointTorque(pin, drive))
    run = lw.transient(m, 1.5, 1e-3, method, progress=False)
    expected = goal * (1 - (1 + w * run.time) * np.exp(-w * run.time))
    np.testing.assert_allclose(run["pin"].angle, expected, rtol=0, atol=3e-4)
    assert run["pin"].angle[-1] > 5.5 * np.pi


def test_a_joint_force_is_a_spring_along_its_axis():
    """A cart on an inclined rail: m ẍ = −k x − c ẋ, by every formulation."""
    for method in METHODS:
        m = lw.Model()
        cart = m.add("cart", lw.Body(2, (1, 1, 1), position=(0.1, 0, 0)))
        rail = m.add("rail", lw.Prismatic(
            lw.GROUND, cart, at=(0, 0.4, 0), axis=(1, 2, 2), displacement=0.1))  # fmt: skip
        drive = -50 * lw.reads(rail, "displacement") - 4 * lw.reads(rail, "speed")
        m.add("push", lw.JointForce(rail, drive))
        run = lw.transient(m, 1.0, 1e-3, method, progress=False)
        w = np.sqrt(25 - 1)
        expected = 0.1 * np.exp(-run.time) * (np.cos(w * run.time) + np.sin(w * run.time) / w)
        np.testing.assert_allclose(run["rail"].displacement, expected, rtol=0, atol=1e-6)
        force = -50 * run["rail"].displacement - 4 * run["rail"].speed
        np.testing.assert_allclose(run["push"].force, force, rtol=0, atol=1e-9)
        np.testing.assert_allclose(run["push"].speed, run["rail"].speed, rtol=0, atol=1e-9)


# ------------------------------------------------------------ readings against outputs of runs

JOINTS = {
    "Revolute": ("angle", "rate", "displacement"),
    "Cylindrical": ("angle", "rate", "displacement", "speed"),
    "Prismatic": ("angle", "displacement", "speed", "position", "velocity"),
    "Planar": ("angle", "rate", "position", "velocity"),
    "Parallel": ("angle", "rate", "displacement", "speed", "position", "velocity"),
    "Spherical": ("displacement", "speed", "position", "velocity"),
    "PointOnLine": ("displacement", "speed"),
}


def moving_pair(kind):
    """Two bodies that tumble, with a joint between them at neither centre."""
    rng = np.random.default_rng(7)
    m = lw.Model(gravity=(0, 0, -9.81))
    a, b = (
        m.add(name, lw.Body(
            1.5, (0.2, 0.3, 0.4), position=rng.normal(size=3), velocity=rng.normal(size=3),
            angular_velocity=2 * rng.normal(size=3)))
        for name in "ab"
    )  # fmt: skip
    joint = m.add("joint", getattr(lw, kind)(a, b, at=(0.1, 0.2, 0.3), axis=(1, -1, 2)))
    return m, joint


@VELOCITIES
@pytest.mark.parametrize("kind", JOINTS)
def test_readings_are_the_outputs_of_runs(kind):
    """Relative motion of the markers, as results find it from the product rule over time."""
    m, joint = moving_pair(kind)
    run = lw.transient(m, 0.3, 1e-3, progress=False)
    for quantity in JOINTS[kind]:
        axes = "xyz" if quantity in ("position", "velocity") else (None,)
        for k, axis in enumerate(axes):
            found = signal_values(run, lw.reads(joint, quantity, axis))
            output = getattr(run["joint"], quantity).values
            expected = output[:, k] if axis else output
            np.testing.assert_allclose(found, expected, rtol=0, atol=2e-9, err_msg=quantity)


@VELOCITIES
def test_arms_of_a_universal_joint():
    """Angles of both arms: their rates are derivatives, and R_x(α) R_y(β) is the rotation."""
    from scipy.spatial.transform import Rotation

    m, _ = moving_pair("Spherical")
    m.remove("joint")
    joint = m.add("joint", lw.Universal(
        m["a"], m["b"], at=(0.1, 0.2, 0.3), axis_a=(1, 0, 0), axis_b=(0, 1, 0)))  # fmt: skip
    run = lw.transient(m, 0.3, 1e-3, progress=False)
    alpha, beta = (signal_values(run, lw.reads(joint, "angle", x)) for x in "xy")
    for angle, x in ((alpha, "x"), (beta, "y")):
        rate = signal_values(run, lw.reads(joint, "rate", x))
        np.testing.assert_allclose(rate[1:-1], np.gradient(angle, run.time)[1:-1], atol=1e-3)
    turned = [
        Rotation.from_quat(run[name].orientation.values[:, [1, 2, 3, 0]])
        * Rotation.from_quat(frame.orientation[[1, 2, 3, 0]])
        for name, frame in zip("ab", joint.frames)
    ]
    found = turned[0].inv() * turned[1]
    expected = Rotation.from_euler("XY", np.column_stack([alpha, beta]))
    np.testing.assert_allclose(found.as_matrix(), expected.as_matrix(), rtol=0, atol=1e-8)


@VELOCITIES
def test_a_torque_on_an_arm_of_a_universal_joint():
    """Its power is the torque times the rate of the arm."""
    m, _ = moving_pair("Spherical")
    m.remove("joint")
    joint = m.add("joint", lw.Universal(
        m["a"], m["b"], at=(0.1, 0.2, 0.3), axis_a=(1, 0, 0), axis_b=(0, 1, 0)))  # fmt: skip
    for x in "xy":
        m.add(f"torque {x}", lw.JointTorque(joint, lw.sine(2, 1.5), axis=x))
    run = lw.transient(m, 0.3, 1e-3, progress=False)
    for x in "xy":
        rate = signal_values(run, lw.reads(joint, "rate", x))
        np.testing.assert_allclose(run[f"torque {x}"].rate, rate, rtol=0, atol=1e-12)
        power = run[f"torque {x}"].torque * rate
        np.testing.assert_allclose(run[f"torque {x}"].power, power, rtol=0, atol=1e-9)


def test_lengths_and_gears():
    m = lw.Model(gravity=(0, 0, -9.81))
    bob = m.add("bob", lw.Body(1, (0.1, 0.1, 0.1), position=(1, 0, -1)))
    rope = m.add("rope", lw.Distance(lw.GROUND, bob, length=np.sqrt(2) + lw.ramp(0.3)))
    run = lw.transient(m, 0.2, 1e-3, progress=False)
    length = np.sqrt(2) + 0.3 * run.time
    np.testing.assert_allclose(signal_values(run, lw.reads(rope, "length")), length, atol=1e-8)
    np.testing.assert_allclose(signal_values(run, lw.reads(rope, "rate")), 0.3, atol=1e-5)
    m = lw.Model()
    wheels = [m.add(f"wheel {k}", lw.Body(1, (1, 1, 1), position=(k, 0, 0))) for k in range(2)]
    pins = [
        m.add(f"pin {k}", lw.Revolute(lw.GROUND, w, at=(k, 0, 0), axis=(0, 0, 1)))
        for k, w in enumerate(wheels)
    ]
    mesh = m.add("mesh", lw.Gear(*pins, ratio=-2))
    m.add("motor", lw.JointTorque(pins[0], 5.0 - 0.5 * lw.reads(mesh, "rate_1")))
    run = lw.transient(m, 2.0, 1e-3, progress=False)
    # (1 + 4) φ̈ = 5 − φ̇/2
    rate = 10 * (1 - np.exp(-run.time / 10))
    np.testing.assert_allclose(run["mesh"].rate_1, rate, rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        signal_values(run, lw.reads(mesh, "angle_2")), run["mesh"].angle_2, atol=1e-9
    )


# ------------------------------------------------------------------------------------ tangents

TANGENTS = [
    ("Revolute", "angle", None), ("Revolute", "rate", None), ("Prismatic", "displacement", None),
    ("Prismatic", "speed", None), ("Planar", "velocity", "x"), ("Align", "velocity", (1, -2, 0.5)),
    ("Spherical", "rotation", "y"), ("Universal", "angle", "x"), ("Universal", "rate", "y"),
    ("Distance", "length", None), ("Distance", "rate", None),
]  # fmt: skip


@pytest.mark.parametrize("kind, quantity, axis", TANGENTS)
def test_tangents_by_differences(kind, quantity, axis):
    """K and D of a force that reads a joint, in violated positions."""
    rng = np.random.default_rng(3)
    m = lw.Model()
    a, b = (m.add(x, lw.Body(1, (1, 1, 1), position=rng.normal(size=3))) for x in "ab")
    words = {} if kind == "Distance" else {"at": rng.normal(size=3)}
    if kind == "Universal":
        words |= {"axis_a": (1, 0.2, 0), "axis_b": (0, 1, 0.3)}
    elif kind != "Distance":
        words["axis"] = rng.normal(size=3)
    joint = m.add("joint", getattr(lw, kind)(a, b, **words))
    y = lw.reads(joint, quantity, axis)
    load = lw.ForcePair(a, b, rng.normal(size=3), rng.normal(size=3), lw.formula("sin(y)", y=y))
    m.add("load", load)
    data = compile_model(m).data()
    state, n = moved_state(data, rng), 6 * data.system.bodies
    state = replace(state, gamma=np.zeros(len(data.system.all_rows)))
    v = state.velocities.ravel()
    K, D = np.empty((2, n, n))
    for j in range(n):
        d = np.zeros(n)
        d[j] = STEP
        for X, up, down in (
            (K, state.moved(d), state.moved(-d)),
            (D, state.with_velocities(v + d), state.with_velocities(v - d)),
        ):
            f = [data.evaluate(s, tangent=False).f.ravel() for s in (up, down)]
            X[:, j] = (f[0] - f[1]) / (2 * STEP)
    scale = max(1.0, np.abs(K).max(), np.abs(D).max())
    found = data.evaluate(state, cK=1.0).stiffness.toarray()
    np.testing.assert_allclose(found / scale, K / scale, atol=1e-8)
    found = data.evaluate(state, cK=0.0, cD=1.0).stiffness.toarray()
    np.testing.assert_allclose(found / scale, D / scale, atol=1e-8)


# --------------------------------------------------------------------------- files and refusals


def test_models_with_joint_readings_come_back_from_files(tmp_path):
    m = pd_pendulum(turns=7.0)
    again = model_from_dict(model_to_dict(m))
    runs = [lw.transient(x, 0.2, 1e-3, progress=False) for x in (m, again)]
    np.testing.assert_array_equal(runs[0]["pin"].angle, runs[1]["pin"].angle)
    runs[0].save(tmp_path / "run.nc")
    stored = lw.load(tmp_path / "run.nc")
    np.testing.assert_array_equal(stored["motor"].torque, runs[0]["motor"].torque)
    assert stored["motor"].torque.attrs["units"] == "N m"
    whole = lw.transient(m, 0.4, 1e-3, progress=False)
    second = lw.transient(m, 0.4, 1e-3, start=runs[0], progress=False)
    np.testing.assert_array_equal(second["pin"].angle[-1], whole["pin"].angle[-1])


def pin_and_rod():
    rod = lw.Body(1, (1, 1, 1))
    return rod, lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))


def test_what_cannot_be_read():
    rod, pin = pin_and_rod()
    with pytest.raises(lw.DriveError, match="expected one of angle, rate.*found 'angel'.*'angle'"):
        lw.reads(pin, "angel")
    with pytest.raises(lw.DriveError, match="about or along its z axis; leave out axis"):
        lw.reads(pin, "angle", "x")
    with pytest.raises(lw.DriveError, match="which are for readings of bodies"):
        lw.reads(pin, "angle", relative_to=rod)
    ball = lw.Spherical(lw.GROUND, rod, at=(0, 0, 0))
    with pytest.raises(lw.DriveError, match='it can bend.*read "rotation"'):
        lw.reads(ball, "angle")
    with pytest.raises(lw.ModelError, match="a StrapdownSensor cannot be read; read a body"):
        lw.reads(lw.StrapdownSensor(rod), "force")
    moving = lw.Lock(lw.GROUND, rod, at=(0, 0, 0), rows="x y z rx ry", drive_a={"z": lw.ramp(1)})
    with pytest.raises(lw.ModelError, match="its markers move on its bodies"):
        lw.reads(moving, "angle")
    m = lw.Model()
    m.add("rod", rod)
    m.add("push", lw.Force(rod, (1, 0, 0), drive=lw.reads(pin, "angle")))
    with pytest.raises(lw.ModelError, match="Force 'push' reads a Revolute, which is not in model"):
        lw.transient(m, 0.1, 0.01, progress=False)


def test_what_joint_loads_refuse():
    rod, pin = pin_and_rod()
    ball = lw.Spherical(lw.GROUND, rod, at=(0, 0, 0))
    slide = lw.Prismatic(lw.GROUND, rod, at=(0, 0, 0), axis=(1, 0, 0))
    cross = lw.Universal(lw.GROUND, rod, at=(0, 0, 0), axis=(1, 0, 0))
    for build, words in (
        (lambda: lw.JointTorque(rod, 1.0), "needs a joint such as a Revolute"),
        (lambda: lw.JointTorque(pin), "needs a drive"),
        (lambda: lw.JointTorque(slide, 1.0), "no free rotation about its z axis"),
        (lambda: lw.JointTorque(ball, 1.0), "which can bend"),
        (lambda: lw.JointTorque(cross, 1.0), 'needs axis="x"'),
        (lambda: lw.JointTorque(pin, 1.0, axis="x"), "acts about the z axis"),
        (lambda: lw.JointForce(pin, 1.0), "does not slide along its z axis"),
        (lambda: lw.JointTorque(pin, "3*x"), "write expression"),
        (lambda: lw.JointTorque(pin, float("nan")), "finite"),
    ):
        with pytest.raises(lw.LinkworkError, match=words):
            build()
    m = lw.Model()
    m.add("rod", rod)
    m.add("torque", lw.JointTorque(pin, 1.0))
    with pytest.raises(lw.ModelError, match="'torque' acts on a Revolute, which is not in model"):
        lw.transient(m, 0.1, 0.01, progress=False)


def test_a_joint_torque_is_an_input_of_linear_systems():
    """A pendulum that hangs: θ̈ = −m g l/I θ + τ/I."""
    m = lw.Model(gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (0.1, 0.1, 0.02), position=(0, 0, -0.5)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("motor", lw.JointTorque(pin, 0.0))
    linear = lw.linearize(m, inputs=["motor"], outputs=["pin.angle"])
    s = 2.0 + 1.0j
    G = linear.C @ np.linalg.solve(s * np.eye(len(linear.A)) - linear.A, linear.B) + linear.D
    assert G[0, 0] == pytest.approx(1 / (INERTIA * s**2 + 9.81 * 0.5), rel=1e-9)
