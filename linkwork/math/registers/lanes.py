"""Vector registers as values of compiled code: the types of four and eight numbers, and arithmetic.

Sums, differences, products and quotients go lane by lane, with one another or with a number; a
product and a sum are contracted to one operation where the machine has it.  Without compilation
such a value is a numpy array.  What can be done with them is in `eights` and `fours`.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast, models, register_model

from linkwork.math.compiled import generates
from linkwork.math.memory.borrowed import FIRST, BorrowedType


class LanesType(types.Type):
    """Numba's type of so many numbers in a register."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.vector = ir.VectorType(ir.DoubleType(), width)
        super().__init__(name=f"lanes{width}")


FOUR, EIGHT = LanesType(4), LanesType(8)


@register_model(LanesType)
class LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)


def place(context, builder, lanes, kind, array, offset):
    """Where a vector lies in an array."""
    if not isinstance(kind, BorrowedType):
        array = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(array, [offset]), lanes.vector.as_pointer())


def picked(builder, v, w, lanes):
    """A vector of lanes of v, and of w, which are counted on."""
    index = ir.VectorType(ir.IntType(32), len(lanes))
    return builder.shuffle_vector(v, w, ir.Constant(index, list(lanes)))


def spread(builder, lanes, number):
    undefined = ir.Constant(lanes.vector, ir.Undefined)
    one = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    return picked(builder, one, undefined, [0] * lanes.width)


def in_memory(lanes, load, store):
    """Code for functions load(array, place) and store(array, place, vector)."""

    @generates(load)
    def _load(typing, a, i):
        def generate(context, builder, signature, args):
            return builder.load(place(context, builder, lanes, a, *args), align=8)

        return lanes(a, types.int64), generate

    @generates(store)
    def _store(typing, a, i, v):
        def generate(context, builder, signature, args):
            builder.store(args[2], place(context, builder, lanes, a, *args[:2]), align=8)
            return context.get_dummy_value()

        return types.void(a, types.int64, lanes), generate


# ----------------------------------------------------------------------------- arithmetic


class _Binary(AbstractTemplate):
    metadata = FIRST

    def generic(self, args, kws):
        if len(args) != 2 or not any(isinstance(kind, LanesType) for kind in args):
            return None
        lanes, other = args if isinstance(args[0], LanesType) else (args[1], args[0])
        if other == lanes or isinstance(other, (types.Float, types.Integer)):
            return signature(lanes, lanes, lanes)
        return None


@lower_cast(types.Float, LanesType)
@lower_cast(types.Integer, LanesType)
def _number_to_lanes(context, builder, fromty, toty, value):
    return spread(builder, toty, context.cast(builder, value, fromty, types.float64))


def _register(operation, name):
    infer_global(operation)(type(f"_Lanes_{name}", (_Binary,), {"key": operation}))

    @lower_builtin(operation, LanesType, LanesType)
    def lower(context, builder, signature, args):
        return getattr(builder, name)(*args, flags=["contract"])


for _operation, _name in (
    (operator.add, "fadd"), (operator.sub, "fsub"),
    (operator.mul, "fmul"), (operator.truediv, "fdiv"),
):  # fmt: skip
    _register(_operation, _name)


@infer_global(operator.neg)
class _Negative(AbstractTemplate):
    key = operator.neg
    metadata = FIRST

    def generic(self, args, kws):
        return signature(args[0], args[0]) if isinstance(args[0], LanesType) else None


@lower_builtin(operator.neg, LanesType)
def _lower_negative(context, builder, signature, args):
    return builder.fneg(args[0])
