"""Formulas in t: parsed with Python's `ast` into a postfix program that is run over jets.

Only numbers, t and the names in `jets` are understood; nothing is executed.
"""

from __future__ import annotations

import ast
import functools
import math
import warnings
from dataclasses import dataclass

import numpy as np

from linkwork.errors import DriveError, ModelError
from linkwork.model.drives.base import Drive, _check_drives, folded
from linkwork.model.drives.formulas.jets import (
    BRANCHES,
    CONSTANTS,
    FUNCTIONS,
    OPERATORS,
    RULES,
    Jet,
)
from linkwork.model.drives.simple import Constant
from linkwork.model.drives.words import short, shown

# numpy's functions that formulas know, under their names there
NUMPY_FUNCTIONS = {
    np.sin: "sin", np.cos: "cos", np.tan: "tan", np.arcsin: "asin", np.arccos: "acos",
    np.arctan: "atan", np.arctan2: "atan2", np.sinh: "sinh", np.cosh: "cosh", np.tanh: "tanh",
    np.exp: "exp", np.log: "log", np.log10: "log10", np.sqrt: "sqrt", np.absolute: "abs",
    np.sign: "sign", np.floor: "floor", np.ceil: "ceil", np.remainder: "mod",
    np.minimum: "min", np.maximum: "max",
}  # fmt: skip
Step = float | str | tuple[str, int]  # a number, a name ("t"), or a rule and its arguments
LONGEST = 10_000


def _run(
    program: tuple[Step, ...],
    t: np.ndarray,
    known: dict[str, Jet] | None = None,
    branches: list | None = None,
) -> Jet:
    """Evaluate a postfix program over jets; those of other names than t are known.

    branches : takes which branch each function is on that has some.
    """
    stack: list[Jet] = []
    for step in program:
        if isinstance(step, tuple):
            name, n = step
            if branches is not None and name in BRANCHES:
                branches.append(BRANCHES[name](*(x[0] for x in stack[-n:])))
            stack[-n:] = [RULES[name](*stack[-n:])]
        elif step == "t":
            stack.append((t, np.ones(t.size), np.zeros(t.size)))
        elif isinstance(step, str):
            stack.append(known[step])  # type: ignore[index]
        else:
            stack.append((np.float64(step), np.float64(0), np.float64(0)))
    return stack[0]


class _Parser:
    """Turns an expression into a postfix program, constants folded."""

    def __init__(self, text: str, label: str, names: tuple[str, ...] = ("t",)) -> None:
        self.text, self.label, self.names = text, label, names

    def fail(self, found: str, cause: BaseException | None = None) -> DriveError:
        known, hint = "the time t", "write the drive as a formula in t, or give a Python function"
        if self.names != ("t",):
            known = "the names " + " ".join(self.names)
            hint = "write a formula in these"
        error = DriveError(
            f"{self.label}: expected numbers, {known}, pi, e, the operators + - * / ^ % and "
            f"the functions {' '.join(FUNCTIONS)}, found {found}; {hint}"
        )
        error.__cause__ = cause
        return error

    def parse(self) -> tuple[Step, ...]:
        if len(self.text) > LONGEST:
            raise self.fail(f"{len(self.text)} characters where {LONGEST} are the limit")
        if "#" in self.text:
            raise self.fail("the character '#'")
        source = " ".join(self.text.split()).replace("^", "**")
        if not source:
            raise self.fail("nothing")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source, mode="eval")
            with np.errstate(all="ignore"):
                return tuple(self.node(tree.body))
        except (RecursionError, MemoryError) as error:
            raise self.fail("a formula nested too deeply", error) from None
        except SyntaxError as error:
            raise self.fail(f"a mistake in the formula ({short(error.msg)})", error) from None
        except ModelError:
            raise
        except ValueError as error:
            raise self.fail(f"unreadable characters ({short(error)})", error) from None

    def node(self, node: ast.AST) -> list[Step]:
        match node:
            case ast.Constant(value=v) if type(v) in (int, float):
                return self.number(v)  # type: ignore[arg-type]
            case ast.Name(id=name) if name in self.names:
                return [name]
            case ast.Name(id=name) if name in CONSTANTS:
                return [CONSTANTS[name]]
            case ast.Name(id=name):
                raise self.fail(f"the name {short(name)!r}")
            case ast.BinOp(left=a, op=op, right=b) if type(op) in OPERATORS:
                return self.apply(OPERATORS[type(op)], a, b)
            case ast.UnaryOp(op=ast.UAdd(), operand=a):
                return self.node(a)
            case ast.UnaryOp(op=op, operand=a) if type(op) in OPERATORS:
                return self.apply(OPERATORS[type(op)], a)
            case ast.BoolOp(op=op, values=parts):
                return self.apply(OPERATORS[type(op)], *parts)
            case ast.Compare(left=a, ops=[op], comparators=[b]) if type(op) in OPERATORS:
                return self.apply(OPERATORS[type(op)], a, b)
            case ast.Compare(left=a, ops=ops, comparators=bs) if len(ops) > 1:
                pairs = zip([a, *bs], ops, bs, strict=False)
                return self.apply("and", *(ast.Compare(x, [op], [y]) for x, op, y in pairs))
            case ast.IfExp(test=c, body=a, orelse=b):
                return self.apply("where", c, a, b)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self.call(name, args)
        raise self.fail(f"{short(ast.unparse(node))!r}")

    def number(self, v: float) -> list[Step]:
        try:
            v = float(v)
        except OverflowError:
            v = math.inf
        if not math.isfinite(v):
            raise self.fail("a number that is too large")
        return [v]

    def call(self, name: str, args: list[ast.expr]) -> list[Step]:
        if name not in FUNCTIONS:
            raise self.fail(f"the function {short(name)!r}")
        _, fewest, most = FUNCTIONS[name]
        if not fewest <= len(args) <= most:
            raise self.fail(f"{name}() with {len(args)} arguments where it takes {fewest}"
                            + (" or more" if most > fewest else ""))  # fmt: skip
        return self.apply(name, *args)

    def apply(self, name: str, *nodes: ast.AST) -> list[Step]:
        parts = [self.node(node) for node in nodes]
        constant_parts = [len(p) == 1 and not isinstance(p[0], str) for p in parts]
        if name == "^" and constant_parts[1]:
            name = "^constant"
        program: list[Step] = [step for part in parts for step in part]
        program.append((name, len(parts)))
        if not all(constant_parts):
            return program
        value = float(_run(tuple(program), np.zeros(1))[0])
        if not math.isfinite(value):
            raise self.fail(f"a constant part whose value is {value}")
        return [value]


def parse_formula(text: str, label: str, names: tuple[str, ...]) -> tuple[Step, ...]:
    """The postfix program of a formula in these names; `label` is who speaks in errors."""
    return _Parser(text, label, names).parse()


def _branch_of(program: tuple[Step, ...], t: np.ndarray, parts: dict[str, Drive]) -> np.ndarray:
    """Which branches a formula and its parts are on."""
    branches: list = [part.branch(t) for part in parts.values()]
    _run(program, t, {name: tuple(part.jet(t).T) for name, part in parts.items()}, branches)
    return folded(*branches)


@dataclass(frozen=True)
class Expression(Drive):
    """y = a formula in t.  See `expression`."""

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise DriveError(
                f"expression drive: expected a string, found {shown(self.text)}; write "
                f'the formula in quotes, for example expression("sin(2*t)")'
            )
        _ = self._program

    def _detail(self) -> str:
        return f"expression {short(self.text)!r}"

    @functools.cached_property
    def _program(self) -> tuple[Step, ...]:
        return _Parser(self.text, self.label).parse()

    def _jet(self, t: np.ndarray) -> np.ndarray:
        jet = np.empty((t.size, 3))
        for order, y in enumerate(_run(self._program, t)):
            jet[:, order] = y
        return jet

    def _branch(self, t: np.ndarray) -> np.ndarray:
        return _branch_of(self._program, t, {})


@dataclass(frozen=True)
class Formula(Drive):
    """y = a formula in the time t and in x, the value of another drive."""

    text: str
    x: Drive

    def __post_init__(self) -> None:
        _ = self._program

    def _detail(self) -> str:
        return f"formula {short(self.text)!r}"

    @functools.cached_property
    def _program(self) -> tuple[Step, ...]:
        return _Parser(self.text, self.label, ("t", "x")).parse()

    def _jet(self, t: np.ndarray) -> np.ndarray:
        jet = np.empty((t.size, 3))
        for order, y in enumerate(_run(self._program, t, {"x": tuple(self.x.jet(t).T)})):
            jet[:, order] = y
        return jet

    def _branch(self, t: np.ndarray) -> np.ndarray:
        return _branch_of(self._program, t, {"x": self.x})


@dataclass(frozen=True)
class Combined(Drive):
    """y = a formula in the time t and in names that stand for other drives.  See `formula`."""

    text: str
    names: tuple[str, ...]
    parts: tuple[Drive, ...]

    def __post_init__(self) -> None:
        wrong = [n for n in self.names if not n.isidentifier() or n in CONSTANTS or n in FUNCTIONS]
        if wrong or "t" in self.names or len(self.names) != len(self.parts):
            raise DriveError(
                f"{self.label}: expected names other than t, pi, e and those of functions, one "
                f"for each drive, found {short(', '.join(self.names))}"
            )
        _check_drives(self, *self.parts)
        _ = self._program

    def _detail(self) -> str:
        return f"formula {short(self.text)!r}"

    @functools.cached_property
    def _program(self) -> tuple[Step, ...]:
        return _Parser(self.text, self.label, ("t", *self.names)).parse()

    def _jet(self, t: np.ndarray) -> np.ndarray:
        known = {name: tuple(part.jet(t).T) for name, part in zip(self.names, self.parts)}
        jet = np.empty((t.size, 3))
        for order, y in enumerate(_run(self._program, t, known)):
            jet[:, order] = y
        return jet

    def _branch(self, t: np.ndarray) -> np.ndarray:
        return _branch_of(self._program, t, dict(zip(self.names, self.parts, strict=True)))


def formula(text: str, **drives: Drive | float) -> Combined:
    """A formula in the time t and in names that stand for drives, differentiated exactly.

    Example: ``lw.formula("k*x - c*v", k=100, c=2, x=lw.sine(0.1, 5), v=lw.ramp(1))``
    """
    parts = tuple(d if isinstance(d, Drive) else Constant(d) for d in drives.values())
    return Combined(text, tuple(drives), parts)


def expression(text: str) -> Expression:
    """A formula in the time t, differentiated exactly.

    Operators ``+ - * / ^ ** %``, comparisons with ``and or not`` (1 if true, else 0), ``a if c
    else b``; constants ``pi e``; functions ``sin cos tan asin acos atan atan2 sinh cosh tanh exp
    log log10 sqrt abs sign floor ceil mod step ramp min max where``.  ``log`` is the natural
    logarithm, ``step(x)`` is 1 for x >= 0, ``ramp(x)`` is max(x, 0) and ``where(c, a, b)`` is a
    where c holds and b elsewhere.

    Example: ``lw.expression("0.1 * (1 - exp(-t/2)) * sin(2*pi*5*t)")``
    """
    return Expression(text)
