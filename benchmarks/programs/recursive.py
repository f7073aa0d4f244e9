"""linkwork's side of the comparison of trees: joint coordinates, and its own core as a judge.

    python -m benchmarks.programs.recursive '{"case": "chain", "n": 10, "steps": 100}'

prints one line of JSON: the time of a Runge-Kutta step of `lw.Recursive()` and of an evaluation of
its forward dynamics, both in compiled loops, and where the bodies are after some steps.  With
"judge" the motion is that of `lw.RK4()`, absolute coordinates and multipliers: another formulation
that all programs are compared with.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import linkwork as lw
from benchmarks.cases import BUILDERS
from benchmarks.joint_coordinates import H, measure, reply
from benchmarks.programs.linkwork import build
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.integrators.contract import step_rows
from linkwork.recursive.loops.entry_points import many_forwards


class March:
    """A method's compiled loop without output, step after step."""

    def __init__(self, model: lw.Model, method: Any) -> None:
        self.assembled = assemble_model(model, warn=False)
        a = self.assembled
        self.run = method.run(a.full, a.data, a.state, H)

    def advance(self, steps: int) -> None:
        times = self.run.time + H * np.arange(1, steps + 1)
        out = step_rows(self.assembled.full.system, 0)
        schedule = self.assembled.data.schedule(times)
        self.run.advance(times, schedule, np.full(steps, -1), out)

    def evaluate(self, times: int) -> None:
        """Forward dynamics where the bodies are, into room of its own."""
        m = self.run.motion
        many_forwards(*self.run.compiled, 0.0, m.q, m.v, m.tau, m.stiff, m.d, times)

    def positions(self) -> np.ndarray:
        return np.asarray(self.run.state().positions)


def run(
    case: str, n: int, steps: int, seconds: float = 1.0, judge: bool = False
) -> dict[str, Any]:
    march = March(build(BUILDERS[case](n)), lw.RK4() if judge else lw.Recursive())
    if judge:
        march.advance(steps)
        return {"positions": march.positions().tolist()}
    march.evaluate(1)  # loads the compiled code
    return measure(march.advance, march.evaluate, march.positions, steps, seconds)


if __name__ == "__main__":
    warnings.simplefilter("ignore", lw.LinkworkWarning)
    reply(run)
