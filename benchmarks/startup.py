"""What a user waits for before the first step: import, compilation, loading compiled code."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from benchmarks.processes import ROOT, environment

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


@dataclass(frozen=True)
class Wait:
    """A line of the table, in seconds."""

    title: str
    wall: float
    cpu: float
    limit: float


def process(code: str, **more: str) -> tuple[float, float]:
    """Wall seconds that the code prints, and seconds of CPU time of its process."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT,
        env=environment(**more),
    )  # fmt: skip
    after = os.times()
    used = after.children_user + after.children_system
    return float(done.stdout), used - before.children_user - before.children_system


def median(title: str, limit: float, code: str, runs: int, **more: str) -> Wait:
    found = [process(code, **more) for _ in range(runs)]
    wall, cpu = (statistics.median(times) for times in zip(*found))
    wait = Wait(title, wall, cpu, limit)
    print(f"  {title:<42} {wall:7.2f}   {cpu:7.2f}   {limit:9g}", flush=True)
    return wait


def start_up(runs: int) -> list[Wait]:
    print("start-up                                     wall, s    CPU, s    limit, s")
    with tempfile.TemporaryDirectory() as folder:
        cache = {"NUMBA_CACHE_DIR": folder}
        return [
            median("first run ever, compiling", 30, FIRST_STEP, 1, **cache),
            median("later process, until the first step", 1.5, FIRST_STEP, runs, **cache),
            median("import linkwork", 0.6, IMPORT, runs),
            median("import and the names of a model", 0.6, IMPORT_ALL, runs),
        ]
