"""What Moreau's time stepping cannot treat, refused by name."""

from __future__ import annotations

import numpy as np

from linkwork.errors import ModelError
from linkwork.system.data import Data


def refuse_what_it_cannot(data: Data) -> None:
    """lw.Moreau knows rigid bodies, joints and explicit forces."""
    system = data.system
    system.refuse_nodes("lw.Moreau")
    system.refuse_held("lw.Moreau")
    for e in system.elements:
        family, label = e.entry.family, system.model[e.owner].label
        if family.memory.path:
            raise ModelError(
                f"lw.Moreau cannot treat {label}, which remembers its path; use "
                "lw.GeneralizedAlpha(), or hard=True where it is a contact"
            )
        if family.inertial or family.velocity:
            raise ModelError(
                f"lw.Moreau cannot treat {label}, since it knows rigid bodies and holonomic joints "
                "alone; use lw.GeneralizedAlpha()"
            )
    for body in system.items:
        J = np.asarray(body.inertia)
        flat = np.linalg.det(J / max(np.abs(J).max(), 1e-300)) <= 0
        if not data.rows and (body.mass <= 0 or flat):
            raise ModelError(
                f"lw.Moreau needs a mass and an inertia of {body.label}, on which impulses act; "
                "give it both"
            )
