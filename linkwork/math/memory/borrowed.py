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
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from linkwork.math.compiled import generates

# numba asks what is made for the processor before what is made for all targets: dozens of kinds of
# operands that are none of ours
FIRST = {"target": "cpu"}


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


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    metadata = FIRST

    def generic(self, args, kws):
        if isinstance(args[0], BorrowedType):
            return signature(args[0].dtype, args[0], types.int64)
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    metadata = FIRST

    def generic(self, args, kws):
        if isinstance(args[0], BorrowedType):
            return signature(types.none, args[0], types.int64, args[0].dtype)
        return None


@lower_builtin(operator.getitem, BorrowedType, types.Integer)
def _get(context, builder, signature, args):
    return builder.load(builder.gep(args[0], [args[1]]))


@lower_builtin(operator.setitem, BorrowedType, types.Integer, types.Number)
def _set(context, builder, signature, args):
    builder.store(args[2], builder.gep(args[0], [args[1]]))
    return context.get_dummy_value()
