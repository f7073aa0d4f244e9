"""Integrals over time cross corners and jumps wherever they lie, whatever was asked before."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork import DriveError, constant, expression, function, polynomial, ramp, sine, table
from linkwork.model import drives
from linkwork.model.drives import Integral, Periodic, Piecewise

STEP = Piecewise((1.00037,), (constant(0), constant(10)))
PULSE = Piecewise((1.0, 1 + 2**-17), (constant(0), constant(2**17), constant(0)))
CORNERS = {  # a drive, the integral from 0 in closed form
    "step": (STEP, lambda t: 10 * np.maximum(t - 1.00037, 0)),
    "step of a formula": (
        expression("10*step(t - 1.00037)"), lambda t: 10 * np.maximum(t - 1.00037, 0)),
    "ramp": (ramp(10, 1.00037), lambda t: 5 * np.maximum(t - 1.00037, 0) ** 2),
    "ramp of a formula": (
        expression("10*max(0, t - 1.00037)"), lambda t: 5 * np.maximum(t - 1.00037, 0) ** 2),
    "pulse": (PULSE, lambda t: 2**17 * np.clip(t - 1, 0, 2**-17)),
    "pulse of a formula": (
        expression("2^17*(1 <= t < 1 + 2^(-17))"), lambda t: 2**17 * np.clip(t - 1, 0, 2**-17)),
    "other times": (expression("-10 if t > 1.00037 else 0"),
        lambda t: -10 * np.maximum(t - 1.00037, 0)),
    "delayed": (STEP.delayed(0.5), lambda t: 10 * np.maximum(t - 1.50037, 0)),
    "chain": (
        drives.Chain(STEP, polynomial([0, 2.0])), lambda t: 10 * np.maximum(t - 0.500185, 0)),
    "comb": (Periodic(Piecewise((3e-3,), (constant(1), constant(0))), 0.0, 1e-2),
        lambda t: 3e-3 * np.floor(t * 100) + np.minimum(t - np.floor(t * 100) / 100, 3e-3)),
    "table": (table([0, 1, 1.001, 9], [0, 0, 1, 1], kind="linear"),
        lambda t: np.where(t < 1.001, 500 * np.maximum(t - 1, 0) ** 2, t - 1.0005)),
    "function": (function(lambda t: 10.0 * (t >= 1.00037)),
        lambda t: 10 * np.maximum(t - 1.00037, 0)),
    "samples": (drives.SampleAndHold(polynomial([0, 1.0]), constant(1), 0.5),
        lambda t: sum(0.5 * np.maximum(t - 0.5 * k - 5e-7, 0) for k in (1, 2, 3))),  # SampleAndHold
    "whole waves": (sine(1, 1000), lambda t: (1 - np.cos(2e3 * np.pi * t)) / (2e3 * np.pi)),
    "infinite slope": (expression("sqrt(t)"), lambda t: 2 / 3 * t**1.5),
    "end of a table": (table([0, 1, 2.0002], [1, 1, 1], kind="linear"), lambda t: t),
}  # fmt: skip
TIMES = np.array([0.3, 1.0003, 1.00038, 1.0021, 1.0137, 1.3, 1.9999])


@pytest.mark.parametrize("name", CORNERS)
def test_corners_count_wherever_they_lie(name):
    """Behind a corner by a millionth of the time or by half of it; asked one by one and together,
    forwards and backwards, the digits are the same."""
    a, exact = CORNERS[name]
    together = Integral(a).values(TIMES)
    np.testing.assert_allclose(together, exact(TIMES), rtol=1e-12, atol=1e-13)
    for order in (TIMES, TIMES[::-1]):
        one = Integral(a)
        found = {t: one.values([t])[0] for t in order}
        np.testing.assert_array_equal([found[t] for t in TIMES], together)


def test_an_integral_from_a_later_start_is_that_between_the_times():
    y = Integral(STEP, 1.5, 2.0)
    np.testing.assert_allclose(y([0.5, 1.25, 1.5, 2.0]), [2 - 4.9963, -0.5, 2, 7], atol=1e-13)


def test_an_integral_of_an_integral():
    exact = 5 * np.maximum(TIMES - 1.00037, 0) ** 2
    np.testing.assert_allclose(
        Integral(Integral(STEP)).values(TIMES), exact, rtol=1e-11, atol=1e-13
    )


def test_integral_over_jumps():
    """∫ of a step and of a comb, exactly the areas."""
    step = Piecewise((1.0, 2.5), (constant(0), constant(2), constant(-1)))
    t = np.array([-1.0, 0.5, 1.25, 2.5, 4.0])
    np.testing.assert_allclose(Integral(step)(t), [0, 0, 0.5, 3, 1.5], atol=1e-13)
    comb = Periodic(Piecewise((0.5,), (constant(1), constant(0))), 0.0, 1.0)
    assert Integral(comb, -1.0, 3.0)(4.25) == pytest.approx(3 + 2 + 0.25, abs=1e-12)


def test_a_velocity_seen_from_a_body_crosses_corners():
    """u' = a − ω × u with a pulse of a at 5 s: a constant vector that turns backwards behind it."""
    zero = constant(0)
    pulse = Piecewise((5.0, 5.001), (zero, constant(1000), zero))
    for axis, f in ((0, np.sin), (1, np.cos)):
        u = drives.CarriedVelocity(
            (pulse, zero, zero), (zero, zero, constant(1)), 0.0, (0, 0, 0), axis
        )
        t = np.array([4.0, 5.0003, 5.5, 7.0])
        exact = 1000 * (f(np.maximum(t - 5, 0)) - f(np.maximum(t - 5.001, 0)))
        found = [u.values([x])[0] for x in t]
        np.testing.assert_allclose(found, exact, atol=1e-9)


def test_noise_has_no_integral():
    """It was looked for until the last digits of every time, without end."""
    noise = function(lambda t: float(np.sin(1e5 * np.floor(1e8 * t))))
    with pytest.raises(DriveError, match="has no integral that can be found"):
        Integral(noise).values(np.array([0.0, 0.01]))


def test_jumps_that_a_function_does_not_tell_are_found():
    steps = function(lambda t: float(t > 0.00312) + 2.0 * float(t > 0.00731))
    found = Integral(steps).values(np.array([0.01]))[0]
    assert found == pytest.approx(0.00688 + 2 * 0.00269, abs=1e-14)
