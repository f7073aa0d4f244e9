"""Energy that the mesh of a beam feeds into a run.

Forces of finite volumes are no gradient of the strain energy (elements.beams.kernel).  What they do
beyond it is small where the mesh is fine, but two of its highest modes whose frequencies meet can
feed on it without end: elements of three nodes then flutter, whatever their masses.  It counts as
supplied, so that the account of a run stays closed; here it is looked for by itself,

    P = Σ weight (n·ε̇ + m·κ̇) + Σ (F·v + M·ω) on the nodes beside every section

and told where its integral is a good part of the energy that there is, and more than the forces of
the sections do on strains of round-off.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.elements.beams.kernels.strains import evaluation_points, section_stress, times
from linkwork.elements.beams.layout import NODE, WEIGHT
from linkwork.errors import LinkworkWarning, users_line
from linkwork.kernels import rotations
from linkwork.results.outputs import totals
from linkwork.results.outputs.deformed.beams import beam_elements, parts
from linkwork.results.result import Result

LARGE = 0.1  # of the energy at the time
ROUND_OFF = np.finfo(float).eps  # of strains


def warn_of_beam_meshes(result: Result) -> None:
    """Say so when the elements of a beam have driven the motion."""
    system = result.system
    owners = list(dict.fromkeys(e.owner for e in system.elements if e.entry.family.slender))
    if not owners or result.work is None or len(result) < 3:
        return
    supplied = np.abs(result.work[:, 1])
    with np.errstate(all="ignore"):
        kinetic = totals.kinetic_energy(result)
        if kinetic.max() == 0.0 or not supplied.max() > LARGE * kinetic.max():
            return
        works = {name: mesh_work(result, name) for name in owners}
        fed = sum((work for work, _ in works.values()), np.zeros(len(result)))
        least = sum(noise for _, noise in works.values())
        large = fed > LARGE * np.maximum.accumulate(kinetic) + least
    if not large[-1]:
        return
    name = max(owners, key=lambda owner: float(works[owner][0][-1]))
    warnings.warn(
        f"the elements of {system.model[name].label} have fed {fed[-1]:.3g} J into the motion, of "
        f"{kinetic.max():.3g} J that there are: its mesh is too coarse, or two of its modes "
        "flutter; take elements of two nodes (order=2), some damping, or other numbers of them",
        LinkworkWarning, stacklevel=users_line(),
    )  # fmt: skip


def mesh_work(result: Result, name: str) -> tuple[np.ndarray, float]:
    """∫ P dt over the stored times, (T,), and the largest Σ weight (|n| + |m|) δ, δ round-off."""
    elements = beam_elements(result, name)
    codes, reals, (r, q, v, omega) = parts(result, elements)
    n = len(r)
    width = (reals.shape[-1] - n * NODE) // (n - 1)
    power, noise = np.zeros(len(result)), np.zeros(len(result))
    for k, point in enumerate(evaluation_points(reals, r, q, v, omega)):
        stress = section_stress(codes, reals, n, k, point)[0]
        F, M = times(point.axes, stress[..., :3]), times(point.axes, stress[..., 3:])
        weight = reals[..., n * NODE + k * width + WEIGHT]
        noise += ROUND_OFF * np.sum(weight * np.abs(stress).sum(axis=-1), axis=-1)
        given = weight * np.sum(stress * point.rate, axis=-1)
        for side, b in enumerate((k, k + 1)):
            spin = times(rotations.matrix(q[b]), omega[b])
            moved = v[b] + np.cross(spin, point.place - r[b])
            given = given + (1 - 2 * side) * np.sum(F * moved + M * spin, axis=-1)
        power += given.sum(axis=-1)
    steps = np.diff(result.time) * (power[1:] + power[:-1]) / 2
    return np.concatenate([[0.0], np.cumsum(steps)]), float(noise.max())
