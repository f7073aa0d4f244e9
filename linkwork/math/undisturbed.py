"""Signals wait while something must become whole: a piece of a file, a compiled function.

LLVM calls back into Python while it makes code; an exception that a signal raises there is lost,
and the code is left half made.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl-C, and those that end a run like it


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """What handlers of signals would do is done at the end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[Any] = []
    before: dict[int, Any] = {}
    try:
        for name in SIGNALS:
            number = getattr(signal, name, None)
            if number is not None and callable(signal.getsignal(number)):
                before[number] = signal.signal(number, lambda *args: pressed.append(args))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if pressed:
        before[pressed[0][0]](*pressed[0])
