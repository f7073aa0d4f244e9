"""End-effector Jacobian, inverse kinematics, and what inverse dynamics refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw

AXES = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0)]
PLACES = [(0, 0, 0), (0, 0, 0.4), (0, 0, 0.9), (0.1, 0, 1.0), (0.5, 0, 1.0), (0.6, 0, 1.0)]


def six_axis_arm(angles=(0,) * 6):
    """A robot arm: vertical axis, shoulder, elbow, and a wrist of three axes."""
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    before = lw.GROUND
    for k, (axis, place) in enumerate(zip(AXES, PLACES)):
        after = np.array(PLACES[k + 1] if k < 5 else (0.7, 0, 1.0))
        middle = (np.array(place) + after) / 2
        link = m.add(f"link {k}", lw.Body(4 - 0.5 * k, (0.05, 0.06, 0.02), position=middle))
        m.add(f"joint {k}", lw.Revolute(before, link, at=place, axis=axis, angle=angles[k]))
        before = link
    tool = lw.Frame(before, np.array([0.7, 0, 1.0]) - middle)
    return m, tool


def product_of_exponentials(angles):
    """Position and axes of the tool: X₁(q₁) … X₆(q₆), turns about axes of the home pose."""
    R, p = Rotation.identity(), np.zeros(3)
    for axis, place, q in zip(AXES, PLACES, angles):
        turn = Rotation.from_rotvec(q * np.array(axis, float))
        p = p + R.apply(np.array(place) - turn.apply(place))
        R = R * turn
    return p + R.apply([0.7, 0, 1.0]), R


ANGLES = np.array([0.4, -0.5, 0.8, 0.3, 0.6, -0.7])


def test_jacobian_of_a_six_axis_arm():
    """Columns are derivatives of the product of exponentials."""
    m, tool = six_axis_arm(ANGLES)
    J = lw.jacobian(m, tool)
    assert J.shape == (6, 6) and list(J.component.values)[:4] == ["vx", "vy", "vz", "wx"]
    h = 1e-6
    for k in range(6):
        d = np.eye(6)[k] * h
        (up, Rup), (down, Rdown) = (product_of_exponentials(ANGLES + s * d) for s in (1, -1))
        np.testing.assert_allclose(J.values[:3, k], (up - down) / (2 * h), rtol=0, atol=1e-8)
        turn = (Rup * Rdown.inv()).as_rotvec() / (2 * h)
        np.testing.assert_allclose(J.values[3:, k], turn, rtol=0, atol=1e-8)


@pytest.mark.filterwarnings("ignore:.*repeats what")
def test_jacobian_of_a_closed_loop_by_projection():
    """J v is the velocity of the coupler's point for the velocities that the loop allows."""
    m = lw.Model()
    crank = m.add("crank", lw.Body(1, (1, 1, 1), position=(0, 0, 0.5)))
    rod = m.add("rod", lw.Body(1, (1, 1, 1), position=(1, 0, 1.25)))
    rocker = m.add("rocker", lw.Body(1, (1, 1, 1), position=(2, 0, 0.75)))
    y = (0, 1, 0)
    m.add("A", lw.Revolute(lw.GROUND, crank, at=(0, 0, 0), axis=y, rate=1.0))
    m.add("B", lw.Revolute(crank, rod, at=(0, 0, 1), axis=y))
    m.add("C", lw.Spherical(rod, rocker, at=(2, 0, 1.5)))
    m.add("D", lw.Revolute(lw.GROUND, rocker, at=(2, 0, 0), axis=y))
    point = lw.Frame(rod, (0.2, 0, 0.4))
    state = lw.assemble(m)
    space = lw.joint_space(m, start=state)
    J = lw.jacobian(m, point, state)
    motion = state["rod"]
    v = motion.velocity + np.cross(motion.angular_velocity, [0.2, 0, 0.4])
    np.testing.assert_allclose(J.values[:3] @ space.v, v, rtol=0, atol=1e-9)
    assert np.linalg.matrix_rank(J.values, tol=1e-8) == 1
    assert np.linalg.norm(v) > 0.5


@pytest.mark.parametrize("seed", range(3))
def test_reach_brings_the_tool_to_its_pose(seed):
    rng = np.random.default_rng(seed)
    angles = rng.uniform(-1.2, 1.2, 6)
    p, R = product_of_exponentials(angles)
    m, tool = six_axis_arm()
    target = lw.Frame(lw.GROUND, p, R.as_quat()[[3, 0, 1, 2]])
    found = lw.reach(m, tool, target)
    q = np.array([found[f"joint {k}"] for k in range(6)])
    place, axes = product_of_exponentials(q)
    np.testing.assert_allclose(place, p, rtol=0, atol=1e-8)
    assert (axes * R.inv()).magnitude() < 1e-8
    assert found.distance < 1e-8 and found.angle < 1e-8
    run = lw.transient(m, 0.01, 1e-3, start=found.state, progress=False)
    body = run["link 5"]
    tip = body.position.values[0] + Rotation.from_quat(
        body.orientation.values[0, [1, 2, 3, 0]]).apply(tool.position)  # fmt: skip
    np.testing.assert_allclose(tip, p, rtol=0, atol=1e-8)


def two_links():
    m = lw.Model("plane arm")
    a, b = (
        m.add(n, lw.Body(1, (1, 1, 1), position=(x, 0, 0))) for n, x in (("a", 0.5), ("b", 1.4))
    )
    m.add("one", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 0, 1), angle=0.3))
    m.add("two", lw.Revolute(a, b, at=(1, 0, 0), axis=(0, 0, 1), angle=0.5))
    return m, lw.Frame(b, (0.4, 0, 0))


def test_two_links_in_closed_form_and_limits():
    """cos φ₂ = (r² − l₁² − l₂²)/2 l₁l₂; limits choose the elbow's side."""
    m, tip = two_links()
    c = (1.0 + 0.49 - 1 - 0.64) / (2 * 0.8)
    for limits, sign in (({"two": (0, 3)}, 1), ({"two": (-3, 0)}, -1)):
        found = lw.reach(m, tip, (1.0, 0.7, 0), limits=limits)
        assert found["two"] == pytest.approx(sign * np.arccos(c), abs=1e-8)
        assert found["two.angle" if "two.angle" in found.names else "two"] == found["two"]


def test_out_of_reach_tells_the_distance():
    m, tip = two_links()
    with pytest.raises(lw.AssemblyError, match=r"cannot reach \(3, 0, 0\).*leaves 1\.2 m"):
        lw.reach(m, tip, (3, 0, 0))
    with pytest.raises(lw.AssemblyError, match=r"within the limits.*leaves"):
        lw.reach(m, tip, (-1, 0, 0), limits={"one": (-1, 1), "two": (-1, 1)})


@pytest.mark.filterwarnings("ignore:.*repeat")
def test_reach_in_a_loop():
    """A point of a coupler: the loop stays closed, and the crank finds its angle."""
    m = lw.Model()
    crank = m.add("crank", lw.Body(1, (1, 1, 1), position=(0, 0, 0.5)))
    rod = m.add("rod", lw.Body(1, (1, 1, 1), position=(1, 0, 1)))
    rocker = m.add("rocker", lw.Body(1, (1, 1, 1), position=(2, 0, 0.5)))
    y = (0, 1, 0)
    m.add("A", lw.Revolute(lw.GROUND, crank, at=(0, 0, 0), axis=y))
    m.add("B", lw.Revolute(crank, rod, at=(0, 0, 1), axis=y))
    m.add("C", lw.Revolute(rod, rocker, at=(2, 0, 1), axis=y))
    m.add("D", lw.Revolute(lw.GROUND, rocker, at=(2, 0, 0), axis=y))
    # a parallelogram: every point of the rod moves on a circle of radius 1
    wanted = (1 + np.sin(0.4), 0, np.cos(0.4))
    found = lw.reach(m, rod, wanted)
    np.testing.assert_allclose(found.state["rod"].position, wanted, atol=1e-8)
    np.testing.assert_allclose(
        found.state["crank"].position, [np.sin(0.4) / 2, 0, np.cos(0.4) / 2], atol=1e-7
    )
    np.testing.assert_allclose(
        found.state["rocker"].position, [2 + np.sin(0.4) / 2, 0, np.cos(0.4) / 2], atol=1e-7
    )


def test_bad_words_of_reach():
    m, tip = two_links()
    for words, found in (
        ({"limits": {"three": (0, 1)}}, "no joint coordinate 'three'; there are"),
        ({"limits": {"two": (1, 0)}}, r"must be \(low, high\), but 1 and 0"),
        ({"limits": 3}, "must be a dict"),
        ({"tolerance": 0}, "tolerance of reach"),
    ):
        with pytest.raises(lw.ModelError, match=found):
            lw.reach(m, tip, (1, 0.7, 0), **words)
    with pytest.raises(lw.ModelError, match="pose of reach"):
        lw.reach(m, tip, (1, 0.7))
    with pytest.raises(lw.ModelError, match="is on GROUND, which cannot move"):
        lw.jacobian(m, lw.GROUND)
    with pytest.raises(lw.ModelError, match="not in model 'plane arm'"):
        lw.jacobian(m, lw.Body(1, (1, 1, 1)))


# ------------------------------------------------------------------------- inverse dynamics


def led_arm(rows, drive):
    """Two links whose tip a Lock leads."""
    m, tip = two_links()
    p = np.array([np.cos(0.3) + 0.8 * np.cos(0.8), np.sin(0.3) + 0.8 * np.sin(0.8), 0])
    path = lw.Lock(lw.Frame(lw.GROUND, p), tip, rows=rows, drive=drive)
    m.add("path", path)
    return m


def test_a_lock_that_guides_is_told():
    with pytest.warns(lw.LinkworkWarning, match="'path' prescribes x and also holds y"):
        lw.inverse(led_arm("x y", {"x": lw.ramp(-0.1)}), 0.2, 0.1, actuators=["one"],
                   progress=False)  # fmt: skip
    both = {"x": lw.ramp(-0.1), "y": lw.ramp(0.0)}
    inv = lw.inverse(led_arm("x y", both), 0.2, 0.1, actuators=["one", "two"], progress=False)
    assert inv.problem == "fully actuated, non-collocated"


def test_more_actuators_than_freedoms_are_refused():
    m = lw.Model("door", gravity=(0, 0, -9.81))
    door = m.add("door", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    m.add("hinge", lw.Revolute(lw.GROUND, door, at=(0, 0, 0), axis=(0, 1, 0)))
    place = lw.Frame(lw.GROUND, (1, 0, 0))
    drive = dict.fromkeys(("x", "y", "z", "rx", "ry", "rz"), lw.constant(0.0))
    m.add("hold", lw.Lock(place, door, drive=drive))
    with pytest.raises(lw.ModelError, match="6 actuators .* for 1 degree of freedom"):
        lw.inverse(m, 0.2, 0.1, progress=False)


def test_postures_and_states_are_printed_as_tables():
    m, last = lw.Model("arm"), lw.GROUND
    for k in range(14):
        link = m.add(f"link {k}", lw.Body.link((k, 0, 0), (k + 1, 0, 0), radius=0.05, mass=1))
        m.add(f"pin {k}", lw.Revolute(last, link, at=(k, 0, 0), axis=(0, 1, 0)))
        last = link
    state = repr(lw.assemble(m)).splitlines()
    assert state[0] == "state of 14 bodies at t = 0 s"
    assert state[3].split() == ["link", "1", "(1.5,", "0,", "0)", *2 * ["(0,", "0,", "0)"]]
    assert state[-1] == "  … and 2 more" and len(state) == 15
    found = lw.reach(m, lw.Frame(last, (0, 0, 0.5)), (14, 0, 0))
    lines = repr(found).splitlines()
    assert "from the wanted pose" in lines[0] and lines[1].split()[:2] == ["pin", "0.rz"]
