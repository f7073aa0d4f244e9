"""Signals: numbers of elements that follow the motion (a force that depends on a position).

    y(t, x₁ … x_m),   x_i readings of the motion (signals.readings),   ∂y/∂q = Σ ∂y/∂x_i ∂x_i/∂q

An element that has such a number, as the factor of a Force, is asked with the number in its place;
system.evaluate puts it there and adds ∂f/∂y ∂y/∂(q, v) to the tangent.  A signal is an element of
its own, beside the one it acts on, with that one's bodies first and then those that it reads.  Its
kernel computes the readings and their derivatives, and carries out the drive's program
(signals.programs, kernels.programs).  What programs cannot do, and values that do not exist, are
left to the drive itself, which is called in Python by its address.

With d = R_C e the direction, g = Rᵀd in the axes of a frame's body, increments θ in body axes:

    position           δ = d·δr + (u × g)·θ                            and for C  (e × R_CᵀΔ)·θ
    velocity           δ = d·δv + (u × g)·δω + ((ω × u) × g)·θ                    "
    angular velocity   δ = g·δω + (ω × g)·θ                                        "
    cosine             δ = (n × g)·θ,  n in body axes                              "
    rotation           e·φ:  A  (T⁻ᵀe)·θ,   B  −(T⁻¹e)·θ,   T = T(φ) (kernels.rotations)
    angle              A  (η²e + η e × ε + (e·ε) ε)·θ/(η² + (e·ε)²),  B  minus that with ε × e
    value, rate        δq_i, δq̇_i of a vector node
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from linkwork.elements.layout import (
    ACCEPT, OMEGA, POS, QUAT, RATE, ROT, TANGENT, VALUE, VEL,
)  # fmt: skip
from linkwork.elements.failures import Failure
from linkwork.kernels import rotations
from linkwork.kernels.memory.addresses import WeakItem
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.memory.pointers import PythonCallback, call
from linkwork.kernels.programs import (
    CALL as CALLED, DOUBLE, OPERATION, RECALL, TABLE, finite, run_program,
)  # fmt: skip
from linkwork.kernels.record import record
from linkwork.kernels.rotations import (
    inverse_tangent, qconj, qlog, qmul, qscale, rotation_matrix,
)  # fmt: skip
from linkwork.kernels.vectors import add, at, at4, at9, cross, dot, mv, scale, sub, tv
from linkwork.model.drives import Drive
from linkwork.model.drives.base import leaves_that_follow
from linkwork.model.signals.load_readings import resolved
from linkwork.model.signals.programs import Program, translate, values_or_nan
from linkwork.model.nodes import Node
from linkwork.model.signals.readings import QUANTITIES
from linkwork.model.signals.signal import HeldError, Signal
from linkwork.model.registry import Entry, Family, Item, Law, Memory
from linkwork.model.signals.value_readings import ValueReading

# reals: y, its gradient (12 numbers per body), the readings, the registers of the program
# (readings, time, constants, parts that depend on time alone, results; each a value and m slopes),
# its tables, slopes by values and rates of vector nodes, what the callback takes and gives back
Y, GRADIENT = 0, 1
# of a reading: places on A and B, axes of A and B as quaternions, direction in the axes of C's body
# (of B's frame for rotations), direction n in those of A's body
READING_REALS = record(ua=3, ub=3, qa=4, qb=4, e=3, n=3)
UA, UB, QA, QB, E, N = READING_REALS
READING = READING_REALS.width
# integers: the readings, the operations of the program, sizes of its tables, and last a head
# of a reading: kind, which bodies A, B, C are
READING_CODES = record(kind=1, a=1, b=1, c=1)
KIND, A, B, C = READING_CODES
CODES = READING_CODES.width
# of a vector node: kind, which end A it is, the place of its slope, which of its unknowns
PLACE, COMPONENT = B, C
# of the head: the callback's address, how many ends and readings, where registers and operations
# begin, how many of these, how many more for accepted steps, where the result is, where the
# callback's numbers begin, where slopes by vector nodes begin and how many these are
HEAD = record(
    callback=1, ends=1, readings=1, registers=1, program=1, operations=1, accepted=1, result=1,
    call=1, slopes=1, slope_count=1,
)  # fmt: skip
(CALLBACK, ENDS, READINGS, REGISTERS, PROGRAM, OPERATIONS, ACCEPTED, RESULT, CALL, SLOPES,
 SLOPE_COUNT) = HEAD  # fmt: skip
HEAD_SIZE = HEAD.width
POSITION, VELOCITY, SPIN, COSINE, TURN, ANGLE, NODE_VALUE, NODE_RATE = range(8)
ZERO = (0.0, 0.0, 0.0)


@inlined
def gain(reals, k, b, j, c, v):
    """Add c v to the gradient by three of the twelve increments of a body."""
    p = GRADIENT + 12 * b + j
    for i in range(3):
        reals[k, p + i] += c * v[i]


@inlined
def of_vector(ints, reals, k, nodes, kind, c, sign, u, slot, d):
    """The vector (position, velocity or angular velocity) of A or B; c: slope, 0 for none."""
    b = ints[k, slot]
    R, w, g = at9(nodes, b, ROT), at(nodes, b, OMEGA), ZERO
    if c != 0.0:
        g = tv(R, d)
    c *= sign
    if kind == POSITION:
        if c != 0.0:
            gain(reals, k, slot, 0, c, d)
            gain(reals, k, slot, 3, c, cross(u, g))
        return add(at(nodes, b, POS), mv(R, u))
    if kind == VELOCITY:
        z = cross(w, u)
        if c != 0.0:
            gain(reals, k, slot, 6, c, d)
            gain(reals, k, slot, 9, c, cross(u, g))
            gain(reals, k, slot, 3, c, cross(z, g))
        return add(at(nodes, b, VEL), mv(R, z))
    if c != 0.0:
        gain(reals, k, slot, 9, c, g)
        gain(reals, k, slot, 3, c, cross(w, g))
    return mv(R, w)


@inlined
def of_turn(ints, reals, k, s, r, nodes, kind, c):
    """Rotation or angle from B to A."""
    a, b = ints[k, s + A], ints[k, s + B]
    qa, qb, e = at4(reals, k, r + QA), at4(reals, k, r + QB), at(reals, k, r + E)
    q = qmul(
        qconj(qmul(at4(nodes, ints[k, b], QUAT), qb)), qmul(at4(nodes, ints[k, a], QUAT), qa)
    )
    if q[0] < 0.0:
        q = qscale(-1.0, q)
    v, s = (q[1], q[2], q[3]), e[0] * q[1] + e[1] * q[2] + e[2] * q[3]
    if kind == TURN:
        phi = qlog(q)
        T = inverse_tangent(phi)
        y, of_a, of_b = dot(e, phi), tv(T, e), mv(T, e)
    else:
        y = 2.0 * math.atan2(s, q[0])
        side, rest = cross(e, v), add(scale(q[0] * q[0], e), scale(s, v))
        size = 1.0 / (s * s + q[0] * q[0])
        of_a = scale(size, add(rest, scale(q[0], side)))
        of_b = scale(size, sub(rest, scale(q[0], side)))
    if c != 0.0:
        gain(reals, k, a, 3, c, mv(rotation_matrix(qa), of_a))
        gain(reals, k, b, 3, -c, mv(rotation_matrix(qb), of_b))
    return y


@inlined
def of_node(ints, reals, k, s, values, kind, c):
    """A value or rate of a vector node."""
    if c != 0.0:
        reals[k, ints[k, s + PLACE]] += c
    i = ints[k, ints[k, s + A]] + ints[k, s + COMPONENT]
    return values[VALUE, i] if kind == NODE_VALUE else values[RATE, i]


@inlined
def reading(ints, reals, k, s, r, nodes, values, c):
    """The reading whose integers begin at s and reals at r; with a slope c its derivatives times c
    are added to the gradient."""
    kind = ints[k, s + KIND]
    if kind >= NODE_VALUE:
        return of_node(ints, reals, k, s, values, kind, c)
    if kind >= TURN:
        return of_turn(ints, reals, k, s, r, nodes, kind, c)
    third, e = ints[k, s + C], at(reals, k, r + E)
    Rc = at9(nodes, ints[k, third], ROT)
    d = mv(Rc, e)
    if kind == COSINE:
        slot = ints[k, s + A]
        n, R = at(reals, k, r + N), at9(nodes, ints[k, slot], ROT)
        delta = mv(R, n)
        if c != 0.0:
            gain(reals, k, slot, 3, c, cross(n, tv(R, d)))
    else:
        first = of_vector(ints, reals, k, nodes, kind, c, 1.0, at(reals, k, r + UA),
                          ints[k, s + A], d)  # fmt: skip
        second = of_vector(ints, reals, k, nodes, kind, c, -1.0, at(reals, k, r + UB),
                           ints[k, s + B], d)  # fmt: skip
        delta = sub(first, second)
    if c != 0.0:
        gain(reals, k, third, 3, c, cross(e, tv(Rc, delta)))
    return dot(d, delta)


@inlined
def ask_python(ints, reals, k, head, m, registers, time, slopes):
    """The drive itself; where its value and slopes are then."""
    x = ints[k, head + CALL]
    for i in range(m):
        reals[k, x + i] = reals[k, registers + (1 + m) * i]
    reals[k, x + m] = slopes
    out = x + m + 1
    call(ints[k, head + CALLBACK], time, reals[k, x:out], reals[k, out : out + m + 1])
    return out


@inlined
def carry_out(ints, reals, memory, k, head, m, slopes, accepted):
    """Run the program, its last operations only for accepted steps; whether all went well."""
    count = ints[k, head + OPERATIONS]
    if accepted:
        count += ints[k, head + ACCEPTED]
    return run_program(ints, reals, memory, k, ints[k, head + PROGRAM], count, m, slopes)


def signal_kernel(ints, reals, motion, loads):
    nodes, values, time, coef = motion.nodes, motion.values, motion.time, motion.coef
    head = ints.shape[1] - HEAD_SIZE
    slopes = coef[TANGENT] != 0.0
    for k in range(ints.shape[0]):
        n, m, registers = ints[k, head + ENDS], ints[k, head + READINGS], ints[k, head + REGISTERS]
        codes, places = n + n * n, GRADIENT + 12 * n
        for i in range(m):
            s, r = codes + CODES * i, places + READING * i
            reals[k, registers + (1 + m) * i] = reading(ints, reals, k, s, r, nodes, values, 0.0)
        reals[k, registers + (1 + m) * m] = time
        y = ints[k, head + RESULT]
        good = y > 0
        if good:
            accepted = coef[ACCEPT] != 0.0
            good = carry_out(ints, reals, motion.memory, k, head, m, slopes, accepted)
            for i in range(1 + m if slopes else 1):
                good = good and finite(reals[k, y + i])
        if not good:
            y = ask_python(ints, reals, k, head, m, registers, time, coef[TANGENT])
        reals[k, Y] = reals[k, y]
        if slopes:
            for j in range(12 * n):
                reals[k, GRADIENT + j] = 0.0
            for j in range(ints[k, head + SLOPE_COUNT]):
                reals[k, ints[k, head + SLOPES] + j] = 0.0
            for i in range(m):
                c = reals[k, y + 1 + i]
                if c != 0.0:
                    s, r = codes + CODES * i, places + READING * i
                    reading(ints, reals, k, s, r, nodes, values, c)


SIGNAL_KERNEL = Kernel(signal_kernel)


@functools.cache
def signal_family(n: int, size: int, integers: int, memory: int) -> Family:
    """Signals with n bodies and so many numbers; all share one kernel."""
    name = f"signal of {size} and {integers} on {n}"
    name += f" with {memory} to remember" * (memory > 0)
    return Family(
        name, SIGNAL_KERNEL, bodies=n, reals=size, integers=integers, memory=Memory(path=memory),
        signal=True,
    )  # fmt: skip


# ----------------------------------------------------------------------------- making entries


def factor_law(column: int, drive: Drive) -> Law:
    """The law of a factor that is a drive of time, or follows the motion."""
    drive = resolved(drive)
    signal = drive if leaves_that_follow(drive) else None
    return Law(column, lambda t: drive.values(t)[:, None], 1, signal=signal)


def signal_entries(item: Item, entry: Entry) -> Iterator[Entry]:
    """The signals that an entry's numbers follow."""
    for law in entry.laws:
        if law.signal is not None:
            yield signal_entry(item, entry, law)


def signal_entry(item: Item, entry: Entry, law: Law) -> Entry:
    assert law.signal is not None
    signal = Signal(law.signal)
    bodies: list[Any] = []

    def number(body: Any) -> int:
        for i, known in enumerate(bodies):
            if known is body:
                return i
        bodies.append(body)
        return len(bodies) - 1

    for body in entry.bodies:
        number(body)
    loaded = len(bodies)
    parts, codes = [], []
    for x in signal.readings:
        row = np.zeros(READING)
        parts.append(row)
        if isinstance(x, ValueReading):
            kind = NODE_VALUE if x.quantity == "value" else NODE_RATE
            codes.append([kind, number(x.node), 0, x.component])
            continue
        a, b, c = x.frames
        codes.append([QUANTITIES.index(x.quantity), *(number(f.body) for f in x.frames)])
        row[UA : UA + 3], row[UB : UB + 3] = a.position, b.position
        row[QA : QA + 4], row[QB : QB + 4] = a.orientation, b.orientation
        turns = x.quantity in ("rotation", "angle")
        row[E : E + 3] = x.axis if turns else rotations.matrix(c.orientation) @ x.axis
        row[N : N + 3] = rotations.matrix(a.orientation) @ x.along
    callback = drive_callback(item, signal)
    n, slopes = len(bodies), sum(slope_counts(bodies))
    reals, operations, head, laws, memory = program_numbers(
        signal, GRADIENT + 12 * n, n + n * n + CODES * len(codes), np.concatenate(parts), slopes
    )
    head[CALLBACK], head[ENDS] = callback, n
    first = slope_places(bodies, head[SLOPES])
    for code, x in zip(codes, signal.readings):
        if isinstance(x, ValueReading):
            after = x.node.size if x.quantity == "rate" else 0
            code[PLACE] = first[code[A]] + after + x.component
    integers = [*(x for code in codes for x in code), *operations]
    size = max(len(reals), rounded(len(integers) + HEAD_SIZE, 64))  # few families, as `rounded`
    integers += [0] * (size - HEAD_SIZE - len(integers)) + head
    return Entry(
        signal_family(n, len(reals), size, len(memory)), tuple(bodies), reals, laws=laws,
        integers=tuple(integers), memory=memory, keep=(callback, signal.called),
        acts_on=(entry, law, loaded),
    )  # fmt: skip


def slope_counts(ends: Sequence[Any]) -> list[int]:
    """How many slopes a signal has by each of its ends, beside twelve by each body."""
    return [2 * end.size if isinstance(end, Node) else 0 for end in ends]


def slope_places(ends: Sequence[Any], first: int) -> list[int]:
    """Where the slopes by each end begin: by values of a vector node, then by its rates."""
    counts = slope_counts(ends)
    return [
        first + sum(counts[:i]) if counts[i] else GRADIENT + 12 * i for i in range(len(counts))
    ]  # fmt: skip


def slopes_of(entry: Entry) -> int:
    """Where in the numbers of a signal slopes by vector nodes begin."""
    return int(entry.integers[SLOPES - HEAD_SIZE])


def program_numbers(
    signal: Signal, place: int, column: int, readings: np.ndarray, slopes: int = 0
) -> tuple[np.ndarray, list[Any], list[Any], list[Law], np.ndarray]:
    """The reals of a signal, the integers of its program, its head, laws of time for the reals, and
    its memory.

    place, column : where the readings begin among the reals, and the program among the integers
    slopes        : so many by values and rates of vector nodes
    """
    program = translate(signal)
    if program is None:
        signal.refuse_chains()
        program = Program([], len(signal.readings) + 1, {}, {}, [], [], [], -1, 0, [])
    signal.remembers = signal.remembers or bool(program.memory)
    m, memory = len(signal.readings), np.zeros(rounded(len(program.memory), 2))
    memory[: len(program.memory)] = program.memory
    first = place + readings.size
    registers = np.zeros((program.registers, 1 + m))
    registers[:m, 1:] = np.eye(m)
    for register, value in program.constants.items():
        registers[register, 0] = value
    tables = first + registers.size
    by_nodes = tables + len(program.tables)
    call = by_nodes + slopes
    # few sizes, and the same families as in files: the memory counts
    reals = np.zeros(rounded(call + 2 * m + 2 + len(memory), 64))
    reals[place:first], reals[first:tables] = readings, registers.ravel()
    sizes = column + OPERATION * len(program.operations)
    integers = [
        number for operation in program.operations
        for number in placed(operation, program.called, first, 1 + m, tables, sizes)
    ]  # fmt: skip
    reals[tables:by_nodes] = program.tables
    count = len(program.operations) - program.accepted
    result = first + (1 + m) * program.result if program.result >= 0 else 0
    head = [0, 0, m, first, column, count, program.accepted, result, call, by_nodes, slopes]
    laws = [
        Law(first + (1 + m) * register, partial(values_or_nan, drive), 1)
        for register, drive in program.inputs.items()
    ]
    return reals, [*integers, *program.sizes], head, laws, memory


def placed(
    operation: tuple[int, ...], called: list[Any], first: int, width: int, tables: int, sizes: int
) -> list[Any]:
    """An operation with columns of the rows in place of the numbers of registers."""
    code, to, *operands = operation
    a, b, c = (first + width * register for register in operands)
    to = first + width * to if code < DOUBLE else to
    if code == RECALL:
        a, b, c = 0, 0, operands[0]
    elif code == TABLE:
        b, c = tables + operands[1], sizes + operands[2]
    elif code == CALLED:
        return [code, to, a, b, called[operands[2]]]
    return [code, to, a, b, c]


def rounded(n: int, least: int) -> int:
    """0 or the next of least, 2 least, 4 least …: few sizes, so that a model has few families."""
    size = least if n else 0
    while size < n:
        size *= 2
    return size


def drive_callback(item: Item, signal: Signal) -> PythonCallback:
    """The drive with an address: [x, whether slopes are wanted] → [value, slopes]."""
    m, owner = len(signal.readings), WeakItem(item)

    def enter(t: float, x: np.ndarray, out: np.ndarray) -> None:
        out[:] = np.nan
        try:
            if x[m] != 0.0:
                out[0], out[1:] = signal.value_and_slopes(t, x[:m])
            else:
                out[0] = signal.value(t, x[:m])
        except BaseException as error:
            known = owner()
            if known is not None and known.failure is None and np.isfinite(x).all():
                message = f"has no value: {' '.join(str(error).split())}"
                whole = isinstance(error, HeldError)
                known.failure = Failure(t, error, message, "drive", whole)

    return PythonCallback(enter, m + 1, m + 1)
