"""Screw, gimbal, driven hinge, mean of points, sensor: kinematics and statics in closed form."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations


def test_screw_advances_by_its_pitch_over_ten_turns():
    """Driven by a motor's angle: ten turns, ten pitches; torque and force are in p/2π."""
    pitch, mass, rate = 0.02, 3.0, 2 * np.pi * 5
    m = lw.Model(gravity=(0, 0, -9.81))
    carrier = m.add("carrier", lw.Body(1, (1, 1, 1)))
    nut = m.add("nut", lw.Body(mass, (1, 1, 1)))
    m.add("key", lw.Lock(lw.GROUND, nut, axis=(0, 0, 1), rows="rz"))
    m.add("motor", lw.Motor(lw.GROUND, carrier, (0, 0, 0), (0, 0, 1), angle=lw.ramp(-rate)))
    m.add("screw", lw.Screw(carrier, nut, (0, 0, 0), (0, 0, 1), pitch=pitch))
    run = lw.transient(m, t=2, h=2e-3, progress=False)
    angle = run["screw"].angle.values
    assert angle[-1] == pytest.approx(10 * 2 * np.pi, abs=1e-9)
    z = run["nut"].position.values[:, 2]
    np.testing.assert_allclose(z, pitch * 5 * run.time, atol=1e-10)
    np.testing.assert_allclose(run["screw"].displacement, z, atol=1e-10)
    np.testing.assert_allclose(run["screw"].speed[5:], pitch * 5, atol=1e-7)
    force, torque = run["screw"].force.values[-1], run["screw"].torque.values[-1]
    assert force[2] == pytest.approx(mass * 9.81, rel=1e-6)
    assert torque[2] == pytest.approx(-pitch / (2 * np.pi) * force[2], rel=1e-6)


def test_screw_falls_with_its_flywheel():
    """m z̈ = −m g − …: z̈ = −g/(1 + J (2π/p)²/m)."""
    pitch, mass, J, g = 0.5, 2.0, 0.03, 9.81
    m = lw.Model(gravity=(0, 0, -g))
    b = m.add("b", lw.Body(mass, (J, J, J)))
    m.add("screw", lw.Screw(lw.GROUND, b, (0, 0, 0), (0, 0, 1), pitch=pitch))
    run = lw.transient(m, t=1, h=1e-3, progress=False)
    a = g / (1 + J * (2 * np.pi / pitch) ** 2 / mass)
    np.testing.assert_allclose(run["b"].position.values[:, 2], -a / 2 * run.time**2, atol=1e-9)
    assert abs(float(run["screw"].angle[-1])) > 2 * np.pi
    drift = run.energy.total.values - run.energy.total.values[0]
    assert np.abs(drift).max() < 1e-8


def test_screw_starts_where_it_is_told():
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 1, 1)))
    m.add("s", lw.Screw(lw.GROUND, b, (0, 0, 0), (0, 0, 1), pitch=0.1, angle=9.0, rate=2.0))
    run = lw.transient(m, t=0.01, h=1e-3, progress=False)
    assert float(run["s"].angle[0]) == pytest.approx(9.0)
    assert float(run["s"].displacement[0]) == pytest.approx(0.9 / (2 * np.pi))
    assert float(run["s"].speed[0]) == pytest.approx(0.2 / (2 * np.pi))


def test_gimbal_transmits_equally_at_thirty_degrees():
    """Both shafts turn equally fast; a single universal joint has 1/cos δ ripple."""
    bend = np.radians(30)
    n = np.array([np.sin(bend), 0, np.cos(bend)])
    for kind, ripple in ((lw.Gimbal, 0.0), (lw.Universal, 1 / np.cos(bend) - np.cos(bend))):
        m = lw.Model()
        a = m.add("a", lw.Body(1, (1, 1, 1)))
        b = m.add("b", lw.Body(1, (1, 1, 1), position=n))
        m.add("in", lw.Motor(lw.GROUND, a, (0, 0, 0), (0, 0, 1), angle=lw.ramp(3.0)))
        if kind is lw.Gimbal:
            m.add("out", lw.Revolute(lw.GROUND, b, at=n, axis=n))
            q = rotations.exponential(bend * np.array([0, 1.0, 0]))
            frame_b = lw.Frame(b, (0, 0, 0), q)  # its z axis is b's shaft
            m.add("joint", kind(lw.Frame(a), frame_b))
        else:
            m.add("joint", kind(a, b, (0, 0, 0), axis_a=(1, 0, 0), axis_b=(0, 1, 0)))
            m.add("out", lw.Parallel(lw.GROUND, b, axis=n))
        run = lw.kinematics(m, t=2, h=0.01)
        spin = run["b"].angular_velocity.values @ n  # b's shaft is n in its own axes, too
        assert np.ptp(spin) == pytest.approx(3 * ripple, abs=2e-3 if ripple else 1e-9)


def test_gimbal_is_two_turns_about_y_and_one_about_x():
    """ρ_y(v) ρ_x(f) ρ_y(v) satisfies it for all v and f."""
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 1, 1)))
    m.add("g", lw.Gimbal(lw.GROUND, b))
    data = compile_model(m).data()
    state = data.system.described_state()
    rng = np.random.default_rng(0)
    for v, f in rng.uniform(-1.5, 1.5, (10, 2)):
        y, x = Rotation.from_rotvec([0, v, 0]), Rotation.from_rotvec([f, 0, 0])
        q = (y * x * y).as_quat(scalar_first=True)
        motion = state.motion.copy()
        motion[0, 3:7] = q
        assert abs(data.evaluate(replace(state, motion=motion)).C[0]) < 1e-15


def test_driven_hinge_follows_a_rotation_vector_beyond_half_a_turn():
    laws = (lw.ramp(1.3), lw.sine(0.7, 0.4), lw.polynomial([0.2, 0, 0.9]))
    m = lw.Model()
    b = m.add("b", lw.Body(2, (1, 2, 2.5)))
    m.add("place", lw.Spherical(lw.GROUND, b, at=(0, 0, 0)))
    m.add("aim", lw.DriveHinge(lw.GROUND, b, vector=laws))
    run = lw.kinematics(m, t=3, h=0.01)
    t = np.asarray(run.time)
    vector = np.stack([d.values(t) for d in laws], axis=1)
    assert np.linalg.norm(vector, axis=1).max() > np.pi
    expected = Rotation.from_rotvec(vector).as_matrix()
    found = rotations.matrix(run["b"].orientation.values)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    # angular velocity in body axes by differences of the known rotation
    h = 1e-5
    ahead, behind = (
        Rotation.from_rotvec(np.stack([d.values(t[1:] + s) for d in laws], axis=1)) for s in (h, -h)
    )
    w = (behind.inv() * ahead).as_rotvec() / (2 * h)
    np.testing.assert_allclose(run["b"].angular_velocity[1:], w, atol=1e-8)


def ring(n=5, seed=3):
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(n, 3))
    m = lw.Model(gravity=(0, 0, -9.81))
    rim = [m.add(f"p{i}", lw.Body(1 + i, (1, 1, 1), position=p)) for i, p in enumerate(places)]
    hub = m.add("hub", lw.Body(2, (1, 1, 1), position=(0.1, 0.2, 0.3)))
    return m, hub, rim, places, rng


def test_mean_of_points_follows_a_rigid_motion_exactly():
    m, hub, rim, _, rng = ring()
    m.add("mean", lw.RigidBodyDisplacement(hub, rim, rng.uniform(0.5, 1, 5)))
    data = compile_model(m).data()
    state = data.system.described_state()
    assert np.abs(data.evaluate(state).C).max() < 1e-14
    q, shift = rotations.exponential(np.array([0.7, -0.4, 1.2])), np.array([3.0, 2, 1])
    R = rotations.matrix(q)
    motion = state.motion.copy()
    motion[:, :3] = motion[:, :3] @ R.T + shift
    motion[:, 3:7] = rotations.multiply(q, motion[:, 3:7])
    assert np.abs(data.evaluate(replace(state, motion=motion)).C).max() < 1e-14


def test_mean_of_points_is_the_least_squares_motion():
    """Kabsch's rotation and the weighted centroid of points that moved anyhow."""
    m, hub, rim, places, rng = ring()
    w = rng.uniform(0.5, 1, 5)
    m.add("mean", lw.RigidBodyDisplacement(hub, rim, w))
    moved = places + 0.2 * rng.normal(size=places.shape)
    for body, p in zip(rim, moved, strict=True):
        body.position = p
    state = lw.assemble(m, fixed=[f"p{i}" for i in range(5)])
    c0, c1 = np.average(places, axis=0, weights=w), np.average(moved, axis=0, weights=w)
    best, _ = Rotation.align_vectors(moved - c1, places - c0, weights=w)
    R = rotations.matrix(state["hub"].orientation)
    np.testing.assert_allclose(R, best.as_matrix(), atol=1e-9)
    expected = c1 + best.apply(np.array([0.1, 0.2, 0.3]) - c0)
    np.testing.assert_allclose(state["hub"].position, expected, atol=1e-9)


def test_mean_of_points_keeps_momentum():
    """Free bodies, tied: total momentum and angular momentum stay, and so does the energy."""
    m, hub, rim, _, rng = ring(4)
    m.gravity = (0, 0, 0)
    for body in rim:
        body.velocity = rng.normal(size=3)
    m.add("mean", lw.RigidBodyDisplacement(hub, rim))
    errors = []
    for h in (4e-3, 2e-3):
        run = lw.transient(m, t=1, h=h, progress=False)
        p, L = run.momentum.values, run.angular_momentum.values
        assert np.abs(p - p[0]).max() < 1e-9
        errors.append(np.abs(L - L[0]).max() + np.abs(np.diff(run.energy.total)).sum())
    assert errors[1] < 1e-3
    assert errors[1] < 0.4 * errors[0]  # of second order


def test_sensor_on_a_turntable():
    """At radius r and rate Ω an accelerometer shows −Ω² r radially and g upwards."""
    m = lw.Model(gravity=(0, 0, -9.81))
    table = m.add("table", lw.Body(1, (1, 1, 1)))
    m.add("motor", lw.Motor(lw.GROUND, table, (0, 0, 0), (0, 0, 1), angle=lw.polynomial([0, 1, 1])))
    m.add("unit", lw.StrapdownSensor(lw.Frame(table, (0.5, 0, 0))))
    run = lw.kinematics(m, t=1, h=0.1)
    t = np.asarray(run.time)
    felt = run["unit"].specific_force.values
    expected = np.stack([-0.5 * (1 + 2 * t) ** 2, np.ones_like(t), np.full_like(t, 9.81)], axis=1)
    np.testing.assert_allclose(felt, expected, atol=1e-9)
    np.testing.assert_allclose(run["unit"].acceleration, expected - [0, 0, 9.81], atol=1e-9)
    np.testing.assert_allclose(run["unit"].angular_velocity[:, 2], 1 + 2 * t, atol=1e-9)


@pytest.mark.parametrize("make,words", [
    (lambda a, b: lw.Screw(a, b, (0, 0, 0), (0, 0, 1)), "pitch"),
    (lambda a, b: lw.DriveHinge(a, b, vector=(1, 2)), "three functions"),
    (lambda a, b: lw.RigidBodyDisplacement(a, []), "at least one point"),
    (lambda a, b: lw.RigidBodyDisplacement(a, [b]), "lie on a line"),
    (lambda a, b: lw.RigidBodyDisplacement(a, [b, b, b]), "different bodies"),
    (lambda a, b: lw.RigidBodyDisplacement(a, [b], weights=[-1]), "positive sum"),
    (lambda a, b: lw.StrapdownSensor(lw.GROUND), "GROUND"),
])  # fmt: skip
def test_errors(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make(lw.Body(1, (1, 1, 1)), lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
