"""Drive callers that are plain functions of their argument: ramps, waves, tables, steps.

A card is read into a law, which makes the drive once its argument is known; see callers.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.io.mbdyn.drives.scalar_functions import inline_function
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.model.drives import (
    Chain,
    ClosestNext,
    Constant,
    Drive,
    Meter,
    Piecewise,
    Polynomial,
    Random,
    Sine,
    Sum,
    Table,
    expression,
)

Law = Callable[[Drive], Drive]
TIME = Polynomial((0.0, 1.0))
TAU = 2 * np.pi


def constant(x: float) -> Drive:
    return Constant(x)


def of(f: Drive) -> Law:
    """A function of the argument."""
    return lambda x: f if x is TIME else Chain(f, x)


def total(*terms: Drive) -> Drive:
    kept = tuple(t for t in terms if not (isinstance(t, Constant) and t.v == 0))
    return Sum(kept) if len(kept) > 1 else kept[0] if kept else Constant(0.0)


def after(t: float) -> float:
    """The first time after t: a piece that still holds at t ends there."""
    return float(np.nextafter(t, np.inf))


def until(args: Arguments) -> float | None:
    return None if args.keyword("forever") else args.real("a final time, or forever,")


def ordered(args: Arguments, a: float, b: float) -> None:
    if b < a:
        args.fail(f"the times of the drive must increase, found {b:g} after {a:g}")


def run_step(args: Arguments) -> float:
    h = args.deck.analysis.step
    if h is None:
        args.fail("the drive counts time steps, but no time step is known here; write time step: "
                  "1e-3; into the problem block (begin: initial value; … end: initial value;), "
                  "which must come before")  # fmt: skip
    return h


# --------------------------------------------------------------------------------- the cards


def null(args: Arguments) -> Law:
    return of(constant(0.0))


def unit(args: Arguments) -> Law:
    return of(constant(1.0))


def const(args: Arguments) -> Law:
    return of(constant(args.real("the constant of a drive")))


def time(args: Arguments) -> Law:
    return lambda x: TIME


def direct(args: Arguments) -> Law:
    return lambda x: x


def timestep(args: Arguments) -> Law:
    return of(constant(run_step(args)))


def polynomial(degree: int) -> Callable[[Arguments], Law]:
    def card(args: Arguments) -> Law:
        return of(Polynomial(tuple(args.reals(degree + 1, "a coefficient"))))

    return card


def step(args: Arguments) -> Law:
    """step, t₀, height, y₀"""
    t0, height, y0 = args.reals(3, "a parameter of step")
    return of(Piecewise((t0,), (constant(y0), constant(y0 + height))))


def double_step(args: Arguments) -> Law:
    """double step, t₀, t₁, height, y₀"""
    t0, t1, height, y0 = args.reals(4, "a parameter of double step")
    ordered(args, t0, t1)
    pieces = (constant(y0), constant(y0 + height), constant(y0))
    return of(Piecewise((t0, after(t1)), pieces))


def ramp(args: Arguments) -> Law:
    """ramp, slope, t₀, t₁ | forever, y₀"""
    slope, t0 = args.reals(2, "a parameter of ramp")
    t1, y0 = until(args), args.real("the initial value of ramp")
    return of(ramps(args, y0, [(slope, t0, t1)]))


def double_ramp(args: Arguments) -> Law:
    """double ramp, slope, t₀, t₁, slope, t₂, t₃ | forever, y₀"""
    rises = []
    for _ in range(2):
        slope, t0 = args.reals(2, "a parameter of double ramp")
        rises.append((slope, t0, until(args)))
    return of(ramps(args, args.real("the initial value of double ramp"), rises))


def ramps(
    args: Arguments, y0: float, rises: list[tuple[float, float, float | None]]
) -> Drive:
    """Constant, then rising with each slope between its times, constant between."""
    breaks, parts, y = [], [constant(y0)], y0
    last = -np.inf
    for slope, t0, t1 in rises:
        ordered(args, last, t0)
        breaks.append(t0)
        parts.append(Polynomial((y - slope * t0, slope)))
        if t1 is None:
            break
        ordered(args, t0, t1)
        y += slope * (t1 - t0)
        breaks.append(t1)
        parts.append(constant(y))
        last = t1
    return Piecewise(tuple(breaks), tuple(parts))


def sine(args: Arguments) -> Law:
    """sine, t₀, ω, A, cycles, y₀: n − 1/2 of them, or n − 3/4 where n is negative."""
    t0, w, a = args.reals(3, "a parameter of sine")
    n, y0 = cycles(args), args.real("the initial value of sine")
    wave = total(constant(y0), Sine(a, w / TAU, -w * t0))
    if n is None:
        return of(Piecewise((t0,), (constant(y0), wave)))
    length, end = (n - 0.5, y0) if n > 0 else (-n - 0.75, y0 + a)
    return of(waves(args, t0, w, length, y0, wave, end))


def cosine(args: Arguments) -> Law:
    """cosine, t₀, ω, A, cycles, y₀:  y₀ + A (1 − cos ω(t − t₀))"""
    t0, w, a = args.reals(3, "a parameter of cosine")
    n, y0 = cycles(args), args.real("the initial value of cosine")
    wave = Sum((constant(y0 + a), Sine(-a, w / TAU, np.pi / 2 - w * t0)))
    if n is None:
        return of(Piecewise((t0,), (constant(y0), wave)))
    length, end = (n, y0) if n > 0 else (-n - 0.5, y0 + 2 * a)
    return of(waves(args, t0, w, length, y0, wave, end))


def waves(
    args: Arguments, t0: float, w: float, length: float, y0: float, wave: Drive, end: float
) -> Drive:
    if w <= 0:
        args.fail(f"the angular velocity must be positive where waves are counted, found {w:g}")
    stop = t0 + TAU / w * length
    return Piecewise((t0, stop), (constant(y0), wave, constant(end)))


def cycles(args: Arguments) -> int | None:
    """forever (None), one, half (−1), or a number."""
    word = args.keyword("forever", "one", "half")
    if word:
        return {"forever": None, "one": 1, "half": -1}[word]
    return args.integer("the number of cycles") or None


def fourier_series(args: Arguments) -> Law:
    """fourier series, t₀, ω, n, a₀, a₁, b₁, …, cycles, y₀"""
    t0, w = args.reals(2, "a parameter of fourier series")
    n = args.count("the number of terms")
    a0 = args.real("the coefficient a_0")
    pairs = [args.reals(2, "a coefficient") for _ in range(n)]
    count, y0 = cycles(args), args.real("the initial value of fourier series")
    terms: list[Drive] = [constant(y0 + a0 / 2)]
    for k, (a, b) in enumerate(pairs, 1):  # a cos φ + b sin φ = hypot(a, b) sin(φ + atan2(a, b))
        phase = float(np.arctan2(a, b)) - k * w * t0
        terms.append(Sine(float(np.hypot(a, b)), k * w / TAU, phase))
    wave = total(*terms)
    if count is None:
        return of(Piecewise((t0,), (constant(y0), wave)))
    if w <= 0 or count < 0:
        args.fail("fourier series needs a positive angular velocity and number of cycles")
    return of(Piecewise((t0, after(t0 + count * TAU / w)), (constant(y0), wave, constant(y0))))


def exponential(args: Arguments) -> Law:
    """exponential, A, τ, t₀, y₀:  y₀ + A (1 − exp(−(t − t₀)/τ))"""
    a, tau, t0, y0 = args.reals(4, "a parameter of exponential")
    if tau == 0:
        args.fail("the time constant of exponential must not be zero")
    rise = expression(f"({y0!r}) + ({a!r})*(1 - exp(-(t - ({t0!r}))/({tau!r})))")
    return of(Piecewise((t0,), (constant(y0), rise)))


def tanh(args: Arguments) -> Law:
    """tanh, t₀, A, slope, y₀:  y₀ + A tanh(slope (t − t₀))"""
    t0, a, slope, y0 = args.reals(4, "a parameter of tanh")
    return of(expression(f"({y0!r}) + ({a!r})*tanh(({slope!r})*(t - ({t0!r})))"))


def piecewise_linear(args: Arguments) -> Law:
    """piecewise linear, n, t₁, y₁, …; the first and last values hold outside"""
    n = args.count("the number of points", 2)
    points = np.array(args.reals(2 * n, "a point")).reshape(n, 2)
    return of(Table(points[:, 0], points[:, 1], "linear", "hold"))  # type: ignore[arg-type]


def random(args: Arguments) -> Law:
    """random, A, mean, t₀, t₁ | forever [, steps, n] [, seed, n | time]"""
    a, mean, t0 = args.reals(3, "a parameter of random")
    t1, steps, seed = until(args), 1, 0
    if args.keyword("steps"):
        steps = args.count("the steps to hold a value")
    if args.keyword("seed"):
        if args.keyword("time"):
            args.deck.note("a random drive takes seed 0 instead of the clock, so runs repeat")
        else:
            seed = args.label("the seed")
    return of(Random(a, mean, t0, t1, steps * run_step(args), seed))


def meter(args: Arguments) -> Law:
    """meter, t₀, t₁ | forever [, steps, n]"""
    t0, t1 = args.real("the initial time of meter"), until(args)
    steps = args.count("the steps between spikes") if args.keyword("steps") else 1
    begin = args.deck.analysis.initial_time
    return of(Meter(steps, start=t0, end=t1, step=run_step(args), origin=begin))


def closest_next(args: Arguments) -> Law:
    """closest next, t₀, t₁ | forever, increment"""
    t0, t1 = args.real("the initial time of closest next"), until(args)
    args.keyword("const")
    i = args.i
    known = args.deck.symbols.variables
    if not args.more() or (args.key().isalpha() and args.words[i].strip() not in known):
        args.unsupported("the increment of closest next must be constant", i)
    increment = args.positive("the increment of closest next")
    begin = args.deck.analysis.initial_time
    return of(ClosestNext(increment, start=t0, end=t1, step=run_step(args), origin=begin))


RISES = {  # ξ^(n+1) × these coefficients: derivatives up to n are zero at both ends
    5: (2, (10, -15, 6)), 7: (3, (35, -84, 70, -20)), 9: (4, (126, -420, 540, -315, 70)),
}  # fmt: skip


def smooth_step(order: int) -> Callable[[Arguments], Law]:
    """step5, t₀, y₀, t₁, y₁:  y₀ + (y₁ − y₀) ξ³ (10 − 15 ξ + 6 ξ²),  ξ = (t − t₀)/(t₁ − t₀)"""
    n, factors = RISES[order]

    def card(args: Arguments) -> Law:
        t0, y0, t1, y1 = args.reals(4, f"a parameter of step{order}")
        if t1 <= t0:
            args.fail(f"the times of the drive must increase, found {t1:g} after {t0:g}")
        xi = f"((t - ({t0!r}))/({t1 - t0!r}))"
        rest = " + ".join(f"({c})*{xi}^{k}" if k else str(c) for k, c in enumerate(factors))
        rise = expression(f"({y0!r}) + ({y1 - y0!r})*{xi}^{n + 1}*({rest})")
        return of(Piecewise((t0, t1), (constant(y0), rise, constant(y1))))

    return card


def file(args: Arguments) -> Law:
    """file, label of a driver [, column] [, amplitude, factor]"""
    i = args.i
    label = args.label("the label of a file driver")
    if label not in args.deck.files:
        args.fail(f"there is no file driver {label}; define it in the drivers block", i)
    columns, i = args.deck.files[label], args.i
    column = 1
    if args.more() and args.key() != "amplitude":
        column = args.integer("the number of a column")
    if not 1 <= column <= len(columns):
        args.fail(f"file driver {label} has the columns 1 to {len(columns)}, found {column}", i)
    factor = args.real("an amplitude") if args.keyword("amplitude") else 1.0
    drive = columns[column - 1]
    return of(drive if factor == 1 else factor * drive)


def scalar_function(args: Arguments) -> Law:
    """scalar function, "name" [, definition]"""
    return of(inline_function(args))


PLAIN: dict[str, Callable[[Arguments], Law]] = {
    "closest next": closest_next, "const": const, "cosine": cosine, "cubic": polynomial(3),
    "direct": direct, "double ramp": double_ramp, "double step": double_step,
    "exponential": exponential, "file": file, "fourier series": fourier_series,
    "linear": polynomial(1), "meter": meter, "null": null, "one": unit,
    "parabolic": polynomial(2), "piecewise linear": piecewise_linear, "ramp": ramp,
    "random": random, "scalar function": scalar_function, "sine": sine, "step": step,
    "step5": smooth_step(5), "step7": smooth_step(7), "step9": smooth_step(9), "tanh": tanh,
    "time": time, "timestep": timestep, "unit": unit,
}  # fmt: skip
