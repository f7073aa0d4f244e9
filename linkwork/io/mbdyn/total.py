"""Total joints and the joints that impose a motion: rows of the lock joint with motion laws.

    R_1hᵀ (x₂ + f₂ − x₁ − f₁) = x₀(t),    log(R_1hᵀ R_2h exp(θ₀(t))ᵀ) = 0,   any of these six rows

(MBDyn technical manual, 9.1.13 and 9.1.14).  A vanishing component of the rotation vector is one of
the quaternion, so the rows are those of the lock joint.  Its laws on rotations are turns about x,
y, z; a rotation vector θ₀ with one component is such a turn, one of fixed direction is a turn in
axes along it, and any other is taken apart (model.drives.turns).  A velocity of a displacement is
the rate of its row, so it is integrated to a motion law.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.io.mbdyn.arguments import Arguments
from linkwork.io.mbdyn.drive_cards import TIME, Law, Terms, component, read_law, read_terms, total
from linkwork.io.mbdyn.geometry import (
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
from linkwork.io.mbdyn.joints import (
    Card,
    End,
    axes_along,
    finish,
    for_turning,
    read_end,
    seen_from,
    two_ends,
)
from linkwork.model.drives import Constant, Drive, Integral, Turn

ROWS = ("x", "y", "z", "rx", "ry", "rz")
HELD, RATE = "held", "rate"


def lock(
    first: End, second: End, rows: list[str], drive: dict[str, Drive], turned: np.ndarray = EYE,
    drive_b: dict[str, Drive] | None = None,
) -> list:  # fmt: skip
    import linkwork

    return [linkwork.Lock(first.frame(turned), second.frame(turned), rows=rows,
                          drive=drive or None, drive_b=drive_b)]  # fmt: skip


def rotation_laws(
    terms: Terms, active: list[bool]
) -> tuple[dict[str, Drive], np.ndarray, dict[str, Drive] | None]:
    """Laws of the rotation rows, how both markers are turned for them, and laws of the second."""
    parts = [component(terms, k) if active[k] else None for k in range(3)]
    driven = [k for k in range(3) if parts[k] is not None]
    if len(driven) <= 1:
        return {ROWS[3 + k]: parts[k] for k in driven}, EYE, None  # type: ignore[misc]
    vectors = np.array([v for v, _ in terms])
    if all(active) and np.linalg.matrix_rank(vectors) == 1:
        n = max(vectors, key=np.linalg.norm)
        n = n / np.linalg.norm(n)
        angle = total(*(float(v @ n) * law(TIME) for v, law in terms))
        return {"rz": angle}, axes_along(n, 2), None
    zero: Drive = Constant(0.0)
    x, y, z = (zero if part is None else part for part in parts)
    if all(active):
        return {ROWS[3 + k]: Turn((x, y, z), k) for k in range(3)}, EYE, None
    return {}, EYE, {ROWS[3 + k]: Turn((-x, -y, -z), k) for k in range(3)}


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
            x0 = read_terms(args, vector)
        turned, theta0 = ["", "", ""], []
        if args.keyword("orientation constraint"):
            words = {"rotation": HELD, "angular velocity": RATE}
            turned = statuses(args, words, "an orientation")
            theta0 = read_terms(args, vector)
        if any(turned):
            for end in (first, second):
                if end.node is not None:
                    for_turning(args, end.node, ZERO, True)
        check_rates(args, turned)
        spin = (first._replace(axes=first_turned), second._replace(axes=second_turned))

        def make() -> list:
            if not any(held) and not any(turned):
                args.deck.note(f"joint {label} holds nothing: all its rows are inactive")
                return []
            items = []
            where = position_laws(args, first, second, held, x0)
            rows = [ROWS[k] for k in range(3) if held[k]]
            same = np.array_equal(first.axes, first_turned)
            laws, A, drive_b = orientation_laws(args, *spin, turned, theta0)
            spins = [ROWS[3 + k] for k in range(3) if turned[k]]
            if rows and spins and same and A is EYE and drive_b is None:
                return lock(first, spin[1], rows + spins, {**where, **laws})
            if rows:
                items += lock(first, second, rows, where)
            if spins:
                items += lock(*spin, spins, laws, A, drive_b)
            return items

        finish(args, label, kind, first, second, make, "total", (first_turned, second_turned))

    return card


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
        if held[k] == RATE:
            start = float((R.T @ (q - p))[k])
            drive = Integral(drive or Constant(0.0), args.deck.analysis.initial_time, start)
        if drive is not None:
            laws[ROWS[k]] = drive
    return laws


def check_rates(args: Arguments, turned: list[str]) -> None:
    """An angular velocity is a motion law where it is the only rotation left."""
    rates = [k for k in range(3) if turned[k] == RATE]
    if rates and (len(rates) > 1 or not all(turned)):
        args.unsupported(
            "an angular velocity can be imposed about one axis, where the other two rotations are "
            "held; elsewhere it is no condition on positions, which linkwork's joints need"
        )


def orientation_laws(
    args: Arguments, first: End, second: End, turned: list[str], terms: Terms
) -> tuple[dict[str, Drive], np.ndarray, dict[str, Drive] | None]:
    if RATE not in turned:
        return rotation_laws(terms, [bool(word) for word in turned])
    k = turned.index(RATE)
    for j in range(3):
        if j != k and component(terms, j) is not None:
            args.unsupported("rotations beside an imposed angular velocity must be held at zero")
    rate = component(terms, k) or Constant(0.0)
    start = angle_about(first.place()[1].T @ second.place()[1], k)
    return {ROWS[3 + k]: Integral(rate, args.deck.analysis.initial_time, start)}, EYE, None


def angle_about(R: np.ndarray, k: int) -> float:
    """The angle of a rotation about axis k."""
    a, b = (k + 1) % 3, (k + 2) % 3
    return float(np.arctan2(R[b, a] - R[a, b], R[a, a] + R[b, b]))


# ---------------------------------------------------------------- imposed motions, one by one


def axial_rotation(args: Arguments, label: int) -> None:
    """axial rotation, node 1, …, node 2, …, angular velocity"""
    first, second = two_ends(args)
    rate = read_law(args)

    def make() -> list:
        import linkwork

        start = angle_about(first.place()[1].T @ second.place()[1], 2)
        angle = Integral(rate(TIME), args.deck.analysis.initial_time, start)
        return [linkwork.Motor(first.frame(), second.frame(), angle=angle)]

    finish(args, label, "axial rotation", first, second, make, "hinge")


def drive_hinge(args: Arguments, label: int) -> None:
    """drive hinge, node 1, [orientation, R,] node 2, [orientation, R,] rotation vector"""
    first = read_end(args, position="none")
    second = read_end(args, seen_from(first), position="none")
    terms = read_terms(args, vector)

    def make() -> list:
        laws, A, drive_b = rotation_laws(terms, [True, True, True])
        return lock(first, second, list(ROWS[3:]), laws, A, drive_b)

    finish(args, label, "drive hinge", first, second, make)


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

        finish(args, label, args.kind, first, second, make)

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

        finish(args, label, args.kind, along, second, make)

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


def linear_motion(order: int) -> Card:
    """linear velocity | acceleration, node, direction, drive"""

    def card(args: Arguments, label: int) -> None:
        node = args.deck.node(args)
        i = args.i
        n = unit_vector(args, node.reference)
        if not np.allclose(node.reference.R, EYE, atol=1e-12):
            args.unsupported(
                f"node {node.label} is turned against the global axes, and MBDyn's manual leaves "
                "open which of them the direction is in; use a total pin joint", i,
            )  # fmt: skip
        given: Law = read_law(args)
        first, second = End(None, ZERO, axes_along(n, 0)), End(node)

        def make() -> list:
            law, begin = given(TIME), args.deck.analysis.initial_time
            if order == 2:
                law = Integral(law, begin, float(n @ node.reference.v))
            law = Integral(law, begin, float(n @ node.reference.x))
            return lock(first, second, ["x"], {"x": law})

        finish(args, label, args.kind, first, second, make)

    return card


def gimbal_rotation(args: Arguments, label: int) -> None:
    """gimbal rotation, node 1, [orientation, R,] node 2, [orientation, R]

    R_1ᵀR_2 = exp(ϑ e₂) exp(φ e₁) exp(ϑ e₂) with free ϑ, φ: the quaternion of such a product, and of
    no other rotation, has no third component, so this is the row rz.
    """
    first = read_end(args, position="none")
    second = read_end(args, seen_from(first), position="none")
    if args.keyword("orientation description"):
        args.i += 1
        args.deck.ignore("orientation description of joints")
    finish(args, label, "gimbal rotation", first, second, lambda: lock(first, second, ["rz"], {}))
