"""Addresses among the numbers of elements, and how they outlive the process.

Tables hold the addresses of routines, of callbacks and of arrays as ordinary numbers.  An address
is good in one process alone, so that a system that is pickled says what each of them was the
address of, and where it is loaded the new addresses are written in their places.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

# what has an address in this process: callbacks, routines, arrays
ADDRESSED: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
LEAST = 2.0**16  # no address is below
Place = tuple[int, int, Any]  # number of an array, place in it, what lies at the address there


class WeakItem:
    """A weak reference that can be pickled; what it refers to goes along."""

    def __init__(self, item: Any) -> None:
        self.reference = weakref.ref(item)

    def __call__(self) -> Any:
        return self.reference()

    def __reduce__(self) -> Any:
        return WeakItem, (self(),)


def address_of(thing: Any) -> float:
    """The address of a callback, a routine or a contiguous array, as a number of a table."""
    if isinstance(thing, np.ndarray):
        assert thing.flags.c_contiguous and thing.dtype == np.float64
        place = thing.ctypes.data
    else:
        place = thing.address
    ADDRESSED[place] = thing
    return float(place)


def addresses_in(arrays: Iterable[np.ndarray]) -> list[Place]:
    """The numbers of some arrays that are addresses, and what they are the addresses of."""
    found: list[Place] = []
    for k, array in enumerate(arrays):
        flat = array.reshape(-1)
        for i in np.flatnonzero(flat >= LEAST).tolist():
            thing = ADDRESSED.get(int(flat[i])) if flat[i] < 2.0**63 else None
            if thing is not None and flat[i] == int(flat[i]):
                found.append((k, i, thing))
    return found


def write_addresses(arrays: Iterable[np.ndarray], found: Iterable[Place]) -> None:
    """The addresses that the same things have in this process."""
    listed = list(arrays)
    for k, i, thing in found:
        listed[k].reshape(-1)[i] = address_of(thing)
