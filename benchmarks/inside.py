"""linkwork by itself: what output, a second thread, K_c and energy-momentum steps cost.

    python -m benchmarks.inside '{"what": "output", "every": 1}'

prints one line of JSON; `inside(runs)` asks for all of it in processes of its own.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.processes import answer, in_turns, medians

BODIES, STEPS = 100, 10_000


def output(every: int, file: bool = False) -> dict[str, Any]:
    """A whole run of 100 bodies over 10,000 steps, after the same run once without the clock.

    The first loads the code and has the operating system find the memory (`fresh_memory`).
    """
    import linkwork as lw
    from benchmarks.chain import chain

    model = chain(BODIES)
    with tempfile.TemporaryDirectory() as folder:
        where = {"file": Path(folder) / "run.nc"} if file else {}
        run = lw.transient(
            model, t=1e-3 * STEPS, h=1e-3, every=every, progress=False, **where
        )
        del run
        begin, cpu = time.perf_counter(), time.process_time()
        run = lw.transient(
            model, t=1e-3 * STEPS, h=1e-3, every=every, progress=False, **where
        )
        wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        stored = 8 * len(run) * (19 * BODIES + 5 * BODIES + 5) / 1e6
        del run
    return {"cpu": cpu, "wall": wall, "memory": peak, "stored": stored}


def fresh_memory(megabytes: float) -> dict[str, Any]:
    """Time to fill memory that the operating system has to find first."""
    begin = time.process_time()
    np.empty(int(megabytes * 125_000)).fill(1.0)
    return {"cpu": time.process_time() - begin}


def step(n: int) -> dict[str, Any]:
    from benchmarks.chain import microseconds_per_step

    return dict(microseconds_per_step(n, 1000 if n < 1000 else 200))


def stiffness() -> dict[str, Any]:
    """Share of a run that the constraint stiffness takes, measured in turns in one process."""
    from benchmarks.chain import microseconds_per_step as measure

    pairs = [(measure(100)["cpu"], measure(100, stiffness=False)["cpu"]) for _ in range(7)]
    return {"share": statistics.median(1 - without / with_it for with_it, without in pairs)}


def energy_momentum() -> dict[str, Any]:
    """Time of an energy-momentum step over that of generalized-alpha, in turns in one process."""
    from benchmarks.chain import microseconds_per_step as measure

    pairs = [(measure(100, energy_momentum=True)["cpu"], measure(100)["cpu"]) for _ in range(8)]
    return {"ratio": statistics.median(a / b for a, b in pairs[1:])}


QUESTIONS = {
    "output": output, "fresh_memory": fresh_memory, "step": step, "stiffness": stiffness,
    "energy_momentum": energy_momentum,
}  # fmt: skip


def inside(runs: int) -> dict[str, Any]:
    """All of it, printed as it is measured."""
    found = in_turns({
        "every step stored": ("inside", {"what": "output", "every": 1}),
        "no step stored": ("inside", {"what": "output", "every": STEPS}),
        "every step stored in a file": ("inside", {"what": "output", "every": 1, "file": True}),
    }, runs)  # fmt: skip
    table = {k: medians(v, "cpu", "wall", "memory", "stored") for k, v in found.items()}
    stored = table["every step stored"]["stored"]
    fresh = medians(
        [answer("inside", {"what": "fresh_memory", "megabytes": stored}) for _ in range(runs)],
        "cpu",
    )["cpu"]
    print(f"\noutput of {BODIES} bodies over {STEPS} steps   CPU, s    wall, s   adds    peak MB")
    for name, t in table.items():
        share = 100 * (t["cpu"] / table["no step stored"]["cpu"] - 1)
        print(
            f"  {name:<34} {t['cpu']:8.2f} {t['wall']:10.2f} {share:6.0f} % "
            f"{t['memory']:9.0f}"
        )
    print(f"  {stored:.0f} MB; filling as much the first time takes {fresh:.2f} s here")

    print("\nthreads, µs per step          one: CPU      wall  two: CPU      wall")
    threads = {}
    for n in (10, 100, 1000):
        turns = [
            [answer("inside", {"what": "step", "n": n}, k) for k in (1, 2)] for _ in range(runs)
        ]
        threads[n] = [
            [statistics.median(pair[k][key] for pair in turns) for key in ("cpu", "wall")]
            for k in (0, 1)
        ]
        print(f"  chain, N = {n:<6}          " + "".join(
            f"{x:10.1f}" for pair in threads[n] for x in pair))  # fmt: skip
    share = answer("inside", {"what": "stiffness"})["share"]
    print(f"\nconstraint stiffness: {100 * share:.1f} % of a run", flush=True)
    ratio = answer("inside", {"what": "energy_momentum"})["ratio"]
    print(f"energy-momentum: {ratio:.2f} times the step of generalized-alpha, {BODIES} links")
    return {
        "output": table, "fresh": fresh, "threads": threads, "stiffness": share,
        "energy_momentum": ratio,
    }  # fmt: skip


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(QUESTIONS[asked.pop("what")](**asked)))
