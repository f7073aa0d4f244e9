"""Readings of vector nodes: the value q_i or the rate q̇_i of one of their unknowns.

They are parts of drives as readings of frames are (model.signals.readings).
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import DriveError, ModelError
from linkwork.model.drives import Drive
from linkwork.model.nodes import Node

QUANTITIES = ("value", "rate")


@dataclass(frozen=True)
class ValueReading(Drive):
    """The value or rate of a vector node that an item brings.  See `reads`.

    which : number of the node among those of the item;   component : of its unknown
    """

    item: Any
    quantity: str
    which: int = 0
    component: int = 0
    follows: ClassVar[bool] = True

    @property
    def node(self) -> Node:
        found: Node = self.item.vector_nodes()[self.which]
        return found

    def _detail(self) -> str:
        return f"{self.quantity} of {self.item.label}"

    def _jet(self, t: np.ndarray) -> np.ndarray:
        raise DriveError(
            f"{self.label}: expected a function of time alone, found one that reads the motion; it "
            "has a value only while the model moves"
        )

    def to_dict(self) -> dict[str, Any]:
        if not self.item.name:
            raise ModelError(f"a reading of {self.item.label}, which is in no model, is not stored")
        words = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "what"}
        return {"drive": "valuereading", **words, "item": {"frame": {"item": self.item.name}}}

    def reads_the_same(self, other: Drive) -> bool:
        return (
            isinstance(other, ValueReading) and self.item is other.item
            and (self.quantity, self.which, self.component)
            == (other.quantity, other.which, other.component)
        )  # fmt: skip


def value_reading(item: Any, quantity: str, component: Any = None) -> ValueReading:
    """What `reads` gives of an item with vector nodes: a value by its name, or name_rate.

    component : which of several unknowns, by its number from 0 or its name
    """
    offered: dict[str, tuple[str, int, Node]] = {}
    for which, node in enumerate(item.vector_nodes()):
        name = node.kind.name.replace(" ", "_")
        offered[name], offered[f"{name}_rate"] = ("value", which, node), ("rate", which, node)
    if quantity not in offered:
        near = difflib.get_close_matches(str(quantity), offered, n=1)
        raise DriveError(
            f"a reading of {item.label}: expected one of {', '.join(offered)}, found {quantity!r}"
            + (f"; did you mean {near[0]!r}?" if near else "")
        )
    what, which, node = offered[quantity]
    if what == "rate" and node.kind.order == 0:
        raise DriveError(
            f"a reading of {item.label}: {quantity} is in no equation, because those of "
            f"{node.label} have no rates; read {node.kind.name}, or a node of order one"
        )
    names = node.kind.components
    if component is None and node.size == 1:
        component = 0
    if isinstance(component, str) and component in names:
        component = names.index(component)
    if (
        not isinstance(component, (int, np.integer)) or isinstance(component, bool)
        or not 0 <= component < node.size
    ):  # fmt: skip
        raise DriveError(
            f"a reading of {item.label}: expected which of the {node.size} components of "
            f"{quantity} is meant, a number from 0 to {node.size - 1}, found {component!r}"
        )
    return ValueReading(item, what, which, int(component))
