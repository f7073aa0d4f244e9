"""From elements to flat tables: one row of ints and reals per element, family by family."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.bodies.body import BODY_REALS
from linkwork.elements.layout import int_width, row_width
from linkwork.elements.signals.signals import slope_places, slopes_of
from linkwork.errors import ModelError
from linkwork.math.kernel import Kernel, KernelTable, kernel_table
from linkwork.model.frame import GROUND
from linkwork.model.model import Model
from linkwork.model.nodes import Node
from linkwork.system.compilation.flexible import FlexibleBody
from linkwork.system.compilation.numbering import families_of
from linkwork.system.evaluate import END_COLUMNS, SIGNAL_COLUMNS, SLOTS, Tables
from linkwork.system.layout import REFERENCE_END, SIX, Layout
from linkwork.system.pattern import Pattern

if TYPE_CHECKING:
    from linkwork.system.compilation.numbering import Element


def _no_family(ints, reals, motion, loads):
    pass


NO_FAMILY = Kernel(_no_family)
ROUNDINGS = 16  # of positions in a correction, with what the elimination adds
LEAST_ROUND_OFF, MOST_ROUND_OFF = 1e-12, 1e-10  # rad
FAR = 1e100  # squares of lengths, and of these, must be finite


def make_tables(
    model: Model, items: tuple[Any, ...], elements: Sequence[Element],
    kept_rows: list[list[int]], pattern: Pattern, groups: list[int], layout: Layout,
    apart: frozenset[int] = frozenset(),
) -> tuple[Tables, tuple[Any, ...], KernelTable]:  # fmt: skip
    """Tables, motion laws and kernels of elements of which only some rows constrain."""
    families = families_of(elements)
    if len(families) > SLOTS:
        raise ModelError(f"a model may use {SLOTS} element families, but {len(families)} are used")
    owned: dict[str, list[int]] = {}
    for i, e in enumerate(elements):
        owned.setdefault(e.owner, []).append(i)
    ints: list[np.ndarray] = []
    reals: list[np.ndarray] = []
    directory, first_int, first_real = [], {}, {}
    laws, targets = [], []
    n_int = n_real = 0
    for slot, family in enumerate(families):
        mine = [i for i, e in enumerate(elements) if e.entry.family == family]
        wi = ints_of(family)
        directory.append([slot, len(mine), n_int, wi, n_real, family.reals])
        alike: dict[bytes, int] = {}
        for i in mine:
            e = elements[i]
            first_int[i], first_real[i] = n_int, n_real
            active = [e.entry.rows[j] for j in kept_rows[i]]
            ints.append(_element_ints(e, family, pattern, groups[i], active, layout))
            if family.shares:
                ints.append(np.array([_back_to_same(e.entry, alike, n_real)], np.int64))
            if family.reads:
                ints.append(_places_read(e, owned, elements, kept_rows, pattern, groups))
            for law in e.entry.laws:
                if law.signal is not None:
                    continue
                laws.append(law)
                targets.append(n_real + law.column + np.arange(law.length))
            reals.append(np.asarray(e.entry.reals, float))
            n_int += wi
            n_real += family.reals
    bodies, blocks = _body_tables(items, pattern)
    signals, signal_ends = _signals(elements, families, first_int, first_real, apart)
    tables = Tables(
        directory=np.array(directory, dtype=np.int64).reshape(-1, 6),
        ints=np.concatenate(ints) if ints else np.zeros(0, np.int64),
        reals=np.concatenate(reals) if reals else np.zeros(0),
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
        sensors=_sensors(elements, first_int, first_real, pattern, layout, np.concatenate(ints)
                         if ints else np.zeros(0, np.int64)),
        answers=np.zeros((
            sum(e.entry.family.answers >= 0 for e in elements) + len(apart), pattern.unknowns
        )),
        updates=np.zeros((len(apart), 2, pattern.motions)),
    )  # fmt: skip
    kernels = [f.kernel for f in families] + [NO_FAMILY] * (SLOTS - len(families))
    return tables, tuple(laws), kernel_table(kernels)


def ints_of(family: Any) -> int:
    """How many ints an element has, with those of what it reads."""
    told = (family.whole and not family.rows) + family.shares
    return int_width(family.bodies, family.rows) + family.reads + told


def _back_to_same(entry: Any, alike: dict[bytes, int], here: int) -> int:
    """How many elements before one whose numbers are at `here` the same numbers stood first."""
    if entry.laws:  # they change
        return 0
    same = alike.setdefault(np.asarray(entry.reals, float).tobytes(), here)
    return (here - same) // int(entry.family.reals)


def separate_numbers(tables: Tables, first_real: int) -> None:
    """Every element of the family whose numbers begin there reads its own from now on."""
    row = next(row for row in tables.directory if row[4] == first_real and row[5] > 0)
    _, count, first, width, _, _ = row.tolist()
    tables.ints[first : first + count * width].reshape(count, width)[:, -1] = 0


def _sensors(
    elements: Sequence[Element], first_int: dict[int, int], first_real: dict[int, int],
    pattern: Pattern, layout: Layout, ints: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Rows of `Tables.sensors`: the unknown of a node, its slopes, the multipliers it follows."""
    rows = []
    for i, e in enumerate(elements):
        family = e.entry.family
        if family.answers >= 0:
            read = first_int[i] + int_width(family.bodies, family.rows)
            unknown = layout.rigid + layout.end(e.ends[0])
            rows.append([unknown, first_real[i] + family.answers, *ints[read : read + 3]])
    return np.array(rows, np.int64).reshape(-1, 5)


def _signals(
    elements: Sequence[Element], families: list[Any], first_int: dict[int, int],
    first_real: dict[int, int], apart: frozenset[int],
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
        target = numbered.get(id(entry))
        if target is None:  # a part of the model without the element
            continue
        family = entry.family
        rows.append([
            first_real[i], len(ends), len(e.ends), loaded, first_int[i],
            first_real[target] + law.column, families.index(family), first_int[target],
            ints_of(family), first_real[target], family.reals,
            sorted(apart).index(i) if i in apart else -1,
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
    e: Element, family: Any, pattern: Pattern, group: int, active: list[int], layout: Layout
) -> np.ndarray:  # fmt: skip
    ends = e.ends
    out = [layout.end(b) for b in ends]
    place = pattern.block_or_spare if family.signal else pattern.block
    out += [place(a, b) for a in ends for b in ends]
    if family.whole and not family.rows:
        out += [int(all(pattern.own(a, b) for a in ends for b in ends if a != b))]
    if family.rows:
        if group < 0:  # none of its rows is kept: nothing to write
            eq = 0
            out += [0, 0] + [pattern.block(-1, -1)] * len(ends) + [0]
        else:
            eq = int(pattern.first[group]) - pattern.motions
            out += [eq, len(active)]
            out += [pattern.block(group, b) for b in ends]
            out += [int(len(ends) == 2 and pattern.own(*ends))]
        out += active + [0] * (family.rows - len(active))
        none = pattern.rows
        out += [eq + active.index(r) if r in active else none for r in range(family.rows)]
    return np.array(out, dtype=np.int64)


def _places_read(
    e: Element, owned: dict[str, list[int]], elements: Sequence[Element],
    kept_rows: list[list[int]], pattern: Pattern, groups: list[int],
) -> np.ndarray:  # fmt: skip
    """Where the multipliers are that an element reads; behind all, a zero, where there is none."""
    none = pattern.rows
    out = [none] * e.entry.family.reads
    for k, (item, which, row) in enumerate(e.entry.reads):
        of_item = owned.get(item.name, [])
        if which >= len(of_item):  # an element by itself, for drawing
            continue
        i = of_item[which]
        active = [elements[i].entry.rows[j] for j in kept_rows[i]]
        if row in active:
            first = int(pattern.first[groups[i]]) - pattern.motions
            out[k] = first + active.index(row)
    return np.array(out, dtype=np.int64)


def _body_tables(items: tuple[Any, ...], pattern: Pattern) -> tuple[np.ndarray, np.ndarray]:
    bodies = np.zeros((len(items), BODY_REALS))
    blocks = np.zeros(len(items), dtype=np.int64)
    for b, body in enumerate(items):
        bodies[b, 0] = body.mass
        bodies[b, 1:] = body.inertia.ravel()
        blocks[b] = pattern.block(b, b)
    return bodies, blocks


def scales(
    model: Model, places: np.ndarray, bodies: np.ndarray, links: tuple[FlexibleBody, ...]
) -> tuple[float, float]:
    """A typical length (extent of the mechanism) and a typical mass.

    Bodies (their places, and their table), places on the ground and arms to markers count; where
    the world's origin is does not.
    """
    points, arms = [places], [0.0]
    for item in model.items.values():
        for frame in getattr(item, "frames", ()):
            if frame.body is GROUND:
                points.append(np.reshape(frame.position, (1, 3)))
            else:
                arms.append(math.sqrt(frame.position @ frame.position))
    length = extent(np.concatenate(points), arms, bodies)
    if not length < FAR:
        raise ModelError(
            f"model '{model.name}' reaches over {length:g} m, too far to compute with; look for a "
            "position, an offset or an inertia that is far too large"
        )
    masses = [*bodies[bodies[:, 0] > 0, 0], *(link.item.modal.mass for link in links)]
    return length or 1.0, float(np.median(masses)) if masses else 1.0


def extent(places: np.ndarray, arms: Sequence[float], bodies: np.ndarray) -> float:
    """The extent of places, arms to markers and inertias (rows of the table of bodies)."""
    away = places - places.mean(axis=0) if len(places) else places
    radius = float(radii_of_gyration(bodies).max(initial=0.0))
    return max(2 * float(np.linalg.norm(away, axis=1).max(initial=0.0)), radius, *arms)


def radii_of_gyration(bodies: np.ndarray) -> np.ndarray:
    """√(trace J / m) of the bodies that have mass."""
    mass, trace = bodies[:, 0], bodies[:, 1] + bodies[:, 5] + bodies[:, 9]
    return np.sqrt(trace[mass > 0] / mass[mass > 0])


def round_off(model: Model, places: np.ndarray, bodies: np.ndarray) -> float:
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
    radii = radii_of_gyration(bodies)
    smallest = radii[radii > 0].min(initial=math.inf)
    angle = ROUNDINGS * 2.0**-53 * max(coordinates) / (2 * smallest)
    return float(min(max(angle, LEAST_ROUND_OFF), MOST_ROUND_OFF))
