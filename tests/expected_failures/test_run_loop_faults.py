"""Faults of the run loop, which go with the one loop (issue 38).

Each test fails today for the reason that it names; once it passes, its mark goes.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import linkwork as lw
from linkwork.extend import rotations

fault = partial(pytest.mark.xfail, strict=True)
JUMPS = "issue 38: loops treat jumps of loads each in its own way"
CHECKS = "issue 38: checks see stored rows alone"
BANDWIDTH = "issue 38: drives do not know their bandwidth"
FORM = "issue 38: the form of a step is changed on the way"
LAST = "issue 38: the last step of a run begins anew behind a jump at its end"
DECKS = "issue 38: the command and run_deck take two paths"


def pendulum(torque=None):
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    if torque is not None:
        m.add("torque", lw.JointTorque(pin, torque))
    return m


def step_torque():
    return lw.expression("2*step(t-0.3)")


def accelerated_rotor():
    """A wheel on a pin that gains 500 rad/s every 0.1 s."""
    m = lw.Model("rotor")
    wheel = m.add("wheel", lw.Body(1.0, (0.1, 0.1, 0.2)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("torque", lw.JointTorque(pin, 0.2 * 5000.0))
    return m


@fault(reason=JUMPS)
def test_forces_stay_finite_at_a_jump_under_error_control():
    """Weight and centripetal force of the rod stay below six times its weight."""
    run = lw.transient(pendulum(step_torque()), t=0.6, h=0.01, tolerance=1e-5, progress=False)
    weight = 9.81 * np.pi * 0.01**2 * 7800
    assert np.linalg.norm(run["pin"].force_world, axis=-1).max() < 6 * weight


@fault(reason=JUMPS)
def test_an_event_at_the_time_of_a_jump_leaves_finite_forces():
    run = lw.transient(
        pendulum(step_torque()), t=0.6, h=0.01, stop=lambda t, _: t - 0.3, progress=False
    )
    weight = 9.81 * np.pi * 0.01**2 * 7800
    assert np.linalg.norm(run["pin"].force_world, axis=-1)[-1] < 6 * weight


def test_a_rotation_that_steps_do_not_resolve_is_refused():
    """5 rad per step at the end."""
    with pytest.raises(lw.LinkworkError, match="rad"):
        lw.transient(accelerated_rotor(), t=1.0, h=1e-3, progress=False)


@fault(reason=CHECKS)
def test_a_rotation_that_steps_do_not_resolve_is_refused_also_with_an_event():
    with pytest.raises(lw.LinkworkError, match="rad"):
        lw.transient(
            accelerated_rotor(), t=1.0, h=1e-3, stop=lambda t, _: 1.0, progress=False
        )


@fault(reason=BANDWIDTH)
@pytest.mark.parametrize(
    "drive",
    [lw.sine(1.0, 100.0), lw.table([0, 0.5025, 0.505, 0.5075, 1], [0, 0, 1, 0, 0], kind="linear")],
    ids=["period of a step", "pulse within a step"],
)
def test_a_drive_that_is_faster_than_the_step_is_warned_of(drive):
    with pytest.warns(lw.LinkworkWarning):
        lw.transient(pendulum(drive), t=1.0, h=0.01, progress=False)


def heavy_top():
    """A bar on a ball, with a rotor that turns about it at 10 rad/s, each the other way round."""
    m = lw.Model("top", gravity=(0, 0, -9.81))
    bar = m.add("bar", lw.Body.link((0, 0, 0), (0.5, 0, 0.2), radius=0.02, density=1000))
    m.add("ball", lw.Spherical(lw.GROUND, bar, at=(0, 0, 0)))
    direction = np.array([0.5, 0, 0.2]) / np.hypot(0.5, 0.2)
    bar.angular_velocity = rotations.matrix(bar.orientation).T @ (-5.0 * direction)
    disc = m.add("disc", lw.Body(2.0, (0.02, 0.02, 0.04), position=(0.5, 0, 0.2)))
    m.add("spin", lw.Revolute(bar, disc, at=(0.5, 0, 0.2), axis=direction, rate=10.0))
    return m


@fault(reason=FORM)
def test_halving_the_step_of_a_top_makes_its_error_smaller():
    def end(h):
        run = lw.transient(heavy_top(), t=3.0, h=h, progress=False)
        return np.asarray(run["disc"].position[-1])

    steps = [2.5e-3 / 2**k for k in range(5)]
    fine = end(steps[-1] / 8)
    errors = np.array([np.linalg.norm(end(h) - fine) for h in steps])
    assert (np.diff(errors) < 0).all(), errors


def cart(law):
    m = lw.Model("cart")
    body = m.add("cart", lw.Body(1.0, (1, 1, 1)))
    if law:
        place = lw.expression("4.13*(t^2/2 if t < 1 else t - 0.5)")
        m.add("drive", lw.Actuator(lw.GROUND, body, (0, 0, 0), (1, 0, 0), displacement=place))
    else:
        m.add("rail", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=(1, 0, 0)))
        m.add("push", lw.Force(body, (1, 0, 0), drive=lw.expression("4.13*(t < 1)")))
    return m


@fault(reason=LAST)
@pytest.mark.parametrize("law", [False, True], ids=["load", "motion law"])
def test_a_run_that_ends_at_a_jump_ends_before_it(law):
    """4.13 N push until 1 s and not from there on: all of the run has their acceleration."""
    run = lw.transient(cart(law), t=1.0, h=0.1, progress=False)
    np.testing.assert_allclose(run["cart"].acceleration[1:, 0], 4.13, rtol=1e-6)
