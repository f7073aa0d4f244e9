"""Prints what a user waits for: start-up, compilation, and the time of a step.

Medians of three runs in processes of their own; CPU and wall time.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

SIZES = (1, 10, 100, 1000)
TARGET = {1: 2.5, 10: 25.0, 100: 250.0, 1000: 2900.0}  # µs of CPU: sparse refactorisation in C

FIRST_STEP = """
import time
begin = time.perf_counter()
import linkwork as lw
from benchmarks.chain import chain
lw.transient(chain(1), t=1e-3, h=1e-3, progress=False)
print(time.perf_counter() - begin)
"""
IMPORT = """
import time
begin = time.perf_counter()
import linkwork
print(time.perf_counter() - begin)
"""
IMPORT_ALL = """
import time
begin = time.perf_counter()
import linkwork as lw
lw.Model, lw.Body, lw.Revolute, lw.transient
print(time.perf_counter() - begin)
"""
STEP = """
import json
from benchmarks.chain import microseconds_per_step
print(json.dumps(microseconds_per_step({n})))
"""


SHARE = """
import statistics
from benchmarks.chain import microseconds_per_step as measure
# in turns in one process, because the share is smaller than the machine's moods
pairs = [(measure(100)["cpu"], measure(100, stiffness=False)["cpu"]) for _ in range(7)]
print(statistics.median(1 - without / with_it for with_it, without in pairs))
"""


def process(code: str, **environment: str) -> tuple[str, float]:
    """Output of a Python process and the seconds of CPU time it took."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    after = os.times()
    used = after.children_user + after.children_system
    return done.stdout, used - before.children_user - before.children_system


def median(code: str, runs: int = 3, **environment: str) -> tuple[float, float]:
    """Median wall seconds that the code prints, and median CPU seconds of the process."""
    found = [process(code, **environment) for _ in range(runs)]
    return (
        statistics.median(float(out) for out, _ in found),
        statistics.median(cpu for _, cpu in found),
    )


def step_time(n: int) -> dict[str, float]:
    runs = [json.loads(process(STEP.format(n=n))[0]) for _ in range(3)]
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def main() -> None:
    print("start-up                                     wall, s    CPU, s    limit, s")
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = median(FIRST_STEP, runs=1, NUMBA_CACHE_DIR=folder)
        print(f"  first run ever, compiling                  {wall:7.2f}   {cpu:7.2f}        30")
        wall, cpu = median(FIRST_STEP, NUMBA_CACHE_DIR=folder)
        print(f"  later process, until the first step        {wall:7.2f}   {cpu:7.2f}       1.5")
    imports = (("import linkwork", IMPORT), ("import and the names of a model", IMPORT_ALL))
    for title, code in imports:
        wall, cpu = median(code)
        print(f"  {title:<42} {wall:7.2f}   {cpu:7.2f}       0.6")

    print("\nchain of N links, µs per step                CPU       wall   limit (CPU)  violation")
    times = {}
    for n in SIZES:
        found = step_time(n)
        times[n] = found["cpu"]
        print(
            f"  N = {n:<6}                        {found['cpu']:12.1f} {found['wall']:10.1f}"
            f"   {TARGET[n]:11.1f}  {found['violation']:9.1e}"
        )
    print(f"\ngrowth from N = 100 to 1000: {times[1000] / times[100]:.1f} (linear: 10)")
    share = float(process(SHARE)[0])
    print(f"constraint stiffness: {100 * share:.1f} % of a run (limit 9 %)")


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"\nmeasured in {time.perf_counter() - started:.0f} s")
