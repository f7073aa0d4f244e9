"""The cards of the elements block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.io.mbdyn.arguments import Arguments
from linkwork.io.mbdyn.bodies import body
from linkwork.io.mbdyn.deformable import deformable_displacement, deformable_hinge
from linkwork.io.mbdyn.forces import couple, force
from linkwork.io.mbdyn.genels import bulk, genel
from linkwork.io.mbdyn.gravity import gravity
from linkwork.io.mbdyn.joints import Card, clamp, distance, in_line, in_plane, named, rod
from linkwork.io.mbdyn.nodes import switch
from linkwork.io.mbdyn.total import (
    axial_rotation,
    drive_displacement,
    drive_hinge,
    gimbal_rotation,
    imposed_displacement,
    linear_motion,
    total_joint,
)

# a Cardano joint holds axis 3 of the first marker perpendicular to axis 2 of the second, and
# linkwork's Universal the first one's x to the second one's y
THIRD_FIRST = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])

JOINTS: dict[str, Card] = {
    "axial rotation": axial_rotation,
    "cardano hinge": named("Universal", turned=THIRD_FIRST),
    "cardano pin": named("Universal", pin=True, turned=THIRD_FIRST),
    "cardano rotation": named("Orthogonal", position="optional", turned=THIRD_FIRST),
    "clamp": clamp,
    "deformable displacement joint": deformable_displacement,
    "deformable hinge": deformable_hinge,
    "distance": distance(bare=False),
    "distance with offset": distance(bare=True),
    "drive displacement": drive_displacement(pin=False),
    "drive displacement pin": drive_displacement(pin=True),
    "drive hinge": drive_hinge,
    "gimbal rotation": gimbal_rotation,
    "imposed displacement": imposed_displacement(pin=False),
    "imposed displacement pin": imposed_displacement(pin=True),
    "in line": in_line,
    "in plane": in_plane,
    "linear acceleration": linear_motion(2),
    "linear velocity": linear_motion(1),
    "plane displacement": named("Planar"),
    "plane displacement pin": named("Planar", pin=True),
    "plane hinge": named("Revolute", columns="hinge"),
    "plane pin": named("Revolute", pin=True, columns="hinge"),
    "prismatic": named("Align", position="none"),
    "revolute hinge": named("Revolute", columns="hinge"),
    "revolute pin": named("Revolute", pin=True, columns="hinge"),
    "revolute rotation": named("Parallel", position="optional", columns="hinge"),
    "rod": rod(bare=False),
    "rod with offset": rod(bare=True),
    "spherical hinge": named("Spherical", position="optional", turns=False),
    "spherical pin": named("Spherical", pin=True, turns=False),
    "total joint": total_joint(pin=False),
    "total pin joint": total_joint(pin=True),
    "universal hinge": named("Universal", turned=THIRD_FIRST),
    "universal pin": named("Universal", pin=True, turned=THIRD_FIRST),
    "universal rotation": named("Orthogonal", position="optional", turned=THIRD_FIRST),
}


REASONS = {  # of joints that MBDyn has and linkwork cannot have, or not yet
    "angularvelocity": "holds a velocity alone, which is no condition on positions; use axial "
    "rotation, or a total joint with the status angular velocity",
    "angularacceleration": "holds an acceleration alone, which is no condition on positions",
    "modal": "needs a flexible body from a file",
    "beamslider": "needs beams",
    "brake": "needs friction",
}


def joint(args: Arguments) -> None:
    """joint: label, type, …;"""
    args.deck.count("joints")
    label = args.deck.new_label(args, "joint")
    if args.key() in REASONS:
        args.unsupported(f"the joint {args.shown()} is not supported: it {REASONS[args.key()]}")
    kind, card = args.entry(JOINTS, "joint")
    args.kind, args.card = kind, f"joint {label} ({kind})"
    try:
        card(args, label)
    finally:
        args.deck.symbols.functions.pop("model::current", None)


def output(args: Arguments) -> None:
    """output: joint | force, label, …;"""
    word = args.key()
    args.deck.build_later(args, lambda: late_output(args, word))


def late_output(args: Arguments, word: str) -> None:
    deck = args.deck
    known: dict[str, dict] = {"joint": deck.joints, "force": deck.forces, "couple": deck.forces}
    switch(args, word if word in known else "joint", known.get(word, {}))


def inertia(args: Arguments) -> None:
    """inertia: …; logs the inertia of a group, and changes nothing"""
    args.deck.ignore("inertia")


def automatic_structural(args: Arguments) -> None:
    """A first guess of momenta, which linkwork does not need."""
    args.deck.ignore("automatic structural")


ELEMENTS: dict[str, Callable[[Arguments], None]] = {
    "body": body, "joint": joint, "force": force, "couple": couple, "gravity": gravity,
    "output": output, "inertia": inertia, "automatic structural": automatic_structural,
    "bulk": bulk, "genel": genel,
}  # fmt: skip
COUNTED = {  # what control data calls the other elements of MBDyn
    "beam2": "beams", "beam3": "beams", "beam": "beams",
    "electric": "electric elements", "hydraulic": "hydraulic elements",
    "thermal": "thermal elements", "aerodynamic body": "aerodynamic elements",
    "aerodynamic beam2": "aerodynamic elements", "aerodynamic beam3": "aerodynamic elements",
    "aerodynamic beam": "aerodynamic elements", "aeromodal": "aeromodals",
    "air properties": "air properties", "induced velocity": "induced velocity elements",
    "rotor": "rotors", "loadable": "loadable elements",
    "user defined": "loadable elements", "stream output": "output elements",
    "stream motion output": "output elements", "joint regularization": "joint regularizations",
    "bind": "", "driven": "", "aircraft instruments": "aerodynamic elements",
    "shell4eas": "plates", "shell4easans": "plates", "membrane4eas": "plates",
}  # fmt: skip
