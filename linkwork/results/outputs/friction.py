"""Friction of a joint at the stored times: load from the multipliers, force from the path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.elements.forces import torsion_spring as ts
from linkwork.elements.friction.bristles import LEAST, PRELOAD, QA, RADIUS, UA, UB, kind_of
from linkwork.elements.friction.friction import ARM, PINS, SCREWS, SLIDES
from linkwork.elements.friction.history import replay, replay_in_space
from linkwork.elements.friction.surfaces import (
    AXIS, BALL, BUSH, PLANE, arms_over_time, surface_motion,
)  # fmt: skip
from linkwork.elements.layout import UNKNOWN
from linkwork.elements.deformable.slide import travel
from linkwork.kernels import rotations
from linkwork.results.outputs.turns import unwrap
from linkwork.results.outputs.stored import (
    body_motion,
    element_reals,
    memory_at_start,
    memory_place,
)

if TYPE_CHECKING:
    from linkwork.results.result import Result
    from linkwork.system.compilation.numbering import Element

ARMS = "ab"  # of a universal joint
UNITS = {
    "speed": ("m/s", "speed of the surfaces on each other"),
    "load": ("N", "normal load"),
    "coefficient": ("1", "friction coefficient"),
    "force": ("N", "friction force on the second body"),
    "torque": ("N m", "friction torque on the second body"),
    "power": ("W", "power that it supplies"),
}


class History(NamedTuple):
    """Over time: speed of the surfaces, load N, coefficient c, force and torque on b, power.

    (T,) in one direction, sizes and vectors (T, 3) in several, (T, 2) of two pins (with one load).
    """

    speed: np.ndarray
    load: np.ndarray
    coefficient: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    power: np.ndarray


def friction_axes(elements: Sequence[Element]) -> dict[str, Any]:
    """The names of what an item of friction gives, each with its axis."""
    entry = elements[0].entry
    kind = kind_of(entry)
    slides = kind in (SLIDES, PLANE, BUSH)
    turns = kind not in (SLIDES, PLANE) or (kind == PLANE and entry.reals[RADIUS] > 0)
    vector = "xyz" if kind in (BALL, PLANE, BUSH) else ""
    if kind == PINS:
        return {"speed": ARMS, "load": "", "coefficient": ARMS, "torque": ARMS, "power": ARMS}
    names = {"speed": "", "load": "", "coefficient": ""}
    names |= ({"force": vector} if slides else {}) | ({"torque": vector} if turns else {})
    return names | {"power": ""}


def friction_of(result: Result, elements: Sequence[Element]) -> History:
    """What the elements of one item of friction did."""
    parts = [one_friction(result, e) for e in elements]
    if len(parts) == 1:
        return parts[0]
    both = History(*(np.stack(part, axis=1) for part in zip(*parts)))
    return both._replace(load=parts[0].load)


def dissipated_by(result: Result, name: str) -> np.ndarray:
    """The power (T,) that the friction of this name dissipates."""
    parts = [one_friction(result, e).power for e in result.system.elements if e.owner == name]
    return -np.sum(parts, axis=0)


def one_friction(result: Result, e: Element) -> History:
    """Speed, load, coefficient, force and torque of a friction element."""
    reals = element_reals(result, e)
    kind = kind_of(e.entry)
    x, y, z, other = reaction_read(result, e)
    size = {SLIDES: np.hypot(x, y), SCREWS: np.abs(other)}.get(kind, np.sqrt(x**2 + y**2 + z**2))
    if kind == PINS:
        size = size + reals[:, ARM] * np.abs(other)
    load = np.maximum(reals[:, PRELOAD] + size, reals[:, LEAST])
    row = np.ascontiguousarray(np.asarray(e.entry.reals, float)[None])
    if kind in (BALL, PLANE, BUSH):
        return in_space(result, e, reals, row, load, np.stack([x, y, z], axis=1))
    path, speed = path_of(result, e, reals)
    sense = np.where(other >= 0, -1.0, 1.0)
    first = float(bent(result, e, 1)[0])
    integers = e.entry.integer_row
    c, whole = replay(integers, row, path.astype(float), speed.astype(float), sense, first).T
    arm = 1.0 if kind == SLIDES else reals[0, RADIUS]
    pushed = -load * whole * arm
    return History(speed, load, c, pushed, pushed, -load * whole * speed)


def in_space(
    result: Result, e: Element, reals: np.ndarray, row: np.ndarray, load: np.ndarray,
    reaction: np.ndarray,
) -> History:  # fmt: skip
    """Friction in several directions; vectors in the axes of the joint on a."""
    ends = [list(part) for part in zip(*(body_motion(result, b) for b in e.ends))]
    x, x1, rho, turn = surface_motion(reals, *ends)
    before = np.concatenate([rho[:1], rho[:-1]])
    psi = rotations.logarithm(rotations.multiply(rho, rotations.conjugate(before)))
    Wt, Wr = arms_over_time(kind_of(e.entry), reals, reaction)
    steps = np.diff(x, axis=0, prepend=x[:1]) @ Wt.T + np.einsum("tij,tj->ti", Wr, psi)
    v = x1 @ Wt.T + np.einsum("tij,tj->ti", Wr, turn)
    first = bent(result, e, 3)
    c = replay_in_space(
        e.entry.integer_row, row, np.ascontiguousarray(steps), np.ascontiguousarray(v), first
    )
    pushed = -load[:, None] * c
    axis = e.entry.integers[AXIS]
    back = np.argsort([(axis + 1) % 3, (axis + 2) % 3, axis])
    force, torque = pushed @ Wt, np.einsum("tji,tj->ti", Wr, pushed)
    norm = np.linalg.norm
    power = np.sum(pushed * v, axis=1)
    return History(norm(v, axis=1), load, norm(c, axis=1), force[:, back], torque[:, back], power)


def bent(result: Result, e: Element, n: int) -> np.ndarray:
    """The bristles' deflection at the first time, not a number where it is not known."""
    known = memory_at_start(result)
    if known is None:
        return np.full(n, np.nan)
    own = np.asarray(known, float)[memory_place(result.system, e)]
    return own[-n:].copy() if abs(own[0]) < UNKNOWN / 2 else np.full(n, np.nan)


def reaction_read(result: Result, e: Element) -> list[np.ndarray]:
    """The multipliers that the element reads, zero where there is none."""
    out = [np.zeros(len(result.time)) for _ in range(4)]
    for k, (item, which, row) in enumerate(e.entry.reads):
        mine = [x for x in result.system.elements if x.owner == item.name]
        if row in mine[which].entry.rows:
            place = mine[which].first_row + mine[which].entry.rows.index(row)
            out[k] = np.asarray(result.gamma[:, place])
    return out


def path_of(result: Result, e: Element, reals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The path of the surfaces on each other and its speed."""
    r, q, v, omega = (list(part) for part in zip(*(body_motion(result, b) for b in e.ends)))
    if kind_of(e.entry) == SLIDES:
        frames = reals[:, QA : QA + 4], reals[:, UA : UA + 3], reals[:, UB : UB + 3]
        return travel(frames, r, q, v, omega)
    torsion = np.zeros((len(reals), ts.REALS + 1))
    torsion[:, :8] = reals[:, :8]
    turn = ts.torsion_outputs(torsion, r, q, v, omega)
    radius = reals[:, RADIUS]
    wrapped = turn["angle"] - 2 * np.pi * np.round(turn["angle"] / (2 * np.pi))
    return radius * unwrap(result.time, wrapped, turn["rate"], wrapped[0]), radius * turn["rate"]
