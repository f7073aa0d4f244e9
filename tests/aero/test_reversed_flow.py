"""Unsteady airfoils in reversed flow are told of; quasi-steady ones know it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import linkwork as lw


def wing(speed: float, model: str) -> lw.Model:
    m = lw.Model("wing")
    m.air = lw.Air(density=1.225, velocity=(speed, 0, 0.1 * abs(speed)))
    body = m.add("body", lw.Body(20, (1, 1, 1)))
    m.add("clamp", lw.Fixed(lw.GROUND, body, at=(0, 0, 0)))
    m.add("wing", lw.LiftingSurface(body, chord=0.5, airfoil=lw.Airfoil.naca0012(), model=model,
                                    start=(0, -1, 0), end=(0, 1, 0)))  # fmt: skip
    return m


@pytest.mark.parametrize("model", ["wagner", "theodorsen", "dynamic stall"])
def test_unsteady_airfoils_tell_of_flow_from_behind(model):
    with pytest.warns(lw.LinkworkWarning, match="LiftingSurface 'wing' meets the air from behind"):
        lw.transient(wing(-50.0, model), t=0.02, h=1e-3, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.transient(wing(50.0, model), t=0.02, h=1e-3, progress=False)


def test_quasi_steady_airfoils_have_their_table_from_behind():
    """At 180° less the angle of the wind: the lift of the table at that angle."""
    run = lw.transient(wing(-50.0, "quasi-steady"), t=0.01, h=1e-3, progress=False)
    angle = np.pi - np.arctan(0.1)
    assert np.allclose(np.abs(run["wing"].alpha.values[-1]), angle, atol=1e-9)
