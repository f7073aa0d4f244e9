"""Functions that Python calls with records and numbers, by their C signature.

    @c_function(Equations, Stepper, Steps, StepRows)
    def advance(equations, stepper, steps, out):      references; equations.work is a field
        ...
        return DONE

    status = advance(data.equations, stepper, steps, out)

In C this is `int64_t advance(Equations *, Stepper *, Steps *, StepRows *)`: what a call needs is
known without numba, and a call takes some 0.5 µs however many arrays there are.  Records come
first, numbers (`float`, `int`) after them; what is returned is an int64, or nothing
(`returns=None`).  Records of another kind are refused, by Python before the call and by the
compiler where compiled functions hand them on.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

from numba import types

from linkwork.kernels.compiled import JIT, CompiledEntry
from linkwork.kernels.memory.records import NUMBERS, address_type, record_type

C_NUMBERS: dict[Any, Any] = {float: ctypes.c_double, int: ctypes.c_int64}


class CFunction(CompiledEntry):
    """A function of records and numbers, compiled on first use."""

    def __init__(self, function: Any, kinds: tuple[Any, ...], returns: Any, **options: Any):
        self.kinds, self.returns = kinds, returns
        self.records = sum(kind not in NUMBERS for kind in kinds)
        wanted = [NUMBERS.get(kind) or record_type(kind) for kind in kinds]
        returned = NUMBERS[returns] if returns else types.void
        super().__init__(function, returned(*wanted), no_cpython_wrapper=True, **options)

    @functools.cached_property
    def call(self) -> Any:
        """The function by its C signature."""
        kinds: list[Any] = [C_NUMBERS.get(kind) or address_type(kind) for kind in self.kinds]
        return ctypes.PYFUNCTYPE(C_NUMBERS.get(self.returns), *kinds)(self._address)

    def __call__(self, *arguments: Any) -> Any:
        if not JIT:
            return self.function(*arguments)
        if len(arguments) != len(self.kinds):  # ctypes would take more
            raise self._refusal(arguments)
        records, numbers = arguments[: self.records], arguments[self.records :]
        try:
            return self.call(*[x.place for x in records], *numbers)
        except (AttributeError, ctypes.ArgumentError) as error:
            raise self._refusal(arguments) from error

    def _refusal(self, arguments: tuple[Any, ...]) -> TypeError:
        wanted, handed = (
            ", ".join(kind.__name__ for kind in kinds)
            for kinds in (self.kinds, map(type, arguments))
        )
        name = self.function.__name__
        return TypeError(f"{name} takes ({wanted}), but was called with ({handed})")


def c_function(
    *kinds: type, returns: Any = int, allocates: bool = False, **options: Any
) -> Callable:
    """Decorator of functions of records and numbers that Python calls."""
    return lambda function: CFunction(function, kinds, returns, _nrt=allocates, **options)
