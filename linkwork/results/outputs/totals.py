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

from linkwork.kernels import rotations
from linkwork.results.files.file_array import blocks
from linkwork.results.outputs.deformed.beam_inertia import all_mass_sums
from linkwork.results.outputs.deformed.flexible import link_sums
from linkwork.results.outputs.stored import circuit_outputs, potential_energy

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
    m, J = masses(result)

    def energy(motion: np.ndarray, values: np.ndarray) -> np.ndarray:
        v, w = motion[:, :, 7:10], motion[:, :, 10:13]
        spin = np.einsum("tbi,bij,tbj->t", w, J, w, optimize=True)
        total = 0.5 * (np.einsum("b,tbi,tbi->t", m, v, v, optimize=True) + spin)
        for link in result.system.flexible:
            total += link_sums(link, motion, values).kinetic
        return total

    found, variable = over_times(result, energy), all_mass_sums(result)
    return found if variable is None else found + variable.kinetic


def all_potential_energy(result: Result) -> np.ndarray:
    m, g = masses(result)[0], result.system.tables.gravity

    def of_positions(motion: np.ndarray, values: np.ndarray) -> np.ndarray:
        total = -np.einsum("b,tbi,i->t", m, motion[:, :, :3], g, optimize=True)
        for link in result.system.flexible:
            sums = link_sums(link, motion, values)
            total += sums.strain - sums.weight @ g
        return total

    energy, variable = over_times(result, of_positions), all_mass_sums(result)
    if variable is not None:
        energy = energy - variable.weight @ g
    for e in result.system.elements:
        if e.entry.family.potential is not None:
            energy = energy + potential_energy(result, e)
        if e.entry.family.circuit is not None:
            stored = circuit_outputs(result, e).get("stored_energy")
            energy = energy + stored[0] if stored is not None else energy
    return energy


def momentum(result: Result) -> np.ndarray:
    m, _ = masses(result)

    def of_all(motion: np.ndarray, values: np.ndarray) -> np.ndarray:
        p = np.einsum("b,tbi->ti", m, motion[:, :, 7:10])
        for link in result.system.flexible:
            p += link_sums(link, motion, values).momentum
        return p

    found, variable = over_times(result, of_all), all_mass_sums(result)
    return found if variable is None else found + variable.momentum


def angular_momentum(result: Result) -> np.ndarray:
    """Of the method's own velocities where it stores it."""
    if "angular_momentum" in result.arrays:
        return result.arrays["angular_momentum"]
    m, J = masses(result)

    def about_origin(motion: np.ndarray, values: np.ndarray) -> np.ndarray:
        r, v, w = (motion[:, :, i : i + 3] for i in (0, 7, 10))
        R = rotations.matrix(motion[:, :, 3:7])
        L = np.einsum("b,tbi->ti", m, np.cross(r, v))
        L += np.einsum("tbij,bjk,tbk->ti", R, J, w, optimize=True)
        for link in result.system.flexible:
            L += link_sums(link, motion, values).angular_momentum
        return L

    found, variable = over_times(result, about_origin), all_mass_sums(result)
    return found if variable is None else found + variable.angular_momentum
