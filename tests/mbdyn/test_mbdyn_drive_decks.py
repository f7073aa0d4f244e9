"""Decks of drives: every drive caller is its formula, every node is where its laws put it."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_decks import DECKS, PI, ran, same
from scipy.interpolate import CubicSpline

import linkwork as lw
from linkwork import run_deck
from linkwork.extend import rotations


def drive_formulas(t):
    """What the drives of drives.mbd are, by node."""
    spline = CubicSpline([0, 0.5, 1, 2], [0, 1, 0, 1], bc_type="natural")
    up = np.clip(t - 0.25, 0, 0.5)
    sweep = 1 + 3 * np.sin((1 + 2 * t) * (t - 0.5))
    s = np.mod(t, 0.8)
    return {
        1: 1 + 2 * t, 2: 1 + 2 * t + 3 * t**2, 3: 1 + 2 * t + 3 * t**2 + 4 * t**3, 4: t,
        5: 1 + 2 * np.clip(t - 0.5, 0, 1), 6: 3 + 2 * up - np.maximum(t - 1, 0),
        7: np.where(t < 0.5, 1, 1 + 3 * np.sin(2 * PI * (t - 0.5))),  # one and a half waves
        8: 1 + 3 * np.sin(PI * np.clip(t - 0.5, 0, 0.5)),
        9: np.where((t > 0.5) & (t < 1.5), 1 + 3 * (1 - np.cos(2 * PI * (t - 0.5))), 1),
        10: 1 + 3 * (1 - np.cos(PI * np.clip(t - 0.5, 0, 1))),
        11: 1 + 2 * (1 - np.exp(-np.maximum(t - 0.5, 0) / 0.3)),
        12: 4 + 2 * np.tanh(3 * (t - 1)),
        13: 1 + 1 + np.cos(PI * t) + 0.5 * np.sin(PI * t) + 0.25 * np.cos(2 * PI * t)
        - 0.5 * np.sin(2 * PI * t),
        14: np.where(t < 0.5, 1, sweep), 15: np.interp(t, [0, 1, 3], [1, 2, 0]),
        16: t * np.where(t < 0.2, 1, 1 + 0.5 * np.sin(2 * PI * (t - 0.2))), 17: 3 + t,
        18: np.sin(t) ** 2, 19: 3 * np.sin(2 * PI * t) * (t < 1.5) + 4,
        20: spline(t) + 1 + 2 * t, 21: 4 * s * (0.8 - s), 22: t**2 + np.cos(t),
    }  # fmt: skip


def test_drives():
    """Every drive caller is the function of time that MBDyn's manual says.

    Some have corners, where a node's speed jumps and a step cannot tell the work of the impulse:
    the run says so, and asks for no smaller step.
    """
    with pytest.warns(lw.LinkworkWarning, match="imposes jumps at t = 0.2 .*one of") as told:
        _, run, tables = ran("drives")
    assert not any("take a smaller" in str(one.message) for one in told)
    t = run.time
    jumps = {5: [0.5, 1.5], 6: [0.25, 0.75, 1], 7: [0.5], 8: [], 11: [0.5], 14: [0.5], 15: [1],
             16: [0.2], 19: [1.5], 21: [0.8, 1.6]}  # fmt: skip
    for node, exact in drive_formulas(t).items():
        away = np.ones(len(t), bool)
        for at in jumps.get(node, []):  # at a jump a step may see either side
            away &= np.abs(t - at) > 1e-9
        found = tables.node(node)[:, 0]
        np.testing.assert_allclose(found[away], exact[away], atol=1e-10, err_msg=str(node))


def test_drives_in_python():
    deck = lw.read_deck(DECKS / "drives.mbd")
    drives = {
        1: lw.polynomial([1, 2]), 4: lw.ramp(1), 12: lw.expression("4 + 2*tanh(3*(t - 1))"),
        15: lw.table([0, 1, 3], [1, 2, 0], kind="linear"), 17: 3 + lw.polynomial([0, 1]),
        22: lw.expression("t^2 + cos(t)"),
    }
    t = np.linspace(0, 2, 41)
    for node, drive in drives.items():
        law = deck.model[f"joint {node}"].drive["x"]
        np.testing.assert_allclose(law.jet(t), drive.jet(t), atol=1e-12)


def test_imposed_motion():
    """Every node is where its laws put it."""
    _, run, tables = ran("imposed_motion")
    t = run.time
    one = 0 * t
    theta = np.stack([0.5 * np.sin(3 * t), 0.4 * t, 0.3 * t**2], axis=1)
    np.testing.assert_allclose(tables.node(2)[:, 3:6], theta, atol=1e-9)
    found = tables.motion(3).R
    exact = rotations.matrix(rotations.exponential(np.outer(4 * t, [1, 2, 2])))
    np.testing.assert_allclose(found, exact, atol=1e-9)
    at = {
        3: (t, one, t), 4: (1 + one, 2 + 2 * t, 3 + 2 * t),
        5: (0.5 * (1 - np.cos(PI * t)), one, one),
    }  # fmt: skip
    for n, x in at.items():
        np.testing.assert_allclose(tables.node(n)[:, :3], np.stack(x, axis=1), atol=1e-9)
    np.testing.assert_allclose(tables.node(7)[:, 2], 0.25, atol=1e-12)
    speeds = {(6, 8): 1 + 3 * np.sin(2 * t), (6, 11): 1 + 3 * t, (8, 6): 1 + 2 * t}
    for (n, column), v in speeds.items():
        np.testing.assert_allclose(tables.node(n)[:, column], v, atol=1e-9)
    up = 1 + t + 1.5 * (1 - np.cos(2 * t))
    places = {(6, 2): up, (6, 5): t + 1.5 * t**2, (8, 0): 3 + t + t**2}
    for (n, column), x in places.items():  # integrated in steps, of the order of h²
        np.testing.assert_allclose(tables.node(n)[:, column], x, atol=1e-6)


def test_imposed_motion_in_python():
    deck = lw.read_deck(DECKS / "imposed_motion.mbd")
    m = lw.Model()
    body = m.add("node 4", lw.Body(1, (1, 1, 1), position=(1, 2, 3)))
    m.add("lift", lw.Lock(lw.GROUND, body, at=(1, 2, 3), drive={"y": lw.ramp(2), "z": lw.ramp(2)}))
    run = run_deck(deck, progress=False)
    same(run, m)
