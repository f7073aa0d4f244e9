"""Constitutive laws of one, three or six components, as laws of linkwork (lw.laws).

Here are the laws made of laws, the table of all, and the card that gives a law a label.  A law's
pre-strain may change with time; its rate does not count as a strain rate, as in MBDyn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwork.elements import laws
from linkwork.io.mbdyn.drives.callers import initial_status, read_drive
from linkwork.io.mbdyn.drives.plain import run_step
from linkwork.io.mbdyn.laws.plain import PLAIN
from linkwork.io.mbdyn.laws.reading import (
    LawCard,
    LawRead,
    coefficients,
    made,
    of_dimension,
    viscosity,
    with_pre,
)
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import vector

REFUSED = {  # beginnings of names of laws that MBDyn has and linkwork cannot have, or not yet
    "ann": "needs a neural network from a file of MBDyn's",
    "bilinearisotropichardening": "belongs to solid elements",
    "contactelastic": "is in no manual; lw.laws.Stop is a contact",
    "graalldamper": "belongs to a module of MBDyn",
    "hookean": "belongs to solid elements",
    "linearviscoelasticmaxwell": "belongs to solid elements",
    "mooneyrivlin": "belongs to solid elements",
    "neohookean": "belongs to solid elements",
}


def read_law(args: Arguments, n: int) -> LawRead:
    """A constitutive law of n dimensions: `reference, label`, or its type and arguments."""
    if args.keyword("reference"):
        i = args.i
        label = args.label("the label of a constitutive law")
        if (label, n) not in args.deck.laws:
            args.fail(f"there is no constitutive law {label} of dimension {n}; define it with "
                      "constitutive law: before", i)  # fmt: skip
        return args.deck.laws[label, n]
    key = args.key().replace("-", "")
    for beginning, reason in REFUSED.items():
        if key.startswith(beginning) and args.key() not in KEYS:
            args.unsupported(f"the constitutive law {args.shown()} is not supported: it {reason}")
    card = args.entry(LAWS, "constitutive law")[1]
    if args.keyword("help"):  # MBDyn then prints what the law's arguments are, and reads on
        args.deck.ignore("help of constitutive laws")
    return card(args, n)


# -------------------------------------------------------------------------- laws made of laws


def array(args: Arguments, n: int) -> LawRead:
    """array, count, law, …: their sum"""
    parts = [read_law(args, n) for _ in range(args.count("the number of laws"))]
    viscous = any(part.viscous for part in parts)
    if len(parts) == 1:
        return parts[0]
    return LawRead(lambda: laws.Parallel(tuple(part.make() for part in parts)), viscous)


def switched(args: Arguments) -> Callable[[], dict[str, Any]]:
    """[initial status, inactive | active | status,] activating drive, deactivating drive"""
    active = initial_status(args)
    on, off = read_drive(args), read_drive(args)
    step, start = run_step(args), args.deck.analysis.initial_time
    args.deck.note(
        "bistop laws take the strain as it is; MBDyn counts it from its value at the activation"
    )
    return lambda: dict(on=on(), off=off(), step=step, start=start, active=active)


def bistop(args: Arguments, n: int) -> LawRead:
    """bistop, [initial status, …,] activating drive, deactivating drive, law"""
    begin, words = args.i, switched(args)
    part = read_law(args, n)

    def law() -> Any:
        return made(args, begin, lambda: laws.Bistop(part.make(), **words()))

    return LawRead(law, part.viscous)


def linear_bistop(viscous: bool) -> LawCard:
    """linear (visco)elastic bistop, K, [C,] [initial status, …,] activating, deactivating drive"""

    def card(args: Arguments, n: int) -> LawRead:
        K = coefficients(args, n, "a stiffness")
        words: dict[str, Any] = dict(stiffness=K)
        kind: Any = laws.LinearElastic
        if viscous:
            kind, words["viscosity"] = laws.LinearViscoelastic, viscosity(args, n, K)
        conditions = switched(args)
        return with_pre(
            args, n, viscous, lambda **pre: laws.Bistop(kind(**words, **pre), **conditions())
        )

    return card


def driven(args: Arguments, n: int) -> LawRead:
    """drive caller wrapper, drive, law"""
    factor, part = read_drive(args), read_law(args, n)
    return LawRead(lambda: laws.TimeVariant(part.make(), factor()), part.viscous)


def axial(args: Arguments, n: int) -> LawRead:
    """axial wrapper, direction, law of one component"""
    i = args.i
    direction = vector(args, n, "a direction")
    if not direction.any():
        args.fail("the direction of an axial law must not be zero", i)
    part = read_law(args, 1)
    return LawRead(lambda: laws.Axial(direction, part.make()), part.viscous)


def invariant_angular(args: Arguments, n: int) -> LawRead:
    """invariant angular, ξ, law: in axes turned by the part ξ of the relative rotation"""
    xi = args.real("the fraction of the relative orientation")
    part = read_law(args, n)
    return LawRead(lambda: laws.InvariantAngular(xi, part.make()), part.viscous)


LAWS: dict[str, LawCard] = {
    **PLAIN,
    "array": array,
    "axial wrap": of_dimension(axial, 3),
    "axial wrapper": of_dimension(axial, 3),
    "bistop": bistop,
    "drive caller wrapper": driven,
    "invariant angular": of_dimension(invariant_angular, 3),
    "linear elastic bistop": linear_bistop(False),
    "linear viscoelastic bistop": linear_bistop(True),
}
KEYS = {name.replace(" ", "") for name in LAWS}


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
    found = read_law(args, n)
    args.end()
    args.deck.laws[label, n] = found
    args.deck.build_later(args, lambda: args.deck.laws.update({(label, n): found.make()}))
