"""Reactions beside flat positions of parallelograms in a row, against Newton and Euler's equations.

All n + 1 cranks (1 m, 1 kg, uniform) turn by the same angle θ from upright, so that with their end
at p = (−sin θ, cos θ) and all n rungs (1 kg) moving as that end does,

    ((n + 1)/3 + n) θ¨ = ((n + 1)/2 + n) g sin θ

A rung does not turn: half of its weight and of its vertical inertia is in either pin, and a crank
on whose end F acts has θ¨/3 = p × F − g p_x/2, which gives the horizontal forces one after the
other, over p_y: they are infinite in the flat positions p_y = 0 if there are two rungs or more.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import linkwork as lw

G = 9.81


def row(n: int, rate: float) -> lw.Model:
    m = lw.Model("row", gravity=(0, -G, 0))

    def upright(k: int) -> lw.Body:
        crank = m.add(f"crank {k}", lw.Body(1, (1 / 12, 1e-3, 1 / 12), position=(k, 0.5, 0)))
        m.add(f"pivot {k}", lw.Revolute(lw.GROUND, crank, at=(k, 0, 0), rate=rate))
        return crank

    left = upright(0)
    for k in range(n):
        right = upright(k + 1)
        inertia = (1e-3, 1 / 12, 1 / 12)
        rung = m.add(f"rung {k}", lw.Body(1, inertia, position=(k + 0.5, 1, 0)))
        m.add(f"left {k}", lw.Revolute(left, rung, at=(k, 1, 0)))
        m.add(f"right {k}", lw.Revolute(rung, right, at=(k + 1, 1, 0)))
        left = right
    return m


def exact_forces(n: int, rate: float, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """p_y (T,), and forces (n, 2, T) on the rungs in their left pins."""
    weight, inertia = (n + 1) / 2 + n, (n + 1) / 3 + n

    def rates(t: float, y: np.ndarray) -> list[float]:
        return [y[1], weight * G * np.sin(y[0]) / inertia]

    angle, speed = solve_ivp(
        rates, (0, times[-1]), [0, rate], "DOP853", times, rtol=1e-12, atol=1e-13
    ).y
    x, y = -np.sin(angle), np.cos(angle)
    turn = weight * G * np.sin(angle) / inertia
    ax, ay = -turn * y - speed**2 * x, turn * x - speed**2 * y
    vertical, before = (ay + G) / 2, np.zeros((2, len(times)))
    out = []
    for _ in range(n):
        side = (turn / 3 + x * (G / 2 + vertical + before[1])) / y - before[0]
        out.append([side, vertical])
        before = np.array([ax - side, vertical])
    return y, np.array(out)


def run(
    n: int, rate: float, h: float, method: object = None, t: float = 3
) -> tuple[lw.Result, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = lw.transient(row(n, rate), t, h, method, progress=False)
    said = [str(w.message) for w in caught if w.category is lw.LinkworkWarning]
    return result, [text for text in said if "singular position" in text]


@pytest.mark.parametrize("method", [None, lw.EnergyMomentum(), lw.Recursive()], ids=repr)
def test_forces_are_right_beside_flat_positions_or_told(method):
    """Three rungs, h = 2 ms: in the step at 2.536 s p_y is 3e-4.  Forces are as good as p_y is,
    from which they follow by 1/p_y, but for a step of the default, off by a factor and told."""
    result, said = run(3, -2.0, 2e-3, method)
    y, exact = exact_forces(3, -2.0, result.time)
    found = np.array([result[f"left {k}"].force_world.values[:, :2].T for k in range(3)])
    error = np.linalg.norm(found - exact, axis=1).max(axis=0)
    size = np.linalg.norm(exact, axis=1).max(axis=0)
    place = 2 * result["crank 0"].position.values[:, 1]
    assert place == pytest.approx(y, abs=4e-4)  # the motion is right in any case
    wrong = error > (0.03 + 2 * np.abs((place - y) / y)) * size
    if method is not None:
        assert not wrong.any() and not said
        return
    assert wrong.sum() == len(said) == 1
    step = int(np.flatnonzero(wrong)[0])
    assert error[step] > 3 * size[step] and f"t = {result.time[step]:.6g}" in said[0]


def test_one_parallelogram_has_finite_forces_and_nothing_is_told():
    result, said = run(1, -1.0, 1e-3)
    _, exact = exact_forces(1, -1.0, result.time)
    found = result["left 0"].force_world.values[:, :2].T
    assert not said and found == pytest.approx(exact[0], abs=0.01)


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.EnergyMomentum(), lw.Recursive()],
                         ids=repr)  # fmt: skip
@pytest.mark.parametrize("beside", [0.0, 4e-7, -1e-5, 1e-4, 2e-3])
@pytest.mark.parametrize("n", [3, 10, 40, 80])
def test_forces_that_are_lost_in_one_step_are_told(n, beside, method):
    """A step ends so near to the flat position.  Forces change their sign there: one that is lost
    in that step is not conspicuous beside those before and after it."""
    h, steps = 1e-3, 24

    def end(rate: float) -> float:
        return exact_forces(n, rate, h * np.arange(steps + 1))[0][-1] - beside

    result, said = run(n, brentq(end, 40, 80, xtol=1e-14), h, method, 2 * steps * h)
    y, exact = exact_forces(n, result["pivot 0"].rate.values[0], result.time)
    assert abs(y[steps] - beside) < 1e-9
    found = np.array([result[f"left {k}"].force_world.values[:, :2].T for k in range(n)])
    error = np.linalg.norm(found - exact, axis=1).max(axis=0)
    size = np.linalg.norm(exact, axis=1).max(axis=0)
    place = 2 * result["crank 0"].position.values[:, 1]
    assert place == pytest.approx(y, abs=5e-3 if method == lw.GeneralizedAlpha() else 1e-3)
    moved = np.abs((place - y) / y)  # forces are as good as p_y is, from which they follow by 1/p_y
    wrong = error > (0.1 + 2 * moved) * size
    assert said or not wrong.any()
    if method == lw.Recursive() and beside == 2e-3 and n <= 10:
        assert not said and not wrong.any()
