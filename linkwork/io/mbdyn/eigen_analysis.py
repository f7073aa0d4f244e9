"""Eigenanalyses of a deck: modes of small motions at the times it asks for.

MBDyn writes eigenvalues of discrete time, Λ = (1 + c λ)/(1 − c λ) with its parameter c, and the
equations in first-order form f(ẏ, y) = 0 as J± = f_ẏ ± c f_y.  Here y = (u, v, g), displacements
and rotations of the nodes, their rates, and multipliers:

    f = (u̇ − v,   M v̇ + D v + K u + Cᵀ g,   C u),        (J₋ − Λ J₊) V = 0

A node is not at the centre of mass of its body; small motions of both, with the arm a from the
centre to the node, are u = T y, T = [I, −ã; 0, I].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.io.mbdyn.deck import Deck
from linkwork.io.mbdyn.eigen_cards import EigenRequest
from linkwork.math import rotations
from linkwork.results.result import Result
from linkwork.system.state import State


@dataclass
class Analysed:
    """One eigenanalysis: its place in the list of times, and modes or why there are none."""

    number: int
    row: int  # of the run
    time: float
    sentence: str = ""
    values: np.ndarray | None = None  # λ, of conjugate pairs the one above
    vectors: np.ndarray | None = None  # (states, 2 × pairs + others), with those of Λ
    axes: str = "world axes"
    labels: tuple[int, ...] = ()  # of nodes in the order of the states
    X0: np.ndarray | None = None
    matrices: tuple[np.ndarray, np.ndarray] | None = None  # J₊, J₋

    def both(self) -> np.ndarray:
        """λ with both of conjugate pairs."""
        assert self.values is not None
        out = [[v] if v.imag == 0 else [v, v.conjugate()] for v in self.values]
        return np.array([v for pair in out for v in pair], complex)


def eigen_analyses(deck: Deck, run: Result) -> list[Analysed]:
    """All that the deck asks for, at the first step not before their times."""
    request = deck.analysis.eigen
    found: list[Analysed] = []
    if request is None:
        return found
    for number, when in enumerate(request.times):
        later = np.flatnonzero(run.time >= when - 1e-9 * max(1.0, abs(when)))
        if later.size:
            row = int(later[0])
            one = Analysed(number, row, float(run.time[row]))
            try:
                analyse(deck, request, run.state(row), one)
            except LinkworkError as error:
                one.sentence = str(error)
            found.append(one)
        else:
            found.append(Analysed(number, -1, when, "the run ends before it"))
    return found


def analyse(deck: Deck, request: EigenRequest, state: State, one: Analysed) -> None:
    import linkwork
    from linkwork.analysis.linear.pencil import linearised

    modes = linkwork.eigen(deck.model, at=state, n=request.modes)
    chosen = [k for k, value in enumerate(modes.eigenvalues) if wanted(request, value)]
    one.values, one.axes = modes.eigenvalues[chosen], modes.axes
    nodes = [node for node in deck.nodes.values() if node.body is not None]
    one.labels = tuple(node.label for node in nodes)
    state = modes.state if modes.state is not None else state
    places = [state.bodies.index(node.body.name) for node in nodes]
    arms = np.array([-rotations.matrix(state.orientations[b]) @ node.centre
                     for b, node in zip(places, nodes)]).reshape(-1, 3)  # fmt: skip
    one.X0 = np.concatenate([np.zeros(0)] + [
        np.concatenate([state.positions[b] + arm, rotations.logarithm(state.orientations[b])])
        for b, arm in zip(places, arms)
    ])  # fmt: skip
    pencil = linearised(deck.model, state)
    back = from_nodes(places, arms, pencil.M.shape[0])
    M, D, K = (back.T @ A.toarray() @ back for A in (pencil.M, pencil.D, pencil.K))
    C = pencil.C.toarray() @ back
    vectors = []
    for k in chosen:
        value = modes.eigenvalues[k]
        u = np.linalg.solve(back, modes.shapes[k].reshape(-1))
        g = multipliers(C, (value**2 * M + value * D + K) @ u)
        vector = np.concatenate([u, value * u, g])
        vectors += [vector] if value.imag == 0 else [vector, vector.conjugate()]
    one.vectors = np.array(vectors).reshape(len(vectors), 2 * len(M) + len(C)).T
    if request.output & {"matrices", "sparse"}:
        one.matrices = discrete(M, D, K, C, request.parameter)


def wanted(request: EigenRequest, value: complex) -> bool:
    """Without limits all; with them what oscillates between them."""
    if request.lower is None and request.upper is None:
        return True
    frequency = abs(value.imag) / (2 * np.pi)
    low = request.lower if request.lower is not None else -np.inf
    high = request.upper if request.upper is not None else np.inf
    return bool(value.imag != 0 and low < frequency < high)


def from_nodes(places: list[int], arms: np.ndarray, n: int) -> np.ndarray:
    """T⁻¹: motions of bodies, in the system's order, from those of nodes, in the deck's.

    Bodies that are no nodes come behind.
    """
    back = np.zeros((n, n))
    others = [b for b in range(n // 6) if b not in places]
    for k, b in enumerate([*places, *others]):
        back[6 * b : 6 * b + 6, 6 * k : 6 * k + 6] = np.eye(6)
        if k < len(places):
            back[6 * b : 6 * b + 3, 6 * k + 3 : 6 * k + 6] = rotations.tilde(arms[k])
    return back


def multipliers(C: np.ndarray, forces: np.ndarray) -> np.ndarray:
    """g with Cᵀ g = −forces."""
    if not len(C):
        return np.zeros(0, complex)
    return np.linalg.lstsq(C.T.astype(complex), -forces, rcond=None)[0]


def discrete(
    M: np.ndarray, D: np.ndarray, K: np.ndarray, C: np.ndarray, c: float
) -> tuple[np.ndarray, np.ndarray]:
    """J₊ and J₋."""
    n, m = len(M), len(C)
    rate, value = np.zeros((2 * n + m, 2 * n + m)), np.zeros((2 * n + m, 2 * n + m))
    rate[:n, :n], rate[n : 2 * n, n : 2 * n] = np.eye(n), M
    value[:n, n : 2 * n] = -np.eye(n)
    value[n : 2 * n, :n], value[n : 2 * n, n : 2 * n], value[n : 2 * n, 2 * n :] = K, D, C.T
    value[2 * n :, :n] = C
    return rate + c * value, rate - c * value


def alpha_of(values: np.ndarray, c: float) -> np.ndarray:
    """(modes, 3): αᵣ, αᵢ and β of Λ = (αᵣ + i αᵢ)/β, finite also where c λ = 1."""
    over, under = 1 + c * values, 1 - c * values
    beta = np.abs(under) ** 2
    top = over * under.conjugate()
    return np.stack([top.real, top.imag, beta], axis=1)


def described(one: Analysed) -> Any:
    """λ, damping and frequency of every mode, as lines of the .out file need them."""
    assert one.values is not None
    size = np.abs(one.values)
    damping = -one.values.real / np.where(size > 0, size, 1.0)
    return zip(one.values, damping + 0.0, np.abs(one.values.imag) / (2 * np.pi))
