"""Joints with an equation of their own: gimbal, screw, brake, sensor, and nodes that follow others.

    screw    p/2π (θ − θ₀) − e·(d − d₀) = 0 alone, as in MBDyn; other joints of the deck guide it
    sensor   Rᵀ ẍ_P = a(t),  Rᵀ w = ω(t) in axes of the node (technical manual, 9.1.17): with the
             angular velocity known, Rᵀ ẋ_P is the function of time u̇ = a − ω × u
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.cards.joints.friction import read_friction
from linkwork.io.mbdyn.cards.joints.joints import (
    End,
    description,
    finish,
    first_axes,
    for_turning,
    friction_of,
    read_end,
    seen_from,
    two_ends,
)
from linkwork.io.mbdyn.drives.callers import TIME, read_law
from linkwork.io.mbdyn.drives.templates import Terms, component, read_terms
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import (
    ZERO,
    absolute_position,
    cross,
    relative_orientation,
    relative_position,
    vector,
)
from linkwork.model.drives import CarriedVelocity, Constant, Drive


def gimbal_rotation(args: Arguments, label: int) -> None:
    """gimbal rotation, node 1, [orientation, R,] node 2, [orientation, R]"""
    first = read_end(args)._replace(offset=ZERO)
    second = read_end(args, seen_from(first))._replace(offset=ZERO)
    orientation = description(args)

    def make() -> list:
        import linkwork

        return [linkwork.Gimbal(first.frame(), second.frame())]

    finish(args, label, args.kind, first, second, make, "gimbal", orientation=orientation)


def screw(args: Arguments, label: int) -> None:
    """screw, node 1, [position,] p, [orientation,] R, node 2, [offset, q,] pitch, p [, friction]"""
    node = args.deck.node(args)
    for_turning(args, node, ZERO, True)
    args.keyword("position")
    p = relative_position(args, node.reference)
    args.keyword("orientation")
    first = End(node, p, relative_orientation(args, node.reference))
    other = args.deck.node(args)
    offset = ZERO
    if args.keyword("offset"):
        offset = relative_position(args, other.reference, seen_from(first))
    for_turning(args, other, offset, True)
    second = End(other, offset, first_axes(first, other))
    if not args.keyword("pitch"):
        args.fail(f"expected 'pitch', found {args.shown()}")
    pitch = args.real("the pitch of a screw")
    output = output_flag(args, "joint") if args.key() == "output" else None
    rubs = friction_of(args, True, radius=False, screw=True)
    # where the second point is along the axis, travel and turn begin at zero
    (x, R), (y, _) = first.place(), second.place()
    start = first._replace(offset=first.offset + first.axes[:, 2] * float(R[:, 2] @ (y - x)))

    def make() -> list:
        import linkwork

        thread = linkwork.Screw(start.frame(), second.frame(), pitch=pitch, guided=False)
        if rubs is None:
            return [thread]
        # MBDyn's slip speed is r cos a times the rate of the turn, lead angle a
        factor = math.cos(math.atan2(pitch, 2 * math.pi * rubs.radius))
        return [thread, linkwork.Friction(
            thread, rubs.model(factor), radius=rubs.radius, thread=rubs.thread, least=rubs.least
        )]  # fmt: skip

    finish(args, label, args.kind, first, second, make, "screw friction" if rubs else "screw",
           output=output)  # fmt: skip


def brake(args: Arguments, label: int) -> None:
    """brake, node 1, …, node 2, …, friction, radius, [preload, …,] model, shape, normal force"""
    first, second = two_ends(args)
    output = output_flag(args, "joint") if args.key() == "output" else None
    if not args.keyword("friction"):
        args.fail(f"expected 'friction', found {args.shown()}")
    rubs = read_friction(args)
    force = read_law(args)

    def make() -> list:
        import linkwork

        return [linkwork.Brake(
            first.frame(), second.frame(), model=rubs.model(1.0), radius=rubs.radius,
            load=force(TIME), least=rubs.least, journal=rubs.journal,
        )]  # fmt: skip

    finish(args, label, args.kind, first, second, make, "brake", output=output)


# ------------------------------------------------------------------------------------- sensors


def strapdown_sensor(args: Arguments, label: int) -> None:
    """strapdown sensor, node, [position, b,] [orientation, R,]
    [acceleration, vector of drives,] [angular velocity, vector of drives]
    """
    end = read_end(args)
    node = end.node
    assert node is not None
    given: dict[str, Terms] = {}
    for word in ("acceleration", "angular velocity"):
        if args.keyword(word):
            given[word] = read_terms(args, vector)
    if "acceleration" in given and "angular velocity" not in given:
        args.unsupported(
            "an imposed acceleration in the axes of the node needs its angular velocity as well: "
            "otherwise the velocity is no function of time"
        )
    _, R, v, w = node.reference
    Q = R @ end.axes
    u0 = Q.T @ (v + cross(w, R @ end.offset))
    ground = End(None, *end.place())

    def make() -> list:
        import linkwork

        begin = args.deck.analysis.initial_time
        drive: dict[str, Drive] = {}
        if given:
            spin = tuple(drives(given["angular velocity"]))
            drive |= dict(zip(("rx", "ry", "rz"), spin))
        if "acceleration" in given:
            push = tuple(drives(given["acceleration"]))
            drive |= {row: CarriedVelocity(push, spin, begin, tuple(u0.tolist()), k)
                      for k, row in enumerate(("x", "y", "z"))}  # fmt: skip
        sensor = linkwork.StrapdownSensor(end.frame())
        if not drive:
            return [sensor]
        rows = [row for row in ("x", "y", "z", "rx", "ry", "rz") if row in drive]
        hold = linkwork.VelocityLock(ground.frame(), end.frame(), rows=rows, drive=drive, axes="b")
        return [hold, sensor]

    finish(args, label, args.kind, ground, end, make, "sensor")


def drives(terms: Terms) -> list[Drive]:
    return [component(terms, k) or Constant(0.0) for k in range(3)]


# --------------------------------------------------------------------------- nodes that follow


def offset_displacement(args: Arguments, label: int) -> None:
    """offset displacement joint, node 1, node 2 [, position, x]: x₂ = x₁ + R₁ o"""
    first, second = args.deck.node(args), args.deck.node(args)
    for_turning(args, first, ZERO, True)
    x = second.reference.x
    if args.keyword("position"):
        x = absolute_position(args, second.reference)
    o = first.reference.R.T @ (x - first.reference.x)

    def make() -> list:
        import linkwork

        return [linkwork.Spherical(End(first, o).frame(), End(second).frame())]

    finish(args, label, args.kind, End(first, o), End(second), make)


def rigid_body_displacement(args: Arguments, label: int) -> None:
    """rigid body displacement joint, node, n, node_j [, position, x] [, weight, w], …"""
    master = args.deck.node(args)
    for_turning(args, master, ZERO, True)
    i = args.i
    n = args.count("the number of nodes that it follows")
    if n < 3:
        args.fail(f"a node follows at least three others, found {n}", i)
    nodes, places, weights = [], [], []
    for _ in range(n):
        node = args.deck.node(args)
        x = node.reference.x
        if args.keyword("position"):
            x = absolute_position(args, node.reference)
        if not np.allclose(x, node.reference.x, rtol=0, atol=1e-12 * (1 + np.abs(x).max())):
            args.unsupported(
                "a position other than that of the node itself, where the joint would not hold at "
                "first, is not supported"
            )
        nodes.append(node)
        places.append(master.reference.R.T @ (x - master.reference.x))
        weights.append(args.real("a weight") if args.keyword("weight") else 1.0)
    if args.keyword("alpha"):
        args.real("a factor of all weights")
        args.deck.ignore("alpha of rigid body displacement joints")

    def make() -> list:
        import linkwork

        return [linkwork.RigidBodyDisplacement(
            master.frame(), [node.frame() for node in nodes], weights)]  # fmt: skip

    points = ([node.label for node in nodes], np.array(places), np.array(weights))
    finish(args, label, args.kind, End(nodes[0]), End(master), make, "mean", points=points)
