"""Andrews' squeezer to t = 0.05 s with the crank end F within 1e-5 m: both programs tuned.

    python -m benchmarks.squeezer '{"method": "GeneralizedAlpha(rho=0.8)", "steps": 1000}'

For every method of each program the fewest steps are searched with which F is right, with 5 % and
with 10 % more steps as well, so that no lucky crossing of zero counts; then the fastest is timed.
Timed is the whole run from the model as it is described: assembly and initial accelerations (in
linkwork), all steps, no output; compiled code is loaded before.  Reference: the IVP test set's data
integrated to 1e-10, F(0.05 s) = (−5.208504722e-3, 4.676695260e-3) m.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from benchmarks.processes import ask, in_turns, medians

END, REFERENCE, ALLOWED = 0.05, (-5.208504722e-3, 4.676695260e-3), 1e-5
GRID = [int(400 * 1.15**k) for k in range(20)]  # numbers of steps to try: 400 to 5692
OURS = [
    *({"method": f"GeneralizedAlpha(rho={rho})"} for rho in (0.6, 0.8, 0.9, 1.0)),
    *({"method": f"GeneralizedAlpha(rho={rho}, stabilized=True)"} for rho in (0.8, 1.0)),
    {"method": "RK4()"},
]  # fmt: skip
THEIRS = [
    {"method": method, "rho": rho, "solver": solver, "modified": modified, "tolerance": tolerance}
    for (method, rho), solver, modified, tolerance in product(
        (("GeneralizedAlpha", 0.8), ("GeneralizedAlpha", 1.0), ("TrapezoidalIndex2", 1.0)),
        ("EXUdense", "EigenSparse"), (True, False), (1e-8, 1e-6, 1e-4),
    )
]  # fmt: skip


def error(F: Any) -> float:
    """Distance of the crank end from the reference, m."""
    return float(np.hypot(F[0] - REFERENCE[0], F[1] - REFERENCE[1]))


def fewest_steps(error_of: Any) -> int | None:
    """The fewest steps of the grid with which the error is small enough, also with some more."""
    for n in GRID:
        if all(error_of(k) < ALLOWED for k in (n, round(1.05 * n), round(1.1 * n))):
            return n
    return None


def run(method: str, steps: int | None = None) -> dict[str, Any]:
    """linkwork's side; without steps their number is searched."""
    import linkwork as lw
    from examples.andrews_squeezer import build, crank_end
    from linkwork.integrators.catalogue import method_from_text

    model, chosen = build(), method_from_text(method)

    def end(n: int) -> Any:
        return lw.transient(model, END, END / n, chosen, every=n, progress=False)

    def error_of(n: int) -> float:
        try:
            return error(crank_end(end(n))[-1])
        except lw.LinkworkError:
            return np.inf

    if steps is None:
        steps = fewest_steps(error_of)
        if steps is None:
            return {"steps": None}
    lw.transient(model, END / 500, END / 1000, chosen, progress=False)  # loads the compiled code
    cpu, wall = time.process_time(), time.perf_counter()
    result = end(steps)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    balance = result.energy.balance.values
    kinetic = float(result.energy.kinetic[-1])
    return {
        "steps": steps, "cpu": 1e3 * cpu, "wall": 1e3 * wall,
        "error": error(crank_end(result)[-1]), "violation": float(result.violation.position.max()),
        "energy": float(abs(balance[-1])) / kinetic,
    }  # fmt: skip


@dataclass
class Squeezer:
    """What was measured: ms of the whole run, and the setting of each program."""

    times: dict[str, dict[str, float]] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)

    def ratio(self, program: str) -> float:
        return self.times[program]["cpu"] / self.times["linkwork"]["cpu"]


def search(module: str, settings: list[dict[str, Any]]) -> list[tuple[float, dict[str, Any]]]:
    """CPU time of each setting whose answer is right, with its number of steps; fastest first."""
    found = []
    for setting in settings:
        said = ask(module, setting)
        if said and said["steps"] is not None:
            found.append((said["cpu"], {**setting, "steps": said["steps"]}))
    return sorted(found, key=lambda pair: pair[0])


def squeezer(runs: int, exudyn: bool) -> Squeezer:
    """Search, then time in turns; printed as it is measured."""
    result = Squeezer(tried={"linkwork": len(OURS), "exudyn": len(THEIRS)})
    result.settings["linkwork"] = search("squeezer", OURS)[0][1]
    questions = {"linkwork": ("squeezer", result.settings["linkwork"])}
    if exudyn:
        tried = [{"case": "squeezer", **s} for s in THEIRS]
        right = [s for _, s in search("programs.exudyn", tried)]
        own = [s for s in right if s["tolerance"] == 1e-8]
        for name, settings in (("exudyn", own), ("exudyn, loose", right)):
            if settings:
                result.settings[name] = settings[0]
                questions[name] = ("programs.exudyn", settings[0])
    found = in_turns(questions, runs)
    print("\nAndrews' squeezer, F within 1e-5 m      CPU, ms   wall, ms    steps   error, m"
          "   violation   energy   setting")  # fmt: skip
    for name, answers in found.items():
        t = medians(answers, "cpu", "wall", "steps", "error", "violation", "energy")
        result.times[name] = t
        setting = {k: v for k, v in result.settings[name].items() if k not in ("case", "steps")}
        print(
            f"  {name:<36}{t['cpu']:9.2f} {t['wall']:10.2f} {t['steps']:8.0f}  {t['error']:9.1e}"
            f"   {t['violation']:9.1e} {t['energy']:9.1e}  "
            + " ".join(f"{v}" for v in setting.values())
        )
        if name != "linkwork":
            print(f"  {'':<36}{result.ratio(name):9.1f} times linkwork's CPU time")
    sys.stdout.flush()
    return result


if __name__ == "__main__":
    print(json.dumps(run(**json.loads(sys.argv[1]))))
