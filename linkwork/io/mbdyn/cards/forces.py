"""Forces and couples: absolute and follower, alone or as internal pairs, and the total force.

    force: label, absolute, node, position, arm, [node, position, arm,] vector × drive;
    force: label, absolute, node, direction, arm, [node, arm,] drive;          (before MBDyn 1.3.7)
    couple: label, absolute internal, node, direction, node, drive;

In the older order the direction is a unit vector, whatever length it is given with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.deck.deck import Deck, ForceRecord, StructuralNode
from linkwork.io.mbdyn.drives.callers import TIME, read_law
from linkwork.io.mbdyn.drives.driven import switched
from linkwork.io.mbdyn.drives.templates import Terms, read_terms
from linkwork.io.mbdyn.scalars.forces import abstract_force
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import (
    EYE,
    ZERO,
    Other,
    absolute_vector,
    relative_orientation,
    relative_position,
    relative_vector,
    vector,
)


def read_arm(
    args: Arguments, node: StructuralNode, other: Other | None = None, bare: bool = False
) -> np.ndarray:
    """[position,] of the point where the force acts, from the node; bare: without the keyword."""
    if not args.keyword("position") and not bare:
        return ZERO
    arm = relative_position(args, node.reference, other)
    if node.points_only and np.any(arm != 0):
        args.fail(f"node {node.label} cannot turn, so the force must act at it, without an arm")
    return arm


def direction(node: StructuralNode, follower: bool) -> Callable[[Arguments], np.ndarray]:
    """Vectors of follower forces are in the node's axes, the others are absolute."""
    if follower:
        return lambda args: relative_vector(args, node.reference)
    return lambda args: absolute_vector(args, node.reference)


def old_direction(args: Arguments, node: StructuralNode, follower: bool) -> np.ndarray | None:
    """The unit vector of a card in the old order, where it stands before the arm; else None."""
    if args.key() in ("position", "single", "component", "array", "null"):
        return None
    begin = args.i
    if args.key() == "reference":
        if not args.more(2) or args.key(2) == "output":
            return None  # a template drive caller
    elif any(args.is_word(k) or not args.more(k) for k in range(3)):
        return None  # an internal force without arms: its second node comes next
    along = direction(node, follower)(args)
    if arm_follows(args):
        return normalised(args, along, begin)
    args.i = begin
    return None


def normalised(args: Arguments, along: np.ndarray, i: int) -> np.ndarray:
    length = float(np.linalg.norm(along))
    if length == 0:
        args.fail("the direction of a force or couple must not be zero", i)
    return along / length


def arm_follows(args: Arguments) -> bool:
    """Whether an arm and a drive follow, not a drive alone."""
    if args.key() == "null":
        return args.more(1) and args.key(1) != "output"
    if args.key() == "reference":
        return args.more(2) and args.key(2) != "output"
    return args.more(3) and not any(args.is_word(k) for k in range(3))


def old_couple_direction(
    args: Arguments, node: StructuralNode, follower: bool
) -> np.ndarray | None:
    """That of an internal couple in the old order, before its second node, whose label is no real
    number; else None."""
    if args.key() != "reference" and not real_follows(args):
        return None
    begin = args.i
    return normalised(args, direction(node, follower)(args), begin)


def real_follows(args: Arguments) -> bool:
    if not args.more() or args.is_word():
        return False
    begin = args.i
    found = args.value("a number")
    args.i = begin
    return isinstance(found, float)


def load(kind: str, follower: bool, internal: bool) -> Callable[[Arguments, int], None]:
    """force or couple: label, absolute | follower [internal], node, position, arm, …, value;"""

    def card(args: Arguments, label: int) -> None:
        nodes, arms = [args.deck.node(args)], []
        along = None
        if kind == "force":
            along = old_direction(args, nodes[0], follower)
        elif internal:
            along = old_couple_direction(args, nodes[0], follower)
        bare = along is not None and kind == "force"
        arms.append(read_arm(args, nodes[0], bare=bare))
        apart = True
        if internal:
            nodes.append(args.deck.node(args))
            apart = not args.keyword("same point")
            arms.append(read_arm(args, nodes[1], Other(nodes[0].reference, arms[0]), bare))
        for node in nodes:
            if kind == "couple" and node.points_only:
                args.fail(f"node {node.label} cannot turn, so no couple can act on it", 2)
        if along is not None:
            terms = [(along, read_law(args))]
        else:
            terms = read_terms(args, direction(nodes[0], follower))
        output = output_flag(args, "force")
        args.end()
        variant = ("follower" if follower else "absolute") + (" internal" if internal else "")
        values, nothing = (terms, []) if kind == "force" else ([], terms)

        def make() -> None:
            add(args.deck, label, kind, variant, nodes, arms, values, nothing, follower, apart,
                output)  # fmt: skip

        args.deck.build_later(args, make)

    return card


def total(internal: bool) -> Callable[[Arguments, int], None]:
    """force: label, total [internal], node, position, …, force, …, moment, …;"""

    def card(args: Arguments, label: int) -> None:
        nodes: list[StructuralNode] = []
        arms: list[np.ndarray] = []
        turned: list[tuple[np.ndarray, np.ndarray]] = []
        for _ in range(2 if internal else 1):
            node = args.deck.node(args)
            arms.append(read_arm(args, node))
            axes = [EYE, EYE]
            for k, word in enumerate(("force orientation", "moment orientation")):
                if args.keyword(word):
                    axes[k] = relative_orientation(args, node.reference)
            nodes.append(node)
            turned.append((axes[0], axes[1]))
        Rf, Rm = turned[0]
        forces = read_terms(args, vector_of(nodes[0], Rf)) if args.keyword("force") else []
        moments = read_terms(args, vector_of(nodes[0], Rm)) if args.keyword("moment") else []
        output = output_flag(args, "force")
        args.end()
        forces = [(Rf @ v, law) for v, law in forces]
        moments = [(Rm @ v, law) for v, law in moments]
        variant = "total internal" if internal else "total"

        def make() -> None:
            add(args.deck, label, "force", variant, nodes, arms, forces, moments, True, True,
                output)  # fmt: skip

        args.deck.build_later(args, make)

    return card


def vector_of(node: StructuralNode, axes: np.ndarray) -> Callable[[Arguments], np.ndarray]:
    """A vector in these axes of the node, or in the frame that it names."""

    def read(args: Arguments) -> np.ndarray:
        if args.key() == "reference":
            return axes.T @ relative_vector(args, node.reference)
        return vector(args)

    return read


def add(
    deck: Deck, label: int, kind: str, variant: str, nodes: list[StructuralNode],
    arms: list[np.ndarray], forces: Terms, moments: Terms, follower: bool,
    apart: bool, output: bool,
) -> None:  # fmt: skip
    """One item for every vector × drive of a card."""
    from linkwork.elements.forces.force import Force, Torque
    from linkwork.elements.forces.force_pair import ForcePair

    made = {"force": [(v, switched(deck, label, law(TIME))) for v, law in forces],
            "moment": [(v, switched(deck, label, law(TIME))) for v, law in moments]}  # fmt: skip
    ends = [node.frame(arm) for node, arm in zip(nodes, arms)]
    count = 0
    for what, terms in made.items():
        for v, drive in terms:
            count += 1
            name = f"{kind} {label}" if count == 1 else f"{kind} {label} ({count})"
            item: Any
            if len(nodes) == 2:
                force, torque = (v, ZERO) if what == "force" else (ZERO, v)
                item = ForcePair(ends[0], ends[1], force, torque, drive, follower, apart)
            else:
                item = (Force if what == "force" else Torque)(ends[0], v, drive, follower)
            deck.model.add(name, item)
    deck.forces[label] = ForceRecord(
        label, kind, variant, tuple(n.label for n in nodes), made["force"], output, tuple(arms),
        made["moment"], follower,
    )  # fmt: skip


FORCES: dict[str, Callable[[Arguments, int], None]] = {
    "absolute": load("force", False, False), "follower": load("force", True, False),
    "absolute internal": load("force", False, True),
    "follower internal": load("force", True, True), "total": total(False),
    "total internal": total(True), "absolute displacement": load("force", False, False),
    "absolute internal displacement": load("force", False, True),
    "conservative": load("force", False, False), "abstract": abstract_force(False),
    "abstract internal": abstract_force(True),
}  # fmt: skip
COUPLES: dict[str, Callable[[Arguments, int], None]] = {
    "absolute": load("couple", False, False), "follower": load("couple", True, False),
    "absolute internal": load("couple", False, True),
    "follower internal": load("couple", True, True), "conservative": load("couple", False, False),
}  # fmt: skip


def load_card(
    what: str, table: dict[str, Callable[[Arguments, int], None]]
) -> Callable[[Arguments], None]:
    """force: label, type, …;  or  couple: label, type, …;"""

    def card(args: Arguments) -> None:
        args.deck.count("forces")
        label = args.deck.new_label(args, "force")
        kind, read = args.entry(table, what)
        args.card = f"{what} {label} ({kind})"
        read(args, label)

    return card


force, couple = load_card("force", FORCES), load_card("couple", COUPLES)
