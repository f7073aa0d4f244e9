"""Energy and momentum of all bodies together.

    T = Σ ½ m v² + ½ ωᵀJω,   V = −Σ m g·r + potentials of springs
    p = Σ m v,   L = Σ r × m v + R J ω      (about the origin, world axes)
    balance = T + V + dissipated − supplied − (its initial value)

and what flexible links (outputs.flexible), masses that change (outputs.variable_mass) and beams of
consistent inertia (outputs.beam_inertia) add.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from linkwork.kernels.compiled import compiled
from linkwork.kernels.rotations import rotation_matrix
from linkwork.kernels.vectors import add, at, at4, at9, cross, dot, mv, scale, three
from linkwork.model.outputs import Role
from linkwork.results.files.file_array import blocks
from linkwork.results.outputs.deformed.beam_inertia import all_mass_sums
from linkwork.results.outputs.deformed.flexible import link_sums
from linkwork.results.outputs.stored import circuit_outputs, potential_energy
from linkwork.system.data import writable

if TYPE_CHECKING:
    from linkwork.results.result import Result


def masses(result: Result) -> tuple[np.ndarray, np.ndarray]:
    table = result.system.tables.bodies
    return table[:, 0], table[:, 1:].reshape(-1, 3, 3)


def over_times(
    result: Result, function: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """A function of the motion (t, bodies, 13) and of values (t, 3, n), block by block where the
    steps are in a file."""
    parts = blocks(result.motion)
    return np.concatenate([function(result.motion[k], result.values[k]) for k in parts])


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


def sums_of_bodies(result: Result) -> np.ndarray:
    """(T, 8): kinetic and potential energy, momentum and angular momentum of all bodies."""
    tables = result.system.tables
    table, gravity = writable(tables.bodies), writable(tables.gravity)

    def of_block(motion: np.ndarray, values: np.ndarray) -> np.ndarray:
        sums = np.zeros((len(motion), 8))
        add_bodies(table, gravity, np.ascontiguousarray(motion), sums)
        for link in result.system.flexible:
            of_link = link_sums(link, motion, values)
            sums[:, 0] += of_link.kinetic
            sums[:, 1] += of_link.strain - of_link.weight @ gravity
            sums[:, 2:5] += of_link.momentum
            sums[:, 5:] += of_link.angular_momentum
        return sums

    return over_times(result, of_block)


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
    variable = all_mass_sums(result)
    found = result.sums_of_bodies[:, 0] + result.sums_of_elements[Role.KINETIC]
    return found if variable is None else found + variable.kinetic


def all_potential_energy(result: Result) -> np.ndarray:
    variable = all_mass_sums(result)
    energy = result.sums_of_bodies[:, 1] + result.sums_of_elements[Role.STORED]
    if variable is not None:
        energy = energy - variable.weight @ result.system.tables.gravity
    for e in result.system.elements:
        if e.entry.family.potential is not None:
            energy = energy + potential_energy(result, e)
        if e.entry.family.circuit is not None:
            stored = circuit_outputs(result, e).get("stored_energy")
            energy = energy + stored[0] if stored is not None else energy
    return energy


def momentum(result: Result) -> np.ndarray:
    variable = all_mass_sums(result)
    found = result.sums_of_bodies[:, 2:5] + result.sums_of_elements[Role.MOMENTUM]
    return found if variable is None else found + variable.momentum


def angular_momentum(result: Result) -> np.ndarray:
    """Of the method's own velocities where it stores it."""
    if "angular_momentum" in result.arrays:
        return result.arrays["angular_momentum"]
    variable = all_mass_sums(result)
    found = result.sums_of_bodies[:, 5:] + result.sums_of_elements[Role.ANGULAR_MOMENTUM]
    return found if variable is None else found + variable.angular_momentum
