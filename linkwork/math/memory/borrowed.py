"""Arrays without their reference counts, for the innermost compiled loops.

    a = borrow(array)     a[i], a[i] = v, load8(a, i), store8(a, i, v)    as of a flat array

Numba counts references to an array whenever a function takes it; in functions of a few dozen
operations that count costs more than the operations.  A borrowed array is only the address of its
first number: no bounds, no negative indices, and the array it came from must outlive it, as an
argument of the calling function does.  Without compilation it is the flat array itself.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from linkwork.math.compiled import generates


class BorrowedType(types.Type):
    """Numba's type of a borrowed array of float64 or int64."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"borrowed({dtype})")


@register_model(BorrowedType)
class BorrowedModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        number = ir.DoubleType() if kind.dtype == types.float64 else ir.IntType(64)
        super().__init__(manager, kind, number.as_pointer())


def borrow(array):
    return array.reshape(-1)


@generates(borrow)
def _borrow(typing, array):
    def generate(context, builder, signature, args):
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return BorrowedType(array.dtype)(array), generate


@type_callable(operator.getitem)
def _type_get(context):
    def returned(array, index):
        fits = isinstance(array, BorrowedType) and isinstance(index, types.Integer)
        return array.dtype if fits else None

    return returned


@type_callable(operator.setitem)
def _type_set(context):
    def returned(array, index, number):
        fits = isinstance(array, BorrowedType) and isinstance(index, types.Integer)
        return types.none if fits else None

    return returned


def _place(context, builder, signature, args):
    index = context.cast(builder, args[1], signature.args[1], types.int64)
    return builder.gep(args[0], [index])


@lower_builtin(operator.getitem, BorrowedType, types.Integer)
def _get(context, builder, signature, args):
    return builder.load(_place(context, builder, signature, args))


@lower_builtin(operator.setitem, BorrowedType, types.Integer, types.Number)
def _set(context, builder, signature, args):
    array, _, number = signature.args
    value = context.cast(builder, args[2], number, array.dtype)
    builder.store(value, _place(context, builder, signature, args))
    return context.get_dummy_value()
