"""Addresses of callbacks, routines, kernels and arrays among the integers of elements.

An address is good in one process alone: entries hold the things themselves, and the tables of a
system, which have the addresses, are written again where it is unpickled.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

# what has an address in this process, for calls without compilation
ADDRESSED: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


class WeakItem:
    """A weak reference that can be pickled; what it refers to goes along."""

    def __init__(self, item: Any) -> None:
        self.reference = weakref.ref(item)

    def __call__(self) -> Any:
        return self.reference()

    def __reduce__(self) -> Any:
        return WeakItem, (self(),)


def address_of(thing: Any) -> int:
    """The address of a callback, a routine, a kernel or an array; integers as they are."""
    if isinstance(thing, (int, np.integer)):
        return int(thing)
    if isinstance(thing, np.ndarray):
        assert thing.flags.c_contiguous and thing.dtype == np.float64
        place = thing.ctypes.data
    else:
        place = thing.address
    ADDRESSED[place] = thing
    return place
