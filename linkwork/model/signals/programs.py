"""Drives that read the motion as programs (kernels.programs): their trees in flat operations.

Registers are numbered: first the m readings, then the time, then constants and those parts of the
drive that depend on time alone, which stay drives and are supplied from outside; behind them the
intermediate results, which share places as soon as they are no longer needed.  A drive inside of
another one's argument (Chain, Periodic) is translated as a function of that argument.

What holds a value from step to step (held) recalls it from the memory of the signal; the last
part of the program, carried out when a step is accepted, stores the new one.

What has no translation (Python functions of a reading, integrals) is left to Python: `translate`
then gives None.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.errors import DriveError
from linkwork.kernels import programs as ops
from linkwork.model.drives.base import Drive, held_in, leaves_that_follow
from linkwork.model.drives.chebyshev import Chebyshev
from linkwork.model.drives.formulas.formula import Combined, Expression, Formula
from linkwork.model.drives.pieces import Chain, Periodic, Piecewise, Quotient
from linkwork.model.drives.simple import Constant, Polynomial, Ramp, Sine
from linkwork.model.drives.sums import Delayed, Product, Sum
from linkwork.model.drives.table import Table
from linkwork.model.signals.held import HELD, counted
from linkwork.model.signals.signal import Signal, same

TIME = Polynomial((0.0, 1.0))
LARGEST = sys.float_info.max
LONGEST = 4000  # operations
OUTSIDE = {"error": ops.ERROR, "hold": ops.HOLD, "extend": ops.EXTEND}
UNARY = {
    "sin": ops.SIN, "cos": ops.COS, "tan": ops.TAN, "asin": ops.ASIN, "acos": ops.ACOS,
    "atan": ops.ATAN, "sinh": ops.SINH, "cosh": ops.COSH, "tanh": ops.TANH, "exp": ops.EXP,
    "log": ops.LOG, "log10": ops.LOG10, "sqrt": ops.SQRT, "sign": ops.SIGN, "floor": ops.FLOOR,
    "ceil": ops.CEIL, "step": ops.STEP, "not": ops.NOT, "negative": ops.NEGATIVE,
}  # fmt: skip
BINARY = {
    "+": ops.ADD, "-": ops.SUB, "*": ops.MUL, "/": ops.DIV, "^": ops.POWER,
    "^constant": ops.CONSTANT_POWER, "atan2": ops.ATAN2, "mod": ops.MOD, "<": ops.LESS,
    "<=": ops.AT_MOST, "==": ops.EQUAL, "!=": ops.UNEQUAL, "and": ops.AND, "or": ops.OR,
    "max": ops.MAX,
}  # fmt: skip


class Untranslatable(Exception):
    """A part of a drive that programs cannot do."""


@dataclass
class Program:
    """Operations (code, to, first, second, third) on registers; `result` is the one of y.

    The last `accepted` operations are for accepted steps; `memory` has what is remembered at first,
    `turns` the places in it of angles that are counted over turns, and their readings, `totals`
    drives that integrate and the places of their sums.

    constants : register → value;   inputs : register → the drive of time that supplies it
    tables, sizes : numbers and integers of tables, in which the last operands of TABLE count
    called : the functions among which the last operand of CALL counts
    """

    operations: list[tuple[int, int, int, int, int]]
    registers: int
    constants: dict[int, float]
    inputs: dict[int, Drive]
    tables: list[float]
    sizes: list[int]
    memory: list[float]
    result: int
    accepted: int
    turns: list[tuple[int, int]]
    totals: list[tuple[Drive, int]] = field(default_factory=list)
    called: list[Any] = field(default_factory=list)


@dataclass
class Translator:
    """Writes a program in which every operation has a register of its own."""

    signal: Signal
    operations: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    constants: dict[int, float] = field(default_factory=dict)
    inputs: dict[int, Drive] = field(default_factory=dict)
    tables: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    stored: list[tuple[int, Callable[[], int]]] = field(default_factory=list)
    known: dict[Any, int] = field(default_factory=dict)
    calls: list[Callable[[], None]] = field(default_factory=list)  # of accepted steps
    turned: dict[int, tuple[int, int]] = field(default_factory=dict)
    totals: list[tuple[Drive, int]] = field(default_factory=list)
    count: int = 0

    def __post_init__(self) -> None:
        self.time = len(self.signal.readings)
        self.count = self.time + 1
        for i, reading in enumerate(self.signal.readings):
            if reading.quantity == "angle":
                self.turned[i] = counted(self, i, reading.start)

    # ------------------------------------------------------------------------------ registers
    def new(self) -> int:
        self.count += 1
        return self.count - 1

    def constant(self, value: float) -> int:
        for register, known in self.constants.items():
            if known == value:
                return register
        register = self.new()
        self.constants[register] = float(value)
        return register

    def supplied(self, drive: Drive) -> int:
        """A drive of time alone."""
        if drive == TIME:
            return self.time
        for register, known in self.inputs.items():
            if known is drive or known == drive:
                return register
        register = self.new()
        self.inputs[register] = drive
        return register

    def do(self, code: int, first: int, second: int | None = None, third: int | None = None) -> int:
        key = (code, first, second, third)
        if key not in self.known:
            self.known[key] = self.new()
            self.write(code, self.known[key], first, second, third)
        return self.known[key]

    def write(self, code: int, to: int, first: int, second: int | None = None,
              third: int | None = None) -> None:  # fmt: skip
        if len(self.operations) >= LONGEST:
            raise Untranslatable
        second, third = (first if x is None else x for x in (second, third))
        self.operations.append((code, to, first, second, third))

    def check(self, register: int) -> int:
        """A value of a drive, which must be finite."""
        if register > self.time and register not in self.constants:
            key = ("check", register)
            if key not in self.known:
                self.known[key] = register
                self.write(ops.CHECK, register, register)
        return register

    # --------------------------------------------------------------------------------- drives
    def drive(self, drive: Drive, t: int | None = None) -> int:
        """The register of a drive at the time, or at the value of the register t."""
        if drive.follows:
            i = next(i for i, x in enumerate(self.signal.readings) if same(x, drive))
            return self.turned[i][0] if i in self.turned else i
        if isinstance(drive, Constant):
            return self.constant(drive.v)
        if t is None and not leaves_that_follow(drive):
            return self.check(self.supplied(drive))
        found = RULES.get(type(drive))
        if found is None:
            raise Untranslatable
        return self.check(found(self, drive, t))

    def argument(self, t: int | None) -> int:
        return self.time if t is None else t

    def formula(self, program: tuple[Any, ...], names: dict[str, int]) -> int:
        stack: list[int] = []
        for step in program:
            if isinstance(step, tuple):
                name, n = step
                parts = stack[-n:]
                del stack[-n:]
                stack.append(self.rule(name, parts))
            else:
                stack.append(names[step] if isinstance(step, str) else self.constant(step))
        return stack[0]

    def rule(self, name: str, x: list[int]) -> int:
        do = self.do
        if name in UNARY:
            return do(UNARY[name], x[0])
        if name in (">", ">="):
            return do(ops.LESS if name == ">" else ops.AT_MOST, x[1], x[0])
        if name in BINARY:
            return functools.reduce(lambda a, b: do(BINARY[name], a, b), x)
        if name == "min":
            return do(ops.NEGATIVE, self.rule("max", [do(ops.NEGATIVE, a) for a in x]))
        if name == "abs":
            return do(ops.MAX, x[0], do(ops.NEGATIVE, x[0]))
        if name == "ramp":
            return do(ops.MAX, x[0], self.constant(0.0))
        if name == "where":
            return do(ops.PICK, *x)
        raise Untranslatable

    def pieces(self, drive: Piecewise, t: int | None) -> int:
        """Each piece is carried out between its breaks alone, and gives the same register."""
        x, result = self.argument(t), self.new()
        bounds = [-LARGEST, *drive.breaks, LARGEST]
        for low, high, part in zip(bounds, bounds[1:], drive.parts):
            if low == high:
                continue
            ends = self.constant(low), self.constant(high)
            if held_in(part):  # remembers also while another piece holds
                self.drive(part, t)
            outer, self.known = self.known, dict(self.known)
            place = len(self.operations)
            self.write(ops.BETWEEN, 0, x, *ends)
            self.write(ops.COPY, result, self.drive(part, t))
            skipped = len(self.operations) - place - 1
            self.operations[place] = (ops.BETWEEN, skipped, x, *ends)
            self.known = outer
        return result

    def table(self, drive: Table, t: int | None) -> int:
        knots, c = drive._pieces
        place, size = len(self.tables), len(self.sizes)
        self.tables += [drive.y[-1], *knots, *c.T.ravel()]
        self.sizes += [len(knots), OUTSIDE[drive.outside]]
        result = self.new()
        self.write(ops.TABLE, result, self.argument(t), place, size)
        return result

    def periodic(self, drive: Periodic, t: int | None) -> int:
        s = self.do(ops.SUB, self.argument(t), self.constant(drive.start))
        period = self.constant(drive.period)
        turns = self.do(ops.MUL, self.do(ops.FLOOR, self.do(ops.DIV, s, period)), period)
        y = self.drive(drive.a, self.do(ops.SUB, s, turns))
        zero = self.constant(0.0)
        return self.do(ops.PICK, self.do(ops.LESS, s, zero), zero, y)

    def polynomial(self, drive: Polynomial, t: int | None) -> int:
        x, y = self.argument(t), self.constant(drive.c[-1])
        for c in reversed(drive.c[:-1]):
            y = self.do(ops.ADD, self.do(ops.MUL, y, x), self.constant(c))
        return y

    def chebyshev(self, drive: Chebyshev, t: int | None) -> int:
        """Clenshaw: b_k = c_k + 2 ξ b_{k+1} − b_{k+2},  y = c_0 + ξ b_1 − b_2."""
        middle = self.constant((drive.lower + drive.upper) / 2)
        xi = self.do(ops.SUB, self.argument(t), middle)
        xi = self.do(ops.MUL, self.constant(2 / (drive.upper - drive.lower)), xi)
        twice, b1, b2 = self.do(ops.ADD, xi, xi), self.constant(0.0), self.constant(0.0)
        for k in range(len(drive.c) - 1, -1, -1):
            step = self.do(ops.SUB, self.do(ops.MUL, twice if k else xi, b1), b2)
            b1, b2 = self.do(ops.ADD, self.constant(drive.c[k]), step), b1
        return b1

    def sine(self, drive: Sine, t: int | None) -> int:
        angle = self.do(ops.MUL, self.constant(2 * np.pi * drive.frequency), self.argument(t))
        angle = self.do(ops.ADD, angle, self.constant(drive.phase))
        return self.do(ops.MUL, self.constant(drive.amplitude), self.do(ops.SIN, angle))

    def ramp(self, drive: Ramp, t: int | None) -> int:
        x, start = self.argument(t), self.constant(drive.start)
        y = self.do(ops.MUL, self.constant(drive.rate), self.do(ops.SUB, x, start))
        return self.do(ops.PICK, self.do(ops.LESS, x, start), self.constant(0.0), y)

    def delayed(self, drive: Delayed, t: int | None) -> int:
        if leaves_that_follow(drive):
            raise Untranslatable
        return self.drive(drive.a, self.do(ops.SUB, self.argument(t), self.constant(drive.dt)))

    def combined(self, drive: Combined, t: int | None) -> int:
        names = {name: self.drive(part, t) for name, part in zip(drive.names, drive.parts)}
        return self.formula(drive._program, {"t": self.argument(t), **names})

    def recall(self, first: float, new: Callable[[], int]) -> int:
        """What is remembered, `first` until a step is accepted and then the register of `new`."""
        self.memory.append(first)
        self.stored.append((len(self.memory) - 1, new))
        result = self.new()
        self.write(ops.RECALL, result, len(self.memory) - 1)
        return result

    def held(self, drive: Drive, t: int | None) -> int:
        """A drive that remembers (signals.held), at the time alone and once for all its uses."""
        if t is not None:
            raise Untranslatable
        key = ("held", id(drive))
        if key not in self.known:
            self.known[key] = HELD[type(drive)](self, drive)
        return self.known[key]


Rule = Callable[[Translator, Any, "int | None"], int]
RULES: dict[type[Drive], Rule] = {
    Sum: lambda w, d, t: w.rule("+", [w.drive(x, t) for x in d.terms]),
    Product: lambda w, d, t: w.do(ops.MUL, w.drive(d.a, t), w.drive(d.b, t)),
    Quotient: lambda w, d, t: w.do(ops.DIV, w.drive(d.a, t), w.drive(d.b, t)),
    Chain: lambda w, d, t: w.drive(d.outer, w.drive(d.inner, t)),
    Delayed: Translator.delayed,
    Expression: lambda w, d, t: w.formula(d._program, {"t": w.argument(t)}),
    Formula: lambda w, d, t: w.formula(d._program, {"t": w.argument(t), "x": w.drive(d.x, t)}),
    Combined: Translator.combined,
    Piecewise: Translator.pieces,
    Periodic: Translator.periodic,
    Polynomial: Translator.polynomial,
    Chebyshev: Translator.chebyshev,
    Sine: Translator.sine,
    Ramp: Translator.ramp,
    Table: Translator.table,
    **dict.fromkeys(HELD, Translator.held),
}  # fmt: skip


def translate(signal: Signal) -> Program | None:
    """The program of a signal; None where Python must compute it."""
    writer = Translator(signal)
    try:
        result = writer.drive(signal.drive)
        before = len(writer.operations)
        new = [(i, make()) for i, make in writer.stored]
        for i, register in new:
            writer.write(ops.STORE, i, register)
        for call in writer.calls:
            call()
    except (Untranslatable, RecursionError):
        return None
    return shared(writer, result, len(writer.operations) - before)


def shared(writer: Translator, result: int, accepted: int) -> Program:
    """The program with intermediate results in places that are used again."""
    fixed = [*range(writer.time + 1), *writer.constants, *writer.inputs]
    place = {register: i for i, register in enumerate(fixed)}
    last: dict[int, int] = {result: len(writer.operations)}
    for i, operation in enumerate(writer.operations):
        for register in written_and_read(*operation):
            last[register] = i if register != result else len(writer.operations)
    free: list[int] = []
    operations, registers = [], len(fixed)
    for i, operation in enumerate(writer.operations):
        code, to, first, second, third = operation
        used = written_and_read(*operation)
        if code < ops.DOUBLE and to not in place:
            if not free:
                free.append(registers)
                registers += 1
            place[to] = free.pop()
        operations.append((
            code, place[to] if code < ops.DOUBLE else to,
            first if code == ops.RECALL else place[first],
            second if code in (ops.RECALL, ops.TABLE) else place[second],
            third if code in (ops.RECALL, ops.TABLE, ops.CALL) else place[third],
        ))  # fmt: skip
        free += [place[r] for r in set(used) if last[r] == i and place[r] >= len(fixed)]
    index = {register: place[register] for register in (*writer.constants, *writer.inputs)}
    return Program(
        operations, registers, {index[r]: v for r, v in writer.constants.items()},
        {index[r]: d for r, d in writer.inputs.items()}, writer.tables, writer.sizes, writer.memory,
        place[result], accepted, [(place, i) for i, (_, place) in writer.turned.items()],
        writer.totals, writer.signal.called,
    )  # fmt: skip


def written_and_read(code: int, to: int, first: int, second: int, third: int) -> list[int]:
    """The registers of an operation; other operands are counts, places of tables and memory."""
    written = [to] if code < ops.DOUBLE else []
    if code == ops.RECALL:
        return written
    return [*written, first] if code in (ops.TABLE, ops.CALL) else [*written, first, second, third]


def values_or_nan(drive: Drive, t: np.ndarray) -> np.ndarray:
    """Values of a drive (T, 1); where it has none, not a number."""
    try:
        return drive.values(t)[:, None]
    except DriveError:
        if len(t) == 1:
            return np.full((1, 1), np.nan)
        return np.concatenate([values_or_nan(drive, x[None]) for x in t])
