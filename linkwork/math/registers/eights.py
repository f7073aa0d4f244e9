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

from linkwork.math.compiled import generates
from linkwork.math.registers.lanes import EIGHT, in_memory, picked, place, spread

LANES = EIGHT.width
_VECTOR = EIGHT.vector


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


@generates(spread8)
def _spread8(typing, s):
    def generate(context, builder, signature, args):
        return spread(builder, EIGHT, args[0])

    return EIGHT(types.float64), generate


def _halves(builder, v, combine):
    """Combine the two halves of a vector until one number is left."""
    width = LANES
    while width > 1:
        width //= 2
        low = picked(builder, v, v, range(width))
        v = combine(low, picked(builder, v, v, range(width, 2 * width)))
    return builder.extract_element(v, ir.Constant(ir.IntType(32), 0))


@generates(sum8)
def _sum8(typing, v):
    def generate(context, builder, signature, args):
        return _halves(builder, args[0], builder.fadd)

    return types.float64(EIGHT), generate


@generates(six8)
def _six8(typing, a, b):
    def generate(context, builder, signature, args):
        v = ir.Constant(_VECTOR, [0.0] * LANES)
        for i in range(6):
            number = builder.extract_value(args[i // 3], i % 3)
            v = builder.insert_element(v, number, ir.Constant(ir.IntType(32), i))
        return v

    three = types.UniTuple(types.float64, 3)
    return EIGHT(three, three), generate


@generates(triples8)
def _triples8(typing, v):
    three = types.UniTuple(types.float64, 3)
    both = types.UniTuple(three, 2)

    def generate(context, builder, signature, args):
        numbers = [
            builder.extract_element(args[0], ir.Constant(ir.IntType(32), i)) for i in range(6)
        ]
        parts = [context.make_tuple(builder, three, numbers[i : i + 3]) for i in (0, 3)]
        return context.make_tuple(builder, both, parts)

    return both(EIGHT), generate


@generates(high8)
def _high8(typing, v):
    def generate(context, builder, signature, args):
        zeros = ir.Constant(_VECTOR, [0.0] * LANES)
        return picked(builder, args[0], zeros, [8, 8, 8, 3, 4, 5, 8, 8])

    return EIGHT(EIGHT), generate


@generates(join8)
def _join8(typing, v, w):
    def generate(context, builder, signature, args):
        return picked(builder, *args, [0, 1, 2, 11, 12, 13, 6, 7])

    return EIGHT(EIGHT, EIGHT), generate


@generates(last8)
def _last8(typing, v, s, t):
    def generate(context, builder, signature, args):
        v = args[0]
        for i in (6, 7):
            v = builder.insert_element(v, args[i - 5], ir.Constant(ir.IntType(32), i))
        return v

    return EIGHT(EIGHT, types.float64, types.float64), generate


@generates(any8)
def _any8(typing, v):
    def generate(context, builder, signature, args):
        zeros = ir.Constant(_VECTOR, [0.0] * LANES)
        found = builder.fcmp_unordered("!=", args[0], zeros)
        bits = builder.bitcast(found, ir.IntType(LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(EIGHT), generate


@generates(larger8)
def _larger8(typing, v, w):
    def generate(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return EIGHT(EIGHT, EIGHT), generate


@generates(lane8)
def _lane8(typing, v, i):
    def generate(context, builder, signature, args):
        return spread(builder, EIGHT, builder.extract_element(*args))

    return EIGHT(EIGHT, types.int64), generate


@generates(item8)
def _item8(typing, v, i):
    def generate(context, builder, signature, args):
        return builder.extract_element(*args)

    return types.float64(EIGHT, types.int64), generate


@generates(put8)
def _put8(typing, v, i, w):
    def generate(context, builder, signature, args):
        undefined = ir.Constant(ir.VectorType(ir.IntType(64), LANES), ir.Undefined)
        first = builder.insert_element(undefined, args[1], ir.Constant(ir.IntType(32), 0))
        places = picked(builder, first, undefined, [0] * LANES)  # the number of the lane
        here = builder.icmp_signed("==", places, ir.Constant(places.type, list(range(LANES))))
        return builder.select(here, args[2], args[0])

    return EIGHT(EIGHT, types.int64, EIGHT), generate
