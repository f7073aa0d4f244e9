"""Joints between nodes, and between a node and the ground (`pin`).

The first node (or the ground) carries the main marker and the second the driven one; reactions.py
says how MBDyn writes what they do to each other.  A joint is one function and its entry in
`JOINTS`; those that are rows of the lock joint are one line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.cards.joints.friction import FrictionCard, read_friction
from linkwork.io.mbdyn.deck.deck import JointRecord, StructuralNode, ground_frame
from linkwork.io.mbdyn.problem.blocks import ORIENTATIONS
from linkwork.io.mbdyn.problem.inverse import inverse_role
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import (
    EYE,
    ZERO,
    Other,
    absolute_orientation,
    absolute_position,
    relative_orientation,
    relative_position,
    unit_vector,
)

Card = Callable[[Arguments, int], None]


class End(NamedTuple):
    """An end of a joint: a node (None is the ground), a point and axes from it."""

    node: StructuralNode | None
    offset: np.ndarray = ZERO
    axes: np.ndarray = EYE

    def frame(self, turned: np.ndarray = EYE) -> Any:
        axes = self.axes @ turned
        if self.node is None:
            return ground_frame(self.offset, axes)
        return self.node.frame(self.offset, axes)

    def place(self) -> tuple[np.ndarray, np.ndarray]:
        """The point and axes in the world, as described."""
        if self.node is None:
            return self.offset, self.axes
        x, R, _, _ = self.node.reference
        return x + R @ self.offset, R @ self.axes


# --------------------------------------------------------------------------- reading the ends


def read_end(
    args: Arguments, other: Other | None = None, *, position: str = "optional", turns: bool = True
) -> End:
    """A node with [position,] offset and [orientation | hinge,] axes.

    position: "optional" after its keyword, "bare" with or without keyword, "either" (it may be left
    out, with its keyword too), "none".
    """
    node = args.deck.node(args)
    offset, axes = ZERO, EYE
    keyed = bool(args.keyword("position", "offset")) if position != "none" else False
    if (
        keyed
        or (position == "bare" and args.key() not in ("orientation", "hinge"))
        or (position == "either" and vector_follows(args))
    ):
        offset = relative_position(args, node.reference, other)
    if args.keyword("orientation", "hinge"):
        axes = relative_orientation(args, node.reference, other)
    for_turning(args, node, offset, turns)
    return End(node, offset, axes)


def vector_follows(args: Arguments) -> bool:
    """Whether a vector comes next: null, three numbers, or one that is in a frame."""
    if args.key() in ("null", "reference"):
        return True
    return all(args.more(k) and not args.is_word(k) for k in range(3))


def for_turning(args: Arguments, node: StructuralNode, offset: np.ndarray, turns: bool) -> None:
    if node.points_only and (turns or np.any(offset != 0)):
        args.fail(
            f"node {node.label} cannot turn; joints that hold rotations or have an offset need a "
            "node of six degrees of freedom"
        )


def seen_from(first: End) -> Other | None:
    return None if first.node is None else Other(first.node.reference, first.offset, first.axes)


def two_ends(args: Arguments, *, turns: bool = True, position: str = "bare") -> tuple[End, End]:
    first = read_end(args, turns=turns, position=position)
    return first, read_end(args, seen_from(first), turns=turns, position=position)


def pinned_ends(args: Arguments, *, turns: bool = True) -> tuple[End, End]:
    """A node, then [position,] and [orientation,] of the pin, which are absolute."""
    second = read_end(args, turns=turns, position="bare" if turns else "either")
    assert second.node is not None
    args.keyword("position")
    x, R = absolute_position(args, second.node.reference), EYE
    if args.keyword("orientation", "hinge"):
        R = absolute_orientation(args, second.node.reference)
    return End(None, x, R), second


# --------------------------------------------------------------------------- joints from a table


def finish(
    args: Arguments, label: int, kind: str, first: End, second: End, make: Callable[[], list],
    columns: str = "", rotation_axes: tuple[np.ndarray, np.ndarray] | None = None,
    **more: Any,
) -> None:  # fmt: skip
    """End the card; when the file has been read, `make` gives the items of the joint.

    more: further fields of its record, and `output` where the card has said that before.
    """
    output = more.pop("output", None)
    if output is None or args.key() == "output":
        output = output_flag(args, "joint")
    deck = args.deck
    if (role := inverse_role(args)) is not None:
        deck.roles[label] = role
    args.end()
    ends = (None if first.node is None else first.node.label, second.node.label)  # type: ignore[union-attr]
    record = deck.joints[label] = JointRecord(  # known to all that read its motion, wherever it is
        label, kind, [], ends, (first.offset, second.offset), (first.axes, second.axes),
        columns, rotation_axes, output, **more,
    )  # fmt: skip

    def build() -> None:
        names = record.items
        for item in make():
            name = f"joint {label}" if not names else f"joint {label} ({len(names) + 1})"
            if type(item).__name__ in ("Friction", "Brake"):
                record.friction = name = f"friction of joint {label}"
            else:
                names.append(name)
            deck.model.add(name, item)

    deck.build_later(args, build)


def named(
    item: str, *, pin: bool = False, turns: bool = True, position: str = "bare",
    columns: str = "", turned: np.ndarray = EYE, friction: bool = False, ball: bool = False,
) -> Card:  # fmt: skip
    """A joint of linkwork that holds the markers at its two ends; `turned` turns the first.

    friction: whether it may rub; ball: about all axes but that of its load
    """

    def card(args: Arguments, label: int) -> None:
        kind = args.kind
        if pin:
            first, second = pinned_ends(args, turns=turns)
        else:
            first, second = two_ends(args, turns=turns, position=position)
        orientation = description(args)
        output = output_flag(args, "joint") if args.key() == "output" else None
        if args.keyword("initial theta"):
            args.real("the initial angle")
            args.deck.ignore("initial theta of revolute joints")
        start = args.i
        rubs = friction_of(args, friction, ball=ball)
        if rubs and any(e.node is not None and e.node.points_only for e in (first, second)):
            args.fail("friction needs nodes that turn, of six degrees of freedom", start)

        def make() -> list:
            import linkwork

            joint = getattr(linkwork, item)(first.frame(turned), second.frame())
            return with_friction(joint, rubs, **({"spin": 0.0} if ball else {}))

        finish(args, label, kind, first, second, make,
               f"{columns} friction" if rubs else columns, output=output,
               orientation=orientation)  # fmt: skip

    return card


def description(args: Arguments) -> str:
    """[orientation description, …]"""
    if not args.keyword("orientation description"):
        return ""
    return args.one_of(ORIENTATIONS, "an orientation description")


def friction_of(args: Arguments, known: bool, **words: Any) -> FrictionCard | None:
    if not args.keyword("friction"):
        return None
    if not known:
        args.unsupported(
            "friction is part of revolute and plane hinges, pins and rotations, axial rotation, "
            "spherical hinge, in line, screw and brake, not of this joint", args.i - 1,
        )  # fmt: skip
    return read_friction(args, **words)


def with_friction(joint: Any, card: FrictionCard | None, **words: Any) -> list:
    """The joint, and its friction where it has one."""
    import linkwork

    if card is None:
        return [joint]
    words = {"radius": card.radius, "load": card.load, "motion": "turn", **words}
    if card.journal:
        words["journal"] = True
    return [joint, linkwork.Friction(joint, card.model(1.0), least=card.least, **words)]


def clamp(args: Arguments, label: int) -> None:
    """clamp, node, [position,] node | x, [orientation,] node | R"""
    node = args.deck.node(args)
    x, R = node.reference.x, node.reference.R
    args.keyword("position")
    if args.key() not in ("", "output", "orientation") and not args.keyword("node"):
        x = absolute_position(args, node.reference)
    args.keyword("orientation")
    if args.key() not in ("", "output") and not args.keyword("node"):
        R = absolute_orientation(args, node.reference)
    first, second = End(None, x, R), End(node)

    def make() -> list:
        import linkwork

        if node.points_only:
            return [linkwork.Spherical(first.frame(), second.frame())]
        return [linkwork.Fixed(first.frame(), second.frame())]

    finish(args, label, "clamp", first, second, make)


def in_line(args: Arguments, label: int) -> None:
    """in line, node 1, [position,] p, [orientation,] R, node 2 [, offset, q]"""
    node = args.deck.node(args)
    args.keyword("position")
    p = relative_position(args, node.reference)
    args.keyword("orientation")
    first = End(node, p, relative_orientation(args, node.reference))
    second = sliding_end(args, first)
    rubs = friction_of(args, True, radius=False)

    def make() -> list:
        import linkwork

        line = linkwork.PointOnLine(first.frame(), second.frame())
        return with_friction(line, rubs, radius=None, motion="slide")

    finish(args, label, "in line", first, second, make, "line friction" if rubs else "")


def in_plane(args: Arguments, label: int) -> None:
    """in plane, node 1, [position,] p, normal, node 2 [, offset, q]"""
    node = args.deck.node(args)
    args.keyword("position")
    p = relative_position(args, node.reference)
    n = unit_vector(args, node.reference)
    first = End(node, p, axes_along(n, 2))
    second = sliding_end(args, first)

    def make() -> list:
        import linkwork

        return [linkwork.PointOnPlane(first.frame(), second.frame())]

    finish(args, label, "in plane", first, second, make)


def sliding_end(args: Arguments, first: End) -> End:
    assert first.node is not None
    for_turning(args, first.node, ZERO, True)
    node = args.deck.node(args)
    offset = ZERO
    if args.keyword("offset", "position"):
        offset = relative_position(args, node.reference, seen_from(first))
        for_turning(args, node, offset, False)
    return End(node, offset, first_axes(first, node))


def first_axes(first: End, node: StructuralNode) -> np.ndarray:
    """The main marker's axes as the second node sees them in the described position."""
    return node.reference.R.T @ first.place()[1]


def axes_along(n: np.ndarray, k: int) -> np.ndarray:
    """Axes whose k-th is along n."""
    helper = np.eye(3)[int(np.argmin(np.abs(n)))]
    u = np.cross(helper, n)
    u /= np.linalg.norm(u)
    R = np.empty((3, 3))
    R[:, k], R[:, (k + 1) % 3] = n, u
    R[:, (k + 2) % 3] = np.cross(n, u)
    return R


# ----------------------------------------------------------------------------------- distances


def point_end(args: Arguments, other: Other | None, bare: bool) -> End:
    node = args.deck.node(args)
    offset = ZERO
    if bare or args.keyword("position", "offset"):
        if bare:
            args.keyword("position", "offset")
        offset = relative_position(args, node.reference, other)
        for_turning(args, node, offset, False)
    return End(node, offset)


def current_length(args: Arguments, first: End, second: End) -> float:
    return float(np.linalg.norm(second.place()[0] - first.place()[0]))


def with_current(args: Arguments, values: dict[str, float]) -> None:
    """What model::current("…") gives while this card is read."""

    def current(*keys: Any) -> float:
        if len(keys) != 1 or keys[0] not in values:
            args.fail(f"model::current knows one of {', '.join(values)} here, not {keys!r}")
        return values[keys[0]]

    args.deck.symbols.functions["model::current"] = current


def distance(bare: bool) -> Card:
    """distance, node 1, [position, …,] node 2, [position, …,] length | from nodes"""

    def card(args: Arguments, label: int) -> None:
        from linkwork.io.mbdyn.drives.callers import read_drive
        from linkwork.model.drives import Constant

        first = point_end(args, None, bare)
        second = point_end(args, seen_from(first), bare)
        length = current_length(args, first, second)
        with_current(args, {"L": length})
        drive = None if args.keyword("from nodes") else read_drive(args)

        def make() -> list:
            import linkwork

            given: Any = length if drive is None else drive()
            if isinstance(given, Constant):
                given = given.v
            return [linkwork.Distance(first.frame(), second.frame(), length=given)]

        finish(args, label, "distance", first, second, make, "distance")

    return card
