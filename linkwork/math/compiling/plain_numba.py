"""What linkwork needs of numba with public functions alone: slower, compiled in every process.

For a version of numba that `lean_numba` does not know, and where LINKWORK_PLAIN_NUMBA=1 is set.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import numba
from numba import types
from numba.extending import intrinsic, lower_builtin, overload_attribute, type_callable

PRIVATE = {"_nrt", "no_cfunc_wrapper", "no_cpython_wrapper", "forceinline"}  # options of lean_numba
KEPT: list[Any] = []  # functions whose addresses are in use


def entry(function: Any, options: dict[str, Any]) -> Any:
    """A function that Python calls."""
    njit: Any = numba.njit
    return njit(**{k: v for k, v in options.items() if k not in PRIVATE})(function)


part = entry  # of functions that only compiled functions call


def generates(function: Any) -> Any:
    """Decorator of what gives the types and the code of a plain function (see lean_numba)."""

    def register(definition: Any) -> Any:
        @type_callable(function)
        def typer(context: Any) -> Any:
            def returned(*arguments: Any) -> Any:
                found = definition(context, *arguments)
                return None if found is None else found[0].return_type

            given = list(inspect.signature(definition).parameters.values())[1:]
            returned.__signature__ = inspect.Signature(given)  # type: ignore[attr-defined]
            return returned

        @lower_builtin(function, types.VarArg(types.Any))
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            wanted, generate = definition(context.typing_context, *signature.args)
            values = [
                context.cast(builder, value, given, kind)
                for value, given, kind in zip(arguments, signature.args, wanted.args)
            ]
            return generate(context, builder, wanted, values)

        return definition

    return register


def attributes(kind: type, typed: Any, load: Any) -> Any:
    """Attributes of all values of a kind of types (see lean_numba), each by its name."""
    known: set[str] = set()

    def add(name: str) -> None:
        @overload_attribute(kind, name)
        def attribute(value):
            if typed(value, name) is None:
                return None

            @intrinsic
            def field(context: Any, value: Any) -> Any:
                def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                    return load(context, builder, value, arguments[0], name)

                return typed(value, name)(value), generate

            return lambda value: field(value)

    def add_new(names: Iterable[str]) -> None:
        for name in set(names) - known:
            known.add(name)
            add(name)

    return add_new


def array_at(context: Any, builder: Any, kind: Any, data: Any, shape: list[Any]) -> Any:
    """Code for an array with rows in order, from the place of its numbers and its extents."""
    extents = types.UniTuple(types.intp, len(shape))
    signature = kind(types.CPointer(kind.dtype), extents)
    values = [data, context.make_tuple(builder, extents, shape)]
    return context.compile_internal(builder, lambda at, n: numba.carray(at, n), signature, values)


def address(dispatcher: Any, signature: Any) -> int:
    """Where a compiled function begins for callers by address, with arguments of these types."""
    kept = {k: v for k, v in dispatcher.targetoptions.items() if k in ("error_model", "fastmath")}
    cfunc: Any = numba.cfunc
    made = cfunc(signature, **kept)(dispatcher.py_func)
    KEPT.append(made)
    return int(made.address)


def is_cached(dispatcher: Any) -> bool:
    """Plain code is not kept on disk."""
    return False
