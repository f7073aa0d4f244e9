"""Shapes that passed through each other within a step, so that no evaluation saw them touch.

From the first touch to where the normal of a contact turns round, two shapes move by the half
thicknesses a + b of both.  Where they move by more in a step, they may be apart at both ends of it
and have met in between, or overlap at its end on the wrong side of each other.  Such steps of a
finished run are looked at once more: the pair is placed along the line between both ends, and is
told where it overlaps there,

    d(s) = d₀ + s (d₁ − d₀),      depth(d(s)) > SHARE (a + b)

if the line is the path, that is, if the velocities before and after are that of the displacement:
no force has acted.  Planes have no other side.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linkwork.analysis.motion.checks.turns import rounded_down
from linkwork.elements.contact.contact import Contact
from linkwork.elements.contact.depth import contact_depth
from linkwork.elements.contact.layout import CENTRE_A, CENTRE_B, REACH_A, REACH_B
from linkwork.errors import LinkworkWarning, users_line
from linkwork.kernels import rotations
from linkwork.model.frame import GROUND
from linkwork.results.files.file_array import blocks
from linkwork.results.outputs.stored import body_numbers
from linkwork.results.result import Result

MOST_PAIRS = 4000  # of bodies that are looked at
MOST_STEPS = 64  # of a pair that are looked at once more
MOST_PLACES = 512  # along the line of a step
SHARE = 0.1  # of the half thicknesses: overlap that is told
STRAIGHT = 0.2  # of a displacement: what velocities may not explain
ENDLESS = 1e20  # reach of planes


class Fast(NamedTuple):
    """Two bodies (numbers, −1 for the ground) and the elements between their shapes."""

    one: int
    two: int
    contact: Contact
    pair: tuple[Any, Any]
    half: float  # thicknesses of both, the smallest of their shapes


def warn_of_passages(result: Result) -> None:
    """Say so where two shapes went through each other within a step."""
    if len(result) < 2 or not np.all(np.isfinite(result.motion[-1])):
        return
    contacts = [x for x in result.system.model.items.values() if isinstance(x, Contact)]
    for number, fast in enumerate(fast_pairs(result, contacts)):
        if number == MOST_PAIRS:
            return
        if found := passage(result, fast):
            time, speed, step = found
            names = [
                "the ground" if b < 0 else f"body '{result.system.names[b]}'"
                for b in (fast.one, fast.two)
            ]
            h = rounded_down(0.5 * fast.half / speed)
            warnings.warn(
                f"{fast.contact.label}: {names[0]} and {names[1]} went through each other before "
                f"t = {time:.6g}, at {speed:.3g} m/s and in less than a step of {step:g} s, so "
                f"that no force acted between them; take h = {h:g} s or less, or thicker shapes",
                LinkworkWarning, stacklevel=users_line(),
            )  # fmt: skip
            return


def fast_pairs(result: Result, contacts: list[Contact]) -> Iterator[Fast]:
    """Pairs of bodies of which one moves by more than their half thicknesses in a stored step."""
    number = body_numbers(result)
    gap = float(np.diff(result.time).max())
    speeds, spins = np.zeros(result.system.bodies), np.zeros(result.system.bodies)
    for block in blocks(result.motion):
        motion = result.motion[block]
        for largest, first in ((speeds, 7), (spins, 10)):
            size = np.linalg.norm(motion[:, :, first : first + 3], axis=-1).max(axis=0)
            np.maximum(largest, gap * size, out=largest)
    for contact in contacts:
        solids: dict[int, tuple[float, float]] = {}  # half thickness, reach from the body's centre
        moves: dict[int, float] = {}
        for body in bodies_of(contact):
            found = [s for s in contact.solids(body) if s.reach < ENDLESS]
            thick = [s.size if s.heights is None else 0.0 for s in found]
            half = min(thick, default=np.inf)
            far = max((s.reach + float(np.linalg.norm(s.centre)) for s in found), default=-1.0)
            solids[id(body)] = half, far
            moves[id(body)] = 0.0
            if body is not GROUND:
                moves[id(body)] = float(speeds[number(body)] + spins[number(body)] * max(far, 0.0))
        if 2 * max(moves.values()) <= min(half for half, _ in solids.values()):
            continue
        for one, two in contact.pairs_of_bodies():
            (a, far_a), (b, far_b) = solids[id(one)], solids[id(two)]
            if min(far_a, far_b) < 0 or a + b == np.inf:  # a plane, or a surface of no thickness
                continue
            if moves[id(one)] + moves[id(two)] > a + b:
                yield Fast(number(one), number(two), contact, (one, two), a + b)


def bodies_of(contact: Contact) -> list[Any]:
    """All bodies that it knows, each once."""
    sides = [x if isinstance(x, (list, tuple)) else [x] for x in (contact.a, contact.b)]
    return list({id(x): x for side in sides for x in side if x is not None}.values())


def passage(result: Result, fast: Fast) -> tuple[float, float, float] | None:
    """The end of a step in which the pair passed, its relative speed, and how long the step was."""
    one, two = fast.pair
    contact = replace(fast.contact, a=one, b=two, hard=False, restitution=None)
    number = body_numbers(result)
    for entry in contact.entries():
        integers, reals = entry.numbers
        if max(reals[REACH_A], reals[REACH_B]) > ENDLESS:
            continue
        ends = [number(body) for body in entry.bodies]
        (ra, qa, va), (rb, qb, vb) = (of_body(result, b) for b in ends)
        Ra, Rb = rotations.matrix(qa), rotations.matrix(qb)
        apart = rb + Rb @ reals[CENTRE_B : CENTRE_B + 3] - ra - Ra @ reals[CENTRE_A : CENTRE_A + 3]
        d = np.einsum("tji,tj->ti", Ra, apart)  # in axes of a
        moved = np.diff(d, axis=0)
        size = np.linalg.norm(moved, axis=1)
        part = -np.einsum("ti,ti->t", d[:-1], moved) / np.where(size > 0, size**2, 1.0)
        nearest = d[:-1] + np.clip(part, 0, 1)[:, None] * moved
        near = np.linalg.norm(nearest, axis=1) < reals[REACH_A] + reals[REACH_B]
        steps, way = np.diff(result.time), np.diff(rb - ra, axis=0)
        drift = way - steps[:, None] * (vb - va)[1:]
        straight = np.linalg.norm(drift, axis=1) <= STRAIGHT * np.linalg.norm(way, axis=1)
        begin = way - steps[:, None] * (vb - va)[:-1]
        straight &= np.linalg.norm(begin, axis=1) <= STRAIGHT * np.linalg.norm(way, axis=1)
        for k in np.flatnonzero(near & straight & (size > fast.half))[:MOST_STEPS]:
            count = int(min(MOST_PLACES, 4 * size[k] / fast.half + 4))
            s = np.linspace(0, 1, count)[:, None]
            r = [x[k] + s * (x[k + 1] - x[k]) for x in (ra, rb)]
            q = [turned(x[k], x[k + 1], s) for x in (qa, qb)]
            depth = contact_depth(integers, reals[None], r, q)
            if depth.max() > SHARE * fast.half:
                return float(result.time[k + 1]), float(size[k] / steps[k]), float(steps[k])
    return None


def of_body(result: Result, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, quaternions and velocities of a body over the stored times."""
    if b < 0:
        n = len(result)
        return np.zeros((n, 3)), np.tile([1.0, 0, 0, 0], (n, 1)), np.zeros((n, 3))
    motion = np.concatenate([result.motion[block][:, b] for block in blocks(result.motion)])
    return motion[:, :3], motion[:, 3:7], motion[:, 7:10]


def turned(first: np.ndarray, last: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Quaternions between two, (n, 4)."""
    q = first + s * (last * np.sign(first @ last or 1.0) - first)
    return q / np.linalg.norm(q, axis=1)[:, None]
