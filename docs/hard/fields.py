"""Hard motions of values that are no bodies: circuits and motors whose voltages jump."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import expm

import linkwork as lw
from docs.hard.measures import Measure
from docs.hard.runs import Motion

E = lw.electric
CLOSES, OPENS = 0.0103, 0.0108  # s, of a switch within one step
PERIOD, ON = 1e-3, 0.4  # s of a chopper, and the part for which it is on


def charged(tau: float, jump: float) -> lw.Model:
    """A capacitor behind a resistor, on a source of 1 V from the time of the jump on."""
    m = lw.Model("charged capacitor")
    plus, out = m.add("plus", E.Node()), m.add("out", E.Node())
    m.add("source", E.VoltageSource(plus, lw.GROUND, lw.formula(f"t >= {jump}")))
    m.add("resistor", E.Resistor(plus, out, 1e3))
    m.add("capacitor", E.Capacitor(out, lw.GROUND, tau / 1e3))
    return m


def switched() -> lw.Model:
    """A capacitor that is charged while a switch is closed, and discharged by its load."""
    m = lw.Model("switch")
    plus, out = m.add("plus", E.Node()), m.add("out", E.Node())
    m.add("source", E.VoltageSource(plus, lw.GROUND, 10.0, resistance=1.0))
    m.add("switch", E.Switch(plus, out, lw.formula(f"(t >= {CLOSES})*(t < {OPENS})")))
    m.add("capacitor", E.Capacitor(out, lw.GROUND, 1e-3))
    m.add("load", E.Resistor(out, lw.GROUND, 10.0))
    return m


def switched_voltage(t: float) -> float:
    G = 1 / 1.001 + 0.1
    full = 10 / 1.001 / G * (1 - np.exp(-(OPENS - CLOSES) * G / 1e-3))
    return float(full * np.exp(-(t - OPENS) / 0.01))


def chopped() -> lw.Model:
    """A motor with a flywheel on 24 V, for 40 % of every millisecond."""
    m = lw.Model("chopped motor")
    wheel = m.add("wheel", lw.Body(2, (0.01, 0.01, 0.02)))
    shaft = m.add("shaft", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
    pulses = lw.formula(f"24*(mod(t, {PERIOD}) < {ON * PERIOD})")
    m.add("motor", lw.DCMotor(
        shaft, voltage=pulses, constant=0.05, resistance=0.6, inductance=1e-3
    ))  # fmt: skip
    return m


def chopped_speed(t: float) -> float:
    """L i' + R i + k w = u, J w' = k i, with constant u in between."""
    A, x = np.array([[-600.0, -50.0], [2.5, 0.0]]), np.zeros(2)
    for _ in range(round(t / PERIOD)):
        for u, part in ((24e3, ON), (0.0, 1 - ON)):
            e = expm(A * part * PERIOD)
            x = e @ x + np.linalg.solve(A, (e - np.eye(2)) @ [u, 0.0])
    return float(x[1])


def at_end(item: str, output: str, exact: Callable[[float], float], size: float) -> Measure:
    """Error of an output at the end, over `size`."""

    def error(run: lw.Result) -> float:
        found = float(getattr(run[item], output).values[-1])
        return abs(found - exact(float(run.time[-1]))) / size

    return error


def largest_charge_error(tau: float, jump: float) -> Measure:
    """The largest error of the voltage, in V."""

    def error(run: lw.Result) -> float:
        t = run.time - jump
        exact = 1 - np.exp(-np.maximum(t, 0.0) / tau)
        return float(np.abs(run["out"].voltage.values - exact)[abs(t) > 1e-12].max())

    return error


def fields() -> list[Motion]:
    def charge(tau: float, jump: float, text: str) -> Motion:
        error = largest_charge_error(tau, jump)
        return Motion(text, lambda: charged(tau, jump), 0.02, 1e-3, error, 1e-3)

    return [
        charge(1e-6, 0.0, "capacitor charged within 1e-6 s of the start"),
        charge(1e-6, 0.0105, "capacitor charged within 1e-6 s, in the middle of a step"),
        charge(1e-2, 0.0105, "capacitor charged within 1e-2 s, in the middle of a step"),
        Motion("switch that closes and opens within a step", switched, 0.02, 1e-3,
               at_end("out", "voltage", switched_voltage, 4.0), 1e-2),
        Motion("motor chopped at 1 kHz, h = 1e-3 s", chopped, 0.05, 1e-3,
               at_end("motor", "rate", chopped_speed, chopped_speed(0.05)), 5e-3),
    ]  # fmt: skip
