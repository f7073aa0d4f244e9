"""Involute teeth: contact ratio, kinematics, levels of the transmission error, backlash, force."""

import numpy as np
import pytest

import linkwork as lw

TEETH, MODULE, STIFFNESS = (20, 40), 2e-3, 2e8


def train(torque=0.0, load=0.0, speed=0.0, inertia=(1e-4, 1e-3), teeth=TEETH, **words):
    m = lw.Model("gears")
    distance = MODULE * (teeth[1] + (-1 if words.get("internal") else 1) * teeth[0]) / 2
    ratio = (1 if words.get("internal") else -1) * teeth[0] / teeth[1]
    joints = []
    for name, x, J, w in (("pinion", 0, inertia[0], speed), ("wheel", distance, inertia[1],
                                                             ratio * speed)):  # fmt: skip
        body = m.add(name, lw.Body(1, (1, 1, J), position=(x, 0, 0), angular_velocity=(0, 0, w),
                                   any_inertia=True))  # fmt: skip
        joint = lw.Revolute(lw.GROUND, body, at=(x, 0, 0), axis=(0, 0, 1), rate=w)
        joints.append(m.add(f"{name}_axle", joint))
    m.add("mesh", lw.GearTeeth(*joints, teeth, MODULE, STIFFNESS, **words))
    if torque:
        m.add("drive", lw.JointTorque(joints[0], torque))
    if load:
        m.add("load", lw.JointTorque(joints[1], load))
    return m


def test_contact_ratio_is_that_of_the_line_of_action():
    """Where the tip circles cut the common tangent of the base circles, in coordinates."""
    teeth = train()["mesh"]
    a, alpha = MODULE * 30, np.radians(20)
    along = np.array([np.sin(alpha), np.cos(alpha)])  # of the tangent; centres at (0, 0), (a, 0)
    pitch_point = np.array([MODULE * 10, 0.0])

    def cut(centre, tip):
        d = pitch_point - centre
        b, c = d @ along, d @ d - tip**2
        return -b + np.array([-1, 1]) * np.sqrt(b * b - c)

    end = cut(np.zeros(2), MODULE * 11).max()
    begin = cut(np.array([a, 0.0]), MODULE * 21)
    begin = begin[np.argmin(np.abs(begin))]
    length = end - begin
    pitch = np.pi * MODULE * np.cos(alpha)
    assert teeth.contact_ratio == pytest.approx(length / pitch, rel=1e-12)
    assert teeth.contact_ratio == pytest.approx(1.635, abs=5e-4)  # of tables, 20 and 40 teeth, 20°


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.Recursive()], ids=repr)
@pytest.mark.parametrize("internal", [False, True])
def test_wheels_turn_in_the_ratio_of_their_teeth(method, internal):
    m = train(torque=1.0, load=2.0 if not internal else -2.0, speed=20.0, internal=internal,
              damping=200.0)  # fmt: skip
    run = lw.transient(m, t=0.05, h=2e-5, method=method, progress=False)
    one, two = (run[f"{name}_axle"].angle.values for name in ("pinion", "wheel"))
    sign = 1 if internal else -1
    assert one[-1] > 0.9
    np.testing.assert_allclose(two, sign * one / 2, atol=2e-5)  # x of 4e-7 m over 0.04 m


def test_transmission_error_has_two_levels():
    """T/(r_b1 n k) with n = 1 and 2 pairs; their shares of a pitch are 2 − ε and ε − 1."""
    torque = 5.0
    m = train(torque=torque, speed=5.0, inertia=(1e-3, 1e6), damping=100.0, entry=0.02)
    mesh = m["mesh"]
    run = lw.transient(m, t=2 * np.pi / 5.0 / 20 * 3, h=5e-5, progress=False)
    x = mesh.transmission_error(run)
    r1, _ = mesh.base_radii
    level = torque / (r1 * STIFFNESS)
    pitches = x[run.time > run.time[-1] / 3]  # two whole ones
    low, high = np.quantile(pitches, [0.3, 0.9])  # in the middle of the shares 0.635 and 0.365
    assert (low, high) == pytest.approx((level / 2, level), rel=1e-2)
    single = np.mean(pitches > 0.75 * level)
    assert single == pytest.approx(2 - mesh.contact_ratio, abs=0.02)


def test_nothing_is_transmitted_within_the_backlash():
    m = train(speed=0.0, backlash=1e-4)
    m["pinion"].angular_velocity = (0, 0, 1.0)
    m["pinion_axle"].rate = 1.0
    r1 = m["mesh"].base_radii[0]
    meets = 0.5e-4 / r1
    run = lw.transient(m, t=0.9 * meets, h=1e-5, progress=False)
    assert np.abs(run["wheel_axle"].rate.values).max() == 0
    after = lw.transient(m, t=3 * meets, h=1e-5, progress=False)
    assert after["wheel_axle"].rate.values[-1] < -0.01


def test_bad_teeth_are_refused():
    for words, text in (
        ({"teeth": (20,)}, "two numbers"), ({"addendum": 0.4}, "contact ratio"),
        ({"internal": True, "teeth": (40, 20)}, "more teeth"), ({"backlash": -1}, "backlash"),
        ({"pressure_angle": 1.0}, "below π/4"), ({"entry": 0.0}, "entry"),
    ):
        with pytest.raises(lw.ModelError, match=text):
            train(**words) if "teeth" not in words else lw.GearTeeth(
                train()["pinion_axle"], train()["wheel_axle"], words["teeth"], MODULE, STIFFNESS,
                internal=words.get("internal", False))  # fmt: skip


@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("further", [1.0, 1.02])
def test_bearings_carry_the_force_along_the_line_of_action(internal, way, further):
    """N = T/r_b at the pressure angle cos α = (r_b2 ± r_b1)/a: T/r tangential, T/r tan α apart."""
    torque, side = 5.0 * way, -1 if internal else 1
    m = lw.Model("gears")
    distance = further * MODULE * (40 + side * 20) / 2
    joints = []
    for name, x in (("pinion", 0.0), ("wheel", distance)):
        body = m.add(name, lw.Body(1, (1e-4, 1e-4, 1e-4), position=(x, 0, 0)))
        joint = lw.Revolute(lw.GROUND, body, at=(x, 0, 0), axis=(0, 0, 1))
        joints.append(m.add(f"{name}_axle", joint))
    mesh = m.add("mesh", lw.GearTeeth(*joints, (20, 40), MODULE, STIFFNESS, internal=internal,
                                      backlash=1e-5, damping=100.0))  # fmt: skip
    m.add("drive", lw.JointTorque(joints[0], torque))
    m.add("load", lw.JointTorque(joints[1], 2 * side * torque))
    run = lw.static(m)
    N = abs(torque) / mesh.base_radii[0]
    cosine = (mesh.base_radii[1] + side * mesh.base_radii[0]) / distance
    across, along = N * cosine, N * np.sqrt(1 - cosine**2)
    one, two = (np.asarray(run[f"{name}_axle"].force).ravel() for name in ("pinion", "wheel"))
    np.testing.assert_allclose(one + two, 0, atol=1e-6 * N)
    np.testing.assert_allclose(one[:2], (side * along, side * way * across), rtol=1e-6)
    assert float(run["mesh"].torque) == pytest.approx(-torque, rel=1e-6)


def test_axes_too_close_for_their_teeth_are_refused():
    body = lw.Body(1, (1e-4, 1e-4, 1e-4), position=(0.05, 0, 0))
    near = lw.Revolute(lw.GROUND, body, at=(0.05, 0, 0), axis=(0, 0, 1))
    other = lw.Model("close")
    pinion = other.add("pinion", lw.Body(1, (1e-4, 1e-4, 1e-4)))
    first = other.add("first", lw.Revolute(lw.GROUND, pinion, at=(0, 0, 0), axis=(0, 0, 1)))
    other.add("wheel", body)
    other.add("second", near)
    other.add("mesh", lw.GearTeeth(first, near, TEETH, MODULE, STIFFNESS))
    with pytest.raises(lw.ModelError, match="apart, less than the base circles need"):
        lw.transient(other, t=0.01, h=1e-3, progress=False)
