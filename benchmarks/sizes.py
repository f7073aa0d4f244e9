"""How far one machine goes: CPU time and memory of large models, each in a process of its own.

    python -m benchmarks.sizes '{"case": "chain", "n": 10000}'
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.processes import answer

H = 1e-3
REPEATS = 9  # of the same steps, of which the fastest count: others use the memory, too
CASES = (
    ("hanging chain, revolute", "chain", 1000), ("hanging chain, revolute", "chain", 10_000),
    ("hanging chain, ball joints", "balls", 10_000), ("tree", "tree", 10_000),
    ("four-bars in space, redundant", "four-bars", 1000),
)  # fmt: skip


def hanging(parents: list[int], kind: str) -> Any:
    """Links of 1 m and 1 kg below each other, folded by 0.02 rad to either side in turn."""
    import linkwork as lw

    m = lw.Model(kind, gravity=(0, 0, -9.81))
    ends: list[tuple[Any, np.ndarray]] = []
    for i, parent in enumerate(parents):
        body, start = (lw.GROUND, np.zeros(3)) if parent < 0 else ends[parent]
        a = 0.02 * (-1) ** i
        along = np.array([np.sin(a), 0, -np.cos(a)])
        link = m.add(f"link{i}", lw.Body(
            1, (1 / 12, 1 / 12, 0.01), position=start + along / 2,
            orientation=(np.cos(a / 2), 0, -np.sin(a / 2), 0)))  # fmt: skip
        if kind == "balls":
            m.add(f"joint{i}", lw.Spherical(body, link, at=start))
        else:
            m.add(f"joint{i}", lw.Revolute(body, link, at=start, axis=(0, 1, 0)))
        ends.append((link, start + along))
    return m


def build(case: str, n: int) -> Any:
    if case == "four-bars":
        from benchmarks.cases import four_bars
        from benchmarks.programs.linkwork import build as from_case

        return from_case(four_bars(n))
    return hanging([(i - 1) // 2 if case == "tree" else i - 1 for i in range(n)], case)


def memory() -> float:
    """Largest memory of this process until now, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def data(march: Any) -> float:
    """The arrays that one of Newton's iterations goes over, MB."""
    numbers, e, s = march.data, march.lu, march.stepper
    work, tables, second = numbers.work, numbers.tables, numbers.pattern.left  # C_q is there twice
    arrays = (
        work.nodes, work.vdot, work.x, work.gamma, work.f, work.C, work.vals[: -second],
        tables.ints, tables.reals, tables.bodies, tables.blocks, e.nodes, e.rows, e.order,
        e.pivot_col, e.limit, e.store, e.x, e.out, s.base, s.affine, s.rhs,
    )  # fmt: skip
    return sum(array.nbytes for array in arrays) / 1e6


def bandwidth(megabytes: int = 256) -> float:
    """Bytes read and written by a copy in memory, GB/s; the best of some."""
    source = np.ones(megabytes * 125_000)
    target, best = np.ones_like(source), np.inf
    for _ in range(8):
        begin = time.process_time()
        target[:] = source
        best = min(best, time.process_time() - begin)
    return 2e-9 * source.nbytes / best


def run(case: str, n: int, steps: int = 20) -> dict[str, Any]:
    import linkwork as lw
    from benchmarks.programs.linkwork import advance, start
    from linkwork.analysis.assembly.assemble import assemble_model
    from linkwork.integrators.contract import step_rows

    small = build(case, 2)
    lw.transient(small, t=2 * H, h=H, progress=False)  # loads the compiled code
    if case != "four-bars":
        lw.static(small, progress=False)
    base, found = memory(), {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        begin = time.process_time()
        result = work()
        found[name] = time.process_time() - begin
        return result

    model = timed("model", lambda: build(case, n))
    assembled = timed("assemble", lambda: assemble_model(model, warn=False))
    if case != "four-bars":
        eq = timed("equilibrium", lambda: lw.static(model, progress=False))
        weight = float(eq["joint0"].force_world[2])
        if not (eq.stable and abs(weight / (9.81 * n) - 1) < 1e-6):
            raise SystemExit(f"{case} of {n}: {eq.report}; top joint {weight} N, not {9.81 * n} N")
    march = timed("first step", lambda: start(assembled, H))
    advance(march, assembled, H, 2)
    times = H * np.arange(3, steps + 3)
    found["memory"], begin = memory() - base, march.snapshot()
    schedule, none = assembled.data.schedule(times), step_rows(assembled.full.system, 0)
    found["step"] = np.inf
    for _ in range(REPEATS):
        march.recover(begin)
        cpu = time.process_time()
        march.advance(times, schedule, np.full(steps, -1), none)
        found["step"] = min(found["step"], 1e6 * (time.process_time() - cpu) / steps)
    found["data"], found["bandwidth"] = data(march), bandwidth()
    found["violation"] = float(np.abs(assembled.full.evaluate(march.state()).C).max())
    found["bodies"] = assembled.full.system.bodies
    march.recover(begin)
    found["iterations"] = 0.0  # per step, of the same steps one by one
    for k in range(steps):
        march.advance(times[k : k + 1], schedule[k : k + 1], np.full(1, -1), none)
        found["iterations"] += march.iterations / steps
    return found


def sizes(runs: int = 1, quick: bool = False) -> list[tuple[str, dict[str, Any]]]:
    print("\nlarge models            bodies  model, s  assemble, s  equilibrium, s  first step, s"
          "   µs/step  iterations   MB    KB/body  violation")  # fmt: skip
    table = []
    for title, case, n in CASES[:2] if quick else CASES:
        f = answer("sizes", {"case": case, "n": n})
        table.append((title, f))
        print(
            f"  {title:<30}{f['bodies']:6} {f['model']:7.1f} {f['assemble']:10.1f} "
            f"{f.get('equilibrium', np.nan):14.1f} {f['first step']:14.1f} {f['step']:13.0f} "
            f"{f['iterations']:9.2g} {f['memory']:6.0f} "
            f"{1000 * f['memory'] / f['bodies']:8.0f} {f['violation']:9.1e}",
            flush=True,
        )
    return table


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(run(**json.loads(sys.argv[1]))))
