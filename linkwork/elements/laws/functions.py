"""Laws from functions and formulas of the user.

    functions   g_i = Σ_j K_ij ε_j + f_i(ε_i) + Σ_j D_ij ε̇_j + h_i(ε̇_i)
                or with products  f_i(ε_i) ε_i  and  h_i(ε_i) ε̇_i
    symbolic    g_i = a formula in the strains, their rates and the time t

A function is a drive (table, polynomial, expression …) read as a function of strain instead of
time.  What f_i stores, ∫ f_i dε_i, is had by Gauss' formula when an energy is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.laws.base import (
    COMPONENTS, ENERGY, KD, KE, LEVEL, LEVELS, OWN, OWN_INTEGERS, RATE, STORED, STRAIN, STRESS,
    WANTED, Code, ConstitutiveLaw, Own, matrix,
)  # fmt: skip
from linkwork.elements.laws.formula import (
    CODES, LENGTH, NUMBERS, ProgramNumbers, function_program, measured, program, reads_time, run,
)  # fmt: skip
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.memory.pointers import Routine, shift
from linkwork.model import checks
from linkwork.model.drives import Drive, expression, polynomial, table
from linkwork.model.drives.formulas.formula import parse_formula
from linkwork.model.given import CoefficientLike, FunctionsLike, RowsLike

PANELS = 16  # of the integral for an energy
GAUSS = (  # five points: places and weights on −1 … 1
    (-0.9061798459386640, 0.2369268850561891), (-0.5384693101056831, 0.4786286704993665),
    (0.0, 0.5688888888888889), (0.5384693101056831, 0.4786286704993665),
    (0.9061798459386640, 0.2369268850561891),
)  # fmt: skip


@inlined
def of_one(t, p, q, product, x, stack):
    """f(x) and f'(x), or of f(x) x."""
    stack[0] = x
    run(t, p, q, stack, 1, shift(stack, 1))
    f, slope = stack[1], stack[2]
    if product != 0:
        return f * x, f + slope * x
    return f, slope


@inlined
def stored_by(t, p, q, product, x, stack):
    """∫ f from 0 to x."""
    total = 0.0
    for k in range(PANELS):
        for place, weight in GAUSS:
            f, _ = of_one(t, p, q, product, x * (k + 0.5 + 0.5 * place) / PANELS, stack)
            total += 0.5 * weight * f
    return total * x / PANELS


def functions(t, p, y, q):
    """own: product, K, D, then per component the programs of f and h."""
    n, at, place = q[COMPONENTS], OWN, OWN_INTEGERS + 1
    product, stack = q[OWN_INTEGERS], shift(y, LEVEL * LEVELS)
    for i in range(n):
        for j in range(n):
            k, d = p[at + n * i + j], p[at + n * n + n * i + j]
            symmetric = 0.5 * (k + p[at + n * j + i])
            y[KE + 6 * i + j] += k
            y[KD + 6 * i + j] += d
            y[STRESS + i] += k * y[STRAIN + j] + d * y[RATE + j]
            y[STORED + i] += symmetric * y[STRAIN + j]
            y[ENERGY] += 0.5 * y[STRAIN + i] * symmetric * y[STRAIN + j]
    at += 2 * n * n
    for i in range(n):
        numbers, program = shift(p, at), shift(q, place)
        if program[LENGTH] > 0:
            f, slope = of_one(t, numbers, program, product, y[STRAIN + i], stack)
            y[STRESS + i] += f
            y[STORED + i] += f
            y[KE + 7 * i] += slope
            if y[WANTED] != 0.0:
                y[ENERGY] += stored_by(t, numbers, program, product, y[STRAIN + i], stack)
        at += program[NUMBERS]
        place += CODES + program[LENGTH]
        numbers, program = shift(p, at), shift(q, place)
        if program[LENGTH] > 0 and product != 0:
            d, slope = of_one(t, numbers, program, 0, y[STRAIN + i], stack)
            y[STRESS + i] += d * y[RATE + i]
            y[KE + 7 * i] += slope * y[RATE + i]
            y[KD + 7 * i] += d
        elif program[LENGTH] > 0:
            f, slope = of_one(t, numbers, program, 0, y[RATE + i], stack)
            y[STRESS + i] += f
            y[KD + 7 * i] += slope
        at += program[NUMBERS]
        place += CODES + program[LENGTH]


def symbolic(t, p, y, q):
    """own: whether it stores energy, the time, then per component its program.

    Variables 0 … 5 are strains and 6 … 11 rates, as they lie in y.
    """
    n, at, place, t = q[COMPONENTS], OWN + 1, OWN_INTEGERS + 1, p[OWN]
    stack = shift(y, LEVEL * LEVELS)
    for i in range(n):
        program = shift(q, place)
        run(t, shift(p, at), program, y, 12, stack)
        y[STRESS + i] += stack[0]
        for j in range(n):
            y[KE + 6 * i + j] += stack[1 + j]
            y[KD + 6 * i + j] += stack[7 + j]
        at += program[NUMBERS]
        place += CODES + program[LENGTH]
    if q[OWN_INTEGERS] != 0:
        y[STORED] = y[STRESS]
        if y[WANTED] != 0.0:
            x, total = y[STRAIN], 0.0
            for k in range(PANELS):
                for place, weight in GAUSS:
                    y[STRAIN] = x * (k + 0.5 + 0.5 * place) / PANELS
                    run(t, shift(p, OWN + 1), shift(q, OWN_INTEGERS + 1), y, 12, stack)
                    total += 0.5 * weight * stack[0]
            y[STRAIN] = x
            y[ENERGY] += total * x / PANELS


FUNCTIONS = Routine(functions)
SYMBOLIC = Routine(symbolic)


def component_programs(given: Any, n: int, word: str, what: str) -> list[ProgramNumbers]:
    """A program per component, empty where there is none."""
    if given is None:
        return [[]] * n
    parts = list(given) if isinstance(given, (list, tuple)) else [given] * n
    if len(parts) != n:
        raise ModelError(
            f"{word} of {what} must be one function or {n} of them, but {len(parts)} were given"
        )
    found = [[] if f is None else function_program(f, f"{word} of {what}") for f in parts]
    if any(map(reads_time, found)):
        raise ModelError(
            f"{word} of {what} depends on the time besides the strain; use lw.laws.Symbolic, or "
            "lw.laws.TimeVariant for a factor"
        )
    return found


def clock(programs: list[ProgramNumbers]) -> Own:
    """The time as a number of the law, where a program needs it."""
    return [(polynomial([0, 1]), 0)] if any(map(reads_time, programs)) else [0.0]


@dataclass(frozen=True, eq=False)
class FunctionViscoelastic(ConstitutiveLaw):
    """Linear matrices and, component by component, functions of strain and of strain rate.

    σ_i = Σ K_ij ε_j + f_i(ε_i) + Σ D_ij ε̇_j + h_i(ε̇_i); with product=True the functions are
    stiffness and viscosity instead: f_i(ε_i) ε_i and h_i(ε_i) ε̇_i, both of the strain.  A function
    is a drive read as a function of strain, one for all components or one for each (None: none).

    Example
    -------
    >>> import linkwork as lw
    >>> f = lw.table([-1, 0, 1, 2], [-100, 0, 80, 90], kind="linear", outside="hold")
    >>> law = lw.laws.FunctionViscoelastic(functions=f, viscosity=2.0)
    """

    stiffness: CoefficientLike = 0.0
    functions: FunctionsLike = None
    viscosity: CoefficientLike = 0.0
    viscous_functions: FunctionsLike = None
    product: bool = False
    routine: ClassVar[Routine] = FUNCTIONS

    def own(self, n: int, what: str) -> Own:
        K, D = matrix(self.stiffness, n, f"stiffness of {what}"), matrix(
            self.viscosity, n, f"viscosity of {what}"
        )
        out: Own = [Code(checks.flag(self.product, f"product of {what}"))]
        out += [*K.ravel().tolist(), *D.ravel().tolist()]
        f = component_programs(self.functions, n, "functions", what)
        h = component_programs(self.viscous_functions, n, "viscous_functions", what)
        for part in (x for pair in zip(f, h, strict=True) for x in pair):
            out += measured(part)
        return out

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        def some() -> Drive:
            return polynomial(rng.normal(size=4))

        yield cls(rng.normal(size=(n, n)), [some() for _ in range(n)], rng.normal(size=(n, n)))
        yield cls(0.0, some(), 0.0, some(), product=True)


@dataclass(frozen=True, eq=False)
class ScalarFunctionElastic(ConstitutiveLaw):
    """σ_i = f_i(ε_i): one function of strain for all components, or one for each (None: none).

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.ScalarFunctionElastic(lw.expression("1000*t + 5*t^3"))
    """

    function: FunctionsLike
    routine: ClassVar[Routine] = FUNCTIONS

    def own(self, n: int, what: str) -> Own:
        out: Own = [Code(0), *[0.0] * (2 * n * n)]
        for part in component_programs(self.function, n, "function", what):
            out += [*measured(part), *measured([])]
        return out

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        x = np.linspace(-4, 4, 9)
        yield cls(table(x, rng.normal(size=9), outside="hold"))
        yield cls([expression("sin(t) + t^3/(1 + abs(t)) - min(t, 2*t)")] + [None] * (n - 1))
        yield cls(polynomial([0, 1.5, 0.2]).delayed(0.3) * 2 + expression("where(t > 9, 1, t)"))


@dataclass(frozen=True, eq=False)
class Symbolic(ConstitutiveLaw):
    """σ_i = a formula in the strains, their rates and t.

    expressions is one text per component; strain and rate are the names that they use, one per
    component each.  A law of one component without rates and time stores energy; others count as
    dissipating, whatever they do.

    Example
    -------
    >>> import linkwork as lw
    >>> law = lw.laws.Symbolic("1000*x + 5*x^3 + 2*v", strain="x", rate="v")
    """

    expressions: RowsLike
    strain: RowsLike | None = None
    rate: RowsLike | None = None
    routine: ClassVar[Routine] = SYMBOLIC

    def own(self, n: int, what: str) -> Own:
        given = (self.expressions, self.strain or (), self.rate or ())
        texts, strain, rate = ((x,) if isinstance(x, str) else x for x in given)
        listed = all(isinstance(x, (list, tuple)) for x in (texts, strain, rate))
        if not listed or not all(isinstance(x, str) for x in (*texts, *strain, *rate)):
            wrong = next(x for x in given if not isinstance(x, str))
            raise ModelError(
                f"expressions, strain and rate of {what} must be texts or lists of texts, but "
                f"{checks.show(wrong)} was given"
            )
        if len(texts) != n or len(strain) not in (0, n) or len(rate) not in (0, n):
            raise ModelError(
                f"{what} needs {n} expressions, and {n} names for strain and rate where they are "
                f"used, but has {len(texts)}, {len(strain)} and {len(rate)}"
            )
        names: dict[str, int | ProgramNumbers] = {"t": -1}
        names |= {name: i for i, name in enumerate(strain)}
        names |= {name: 6 + i for i, name in enumerate(rate)}
        parts = []
        for text in texts:
            steps = parse_formula(text, f"expressions of {what}", tuple(names))
            parts.append(program(steps, names, f"expressions of {what}", m=12))
        time = clock(parts)
        out: Own = [Code(n == 1 and not rate and time == [0.0]), *time]
        for part in parts:
            out += measured(part)
        return out

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        e, r = [f"e{i}" for i in range(n)], [f"r{i}" for i in range(n)]
        yield cls([f"{i + 2}*sin({x}) + exp(0.2*{e[0]})" for i, x in enumerate(e)], e)
        yield cls(
            [f"tanh({e[-1]}*{s})*max({r[i]}, 0.5) + sqrt(2 + {r[0]}^2)/{i + 2} + cos(t)"
             for i, s in enumerate(r)], e, r
        )  # fmt: skip
