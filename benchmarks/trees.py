"""Trees in joint coordinates beside pinocchio, MuJoCo and Drake: time of a Runge-Kutta step.

    python -m benchmarks --only trees [--quick]

All integrate hinge angles with the classic Runge-Kutta method, four evaluations of the forward
dynamics in a step of h = 1e-3.  First every program's settings are tried; an answer counts when,
after the first steps, all centres of mass lie within 1e-9 m of linkwork's in absolute coordinates
with multipliers (lw.RK4).  Then the fastest setting of each runs in turns with linkwork, in
processes of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from benchmarks.cases import BUILDERS
from benchmarks.comparison import apart
from benchmarks.processes import answer, attempt, in_turns, install, medians, version

OURS = "linkwork"
MODULES = {OURS: "programs.recursive", "pinocchio": "programs.pinocchio",
           "MuJoCo": "programs.mujoco", "Drake": "programs.drake"}  # fmt: skip
PACKAGES = {"pinocchio": ("pin", "pinocchio"), "MuJoCo": ("mujoco", "mujoco"),
            "Drake": ("drake", "pydrake")}  # fmt: skip
SETTINGS: dict[str, list[dict[str, str]]] = {
    "pinocchio": [
        {"axes": axes, "convention": convention}
        for axes, convention in product(("x", "z", "as described"), ("LOCAL", "WORLD"))
    ],
    "MuJoCo": [{"jacobian": "sparse"}, {"jacobian": "dense"}],
    "Drake": [{}],
}
ALLOWED = 1e-9  # m, from linkwork's core in absolute coordinates
LIMIT = 180.0  # s for a first answer; a program that needs more is left out
TIMES = ("step", "evaluation")


@dataclass
class Tree:
    """One row of the table; times in µs of CPU time."""

    title: str
    case: str
    n: int
    steps: int  # after which answers are compared
    most: int = 5  # runs
    times: dict[str, dict[str, float]] = field(default_factory=dict)
    cannot: dict[str, str] = field(default_factory=dict)  # program: why
    difference: dict[str, float] = field(default_factory=dict)  # from the judge, m
    settings: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def bodies(self) -> int:
        return len(BUILDERS[self.case](self.n).parts)

    @property
    def model(self) -> dict[str, Any]:
        return {"case": self.case, "n": self.n, "steps": self.steps}

    def per_body(self, program: str) -> float:
        return self.times[program]["evaluation"] / self.bodies

    def ratios(self) -> dict[str, float]:
        """Peers' time of a step over linkwork's."""
        ours = self.times[OURS]["step"]
        return {name: self.times[name]["step"] / ours for name in PACKAGES if name in self.times}


def trees(quick: bool) -> list[Tree]:
    chains = [(10, 100, 5), (100, 100, 5), (500, 100, 5), (1000, 20, 5), (10_000, 20, 3)]
    found = [Tree(f"chain, N = {n:,}", "chain", n, steps, most) for n, steps, most in chains]
    found.insert(3, Tree("tree of 511 bodies", "tree", 9, 100))
    return found[:2] if quick else found


def search(tree: Tree, name: str, judge: dict[str, Any]) -> None:
    """The fastest setting of a program whose answer is right."""
    best = math.inf
    for setting in SETTINGS.get(name, [{}]):
        question = {**tree.model, **setting, "seconds": 0.3}
        found = attempt(MODULES[name], question, limit=None if name == OURS else LIMIT)
        if isinstance(found, str):
            tree.cannot[name] = found
            return
        wrong = apart(judge, found)
        if wrong > ALLOWED:
            tree.cannot.setdefault(name, f"differs by {wrong:.0e} m")
        elif found["step"] < best:
            best, tree.settings[name] = found["step"], setting
    if name in tree.settings:
        tree.cannot.pop(name, None)


def measure(tree: Tree, runs: int, programs: list[str]) -> None:
    judge = answer("programs.recursive", {**tree.model, "judge": True})
    for name in programs:
        search(tree, name, judge)
    questions = {
        name: (MODULES[name], {**tree.model, **setting}) for name, setting in tree.settings.items()
    }
    found = in_turns(questions, min(runs, tree.most))
    for name, answers in found.items():
        tree.times[name] = medians(answers, *TIMES)
        tree.difference[name] = max(apart(judge, one) for one in answers)


@dataclass(frozen=True)
class Bar:
    """What was aimed at: a measured value against a limit."""

    text: str
    value: float
    limit: float
    at_most: bool

    @property
    def passed(self) -> bool:
        return self.value <= self.limit if self.at_most else self.value >= self.limit


def bars(measured: list[Tree]) -> list[Bar]:
    """Empty where linkwork or a size is missing."""
    ours = [tree for tree in measured if OURS in tree.times]
    chain = {tree.n: tree for tree in ours if tree.case == "chain"}
    found = [
        Bar(f"{tree.title}: µs per body and evaluation", tree.per_body(OURS), 0.25, at_most=True)
        for tree in ours
    ]
    if {1000, 10_000} <= set(chain):
        growth = chain[10_000].times[OURS]["evaluation"] / chain[1000].times[OURS]["evaluation"]
        found.append(Bar("order of growth from N = 1,000 to 10,000", math.log10(growth), 1.1, True))
    for n, times_faster in ((100, 1.0), (1000, 3.0)):
        if n in chain and chain[n].ratios():
            name, ratio = min(chain[n].ratios().items(), key=lambda pair: pair[1])
            text = f"chain, N = {n:,}: a step beside the fastest peer there, {name}"
            found.append(Bar(text, ratio, times_faster, at_most=False))
    guess = estimate(measured)
    if guess is not None and 1000 in chain:
        text = "chain, N = 1,000: a step beside pinocchio, twice its time at N = 500"
        found.append(Bar(text, guess / chain[1000].times[OURS]["step"], 3.0, at_most=False))
    return found


def estimate(measured: list[Tree]) -> float | None:
    """pinocchio's step at N = 1000 where its memory does not suffice: twice that at N = 500.

    Its algorithm is linear in N; larger data fit the caches less well, so this favours pinocchio.
    """
    chain = {tree.n: tree.times for tree in measured if tree.case == "chain"}
    if "pinocchio" in chain.get(500, {}) and "pinocchio" not in chain.get(1000, {"pinocchio": {}}):
        return 2 * chain[500]["pinocchio"]["step"]
    return None


HEAD = (
    "\ntrees, CPU µs           " + "".join(f"{name:>21}   " for name in MODULES) + "\n"
    + " " * 24 + "        step evaluation   " * len(MODULES)
)  # fmt: skip


def row(tree: Tree) -> str:
    cells = []
    for name in MODULES:
        if name in tree.times:
            cells.append("".join(f"{tree.times[name][key]:11.1f}" for key in TIMES) + "  ")
        else:
            cells.append(f"{tree.cannot.get(name, 'not installed')[:22]:>22}  ")
    worst = max(tree.difference.values(), default=math.nan)
    return f"{tree.title:<24}{''.join(cells)}  differ by {worst:.0e} m"


def compare_trees(runs: int, quick: bool = False) -> list[Tree]:
    """Every mechanism, printed as it is measured; then what was aimed at."""
    programs = [OURS]
    for name, (package, module) in PACKAGES.items():
        missing = install(package, module)
        print(missing if missing else f"{name} {version(package)}", flush=True)
        programs += [] if missing else [name]
    print(HEAD, flush=True)
    measured = trees(quick)
    for tree in measured:
        measure(tree, runs, programs)
        print(row(tree), flush=True)
    for bar in bars(measured):
        sign, word = "≤" if bar.at_most else "≥", "pass" if bar.passed else "FAIL"
        print(f"  {word}  {bar.text}: {bar.value:.3g} (aim {sign} {bar.limit:g})")
    return measured
