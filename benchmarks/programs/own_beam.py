"""The falling cantilever of beams.py in linkwork: the compiled time loop alone.

    python -m benchmarks.programs.own_beam '{"n": 50, "steps": 1000, "end": 1.0}'
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any

import numpy as np

import linkwork as lw
from benchmarks.beam_case import GRAVITY, INERTIA, LENGTH, MASS, STIFFNESS
from benchmarks.programs.linkwork import advance, start
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.integrators.contract import step_rows
from linkwork.system.initial_conditions.consistent_start import Start


def build(n: int, order: int) -> lw.Model:
    m = lw.Model("cantilever", gravity=GRAVITY)
    section = lw.Section(stiffness=np.diag(STIFFNESS), mass=MASS, inertia=INERTIA)
    beam = m.add("beam", lw.Beam((0, 0, 0), (LENGTH, 0, 0), section, elements=n, order=order))
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    return m


def run(
    n: int, steps: int, end: float, order: int = 3, tolerance: float = 1e-8, watched: int = 0
) -> dict[str, Any]:
    """n elements of so many nodes each; watched: at how many times positions are kept."""
    assembled, h = assemble_model(build(n, order), warn=False), end / steps
    if watched:
        return {"path": path(assembled, h, steps, tolerance, watched)}
    advance(start(assembled, h, tolerance), assembled, h, 2)  # loads the compiled code
    timed = start(assembled, h, tolerance)
    cpu, wall = time.process_time(), time.perf_counter()
    advance(timed, assembled, h, steps)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"cpu": 1e6 * cpu / steps, "wall": 1e6 * wall / steps, "end": timed.state().time}


def path(
    assembled: Start, h: float, steps: int, tolerance: float, watched: int
) -> list[list[list[float]]]:
    """Positions of 101 places from the root to the tip, at equally spaced times."""
    run, data = start(assembled, h, tolerance), assembled.data
    times = h * np.arange(1, steps + 1)
    out, saved = step_rows(assembled.full.system, watched), np.full(steps, -1)
    saved[steps // watched - 1 :: steps // watched] = np.arange(watched)
    run.advance(times, data.schedule(times), saved, out)
    along = np.argsort([data.system.items[b].s for b in range(data.system.bodies)])
    places = out.motion[:, along, :3]
    return places[:, :: (len(along) - 1) // 100].tolist()


if __name__ == "__main__":
    warnings.simplefilter("ignore", lw.LinkworkWarning)
    print(json.dumps(run(**json.loads(sys.argv[1]))))
