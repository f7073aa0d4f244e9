"""What a user waits for before the first step: import, compilation, loading compiled code."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

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


def median(title: str, code: str, runs: int, **more: str) -> Wait:
    found = [process(code, **more) for _ in range(runs)]
    wall, cpu = (statistics.median(times) for times in zip(*found))
    print(f"  {title:<42} {wall:7.2f}   {cpu:7.2f}", flush=True)
    return Wait(title, wall, cpu)


def start_up(runs: int, quick: bool = False) -> list[Wait]:
    """Python's bytecode lies beside, as pip leaves it; compiled code is made anew."""
    print("start-up                                     wall, s    CPU, s")
    with tempfile.TemporaryDirectory() as folder:
        places = {
            "NUMBA_CACHE_DIR": f"{folder}/code", "PYTHONPYCACHEPREFIX": f"{folder}/bytecode",
            "PYTHONDONTWRITEBYTECODE": "",
        }  # fmt: skip
        process(FIRST_STEP, NUMBA_DISABLE_JIT="1", **places)
        return [
            median("first run ever, compiling", FIRST_STEP, 1, **places),
            median("later process, until the first step", FIRST_STEP, runs, **places),
            median("import linkwork", IMPORT, runs, **places),
            median("import and the names of a model", IMPORT_ALL, runs, **places),
        ]


def start_up_section(docs: Path, waits: list[Wait]) -> str:
    """The section of docs/speed.md."""
    rows = "\n".join(f"| {w.title} | {w.wall:.2f} | {w.cpu:.2f} |" for w in waits)
    return TEXT.format(rows=rows)


TEXT = """\
## Before the first step

One step of one link on a hinge. CPU time is that of the whole process.

| | wall, s | CPU, s |
|---|---|---|
{rows}

Compiled code is kept on disk, by version, processor and version of numba, and is loaded from there
without what numba needs in order to compile. Families of elements and methods are compiled when a
model first uses them.
"""
