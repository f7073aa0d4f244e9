"""A strongly damped beam under a load that is there from the start.

Its stiffest motions die away within a thousandth of a step, so that the rate of the acceleration at
the start says nothing about the next step.  The run must neither fail nor take pieces, keep its
order, and agree with a multistep formula, which uses no accelerations of the past.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw


def strip(damping: float) -> lw.Model:
    """Aluminium, 40 × 4 mm, 1.5 m; the tip goes down by 0.7 m."""
    section = lw.Section.rectangle(0.04, 0.004, E=7e10, density=2700)
    m = lw.Model("strip")
    beam = m.add("strip", lw.Beam((0, 0, 0), (1.5, 0, 0), section, damping=damping))
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    m.add("load", lw.Force(beam.tip, (0, 3, -8)))
    return m


def tip(damping: float, h: float, method: object | None = None) -> np.ndarray:
    run = lw.transient(strip(damping), t=0.2, h=h, method=method, progress=False)
    assert run.info.get("steps_in_pieces", 0) == 0
    return run["strip.tip"].position[-1].values


def test_order_is_two_from_the_first_step_on() -> None:
    fine = tip(1e-3, 1.25e-4)
    errors = [np.abs(tip(1e-3, h) - fine).max() for h in (2e-3, 1e-3, 5e-4)]
    assert errors[0] < 1e-4 * 1.5
    for coarse, finer in zip(errors, errors[1:]):
        assert 3.4 < coarse / finer < 5.2  # 4, and what the reference still errs


@pytest.mark.parametrize("method", [lw.Newmark(), lw.BDF2()], ids=repr)
def test_other_methods_start_as_well(method: object) -> None:
    """All are of second order: within 2e-3 of the length of each other at h = 1 ms."""
    assert np.abs(tip(1e-3, 1e-3, method) - tip(1e-3, 1e-3, lw.MS2())).max() < 2e-3 * 1.5


def test_a_strong_damper_follows_its_closed_form() -> None:
    """m ẍ + c ẋ + k x = −m g from rest, whose fast root −c/m dies away within 1/500 of a step:
    the error is of second order and small all the same.  Where it is not, at 2 ms, the run says
    so."""
    mass, k, c, g, t = 1.0, 1e4, 1e6, 9.81, 0.1
    slow = -2 * k / (c + np.sqrt(c**2 - 4 * mass * k))
    fast = -c / mass - slow
    left = (fast * np.exp(slow * t) - slow * np.exp(fast * t)) / (fast - slow)
    exact = -mass * g / k * (1 - left)
    m = lw.Model("damper", gravity=(0, 0, -g))
    body = m.add("body", lw.Body(mass, (1, 1, 1)))
    m.add("strut", lw.Spring(lw.GROUND, body, (0, 0, 1), (0, 0, 0), k, c))
    errors = [
        lw.transient(m, t=t, h=h, progress=False)["body"].position[-1, 2].item() / exact - 1
        for h in (5e-4, 2.5e-4, 1.25e-4)
    ]
    assert abs(errors[-1]) < 0.01
    for coarse, finer in zip(errors, errors[1:]):
        assert coarse / finer == pytest.approx(4.0, rel=0.05)
    with pytest.warns(lw.LinkworkWarning, match="the step of 0.002 s is too large"):
        lw.transient(m, t=t, h=2e-3, progress=False)


def test_a_first_step_that_is_cut_starts_like_a_short_one() -> None:
    """The start keeps v̈ times the step, which must go with it when the first step is cut: here by
    an event, after 0.02 of 0.1 s.  The step that has this length from the start differs
    only by how v̈ was measured."""
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), rate=3.0))
    stopped = lw.transient(m, t=0.1, h=0.1, stop=lambda t, now: t - 0.02, progress=False)
    assert float(stopped.time[-1]) == pytest.approx(0.02, abs=1e-12)
    cut = stopped["rod"].position[-1].values
    short = lw.transient(m, t=0.02, h=0.02, progress=False)["rod"].position[-1].values
    assert np.abs(cut - short).max() < 1e-8


@pytest.mark.parametrize("order", [2, 3])
def test_consistent_inertia_takes_whole_steps(order: int) -> None:
    """Pieces of consistent mass have little moment of inertia and turn with 5e6 rad/s² at the
    start, for a thousandth of a microsecond.  Both kinds of inertia give one overdamped motion;
    statics says where it ends."""
    ends = []
    for inertia in ("lumped", "consistent"):
        m = lw.Model("strip", gravity=(0, 0, -9.81))
        section = lw.Section(stiffness=[1e6, 1e6, 1e6, 1e2, 1e2, 1e2], mass=1.0, inertia=[1e-6] * 3)
        words = {"damping": 0.1, "order": order, "inertia": inertia}
        beam = m.add("strip", lw.Beam((0, 0, 0), (1, 0, 0), section, elements=8, **words))
        m.add("clamp", lw.Fixed(lw.GROUND, beam.root))
        m.add("load", lw.Force(beam.tip, (0, 0, -50)))
        run = lw.transient(m, t=1.5, h=1e-3, progress=False)
        assert run.info["repairs"] == 0
        ends.append(run["strip.tip"].position.values[[200, -1], 2])
        rest = lw.static(m, progress=False)["strip.tip"].position.values[2]
        assert ends[-1][1] == pytest.approx(rest, rel=1e-5)  # e^(−t/τ) = 3e-7
    np.testing.assert_allclose(ends[0], ends[1], rtol=2e-3)  # how far the masses differ
