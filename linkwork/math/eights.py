"""Eight numbers at a time: a value of the compiled code that fills one vector register.

    v = load8(a, i)      a[i : i + 8]                v + w, v - w, v * w, v / w, v * s, -v …
    store8(a, i, v)      a[i : i + 8] = v            sum8(v)     the sum of the eight
    spread8(s)           eight times s               lane8(v, i) eight times v[i]
    larger8(v, w)        the larger of each pair     six8(a, b)  two triples and two zeros
    put8(v, i, w)        v with w[i] in place i      turn8(a, i) zeros, and a[i : i + 3] at 3 to 5
    item8(v, i)          v[i]                        high8(v)    zeros, and v at 3 to 5

The compiler does not find these vectors by itself in loops over six rows (numba leaves LLVM's
search for them, SLP, switched off).  Without compilation an eight is a numpy array.  Products and
sums are contracted to one operation where the machine has it.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast, models, register_model

from linkwork.math.borrowed import FIRST, BorrowedType
from linkwork.math.compiled import generates

LANES = 8


class EightType(types.Type):
    """Numba's type of eight numbers in a register."""

    def __init__(self) -> None:
        super().__init__(name="eight")


EIGHT = EightType()
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_FLAGS = ["contract"]
# registers of eight numbers can pick a lane by its number; others go through memory
WIDE_REGISTERS = get_host_cpu_features().get("avx512f", False)
PERMUTE = "llvm.x86.avx512.permvar.df.512"


@register_model(EightType)
class EightModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def zeros8(count: int) -> np.ndarray:
    """Zeros that start on a cache line, so that no eight lies across two."""
    room = np.zeros(count + LANES)
    first = (-room.ctypes.data // 8) % LANES
    return room[first : first + count]


# --------------------------------------------------------------------- the model, in numpy


def load8(a, i):
    return a[i : i + LANES].copy()


def store8(a, i, v):
    a[i : i + LANES] = v


def spread8(s):
    return np.full(LANES, s)


def sum8(v):
    return v.sum()


def six8(a, b):
    return np.array([*a, *b, 0.0, 0.0])


def turn8(a, i):
    return np.array([0.0, 0.0, 0.0, *a[i : i + 3], 0.0, 0.0])


def high8(v):
    return turn8(v, 3)


def item8(v, i):
    return v[i]


def larger8(v, w):
    return np.where(v > w, v, w)


def lane8(v, i):
    return np.full(LANES, v[i])


def put8(v, i, w):
    return np.where(np.arange(LANES) == i, w, v)


# ------------------------------------------------------------------------------- compiled


def _place(context, builder, kind, array, offset):
    if not isinstance(kind, BorrowedType):
        array = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(array, [offset]), _VECTOR.as_pointer())


def _spread(builder, number):
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, undefined, zeros)


@generates(load8)
def _load8(typing, a, i):
    def generate(context, builder, signature, args):
        return builder.load(_place(context, builder, a, *args), align=8)

    return EIGHT(a, types.int64), generate


@generates(store8)
def _store8(typing, a, i, v):
    def generate(context, builder, signature, args):
        builder.store(args[2], _place(context, builder, a, *args[:2]), align=8)
        return context.get_dummy_value()

    return types.void(a, types.int64, EIGHT), generate


@generates(spread8)
def _spread8(typing, s):
    return EIGHT(types.float64), lambda context, builder, signature, args: _spread(builder, args[0])


def _halves(builder, v, combine):
    """Combine the two halves of a vector until one number is left."""
    width = LANES
    while width > 1:
        width //= 2
        index = ir.VectorType(ir.IntType(32), width)
        low = builder.shuffle_vector(v, v, ir.Constant(index, list(range(width))))
        high = builder.shuffle_vector(v, v, ir.Constant(index, list(range(width, 2 * width))))
        v = combine(low, high)
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


def _high(builder, v):
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [8, 8, 8, 3, 4, 5, 8, 8])
    return builder.shuffle_vector(v, ir.Constant(_VECTOR, [0.0] * LANES), lanes)


@generates(turn8)
def _turn8(typing, a, i):
    def generate(context, builder, signature, args):
        here = builder.sub(args[1], ir.Constant(ir.IntType(64), 3))  # three numbers are before it
        return _high(builder, builder.load(_place(context, builder, a, args[0], here), align=8))

    return EIGHT(a, types.int64), generate


@generates(high8)
def _high8(typing, v):
    return EIGHT(EIGHT), lambda context, builder, signature, args: _high(builder, args[0])


@generates(larger8)
def _larger8(typing, v, w):
    def generate(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return EIGHT(EIGHT, EIGHT), generate


def _chosen(builder, v, i):
    """Eight times v[i], by the number in the register."""
    index = ir.VectorType(ir.IntType(64), LANES)
    permute = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_VECTOR, [_VECTOR, index]), PERMUTE
    )
    one = builder.insert_element(
        ir.Constant(index, ir.Undefined), i, ir.Constant(ir.IntType(32), 0)
    )
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.call(permute, [v, builder.shuffle_vector(one, one, zeros)])


@generates(lane8)
def _lane8(typing, v, i):
    def generate(context, builder, signature, args):
        if not WIDE_REGISTERS:
            return _spread(builder, builder.extract_element(*args))
        return _chosen(builder, *args)

    return EIGHT(EIGHT, types.int64), generate


@generates(item8)
def _item8(typing, v, i):
    def generate(context, builder, signature, args):
        if not WIDE_REGISTERS:
            return builder.extract_element(*args)
        return builder.extract_element(_chosen(builder, *args), ir.Constant(ir.IntType(32), 0))

    return types.float64(EIGHT, types.int64), generate


@generates(put8)
def _put8(typing, v, i, w):
    def generate(context, builder, signature, args):
        index = ir.VectorType(ir.IntType(64), LANES)
        one = builder.insert_element(
            ir.Constant(index, ir.Undefined), args[1], ir.Constant(ir.IntType(32), 0)
        )
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        place = builder.shuffle_vector(one, one, zeros)
        here = builder.icmp_signed("==", place, ir.Constant(index, list(range(LANES))))
        return builder.select(here, args[2], args[0])

    return EIGHT(EIGHT, types.int64, EIGHT), generate


class _Binary(AbstractTemplate):
    metadata = FIRST

    def generic(self, args, kws):
        if len(args) == 2 and EIGHT in args:
            other = args[0] if args[1] == EIGHT else args[1]
            if other == EIGHT or isinstance(other, (types.Float, types.Integer)):
                return signature(EIGHT, EIGHT, EIGHT)
        return None


@lower_cast(types.Float, EightType)
def _float_to_eight(context, builder, fromty, toty, value):
    return _spread(builder, context.cast(builder, value, fromty, types.float64))


@lower_cast(types.Integer, EightType)
def _integer_to_eight(context, builder, fromty, toty, value):
    return _spread(builder, context.cast(builder, value, fromty, types.float64))


def _add(builder, a, b):
    return builder.fadd(a, b, flags=_FLAGS)


def _sub(builder, a, b):
    return builder.fsub(a, b, flags=_FLAGS)


def _mul(builder, a, b):
    return builder.fmul(a, b, flags=_FLAGS)


def _div(builder, a, b):
    return builder.fdiv(a, b, flags=_FLAGS)


def _register(operation, build):
    infer_global(operation)(type(f"_Eight_{operation.__name__}", (_Binary,), {"key": operation}))

    @lower_builtin(operation, EightType, EightType)
    def lower(context, builder, signature, args):
        return build(builder, *args)


for _operation, _build in (
    (operator.add, _add), (operator.sub, _sub), (operator.mul, _mul), (operator.truediv, _div),
):  # fmt: skip
    _register(_operation, _build)


@infer_global(operator.neg)
class _Negative(AbstractTemplate):
    key = operator.neg
    metadata = FIRST

    def generic(self, args, kws):
        return signature(EIGHT, EIGHT) if args == (EIGHT,) else None


@lower_builtin(operator.neg, EightType)
def _lower_negative(context, builder, signature, args):
    return builder.fneg(args[0])
