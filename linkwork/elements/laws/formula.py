"""Formulas and functions of the user inside laws: a postfix program on a stack, differentiated.

An entry of the stack is a value and its derivatives by m variables; every rule f(a, b) has its
partial derivatives, ∂f = f_a ∂a + f_b ∂b (forward mode).  A program has integers q, after how many
codes and how many reals it has, and reals p:

    q  NUMBER         p  value
       VARIABLE, i
       TIME
       TABLE, k, beyond its ends     k places, 4 (k − 1) coefficients of cubics
       rule           as in formulas of time (model.drives.formulas.jets), by its number in RULES
"""

from __future__ import annotations

import math
from typing import Any

from numpy.polynomial.chebyshev import cheb2poly

from linkwork.elements.laws.base import STACK, Code
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.memory.pointers import shift
from linkwork.kernels.record import record
from linkwork.model.drives import (
    Chain, Chebyshev, Constant, Delayed, Drive, Expression, Formula, Piecewise, Polynomial, Product,
    Quotient, Ramp, Sine, Sum, Table, as_drive,
)  # fmt: skip
from linkwork.model.drives.formulas.formula import Step

NUMBER, VARIABLE, TIME, TABLE = range(4)
LENGTH, NUMBERS, CODES = record(length=1, numbers=1, codes=0)  # integers of a program
REFUSE, HOLD, EXTEND = 0, 1, 2  # beyond a table: not a number, its end values, its end pieces
BEYOND = {"error": REFUSE, "hold": HOLD}
ROOM = 8  # of the stack, for programs that stand for names
DEGREE = 20  # of series of Chebyshev that powers can stand for
UNARY, BINARY, PICK = 10, 50, 90  # rules of one, two and three arguments begin here
ONE = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10",
       "sqrt", "abs", "sign", "floor", "ceil", "step", "ramp", "not", "negative")  # fmt: skip
TWO = ("+", "-", "*", "/", "^", "^constant", "atan2", "mod", "min", "max", "<", "<=", ">", ">=",
       "==", "!=", "and", "or")  # fmt: skip
RULES = {
    **{name: UNARY + i for i, name in enumerate(ONE)},
    **{name: BINARY + i for i, name in enumerate(TWO)},
    "where": PICK,
}


@inlined
def rule_of_one(rule, x):
    """f(x) and f'(x)."""
    if rule == 0:
        return math.sin(x), math.cos(x)
    if rule == 1:
        return math.cos(x), -math.sin(x)
    if rule == 2:
        return math.tan(x), 1.0 + math.tan(x) ** 2
    if rule == 3 or rule == 4:
        s = 1.0 if rule == 3 else -1.0
        if abs(x) > 1.0:
            return math.nan, math.nan
        return (0.0 if rule == 3 else math.pi / 2) + s * math.asin(x), s / math.sqrt(1.0 - x * x)
    if rule == 5:
        return math.atan(x), 1.0 / (1.0 + x * x)
    if rule == 6:
        return math.sinh(x), math.cosh(x)
    if rule == 7:
        return math.cosh(x), math.sinh(x)
    if rule == 8:
        return math.tanh(x), 1.0 - math.tanh(x) ** 2
    if rule == 9:
        return math.exp(x), math.exp(x)
    if rule == 10 or rule == 11:
        c = 1.0 if rule == 10 else 1.0 / math.log(10.0)
        return (c * math.log(x), c / x) if x > 0.0 else (math.nan, math.nan)
    if rule == 12:
        return (math.sqrt(x), 0.5 / math.sqrt(x)) if x >= 0.0 else (math.nan, math.nan)
    if rule == 13:
        return abs(x), (1.0 if x >= 0.0 else -1.0)
    if rule == 14:
        return (1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)), 0.0
    if rule == 15:
        return float(math.floor(x)), 0.0
    if rule == 16:
        return float(math.ceil(x)), 0.0
    if rule == 17:
        return (1.0 if x >= 0.0 else 0.0), 0.0
    if rule == 18:
        return (x, 1.0) if x >= 0.0 else (0.0, 0.0)
    if rule == 19:
        return (1.0 if x == 0.0 else 0.0), 0.0
    return -x, -1.0


@inlined
def rule_of_two(rule, a, b):
    """f(a, b), f_a, f_b."""
    if rule == 0:
        return a + b, 1.0, 1.0
    if rule == 1:
        return a - b, 1.0, -1.0
    if rule == 2:
        return a * b, b, a
    if rule == 3:
        return a / b, 1.0 / b, -a / (b * b)
    if rule == 4 or rule == 5:
        if a < 0.0 and b != math.floor(b):
            return math.nan, math.nan, math.nan
        slope = 0.0 if b == 0.0 else b * a ** (b - 1.0)
        return a**b, slope, (a**b * math.log(a) if rule == 4 and a > 0.0 else 0.0)
    if rule == 6:
        return math.atan2(a, b), b / (a * a + b * b), -a / (a * a + b * b)
    if rule == 7:
        turns = math.floor(a / b)
        return a - turns * b, 1.0, -turns
    if rule == 8:
        return (a, 1.0, 0.0) if a < b else (b, 0.0, 1.0)
    if rule == 9:
        return (a, 1.0, 0.0) if a > b else (b, 0.0, 1.0)
    holds = (
        (rule == 10 and a < b) or (rule == 11 and a <= b) or (rule == 12 and a > b)
        or (rule == 13 and a >= b) or (rule == 14 and a == b) or (rule == 15 and a != b)
        or (rule == 16 and a != 0.0 and b != 0.0) or (rule == 17 and (a != 0.0 or b != 0.0))
    )  # fmt: skip
    return (1.0 if holds else 0.0), 0.0, 0.0


@inlined
def look_up(p, k, outside, x):
    """The piecewise cubic with k places at p: value and slope."""
    i, above = 0, k - 1
    while above - i > 1:
        middle = (i + above) // 2
        if p[middle] <= x:
            i = middle
        else:
            above = middle
    c, near = k + 4 * i, min(max(x, p[0]), p[k - 1])
    if near != x and outside == REFUSE:
        return math.nan, math.nan
    s = x - p[i] if outside == EXTEND else near - p[i]
    value = p[c] + s * (p[c + 1] + s * (p[c + 2] + s * p[c + 3]))
    slope = p[c + 1] + s * (2.0 * p[c + 2] + s * 3.0 * p[c + 3])
    if near != x and outside == HOLD:
        return value, 0.0
    return value, slope


@inlined
def run(t, p, program, x, m, stack):
    """A program for the variables x; the result is at the stack's foot."""
    i, end, at, top, w = CODES, CODES + program[LENGTH], 0, -1, m + 1
    while i < end:
        rule = program[i]
        i += 1
        if rule < TABLE:
            top += 1
            q = top * w
            for j in range(1, w):
                stack[q + j] = 0.0
            if rule == NUMBER:
                stack[q] = p[at]
                at += 1
            elif rule == VARIABLE:
                which = program[i]
                stack[q] = x[which]
                stack[q + 1 + which] = 1.0
                i += 1
            else:
                stack[q] = t
        elif rule < BINARY:
            q = top * w
            if rule == TABLE:
                k = program[i]
                value, slope = look_up(shift(p, at), k, program[i + 1], stack[q])
                i += 2
                at += k + 4 * (k - 1)
            else:
                value, slope = rule_of_one(rule - UNARY, stack[q])
            stack[q] = value
            for j in range(1, w):
                stack[q + j] *= slope
        elif rule < PICK:
            top -= 1
            q = top * w
            value, fa, fb = rule_of_two(rule - BINARY, stack[q], stack[q + w])
            stack[q] = value
            for j in range(1, w):
                stack[q + j] = fa * stack[q + j] + fb * stack[q + w + j]
        else:
            top -= 2
            q = top * w
            chosen = q + w if stack[q] != 0.0 else q + 2 * w
            for j in range(w):
                stack[q + j] = stack[chosen + j]


# ----------------------------------------------------------------------------- making programs


ProgramNumbers = list[float | Code]


def measured(numbers: ProgramNumbers) -> ProgramNumbers:
    """The numbers of a program after how many integers and reals they are."""
    codes = sum(isinstance(x, Code) for x in numbers)
    return [Code(codes), Code(len(numbers) - codes), *numbers]


def program(
    steps: tuple[Step, ...], names: dict[str, int | ProgramNumbers], what: str, m: int = 1
) -> ProgramNumbers:
    """Codes and reals of a postfix program in m variables.

    names: the number of each variable, −1 for the time, or a program that stands for the name.
    """
    out: ProgramNumbers = []
    depth = deepest = 0
    for step in steps:
        if isinstance(step, tuple):
            name, n = step
            code = RULES[name]
            fixed = 1 if code < BINARY else 2 if code < PICK else 3
            out += [Code(code)] * (n - 1 if fixed == 2 else 1)  # a chain such as max(a, b, c)
            depth -= n - 1
        else:
            depth += 1
            named = names[step] if isinstance(step, str) else None
            if named is None:
                out += [Code(NUMBER), float(step)]
            elif isinstance(named, list):
                out += named
            else:
                out += [Code(TIME)] if named < 0 else [Code(VARIABLE), Code(named)]
        deepest = max(deepest, depth)
    if (deepest + ROOM) * (m + 1) > STACK:
        raise ModelError(f"{what} is a formula nested too deeply; write it in smaller parts")
    return out


def reads_time(numbers: ProgramNumbers) -> bool:
    """Whether the program depends on the time."""
    codes, i = [x for x in numbers if isinstance(x, Code)], 0
    while i < len(codes):
        if codes[i] == TIME:
            return True
        i += {VARIABLE: 2, TABLE: 3}.get(codes[i], 1)
    return False


def function_program(f: Any, what: str, variable: int = 0) -> ProgramNumbers:
    """The program of a function of one variable: a number, a drive read as a function of it."""
    drive = as_drive(f, what=what)
    return _drive_program(drive, [Code(VARIABLE), Code(variable)], what)


def _drive_program(drive: Drive, x: ProgramNumbers, what: str) -> ProgramNumbers:
    def then(*rules: str) -> ProgramNumbers:
        return [Code(RULES[r]) for r in rules]

    def number(v: float) -> ProgramNumbers:
        return [Code(NUMBER), float(v)]

    match drive:
        case Constant(v=v):
            return number(v)
        case Ramp(rate=rate, start=start):
            return [*x, *number(start), *then("-", "ramp"), *number(rate), *then("*")]
        case Sine(amplitude=a, frequency=f, phase=phase):
            angle = [*x, *number(2 * math.pi * f), *then("*"), *number(phase), *then("+")]
            return [*angle, *then("sin"), *number(a), *then("*")]
        case Polynomial(c=c):
            out = number(c[-1])
            for coefficient in reversed(c[:-1]):
                out = [*out, *x, *then("*"), *number(coefficient), *then("+")]
            return out
        case Table():
            knots, coefficients = drive._pieces
            head = map(Code, (TABLE, len(knots), BEYOND.get(drive.outside, EXTEND)))
            return [*x, *head, *knots.tolist(), *coefficients.T.ravel().tolist()]
        case Sum(terms=terms):
            out = _drive_program(terms[0], x, what)
            for term in terms[1:]:
                out = [*out, *_drive_program(term, x, what), *then("+")]
            return out
        case Product(a=a, b=b):
            return [*_drive_program(a, x, what), *_drive_program(b, x, what), *then("*")]
        case Delayed(a=a, dt=dt):
            return _drive_program(a, [*x, *number(dt), *then("-")], what)
        case Quotient(a=a, b=b):
            return [*_drive_program(a, x, what), *_drive_program(b, x, what), *then("/")]
        case Chain(outer=f, inner=g):
            return _drive_program(f, _drive_program(g, x, what), what)
        case Piecewise(breaks=breaks, parts=parts):
            out = _drive_program(parts[-1], x, what)
            for limit, part in zip(reversed(breaks), reversed(parts[:-1]), strict=True):
                before = _drive_program(part, x, what)
                out = [*x, *number(limit), *then("<"), *before, *out, *then("where")]
            return out
        case Chebyshev(lower=lower, upper=upper, c=c) if len(c) <= DEGREE:
            slope = 2 / (upper - lower)
            xi = [*x, *number((lower + upper) / 2), *then("-"), *number(slope), *then("*")]
            return _drive_program(Polynomial(tuple(cheb2poly(c).tolist())), xi, what)
        case Expression():
            return program(drive._program, {"t": x}, what)
        case Formula(x=inner):
            return program(drive._program, {"t": -1, "x": _drive_program(inner, x, what)}, what)
    raise ModelError(
        f"{what} is {drive.label}, which cannot be compiled into a law; give a table, a "
        "polynomial or an expression"
    )

