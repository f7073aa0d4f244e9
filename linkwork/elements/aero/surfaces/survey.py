"""Outputs at the points of lifting surfaces, and velocities of the air at places."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.aero.surfaces.layout import (
    CENTRE_AC, CHORD, SPANWISE, TOLD, VALUE, WEIGHT,
)  # fmt: skip
from linkwork.elements.aero.surfaces.motion import between, from_axes
from linkwork.elements.aero.surfaces.layout import SPEED as NODE_SPEED
from linkwork.elements.aero.air.wind import air_at
from linkwork.kernels.compiled import compiled, inlined
from linkwork.kernels.memory.addresses import address_of
from linkwork.kernels.record import record
from linkwork.kernels.vectors import add, cross, dot, scale, sub

# of a point: angle of attack, Mach number, c_l, c_d, c_m, dynamic pressure, sweep velocity, speed;
# lift, drag, moment per length; place, force and moment per length in world axes; length; induced
# velocity; power of its loads on the structure
(ALPHA, MACH, CL, CD, CM, PRESSURE, SWEEP, SPEED, LIFT, DRAG, MOMENT, PLACE, FORCE, TORQUE, LENGTH,
 INDUCED, POWER, TOLD_NUMBERS) = record(
    alpha=1, mach=1, cl=1, cd=1, cm=1, pressure=1, sweep=1, speed=1, lift=1, drag=1, moment=1,
    place=3, force=3, torque=3, length=1, induced=1, power=1, told_numbers=0,
)  # fmt: skip


@inlined
def put_point(out, reals, k, pt, n, y, p, spin, e1, e2, e3, u, first):
    """The numbers of a point at `pt` of element k, from its work, into its outputs from `first`."""
    for i in range(8):
        out[k, first + i] = y[TOLD + i]
    c, q = reals[k, pt + CHORD], y[TOLD + 5]
    out[k, first + LIFT], out[k, first + DRAG] = q * c * y[TOLD + 2], q * c * y[TOLD + 3]
    out[k, first + MOMENT] = q * c * c * y[TOLD + 4]
    F = from_axes(y[VALUE], y[VALUE + 1], y[VALUE + SPANWISE], e1, e2, e3)
    ac = reals[k, pt + CENTRE_AC]
    M = scale(y[VALUE + 2] - ac * y[VALUE + 1], e3)
    at = add(p, scale(ac, e1))
    for i in range(3):
        out[k, first + PLACE + i], out[k, first + FORCE + i] = at[i], F[i]
        out[k, first + TORQUE + i] = M[i]
    out[k, first + LENGTH], out[k, first + INDUCED] = reals[k, pt + WEIGHT], u
    v = add(between(reals, k, pt, n, NODE_SPEED, y), cross(spin, sub(at, p)))
    out[k, first + POWER] = dot(F, v) + dot(M, spin)


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
