"""rigid body kinematics: the whole model is described in a frame whose motion is given.

Given in global components; in the frame's own axes they are w̄ = R₀ᵀw and so on.  Every body gets
the inertial forces of the frame (bodies.moving_frame); position and velocity of its origin act on
nothing here.  R₀ follows from an orientation (a rotation vector that may change), else from an
angular velocity about a fixed axis: R₀ = exp(φ n~) R, φ = ∫ω dt.  Gravity, which is given in the
fixed world, turns in the frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.io.mbdyn.drives.callers import TIME, constant, of, total
from linkwork.io.mbdyn.drives.templates import Terms, component, read_terms
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import (
    EYE,
    absolute_orientation,
    absolute_vector,
    cross,
    length,
    vector,
)
from linkwork.model.drives import Constant, Drive, Integral, Polynomial, TurnMatrix

WORDS = ("position", "orientation", "velocity", "angular velocity", "acceleration",
         "angular acceleration")  # fmt: skip
Made = list[tuple[np.ndarray, Drive]]


class Moving(NamedTuple):
    """What the card gives: vectors of drives, and the orientation of the frame."""

    args: Arguments
    given: dict[str, Terms]
    R: np.ndarray  # at the start, or throughout
    turning: Terms | None  # a rotation vector that changes with time
    start: float

    def drives(self, word: str) -> list[Drive]:
        """Three components in global axes."""
        terms = self.given.get(word, [])
        return [component(terms, k) or Constant(0.0) for k in range(3)]

    def theta(self) -> tuple[Drive, Drive, Drive] | None:
        """The rotation vector that turns the frame from where R has it; None where it is still."""
        if self.turning is not None:
            x, y, z = (component(self.turning, k) or Constant(0.0) for k in range(3))
            return x, y, z
        axes = [v for v, _ in self.given.get("angular velocity", []) if np.any(v != 0)]
        if not axes:
            return None
        n = axes[0] / length(axes[0])
        if any(length(cross(v, n)) > 1e-12 * length(v) for v in axes):
            self.args.unsupported(
                "gravity, or another vector, in a frame whose axis of rotation changes needs the "
                "orientation of the frame", 0,
            )  # fmt: skip
        rate = total(*(scaled(float(v @ n), law(TIME)) for v, law in
                       self.given["angular velocity"] if np.any(v != 0)))  # fmt: skip
        if isinstance(rate, Constant):
            angle: Drive = Polynomial((-rate.v * self.start, rate.v))
        else:
            angle = Integral(rate, self.start)
        x, y, z = (scaled(float(c), angle) for c in n)
        return x, y, z

    def turned(self, v: list[Drive]) -> list[Drive]:
        """R₀ᵀv of a vector given in global components."""
        if self.turning is not None:
            theta = self.theta()
            assert theta is not None
            return [
                total(*(TurnMatrix(theta, j, k) * v[j] for j in range(3) if not nothing(v[j])))
                for k in range(3)
            ]
        return [total(*(scaled(float(self.R[j, k]), v[j]) for j in range(3))) for k in range(3)]

    def seen(self, terms: Made) -> Made:
        """Vectors that are fixed in the world, as the frame sees them."""
        theta, found = self.theta(), []
        if theta is None or all(isinstance(x, Constant) and x.v == 0 for x in theta):
            return [(self.R.T @ v, drive) for v, drive in terms]
        for v, drive in terms:
            if self.turning is None and self.along(v):
                found.append((self.R.T @ v, drive))
                continue
            self.args.deck.note(
                "gravity is given in the fixed world, so it turns in the moving frame; MBDyn keeps "
                "its components in the frame"
            )
            for j in range(3):
                if v[j] == 0:
                    continue
                for k in range(3):
                    factor = TurnMatrix(theta, j, k)
                    turn: Drive = factor if isinstance(drive, Constant) else factor * drive
                    size = float(v[j]) * (drive.v if isinstance(drive, Constant) else 1.0)
                    axis = self.R[k] if self.turning is None else EYE[k]
                    found.append((size * axis, turn))
        return found

    def along(self, v: np.ndarray) -> bool:
        """Whether a vector lies along the axis about which the frame turns."""
        n = next(w for w, _ in self.given["angular velocity"] if np.any(w != 0))
        return bool(length(cross(v, n)) <= 1e-12 * length(v) * length(n))


def scaled(c: float, drive: Drive) -> Drive:
    if isinstance(drive, Constant):
        return constant(c * drive.v)
    return constant(0.0) if c == 0 else drive if c == 1 else c * drive


def nothing(drive: Drive) -> bool:
    return isinstance(drive, Constant) and drive.v == 0


def rigid_body_kinematics(args: Arguments) -> None:
    """rigid body kinematics: const | drive [, position, …] [, angular velocity, …] …;"""
    driven = args.one_of(("const", "drive"), "a kind of kinematics") == "drive"
    given: dict[str, Terms] = {}
    R, turning = EYE, None
    while word := args.keyword(*WORDS):
        if word == "orientation" and driven:
            turning = read_terms(args, vector)
        elif word == "orientation":
            R = absolute_orientation(args)
        elif driven:
            given[word] = read_terms(args, vector)
        else:
            given[word] = [(absolute_vector(args), of(constant(1.0)))]
    start = args.deck.analysis.initial_time
    args.deck.frame = Moving(args, given, R, turning, start)
    args.deck.last.append((args, lambda: move(args, args.deck.frame)))


def move(args: Arguments, frame: Moving) -> None:
    """The inertial forces on every body with a mass."""
    from linkwork.elements.bodies.moving_frame import MovingFrame
    from linkwork.elements.signals.sensor import StrapdownSensor

    deck = args.deck
    if deck.gravity and any(isinstance(x, StrapdownSensor) for x in deck.model.items.values()):
        args.unsupported("a strapdown sensor with gravity in a moving frame is not supported", 0)
    a, w, p = (
        frame.turned(frame.drives(x))
        for x in ("acceleration", "angular velocity", "angular acceleration")
    )
    changes = any(not isinstance(d, Constant) for d in w) and frame.turning is None
    if changes and "angular acceleration" not in frame.given:
        deck.note("the frame's angular velocity changes, but its angular acceleration is not given")
    for node in deck.nodes.values():
        if node.body is not None and (node.body.mass > 0 or np.any(node.body.inertia != 0)):
            item = MovingFrame(node.body, a, w, p)
            deck.model.add(f"moving frame of node {node.label}", item)
        for mass in node.variable:
            deck.model.add(f"moving frame of {mass.name}", MovingFrame(mass, a, w, p))
