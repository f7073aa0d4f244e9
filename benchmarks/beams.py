"""A cantilever that falls from horizontal: 50 elements of three nodes beside 100 of two in Exudyn.

    python -m benchmarks --only beams [--quick]

Both have 101 nodes and take 1,000 steps to 1 s with the generalized-alpha method, ρ = 0.8.  Errors
are those of all nodes at 20 times against 200 elements of three nodes and steps eight times as
small: of the largest distance at each time, the root of the mean square.  Each program is timed
with its own tolerance of Newton's method and with a loose one that leaves the error as it is; for
Exudyn the fastest of its settings is searched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from benchmarks.beam_case import END, STEPS
from benchmarks.processes import answer, ask, attempt, in_turns, install, medians, version

WATCHED = 20  # times
OURS, THEIRS, AIM = "linkwork", "Exudyn", 30.0
STRICT, LOOSE = "own tolerance", "loose tolerance"
SIZES = (50, 100, 1000, 10000)
STATIC = 1000


@dataclass
class Cantilever:
    """CPU time of a step in µs and error in m, by program and tolerance; what else was measured."""

    times: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    errors: dict[tuple[str, str], float] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    sizes: dict[int, float] = field(default_factory=dict)
    static: float = 0.0
    reference: float = 0.0  # how far the reference itself is from one with half the elements
    version: str = ""

    def ratio(self, kind: str) -> float:
        return self.times[THEIRS, kind]["cpu"] / self.times[OURS, kind]["cpu"]


def error(path: Any, reference: np.ndarray) -> float:
    distance = np.linalg.norm(np.array(path) - reference, axis=2).max(axis=1)
    return float(np.sqrt(np.mean(distance**2)))


def settings(quick: bool) -> dict[str, list[dict[str, Any]]]:
    """Exudyn's, by tolerance."""
    nodes = ("euler parameters",) if quick else ("euler parameters", "angles")
    loose = (1e-4,) if quick else (1e-4, 1e-5, 1e-6)
    found: dict[str, list[dict[str, Any]]] = {STRICT: [], LOOSE: []}
    for node, modified in product(nodes, (True,) if quick else (True, False)):
        for kind, tolerances in ((STRICT, (1e-8,)), (LOOSE, loose)):
            found[kind] += [
                {"case": "beam", "n": 100, "steps": STEPS, "end": END, "solver": "EigenSparse",
                 "tolerance": tolerance, "modified": modified, "node": node}
                for tolerance in tolerances
            ]  # fmt: skip
    return found


def fastest(tried: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The setting that takes the least time, among those that get to the end."""
    times = []
    for setting in tried:
        said = attempt("programs.exudyn", setting, limit=60.0)
        if isinstance(said, dict):
            times.append((said["cpu"], setting))
    return min(times, key=lambda pair: pair[0])[1] if times else None


def compare_beams(runs: int, quick: bool) -> Cantilever:
    """Both programs, printed as they are measured."""
    found = Cantilever()
    missing = install("exudyn", "exudyn")
    base = {"steps": 8 * STEPS, "end": END, "watched": WATCHED}
    reference = np.array(answer("programs.own_beam", {**base, "n": 200})["path"])
    found.reference = error(answer("programs.own_beam", {**base, "n": 100})["path"], reference)
    own = {"n": 50, "steps": STEPS, "end": END}
    questions: dict[str, tuple[str, dict[str, Any]]] = {
        f"{OURS}, {STRICT}": ("programs.own_beam", own),
        f"{OURS}, {LOOSE}": ("programs.own_beam", {**own, "tolerance": 1e-5}),
    }
    if missing:
        print(f"{missing}: linkwork alone")
    else:
        found.version = version("exudyn")
        for kind, tried in settings(quick).items():
            setting = fastest(tried)
            if setting is not None:
                found.settings[kind] = setting
                questions[f"{THEIRS}, {kind}"] = ("programs.exudyn", setting)
    for name, said in in_turns(questions, runs).items():
        program, kind = name.split(", ")
        module, question = questions[name]
        watched = ask(module, {**question, "watched": WATCHED})
        found.times[program, kind] = medians(said, "cpu", "wall")
        if watched is not None:
            found.errors[program, kind] = error(watched["path"], reference)
        print(f"{name}: {found.times[program, kind]['cpu']:.1f} µs, "
              f"error {found.errors.get((program, kind), np.nan):.2e} m", flush=True)  # fmt: skip
    for n in SIZES[: 2 if quick else None]:
        steps = max(10, 20000 // n)
        question = {"n": n, "steps": steps, "end": steps * 1e-3}
        said = [answer("programs.own_beam", question) for _ in range(3)]
        found.sizes[n] = min(each["cpu"] for each in said)
        print(f"{n} elements: {found.sizes[n]:.1f} µs a step", flush=True)
    found.static = answer("programs.own_beam_static", {"n": STATIC})["cpu"]
    print(f"statics of {STATIC} elements: {found.static:.2f} s", flush=True)
    return found
