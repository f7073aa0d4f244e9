"""Runs the decks of examples/mbdyn, and compares them with models built in Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from inside import Tables

import linkwork as lw
from linkwork import run_deck

DECKS = Path(__file__).parents[2] / "examples" / "mbdyn"
G = 9.81
PI = np.pi


def ran(name):
    deck = lw.read_deck(DECKS / f"{name}.mbd", environment={})
    run = run_deck(deck, progress=False)
    return deck, run, Tables(deck, run)


def same(run, model, method=None, names=None, atol=1e-9):
    """The same motion as that of a model built in Python, with the same method."""
    h, t = float(run.info["h"]), float(run.time[-1])
    method = method or default(run)
    start = lw.assemble(model, time=float(run.time[0]))
    other = lw.transient(model, t, h, method, start=start, progress=False)
    for name in names or model.items:
        if isinstance(model[name], lw.Body):
            for word in ("position", "velocity", "angular_velocity"):
                found = getattr(run[name], word).values
                np.testing.assert_allclose(found, getattr(other[name], word).values, atol=atol)
            p, q = run[name].orientation.values, other[name].orientation.values
            np.testing.assert_allclose(np.abs(np.sum(p * q, axis=1)), 1, atol=atol)
    return other


def equilibria(run, model):
    """The same equilibria as those of a model built in Python, at the last time of the deck."""
    found = lw.static(model, time=float(run.time[-1]), progress=False)
    for name, item in model.items.items():
        if isinstance(item, lw.Body):
            x = run[name].position.values[-1]
            np.testing.assert_allclose(found[name].position.values, x, atol=1e-9)
            q = found[name].orientation.values, run[name].orientation.values[-1]
            assert abs(np.dot(*q)) == pytest.approx(1, abs=1e-12)


def default(run):
    from inside import method_from_text

    return method_from_text(run.info["method"])


def damped(x, v, k, c, m, t):
    """m ẍ + c ẋ + k x = 0 from x and v: position and velocity."""
    s = -c / (2 * m) + 1j * np.sqrt(k / m - (c / (2 * m)) ** 2)
    a = x - 1j * (v - s.real * x) / s.imag
    wave = a * np.exp(s * t)
    return wave.real, (s * wave).real
