"""linkwork beside Exudyn on the same mechanisms: `make bench-peers`, `python -m benchmarks.peers`.

Every program runs in processes of its own with one thread, in turns, and medians of five are
printed: CPU and wall time per step of the time loop alone (set-up, compilation and output left
out on both sides; the start-up of linkwork is in `python -m benchmarks`).

Exudyn is installed from PyPI into .venv-peers.  For each mechanism its fastest setting is searched
first: linear solver and rotation coordinates, then full or modified Newton and a tolerance as loose
as the answer allows, then when modified Newton renews its matrix.  linkwork runs as it is out of
the box.  An answer counts when the end positions of all bodies in the two programs differ by less
than the error of the method at this step, 4/3 |x(h) − x(h/2)|, from linkwork; otherwise no time
is printed.

Both use generalized-alpha with rho = 0.8, h = 1e-3 and absolute coordinates.  Large mechanisms are
given fewer steps, the same in both programs.  Left out so far: Andrews' squeezer at a given
accuracy, where both programs' steps must be tuned, and programs that are not on PyPI.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import BUILDERS
from benchmarks.speed_page import write_page

ROOT = Path(__file__).parent.parent
VENV = ROOT / ".venv-peers"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
RUNS = 5
DENSE_UP_TO = 50  # bodies; dense solvers are not tried beyond
TOLERANCES = (1e-6, 1e-5, 1e-4, 1e-3)  # Exudyn's own is 1e-8
CONTRACTIVITIES = (0.1, 0.2, 0.3)  # slower convergence renews the matrix; Exudyn's own is 0.5
ONE_THREAD = {
    name: "1"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
}


@dataclass
class Task:
    """One row of the table: a mechanism, the steps taken, and what was measured."""

    title: str
    case: str
    n: int
    steps: int
    times: dict[str, dict[str, float]] = field(default_factory=dict)  # program: cpu, wall in µs
    difference: float = np.nan  # Exudyn's end positions from linkwork's, m
    accuracy: float = np.nan  # error of the method at this step, m
    violation: float = np.nan
    energy: float = np.nan  # over the work of gravity
    setting: dict[str, Any] = field(default_factory=dict)

    @property
    def model(self) -> dict[str, Any]:
        return {"case": self.case, "n": self.n, "steps": self.steps}

    @property
    def agrees(self) -> bool:
        return self.difference < self.accuracy


TASKS = (
    *(Task(f"chain, N = {n}", "chain", n, 1000) for n in (1, 10, 100)),
    Task("chain, N = 1000", "chain", 1000, 100),
    Task("four-bars, N = 10", "four-bars", 10, 1000),
    Task("four-bars, N = 40", "four-bars", 40, 1000),
    Task("four-bars, N = 200", "four-bars", 200, 400),
    Task("tree of 511 bodies", "tree", 9, 200),
    Task("100 separate chains of 3", "independent", 100, 300),
)


def install_exudyn() -> str | None:
    """Makes the virtual environment; gives a sentence if that was not possible."""
    try:
        if not PYTHON.exists():
            subprocess.run([sys.executable, "-m", "venv", VENV], check=True, capture_output=True)
        if subprocess.run([PYTHON, "-c", "import exudyn"], capture_output=True).returncode:
            pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, "exudyn"], check=True, capture_output=True, text=True)
    except (subprocess.CalledProcessError, OSError) as error:
        reason = (getattr(error, "stderr", None) or str(error)).strip().splitlines()[-1:]
        return f"Exudyn could not be installed into {VENV.name}: {' '.join(map(str, reason))}"
    return None


def ask(module: str, question: dict[str, Any]) -> dict[str, Any] | None:
    """The answer of one side, from a process of its own; None where Exudyn did not get through."""
    python = PYTHON if module == "peer_exudyn" else sys.executable
    done = subprocess.run(
        [python, "-W", "ignore", "-m", f"benchmarks.{module}", json.dumps(question)],
        capture_output=True, text=True, cwd=ROOT, env={**os.environ, **ONE_THREAD},
    )  # fmt: skip
    if done.returncode == 0:
        return dict(json.loads(done.stdout.splitlines()[-1]))
    if module == "peer_linkwork":
        raise SystemExit(f"linkwork failed on {question}:\n{done.stderr}")
    return None


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

    def attempt(self, **setting: Any) -> None:
        found = ask("peer_exudyn", {**self.task.model, **setting})
        if found is None or apart(self.reference, found) >= self.task.accuracy:
            return
        if found["cpu"] < self.time:
            self.best, self.time = setting, found["cpu"]

    def go(self) -> dict[str, Any]:
        mechanism = BUILDERS[self.task.case](self.task.n)
        solvers = ["EigenSparse"]
        if len(mechanism.parts) <= DENSE_UP_TO:
            solvers += ["EXUdense", "EigenDense"]
        nodes = ["euler parameters"]
        if not mechanism.planar:
            nodes += ["rotation vector", "angles"]
        for solver in solvers:
            for node in nodes:
                self.attempt(solver=solver, node=node, modified=True, tolerance=1e-8)
        kind = {key: self.best[key] for key in ("solver", "node")} if self.best else {}
        for tolerance in TOLERANCES if kind else ():
            for modified in (True, False):
                self.attempt(**kind, modified=modified, tolerance=tolerance)
        kind = self.best if self.best.get("modified") else {}
        for contractivity in CONTRACTIVITIES if kind else ():
            self.attempt(**{**kind, "contractivity": contractivity})
        return self.best


def check(task: Task, exudyn: bool) -> None:
    """The error of the method, the errors of linkwork, and Exudyn's setting."""
    plain = ask("peer_linkwork", task.model)
    fine = ask("peer_linkwork", {**task.model, "refine": 2})
    assert plain is not None and fine is not None
    task.accuracy = 4 / 3 * apart(plain, fine)
    task.violation, task.energy = plain["violation"], plain["energy"]
    if exudyn:
        task.setting = Search(task, plain).go()


def measure(task: Task) -> None:
    """Medians of runs in turns: linkwork, Exudyn tuned, and Exudyn with its own tolerance."""
    questions = {"linkwork": ("peer_linkwork", task.model)}
    if task.setting:
        tuned = {**task.model, **task.setting}
        questions["exudyn"] = ("peer_exudyn", tuned)
        own = {**tuned, "tolerance": 1e-8, "modified": True, "contractivity": 0.5}
        questions["exudyn, own tolerance"] = ("peer_exudyn", own)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in questions}
    for _ in range(RUNS):
        for name, (module, question) in questions.items():
            answer = ask(module, question)
            if answer is None:
                raise SystemExit(f"Exudyn failed on {question}, which it had solved before")
            found[name].append(answer)
    for name, answers in found.items():
        task.times[name] = {
            key: statistics.median(a[key] for a in answers) for key in ("cpu", "wall")
        }
    if task.setting:
        task.difference = max(apart(*pair) for pair in zip(found["linkwork"], found["exudyn"]))


HEAD = (
    "µs per step                   linkwork           Exudyn             Exudyn/   positions "
    "    method's   linkwork's\n"
    "                              CPU      wall      CPU      wall     linkwork  differ, m "
    "    error, m   violation   energy"
)


def row(task: Task, exudyn: bool) -> str:
    ours = task.times["linkwork"]
    errors = f"{task.accuracy:9.1e}   {task.violation:9.1e} {task.energy:9.1e}"
    start = f"{task.title:<25}{ours['cpu']:9.1f} {ours['wall']:9.1f}"
    if not task.setting:
        why = "no answer within this error" if exudyn else "not installed"
        return f"{start}   Exudyn: {why:<38}{errors}"
    if not task.agrees:
        return f"{task.title:<25}  no time: the answers differ by {task.difference:.1e} m"
    theirs = task.times["exudyn"]
    ratio = theirs["cpu"] / ours["cpu"]
    return (
        f"{start} {theirs['cpu']:9.1f} {theirs['wall']:9.1f}   {ratio:9.1f}   "
        f"{task.difference:9.1e}   {errors}"
    )


def version() -> str:
    code = "from importlib.metadata import version; print(version('exudyn'))"
    return subprocess.run([PYTHON, "-c", code], capture_output=True, text=True).stdout.strip()


def main() -> None:
    begin = time.perf_counter()
    missing = install_exudyn()
    print(f"{missing}: linkwork alone\n" if missing else f"Exudyn {version()}\n")
    print(HEAD, flush=True)
    for task in TASKS:
        check(task, exudyn=missing is None)
        measure(task)
        print(row(task, exudyn=missing is None), flush=True)
    print(f"\nmeasured in {time.perf_counter() - begin:.0f} s")
    if missing:
        raise SystemExit(f"{missing}. The page docs/speed.md stays as it was.")
    if not all(task.agrees for task in TASKS):
        raise SystemExit("Some answers differ. The page docs/speed.md stays as it was.")
    write_page(ROOT / "docs", TASKS, version(), RUNS)
    print("written: docs/speed.md, docs/images/speed.png")


if __name__ == "__main__":
    main()
