"""Modes that grow because of the mesh of a beam, not because of its mechanics.

Elements of three nodes have an unsymmetric stiffness (elements.beams.kernel), so that two of the
highest modes of a mesh may grow in a pair, whatever their masses; in 1,500 random beams always
among the highest 60 % and by less than 0.05 ω (docs/theory-beams.md).  Flutter of the structure
itself, as of Beck's column, is one of low modes.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.analysis.linear.modes import DEFECTIVE
from linkwork.errors import LinkworkWarning, users_line
from linkwork.system.system import System

LOWEST = 0.4  # part of the modes, the lowest, that no mesh makes grow
FASTEST = 0.1  # growth over ω that a mesh may have


def warn_of_growing_meshes(system: System, values: np.ndarray) -> None:
    """Say so where all growing modes are of the kind that meshes of three-node elements have.

    values : all eigenvalues, one of each pair
    """
    owners = dict.fromkeys(
        e.owner for e in system.elements if e.entry.family.slender and len(e.ends) == 3
    )
    size = np.abs(values)
    growing = values.real > DEFECTIVE * np.maximum(size, 1e-12 * size.max(initial=0.0))
    swinging = size[values.imag != 0.0]
    if not owners or not growing.any():
        return
    least = np.quantile(swinging, LOWEST) if len(swinging) else np.inf
    pair, few = size[growing], values.real[growing] < FASTEST * size[growing]
    if np.any(values.imag[growing] == 0.0) or pair.min() < least or not few.all():
        return
    names = ", ".join(system.model[name].label for name in owners)
    count = int(growing.sum())
    warnings.warn(
        f"{count} mode{'s' * (count > 1)} of '{system.model.name}' grow{'s' * (count == 1)}, from "
        f"{pair.min() / (2 * np.pi):.4g} Hz on, among the highest of the mesh of {names}: elements "
        "of three nodes can do that by themselves, so this is no instability of the structure, and "
        "lower modes are right; order=2, some damping or another number of elements cure it",
        LinkworkWarning, stacklevel=users_line(),
    )  # fmt: skip
