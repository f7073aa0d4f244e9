"""Joints that impose a velocity or an acceleration of one node along or about one direction.

    linear    n·ẋ = v(t),  n·ẍ = a(t)       n fixed in the world, so both are laws of n·x
    angular   n·w = ω(t),  n·ẇ = α(t)       n turns with the node, so no angle goes with them:
                                            a row on the velocity, and n·ẇ = d(n·w)/dt

MBDyn takes the components of a linear direction, as they are given in the axes of the node, for
components in the world.
"""

from __future__ import annotations

import numpy as np

from linkwork.io.mbdyn.cards.joints.joints import Card, End, axes_along, finish, for_turning
from linkwork.io.mbdyn.drives.callers import TIME, Law, read_law
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import EYE, ZERO, unit_vector
from linkwork.model.drives import Integral


def linear_motion(order: int) -> Card:
    """linear velocity | acceleration, node, direction, drive"""

    def card(args: Arguments, label: int) -> None:
        import linkwork

        node = args.deck.node(args)
        i, named = args.i, args.key() == "reference"
        n = unit_vector(args, node.reference)
        if named and not np.allclose(node.reference.R, EYE, atol=1e-12):
            args.unsupported(
                f"node {node.label} is turned against the global axes, and MBDyn takes a direction "
                "from a frame as turned by it; give the direction in global axes without a frame, "
                "or use a total pin joint", i,
            )  # fmt: skip
        given: Law = read_law(args)
        first, second = End(None, ZERO, axes_along(n, 0)), End(node)

        def make() -> list:
            law, begin = given(TIME), args.deck.analysis.initial_time
            if order == 2:
                law = Integral(law, begin, float(n @ node.reference.v))
            if args.deck.analysis.inverse is not None:
                law = Integral(law, begin, float(n @ node.reference.x))
                return [linkwork.Lock(first.frame(), second.frame(), rows="x", drive={"x": law})]
            return [linkwork.VelocityLock(first.frame(), second.frame(), rows="x",
                                          drive={"x": law})]  # fmt: skip

        columns = "velocity" if order == 1 else "acceleration"
        finish(args, label, args.kind, first, second, make, columns, imposed=(n, given))

    return card


def angular_motion(order: int) -> Card:
    """angular velocity | acceleration, node, direction, drive"""

    def card(args: Arguments, label: int) -> None:
        import linkwork

        node = args.deck.node(args)
        for_turning(args, node, ZERO, True)
        n = unit_vector(args, node.reference)
        given: Law = read_law(args)
        axes = axes_along(n, 0)
        first, second = End(None, node.reference.x, node.reference.R @ axes), End(node, ZERO, axes)

        def make() -> list:
            law = given(TIME)
            if order == 2:
                rate = float(n @ (node.reference.R.T @ node.reference.w))
                law = Integral(law, args.deck.analysis.initial_time, rate)
            return [linkwork.VelocityLock(first.frame(), second.frame(), rows="rx", axes="b",
                                          drive={"rx": law})]  # fmt: skip

        columns = "spin" if order == 1 else "spin rate"
        finish(args, label, args.kind, first, second, make, columns, imposed=(n, given))

    return card
