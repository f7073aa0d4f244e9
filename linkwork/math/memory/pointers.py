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
from numba.extending import intrinsic

from linkwork.math.compiled import JIT, address, compiled
from linkwork.math.memory.addresses import ADDRESSED

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


@intrinsic
def _call(typing_context, address, t, source, target):
    """Compiled: the function at `address` with t and the data of two arrays."""

    def generate(context, builder, signature, arguments):
        where, when, *arrays = arguments
        double = ir.DoubleType()
        kind = ir.FunctionType(ir.VoidType(), [double, double.as_pointer(), double.as_pointer()])
        data = [
            context.make_array(signature.args[2 + i])(context, builder, x).data
            for i, x in enumerate(arrays)
        ]
        builder.call(builder.inttoptr(where, kind.as_pointer()), [when, *data])
        return context.get_dummy_value()

    return types.void(types.int64, types.float64, source, target), generate


def _call_by_table(address: int, t: float, source: np.ndarray, target: np.ndarray) -> None:
    ADDRESSED[address].function(t, np.array(source), target)


call: Any = _call if JIT else _call_by_table


# ------------------------------------------------------------------- places and routines


@intrinsic
def _begin(typing_context, array):
    """Where the numbers of an array begin; the array must outlive the use of the place."""

    def generate(context, builder, signature, arguments):
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic
def _shift(typing_context, place, n):
    """The place n numbers further on."""

    def generate(context, builder, signature, arguments):
        return builder.gep(arguments[0], [arguments[1]])

    return place(place, types.int64), generate


@intrinsic
def _call_at(typing_context, address, t, source, target, integers):
    """The function at `address` with t and three places."""

    def generate(context, builder, signature, arguments):
        where, when, *places = arguments
        kind = ir.FunctionType(ir.VoidType(), [when.type, *(p.type for p in places)])
        builder.call(builder.inttoptr(where, kind.as_pointer()), [when, *places])
        return context.get_dummy_value()

    return types.void(types.int64, types.float64, source, target, integers), generate


def _begin_plain(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1)


def _shift_plain(place: np.ndarray, n: int) -> np.ndarray:
    return place[n:]


def _call_plain(address: int, *arguments: Any) -> None:
    routine = ROUTINES[address - 1]
    routine.function(*arguments[: routine.arguments])


@intrinsic
def _number_at(typing_context, address, i):
    def generate(context, builder, signature, arguments):
        first = builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())
        return builder.load(builder.gep(first, [arguments[1]]))

    return types.float64(types.int64, types.int64), generate


def _number_by_ctypes(address: int, i: int) -> float:
    return ctypes.c_double.from_address(int(address) + 8 * int(i)).value


number_at: Any = _number_at if JIT else _number_by_ctypes
begin: Any = _begin if JIT else _begin_plain
shift: Any = _shift if JIT else _shift_plain
call_at: Any = _call_at if JIT else _call_plain


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
