"""Error control bounds the energy that a run loses, and how far bodies turn in a step."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from inside import METHODS, method_from_text

import linkwork as lw


def cart_pole() -> lw.Model:
    """A cart of 1e-6 kg on a rail, and a point-like bob of 1 kg on a pole of 1 m, level at first.

    The bob falls freely, is thrown back at its lowest point and rises to where it was: with
    √(2 · 1 m/g) = 0.4515 s for every fall and rise it passes below the cart 11 times in 10 s.
    """
    m = lw.Model("cart-pole", gravity=(0, 0, -9.81))
    cart = m.add("cart", lw.Body(1e-6, (1e-12,) * 3))
    bob = m.add("bob", lw.Body(1, (1e-9,) * 3, position=(1, 0, 0)))
    m.add("rail", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("pin", lw.Revolute(cart, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


def lost_and_crossings(method: object, tolerance: float) -> tuple[float, int]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LinkworkWarning)
        run = lw.transient(
            cart_pole(), t=10, h=1e-3, tolerance=tolerance, method=method, progress=False
        )
    lost = np.abs(run.energy.balance.values).max() / 9.81
    side = run["bob"].position.values[:, 0] - run["cart"].position.values[:, 0]
    return lost, int(np.count_nonzero(np.diff(np.sign(side))))


@pytest.mark.parametrize(
    "method", [lw.GeneralizedAlpha(), lw.GeneralizedAlpha(stabilized=True), lw.BDF2()]
)
def test_the_energy_that_a_light_cart_loses_follows_the_tolerance(method):
    """Positions alone let a quarter of the energy pass at 1e-6, and a crossing too many."""
    bounds = {1e-4: 0.15, 1e-5: 0.04, 1e-6: 0.01}
    found = {tolerance: lost_and_crossings(method, tolerance) for tolerance in bounds}
    assert {crossings for _, crossings in found.values()} == {11}
    for tolerance, bound in bounds.items():
        assert found[tolerance][0] < bound, found
    assert found[1e-6][0] < 0.25 * found[1e-5][0] < 0.25 * found[1e-4][0]


def test_the_energy_of_a_light_cart_with_momenta():
    """Gains and losses cancel in MS2, so that its error is bounded without being proportional."""
    lost, crossings = lost_and_crossings(lw.MS2(), 1e-5)
    assert lost < 0.04 and crossings == 11


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(rho=1.0), lw.HHT(alpha=0.0)])
def test_an_undamped_method_goes_on_where_the_cart_was_thrown(method):
    """What the throw leaves in algorithmic accelerations would alternate for ever, in steps of
    3e-7 s.  The bob falls freely, and rises as it fell."""
    run = lw.transient(cart_pole(), t=1, h=1e-3, tolerance=1e-6, method=method, progress=False)
    bottom = np.sqrt(2 / 9.81)
    since = np.where(run.time < bottom, run.time, 2 * bottom - run.time)
    height = run["bob"].position.values[:, 2]
    assert np.abs(height + 9.81 / 2 * since**2).max() < 5e-4
    assert len(run.time) < 2000


def test_controlled_steps_do_not_skip_turns():
    """A rod on a pin has no error at any step; the angle is counted all the same."""
    m = lw.Model("rod", gravity=(0, 0, 0))
    body = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1), rate=1000.0))
    run = lw.transient(m, t=1, h=1e-4, tolerance=1e-5, progress=False)
    assert float(run["pin"].angle[-1]) == pytest.approx(1000.0, rel=1e-4)
    assert np.diff(run.time).max() < 1.05e-3


def test_steps_of_a_strategy_that_skip_turns_are_refused():
    m = lw.Model("rod", gravity=(0, 0, 0))
    body = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1), rate=1000.0))
    grows = lw.ChangeStrategy(lw.expression("1e-3 + 0.1*t"))
    with pytest.raises(lw.ConvergenceError, match="body 'rod' turns by"):
        lw.transient(m, t=1, h=1e-3, strategy=grows, progress=False)


def test_a_controlled_run_that_is_resumed_keeps_its_bound(tmp_path):
    """The largest energy so far and the first step go with the file."""
    path = tmp_path / "first.nc"
    lw.transient(cart_pole(), t=0.3, h=1e-3, tolerance=1e-5, progress=False, file=path)
    first = lw.load(path)
    numbers = np.asarray(first.restart["control"])
    assert numbers[3] == pytest.approx(float(first.energy.kinetic.max()), rel=1e-12)
    rest = lw.resume(path, 1, progress=False)
    balance = rest.energy.balance.values
    assert np.abs(balance - balance[0]).max() < 0.01 * 9.81


# ---------------------------------------------------------------------- how methods are written


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_written_as_it_is_typed(name):
    assert repr(METHODS[name]()) == f"{name}()"
    assert method_from_text(f"{name}()") == METHODS[name]()


def test_only_what_differs_is_written():
    method = lw.GeneralizedAlpha(rho=1.0, stabilized=True)
    assert repr(method) == "GeneralizedAlpha(stabilized=True, rho=1.0)"
    assert method_from_text(repr(method)) == method
    assert repr(lw.Recursive(cuts=["pin"])) == "Recursive(cuts=('pin',))"
    driven = lw.MS2(rho=lw.ramp(0.1))
    assert repr(method_from_text(repr(driven))) == repr(driven)


def test_files_that_name_every_parameter_go_on_with_the_same_digits():
    """Restart numbers of version 0.1.0 have the method's text in full."""
    m = cart_pole()
    whole = lw.transient(m, t=0.2, h=1e-3, progress=False)
    first = lw.transient(m, t=0.1, h=1e-3, progress=False)
    text = b"GeneralizedAlpha(stabilized=None, tolerance=1e-08, max_iterations=20, rho=0.8)"
    first.restart["method"] = np.frombuffer(text, np.uint8).copy()
    rest = lw.transient(m, t=0.2, h=1e-3, start=first, progress=False)
    assert np.array_equal(rest.motion[-1], whole.motion[-1])
