"""How well joints' forces are determined at a stored step: C_q M⁻¹ C_qᵀ over its independent rows.

With the matrix of the accelerations, which is as sparse as the mechanism,

    [ M    C_qᵀ ] [ x ]   [  0 ]
    [ C_q  0    ] [ y ] = [ −b ]      ⇔      S y = b,    S = C_q M⁻¹ C_qᵀ

one factorisation gives σ², the least eigenvalue of S (inverse iteration), and the multipliers that
belong to a position and its velocities.  Rows are scaled so that S has ones on its diagonal where
the run begins: masses and lengths that are far apart make no small σ.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.kernels import sparse as sp
from linkwork.linear_algebra import SingularMatrix, SparseFactors
from linkwork.results.result import Result
from linkwork.system.data import Data
from linkwork.system.initial_conditions.independence import constraint_rows
from linkwork.system.redundancy.reactions import MinimumNorm
from linkwork.system.redundancy.rows import as_vertices
from linkwork.system.redundancy.selection import independent_rows
from linkwork.system.state import State

ITERATIONS = 6  # of inverse iteration: a small σ stands out at once
KEPT = 100  # places of stored steps
SAMPLES = (0.0, 0.5, 1.0)  # of the stored steps: where σ is taken as usual, and rows are chosen


class Place:
    """The rows that are kept, at one state."""

    def __init__(self, data: Data, state: State, keep: np.ndarray) -> None:
        self.here = data.evaluate(state, cM=1.0, cK=0.0, rates=True)
        M = self.here.stiffness.tocsc()
        own = M.diagonal()
        held = np.where(own > 0.0, 0.0, own.mean())  # turns that joints hold, in a plane
        self.M = M + sp.diags_array(held)
        self.Cq = self.here.Cq[np.flatnonzero(keep)]
        self.scale = np.ones(self.Cq.shape[0])
        self.factors: SparseFactors | None = None
        self.soft = self.scale  # violations that move the mechanism most

    def factorise(self) -> None:
        """Raises SingularMatrix where S is singular to all digits."""
        B = sp.diags_array(self.scale) @ self.Cq
        self.factors = SparseFactors(sp.block_array([[self.M, B.T], [B, None]]))

    def multipliers(self, b: np.ndarray) -> np.ndarray:
        """y of S y = b."""
        assert self.factors is not None
        right = np.concatenate([np.zeros(self.M.shape[0]), -self.scale * b])
        return self.scale * self.factors.solve(right)[self.M.shape[0] :]

    def carried(self, y: np.ndarray) -> np.ndarray:
        """M⁻¹ C_qᵀ y of the kept rows."""
        return self.inverse.solve(self.Cq.T @ y)

    @cached_property
    def inverse(self) -> SparseFactors:
        """Of M, as its factors."""
        return SparseFactors(self.M)

    def diagonal(self) -> np.ndarray:
        """Of S, by the rows' own bodies: each row against the mass of what it moves."""
        inverse = inverse_diagonal(self.M.shape[0], self.inverse)
        squares = np.array(self.Cq.multiply(self.Cq) @ inverse).ravel()
        return np.where(squares > 0.0, squares, 1.0)

    def least(self) -> float:
        """σ², the least eigenvalue of S with scaled rows; 0 where that is round-off."""
        try:
            self.factorise()
        except SingularMatrix:
            return 0.0
        y, size = spread(len(self.scale)), 1.0
        for _ in range(ITERATIONS):
            y = self.multipliers(y / self.scale) / self.scale
            size = float(np.linalg.norm(y))
            if not 0.0 < size < np.inf:
                return 0.0
            y /= size
        self.soft = y / self.scale
        return 1.0 / size


def inverse_diagonal(n: int, inverse: Any) -> np.ndarray:
    """Of M⁻¹, from its blocks of six."""
    out = np.zeros(n)
    for c in range(6):
        unit = np.zeros(n)
        unit[c::6] = 1.0
        out[c::6] = inverse.solve(unit)[c::6]
    return out


def spread(n: int) -> np.ndarray:
    """A vector of size one that is orthogonal to nothing in particular."""
    y = np.random.default_rng(1).standard_normal(n)
    return y / np.linalg.norm(y)


class ConstraintForces:
    """Multipliers of stored steps and how well they are determined."""

    def __init__(self, result: Result) -> None:
        self.result, self.data, last = result, result.system.data(), len(result) - 1
        self.looked: dict[int, tuple[float, Place]] = {}
        states = [self._motion(round(part * last)) for part in SAMPLES]
        choices = [independent_rows(constraint_rows(self.data, s)) for s in states]
        best = int(np.argmax([choice.rank for choice in choices]))
        self.rows = constraint_rows(self.data, states[best])
        self.choice = choices[best]
        self.spread_out = MinimumNorm(self.rows, self.choice)
        places = [Place(self.data, s, self.choice.keep) for s in states]
        self.scale = 1.0 / np.sqrt(places[best].diagonal())
        for place in places:
            place.scale = self.scale
        self.usual = max(place.least() for place in places)

    def _motion(self, k: int) -> State:
        return replace(self.result.state(k), gamma=None, acceleration=None)

    def at(self, k: int) -> tuple[float, Place]:
        """σ² of a stored step, and its place; the last few are kept."""
        if k not in self.looked:
            if len(self.looked) == KEPT:
                self.looked.pop(next(iter(self.looked)))
            place = Place(self.data, self._motion(k), self.choice.keep)
            place.scale = self.scale
            self.looked[k] = place.least(), place
        return self.looked[k]

    def errors(self, k: int, place: Place) -> tuple[np.ndarray, np.ndarray]:
        """Δγ of a stored step, and how far its multipliers are known at its position; both over
        all rows and of least norm."""
        state, keep = self.result.state(k), self.choice.keep
        if state.acceleration is None or state.gamma is None or place.factors is None:
            return np.zeros(len(keep)), np.full(len(keep), np.inf)
        found = self._missing(state, place, np.zeros(place.M.shape[0]))
        moved = replace(
            state, motion=state.moved(self._unknown(state, place)).motion
        )
        there = Place(self.data, replace(moved, gamma=None, acceleration=None), keep)
        there.scale = self.scale
        if there.least() == 0.0:
            return self._least_norm(place, found), np.full(len(keep), np.inf)
        turned = (there.here.Cq - place.here.Cq).T @ np.nan_to_num(state.gamma)
        change = self._missing(moved, there, there.inverse.solve(turned)) - found
        known, unknown = self._least_norm(place, np.stack([found, change], axis=1)).T
        return known, unknown

    def _missing(self, state: State, place: Place, less: np.ndarray) -> np.ndarray:
        """Multipliers of the kept rows which the accelerations of a state, less some, lack."""
        assert state.acceleration is not None
        keep, motion = self.choice.keep, state.motion.copy()
        v = motion[:, 7:].ravel()
        v -= place.carried(place.multipliers(place.Cq @ v + place.here.Ct[keep]))
        motion[:, 7:] = v.reshape(-1, 6)
        Qc = self.data.evaluate(
            replace(state, motion=motion), tangent=False, rates=True
        ).Qc[keep]
        return place.multipliers(place.Cq @ (state.acceleration.ravel() - less) - Qc)

    def _unknown(self, state: State, place: Place) -> np.ndarray:
        """The least motion that opens joints as far as they are open, or by round-off, where that
        moves the mechanism most."""
        keep, size = self.choice.keep, float(np.abs(state.motion[:, :3]).max())
        soft = place.soft / np.linalg.norm(place.soft)
        gap = max(abs(float(soft @ place.here.C[keep])), np.finfo(float).eps * size)
        return place.carried(place.multipliers(gap * soft))

    def _least_norm(self, place: Place, y: np.ndarray) -> np.ndarray:
        """Multipliers of all rows that load the bodies as those of the kept rows do, by columns."""
        keep = self.choice.keep
        out = np.zeros((len(keep), *y.shape[1:]))
        out[keep] = y
        if keep.all():
            return out
        full = as_vertices(self.result.system.layout, place.here.jacobian, self.rows.L)[0]
        return self.spread_out(full.csr, out)
