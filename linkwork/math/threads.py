"""How many threads a large model may have here, and the text of its results.

Variants of a study share the processors, so each steps with one thread.  That holds for the thread
of a variant and while it runs: a worker may be in the process of the user, who steps as before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from linkwork.errors import ModelError

MOST = 2
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


def thread_count() -> int:
    """How many threads step a large model: one or two."""
    given = os.environ.get("LINKWORK_THREADS", "")
    if given:
        if not given.isdecimal() or int(given) < 1:
            raise ModelError(
                f"LINKWORK_THREADS must be a number of threads, 1 or more, but is {given!r}; "
                "unset it to let linkwork choose"
            )
        return min(int(given), MOST)
    return 1 if shares_processors() else min(processors(), MOST)


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
