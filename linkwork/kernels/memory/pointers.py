"""Calling functions by their address, so that compiled loops can call what the user wrote.

A callback has the C signature void(double t, double* input, double* output).  Its address is an
ordinary number in an element's table; `call` turns it back into a function.  A Python function
becomes such an address through ctypes, a numba function through numba.cfunc.  Without numba's
compiler (NUMBA_DISABLE_JIT=1) `call` looks the Python function up by its address.

A `Routine` has the signature void(double t, double* source, double* target, int64* integers), and
is compiled when its address is first asked for; it calls others itself through `call_at`, which
takes places (`begin`, `shift`) instead of arrays.  One that needs no integers may leave out the
last argument: in C a function does not see arguments that it has not declared.

    number_at(address, i)      the float64 in place i of the array at `address` (memory.addresses)

Roads and tables of laws lie in arrays of which an element's table has the address; such an array
must outlive the run (`Entry.keep`).
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from linkwork.kernels.compiled import JIT, address, compiled, generates
from linkwork.kernels.memory.addresses import ADDRESSED

SIGNATURE = types.void(types.float64, types.CPointer(types.float64), types.CPointer(types.float64))
PLACES = (types.float64, types.CPointer(types.float64), types.CPointer(types.float64),
          types.CPointer(types.int64))  # fmt: skip
C_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)


class PythonCallback:
    """A Python function(t, input, output) of numpy arrays with an address.

    input (a copy) and output (to be filled) have `sizes` numbers; the function must not raise.
    The address is good as long as this object lives.
    """

    def __init__(self, function: Callable[[float, np.ndarray, np.ndarray], None], *sizes: int):
        self.function, self.sizes = function, sizes
        Input, Output = (ctypes.c_double * n for n in sizes)

        def enter(t: float, source: int, target: int) -> None:
            output = np.frombuffer(Output.from_address(target))  # type: ignore[call-overload]
            function(t, np.array(Input.from_address(source)), output)

        self._enter = C_FUNCTION(enter)
        self.address = ctypes.cast(self._enter, ctypes.c_void_p).value or 0
        ADDRESSED[self.address] = self

    def __reduce__(self) -> Any:
        return PythonCallback, (self.function, *self.sizes)


def call(address, t, source, target):
    """The function at `address` with t and the data of two arrays."""
    ADDRESSED[address].function(t, np.array(source), target)


def begin(array):
    """Where the numbers of an array begin; the array must outlive the use of the place."""
    return array.reshape(-1)


def shift(place, n):
    """The place n numbers further on."""
    return place[n:]


def call_at(address, t, *places):
    """The function at `address` with t and three places."""
    routine = ROUTINES[address - 1]
    routine.function(t, *places[: routine.arguments - 1])


def number_at(address, i):
    return ctypes.c_double.from_address(int(address) + 8 * int(i)).value


# ------------------------------------------------------------------------------- compiled


def jump(context, builder, address, arguments):
    """Code for a call of the function at an address, which returns nothing."""
    kind = ir.FunctionType(ir.VoidType(), [each.type for each in arguments])
    builder.call(builder.inttoptr(address, kind.as_pointer()), arguments)
    return context.get_dummy_value()


def first_of(context, builder, kind, array):
    return context.make_array(kind)(context, builder, array).data


@generates(call)
def _call(typing, address, t, source, target):
    def generate(context, builder, signature, args):
        arrays = zip(signature.args[2:], args[2:])
        data = [first_of(context, builder, kind, array) for kind, array in arrays]
        return jump(context, builder, args[0], [args[1], *data])

    return types.void(types.int64, types.float64, source, target), generate


@generates(begin)
def _begin(typing, array):
    def generate(context, builder, signature, args):
        return first_of(context, builder, signature.args[0], args[0])

    return types.CPointer(array.dtype)(array), generate


@generates(shift)
def _shift(typing, place, n):
    def generate(context, builder, signature, args):
        return builder.gep(args[0], [args[1]])

    return place(place, types.int64), generate


@generates(call_at)
def _call_at(typing, address, t, source, target, integers):
    def generate(context, builder, signature, args):
        return jump(context, builder, args[0], args[1:])

    return types.void(types.int64, types.float64, source, target, integers), generate


@generates(number_at)
def _number_at(typing, address, i):
    def generate(context, builder, signature, args):
        first = builder.inttoptr(args[0], ir.DoubleType().as_pointer())
        return builder.load(builder.gep(first, [args[1]]))

    return types.float64(types.int64, types.int64), generate


class Routine:
    """A function(t, source, target, integers) on places, which reads and writes single numbers."""

    def __init__(self, function: Callable) -> None:
        self.function, self.arguments = function, function.__code__.co_argcount
        self.signature = types.void(*PLACES[: self.arguments])
        ROUTINES.append(self)
        self.number = len(ROUTINES)
        self.__doc__ = function.__doc__

    @functools.cached_property
    def compiled(self) -> Any:
        return compiled(self.function, signature=self.signature)

    @functools.cached_property
    def address(self) -> int:
        if not JIT:
            return self.number
        return address(self.compiled, self.signature)

    def __reduce__(self) -> Any:
        return routine_of, (self.function,)


ROUTINES: list[Routine] = []


def routine_of(function: Callable) -> Routine:
    """The routine of a function of the package."""
    return next(routine for routine in ROUTINES if routine.function is function)
