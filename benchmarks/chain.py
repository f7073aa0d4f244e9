"""A chain of N bodies with revolute joints, 1000 steps: the model every figure is measured on."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.integrators.contract import step_rows
from linkwork.integrators.second_order.run import ImplicitRun


def chain(n: int) -> lw.Model:
    """n links of 1 m and 1 kg in a row, joint axes alternating, falling from horizontal."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    parent = lw.GROUND
    for i in range(n):
        body = lw.Body(mass=1, inertia=(0.01, 1 / 12, 1 / 12), position=(i + 0.5, 0, 0))
        m.add(f"link{i}", body)
        axis = (0, 1, 0) if i % 2 == 0 else (0, 0.6, 0.8)
        m.add(f"joint{i}", lw.Revolute(parent, body, at=(i, 0, 0), axis=axis))
        parent = body
    return m


def microseconds_per_step(
    n: int, steps: int = 1000, *, stiffness: bool = True, energy_momentum: bool = False
) -> dict[str, float]:
    """CPU and wall time per step of the compiled loop, h = 1e-3, generalized-alpha or the other."""
    h = 1e-3
    assembled = assemble_model(chain(n))
    data, start = assembled.data, assembled.state
    run: Any
    if energy_momentum:
        run = lw.EnergyMomentum().run(assembled.full, data, start, h)
    else:
        run = ImplicitRun(
            data, lw.GeneralizedAlpha(), start, h, None, constraint_stiffness=stiffness
        )
    times = h * np.arange(1, steps + 3)
    schedule, out = data.schedule(times), step_rows(assembled.full.system, 0)
    saved = np.full(len(times), -1)
    run.advance(times[:2], schedule[:2], saved[:2], out)
    cpu, wall = time.process_time(), time.perf_counter()
    run.advance(times[2:], schedule[2:], saved[2:], out)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    error = np.abs(assembled.full.evaluate(run.state()).C).max()
    return {"cpu": 1e6 * cpu / steps, "wall": 1e6 * wall / steps, "violation": float(error)}
