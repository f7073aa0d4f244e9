"""Eigenanalyses of a deck: modes of small motions at the times it asks for.

MBDyn writes eigenvalues of discrete time, Λ = (1 + c λ)/(1 − c λ) with its parameter c, and the
equations in first-order form f(ẏ, y) = 0 as J± = f_ẏ ± c f_y.  Here y = (u, v, g), displacements
and rotations of the nodes, their rates, and multipliers:

    f = (u̇ − v,   M v̇ + D v + K u + Cᵀ g,   C u),        (J₋ − Λ J₊) V = 0,   Wᴴ(J₋ − Λ J₊) = 0

A node is not at the centre of mass of its body; small motions of both, with the arm a from the
centre to the node, are u = T y, T = [I, −ã; 0, I].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.io.mbdyn.deck.deck import Deck
from linkwork.io.mbdyn.output.left_vectors import left_vectors
from linkwork.io.mbdyn.problem.eigen import EigenRequest
from linkwork.kernels import rotations
from linkwork.kernels import sparse as sp
from linkwork.linear_algebra import SparseFactors
from linkwork.results.result import Result
from linkwork.system.layout import Layout
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
    left: np.ndarray | None = None  # left eigenvectors, likewise
    axes: str = "world axes"
    labels: tuple[int, ...] = ()  # of nodes in the order of the states
    X0: np.ndarray | None = None
    matrices: tuple[Any, Any] | None = None  # J₊, J₋, sparse

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
                at = run.state(row)  # model: static has no inertia, but slow velocities
                analyse(deck, request, at.at_rest() if deck.analysis.static else at, one)
            except LinkworkError as error:
                one.sentence = str(error)
            found.append(one)
        else:
            found.append(Analysed(number, -1, when, "the run ends before it"))
    return found


def analyse(deck: Deck, request: EigenRequest, state: State, one: Analysed) -> None:
    import linkwork
    from linkwork.analysis.linear.equations.pencil import linearised

    modes = linkwork.eigen(deck.model, at=state, n=None if request.mode else request.modes)
    found = first_modes(request, modes.eigenvalues)
    chosen = [k for k in found if wanted(request, modes.eigenvalues[k])]
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
    if not request.output & {"matrices", "sparse", "eigenvectors"}:
        return
    pencil = linearised(deck.model, state)
    hint = "leave it to the eigenvalues alone"
    pencil.data.system.refuse_velocity_rows("output of matrices", hint)
    back, to = at_nodes(places, arms, Layout(state.bodies), pencil.M.shape[0])
    M, D, K = (back.T @ A @ back for A in (pencil.M, pencil.D, pencil.K))
    C = pencil.C @ back
    if "eigenvectors" in request.output:
        moves = [np.concatenate([modes.shapes[k].ravel(), modes.values[k]]) for k in chosen]
        one.vectors = state_vectors(M, D, K, C, one.values, [to @ each for each in moves])
        one.left = left_vectors(M, D, K, C, one.values)
    if request.output & {"matrices", "sparse"}:
        one.matrices = discrete(M, D, K, C, request.parameter)


def first_modes(request: EigenRequest, values: np.ndarray) -> list[int]:
    """All, or with `mode` as many as an iterative solver is to find, by their Λ."""
    if not request.mode:
        return list(range(len(values)))
    end, _, what = request.mode.partition(" ")
    real, imaginary, beta = alpha_of(values, request.parameter).T
    sizes = {"magnitude": np.hypot(real, imaginary), "real part": real,
             "imaginary part": np.abs(imaginary)}  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        size = sizes[what] / beta
    order = np.argsort(-size if end == "largest" else size, kind="stable")
    return sorted(order[: request.modes].tolist())


def wanted(request: EigenRequest, value: complex) -> bool:
    """Without limits all; with them what oscillates between them."""
    if request.lower is None and request.upper is None:
        return True
    frequency = abs(value.imag) / (2 * np.pi)
    low = request.lower if request.lower is not None else -np.inf
    high = request.upper if request.upper is not None else np.inf
    return bool(value.imag != 0 and low < frequency < high)


def at_nodes(places: list[int], arms: np.ndarray, layout: Layout, n: int) -> tuple[Any, Any]:
    """T⁻¹ and T between motions of bodies, in the system's order, and of nodes, in the deck's.

    Bodies that are no nodes come behind, then the values of abstract nodes and states.
    """
    others = sorted(set(range(len(layout.bodies))) - set(places))
    back, to = sp.lil_array((n, n)), sp.lil_array((n, n))
    for k, b in enumerate([*places, *others]):
        body, node = layout.unknowns(b), layout.unknowns(k)
        turn = np.eye(6)
        if k < len(places):
            turn[:3, 3:] = rotations.tilde(arms[k])
        back[body, node], to[node, body] = turn, 2 * np.eye(6) - turn  # the inverse of turn
    for i in range(layout.rigid, n):
        back[i, i] = to[i, i] = 1.0
    return back.tocsr(), to.tocsr()


def state_vectors(
    M: Any, D: Any, K: Any, C: Any, values: np.ndarray, motions: list[np.ndarray]
) -> np.ndarray:
    """(u, v, g) of every mode, of conjugate pairs both, as columns."""
    out = []
    solve = SparseFactors(C @ C.T).solve if C.shape[0] else None
    for value, u in zip(values, motions):
        forces = value**2 * (M @ u) + value * (D @ u) + K @ u
        g = -(C @ forces)  # of Cᵀ g = −forces
        if solve is not None:
            g = solve(g.real) + 1j * solve(g.imag)
        vector = np.concatenate([u, value * u, g])
        out += [vector] if value.imag == 0 else [vector, vector.conjugate()]
    return np.array(out).reshape(len(out), 2 * M.shape[0] + C.shape[0]).T


def discrete(M: Any, D: Any, K: Any, C: Any, c: float) -> tuple[Any, Any]:
    """J₊ and J₋, sparse."""
    n, m = M.shape[0], C.shape[0]
    one, none = sp.identity(n), sp.csr_array((m, m))
    rate = sp.block_array([[one, None, None], [None, M, None], [None, None, none]])
    value = sp.block_array([[None, -one, None], [K, D, C.T], [C, None, none]])
    return (rate + c * value).tocsr(), (rate - c * value).tocsr()


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
