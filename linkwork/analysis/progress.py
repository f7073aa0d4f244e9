"""A bar for runs over a second: simulated time, steps per second, iterations, time left."""

from __future__ import annotations

import os
import sys
import time as clock
from typing import Any

WAIT = 0.2  # seconds of running before its length is judged
LONG = 1.0  # seconds from which on a run is shown
CHUNK = 0.1  # seconds of computing between looks at the keyboard and the progress bar


class Progress:
    """Shows how far a run is: a bar on a terminal, a plain line now and then elsewhere.

    shown: True for runs that will take over a second, "always", or False
    """

    def __init__(self, title: str, begin: float, end: float, shown: bool | str) -> None:
        self.title, self.begin, self.end, self.shown = title, begin, end, shown
        self.wait, self.long = (WAIT / 2, 0.0) if shown == "always" else (WAIT, LONG)
        self.started = clock.perf_counter()
        self.first: tuple[float, int] | None = None
        self.steps = 0
        self.iterations, self.looks = 0.0, 0  # mean of Newton's iterations, and of how many looks
        self.bar: Any = None
        self.next_line = 0.0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
        elif self.shown == "always" and kind is None and self.steps:
            spent = clock.perf_counter() - self.started
            print(
                f"{self.title}: t = {self.end:g}, done at {self.steps / spent:,.0f} steps/s",
                file=sys.stderr, flush=True,
            )  # fmt: skip

    def update(self, time: float, steps: int, iterations: float = 0.0) -> None:
        """Called now and then with the time reached, the steps taken and the last step's
        iterations of Newton's method (0: it has none)."""
        self.looks += 1
        self.iterations += (iterations - self.iterations) / self.looks
        if self.first is None:  # before it, code may have been compiled
            self.first, self.started = (time, steps), clock.perf_counter()
        spent = clock.perf_counter() - self.started
        begin, steps = self.first[0], steps - self.first[1]
        self.steps = steps
        if not self.shown or spent < self.wait or time <= begin:
            return
        share = (time - begin) / (self.end - begin)
        if self.bar is None and spent / share < self.long:
            return
        if sys.stderr.isatty():
            self._draw(time, steps / spent, spent / share - spent)
        elif spent > self.next_line:
            self.next_line = max(2 * spent, 2.0)
            print(
                f"{self.title}: t = {time:.4g} of {self.end:g} ({100 * share:.0f} %), "
                f"{steps / spent:,.0f} steps/s{self._newton()}, "
                f"about {spent / share - spent:.0f} s left",
                file=sys.stderr, flush=True,
            )  # fmt: skip

    def _newton(self) -> str:
        return f", {self.iterations:.1f} iterations per step" if self.iterations else ""

    def _draw(self, time: float, rate: float, left: float) -> None:
        words = f"{rate:,.0f} steps/s{self._newton()}, {left:.0f} s left"
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            self.bar = Bar(
                TextColumn("{task.description}"), BarColumn(),
                TextColumn("t = {task.fields[now]:.4g} of {task.fields[end]:g}"),
                TextColumn("{task.fields[words]}"),
                console=Console(stderr=True), transient=self.shown != "always",
            )  # fmt: skip
            self.bar.start()
            self.task = self.bar.add_task(
                self.title, total=self.end - self.begin, now=time, end=self.end, words=words
            )
        self.bar.update(self.task, completed=time - self.begin, now=time, words=words)


def next_chunk(size: int, spent: float, most: int) -> int:
    """How many steps to take at once, when the last `size` of them took `spent` seconds.

    LINKWORK_STEPS_PER_CALL in the environment replaces the clock: results must not depend on it.
    """
    if fixed := os.environ.get("LINKWORK_STEPS_PER_CALL"):
        return max(1, min(int(fixed), most))
    return max(1, min(int(size * min(CHUNK / max(spent, 1e-6), 8.0)), most))
