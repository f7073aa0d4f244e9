"""Speed of this commit beside the base: least CPU time of runs taken in turns."""

from __future__ import annotations

import fnmatch
import os
import tempfile
from pathlib import Path
from subprocess import Popen

from checkout import THIS, started
from timed import CASES

TURNS, SLOWER = 15, 1.03
FIRST_USES, FIRST_SLOWER = 3, 1.15  # a first use takes long, and varies more
FIRST_USE = "first use of a pendulum"


def compare_speed(base: Path, pattern: str) -> int:
    """Prints ms and their ratio for every case; how many are slower than is allowed."""
    slower = 0
    sides = [started(root, "timed.py") for root in (base, THIS)]
    print(f"{'':36s}    base, ms    now, ms   ratio")
    for name in CASES:
        if fnmatch.fnmatch(name, pattern):
            turns = [[seconds(side, name) for side in sides] for _ in range(TURNS)]
            slower += judged(name, turns, SLOWER)
    for side in sides:
        side.terminate()
    if fnmatch.fnmatch(FIRST_USE, pattern):
        turns = [[first_use(root) for root in (base, THIS)] for _ in range(FIRST_USES)]
        slower += judged(FIRST_USE, turns, FIRST_SLOWER)
    return slower


def judged(name: str, turns: list[list[float]], bound: float) -> bool:
    before, now = (1e3 * min(times) for times in zip(*turns, strict=True))
    slower = now > bound * before
    print(f"{name:36s} {before:11.2f} {now:10.2f} {now / before:7.3f}{'  SLOWER' * slower}")
    return slower


def seconds(side: Popen[bytes], name: str) -> float:
    assert side.stdin is not None and side.stdout is not None
    side.stdin.write(f"{name}\n".encode())
    side.stdin.flush()
    return float(side.stdout.readline())


def first_use(root: Path) -> float:
    """CPU seconds of a process that compiles everything for the run of a pendulum."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        side = started(root, "timed.py", NUMBA_CACHE_DIR=folder)
        side.communicate(b"chain of 1, 50,000 steps\n")
        after = os.times()
    user, system = (after[k] - before[k] for k in (2, 3))  # of ended child processes
    return user + system
