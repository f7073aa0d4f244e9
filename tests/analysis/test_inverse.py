"""Inverse dynamics: torques of a double pendulum and others in closed form."""

import cProfile
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork import LinkworkWarning

G, M1, M2, L1, L2, J1, J2 = 9.81, 1.4, 0.9, 0.8, 0.6, 0.05, 0.03


def links(m):
    """Two links along x; joints at their ends turn about −y, so that angles lift them."""
    a = m.add("a", lw.Body(M1, (0.01, J1, J1), position=(L1 / 2, 0, 0)))
    b = m.add("b", lw.Body(M2, (0.01, J2, J2), position=(L1 + L2 / 2, 0, 0)))
    return a, b


LAWS = (lw.sine(0.7, 0.8), lw.polynomial([0, 0.3, -0.9]))


def torques(q, v, a):
    """Lagrange's equations of two links, q relative angles, (T, 2) each."""
    (q1, q2), (v1, v2), (a1, a2) = q.T, v.T, a.T
    c1, c2 = L1 / 2, L2 / 2
    m11 = J1 + J2 + M1 * c1**2 + M2 * (L1**2 + c2**2 + 2 * L1 * c2 * np.cos(q2))
    m12 = J2 + M2 * (c2**2 + L1 * c2 * np.cos(q2))
    m22 = J2 + M2 * c2**2
    h = M2 * L1 * c2 * np.sin(q2)
    g1 = G * ((M1 * c1 + M2 * L1) * np.cos(q1) + M2 * c2 * np.cos(q1 + q2))
    g2 = G * M2 * c2 * np.cos(q1 + q2)
    t1 = m11 * a1 + m12 * a2 - h * (2 * v1 * v2 + v2**2) + g1
    t2 = m12 * a1 + m22 * a2 + h * v1**2 + g2
    return np.stack([t1, t2], axis=1)


def test_double_pendulum():
    m = lw.Model(gravity=(0, 0, -G))
    a, b = links(m)
    m.add("shoulder", lw.Motor(lw.GROUND, a, (0, 0, 0), (0, -1, 0), angle=LAWS[0]))
    m.add("elbow", lw.Motor(a, b, (L1, 0, 0), (0, -1, 0), angle=LAWS[1]))
    inv = lw.inverse(m, t=1.5, h=0.05)
    jets = np.stack([law.jet(inv.time) for law in LAWS], axis=2)
    expected = torques(jets[:, 0], jets[:, 1], jets[:, 2])
    assert inv.problem == "fully actuated, collocated"
    assert inv.names == ("shoulder", "elbow")
    np.testing.assert_allclose(inv["shoulder"], expected[:, 0], atol=1e-9)
    np.testing.assert_allclose(inv["elbow"], expected[:, 1], atol=1e-9)
    # and what the kinematic analysis says of its motors
    kin = lw.kinematics(m, t=1.5, h=0.05, progress=False)
    np.testing.assert_allclose(inv["elbow"], kin["elbow"].torque, atol=1e-9)


def arm(m, tip):
    """The same arm with free joints, and its tip led by a function of time."""
    a, b = links(m)
    m.add("shoulder", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, -1, 0)))
    m.add("elbow", lw.Revolute(a, b, at=(L1, 0, 0), axis=(0, -1, 0)))
    end = lw.Frame(b, (L2 / 2, 0, 0))
    m.add("tip", lw.Lock(lw.Frame(lw.GROUND, (L1, 0, -0.3)), end, rows=" ".join(tip), drive=tip))
    q = [0.6, -1.4]  # near, with the elbow bent
    for body, angle, base, l in ((a, q[0], np.zeros(3), L1), (b, sum(q), None, L2)):
        base = base if base is not None else L1 * np.array([np.cos(q[0]), 0, np.sin(q[0])])
        body.position = base + l / 2 * np.array([np.cos(angle), 0, np.sin(angle)])
        body.orientation = Rotation.from_rotvec([0, -angle, 0]).as_matrix()
    return a, b


def joint_motion(run):
    """Relative angles, rates and accelerations about −y."""
    q, v, acc = [], [], []
    for k, name in enumerate(("a", "b")):
        w, _, y, _ = run[name].orientation.values.T
        q.append(-2 * np.arctan2(y, w))
        v.append(-run[name].angular_velocity.values[:, 1])
        acc.append(-run[name].angular_acceleration.values[:, 1])
        if k:
            q[1], v[1], acc[1] = q[1] - q[0], v[1] - v[0], acc[1] - acc[0]
    return (np.stack(x, axis=1) for x in (q, v, acc))


def test_tip_led_and_joints_driven():
    """Non-collocated: the tip follows a path, the joints give the torques."""
    m = lw.Model(gravity=(0, 0, -G))
    arm(m, {"x": lw.sine(0.1, 0.5), "z": lw.polynomial([0, 0.2, 0.1])})
    inv = lw.inverse(m, t=1, h=0.05, actuators=["shoulder", "elbow"])
    assert inv.problem == "fully actuated, non-collocated"
    expected = torques(*joint_motion(inv.run))
    np.testing.assert_allclose(inv["shoulder"], expected[:, 0], atol=1e-8)
    np.testing.assert_allclose(inv["elbow"], expected[:, 1], atol=1e-8)
    place = inv.run["b"].point((L2 / 2, 0, 0)).values
    np.testing.assert_allclose(place[:, 0], L1 + 0.1 * np.sin(np.pi * inv.time), atol=1e-10)


def test_free_degrees_are_accelerated_by_the_equations_of_motion():
    """Underactuated: the shoulder driven, the elbow hangs; its acceleration has no torque."""
    m = lw.Model(gravity=(0, 0, -G))
    a, b = links(m)
    m.add("shoulder", lw.Motor(lw.GROUND, a, (0, 0, 0), (0, -1, 0), angle=LAWS[0]))
    m.add("elbow", lw.Revolute(a, b, at=(L1, 0, 0), axis=(0, -1, 0)))
    with pytest.warns(lw.LinkworkWarning, match="what is written is not one motion"):
        inv = lw.inverse(m, t=0.5, h=0.01)
    assert inv.problem == "underactuated, collocated"
    expected = torques(*joint_motion(inv.run))
    np.testing.assert_allclose(expected[:, 1], 0, atol=1e-9)
    np.testing.assert_allclose(inv["shoulder"], expected[:, 0], atol=1e-9)


def test_more_actuators_than_prescribed_motions():
    """Overactuated: the height of the tip is led, both joints give torques."""
    m = lw.Model(gravity=(0, 0, -G))
    arm(m, {"z": lw.sine(0.2, 0.5)})
    inv = lw.inverse(m, t=1, h=0.02, actuators=["shoulder", "elbow"])
    assert inv.problem == "overactuated"
    expected = torques(*joint_motion(inv.run))
    np.testing.assert_allclose(inv["shoulder"], expected[:, 0], atol=1e-8)
    np.testing.assert_allclose(inv["elbow"], expected[:, 1], atol=1e-8)
    z = inv.run["b"].point((L2 / 2, 0, 0)).values[:, 2]
    np.testing.assert_allclose(z, -0.3 + 0.2 * np.sin(np.pi * inv.time), atol=1e-10)
    # what is written is one motion
    h = inv.time[1] - inv.time[0]
    for name in ("a", "b"):
        x, v = inv.run[name].position.values, inv.run[name].velocity.values
        np.testing.assert_allclose(v, np.gradient(x, h, axis=0, edge_order=2), atol=20 * h**2)
        a, slope = inv.run[name].acceleration.values, np.gradient(v, h, axis=0, edge_order=2)
        np.testing.assert_allclose(a[3:-3], slope[3:-3], atol=20 * h**2)
    # with a posture it stays nearer to where it began
    near = lw.inverse(m, t=1, h=0.02, actuators=["shoulder", "elbow"], posture=10.0)
    far = [np.abs(np.ptp(x.run["a"].orientation.values[:, 2])) for x in (near, inv)]
    assert far[0] <= far[1] + 1e-12


def test_forward_and_back():
    """The torques of inverse dynamics, applied as loads, give the motion they were made for."""
    m = lw.Model(gravity=(0, 0, -G))
    a, b = links(m)
    m.add("shoulder", lw.Motor(lw.GROUND, a, (0, 0, 0), (0, -1, 0), angle=LAWS[0]))
    m.add("elbow", lw.Motor(a, b, (L1, 0, 0), (0, -1, 0), angle=LAWS[1]))
    inv = lw.inverse(m, t=0.5, h=0.005)
    forward = lw.Model(gravity=(0, 0, -G))
    a, b = links(forward)
    rates = [law.jet(np.zeros(1))[0, 1] for law in LAWS]
    joints = [("shoulder", lw.GROUND, a, 0.0, rates[0]), ("elbow", a, b, L1, rates[1])]
    for name, first, second, x, rate in joints:
        forward.add(name, lw.Revolute(first, second, at=(x, 0, 0), axis=(0, -1, 0), rate=rate))
        drive = lw.table(inv.time, inv[name].values, outside="hold")
        # about the joint's axis, y of the world: on the second body and back on the first
        forward.add(f"{name} on", lw.Torque(second, (0, -1, 0), drive=drive))
        if first is not lw.GROUND:
            forward.add(f"{name} back", lw.Torque(first, (0, 1, 0), drive=drive))
    run = lw.transient(forward, t=0.5, h=5e-4, progress=False)
    for law, name in zip(LAWS, ("shoulder", "elbow"), strict=True):
        np.testing.assert_allclose(run[name].angle, law.values(run.time), atol=2e-6)


def test_errors():
    m = lw.Model(gravity=(0, 0, -G))
    a, b = links(m)
    m.add("shoulder", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, -1, 0)))
    m.add("elbow", lw.Revolute(a, b, at=(L1, 0, 0), axis=(0, -1, 0)))
    with pytest.raises(lw.ModelError, match="prescribes no motion"):
        lw.inverse(m, t=1, h=0.1)
    m.remove("elbow")
    m.add("elbow", lw.Motor(a, b, (L1, 0, 0), (0, -1, 0), angle=LAWS[0]))
    with pytest.raises(lw.ModelError, match="cannot give"):
        lw.inverse(m, t=1, h=0.1, actuators=["shoulder"])
    with pytest.raises(lw.ModelError, match="must be joints"):
        lw.inverse(m, t=1, h=0.1, actuators=["a"])


def test_joints_that_push_need_not_be_where_they_were_described():
    """The tip-led arm, described with its tip off the path: rows that push hold nothing."""
    tip = {"x": lw.sine(0.1, 0.5), "z": lw.polynomial([0, 0.2, 0.1])}
    m = lw.Model(gravity=(0, 0, -G))
    a, b = arm(m, tip)
    m.add("push a", lw.Lock(lw.GROUND, a, at=a.position, rows="ry"))
    m.add("push b", lw.Lock(a, b, at=b.position, rows="ry"))
    inv = lw.inverse(m, t=1, h=0.05, pushing=["push a", "push b"], progress=False)
    assert inv.problem == "fully actuated, non-collocated"
    expected = torques(*joint_motion(inv.run))
    # about y, which is against the angles that lift the links
    for k, name in enumerate(("push a", "push b")):
        found = inv.run[name].torque_world.values[:, 1]
        np.testing.assert_allclose(-found, expected[:, k], atol=1e-8)


def test_rates_at_the_start_and_joints_that_push():
    """Rows that push hold nothing while the start has the rates of joints, either."""
    tip = {"x": lw.sine(0.1, 0.5), "z": lw.polynomial([0, 0.2, 0.1])}
    m = lw.Model(gravity=(0, 0, -G))
    a, b = arm(m, tip)
    m.add("push a", lw.Lock(lw.GROUND, a, at=a.position, rows="ry"))
    m.add("push b", lw.Lock(a, b, at=b.position, rows="ry"))
    # the tip is L1 beside and 0.3 m below the shoulder: angles of the triangle, then its rates
    d = np.hypot(L1, 0.3)
    bend = -np.arccos((d**2 - L1**2 - L2**2) / (2 * L1 * L2))
    first = np.arctan2(-0.3, L1) + np.arccos((d**2 + L1**2 - L2**2) / (2 * d * L1))
    second = first + bend
    jacobian = np.array([
        [0.3, -L2 * np.sin(second)], [L1, L2 * np.cos(second)],
    ])  # fmt: skip
    rates = np.linalg.solve(jacobian, [0.1 * 2 * np.pi * 0.5, 0.2])
    m["elbow"].rate = rates[1]
    inv = lw.inverse(m, t=0.2, h=0.05, pushing=["push a", "push b"], progress=False)
    assert float(inv.run["elbow"].rate[0]) == pytest.approx(rates[1], rel=1e-9)
    assert float(inv.run["shoulder"].rate[0]) == pytest.approx(rates[0], rel=1e-9)


AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))
LENGTHS = (0.4, 0.6, 0.5, 0.2, 0.15, 0.1)


def six_axis_arm(laws):
    """Six links; their joints are driven by the laws, or free without them."""
    m, last, x = lw.Model(gravity=(0, 0, -G)), lw.GROUND, np.zeros(3)
    for i, (axis, length) in enumerate(zip(AXES, LENGTHS)):
        along = np.array([0, 0, length]) if i == 0 else np.array([length, 0, 0])
        link = m.add(f"link{i}", lw.Body(5 - 0.5 * i, (0.05, 0.06, 0.04), position=x + along / 2))
        if laws:
            m.add(f"axis{i}", lw.Motor(last, link, tuple(x), axis, angle=laws[i]))
        else:
            m.add(f"axis{i}", lw.Revolute(last, link, at=tuple(x), axis=axis))
        x, last = x + along, link
    return m


def test_six_axis_arm_has_the_torques_of_recursive_newton_euler():
    """And no step of it is computed by Python: ten times as many need no more calls."""
    laws = [lw.sine(0.3 + 0.1 * i, 0.3 + 0.05 * i) for i in range(6)]
    calls = []
    for h in (1e-2, 1e-2, 1e-3):  # the first compiles
        with cProfile.Profile() as profile:
            inv = lw.inverse(six_axis_arm(laws), t=1, h=h, progress=False)
        calls.append(sum(row.callcount for row in profile.getstats()))
    assert calls[2] < calls[1] + 10 * 900  # one evaluation alone has hundreds
    free = lw.joint_space(six_axis_arm(None))
    for k in range(0, 1001, 50):
        q, v, a = np.stack([law.jet(inv.time[k : k + 1])[0] for law in laws], axis=1)
        np.testing.assert_allclose(inv.values[k], free.inverse(q, v, a), atol=1e-9)


def led_arm(rows, led):
    """Three links in a plane whose last end a Lock leads."""
    m = lw.Model("arm", gravity=(0, -9.81, 0))
    before, place = lw.GROUND, np.zeros(3)
    for i, way in enumerate(np.array([(1, 0, 0), (0, 1, 0), (1, 0, 0)], float)):
        link = m.add(f"link{i}", lw.Body.link(place, place + way, radius=0.02, mass=1))
        m.add(f"pin{i}", lw.Revolute(before, link, at=place, axis=(0, 0, 1)))
        before, place = link, place + way
    m.add("lead", lw.Lock(lw.GROUND, before, at=place, rows=rows, drive=led))
    return m


def test_a_lock_that_also_guides_is_told_of():
    """Driving rz as well shows the torque of 19.6 N m that the row rz of a Lock would carry."""
    led = {"x": lw.ramp(0.1), "y": lw.ramp(0.1)}
    words = r"Lock 'lead' prescribes x, y and also holds rz, which carry loads as a guide"
    with pytest.warns(LinkworkWarning, match=words):
        lw.inverse(led_arm(("x", "y", "rz"), led), t=0.2, h=0.1, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        all_led = {**led, "rz": lw.ramp(0.0)}
        inv = lw.inverse(led_arm(("x", "y", "rz"), all_led), t=0.2, h=0.1, progress=False)
        assert abs(float(inv["lead rz"][0])) > 19
        rows = ("x", "y", "z", "rx", "ry", "rz")  # those that the plane holds already guide nothing
        lw.inverse(led_arm(rows, all_led), t=0.2, h=0.1, progress=False)
