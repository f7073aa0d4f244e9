"""Brakes about hinges of the tree in implicit steps: what their torque changes by with v̇₁.

The torque N r c of a brake (friction.friction) depends on the path r Δφ since the last step and on
the speed r φ̇, both linear in v̇₁: with c_s and c_v its slopes and c = (1 − α_f)/(1 − α_m),

    κ = N r² c (β h² c_s + γ h c_v)

While the bristles hold this is large, while they slip nearly nothing.  Newton's method would go
from slipping one way to slipping the other way and back where they hold in between; hence, once
both ways have been tried, κ of a slipping brake is that of the chord to the last place on the other
side, which leads to where they hold.  Brakes that held at the end of the last step begin with the
v̇₁ that leaves them where they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.friction.bristles import LEAST, PRELOAD, RADIUS, S0, bristles, limit
from linkwork.elements.friction.brake import Brake
from linkwork.elements.friction.friction import BENT, PATH, shaped
from linkwork.kernels import rotations
from linkwork.kernels.compiled import fused_inlined
from linkwork.recursive.tree.layout import ABOUT_Z, IQ, IV
from linkwork.recursive.tree.parts import Parts

FIRST, WIDTH, MEMORY, POINTS, KIND, MODEL, COORDINATE, VELOCITY, SIGN, COLUMNS = range(10)
# of each brake: whether it has slipped back (0) and on (3) in this step, at which v̇₁, with which c
TRIED, PLACE, SHARE, ROOM = 0, 1, 2, 6
ALIGNED = 1e-9  # of the axes of brake and hinge
STRETCHED = 0.99  # of what bristles bear: those that are bent further have slipped


def brake_table(parts: Parts) -> np.ndarray:
    """(brakes, COLUMNS) of those about the axis of a hinge of the tree, between its two bodies."""
    system, part = parts.full.system, parts.outer.part
    elements = {e.owner: number for number, e in zip(part.numbers, part.elements, strict=True)}
    rows = []
    items = system.model.items
    for brake in (x for x in items.values() if isinstance(x, Brake) and x.name in elements):
        ends = {id(f.body) for f in brake.frames}
        axis = rotations.matrix(brake.frames[1].orientation)[:, 2]
        for i, step in enumerate(parts.topology.steps):
            motion = step.motion
            if step.edge is None or step.link is not None or motion.law is not None or motion.free:
                continue
            joint: Any = items.get(step.edge.name)
            frames: Any = getattr(joint, "frames", ())
            if motion.turn != ABOUT_Z or motion.axis != 2 or {id(f.body) for f in frames} != ends:
                continue
            same = frames[1].body is brake.frames[1].body
            along = rotations.matrix(frames[1 if same else 0].orientation)[:, 2] @ axis
            if abs(along) < 1 - ALIGNED:
                continue
            sign = (1 if along > 0 else -1) * (1 if same else -1) * (-1 if step.turned else 1)
            number, ints = elements[str(brake.name)], parts.tree.ints[i]
            e, place = system.elements[number], system.places[number]
            rows.append([
                place.start, place.stop - place.start, system.memory_places[number].start,
                *e.entry.integers, int(ints[IQ]), int(ints[IV]), sign,
            ])  # fmt: skip
    return np.array(rows, np.int64).reshape(-1, COLUMNS)


@fused_inlined
def brake_slope(reals, memory, brakes, room, k, q0, q, v, guess, by_place, by_speed):
    """κ of a brake at an iterate; by_place and by_speed: how these change with v̇₁."""
    first, width, iv = brakes[k, FIRST], brakes[k, WIDTH], brakes[k, VELOCITY]
    x = reals[first : first + width].reshape(1, width)
    radius, sign = x[0, RADIUS], float(brakes[k, SIGN])
    N = max(x[0, PRELOAD], x[0, LEAST])
    step = sign * radius * (q[brakes[k, COORDINATE]] - q0[brakes[k, COORDINATE]])
    before, z0 = memory[brakes[k, MEMORY] + PATH], memory[brakes[k, MEMORY] + BENT]
    known = abs(before) < 1e200
    c, _, cs, cv = bristles(
        x, 0, brakes[k, POINTS], brakes[k, MODEL], known, z0, step,
        sign * radius * v[iv],
    )  # fmt: skip
    c, shape = shaped(brakes[k, KIND], x, 0, 1.0, c)
    slope = N * radius * radius * shape * (by_place * cs + by_speed * cv)
    if known and cs > 0.5 * x[0, S0]:
        return max(slope, 0.0)
    here, other = (3, 0) if c > 0.0 else (0, 3)
    room[k, here + TRIED], room[k, here + PLACE], room[k, here + SHARE] = 1.0, guess[iv], c
    away = guess[iv] - room[k, other + PLACE]
    if room[k, other + TRIED] != 0.0 and away != 0.0:
        slope = N * radius * sign * (c - room[k, other + SHARE]) / away
    return max(slope, 0.0)


@fused_inlined
def holding(reals, memory, brakes, k):
    """Whether bristles held at the end of the last step."""
    first, width = brakes[k, FIRST], brakes[k, WIDTH]
    x = reals[first : first + width].reshape(1, width)
    if abs(memory[brakes[k, MEMORY] + PATH]) >= 1e200:
        return False
    z = memory[brakes[k, MEMORY] + BENT]
    return abs(x[0, S0] * z) < STRETCHED * limit(x, 0, brakes[k, POINTS], 0.0)[0]


@fused_inlined
def add_brakes(reals, memory, brakes, room, q0, q, v, guess, by_place, by_speed, fixed, kappa):
    """κ of everything, that of brakes at this iterate beside what does not change."""
    for k in range(brakes.shape[0]):
        iv = brakes[k, VELOCITY]
        kappa[iv] = fixed[iv]
    for k in range(brakes.shape[0]):
        kappa[brakes[k, VELOCITY]] += brake_slope(
            reals, memory, brakes, room, k, q0, q, v, guess, by_place, by_speed
        )
