"""Values of expressions: variables with types, operators and functions.

A bool is a Python bool, an integer an int of 32 bits, a real a float and a string a str.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from linkwork.io.mbdyn.syntax.hints import near
from linkwork.io.mbdyn.syntax.language import LARGEST, TYPES, ExpressionError, Tree, parse

Value = Any
KINDS: dict[str, type] = {"bool": bool, "integer": int, "real": float, "string": str}

CONSTANTS: dict[str, Value] = {
    "TRUE": True, "FALSE": False, "INT_MAX": LARGEST, "INT_MIN": -LARGEST - 1,
    "RAND_MAX": LARGEST, "REAL_MAX": 1.7976931348623157e308, "REAL_MIN": 2.2250738585072014e-308,
    "pi": math.pi, "e": math.e, "deg2rad": math.pi / 180, "rad2deg": 180 / math.pi,
    "in2m": 0.0254, "m2in": 1 / 0.0254, "in2mm": 25.4, "mm2in": 1 / 25.4, "ft2m": 0.3048,
    "m2ft": 1 / 0.3048, "lb2kg": 0.45359237, "kg2lb": 1 / 0.45359237, "slug2kg": 14.5939,
    "kg2slug": 1 / 14.5939,
}  # fmt: skip
RUNNING = ("Time", "TimeStep", "Step", "Var")  # their values are known while the model moves


@dataclass
class Variable:
    kind: str
    value: Value
    const: bool = False
    plugin: tuple[str, ...] = ()  # the words of the plugin that it follows while the model moves


@dataclass
class Symbols:
    """The variables of a deck, and functions of the model."""

    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, Callable[..., Value]] = field(default_factory=dict)
    running: dict[str, Value] = field(default_factory=dict)
    random: random.Random = field(default_factory=lambda: random.Random(0))

    def __post_init__(self) -> None:
        for name, value in CONSTANTS.items():
            self.variables[name] = Variable(kind_of(value), value, const=True)

    def take_environment(self, environment: Mapping[str, str]) -> None:
        """MBDYNVARS="real x = 1.; …" and MBDYN_real_x=1. declare variables."""
        if "MBDYNVARS" in environment:
            self.evaluate(parse(environment["MBDYNVARS"]))
        for key, text in environment.items():
            kind, _, name = key.removeprefix("MBDYN_").partition("_")
            if key.startswith("MBDYN_") and kind in TYPES and name.isidentifier():
                value = text if kind == "string" else self.evaluate(parse(text))
                self.variables[name] = Variable(kind, cast(value, kind, name))

    def evaluate(self, tree: Tree) -> Value:
        match tree:
            case ("value", value):
                return value
            case ("name", name):
                return self.value(name)
            case ("empty",):
                return 0
            case ("sequence", *parts):
                for part in parts[:-1]:
                    self.evaluate(part)
                return self.evaluate(parts[-1])
            case ("declare", modifiers, kind, name, value):
                return self.declare(modifiers, kind, name, value)
            case ("assign", name, value):
                return self.assign(name, self.evaluate(value))
            case ("plugin", *words):
                return self.plug_in(words)
            case ("negative", part):
                return whole(-number(self.evaluate(part), "-"))
            case ("!", part):
                return not number(self.evaluate(part), "!")
            case ("call", name, *parts):
                return self.call(name, [self.evaluate(part) for part in parts])
            case (operator, a, b):
                return OPERATORS[operator](self.evaluate(a), self.evaluate(b))
        raise ExpressionError(f"cannot evaluate {tree[0]!r}")

    def value(self, name: str) -> Value:
        if name in self.running:
            return self.running[name]
        found = self.variables.get(name)
        if found is None:
            if name in RUNNING:
                raise ExpressionError(
                    f"'{name}' has no value before the model moves; use it in a string drive"
                    + (", of a deck whose steps are equal" if "Step" in name else "")
                )
            close = near(name, self.variables)
            like = f" (near it: {close[0]})" if close else ""
            raise ExpressionError(
                f"'{name}' is no variable that was set before{like}; set: real {name} = …; would "
                "declare it", name=name,
            )  # fmt: skip
        if found.plugin:
            raise ExpressionError(
                f"'{name}' follows a {found.plugin[0]} while the model moves; use it in a string "
                "drive"
            )
        if found.value is None:
            raise ExpressionError(f"'{name}' is declared, but has no value yet")
        return found.value

    def declare(self, modifiers: frozenset, kind: str, name: str, value: Tree | None) -> Value:
        known = self.variables.get(name)
        if known is not None and "ifndef" in modifiers:
            return known.value
        if known is not None and known.const:
            raise ExpressionError(f"'{name}' is a constant and cannot be declared again")
        if known is not None and known.kind != kind:
            raise ExpressionError(f"'{name}' is declared as {known.kind} already")
        if value is None and "const" in modifiers:
            raise ExpressionError(f"the constant '{name}' needs a value: const {kind} {name} = …")
        given = None if value is None else cast(self.evaluate(value), kind, name)
        self.variables[name] = Variable(kind, given, "const" in modifiers)
        return 0 if given is None else given

    def assign(self, name: str, value: Value) -> Value:
        found = self.variables.get(name)
        if found is None:
            raise ExpressionError(
                f"'{name}' is not declared; write its type before it, for example real {name} = …"
            )
        if found.const or found.plugin:
            raise ExpressionError(f"'{name}' is a constant and keeps its value")
        found.value = cast(value, found.kind, name)
        return found.value

    def plug_in(self, words: list[str]) -> Value:
        if len(words) < 3 or words[0] not in ("dof", "node", "element"):
            raise ExpressionError(
                "a plugin is written [dof, variable, label, …], with dof, node or element"
            )
        if not words[1].isidentifier():
            raise ExpressionError(f"a plugin needs the name of a variable, found '{words[1]}'")
        self.variables[words[1]] = Variable("real", 0.0, plugin=tuple(words))
        return 0

    def call(self, name: str, values: list[Value]) -> Value:
        name = name.removeprefix("default::")
        if name in self.functions:
            try:
                return self.functions[name](*values)
            except TypeError:
                what = f"{name}() does not take {len(values)} values such as these"
                raise ExpressionError(what) from None
        if name.removesuffix("_eval") in TYPES and len(values) == 1:
            return cast(values[0], name.removesuffix("_eval"), name, explicit=True)
        if name == "rand" and not values:
            return self.random.randrange(LARGEST)
        if name == "random" and not values:
            return self.random.uniform(-1, 1)
        if name == "seed" and len(values) == 1:
            self.random.seed(int(number(values[0], name)))
            return 0
        if name == "sprintf" and values and isinstance(values[0], str):
            try:
                return values[0] % tuple(values[1:])
            except (TypeError, ValueError, OverflowError) as error:
                raise ExpressionError(f"sprintf: {error}") from None
        if name == "stop" and len(values) == 2:
            if number(values[0], name):
                raise ExpressionError(f"the file stops here, stop(…, {values[1]})")
            return values[1]
        if name == "print" and len(values) == 1:
            return values[0]
        if name not in FUNCTIONS:
            raise ExpressionError(
                f"there is no function '{name}'; known are {', '.join(sorted(FUNCTIONS))}"
            )
        function, count = FUNCTIONS[name]
        if len(values) != count:
            raise ExpressionError(f"{name}() takes {count} values, found {len(values)}")
        try:
            return function(*(float(number(v, name)) for v in values))
        except (ValueError, ZeroDivisionError, OverflowError):
            shown = ", ".join(f"{v:g}" for v in values)
            raise ExpressionError(f"{name}({shown}) has no value") from None


# ------------------------------------------------------------------------------------- types


def kind_of(value: Value) -> str:
    for kind in ("bool", "integer", "real", "string"):  # a Python bool is an int, too
        if isinstance(value, KINDS[kind]):
            return kind
    raise ExpressionError(f"{value!r} is no value of the language")


def joined(value: Value) -> str:
    """A value as part of a text: reals with six digits and an exponent."""
    return f"{value:e}" if isinstance(value, float) else shown(value)


def shown(value: Value) -> str:
    if isinstance(value, str):
        return value
    return f"{value:d}" if isinstance(value, int) else f"{value:g}"


def cast(value: Value, kind: str, name: str, explicit: bool = False) -> Value:
    """A value as another type; a real becomes an integer by itself only where it is whole."""
    if kind == "string":
        return joined(value)
    if isinstance(value, str):
        raise ExpressionError(f"'{name}' is {kind} and cannot take the text {value[:40]!r}")
    if kind == "bool":
        return bool(value)
    if kind == "real":
        return float(value)
    finite = not isinstance(value, float) or math.isfinite(value)
    if not finite or (not explicit and value != int(value)):
        raise ExpressionError(
            f"'{name}' is an integer, but {value:g} is not; write integer({value:g})"
        )
    return whole(int(value))


def number(value: Value, operator: str) -> Value:
    if isinstance(value, str):
        raise ExpressionError(f"'{operator}' needs numbers, found the text {value[:40]!r}")
    return int(value) if isinstance(value, bool) else value


def whole(value: Value) -> Value:
    """An integer must fit into 32 bits, and reals be finite."""
    if isinstance(value, int):
        if abs(value) > LARGEST + 1:
            raise ExpressionError("an integer grows too large; write reals, with a dot")
    elif not math.isfinite(value):
        raise ExpressionError("the value of an expression is not finite")
    return value


def add(a: Value, b: Value) -> Value:
    if isinstance(a, str) or isinstance(b, str):
        return joined(a) + joined(b)
    return whole(number(a, "+") + number(b, "+"))


def subtract(a: Value, b: Value) -> Value:
    return whole(number(a, "-") - number(b, "-"))


def multiply(a: Value, b: Value) -> Value:
    return whole(number(a, "*") * number(b, "*"))


def divide(a: Value, b: Value) -> Value:
    a, b = number(a, "/"), number(b, "/")
    if b == 0:
        raise ExpressionError("division by zero")
    if isinstance(a, int) and isinstance(b, int):
        q = abs(a) // abs(b)
        return whole(q if (a < 0) == (b < 0) else -q)
    return whole(a / b)


def remainder(a: Value, b: Value) -> Value:
    a, b = number(a, "%"), number(b, "%")
    if b == 0:
        raise ExpressionError("division by zero")
    if isinstance(a, int) and isinstance(b, int):
        return int(math.fmod(a, b))
    return math.fmod(a, b)


def power(a: Value, b: Value) -> Value:
    """A real, of integers too: 9^2/10^2 is 0.81, and 10^-3 is 0.001."""
    a, b = number(a, "^"), number(b, "^")
    try:
        return whole(math.pow(a, b))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise ExpressionError(f"{a:g}^{b:g} has no value") from None


def compare(test: Callable[[Value, Value], bool], word: str) -> Callable[[Value, Value], bool]:
    def comparison(a: Value, b: Value) -> bool:
        if isinstance(a, str) and isinstance(b, str):
            return test(a, b)
        return test(number(a, word), number(b, word))

    return comparison


OPERATORS: dict[str, Callable[[Value, Value], Value]] = {
    "+": add, "-": subtract, "*": multiply, "/": divide, "%": remainder, "^": power,
    "<": compare(lambda a, b: a < b, "<"), "<=": compare(lambda a, b: a <= b, "<="),
    "==": compare(lambda a, b: a == b, "=="), "!=": compare(lambda a, b: a != b, "!="),
    ">=": compare(lambda a, b: a >= b, ">="), ">": compare(lambda a, b: a > b, ">"),
    "&&": lambda a, b: bool(number(a, "&&")) and bool(number(b, "&&")),
    "||": lambda a, b: bool(number(a, "||")) or bool(number(b, "||")),
    "~|": lambda a, b: bool(number(a, "~|")) != bool(number(b, "~|")),
}  # fmt: skip


def rounded(x: float) -> int:
    return int(whole(int(math.floor(x + 0.5) if x >= 0 else math.ceil(x - 0.5))))


FUNCTIONS: dict[str, tuple[Callable[..., Value], int]] = {
    "abs": (abs, 1), "acos": (math.acos, 1), "acosh": (math.acosh, 1),
    "actan": (lambda x: math.atan2(1.0, x), 1), "actan2": (lambda x, y: math.atan2(y, x), 2),
    "actanh": (lambda x: math.atanh(1 / x), 1), "asin": (math.asin, 1),
    "asinh": (math.asinh, 1), "atan": (math.atan, 1), "atan2": (math.atan2, 2),
    "atanh": (math.atanh, 1), "ceil": (lambda x: whole(math.ceil(x)), 1),
    "copysign": (math.copysign, 2), "cos": (math.cos, 1), "cosh": (math.cosh, 1),
    "ctan": (lambda x: 1 / math.tan(x), 1), "ctanh": (lambda x: 1 / math.tanh(x), 1),
    "exp": (math.exp, 1), "floor": (lambda x: whole(math.floor(x)), 1),
    "in_ee": (lambda a, x, b: a <= x <= b, 3), "in_el": (lambda a, x, b: a <= x < b, 3),
    "in_le": (lambda a, x, b: a < x <= b, 3), "in_ll": (lambda a, x, b: a < x < b, 3),
    "log": (math.log, 1), "log10": (math.log10, 1), "min": (min, 2), "max": (max, 2),
    "ramp": (lambda x: max(x, 0.0), 1), "round": (rounded, 1),
    "sign": (lambda x: math.copysign(1.0, x) if x else 0.0, 1), "sin": (math.sin, 1),
    "sinh": (math.sinh, 1), "sqrt": (math.sqrt, 1),
    "sramp": (lambda x, top: min(max(x, 0.0), top), 2),
    "par": (lambda x: x * x if x > 0 else 0.0, 1),
    "step": (lambda x: 0.5 if x == 0 else float(x > 0), 1), "tan": (math.tan, 1),
    "tanh": (math.tanh, 1),
}  # fmt: skip


def environment_of(given: Mapping[str, str] | None) -> dict[str, str]:
    return dict(os.environ if given is None else given)
