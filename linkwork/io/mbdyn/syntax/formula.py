"""Expressions that depend on the time become formulas of linkwork's drives.

`Time` is t, `Var` is x; what has a value when the file has been read is that value.  Integer
operations stay integer, but for powers: a/b of integers is cut towards zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from linkwork.io.mbdyn.syntax.evaluation import FUNCTIONS, Symbols, Value, cast, kind_of
from linkwork.io.mbdyn.syntax.language import TYPES, ExpressionError, Tree
from linkwork.model.drives import Constant, Drive, Expression, Polynomial, formula


class Part(NamedTuple):
    """A piece of a formula: its text and type, and its value where it is a constant."""

    text: str
    kind: str
    value: Value = None

    @property
    def constant(self) -> bool:
        return self.value is not None


SAME = ("acos", "asin", "atan", "cos", "cosh", "exp", "log", "log10", "sin", "sinh", "sqrt", "tan",
        "tanh", "abs", "sign", "atan2", "min", "max", "ramp")  # fmt: skip
INTEGER = ("ceil", "floor", "round")
WRITTEN = {  # those that linkwork's formulas have no name for
    "acosh": "log({0} + sqrt({0}^2 - 1))",
    "asinh": "log({0} + sqrt({0}^2 + 1))",
    "atanh": "0.5*log((1 + {0})/(1 - {0}))",
    "actanh": "0.5*log(({0} + 1)/({0} - 1))",
    "actan": "atan2(1, {0})",
    "actan2": "atan2({1}, {0})",
    "ctan": "1/tan({0})",
    "ctanh": "1/tanh({0})",
    "ceil": "ceil({0})",
    "floor": "floor({0})",
    "round": "where({0} >= 0, floor({0} + 0.5), ceil({0} - 0.5))",
    "copysign": "where({1} < 0, -abs({0}), abs({0}))",
    "in_ee": "{0} <= {1} and {1} <= {2}",
    "in_el": "{0} <= {1} and {1} < {2}",
    "in_le": "{0} < {1} and {1} <= {2}",
    "in_ll": "{0} < {1} and {1} < {2}",
    "sramp": "min(max({0}, 0), {1})",
    "par": "where({0} > 0, {0}^2, 0)",
    "step": "where({0} > 0, 1, where({0} < 0, 0, 0.5))",
}
LOGIC = {"&&": "({0} != 0) and ({1} != 0)", "||": "({0} != 0) or ({1} != 0)",
         "~|": "({0} != 0) != ({1} != 0)"}  # fmt: skip
COMPARISONS = ("<", "<=", "==", "!=", ">=", ">")


def constant(value: Value) -> Part:
    kind = kind_of(value)
    if kind == "string":
        raise ExpressionError(f"a drive needs numbers, found the text {value[:40]!r}")
    return Part(f"({float(value)!r})", kind, value)


class Translator:
    """One string drive: variables set in it are its own."""

    def __init__(
        self, symbols: Symbols, variable: str = "x", look: Callable[..., Drive | None] | None = None
    ) -> None:
        self.symbols, self.variable, self.look = symbols, variable, look
        self.own: dict[str, Part] = {}
        self.known: dict[str, Drive] = {}  # names in the formula that stand for other drives

    def stands_for(self, drive: Drive) -> Part:
        """A name in the formula for a drive."""
        name = f"q{len(self.known) + 1}"
        self.known[name] = drive
        return Part(name, "real")

    def count_steps(self, analysis: Any) -> None:
        """Step and TimeStep, where all steps are equal."""
        h, begin = analysis.step, analysis.initial_time
        if h and analysis.change is None and analysis.factor is None:
            self.own["TimeStep"] = constant(float(h))
            self.own["Step"] = Part(f"floor((t - {begin!r})/{h!r} + 0.5)", "integer")

    def part(self, tree: Tree) -> Part:
        match tree:
            case ("value", value):
                return constant(value)
            case ("empty",):
                raise ExpressionError("the string of a drive is empty")
            case ("name", "Time"):
                return Part("t", "real")
            case ("name", "Var"):
                return Part(self.variable, "real")
            case ("name", name) if name in self.own:
                return self.own[name]
            case ("name", name):
                variable = self.symbols.variables.get(name)
                if variable is not None and variable.plugin and self.look:
                    followed = self.look("plugin", *variable.plugin)
                    if followed is not None:
                        return self.stands_for(followed)
                return constant(self.symbols.value(name))
            case ("sequence", *parts):
                found = [self.part(part) for part in parts]
                return found[-1]
            case ("declare", _, kind, name, value):
                self.own[name] = self.cast(self.part(value or ("value", 0)), kind, name)
                return self.own[name]
            case ("assign", name, value):
                if name not in self.own and name not in self.symbols.variables:
                    raise ExpressionError(f"'{name}' is not declared")
                known = self.own.get(name)
                kind = known.kind if known else self.symbols.variables[name].kind
                self.own[name] = self.cast(self.part(value), kind, name)
                return self.own[name]
            case ("negative", part):
                a = self.part(part)
                if a.constant:
                    return constant(self.symbols.evaluate(("negative", ("value", a.value))))
                return Part(f"(-{a.text})", "integer" if a.kind == "bool" else a.kind)
            case ("!", part):
                a = self.part(part)
                return constant(not a.value) if a.constant else Part(f"({a.text} == 0)", "bool")
            case ("call", name, *parts):
                return self.call(name, [self.argument(part) for part in parts])
            case (operator, a, b):
                return self.operation(operator, self.part(a), self.part(b))
        raise ExpressionError("a drive cannot have a plugin in its string")

    def argument(self, tree: Tree) -> Part:
        """An argument of a function, which may be a text."""
        match tree:
            case ("value", str() as text):
                return Part("", "string", text)
        return self.part(tree)

    def drive(self, part: Part) -> Drive:
        """A part of the formula as a drive of time, and of the names in it."""
        if part.constant:
            return Constant(float(part.value))
        if part.text == "t":
            return Polynomial((0.0, 1.0))
        return formula(part.text, **self.known) if self.known else Expression(part.text)

    def cast(self, a: Part, kind: str, name: str) -> Part:
        if a.constant:
            return constant(cast(a.value, kind, name))
        if kind == "integer" and a.kind == "real":
            raise ExpressionError(f"'{name}' is an integer, but is given a real")
        if kind == "bool" and a.kind != "bool":
            return Part(f"({a.text} != 0)", "bool")
        return Part(a.text, kind)

    def operation(self, operator: str, a: Part, b: Part) -> Part:
        if a.constant and b.constant:
            tree = (operator, ("value", a.value), ("value", b.value))
            return constant(self.symbols.evaluate(tree))
        if operator in COMPARISONS:
            return Part(f"({a.text} {operator} {b.text})", "bool")
        if operator in LOGIC:
            return Part(f"({LOGIC[operator].format(a.text, b.text)})", "bool")
        integers = operator != "^" and "real" not in (a.kind, b.kind)
        kind = "integer" if integers else "real"
        if operator == "/" and integers:
            return Part(cut(f"({a.text}/{b.text})"), kind)
        if operator == "%":
            return Part(f"({a.text} - {cut(f'({a.text}/{b.text})')}*{b.text})", kind)
        return Part(f"({a.text} {operator} {b.text})", kind)

    def call(self, name: str, parts: list[Part]) -> Part:
        name = name.removeprefix("default::")
        if name.startswith("model::") and self.look:
            found = self.look("function", name.removeprefix("model::"), self, parts)
            if found is not None:
                return self.stands_for(found)
        if all(p.constant for p in parts) and name not in ("rand", "random", "seed"):
            values = [p.value for p in parts]
            return constant(self.symbols.call(name, values))
        if name in TYPES and len(parts) == 1:
            a = parts[0]
            if name == "integer" and a.kind == "real":
                return Part(cut(a.text), "integer")
            return self.cast(a, name, name)
        if name not in SAME and name not in WRITTEN:
            raise ExpressionError(
                f"'{name}' cannot be used in the string of a drive; known are "
                f"{', '.join(sorted({*SAME, *WRITTEN}))}, and functions of the model"
            )
        count = FUNCTIONS[name][1]
        if len(parts) != count:
            raise ExpressionError(f"{name}() takes {count} values, found {len(parts)}")
        texts = [p.text for p in parts]
        if name in SAME:
            return Part(f"{name}({', '.join(texts)})", "real")
        kind = "integer" if name in INTEGER else "bool" if name.startswith("in_") else "real"
        return Part(f"({WRITTEN[name].format(*texts)})", kind)


def cut(text: str) -> str:
    """A number without its fraction."""
    return f"where({text} >= 0, floor({text}), ceil({text}))"
