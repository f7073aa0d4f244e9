"""Decks of loads: forces and couples over time against closed forms and models in Python."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_decks import PI, default, ran, same

import linkwork as lw


def test_loads():
    """x = F t³/6m, ½ a t², ω = M t/J; opposite on the other body; gravity −(1 + 2 t)."""
    deck, run, tables = ran("loads")
    m = lw.Model(gravity=(0, 0, -1))
    places = {5: (1, 0, 0), 6: (-1, 0, 0)}
    for n in range(1, 9):
        J, at = (1, 2, 3) if n == 3 else (1, 1, 1), places.get(n, (0, 0, 0))
        turned = [np.sqrt(0.5), 0, 0, np.sqrt(0.5)] if n == 4 else None
        m.add(f"node {n}", lw.Body(4 if n == 6 else 2, J, position=at, orientation=turned))
        m.add(f"weight {n}", lw.Force(m[f"node {n}"], (0, 0, 4 if n == 6 else 2), lw.ramp(-2)))
    m.add("f1", lw.Force(m["node 1"], (1, 0, 0), lw.ramp(4)))
    m.add("f2", lw.Force(m["node 4"], (6, 0, 0), follower=True))
    m.add("f3", lw.Torque(m["node 3"], (0, 0, 1.5)))
    m.add("f4", lw.ForcePair(m["node 5"], m["node 6"], (-8, 0, 0)))
    m.add("f5", lw.ForcePair(m["node 7"], m["node 8"], torque=(0, 0.5, 0)))
    m.add("f6", lw.Force(m["node 2"], (0, 3, 0), follower=True))
    same(run, m)
    t = run.time
    fall = -(t**2) / 2 - t**3 / 3
    expected = {
        1: (t**3 / 3, 0 * t), 4: (0 * t, 1.5 * t**2), 5: (1 - 2 * t**2, 0 * t),
        6: (-1 + t**2, 0 * t), 2: (0 * t, 0.75 * t**2), 3: (0 * t, 0 * t),
    }  # fmt: skip
    for n, (x, y) in expected.items():
        exact = np.stack([x, y, fall], axis=1)
        np.testing.assert_allclose(tables.node(n)[:, :3], exact, atol=2e-6, err_msg=str(n))
    np.testing.assert_allclose(tables.node(3)[:, 11], 0.5 * t, atol=1e-9)
    np.testing.assert_allclose(tables.node(7)[:, 10], 0.5 * t, atol=1e-9)
    np.testing.assert_allclose(tables.node(8)[:, 10], -0.5 * t, atol=1e-9)
    F, _, points = tables.force(deck.forces[2])
    np.testing.assert_allclose(F, np.tile([0, 6, 0], (len(t), 1)), atol=1e-12)
    np.testing.assert_allclose(points[0], tables.node(4)[:, :3], atol=1e-12)


def test_static_load():
    """The rod of EA = 500 N lengthens by (m g + F)/EA, F = 20 t."""
    _, run, tables = ran("static_load")
    load = 10 + 20 * run.time
    np.testing.assert_allclose(tables.node(2)[:, 2], -1 - load / 500, rtol=1e-9)
    m = lw.Model(gravity=(0, 0, -10))
    body = m.add("mass", lw.Body(1, (1, 1, 1), position=(0, 0, -1)))
    m.add("rod", lw.Spring(lw.GROUND, body, stiffness=500, length=1))
    m.add("hold", lw.Align(lw.GROUND, body))
    m.add("push", lw.Force(body, (0, 0, -1), lw.ramp(20)))
    found = lw.static(m, time=1.0, progress=False)
    assert found["mass"].position.values[2] == pytest.approx(tables.node(2)[-1, 2], abs=1e-12)


def test_loads_over_time():
    """The forces in the .frc file are the functions of the cards."""
    deck, run, tables = ran("loads_over_time")
    t = run.time
    x = t - 1  # of the series between 0 and 2
    wave = 1 + 4 + (2 * np.cos(2 * PI * (t - 0.5)) + 3 * np.sin(2 * PI * (t - 0.5))) - 0.5
    step = np.round(t / 0.01).astype(int)
    sine, cosine = 2 * np.sin(3 * t + 0.5), 2 * np.cos(3 * t + 0.5)
    grows = 0.5 * 2 ** (3 * t)
    held, rise = np.maximum(20 * ((step - 1) // 20), 0) * 0.01, np.clip(t - 0.5, 0, 1)
    exact = {
        1: 1 + 2 * (step >= 50), 2: 1 + 2 * ((step >= 50) & (step <= 150)), 3: 0 * t, 4: 1 + 0 * t,
        5: 0.01 + 0 * t, 7: step % 20 == 0, 8: np.where(step == 0, -1, held),
        9: 1 - 0.9 ** (step + 1), 10: 2 + 0 * t, 11: grows, 12: 2 * np.log10(4 * (1 + t)),
        13: t**2, 14: sine, 15: cosine, 16: 1 + 4 * np.clip(t - 0.5, 0, 0.5), 17: 4 * t - 1,
        18: 1 + 0.5 * x + 0.25 * (2 * x**2 - 1), 19: t**2 - sine, 20: t**2 * cosine,
        21: t**2 / grows, 22: np.where((step >= 50) & (step <= 150), wave, 4),
        23: np.where(step < 50, 1, 1 + 3 * (1 - np.cos(2 * PI * np.minimum(t - 0.5, 1.5)))),
        24: np.where(step < 50, 1, 1 + 3 * np.sin(4 * PI * np.minimum(t - 0.5, 0.625))),
        25: 1 + 2 * rise**3 * (10 - 15 * rise + 6 * rise**2), 26: np.isin(step, [10, 35, 60, 85]),
        27: 1 + 2 * rise**4 * (35 - 84 * rise + 70 * rise**2 - 20 * rise**3),
        28: 1 + 2 * rise**5 * (126 - 420 * rise + 540 * rise**2 - 315 * rise**3 + 70 * rise**4),
    }  # fmt: skip
    for label, values in exact.items():
        F = tables.force(deck.forces[label])[0]
        np.testing.assert_allclose(F[:, 0], values, atol=1e-11, err_msg=str(label))
    noise = tables.force(deck.forces[6])[0][:, 0]
    inside = (step >= 50) & (step <= 150)
    assert np.all(noise[~inside] == 3) and np.all((noise[inside] >= 2) & (noise[inside] < 4))
    assert np.unique(noise[inside]).size == 11  # ten steps each
    # impulse and momentum: m Δv = ∫ F dt, to the error of the implicit method's first order
    total = sum(tables.force(record)[0][:, 0] for record in deck.forces.values())
    impulse = np.concatenate([[0], np.cumsum((total[1:] + total[:-1]) / 2)]) * 0.01
    np.testing.assert_allclose(tables.node(1)[:, 6], impulse, atol=0.01 * np.abs(impulse).max())


def test_measured_load():
    """m v is the area under the force: of trapezoids in x and z, of steps in y."""
    deck, run, tables = ran("measured_load")
    t = run.time
    F = tables.force(deck.forces[1])[0]
    inside = (t > 0.5 - 1e-9) & (t < 1.5 + 1e-9)
    times = [0.5, 1.0, 1.5]
    np.testing.assert_allclose(F[:, 0], np.where(inside, np.interp(t, times, [1, 2, 4]), 0))
    np.testing.assert_allclose(
        F[:, 2], np.where(inside, np.interp(t, times, [0, 3, 0]), 0), atol=1e-12
    )
    steps = np.where(t < 0.5 - 1e-9, 2, np.where(t < 1.25 - 1e-9, -1, 0))
    np.testing.assert_allclose(tables.force(deck.forces[2])[0][:, 1], steps)
    v = tables.node(1)[-1, 6:9]
    area = np.array([0.75 + 1.5, 2 * 0.5 - 0.75, 1.5])
    np.testing.assert_allclose(2 * v, area, atol=3e-3)  # a jump is seen to half a step
    m = lw.Model()
    body = m.add("node 1", lw.Body(2, (0, 0, 0)))
    m.add("hold", lw.Align(lw.GROUND, body))
    drive = lw.function(lambda s: float(np.interp(s, times, [0, 3, 0], 0, 0)))
    m.add("z", lw.Force(body, (0, 0, 1), drive))
    other = lw.transient(m, 2, 1e-3, default(run), progress=False)
    z = other["node 1"].position.values[:, 2]
    np.testing.assert_allclose(tables.node(1)[:, 2], z, atol=1e-9)
