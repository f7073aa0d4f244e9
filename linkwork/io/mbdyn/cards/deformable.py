"""Rods, deformable joints and viscous bodies, with any constitutive law.

Moments are MBDyn's, which pair the law's with the relative angular velocity
(`conservative=False`, see deformable.joints).  A rod with a linear law is an lw.Spring, which
every method of linkwork knows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.io.mbdyn.cards.joints.joints import (
    Card,
    End,
    current_length,
    finish,
    point_end,
    read_end,
    seen_from,
    two_ends,
    with_current,
)
from linkwork.io.mbdyn.drives.driven import switched_law
from linkwork.io.mbdyn.laws.laws import read_law
from linkwork.io.mbdyn.problem.blocks import ORIENTATIONS
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.model.drives import Drive


def rod(bare: bool) -> Card:
    """rod, node 1, [position, …,] node 2, [position, …,] length | from nodes, law"""

    def card(args: Arguments, label: int) -> None:
        first = point_end(args, None, bare)
        second = point_end(args, seen_from(first), bare)
        length = current_length(args, first, second)
        free = length if args.keyword("from nodes") else args.positive("the length of the rod")
        if free <= 0:
            args.fail("the two points of the rod coincide, so it has no length")
        with_current(args, {"L": length, "L0": free})
        law = read_law(args, 1)

        def make() -> list:
            import linkwork

            ends = (first.frame(), second.frame())
            found = switched_law(args.deck, label, law.make())
            spring = as_spring(found, free)
            if spring is not None:
                return [linkwork.Spring(*ends, **spring)]
            return [linkwork.Rod(*ends, law=found, length=free)]

        finish(args, label, "rod", first, second, make, "rod")

    return card


def as_spring(law: Any, free: float) -> dict[str, Any] | None:
    """The words of the spring that a rod with this law is, if it is one."""
    from linkwork import laws

    if type(law) not in (laws.LinearElastic, laws.LinearViscous, laws.LinearViscoelastic):
        return None
    if any(getattr(law, w, 1.0) != 1.0 for w in ("stiffness_scale", "viscosity_scale")):
        return None
    pre = [0.0 if x is None else x for x in (law.prestress, law.prestrain)]
    k, c = (float(np.sum(getattr(law, w, 0.0))) for w in ("stiffness", "viscosity"))
    if c < 0 or any(isinstance(x, Drive) for x in pre):
        return None
    preload = pre[0] - k * pre[1]
    return dict(stiffness=k / free, damping=c / free, length=free, preload=preload)


def deformable(
    item: str, n: int, *, columns: str, form: str = "attached", position: str = "bare"
) -> Card:
    """[invariant] deformable …, node 1, …, node 2, …, law [, orientation description, …]"""

    def card(args: Arguments, label: int) -> None:
        kind = args.kind
        first, second = two_ends(args, position=position)
        law = read_law(args, n)
        about: dict[str, Any] = {"viscous": law.viscous}
        if columns in ("angles", "deformation") and args.keyword("orientation description"):
            about["orientation"] = args.one_of(ORIENTATIONS, "an orientation description")

        def make() -> list:
            import linkwork

            build = getattr(linkwork, item)
            ends = (first.frame(), second.frame())
            found = switched_law(args.deck, label, law.make())
            return [build(*ends, law=found, form=form, conservative=False)]

        finish(args, label, kind, first, second, make, columns, about=about)

    return card


def deformable_axial(args: Arguments, label: int) -> None:
    """deformable axial joint, node 1, …, node 2, …, law of one dimension: about axis 3"""
    first, second = two_ends(args, position="optional")
    law = read_law(args, 1)

    def make() -> list:
        import linkwork

        found = switched_law(args.deck, label, law.make())
        return [linkwork.DeformableAxial(first.frame(), second.frame(), law=found)]

    about = {"viscous": law.viscous}
    finish(args, label, "deformable axial joint", first, second, make, "axial", about=about)


def viscous_body(args: Arguments, label: int) -> None:
    """viscous body, node, [position, …,] [orientation, …,] law of six dimensions"""
    end = read_end(args)
    law = read_law(args, 6)

    def make() -> list:
        import linkwork

        return [linkwork.ViscousBody(end.frame(), switched_law(args.deck, label, law.make()))]

    finish(args, label, "viscous body", End(None, np.zeros(3)), end, make, "viscous body")
