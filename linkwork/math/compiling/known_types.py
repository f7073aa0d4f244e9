"""Types of the results of operations, looked up once for operands of the same types.

For every sum and product numba tries all that it knows of that name, from matrices to dates, which
is a good part of the time to compile.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import types

FUNCTION: Any = types.BaseFunction
search = FUNCTION.get_call_type
found: dict[int, tuple[Any, dict[tuple, Any]]] = {}  # by id; the function is kept with its results


def look_up(self: Any, context: Any, args: tuple, kws: dict[str, Any]) -> Any:
    """What numba finds, or found before.

    Results that are code of their own (overloads) depend on who calls, and are found anew.
    """
    if kws:
        return search(self, context, args, kws)
    _, known = found.setdefault(id(self), (self, {}))
    signature = known.get(args)
    if signature is None:
        signature = search(self, context, args, kws)
        if signature is not None and self._impl_keys[signature.args] is self.typing_key:
            known[args] = signature
    return signature


@contextmanager
def known_types() -> Iterator[None]:
    """Types are looked up while the body runs; numba's lock keeps other threads out."""
    before, FUNCTION.get_call_type = FUNCTION.get_call_type, look_up
    try:
        yield
    finally:
        FUNCTION.get_call_type = before
