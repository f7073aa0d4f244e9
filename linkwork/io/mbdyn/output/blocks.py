"""Results in blocks of times: one is computed while text of the one before is made and written.

A second thread makes the text where there are two processors, or where LINKWORK_THREADS in the
environment says two or more.  What is written has the same bytes with one thread and with two.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Protocol

from linkwork.errors import LinkworkError, ModelError
from linkwork.io.mbdyn.output.numbers.tables import Tables


def thread_count() -> int:
    """How many threads may write results: as many as LINKWORK_THREADS says, else as processors."""
    wanted = os.environ.get("LINKWORK_THREADS", "")
    if not wanted:
        affinity = getattr(os, "sched_getaffinity", None)  # Linux
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if not wanted.isdecimal() or int(wanted) < 1:
        raise ModelError(
            f"LINKWORK_THREADS must be a number of threads, 1 or more, but is {wanted!r}; "
            "unset it to let linkwork choose"
        )
    return int(wanted)


class Sink(Protocol):
    """Files that take blocks one by one."""

    def open(self) -> None:
        """Before the first block."""

    def add(self, block: Tables) -> None:
        """Write a block; what takes long is left to a second thread."""

    def finish(self) -> None:
        """After the last block has been written."""

    def close(self) -> None:
        """Also where something failed."""


class Ahead:
    """Calls in their order, in a second thread where there is one."""

    def __init__(self) -> None:
        two = thread_count() > 1
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="linkwork") if two else None
        self.waiting: deque[Future[Any]] = deque()

    def __enter__(self) -> Ahead:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        where: TracebackType | None,
    ) -> None:  # fmt: skip
        self.stop()

    def stop(self) -> None:
        """Wait for the call at work, and do without those that wait."""
        if self.pool is not None:
            self.pool.shutdown(cancel_futures=True)

    def run(self, call: Callable[..., Any], *arguments: Any) -> None:
        """Call it after all others."""
        if self.pool is None:
            call(*arguments)
        else:
            self.waiting.append(self.pool.submit(call, *arguments))

    def wait(self, calls: int) -> None:
        """Until at most so many calls wait; the first error of one is raised here."""
        while len(self.waiting) > calls:
            self.waiting.popleft().result()


def write_blocks(tables: Tables, sinks: list[Any], ahead: Ahead) -> None:
    """Compute all blocks, and give each to all sinks; a sink that fails does not stop the others,
    and its error comes last."""
    failed: dict[int, LinkworkError] = {}
    with ExitStack() as closing:
        for sink in sinks:
            closing.callback(sink.close)
            sink.open()
        closing.callback(ahead.stop)
        for block in tables.blocks():
            before = len(ahead.waiting)
            for k, sink in enumerate(sinks):
                if k not in failed:
                    try:
                        sink.add(block)
                    except LinkworkError as error:
                        failed[k] = error
            ahead.wait(len(ahead.waiting) - before)
        ahead.wait(0)
        for k, sink in enumerate(sinks):
            if k not in failed:
                try:
                    sink.finish()
                except LinkworkError as error:
                    failed[k] = error
    for first in failed.values():
        raise first
