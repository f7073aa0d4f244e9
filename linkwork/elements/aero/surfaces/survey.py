"""What happens at the points of lifting surfaces over many times, for results."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.aero.surfaces.motion import (
    between, from_axes, rotor_frame, section_at, take_nodes,
)  # fmt: skip
from linkwork.elements.aero.surfaces.layout import (
    BODIES, CENTRE_AC, CHORD, FIELD, FIRST, NODE, POINT, POINTS, RADIUS, SPANWISE, STATES, TOLD,
    VALUE, WEIGHT, WORK,
)  # fmt: skip
from linkwork.elements.aero.surfaces.layout import SPEED as NODE_SPEED
from linkwork.elements.aero.air.wind import air_at
from linkwork.elements.layout import NODE as BODY_NUMBERS
from linkwork.math import rotations
from linkwork.math.compiled import compiled
from linkwork.math.memory.addresses import address_of
from linkwork.math.record import record
from linkwork.math.vectors import IDENTITY, add, cross, dot, scale, sub

# of a point: angle of attack, Mach number, c_l, c_d, c_m, dynamic pressure, sweep velocity, speed;
# lift, drag, moment per length; place, force and moment per length in world axes; length; induced
# velocity; power of its loads on the structure
(ALPHA, MACH, CL, CD, CM, PRESSURE, SWEEP, SPEED, LIFT, DRAG, MOMENT, PLACE, FORCE, TORQUE, LENGTH,
 INDUCED, POWER, TOLD_NUMBERS) = record(
    alpha=1, mach=1, cl=1, cd=1, cm=1, pressure=1, sweep=1, speed=1, lift=1, drag=1, moment=1,
    place=3, force=3, torque=3, length=1, induced=1, power=1, told_numbers=0,
)  # fmt: skip


@compiled
def survey(codes, reals, nodes, values, ends, times, out):
    """out (T, points, TOLD_NUMBERS) of one element.

    codes (1, …) its integers; reals (T, …); nodes (T, bodies, NODE) of its ends that are bodies;
    values (T, 6, …) of its vector nodes; ends (1, …): of each end its row in nodes or its first
    value
    """
    y, given, found = np.zeros(WORK), np.zeros(3), np.zeros(3)
    for t in range(len(times)):
        one, here, known = reals[t : t + 1], nodes[t], values[t]
        n, states, kind = codes[0, BODIES], codes[0, STATES], codes[0, FIELD]
        points, first = codes[0, POINTS], codes[0, FIRST]
        rotor = n + (1 if states > 0 else 0)
        qr = take_nodes(ends, one, here, 0, n, first - NODE * n, y)
        A, centre, radius = IDENTITY, (0.0, 0.0, 0.0), 1.0
        if kind > 0:
            A, centre, _ = rotor_frame(ends, one, here, 0, rotor)
            radius = one[0, RADIUS]
        for j in range(points):
            pt = first + POINT * j
            p, spin, _, e1, e2, e3, _, _, _, u, _, _, _, _, _, _ = section_at(
                ends, codes, one, 0, n, states, kind, rotor, j, here, known, times[t], qr, A,
                centre, radius, y, given, found,
            )  # fmt: skip
            for i in range(8):
                out[t, j, i] = y[TOLD + i]
            c, q = one[0, pt + CHORD], y[TOLD + 5]
            out[t, j, LIFT], out[t, j, DRAG] = q * c * y[TOLD + 2], q * c * y[TOLD + 3]
            out[t, j, MOMENT] = q * c * c * y[TOLD + 4]
            F = from_axes(y[VALUE], y[VALUE + 1], y[VALUE + SPANWISE], e1, e2, e3)
            ac = one[0, pt + CENTRE_AC]
            M = scale(y[VALUE + 2] - ac * y[VALUE + 1], e3)
            at = add(p, scale(ac, e1))
            for i in range(3):
                out[t, j, PLACE + i], out[t, j, FORCE + i] = at[i], F[i]
                out[t, j, TORQUE + i] = M[i]
            out[t, j, LENGTH], out[t, j, INDUCED] = one[0, pt + WEIGHT], u
            v = add(between(one, 0, pt, n, NODE_SPEED, y), cross(spin, sub(at, p)))
            out[t, j, POWER] = dot(F, v) + dot(M, spin)


@compiled
def air_velocities(codes, reals, places, times, out):
    """Velocities of the air (T, 3) at a place for each time; codes (1, …) and reals (T, …) of the
    air."""
    given, found = np.zeros(3), np.zeros(3)
    for t in range(len(times)):
        x = (places[t, 0], places[t, 1], places[t, 2])
        v = air_at(codes, reals[t : t + 1], 0, 0, 0, x, times[t], given, found)[0]
        out[t, 0], out[t, 1], out[t, 2] = v


def wind_at(air: Any, places: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Velocity of an Air at places (T, 3) and times."""
    numbers, integers = air.numbers()  # whose callbacks live until the end
    codes = np.array([[address_of(x) for x in integers]], np.int64)
    reals = np.tile(numbers, (len(times), 1))
    for law in air.laws(0):
        reals[:, law.column : law.column + law.length] = law.values(times)
    out = np.zeros((len(times), 3))
    air_velocities(codes, reals, np.ascontiguousarray(places, float), np.asarray(times, float), out)
    assert integers
    return out


def body_rows(motion: np.ndarray) -> np.ndarray:
    """Rows of motion (T, bodies, 13) with rotation matrices, as kernels see them."""
    rows = np.zeros((*motion.shape[:2], BODY_NUMBERS))
    rows[..., :13] = motion
    rows[..., 13:22] = rotations.matrix(motion[..., 3:7]).reshape(*motion.shape[:2], 9)
    return rows
