"""Cards about the steps of a run: times, sizes, strategies, convergence, and the start.

    strategy: change, h(t)   |   factor, reduction, steps, raise, steps, min, [max]   |   no change
    tolerance: residual [, test, norm | minmax | relnorm | sepnorm | none] [, solution …]

A residual tolerance with its test is that of linkwork's methods.  Where only the solution is
tested, linkwork's own test of corrections stands for it, which is relative to h² × acceleration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from linkwork.errors import ModelError
from linkwork.io.mbdyn.drives.callers import read_drive
from linkwork.io.mbdyn.problem.methods import method
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.model.drives import Constant

Card = Callable[[Arguments], None]


class Factor(NamedTuple):
    """The numbers of `strategy: factor` in the order of the card."""

    reduction: float
    steps_before_reduction: int
    growth: float
    steps_before_growth: int
    min_iterations: int
    max_iterations: int | None


# ------------------------------------------------------------------------------ times and sizes


def initial_time(args: Arguments) -> None:
    args.deck.analysis.initial_time = args.real("the initial time")


def final_time(args: Arguments) -> None:
    """final time: t | forever;  which of its steps are wanted is then said where it is run"""
    a = args.deck.analysis
    a.forever = bool(args.keyword("forever"))
    a.final_time = None if a.forever else args.real("the final time")


def time_step(args: Arguments) -> None:
    """time step: h; a drive caller is our way of writing `strategy: change` with it."""
    a, i = args.deck.analysis, args.i
    if len(args.words) == 1:
        a.step = args.positive("the time step")
        return
    drive = read_drive(args)
    a.change = drive

    def begin() -> None:
        a.step = float(drive()(a.initial_time))
        if not a.step > 0:
            args.fail(f"the time step must be positive, found {a.step:g}", i)

    args.deck.build_later(args, begin)


def min_step(args: Arguments) -> None:
    args.deck.analysis.min_step = args.positive("the smallest time step")


def max_step(args: Arguments) -> None:
    """max time step: unlimited | drive;  a drive that is not constant belongs to `change`"""
    a, i = args.deck.analysis, args.i
    if args.keyword("unlimited"):
        return
    if len(args.words) == 1:
        a.max_step = args.positive("the largest time step")
        return
    drive = read_drive(args)

    def begin() -> None:
        found = drive()
        if isinstance(found, Constant) and found.v > 0:
            a.max_step = found.v
        elif a.change is None or isinstance(found, Constant):
            args.fail("the largest time step must be a positive number, or a drive beside "
                      "'strategy: change'", i)  # fmt: skip
        else:
            a.longest = found

    args.deck.build_later(args, begin)


def strategy(args: Arguments) -> None:
    a = args.deck.analysis
    a.change = a.factor = None
    kind = args.one_of(("no change", "factor", "change"), "a strategy")
    if kind == "change":
        a.change = read_drive(args)
    elif kind == "factor":
        i = args.i
        reduction = args.positive("the factor that reduces the step")
        if reduction >= 1:
            args.fail(f"the factor that reduces the step must be below 1, found {reduction:g}", i)
        waits = args.count("the number of steps before a reduction")
        growth = max(1.0, args.positive("the factor that raises the step"))
        rests = args.count("the number of steps before a raise")
        few = args.count("the smallest number of iterations")
        many = args.count("the largest number of iterations") if args.more() else None
        a.factor = Factor(reduction, waits, growth, rests, few, many)


def made_strategy(a: Any) -> Any:
    """The strategy of linkwork that the deck asks for, or None for equal steps."""
    import linkwork

    if a.factor is not None:
        few, many = a.factor.min_iterations, a.factor.max_iterations or a.max_iterations or 10
        words = a.factor._asdict() | {"max_iterations": max(many, few + 1)}
        return linkwork.FactorStrategy(**words, smallest=a.min_step, largest=a.max_step)
    if a.change is None:
        return None
    drive, first, begin = a.change(), a.step, a.initial_time

    def step(time: float) -> float:
        longest = a.max_step if a.longest is None else float(a.longest(time))
        h = first if first is not None and time <= begin else min(float(drive(time)), longest)
        if h < a.min_step:
            raise ModelError(
                f"the strategy 'change' asks for a step of {h:g} s at t = {time:g} s, below the "
                f"min time step of {a.min_step:g} s"
            )
        return h

    return linkwork.ChangeStrategy(step)


# ---------------------------------------------------------------------------------- convergence


def tolerance(args: Arguments) -> None:
    """tolerance: null | r [, test, kind [, scale]] [, null | s [, test, kind]];"""
    a = args.deck.analysis
    residual = 0.0 if args.keyword("null") else size(args, "the tolerance of the residual")
    test = "norm"
    if args.keyword("test"):
        kinds = ("norm", "minmax", "relnorm", "sepnorm", "none")
        test = args.one_of(kinds, "a test of the residual")
        if args.keyword("scale"):
            args.deck.ignore("scale of the residual test")
    a.residual = (residual, test) if residual > 0 and test != "none" else None
    if not args.more():
        if a.residual is None:
            args.fail("a tolerance of the solution is needed where the residual is not tested")
        return
    solution = 0.0 if args.keyword("null") else size(args, "the tolerance of the solution")
    if args.keyword("test"):
        args.one_of(("norm", "minmax", "none"), "a test of the solution")
        if args.keyword("scale"):
            args.deck.ignore("scale of the solution test")
    if a.residual is None:
        if solution == 0:
            args.fail("neither the residual nor the solution has a tolerance", 0)
        args.deck.note(
            "only the solution is tested for convergence: linkwork's own test of corrections, "
            "relative to h² × acceleration, stands for it"
        )
    elif solution > 0:
        args.deck.ignore("tolerance of the solution")


def size(args: Arguments, what: str) -> float:
    i = args.i
    found = args.real(what)
    if found < 0:
        args.fail(f"{what} must not be negative, found {found:g}", i)
    return found


LIGHT = 1e-9  # the weight of a node without a stiffness in the assembly: it moves first


def weight(args: Arguments, what: str) -> float:
    """A stiffness of the assembly; zero is next to nothing."""
    return size(args, what) or LIGHT


def max_iterations(args: Arguments) -> None:
    args.deck.analysis.max_iterations = args.count("the largest number of iterations")
    if args.keyword("at most"):
        args.deck.note("'at most' would accept steps that did not converge; linkwork never does")


# ------------------------------------------------------------------------------------ the start


def method_card(args: Arguments) -> None:
    name = args.key(1) if args.key() == "hybrid" else args.key()
    args.deck.analysis.startup = STARTUP.get(name, 0)
    args.deck.analysis.method = method(args)


def dummy_steps_method(args: Arguments) -> None:
    method(args)
    args.deck.ignore("dummy steps method")


def dummy_steps_number(args: Arguments) -> None:
    if args.integer("the number of dummy steps") != 0:
        args.deck.note(
            "dummy steps are not taken: they let reactions and accelerations of the start settle, "
            "which linkwork computes exactly from the second derivatives of the constraints"
        )


STARTUP = {"ms": 1, "ms2": 1, "ms3": 2, "ms4": 3, "bdf": 1}


def abort_after(args: Arguments) -> None:
    """abort after: a phase of the start | regular step, n;"""
    phases = ("input", "assembly", "derivatives", "dummy steps", "fictitious steps")
    word = args.one_of((*phases, "regular step"), "a phase")
    if word == "regular step":
        args.deck.analysis.last_step = args.count("the number of the last step")
    else:
        args.deck.analysis.abort_after = word


STEPS: dict[str, Card] = {
    "initial time": initial_time, "final time": final_time, "time step": time_step,
    "min time step": min_step, "max time step": max_step, "strategy": strategy,
    "tolerance": tolerance, "max iterations": max_iterations, "abort after": abort_after,
}  # fmt: skip
START: dict[str, Card] = {
    "method": method_card, "dummy steps number": dummy_steps_number,
    "dummy steps method": dummy_steps_method, "fictitious steps number": dummy_steps_number,
    "fictitious steps method": dummy_steps_method,
}  # fmt: skip
