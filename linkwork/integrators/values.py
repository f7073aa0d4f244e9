"""Values of vector nodes in an implicit step, compiled; for both of its forms.

Equations of second order have the relations of the method (stepping.py),

    q̇₁ = cv x + …,     q̈₁ = ca x + …,      q₁ = q₀ + x

those of first order the method's relation between value and rate, with the algorithmic rate a in
the place of the algorithmic acceleration (Jansen, Whiting, Hulbert 2000, for generalized-alpha; in
the form of Brüls and Golinval 2006, in which the equations hold at the ends of steps):

    x = h ((1 − γ) a₀ + γ a₁),    (1 − α_m) a₁ + α_m a₀ = (1 − α_f) q̇₁ + α_f q̇₀

Of order zero is what has no rates in its equations; that of results is x/h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.layout import (
    BY_RATE, BY_SECOND, BY_VALUE, RATE, SECOND, VALUE,
)  # fmt: skip
from linkwork.kernels.compiled import inlined, spliced

# history, as that of bodies: rate, second derivative, algorithmic one, displacement of the step
# before, rate and second derivative before
V, VDOT, ALG, XPREV, VPREV, VDOTPREV, HISTORY = range(7)
# rows of the flow: the history, then value, displacement and its correction, constant parts of rate
# and second derivative, their factors of x, that of the algorithmic one, order, 1/scale
(BASE, MOVE, CORRECTION, RATE0, SECOND0, BY_X, BY_X2, BY_ALG, ORDER, INVERSE, FLOW) = range(
    HISTORY, HISTORY + 11
)
# rows of the weights: of bodies (rate, acceleration, algorithmic), then of first order (rate,
# algorithmic)
KV, KA, KALG, FIRST_RATE, FIRST_ALG, WEIGHTS = range(6)


@inlined
def predict_values(flow, weights, ca, h):
    """Constant parts of the relations, and x for rates that go on linearly; the largest rate."""
    largest = 0.0
    for i in range(flow.shape[1]):
        v0 = a0 = 0.0
        if flow[ORDER, i] == 2.0:
            for j in range(HISTORY):
                v0 += flow[j, i] * weights[KV, j]
                a0 += flow[j, i] * weights[KA, j]
            flow[MOVE, i] = (2.0 * flow[VDOT, i] - flow[VDOTPREV, i] - a0) / ca
            size = abs(flow[VDOT, i])
        elif flow[ORDER, i] == 1.0:
            for j in range(HISTORY):
                v0 += flow[j, i] * weights[FIRST_RATE, j]
            flow[MOVE, i] = (2.0 * flow[V, i] - flow[VPREV, i] - v0) / flow[BY_X, i]
            size = abs(flow[V, i]) / h
        else:
            flow[MOVE, i] = flow[XPREV, i]
            size = abs(flow[V, i]) / h
        flow[RATE0, i], flow[SECOND0, i], flow[CORRECTION, i] = v0, a0, 0.0
        largest = max(largest, size * flow[INVERSE, i])
    return largest


@spliced
def place_values(flow, values, scale):
    """Values, rates and second derivatives at the end of the step, and how they change with x."""
    for i in range(flow.shape[1]):
        x = flow[MOVE, i]
        free = x - flow[CORRECTION, i]
        values[VALUE, i] = flow[BASE, i] + x
        values[RATE, i] = flow[BY_X, i] * free + flow[RATE0, i]
        values[SECOND, i] = flow[BY_X2, i] * free + flow[SECOND0, i]
        values[BY_VALUE, i] = scale
        values[BY_RATE, i] = scale * flow[BY_X, i] if flow[ORDER, i] > 0.0 else 0.0
        values[BY_SECOND, i] = scale * flow[BY_X2, i]


@spliced
def move_values(flow, solution, first):
    """x += δx; the largest correction over the size of its value."""
    size = 0.0
    for i in range(flow.shape[1]):
        flow[MOVE, i] += solution[first + i]
        size = max(size, abs(solution[first + i]) * flow[INVERSE, i])
    return size


@spliced
def correct_rates(flow, solution, first):
    """Rates of second order satisfy the constraints, too (fast_rotation/step.py): a new p."""
    size = 0.0
    for i in range(flow.shape[1]):
        if flow[ORDER, i] == 2.0:
            change = solution[first + i] - flow[CORRECTION, i]
            flow[CORRECTION, i] = solution[first + i]
            size = max(size, abs(change) * flow[INVERSE, i])
    return size


@spliced
def free_rates(flow, values, out, first):
    """Rates without the correction p."""
    for i in range(flow.shape[1]):
        out[first + i] = values[RATE, i] + flow[BY_X, i] * flow[CORRECTION, i]


@spliced
def accept_values(flow, weights):
    """The history after a step that is solved."""
    for i in range(flow.shape[1]):
        x = flow[MOVE, i]
        free = x - flow[CORRECTION, i]
        row = KALG if flow[ORDER, i] == 2.0 else FIRST_ALG
        alg = flow[BY_ALG, i] * free
        for j in range(HISTORY):
            alg += flow[j, i] * weights[row, j]
        flow[VPREV, i], flow[VDOTPREV, i] = flow[V, i], flow[VDOT, i]
        flow[V, i] = flow[BY_X, i] * free + flow[RATE0, i]
        flow[VDOT, i] = flow[BY_X2, i] * free + flow[SECOND0, i]
        flow[ALG, i], flow[XPREV, i] = alg, x
        flow[BASE, i] += x


def make_flow(order: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Room for values with equations of these orders."""
    flow = np.zeros((FLOW, len(order)))
    flow[ORDER], flow[INVERSE] = order, 1.0 / scale
    return flow


def set_relations(flow: np.ndarray, coefficients: Any, first: Any, h: float) -> None:
    """The factors of x in rates, second derivatives and algorithmic ones."""
    second, slow = flow[ORDER] == 2, flow[ORDER] == 0
    flow[BY_X] = np.where(second, coefficients.cv, np.where(slow, 1.0 / h, first.c))
    flow[BY_X2] = np.where(second, coefficients.ca, 0.0)
    flow[BY_ALG] = np.where(second, coefficients.calpha, np.where(slow, 0.0, first.calpha))


def load_values(flow: np.ndarray, values: np.ndarray) -> None:
    """A state without a past."""
    flow[BASE], flow[V], flow[VDOT] = values
    flow[VPREV], flow[VDOTPREV], flow[XPREV] = values[1], values[2], 0.0
    flow[ALG] = np.where(flow[ORDER] == 2, values[2], values[1])


def past_of_start(
    flow: np.ndarray, now: np.ndarray, ahead: np.ndarray, epsilon: float, h: float
) -> None:
    """A past for the prediction of the first step, from a state and the one `epsilon` later."""
    change = (ahead - now) / epsilon
    flow[VPREV], flow[VDOTPREV] = now[1] - h * change[1], now[2] - h * change[2]
    flow[XPREV] = np.where(flow[ORDER] == 0, h * change[0], h * now[1])


def start_algorithmic(flow: np.ndarray, second: float, first: float) -> None:
    """Algorithmic accelerations and rates at the time they belong to: so many steps later."""
    flow[ALG] = np.where(
        flow[ORDER] == 2, flow[VDOT] + second * (flow[VDOT] - flow[VDOTPREV]),
        flow[V] + first * (flow[V] - flow[VPREV]),
    )  # fmt: skip


def stored_values(flow: np.ndarray) -> np.ndarray:
    """(3, values) at the last good step."""
    return flow[[BASE, V, VDOT]].copy()


def join_values(
    flow: np.ndarray, start: np.ndarray, end: np.ndarray, second: float, first: float
) -> None:
    """A history as if one step had led from start to end, (3, values) each."""
    flow[BASE], flow[V], flow[VDOT] = end
    flow[VPREV], flow[VDOTPREV], flow[XPREV] = start[1], start[2], end[0] - start[0]
    start_algorithmic(flow, second, first)


def change_of_values(flow: np.ndarray, before: np.ndarray, h: float) -> float:
    """The largest change of algorithmic accelerations in a step, over the size of the value; of
    first order the change of rates over h."""
    change = np.abs(flow[ALG] - before) * flow[INVERSE]
    return float(np.max(np.where(flow[ORDER] == 2, change, change / h), initial=0.0))


def change_step(flow: np.ndarray, ratio: float) -> None:
    """The history for a step that is `ratio` times the one before."""
    second, first, none = (flow[ORDER] == k for k in (2, 1, 0))
    flow[ALG, second] = flow[VDOT, second] + ratio * (flow[ALG, second] - flow[VDOT, second])
    change = flow[VDOT, second] - flow[VDOTPREV, second]
    flow[VDOTPREV, second] = flow[VDOT, second] - ratio * change
    flow[ALG, first] = flow[V, first] + ratio * (flow[ALG, first] - flow[V, first])
    flow[VPREV, first] = flow[V, first] - ratio * (flow[V, first] - flow[VPREV, first])
    flow[XPREV, none] *= ratio
