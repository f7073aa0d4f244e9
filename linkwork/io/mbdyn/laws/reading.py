"""What cards of constitutive laws share: dimensions, matrices, functions, pre-stress, pre-strain.

A card is read into a `LawRead`, which makes the law of linkwork once the whole file has been read:
drives see the values that variables have at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linkwork.errors import LinkworkError, MbdynError
from linkwork.io.mbdyn.drives.callers import read_law as read_drive_law
from linkwork.io.mbdyn.drives.scalar_functions import inline_function
from linkwork.io.mbdyn.drives.templates import WORDS, Terms, component, read_terms
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import matrix, vector
from linkwork.model.drives import Constant, Drive


class LawRead(NamedTuple):
    """How to make a law, and whether it depends on strain rates (files have columns for them)."""

    make: Callable[[], Any]
    viscous: bool


LawCard = Callable[[Arguments, int], LawRead]
Given = Callable[[], dict[str, Any]]


def of_dimension(card: LawCard, *sizes: int) -> LawCard:
    """A law that MBDyn has in these dimensions alone."""

    def checked(args: Arguments, n: int) -> LawRead:
        if n not in sizes:
            args.fail(
                f"this law has the dimension {' or '.join(map(str, sizes))}, but {n} is needed "
                "here", args.i - 1,
            )  # fmt: skip
        return card(args, n)

    return checked


def coefficients(args: Arguments, n: int, what: str, isotropic: bool = False) -> np.ndarray:
    """An n×n matrix; one number for one component, or where all have the same."""
    return args.real(what) * np.eye(n) if isotropic else matrix(args, n, what)


def viscosity(args: Arguments, n: int, K: np.ndarray, isotropic: bool = False) -> np.ndarray:
    """A viscosity, or `proportional, factor` of the stiffness K."""
    if args.keyword("proportional"):
        return args.real("a factor") * K
    return coefficients(args, n, "a viscosity", isotropic)


def functions(args: Arguments, n: int) -> list[Drive | None]:
    """A scalar function or `null` for each component."""
    return [None if args.keyword("null") else inline_function(args) for _ in range(n)]


# ------------------------------------------------------------------- pre-stress and pre-strain


def with_pre(args: Arguments, n: int, viscous: bool, law: Any, **words: Any) -> LawRead:
    """The law of a class with these words, and the pre-stress and pre-strain that follow."""
    begin, given = args.i, pre(args, n)
    return LawRead(lambda: made(args, begin, lambda: law(**words, **given())), viscous)


def made(args: Arguments, i: int, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except MbdynError:
        raise
    except LinkworkError as error:
        raise args.translated(error, i) from None


def pre(args: Arguments, n: int) -> Given:
    """[, prestress, f₀] [, prestrain, ε₀], the latter a template drive, and the former if it says
    single, component or array."""
    found: dict[str, Terms] = {}
    while word := args.keyword("prestress", "prestrain"):
        if word in found:
            args.fail(f"there is a {word} already", args.i - 1)
        if word == "prestress" and args.key() not in ("single", "component", "array"):
            found[word] = [(vector(args, n, "a prestress"), lambda x: Constant(1.0))]
        else:
            found[word] = template(args, n)
    return lambda: {word: components(terms, n) for word, terms in found.items()}


def template(args: Arguments, n: int) -> Terms:
    """A template drive; for one component a drive may stand for it."""
    if n == 1 and args.key() not in WORDS:
        return [(np.ones(1), read_drive_law(args))]
    return read_terms(args, lambda a: vector(a, n), n)


def components(terms: Terms, n: int) -> Any:
    """Numbers where they are constant, else drives; one for one component."""
    found: list[Any] = []
    for k in range(n):
        drive = component(terms, k)
        if drive is None:
            found.append(0.0)
        else:
            found.append(drive.v if isinstance(drive, Constant) else drive)
    return found[0] if n == 1 else tuple(found)
