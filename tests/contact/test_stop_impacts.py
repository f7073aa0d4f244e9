"""Stops and limits of joints in runs with equal steps: closed forms though h is longer than the
touch."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.elements.laws.contact import damping_for

G = 9.81
MASS = 2.0


def quiet(m, t, h, **words):
    """A run that has nothing to warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LinkworkWarning)
        return lw.transient(m, t=t, h=h, progress=False, **words)


def arriving(law, speed, turns=False):
    """A mass on a slide, or a wheel on a pin, that arrives at a law."""
    m = lw.Model("arriving")
    body = m.add("body", lw.Body(MASS, (MASS, MASS, MASS)))
    if turns:
        pin = lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1), rate=speed)
        m.add("stop", lw.DeformableAxial(m.add("joint", pin), law=law))
    else:
        rail = lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1), speed=speed)
        m.add("stop", lw.DeformableSlide(m.add("joint", rail), law=law))
    return m


def left(found, turns=False):
    quantity = found["body"].angular_velocity if turns else found["body"].velocity
    return -float(quantity.values[-1, 2])


def touch_time(stiffness, exponent, speed):
    depth = ((exponent + 1) * MASS * speed**2 / 2 / stiffness) ** (1 / (exponent + 1))
    return math.pi * depth / speed


METHODS = [
    None, lw.MS2(), lw.DIRK33(), lw.RK4(), lw.Recursive(), lw.Recursive(integrator="implicit"),
]  # fmt: skip


@pytest.mark.parametrize("turns", [False, True], ids=["slide", "turn"])
@pytest.mark.parametrize("exponent", [1.0, 1.5])
@pytest.mark.parametrize("e", [0.2, 0.7, 1.0])
@pytest.mark.parametrize("steps", [0.1, 1.0, 10.0, 100.0])
def test_restitution_of_a_stop_does_not_depend_on_the_step(steps, e, exponent, turns):
    """Hunt and Crossley's law: x − log(1 + x) = −e x − log(1 − e x), x = d v, whatever k and n."""
    for stiffness, speed in ((1e9, 0.03), (1e6, 1.0), (1e9, 20.0)):
        h = touch_time(stiffness, exponent, speed) / steps
        law = lw.laws.Stop(-9.0, 2.37 * speed * h, stiffness, damping_for(e, speed), exponent)
        found = quiet(arriving(law, speed, turns), math.ceil(4 + 4 * steps) * h, h)
        assert left(found, turns) / speed == pytest.approx(e, rel=5e-3)
        assert abs(found.energy.balance).max() < 0.02 * MASS * speed**2 / 2
        np.testing.assert_allclose(np.diff(found.time), h, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("steps", [0.1, 7.0])
def test_a_damped_half_wave_is_met_by_all_methods(steps, method):
    """k p + c ṗ beyond a corner: e = exp(−π ζ/√(1 − ζ²)); the force jumps at both ends of it."""
    stiffness, zeta, speed = 1e7, 0.3, 1.0
    frequency = math.sqrt(stiffness / MASS)
    h = math.pi / frequency / steps
    law = lw.laws.DoubleLinear(
        0.0, 1.37 * speed * h, -9.0, stiffness, 0.0, second_viscosity=2 * zeta * MASS * frequency
    )
    found = quiet(arriving(law, speed), math.ceil(4 + 4 * steps) * h, h, method=method)
    wanted = math.exp(-math.pi * zeta / math.sqrt(1 - zeta**2))
    assert left(found) / speed == pytest.approx(wanted, rel=0.01)
    assert abs(found.energy.balance).max() < 0.02 * MASS * speed**2 / 2


def test_soft_and_hard_parts_of_a_stop_are_two_corners():
    """Through the soft part to the hard one, and back with all of its energy; k₂ alone stops it in
    a tenth of a step."""
    law = lw.laws.Parallel((
        lw.laws.Stop(None, 0.01, 100.0, exponent=1.0), lw.laws.Stop(None, 0.03, 1e9, exponent=1.0),
    ))  # fmt: skip
    found = quiet(arriving(law, 1.0), 0.2, 2e-3)
    assert left(found) == pytest.approx(1.0, rel=2e-3)
    assert found["joint"].displacement.values.max() < 0.0301


def test_a_rod_that_becomes_taut_throws_its_load_back():
    """It falls 0.5 m, the rod takes it with half a wave, and it rises as far again."""
    m = lw.Model("jerk", gravity=(0, 0, -G))
    load = m.add("load", lw.Body(2, (1, 1, 1), position=(0, 0, -0.5)))
    law = lw.laws.DoubleLinear(0.0, 0.0, -2.0, 2e6, 0.0)
    m.add("rod", lw.Rod(lw.GROUND, load, at_a=(0, 0, 0), law=law, length=1.0))
    found = quiet(m, 0.7, 2e-3)
    z, fall = found["load"].position.values[:, 2], math.sqrt(2 * 0.5 / G)
    assert z[found.time > 1.2 * fall].max() == pytest.approx(-0.5, abs=2e-3)
    assert abs(found.energy.balance).max() < 5e-3 * 2 * G * 0.5


def test_limits_of_an_elbow_are_alike_in_two_formulations():
    """Both links move: the mass that the stop has to turn is that of the arm."""
    def build():
        m = lw.Model("arm", gravity=(0, 0, -G))
        upper = m.add("upper", lw.Body(1, (1e-6, 1e-6, 1e-6), position=(1, 0, 0)))
        lower = m.add("lower", lw.Body(1, (1e-6, 1e-6, 1e-6), position=(2, 0, 0)))
        m.add("shoulder", lw.Revolute(lw.GROUND, upper, at=(0, 0, 0), axis=(0, 1, 0)))
        elbow = lw.Revolute(upper, lower, at=(1, 0, 0), axis=(0, 1, 0))
        m.add("stop", lw.Stop(m.add("elbow", elbow), -0.2, 0.2, stiffness=1e5, damping=0.5))
        return m

    one, two = quiet(build(), 0.6, 2e-3), quiet(build(), 0.6, 2e-3, method=lw.Recursive())
    np.testing.assert_allclose(one.motion[-1, :, :3], two.motion[-1, :, :3], atol=1e-3)
    assert np.ptp(np.sign(np.diff(one["elbow"].angle.values))) == 2  # it came back


@pytest.mark.parametrize("turns", [False, True], ids=["slide", "turn"])
@pytest.mark.parametrize("method", [None, lw.MS2(), lw.RK4(), lw.Recursive()], ids=repr)
def test_a_run_that_ends_within_a_touch_goes_on_with_the_same_digits(method, turns):
    law = lw.laws.Stop(-0.01, 0.01, 1e5, damping=0.3)
    whole = quiet(arriving(law, 2.0, turns), 0.06, 1e-3, method=method)
    for middle in (0.005, 0.007, 0.012):
        half = quiet(arriving(law, 2.0, turns), middle, 1e-3, method=method)
        m = arriving(law, 2.0, turns)
        rest = quiet(m, 0.06, 1e-3, method=method, start=half)
        np.testing.assert_array_equal(rest.motion[-1], whole.motion[-1])


@pytest.mark.parametrize("words", [
    {"tolerance": 1e-7},
    {"strategy": lw.ChangeStrategy(lw.constant(2e-5))},
], ids=["tolerance", "strategy"])  # fmt: skip
def test_other_ways_to_choose_the_step_go_through_a_stop(words):
    law = lw.laws.Stop(-9.0, 0.01, 1e6, damping_for(0.5, 2.0))
    found = lw.transient(arriving(law, 2.0), t=0.02, h=1e-4, progress=False, **words)
    assert left(found) / 2.0 == pytest.approx(0.5, rel=5e-3)


@pytest.mark.parametrize("turns", [False, True], ids=["slide", "turn"])
def test_limits_that_are_not_reached_change_nothing(turns):
    free = quiet(arriving(lw.laws.Stop(-50.0, 50.0, 0.0), 1.0, turns), 1.0, 1e-2)
    limited = quiet(arriving(lw.laws.Stop(-50.0, 50.0, 1e9), 1.0, turns), 1.0, 1e-2)
    np.testing.assert_array_equal(free.motion, limited.motion)
    np.testing.assert_array_equal(free.info["steps"], limited.info["steps"])


@pytest.mark.parametrize("method", [None, lw.RK4(), lw.Recursive()], ids=repr)
def test_a_joint_that_starts_beyond_its_limit_leaves_with_what_is_stored(method):
    """k p²/2 becomes m v²/2."""
    m = arriving(lw.laws.Stop(-9.0, -1e-3, 1e7, exponent=1.0), 0.0)
    found = quiet(m, 0.02, 1e-3, method=method)
    wanted = 1e-3 * math.sqrt(1e7 / MASS)
    assert left(found) == pytest.approx(wanted, rel=5e-3)
    assert abs(found.energy.balance).max() < 0.01 * MASS * wanted**2 / 2


@pytest.mark.parametrize("method", [None, lw.RK4(), lw.Recursive()], ids=repr)
def test_a_motor_presses_a_joint_into_its_limit(method):
    """It comes to rest where k pⁿ is the torque."""
    m = lw.Model("pressed")
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("stop", lw.Stop(pin, upper=0.1, stiffness=1e5, restitution=0.2, speed=1.0))
    m.add("motor", lw.JointTorque(pin, 20.0))
    found = quiet(m, 2.0, 2e-3, method=method)
    assert found["pin"].angle.values[-1] - 0.1 == pytest.approx((20 / 1e5) ** (2 / 3), rel=1e-3)


def test_a_stop_that_no_pieces_resolve_is_told():
    law = lw.laws.Stop(-9.0, 0.1, 1e18, exponent=1.0)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        lw.transient(arriving(law, 1.0), t=0.5, h=5e-2, progress=False)
    words = [str(w.message) for w in found]
    assert any("'stop': an impact of" in w and w.endswith("or a softer law") for w in words)


@pytest.mark.parametrize("method", [None, lw.BDF2(), lw.RK4()], ids=repr)
@pytest.mark.parametrize("h", [1e-3, 5e-3])
def test_a_hydraulic_cylinder_comes_back_from_the_end_of_its_stroke(h, method):
    """Without pressure its ends alone act, with Hunt and Crossley's restitution; in touch for
    0.4 ms."""
    m = lw.Model("cylinder")
    oil = lw.hydraulics.Fluid(850, 1.4e9, 0.02)
    block = m.add("block", lw.Body(2, (1, 1, 1), position=(0.8, 0, 0), velocity=(3, 0, 0)))
    m.add("guide", lw.Prismatic(lw.GROUND, block, at=(0.8, 0, 0), axis=(1, 0, 0)))
    first, second = (m.add(name, lw.hydraulics.Tank(oil, 0.0)) for name in ("first", "second"))
    m.add("cylinder", lw.hydraulics.Cylinder(
        lw.GROUND, block, first, second, area_1=2e-3, area_2=1e-3, closed=0.5, stroke=0.35,
        dead_volume=1e-4, stop_stiffness=1e8, stop_damping=damping_for(0.4, 3.0),
    ))  # fmt: skip
    found = quiet(m, 0.03, h, method=method)
    assert found["block"].velocity.values[-1, 0] == pytest.approx(-0.4 * 3, rel=5e-3)


def test_a_run_goes_on_from_a_state_without_notes():
    """Of a file of an earlier version, whose memory has the angle alone."""
    law = lw.laws.Stop(-9.0, 0.01, 1e6, damping_for(0.5, 2.0))
    half = quiet(arriving(law, 2.0, turns=True), 0.003, 1e-3)
    before = half.state()
    before = replace(before, memory=before.memory[-1:])
    found = quiet(arriving(law, 2.0, turns=True), 0.02, 1e-3, start=before)
    assert left(found, turns=True) / 2.0 == pytest.approx(0.5, rel=5e-3)


@pytest.mark.parametrize("method", [None, lw.RK4(), lw.Recursive()], ids=repr)
def test_digits_do_not_depend_on_how_many_steps_are_taken_at_once(method, monkeypatch):
    """A chain thrown against limits, with long calls that are taken back and with short ones."""
    m = lw.Model("limited", gravity=(0, 0, -G))
    before = lw.GROUND
    for i in range(4):
        link = m.add(f"link {i}", lw.Body(1, (0.001, 0.08, 0.08), position=(i + 0.5, 0, 0)))
        pin = lw.Revolute(before, link, at=(i, 0, 0), axis=(0, 1, 0), limits=(-0.3, 0.3))
        m.add(f"pin {i}", pin)
        before = link
    ends = []
    for chunk in (1, 7, 1000):
        monkeypatch.setenv("LINKWORK_STEPS_PER_CALL", str(chunk))
        ends.append(quiet(m, 0.5, 1e-3, method=method).motion[-1])
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])
