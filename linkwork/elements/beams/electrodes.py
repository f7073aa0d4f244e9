"""Electrodes along a beam: piezoelectric sections.

Voltages V of n electrodes load a section, and its strains k = (ε, κ) charge them, per length

    (n, m) = law(k, k̇) + E V,        Q = B k + C V,       B = −Eᵀ where nothing else is given

(technical manual of MBDyn, 10.2; with B = −Eᵀ both follow from one potential).  Voltages that are
given load the section alone.  A voltage that is the value of a scalar node has the equation of that
node, to which the beam adds the current that charges its electrode, integrated by the points of the
element as its forces are:

    I_j = Σ weight (B_j k̇ + C_j V̇)

Strain rates and their tangent are those of elements.beams.kernel; the force E V is part of the
section's law, as a pre-stress that follows the voltages.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from linkwork.elements.beams.kernels.kernel import section_motion, take_nodes
from linkwork.elements.beams.layout import (
    ARM, NODE, NODE_WORK, RATE_M, RATE_N, SECTION, SHAPES, SHAPE_WORK, SLOPE, THETA, THETA1,
    WEIGHT, reals_of,
)  # fmt: skip
from linkwork.elements.beams.kernels.tangent import ROOM, rate_matrices, shape_matrices
from linkwork.elements.flexible.section import Section
from linkwork.elements.layout import BY_RATE, CD, CK, RATE, ROT, TANGENT
from linkwork.errors import ModelError
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.vectors import (
    add, at9, cross, dot, mv, nine, scale, three, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive
from linkwork.model.given import DriveLike, Given
from linkwork.model.registry import Entry, Family, Item
from linkwork.model.signals.value_readings import ValueReading


def electrode_kernel(ints, reals, motion, loads):
    """Ends: the bodies of the beam's nodes, then the scalar nodes of its electrodes."""
    nodes, values, coef = motion.nodes, motion.values, motion.coef
    balance, vals, cK, cD = loads.balance, loads.vals, coef[CK], coef[CD]
    flat, x, room, ends = borrow(nodes), borrow(reals), np.zeros(ROOM), 1
    y = borrow(room)
    last = ints.shape[1] - 1
    while ends + ends * ends < last:
        ends += 1
    n = 3 if ints.shape[0] > 0 and ints[0, last] == 3 else 2  # how many ends are bodies
    count, r, points = ends - n, n - 2, n - 1
    width = SECTION + count * (6 + count)
    for k in range(ints.shape[0]):
        first = k * reals.shape[1]
        qr = take_nodes(ints, x, flat, k, first, n, r, y)
        for point in range(points):
            c = first + n * NODE + point * width
            theta, theta1, rate, rate1, b, g, b1, g1, b2, g2, T, T1, E, _, p1, v1, w, u, t = (
                section_motion(x, c, n, r, qr, y)
            )
            strain1, bent1, weight = tv(E, u), tv(E, t), x[c + WEIGHT]
            tangent = coef[TANGENT] != 0.0
            if tangent:
                shape_matrices(y, x, c, n, r, T, T1)
                rate_matrices(
                    y, x, c, n, r, theta, theta1, rate, rate1, T, T1, b, g, b1, g1, b2, g2,
                    p1, v1, w, u, t,
                )  # fmt: skip
            for j in range(count):
                place, node = c + SECTION + j * (6 + count), ints[k, n + j]
                by_n, by_m = three(x, place), three(x, place + 3)
                flow = dot(by_n, strain1) + dot(by_m, bent1)
                row = ends + ends * (n + j)
                for i in range(count):
                    own = x[place + 6 + i]
                    flow += own * values[RATE, ints[k, n + i]]
                    if tangent:
                        vals[ints[k, row + n + i]] += weight * own * values[BY_RATE, ints[k, n + i]]
                balance[node] += weight * flow
                if not tangent:
                    continue
                en, em = scale(weight, mv(E, by_n)), scale(weight, mv(E, by_m))
                for i in range(n):
                    N1, arm = x[c + SLOPE + i], three(y, NODE_WORK * i + ARM)
                    place_i = SHAPES + SHAPE_WORK * i
                    by_x = scale(N1, add(scale(cD, en), scale(cK, cross(w, en))))
                    moved = tv(nine(y, place_i + THETA), cross(en, p1))
                    moved = add(moved, tv(nine(y, place_i + THETA1), em))
                    moved = scale(cD, add(moved, scale(N1, cross(arm, en))))
                    turn = add(tv(nine(y, place_i + RATE_N), en), tv(nine(y, place_i + RATE_M), em))
                    turn = tv(at9(nodes, ints[k, i], ROT), add(moved, scale(cK, turn)))
                    base = ints[k, row + i]
                    for a in range(3):
                        vals[base + a] += by_x[a]
                        vals[base + 3 + a] += turn[a]
    room[0] = 0.0  # it must outlive what was borrowed of it


ELECTRODE_KERNEL = Kernel(electrode_kernel, allocates=True)


@functools.cache
def electrode_family(nodes: int, count: int) -> Family:
    """Of elements with so many nodes and electrodes; all share one kernel."""
    return Family(
        f"electrodes {count} of a beam of {nodes} nodes", ELECTRODE_KERNEL, bodies=nodes + count,
        reals=reals_of(nodes, count * (6 + count)), integers=1,
    )  # fmt: skip


def electrode_entry(entry: Entry, sections: list[Section], voltages: list[Voltage]) -> Entry:
    """The currents of the electrodes that are nodes, beside the entry of the element itself."""
    n = entry.family.bodies
    wanted = [j for j, v in enumerate(voltages) if v.item is not None]
    count = len(wanted)
    width, own = (len(entry.reals) - n * NODE) // (n - 1), count * (6 + count)
    reals = np.zeros(reals_of(n, own))
    reals[: n * NODE] = entry.reals[: n * NODE]
    for k, section in enumerate(sections):
        c, given = n * NODE + k * (SECTION + own), n * NODE + k * width
        reals[c : c + SECTION] = entry.reals[given : given + SECTION]
        B, C = section.charges
        rows = np.hstack([B[wanted], C[np.ix_(wanted, wanted)]])
        reals[c + SECTION : c + SECTION + own] = rows.ravel()
    bodies = (*entry.bodies, *(voltages[j].node for j in wanted))
    return Entry(electrode_family(n, count), bodies, reals, integers=(n,))


class Voltage:
    """The voltage of an electrode: a function of time, or the value of a scalar node."""

    def __init__(self, given: Any, what: str) -> None:
        self.item: Item | None = None
        if isinstance(given, Item):
            nodes = given.vector_nodes()
            if len(nodes) != 1 or nodes[0].size != 1:
                raise ModelError(
                    f"{what} must be a voltage, a function of time or an item with one number such "
                    f"as lw.Quantity, but {given.label} was given"
                )
            self.item = given
            self.given: Any = given
            self.drive: Drive = ValueReading(given, "value")
            return
        self.drive = self.given = as_drive(given, what, follows=True)

    @property
    def node(self) -> Any:
        assert self.item is not None
        return self.item.vector_nodes()[0]


VoltageLike: TypeAlias = "DriveLike | Item"
Electrodes: TypeAlias = (
    "Given[tuple[Drive | Item, ...], VoltageLike | Sequence[VoltageLike] | np.ndarray]"
)


def checked_electrodes(given: Any, sections: list[Section], what: str) -> list[Voltage]:
    """Voltages of all electrodes that the sections have."""
    parts = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
    if not parts:
        raise ModelError(
            f"electrodes of {what} must be voltages, but {checks.show(given)} was given; leave "
            "them out where there are none"
        )
    for section in sections:
        count = 0 if section.piezo is None else len(section.piezo[0])
        if count != len(parts):
            had = f"{count} electrode{'s' * (count != 1)}" if count else "no electrodes (piezo=)"
            raise ModelError(
                f"electrodes of {what} must be the voltage of each electrode of its section, which "
                f"has {had}, but {checks.show(given)} was given"
            )
    return [Voltage(x, f"electrodes of {what}") for x in parts]


def with_voltages(section: Section, voltages: list[Voltage]) -> Section:
    """The section with E V among its stresses."""
    from linkwork.elements.laws import LinearElastic, Parallel

    E, stresses = np.array(section.piezo), []
    for row in E:
        terms = [x * v.drive for x, v in zip(row, voltages) if x != 0]
        total: Any = 0.0
        for term in terms:
            total = term if isinstance(total, float) else total + term
        stresses.append(total)
    words = section.parameters()
    if section.law is not None:
        pressed = LinearElastic(np.zeros((6, 6)), prestress=stresses)
        return Section(**{**words, "law": Parallel((section.law, pressed))})
    own = section.prestress or (0.0,) * 6
    return Section(**{**words, "prestress": tuple(a + b for a, b in zip(own, stresses))})
