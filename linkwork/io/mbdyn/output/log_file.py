"""NAME.log: the nodes and elements as described, for programs that draw a model or look into it.

    keyword: label, then nodes, each before what is fixed to it: a point and axes in its own axes

One line each; matrices stand row after row (MBDyn input manual, "Log File Format", and the programs
that read it: blendyn, mbdyn2easyanim, mboct-mbdyn-pkg).  Kinds that none of them describe have no
line.  The variables of the deck follow behind `Symbol table:`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.io.mbdyn.cards.joints.total import HELD, RATE
from linkwork.io.mbdyn.deck.deck import Deck, ForceRecord, JointRecord, StructuralNode
from linkwork.io.mbdyn.output.numbers.motion import angles, described
from linkwork.io.mbdyn.syntax.evaluation import Variable
from linkwork.io.mbdyn.syntax.geometry import EYE, ZERO
from linkwork.kernels import rotations

Fields = tuple[Any, ...]  # labels, numbers, vectors and matrices of a line
Layout = Callable[[Deck, JointRecord], Fields]
ORIENTATION = {"orientation vector": "phi", "orientation matrix": "mat"}  # the others are as named


# ------------------------------------------------------------------------------ layouts of joints


def frames(deck: Deck, joint: JointRecord) -> Fields:
    (i, j), (f, g), (R, Q) = joint.nodes, joint.offsets, joint.axes
    return i, f, R, j, g, Q


def axes_alone(deck: Deck, joint: JointRecord) -> Fields:
    (i, j), (R, Q) = joint.nodes, joint.axes
    return i, ZERO, R, j, ZERO, Q


def points(deck: Deck, joint: JointRecord) -> Fields:
    (i, j), (f, g) = joint.nodes, joint.offsets
    return i, f, j, g


def guided_point(deck: Deck, joint: JointRecord) -> Fields:
    """A line along or a plane across axis 3 of the first node, and a point of the second."""
    (i, j), (f, g) = joint.nodes, joint.offsets
    return i, f, joint.axes[0], j, g, EYE


def at_node(deck: Deck, joint: JointRecord) -> Fields:
    return (joint.nodes[1], ZERO, EYE) * 2


def pinned_point(deck: Deck, joint: JointRecord) -> Fields:
    return (joint.nodes[1], joint.offsets[1], EYE) * 2


def pinned_frame(deck: Deck, joint: JointRecord) -> Fields:
    """The frame on the node, then that of the pin as the node sees it."""
    j, (X, g), (R, Q) = joint.nodes[1], joint.offsets, joint.axes
    x, turned = deck.nodes[j].reference[:2]
    return j, g, Q, j, turned.T @ (X - x), turned.T @ R


def point_and_place(deck: Deck, joint: JointRecord) -> Fields:
    return joint.nodes[1], joint.offsets[1], joint.offsets[0]


def direction(deck: Deck, joint: JointRecord) -> Fields:
    return joint.nodes[1], joint.imposed[0]


def total(deck: Deck, joint: JointRecord) -> Fields:
    assert joint.rotation_axes is not None
    (i, j), (f, g), (R, Q), (S, T) = joint.nodes, joint.offsets, joint.axes, joint.rotation_axes
    rows = rows_held(joint)
    if i is None:
        return j, g, Q, T, f, R, S, *rows
    return i, f, R, S, j, g, Q, T, *rows


def rows_held(joint: JointRecord) -> list[int]:
    """Which positions, velocities, rotations and angular velocities are imposed."""
    return [int(word == kind) for part in ("held", "turned") for kind in (HELD, RATE)
            for word in joint.about[part]]  # fmt: skip


JOINTS: dict[str, tuple[str, Layout]] = {
    "angular acceleration": ("angularacceleration", direction),
    "angular velocity": ("angularvelocity", direction),
    "axial rotation": ("axialrotation", frames),
    "brake": ("brake", frames),
    "cardano hinge": ("cardanohinge", frames),
    "cardano pin": ("cardanopin", pinned_frame),
    "cardano rotation": ("universalrotation", axes_alone),
    "clamp": ("clamp", at_node),
    "deformable displacement hinge": ("deformabledisplacementjoint", frames),
    "deformable displacement joint": ("deformabledisplacementjoint", frames),
    "deformable hinge": ("deformablehinge", frames),
    "deformable joint": ("deformablejoint", frames),
    "distance": ("distance", points),
    "drive displacement": ("drivedisplacement", points),
    "drive displacement pin": ("drivedisplacementpin", point_and_place),
    "gimbal rotation": ("gimbalrotation", frames),
    "in line": ("inline", guided_point),
    "in plane": ("inplane", guided_point),
    "invariant deformable displacement joint": ("invariantdeformabledisplacementjoint", frames),
    "invariant deformable hinge": ("invariantdeformablehinge", frames),
    "invariant deformable joint": ("invariantdeformablejoint", frames),
    "linear acceleration": ("linearacceleration", direction),
    "linear velocity": ("linearvelocity", direction),
    "pin": ("sphericalpin", pinned_point),
    "plane hinge": ("revolutehinge", frames),
    "plane pin": ("revolutepin", pinned_frame),
    "prismatic": ("prismatic", axes_alone),
    "revolute hinge": ("revolutehinge", frames),
    "revolute pin": ("revolutepin", pinned_frame),
    "revolute rotation": ("revoluterotation", frames),
    "rod": ("rod", points),
    "spherical hinge": ("sphericalhinge", frames),
    "spherical pin": ("sphericalpin", pinned_point),
    "total joint": ("totaljoint", total),
    "total pin joint": ("totalpinjoint", total),
    "universal hinge": ("cardanohinge", frames),
    "universal pin": ("cardanopin", pinned_frame),
    "universal rotation": ("universalrotation", axes_alone),
}


# ------------------------------------------------------------------------------------------ lines


def line(keyword: str, *fields: Any) -> str:
    words = [keyword + ":"]
    for field in fields:
        if isinstance(field, (str, int)):
            words.append(str(field))
        else:
            words += [f"{x + 0.0:.15g}" for x in np.ravel(field)]  # no negative zeros
    return " ".join(words) + "\n"


def node_line(deck: Deck, node: StructuralNode) -> str:
    motion = described(deck, node.label)
    relative = node.base is not None and node.base.reference is not None
    keyword = "relative frame structural node" if relative else "structural node"
    if node.points_only:  # blendyn looks for a seventh word, which is empty
        return line(keyword, node.label, motion.x, "")
    kind = node.orientation or deck.analysis.orientation
    word = ORIENTATION.get(kind, kind)
    return line(keyword, node.label, motion.x, word, angles(motion.R, kind))


def body_lines(node: StructuralNode) -> Iterable[str]:
    """Mass, centre, and the inertia about the node, of each body."""
    for label in dict.fromkeys(part.label for part in node.masses):
        parts = [part for part in node.masses if part.label == label]
        m = sum(part.mass for part in parts)
        first = sum((part.mass * part.centre for part in parts), ZERO)
        J = np.zeros((3, 3))
        for part in parts:
            c = rotations.tilde(part.centre)
            J = J + part.inertia + part.mass * c.T @ c
        yield line("body", label, node.label, m, first / m if m > 0 else parts[0].centre, J)


def force_line(force: ForceRecord) -> str | None:
    """Of forces and couples that are absolute or follow; the others have none."""
    how, _, pair = force.variant.partition(" ")
    if how not in ("absolute", "follower"):
        return None
    ends = [field for end in zip(force.nodes, force.arms) for field in end]
    return line(f"structural {pair + ' ' if pair else ''}{how} {force.kind}", force.label, *ends)


def variable_line(name: str, variable: Variable) -> str:
    value = variable.value
    if variable.kind == "string":
        text = f'"{value}"'
    else:
        text = f"{value:.15g}" if variable.kind == "real" else f"{int(value)}"
    return f"  {'const ' if variable.const else ''}{variable.kind} {name} = {text}\n"


def log_lines(deck: Deck) -> Iterable[str]:
    every = deck.analysis.every if deck.analysis.meter is None else "custom"
    yield line("output frequency", every)
    for node in deck.nodes.values():
        yield node_line(deck, node)
    for node in deck.nodes.values():
        yield from body_lines(node)
    for joint in deck.joints.values():
        if joint.kind in JOINTS:
            keyword, layout = JOINTS[joint.kind]
            yield line(keyword, joint.label, *layout(deck, joint))
    yield from filter(None, map(force_line, deck.forces.values()))
    yield "Symbol table:\n"
    known = deck.symbols.variables
    for name in sorted(known):
        if known[name].value is not None and not known[name].plugin:
            yield variable_line(name, known[name])


def write_log(deck: Deck, name: str | Path) -> Path:
    path = Path(f"{name}.log")
    with path.open("w", encoding="utf-8") as file:
        file.writelines(log_lines(deck))
    return path
