"""rigid body kinematics: the whole model is described in a frame whose motion is given.

Given in global components, w̄ = R₀ᵀ w and so on in the frame's own axes.  Every body gets the
inertial forces of the frame (elements.moving_frame); position and velocity of the frame act on
nothing here.
"""

from __future__ import annotations

import numpy as np

from linkwork.io.mbdyn.arguments import Arguments
from linkwork.io.mbdyn.drive_cards import Terms, component, constant, of, read_terms
from linkwork.io.mbdyn.geometry import (
    EYE,
    absolute_orientation,
    absolute_vector,
    cross,
    length,
    vector,
)
from linkwork.model.drives import Constant, Drive

WORDS = ("position", "orientation", "velocity", "angular velocity", "acceleration",
         "angular acceleration")  # fmt: skip


def rigid_body_kinematics(args: Arguments) -> None:
    """rigid body kinematics: const | drive [, position, …] [, angular velocity, …] …;"""
    driven = args.one_of(("const", "drive"), "a kind of kinematics") == "drive"
    given: dict[str, Terms] = {}
    R = EYE
    while word := args.keyword(*WORDS):
        if word == "orientation" and driven:
            args.unsupported("an orientation of the frame that changes with time is not supported")
        if word == "orientation":
            R = absolute_orientation(args)
        elif driven:
            given[word] = read_terms(args, vector)
        else:
            given[word] = [(absolute_vector(args), of(constant(1.0)))]
    turned = {word: [(R.T @ v, law) for v, law in terms] for word, terms in given.items()}
    args.deck.kinematics = turned
    args.deck.last.append((args, lambda: move(args, turned)))


def move(args: Arguments, given: dict[str, Terms]) -> None:
    """The inertial forces on every body with a mass."""
    from linkwork.elements.moving_frame import MovingFrame

    deck, zero = args.deck, Constant(0.0)

    def drives(word: str) -> list[Drive]:
        return [component(given.get(word, []), k) or zero for k in range(3)]

    a, w, p = (drives(x) for x in ("acceleration", "angular velocity", "angular acceleration"))
    changes = any(not isinstance(d, Constant) for d in w)
    if changes and "angular acceleration" not in given:
        deck.note("the frame's angular velocity changes, but its angular acceleration is not given")
    g = deck.model.gravity
    axes = [v for v, _ in given.get("angular velocity", [])]
    if np.any(g != 0) and any(length(cross(v, g)) > 1e-12 * length(v) * length(g) for v in axes):
        args.unsupported("gravity would turn in a frame that rotates about another direction", 0)
    for node in deck.nodes.values():
        if node.body is not None and (node.body.mass > 0 or np.any(node.body.inertia != 0)):
            frame = MovingFrame(node.body, a, w, p)
            deck.model.add(f"moving frame of node {node.label}", frame)
