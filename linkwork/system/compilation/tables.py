"""From elements to flat tables: one row of ints and reals per element, family by family."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.elements.bodies.body import BODY_REALS
from linkwork.elements.layout import int_width, row_width
from linkwork.elements.signals.signals import slope_places, slopes_of
from linkwork.errors import ModelError
from linkwork.kernels.kernel import KernelTable, NullFunction, kernel_table
from linkwork.kernels.memory.addresses import address_of
from linkwork.linear_algebra.pattern import Pattern
from linkwork.model.frame import GROUND
from linkwork.model.model import Model
from linkwork.model.nodes import Node
from linkwork.system.compilation.numbering import families_of
from linkwork.system.evaluate import (
    DIRECTORY_COLUMNS,
    END_COLUMNS,
    SIGNAL_COLUMNS,
    SLOTS,
    Tables,
)  # fmt: skip
from linkwork.system.layout import REFERENCE_END, SIX, Layout

if TYPE_CHECKING:
    from linkwork.system.compilation.numbering import Element

ROUNDINGS = 16  # of positions in a correction, with what the elimination adds
LEAST_ROUND_OFF, MOST_ROUND_OFF = 1e-12, 1e-10  # rad
FAR = 1e100  # squares of lengths, and of these, must be finite


class ActiveRows(NamedTuple):
    """Where the ints of a family name its constraint rows, and the multipliers that it reads.

    A row that an element lacks, and a multiplier that it does not read, is −1.
    """

    ints: slice  # of all elements of the family
    width: int  # ints of an element
    column: int  # of the first number that depends on the active rows
    ends: int
    first: np.ndarray  # (n,) first row of each element, among all rows
    rows: np.ndarray  # (n, rows of the family) numbers among all rows
    read: np.ndarray  # (n, reads of the family) rows whose multipliers it reads
    reading: int  # column of the first of these

    def write(self, ints: np.ndarray, keep: np.ndarray) -> None:
        """Number the rows `keep` of all rows in the ints of the elements."""
        number = np.append(np.cumsum(keep) - 1, -1)
        none = int(keep.sum())
        kept = np.append(keep, False)
        of_family = ints[self.ints].reshape(-1, self.width)
        if n := self.rows.shape[1]:
            active = kept[self.rows]
            count = active.sum(axis=1)
            equation = np.where(active, number[self.rows], none)
            listed = np.argsort(equation, axis=1, kind="stable")
            listed[np.arange(n) >= count[:, None]] = 0
            at = self.column
            before = np.concatenate([[0], np.cumsum(keep)])
            of_family[:, at] = np.where(count > 0, before[self.first], 0)
            of_family[:, at + 1] = count
            at += 3 + self.ends
            of_family[:, at : at + n] = listed
            of_family[:, at + n : at + 2 * n] = equation
        if reads := self.read.shape[1]:
            where = np.where(kept[self.read], number[self.read], none)
            of_family[:, self.reading : self.reading + reads] = where


def make_tables(
    model: Model, items: tuple[Any, ...], elements: Sequence[Element], pattern: Pattern,
    groups: list[int], layout: Layout, last: int = 0,
) -> tuple[Tables, tuple[Any, ...], KernelTable, tuple[ActiveRows, ...]]:  # fmt: skip
    """Tables, motion laws, kernels and the places of rows of elements, all of whose rows constrain.

    last : so many elements, the last ones, add to the blocks of others before them
    """
    families = families_of(elements)
    if len(families) > SLOTS:
        raise ModelError(f"a model may use {SLOTS} element families, but {len(families)} are used")
    owned: dict[str, list[int]] = {}
    for i, e in enumerate(elements):
        owned.setdefault(e.owner, []).append(i)
    ints: list[np.ndarray] = []
    reals: list[np.ndarray] = []
    memory: list[np.ndarray] = []
    directory, first_int, first_real, first_memory = [], {}, {}, {}
    laws, targets = [], []
    active: list[ActiveRows] = []
    n_int = n_real = n_memory = 0
    for slot, family in enumerate(families):
        mine = [i for i, e in enumerate(elements) if e.entry.family == family]
        wi, remembered = ints_of(family), family.memory.size
        directory.append(
            [slot, len(mine), n_int, wi, n_real, family.reals, n_memory, remembered]
        )
        alike: dict[bytes, int] = {}
        for i in mine:
            e = elements[i]
            first_int[i], first_real[i], first_memory[i] = n_int, n_real, n_memory
            adds = i >= len(elements) - last
            ints.append(_element_ints(e, family, pattern, groups[i], layout, adds))
            if family.shares:
                ints.append(np.array([_back_to_same(e.entry, alike, n_real)], np.int64))
            if family.reads:
                ints.append(np.zeros(family.reads, np.int64))
            if family.integers:
                ints.append(e.entry.integer_row)
            for law in e.entry.laws:
                if law.signal is not None:
                    continue
                laws.append((i, law))
                targets.append(n_real + law.column + np.arange(law.length))
            reals.append(np.asarray(e.entry.reals, float))
            memory.append(np.asarray(e.entry.memory, float))
            n_int += wi
            n_real += family.reals
            n_memory += remembered
        if family.rows or family.reads:
            part = [elements[i] for i in mine]
            active.append(_active_rows(part, slice(n_int - wi * len(mine), n_int), elements, owned))
    bodies, blocks = _body_tables(items, pattern)
    signals, signal_ends = _signals(elements, families, first_int, first_real, first_memory)
    tables = Tables(
        directory=np.array(directory, dtype=np.int64).reshape(-1, DIRECTORY_COLUMNS),
        ints=np.concatenate(ints) if ints else np.zeros(0, np.int64),
        reals=np.concatenate(reals) if reals else np.zeros(0),
        memory=np.concatenate(memory) if memory else np.zeros(0),
        bodies=bodies,
        blocks=blocks,
        gravity=np.array(model.gravity, float),
        indptr=pattern.indptr,
        indices=pattern.indices,
        places=pattern.places,
        motions=np.array([pattern.motions]),
        targets=np.concatenate(targets).astype(np.int64) if targets else np.zeros(0, np.int64),
        signals=signals,
        signal_ends=signal_ends,
        signal_family_count=np.array([sum(family.signal for family in families)]),
        sensors=_sensors(elements, first_int, first_real, layout),
        answers=np.zeros((0, 0)),
        updates=np.zeros((0, 2, 0)),
    )  # fmt: skip
    kernels = [f.kernel for f in families] + [NullFunction()] * (SLOTS - len(families))
    for rows in active:
        rows.write(tables.ints, np.ones(pattern.rows, bool))
    return tables, tuple(laws), kernel_table(kernels), tuple(active)


def ints_of(family: Any) -> int:
    """How many ints an element has, with those of what it reads and its own."""
    told = (family.whole and not family.rows) + family.shares
    return int_width(family.bodies, family.rows) + family.reads + told + int(family.integers)


def write_addresses(tables: Tables, families: Sequence[Any], elements: Sequence[Element]) -> None:
    """Write the addresses of this process into the tables of a system from another process."""
    rows = {
        family: iter(tables.ints[first : first + count * width].reshape(count, width))
        for family, (_, count, first, width, *_) in zip(families, tables.directory.tolist())
    }
    for e in elements:
        row = next(rows[e.entry.family])
        for column, x in enumerate(e.entry.integers, -int(e.entry.family.integers)):
            if not isinstance(x, (int, np.integer)):
                row[column] = address_of(x)


def _back_to_same(entry: Any, alike: dict[bytes, int], here: int) -> int:
    """How many elements before one whose numbers are at `here` the same numbers stood first."""
    if entry.laws:  # they change
        return 0
    numbers = np.asarray(entry.reals, float).tobytes() + entry.integer_row.tobytes()
    same = alike.setdefault(numbers, here)
    return (here - same) // int(entry.family.reals)


def _sensors(
    elements: Sequence[Element], first_int: dict[int, int], first_real: dict[int, int],
    layout: Layout,
) -> np.ndarray:  # fmt: skip
    """Of every node that follows multipliers: its unknown, where its slopes are among the reals,
    and where its ints name the three multipliers."""
    rows = []
    for i, e in enumerate(elements):
        family = e.entry.family
        if family.answers >= 0:
            read = first_int[i] + int_width(family.bodies, family.rows)
            unknown = layout.rigid + layout.end(e.ends[0])
            rows.append([unknown, first_real[i] + family.answers, read, read + 1, read + 2])
    return np.array(rows, np.int64).reshape(-1, 5)


def _signals(
    elements: Sequence[Element], families: list[Any], first_int: dict[int, int],
    first_real: dict[int, int], first_memory: dict[int, int],
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Rows of `Tables.signals` and `signal_ends` (system.evaluate): which element computes a
    number, which has it, and what is at the ends of the first."""
    numbered = {id(e.entry): i for i, e in enumerate(elements)}
    rows: list[list[int]] = []
    ends: list[tuple[int, ...]] = []
    for i, e in enumerate(elements):
        if not e.entry.family.signal:
            continue
        entry, law, loaded = e.entry.acts_on
        target = numbered[id(entry)]
        family = entry.family
        rows.append([
            first_real[i], len(ends), len(e.ends), loaded, first_int[i],
            first_real[target] + law.column, families.index(family), first_int[target],
            ints_of(family), first_real[target], family.reals, -1, first_memory[target],
            family.memory.size,
        ])  # fmt: skip
        places = slope_places(e.entry.bodies, slopes_of(e.entry))
        for end, group, place in zip(e.entry.bodies, e.ends, places, strict=True):
            node, size = isinstance(end, Node), 0 if group == REFERENCE_END else SIX
            if isinstance(end, Node):
                size = end.size
            ends.append((size, first_real[i] + place, int(node), row_width(size)))
    return (
        np.array(rows, np.int64).reshape(-1, SIGNAL_COLUMNS),
        np.array(ends, np.int64).reshape(-1, END_COLUMNS),
    )


def _element_ints(
    e: Element, family: Any, pattern: Pattern, group: int, layout: Layout, adds: bool
) -> np.ndarray:
    """Its ints; adds: to blocks between its bodies, whoever else does."""
    ends = e.ends
    out = [layout.end(b) for b in ends]
    place = pattern.block_or_spare if family.signal else pattern.block
    out += [place(a, b) for a in ends for b in ends]
    if family.whole and not family.rows:
        out += [int(all(pattern.own(a, b) for a in ends for b in ends if a != b))]
    if family.rows:
        out += [0, 0]  # which rows are active follows (ActiveRows)
        if group < 0:  # it holds nothing
            out += [pattern.block(-1, -1)] * len(ends) + [0]
        else:
            out += [pattern.block(group, b) for b in ends]
            out += [int(len(ends) == 2 and pattern.own(*ends) and not adds)]
        out += [0] * (2 * family.rows)
    return np.array(out, dtype=np.int64)


def _active_rows(
    part: Sequence[Element], ints: slice, elements: Sequence[Element], owned: dict[str, list[int]]
) -> ActiveRows:
    """The rows of the elements of a family, and those whose multipliers they read."""
    family = part[0].entry.family
    rows = np.full((len(part), family.rows), -1, np.int64)
    read = np.full((len(part), family.reads), -1, np.int64)
    for k, e in enumerate(part):
        rows[k, list(e.entry.rows)] = e.rows
        for j, (item, which, row) in enumerate(e.entry.reads):
            of_item = owned.get(item.name, [])
            if which >= len(of_item):  # an element by itself, for drawing
                continue
            joint = elements[of_item[which]]
            if row in joint.entry.rows:
                read[k, j] = joint.rows[joint.entry.rows.index(row)]
    first = np.array([e.first_row for e in part], np.int64)
    column, width = family.bodies + family.bodies**2, ints_of(family)
    reading = width - family.integers - family.reads
    return ActiveRows(ints, width, column, family.bodies, first, rows, read, reading)


def _body_tables(items: tuple[Any, ...], pattern: Pattern) -> tuple[np.ndarray, np.ndarray]:
    bodies = np.zeros((len(items), BODY_REALS))
    blocks = np.zeros(len(items), dtype=np.int64)
    for b, body in enumerate(items):
        bodies[b, 0] = body.mass
        bodies[b, 1:] = body.inertia.ravel()
        blocks[b] = pattern.block(b, b)
    return bodies, blocks


def inertias_of(bodies: np.ndarray, elements: Sequence[Element]) -> np.ndarray:
    """The table of bodies with the masses of elements on them, at t = 0."""
    table = bodies.copy()
    for e in elements:
        for end, (m, c, J, *_) in zip(e.ends, e.entry.masses()):
            if end < len(table):  # no point of a cable
                table[end] += [m, *(J + m * (c @ c * np.eye(3) - np.outer(c, c))).ravel()]
    return table


def scales(
    model: Model, places: np.ndarray, inertias: np.ndarray, elements: Sequence[Element]
) -> tuple[float, float]:
    """A typical length (extent of the mechanism) and a typical mass.

    Bodies (their places and inertias), points with mass, places on the ground and arms to markers
    count; where the world's origin is does not.
    """
    points, arms = [places], [0.0]
    for item in model.items.values():
        for frame in getattr(item, "frames", ()):
            if frame.body is GROUND:
                points.append(np.reshape(frame.position, (1, 3)))
            else:
                arms.append(math.sqrt(frame.position @ frame.position))
    length = extent(np.concatenate(points), arms, inertias)
    if not length < FAR:
        raise ModelError(
            f"model '{model.name}' reaches over {length:g} m, too far to compute with; look for a "
            "position, an offset or an inertia that is far too large"
        )
    masses = list(inertias[inertias[:, 0] > 0, 0])
    for e in elements:
        of_ends = zip(e.ends, e.entry.masses())
        masses += [float(x.mass) for end, x in of_ends if end >= len(inertias)]
    return length or 1.0, float(np.median(masses)) if masses else 1.0


def extent(places: np.ndarray, arms: Sequence[float], inertias: np.ndarray) -> float:
    """The extent of places, arms to markers and inertias of bodies."""
    away = places - places.mean(axis=0) if len(places) else places
    radius = float(radii_of_gyration(inertias).max(initial=0.0))
    return max(2 * float(np.linalg.norm(away, axis=1).max(initial=0.0)), radius, *arms)


def radii_of_gyration(bodies: np.ndarray) -> np.ndarray:
    """√(trace J / m) of the bodies that have mass."""
    mass, trace = bodies[:, 0], bodies[:, 1] + bodies[:, 5] + bodies[:, 9]
    return np.sqrt(trace[mass > 0] / mass[mass > 0])


def round_off(model: Model, places: np.ndarray, inertias: np.ndarray) -> float:
    """An angle, in radians, up to which corrections of rotations are the round-off of positions.

    A residual of ε metres at a marker with the arm a turns a body with the radius of gyration k by
    ε a/(a² + k²), at most ε/(2 k).  Positions are known to 2⁻⁵³ of their largest coordinate.
    """
    coordinates = [
        float(np.abs(places).max(initial=0.0)),
        *(
            np.abs(frame.position).max()
            for item in model.items.values()
            for frame in getattr(item, "frames", ())
            if frame.body is GROUND
        ),
    ]
    radii = radii_of_gyration(inertias)
    smallest = radii[radii > 0].min(initial=math.inf)
    angle = ROUNDINGS * 2.0**-53 * max(coordinates) / (2 * smallest)
    return float(min(max(angle, LEAST_ROUND_OFF), MOST_ROUND_OFF))
