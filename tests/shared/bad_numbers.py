"""Every number in a parameter, one after the other, replaced by one that cannot be meant."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwork.model.drives import Drive

NEVER = {
    "nan": math.nan, "inf": math.inf, "-inf": -math.inf, "1e308": 1e308, "-1e308": -1e308,
    "10**400": 10**400, "10**5000": 10**5000,
}  # fmt: skip


def fails(*arguments: Any) -> float:
    """A function of the user that raises."""
    raise RuntimeError("the table\nends here")


def bad_values(given: Any) -> Iterator[tuple[str, Any]]:
    """What is wrong with a value, and the value made from the one given that is wrong so."""
    if given is None or isinstance(given, Drive):
        given = 1.0
    for path, x in numbers_in(given):
        wrong = {**NEVER, "negative": -abs(x) if x else -1.0, "zero": 0.0, "tiny": 1e-300}
        for kind, bad in wrong.items():
            yield kind, replaced(given, path, bad)
    if isinstance(given, np.ndarray) and given.size:
        yield "zeros", np.zeros_like(given)
        yield "short", given[:-1]
        yield "long", np.concatenate([given, given])
        yield "flat", float(given.flat[0])
    yield "function", fails


def numbers_in(value: Any, most: int = 9) -> list[tuple[tuple, Any]]:
    """The first numbers of a value, in any nesting, and where they stand."""
    return list(_numbers(value))[:most]


def _numbers(value: Any) -> Iterator[tuple[tuple, Any]]:
    if isinstance(value, np.ndarray) and value.dtype.kind in "fi":
        yield from (((*i,), float(value[i])) for i in np.ndindex(value.shape))
    elif isinstance(value, (list, tuple, dict)):
        for i, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from (((i, *path), x) for path, x in _numbers(part))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield (), value


def replaced(value: Any, path: tuple, new: Any) -> Any:
    """A value with another number at a place."""
    if not path:
        return new
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, dict):
        return {**value, path[0]: replaced(value[path[0]], path[1:], new)}
    parts = list(value)
    parts[path[0]] = replaced(parts[path[0]], path[1:], new)
    return tuple(parts) if isinstance(value, tuple) else parts
