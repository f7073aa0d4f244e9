"""How far a study is: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time as clock
from typing import Any

LONG = 1.0  # seconds from which on a study is shown


class Counting:
    """Counts finished variants; shown: True for studies of over a second, "always", or False."""

    def __init__(self, total: int, before: int, shown: bool | str) -> None:
        self.total, self.before, self.shown = total, before, shown
        self.done, self.failed = before, 0
        self.started = clock.perf_counter()
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
        spent = clock.perf_counter() - self.started
        if not self.shown or (self.shown != "always" and spent < LONG):
            return
        if sys.stderr.isatty():
            self._draw()
        elif spent >= self.next_line or self.done == self.total:
            self.next_line = max(2 * spent, 2.0)
            left = spent / (self.done - self.before) * (self.total - self.done)
            print(f"study: {self.text()}, about {left:.0f} s left", file=sys.stderr, flush=True)

    def text(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.done} of {self.total} variants{failed}"

    def _draw(self) -> None:
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self.bar = Progress(
                TextColumn("study"), BarColumn(), TextColumn("{task.description}"),
                TimeRemainingColumn(), console=Console(stderr=True), transient=True,
            )  # fmt: skip
            self.bar.start()
            self.task = self.bar.add_task("", total=self.total, completed=self.before)
        self.bar.update(self.task, completed=self.done, description=self.text())
