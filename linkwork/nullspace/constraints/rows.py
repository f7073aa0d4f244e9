"""Joint rows as at most quadratic functions of centres of mass and directors.

With p = φ + D u a point and e = D c an axis of a body, and d = p_b − p_a:

    COINCIDE   ε·d            ε a world axis: rows x y z of a joint that holds all three
    ALONG      e_a·d          e_a an axis of the main marker: rows x, y, z otherwise
    AXES       e_a·e_b − e'_a·e'_b
    DISTANCE   (d·d − L²)/(2 L)

Rotation rows are written with the axes of both markers (x y z on a, x' y' z' on b), because rows
with body directors lose rank for some axes:

    two of rx ry rz        the third axis k keeps its direction: k·i' = 0 and k·j' = 0
    rx ry rz               x·y' = 0, y·z' = 0, z·x' = 0   near the described orientation
    one of them alone      rx: z·y' − y·z' = 0 and so on, four times w times the quaternion's part

Every row of the lock joint has one row here, with the same zeros.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from linkwork.elements import layout, points
from linkwork.elements.joints import lock
from linkwork.elements.joints.distance import DISTANCE as DISTANCE_FAMILY
from linkwork.elements.joints.distance import LENGTH as DISTANCE_LENGTH
from linkwork.elements.joints.lock import LOCK
from linkwork.elements.joints.orthogonal import EA, EB, ORTHOGONAL
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.system.compilation.numbering import Element
from linkwork.system.data import Data
from linkwork.system.redundancy import ConstraintRows, independent_rows
from linkwork.system.state import State
from linkwork.system.system import System

COINCIDE, ALONG, AXES, DISTANCE = 0, 1, 2, 3
# reals: points (or axes) on a and b, a second pair (or the axis), the length
A1, B1, A2, B2, LENGTH, REALS = 0, 3, 6, 9, 12, 13
# ints: kind, then the ints of the element (elements.layout) up to CB, then where the columns of
# its rows begin for a and b, then j, its number in the element's rows, and how the compiled step
# treats it
KIND, OF_ELEMENT, J, WAY, INTS = 0, 1, 13, 14, 15
LINE, ONE_PAIR, TWO_PAIRS, BALL, HINGE, WITH_ANOTHER = 0, 1, 2, 3, 4, 5
NEARLY = 0.3  # as independent as the best choice: smallest pivot over that of the best


class Rows(NamedTuple):
    """The rows in the equations: numbers of their bodies and blocks, and their vectors."""

    ints: np.ndarray
    reals: np.ndarray


def row_forms(element: Element) -> list[tuple[int, np.ndarray]]:
    """Kind and reals of every row of an element that constrains, in its order."""
    entry = element.entry
    x = np.asarray(entry.reals, float)
    if entry.family is ORTHOGONAL:
        return [(AXES, _reals(x[EA : EA + 3], x[EB : EB + 3]))]
    if entry.family is DISTANCE_FAMILY:
        form = _reals(x[points.UA : points.UA + 3], x[points.UB : points.UB + 3])
        form[LENGTH] = x[DISTANCE_LENGTH]
        return [(DISTANCE, form)]
    if entry.family is not LOCK:
        raise ModelError(
            f"lw.EnergyMomentum does not know the rows of joint '{element.owner}' "
            f"({entry.family.name}); use lw.GeneralizedAlpha()"
        )
    ua, ub = x[lock.UA : lock.UA + 3], x[lock.UB : lock.UB + 3]
    S = rotations.matrix(x[lock.QA : lock.QA + 4])
    P = rotations.matrix(x[lock.QB : lock.QB + 4])
    turns = [r - 3 for r in entry.rows if r >= 3]
    ball = all(r in entry.rows for r in range(3))
    forms = []
    for r in entry.rows:
        if r < 3:
            axis = np.eye(3)[r] if ball else S[:, r]
            forms.append((COINCIDE if ball else ALONG, _reals(ua, ub, axis)))
            continue
        i = r - 3
        j, k = (i + 1) % 3, (i + 2) % 3
        if len(turns) == 3:  # row i turns about i: j·k' changes
            forms.append((AXES, _reals(S[:, j], P[:, k])))
        elif len(turns) == 2:
            free = ({0, 1, 2} - set(turns)).pop()
            other = ({0, 1, 2} - {i, free}).pop()
            forms.append((AXES, _reals(S[:, free], P[:, other])))
        else:
            forms.append((AXES, _reals(S[:, k], P[:, j], S[:, j], P[:, k])))
    return forms


def _reals(a1: np.ndarray, b1: np.ndarray, a2: np.ndarray | None = None, b2=None) -> np.ndarray:
    out = np.zeros(REALS)
    out[A1 : A1 + 3], out[B1 : B1 + 3] = a1, b1
    if a2 is not None:
        out[A2 : A2 + 3] = a2
    if b2 is not None:
        out[B2 : B2 + 3] = b2
    return out


def make_rows(data: Data) -> Rows:
    """The rows that the system keeps, in the order of its equations."""
    ints = np.zeros((data.rows, INTS), np.int64)
    reals = np.zeros((data.rows, REALS))
    seen: dict = {}
    for e in data.system.elements:
        family = e.entry.family
        number = seen[family] = seen.get(family, -1) + 1
        if not e.entry.rows:
            continue
        of_element = data.ints_of(family)[number]
        eq, j = int(of_element[layout.EQ]), 0
        shift = [data.pattern.left if end >= 0 else 0 for end in e.ends]
        columns = of_element[layout.CA : layout.CB + 1] + shift
        for r, (kind, form) in zip(e.rows, row_forms(e), strict=True):
            if data.keep[r]:
                ints[eq + j, KIND], ints[eq + j, OF_ELEMENT:J] = kind, [
                    *of_element[: layout.CB + 1], *columns
                ]  # fmt: skip
                ints[eq + j, J], reals[eq + j] = j, form
                j += 1
        ways(ints[eq : eq + j], reals[eq : eq + j])
    return Rows(ints, reals)


def left_out_rows(data: Data) -> Rows:
    """The rows that the system does not keep, to watch: kinds, bodies and vectors alone."""
    ints, reals = [], []
    for e in data.system.elements:
        if not e.entry.rows:
            continue
        for r, (kind, form) in zip(e.rows, row_forms(e), strict=True):
            if not data.keep[r]:
                ends = [b % (data.system.bodies + 1) for b in e.ends]
                ints.append([kind, *ends, *[0] * (INTS - 3)])
                reals.append(form)
    return Rows(np.array(ints, np.int64).reshape(-1, INTS), np.array(reals).reshape(-1, REALS))


def ways(ints: np.ndarray, reals: np.ndarray) -> None:
    """How to compute the rows of one element: x y z of a ball together, as the two that hold one
    axis of a, and others one by one."""
    axes = ints[:, KIND] == AXES
    ints[axes, WAY] = np.where(reals[axes, A2 : A2 + 3].any(axis=1), TWO_PAIRS, ONE_PAIR)
    ball = np.flatnonzero(ints[:, KIND] == COINCIDE)
    if len(ball) == 3:
        ints[ball, WAY] = BALL, WITH_ANOTHER, WITH_ANOTHER
    pair = np.flatnonzero(ints[:, WAY] == ONE_PAIR)
    if len(pair) == 2 and np.array_equal(*reals[pair, A1 : A1 + 3]):
        ints[pair, WAY] = HINGE, WITH_ANOTHER


def refuse_unknown(system: System) -> None:
    """A clear error for joints that this method does not step."""
    for link in system.flexible:
        raise ModelError(
            f"{link.item.label} is flexible, and lw.EnergyMomentum steps rigid bodies only; use "
            "lw.GeneralizedAlpha(), lw.RK4() or another method for the equations in absolute "
            "coordinates"
        )
    for e in system.elements:
        if not e.entry.rows:
            continue
        label = system.model[e.owner].label
        if e.entry.laws:
            raise ModelError(
                f"{label} follows a function of time, which lw.EnergyMomentum does not step; use "
                "lw.GeneralizedAlpha(), or a torque or a spring instead of the motion law"
            )
        if e.entry.family not in (LOCK, ORTHOGONAL, DISTANCE_FAMILY):
            raise ModelError(
                f"{label} has no quadratic form in directors that lw.EnergyMomentum knows; use "
                "lw.GeneralizedAlpha(), or joints such as Lock, Orthogonal and Distance"
            )


# ------------------------------------------------------------------------------ dense, in numpy


def gradients(kind: int, x: np.ndarray, qa: np.ndarray, qb: np.ndarray) -> tuple:
    """Value and gradients by the bodies' q = (φ, d₁, d₂, d₃), 12 numbers each."""
    ga, gb = np.zeros((4, 3)), np.zeros((4, 3))
    (ra, Da), (rb, Db) = ((q[0], q[1:]) for q in (qa.reshape(4, 3), qb.reshape(4, 3)))
    u, w, c, k = x[A1 : A1 + 3], x[B1 : B1 + 3], x[A2 : A2 + 3], x[B2 : B2 + 3]
    if kind == AXES:
        value = (u @ Da) @ (w @ Db) - (c @ Da) @ (k @ Db)
        ga[1:] = np.outer(u, w @ Db) - np.outer(c, k @ Db)
        gb[1:] = np.outer(w, u @ Da) - np.outer(k, c @ Da)
        return value, ga.ravel(), gb.ravel()
    d = rb + w @ Db - ra - u @ Da
    L = x[LENGTH]
    m = {COINCIDE: c, ALONG: c @ Da, DISTANCE: d / L if L else d}[kind]
    value = (d @ d - L * L) / (2 * L) if kind == DISTANCE else m @ d
    gb[0], gb[1:] = m, np.outer(w, m)
    ga[0], ga[1:] = -m, -np.outer(u, m)
    if kind == ALONG:
        ga[1:] += np.outer(c, d)
    return value, ga.ravel(), gb.ravel()


def projected(g: np.ndarray, q: np.ndarray) -> np.ndarray:
    """P_intᵀ g: force and torque (world axes) of a gradient at q = (φ, D)."""
    g, q = g.reshape(4, 3), q.reshape(4, 3)
    return np.concatenate([g[0], np.cross(q[1:], g[1:]).sum(axis=0)])


def directors(motion: np.ndarray) -> np.ndarray:
    """q = (φ, d₁, d₂, d₃) of all bodies and the ground, (bodies + 1, 12)."""
    q = np.zeros((len(motion) + 1, 4, 3))
    q[:-1, 0] = motion[:, :3]
    q[:-1, 1:] = np.swapaxes(rotations.matrix(motion[:, 3:7]), 1, 2)
    q[-1, 1:] = np.eye(3)
    return q.reshape(-1, 12)


def choose_rows(full: Data, data: Data, state: State) -> Data:
    """The system with rows that are independent in this form at an assembled state.

    The rows that the core steps with are taken where they are, so that one message names them.
    They need not be: x y z of a ball are world axes here, and those of its marker there.
    """
    if not full.system.all_rows:
        return full
    rows = constraint_rows(full.system, state)
    of_core, own = independent_rows(rows.only(data.keep)), independent_rows(rows)
    if of_core.keep.all() and of_core.smallest_kept > NEARLY * own.smallest_kept:
        return data
    return full if own.keep.all() else full.restricted(own.keep)


def constraint_rows(system: System, state: State) -> ConstraintRows:
    """G P_int of all rows, with whose rows they are."""
    q, n = directors(state.motion), system.bodies
    joints = list(dict.fromkeys(row.owner for row in system.all_rows))
    number = {name: i for i, name in enumerate(joints)}
    data, places = [np.zeros(0)], []
    bodies: list[list[int]] = [[] for _ in joints]
    for e in system.elements:
        if not e.entry.rows:
            continue
        bodies[number[e.owner]] += e.ends
        a, b = (end if end >= 0 else n for end in e.ends)
        for r, (kind, form) in zip(e.rows, row_forms(e), strict=True):
            _, ga, gb = gradients(kind, form, q[a], q[b])
            for body, g in ((a, ga), (b, gb)):
                if body < n:
                    data.append(projected(g, q[body]))
                    places.append((r, body))
    at, numbers = np.repeat([r for r, _ in places], 6), np.arange(system.layout.rigid)
    of_bodies = [numbers[system.layout.unknowns(b)] for _, b in places]
    columns = np.concatenate([numbers[:0], *of_bodies])
    return ConstraintRows(
        Cq=sp.csr_array(
            (np.concatenate(data), (at, columns)), (len(system.all_rows), len(numbers))
        ),
        owner=np.array([number[row.owner] for row in system.all_rows]),
        row_name=[row.name for row in system.all_rows], joint_names=joints,
        joint_bodies=[tuple(dict.fromkeys(b)) for b in bodies], L=system.length,
    )  # fmt: skip
