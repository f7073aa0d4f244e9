"""How many threads a large model may have here, where others run beside it.

Variants of a study share the processors, so each steps with one thread.  That holds for the thread
of a variant and while it runs: a worker may be in the process of the user, who steps as before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_shared: ContextVar[bool] = ContextVar("linkwork_shares_processors", default=False)


@contextmanager
def one_thread() -> Iterator[None]:
    """Models that are stepped in the block have one thread each, unless the user says otherwise."""
    before = _shared.set(True)
    try:
        yield
    finally:
        _shared.reset(before)


def shares_processors() -> bool:
    """Whether others run beside what is stepped here."""
    return _shared.get()
