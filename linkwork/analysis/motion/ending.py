"""Ends that were not meant: Ctrl-C, signals of the system, a full disk; and what is said then.

SIGTERM (kill, a scheduler's time limit) and SIGHUP (a closed terminal) end a run with a file like
Ctrl-C: the file is closed, one sentence says how far it goes.

Python raises KeyboardInterrupt between any two of its instructions, also between a compiled step
and the line that notes its time.  A run that was stopped there would go on from numbers of another
time than its last row.  Signals therefore wait until the steps under way are done and noted.
"""

from __future__ import annotations

import contextlib
import functools
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from linkwork.errors import Interrupted, ResultFileError
from linkwork.model.calls import explained

if TYPE_CHECKING:
    from linkwork.results.result import Result

SIGNALS = ("SIGTERM", "SIGHUP")


@contextlib.contextmanager
def ended_by_signals(active: bool = True) -> Iterator[None]:
    """Signals that would end the process raise KeyboardInterrupt, unless somebody else minds them.
    """
    with handled(signal.default_int_handler, SIGNALS if active else ()):
        yield


@contextlib.contextmanager
def handled(handler: Any, names: tuple[str, ...]) -> Iterator[None]:
    """Signals that have their usual handlers get another one for a while."""
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for name in names:
            number = getattr(signal, name, None)
            usual = [signal.default_int_handler] + [signal.SIG_DFL] * (name in SIGNALS)
            if number is not None and signal.getsignal(number) in usual:
                before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, usual in before.items():
            signal.signal(number, usual)


class Signals:
    """Signals during a run wait for the end of the steps under way; `look` then raises.

    The first step does not make them wait, since code may be compiled in it, nor does a second
    signal wait, since a function of the user's may never return.  Then, and where somebody else
    raises KeyboardInterrupt, a step may have been cut in two: `torn`.
    """

    def __init__(self, file: bool) -> None:
        self.names = ("SIGINT", *SIGNALS) if file else ("SIGINT",)
        self.torn = self.waits = False
        self.pressed: int | None = None

    @contextlib.contextmanager
    def handled(self) -> Iterator[None]:
        try:
            with handled(self._press, self.names):
                yield
        except KeyboardInterrupt:
            self.pressed = None
            raise
        finally:
            if self.pressed is not None:  # another error was told instead
                signal.raise_signal(self.pressed)

    def _press(self, number: int, frame: Any) -> None:
        if not self.waits or self.pressed is not None:
            raise KeyboardInterrupt
        self.pressed = number

    @contextlib.contextmanager
    def during_steps(self) -> Iterator[None]:
        self.torn = True  # until the opposite is known
        yield
        self.look()
        self.torn = self.waits = False

    def look(self) -> None:
        """The steps so far are done and noted: now a signal may end the run."""
        self.waits = True
        if self.pressed is not None:
            self.torn = self.waits = False
            self.pressed = None
            raise KeyboardInterrupt


def interrupted(name: str, path: Any, end: float, result: Result) -> Interrupted:
    """The error of a run that was stopped; its results are saved."""
    time = float(result.time[-1])
    say_in_one_line()
    if path is not None:
        return Interrupted(
            f"model '{name}' was interrupted at t = {time:.6g} of {end:g}; the results until there "
            f"are in '{path}'; go on with lw.resume('{path}', t={end:g})",
            result=result, path=Path(path),
        )  # fmt: skip
    letters = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)
    target = Path(f"{letters}-interrupted.nc")
    saved: Path | None = target
    try:
        result.save(target)
        where = f"saved to '{target}'; go on with lw.resume('{target}', t={end:g})"
    except Exception as error:  # the run's numbers must not be lost to a failing save
        where, saved = f"in the attribute .result of this error (not saved: {error})", None
    return Interrupted(
        f"model '{name}' was interrupted at t = {time:.6g} of {end:g}; the results until there are "
        f"{where}",
        result=result, path=saved,
    )  # fmt: skip


@contextlib.contextmanager
def told_in_one_line(model: Any) -> Iterator[None]:
    """Ctrl-C before the first step, where code may be compiled: there is nothing to save."""
    try:
        yield
    except KeyboardInterrupt as error:
        if isinstance(error, Interrupted):
            raise
        say_in_one_line()
        raise Interrupted(
            f"model '{getattr(model, 'name', model)}' was interrupted before its first step; there "
            "is nothing to save yet"
        ) from None


P = ParamSpec("P")
T = TypeVar("T")


def interruptible(analysis: Callable[P, T]) -> Callable[P, T]:
    """An analysis that Ctrl-C ends with a sentence, also while code is compiled."""

    @functools.wraps(analysis)
    def started(*arguments: P.args, **keywords: P.kwargs) -> T:
        try:
            return explained(analysis)(*arguments, **keywords)
        except KeyboardInterrupt as error:
            if isinstance(error, Interrupted):
                raise
            say_in_one_line()
            raise Interrupted(
                f"lw.{analysis.__name__} was interrupted; there is nothing to save yet"
            ) from None

    return started


def disk_full(
    name: str, path: Any, time: float, end: float, result: Result, error: Exception
) -> ResultFileError:
    where = f"in '{path}'; make room and go on with lw.resume('{path}', t={end:g})"
    told = ResultFileError(
        f"model '{name}' stopped at t = {time:.6g} of {end:g}, {error}; the results until there "
        "are " + (where if path else "in the attribute .result of this error: save them elsewhere")
    )
    told.result = result  # type: ignore[attr-defined]
    return told


def say_in_one_line() -> None:
    """A script that Ctrl-C ends says why in one sentence, without a traceback."""
    if sys.excepthook is not sys.__excepthook__:
        return

    def hook(kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Interrupted):
            print(error, file=sys.stderr)
        else:
            sys.__excepthook__(kind, error, trace)

    sys.excepthook = hook
