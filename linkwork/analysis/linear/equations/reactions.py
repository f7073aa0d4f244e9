"""Small motions of models in which something follows reactions: sensors, and loads of friction.

The value x of a sensor (elements.signals.measured) is a node of order zero whose equation has what
the other equations determine: second derivatives of bodies, and multipliers.  Friction changes with
the multipliers that load it, by Φ = ∂r/∂γ (load_slopes).  With the highest derivative of every
unknown, y, and what is lower,

    A (y, δγ) = (F u − D_low η̇ − K_low η, −H η̇ − C_u ü)

    A = [[M | D | K, Jᵀ + Φ − c], [J, 0]]   M, D, K for unknowns of order two, one, zero;
                                            c slopes of sensors by multipliers, in their rows

so with Aᵀ(w, g) = e_x the equation of a sensor becomes one of the motion alone, exactly,

    x + (wᵀD_low + gᵀH) η̇ + wᵀK_low η = wᵀF u

and with Aᵀ(w, g) = e_γ, for each multiplier γ that loads friction, so does what friction adds:

    D ← D − Φ (wᵀD_low + gᵀH),   K ← K − Φ wᵀK_low,   F ← F − Φ wᵀF,   and −Φ gᵀC_u ü

M stays.  Friction under these equations may grow without a negative damping anywhere: K is
unsymmetric (N. Hoffmann, M. Fischer, R. Allgaier, L. Gaul, Mechanics Research Communications 29,
2002: brake squeal by two coupled modes).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linkwork.analysis.linear.equations.steady import STEADY
from linkwork.elements.friction.bristles import PRELOAD
from linkwork.elements.layout import COEFS
from linkwork.errors import ModelError, SingularError
from linkwork.linear_algebra import SingularMatrix, SparseFactors
from linkwork.linear_algebra.low_rank import FIRST, ROW, SLOPES
from linkwork.linear_algebra.sparse_rows import SparseRows
from linkwork.system.data import Data
from linkwork.system.evaluate import TRIAL, evaluate
from linkwork.system.initial_conditions.consistent import undetermined, unit_scale
from linkwork.system.sensor_nodes import sensor_places
from linkwork.system.state import State

LARGEST = 1e12  # of the scaled (w, g): A is singular up to round-off
REST = 1e-8  # of an equation that is satisfied, whose right-hand side is one
NOISE = 1e-11  # of w: its round-off
UNLOADED = 1e-9  # of the largest reaction: round-off, whose direction means nothing


@dataclass(frozen=True)
class Slopes:
    """How residuals change with multipliers: c of sensors and Φ of friction (motions × rows)."""

    sensors: sp.csr_array
    friction: sp.csr_array

    @staticmethod
    def at(data: Data, state: State) -> Slopes:
        """At a state that was evaluated last."""
        c = multiplier_slopes(data)
        return Slopes(c, load_slopes(data, state))

    def turned(self, axes: sp.csr_array) -> Slopes:
        """With the residuals of bodies in other axes; sensors are numbers."""
        return Slopes(self.sensors, sp.csr_array(axes @ self.friction))


class SolvedReactions:
    """What follows reactions, in terms of the motion.

    places : the unknowns of sensors;   loads : the rows whose multipliers load friction
    forces, held, rate, place : of each sensor and then each load, w, g, wᵀD_low + gᵀH and wᵀK_low
    sizes  : what the round-off of w may be multiplied by
    """

    def __init__(self, data: Data, J: sp.csr_array, slopes: Slopes) -> None:
        system = data.system
        self.data, self.J, self.slopes = data, J, slopes
        self.places = system.layout.rigid + sensor_places(system)
        self.loads = np.unique(slopes.friction.indices)
        self.pressed = sp.csr_array(slopes.friction[:, self.loads])
        count = len(self.places) + len(self.loads)
        self.forces = self.rate = self.place = np.zeros((count, system.motions))
        self.held, self.sizes = np.zeros((count, J.shape[0])), dict[str, float]()

    def __bool__(self) -> bool:
        return len(self.forces) > 0

    def solve(
        self, M: sp.csr_array, D: sp.csr_array, K: sp.csr_array, H: sp.csr_array, rolls: np.ndarray
    ) -> tuple[sp.csr_array, sp.csr_array, sp.csr_array]:
        """M, D and K with sensors and friction as functions of the motion.

        rolls : which rows of J are on velocities, those of H
        """
        if not self:
            return M, D, K
        data, n = self.data, self.data.system.motions
        order = np.append(np.full(data.system.layout.rigid, 2), data.system.layout.order)
        two, one, zero = (sp.diags_array((order == k).astype(float)) for k in (2, 1, 0))
        w, g = self._multiples(sp.csr_array(M @ two + D @ one + K @ zero))
        rate, place = w @ (D @ two) + g[:, rolls] @ H, w @ (K @ (two + one))
        self.forces, self.held, self.rate, self.place = w, g[:, ~rolls], rate, place
        self.sizes = {"rate": abs(D @ two).max(), "place": abs(K).max(), "forces": 1.0}
        s = len(self.places)
        D = D - self.pressed @ sp.csr_array(rate[s:])
        K = K - self.pressed @ sp.csr_array(place[s:])
        own = place[:s].copy()
        own[np.arange(s), self.places] += 1.0
        others = np.ones(n)
        others[self.places] = 0.0
        keep, mine = sp.diags_array(others), (self.places, np.arange(s))
        put = sp.csr_array((np.ones(s), mine), shape=(n, s))
        return (
            sp.csr_array(keep @ M), sp.csr_array(keep @ D + put @ sp.csr_array(rate[:s])),
            sp.csr_array(keep @ K + put @ sp.csr_array(own)),
        )  # fmt: skip

    def _multiples(self, high: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """w and g of every sensor and load, as rows."""
        n, m = self.data.system.motions, self.J.shape[0]
        by_reactions = self.J.T + self.slopes.friction - self.slopes.sensors
        A = sp.csr_array(sp.bmat([[high, by_reactions], [self.J, None]])) if m else high
        scale = unit_scale(SparseRows(A.data, A.indices, A.indptr, A.shape))
        scaled = sp.diags_array(scale) @ A @ sp.diags_array(scale)
        wanted = np.append(self.places, n + self.loads)
        right = np.zeros((n + m, len(wanted)))
        right[wanted, np.arange(len(wanted))] = 1.0
        found = solved(sp.csc_array(scaled.T), right)
        if found is None:
            raise SingularError(self._undetermined())
        found *= scale[:, None] * scale[wanted]
        return found[:n].T, found[n:].T

    def _undetermined(self) -> str:
        system = self.data.system
        if len(self.places):
            return undetermined(system, self.places.tolist())
        joints = dict.fromkeys(self.data.kept_rows[k].owner for k in self.loads)
        names = ", ".join(f"'{name}'" for name in joints)
        return (
            f"the equations of model '{system.model.name}' do not determine the reactions of "
            f"{names} in small motions, which load friction: give mass and inertia to all bodies, "
            "or a smaller coefficient where friction jams"
        )

    def refuse_changed(self, later: SolvedReactions) -> None:
        """An error where they depend on the motion in another way as it goes on."""
        largest = np.abs(self.forces).max(axis=1)
        for word, size in self.sizes.items():
            before, after = getattr(self, word), getattr(later, word)
            change = np.abs(after - before).max(axis=1)
            excess = change - STEADY * np.abs(before).max(axis=1) - NOISE * size * largest
            worst = int(np.argmax(excess))
            if excess[worst] > 0:
                raise ModelError(
                    "the equations linearised about this motion have no constant coefficients: "
                    f"{self._name(worst)}; linearise about lw.static(model), or about a motion "
                    "in which it stays the same"
                )

    def _name(self, k: int) -> str:
        if k < len(self.places):
            name = self.data.system.layout.describe(int(self.places[k]))
            return f"{name} reads along an axis that does not go with the motion"
        row = self.data.kept_rows[self.loads[k - len(self.places)]]
        return f"the load of friction at {row} changes"

    def applied(self, F: np.ndarray) -> np.ndarray:
        """Forces F (motions) of an input, with what they are in the equations of sensors and in
        friction."""
        s, out = len(self.places), F.copy()
        out -= self.pressed @ (self.forces[s:] @ F)
        out[self.places] = self.forces[:s] @ F
        return out

    def driven(self, Cu: np.ndarray) -> np.ndarray:
        """Φ gᵀC_u (motions × inputs): friction by the second derivative of what inputs drive."""
        return self.pressed @ (self.held[len(self.places) :] @ Cu)


def solved(A: sp.csc_array, right: np.ndarray) -> np.ndarray | None:
    """x with A x = right; None where there is none.

    Motions without inertia that no constraint holds make A singular; their equations of first order
    may be added to the others in any multiple, and the least x will do.
    """
    try:
        found = SparseFactors(A).solve(right)
        if np.all(np.isfinite(found)) and np.abs(found).max() < LARGEST:
            return found
    except SingularMatrix:
        pass
    found = np.linalg.lstsq(A.toarray(), right, rcond=1 / LARGEST)[0]
    return found if np.abs(A @ found - right).max() < REST else None


def multiplier_slopes(data: Data) -> sp.csr_array:
    """c (motions × rows): how sensors change with multipliers, at the state evaluated last."""
    c = np.zeros((data.system.motions, data.rows + 1))  # behind all: a row that is not there
    for sensor in data.tables.sensors:
        for j in range(3):
            column = min(int(sensor[FIRST + j]), data.rows)
            c[sensor[ROW], column] += data.tables.reals[sensor[SLOPES] + j]
    return sp.csr_array(c[:, :-1])


def load_slopes(data: Data, state: State) -> sp.csr_array:
    """Φ (motions × rows) by central differences of the kernels of friction alone, so that the
    round-off of large other forces is not in them."""
    system = data.system
    loaded = [f.reads > 0 and f.answers < 0 for f in system.families]
    n, m, tables = system.motions, data.rows, data.tables
    if not any(loaded):
        return sp.csr_array((n, m))
    data.load(state)
    w = data.work
    w.coef[:COEFS] = (0.0, 0.0, False, False, 0.0, False, False)
    alone = tables._replace(
        directory=tables.directory[loaded], signals=tables.signals[:0],
        signal_family_count=np.array([-1]),
    )  # fmt: skip
    steps, columns = trial_steps(data, loaded), []
    rows = np.flatnonzero(steps)
    for row in rows:
        kept, both = w.gamma[row], []
        for sign in (1.0, -1.0):
            w.gamma[row] = kept + sign * steps[row]
            evaluate(data.kernels, alone, w, state.time, 0.0)
            both.append(np.concatenate([w.f[: system.bodies].ravel(), w.balance[:-1]]))
        w.gamma[row] = kept
        columns.append(sp.coo_array(((both[0] - both[1]) / (2 * steps[row]))[:, None]))
    if not columns:
        return sp.csr_array((n, m))
    put = sp.csr_array((np.ones(len(rows)), (np.arange(len(rows)), rows)), shape=(len(rows), m))
    return sp.csr_array(sp.hstack(columns) @ put)


def trial_steps(data: Data, loaded: list[bool]) -> np.ndarray:
    """By how much multipliers are changed; zero for those that load no friction.

    A part of the reaction that presses, in which |F| is smooth; of one that is none, a part of the
    largest of the model: there |F| has its corner, and the mean slope is zero.
    """
    tables, w = data.tables, data.work
    steps, size, largest = np.zeros(data.rows + 1), [], np.abs(w.gamma).max()
    for (_, count, first, width, real, reals, *_), family in (
        (row, f) for row, f, mine in zip(tables.directory, data.system.families, loaded) if mine
    ):
        ints = tables.ints[first : first + count * width].reshape(count, width)
        numbers = tables.reals[real : real + count * reals].reshape(count, reals)
        largest = max(largest, numbers[:, PRELOAD].max(initial=0.0))
        last = width - family.integers
        for places in ints[:, last - family.reads : last]:
            size.append((places[:3], float(np.linalg.norm(w.gamma[places[:3]]))))
            size.append((places[3:], float(np.linalg.norm(w.gamma[places[3:]]))))
    for places, force in size:
        steps[places] = TRIAL * (max(force, UNLOADED * largest) or 1.0)
    return steps[:-1]
