"""Drives that read the motion: derivatives, closed forms, files, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from inside import Chain, model_from_dict, model_to_dict, signal_values

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations

STEP = 1e-5
KINDS = ("position", "velocity", "angular velocity", "cosine", "rotation", "angle")


def random_frame(rng, body):
    q = rng.normal(size=4)
    return lw.Frame(body, rng.normal(size=3), q / np.linalg.norm(q))


def loads(rng, a, b, drive):
    """A load of every kind with this drive."""
    f = random_frame(rng, a)
    yield lw.Force(f, rng.normal(size=3), drive=drive)
    yield lw.Force(f, rng.normal(size=3), drive=drive, follower=True)
    yield lw.Torque(f, rng.normal(size=3), drive=drive)
    force, torque = rng.normal(size=(2, 3))
    g = random_frame(rng, b)
    yield lw.ForcePair(f, g, force, torque, drive, follower=True, apart=True)


def moved_state(data, rng):
    state, n = data.system.described_state(time=0.4), data.system.bodies
    motion = state.motion.copy()
    motion[:, :3] += rng.normal(size=(n, 3))
    turn = rotations.exponential(0.5 * rng.normal(size=(n, 3)))
    motion[:, 3:7] = rotations.multiply(motion[:, 3:7], turn)
    motion[:, 7:] = rng.normal(size=(n, 6))
    return replace(state, motion=motion)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", range(4))
def test_stiffness_and_damping_by_differences(kind, which):
    """K and D of loads that read three bodies against central differences of the residual."""
    rng = np.random.default_rng(KINDS.index(kind) + 10 * which)
    m = lw.Model()
    a, b, c = (m.add(f"b{i}", lw.Body(1, (1, 1, 1), position=rng.normal(size=3))) for i in range(3))
    x = lw.reads(random_frame(rng, c), kind, rng.normal(size=3), axes=random_frame(rng, b),
                 relative_to=random_frame(rng, a), along=rng.normal(size=3))  # fmt: skip
    y = lw.reads(a, "position", "y", relative_to=c)
    drive = lw.formula("sin(x) + t*x*y + f", x=x, y=y, f=lw.sine(2, 0.3))
    m.add("load", list(loads(rng, a, b, drive))[which])
    data = compile_model(m).data()
    state = moved_state(data, rng)
    n = 6 * data.system.bodies
    K, D = np.empty((2, n, n))
    v = state.velocities.ravel()
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
    alone = compile_model(bare(m)).data().evaluate(replace(state, memory=None), cK=0.0, cD=1.0)
    bodies = alone.stiffness.toarray()
    np.testing.assert_allclose(found / scale, D / scale, atol=1e-8)
    assert np.abs(found - bodies).max() > 1e-3 or kind not in ("velocity", "angular velocity")


def bare(m):
    """The bodies of a model alone."""
    copy = model_from_dict(model_to_dict(m))
    copy.remove("load")
    return copy


def servo(K=50.0, C=4.0):
    m = lw.Model()
    cart = m.add("cart", lw.Body(2, (1, 1, 1), position=(0.1, 0, 0)))
    x, v = lw.reads(cart, "position", "x"), lw.reads(cart, "velocity", "x")
    m.add("servo", lw.Force(cart, (1, 0, 0), drive=-K * x - C * v))
    return m


def damped(t, K=50.0, C=4.0, mass=2.0, x0=0.1):
    w0, s = np.sqrt(K / mass), C / (2 * mass)
    w = np.sqrt(w0**2 - s**2)
    return x0 * np.exp(-s * t) * (np.cos(w * t) + s / w * np.sin(w * t))


METHODS = [lw.GeneralizedAlpha(0.9), lw.RK4(), lw.Recursive(), lw.MSSTH3(), lw.EnergyMomentum()]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_servo_is_a_spring_and_a_damper(method):
    """m ẍ = −k x − c ẋ swings as a damped oscillator, by every formulation."""
    run = lw.transient(servo(), 1.0, 1e-3, method, progress=False)
    np.testing.assert_allclose(run["cart"].position.values[:, 0], damped(run.time), atol=2e-6)
    found = signal_values(run, run.system.model["servo"].drive)
    force = 2.0 * run["cart"].acceleration.values[:, 0]
    np.testing.assert_allclose(found[1:], force[1:], atol=5e-4 * 5)


def test_the_tangent_is_in_modes_and_statics():
    """Eigenvalues of the servo are −c/2m ± i ω; it holds a load f at f/k."""
    m = servo()
    m["cart"].position = (0, 0, 0)
    found = lw.eigen(m).eigenvalues
    s, w0 = 1.0, 5.0
    assert min(abs(found - complex(-s, np.sqrt(w0**2 - s**2)))) < 1e-9
    m.add("rail", lw.Prismatic(lw.GROUND, m["cart"], at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("load", lw.Force(m["cart"], (7, 0, 0)))
    m.gravity = (0, 0, -9.81)
    rest = lw.static(m)
    assert rest["cart"].position.values[0] == pytest.approx(7 / 50, abs=1e-12)


def test_a_model_with_readings_comes_back_from_a_file(tmp_path):
    run = lw.transient(servo(), 0.2, 1e-3, progress=False)
    run.save(tmp_path / "run.nc")
    back = lw.load(tmp_path / "run.nc")
    again = lw.transient(back.system.model, 0.2, 1e-3, progress=False)
    np.testing.assert_array_equal(again.motion, run.motion)


def test_motion_laws_may_not_read_the_motion():
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1)))
    with pytest.raises(lw.DriveError, match="reads the motion"):
        lw.Motor(lw.GROUND, a, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.reads(a, "position", "x"))
    with pytest.raises(lw.DriveError, match="remember"):
        lw.Force(a, (1, 0, 0), drive=lw.reads(a, "position", "x").delayed(0.1))


def test_a_force_that_follows_is_no_input():
    m = servo()
    m["cart"].position = (0, 0, 0)
    with pytest.raises(lw.ModelError, match="follows the motion, so it cannot be an input"):
        lw.linearize(m, inputs=["servo"], outputs=["cart.position"])
    push = m.add("push", lw.Force(m["cart"], (1, 0, 0), drive=lw.constant(0)))
    found = lw.linearize(m, inputs=[push.name], outputs=["cart.position.x"])
    A, B, C, D = (np.asarray(x) for x in (found.A, found.B, found.C, found.D))
    gain = C @ np.linalg.solve(3j * np.eye(len(A)) - A, B) + D
    assert complex(gain.ravel()[0]) == pytest.approx(1 / (50 + 4 * 3j - 2 * 9), rel=1e-9)


def test_values_that_do_not_exist_are_told():
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1), position=(-1, 0, 0), velocity=(1, 0, 0)))
    root = lw.formula("sqrt(-x)", x=lw.reads(a, "position", "x"))
    m.add("f", lw.Force(a, (0, 1, 0), drive=root))
    with pytest.raises(lw.ModelError, match="drive of Force 'f' has no value"):
        lw.transient(m, 2, 1e-2, progress=False)


def wound(drive_of, **words):
    """A wheel that turns freely about z, and a torque on it with a drive of its angle."""
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 0.5), **words))
    m.add("pin", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("f", lw.Torque(a, (0, 0, 1), drive=drive_of(lw.reads(a, "angle", "z"))))
    return m


@pytest.mark.parametrize("method", [*METHODS[:4], lw.ODE()], ids=lambda m: type(m).__name__)
def test_angles_are_counted_over_turns(method):
    """A spring of 0.08 N m/rad on 0.5 kg m², wound up by 12 rad/s: φ = 30 sin(0.4 t)."""
    m = wound(lambda x: -0.08 * x, angular_velocity=(0, 0, 12))
    run = lw.transient(m, 5, 5e-3, method, every=100, progress=False)
    expected = 30 * np.sin(0.4 * run.time)
    bound = 1e-3 if not isinstance(method, (lw.RK4, lw.Recursive, lw.ODE)) else 1e-6
    np.testing.assert_allclose(run["pin"].angle, expected, rtol=0, atol=bound)
    torque = signal_values(run, m["f"].drive)  # stored once a turn or less often
    np.testing.assert_allclose(torque, -0.08 * expected, rtol=0, atol=bound)
    again = lw.transient(m, 7, 5e-3, method, start=run, every=100, progress=False)
    expected = 30 * np.sin(0.4 * again.time)
    np.testing.assert_allclose(signal_values(again, m["f"].drive), -0.08 * expected, atol=bound)


def test_counting_equals_a_torsion_spring():
    """Which counts in the same way, and has the same stiffness."""
    one = wound(lambda x: -3 * x, angular_velocity=(0, 0, 40))
    two = lw.Model()
    a = two.add("a", lw.Body(1, (1, 1, 0.5), angular_velocity=(0, 0, 40)))
    pin = two.add("pin", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 0, 1)))
    two.add("spring", lw.TorsionSpring(pin, 3.0))
    runs = [lw.transient(m, 2, 1e-3, progress=False) for m in (one, two)]
    assert np.abs(runs[1]["pin"].angle).max() > 2 * np.pi
    np.testing.assert_allclose(runs[0]["pin"].angle, runs[1]["pin"].angle, rtol=0, atol=1e-9)


def test_where_angles_cannot_be_counted():
    """More than half a turn in a step; methods that do not count; Python functions of an angle."""
    m = wound(lambda x: 0.01 * x, angular_velocity=(0, 0, 2))
    with pytest.raises(lw.ModelError, match="turns by 3.2 rad in a step"):
        lw.transient(m, 30, 1.6, lw.RK4(), progress=False)
    # 1.7 rad in a step of each of two wheels, 3.4 of the angle between them
    b = m.add("b", lw.Body(1, (1, 1, 0.5), angular_velocity=(0, 0, -1.2)))
    m.add("other pin", lw.Revolute(lw.GROUND, b, at=(0, 0, 0), axis=(0, 0, 1)))
    m["a"].angular_velocity = (0, 0, 1.2)
    m["f"].drive = 0.01 * lw.reads(m["a"], "angle", "z", relative_to=b)
    with pytest.raises(lw.ModelError, match="less than half a turn within a step"):
        lw.transient(m, 30, 1.4, lw.RK4(), progress=False)
    with pytest.raises(lw.ModelError, match="less than half a turn"):
        lw.transient(m, 3, 1e-2, lw.EnergyMomentum(), progress=False)
    python = lw.function(lambda x: 0.01 * x, d1=lambda x: 0.01, d2=lambda x: 0.0)
    m["f"].drive = Chain(python, lw.reads(m["a"], "angle", "z"))
    with pytest.raises(lw.ModelError, match="goes beyond half a turn"):
        lw.transient(m, 3, 1e-2, progress=False)


def test_body_of_another_model():
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1)))
    m.add("f", lw.Force(a, (1, 0, 0), drive=lw.reads(lw.Body(1, (1, 1, 1)), "position", "x")))
    with pytest.raises(lw.ModelError, match="not in model"):
        compile_model(m)


def test_distance_controlled_pair():
    """A pull of −k (|d| − L) along a line of two masses: they swing at √(2 k/m)."""
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1)))
    b = m.add("b", lw.Body(1, (1, 1, 1), position=(1.1, 0, 0)))
    parts = {n: lw.reads(b, "position", n, relative_to=a) for n in "xyz"}
    pull = lw.formula("100*(sqrt(x^2 + y^2 + z^2) - 1)", **parts)
    m.add("pull", lw.ForcePair(a, b, (1, 0, 0), drive=pull))
    run = lw.transient(m, 0.5, 1e-3, lw.MSSTH5(), progress=False)
    gap = (run["b"].position - run["a"].position).values[:, 0]
    np.testing.assert_allclose(gap, 1 + 0.1 * np.cos(np.sqrt(200) * run.time), atol=1e-9)


def test_stiffness_may_not_read_the_motion():
    """Its tangent would need the derivatives of the law by its stiffness."""
    body = lw.Body(1, (1, 1, 1), position=(1, 0, 0))
    scale = lw.reads(body, "position", "x")
    law = lw.laws.LinearViscoelastic(10.0, 1.0, stiffness_scale=scale)
    with pytest.raises(lw.DriveError, match="other numbers of laws may not"):
        lw.Rod(lw.GROUND, body, law=law)


def test_trials_of_tangents_leave_no_trace_in_what_elements_remember():
    """A stop is at its corner, with a pre-strain that follows the motion: the trial beyond it,
    which the tangent takes, is no part of the path."""
    m = lw.Model(gravity=(0, 0, 0))
    b = m.add("b", lw.Body(1, (1, 1, 1), position=(0, 0, 1), velocity=(0, 0, 0.3)))
    m.add("guide", lw.Prismatic(lw.GROUND, b, at=(0, 0, 1), axis=(0, 0, 1)))
    follows = 0.1 * lw.reads(b, "position", axis="z") - 0.1
    law = lw.laws.Stop(-1.0, 1e-9, stiffness=100.0, prestrain=follows)
    m.add("rod", lw.Rod(lw.GROUND, b, law=law))
    system = lw.compile_model(m)
    state, data = system.described_state(), system.data()
    assert data.memory.size
    data.evaluate(state, tangent=False)
    alone = data.memory
    data.evaluate(state)
    np.testing.assert_array_equal(data.memory, alone)
