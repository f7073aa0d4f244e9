"""How far a study is: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time as clock
from typing import Any

LONG = 1.0  # seconds from which on a study is shown


class Counting:
    """Counts finished variants; shown: True for studies of over a second, "always", or False.

    The first variant of every worker starts a process and loads or compiles code, which the others
    do not: the time left is estimated from the variants after these `wave` first ones,

        left = (variants left) (time since the wave) / (variants since the wave)
    """

    def __init__(self, total: int, before: int, shown: bool | str, wave: int = 1) -> None:
        self.total, self.before, self.shown, self.wave = total, before, shown, wave
        self.done, self.failed = before, 0
        self.started = clock.perf_counter()
        self.waved = self.started  # when the last of the wave ended
        self.next_line = 0.0 if shown == "always" else LONG
        self.bar: Any = None

    def __enter__(self) -> Counting:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def one_more(self, failed: bool) -> None:
        """A variant has ended."""
        self.done += 1
        self.failed += failed
        now = clock.perf_counter()
        spent = now - self.started
        if self.done - self.before <= self.wave:
            self.waved = now
        if not self.shown or (self.shown != "always" and spent < LONG):
            return
        if sys.stderr.isatty():
            self._draw()
        elif spent >= self.next_line or self.done == self.total:
            self.next_line = max(2 * spent, 2.0)
            print(f"study: {self.text()}{self.time_left(now)}", file=sys.stderr, flush=True)

    def time_left(self, now: float) -> str:
        """", about 12 s left", or nothing as long as it cannot be known."""
        since = self.done - self.before - self.wave
        if since < 1 or self.done == self.total:
            return ""
        left = (now - self.waved) / since * (self.total - self.done)
        return f", about {left:.0f} s left"

    def text(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.done} of {self.total} variants{failed}"

    def _draw(self) -> None:
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            self.bar = Progress(
                TextColumn("study"), BarColumn(), TextColumn("{task.description}"),
                console=Console(stderr=True), transient=True,
            )  # fmt: skip
            self.bar.start()
            self.task = self.bar.add_task("", total=self.total, completed=self.before)
        words = self.text() + self.time_left(clock.perf_counter())
        self.bar.update(self.task, completed=self.done, description=words)
