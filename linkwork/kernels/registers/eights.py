"""Eight numbers at a time: a value of the compiled code that fills one vector register.

    v = load8(a, i)      a[i : i + 8]                v + w, v - w, v * w, v / w, v * s, -v …
    store8(a, i, v)      a[i : i + 8] = v            sum8(v)     the sum of the eight
    spread8(s)           eight times s               lane8(v, i) eight times v[i]
    larger8(v, w)        the larger of each pair     six8(a, b)  two triples and two zeros
    put8(v, i, w)        v with w[i] in place i      last8(v, s, t)  v with s and t at 6 and 7
    item8(v, i)          v[i]                        join8(v, w) v, and w at 3 to 5
    high8(v)             zeros, and v at 3 to 5      store6      the first six alone
    any8(v)              whether one is not zero     fetch8(a, i) asks memory for a[i : i + 8],
    triples8(v)          v[:3] and v[3:6], as tuples             which will soon be loaded or stored

The compiler does not find these vectors by itself in loops over six rows (numba leaves LLVM's
search for them, SLP, switched off).  Arithmetic is in `lanes`.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import types

from linkwork.kernels.compiled import generates
from linkwork.kernels.registers.lanes import (
    EIGHT,
    code_of,
    in_memory,
    number,
    picked,
    place,
    spread,
    zeros,
)  # fmt: skip

LANES = EIGHT.width
THREE = types.UniTuple(types.float64, 3)


def zeros8(count: int) -> np.ndarray:
    """Zeros that start on a cache line, so that no eight lies across two."""
    room = np.zeros(count + LANES)
    first = (-room.ctypes.data // 8) % LANES
    return room[first : first + count]


def vectors(*shape: int) -> np.ndarray:
    """Room for vectors of bodies, eight numbers each."""
    return zeros8(math.prod(shape) * LANES).reshape(*shape, LANES)


# --------------------------------------------------------------------- the model, in numpy


def load8(a, i):
    return a[i : i + LANES].copy()


def store8(a, i, v):
    a[i : i + LANES] = v


def store6(a, i, v):
    a[i : i + 6] = v[:6]


def fetch8(a, i):
    pass


def spread8(s):
    return np.full(LANES, s)


def sum8(v):
    return v.sum()


def six8(a, b):
    return np.array([*a, *b, 0.0, 0.0])


def triples8(v):
    return (v[0], v[1], v[2]), (v[3], v[4], v[5])


def high8(v):
    return np.array([0.0, 0.0, 0.0, *v[3:6], 0.0, 0.0])


def join8(v, w):
    return np.array([*v[:3], *w[3:6], *v[6:]])


def last8(v, s, t):
    return np.array([*v[:6], s, t])


def item8(v, i):
    return v[i]


def any8(v):
    return bool(np.any(v != 0.0))


def larger8(v, w):
    return np.where(v > w, v, w)




def lane8(v, i):
    return np.full(LANES, v[i])


def put8(v, i, w):
    return np.where(np.arange(LANES) == i, w, v)


# ------------------------------------------------------------------------------- compiled


in_memory(EIGHT, load8, store8)


@generates(store6)
def _store6(typing, a, i, v):
    def generate(context, builder, signature, args):
        for first, width in ((0, 4), (4, 2)):
            part = picked(builder, args[2], args[2], range(first, first + width))
            here = builder.add(args[1], ir.Constant(ir.IntType(64), first))
            there = place(context, builder, EIGHT, a, args[0], here)
            builder.store(part, builder.bitcast(there, part.type.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(a, types.int64, EIGHT), generate


@generates(fetch8)
def _fetch8(typing, a, i):
    def generate(context, builder, signature, args):
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        there = builder.bitcast(place(context, builder, EIGHT, a, *args), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
        builder.call(fetch, [there, *(ir.Constant(word, n) for n in (0, 3, 1))])  # to read; data
        return context.get_dummy_value()

    return types.void(a, types.int64), generate


@code_of(spread8, EIGHT(types.float64))
def _spread8(builder, s):
    return spread(builder, EIGHT, s)


@code_of(sum8, types.float64(EIGHT))
def _sum8(builder, v):
    """The two halves of a vector are added until one number is left."""
    width = LANES
    while width > 1:
        width //= 2
        low = picked(builder, v, v, range(width))
        v = builder.fadd(low, picked(builder, v, v, range(width, 2 * width)))
    return builder.extract_element(v, number(0))


@code_of(six8, EIGHT(THREE, THREE))
def _six8(builder, a, b):
    v = zeros(EIGHT)
    for i in range(6):
        v = builder.insert_element(v, builder.extract_value((a, b)[i // 3], i % 3), number(i))
    return v


@generates(triples8)
def _triples8(typing, v):
    both = types.UniTuple(THREE, 2)

    def generate(context, builder, signature, args):
        numbers = [builder.extract_element(args[0], number(i)) for i in range(6)]
        parts = [context.make_tuple(builder, THREE, numbers[i : i + 3]) for i in (0, 3)]
        return context.make_tuple(builder, both, parts)

    return both(EIGHT), generate


@code_of(high8, EIGHT(EIGHT))
def _high8(builder, v):
    return picked(builder, v, zeros(EIGHT), [8, 8, 8, 3, 4, 5, 8, 8])


@code_of(join8, EIGHT(EIGHT, EIGHT))
def _join8(builder, v, w):
    return picked(builder, v, w, [0, 1, 2, 11, 12, 13, 6, 7])


@code_of(last8, EIGHT(EIGHT, types.float64, types.float64))
def _last8(builder, v, s, t):
    return builder.insert_element(builder.insert_element(v, s, number(6)), t, number(7))


@code_of(any8, types.boolean(EIGHT))
def _any8(builder, v):
    bits = builder.bitcast(builder.fcmp_unordered("!=", v, zeros(EIGHT)), ir.IntType(LANES))
    return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))


@code_of(larger8, EIGHT(EIGHT, EIGHT))
def _larger8(builder, v, w):
    return builder.select(builder.fcmp_ordered(">", v, w), v, w)


@code_of(lane8, EIGHT(EIGHT, types.int64))
def _lane8(builder, v, i):
    return spread(builder, EIGHT, builder.extract_element(v, i))


@code_of(item8, types.float64(EIGHT, types.int64))
def _item8(builder, v, i):
    return builder.extract_element(v, i)


@code_of(put8, EIGHT(EIGHT, types.int64, EIGHT))
def _put8(builder, v, i, w):
    undefined = ir.Constant(ir.VectorType(ir.IntType(64), LANES), ir.Undefined)
    first = builder.insert_element(undefined, i, number(0))
    places = picked(builder, first, undefined, [0] * LANES)  # the number of the lane
    here = builder.icmp_signed("==", places, ir.Constant(places.type, list(range(LANES))))
    return builder.select(here, w, v)
