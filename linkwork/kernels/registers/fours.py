"""Four numbers at a time, of which three are a row of a 3×3 matrix: half the work of an eight.

    v = row4(a, i)       a[i : i + 3] and a zero     v + w, v - w, v * s, -v …  as in `lanes`
    load4(a, i)          a[i : i + 4]                unit4(k)    a one in lane k, which is a literal
    store4(a, i, v)      a[i : i + 4] = v            zeros4()    larger4(v, w)
    pair8(v, w)          an eight: three of v, three of w, two zeros

A row of a block of the iteration matrix is [lengths | rotations | two free numbers], so the four
with its rotations begins at 3 and the fourth of them falls on a free number.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types

from linkwork.kernels.compiled import generates
from linkwork.kernels.registers.lanes import (
    EIGHT,
    FOUR,
    code_of,
    in_memory,
    picked,
    place,
    zeros,
)  # fmt: skip

WIDTH = FOUR.width


def load4(a, i):
    return a[i : i + WIDTH].copy()


def row4(a, i):
    return np.array([*a[i : i + 3], 0.0])


def store4(a, i, v):
    a[i : i + WIDTH] = v


def unit4(k):
    return np.eye(WIDTH)[k]


def zeros4():
    return np.zeros(WIDTH)


def larger4(v, w):
    return np.where(v > w, v, w)


def pair8(v, w):
    return np.array([*v[:3], *w[:3], 0.0, 0.0])


# ------------------------------------------------------------------------------- compiled


in_memory(FOUR, load4, store4)


@generates(row4)
def _row4(typing, a, i):
    def generate(context, builder, signature, args):
        v = builder.load(place(context, builder, FOUR, a, *args), align=8)
        return picked(builder, v, zeros(FOUR), [0, 1, 2, 4])

    return FOUR(a, types.int64), generate


@generates(unit4)
def _unit4(typing, k):
    if not isinstance(k, types.IntegerLiteral):
        return None

    def generate(context, builder, signature, args):
        return ir.Constant(FOUR.vector, [float(i == k.literal_value) for i in range(WIDTH)])

    return FOUR(k), generate


@code_of(zeros4, FOUR())
def _zeros4(builder):
    return zeros(FOUR)


@code_of(larger4, FOUR(FOUR, FOUR))
def _larger4(builder, v, w):
    return builder.select(builder.fcmp_ordered(">", v, w), v, w)


@code_of(pair8, EIGHT(FOUR, FOUR))
def _pair8(builder, v, w):
    return picked(builder, v, w, [0, 1, 2, 4, 5, 6, 3, 7])  # the last of a row is zero
