"""Vectors, matrices, orientations, and the frames they are given in.

A frame has a place x, axes R, a velocity v and an angular velocity w, all absolute.  What is given
in a frame F becomes absolute by

    x = x_F + R_F x̄      R = R_F R̄      w = w_F + R_F w̄      v = v_F + w_F × (x − x_F) + R_F v̄

and relative to a node N by  x̃ = R_Nᵀ(x − x_N),  R̃ = R_Nᵀ R.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.kernels import rotations

EYE = np.eye(3)
ZERO = np.zeros(3)
TURNS = {"euler123": (0, 1, 2), "euler313": (2, 0, 2), "euler321": (2, 1, 0), "euler": (0, 1, 2)}


class Reference(NamedTuple):
    """A frame of the deck: place, axes, velocity, angular velocity."""

    x: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray


GLOBAL = Reference(ZERO, EYE, ZERO, ZERO)


class Other(NamedTuple):
    """The first node of a joint, and what the joint has there, for `reference, other …`."""

    node: Reference
    offset: np.ndarray = ZERO
    axes: np.ndarray = EYE


# ------------------------------------------------------------------------- vectors, matrices


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a × b of three numbers each, faster than numpy's for any shape."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def length(a: np.ndarray) -> float:
    return math.hypot(*a.tolist())


def scaled(args: Arguments, x: np.ndarray) -> np.ndarray:
    return x * args.real("the scale factor") if args.keyword("scale") else x


def vector(args: Arguments, n: int = 3, what: str = "a vector") -> np.ndarray:
    if args.keyword("null") or args.keyword("default"):
        return np.zeros(n)
    return scaled(args, np.array(args.reals(n, what)))


def matrix(args: Arguments, n: int = 3, what: str = "a matrix") -> np.ndarray:
    """n×n numbers, or sym, skew, diag, eye, null."""
    kind = args.keyword("null", "eye", "diag", "sym", "skew", "matr")
    if kind == "null":
        return np.zeros((n, n))
    if kind == "eye":
        return scaled(args, np.eye(n))
    if kind == "diag":
        return scaled(args, np.diag(args.reals(n, what)))
    if kind == "sym":
        X = np.zeros((n, n))
        X[np.triu_indices(n)] = args.reals(n * (n + 1) // 2, what)
        return scaled(args, X + np.triu(X, 1).T)
    if kind == "skew":
        if n != 3:
            args.fail("skew is a matrix of 3×3 numbers")
        return scaled(args, rotations.tilde(np.array(args.reals(3, what))))
    return scaled(args, np.array(args.reals(n * n, what)).reshape(n, n))


def axis_turn(axis: int, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[a, a] = R[b, b] = c
    R[a, b], R[b, a] = -s, s
    return R


def turns(axes: tuple[int, ...], angles: np.ndarray) -> np.ndarray:
    """Turns about moving axes, one after the other."""
    R = np.eye(3)
    for axis, angle in zip(axes, angles):
        R = R @ axis_turn(axis, angle)
    return R


def orientation(args: Arguments) -> np.ndarray:
    """eye; matr and nine numbers; euler… [degrees] and three; vector; or two axes by number."""
    i = args.i
    if args.keyword("null"):
        args.fail("null is no orientation; write eye", i)
    if args.keyword("eye", "default"):
        return EYE
    if args.keyword("matr"):
        R = np.array(args.reals(9, "an orientation")).reshape(3, 3)
        if args.keyword("tolerance"):  # of a warning in MBDyn
            args.positive("the tolerance of an orientation")
        return nearly_orthogonal(args, R, i)
    kind = args.keyword(*TURNS)
    if kind:
        factor = np.pi / 180 if args.keyword("degrees") else 1.0
        return turns(TURNS[kind], factor * np.array(args.reals(3, "an angle")))
    if args.keyword("vector"):
        x = np.array(args.reals(3, "an orientation vector"))
        return rotations.matrix(rotations.exponential(x))
    return two_axes(args)


def two_axes(args: Arguments) -> np.ndarray:
    """`1, x, y, z, 3, x, y, z`: the first axis is exact, the second gives the plane."""
    i = args.i
    a = args.integer("the number of an axis (1, 2, 3)") - 1
    u = vector(args, what="an axis")
    b = args.integer("the number of the second axis") - 1
    if not {a, b} <= {0, 1, 2} or a == b:
        args.fail("an orientation by two axes needs two different numbers of 1, 2, 3", i)
    if args.keyword("guess"):
        size = np.abs(u)
        least, most = int(np.argmin(size)), int(np.argmax(size))
        v = np.zeros(3)
        v[least] = 1.0
        if u[most] != 0:
            v[most] = -u[least] / u[most]
    else:
        v = vector(args, what="an axis")
    n = cross(u, v)
    largest = length(u) * length(v)
    if not math.isfinite(largest) or not length(n) > 1e-12 * largest:
        args.fail("the two axes of an orientation must be finite, not zero and not parallel", i)
    u, n = u / length(u), n / length(n)
    R = np.empty((3, 3))
    R[:, a], R[:, b] = u, cross(n, u)
    R[:, 3 - a - b] = n if (b - a) % 3 == 1 else -n
    return R


def nearly_orthogonal(args: Arguments, R: np.ndarray, i: int) -> np.ndarray:
    """The rotation nearest to a matrix that is one but for the digits it is written with."""
    error = float(np.abs(R @ R.T - EYE).max()) if np.abs(R).max() < 2 else 2.0
    if error > 1e-3 or np.linalg.det(R) < 0:
        args.fail(
            f"the matrix is no rotation: R Rᵀ differs from the identity by {error:.2g}", i
        )
    if error > 1e-14:
        U, _, V = np.linalg.svd(R)
        R = U @ V
    return R


# ------------------------------------------------------------------------------------ frames


def frame(
    args: Arguments, default: Reference, node: Reference | None, other: Other | None = None
) -> Reference | str:
    """The frame that `reference, …,` names; "other position" and the like where it is of those."""
    if not args.keyword("reference"):
        return default
    i = args.i
    if args.keyword("global"):
        return GLOBAL
    if args.keyword("node", "local"):
        if node is None:
            args.fail("there is no node here for 'reference, node' to refer to", i)
        return node
    word = args.keyword("other position", "other orientation", "other node")
    if word:
        if other is None:
            args.fail(f"there is no first node here for 'reference, {word}' to refer to", i)
        return other.node if word == "other node" else word
    label = args.label("the label of a reference frame")
    if label not in args.deck.references:
        args.fail(f"there is no reference frame {label}; define it with reference: before", i)
    return args.deck.references[label]


def plain(args: Arguments, found: Reference | str) -> Reference:
    if isinstance(found, str):
        args.fail(f"'reference, {found}' cannot be used here", args.i - 1)
    return found


def absolute_position(args: Arguments, node: Reference | None = None) -> np.ndarray:
    f = plain(args, frame(args, GLOBAL, node))
    x = vector(args, what="a position")
    return x if f is GLOBAL else f.x + f.R @ x


def absolute_orientation(args: Arguments, node: Reference | None = None) -> np.ndarray:
    f = plain(args, frame(args, GLOBAL, node))
    R = orientation(args)
    return R if f is GLOBAL else f.R @ R


def absolute_velocity(
    args: Arguments, x: np.ndarray, node: Reference | None = None
) -> np.ndarray:
    f = plain(args, frame(args, GLOBAL, node))
    v = vector(args, what="a velocity")
    return v if f is GLOBAL else f.v + cross(f.w, x - f.x) + f.R @ v


def absolute_angular_velocity(args: Arguments, node: Reference | None = None) -> np.ndarray:
    f = plain(args, frame(args, GLOBAL, node))
    w = vector(args, what="an angular velocity")
    return w if f is GLOBAL else f.w + f.R @ w


def absolute_vector(args: Arguments, node: Reference | None = None) -> np.ndarray:
    f = plain(args, frame(args, GLOBAL, node))
    return f.R @ vector(args)


def relative_position(
    args: Arguments, node: Reference, other: Other | None = None
) -> np.ndarray:
    """A point in the axes of a node, from its origin."""
    f = frame(args, node, node, other)
    x = vector(args, what="a position")
    if f is node:
        return x
    if isinstance(f, str):
        if f != "other position":
            args.fail(f"'reference, {f}' gives no position", args.i - 1)
        assert other is not None
        x = other.node.x + other.node.R @ (other.offset + x)
    else:
        x = f.x + f.R @ x
    return node.R.T @ (x - node.x)


def relative_orientation(
    args: Arguments, node: Reference, other: Other | None = None
) -> np.ndarray:
    """Axes as seen from a node."""
    f = frame(args, node, node, other)
    R = orientation(args)
    if f is node:
        return R
    if isinstance(f, str):
        if f != "other orientation":
            args.fail(f"'reference, {f}' gives no orientation", args.i - 1)
        assert other is not None
        return node.R.T @ other.node.R @ other.axes @ R
    return node.R.T @ f.R @ R


def relative_vector(args: Arguments, node: Reference) -> np.ndarray:
    f = plain(args, frame(args, node, node))
    v = vector(args)
    return v if f is node else node.R.T @ f.R @ v


def unit_vector(args: Arguments, node: Reference) -> np.ndarray:
    """A direction in the axes of a node."""
    i = args.i
    v = relative_vector(args, node)
    size = length(v)
    if not (size > 0 and np.isfinite(size)):
        args.fail("a direction must be finite and not zero", i)
    return v / size


# ------------------------------------------------------------------------------------- cards


def reference_card(args: Arguments) -> None:
    """reference: label, position, orientation, velocity, angular velocity;"""
    label = args.label("the label of a reference frame")
    args.card = f"reference {label}"
    if label in args.deck.references:
        args.fail(f"there is a reference frame {label} already; give it another label", 0)
    if args.keyword("name"):
        args.string("a name")
    if args.keyword("Denavit Hartenberg"):
        found = denavit_hartenberg(args)
    else:
        args.keyword("position")
        x = absolute_position(args)
        args.keyword("orientation")
        R = absolute_orientation(args)
        args.keyword("velocity")
        v = absolute_velocity(args, x)
        args.keyword("angular velocity")
        found = Reference(x, R, v, absolute_angular_velocity(args))
    args.end()
    args.deck.references[label] = found


def denavit_hartenberg(args: Arguments) -> Reference:
    """x = x_F + R_F (d e₃ + T a e₁),  R = R_F T exp(α e₁),  T = exp(θ e₃)."""
    f = plain(args, frame(args, GLOBAL, None))
    d, theta, a, alpha = args.reals(4, "a parameter of Denavit and Hartenberg")
    T = axis_turn(2, theta)
    step = f.R @ (d * EYE[2] + a * T[:, 0])
    R = f.R @ T @ axis_turn(0, alpha)
    return Reference(f.x + step, R, f.v + cross(f.w, step), f.w)
