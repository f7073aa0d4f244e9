"""Which shapes may touch: all shapes of hard contacts, and a sweep over them.

Shapes are sorted along the axis in which they are spread most, and only those whose intervals
overlap are compared (D. Baraff, PhD thesis, Cornell 1992: sweep and prune).  Planes are compared
with all.  A table of groups says which contact two shapes belong to: bodies that take part in the
same contacts are one group.  Bodies with equal shapes share the numbers of their pairs, so that a
heap of equal balls has one row of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.contact.contact import Contact
from linkwork.elements.contact.layout import (
    CENTRE_A, CENTRE_B, LAW, MARGIN, RADIUS_A, RADIUS_B, REACH_A, REACH_B,
    TABLE_POINTS,
)  # fmt: skip
from linkwork.elements.contact.pairing import pairs_of
from linkwork.elements.contact.geometry.shapes import Solid
from linkwork.elements.layout import POS, ROT
from linkwork.kernels.compiled import compiled
from linkwork.kernels.vectors import add, at, at9, mv
from linkwork.model.frame import GROUND
from linkwork.system.system import System

HEAD = MARGIN + 1  # numbers of a pair before its geometry, as elements have them
INFINITE = 1e20
TOUCH = 1e-4  # of the smallest shape: the gap below which shapes touch


class Shapes(NamedTuple):
    """The shapes of hard contacts, one row each."""

    body: np.ndarray  # row of `nodes`
    centre: np.ndarray  # (n, 3) in body axes
    reach: np.ndarray
    group: np.ndarray
    like: np.ndarray  # equal shapes have equal numbers


class Candidates:
    """All shapes of a model's hard contacts, and the numbers of pairs that were met so far."""

    def __init__(self, system: System) -> None:
        self.contacts = hard_contacts(system)
        numbers = {id(body): i for i, body in enumerate(system.items)}
        members: dict[int, list[tuple[int, str]]] = {}
        bodies: dict[int, Any] = {}
        for k, contact in enumerate(self.contacts):
            for word, given in (("a", contact.a), ("b", contact.b)):
                for body in given if isinstance(given, (list, tuple)) else [given]:
                    if body is None:
                        continue
                    bodies[id(body)] = body
                    members.setdefault(id(body), []).append((k, word))
        kinds = sorted({tuple(sorted(x)) for x in members.values()})
        self.solids: list[Solid] = []
        rows: list[tuple[int, float, int, int]] = []
        known: dict[bytes, int] = {}
        for key, body in bodies.items():
            contact = self.contacts[members[key][0][0]]
            number = system.bodies if body is GROUND else numbers[key]
            for solid in contact.solids(body):
                like = known.setdefault(fingerprint(solid), len(known))
                rows.append((number, solid.reach, kinds.index(tuple(sorted(members[key]))), like))
                self.solids.append(solid)
        finite = [s.size for s in self.solids if np.isfinite(s.size)]
        self.size = min(finite, default=1.0)
        self.active = TOUCH * self.size
        self.shapes = Shapes(
            np.array([r[0] for r in rows], np.int64),
            np.array([s.centre for s in self.solids]).reshape(-1, 3),
            np.array([min(r[1] + self.active, INFINITE) for r in rows]),
            np.array([r[2] for r in rows], np.int64), np.array([r[3] for r in rows], np.int64),
        )  # fmt: skip
        self.table = self._table(kinds)
        self.first = np.full((len(known), len(known), 2), -1, np.int64)  # rows of a pair, how many
        self.rows = np.zeros((0, HEAD))
        self.codes = np.zeros((0, LAW), np.int64)

    def _table(self, kinds: list[tuple[tuple[int, str], ...]]) -> np.ndarray:
        """The contact of two groups, −1 for none."""
        table = np.full((len(kinds), len(kinds)), -1, np.int64)
        for i, one in enumerate(kinds):
            for j, two in enumerate(kinds):
                for k, contact in enumerate(self.contacts):
                    a, b = {w for c, w in one if c == k}, {w for c, w in two if c == k}
                    within = contact.b is None and "a" in a and "a" in b
                    if within or ("a" in a and "b" in b) or ("b" in a and "a" in b):
                        table[i, j] = k
                        break
        return table

    def learn(self, i: int, j: int) -> None:
        """Numbers of the pair of shapes i and j, which was not met before."""
        one, two = self.solids[i], self.solids[j]
        contact = self.contacts[self.table[self.shapes.group[i], self.shapes.group[j]]]
        found = pairs_of(one, two, contact.label)
        made, codes = [], []
        for pair, flipped in found:
            a, b = (two, one) if flipped else (one, two)
            row = np.zeros(HEAD + len(pair.geometry))
            row[RADIUS_A], row[RADIUS_B] = pair.radius_a, pair.radius_b
            row[REACH_A], row[REACH_B] = a.reach, b.reach
            row[CENTRE_A : CENTRE_A + 3], row[CENTRE_B : CENTRE_B + 3] = a.centre, b.centre
            row[MARGIN], row[HEAD:] = self.active, pair.geometry
            made.append(row)
            codes.append([*pair.codes(HEAD, flipped), *[0] * (LAW - TABLE_POINTS)])
        width = max([self.rows.shape[1], *(len(row) for row in made)])
        grown = np.zeros((len(self.rows) + len(made), width))
        grown[: len(self.rows), : self.rows.shape[1]] = self.rows
        for k, row in enumerate(made):
            grown[len(self.rows) + k, : len(row)] = row
        u, v = self.shapes.like[i], self.shapes.like[j]
        self.first[u, v] = len(self.rows), len(made)
        self.rows = grown
        added = np.array(codes, np.int64).reshape(-1, LAW)
        self.codes = np.concatenate([self.codes, added])


def hard_contacts(system: System) -> list[Contact]:
    """The hard contacts of a model."""
    items: Any = system.model.items.values()
    return [item for item in items if item.by_impulses]


def fingerprint(solid: Solid) -> bytes:
    """Equal for equal shapes at equal places of their bodies."""
    parts = [solid.centre, solid.axes, solid.half, np.array([solid.radius])]
    parts += [x for x in (solid.triangles, solid.heights) if x is not None]
    return solid.kind.encode() + b"".join(np.ascontiguousarray(x, float).tobytes() for x in parts)


@compiled
def sweep(shapes, table, nodes, centres, order, pairs):
    """Pairs of shapes whose balls overlap, at most as many as `pairs` has room for; how many there
    are.  order: of the last sweep, nearly sorted."""
    n = shapes.body.size
    low = np.zeros(3)
    high = np.zeros(3)
    low[:], high[:] = 1e300, -1e300
    for i in range(n):
        b = shapes.body[i]
        c = add(at(nodes, b, POS), mv(at9(nodes, b, ROT), at(shapes.centre, i, 0)))
        for k in range(3):
            centres[i, k] = c[k]
            if shapes.reach[i] < INFINITE:
                low[k], high[k] = min(low[k], c[k]), max(high[k], c[k])
    axis = 0
    for k in range(1, 3):
        if high[k] - low[k] > high[axis] - low[axis]:
            axis = k
    for i in range(1, n):  # insertion: nearly sorted by the step before
        moving = order[i]
        begin = centres[moving, axis] - shapes.reach[moving]
        j = i - 1
        while j >= 0 and centres[order[j], axis] - shapes.reach[order[j]] > begin:
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = moving
    count = 0
    for p in range(n):
        i = order[p]
        end = centres[i, axis] + shapes.reach[i]
        for q in range(p + 1, n):
            j = order[q]
            if centres[j, axis] - shapes.reach[j] > end:
                break
            if shapes.body[i] == shapes.body[j] or table[shapes.group[i], shapes.group[j]] < 0:
                continue
            reach = shapes.reach[i] + shapes.reach[j]
            if reach < INFINITE:
                square = 0.0
                for k in range(3):
                    square += (centres[i, k] - centres[j, k]) ** 2
                if square > reach * reach:
                    continue
            if count < pairs.shape[0]:
                pairs[count, 0], pairs[count, 1] = min(i, j), max(i, j)
            count += 1
    return count
