"""Where variants run: in this process, on all cores, or on a Dask cluster.

A worker that is killed takes its variants with it.  They are tried again in new workers, one at a
time, so that the one that kills its worker is found and recorded, and all others are done.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from linkwork.errors import LinkworkError, ModelError
from linkwork.study.variant import Outcome, run_variant

Task = tuple[int, dict[str, Any]]
KILLED = "its worker was killed while it ran"


def outcomes(
    tasks: list[Task], build: Callable, measure: Callable | None, workers: int | None, client: Any
) -> Iterator[Outcome]:
    """The outcomes of all tasks, as they come."""
    if client is not None:
        yield from _on_cluster(tasks, build, measure, client)
        return
    count = worker_count(len(tasks), workers)
    if count == 1:
        for task in tasks:
            yield run_variant(*task, build, measure)
        return
    yield from _on_cores(tasks, build, measure, count)


def worker_count(tasks: int, workers: int | None, client: Any = None) -> int:
    """How many variants run at the same time."""
    if client is not None:
        return max(1, sum(client.nthreads().values()))
    count = workers if workers is not None else min(os.cpu_count() or 1, max(tasks, 1))
    if count < 1:
        raise ModelError(f"workers must be at least 1, found {count}")
    return count


def _on_cores(
    tasks: list[Task], build: Callable, measure: Callable | None, count: int
) -> Iterator[Outcome]:
    from concurrent.futures import as_completed
    from concurrent.futures.process import BrokenProcessPool

    from loky import get_reusable_executor

    left = {task[0]: task for task in tasks}
    pool = get_reusable_executor(max_workers=count, timeout=60)
    futures = {pool.submit(run_variant, *task, build, measure): task[0] for task in tasks}
    broken = False
    for future in as_completed(futures):
        try:
            outcome = future.result()
        except BrokenProcessPool:
            broken = True
            continue
        except Exception as error:  # the function or its arguments cannot be sent to a worker
            pool.shutdown(wait=False, kill_workers=True)
            raise _unsendable(error) from error
        del left[outcome.number]
        yield outcome
    if broken:
        for task in left.values():
            yield _alone(task, build, measure)


def _alone(task: Task, build: Callable, measure: Callable | None) -> Outcome:
    """One variant in a worker of its own."""
    from concurrent.futures.process import BrokenProcessPool

    from loky import get_reusable_executor

    pool = get_reusable_executor(max_workers=1, timeout=60, kill_workers=True, reuse="auto")
    try:
        return pool.submit(run_variant, *task, build, measure).result()
    except BrokenProcessPool:
        return Outcome(task[0], failure=KILLED)


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
