"""Total joints and the joints that impose a motion: rows of the lock joint with motion laws.

    R_1hᵀ (x₂ + f₂ − x₁ − f₁) = x₀(t),    log(R_1hᵀ R_2h exp(θ₀(t))ᵀ) = 0,   any of these six rows

(MBDyn technical manual, 9.1.13 and 9.1.14).  A vanishing component of the rotation vector is one of
the quaternion, so the rows are those of the lock joint.  Its laws on rotations are turns about x,
y, z; a rotation vector θ₀ with one component is such a turn, one with more is that of
lw.DriveHinge, or on some rows alone taken apart (drives.rotations.turns).  Velocities are rows of
lw.VelocityLock, as in MBDyn; inverse dynamics, which knows none, has motion laws that integrate
them where a displacement or an angle goes with them: beside two rotations held at zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.io.mbdyn.cards.bodies import output_flag
from linkwork.io.mbdyn.cards.joints.joints import (
    Card,
    End,
    axes_along,
    description,
    finish,
    for_turning,
    friction_of,
    read_end,
    seen_from,
    two_ends,
    with_friction,
)
from linkwork.io.mbdyn.drives.callers import TIME, read_law
from linkwork.io.mbdyn.drives.templates import Terms, component, read_terms
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import (
    EYE,
    ZERO,
    absolute_orientation,
    absolute_position,
    absolute_vector,
    length,
    relative_orientation,
    relative_position,
    relative_vector,
    unit_vector,
    vector,
)
from linkwork.model.drives import Constant, Drive, Integral, Turn

ROWS = ("x", "y", "z", "rx", "ry", "rz")
HELD, RATE = "held", "rate"


def lock(
    first: End, second: End, rows: list[str], drive: dict[str, Drive],
    drive_b: dict[str, Drive] | None = None,
) -> list:  # fmt: skip
    import linkwork

    return [linkwork.Lock(first.frame(), second.frame(), rows=rows, drive=drive or None,
                          drive_b=drive_b)]  # fmt: skip


def rotation_laws(
    terms: Terms, active: list[bool]
) -> tuple[dict[str, Drive], dict[str, Drive] | None] | None:
    """Laws of the rotation rows and of the second marker; None where all three are driven, which
    is a DriveHinge."""
    parts = [component(terms, k) if active[k] else None for k in range(3)]
    driven = [k for k in range(3) if parts[k] is not None]
    if len(driven) <= 1:
        return {ROWS[3 + k]: parts[k] for k in driven}, None  # type: ignore[misc]
    if all(active):
        return None
    zero: Drive = Constant(0.0)
    x, y, z = (zero if part is None else part for part in parts)
    return {}, {ROWS[3 + k]: Turn((-x, -y, -z), k) for k in range(3)}


# -------------------------------------------------------------------------------- total joints


def axes_pair(args: Arguments, read: Callable[[], np.ndarray]) -> list[np.ndarray]:
    """[position orientation, R] [rotation orientation, R]"""
    found = [EYE, EYE]
    for k, word in enumerate(("position orientation", "rotation orientation")):
        if args.keyword(word):
            found[k] = read()
    return found


def statuses(args: Arguments, words: dict[str, str], what: str) -> list[str]:
    """Three of inactive, active, …, or a value that is zero or not."""
    found = []
    for _ in range(3):
        word = args.keyword("inactive", "active", *words)
        if word:
            found.append("" if word == "inactive" else words.get(word, HELD))
        else:
            found.append(HELD if args.flag(f"the status of {what}") else "")
    return found


def total_joint(pin: bool) -> Card:
    """total [pin] joint, node 1, …, node 2, …, position constraint, …, orientation constraint, …"""

    def card(args: Arguments, label: int) -> None:
        kind = args.kind
        if pin:
            second, second_turned = total_end(args)
            assert second.node is not None
            node = second.node.reference
            x = absolute_position(args, node) if args.keyword("position") else ZERO
            Rx, Rr = axes_pair(args, lambda: absolute_orientation(args, node))
            first, first_turned = End(None, x, Rx), Rr
        else:
            first, first_turned = total_end(args)
            second, second_turned = total_end(args, first, first_turned)
        held, x0 = ["", "", ""], []
        if args.keyword("position constraint"):
            held = statuses(args, {"position": HELD, "velocity": RATE}, "a position")
            x0 = motion_terms(args)
        turned, theta0 = ["", "", ""], []
        if args.keyword("orientation constraint"):
            words = {"rotation": HELD, "angular velocity": RATE}
            turned = statuses(args, words, "an orientation")
            theta0 = motion_terms(args)
        if any(turned):
            for end in (first, second):
                if end.node is not None:
                    for_turning(args, end.node, ZERO, True)
        spin = (first._replace(axes=first_turned), second._replace(axes=second_turned))

        def make() -> list:
            if not any(held) and not any(turned):
                args.deck.note(f"joint {label} holds nothing: all its rows are inactive")
                return []
            inverse = args.deck.analysis.inverse is not None
            where = position_laws(args, first, second, held, x0)
            rows = [ROWS[k] for k in range(3) if held[k] == HELD or (held[k] and inverse)]
            speed = one_speed(args, *spin, turned, theta0) if inverse else None
            spins = [ROWS[3 + k] for k in range(3) if turned[k] == HELD or speed]
            still = [word == HELD for word in turned]
            found = (speed, None) if speed else rotation_laws(theta0, still)
            same = np.array_equal(first.axes, first_turned)
            if found is not None and found[1] is None and rows and spins and same:
                items = lock(first, spin[1], rows + spins, {**where, **found[0]})
            else:
                items = lock(first, second, rows, where) if rows else []
                if found is None:
                    items.append(driven_hinge(*spin, theta0))
                elif spins:
                    items += lock(*spin, spins, *found)
            if not inverse:
                items += speeds(first, second, held, x0, 0)
            return items if speed else items + speeds(*spin, turned, theta0, 3)

        finish(args, label, kind, first, second, make, "total", (first_turned, second_turned),
               about={"held": held, "turned": turned})  # fmt: skip

    return card


def motion_terms(args: Arguments) -> Terms:
    """A motion; in inverse dynamics its velocity and acceleration may follow."""
    found = read_terms(args, vector)
    others = ("orientationconstraint", "output", "inversedynamics", "")
    if args.deck.analysis.inverse is not None and args.key() not in others:
        for _ in range(2):
            read_terms(args, vector)
        args.deck.note("inverse dynamics: velocities and accelerations of prescribed motions are "
                       "the derivatives of the motions, not what the deck gives")  # fmt: skip
    return found


def total_end(
    args: Arguments, first: End | None = None, turned: np.ndarray = EYE
) -> tuple[End, np.ndarray]:
    """A node with position, and the axes for positions and for rotations."""
    node = args.deck.node(args)
    other = None if first is None else seen_from(first)
    offset = ZERO
    if args.keyword("position"):
        offset = relative_position(args, node.reference, other)
        for_turning(args, node, offset, False)
    axes = [EYE, EYE]
    for k, word in enumerate(("position orientation", "rotation orientation")):
        if args.keyword(word):
            if other is not None and k == 1:
                other = other._replace(axes=turned)
            axes[k] = relative_orientation(args, node.reference, other)
    return End(node, offset, axes[0]), axes[1]


def position_laws(
    args: Arguments, first: End, second: End, held: list[str], terms: Terms
) -> dict[str, Drive]:
    laws = {}
    (p, R), (q, _) = first.place(), second.place()
    for k in range(3):
        drive = component(terms, k) if held[k] else None
        if held[k] == RATE and args.deck.analysis.inverse is None:
            continue
        if held[k] == RATE:
            start = float((R.T @ (q - p))[k])
            drive = Integral(drive or Constant(0.0), args.deck.analysis.initial_time, start)
        if drive is not None:
            laws[ROWS[k]] = drive
    return laws


def one_speed(
    args: Arguments, first: End, second: End, turned: list[str], terms: Terms
) -> dict[str, Drive] | None:
    """A single angular velocity beside two rotations held at zero is a law of the angle."""
    rates = [k for k in range(3) if turned[k] == RATE]
    others = [k for k in range(3) if turned[k] == HELD]
    if len(rates) != 1 or len(others) != 2 or any(component(terms, k) for k in others):
        return None
    k = rates[0]
    start = angle_about(first.place()[1].T @ second.place()[1], k)
    rate = component(terms, k) or Constant(0.0)
    return {ROWS[3 + k]: Integral(rate, args.deck.analysis.initial_time, start)}


def speeds(first: End, second: End, held: list[str], terms: Terms, row: int) -> list:
    """Rows on the relative velocity (from row 0 on) or angular velocity (from row 3 on)."""
    import linkwork

    rates = {ROWS[row + k]: component(terms, k) for k in range(3) if held[k] == RATE}
    if not rates:
        return []
    drive = {row: law for row, law in rates.items() if law is not None}
    return [linkwork.VelocityLock(first.frame(), second.frame(), rows=list(rates),
                                  drive=drive or None)]  # fmt: skip


def angle_about(R: np.ndarray, k: int) -> float:
    """The angle of a rotation about axis k."""
    a, b = (k + 1) % 3, (k + 2) % 3
    return float(np.arctan2(R[b, a] - R[a, b], R[a, a] + R[b, b]))


# ---------------------------------------------------------------- imposed motions, one by one


def axial_rotation(args: Arguments, label: int) -> None:
    """axial rotation, node 1, …, node 2, …, angular velocity [, friction, …]"""
    first, second = two_ends(args)
    rate = read_law(args)
    orientation = description(args)
    output = output_flag(args, "joint") if args.key() == "output" else None
    rubs = friction_of(args, True)

    def make() -> list:
        import linkwork

        hinge = with_friction(linkwork.Revolute(first.frame(), second.frame()), rubs)
        if args.deck.analysis.inverse is not None:
            start = angle_about(first.place()[1].T @ second.place()[1], 2)
            angle = Integral(rate(TIME), args.deck.analysis.initial_time, start)
            return [*hinge, *lock(first, second, ["rz"], {"rz": angle})]
        spin = linkwork.VelocityLock(first.frame(), second.frame(), rows="rz",
                                     drive={"rz": rate(TIME)})  # fmt: skip
        return [*hinge, spin]

    columns = "driven hinge friction" if rubs else "driven hinge"
    finish(args, label, args.kind, first, second, make, columns, output=output,
           orientation=orientation, about={"rate": rate})  # fmt: skip


def drive_hinge(args: Arguments, label: int) -> None:
    """drive hinge, node 1, [orientation, R,] node 2, [orientation, R,] rotation vector"""
    first = read_end(args, position="none")
    second = read_end(args, seen_from(first), position="none")
    terms = read_terms(args, vector)
    finish(args, label, args.kind, first, second, lambda: [driven_hinge(first, second, terms)],
           "turn")  # fmt: skip


def imposed_orientation(args: Arguments, label: int) -> None:
    """imposed orientation, node 1, R, node 2, R, rotation vector"""
    ends: list[End] = []
    for _ in range(2):
        node = args.deck.node(args)
        for_turning(args, node, ZERO, True)
        args.keyword("orientation")
        other = seen_from(ends[0]) if ends else None
        ends.append(End(node, ZERO, relative_orientation(args, node.reference, other)))
    terms = read_terms(args, vector)
    first, second = ends
    finish(args, label, args.kind, first, second, lambda: [driven_hinge(first, second, terms)],
           "total", (first.axes, second.axes))  # fmt: skip


def driven_hinge(first: End, second: End, terms: Terms) -> Any:
    """lw.DriveHinge at the rotation vector of the terms."""
    import linkwork

    theta = [component(terms, k) or Constant(0.0) for k in range(3)]
    return linkwork.DriveHinge(first.frame(), second.frame(), vector=theta)


def drive_displacement(pin: bool) -> Card:
    """drive displacement, node 1, offset, node 2, offset, vector; pin: node, offset, point, …"""

    def card(args: Arguments, label: int) -> None:
        first, second = imposed_ends(args, pin)
        node = None if first.node is None else first.node.reference
        read = absolute_vector if node is None else lambda a: relative_vector(a, node)
        terms = read_terms(args, read)

        def make() -> list:
            laws = {ROWS[k]: component(terms, k) for k in range(3)}
            drive = {row: law for row, law in laws.items() if law is not None}
            return lock(first, second, list(ROWS[:3]), drive)

        finish(args, label, args.kind, first, second, make, "gap")

    return card


def imposed_displacement(pin: bool) -> Card:
    """imposed displacement, node 1, offset, node 2, offset, direction, drive"""

    def card(args: Arguments, label: int) -> None:
        first, second = imposed_ends(args, pin)
        if first.node is None:
            n = absolute_vector(args)
            size = length(n)
            if not (size > 0 and np.isfinite(size)):
                args.fail("a direction must be finite and not zero")
            n = n / size
        else:
            n = unit_vector(args, first.node.reference)
        law = read_law(args)
        along = first._replace(axes=axes_along(n, 0))

        def make() -> list:
            return lock(along, second, ["x"], nonzero({"x": law(TIME)}))

        finish(args, label, args.kind, along, second, make, "gap")

    return card


def nonzero(laws: dict[str, Drive]) -> dict[str, Drive]:
    return {r: d for r, d in laws.items() if not (isinstance(d, Constant) and d.v == 0)}


def imposed_ends(args: Arguments, pin: bool) -> tuple[End, End]:
    """Two nodes with offsets, or a node with its offset and a fixed point."""
    if pin:
        second = bare_end(args)
        args.keyword("position", "offset")
        return End(None, absolute_position(args)), second
    first = bare_end(args)
    return first, bare_end(args, first)


def bare_end(args: Arguments, first: End | None = None) -> End:
    node = args.deck.node(args)
    args.keyword("position", "offset")
    offset = relative_position(args, node.reference, None if first is None else seen_from(first))
    for_turning(args, node, offset, False)
    return End(node, offset)
