"""The extent of what constraints join: a length for each body that other bodies do not change."""

from __future__ import annotations

import numpy as np

from linkwork.model.frame import GROUND
from linkwork.system.compilation.tables import extent
from linkwork.system.system import System


def extents(system: System) -> np.ndarray:
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
        mine = {part[b] for b in ends if b is not None}
        for frame, end in zip(frames, ends, strict=True):
            if frame.body is GROUND:
                for k in mine:
                    points[k].append(frame.position)
            elif end is not None:
                arms.setdefault(part[end], []).append(float(np.linalg.norm(frame.position)))
    table, L = system.inertias, np.zeros(system.bodies)
    for k, places in points.items():
        inside = part == k
        L[inside] = extent(np.array(places), arms.get(k, []), table[inside]) or 1.0
    return L


def parts(system: System) -> np.ndarray:
    """A number for each body; those that constraints join, or that are of one item, share it."""
    part = np.arange(system.bodies)
    pairs = [
        (pair[0], pair[1]) for element in system.elements if element.entry.rows
        for pair in zip(element.ends, element.ends[1:])
    ]  # fmt: skip
    at = {name: b for b, name in enumerate(system.names)}
    for item in system.model.items.values():
        nodes = [at[body.name] for body in item.bodies()]
        pairs += [*zip(nodes, nodes[1:])]
    graph: dict[int, list[int]] = {}
    for a, b in pairs:
        if min(a, b) >= 0:
            graph.setdefault(a, []).append(b)
            graph.setdefault(b, []).append(a)
    seen: set[int] = set()
    for first in range(system.bodies):
        near = [first] if first not in seen else []
        for group in near:
            if group not in seen:
                seen.add(group)
                near += graph.get(group, [])
                if group < system.bodies:
                    part[group] = first
    return part
