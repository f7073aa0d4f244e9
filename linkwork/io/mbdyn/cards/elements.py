"""The cards of the elements block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.io.mbdyn.aero.craft import generic_force
from linkwork.io.mbdyn.aero.gusts import gust
from linkwork.io.mbdyn.aero.instruments import aircraft_instruments
from linkwork.io.mbdyn.aero.rotors import induced_velocity, rotor
from linkwork.io.mbdyn.aero.surfaces import aerodynamic_beam, aerodynamic_body, air_properties
from linkwork.io.mbdyn.cards.beams import beam
from linkwork.io.mbdyn.cards.bodies import body
from linkwork.io.mbdyn.cards.deformable import deformable, deformable_axial, rod, viscous_body
from linkwork.io.mbdyn.cards.forces import couple, force
from linkwork.io.mbdyn.cards.gravity import gravity
from linkwork.io.mbdyn.cards.joints.beam_slider import beam_slider
from linkwork.io.mbdyn.cards.joints.joints import Card, clamp, distance, in_line, in_plane, named
from linkwork.io.mbdyn.cards.joints.special import (
    brake,
    gimbal_rotation,
    offset_displacement,
    rigid_body_displacement,
    screw,
    strapdown_sensor,
)
from linkwork.io.mbdyn.cards.joints.speeds import angular_motion, linear_motion
from linkwork.io.mbdyn.cards.joints.total import (
    axial_rotation,
    drive_displacement,
    drive_hinge,
    imposed_displacement,
    imposed_orientation,
    total_joint,
)
from linkwork.io.mbdyn.cards.nodes import switch
from linkwork.io.mbdyn.drives.driven import KINDS, driven
from linkwork.io.mbdyn.hydraulics.elements import hydraulic
from linkwork.io.mbdyn.scalars.circuits import ELECTRIC, THERMAL, circuit_element
from linkwork.io.mbdyn.scalars.genels import bulk, genel
from linkwork.io.mbdyn.scalars.nodes import bind
from linkwork.io.mbdyn.syntax.arguments import Arguments

# a Cardano joint holds axis 3 of the first marker perpendicular to axis 2 of the second, and
# linkwork's Universal the first one's x to the second one's y
THIRD_FIRST = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


def deformable_joints() -> dict[str, Card]:
    """Attached and invariant ones; a displacement hinge is the joint's old name."""
    found = {}
    for word, form in (("", "attached"), ("invariant ", "invariant")):
        found[f"{word}deformable hinge"] = deformable(
            "DeformableHinge", 3, columns="angles", form=form, position="optional"
        )
        joint = deformable("DeformableDisplacement", 3, columns="strain", form=form)
        found[f"{word}deformable displacement joint"] = joint
        found[f"{word}deformable joint"] = deformable(
            "DeformableJoint", 6, columns="deformation", form=form
        )
    found["deformable displacement hinge"] = found["deformable displacement joint"]
    return found


JOINTS: dict[str, Card] = {
    "angular acceleration": angular_motion(2),
    "angular velocity": angular_motion(1),
    "axial rotation": axial_rotation,
    "beam slider": beam_slider,
    "brake": brake,
    "cardano hinge": named("Universal", turned=THIRD_FIRST, columns="crossed"),
    "cardano pin": named("Universal", pin=True, turned=THIRD_FIRST, columns="crossed"),
    "cardano rotation": named("Orthogonal", position="optional", turned=THIRD_FIRST),
    "clamp": clamp,
    "deformable axial joint": deformable_axial,
    **deformable_joints(),
    "distance": distance(bare=False),
    "distance with offset": distance(bare=True),
    "drive displacement": drive_displacement(pin=False),
    "drive displacement pin": drive_displacement(pin=True),
    "drive hinge": drive_hinge,
    "gimbal rotation": gimbal_rotation,
    "imposed displacement": imposed_displacement(pin=False),
    "imposed displacement pin": imposed_displacement(pin=True),
    "imposed orientation": imposed_orientation,
    "in line": in_line,
    "in plane": in_plane,
    "linear acceleration": linear_motion(2),
    "linear velocity": linear_motion(1),
    "offset displacement joint": offset_displacement,
    "pin": named("Spherical", pin=True, turns=False, columns="ball"),
    "plane displacement": named("Planar"),
    "plane displacement pin": named("Planar", pin=True),
    "plane hinge": named("Revolute", columns="hinge", friction=True),
    "plane pin": named("Revolute", pin=True, columns="hinge", friction=True),
    "prismatic": named("Align", position="optional"),
    "revolute hinge": named("Revolute", columns="hinge", friction=True),
    "revolute pin": named("Revolute", pin=True, columns="hinge", friction=True),
    "revolute rotation": named("Parallel", position="optional", columns="hinge", friction=True),
    "rigid body displacement joint": rigid_body_displacement,
    "rod": rod(bare=False),
    "rod with offset": rod(bare=True),
    "screw": screw,
    "spherical hinge": named(
        "Spherical", position="either", turns=False, columns="ball", friction=True, ball=True,
    ),
    "spherical pin": named("Spherical", pin=True, turns=False, columns="ball"),
    "strapdown sensor": strapdown_sensor,
    "total joint": total_joint(pin=False),
    "total pin joint": total_joint(pin=True),
    "universal hinge": named("Universal", turned=THIRD_FIRST, columns="crossed"),
    "universal pin": named("Universal", pin=True, turned=THIRD_FIRST, columns="crossed"),
    "universal rotation": named("Orthogonal", position="optional", turned=THIRD_FIRST),
    "viscous body": viscous_body,
}


REASONS = {  # of joints that MBDyn has and linkwork cannot have, or not yet
    "modal": "needs a flexible body from a file",
    "pointcontact": "needs contact; a UserForce of linkwork can stand in for simple cases",
    "coincidence": "is not part of MBDyn either; use a spherical hinge and a prismatic, or a clamp",
    "gimbalhinge": "is not part of MBDyn either; use gimbal rotation and a spherical hinge",
    "kinematic": "takes its motion from compiled code; use a total pin joint",
    "totalequation": "is half of a total joint, for inverse dynamics; use a total joint",
    "totalinternalreaction": "is half of a total joint, for inverse dynamics; use a total joint",
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
    known: dict[str, dict] = {"joint": deck.joints, "force": deck.forces, "couple": deck.forces,
                              "beam": deck.beams}  # fmt: skip
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
    "bind": bind, "bulk": bulk, "genel": genel, "beam": beam(3), "beam2": beam(2),
    "beam3": beam(3), "hbeam": beam(2, helicoidal=True), "hbeam2": beam(2, helicoidal=True),
    "hydraulic": hydraulic, "air properties": air_properties,
    "aerodynamic body": aerodynamic_body, "aerodynamic beam": aerodynamic_beam(3),
    "aerodynamic beam2": aerodynamic_beam(2), "aerodynamic beam3": aerodynamic_beam(3),
    "rotor": rotor, "induced velocity": induced_velocity, "gust": gust,
    "aircraft instruments": aircraft_instruments, "generic aerodynamic force": generic_force,
    "electric": circuit_element("electric", ELECTRIC),
    "thermal": circuit_element("thermal", THERMAL),
}  # fmt: skip
ELEMENTS["driven"] = driven({word: ELEMENTS[word] for word in KINDS})
COUNTED = {  # what control data calls the other elements of MBDyn
    "aeromodal": "aeromodals",
    "loadable": "loadable elements",
    "user defined": "loadable elements", "stream output": "output elements",
    "stream motion output": "output elements", "joint regularization": "joint regularizations",
    "shell4eas": "plates", "shell4easans": "plates", "membrane4eas": "plates",
}  # fmt: skip
REFUSED = {  # elements that MBDyn has and linkwork has not, and what to do instead
    "aeromodal": (
        "aeromodal elements (forces of the air on modal coordinates) are not supported; "
        "aerodynamic bodies and beams are"
    ),
    **dict.fromkeys(
        ("shell4eas", "shell4easans", "membrane4eas"),
        "shells and membranes are not supported; beams are",
    ),
}
