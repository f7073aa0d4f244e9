"""Friction of joints in decks.

    friction, [radius,] [preload, N₀,] model, shape function [, reaction force components, …]
    modlugre, σ₀, σ₁, σ₂, κ, function          discrete coulomb, function [, sigma2, …] …

In a spherical hinge the models and the shape function are called modlugre 2D, discrete coulomb 2D
and simple 2D; it does not rub about the direction of its load.
The function gives the coefficient g over the slip speed |v|; the load is the larger one of the
joint's reaction and the preload.  The shape `simple plane hinge` is that of a pin with play,
r f/√(1 + f²) (manual, 9.1.6).  Where a function is no constant it becomes a curve of lw.LuGre or
lw.Coulomb: points on a grid of speeds and at its kinks, cubics between them.  Coulomb's friction
sticks through bristles, for which MBDyn's card has no numbers; STIFFNESS and DAMPING are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from linkwork.io.mbdyn.drives.scalar_functions import inline_function
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.model.drives import Constant, Drive, Piecewise, Table

STIFFNESS, DAMPING = 1e5, 20.0  # of Coulomb's bristles, per length and time per length
GRID = np.concatenate([[0.0], np.geomspace(1e-6, 1e4, 161)])  # speeds of a curve
COMPONENTS = {"full": "all", "axial": "axial", "normal": "radial", "preload only": "none"}


class FrictionCard(NamedTuple):
    """What a card says: radius, least load, the model for a factor of the path, and the shape."""

    radius: float
    least: float
    model: Callable[[float], Any]
    thread: float = 0.0
    load: str = "all"
    journal: bool = False  # whether its shape is that of a plane hinge


def read_friction(
    args: Arguments, *, radius: bool = True, screw: bool = False, ball: bool = False
) -> FrictionCard:
    """What follows the keyword `friction`."""
    r = args.positive("the average radius of the friction") if radius else 1.0
    least = 0.0
    if args.keyword("preload"):
        i = args.i
        least = args.real("the preload of the friction")
        if least < 0:
            args.fail(f"the preload of the friction must not be negative, found {least:g}", i)
    model = args.entry(BALL_MODELS if ball else MODELS, "friction model")[1](args)
    found = FrictionCard(r, least, model)
    i = args.i
    if ball:
        args.one_of(("simple 2D",), "a shape function")
        return found
    shape = args.one_of(("simple", "simple plane hinge", "screw joint"), "a shape function")
    if screw != (shape == "screw joint") or (shape == "simple plane hinge" and not radius):
        args.fail(f"the shape function '{shape}' does not go with this joint", i)
    if screw:
        values = []
        for word, what in (("radius", "a mean radius"), ("half thread angle", "an angle")):
            if not args.keyword(word):
                args.fail(f"expected '{word}', found {args.shown()}")
            values.append(args.positive(what) if word == "radius" else args.real(what))
        return found._replace(radius=values[0], thread=values[1])
    if shape == "simple plane hinge":
        found = found._replace(journal=True)
        if holds_number(args):
            args.positive("the radius of the shape function")  # the average one is what counts
    if args.keyword("reaction force components"):
        found = found._replace(load=COMPONENTS[args.one_of(COMPONENTS, "components")])
    return found


def holds_number(args: Arguments) -> bool:
    """Whether a radius follows: the manual has one, the program none; a lone drive is no radius."""
    word = args.words[args.i].strip() if args.more() else ""
    first = word[:1].isdigit() or word[:1] == "." or word in args.deck.symbols.variables
    return first and (args.kind != "brake" or args.i + 1 < len(args.words))


# -------------------------------------------------------------------------------------- models


def modlugre(args: Arguments) -> Callable[[float], Any]:
    """modlugre, σ₀, σ₁, σ₂, κ, function"""
    s0 = args.positive("sigma0 of modlugre")
    s1, s2 = (args.real(f"sigma{k} of modlugre") for k in (1, 2))
    kappa = args.real("kappa of modlugre")
    curve = read_curve(args)

    def make(factor: float) -> Any:
        import linkwork

        words = curve(factor)
        return linkwork.LuGre(stiffness=s0 * factor, damping=s1 * factor, viscous=s2 * factor,
                              kappa=kappa, **words)  # fmt: skip

    return make


def discrete_coulomb(args: Arguments) -> Callable[[float], Any]:
    """discrete coulomb, function [, sigma2, σ₂] [, velocity ratio, ratio]"""
    curve = read_curve(args)
    s2 = args.real("sigma2 of discrete coulomb") if args.keyword("sigma2") else 0.0
    if args.keyword("velocity ratio"):
        args.real("the velocity ratio")
        args.deck.ignore("velocity ratio of discrete coulomb")
    args.deck.note(
        f"discrete coulomb: surfaces that stick give way by μ/{STIFFNESS:g} of a length "
        f"(lw.Coulomb with stiffness={STIFFNESS:g}, damping={DAMPING:g})"
    )

    def make(factor: float) -> Any:
        import linkwork

        return linkwork.Coulomb(stiffness=STIFFNESS * factor, damping=DAMPING * factor,
                                viscous=s2 * factor, **curve(factor))  # fmt: skip

    return make


MODELS: dict[str, Callable[[Arguments], Callable[[float], Any]]] = {
    "modlugre": modlugre, "discrete coulomb": discrete_coulomb,
}  # fmt: skip


BALL_MODELS = {f"{name} 2D": model for name, model in MODELS.items()}


def read_curve(args: Arguments) -> Callable[[float], dict[str, Any]]:
    """The words `mu` or `curve` of a model, where MBDyn's path is `factor` times linkwork's."""
    i = args.i
    f = inline_function(args)
    if isinstance(f, Constant):
        if f.v <= 0:
            args.fail(f"a friction coefficient must be positive, found {f.v:g}", i)
        return lambda factor: {"mu": f.v}
    rows = sampled(f)
    good = int(np.argmin(rows[1] > 0)) if (rows[1] <= 0).any() else rows.shape[1]
    if good < 2:
        args.fail("a friction coefficient must be positive at small speeds", i)
    if good < rows.shape[1]:
        rows = rows[:, :good]
        args.deck.note(
            f"the friction function of {args.card} is not positive above a speed of "
            f"{rows[0, -1]:g}; it is held from there on"
        )
    return lambda factor: {"curve": np.array([[1 / factor], [1.0], [factor]]) * rows}


def sampled(f: Drive) -> np.ndarray:
    """Speeds, values and slopes; kinks twice, with the slopes on both sides."""
    corners = np.array(sorted({x for x in kinks(f) if 0 < x < GRID[-1]}))
    speeds = np.unique(np.concatenate([GRID, corners]))
    y = f.jet(speeds)
    points = np.stack([speeds, y[:, 0], y[:, 1]])
    if not corners.size:
        return points
    gap = 1e-9 * np.diff(np.concatenate([[0.0], corners])).min()
    sides = [np.stack([corners, f.values(corners), f.jet(corners + s * gap)[:, 1]])
             for s in (-1, 1)]  # fmt: skip
    smooth = points[:, ~np.isin(speeds, corners)]
    both = np.hstack([smooth, *sides])
    return both[:, np.argsort(both[0], kind="stable")]


def kinks(f: Any) -> list[float]:
    """Where a function may have kinks."""
    if isinstance(f, Table):
        return list(f.t) if f.kind == "linear" or f.outside == "hold" else []
    found = list(f.breaks) if isinstance(f, Piecewise) else []
    for part in fields(f):
        value = getattr(f, part.name)
        for x in value if isinstance(value, tuple) else (value,):
            if isinstance(x, Drive):
                found += kinks(x)
    return found
