"""The motion of nodes from that of bodies.

    x = r − R b,   ẋ = v − w × R b,   ẍ = v̇ − ẇ × R b − w × (w × R b),   w = R ω,  ẇ = R ω̇

Dummy nodes follow others (MBDyn technical manual, 8.2): at an offset, or seen from a reference node
and, from there, put on a pivot.  A frame is a Motion, so relative motion is composed of two rules:

    what moves in a frame F, seen from the world:   x = x_F + R_F x̄ …      (`carried`)
    what moves in the world, seen from a frame F:   x̄ = R_Fᵀ (x − x_F) …   (`seen`)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linkwork.io.mbdyn.cards.nodes import Follower
from linkwork.io.mbdyn.deck.deck import Deck
from linkwork.io.mbdyn.output.numbers.frame_kernels import (
    body_rows,
    offset_rows,
    per_frame,
    rotate_back_rows,
    rotate_rows,
    seen_rows,
)
from linkwork.kernels import rotations
from linkwork.results.result import Result


class Motion(NamedTuple):
    """Of a frame over T times, in world axes: x v w a p (T, 3) and R (T, 3, 3); p is ẇ."""

    x: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray
    a: np.ndarray
    p: np.ndarray


def still(times: int) -> Motion:
    """The ground."""
    zero = np.zeros((times, 3))
    return Motion(zero, np.broadcast_to(np.eye(3), (times, 3, 3)), zero, zero, zero, zero)


def rotate(R: np.ndarray, v: np.ndarray) -> np.ndarray:
    """R v: v is one vector, one for each of k frames, or one for every row."""
    out = np.empty((len(R), 3))
    rotate_rows(np.ascontiguousarray(R, float), per_frame(v), out)
    return out


def rotate_back(R: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Rᵀ v, as `rotate`."""
    out = np.empty((len(R), 3))
    rotate_back_rows(np.ascontiguousarray(R, float), per_frame(v), out)
    return out


def empty(rows: int) -> Motion:
    """For so many rows."""
    shapes = ((rows, 3, 3) if name == "R" else (rows, 3) for name in Motion._fields)
    return Motion(*map(np.empty, shapes))


def in_rows(m: Motion) -> Motion:
    return Motion(*(np.ascontiguousarray(part, float) for part in m))


def offset(m: Motion, arm: np.ndarray, axes: np.ndarray) -> Motion:
    """A frame fixed in another, at `arm` with `axes`: once, or for each of k frames in the rows."""
    m, arms, axes = in_rows(m), per_frame(arm), np.reshape(axes, (-1, 3, 3))
    x, v, a = np.empty((3, len(m.x), 3))
    offset_rows(m.R, m.x, m.v, m.w, m.a, m.p, arms, x, v, a)
    R = (m.R.reshape(-1, len(axes), 3, 3) @ axes).reshape(-1, 3, 3)
    return Motion(x, R, v, m.w, a, m.p)


def seen(m: Motion, f: Motion) -> Motion:
    """A motion as an observer in the frame f sees it."""
    found = empty(len(m.x))
    seen_rows(in_rows(m), in_rows(f), found)
    return found


def carried(m: Motion, f: Motion) -> Motion:
    """A motion given in the frame f, as the world sees it."""
    d, v, w, a, p = (rotate(f.R, part) for part in (m.x, m.v, m.w, m.a, m.p))
    spin = np.cross(f.p, d) + np.cross(f.w, np.cross(f.w, d)) + 2 * np.cross(f.w, v)
    return Motion(
        f.x + d, f.R @ m.R, f.v + np.cross(f.w, d) + v, f.w + w, f.a + spin + a,
        f.p + np.cross(f.w, w) + p,
    )  # fmt: skip


def bodies_motion(run: Result, bodies: np.ndarray, rows: Any) -> Motion:
    """Of k bodies at the stored times `rows`: k rows for every time."""
    motion = np.ascontiguousarray(run.motion[rows], float)
    acceleration = np.ascontiguousarray(run.acceleration[rows], float)
    found = empty(len(motion) * len(bodies))
    body_rows(motion, acceleration, bodies, *found)
    return found


def described(deck: Deck, label: int) -> Motion:
    """A node as the deck describes it, before joints are closed: one time, no accelerations."""

    def free(k: int) -> Motion:
        x, R, v, w = deck.nodes[k].reference
        return Motion(x[None], R[None], v[None], w[None], *np.zeros((2, 1, 3)))

    return following(deck, label, free)


def following(deck: Deck, label: int, free: Callable[[int], Motion]) -> Motion:
    """The motion of a node from that of the nodes which are bodies (`free`)."""
    follower: Follower | None = deck.nodes[label].base
    if follower is None:
        return free(label)
    base = free(follower.base)
    if follower.reference is None:
        return offset(base, follower.offset, follower.axes)
    relative = seen(base, offset(free(follower.reference), follower.offset, follower.axes))
    if follower.pivot is None:
        return relative
    pivot = offset(free(follower.pivot), follower.pivot_offset, follower.pivot_axes)
    return carried(relative, pivot)


# ------------------------------------------------------------------------------- orientations


def angles(R: np.ndarray, kind: str) -> np.ndarray:
    """Columns of an orientation: three angles in degrees, a vector in radians, or nine numbers."""
    if kind == "orientation matrix":
        return R.reshape(len(R), 9)
    if kind == "orientation vector":
        return rotations.logarithm(rotations.from_matrices(R))
    if kind == "euler313":
        a = np.arctan2(R[:, 0, 2], -R[:, 1, 2])
        ca, sa = np.cos(a), np.sin(a)
        b = np.arctan2(sa * R[:, 0, 2] - ca * R[:, 1, 2], R[:, 2, 2])
        c = np.arctan2(-ca * R[:, 0, 1] - sa * R[:, 1, 1], ca * R[:, 0, 0] + sa * R[:, 1, 0])
    elif kind == "euler321":
        a = np.arctan2(R[:, 1, 0], R[:, 0, 0])
        ca, sa = np.cos(a), np.sin(a)
        b = np.arctan2(-R[:, 2, 0], ca * R[:, 0, 0] + sa * R[:, 1, 0])
        c = np.arctan2(sa * R[:, 0, 2] - ca * R[:, 1, 2], ca * R[:, 1, 1] - sa * R[:, 0, 1])
    else:
        a = -np.arctan2(R[:, 1, 2], R[:, 2, 2])
        ca, sa = np.cos(a), np.sin(a)
        b = np.arctan2(R[:, 0, 2], ca * R[:, 2, 2] - sa * R[:, 1, 2])
        c = np.arctan2(ca * R[:, 1, 0] + sa * R[:, 2, 0], ca * R[:, 1, 1] + sa * R[:, 2, 1])
    return np.degrees(np.stack([a, b, c], axis=1))
