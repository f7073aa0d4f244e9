"""Integration methods of decks: each keyword is a class of linkwork, with or without a radius.

A spectral radius is a drive caller; where it is constant it is passed as a number.  The second one
is that of algebraic variables.  These enter the equations of a step by their values alone, which
are unknowns of their own there, so that it shapes nothing but their first guess in MBDyn, and
nothing here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import linkwork
from linkwork.errors import LinkworkError
from linkwork.io.mbdyn.drives.callers import read_drive
from linkwork.io.mbdyn.syntax.arguments import Arguments

RADIUS = {  # methods with a spectral radius
    "ms": "MS2", "ms2": "MS2", "ms3": "MS3", "ms4": "MS4", "hope": "Hope", "ss2": "SS2",
    "ss3": "SS3", "ss4": "SS4", "Bathe": "Bathe", "msstc3": "MSSTC3", "msstc4": "MSSTC4",
    "msstc5": "MSSTC5", "mssth3": "MSSTH3", "mssth4": "MSSTH4", "mssth5": "MSSTH5",
}  # fmt: skip
METHODS: dict[str, str] = {
    "crank nicolson": "CrankNicolson", "crank nicholson": "CrankNicolson", "bdf": "BDF",
    "implicit euler": "ImplicitEuler",
    "DIRK33": "DIRK33", "DIRK43": "DIRK43", "DIRK54": "DIRK54", **RADIUS,
}  # fmt: skip
LEAST = 20  # iterations that linkwork's own test may need
REASONS = {
    "thirdorder": "linkwork has DIRK33, mssth3 and others of that order instead",
}


def method(args: Arguments) -> Callable[[], Any]:
    """`ms, 0.6`: the method, made when the whole file has been read."""
    if args.key() in REASONS:
        args.unsupported(f"the method {args.shown()} is not supported: {REASONS[args.key()]}")
    args.keyword("hybrid")  # then the method of all that choose none, as everything does here
    name, found = args.entry(METHODS, "method")
    words: dict[str, Any] = {}
    if name == "bdf":
        words["order"] = order(args) if args.keyword("order") else 2
    radii = []
    while name in RADIUS and args.more():
        radii.append((args.i, read_drive(args)))
    if name in RADIUS and not radii:
        args.fail(f"the method {name} needs a spectral radius between 0 and 1")
    if len(radii) > 2:
        args.fail(f"the method {name} takes one or two spectral radii, found {len(radii)}")

    def make() -> Any:
        radius = [rho_of(args, i, drive()) for i, drive in radii]
        if len(radius) == 2:
            args.deck.note(
                f"method {name}: the second spectral radius, that of algebraic variables, has no "
                "effect: reactions are found anew in every step"
            )
        if radius:
            words["rho"] = radius[0]
        words.update(convergence(args.deck.analysis, found))
        try:
            return getattr(linkwork, found)(**words)
        except LinkworkError as error:
            raise args.translated(error, 0) from None

    return make


def default_method(deck: Any) -> Any:
    """The method of a deck that names none: MBDyn then steps with the second BDF.

    Its published results show it: a motion that is imposed has the velocity
    (3 x₂ − 4 x₁ + x₀)/2h there (`joint_break` of blendyn's tests), which is ρ = 0.
    """
    words = convergence(deck.analysis, "BDF")
    deck.note("the deck names no method; MBDyn's default is used, lw.BDF(order=2)")
    return linkwork.BDF(order=2, **words)


def order(args: Arguments) -> int:
    i = args.i
    found = args.integer("the order of bdf")
    if found not in (1, 2):
        args.fail(f"the order of bdf is 1 or 2, found {found}", i)
    return found


def rho_of(args: Arguments, i: int, drive: Any) -> Any:
    """A number where the drive is constant over the run, else the drive; between 0 and 1."""
    begin, end = args.deck.analysis.initial_time, args.deck.analysis.final_time
    times = np.linspace(begin, begin + 1 if end is None else end, 101)
    rho = drive.values(times)
    outside = rho[~((rho >= 0) & (rho <= 1))]
    if outside.size:
        args.fail(f"a spectral radius lies between 0 and 1, found {outside[0]:g}", i)
    return float(rho[0]) if np.ptp(rho) == 0 else drive


def convergence(a: Any, name: str) -> dict[str, Any]:
    """Words of a method about its convergence."""
    words: dict[str, Any] = {}
    if a.residual is not None:
        words = dict(zip(("tolerance", "test"), a.residual))
    if a.max_iterations is not None:
        linear = getattr(linkwork, name)().stabilized  # it converges linearly, theirs does not
        own = a.residual is None or linear
        words["max_iterations"] = max(a.max_iterations, LEAST) if own else a.max_iterations
    return words
