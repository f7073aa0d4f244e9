"""One side of a comparison of speed: answers a name on its input with the seconds of that run.

    python timed.py        in a process that imports linkwork and benchmarks from one commit
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import linkwork as lw


def chain(n: int, steps: int) -> Callable[[], Any]:
    from benchmarks.chain import chain as links

    return run_of(links(n), steps)


def case(name: str, n: int, steps: int) -> Callable[[], Any]:
    from benchmarks.cases import BUILDERS
    from benchmarks.programs.linkwork import build

    return run_of(build(BUILDERS[name](n)), steps)


def beam(n: int, steps: int) -> Callable[[], Any]:
    from benchmarks.programs.own_beam import build

    return run_of(build(n, 3), steps)


def squeezer() -> Callable[[], Any]:
    from examples.andrews_squeezer import build

    return lambda: lw.transient(build(), 0.05, 5e-5, progress=False)


def run_of(model: lw.Model, steps: int) -> Callable[[], Any]:
    return lambda: lw.transient(model, 1e-3 * steps, 1e-3, every=steps, progress=False)


CASES: dict[str, Callable[[], Callable[[], Any]]] = {
    "chain of 1, 50,000 steps": lambda: chain(1, 50_000),
    "chain of 10, 20,000 steps": lambda: chain(10, 20_000),
    "chain of 100, 2,000 steps": lambda: chain(100, 2_000),
    "row of 10 four-bars, 1,000 steps": lambda: case("four-bars", 10, 1_000),
    "tree of 10 levels, 100 steps": lambda: case("tree", 10, 100),
    "beam of 50 elements, 500 steps": lambda: beam(50, 500),
    "Andrews' squeezer, whole run": squeezer,
}


def main() -> None:
    warnings.simplefilter("ignore")
    runs: dict[str, Callable[[], Any]] = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in runs:
            runs[name] = CASES[name]()
            runs[name]()  # loads the compiled code
        began = time.process_time()
        runs[name]()
        print(time.process_time() - began, flush=True)


if __name__ == "__main__":
    main()
