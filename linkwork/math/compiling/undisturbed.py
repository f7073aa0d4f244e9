"""Signals wait while something must become whole: a piece of a file, a compiled function.

    with undisturbed():           handlers of signals run at the end
    with without_collection():    Python does not search for garbage

LLVM calls back into Python while it makes code, and its objects are freed whenever Python collects
garbage: an exception that a signal raises there is lost, or leaves a module that is freed twice.
What handlers would do is therefore done at the end, or earlier at a `checkpoint`.
"""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
from collections.abc import Iterator
from typing import Any

# Ctrl-C, and those that end a run like it; not every system has all of them
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
SIGNALS = tuple(int(getattr(signal, name)) for name in NAMES if hasattr(signal, name))

_handlers: dict[int, Any] = {}  # that wait; none where nothing is undisturbed
_waiting: list[tuple[int, Any]] = []  # signals that have come since


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """What handlers of signals would do is done at the end."""
    if _handlers or threading.current_thread() is not threading.main_thread():
        yield  # the outermost one waits, and only the main thread is told of signals
        return
    try:
        for number in SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):
                _handlers[number] = handler
                signal.signal(number, lambda *came: _waiting.append(came))
        yield
    finally:
        handlers = dict(_handlers)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        _handlers.clear()
        _handle(handlers)


def checkpoint() -> None:
    """A place in something undisturbed where it may end: what has come is handled here."""
    if _waiting and threading.current_thread() is threading.main_thread():
        _handle(_handlers)


def _handle(handlers: dict[int, Any]) -> None:
    """Do what the handler of the first signal that came would have done."""
    came = _waiting[:1]
    _waiting.clear()
    for number, frame in came:
        handlers[number](number, frame)


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """No search for garbage until the block ends, however it ends; as before behind it.

    Cards, tables and patterns of 10,000 bodies are a million small objects that all stay.  Python
    looks through them again and again for cycles that nobody needs any more, which takes a quarter
    of the time.
    """
    searches = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searches:
            gc.enable()
