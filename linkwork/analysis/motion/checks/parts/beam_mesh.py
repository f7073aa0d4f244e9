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

from linkwork.elements.beams.layout import NODE, WEIGHT
from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.outputs import totals
from linkwork.results.outputs.deformed.beams import beam_elements
from linkwork.results.outputs.replayed import element_outputs
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
    power, noise = np.zeros(len(result)), np.zeros(len(result))
    for e, found in zip(elements, element_outputs(result, elements)):
        n, reals = e.entry.family.bodies, e.entry.reals
        width = (len(reals) - n * NODE) // (n - 1)
        weights = np.repeat(reals[n * NODE + WEIGHT :: width], 6)
        noise += ROUND_OFF * np.abs(found["_stress"]) @ weights
        power += found["_mesh_power"]
    steps = np.diff(result.time) * (power[1:] + power[:-1]) / 2
    return np.concatenate([[0.0], np.cumsum(steps)]), float(noise.max())
