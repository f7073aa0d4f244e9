"""The beam slider: a node on a string of three-node beams, whose place is an unknown of its own.

The track of the slider passes through points of the beams' nodes that need not be those of the
beams themselves.  `smearing` widens the passage from beam to beam, which linkwork does not need:
the track is continuous there.  The slider begins at the place that is nearest to it.
"""

from __future__ import annotations

from typing import Any

from linkwork.io.mbdyn.cards.joints.joints import End, finish, read_end
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import relative_orientation, relative_position

KINDS = ("spherical", "classic", "spline")


def beam_slider(args: Arguments, label: int) -> None:
    """beam slider, node, offset, [hinge, R,] [type, spherical | classic | spline,] beams, (beam,
    same | offset, [hinge, same | R,] offset, [hinge, R,] offset, [hinge, R]) … [, initial beam, k]
    [, initial node, k] [, smearing, factor]"""
    deck = args.deck
    slider = read_end(args, position="bare")
    kind = args.one_of(KINDS, "a type of slider") if args.keyword("type") else "spherical"
    if kind == "spline":
        args.unsupported("a spline slider is not part of MBDyn either; use classic", args.i - 1)
    count = args.count("the number of beams")
    labels: list[int] = []
    track: list[Any] = []
    for k in range(count):
        i = args.i
        number = args.label("the label of a beam")
        record = deck.beams.get(number)
        if record is None:
            args.fail(f"there is no beam {number} before this card", i)
        if len(record.ends) != 3:
            args.unsupported(f"beam {number} has two nodes; a slider needs beams of three", i)
        labels.append(number)
        track.append(read_points(args, record.ends, track[-1][2] if k else None))
        if k and track[k][0].node is not track[k - 1][2].node:
            args.fail(f"beam {number} does not begin at the node where the one before it ends", i)
    read_initial(args, count)
    while args.keyword("smearing"):
        args.real("the smearing factor")
        deck.ignore("smearing of beam sliders")

    def make() -> list:
        import linkwork

        points = track[0] + [point for part in track[1:] for point in part[1:]]
        return [linkwork.BeamSlider(slider.frame(), [p.frame() for p in points], kind)]

    finish(args, label, args.kind, End(None), slider, make, "slider", about={"beams": labels})


def read_points(args: Arguments, ends: list[End], last: End | None) -> list[End]:
    """Points of the track on the three nodes of a beam."""
    found = []
    for k, end in enumerate(ends):
        assert end.node is not None
        if k == 0 and args.keyword("same"):
            if last is None:
                args.fail("the first beam has no beam before it; give an offset", args.i - 1)
            offset = last.offset
        else:
            offset = relative_position(args, end.node.reference)
        if args.keyword("hinge") and not (k == 0 and args.keyword("same")):
            relative_orientation(args, end.node.reference)
        found.append(End(end.node, offset))
    return found


def read_initial(args: Arguments, count: int) -> None:
    """A beam of the list and one of its nodes, from 1: hints, where the nearest place is found."""
    while word := args.keyword("initial beam", "initial node"):
        i, most = args.i, count if word == "initial beam" else 3
        number = args.integer(f"the {word}")
        if not 1 <= number <= most:
            args.fail(f"the {word} is a place in the list, from 1 to {most}, found {number}", i)
        args.deck.ignore(f"{word} of beam sliders")
