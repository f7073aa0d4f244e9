"""Private copies of models: what analyses compile, so that the user's model stays as it is.

Compiling names nodes and adds sensors, runs record failures of functions, drives and meshes store
what they have computed: all of that belongs to one analysis.  A copy has items, nodes, frames,
drives and laws of its own, which refer to each other as the originals do.  It shares with them the
functions of the user with their state, and arrays that are large or read-only.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from linkwork.model.nodes import NodeKind

PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, types.FunctionType})
SHARED_SIZE = 4096  # numbers in an array above which copies share it


class Copies:
    """Copies of objects that refer to each other, one of each original."""

    def __init__(self) -> None:
        self.known: dict[int, Any] = {}  # by the id of the original
        self.originals: list[Any] = []  # which live as long as their ids are in use

    def of(self, x: Any) -> Any:
        """The copy of an object; the object itself where it is shared."""
        kind: Any = type(x)
        if kind in PLAIN:
            return x
        if kind is np.ndarray:
            return self.of_array(x)
        known = self.known.get(id(x))
        return way_to_copy(kind)(self, x) if known is None else known

    def of_model(self, model: Any) -> Any:
        """The copy of a model.  Items come first, so that long chains of references end at them."""
        items = [(item, self.new(item)) for item in model.items.values()]
        for item, copy in items:
            self.fill(item, copy)
        return self.of_object(model)

    # --------------------------------------------------------------------------- kinds of objects
    def of_object(self, x: Any) -> Any:
        copy = self.new(x)
        self.fill(x, copy)
        return copy

    def new(self, x: Any) -> Any:
        """A copy without attributes yet."""
        kind: Any = type(x)
        if issubclass(kind, tuple):
            return self.register(x, tuple.__new__(kind, map(self.of, x)))
        return self.register(x, kind.__new__(kind))

    def fill(self, x: Any, copy: Any) -> None:
        """Give a copy the attributes of its original, but those that it is pickled without."""
        kind: Any = type(x)
        slots, own = kept_in(kind)
        for name in slots:
            if hasattr(x, name):
                object.__setattr__(copy, name, self.of(getattr(x, name)))
        state = x.__getstate__() if own else getattr(x, "__dict__", {})
        attributes = {
            name: value if type(value) in PLAIN else self.of(value)
            for name, value in state.items()
        }
        if own and hasattr(copy, "__setstate__"):
            copy.__setstate__(attributes)
        elif attributes:
            copy.__dict__.update(attributes)

    def of_dict(self, x: dict[Any, Any]) -> dict[Any, Any]:
        copy = self.register(x, {})
        copy.update((self.of(key), self.of(value)) for key, value in x.items())
        return copy

    def of_list(self, x: list[Any]) -> list[Any]:
        copy = self.register(x, [])
        copy += x if PLAIN.issuperset(map(type, x)) else map(self.of, x)
        return copy

    def of_tuple(self, x: tuple[Any, ...]) -> tuple[Any, ...]:
        return x if PLAIN.issuperset(map(type, x)) else tuple(map(self.of, x))

    def of_set(self, x: set[Any]) -> set[Any]:
        return self.register(x, set(map(self.of, x)))

    def of_array(self, x: np.ndarray) -> np.ndarray:
        shared = x.size > SHARED_SIZE or not x.flags.writeable or x.dtype.hasobject
        return x if shared else x.copy()

    def register(self, x: Any, copy: Any) -> Any:
        self.originals.append(x)
        self.known[id(x)] = copy
        return copy

    def shared(self, x: Any) -> Any:
        return x


@cache
def way_to_copy(kind: type) -> Callable[[Copies, Any], Any]:
    """How objects of a type are copied.

    Objects of linkwork's classes and of classes derived from them are copied attribute by
    attribute, but for those that linkwork pickles in a way of their own: addresses, families, the
    ground.  Of other classes only those that hold parts are copied.
    """
    if kind is NodeKind or issubclass(kind, type):
        return Copies.shared
    owners = [base.__module__.partition(".")[0] for base in kind.__mro__]
    reduces = (base for base in kind.__mro__ if {"__reduce__", "__reduce_ex__"} & {*vars(base)})
    own_way = next(reduces).__module__.partition(".")[0]
    if "linkwork" in owners:
        plainly = own_way not in ("linkwork", "enum") and not issubclass(kind, BaseException)
        return Copies.of_object if plainly else Copies.shared
    if kind is not tuple and issubclass(kind, tuple):
        return Copies.of_object
    ways: dict[type, Callable[[Copies, Any], Any]] = {
        dict: Copies.of_dict, list: Copies.of_list, tuple: Copies.of_tuple, set: Copies.of_set,
    }  # fmt: skip
    return next((way for base, way in ways.items() if issubclass(kind, base)), Copies.shared)


@cache
def kept_in(kind: Any) -> tuple[tuple[str, ...], bool]:
    """Names of attributes that objects of a type have besides their dictionary; whether they say
    by themselves what they are pickled with."""
    named = [vars(base).get("__slots__", ()) for base in kind.__mro__]
    names = [name for slots in named for name in ([slots] if isinstance(slots, str) else slots)]
    slots = tuple(name for name in names if name not in ("__dict__", "__weakref__"))
    return slots, not slots and kind.__getstate__ is not object.__getstate__
