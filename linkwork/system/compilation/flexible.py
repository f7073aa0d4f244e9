"""Flexible links in a compiled system: which bodies and values are theirs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.flexible.link import FlexibleLink
from linkwork.elements.flexible.parts import FloatingFrame, InterfaceNode, Part
from linkwork.model.model import Model
from linkwork.system.layout import Layout


class FlexibleBody(NamedTuple):
    """A link, the numbers of its floating frame and interface nodes, and its first value."""

    item: FlexibleLink
    frame: int
    nodes: tuple[int, ...]
    first: int

    @property
    def shapes(self) -> int:
        return len(self.item.modal.K)

    @property
    def places(self) -> slice:
        """Its amplitudes among the values of all vector nodes."""
        return slice(self.first, self.first + self.shapes)

    def amplitudes(self, values: np.ndarray, derivative: int = 0) -> np.ndarray:
        """(…, shapes) of values (…, 3, n): amplitudes, their rates or second derivatives."""
        return values[..., derivative, self.places]


def find_links(
    model: Model, items: tuple[Any, ...], layout: Layout
) -> tuple[FlexibleBody, ...]:
    """The links of a model whose bodies are `items`, in order."""
    if not any(isinstance(item, FlexibleLink) for item in model.items.values()):
        return ()
    parts: dict[int, dict[type, list[int]]] = {}
    for b, body in enumerate(items):
        if isinstance(body, Part):
            parts.setdefault(id(body.link), {}).setdefault(type(body), []).append(b)
    first = {id(node): int(at) for node, at in zip(layout.nodes, layout.first)}
    found = []
    for item in model.items.values():
        if isinstance(item, FlexibleLink) and id(item.amplitudes) in first:
            mine, at = parts[id(item)], first[id(item.amplitudes)]
            nodes = tuple(mine[InterfaceNode])
            found.append(FlexibleBody(item, mine[FloatingFrame][0], nodes, at))
    return tuple(found)
