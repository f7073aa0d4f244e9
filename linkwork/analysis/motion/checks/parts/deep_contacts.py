"""Shapes that sink into each other further than their law can mean.

Depths of a contact with a force law are to be small against the shapes.  Where a law is too soft
for what hits, shapes come near to the place where the normal turns round, beyond which the contact
pushes on instead of back.  Depths beyond the half thickness d of the smaller shape are told; planes
have no other side, and their law may be as soft as it likes.  Depths are only looked for where
there is the energy for them,

    max T + m g d > ∫₀ᵈ N(δ) dδ
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.analysis.motion.checks.parts.passages import ENDLESS, of_body
from linkwork.elements.contact.contact import MARGIN_SHARE, Contact
from linkwork.elements.contact.depth import contact_depth
from linkwork.elements.contact.layout import MARGIN, REACH_A, REACH_B
from linkwork.elements.corners import Corner
from linkwork.elements.laws.base import STRESS, addresses, over_times
from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.outputs import totals
from linkwork.results.result import Result

POINTS = 65  # of the integral


def warn_of_deep_contacts(result: Result) -> None:
    """Say so where two shapes were as deep in each other as the smaller is thick by half."""
    system = result.system
    elements = [
        e for e in system.elements
        if isinstance(system.model[e.owner], Contact)
        and max(e.entry.reals[REACH_A], e.entry.reals[REACH_B]) < ENDLESS
    ]  # fmt: skip
    if not elements or not np.all(np.isfinite(result.motion[-1])):
        return
    kinetic = float(np.max(totals.kinetic_energy(result)))
    weight = system.mass * system.bodies * float(np.linalg.norm(system.model.gravity))
    for e in elements:
        half = float(e.entry.reals[MARGIN]) / MARGIN_SHARE
        if not kinetic + weight * half > work_of_law(e.entry.corner, half):
            continue
        (ra, qa, _), (rb, qb, _) = (of_body(result, b) for b in e.ends)
        integers, row = e.entry.numbers
        depth = contact_depth(integers, row[None], (ra, rb), (qa, qb))
        k = int(np.argmax(depth))
        if depth[k] > half:
            one, two = (f"body '{system.names[b]}'" if b >= 0 else "the ground" for b in e.ends)
            warnings.warn(
                f"{system.model[e.owner].label}: {one} and {two} are {depth[k]:.3g} m deep in each "
                f"other at t = {result.time[k]:.4g}, more than the half thickness {half:.3g} m of "
                "the smaller: the law is too soft for what presses, and what follows is off; take "
                "a stiffer one, or hard=True with method=lw.Moreau()",
                LinkworkWarning, stacklevel=users_line(),
            )  # fmt: skip
            return


def work_of_law(corner: Corner, depth: float) -> float:
    """∫ N dδ of a law up to a depth, at rest."""
    depths = np.linspace(0, depth, POINTS)
    numbers = np.tile(corner.numbers, (POINTS, 1))
    found = over_times(addresses(corner.integers), numbers, depths[:, None])
    force = np.maximum(found[:, STRESS], 0.0)
    return float(np.sum((force[1:] + force[:-1]) / 2) * depth / (POINTS - 1))
