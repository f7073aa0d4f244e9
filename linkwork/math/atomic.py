"""Words that two threads share: what one has posted, the other reads together with all before it.

    peek(a, i)              a[i], and everything written before it was posted
    post(a, i, v)           a[i] = v, after everything written before
    claim(a, i, old, new)   a[i] = new if it is still old; whether it was
    pause(a, i, turns)      a short rest in a loop that waits; after many turns other threads get
                            the processor by the function whose address is in a[i] (`yielding`)

`a` is an array of int64.  Words that different threads post lie a cache line (LINE words) apart.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from linkwork.math.compiled import generates

LINE = 8
PATIENCE = 8000  # rests of some 25 ns before others get the processor
WORD = ir.IntType(64)
X86 = platform.machine() in ("x86_64", "AMD64")  # has a rest of its own for loops that wait


def yielding() -> int:
    """The address of the system's function that gives the processor to other threads."""
    library: Any
    if sys.platform == "win32":
        library = ctypes.WinDLL("kernel32").SwitchToThread
    else:
        library = ctypes.CDLL(None).sched_yield
    return ctypes.cast(library, ctypes.c_void_p).value or 0


def words(count: int) -> np.ndarray:
    """Words a cache line apart, the first on a line of its own: word k is at LINE k."""
    room = np.zeros((count + 1) * LINE, np.int64)
    first = (-room.ctypes.data // 8) % LINE
    return room[first : first + count * LINE]


# ------------------------------------------------------------------------------ as in Python


def peek(a, i):
    return a[i]


def post(a, i, v):
    a[i] = v


def claim(a, i, old, new):
    if a[i] != old:
        return False
    a[i] = new
    return True


def pause(a, i, turns):
    pass


# ---------------------------------------------------------------------------------- compiled


def _word(context, builder, kind, array, index):
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [index])


@generates(peek)
def _peek(typing, a, i):
    def generate(context, builder, signature, args):
        return builder.load_atomic(_word(context, builder, a, *args), "acquire", 8)

    return types.int64(a, types.int64), generate


@generates(post)
def _post(typing, a, i, v):
    def generate(context, builder, signature, args):
        builder.store_atomic(args[2], _word(context, builder, a, *args[:2]), "release", 8)
        return context.get_dummy_value()

    return types.void(a, types.int64, types.int64), generate


@generates(claim)
def _claim(typing, a, i, old, new):
    def generate(context, builder, signature, args):
        where = _word(context, builder, a, *args[:2])
        pair = builder.cmpxchg(where, args[2], args[3], "seq_cst", "seq_cst")
        return builder.extract_value(pair, 1)

    return types.boolean(a, types.int64, types.int64, types.int64), generate


@generates(pause)
def _pause(typing, a, i, turns):
    def generate(context, builder, signature, args):
        nothing = ir.FunctionType(ir.VoidType(), [])
        if X86:
            rest = cgutils.get_or_insert_function(builder.module, nothing, "llvm.x86.sse2.pause")
            builder.call(rest, [])
        late = builder.icmp_signed(">", args[2], ir.Constant(WORD, PATIENCE))
        with builder.if_then(late, likely=False):
            address = builder.load(_word(context, builder, a, *args[:2]))
            function = ir.FunctionType(ir.IntType(32), []).as_pointer()
            builder.call(builder.inttoptr(address, function), [])
        return context.get_dummy_value()

    return types.void(a, types.int64, types.int64), generate
