"""Sensors of loads: a component of the force or torque that an element exerts, as a node.

With f the residual that the element alone adds to a body (force in world axes, moment in body axes
about the body's origin), R its rotation, s = R u the arm of the point that is meant, and the
direction d = R_C e,

    force    x = −d·f_F                torque   x = −(Rᵀd)·f_M + (d × s)·f_F
    along the line of two points       x = ±d·f_F,   d the unit vector from a's to b's: F is along d
    of a string that only pulls        x = |f_F|

The sensor has a copy of the element, with its drives and its memory, and asks the element's own
kernel by its address; what that adds to residuals is taken out again, and its blocks are put beside
those of the matrix.  Slopes are exact: those of the kernel's tangent, and for direction and arm

    ∂x/∂θ_C = e × R_CᵀV,  V the force or torque        ∂x/∂θ = g × f_M + u × Rᵀ(f_F × d),  g = Rᵀd
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.layout import (
    BY_VALUE, CK, FIRST, POS, ROT, SIX, STRIDE, TANGENT, VALUE, int_width,
)  # fmt: skip
from linkwork.elements.signals.measured import Sensor
from linkwork.elements.signals.probes import FORCE, LINE, PULL, TORQUE, Probe
from linkwork.errors import DriveError, ModelError
from linkwork.kernels import rotations
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel, Loads, Motion, call_kernel_at
from linkwork.kernels.memory.records import refer
from linkwork.kernels.record import record
from linkwork.kernels.vectors import add, at, at9, cross, dot, mv, scale, sub, tv
from linkwork.model import checks
from linkwork.model.nodes import REFERENCE, Node, scalar
from linkwork.model.registry import Entry, Family, Item, Law, Memory

# the point u on the body that the load acts on and the direction e; another point for a line, the
# sign; then the element's own reals
LOAD_SENSOR = record(u=3, e=3, other=3, sign=1, numbers=0)
U, E, OTHER, SIGN, NUMBERS = LOAD_SENSOR
# integers: of each end its unknowns and whether it is a node, the element's own integers, and last
# a head: the kernel's address, how many ends the element and the sensor have, where the element has
# its integers in a row of its own and how many, what is shown, which end it acts on and which has
# the direction, whether it is a share of a sum whose first part has x
HEAD = record(
    kernel=1, ends=1, width=1, column=1, integers=1, kind=1, acted=1, axes=1, share=1,
)  # fmt: skip
KERNEL, ENDS, WIDTH, COLUMN, INTEGERS, KIND, ACTED, AXES, SHARE = HEAD
HEAD_SIZE = HEAD.width
ROWS = STRIDE  # of a block, at most


@inlined
def force_on(loads, end, node):
    """The force on a body or a point."""
    if node:
        return (loads.balance[end], loads.balance[end + 1], loads.balance[end + 2])
    return (loads.f[end, 0], loads.f[end, 1], loads.f[end, 2])


@inlined
def take_out(ints, k, sizes, n, loads, kept):
    """Residuals of the ends into `kept`, and zeros in their places; how many they are."""
    p = 0
    for i in range(n):
        end, node = ints[k, 1 + i], ints[k, sizes + 2 * i + 1] != 0
        for j in range(ints[k, sizes + 2 * i]):
            if node:
                kept[p], loads.balance[end + j] = loads.balance[end + j], 0.0
            else:
                kept[p], loads.f[end, j] = loads.f[end, j], 0.0
            p += 1
    return p


@inlined
def put_back(ints, k, sizes, n, loads, kept, p):
    """The residuals from `kept`, backwards: of an end that stands twice the first is right."""
    for i in range(n - 1, -1, -1):
        end, node = ints[k, 1 + i], ints[k, sizes + 2 * i + 1] != 0
        for j in range(ints[k, sizes + 2 * i] - 1, -1, -1):
            p -= 1
            if node:
                loads.balance[end + j] = kept[p]
            else:
                loads.f[end, j] = kept[p]


@inlined
def place_blocks(ints, k, sizes, n, inner):
    """Bases of the blocks between the ends in an array of their own; its size."""
    at = 0
    for i in range(n):
        for j in range(n):
            inner[0, n + n * i + j] = at
            at += ROWS * wide(ints, k, sizes, j)
    return at


@inlined
def wide(ints, k, sizes, j):
    """Numbers in a row of a block against an end."""
    return STRIDE * max(1, -(-ints[k, sizes + 2 * j] // STRIDE))


@inlined
def own_integers(ints, k, head, inner):
    """The integers of the element into its row."""
    count, to = ints[k, head + INTEGERS], ints[k, head + COLUMN]
    for i in range(count):
        inner[0, to + i] = ints[k, head - count + i]


@inlined
def with_memory(motion, k):
    """The motion as the element of sensor k sees it, which remembers by itself."""
    own = motion.memory[k]
    return Motion(
        motion.nodes, motion.vdot, motion.x, motion.values, motion.gamma, motion.time, motion.coef,
        own.reshape(1, own.size),
    )  # fmt: skip


@inlined
def shown(ints, reals, k, sizes, motion, loads, row):
    """x, and in `row` how it changes with the residual of the end that the load acts on."""
    head = ints.shape[1] - HEAD_SIZE
    nodes, i, axes = motion.nodes, ints[k, head + ACTED], ints[k, head + AXES]
    kind, end, node = ints[k, head + KIND], ints[k, 1 + i], ints[k, sizes + 2 * i + 1] != 0
    F = force_on(loads, end, node)
    row[:] = 0.0
    if kind == PULL:
        size = np.sqrt(dot(F, F))
        d = scale(1.0 / size, F) if size > 0.0 else (0.0, 0.0, 0.0)
        row[0], row[1], row[2] = d[0], d[1], d[2]
        return size
    u, R = at(reals, k, U), at9(nodes, end, ROT)
    if kind == LINE:
        there = ints[k, 1 + axes]
        p = add(at(nodes, end, POS), mv(R, u))
        q = add(at(nodes, there, POS), mv(at9(nodes, there, ROT), at(reals, k, OTHER)))
        d = sub(q, p)
        d = scale(reals[k, SIGN] / np.sqrt(dot(d, d)), d)
        row[0], row[1], row[2] = d[0], d[1], d[2]
        return dot(d, F)
    d = mv(at9(nodes, ints[k, 1 + axes], ROT), at(reals, k, E))
    if kind == FORCE:
        row[0], row[1], row[2] = -d[0], -d[1], -d[2]
        return -dot(d, F)
    M = (loads.f[end, 3], loads.f[end, 4], loads.f[end, 5])
    a, g = cross(d, mv(R, u)), tv(R, d)
    for j in range(3):
        row[j], row[3 + j] = a[j], -g[j]
    return dot(a, F) - dot(g, M)


@inlined
def turn_slopes(ints, reals, k, width, motion, loads, vals):
    """What x changes by where its direction and its arm turn."""
    head = ints.shape[1] - HEAD_SIZE
    i, c, kind = ints[k, head + ACTED], ints[k, head + AXES], ints[k, head + KIND]
    if kind >= LINE:
        return
    nodes, end = motion.nodes, ints[k, 1 + i]
    R, C, e = at9(nodes, end, ROT), at9(nodes, ints[k, 1 + c], ROT), at(reals, k, E)
    F, d, u = force_on(loads, end, False), mv(C, e), at(reals, k, U)
    V = scale(-1.0, F)
    if kind == TORQUE:
        M, g = (loads.f[end, 3], loads.f[end, 4], loads.f[end, 5]), tv(R, d)
        V = add(scale(-1.0, mv(R, M)), cross(mv(R, u), F))
        own = add(cross(g, M), cross(u, tv(R, cross(F, d))))
        for j in range(3):
            vals[ints[k, width + 1 + i] + 3 + j] -= motion.coef[CK] * own[j]
    by_axes = cross(e, tv(C, V))
    for j in range(3):
        vals[ints[k, width + 1 + c] + 3 + j] -= motion.coef[CK] * by_axes[j]


@inlined
def put_slopes(ints, k, sizes, width, n, own, row, vals, inner):
    """How x changes with the ends: the weights times the element's blocks of the end acted on."""
    acted = ints[k, ints.shape[1] - HEAD_SIZE + ACTED]
    for j in range(n):
        base, to = inner[0, n + n * acted + j], ints[k, width + 1 + j]
        for q in range(ints[k, sizes + 2 * j]):
            total = 0.0
            for i in range(ints[k, sizes + 2 * acted]):
                total += row[i] * own[base + wide(ints, k, sizes, j) * i + q]
            vals[to + q] -= total


def load_sensor_kernel(ints, reals, motion, loads):
    """Ends x, those of the element, and the body with the axes of the direction."""
    vals, power, coef = loads.vals, loads.power, motion.coef
    head = ints.shape[1] - HEAD_SIZE
    width = ints[0, head + WIDTH] if ints.shape[0] > 0 else 0
    row, kept = np.zeros(SIX), np.zeros(ROWS * width)
    for k in range(ints.shape[0]):
        n, x, before = ints[k, head + ENDS], ints[k, 0], coef[FIRST]
        columns, sizes = ints[k, head + COLUMN] + ints[k, head + INTEGERS], width + width * width
        inner, numbers = np.zeros((1, columns), np.int64), reals[k, NUMBERS:]
        for i in range(n):
            inner[0, i] = ints[k, 1 + i]
        own_integers(ints, k, head, inner)
        own = np.zeros(place_blocks(ints, k, sizes, n, inner))
        dissipated, supplied = power[0], power[1]
        p = take_out(ints, k, sizes, n, loads, kept)
        coef[FIRST] = 0.0
        call_kernel_at(
            ints[k, head + KERNEL], inner, numbers.reshape(1, numbers.size),
            refer(with_memory(motion, k)),
            refer(Loads(
                loads.f, loads.balance, loads.C, loads.Ct, loads.Qc, own, power, loads.out
            )),
        )  # fmt: skip
        coef[FIRST], power[0], power[1] = before, dissipated, supplied
        found = shown(ints, reals, k, sizes, motion, loads, row)
        if coef[TANGENT] != 0.0:
            put_slopes(ints, k, sizes, width, n, own, row, vals, inner)
            turn_slopes(ints, reals, k, width, motion, loads, vals)
            if ints[k, head + SHARE] == 0:
                vals[ints[k, width]] += motion.values[BY_VALUE, x]
        put_back(ints, k, sizes, n, loads, kept, p)
        loads.balance[x] -= found
        if ints[k, head + SHARE] == 0:
            loads.balance[x] += motion.values[VALUE, x]


LOAD_SENSOR_KERNEL = Kernel(load_sensor_kernel, allocates=True)


@functools.cache
def load_sensor_family(family: Family, ends: int) -> Family:
    """Sensors of elements of a family, with so many ends; all share one kernel."""
    reals, memory = NUMBERS + family.reals, Memory(path=family.memory.size)
    name = f"sensor of {family.name} on {ends}"
    integers = 2 * (ends - 1) + family.integers + HEAD_SIZE
    return Family(
        name, LOAD_SENSOR_KERNEL, bodies=ends, reals=reals, integers=integers, memory=memory
    )


# ------------------------------------------------------------------------------------- the item

UNITS = {"force": "N", "torque": "N m", "tension": "N"}


@dataclass(eq=False)
class LoadSensor(Sensor):
    """Measures the "force" (N), "torque" (N m) or "tension" (N) of a load, as its results have it.

    axis : the direction, in the axes in which the load's results are;   which : of several frames
    or segments, counted from 0.  `lw.reads(bushing, "force", "x")` makes one, and models take it
    with the item that reads it.

    Outputs: force, torque or tension.
    """

    load: Any
    quantity: str = "force"
    axis: Any = (0.0, 0.0, 1.0)
    which: int = 0
    node: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.load, Item) or not hasattr(self.load, "probe"):
            raise ModelError(
                f"{self.label} needs a load such as a Bushing, but {checks.show(self.load)} was "
                "given; pass the item that model.add returned"
            )
        if not isinstance(self.quantity, str) or self.quantity not in UNITS:
            raise DriveError(
                f"{self.label}: expected force, torque or tension, found "
                f"{checks.show(self.quantity)}"
            )
        which = self.which
        if isinstance(which, bool) or not isinstance(which, (int, np.integer)) or which < 0:
            raise ModelError(
                f"which of {self.label} must be a whole number of at least 0, but "
                f"{checks.show(which)} was given"
            )
        self.check_axis()
        self.make_node()

    def make_node(self) -> None:
        if "node" not in self.__dict__:
            self.node = Node(scalar(self.quantity, 0, UNITS[self.quantity]), scale=1.0)

    @property
    def own_name(self) -> str:
        found = f"{self.quantity} {self.direction} of {self.load.name}"
        return found.replace("  ", " ") + (f" {self.which + 1}" if self.which else "")

    def needs(self) -> tuple[Item, ...]:
        return (self.load,)

    def entries(self) -> list[Entry]:
        found = self.load.entries()
        try:
            probe = self.load.probe(self.quantity, self.which)
            inner = [found[which].bodies[end] for which, end in probe.parts]
        except IndexError as error:
            raise ModelError(
                f"{self.label} measures part {self.which} of {self.load.label}, which has fewer; "
                "count from 0"
            ) from error
        if probe.kind in (LINE, TORQUE, FORCE) and any(isinstance(x, Node) for x in inner):
            raise ModelError(
                f"{self.label}: {self.load.label} has no {self.quantity} along an axis; read its "
                "tension"
            )
        return [
            self.copy_of(found[which], probe, end, share)
            for share, (which, end) in enumerate(probe.parts)
        ]

    def copy_of(self, inner: Entry, probe: Probe, end: int, share: int) -> Entry:
        """An element of the load, asked what it exerts on one of its ends."""
        ends, axes = [*inner.bodies], probe.axes
        if probe.kind in (FORCE, TORQUE) and not any(x is axes.body for x in ends):
            ends.append(axes.body)
        family, reads = load_sensor_family(inner.family, len(ends) + 1), ()
        if inner.family.reads:
            from linkwork.elements.signals import friction_sensors  # which use what is here

            family = friction_sensors.friction_sensor_family(inner.family)
            reads = friction_sensors.multipliers_read(inner)
        reals = np.zeros(family.reals)
        count, flags = len(inner.bodies), inner.family.whole + inner.family.shares
        reals[SIGN], turned, sizes = probe.sign, 0, []
        reals[U : U + 3], reals[OTHER : OTHER + 3] = probe.point, probe.other
        if probe.kind == LINE:
            turned = 1 - end
        elif probe.kind != PULL:
            turned = next(i for i, x in enumerate(ends) if x is axes.body)
            reals[E : E + 3] = rotations.matrix(axes.orientation) @ np.array(self.axis)
        for x in ends:
            node = isinstance(x, Node)
            size = x.size if isinstance(x, Node) else 0 if x is REFERENCE else SIX
            sizes += [size, int(node)]
            if size > STRIDE:
                raise ModelError(
                    f"{self.label} cannot measure {self.load.label}, which acts on {x.label} with "
                    f"{size} unknowns; fix what carries it to a light body, and read that joint"
                )
        head = (
            inner.family.kernel, count, len(ends) + 1,
            int_width(count, 0) + flags + inner.family.reads, inner.family.integers,
            probe.kind, end, turned, share,
        )  # fmt: skip
        first = family.numbers or NUMBERS
        reals[first : first + inner.family.reals] = inner.reals
        laws = [Law(first + law.column, law.values, law.length, law.signal) for law in inner.laws]
        return Entry(
            family, (self.node, *ends), reals, laws=laws, reads=reads,
            integers=(*sizes, *inner.integers, *head), memory=inner.memory, keep=inner.keep,
        )  # fmt: skip

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.model.registry import ITEMS

        both = ("force", "torque")
        offered = {
            "Bushing": both, "DeformableJoint": both, "DeformableAxial": ("torque",),
            "DeformableSlide": ("force",), "Rod": ("force",), "UserForce": both,
            "ViscousBody": both, "Cable": ("tension",), "Cylinder": ("force",),
            "RotaryMotor": ("torque",), "Contact": ("force",), "Brake": ("torque",),
            "Friction": both,
        }  # fmt: skip
        name = list(offered)[int(rng.integers(len(offered)))]
        made: Any = ITEMS[name].sample(rng, a, b)
        while name == "Friction" and not made[-1].is_read:
            made = ITEMS[name].sample(rng, a, b)
        items = made if isinstance(made, list) else [made]
        if name == "Friction":
            offered[name] = items[-1].offered
        kind = offered[name][int(rng.integers(len(offered[name])))]
        which = int(rng.integers(2)) if name in ("Cable", "UserForce") else 0
        vectors = ("Bushing", "DeformableJoint", "UserForce", "ViscousBody", "Contact", "Friction")
        along = name in vectors
        axis = rng.normal(size=3) if along else (0.0, 0.0, 1.0)
        return [*items, cls(items[-1], kind, axis, which)]
