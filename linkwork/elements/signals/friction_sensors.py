"""Sensors of friction: what an element of friction exerts, whose load N is a reaction.

The sensor asks a copy of the element as that of other loads does (signals.load_sensors).  What it
shows is proportional to the load N, so that its slopes by the multipliers γ of the joint are

    ∂x/∂γ_j = x/N ∂N/∂γ_j,    N = N₀ + |F|:  ∂N/∂γ_j = γ_j/|F|;   of a thread  sgn γ

and zero where N is at its least, or F is zero and |F| has its corner.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from linkwork.elements.friction.bristles import LEAST, LOADS, MOTION, POINTS, PRELOAD, kind_of
from linkwork.elements.friction.joints import SCREWS, SLIDES
from linkwork.elements.layout import BY_VALUE, FIRST, SIX, TANGENT, VALUE, int_width
from linkwork.elements.signals.load_sensors import (
    ENDS, HEAD_SIZE, INTEGERS, KERNEL, LOAD_SENSOR, ROWS, SHARE, own_integers, place_blocks,
    put_back, put_slopes, shown, take_out, turn_slopes, with_memory,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel, Loads, call_kernel_at
from linkwork.kernels.memory.records import refer
from linkwork.kernels.record import record
from linkwork.model.registry import Entry, Family

# ends x, a, b; behind their ints the places of four multipliers: those whose slopes are told first
WIDTH, TOLD = 3, int_width(3, 0)
SIZES = TOLD + 4  # integers: the unknowns of the ends first
FRICTION_SENSOR = record(LOAD_SENSOR, slopes=3, numbers=0)  # by three multipliers; the element's
SLOPES, NUMBERS = FRICTION_SENSOR
INNER = LOADS + 4  # ints of the element before its own integers


@inlined
def kind_at(ints, k):
    """What moves in the element."""
    head = ints.shape[1] - HEAD_SIZE
    return ints[k, head - ints[k, head + INTEGERS] + MOTION - POINTS]


@inlined
def place_loads(ints, k, thread, inner):
    """Where the element finds its multipliers: of a thread the first is its fourth."""
    for j in range(4):
        inner[0, LOADS + j] = ints[k, TOLD + (j + 1) % 4] if thread else ints[k, TOLD + j]


@inlined
def load_slopes(ints, reals, k, gamma, row):
    """N, and in `row` how it changes with the three multipliers told first."""
    kind, size = kind_at(ints, k), 0.0
    for j in range(3):
        row[j] = gamma[ints[k, TOLD + j]]
        if (kind == SLIDES and j == 2) or (kind == SCREWS and j > 0):
            row[j] = 0.0
        size += row[j] * row[j]
    size = math.sqrt(size)
    whole = reals[k, NUMBERS + PRELOAD] + size
    moves = size > 0.0 and whole > reals[k, NUMBERS + LEAST]
    for j in range(3):
        row[j] = row[j] / size if moves else 0.0
    return max(whole, reals[k, NUMBERS + LEAST])


@inlined
def ask(ints, reals, k, motion, loads, inner, own):
    """The element's own residuals and blocks, in places of their own."""
    numbers, before = reals[k, NUMBERS:], motion.coef[FIRST]
    kernel = ints[k, ints.shape[1] - HEAD_SIZE + KERNEL]
    motion.coef[FIRST] = 0.0
    call_kernel_at(
        kernel, inner, numbers.reshape(1, numbers.size), refer(with_memory(motion, k)),
        refer(Loads(
            loads.f, loads.balance, loads.C, loads.Ct, loads.Qc, own, loads.power, loads.out
        )),
    )  # fmt: skip
    motion.coef[FIRST] = before


def friction_sensor_kernel(ints, reals, motion, loads):
    """Ends x, a, b of the friction; the axes of the direction are those of one of its bodies."""
    vals, power, coef = loads.vals, loads.power, motion.coef
    row, slopes, kept = np.zeros(SIX), np.zeros(3), np.zeros(ROWS * WIDTH)
    head = ints.shape[1] - HEAD_SIZE
    for k in range(ints.shape[0]):
        n, x = ints[k, head + ENDS], ints[k, 0]
        inner = np.zeros((1, INNER + ints[k, head + INTEGERS]), np.int64)
        for i in range(n):
            inner[0, i] = ints[k, 1 + i]
        own_integers(ints, k, head, inner)
        own = np.zeros(place_blocks(ints, k, SIZES, n, inner))
        place_loads(ints, k, kind_at(ints, k) == SCREWS, inner)
        dissipated, supplied = power[0], power[1]
        p = take_out(ints, k, SIZES, n, loads, kept)
        ask(ints, reals, k, motion, loads, inner, own)
        found = shown(ints, reals, k, SIZES, motion, loads, row)
        if coef[TANGENT] != 0.0:
            put_slopes(ints, k, SIZES, WIDTH, n, own, row, vals, inner)
            turn_slopes(ints, reals, k, WIDTH, motion, loads, vals)
            if ints[k, head + SHARE] == 0:
                vals[ints[k, WIDTH]] += motion.values[BY_VALUE, x]
        N = load_slopes(ints, reals, k, motion.gamma, slopes)
        power[0], power[1] = dissipated, supplied
        for j in range(3):
            reals[k, SLOPES + j] = found / N * slopes[j] if N > 0.0 else 0.0
        put_back(ints, k, SIZES, n, loads, kept, p)
        loads.balance[x] += motion.values[VALUE, x] - found


FRICTION_SENSOR_KERNEL = Kernel(friction_sensor_kernel, allocates=True)


@functools.cache
def friction_sensor_family(family: Family) -> Family:
    """Sensors of elements of a family of friction; all share one kernel."""
    return Family(
        f"sensor of {family.name}", FRICTION_SENSOR_KERNEL, bodies=WIDTH,
        reals=NUMBERS + family.reals, integers=2 * (WIDTH - 1) + family.integers + HEAD_SIZE,
        memory=family.memory, reads=4, answers=SLOPES, numbers=NUMBERS,
    )  # fmt: skip


def multipliers_read(inner: Entry) -> tuple[Any, ...]:
    """What an element of friction reads, those that its load depends on first."""
    if kind_of(inner) == SCREWS and inner.reads:
        return (inner.reads[3], *inner.reads[:3])
    return inner.reads
