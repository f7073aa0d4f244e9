"""The same in other words: frames or points, motors or locked hinges, one body or two."""

import numpy as np
import pytest
from same_elsewhere import SAME, World, run, same_turn, turned
from scipy.spatial.transform import Rotation

import linkwork as lw

pytestmark = pytest.mark.usefixtures("quiet")


# -------------------------------------------------------------------- the same joint in other words


def test_frames_say_the_same_as_points():
    """Markers given on the bodies, or by a world point and axes."""
    runs = []
    for framed in (False, True):
        m = lw.Model("arm", gravity=(1, 2, -9))
        R = Rotation.random(random_state=2).as_matrix()
        a = m.add("a", lw.Body(1, (1, 1.5, 1.2), position=(0.5, 0, 0), orientation=R))
        b = m.add("b", lw.Body(2, (0.8, 0.7, 0.9), position=(1.5, 0.5, 0)))
        axes = World().axes((0, 1, 1))
        if framed:
            local = R.T @ (np.array([1, 0.2, 0.1]) - a.position)
            fa = lw.Frame(a, local, R.T @ axes)
            fb = lw.Frame(b, np.array([1, 0.2, 0.1]) - b.position, axes)
            m.add("A", lw.Spherical(lw.Frame(lw.GROUND), lw.Frame(a, R.T @ (-0.5, 0, 0), R.T)))
            m.add("B", lw.Revolute(fa, fb))
            m.add("S", lw.Spring(lw.Frame(lw.GROUND, (0, 3, 1)), fb, stiffness=30))
        else:
            m.add("A", lw.Spherical(lw.GROUND, a, at=(0, 0, 0)))
            m.add("B", lw.Revolute(a, b, at=(1, 0.2, 0.1), orientation=axes))
            m.add("S", lw.Spring(lw.GROUND, b, (0, 3, 1), (1, 0.2, 0.1), stiffness=30))
        runs.append(run(m))
    for name in "ab":
        np.testing.assert_allclose(runs[0][name].position, runs[1][name].position, atol=SAME)
    for name in "AB":
        np.testing.assert_allclose(runs[0][name].force, runs[1][name].force, atol=1e-6)
        np.testing.assert_allclose(runs[0][name].torque, runs[1][name].torque, atol=1e-6)


def test_a_frame_on_one_side_is_enough():
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 1, 1), position=(1, 2, 3), orientation=(0.5, 0.5, 0.5, 0.5)))
    frame = lw.Frame(b, (0.1, 0.2, 0.3), (0.8, 0, 0.6, 0))
    for ends in ((frame, lw.GROUND), (lw.GROUND, frame)):
        joint = lw.Fixed(*ends)
        (ra, qa), (rb, qb) = (f.world() for f in joint.frames)
        np.testing.assert_allclose(ra, rb, atol=1e-15)
        same_turn(qa, qb, atol=1e-15)


def driven(way):
    """A crank with a hanging arm: driven by a Motor, or by a Revolute and a Lock beside it."""
    m = lw.Model("crank", gravity=(0, 1, -9.81))
    crank = m.add("crank", lw.Body.link((0, 0, 0), (1, 0, 0), 0.05, mass=2))
    arm = m.add("arm", lw.Body.link((1, 0, 0), (1, 0, -1), 0.05, mass=1))
    law, axis = lw.sine(1.0, 1.0), (0, 1, 0.5)
    if way == "motor":
        m.add("pin", lw.Motor(lw.GROUND, crank, (0, 0, 0), axis, angle=law))
    elif way == "lock":
        m.add("pin", lw.Lock(lw.GROUND, crank, at=(0, 0, 0), axis=axis, drive={"rz": law}))
    else:
        m.add("pin", lw.Revolute(lw.GROUND, crank, at=(0, 0, 0), axis=axis))
        m.add("drive", lw.Lock(lw.GROUND, crank, at=(0, 0, 0), axis=axis, rows="rz",
                               drive={"rz": law}))  # fmt: skip
    m.add("wrist", lw.Revolute(crank, arm, at=(1, 0, 0), axis=(0, 1, 0)))
    return run(m)


def test_a_motor_is_a_hinge_with_its_angle_locked():
    motor, lock, both = (driven(way) for way in ("motor", "lock", "both"))
    for other in (lock, both):
        for name in ("crank", "arm"):
            np.testing.assert_allclose(other[name].position, motor[name].position, atol=SAME)
        np.testing.assert_allclose(other["pin"].force, motor["pin"].force, atol=1e-6)
    together = both["pin"].torque.values + both["drive"].torque.values
    np.testing.assert_allclose(together, motor["pin"].reaction_torque.values, atol=1e-6)
    np.testing.assert_allclose(both["drive"].force, 0, atol=0)
    np.testing.assert_allclose(both.energy.supplied, motor.energy.supplied, atol=1e-6)


def test_an_actuator_is_a_slide_with_its_way_locked():
    runs = []
    for split in (False, True):
        m = lw.Model("lift", gravity=(0, 0, -9.81))
        b = m.add("b", lw.Body(3, (1, 1, 1), position=(0.5, 0, 0)))
        words = dict(at=(0, 0, 0), axis=(0.2, 0, 1))
        if split:
            m.add("lift", lw.Prismatic(lw.GROUND, b, **words))
            m.add("drive", lw.Lock(lw.GROUND, b, **words, rows="z", drive={"z": lw.sine(0.3, 1)}))
        else:
            m.add("lift", lw.Actuator(lw.GROUND, b, **words, displacement=lw.sine(0.3, 1)))
        runs.append(run(m))
    np.testing.assert_allclose(runs[1]["b"].position, runs[0]["b"].position, atol=SAME)
    together = runs[1]["lift"].force.values + runs[1]["drive"].force.values
    np.testing.assert_allclose(together, runs[0]["lift"].reaction_force.values, atol=1e-6)


def test_a_free_hinge_does_not_care_about_its_x_axis():
    runs = []
    for angle in (0.0, 1.1):
        m = lw.Model("pendulum", gravity=(0, 1, -9.81))
        rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), 0.05, mass=2))
        axes = World().axes((0.3, 1, 0), angle)
        m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), orientation=axes))
        runs.append(run(m))
    np.testing.assert_allclose(runs[0]["rod"].position, runs[1]["rod"].position, atol=SAME)
    for word in ("force_world", "torque_world"):
        mine, its = (getattr(r["pin"], word) for r in runs)
        np.testing.assert_allclose(mine, its, atol=1e-6)


def test_a_body_may_be_described_in_any_axes():
    """Other body axes: the same inertia in other numbers."""
    runs = []
    Q = Rotation.random(random_state=7).as_matrix()
    J, w = np.diag([0.5, 0.7, 0.9]), np.array([1.0, -2.0, 0.5])
    for R in (np.eye(3), Q):
        m = lw.Model("top", gravity=(0, 0, -9.81))
        words = dict(orientation=R, angular_velocity=R.T @ w, position=(0, 0.3, 0.5))
        top = m.add("top", lw.Body(2, R.T @ J @ R, **words))
        m.add("tip", lw.Spherical(lw.GROUND, top, at=(0, 0, 0)))
        m.add("push", lw.Force(top, R.T @ (1, 0, 2), follower=True))
        runs.append(run(m))
    np.testing.assert_allclose(runs[0]["top"].position, runs[1]["top"].position, atol=SAME)
    spin = runs[1]["top"].angular_velocity.values @ Q.T
    np.testing.assert_allclose(runs[0]["top"].angular_velocity, spin, atol=1e-8)
    np.testing.assert_allclose(runs[0]["tip"].force, runs[1]["tip"].force, atol=1e-6)


# -------------------------------------------------------------------------- two bodies that are one


# steps of a method see where the centre of mass is: compare what they converge to
EXACT = lw.ODE(rtol=1e-11, atol=1e-12)


def compound(joined):
    """Two bodies fixed to one another, or the one they make together, on a ball with a spring."""
    m = lw.Model("compound", gravity=(0.5, 0, -9.81))
    masses, places = (2.0, 0.7), np.array([(0.3, 0.1, 0), (1.0, -0.2, 0.4)])
    turns = [Rotation.random(random_state=i).as_matrix() for i in (1, 2)]
    moments = [np.diag([0.02, 0.03, 0.04]), np.diag([0.01, 0.02, 0.015])]
    centre = np.average(places, axis=0, weights=masses)
    if joined:
        words = zip("ab", masses, moments, places, turns, strict=True)
        a, b = (m.add(name, lw.Body(*x)) for name, *x in words)
        m.add("weld", lw.Fixed(a, b, at=(0.6, 0, 0.1), axis=(1, 1, 1)))
    else:
        J = np.zeros((3, 3))
        for mass, r, R, I in zip(masses, places - centre, turns, moments, strict=True):
            J += R @ I @ R.T + mass * (r @ r * np.eye(3) - np.outer(r, r))
        a = b = m.add("a", lw.Body(sum(masses), J, centre))
    m.add("ball", lw.Spherical(lw.GROUND, a, at=(0, 0, 0)))
    m.add("spring", lw.Spring(lw.GROUND, b, (2, 0, 1), (1.2, 0, 0.5), stiffness=50, damping=0.5))
    arm = np.array([1.1, -0.3, 0.2])
    point = turns[1].T @ (arm - places[1]) if joined else arm - centre
    m.add("push", lw.Force(lw.Frame(b, point), (0, 3, 1), drive=lw.sine(1, 2)))
    return run(m, method=EXACT), centre - places[0], turns[0]


def test_two_bodies_fixed_to_one_another_are_one():
    (two, offset, R), (one, _, _) = compound(True), compound(False)
    turn = turned(two["a"].orientation) @ R.T  # from the described position
    centre = two["a"].position.values + turn @ offset
    np.testing.assert_allclose(centre, one["a"].position.values, atol=SAME)
    np.testing.assert_allclose(turn, turned(one["a"].orientation), atol=1e-8)
    np.testing.assert_allclose(two["ball"].force_world, one["ball"].force_world, atol=1e-5)
    np.testing.assert_allclose(two["spring"].force, one["spring"].force, atol=1e-6)
    np.testing.assert_allclose(two.energy.total, one.energy.total, atol=1e-6)
