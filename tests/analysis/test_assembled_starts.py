"""Assembly honours where joints start, what drives say, and the velocities that are given."""

import numpy as np
import pytest
from inside import ITEMS, assemble_model
from open_linkages import Z, link

import linkwork as lw
from linkwork.extend import NamedJoint, rotations

pytestmark = pytest.mark.usefixtures("quiet")


# --------------------------------------------------------------------------------- starts of joints


NAMED = sorted(n for n, cls in ITEMS.items() if issubclass(cls, NamedJoint))

def start_cases():
    """Every named joint with every word that it can start with."""
    for name in NAMED:
        rows = ITEMS[name].rows.split()
        turns, slides = "rz" not in rows and {"rx", "ry"} <= {*rows}, "z" not in rows
        if turns:
            for angle in (0.4, -2.0, 3.0, 7.0):
                yield name, {"angle": angle, "rate": 1.3}
        if slides:
            yield name, {"displacement": -0.7, "speed": 0.9}
            if "rz" in rows:
                yield name, {"displacement": 0.2, "rate": -0.9}
        if turns and slides:
            yield name, {"angle": 1.0, "displacement": 0.3, "rate": -2.0, "speed": 0.4}


def coordinates(item, state):
    """Where marker b is seen from marker a: its place, and its turn about z (rad)."""

    def marker(frame):
        if frame.body is lw.GROUND:
            return frame.position, frame.orientation
        x = state[frame.body.name]
        q = rotations.multiply(x.orientation, frame.orientation)
        return x.position + rotations.matrix(x.orientation) @ frame.position, q

    (ra, qa), (rb, qb) = (marker(f) for f in item.frames)
    s, _, _, z = rotations.multiply(rotations.conjugate(qa), qb)
    return rotations.matrix(qa).T @ (rb - ra), 2 * np.arctan2(z, s)


@pytest.mark.parametrize(("name", "words"), list(start_cases()))
def test_every_joint_starts_where_it_is_told(name, words):
    rng = np.random.default_rng(1)
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=rng.normal(size=3))) for n in "ab")
    m.add("ball", lw.Spherical(lw.GROUND, a, at=(0, 0, 0)))
    item = m.add("joint", ITEMS[name](a, b, at=(0.3, 0.2, 0.1), axis=(1, 2, 2), **words))
    state = lw.assemble(m)
    h = 1e-5
    (x, angle), (x1, angle1), (x0, angle0) = (
        coordinates(item, s)
        for s in (state, state.moved(h * state.velocities), state.moved(-h * state.velocities))
    )
    rate = ((angle1 - angle0 + np.pi) % (2 * np.pi) - np.pi) / (2 * h)
    speed = (x1 - x0)[2] / (2 * h)
    if "angle" in words:
        off = (angle - words["angle"] + np.pi) % (2 * np.pi) - np.pi
        assert abs(off) < 1e-9
        assert rate == pytest.approx(words["rate"], abs=1e-8)
    if "displacement" in words:
        assert x[2] == pytest.approx(words["displacement"], abs=1e-10)
        assert speed == pytest.approx(words.get("speed", words.get("rate")), abs=1e-8)
    held = {"x": x[0], "y": x[1], "z": x[2]}
    assert all(abs(held[r]) < 1e-10 for r in item.rows.split() if r in held)


def test_starts_in_a_loop_and_over_turns():
    """A parallelogram at 2π + 1 rad: all its bars follow."""
    m = lw.Model()
    p = [(0, 0, 0), (0, 1, 0), (2, 1, 0), (2, 0, 0)]
    a, b, c = (link(m, f"bar{i}", p[i], p[i + 1]) for i in range(3))
    m.add("A", lw.Revolute(lw.GROUND, a, at=p[0], axis=Z, angle=0.5 + 2 * np.pi, rate=2.0))
    m.add("B", lw.Revolute(a, b, at=p[1], axis=Z))
    m.add("C", lw.Revolute(b, c, at=p[2], axis=Z))
    m.add("D", lw.Revolute(lw.GROUND, c, at=p[3], axis=Z))
    found = assemble_model(m)
    tip = np.array([-np.sin(0.5), np.cos(0.5), 0])
    np.testing.assert_allclose(found.state["bar0"].position, tip / 2, atol=1e-10)
    np.testing.assert_allclose(found.state["bar1"].position, tip + (1, 0, 0), atol=1e-10)
    along = 2 * np.array([-np.cos(0.5), -np.sin(0.5), 0])
    np.testing.assert_allclose(found.state["bar1"].velocity, along, atol=1e-9)
    np.testing.assert_allclose(found.state["bar1"].angular_velocity, 0, atol=1e-9)
    run = lw.transient(m, t=0.1, h=1e-2, progress=False)
    assert float(run["A"].angle[0]) % (2 * np.pi) == pytest.approx(0.5)


@pytest.mark.parametrize("start", [0.0, 0.7, -3.0])
def test_drives_at_the_time_of_the_start(start):
    """Positions and velocities of a driven arm, at whatever time it starts."""
    m = lw.Model()
    arm, hand = link(m, "arm", (0, 0, 0), (1, 0, 0)), link(m, "hand", (1, 0, 0), (2, 0, 0))
    angle, way = lw.sine(0.5, 0.3, 0.2), lw.polynomial([0.1, 0.2, 0.05])
    m.add("motor", lw.Motor(lw.GROUND, arm, (0, 0, 0), Z, angle=angle))
    m.add("slide", lw.Actuator(arm, hand, (1, 0, 0), (1, 0, 0), displacement=way))
    state = lw.assemble(m, time=start)
    (a, da, _), (s, ds, _) = angle.jet(start)[0], way.jet(start)[0]
    e, n = np.array([np.cos(a), np.sin(a), 0]), np.array([-np.sin(a), np.cos(a), 0])
    assert state.time == start
    np.testing.assert_allclose(state["hand"].position, (1.5 + s) * e, atol=1e-11)
    np.testing.assert_allclose(
        state["hand"].velocity, ds * e + (1.5 + s) * da * n, atol=1e-10
    )


def test_a_rate_is_honoured_at_any_start_time():
    m = lw.Model()
    wheel = m.add("wheel", lw.Body.cylinder(0.5, 0.1, mass=1))
    m.add("axle", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=Z, angle=0.3, rate=5.0))
    for start in (0.0, 2.0):
        state = lw.assemble(m, time=start)
        np.testing.assert_allclose(state["wheel"].angular_velocity, (0, 0, 5), atol=1e-12)
        np.testing.assert_allclose(
            state["wheel"].orientation, (np.cos(0.15), 0, 0, np.sin(0.15)), atol=1e-12
        )


# --------------------------------------------------------------------------------------- velocities


def on_a_ball(**words):
    m = lw.Model()
    b = m.add("b", lw.Body(1, (1, 2, 2), position=(0.3, -0.4, 1.2), **words))
    m.add("ball", lw.Spherical(lw.GROUND, b, at=(0, 0, 0)))
    return lw.assemble(m)["b"], np.array([0.3, -0.4, 1.2])


def test_given_velocities_that_are_possible_are_kept():
    w = np.array([1.0, -2.0, 0.5])
    found, r = on_a_ball(angular_velocity=w)
    np.testing.assert_allclose(found.angular_velocity, w, rtol=1e-12)
    np.testing.assert_allclose(found.velocity, np.cross(w, r), atol=1e-11)
    v = np.cross(w, r)
    found, r = on_a_ball(velocity=v)
    np.testing.assert_allclose(found.velocity, v, atol=1e-11)
    np.testing.assert_allclose(np.cross(found.angular_velocity, r), v, atol=1e-11)
    found, r = on_a_ball(velocity=v, angular_velocity=w)
    np.testing.assert_allclose(found.velocity, v, rtol=1e-12)
    np.testing.assert_allclose(found.angular_velocity, w, rtol=1e-12)


def test_velocities_that_are_impossible_change_least():
    """A ball joint takes the part along the arm; what is left keeps its direction."""
    r = np.array([0.3, -0.4, 1.2])
    with pytest.warns(lw.VelocityWarning, match="joint 'ball' .* 1 m/s of it are taken away"):
        found, _ = on_a_ball(velocity=r / np.linalg.norm(r))
    np.testing.assert_allclose(found.velocity, 0, atol=1e-9)
    np.testing.assert_allclose(on_a_ball()[0].velocity, 0, atol=0)


def test_velocities_of_a_chain_follow_from_one():
    m = lw.Model()
    a, b = link(m, "a", (0, 0, 0), (1, 0, 0)), link(m, "b", (1, 0, 0), (2, 0, 0))
    a.angular_velocity = rotations.matrix(a.orientation).T @ (0, 0, 2.0)
    m.add("A", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=Z))
    m.add("B", lw.Revolute(a, b, at=(1, 0, 0), axis=Z, rate=-5.0))
    state = lw.assemble(m)
    spin = rotations.matrix(state["b"].orientation) @ state["b"].angular_velocity
    np.testing.assert_allclose(spin, (0, 0, -3), atol=1e-9)
    np.testing.assert_allclose(state["b"].velocity, (0, 2 - 1.5, 0), atol=1e-9)


def test_rates_that_contradict_each_other():
    m = lw.Model("wheel")
    wheel = m.add("wheel", lw.Body.cylinder(0.5, 0.1, mass=1))
    m.add("A", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=Z, rate=1.0))
    m.add("B", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 1), axis=Z, rate=2.0))
    with pytest.raises(lw.AssemblyError, match="'wheel' has no velocities") as caught:
        lw.assemble(m)
    found = caught.value.violations
    # half each; seen through a quaternion, rates are equal to a relative 1e-12 or so
    assert found["A"]["deg"] == pytest.approx(np.degrees(0.5)) and "\n" not in str(caught.value)
    assert found["B"]["deg"] == pytest.approx(np.degrees(0.5))
    assert "'A' by 28.6°/s" in str(caught.value)
