"""Small motions of models whose drives read reactions and accelerations.

The value x of a sensor (elements.signals.measured) is a node of order zero whose equation has what
the other equations determine: second derivatives of bodies, and multipliers.  With the highest
derivative of every unknown, y, and what is lower,

    A (y, δγ) = F u − D_low η̇ − K_low η,        J η̈ = −H η̇

    A = [[M | D | K, Jᵀ − c], [J, 0]]       M, D, K for unknowns of order two, one, zero;
                                            c slopes by multipliers, in the rows of sensors

so with Aᵀ(w, g) = e_x the equation of x becomes one of the motion alone, exactly, while all others
stay as they are:

    x + (wᵀD_low + gᵀH) η̇ + wᵀK_low η = wᵀF u
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from linkwork.analysis.linear.equations.steady import STEADY
from linkwork.errors import ModelError, SingularError
from linkwork.system.consistency.consistent import undetermined, unit_scale
from linkwork.system.rank_one.sensor_nodes import sensor_places
from linkwork.system.rank_one.sensors import FIRST, ROW, SLOPES
from linkwork.system.sparse_rows import SparseRows
from linkwork.system.system import System

LARGEST = 1e12  # of the scaled (w, g): A is singular up to round-off


class SolvedSensors:
    """Equations of sensors in terms of the motion.

    places : the unknowns of sensors;   forces : (sensors, motions) the w of each
    """

    def __init__(self, system: System, J: sp.csr_array, slopes: np.ndarray) -> None:
        self.system, self.J, self.slopes = system, J, slopes
        self.places = system.layout.rigid + sensor_places(system)
        self.forces = np.zeros((len(self.places), system.motions))
        self.rate = self.place = self.forces

    def replace_rows(
        self, M: sp.csr_array, D: sp.csr_array, K: sp.csr_array, H: sp.csr_array, rolls: np.ndarray
    ) -> tuple[sp.csr_array, sp.csr_array, sp.csr_array]:
        """M, D and K with the equations of sensors solved for their values.

        rolls : which rows of J are on velocities, those of H
        """
        if not len(self.places):
            return M, D, K
        system, n = self.system, self.system.motions
        order = np.append(np.full(system.layout.rigid, 2), system.layout.order)
        two, one, zero = (sp.diags_array((order == k).astype(float)) for k in (2, 1, 0))
        high = M @ two + D @ one + K @ zero
        w, g = self._multiples(sp.csr_array(high))
        rate = w @ (D @ two) + g[:, rolls] @ H
        place = w @ (K @ (two + one))
        self.forces, self.rate, self.place = w, rate, place.copy()
        place[np.arange(len(w)), self.places] += 1.0
        others = np.ones(n)
        others[self.places] = 0.0
        keep, mine = sp.diags_array(others), (self.places, np.arange(len(w)))
        put = sp.csr_array((np.ones(len(w)), mine), shape=(n, len(w)))
        return (
            sp.csr_array(keep @ M), sp.csr_array(keep @ D + put @ sp.csr_array(rate)),
            sp.csr_array(keep @ K + put @ sp.csr_array(place)),
        )  # fmt: skip

    def _multiples(self, high: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """w and g of every sensor, as rows."""
        n, m = self.system.motions, self.J.shape[0]
        A = sp.csr_array(sp.bmat([[high, self.J.T - self.slopes], [self.J, None]])) if m else high
        scale = unit_scale(SparseRows(A.data, A.indices, A.indptr, A.shape))
        scaled = sp.diags_array(scale) @ A @ sp.diags_array(scale)
        right = np.zeros((n + m, len(self.places)))
        right[self.places, np.arange(len(self.places))] = 1.0
        try:
            found = splu(sp.csc_matrix(scaled.T)).solve(right)
        except RuntimeError:
            raise SingularError(undetermined(self.system, self.places.tolist())) from None
        if not np.all(np.isfinite(found)) or np.abs(found).max() > LARGEST:
            raise SingularError(undetermined(self.system, self.places.tolist()))
        found *= scale[:, None] * scale[self.places]
        return found[:n].T, found[n:].T

    def refuse_changed(self, later: SolvedSensors) -> None:
        """An error where sensors depend on the motion in another way as it goes on."""
        for word in ("forces", "rate", "place"):
            before, after = getattr(self, word), getattr(later, word)
            change = np.abs(after - before).max(axis=1)
            size = np.abs(before).max(axis=1)
            worst = int(np.argmax(change - STEADY * size))
            if change[worst] > STEADY * size[worst]:
                name = self.system.layout.describe(int(self.places[worst]))
                raise ModelError(
                    f"the equations linearised about this motion have no constant coefficients: "
                    f"{name} reads along an axis that does not go with the motion; read it along "
                    "an axis that does, or linearise about lw.static(model)"
                )

    def applied(self, F: np.ndarray) -> np.ndarray:
        """Forces F (motions) of an input, with what they are in the equations of sensors."""
        out = F.copy()
        out[self.places] = self.forces @ F
        return out


def multiplier_slopes(system: System) -> sp.csr_array:
    """c (motions × rows): how sensors change with multipliers, at the state evaluated last."""
    c = np.zeros((system.motions, system.rows + 1))  # behind all: a row that is not there
    for sensor in system.tables.sensors:
        for j in range(3):
            column = min(int(sensor[FIRST + j]), system.rows)
            c[sensor[ROW], column] += system.tables.reals[sensor[SLOPES] + j]
    return sp.csr_array(c[:, :-1])
