"""Pulses that are shorter than a step: choppers and switches that close and open within one."""

import numpy as np
import pytest
from scipy.linalg import expm

import linkwork as lw

E = lw.electric


def chopped(frequency):
    """A motor with a flywheel, its voltage on for 40 % of every period."""
    m = lw.Model("chopped")
    wheel = m.add("wheel", lw.Body(2, (0.01, 0.01, 0.02)))
    shaft = m.add("shaft", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
    T = 1 / frequency
    m.add("motor", lw.DCMotor(
        shaft, voltage=lw.formula(f"24*(mod(t, {T}) < {0.4 * T})"), constant=0.05, resistance=0.6,
        inductance=1e-3,
    ))  # fmt: skip
    return m


def chopped_rate(pulses, T):
    """L i' + R i + k w = u, J w' = k i, with constant u in between."""
    A, x = np.array([[-600.0, -50.0], [2.5, 0.0]]), np.zeros(2)
    for _ in range(pulses):
        for u, t in ((24.0, 0.4 * T), (0.0, 0.6 * T)):
            e = expm(A * t)
            x = e @ x + np.linalg.solve(A, (e - np.eye(2)) @ [u / 1e-3, 0.0])
    return x[1]


@pytest.mark.parametrize(
    "method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.MS2(), lw.DIRK54(), lw.RK4()], ids=repr
)
def test_pulses_within_every_step_are_met(method):
    """Seen at the ends of steps alone, the voltage was on all the time: 2.5 times the speed."""
    run = lw.transient(chopped(1e3), 0.03, 1e-3, method, progress=False)
    np.testing.assert_allclose(run["motor"].rate.values[-1], chopped_rate(30, 1e-3), rtol=5e-3)


@pytest.mark.parametrize("frequency", [2e4, 3e5])
def test_pulses_that_no_step_sees_are_told(frequency):
    with pytest.warns(lw.LinkworkWarning, match="jump"):
        lw.transient(chopped(frequency), 0.02, 1e-3, progress=False)


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.DIRK54()], ids=repr)
def test_a_switch_that_closes_and_opens_within_a_step(method):
    m = lw.Model("switch")
    plus, out = m.add("plus", E.Node()), m.add("out", E.Node())
    m.add("source", E.VoltageSource(plus, lw.GROUND, 10.0, resistance=1.0))
    m.add("switch", E.Switch(plus, out, lw.formula("(t >= 0.0103)*(t < 0.0108)")))
    m.add("capacitor", E.Capacitor(out, lw.GROUND, 1e-3))
    m.add("load", E.Resistor(out, lw.GROUND, 10.0))
    run = lw.transient(m, 0.02, 1e-3, method, progress=False)
    G = 1 / 1.001 + 0.1
    full = 10 / 1.001 / G * (1 - np.exp(-0.5e-3 * G / 1e-3))
    exact = full * np.exp(-(0.02 - 0.0108) / 0.01)
    np.testing.assert_allclose(run["out"].voltage.values[-1], exact, rtol=1e-2)
