"""What drives can read while the model moves: degrees of freedom, data of nodes and of elements.

Everything here gives linkwork's drives (`lw.reads` and formulas of them), once the bodies are made.
Names are MBDyn's: "X[1]", "omega[3]", "rz", "px"; a node's own axes where they are small letters.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from linkwork.errors import DriveError
from linkwork.io.mbdyn.aero.data import air_datum, craft_angle, instrument, rotor_datum
from linkwork.io.mbdyn.deck.deck import Deck, JointRecord, StructuralNode, ground_frame
from linkwork.io.mbdyn.scalars.nodes import KINDS
from linkwork.io.mbdyn.syntax.evaluation import cast
from linkwork.io.mbdyn.syntax.geometry import ZERO
from linkwork.io.mbdyn.syntax.hints import there_are
from linkwork.io.mbdyn.syntax.language import ExpressionError, Unreadable, parse
from linkwork.io.mbdyn.syntax.text import squeeze
from linkwork.model.drives import Constant, Drive, SampleAndHold, formula
from linkwork.model.frame import GROUND, Frame
from linkwork.model.signals.readings import reads

AXES = np.eye(3)
VECTORS = {"X": "position", "XP": "velocity", "Omega": "angular velocity"}
ANGLES = {"E": "123", "E123": "123", "E313": "313", "E321": "321"}
BEAMS = ("beam", "beam2", "beam3", "hbeam", "hbeam2")
BEAM_DATA = {
    "e": "strain", "k": "curvature", "F": "section_force", "M": "section_moment", "X": "position",
}  # fmt: skip
BEAM_ORDER = ("e", "k", "F", "M", "X", "Phi", "Omega", "eP", "kP")  # of numbers: three each
AERODYNAMIC = {
    "aerodynamicelement": "aerodynamic element", "aerodynamicbody": "aerodynamic body",
    "aerodynamicbeam": "aerodynamic beam", "aerodynamicbeam2": "aerodynamic beam2",
    "aerodynamicbeam3": "aerodynamic beam3", "aircraftinstruments": "aircraft instruments",
    "genericaerodynamicforce": "generic aerodynamic force",
}  # fmt: skip
ROTORS = ("rotor", "inducedvelocity", "inducedvelocityelement")
JOINT_DATA = {  # what joints of these columns give, but no forces and moments
    "hinge": "rz and wz", "angles": "rx, ry, rz, wx, wy and wz",
    "strain": "dx, dy, dz, vx, vy and vz", "rod": "L and LPrime", "distance": "d",
    "total": "px, py, pz, vx, vy, vz, rx, ry, rz, wx, wy and wz",
}  # fmt: skip
INDEX = [*(f"{w}[{i}]" for w in ("X", "x", "Phi", "XP", "xP", "Omega", "omega", "E", "E313", "E321")
           for i in (1, 2, 3)), *(f"PE[{i}]" for i in range(4))]  # fmt: skip


# --------------------------------------------------------------------------------------- nodes


def frame_of(deck: Deck, label: int) -> Frame:
    """The frame of a structural node; dummy nodes at an offset have one, too."""
    node = deck.nodes.get(label)
    if node is None:
        raise ExpressionError(f"there is no structural node {label}; {deck.known_nodes(label)}")
    if node.base is None:
        return made_frame(node)
    follower = node.base
    if follower.reference is not None:
        raise ExpressionError(
            f"structural node {label} is a dummy that is seen from another node; read that node"
        )
    base: StructuralNode = deck.nodes[follower.base]
    if base.base is not None:
        raise ExpressionError(f"structural node {label} is a dummy on a dummy; read its base")
    return made_frame(base, follower.offset, follower.axes)


def made_frame(node: StructuralNode, offset: np.ndarray = ZERO, axes: np.ndarray = AXES) -> Frame:
    if node.body is None:
        raise ExpressionError(
            f"structural node {node.label} cannot be read here, before the model is made"
        )
    return node.frame(offset, axes)


def node_datum(deck: Deck, kind: str, label: int, name: str) -> Drive:
    """A private datum of a node: "X[1]" of a structural one, "x" or "xP" of a scalar one."""
    if kind in KINDS or kind == "hydraulic":
        return scalar_node(deck, kind, label).read(name or "x")
    if kind != "structural":
        raise ExpressionError(no_kind(kind))
    frame = frame_of(deck, label)
    found = re.fullmatch(r"([A-Za-z0-9]+)\[([0-3])\]", name.replace(" ", ""))
    if found:
        word, i = found[1], int(found[2]) - 1
        if word == "PE":
            return euler_parameter(frame, i + 1)
        if i >= 0 and word in VECTORS:
            return reads(frame, VECTORS[word], AXES[i])
        own = {"x": "X", "xP": "XP", "omega": "Omega"}.get(word)
        if i >= 0 and own:
            return reads(frame, VECTORS[own], AXES[i], axes=frame)
        if i >= 0 and word == "Phi":
            return reads(frame, "rotation", AXES[i])
        if i >= 0 and word in ANGLES:
            return euler_angle(frame, ANGLES[word], i)
        if word in ("XPP", "xPP", "OmegaP", "omegaP"):
            raise Unreadable(
                f"'{name}' of node {label} is an acceleration, which loads cannot follow here"
            )
    raise ExpressionError(
        f"a structural node has no datum '{name}'; known are {', '.join(INDEX[:-4:3])} and so on, "
        "and PE[0] to PE[3]"
    )


def cosines(frame: Frame) -> dict[str, Drive]:
    """The nine components of the orientation matrix of a frame, r11 to r33."""
    return {
        f"r{i + 1}{j + 1}": reads(frame, "cosine", AXES[i], along=AXES[j])
        for i in range(3)
        for j in range(3)
    }


FIRST = {"123": "-atan2(r23, r33)", "313": "atan2(r13, -r23)", "321": "atan2(r21, r11)"}
SECOND = {"123": "atan2(r13, {c}*r33 - {s}*r23)", "313": "atan2({s}*r13 - {c}*r23, r33)",
          "321": "atan2(-r31, {c}*r11 + {s}*r21)"}  # fmt: skip
THIRD = {"123": "atan2({c}*r21 + {s}*r31, {c}*r22 + {s}*r32)",
         "313": "atan2(-{c}*r12 - {s}*r22, {c}*r11 + {s}*r21)",
         "321": "atan2({s}*r13 - {c}*r23, {c}*r22 - {s}*r12)"}  # fmt: skip


def euler_angle(frame: Frame, kind: str, i: int) -> Drive:
    """Angle i (rad) of three turns about such axes (MBDyn technical manual, chapter 4)."""
    first = FIRST[kind]
    text = (first, SECOND[kind], THIRD[kind])[i].format(c=f"cos({first})", s=f"sin({first})")
    known = cosines(frame)
    return formula(text, **{name: known[name] for name in known if name in text})


def euler_parameter(frame: Frame, i: int) -> Drive:
    known, w = cosines(frame), "sqrt(1 + r11 + r22 + r33)"
    rest = ("", "r32 - r23", "r13 - r31", "r21 - r12")[i]
    text = f"0.5*{w}" if i == 0 else f"0.5*({rest})/{w}"
    return formula(text, **{name: known[name] for name in known if name in text})


def dof(deck: Deck, kind: str, label: int, index: int, derivative: bool) -> Drive:
    """The value of a degree of freedom, or its derivative."""
    if kind in KINDS or kind == "hydraulic":
        return scalar_node(deck, kind, label).read("xP" if derivative else "x")
    if kind != "structural":
        raise ExpressionError(no_kind(kind))
    if index < 1:
        raise ExpressionError(
            f"the degrees of freedom of structural node {label} count from 1, found {index}"
        )
    if index > 3:
        raise Unreadable(
            f"degree of freedom {index} of structural node {label} is a parameter of MBDyn's own; "
            "those from 1 to 3 are its position, and a node drive reads the rest"
        )
    return reads(frame_of(deck, label), "velocity" if derivative else "position", AXES[index - 1])


def scalar_node(deck: Deck, kind: str, label: int) -> Any:
    """A node with one value: a ScalarNode, or a HydraulicNode."""
    known = deck.circuit.nodes.get(label) if kind == "hydraulic" else None
    found = deck.scalars.get((kind, label), known)
    if found is None:
        labels = deck.circuit.nodes if kind == "hydraulic" else (
            known for node_kind, known in deck.scalars if node_kind == kind)
        raise ExpressionError(f"there is no {kind} node {label}; {there_are(labels, label)}")
    return found


def no_kind(kind: str) -> str:
    return (f"the kind of node '{kind}' is not supported; write one of structural, "
            f"{', '.join(KINDS)}, hydraulic")  # fmt: skip


# ------------------------------------------------------------------------------------ elements


def element_datum(deck: Deck, kind: str, label: int, name: str) -> Drive:
    """A private datum of an element: relative motion in a joint, or the momentum of a node."""
    if kind == "joint":
        record = deck.joints.get(label)
        if record is None:
            raise ExpressionError(f"there is no joint {label}; {there_are(deck.joints, label)}")
        return joint_datum(deck, record, name)
    if kind == "automaticstructural":
        found = re.fullmatch(r"beta\[([123])\]", name)
        if found and label in deck.nodes:
            node = deck.nodes[label]
            return node.body.mass * reads(node.body, "velocity", AXES[int(found[1]) - 1])
        if label not in deck.nodes:
            raise ExpressionError(f"there is no structural node {label}; {deck.known_nodes(label)}")
        raise Unreadable(f"'{name}' of automatic structural {label} cannot be read here; it gives "
                         "beta[1], beta[2] and beta[3]")  # fmt: skip
    if kind == "airproperties":
        return air_datum(deck, name)
    if kind in ROTORS:
        return rotor_datum(deck, label, name)
    if kind in AERODYNAMIC and label in deck.aero.instruments:
        return instrument(deck, deck.aero.instruments[label], name)
    if kind in AERODYNAMIC and label in deck.aero.craft:
        return craft_angle(deck, deck.aero.craft[label], name)
    if kind in BEAMS:
        return beam_datum(deck, label, name)
    if kind in AERODYNAMIC:
        known = {**deck.aero.surfaces, **deck.aero.instruments, **deck.aero.craft}
        if label not in known:
            raise ExpressionError(
                f"there is no {AERODYNAMIC[kind]} {label}; {there_are(known, label)}"
            )
        raise Unreadable(
            f"'{name}' of {AERODYNAMIC[kind]} {label} cannot be read while the model moves; its "
            "loads are in the .aer file and in the run, and nodes, joints and rotors can be read"
        )
    raise Unreadable(
        f"data of the element '{kind}' cannot be read here, only those of joint, beam, automatic "
        "structural, rotor, air properties, aircraft instruments and generic aerodynamic force"
    )


def beam_datum(deck: Deck, label: int, name: str) -> Drive:
    """"pI.kx", "pII.Fz" of a beam of three nodes; "kx", "Fz" of one of two."""
    record = deck.beams.get(label)
    if record is None:
        raise ExpressionError(f"there is no beam {label}; {there_are(deck.beams, label)}")
    if record.item not in deck.model.items:
        raise ExpressionError(f"beam {label} is made after what reads it; move its card up")
    element = deck.model[record.item]
    three = len(record.ends) == 3
    found = re.fullmatch(r"(pII?\.)?([A-Za-z]+)([xyz])", name)
    quantity = BEAM_DATA.get(found[2]) if found else None
    if found is None or quantity is None or bool(found[1]) != three:
        prefix = "pI. or pII. and one of them" if three else "one of them"
        raise Unreadable(
            f"'{name}' of beam {label} cannot be read here: beams give ex … kz (strains), Fx … Mz "
            f"(linear laws without damping) and Xx … Xz; write {prefix}"
        )
    point = {"pI.": " 1", "pII.": " 2"}.get(found[1] or "", "")
    try:
        return reads(element, quantity + point, found[3])
    except DriveError as error:
        raise ExpressionError(str(error)) from error


def joint_datum(deck: Deck, joint: JointRecord, name: str) -> Drive:
    first, second = joint.nodes
    frames = []
    for label, offset, axes in zip((first, second), joint.offsets, joint.axes):
        frames.append(ground_frame(offset, axes) if label is None else
                      made_frame(deck.nodes[label], offset, axes))  # fmt: skip
    a, b = frames
    word, axis = name[:-1], AXES["xyz".find(name[-1:])] if name[-1:] in "xyz" else None
    hinge = "hinge" in joint.columns
    turning = hinge or joint.columns in ("angles", "total")
    if joint.columns in ("rod", "distance") and name in ("L", "d"):
        return distance(a, b)
    if joint.columns == "rod" and name == "LPrime":
        return distance_rate(a, b)
    if axis is not None and name == "rz" and hinge:
        return reads(b, "angle", axis, relative_to=a)
    if axis is not None and word == "r" and joint.columns in ("angles", "total"):
        return reads(b, "rotation", axis, relative_to=a)
    if axis is not None and word == "w" and turning:
        return reads(b, "angular velocity", axis, relative_to=a, axes=a)
    if axis is not None and word in ("d", "p") and joint.columns in ("strain", "total"):
        return reads(b, "position", axis, relative_to=a, axes=a)
    if axis is not None and word == "v" and joint.columns in ("strain", "total"):
        return relative_velocity(a, b, "xyz".find(name[-1]))
    known = JOINT_DATA.get("hinge" if hinge else joint.columns, "nothing that drives can read")
    raise Unreadable(
        f"'{name}' of joint {joint.label} ({joint.kind}) cannot be read here; this joint gives "
        f"{known}"
    )


def relative_velocity(a: Frame, b: Frame, i: int) -> Drive:
    """The rate of R_Aᵀ (p_B − p_A): R_Aᵀ (v_B − v_A − w_A × (p_B − p_A))."""
    j, k = (i + 1) % 3, (i + 2) % 3
    parts = {"v": reads(b, "velocity", AXES[i], relative_to=a, axes=a)}
    for n, c in (("j", j), ("k", k)):
        parts[f"d{n}"] = reads(b, "position", AXES[c], relative_to=a, axes=a)
        parts[f"w{n}"] = reads(a, "angular velocity", AXES[c], axes=a)
    return formula("v - wj*dk + wk*dj", **parts)


# ------------------------------------------------------------------- functions of the namespace


def distance(a: Frame, b: Frame) -> Drive:
    return norm("position", a, b)


def distance_rate(a: Frame, b: Frame) -> Drive:
    d = {n: reads(b, "position", n, relative_to=a) for n in "xyz"}
    v = {f"v{n}": reads(b, "velocity", n, relative_to=a) for n in "xyz"}
    return formula("(x*vx + y*vy + z*vz)/sqrt(x^2 + y^2 + z^2)", **d, **v)


def norm(quantity: str, a: Frame, b: Frame, square: bool = False) -> Drive:
    parts = {n: reads(b, quantity, n, relative_to=a) for n in "xyz"}
    text = "x^2 + y^2 + z^2"
    return formula(text if square else f"sqrt({text})", **parts)


def model_function(deck: Deck, name: str, labels: list[int]) -> Drive | None:
    """model::name(label …) while the model moves; None where there is no such function."""
    found = FUNCTIONS.get(name)
    if found is None:
        return None
    quantity, kind, count = found
    if len(labels) != count:
        raise ExpressionError(f"model::{name} takes {count} labels, found {len(labels)}")
    frames = [frame_of(deck, label) for label in labels]
    a, b = (Frame(GROUND), frames[0]) if count == 1 else (frames[0], frames[1])
    if kind in ("norm", "square"):
        return norm(quantity, a, b, kind == "square")
    if kind == "rate":
        return distance_rate(a, b)
    if kind.startswith("unit"):
        parts = {n: reads(b, quantity, n, relative_to=a) for n in "xyz"}
        return formula(f"{kind[-1]}/sqrt(x^2 + y^2 + z^2)", **parts)
    return reads(b, quantity, kind, relative_to=a)


def _functions() -> dict[str, tuple[str, str, int]]:
    """Name: the quantity, its component, norm or square, and how many labels."""
    words = {"position": ("position", 1), "distance": ("position", 2), "angle": ("rotation", 1),
             "anglerel": ("rotation", 2), "velocity": ("velocity", 1), "vrel": ("velocity", 2),
             "angvel": ("angular velocity", 1), "angvrel": ("angular velocity", 2)}  # fmt: skip
    found: dict[str, tuple[str, str, int]] = {}
    for word, (quantity, count) in words.items():
        found[word] = (quantity, "norm", count)
        if quantity != "rotation":
            found[f"{word}2"] = (quantity, "square", count)
        for axis in "xyz":
            found[f"{axis}{word}"] = (quantity, axis, count)
    for axis in "xyz":
        found[f"{axis}unitvec"] = ("position", f"unit {axis}", 2)
    found["distancep"] = ("position", "rate", 2)
    return found


FUNCTIONS = _functions()


def plugin(deck: Deck, words: tuple[str, ...]) -> Drive:
    """[dof, variable, label, kind, (index,) order] or [node | element, variable, label, kind, …]"""
    what, name, label_, *rest = words
    if not rest:
        raise ExpressionError(f"the plugin of '{name}' needs a label and a kind")
    label = cast(deck.symbols.evaluate(parse(label_)), "integer", f"label of {name}")
    kind, options = squeeze(rest[0]), rest[1:]
    back = any(option.startswith("prev=") and option[5:] != "false" for option in options)
    options = [option for option in options if not option.startswith("prev=")]
    found = read_plugin(deck, what, name, label, kind, options)
    return previous(deck, found, f"'{name}'") if back else found


def previous(deck: Deck, drive: Drive, what: str) -> Drive:
    """The value at the last time step."""
    h = deck.analysis.step
    if h is None:
        raise ExpressionError(f"{what} looks one time step back; give time step: before it")
    return SampleAndHold(drive, Constant(1.0), h, deck.analysis.initial_time)


def read_plugin(
    deck: Deck, what: str, name: str, label: int, kind: str, options: list[str]
) -> Drive:
    if what == "dof":
        if not options or options[-1] not in ("algebraic", "differential"):
            raise ExpressionError(f"the plugin of '{name}' ends with algebraic or differential")
        index = deck.symbols.evaluate(parse(options[0])) if len(options) > 1 else 1
        return dof(deck, kind, label, int(index), options[-1] == "differential")
    datum = options[0] if options else ""
    for prefix in ("string=", "index="):
        datum = datum.removeprefix(prefix).strip('"')
    if datum.isdigit():
        known = INDEX if kind == "structural" else ["x", "xP"]
        if what != "node" or not 1 <= int(datum) <= len(known):
            raise ExpressionError(f"the plugin of '{name}' needs the name of a datum: string=…")
        datum = known[int(datum) - 1]
    return (node_datum if what == "node" else element_datum)(deck, kind, label, datum)
