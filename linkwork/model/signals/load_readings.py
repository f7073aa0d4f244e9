"""Readings of loads whose force is a formula of the motion and of their drives.

    spring          k (l − l₀) + c l̇ + N₀,       l and l̇ readings of its points
    joint torque    its drive;                    force   y(t, …) F₀·e

A reading names its load and is worked out when a model is compiled, from the numbers and the drive
that the load has then.  Drives of loads may read other loads; one that would read itself, over
others too, is an algebraic loop and is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from linkwork.errors import DriveError, ModelError
from linkwork.model.drives import Drive

_open: list[tuple[Any, str]] = []  # what is being worked out: loads and quantities


@dataclass(frozen=True)
class LoadReading(Drive):
    """A number of a load, such as the force of a spring.  See `reads`.

    axis : three numbers, or None where the number is along the load's own axis
    """

    item: Any
    quantity: str
    axis: tuple[float, ...] | None = None

    def _detail(self) -> str:
        return f"{self.quantity} of {self.item.label}"

    def worked_out(self) -> Drive:
        """The formula that it stands for now, without readings of loads among its parts."""
        here = (self.item, self.quantity)
        loads = [item for item, _ in _open]
        if any(item is self.item for item in loads):
            around = [*_open[next(i for i, x in enumerate(loads) if x is self.item) :], here]
            named = " reads ".join(f"the {q} of {item.label}" for item, q in around)
            raise DriveError(
                f"{named}: an algebraic loop; read something of the motion instead, or let the "
                "state of a lw.TransferFunction stand between them"
            )
        _open.append(here)
        try:
            return resolved(self.item.load_formula(self.quantity, self.axis))
        finally:
            _open.pop()

    def _jet(self, t: np.ndarray) -> np.ndarray:
        return self.worked_out().jet(t)

    def _values(self, t: np.ndarray) -> np.ndarray:
        return self.worked_out().values(t)

    def to_dict(self) -> dict[str, Any]:
        if not self.item.name:
            raise ModelError(f"a reading of {self.item.label}, which is in no model, is not stored")
        axis = None if self.axis is None else list(self.axis)
        words = {"quantity": self.quantity, "axis": axis}
        return {"drive": "loadreading", **words, "item": {"frame": {"item": self.item.name}}}


def resolved(drive: Drive) -> Drive:
    """The drive with every reading of a load replaced by the formula that it stands for now."""
    if isinstance(drive, LoadReading):
        return drive.worked_out()
    changed: dict[str, Any] = {}
    for f in fields(drive):
        value = getattr(drive, f.name)
        if isinstance(value, Drive):
            new: Any = resolved(value)
        elif isinstance(value, tuple) and any(isinstance(x, Drive) for x in value):
            new = tuple(resolved(x) if isinstance(x, Drive) else x for x in value)
            new = value if all(a is b for a, b in zip(new, value)) else new
        else:
            continue
        if new is not value:
            changed[f.name] = new
    return replace(drive, **changed) if changed else drive


def loads_read(drive: Drive) -> list[Any]:
    """The loads that a drive reads itself."""
    if isinstance(drive, LoadReading):
        return [drive.item]
    parts = [getattr(drive, f.name) for f in fields(drive)]
    flat = [x for part in parts for x in (part if isinstance(part, tuple) else (part,))]
    return [load for x in flat if isinstance(x, Drive) for load in loads_read(x)]
