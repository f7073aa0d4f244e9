"""Scalar functions of a deck, as drives whose variable need not be the time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.model.drives import (
    Chebyshev,
    Constant,
    Drive,
    Piecewise,
    Polynomial,
    Quotient,
    Table,
    expression,
)


def read_function(args: Arguments) -> Drive:
    """The type of a scalar function and its arguments; a number alone is a constant."""
    i = args.i
    key = args.key()
    try:
        if key in KEYS:
            args.i += 1
            return FUNCTIONS[KEYS[key]](args)
        if not key.isalpha() or args.words[args.i].strip() in args.deck.symbols.variables:
            return const(args)
    except LinkworkError as error:
        if hasattr(error, "sentence"):
            raise
        raise args.translated(error, i) from None
    return args.entry(FUNCTIONS, "scalar function")[1](args)  # says what there is


def const(args: Arguments) -> Drive:
    return Constant(args.real("the value of a scalar function"))


def base_and_coefficient(args: Arguments) -> tuple[float, float, float]:
    base = args.positive("the base") if args.keyword("base") else math.e
    c = args.real("the coefficient") if args.keyword("coefficient") else 1.0
    return base, c, args.real("the multiplier")


def exp(args: Arguments) -> Drive:
    """m b^(c x)"""
    base, c, m = base_and_coefficient(args)
    return expression(f"({m!r})*exp(({float(np.log(base)) * c!r})*t)")


def log(args: Arguments) -> Drive:
    """m log_b(c x)"""
    base, c, m = base_and_coefficient(args)
    if base == 1:
        args.fail("the base of a logarithm must not be 1")
    return expression(f"({m / float(np.log(base))!r})*log(({c!r})*t)")


def pow_(args: Arguments) -> Drive:
    return expression(f"t^({args.real('the exponent')!r})")


def sin(args: Arguments) -> Drive:
    a, w, phase = args.reals(3, "a parameter of sin")
    return expression(f"({a!r})*sin(({w!r})*t + ({phase!r}))")


def cos(args: Arguments) -> Drive:
    a, w, phase = args.reals(3, "a parameter of cos")
    return expression(f"({a!r})*cos(({w!r})*t + ({phase!r}))")


def linear(args: Arguments) -> Drive:
    """The line through two points."""
    x1, y1, x2, y2 = args.reals(4, "a coordinate")
    if x1 == x2:
        args.fail("the two points of a line must have different x")
    slope = (y2 - y1) / (x2 - x1)
    return Polynomial((y1 - slope * x1, slope))


def outside(args: Arguments) -> str:
    if not args.keyword("do not extrapolate"):
        return "extend"
    return "error" if args.keyword("bailout") else "hold"


def points(args: Arguments) -> np.ndarray:
    """x, y pairs until `end` or the end of the card."""
    found: list[float] = []
    while args.more() and not args.keyword("end"):
        found += [args.real("x of a point"), args.real("y of a point")]
    return np.array(found).reshape(-1, 2)


def table(kind: str) -> Callable[[Arguments], Drive]:
    def card(args: Arguments) -> Drive:
        where, xy = outside(args), points(args)
        return Table(xy[:, 0], xy[:, 1], kind, where)  # type: ignore[arg-type]

    return card


def chebychev(args: Arguments) -> Drive:
    a, b = args.reals(2, "a bound of the series")
    held = bool(args.keyword("do not extrapolate"))
    c: list[float] = []
    while args.more() and not args.keyword("end"):
        c.append(args.real("a coefficient"))
    series = Chebyshev(a, b, tuple(c))
    if not held:
        return series
    ends = series.values(np.array([a, b]))
    return Piecewise((a, b), (Constant(ends[0]), series, Constant(ends[1])))


def both(make: Callable[[Drive, Drive], Drive]) -> Callable[[Arguments], Drive]:
    """Of two functions, each a name or a name and its definition."""

    def card(args: Arguments) -> Drive:
        return make(inline_function(args), inline_function(args))

    return card


def inline_function(args: Arguments) -> Drive:
    """The name of a known one, or a name and its definition."""
    i = args.i
    name = args.string("the name of a scalar function")
    if name in args.deck.functions:
        return args.deck.functions[name]
    if not args.more():
        args.fail(f"there is no scalar function \"{name}\"; define it before or here", i)
    found = read_function(args)
    define(args, name, found)
    return found


def define(args: Arguments, name: str, f: Drive) -> None:
    args.deck.functions[name] = f

    def value(x: float, order: int = 0) -> float:
        return float(f.jet(np.array([float(x)]))[0, int(order)])

    args.deck.symbols.functions[f"model::sf::{name}"] = value


def scalar_function_card(args: Arguments) -> None:
    """scalar function: "name", type, arguments;"""
    name = args.string("the name of a scalar function")
    args.card = f'scalar function "{name}"'
    if name in args.deck.functions:
        args.fail(f'there is a scalar function "{name}" already', 0)
    define(args, name, read_function(args))
    args.end()


FUNCTIONS: dict[str, Callable[[Arguments], Drive]] = {
    "chebychev": chebychev, "const": const, "cos": cos, "cubic spline": table("natural"),
    "div": both(Quotient), "exp": exp, "linear": linear, "log": log,
    "mul": both(lambda a, b: a * b), "multilinear": table("linear"), "pow": pow_, "sin": sin,
    "sub": both(lambda a, b: a - b), "sum": both(lambda a, b: a + b),
}  # fmt: skip
KEYS = {name.replace(" ", ""): name for name in FUNCTIONS}
