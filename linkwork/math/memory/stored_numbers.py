"""Numbers of an array that an element's table has the address of: roads, tables of a law.

    number_at(address, i)      the float64 in place i of the array at `address` (memory.addresses)

The array must outlive the run (`Entry.keep`).  Without compilation ctypes reads it.
"""

from __future__ import annotations

import ctypes
from typing import Any

from numba import types
from numba.extending import intrinsic

from linkwork.math.compiled import JIT


@intrinsic
def _number_at(typing_context, address, i):
    def generate(context, builder, signature, arguments):
        from llvmlite import ir

        first = builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())
        return builder.load(builder.gep(first, [arguments[1]]))

    return types.float64(types.int64, types.int64), generate


def _number_by_ctypes(address: int, i: int) -> float:
    return ctypes.c_double.from_address(int(address) + 8 * int(i)).value


number_at: Any = _number_at if JIT else _number_by_ctypes
