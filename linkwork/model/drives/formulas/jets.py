"""Rules for jets (y, y', y''): the product and chain rule, and the functions of formulas.

A jet here is a tuple of arrays over the times, or of numbers for constants.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Jet = Any


def product(a: Jet, b: Jet) -> Jet:
    return a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]


def _div(a: Jet, b: Jet) -> Jet:
    q = a[0] / b[0]
    q1 = (a[1] - q * b[1]) / b[0]
    return q, q1, (a[2] - 2 * q1 * b[1] - q * b[2]) / b[0]


def _chain(f: tuple[Any, Any, Any], a: Jet) -> Jet:
    return f[0], f[1] * a[1], f[2] * a[1] * a[1] + f[1] * a[2]


def _power_constant(a: Jet, b: Jet) -> Jet:
    """a^p for a constant p, zero bases included where the derivatives exist."""
    x, p = a[0], b[0]
    f1 = p * np.power(x, p - 1) if p != 0 else 0.0
    f2 = p * (p - 1) * np.power(x, p - 2) if p not in (0, 1) else 0.0
    return _chain((np.power(x, p), f1, f2), a)


def _power(a: Jet, b: Jet) -> Jet:
    """a^b = exp(b log a), a > 0."""
    y = np.power(a[0], b[0])
    _, u1, u2 = product(b, _log(a))
    return y, y * u1, y * (u1 * u1 + u2)


def _log(a: Jet) -> Jet:
    x = a[0]
    return _chain((np.log(x), 1 / x, -1 / (x * x)), a)


def _tan(a: Jet) -> Jet:
    y, sec2 = np.tan(a[0]), np.cos(a[0]) ** -2.0
    return _chain((y, sec2, 2 * y * sec2), a)


def _tanh(a: Jet) -> Jet:
    y, sech2 = np.tanh(a[0]), np.cosh(a[0]) ** -2.0
    return _chain((y, sech2, -2 * y * sech2), a)


def _sqrt(a: Jet) -> Jet:
    y = np.sqrt(a[0])
    return _chain((y, 0.5 / y, -0.25 / y**3), a)


def _asin(a: Jet) -> Jet:
    x = a[0]
    c2 = (1 - x) * (1 + x)
    return _chain((np.arcsin(x), c2**-0.5, x * c2**-1.5), a)


def _atan(a: Jet) -> Jet:
    x = a[0]
    q = 1 / (1 + x * x)
    return _chain((np.arctan(x), q, -2 * x * q * q), a)


def _atan2(y: Jet, x: Jet) -> Jet:
    r2 = x[0] * x[0] + y[0] * y[0]
    d1 = (x[0] * y[1] - y[0] * x[1]) / r2
    d2 = (x[0] * y[2] - y[0] * x[2] - 2 * d1 * (x[0] * x[1] + y[0] * y[1])) / r2
    return np.arctan2(y[0], x[0]), d1, d2


def _flat(y: Any) -> Jet:
    """A piecewise constant value."""
    return y, 0.0 * y, 0.0 * y


def _pick(condition: Any, a: Jet, b: Jet) -> Jet:
    return tuple(np.where(condition, x, y) for x, y in zip(a, b, strict=True))


def _max(*jets: Jet) -> Jet:
    """The largest; equal values are told apart by what comes next in time."""
    best = jets[0]
    for a in jets[1:]:
        tie = a[0] == best[0]
        later = (a[1] > best[1]) | ((a[1] == best[1]) & (a[2] > best[2]))
        best = _pick((a[0] > best[0]) | (tie & later) | np.isnan(a[0]), a, best)
    return best


def _negative(a: Jet) -> Jet:
    return -a[0], -a[1], -a[2]


def _truth(y: Any) -> Jet:
    return _flat(np.asarray(y, dtype=float))


ZERO = (np.float64(0), np.float64(0), np.float64(0))

# name: (function of jets, fewest and most arguments)
FUNCTIONS: dict[str, tuple[Callable[..., Jet], int, int]] = {
    "sin": (lambda a: _chain((np.sin(a[0]), np.cos(a[0]), -np.sin(a[0])), a), 1, 1),
    "cos": (lambda a: _chain((np.cos(a[0]), -np.sin(a[0]), -np.cos(a[0])), a), 1, 1),
    "tan": (_tan, 1, 1),
    "asin": (_asin, 1, 1),
    "acos": (lambda a: _sub((np.pi / 2, 0.0, 0.0), _asin(a)), 1, 1),
    "atan": (_atan, 1, 1),
    "atan2": (_atan2, 2, 2),
    "sinh": (lambda a: _chain((np.sinh(a[0]), np.cosh(a[0]), np.sinh(a[0])), a), 1, 1),
    "cosh": (lambda a: _chain((np.cosh(a[0]), np.sinh(a[0]), np.cosh(a[0])), a), 1, 1),
    "tanh": (_tanh, 1, 1),
    "exp": (lambda a: _chain((np.exp(a[0]),) * 3, a), 1, 1),
    "log": (_log, 1, 1),
    "log10": (lambda a: _div(_log(a), (np.log(10), 0.0, 0.0)), 1, 1),
    "sqrt": (_sqrt, 1, 1),
    "abs": (lambda a: _max(a, _negative(a)), 1, 1),
    "sign": (lambda a: _flat(np.sign(a[0])), 1, 1),
    "floor": (lambda a: _flat(np.floor(a[0])), 1, 1),
    "ceil": (lambda a: _flat(np.ceil(a[0])), 1, 1),
    "mod": (lambda a, b: _sub(a, product(_flat(np.floor(a[0] / b[0])), b)), 2, 2),
    "step": (lambda a: _flat(np.where(np.isnan(a[0]), np.nan, a[0] >= 0)), 1, 1),
    "ramp": (lambda a: _max(a, ZERO), 1, 1),
    "min": (lambda *a: _negative(_max(*map(_negative, a))), 2, 99),
    "max": (_max, 2, 99),
    "where": (lambda c, a, b: _pick(c[0] != 0, a, b), 3, 3),
}


def _sub(a: Jet, b: Jet) -> Jet:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


CONSTANTS = {"pi": math.pi, "e": math.e}
OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^", ast.Mod: "mod",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.And: "and", ast.Or: "or", ast.Not: "not", ast.USub: "negative",
}  # fmt: skip
RULES: dict[str, Callable[..., Jet]] = {
    **{name: entry[0] for name, entry in FUNCTIONS.items()},
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] + b[2]),
    "-": _sub,
    "*": product,
    "/": _div,
    "^": _power,
    "^constant": _power_constant,
    "<": lambda a, b: _truth(a[0] < b[0]),
    "<=": lambda a, b: _truth(a[0] <= b[0]),
    ">": lambda a, b: _truth(a[0] > b[0]),
    ">=": lambda a, b: _truth(a[0] >= b[0]),
    "==": lambda a, b: _truth(a[0] == b[0]),
    "!=": lambda a, b: _truth(a[0] != b[0]),
    "and": lambda *a: _truth(np.all(np.broadcast_arrays(*(x[0] != 0 for x in a)), axis=0)),
    "or": lambda *a: _truth(np.any(np.broadcast_arrays(*(x[0] != 0 for x in a)), axis=0)),
    "not": lambda a: _truth(a[0] == 0),
    "negative": _negative,
}

# which branch a function is on, from the values of its arguments
BRANCHES: dict[str, Callable[..., Any]] = {
    **{name: lambda *a, rule=RULES[name]: rule(*((x,) for x in a))[0]
       for name in ("<", "<=", ">", ">=", "==", "!=", "and", "or", "not")},
    **dict.fromkeys(("step", "ramp", "abs"), lambda x: x >= 0),
    "sign": np.sign, "floor": np.floor, "ceil": np.ceil, "mod": lambda a, b: np.floor(a / b),
    "min": lambda *a: np.argmin(np.broadcast_arrays(*a), axis=0),
    "max": lambda *a: np.argmax(np.broadcast_arrays(*a), axis=0),
    "where": lambda c, a, b: c != 0,
}  # fmt: skip
