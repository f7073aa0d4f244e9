"""linkwork's side of the comparison: the compiled time loop alone, from the first step to the last.

    python -m benchmarks.programs.linkwork '{"case": "chain", "n": 10, "steps": 1000}'

prints one line of JSON: CPU and wall time per step, where it ended, violation and energy error.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any

import numpy as np

import linkwork as lw
from benchmarks.cases import BUILDERS, GROUND, Case
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.integrators.contract import step_rows
from linkwork.integrators.second_order.run import ImplicitRun
from linkwork.system.initial_conditions.consistent_start import Start
from linkwork.system.initial_conditions.independence import choose_rows
from linkwork.system.state import State

H = 1e-3


def build(case: Case) -> lw.Model:
    """Always in space with revolute joints, redundant where the mechanism is planar."""
    m = lw.Model("benchmark", gravity=case.gravity)
    bodies = [
        m.add(f"body{k}", lw.Body(1.0, p.inertia, position=p.position, velocity=p.velocity,
                                  angular_velocity=p.angular_velocity))
        for k, p in enumerate(case.parts)
    ]  # fmt: skip
    for k, hinge in enumerate(case.hinges):
        a = lw.GROUND if hinge.a == GROUND else bodies[hinge.a]
        m.add(f"hinge{k}", lw.Revolute(a, bodies[hinge.b], at=hinge.at, axis=hinge.axis))
    return m


def energy(case: Case, state: State) -> float:
    """Kinetic and gravity's potential energy, in J; every body has 1 kg."""
    inertia = np.array([part.inertia for part in case.parts])
    v, omega = state.velocities[:, :3], state.velocities[:, 3:]
    kinetic = 0.5 * (v**2).sum() + 0.5 * (inertia * omega**2).sum()
    return float(kinetic - (state.positions @ np.array(case.gravity)).sum())


def start(assembled: Start, h: float, tolerance: float = 1e-8) -> ImplicitRun:
    full, method = assembled.full, lw.GeneralizedAlpha(rho=0.8, tolerance=tolerance)
    return ImplicitRun(
        assembled.data, method, assembled.state, h,
        lambda state: choose_rows(full, state, warn=False)[1], full=full,
    )  # fmt: skip


def advance(run: ImplicitRun, assembled: Start, h: float, steps: int) -> None:
    times = h * np.arange(1, steps + 1)
    out = step_rows(assembled.full.system, 0)
    run.advance(times, assembled.data.schedule(times), np.full(steps, -1), out)


def run(case: str, n: int, steps: int, refine: int = 1) -> dict[str, Any]:
    """refine: so many smaller steps to the same end, to see the error of the method."""
    description, h, steps = BUILDERS[case](n), H / refine, steps * refine
    assembled = assemble_model(build(description), warn=False)
    advance(start(assembled, h), assembled, h, 2)  # loads the compiled code
    timed = start(assembled, h)
    cpu, wall = time.process_time(), time.perf_counter()
    advance(timed, assembled, h, steps)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    end, begin = timed.state(), assembled.state
    moved = energy(description, end) - energy(description, begin)
    fallen = ((end.positions - begin.positions) @ np.array(description.gravity)).sum()
    return {
        "cpu": 1e6 * cpu / steps, "wall": 1e6 * wall / steps, "end": end.time,
        "positions": end.positions.tolist(),
        "violation": float(np.abs(assembled.full.evaluate(end).C).max()),
        "energy": float(abs(moved / fallen)),
    }  # fmt: skip


if __name__ == "__main__":
    warnings.simplefilter("ignore", lw.LinkworkWarning)
    print(json.dumps(run(**json.loads(sys.argv[1]))))
