"""One step along a path of equilibria by its arc length, past limit points.

Unknowns are the motion x (lengths over L) and ℓ = λ/Λ, Λ the factor that the path goes to.  With
the unbalanced force r, its change q = ∂r/∂ℓ, and the direction (τ, τ_ℓ) of the path,

    [K    C_qᵀ  q  ] [δ ]     [r]
    [C_q  0     c  ] [Δγ] = − [0],        w² |τ|² + τ_ℓ² = 1,   w² = 1/(number of bodies)
    [w²τᵀ 0     τ_ℓ] [Δℓ]     [0]

with c = ∂C/∂ℓ of imposed motions is regular at limit points, where K is singular on C_q δ = 0:
corrections are normal to the path.
The direction itself solves the same matrix with (0, 0, 1) on the right, and turns its sign with the
path.  As in statics every iterate lies on the constraints and has multipliers of least squares.

- E. Riks: An incremental approach to the solution of snapping and buckling problems. International
  Journal of Solids and Structures 15 (1979), 529-551.
- H. B. Keller: Numerical solution of bifurcation and nonlinear eigenvalue problems. In:
  Applications of Bifurcation Theory, Academic Press (1977), 359-384.
- M. A. Crisfield: A fast incremental/iterative solution procedure that handles "snap-through".
  Computers & Structures 13 (1981), 55-62.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from linkwork.analysis.continuation.loads import Loads
from linkwork.analysis.statics.balance import ROUND_OFF, TURN, Balance, Lost, Point
from linkwork.analysis.statics.search import Search
from linkwork.linear_algebra import SingularMatrix, SparseFactors

ITERATIONS = 15  # of a correction
ASIDE = 0.3  # of its length: how far a step may end beside where it leads
LITTLE = 0.01  # sizes of the mechanism and rad that count as nothing there
APART = 1e-5  # of Λ: between factors that are subtracted, where imposed motions are scaled
FARTHEST = 10.0  # sizes of the mechanism that a correction may move a body


@dataclass(frozen=True)
class Direction:
    """(τ, τ_ℓ): scaled motion and load."""

    motion: np.ndarray
    load: float


@dataclass(frozen=True)
class OnPath:
    """An equilibrium on the path: the point, ℓ, the direction of the path there."""

    point: Point
    load: float
    direction: Direction


class Arc:
    """Predictions and corrections for one choice of independent rows."""

    def __init__(self, search: Search, loads: Loads, reference: float) -> None:
        self.search, self.loads, self.reference = search, loads, reference
        self.n, self.rows = search.n, search.data.rows
        self.weight = 1.0 / max(1, len(search.data.system.layout.sizes))

    def settle(self, point: Point, motion: np.ndarray, load: float) -> Point | None:
        """The point of the constraints after a scaled motion, under the load ℓ."""
        self.loads.set(load * self.reference)
        return self.search.settle(
            point.state.moved(self.search.column * motion), far=True, since=point.state
        )

    def by_load(self, point: Point) -> tuple[np.ndarray, np.ndarray]:
        """q = ∂r/∂ℓ and c = ∂C/∂ℓ.

        Exact where r is linear in the load; a central difference where motions are imposed.
        """
        s, factor = self.search, self.loads.factor
        apart, values, gamma = 1.0, (1.0, 0.0), None
        if self.loads.motions is not None:
            apart = 2 * APART * self.reference
            values = factor + apart / 2, factor - apart / 2
            gamma = s.data.all_gamma(point.gamma)
        state = replace(point.state, gamma=gamma)
        found = []
        for value in values:
            self.loads.set(value)
            found.append(s.data.evaluate(state, tangent=False))
        self.loads.set(factor)
        one, other = found
        change = self.reference / apart
        return change * s.side * (one.residual - other.residual), change * s.row * (one.C - other.C)

    def solve(
        self, point: Point, border: Direction, force: np.ndarray, last: float
    ) -> np.ndarray | None:
        """The bordered equations at a point, whose load is set, with (force, 0, last) on the right;
        None where they are singular."""
        s = self.search
        vals, p = s.stiffness(point), s.data.pattern
        scale = float(np.abs(vals[s.body]).max(initial=0.0)) or 1.0
        vals[s.body] /= scale
        rhs = np.concatenate([force / scale, np.zeros(self.rows), [last]])
        q, c = self.by_load(point)
        column = np.concatenate([q / scale, c])
        if not np.all(np.isfinite(vals)) or not np.all(np.isfinite(column)):
            return None
        N = p.unknowns
        rows = np.repeat(np.arange(N), np.diff(p.indptr))
        n = np.arange(self.n)
        i = np.concatenate([rows, np.arange(N), np.full(self.n + 1, N)])
        j = np.concatenate([p.indices, np.full(N, N), n, [N]])
        border_row = np.append(self.weight * border.motion, border.load)
        y = solve_once(N + 1, i, j, np.concatenate([vals, column, border_row]), rhs)
        return y if y is not None and np.all(np.isfinite(y)) else None

    def direction(self, point: Point, border: Direction) -> Direction | None:
        """The direction of the path at an equilibrium, on the side that `border` points to."""
        y = self.solve(point, border, np.zeros(self.n), 1.0)
        if y is None:
            return None
        size = np.sqrt(self.weight * float(y[: self.n] @ y[: self.n]) + y[-1] ** 2)
        return Direction(y[: self.n] / size, float(y[-1] / size))

    def along(self, a: Direction, b: Direction) -> float:
        """The cosine between two directions."""
        return self.weight * float(a.motion @ b.motion) + a.load * b.load

    def correct(
        self, point: Point, load: float, border: Direction, target: float | None = None
    ) -> tuple[Point, float, int]:
        """The equilibrium next to a point, normal to `border`, or at the load `target`.

        Raises Lost.
        """
        s = self.search
        for taken in range(ITERATIONS):
            done = s.enough(point) and (target is None or load == target)
            if done and point.largest <= ROUND_OFF * point.scale:
                return point, load, taken
            y = self.solve(point, border, -point.force, 0.0 if target is None else target - load)
            if y is None or np.abs(y[: self.n]).max(initial=0.0) > FARTHEST:
                if done:
                    return point, load, taken
                raise Lost(point, iterations=taken)
            factor = min(1.0, TURN / max(turn(s, y[: self.n]), 1e-300))
            new = target if target is not None and factor == 1.0 else load + factor * float(y[-1])
            trial = self.settle(point, factor * y[: self.n], new)
            if done:
                if trial is not None and trial.size < point.size:
                    return trial, new, taken + 1
                self.loads.set(load * self.reference)
                return point, load, taken
            if trial is None:
                raise Lost(point, iterations=taken)
            point, load = trial, new
        raise Lost(point, iterations=ITERATIONS)

    def step(self, start: OnPath, length: float) -> tuple[OnPath, int]:
        """The equilibrium after a length of arc, and the iterations it took.  Raises Lost."""
        d = start.direction
        guess = self.settle(start.point, length * d.motion, start.load + length * d.load)
        if guess is None:
            raise Lost(start.point)
        point, load, taken = self.correct(guess, start.load + length * d.load, d)
        way = point.state.way_from(start.point.state) / self.search.column
        guessed = length * d.motion
        aside, size = (np.sqrt(self.weight * float(x @ x)) for x in (way - guessed, guessed))
        if aside > ASIDE * size + LITTLE or abs(load - start.load) > (1 + ASIDE) * length:
            raise Lost(point, iterations=taken)  # on another part of the path
        new = self.direction(point, d)  # not known where another path crosses: straight on
        return OnPath(point, load, new or d), taken


def solve_once(
    n: int, rows: np.ndarray, cols: np.ndarray, vals: np.ndarray, rhs: np.ndarray
) -> np.ndarray | None:
    """B y = rhs with rows scaled to their largest number, with one refinement."""
    size = np.zeros(n)
    np.maximum.at(size, rows, np.abs(vals))
    scale = 1.0 / np.where(size > 0, size, 1.0)
    vals, rhs = vals * scale[rows], scale * rhs
    B = sp.csc_matrix((vals, (rows, cols)), shape=(n, n))
    try:
        factors = SparseFactors(B)
    except SingularMatrix:
        return None
    y = factors.solve(rhs)
    return y + factors.solve(rhs - B @ y)


def turn(balance: Balance, motion: np.ndarray) -> float:
    """The largest rotation of a scaled motion."""
    return float(np.abs(motion[balance.data.system.layout.is_angle]).max(initial=0.0))
