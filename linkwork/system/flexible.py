"""Flexible links in a compiled system: which bodies are theirs, and the tables of their kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.flexible.inertia import (
    BODIES,
    FF,
    FQ,
    INTS,
    MOST_CARRIERS,
    QF,
    QQ,
    REAL,
    SCRATCH,
    F,
    M,
    link_reals,
)  # fmt: skip
from linkwork.elements.flexible.link import FlexibleLink
from linkwork.elements.flexible.parts import (
    AMPLITUDES,
    Carrier,
    FloatingFrame,
    InterfaceNode,
    Part,
)  # fmt: skip
from linkwork.model.model import Model
from linkwork.system.pattern import Pattern


class FlexibleBody(NamedTuple):
    """A link and the numbers of its bodies: floating frame, interface nodes, carriers."""

    item: FlexibleLink
    frame: int
    nodes: tuple[int, ...]
    carriers: tuple[int, ...]

    @property
    def shapes(self) -> int:
        return len(self.item.modal.K)

    def amplitudes(self, motion: np.ndarray, first: int = 0) -> np.ndarray:
        """(…, shapes) of motions (…, bodies, 13); first = 7 for their rates."""
        found = motion[..., list(self.carriers), first : first + AMPLITUDES]
        return found.reshape(*motion.shape[:-2], -1)[..., : self.shapes]


def find_links(model: Model, items: tuple[Any, ...]) -> tuple[FlexibleBody, ...]:
    """The links of a model whose bodies are `items`, in order."""
    if not any(isinstance(item, FlexibleLink) for item in model.items.values()):
        return ()
    parts: dict[int, dict[type, list[int]]] = {}
    for b, body in enumerate(items):
        if isinstance(body, Part):
            parts.setdefault(id(body.link), {}).setdefault(type(body), []).append(b)
    found = []
    for item in model.items.values():
        if isinstance(item, FlexibleLink):
            mine = parts[id(item)]
            nodes, carriers = tuple(mine[InterfaceNode]), tuple(mine[Carrier])
            found.append(FlexibleBody(item, mine[FloatingFrame][0], nodes, carriers))
    return tuple(found)


def flexible_tables(
    links: tuple[FlexibleBody, ...], pattern: Pattern
) -> tuple[np.ndarray, np.ndarray]:
    """Ints (links, INTS) and reals (1, n) of the kernel of flexible links."""
    ints = np.zeros((len(links), INTS), np.int64)
    reals = [link_reals(link.item.modal) for link in links]
    begin = 0
    for row, link, numbers in zip(ints, links, reals, strict=True):
        row[M], row[F], row[REAL] = link.shapes, link.frame, begin
        begin += len(numbers)
        row[FF] = pattern.block(link.frame, link.frame)
        for i, a in enumerate(link.carriers):
            row[BODIES + i] = a
            row[FQ + i], row[QF + i] = pattern.block(link.frame, a), pattern.block(a, link.frame)
            for j, b in enumerate(link.carriers):
                row[QQ + MOST_CARRIERS * i + j] = pattern.block(a, b)
    scratch = np.zeros(SCRATCH if links else 0)
    return ints, np.concatenate([*reals, scratch])[None]


def lumped(bodies: np.ndarray, links: tuple[FlexibleBody, ...]) -> np.ndarray:
    """Mass and inertia of all bodies, those of undeformed links in the rows of their frames."""
    table = bodies.copy()
    for link in links:
        modal = link.item.modal
        inertia = modal.Jbar + np.trace(modal.P0) * np.eye(3) - modal.P0
        table[link.frame, 0], table[link.frame, 1:] = modal.mass, inertia.ravel()
        table[list(link.carriers), 0] = modal.mass
    return table
