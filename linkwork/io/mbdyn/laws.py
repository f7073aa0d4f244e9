"""Linear constitutive laws: f = K (ε − ε₀) + C ε̇ + f₀, with a prestrain ε₀ and a prestress f₀.

A law has the dimension 1, 3 or 6.  Its prestress and prestrain are constant here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from linkwork.io.mbdyn.arguments import Arguments
from linkwork.io.mbdyn.drive_cards import TIME, Terms, read_terms
from linkwork.io.mbdyn.drive_cards import read_law as read_drive_law
from linkwork.io.mbdyn.geometry import matrix, vector
from linkwork.model.drives import Constant


class Linear(NamedTuple):
    """K, C and the prestress, with the prestrain in it: f = K ε + C ε̇ + f₀."""

    stiffness: np.ndarray
    viscosity: np.ndarray
    prestress: np.ndarray

    @property
    def viscous(self) -> bool:
        return bool(np.any(self.viscosity != 0))


def read_law(args: Arguments, n: int) -> Linear:
    """A constitutive law of n dimensions: `reference, label`, or its type and arguments."""
    if args.keyword("reference"):
        i = args.i
        label = args.label("the label of a constitutive law")
        if (label, n) not in args.deck.laws:
            args.fail(f"there is no constitutive law {label} of dimension {n}", i)
        return args.deck.laws[label, n]
    return args.entry(LAWS, "constitutive law")[1](args, n)


def coefficients(args: Arguments, n: int, isotropic: bool, what: str) -> np.ndarray:
    if isotropic:
        return args.real(what) * np.eye(n)
    return matrix(args, n, what)


def pre(args: Arguments, n: int) -> tuple[np.ndarray, np.ndarray]:
    """[, prestress, f₀] [, prestrain, ε₀]"""
    stress, strain = np.zeros(n), np.zeros(n)
    while word := args.keyword("prestress", "prestrain"):
        i = args.i
        if word == "prestress":
            stress = vector(args, n, "a prestress")
            continue
        for v, law in prestrain_terms(args, n):
            drive = law(TIME)
            if not isinstance(drive, Constant):
                args.unsupported("a prestrain that changes with time is not supported", i)
            strain = strain + drive.v * v
    return stress, strain


def prestrain_terms(args: Arguments, n: int) -> Terms:
    if n == 1 and args.key() not in ("single", "component", "array", "reference", "null"):
        return [(np.ones(1), read_drive_law(args))]
    return read_terms(args, lambda a: vector(a, n), n)


def law(
    elastic: bool, viscous: bool, isotropic: bool
) -> Callable[[Arguments, int], Linear]:
    """linear elastic | viscous | viscoelastic [isotropic | generic], coefficients"""

    def card(args: Arguments, n: int) -> Linear:
        K = C = np.zeros((n, n))
        if elastic:
            K = coefficients(args, n, isotropic, "a stiffness")
        if viscous and elastic and args.keyword("proportional"):
            C = args.real("a factor") * K
        elif viscous:
            C = coefficients(args, n, isotropic, "a viscosity")
        stress, strain = pre(args, n)
        return Linear(K, C, stress - K @ strain)

    return card


def array(args: Arguments, n: int) -> Linear:
    """array, count, law, …: their sum"""
    parts = [read_law(args, n) for _ in range(args.count("the number of laws"))]
    return Linear(*(sum(x) for x in zip(*parts)))  # type: ignore[arg-type]


def kinds() -> dict[str, Callable[[Arguments, int], Linear]]:
    table: dict[str, Callable[[Arguments, int], Linear]] = {"array": array}
    for word, elastic, viscous in (
        ("elastic", True, False), ("viscous", False, True), ("viscoelastic", True, True),
    ):  # fmt: skip
        table[f"linear {word}"] = table[f"linear {word} isotropic"] = law(elastic, viscous, True)
        table[f"linear {word} generic"] = law(elastic, viscous, False)
    return table


LAWS = kinds()


def constitutive_law_card(args: Arguments) -> None:
    """constitutive law: label, dimension, law;"""
    label = args.label("the label of a constitutive law")
    args.card = f"constitutive law {label}"
    if args.keyword("name"):
        args.string("a name")
    i = args.i
    n = args.integer("the dimension of a constitutive law")
    if n not in (1, 3, 6):
        args.fail(f"the dimension of a constitutive law is 1, 3 or 6, found {n}", i)
    if (label, n) in args.deck.laws:
        args.fail(f"there is a constitutive law {label} of dimension {n} already", 0)
    args.deck.laws[label, n] = read_law(args, n)
    args.end()
