"""Motion laws with corners: what is told of the energy there, and what is not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from inside import corners

import linkwork as lw
from linkwork.analysis.motion.checks.energy_account import largest_rise


def cart(law: lw.drives.Drive) -> lw.Model:
    m = lw.Model("cart", gravity=(0, 0, -9.81))
    body = m.add("cart", lw.Body(1, (1, 1, 1)))
    m.add("rail", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("motor", lw.Lock(lw.GROUND, body, at=(0, 0, 0), rows="x", drive={"x": law}))
    return m


def told(model: lw.Model, **options) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lw.transient(model, t=1, h=1e-3, progress=False, **options)
    return [str(one.message) for one in caught if issubclass(one.category, lw.LinkworkWarning)]


CORNERS = {
    "ramp": (lw.ramp(3, start=0.5), [0.5]),
    "table": (lw.table([0, 0.25, 1], [0, 1, 0], kind="linear"), [0.25]),
    "trapezoid": (lw.ramp(3, start=0.3) - lw.ramp(3, start=0.7), [0.3, 0.7]),
    "jump": (lw.expression("0.1*(t > 0.5)"), [0.501]),
}
SMOOTH = [
    lw.sine(1, 5), lw.sine(1e-3, 200), lw.polynomial([0, 1, 2, 3]), lw.ramp(3), lw.constant(2),
    lw.table([0, 0.3, 0.6, 1], [0, 1, 0.5, 0]), lw.expression("tanh(40*(t - 0.5))"),
]  # fmt: skip


@pytest.mark.parametrize("name", CORNERS)
def test_corners_are_found_where_the_rate_jumps(name):
    law, at = CORNERS[name]
    system = lw.compile_model(cart(law))
    found = corners(system, 1e-3 * np.arange(1001))
    assert [owner for _, owner in found] == ["motor"] * len(at)
    np.testing.assert_allclose([t for t, _ in found], at, atol=1.1e-3)


@pytest.mark.parametrize("law", SMOOTH, ids=repr)
def test_smooth_laws_have_none(law):
    assert corners(lw.compile_model(cart(law)), 1e-3 * np.arange(1001)) == []


RISES = "0 if t < 0.3 else 5 if t >= 0.4 else 2.5*(1 - cos(10*pi*(t - 0.3)))"


@pytest.mark.parametrize("law", [RISES, "tanh(1e3*(t - 0.35))"])
@pytest.mark.parametrize("row", ["position", "velocity"])
def test_a_rise_within_one_step_is_no_corner(law, row):
    """A half cosine between two steps looks like a jump from there, and is none."""
    m = cart(lw.expression(law))
    if row == "velocity":
        m = lw.Model("cart")
        body = m.add("cart", lw.Body(1, (1, 1, 1)))
        drive = {"x": lw.expression(law)}
        m.add("motor", lw.VelocityLock(lw.GROUND, body, at=(0, 0, 0), rows="x", drive=drive))
    system = lw.compile_model(m)
    assert corners(system, 0.1 * np.arange(11)) == []
    with pytest.warns(lw.LinkworkWarning, match=r"step of 0.1 s is too large.*take a smaller one"):
        lw.transient(m, t=1, h=0.1, progress=False)


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.MS2(), lw.Recursive()], ids=repr)
def test_energy_that_changes_at_a_corner_asks_for_no_smaller_step(method):
    """The cart has ½ m v² = 4.5 J behind its corner, for which no step can tell the work."""
    found = told(cart(lw.ramp(3, start=0.5)), method=method)
    assert len(found) == 1 and "'motor' imposes jumps at t = 0.5, " in found[0], found
    assert "a smaller step does not help" in found[0]


def test_energy_that_is_lost_elsewhere_is_told_as_such():
    """A corner at 0.1 s beside a rod that BDF2 brakes all the time."""
    m = cart(lw.ramp(0.01, start=0.1))
    rod = m.add("rod", lw.Body.link((0, 0, 5), (1, 0, 5), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 5), axis=(0, 0, 1), rate=300))
    found = told(m, method=lw.BDF2())
    assert any("the step of 0.001 s is too large for BDF2()" in text for text in found), found
    assert not any("imposes jumps" in text for text in found), found


def test_smooth_motors_are_not_told_of():
    assert told(cart(lw.sine(1, 5))) == []


def test_energy_that_rises_after_it_fell_counts_as_made():
    """A box that lost 5 J on the ground and gained 4 J again stays below its first energy."""
    assert largest_rise(np.array([0.0, -5.0, -1.0, -3.0])) == 4.0
    assert largest_rise(np.array([0.0, 2.0, -1.0])) == 2.0
    assert largest_rise(np.array([0.0, -1.0, np.nan])) == np.inf
