"""linkwork beside Exudyn on the same mechanisms: CPU and wall time per step of the time loop.

For each mechanism Exudyn's fastest setting is searched first: linear solver and rotation
coordinates, then full or modified Newton, then when modified Newton renews its matrix; and the same
again with a tolerance of Newton's method as loose as the answer allows.  linkwork runs as it is out
of the box.  An answer counts when the end positions of all bodies in the two programs differ by
less than the error of the method at this step, 4/3 |x(h) − x(h/2)|; otherwise no time is printed.

Both use generalized-alpha with rho = 0.8, h = 1e-3 and absolute coordinates.  Large mechanisms are
given fewer steps, the same in both programs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.cases import BUILDERS
from benchmarks.processes import answer, ask, in_turns, medians

DENSE_UP_TO = 50  # bodies; dense solvers are not tried beyond
OWN = 1e-8  # Exudyn's own tolerance of Newton's method
TOLERANCES = (1e-6, 1e-5, 1e-4, 1e-3)
CONTRACTIVITIES = (0.02, 0.05, 0.1, 0.2, 0.3)  # a slower convergence renews the matrix; own: 0.5
TUNED, LOOSE = "exudyn", "exudyn, loose"


@dataclass
class Task:
    """One row of the table: a mechanism, the steps taken, and what was measured."""

    title: str
    case: str
    n: int
    steps: int
    times: dict[str, dict[str, float]] = field(default_factory=dict)  # program: cpu, wall in µs
    difference: dict[str, float] = field(default_factory=dict)  # from linkwork's end positions, m
    accuracy: float = np.nan  # error of the method at this step, m
    violation: float = np.nan
    energy: float = np.nan  # over the work of gravity
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def model(self) -> dict[str, Any]:
        return {"case": self.case, "n": self.n, "steps": self.steps}

    @property
    def agrees(self) -> bool:
        return all(x < self.accuracy for x in self.difference.values())

    def ratio(self, program: str) -> float:
        return self.times[program]["cpu"] / self.times["linkwork"]["cpu"]


def tasks() -> list[Task]:
    return [
        *(Task(f"chain, N = {n}", "chain", n, 1000) for n in (1, 10, 100)),
        Task("chain, N = 1000", "chain", 1000, 100),
        Task("four-bars, N = 10", "four-bars", 10, 1000),
        Task("four-bars, N = 40", "four-bars", 40, 1000),
        Task("four-bars, N = 200", "four-bars", 200, 400),
        Task("tree of 511 bodies", "tree", 9, 200),
        Task("100 separate chains of 3", "independent", 100, 300),
    ]


def apart(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Largest difference of a coordinate of any body at the end, m."""
    x, y = np.array(one["positions"]), np.array(other["positions"])
    return float(np.abs(x - y).max()) if np.isfinite(y).all() else np.inf


class Search:
    """Exudyn's fastest setting for a task whose answer is right."""

    def __init__(self, task: Task, reference: dict[str, Any]) -> None:
        self.task, self.reference = task, reference
        self.best: dict[str, Any] = {}
        self.time = np.inf

    def attempt(self, **setting: Any) -> bool:
        found = ask("programs.exudyn", {**self.task.model, **setting})
        if found is None or apart(self.reference, found) >= self.task.accuracy:
            return False
        if found["cpu"] < self.time:
            self.best, self.time = setting, found["cpu"]
        return True

    def go(self) -> dict[str, dict[str, Any]]:
        """The best with Exudyn's own tolerance, and the best with any."""
        mechanism = BUILDERS[self.task.case](self.task.n)
        solvers = ["EigenSparse"]
        if len(mechanism.parts) <= DENSE_UP_TO:
            solvers += ["EXUdense", "EigenDense"]
        nodes = ["euler parameters"]
        if not mechanism.planar:
            nodes += ["rotation vector", "angles"]
        for solver in solvers:
            for node in nodes:
                self.attempt(solver=solver, node=node, modified=True, tolerance=OWN)
        if not self.best:
            return {}
        kind = {key: self.best[key] for key in ("solver", "node")}
        self.attempt(**kind, modified=False, tolerance=OWN)
        self.renewals()
        found = {TUNED: self.best}
        for tolerance in TOLERANCES:
            right = [
                self.attempt(**kind, modified=modified, tolerance=tolerance)
                for modified in (True, False)
            ]
            if not any(right):
                break
        self.renewals()
        return {**found, LOOSE: self.best}

    def renewals(self) -> None:
        """When modified Newton renews its matrix, from the best setting so far."""
        best = {k: v for k, v in self.best.items() if k != "contractivity"}
        for contractivity in CONTRACTIVITIES if best["modified"] else ():
            self.attempt(**{**best, "contractivity": contractivity})


def check(task: Task, exudyn: bool) -> None:
    """The error of the method, the errors of linkwork, and Exudyn's settings."""
    plain = answer("programs.linkwork", task.model)
    fine = answer("programs.linkwork", {**task.model, "refine": 2})
    task.accuracy = 4 / 3 * apart(plain, fine)
    task.violation, task.energy = plain["violation"], plain["energy"]
    if exudyn:
        task.settings = Search(task, plain).go()


def measure(task: Task, runs: int) -> None:
    """Medians of runs in turns: linkwork, Exudyn with its own tolerance, Exudyn with any."""
    questions = {"linkwork": ("programs.linkwork", task.model)}
    for name, setting in task.settings.items():
        questions[name] = ("programs.exudyn", {**task.model, **setting})
    found = in_turns(questions, runs)
    task.times = {name: medians(answers, "cpu", "wall") for name, answers in found.items()}
    task.difference = {
        name: max(apart(*pair) for pair in zip(found["linkwork"], found[name]))
        for name in task.settings
    }


HEAD = (
    "µs per step               linkwork            Exudyn, own tol.    Exudyn, loose       "
    "Exudyn/linkwork  differ by  allowed   violation energy\n"
    "                          CPU       wall      CPU       wall      CPU       wall      "
    "own      loose   m          m                   error"
)


def row(task: Task, exudyn: bool) -> str:
    errors = f"{task.accuracy:9.1e} {task.violation:9.1e} {task.energy:9.1e}"
    start = f"{task.title:<25}"
    if not task.agrees:
        return f"{start} no time: the answers differ by {max(task.difference.values()):.1e} m"
    cells = " ".join(f"{task.times['linkwork'][key]:9.1f}" for key in ("cpu", "wall"))
    if not task.settings:
        why = "no answer within this error" if exudyn else "not installed"
        return f"{start} {cells}   Exudyn: {why:<58}{errors}"
    for name in (TUNED, LOOSE):
        cells += " " + " ".join(f"{task.times[name][key]:9.1f}" for key in ("cpu", "wall"))
    ratios = f"{task.ratio(TUNED):8.1f} {task.ratio(LOOSE):8.1f}"
    return f"{start} {cells} {ratios}  {max(task.difference.values()):9.1e} {errors}"


def compare(runs: int, exudyn: bool) -> list[Task]:
    """Every mechanism, printed as it is measured."""
    print(HEAD, flush=True)
    found = tasks()
    for task in found:
        check(task, exudyn)
        measure(task, runs)
        print(row(task, exudyn), flush=True)
    return found
