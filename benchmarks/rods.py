"""The Jacobian of a cut joint in two ways against the length of its loop, and runs with either.

    python -m benchmarks --only rods [--quick]

A single loop of 100 to 500 rods on pins and slides, some of them flexible: `build(n)` of
examples/flexible_single_loop.py, cut at its last pin, so that all coordinates lie on one path.
Sweeping the path (semi-analytic) needs a number of operations in proportion to the number of rods,
direct differentiation in proportion to its square.  Runs of 1 s in steps of 0.01 s without
correction and with either Jacobian show what that means for the whole (figure 22 of Zhang and
others, 2023).
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import linkwork as lw
from benchmarks.corrections import CORRECTIONS, STEP, WAYS, load
from benchmarks.joint_coordinates import reply
from benchmarks.processes import answer

SIZES = (100, 200, 300, 400, 500)


@dataclass
class Rods:
    """Times of one Jacobian in µs by number of rods, and the fitted powers of that number."""

    sizes: list[int] = field(default_factory=list)
    velocities: list[int] = field(default_factory=list)
    times: dict[str, list[float]] = field(default_factory=lambda: {way: [] for way in WAYS})
    apart: list[float] = field(default_factory=list)
    totals: dict[str, list[float]] = field(  # CPU time of whole runs in s
        default_factory=lambda: {str(word): [] for word in CORRECTIONS}
    )

    def exponent(self, way: str) -> float:
        return float(np.polyfit(np.log(self.sizes), np.log(self.times[way]), 1)[0])


def run(rods: int, runs: int, seconds: float = 0.2) -> dict[str, Any]:
    model, cuts = load("flexible_single_loop").build(rods), [f"{2 * rods + 1}"]
    joints = lw.joint_space(model, cuts=cuts)
    semi, direct = (joints.jacobian(joints.q, way) for way in WAYS)
    found: dict[str, Any] = {
        "velocities": len(joints.v),
        "apart": float(np.abs(semi - direct).max() / np.abs(semi).max()),
    }
    for way in WAYS:
        repeats = max(3, round(seconds / joints.time_jacobian(way, 3)))
        found[way] = 1e6 * statistics.median(
            joints.time_jacobian(way, repeats) for _ in range(runs)
        )
    times: dict[str, list[float]] = {str(word): [] for word in CORRECTIONS}
    for _ in range(runs + 1):  # the first compiles
        for word in CORRECTIONS:
            method = lw.Recursive(correction=word, cuts=cuts)
            done = lw.transient(model, t=1, h=STEP, method=method, every=100, progress=False)
            times[str(word)].append(float(done.info["cpu_seconds"]))
    found["totals"] = {word: statistics.median(t[1:]) for word, t in times.items()}
    return found


def compare_rods(runs: int, quick: bool = False) -> Rods:
    """Every number of rods, printed as it is measured."""
    print("\nJacobian of a loop, CPU µs" + "".join(f"{way:>16}" for way in WAYS), flush=True)
    found = Rods()
    for rods in SIZES[:2] if quick else SIZES:
        one = answer("rods", {"rods": rods, "runs": min(runs, 5)})
        found.sizes.append(rods)
        found.velocities.append(one["velocities"])
        found.apart.append(one["apart"])
        for way in WAYS:
            found.times[way].append(one[way])
        for word, seconds in one["totals"].items():
            found.totals[word].append(seconds)
        cells = "".join(f"{one[way]:16.2f}" for way in WAYS)
        print(f"{rods:>16} rods     {cells}   apart by {one['apart']:.0e}", flush=True)
        whole = ", ".join(f"{word} {t:.3f}" for word, t in one["totals"].items())
        print(f"  runs of 1 s, CPU s: {whole}", flush=True)
    fitted = ", ".join(f"{way} {found.exponent(way):.2f}" for way in WAYS)
    print(f"  power of the number of rods: {fitted}", flush=True)
    return found


if __name__ == "__main__":
    reply(run)
