"""Brakes that hold, in implicit steps in joint coordinates."""

import numpy as np
import pytest
from inside import beginning

import linkwork as lw
from linkwork.recursive.stepping.brakes import SIGN, brake_table
from linkwork.recursive.tree.parts import Parts

RADIUS, INERTIA = 0.1, 2.0


def wheels(model, load, turned=False, count=1):
    """Wheels on pins, each on the one before, with a brake between; they start with 1 rad/s."""
    m, last = lw.Model("wheels"), lw.GROUND
    for k in range(count):
        wheel = m.add(f"wheel{k}", lw.Body(1, (1, 1, INERTIA), angular_velocity=(0, 0, 1 + k)))
        ends = (wheel, last) if turned else (last, wheel)
        m.add(f"pin{k}", lw.Revolute(last, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
        m.add(f"pads{k}", lw.Brake(
            *ends, at=(0, 0, 0), axis=(0, 0, 1), model=model, radius=RADIUS, load=load))
        last = wheel
    return m


@pytest.mark.parametrize("model", [lw.Coulomb(0.4), lw.LuGre(0.4), lw.Coulomb(0.4, 0.5, 0.01)])
@pytest.mark.parametrize("h", [1e-3, 1e-2])
@pytest.mark.parametrize("turned", [False, True])
def test_a_wheel_stops_and_is_held(model, h, turned):
    """The angle to rest is J ω²/(2 μ N r), but for bristles and the step."""
    run = lw.transient(
        wheels(model, 200.0, turned), t=0.6, h=h, method=lw.Recursive("implicit"), progress=False
    )
    stop = INERTIA / (2 * 0.4 * 200.0 * RADIUS)
    assert float(run["pin0"].angle[-1]) == pytest.approx(stop, abs=5e-4)
    assert np.abs(run["pin0"].rate[-10:]).max() < 0.03


@pytest.mark.filterwarnings("ignore:the method took:linkwork.LinkworkWarning")  # of 0.25 ms in 10
@pytest.mark.parametrize("load, h", [(200.0, 1e-3), (200.0, 1e-2), (2e4, 1e-3), (2e5, 1e-2)])
def test_steps_are_those_of_the_other_formulation(load, h):
    """Generalized-alpha in all unknowns, with the whole tangent."""
    run, other = (
        lw.transient(wheels(lw.Coulomb(0.4), load), t=0.6, h=h, method=method, progress=False)
        for method in (lw.Recursive("implicit"), lw.GeneralizedAlpha())
    )
    assert np.abs(run["pin0"].angle - other["pin0"].angle).max() < 1e-8


def test_two_brakes_one_behind_the_other():
    run, other = (
        lw.transient(wheels(lw.Coulomb(0.4), 300.0, count=2), t=0.6, h=2e-3, method=method,
                     progress=False)
        for method in (lw.Recursive("implicit"), lw.GeneralizedAlpha())
    )  # fmt: skip
    for pin in ("pin0", "pin1"):
        assert np.abs(run[pin].angle - other[pin].angle).max() < 1e-7


@pytest.mark.parametrize("turned, sign", [(False, 1), (True, -1)])
def test_brakes_are_found_with_their_sense(turned, sign):
    m = wheels(lw.Coulomb(0.4), 10.0, turned, count=2)
    full, _, state, _ = beginning(m, None, lw.Recursive("implicit"))
    table = brake_table(Parts(full, state))
    assert table[:, SIGN].tolist() == [sign, sign]
