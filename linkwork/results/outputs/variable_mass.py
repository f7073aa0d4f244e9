"""Energy and momentum of masses that change (elements.bodies.variable_mass), over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from linkwork.elements.bodies.variable_mass import CENTRE, CENTRE1, INERTIA, MASS, VARIABLE_MASS
from linkwork.kernels import rotations
from linkwork.results.outputs.stored import body_motion, element_reals

if TYPE_CHECKING:
    from linkwork.results.result import Result


class MassSums(NamedTuple):
    """Over T times: kinetic (T,), weight Σ m r, momentum, angular momentum about the origin."""

    kinetic: np.ndarray
    weight: np.ndarray
    momentum: np.ndarray
    angular_momentum: np.ndarray


def mass_sums(result: Result) -> MassSums | None:
    """Of all masses that change; None where there is none."""
    variable = [e for e in result.system.elements if e.entry.family is VARIABLE_MASS]
    if not variable:
        return None
    T = len(result.time)
    total = MassSums(np.zeros(T), np.zeros((T, 3)), np.zeros((T, 3)), np.zeros((T, 3)))
    for e in variable:
        reals, (r, q, v, w) = element_reals(result, e), body_motion(result, e.ends[0])
        R, m, c = rotations.matrix(q), reals[:, MASS, None], reals[:, CENTRE : CENTRE + 3]
        J = reals[:, INERTIA : INERTIA + 9].reshape(-1, 3, 3)
        place = r + np.einsum("tij,tj->ti", R, c)
        inner = np.cross(w, c) + reals[:, CENTRE1 : CENTRE1 + 3]
        p = m * (v + np.einsum("tij,tj->ti", R, inner))
        spin = np.einsum("tij,tj->ti", J, w)
        moving = np.divide(np.sum(p * p, axis=1), m[:, 0], out=np.zeros(T), where=m[:, 0] > 0)
        total.kinetic[:] += 0.5 * (moving + np.sum(w * spin, axis=1))
        total.weight[:] += m * place
        total.momentum[:] += p
        total.angular_momentum[:] += np.cross(place, p) + np.einsum("tij,tj->ti", R, spin)
    return total
