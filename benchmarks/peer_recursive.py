"""linkwork's side of the comparison of trees: joint coordinates, and its own core as a judge.

    python -m benchmarks.peer_recursive '{"case": "chain", "n": 10, "steps": 100}'

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
from benchmarks.peer_linkwork import build
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.integrators.implicit import make_output


class March:
    """A method's compiled loop without output, step after step."""

    def __init__(self, assembled: Any, method: Any) -> None:
        self.assembled = assembled
        self.run = method.run(assembled.full, assembled.system, assembled.state, H)

    def advance(self, steps: int) -> None:
        times = self.run.time + H * np.arange(1, steps + 1)
        out = make_output(self.assembled.full, 0)
        schedule = self.assembled.system.schedule(times)
        self.run.advance(times, schedule, np.full(steps, -1), out)

    def positions(self) -> np.ndarray:
        return np.asarray(self.run.state().positions)


def run(
    case: str, n: int, steps: int, seconds: float = 1.0, judge: bool = False
) -> dict[str, Any]:
    assembled = assemble_model(build(BUILDERS[case](n)), warn=False)
    if judge:
        march = March(assembled, lw.RK4())
        march.advance(steps)
        return {"positions": march.positions().tolist()}
    if not hasattr(lw, "Recursive"):
        return {"cannot": "lw.Recursive is not part of this version"}
    march = March(assembled, lw.Recursive())

    def evaluate(times: int) -> None:
        """PLACE OF lw.joint_space(model).forward_dynamics(q, v, t) in a compiled loop."""
        raise NotImplementedError

    return measure(march.advance, evaluate, march.positions, steps, seconds)


if __name__ == "__main__":
    warnings.simplefilter("ignore", lw.LinkworkWarning)
    reply(run)
