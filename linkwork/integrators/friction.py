"""What friction asks of a method, and who must refuse it.

A load that is a reaction is part of what the equations are solved for; and bristles follow the path
from one accepted step to the next.
"""

from __future__ import annotations

from linkwork.elements.contact.layout import FRICTION, SMOOTH
from linkwork.errors import ModelError
from linkwork.system.system import System


def refuse_loads(system: System, method: str) -> None:
    """Refuse friction whose load is part of what the equations are solved for."""
    for e in system.elements:
        if e.entry.loaded and e.entry.family.answers < 0:  # others are sensors
            raise ModelError(
                f"lw.{method} cannot treat {system.model[e.owner].label}, which is loaded by the "
                "reactions of a joint; use lw.GeneralizedAlpha()"
            )


def refuse_bristles(system: System, method: str, other: str) -> None:
    """Refuse friction where steps go past the times at which its path is noted."""
    for e in system.elements:
        reads = e.entry.family.reads and e.entry.family.answers < 0
        if reads or (e.entry.family.memory.touches and e.entry.integers[FRICTION] != SMOOTH):
            raise ModelError(
                f"{method} cannot treat {system.model[e.owner].label}, whose bristles follow the "
                f"path step by step, since it takes steps of its own past the times of h; use "
                f"{other}"
            )
