"""The extent of what constraints join: a length for each body that other bodies do not change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from linkwork.model.frame import GROUND
from linkwork.system.compilation.tables import extent

if TYPE_CHECKING:
    from linkwork.system.compilation.compiled_model import CompiledModel


def extents(system: CompiledModel) -> np.ndarray:
    """Of every body the extent of the bodies that constraints join to it, and of their markers."""
    part = parts(system)
    number = {id(body): b for b, body in enumerate(system.items)}
    points: dict[int, list[np.ndarray]] = {}
    arms: dict[int, list[float]] = {}
    for b, body in enumerate(system.items):
        points.setdefault(part[b], []).append(np.asarray(body.position, float))
    for item in system.model.items.values():
        frames = getattr(item, "frames", ())
        ends = [number.get(id(frame.body)) for frame in frames]
        own = {part[b] for b in ends if b is not None}
        for frame, end in zip(frames, ends, strict=True):
            if frame.body is GROUND:
                for k in own:
                    points[k].append(frame.position)
            elif end is not None:
                arm = float(np.sqrt(frame.position @ frame.position))
                arms.setdefault(part[end], []).append(arm)
    table, L, numbers = system.inertias, np.zeros(system.bodies), np.array(part)
    for k, places in points.items():
        inside = numbers == k
        L[inside] = extent(np.array(places), arms.get(k, []), table[inside]) or 1.0
    return L


def parts(system: CompiledModel) -> list[int]:
    """A number for each body; those that constraints join, or that are of one item, share it."""
    groups = system.bodies + len(system.layout.nodes)
    pairs = [pair for e in system.elements if e.entry.rows for pair in zip(e.ends, e.ends[1:])]
    at = {name: b for b, name in enumerate(system.names)}
    for item in system.model.items.values():
        nodes = [at[body.name] for body in item.bodies()]
        pairs += zip(nodes, nodes[1:])
    pairs = [pair for pair in pairs if min(pair) >= 0]
    return joined(pairs, groups)[0][: system.bodies]


def joined(pairs: Iterable[tuple[int, int]], size: int) -> tuple[list[int], list[bool]]:
    """The part to which every vertex belongs, by its first vertex; which edges, in turn, joined two
    parts (union-find)."""
    root, new = list(range(size)), []
    for u, v in pairs:
        while root[u] != u:
            root[u] = u = root[root[u]]
        while root[v] != v:
            root[v] = v = root[root[v]]
        new.append(u != v)
        root[max(u, v)] = min(u, v)
    for u in range(size):  # roots come first
        root[u] = root[root[u]]
    return root, new
