"""Contacts where an analysis begins: who cannot treat hard ones, and shapes that overlap.

Nothing of contacts is imported for models without them.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.contact.layout import MARGIN
from linkwork.errors import ModelError
from linkwork.system.compilation.numbering import Element
from linkwork.system.state import State
from linkwork.system.system import System

DEEPEST = 0.05  # depth over the size of the smaller shape


def refuse_hard(system: System, what: str) -> None:
    """For methods and analyses without impulses."""
    for item in system.model.items.values():
        if item.by_impulses:
            raise ModelError(
                f"{what} cannot treat {item.label}, which is hard: use method=lw.Moreau(), or give "
                "it a law such as lw.laws.HuntCrossley(1e6) in place of hard=True"
            )


def depth_of(e: Element, state: State) -> float:
    """How deep the shapes of a contact lie in each other, m; negative where they are apart."""
    from linkwork.elements.contact.depth import contact_depth

    still = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]])
    ends = [
        still if b < 0 else (state.motion[b : b + 1, :3], state.motion[b : b + 1, 3:7])
        for b in e.ends
    ]
    r, q = (list(part) for part in zip(*ends))
    return float(contact_depth(e.entry.integer_row, e.entry.reals[None], r, q)[0])


def refuse_overlaps(system: System, state: State) -> None:
    """Refuse states in which shapes lie in each other further than contact could push them."""
    touching = [e for e in system.elements if e.entry.family.memory.touches]
    if not touching:
        return
    from linkwork.elements.contact.contact import MARGIN_SHARE

    for e in touching:
        depth = depth_of(e, state)
        if depth > DEEPEST * e.entry.reals[MARGIN] / MARGIN_SHARE:
            one, two = (f"body '{system.names[b]}'" if b >= 0 else "the ground" for b in e.ends)
            raise ModelError(
                f"{system.model[e.owner].label}: {one} and {two} overlap by {depth:.3g} m at "
                f"t = {state.time:g}; move them apart, or look for a shape that is too large"
            )
