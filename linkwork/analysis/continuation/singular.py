"""Where a path of equilibria is singular: limit points and bifurcations, located on it.

With the stiffness of free motions NᵀKN, C_q N = 0, and a motion φ that it leaves without force,

    limit point     τ_ℓ = 0: the load turns back;      φᵀq ≠ 0
    bifurcation     an eigenvalue of NᵀKN changes its sign while the load goes on;     φᵀq = 0

(W. C. Rheinboldt: Numerical Analysis of Parametrized Nonlinear Equations, Wiley 1986).  Both are
roots of a function of the arc length between two points of the path, found by regula falsi with the
modification of Illinois.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from linkwork.analysis.continuation.arc import Arc, OnPath
from linkwork.analysis.statics.balance import Lost, Point
from linkwork.analysis.statics.equilibrium import state_of
from linkwork.analysis.statics.stability import exact_tangent, null_space, sorted_eigenvalues
from linkwork.kernels import rotations
from linkwork.system.state import State

CLOSE = 1e-10  # of the step: where a singular point is known
DENSE = 1500  # free motions up to which eigenvalues are found from dense matrices


@dataclass(frozen=True)
class SingularPoint:
    """A limit point or a bifurcation of an equilibrium path.

    factor : λ there;   state : the position;   kind : "limit point" or "bifurcation"
    shape  : (bodies, 6) the motion without stiffness, displacements and rotations in world axes,
             largest component 1
    """

    kind: str
    factor: float
    state: State = field(repr=False)
    shape: np.ndarray = field(repr=False)
    motion: np.ndarray = field(repr=False)  # scaled, of all motion unknowns, in body axes


def stiffnesses(arc: Arc, at: OnPath) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of NᵀKN, ascending, and their scaled motions, (n, free)."""
    s = arc.search
    arc.loads.set(at.load * arc.reference)
    _, matrix = exact_tangent(s, at.point)
    n = s.n
    K, J = matrix[:n, :n], matrix[n:, :n]
    N = null_space(J.toarray(), n)
    Kr = N.T @ (K @ N)
    values, vectors = sorted_eigenvalues(s, Kr)
    return values, N @ vectors


def limit_point(arc: Arc, before: OnPath, after: OnPath, length: float) -> SingularPoint:
    """Where τ_ℓ vanishes between two points of the path."""
    at = root(
        arc, before, after, length, lambda p: p.direction.load,
        before.direction.load, after.direction.load,
    )  # fmt: skip
    return singular(arc, at, at.direction.motion, "limit point")


def bifurcation(
    arc: Arc, before: OnPath, after: OnPath, length: float, number: int
) -> SingularPoint:
    """Where the eigenvalue of that number (from 0) vanishes between two points of the path."""

    def value(p: OnPath) -> float:
        return float(stiffnesses(arc, p)[0][number])

    at = root(arc, before, after, length, value, value(before), value(after))
    values, vectors = stiffnesses(arc, at)
    return singular(arc, at, vectors[:, int(np.argmin(np.abs(values)))], "bifurcation")


def root(
    arc: Arc, before: OnPath, after: OnPath, length: float, value: Callable[[OnPath], float],
    low: float, high: float,
) -> OnPath:  # fmt: skip
    """The point of the path where a function of it changes its sign."""
    a, b, largest, side = 0.0, length, max(abs(low), abs(high)), 0
    best = before if abs(low) < abs(high) else after
    for _ in range(60):
        if b - a <= CLOSE * length:
            break
        s = a - low * (b - a) / (high - low)
        if not a < s < b:
            break
        try:
            at, _ = arc.step(before, s)
            new = value(at)
        except Lost:
            break
        best = at
        if abs(new) <= CLOSE * largest:
            break
        if (new > 0) == (low > 0):
            a, low, high, side = s, new, high / 2 if side == 1 else high, 1
        else:
            b, high, low, side = s, new, low / 2 if side == -1 else low, -1
    return best


def singular(arc: Arc, at: OnPath, motion: np.ndarray, kind: str) -> SingularPoint:
    """The point with its motion without stiffness."""
    factor = at.load * arc.reference
    arc.loads.set(factor)
    state = state_of(arc.search, at.point)
    return SingularPoint(kind, factor, state, world_shape(arc, at.point, motion), motion)


def world_shape(arc: Arc, point: Point, motion: np.ndarray) -> np.ndarray:
    """(bodies, 6) in world axes, with its largest component made 1."""
    s = arc.search
    x = (s.column * motion)[: s.rigid].reshape(-1, 6).copy()
    x[:, 3:] = np.einsum("bij,bj->bi", rotations.matrix(point.state.orientations), x[:, 3:])
    flat = x.ravel()
    if not np.any(flat):
        return x
    pivot = int(np.argmax(np.abs(flat) > (1 - 1e-6) * np.abs(flat).max()))
    return x / flat[pivot]
