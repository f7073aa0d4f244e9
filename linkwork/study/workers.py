"""Where variants run: in this process, on all cores, or on a Dask cluster.

Every core has a process, which runs one variant at a time: one that is killed, or that takes longer
than it may, loses its own variant and no other.  Processes wait a minute for further studies.  They
end with the program that started them, also where that is killed: they watch a pipe whose other end
the system then closes.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time as clock
from collections import deque
from collections.abc import Callable, Generator, Iterator
from functools import cache
from typing import Any, NamedTuple

from linkwork.errors import LinkworkError, ModelError
from linkwork.model import checks
from linkwork.study.variant import Outcome, run_variant

Task = tuple[int, dict[str, Any]]
KILLED = "its worker was killed while it ran"
IDLE = 60.0  # seconds that a process waits for another study
_idle: list[Any] = []  # executors of one process each
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # they are the parent's


def outcomes(
    tasks: list[Task], build: Callable, measure: Callable | None, workers: int | None,
    client: Any, time_limit: float | None,
) -> Generator[Outcome]:  # fmt: skip
    """The outcomes of all tasks, as they come."""
    if client is not None:
        yield from _on_cluster(tasks, build, measure, client)
        return
    count = worker_count(len(tasks), workers)
    if count == 1 and time_limit is None:
        for task in tasks:
            yield run_variant(*task, build, measure)
        return
    yield from _on_cores(tasks, build, measure, count, time_limit or math.inf)


def worker_count(tasks: int, workers: int | None, client: Any = None) -> int:
    """How many variants run at the same time."""
    if client is not None:
        return max(1, sum(client.nthreads().values()))
    return workers if workers is not None else min(os.cpu_count() or 1, max(tasks, 1))


class Job(NamedTuple):
    """What a process does until when: a task, or without one it gets the functions ready."""

    executor: Any
    task: Task | None = None
    end: float = math.inf
    new: bool = False  # the process was started for this job


class Crew:
    """Processes at work: each gets the functions ready, then runs one variant after the other."""

    def __init__(self, build: Callable, measure: Callable | None, time_limit: float) -> None:
        self.functions, self.time_limit = (build, measure), time_limit
        self.jobs: dict[Any, Job] = {}  # by their futures

    def enlist(self) -> None:
        """Have one more process get ready: one that is idle, or a new one."""
        from concurrent.futures.process import BrokenProcessPool

        while _idle:
            executor = _idle.pop()
            with contextlib.suppress(BrokenProcessPool):  # it was killed meanwhile
                self.jobs[executor.submit(_ready, *self.functions)] = Job(executor)
                return
        executor = _new_process()
        self.jobs[executor.submit(_ready, *self.functions)] = Job(executor, new=True)

    def give(self, executor: Any, task: Task) -> None:
        future = executor.submit(run_variant, *task, *self.functions)
        self.jobs[future] = Job(executor, task, clock.monotonic() + self.time_limit)

    def ended(self) -> Iterator[tuple[Any, Outcome | None]]:
        """Wait for jobs to end: their processes (None: gone) and outcomes (None: it got ready)."""
        from concurrent.futures import FIRST_COMPLETED, wait
        from concurrent.futures.process import BrokenProcessPool

        soonest = min(job.end for job in self.jobs.values()) - clock.monotonic()
        wait(self.jobs, None if soonest == math.inf else max(soonest, 0.0), FIRST_COMPLETED)
        for future, job in list(self.jobs.items()):
            late = job.end <= clock.monotonic()
            if not late and not future.done():
                continue
            del self.jobs[future]
            try:
                yield job.executor, future.result(timeout=0)
                continue
            except TimeoutError:
                job.executor.shutdown(kill_workers=True)
                failure = f"TimeoutError: it ran longer than time_limit={self.time_limit:g} s"
            except BrokenProcessPool as error:
                if job.new:
                    raise _stillborn(error) from error
                failure = KILLED
            except Exception as error:  # the functions or their arguments
                raise _unsendable(error) from error
            yield None, job.task and Outcome(job.task[0], failure=failure)

    def dismiss(self) -> None:
        """End the processes that are still at work."""
        for job in self.jobs.values():
            job.executor.shutdown(wait=False, kill_workers=True)


def _on_cores(
    tasks: list[Task], build: Callable, measure: Callable | None, count: int, time_limit: float
) -> Iterator[Outcome]:
    left, crew = deque(tasks), Crew(build, measure, time_limit)
    try:
        for _ in range(min(count, len(tasks))):
            crew.enlist()
        while crew.jobs:
            for executor, outcome in crew.ended():
                if outcome is not None:
                    yield outcome
                if executor is None and left:
                    crew.enlist()
                elif executor is not None and left:
                    crew.give(executor, left.popleft())
                elif executor is not None:
                    _idle.append(executor)
    finally:
        crew.dismiss()


def _ready(*functions: Any) -> None:
    """Functions that arrive here are loaded, with the modules that they are from."""


def _new_process() -> Any:
    from loky import ProcessPoolExecutor

    return ProcessPoolExecutor(1, timeout=IDLE, initializer=_end_with, initargs=(_life()[0],))


@cache
def _life() -> tuple[Any, Any]:
    """A pipe of which this process holds the writing end as long as it lives."""
    from multiprocessing import Pipe

    return Pipe(duplex=False)


def _end_with(life: Any) -> None:
    """In a worker: end it when the process that started it ends, whatever it is doing."""

    def watch() -> None:
        with contextlib.suppress(EOFError):
            life.recv()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _stillborn(error: Exception) -> LinkworkError:
    return LinkworkError(
        f"a process of the study ended while it got ready ({checks.line(error)}): memory is short, "
        "or the module of the functions ends it; use fewer workers, or workers=1"
    )


def _unsendable(error: Exception) -> LinkworkError:
    return ModelError(
        f"the functions of the study cannot be sent to other processes ({error}); define them in a "
        "module or at the top of the script, without open files or pages, or use workers=1"
    )


def _on_cluster(
    tasks: list[Task], build: Callable, measure: Callable | None, client: Any
) -> Iterator[Outcome]:
    try:
        from dask.distributed import as_completed
    except ImportError as error:
        raise LinkworkError(
            f"a study on a cluster needs dask.distributed ({error}); install it with: "
            "pip install 'linkwork[cluster]'"
        ) from None
    futures = {
        client.submit(run_variant, *task, build, measure, pure=False): task[0] for task in tasks
    }
    for future in as_completed(list(futures)):
        trouble = future.exception()
        if trouble is None:
            yield future.result()
        elif type(trouble).__name__ == "KilledWorker":
            yield Outcome(futures[future], failure=KILLED)
        else:
            yield Outcome(futures[future], failure=f"{type(trouble).__name__}: {trouble}")
