"""What it costs to keep loops closed: runs in joint coordinates with and without correction.

    python -m benchmarks --only corrections [--quick]

Three mechanisms with flexible links (examples/flexible_*.py) move for 50, 100 and 200 s in steps
of 0.01 s with the classic Runge-Kutta method, without correction and with Newton's method after
every step by either Jacobian (linkwork.recursive).  Each mechanism is asked in a process of its
own, where the corrections run in turns.
"""

from __future__ import annotations

import importlib.util
import statistics
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

import linkwork as lw
from benchmarks.joint_coordinates import reply
from benchmarks.processes import ROOT, answer

EXAMPLES = {
    "four-bar": "flexible_four_bar",
    "three loops": "flexible_multi_loop",
    "long loop": "flexible_single_loop",
}
WAYS = ("semi-analytic", "direct")
CORRECTIONS = (None, *WAYS)
STEP, TOLERANCE = 0.01, 1e-10
REPEATS = 9  # runs last a fraction of a second
SAMPLES = 500  # points of a curve, each the largest of its interval


@dataclass
class Closing:
    """One mechanism; keys are corrections in words, and lengths of runs in s."""

    title: str
    velocities: int
    rows: int
    lengths: list[int]
    seconds: dict[str, list[float]]  # CPU time, by lengths
    jacobian: dict[str, float]  # µs
    forward: float  # µs
    largest: dict[str, list[float]]  # violation, by lengths
    curves: dict[str, list[float]]

    def added(self, way: str) -> list[float]:
        """Share of CPU time that a correction adds."""
        pairs = zip(self.seconds[way], self.seconds["None"], strict=True)
        return [mine / without - 1 for mine, without in pairs]


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def move(example: ModuleType, word: str | None, t: float, every: int) -> lw.Result:
    method = lw.Recursive(correction=word, cuts=example.CUTS)
    return lw.transient(example.model, t=t, h=STEP, method=method, every=every, progress=False)


def run(example: str, lengths: list[int], runs: int) -> dict[str, Any]:
    """Times of runs that store little, and the violation after each step of another one."""
    module = load(example)
    joints = lw.joint_space(module.model, cuts=module.CUTS)
    repeats = 20_000
    found: dict[str, Any] = {
        "velocities": len(joints.v), "rows": len(joints.row_names),
        "jacobian": {
            way: 1e6 * statistics.median(joints.time_jacobian(way, repeats) for _ in range(runs))
            for way in WAYS
        },
        "forward": 1e6 * statistics.median(joints.time_forward(repeats) for _ in range(runs)),
        "seconds": {str(word): [] for word in CORRECTIONS}, "largest": {}, "curves": {},
    }  # fmt: skip
    for word in CORRECTIONS:
        done = move(module, word, lengths[-1], 1)
        gap = done.violation.position.sel(joint=list(module.CUTS)).values.max(axis=1)
        ends = [round(t / STEP) + 1 for t in lengths]
        found["largest"][str(word)] = [float(gap[:end].max()) for end in ends]
        parts = np.array_split(gap[1:], SAMPLES)
        found["curves"][str(word)] = [float(part.max()) for part in parts]
    for t in lengths:
        times: dict[str, list[float]] = {str(word): [] for word in CORRECTIONS}
        for _ in range(runs):
            for word in CORRECTIONS:
                done = move(module, word, t, 1000)
                times[str(word)].append(float(done.info["cpu_seconds"]))
        for name, values in times.items():
            found["seconds"][name].append(statistics.median(values))
    return found


HEAD = "\ncorrections            run, s     without" + "".join(f"{w:>22}" for w in WAYS)


def compare_corrections(runs: int, quick: bool = False) -> list[Closing]:
    """Every mechanism, printed as it is measured."""
    print(HEAD, flush=True)
    measured = []
    for title, name in EXAMPLES.items():
        lengths = [5, 10] if quick else [50, 100, 200]
        question = {"example": name, "lengths": lengths, "runs": 1 if quick else REPEATS}
        one = Closing(title=title, lengths=lengths, **answer("corrections", question))
        for k, t in enumerate(lengths):
            cells = "".join(f"{one.seconds[w][k]:12.3f} ({one.added(w)[k]:+6.1%})" for w in WAYS)
            print(f"{title:<20}{t:9d}{one.seconds['None'][k]:12.3f}{cells}", flush=True)
        print("  largest gap  " + ", ".join(f"{w} {g[-1]:.1e} m" for w, g in one.largest.items()))
        times = ", ".join(f"{way} {us:.2f}" for way, us in one.jacobian.items())
        print(f"  one Jacobian, µs: {times}; forward dynamics {one.forward:.2f}", flush=True)
        measured.append(one)
    return measured


if __name__ == "__main__":
    reply(run)
