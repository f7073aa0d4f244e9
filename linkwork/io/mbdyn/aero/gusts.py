"""Gusts of air properties, as MBDyn's input manual has them.

    front 1D          v = n g(f·x + V t)               g a drive; with V > 0 it moves against f
    scalar function   v = e₁ g(z)                      z = e₃·(x − X₀), axes e of the orientation
    power law         v = e₁ v_ref(t) (z/z_ref)^m
    logarithmic       v = e₁ v_ref(t) ln(z/z₀)/ln(z_ref/z₀)      without stability correction

They follow `gust` on the card, or on a card `gust:` of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.io.mbdyn.deck.deck import in_card
from linkwork.io.mbdyn.drives.callers import read_drive
from linkwork.io.mbdyn.drives.scalar_functions import inline_function
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import absolute_orientation, absolute_position, vector
from linkwork.model.drives import Constant

Made = Callable[[], Any]


def front(args: Arguments) -> Made:
    """front 1D, f, n, V, g"""
    f, n = (unit(args, what) for what in ("the direction of a front", "that of its velocity"))
    speed, profile = args.real("the speed of a front"), read_drive(args)
    args.deck.note(
        "front 1D: its profile is taken at f·x + V t, as the input manual has it, so that with V "
        "above zero the front moves against f"
    )

    def make() -> Any:
        import linkwork

        return linkwork.GustFront(n, profile(), direction=-f, speed=speed)

    return make


def unit(args: Arguments, what: str) -> np.ndarray:
    i, v = args.i, vector(args, 3)
    size = float(np.linalg.norm(v))
    if not size > 0:
        args.fail(f"{what} must not be zero", i)
    return v / size


def place(args: Arguments) -> tuple[np.ndarray, np.ndarray]:
    """reference position, X₀, reference orientation, R₀"""
    x, R = np.zeros(3), np.eye(3)
    if args.keyword("reference position"):
        x = absolute_position(args)
    if args.keyword("reference orientation"):
        R = absolute_orientation(args)
    return np.asarray(x, float), np.asarray(R, float)


def scalar_profile(args: Arguments) -> Made:
    x, R = place(args)
    profile = inline_function(args)

    def make() -> Any:
        import linkwork

        return linkwork.GustFront(R[:, 0], profile, direction=-R[:, 2], speed=0.0, origin=x)

    return make


def sheared(last: str, word: str) -> Callable[[Arguments], Made]:
    """reference elevation, z_ref, reference velocity, v_ref, and the last parameter"""

    def read(args: Arguments) -> Made:
        x, R = place(args)
        expect(args, "reference elevation")
        height = args.positive("the reference elevation")
        expect(args, "reference velocity")
        v = read_drive(args)
        expect(args, last)
        number = args.real(f"the {last}")

        def make() -> Any:
            import linkwork

            drive = v()
            factor = drive.v if isinstance(drive, Constant) else drive
            return linkwork.WindProfile(
                [float(c) * factor for c in R[:, 0]], height, up=R[:, 2],
                ground=float(R[:, 2] @ x), **{word: number},
            )  # fmt: skip

        return make

    return read


def expect(args: Arguments, word: str) -> None:
    if not args.keyword(word):
        args.fail(f"expected {word}, found {args.shown()}")


GUSTS = {
    "front 1D": front, "scalar function": scalar_profile,
    "power law": sheared("exponent", "exponent"),
    "logarithmic": sheared("surface roughness length", "roughness"),
}  # fmt: skip


def read_gusts(args: Arguments) -> None:
    """One or several models of gusts, for the air of the deck."""
    name = args.one_of(GUSTS, "a model of gusts")
    while name:
        if args.deck.frame is not None:
            args.unsupported(
                "gusts in a deck whose frame moves are not supported: they are functions of the "
                "place in the fixed world", args.i - 1,
            )  # fmt: skip
        args.deck.aero.gusts.append((args, GUSTS[name](args)))
        name = args.keyword(*GUSTS)


def made_gusts(deck: Any) -> list[Any]:
    """The gusts of a deck, each made in the name of its card."""
    return [in_card(args, make) for args, make in deck.aero.gusts]


def gust(args: Arguments) -> None:
    """gust: model, …;  more of them for the air properties"""
    read_gusts(args)
    args.end()
    args.deck.build_later(args, lambda: need_air(args))


def need_air(args: Arguments) -> None:
    if args.deck.aero.air is None:
        args.fail("a gust needs air properties", 0)
