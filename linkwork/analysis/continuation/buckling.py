"""Buckling: load factors at which a motion without stiffness appears beside an equilibrium.

With the equilibrium q(λ), γ(λ) on the path that begins at λ = 0, and

    B(λ) = [K(q, γ)  C_qᵀ]
           [C_q      0   ]

critical factors are those with B(λ) y = 0, y = (φ, δγ): a nonlinear eigenvalue problem.

1. Linearised about λ₀: (B₀ + (λ − λ₀) B₀') y = 0, B' by central differences of exact tangents along
   the path.  That is linear buckling with the prestress, exact where the structure does not deform
   before it buckles.
2. Each factor is then corrected by the method of successive linear problems (Ruhe 1973): the path
   is followed to λ_k, where (B_k + μ B_k') y = 0 gives λ_{k+1} = λ_k + μ, until μ vanishes; so
   the deformation before buckling counts.

- A. Ruhe: Algorithms for the nonlinear eigenvalue problem. SIAM Journal on Numerical Analysis 10
  (1973), 674-689.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

from linkwork.analysis.assembly.assemble import StateLike
from linkwork.analysis.continuation.arc import Arc, Direction, OnPath
from linkwork.analysis.continuation.equilibrium_path import begin
from linkwork.analysis.continuation.singular import world_shape
from linkwork.analysis.statics.balance import LOOSE, Lost, Point
from linkwork.analysis.statics.equilibrium import state_of
from linkwork.analysis.statics.stability import conservative, exact_tangent, without_slender
from linkwork.elements.failures import raise_if_failed
from linkwork.errors import LinkworkWarning, ModelError, SingularError
from linkwork.linear_algebra import SparseFactors
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.model.model import Model, private_copy
from linkwork.model.registry import Item
from linkwork.system.state import State
from linkwork.system.system import System

DENSE = 900  # unknowns up to which the eigenvalue problem is dense
NEAR = 1e-9  # of the factor: a correction this small is none
ROUGH = 1e-6  # the same where stiffnesses are so different that corrections do not vanish
PART = 1e-3  # of the factor: how far apart tangents are that are subtracted
REAL = 1e-4  # imaginary part over size of a factor that is real


@dataclass(frozen=True)
class Buckling:
    """Critical load factors, positive and ascending, with their shapes.

    factor : (n,) all of `loads` times this is critical;   linear : (n,) before the correction for
             the deformation that precedes buckling
    shapes : (n, bodies, 6) displacements and rotations in world axes, largest component 1;
             result["rod"] is (n, 6) of one body
    exact  : (n,) whether the correction converged;   states : the equilibria at these factors
    """

    factor: np.ndarray
    linear: np.ndarray
    shapes: np.ndarray = field(repr=False)
    exact: np.ndarray
    states: tuple[State, ...] = field(repr=False)
    bodies: tuple[str, ...]
    loads: tuple[str, ...]
    system: System = field(repr=False)

    def __len__(self) -> int:
        return len(self.factor)

    def __getitem__(self, body: str) -> np.ndarray:
        """(n, 6): how a body moves in every shape."""
        if body not in self.bodies:
            raise ModelError(f"the shapes have no body named {body!r}; they have {self.bodies}")
        return self.shapes[:, self.bodies.index(body)]

    def __repr__(self) -> str:
        lines = [
            f"{len(self)} critical factor{'s' * (len(self) != 1)} of '{self.system.model.name}', "
            f"times {', '.join(self.loads)}"
        ]
        for i, factor in enumerate(self.factor):
            b, j = np.unravel_index(np.argmax(np.abs(self.shapes[i])), self.shapes[i].shape)
            most = f"{self.bodies[b]} ({'along' if j < 3 else 'about'} {'xyz'[j % 3]})"
            note = "" if self.exact[i] else ", linearised only"
            lines.append(f"{i:>4}  {factor:>14.8g}  moves most: {most}{note}")
        return "\n".join(lines)


@explained
def buckling(
    model: Model, n: int = 3, *, loads: str | Item | Sequence[str | Item] | None = None,
    at: StateLike | None = None, start: float = 0.0,
    time: float | None = None, exact: bool = True, tolerance: float = 1e-10, progress: bool = True,
) -> Buckling:  # fmt: skip
    """The lowest n positive load factors at which equilibria become critical, and the shapes.

    loads : items (or names, or "gravity") that the factor scales, None: gravity and all loads;
            everything else acts in full
    start : the factor about which it is linearised, at an equilibrium found from the described
            position (or from `at`)
    exact : follow the equilibria to each factor, so that the deformation before buckling counts

    For conservative loads alone: forces that follow bodies may make a structure oscillate (Beck's
    column), which has no critical equilibrium; lw.eigen about lw.static tells then.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model()
    >>> bar = m.add("bar", lw.Body.link((0, 0, 0), (0, 0, 1), radius=0.01, density=1000))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, bar, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> spring = m.add("spring", lw.TorsionSpring(pin, stiffness=100))
    >>> load = m.add("load", lw.Force(lw.Frame(bar, (0, 0, 0.5)), (0, 0, -1)))
    >>> lw.buckling(m, n=1).factor.round(6)                             # k / L
    array([100.])
    """
    checks.count(n, "n")
    start = checks.number(start, "start")
    tolerance = checks.number(tolerance, "tolerance", positive=True)
    model = private_copy(model)
    try:
        search, scaled, state = begin(
            model, at, time, loads, start, tolerance, progress, "buckling"
        )
        problem = Problem(Arc(search, scaled, 1.0), state, start)
        return problem.solve(int(n), exact)
    finally:
        raise_if_failed(model)


class Problem:
    """B(λ) y = 0 along the path that begins at one equilibrium."""

    def __init__(self, arc: Arc, state: State, start: float) -> None:
        self.arc, self.start = arc, start
        arc.loads.set(start)
        point = arc.search.find(state, 1)
        self.border = Direction(np.zeros(arc.n), 1.0)
        self.known = {start: self.on_path(point, start)}

    @property
    def name(self) -> str:
        return self.arc.search.data.system.model.name

    def on_path(self, point: Point, load: float) -> OnPath:
        found = self.arc.direction(point, self.border)
        loose = found is None or np.abs(found.motion).max(initial=0.0) > LOOSE * abs(found.load)
        if found is None or loose:
            raise SingularError(
                f"buckling of '{self.name}' cannot be judged at the factor {load:g}: some motion "
                "has no stiffness there; begin at another factor (start=), or add springs"
            )
        return OnPath(point, load, Direction(found.motion / found.load, 1.0))

    def equilibrium(self, load: float) -> OnPath:
        """The equilibrium at a factor, reached from the nearest known one.  Raises Lost."""
        if load in self.known:
            return self.known[load]
        at = self.known[min(self.known, key=lambda known: abs(known - load))]
        width = load - at.load
        for _ in range(200):
            target = load if abs(load - at.load) <= abs(width) else at.load + width
            d = target - at.load
            guess = self.arc.settle(at.point, d * at.direction.motion, target)
            try:
                if guess is None:
                    raise Lost(at.point)
                point, _, _ = self.arc.correct(guess, target, self.border, target)
                at = self.on_path(point, target)
            except (Lost, SingularError):
                width /= 2
                if abs(width) < 1e-4 * abs(load - self.start):
                    raise Lost(at.point) from None
                continue
            if target == load:
                self.known[load] = at
                return at
        raise Lost(at.point)

    def matrix(self, at: OnPath) -> sp.csr_matrix:
        """B in scaled unknowns."""
        self.arc.loads.set(at.load)
        _, found = exact_tangent(self.arc.search, at.point)
        return found

    def pair(self, load: float, apart: float) -> tuple[sp.csr_matrix, sp.csr_matrix]:
        """B and B' at a factor."""
        at = self.equilibrium(load)
        up, down = (self.equilibrium(load + d) for d in (apart, -apart))
        change = (self.matrix(up) - self.matrix(down)) / (up.load - down.load)
        return self.matrix(at), sp.csr_matrix(change)

    def solve(self, n: int, exact: bool) -> Buckling:
        first = self.linear(n)
        if not len(first):
            raise ModelError(
                f"buckling of '{self.name}' finds no positive factor: no motion loses its "
                f"stiffness under {', '.join(self.arc.loads.names)}; reverse the loads, or look "
                "for limit points with lw.equilibrium_path"
            )
        found = [self.corrected(*one) if exact else (*one, False) for one in first]
        if exact and not all(done for _, _, done in found):
            missing = ", ".join(f"{f:.4g}" for f, _, done in found if not done)
            warnings.warn(
                f"buckling of '{self.name}': the equilibria could not be followed to the factors "
                f"{missing}, which are those of the problem linearised at {self.start:g}; look at "
                "the path with lw.equilibrium_path",
                LinkworkWarning, stacklevel=3,
            )  # fmt: skip
        order = sorted(range(len(found)), key=lambda i: found[i][0])
        return self.result([found[i] for i in order], [first[i][0] for i in order])

    def linear(self, n: int) -> list[tuple[float, np.ndarray]]:
        """Factors and vectors of the problem linearised about the start."""
        apart, usable = PART, []
        for _ in range(3):  # how far apart tangents should be follows from the factor
            try:
                B, change = self.pair(self.start, apart)
            except Lost:
                apart /= 16
                continue
            self.refuse_followers()
            values, vectors = eigenpairs(B, change, n)
            usable = [
                (self.start + v.real, vectors[:, i].real)
                for i, v in enumerate(values)
                if abs(v.imag) <= REAL * abs(v) and self.start + v.real > 0
            ]
            usable = sorted(usable, key=lambda one: one[0])[:n]
            if not usable:
                return []
            better = PART * abs(usable[0][0] - self.start)
            if 0.1 * better <= apart <= 10 * better:
                return usable
            apart = better
        return usable

    def refuse_followers(self) -> None:
        """An error where the loads are not conservative."""
        at = max(self.known.values(), key=lambda p: p.load)
        search = self.arc.search
        K = self.matrix(at)[: search.n, : search.n]
        noise = 1e-9 * at.point.scale + 1e-12 * abs(K).max()
        loads = without_slender(search, at.point, K)
        if not conservative(search, at.point, loads, noise):
            raise ModelError(
                f"buckling of '{self.name}' needs conservative loads, but a load follows the "
                "bodies or turns with them, and may make the structure oscillate instead; look "
                "at lw.eigen(model, at=lw.static(model)) with growing loads"
            )

    def corrected(self, factor: float, vector: np.ndarray) -> tuple[float, np.ndarray, bool]:
        """A factor and its vector, followed to where B(λ) is singular itself."""
        load, y, last = factor, vector, np.inf
        for _ in range(12):
            try:
                B, change = self.pair(load, PART * max(abs(load - self.start), 1e-12))
            except (Lost, SingularError):
                return factor, vector, False
            values, vectors = eigenpairs(B, change, 3)
            near = [
                (abs(v) / max(alike(vectors[:, i], y), 1e-3), i)
                for i, v in enumerate(values)
                if abs(v.imag) <= REAL * (abs(v) + NEAR * abs(load))
            ]
            if not near:
                return factor, vector, False
            i = min(near)[1]
            y, move = vectors[:, i].real, float(values[i].real)
            load += move
            if load <= 0 or abs(load - factor) > 2 * abs(factor - self.start):
                return factor, vector, False
            stays = abs(move) <= ROUGH * abs(load) and abs(move) > 0.1 * last  # round-off
            if abs(move) <= NEAR * abs(load) or stays:
                return load, y, True
            last = abs(move)
        return factor, vector, False

    def result(self, found: list[Any], linear: list[float]) -> Buckling:
        search, states, shapes = self.arc.search, [], []
        for factor, y, done in found:
            nearest = min(self.known, key=lambda known: abs(known - factor))
            at = self.known[nearest] if done else self.known[self.start]
            self.arc.loads.set(at.load)
            states.append(state_of(search, at.point))
            shapes.append(world_shape(self.arc, at.point, y[: search.n]))
        return Buckling(
            np.array([f[0] for f in found]), np.array(linear), np.array(shapes),
            np.array([f[2] for f in found]), tuple(states), search.data.system.names,
            self.arc.loads.names, search.full.system,
        )  # fmt: skip


def alike(x: np.ndarray, y: np.ndarray) -> float:
    """|xᴴy|²/(xᴴx yᴴy)."""
    return float(abs(np.vdot(x, y)) ** 2 / (np.vdot(x, x).real * np.vdot(y, y).real))


def eigenpairs(B: sp.csr_matrix, change: sp.csr_matrix, n: int) -> tuple[np.ndarray, np.ndarray]:
    """(B + μ B') y = 0: the μ of smallest size, those of both signs, and their vectors.

    With −B⁻¹B' y = y/μ; equations are scaled to the size of their numbers first.
    """
    size = abs(B).max(axis=1).toarray().ravel()
    scale = 1.0 / np.sqrt(np.where(size > 0, size, 1.0))
    S = sp.diags(scale)
    B, change = sp.csc_matrix(S @ B @ S), sp.csc_matrix(S @ change @ S)
    unknowns, wanted = B.shape[0], 4 * n + 8
    if unknowns <= DENSE or wanted >= unknowns - 2:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", la.LinAlgWarning)
            inverse, y = la.eig(-la.solve(B.toarray(), change.toarray()))
    else:
        factors = SparseFactors(B)

        def product(x: np.ndarray) -> np.ndarray:
            return -factors.solve(change @ x.ravel())

        operator = LinearOperator(B.shape, product, dtype=float)
        start = np.random.default_rng(0).normal(size=unknowns)
        try:
            inverse, y = eigs(operator, k=wanted, which="LM", v0=start)
        except ArpackNoConvergence as error:
            inverse, y = error.eigenvalues, error.eigenvectors
    kept = np.abs(inverse) > 1e-12 * np.abs(inverse).max(initial=0.0)
    inverse, y = inverse[kept], y[:, kept]
    order = np.argsort(-np.abs(inverse))
    return 1.0 / inverse[order], scale[:, None] * y[:, order]
