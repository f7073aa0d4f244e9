"""Sensors: numbers of the motion that are unknowns of their own, so that drives can read them.

    reaction of a joint of the lock family on its second body, along e in the axes of A,
        force   x = −e·γ_f,        torque   x = −e·P(ρ) γ_m,   P = ½ (ρ₀ + ρ~)
    and of a screw's thread γ with them,   force   −γ e_z,   torque   γ p/2π e_z
    of the cross of a universal joint, γ that of its arms,   torque   x = γ e·(x_A × ρ y_B ρ*)
    force of a distance on its second point, along the line,   x = −γ
    acceleration of the origin of a frame, u in its body, along d = R_C e,
        x = d·(v̇ + R (ω̇ × u + ω × (ω × u)))           angular acceleration   x = d·R ω̇
    of the angle of a joint that holds rx and ry, n in b:   x = n·ω̇_b − (R_aᵀ R_b n)·ω̇_a

ρ is the rotation from A to B, one where rx, ry and rz are held (or driven).  Every x is a node of
order zero, and all slopes are exact: those by multipliers enter steps through system.sensors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.electric.shaft import rotor_slopes
from linkwork.elements.layout import (
    BY_VALUE, CD, CK, CM, OMEGA, QUAT, ROT, TANGENT, VALUE, int_width,
)  # fmt: skip
from linkwork.errors import DriveError, ModelError
from linkwork.kernels import rotations
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import inverse_tangent, qconj, qmul, qscale, rotation_matrix
from linkwork.kernels.vectors import add, at, at4, at9, cross, dot, mv, scale, tv
from linkwork.model import checks
from linkwork.model.frame import GROUND, Frame, as_frame
from linkwork.model.nodes import Node, scalar
from linkwork.model.registry import Entry, Family, Item

UNITS = {
    "force": "N", "torque": "N m", "acceleration": "m/s²", "angular acceleration": "rad/s²",
}  # fmt: skip
SIZES = {"force": 1.0, "torque": 1.0, "acceleration": 1.0, "angular acceleration": 1.0}
AXIS_NAMES = {(1.0, 0.0, 0.0): "x", (0.0, 1.0, 0.0): "y", (0.0, 0.0, 1.0): "z"}

# ------------------------------------------------------------------------------------ reaction
# slopes by the multipliers
E, QA, QB, SLOPES, REACTION_REALS = record(e=3, qa=4, qb=4, slopes=3, reaction_reals=0)
READ, TURNS = record(int_width(3, 0), read=3, turns=1)
# TURNS: force, torque, torque where a turn is free, a share of x − … whose slopes are E, torque of
# a cross
FORCE, TORQUE, FREE_TORQUE, SHARE, CROSS = range(5)


@inlined
def arm(rho, e):
    """−Pᵀ(ρ) e."""
    v = (rho[1], rho[2], rho[3])
    return scale(-0.5, add(scale(rho[0], e), cross(e, v)))


@inlined
def normal(rho):
    """x_A × y_B in the axes of A."""
    R = rotation_matrix(rho)
    return (0.0, -R[7], R[4])


def reaction_kernel(ints, reals, motion, loads):
    """Ends x, a, b; the multipliers of three rows behind the other ints."""
    nodes, gamma, vals = motion.nodes, motion.gamma, loads.vals
    for k in range(ints.shape[0]):
        i, a, b, e = ints[k, 0], ints[k, 1], ints[k, 2], at(reals, k, E)
        turns = ints[k, TURNS]
        g = (gamma[ints[k, READ]], gamma[ints[k, READ + 1]], gamma[ints[k, READ + 2]])
        qA, qB, rho = at4(reals, k, QA), at4(reals, k, QB), (1.0, 0.0, 0.0, 0.0)
        if turns in (FREE_TORQUE, CROSS):
            rho = qmul(qconj(qmul(at4(nodes, a, QUAT), qA)), qmul(at4(nodes, b, QUAT), qB))
        c = scale(-1.0, e) if turns == FORCE else e if turns == SHARE else arm(rho, e)
        if turns == CROSS:
            c = (dot(e, normal(rho)), 0.0, 0.0)
        reals[k, SLOPES], reals[k, SLOPES + 1], reals[k, SLOPES + 2] = c[0], c[1], c[2]
        loads.balance[i] -= dot(c, g)
        if turns == SHARE:
            continue
        loads.balance[i] += motion.values[VALUE, i]
        if motion.coef[TANGENT] != 0.0:
            vals[ints[k, 3]] += motion.values[BY_VALUE, i]
            if turns == FREE_TORQUE:
                RA, RB = rotation_matrix(qA), rotation_matrix(qB)
                for j in range(3):
                    ta = (0.0, RA[3 * j], RA[3 * j + 1], RA[3 * j + 2])
                    tb = (0.0, RB[3 * j], RB[3 * j + 1], RB[3 * j + 2])
                    by_a = dot(g, arm(qscale(-0.5, qmul(ta, rho)), e))
                    by_b = dot(g, arm(qscale(0.5, qmul(rho, tb)), e))
                    vals[ints[k, 4] + 3 + j] -= motion.coef[CK] * by_a
                    vals[ints[k, 5] + 3 + j] -= motion.coef[CK] * by_b
            elif turns == CROSS:  # e·(x × δy),  δy = −θ_a × y  and  R (θ_b × y_B)
                R, side = rotation_matrix(rho), cross(e, (1.0, 0.0, 0.0))
                y, z = (R[1], R[4], R[7]), tv(R, side)
                by_a = mv(rotation_matrix(qA), cross(side, y))
                by_b = mv(rotation_matrix(qB), cross((0.0, 1.0, 0.0), z))
                for j in range(3):
                    vals[ints[k, 4] + 3 + j] -= motion.coef[CK] * g[0] * by_a[j]
                    vals[ints[k, 5] + 3 + j] -= motion.coef[CK] * g[0] * by_b[j]


REACTION = Family(
    "reaction sensor", Kernel(reaction_kernel), bodies=3, reals=REACTION_REALS, reads=3,
    integers=1, answers=SLOPES,
)  # fmt: skip

# -------------------------------------------------------------------------------- acceleration
PLACE, DIRECTION, ACCELERATION_REALS = record(place=3, direction=3, acceleration_reals=0)
SPINS = int_width(3, 0)  # its integer: whether of the angular velocity


@inlined
def put_slopes(vals, base, force, turn):
    """Add six slopes to the row of a node against a body."""
    for j in range(3):
        vals[base + j] += force[j]
        vals[base + 3 + j] += turn[j]


def acceleration_kernel(ints, reals, motion, loads):
    """Ends x, body, body C of the direction; g = Rᵀd the direction in the axes of the body."""
    nodes, vdot, coef, vals = motion.nodes, motion.vdot, motion.coef, loads.vals
    for k in range(ints.shape[0]):
        i, b, c = ints[k, 0], ints[k, 1], ints[k, 2]
        u, e, spins = at(reals, k, PLACE), at(reals, k, DIRECTION), ints[k, SPINS] != 0
        R, C, w, turn = at9(nodes, b, ROT), at9(nodes, c, ROT), at(nodes, b, OMEGA), at(vdot, b, 3)
        d = mv(C, e)
        inner = add(cross(turn, u), cross(w, cross(w, u)))
        a = mv(R, turn) if spins else add(at(vdot, b, 0), mv(R, inner))
        loads.balance[i] += motion.values[VALUE, i] - dot(d, a)
        if coef[TANGENT] != 0.0:
            vals[ints[k, 3]] += motion.values[BY_VALUE, i]
            g, T = tv(R, d), inverse_tangent(at(motion.x, b, 3))
            if spins:
                by_turn, by_rate, by_place = g, (0.0, 0.0, 0.0), cross(turn, g)
                force = (0.0, 0.0, 0.0)
            else:
                by_turn, by_place, force = cross(u, g), cross(inner, g), scale(-coef[CM], d)
                # d(ω × (ω × u)) = −(ω × u)~ δω − ω~ u~ δω
                s = cross(w, u)
                by_rate = add(cross(g, s), cross(u, cross(g, w)))
            total = add(scale(coef[CM], by_turn), scale(coef[CD], by_rate))
            slopes = add(tv(T, total), scale(coef[CK], by_place))
            put_slopes(vals, ints[k, 4], force, scale(-1.0, slopes))
            put_slopes(vals, ints[k, 5], (0.0, 0.0, 0.0),
                       scale(-coef[CK], cross(e, tv(C, a))))  # fmt: skip


ACCELERATION = Family(
    "acceleration sensor", Kernel(acceleration_kernel), bodies=3, reals=ACCELERATION_REALS,
    integers=1, inertial=True,
)  # fmt: skip


def angle_kernel(ints, reals, motion, loads):
    """Ends x, a, b."""
    nodes, vdot, vals = motion.nodes, motion.vdot, loads.vals
    for k in range(ints.shape[0]):
        i, a, b, n = ints[k, 0], ints[k, 1], ints[k, 2], at(reals, k, 0)
        m = tv(at9(nodes, a, ROT), mv(at9(nodes, b, ROT), n))
        change = dot(n, at(vdot, b, 3)) - dot(m, at(vdot, a, 3))
        loads.balance[i] += motion.values[VALUE, i] - change
        if motion.coef[TANGENT] != 0.0:
            vals[ints[k, 3]] += motion.values[BY_VALUE, i]
            by_a, by_b = rotor_slopes(nodes, vdot, motion.x, motion.coef, a, b, n, m)
            put_slopes(vals, ints[k, 4], (0.0, 0.0, 0.0), scale(-1.0, by_a))
            put_slopes(vals, ints[k, 5], (0.0, 0.0, 0.0), scale(-1.0, by_b))


ANGLE = Family(
    "angular acceleration sensor", Kernel(angle_kernel), bodies=3, reals=3, inertial=True
)


class Sensor(Item, abstract=True):
    """What sensors share: a node of order zero whose value drives read."""

    quantity: str
    axis: Any
    node: Node

    def make_node(self) -> None:
        if "node" not in self.__dict__:
            size = SIZES[self.quantity]
            self.node = Node(scalar(self.quantity, 0, UNITS[self.quantity]), scale=size)

    def vector_nodes(self) -> list[Node]:
        return [self.node]

    def check_axis(self) -> None:
        axis = checks.array(self.axis)
        if axis is None or axis.shape != (3,) or not np.isfinite(axis).all() or not axis.any():
            raise DriveError(
                f"{self.label}: expected three numbers as axis, found {checks.show(self.axis)}"
            )
        self.axis = tuple(float(x) for x in axis)

    @property
    def direction(self) -> str:
        return AXIS_NAMES.get(self.axis, "")


@dataclass(eq=False)
class JointSensor(Sensor):
    """Measures the "force" (N), the "torque" (N m) or the "acceleration" of a joint.

    Force and torque are those on its second body, along `axis` in the joint's axes on its first, as
    run["pin"].force is; the force of a Distance is that along its line, negative where it pulls.
    The acceleration is the second derivative of the joint's angle (rad/s²).
    `lw.reads(pin, "torque", "z")` makes one, and models take it with the item that reads it.

    Outputs: force, torque or angular_acceleration.
    """

    joint: Any
    quantity: str = "force"
    axis: Any = (0.0, 0.0, 1.0)
    node: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from linkwork.elements.joints.distance import Distance
        from linkwork.elements.joints.joints import Joint

        known = ("force", "torque", "angular acceleration")
        if not isinstance(self.quantity, str) or self.quantity not in known:
            raise DriveError(
                f"{self.label}: expected force, torque or angular acceleration, found "
                f"{checks.show(self.quantity)}"
            )
        if not isinstance(self.joint, (Joint, Distance)):
            raise ModelError(
                f"{self.label} needs a joint such as a Revolute, but {checks.show(self.joint)} was "
                "given; pass the item that model.add returned"
            )
        self.check_axis()
        self.make_node()

    @property
    def own_name(self) -> str:
        direction = self.direction if hasattr(self.joint, "active") else ""
        return f"{self.quantity} {direction} of {self.joint.name}".replace("  ", " ")

    def needs(self) -> tuple[Item, ...]:
        return (self.joint,)

    def entries(self) -> list[Entry]:
        from linkwork.elements.joints.orthogonal import Universal

        fa, fb = self.joint.frames
        ends = (self.node, fa.body, fb.body)
        if self.quantity == "angular acceleration":
            return [Entry(ANGLE, ends, rotations.matrix(fb.orientation)[:, 2].copy())]
        turns = self.quantity == "torque"
        rest = [*fa.orientation, *fb.orientation, 0.0, 0.0, 0.0]
        if turns and isinstance(self.joint, Universal):
            reals = np.array([*self.axis, *rest])
            return [Entry(REACTION, ends, reals, reads=((self.joint, 1, 0),), integers=(CROSS,))]
        held = {3, 4, 5} <= set(getattr(self.joint, "active", ()))  # or driven: then ρ is one
        kind = FORCE if not turns else TORQUE if held else FREE_TORQUE
        if not hasattr(self.joint, "active"):  # a distance
            reals = np.array([1.0, 0.0, 0.0, *rest])
            return [Entry(REACTION, ends, reals, reads=((self.joint, 0, 0),), integers=(kind,))]
        reads = tuple((self.joint, 0, row + 3 * turns) for row in range(3))
        reals = np.array([*self.axis, *rest])
        found = [Entry(REACTION, ends, reals, reads=reads, integers=(kind,))]
        lead = getattr(self.joint, "lead", None)
        if lead is not None and self.axis[2]:  # the thread of a screw
            slope = self.axis[2] * (lead if turns else -1.0)
            share = np.array([slope, 0.0, 0.0, *rest])
            thread = ((self.joint, 1, 0),)
            found.append(Entry(REACTION, ends, share, reads=thread, integers=(SHARE,)))
        return found

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.elements.joints.joints import Revolute
        from linkwork.elements.joints.orthogonal import Universal

        if rng.integers(4) == 0:
            x, y = rng.normal(size=3), rng.normal(size=3)
            cross = Universal(a, b, at=rng.normal(size=3), axis_a=x, axis_b=y)
            return [cross, cls(cross, "torque", rng.normal(size=3))]
        joint = Revolute(a, b, at=rng.normal(size=3), axis=rng.normal(size=3))
        kind = ("force", "torque", "angular acceleration")[int(rng.integers(3))]
        return [joint, cls(joint, kind, rng.normal(size=3))]


@dataclass(eq=False)
class FrameSensor(Sensor):
    """Measures the "acceleration" (m/s²) of a frame's origin, or its "angular acceleration"
    (rad/s²), against the ground, along `axis` in the axes of the frame `axes`.

    `lw.reads(body, "acceleration", "x")` makes one, and models take it with the item that reads it.

    Outputs: acceleration or angular_acceleration.
    """

    frame: Any
    quantity: str = "acceleration"
    axis: Any = (1.0, 0.0, 0.0)
    axes: Any = GROUND
    node: Node = field(init=False, repr=False)

    def __post_init__(self) -> None:
        known = ("acceleration", "angular acceleration")
        if not isinstance(self.quantity, str) or self.quantity not in known:
            raise DriveError(
                f"{self.label}: expected acceleration or angular acceleration, found "
                f"{checks.show(self.quantity)}"
            )
        self.frame, self.axes = as_frame(self.frame, self.label), as_frame(self.axes, self.label)
        if self.frame.body is GROUND:
            raise ModelError(f"{self.label} is on the ground, which does not move; give a body")
        self.check_axis()
        self.make_node()

    @property
    def own_name(self) -> str:
        found = f"{self.quantity} {self.direction} of {self.frame.body.name}"
        return found.replace("  ", " ")

    def entries(self) -> list[Entry]:
        f, c = self.frame, self.axes
        direction = rotations.matrix(c.orientation) @ np.array(self.axis)
        spins = int(self.quantity == "angular acceleration")
        reals = np.array([*f.position, *direction])
        ends = (self.node, f.body, c.body)
        return [Entry(ACCELERATION, ends, reals, integers=(spins,))]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        kind = ("acceleration", "angular acceleration")[int(rng.integers(2))]
        return cls(Frame(a, rng.normal(size=3)), kind, rng.normal(size=3), Frame(b))
