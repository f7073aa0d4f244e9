"""Four numbers at a time: y ← (y − a₀u₀ − a₁u₁ − a₂u₂ − a₃u₃) s, the one inner loop of L U.

`update` and `raise_peak` are the model in numpy, and what runs without compilation.  Compiled, they
are the vector operations below, because the compiler does not find them (numba leaves LLVM's
search for them, SLP, switched off).
"""

import numpy as np
from llvmlite import ir
from numba import types

from linkwork.kernels.compiled import generates

LANES = 4


def pad(count):
    """The next multiple of LANES."""
    return -(-count // LANES) * LANES


def update(y, i, a, j, lead, u0, u1, u2, u3, scale):
    """y = (y - a0 u0 - a1 u1 - a2 u2 - a3 u3) scale for LANES numbers of y, from i on.

    a0 starts at a[j] and a1, a2, a3 follow at distances `lead`.
    """
    columns = a[j : j + LANES], a[j + lead :][:LANES], a[j + 2 * lead :][:LANES]
    part = y[i : i + LANES] - columns[0] * u0 - columns[1] * u1 - columns[2] * u2
    y[i : i + LANES] = (part - a[j + 3 * lead :][:LANES] * u3) * scale


def raise_peak(peak, weight, i, a, j, lead, s0, s1, s2, s3):
    """peak = max(peak, |a0| w s0, ..., |a3| w s3), w = weight[i:], in the manner of `update`."""
    for q, s in enumerate((s0, s1, s2, s3)):
        column = np.abs(a[j + q * lead :][:LANES])
        peak[:] = np.maximum(peak, column * weight[i : i + LANES] * s)


_VECTOR = ir.VectorType(ir.DoubleType(), LANES)


def _vector_at(context, builder, array_type, array, offset):
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), _VECTOR.as_pointer())


def _spread(builder, number):
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, undefined, zeros)


@generates(update)
def _vector_update(typing, y, i, a, j, lead, u0, u1, u2, u3, scale):
    signature = types.void(y, types.int64, a, types.int64, types.int64, *[types.float64] * 5)

    def generate(context, builder, signature, args):
        where = _vector_at(context, builder, y, args[0], args[1])
        result, offset = builder.load(where, align=8), args[3]
        for u in args[5:9]:
            column = builder.load(_vector_at(context, builder, a, args[2], offset), align=8)
            product = builder.fmul(column, _spread(builder, u), flags=["contract"])
            result = builder.fsub(result, product, flags=["contract"])
            offset = builder.add(offset, args[4])
        builder.store(builder.fmul(result, _spread(builder, args[9])), where, align=8)
        return context.get_dummy_value()

    return signature, generate


@generates(raise_peak)
def _vector_raise(typing, peak, weight, i, a, j, lead, s0, s1, s2, s3):
    integers = [types.int64] * 2
    signature = types.void(peak, weight, types.int64, a, *integers, *[types.float64] * 4)

    def generate(context, builder, signature, args):
        where = _vector_at(context, builder, peak, args[0], ir.Constant(ir.IntType(64), 0))
        result, offset = builder.load(where, align=8), args[4]
        w = builder.load(_vector_at(context, builder, weight, args[1], args[2]), align=8)
        for s in args[6:10]:
            column = builder.load(_vector_at(context, builder, a, args[3], offset), align=8)
            size = builder.fmul(builder.fmul(column, w), _spread(builder, s))
            for value in (size, builder.fneg(size)):
                result = builder.select(builder.fcmp_ordered(">", value, result), value, result)
            offset = builder.add(offset, args[5])
        builder.store(result, where, align=8)
        return context.get_dummy_value()

    return signature, generate
