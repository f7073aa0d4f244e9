"""Values of vector nodes in the stages of first-order formulas, compiled (stages.py).

Values of second order have the formula for q and q̇, as translations of bodies have it, those of
first order for q alone:

    x = c_x + h g q̇,     q̇ = c_v + h g q̈,     q = q₀ + x

Values of order zero satisfy their equations in every stage; no formula concerns them.  The rate
that results show of them is x/h.

All formulas are stiffly accurate, so that the end of a step is its last stage and satisfies the
equations of all orders.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.layout import BY_RATE, BY_SECOND, BY_VALUE, SECOND, VALUE
from linkwork.elements.layout import RATE as VALUE_RATE
from linkwork.integrators.values import (
    BASE, BY_X, BY_X2, INVERSE, MOVE, ORDER, RATE0, SECOND0, VDOT, VDOTPREV, VPREV, XPREV, V,
)  # fmt: skip
from linkwork.integrators.values import ALG as EARLIER  # the rate before VPREV: no algorithmic one
from linkwork.kernels.compiled import inlined, lean

# rows of the memory, as those of bodies (stages.py)
X, XDOT, SPEED, RATE = 0, 1, 2, 3
FAR = 0.2  # of a value's size; what a prediction may move it by beyond its present value


@lean
def prepare_values(flow, memory, alpha, beta, guess, hg, ahead, h, known):
    """Relations of a stage, and x for extrapolated rates; the largest acceleration.

    alpha, beta : of the stage, over slots;   guess : of what was a step before, then of the slots
    ahead : time of the stage after the beginning of the step;   known : slots that are filled
    """
    largest = 0.0
    for i in range(flow.shape[1]):
        cx = cv = 0.0
        for j in range(known):
            cx += alpha[j] * memory[X, j, i] + beta[j] * memory[XDOT, j, i]
            cv += alpha[j] * memory[SPEED, j, i] + beta[j] * memory[RATE, j, i]
        order, size, base = flow[ORDER, i], 1.0 / flow[INVERSE, i], abs(flow[BASE, i])
        if order == 2.0:
            a = guess[0] * flow[VDOTPREV, i]
            for j in range(known):
                a += guess[1 + j] * memory[RATE, j, i]
            x, straight = cx + hg * (cv + hg * a), ahead * flow[V, i]
            flow[MOVE, i] = x if abs(x - straight) <= FAR * size else straight
            flow[BY_X, i], flow[RATE0, i] = 1.0 / hg, -cx / hg
            flow[BY_X2, i], flow[SECOND0, i] = 1.0 / (hg * hg), -(cx / hg + cv) / hg
            rate = abs(flow[VDOT, i])
        elif order == 1.0:
            v = guess[0] * flow[VPREV, i]
            for j in range(known):
                v += guess[1 + j] * memory[XDOT, j, i]
            x = cx + hg * v
            flow[MOVE, i] = x if abs(x) <= FAR * size + base else 0.0
            flow[BY_X, i], flow[RATE0, i] = 1.0 / hg, -cx / hg
            flow[BY_X2, i], flow[SECOND0, i] = 0.0, 0.0
            rate = abs(flow[V, i]) / h
        else:
            x = -guess[0] * flow[XPREV, i]
            for j in range(known):
                x += guess[1 + j] * memory[X, j, i]
            flow[MOVE, i] = x if abs(x) <= FAR * size + base else 0.0
            flow[BY_X, i], flow[RATE0, i] = 1.0 / h, 0.0
            flow[BY_X2, i], flow[SECOND0, i] = 0.0, 0.0
            rate = abs(flow[V, i]) / h
        largest = max(largest, rate * flow[INVERSE, i])
    return largest


@inlined
def keep_values(flow, values, memory, slot):
    """Remember a solved stage, whose values and rates are given."""
    for i in range(flow.shape[1]):
        memory[X, slot, i] = flow[MOVE, i]
        memory[XDOT, slot, i] = memory[SPEED, slot, i] = values[VALUE_RATE, i]
        memory[RATE, slot, i] = values[SECOND, i]


@inlined
def place_projected(flow, values, memory, slot, scale, hg):
    """Values at q₀ + x with the rates remembered in the slot, for a projection."""
    for i in range(flow.shape[1]):
        order = flow[ORDER, i]
        values[VALUE, i] = flow[BASE, i] + flow[MOVE, i]
        values[VALUE_RATE, i] = memory[SPEED, slot, i]
        values[SECOND, i] = memory[RATE, slot, i]
        values[BY_VALUE, i] = scale
        values[BY_RATE, i] = scale / hg if order > 0.0 else 0.0
        values[BY_SECOND, i] = scale / (hg * hg) if order == 2.0 else 0.0


@inlined
def correct_values(flow, memory, slot, correction, first):
    """Put projected values into the slot; rates of second order gain their correction."""
    for i in range(flow.shape[1]):
        memory[X, slot, i] = flow[MOVE, i]
        if flow[ORDER, i] == 2.0:
            memory[SPEED, slot, i] += correction[first + i]


@inlined
def shift_values(memory, first):
    """Every remembered step one slot on, from the new values."""
    for i in range(memory.shape[2]):
        move = memory[X, first, i]
        for j in range(first - 1, 0, -1):
            memory[X, j, i] = memory[X, j - 1, i] - move
            for row in range(XDOT, RATE + 1):
                memory[row, j, i] = memory[row, j - 1, i]


@inlined
def filter_values(memory, filter_, first, h):
    """s_i ← b_i u − a_i w + s_{i+1}, as those of bodies (advance.shift_filter)."""
    order = filter_.shape[1] - 1
    for v in range(memory.shape[2]):
        w, a = memory[X, first, v] / h, (memory[SPEED, first, v] - memory[SPEED, 0, v]) / h
        for i in range(1, order + 1):
            more, less = filter_[0, i], filter_[1, i]
            p = more * memory[SPEED, first, v] - less * w
            q = more * memory[RATE, first, v] - less * a
            if i < order:
                p, q = p + memory[XDOT, i + 1, v], q + memory[RATE, i + 1, v]
            memory[XDOT, i, v], memory[RATE, i, v] = p, q


@inlined
def let_memory_jump(flow, memory, slot, h, change, first, constant, ramp):
    """Second derivatives and rates jump: a slot of the past (ramp 0), or a state of a filter whose
    inputs change by a constant and by a ramp."""
    past = ramp == 0.0
    for i in range(flow.shape[1]):
        d = change[first + i]
        if flow[ORDER, i] == 2.0:
            if slot == 0:
                flow[VDOT, i] += d
                flow[VDOTPREV, i] += d
                flow[VPREV, i] -= h * d
            memory[RATE, slot, i] += constant * d
            memory[XDOT, slot, i] += (-slot if past else ramp) * h * d
            if past:
                memory[SPEED, slot, i] -= slot * h * d
                memory[X, slot, i] += 0.5 * (slot * h) ** 2 * d
        elif flow[ORDER, i] == 1.0:
            if slot == 0:
                flow[V, i] += d
                flow[VPREV, i] += d
            memory[XDOT, slot, i] += constant * d
            if past:
                memory[SPEED, slot, i] += d
                memory[X, slot, i] -= slot * h * d


@lean
def accept_values(flow, memory, h):
    """Take over the last slot as the end of a step."""
    last = memory.shape[1] - 1
    for i in range(flow.shape[1]):
        x, rate, second = memory[X, last, i], memory[SPEED, last, i], memory[RATE, last, i]
        if flow[ORDER, i] == 0.0:
            rate = x / h
        flow[EARLIER, i] = flow[VPREV, i]
        flow[VPREV, i], flow[VDOTPREV, i] = flow[V, i], flow[VDOT, i]
        flow[V, i], flow[VDOT, i], flow[XPREV, i] = rate, second, x
        flow[BASE, i] += x
        memory[X, 0, i], memory[XDOT, 0, i] = 0.0, rate
        memory[SPEED, 0, i], memory[RATE, 0, i] = rate, second


def begin_values(flow: np.ndarray, memory: np.ndarray, h: float) -> None:
    """The memory of a start without a past; a rate that a step does not resolve has no slope."""
    second, first = flow[ORDER] == 2, flow[ORDER] == 1
    value, rate, acceleration = np.abs(flow[[BASE, V, VDOT]])
    there = np.where(second, rate + h * acceleration, value + h * rate + 1 / flow[INVERSE])
    slower = np.where(first, flow[V] - flow[VPREV], 0.0)
    change = np.where(second, flow[VDOT] - flow[VDOTPREV], slower)
    wild = h * np.abs(change) > there
    flow[VPREV, wild], flow[VDOTPREV, wild] = flow[V, wild], flow[VDOT, wild]
    memory[:, 0] = 0.0
    memory[XDOT, 0] = memory[SPEED, 0] = flow[V]
    memory[RATE, 0] = flow[VDOT]


def slopes(flow: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Second and third derivatives now: those of first order from rates of the last steps."""
    second, first = flow[ORDER] == 2, flow[ORDER] == 1
    change = np.where(first, (flow[V] - flow[VPREV]) / h, 0.0)
    third = np.where(second, (flow[VDOT] - flow[VDOTPREV]) / h, 0.0)
    return np.where(second, flow[VDOT], change), third


def local_error(flow: np.ndarray, memory: np.ndarray, formula: Any, h: float) -> float:
    """Estimated error of the last step over the sizes of the values, error × h^(p+1) q^(p+1).

    Of second order from differences of second derivatives, of first order from those of rates.
    """
    second, first = flow[ORDER] == 2, flow[ORDER] == 1
    weights = formula.difference()
    change = weights[0] * flow[VDOTPREV]
    for i, weight in enumerate(weights[1:]):
        change = change + weight * memory[RATE, formula.past + i]
    weights = formula.difference_of_rates()
    rates = weights[0] * flow[EARLIER] + weights[1] * flow[VPREV]
    for i, weight in enumerate(weights[2:]):
        rates = rates + weight * memory[SPEED, formula.past + i]
    size = np.where(second, h**2 * change, np.where(first, h * rates, 0.0))
    return float(formula.error * np.max(np.abs(size) * flow[INVERSE], initial=0.0))
