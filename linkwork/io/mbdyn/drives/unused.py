"""Drives under a label that nothing refers to: what they name must be there all the same.

A drive is made when something asks for it.  One that nothing asks for is made in the end, so that a
label or a name that is nowhere is told; what linkwork alone cannot read does no harm, and is noted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.errors import UnsupportedCard
from linkwork.io.mbdyn.drives.plain import TIME, Law
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.language import ExpressionError
from linkwork.model.drives import Drive

if TYPE_CHECKING:
    from linkwork.io.mbdyn.deck.deck import Deck


def noted_use(args: Arguments, law: Law) -> Law:
    """The law of a drive that others may refer to."""
    unused, key = args.deck.unused, object()
    unused[key] = args, law

    def used(x: Drive) -> Drive:
        unused.pop(key, None)
        return law(x)

    return used


def note_plugin(args: Arguments, words: tuple[str, ...]) -> None:
    """The variable of a plugin, which strings may name."""
    from linkwork.io.mbdyn.drives.readings import plugin

    def law(x: Drive) -> Drive:
        try:
            return plugin(args.deck, words)
        except ExpressionError as error:
            args.refuse(error, 0)

    args.deck.unused[object()] = args, law


def look_at_unused(deck: Deck) -> None:
    """Make what nothing has asked for; the orders of equations stay what they were."""
    items = [node.item for node in deck.scalars.values() if node.item is not None]
    orders = [item.order for item in items]
    for _, law in list(deck.unused.values()):
        try:
            law(TIME)
        except UnsupportedCard as error:
            deck.note(f"{error}; nothing uses it")
    for item, order in zip(items, orders):
        item.order = order
