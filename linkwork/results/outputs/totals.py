"""Energy and momentum of all bodies together.

    T = Σ ½ m v² + ½ ωᵀJω,   V = −Σ m g·r + potentials of springs
    p = Σ m v,   L = Σ r × m v + R J ω      (about the origin, world axes)
    balance = T + V + dissipated − supplied − (its initial value)

and the sums over all elements that have a share in them (`Role`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from linkwork.kernels.compiled import compiled
from linkwork.kernels.rotations import rotation_matrix
from linkwork.kernels.vectors import add, at, at4, at9, cross, dot, mv, scale, three
from linkwork.model.outputs import Role
from linkwork.results.outputs import replayed
from linkwork.results.files.file_array import blocks
from linkwork.system.data import writable

if TYPE_CHECKING:
    from linkwork.results.result import Result


def masses(result: Result) -> tuple[np.ndarray, np.ndarray]:
    table = result.system.tables.bodies
    return table[:, 0], table[:, 1:].reshape(-1, 3, 3)


@compiled
def add_bodies(masses, gravity, motion, sums):
    """Kinetic and potential energy, momentum and angular momentum of all bodies, one row each."""
    g = three(gravity, 0)
    for k in range(motion.shape[0]):
        for b in range(motion.shape[1]):
            m, r, v = masses[b, 0], at(motion[k], b, 0), at(motion[k], b, 7)
            w = at(motion[k], b, 10)
            spin = mv(at9(masses, b, 1), w)
            p = scale(m, v)
            L = add(cross(r, p), mv(rotation_matrix(at4(motion[k], b, 3)), spin))
            sums[k, 0] += 0.5 * (dot(p, v) + dot(w, spin))
            sums[k, 1] -= m * dot(g, r)
            for i in range(3):
                sums[k, 2 + i] += p[i]
                sums[k, 5 + i] += L[i]


def sums_of_bodies(result: Result, bodies: Collection[int] | None = None) -> np.ndarray:
    """(T, 8): kinetic and potential energy, momentum and angular momentum of all bodies, or of
    those of these numbers."""
    tables, sums = result.system.tables, np.zeros((len(result.time), 8))
    table, gravity = writable(tables.bodies), writable(tables.gravity)
    if bodies is not None:
        table = np.where(np.isin(np.arange(len(table)), list(bodies))[:, None], table, 0.0)
    for k in blocks(result.motion):
        add_bodies(table, gravity, np.ascontiguousarray(result.motion[k]), sums[k])
    return sums


def energies(result: Result) -> dict[str, tuple[np.ndarray, str]]:
    """Every energy with its name in words: T, V, T + V, and the balance where work is known."""
    kinetic, potential = kinetic_energy(result), all_potential_energy(result)
    total = kinetic + potential
    out = {
        "kinetic": (kinetic, "kinetic energy"),
        "potential": (potential, "potential energy (gravity and springs)"),
        "total": (total, "total energy"),
    }
    if result.work is not None:
        dissipated, supplied = result.work.T
        balance = total + dissipated - supplied
        out["dissipated"] = (dissipated, "energy dissipated until then")
        out["supplied"] = (supplied, "energy supplied by drives and forces until then")
        out["balance"] = (balance - balance[0], "total + dissipated - supplied - initial value")
    return out


def kinetic_energy(result: Result) -> np.ndarray:
    """Of the method's own velocities where it stores it, since these may not be rigid."""
    if "kinetic_energy" in result.arrays:
        return result.arrays["kinetic_energy"]
    return result.sums_of_bodies[:, 0] + result.sums_of_elements[Role.KINETIC]


def all_potential_energy(result: Result) -> np.ndarray:
    return result.sums_of_bodies[:, 1] + result.sums_of_elements[Role.STORED]


def stored_by(result: Result, numbers: Collection[int]) -> np.ndarray:
    """Energy that the elements of these numbers store, (T,)."""
    return replayed.totals(result, numbers)[Role.STORED]


def momentum(result: Result) -> np.ndarray:
    return result.sums_of_bodies[:, 2:5] + result.sums_of_elements[Role.MOMENTUM]


def angular_momentum(result: Result) -> np.ndarray:
    """Of the method's own velocities where it stores it."""
    if "angular_momentum" in result.arrays:
        return result.arrays["angular_momentum"]
    return result.sums_of_bodies[:, 5:] + result.sums_of_elements[Role.ANGULAR_MOMENTUM]
