"""Python's search for garbage, while a large model is read or prepared.

Cards, tables, patterns and factors of 10,000 bodies are made of a million small objects that all
stay.  Python looks through them again and again for cycles that nobody needs any more, which takes
a third of the time and finds nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """No search for garbage until the block ends, however it ends; as before behind it."""
    searches = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searches:
            gc.enable()
