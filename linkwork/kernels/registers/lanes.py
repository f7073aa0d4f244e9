"""Vector registers as values of compiled code: the types of four and eight numbers, and arithmetic.

Sums, differences, products and quotients go lane by lane, with one another or with a number; a
product and a sum are contracted to one operation where the machine has it.  Without compilation
such a value is a numpy array.  What can be done with them is in `eights` and `fours`.
"""

from __future__ import annotations

import inspect
import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from linkwork.kernels.compiled import generates
from linkwork.kernels.memory.borrowed import BorrowedType


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


def number(value):
    """A constant for places in a vector."""
    return ir.Constant(ir.IntType(32), value)


def zeros(lanes):
    return ir.Constant(lanes.vector, [0.0] * lanes.width)


def code_of(function, signature):
    """Decorator of the code of a function of vectors and numbers: code(builder, its values)."""
    typing = inspect.Parameter("typing", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [typing, *inspect.signature(function).parameters.values()]

    def register(code):
        def definition(typing, *kinds):
            return signature, lambda context, builder, _, args: code(builder, *args)

        definition.__signature__ = inspect.Signature(parameters)
        generates(function)(definition)
        return code

    return register


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


def lanes_of(kinds):
    """The type of the result, where one operand is a vector and the other the same or a number."""
    for lanes, other in (kinds, kinds[::-1]):
        if isinstance(lanes, LanesType):
            fits = other == lanes or isinstance(other, (types.Float, types.Integer))
            return lanes if fits else None
    return None


def _register(operation, name):
    @type_callable(operation)
    def typer(context):
        return lambda a, b: lanes_of((a, b))

    def lower(context, builder, signature, args):
        lanes, both = signature.return_type, []
        for kind, value in zip(signature.args, args):
            if kind != lanes:
                number = context.cast(builder, value, kind, types.float64)
                value = spread(builder, lanes, number)
            both.append(value)
        return getattr(builder, name)(*both, flags=["contract"])

    for number in (types.Float, types.Integer):
        lower_builtin(operation, LanesType, number)(lower)
        lower_builtin(operation, number, LanesType)(lower)
    lower_builtin(operation, LanesType, LanesType)(lower)


for _operation, _name in (
    (operator.add, "fadd"), (operator.sub, "fsub"),
    (operator.mul, "fmul"), (operator.truediv, "fdiv"),
):  # fmt: skip
    _register(_operation, _name)


@type_callable(operator.neg)
def _type_negative(context):
    return lambda v: v if isinstance(v, LanesType) else None


@lower_builtin(operator.neg, LanesType)
def _lower_negative(context, builder, signature, args):
    return builder.fneg(args[0])

