"""Grids of bodies on bushings, in a plane and in space: the sparse LU beside SuperLU.

    python -m benchmarks --only grids [--quick]
    python -m benchmarks.grids '{"sides": [8, 8, 8]}'

The matrix is that of an implicit step: masses of 1 kg, and bushings of 1e4 N/m and 10 N m/rad
between neighbours.  Measured is what every step costs: factors for new values of the same pattern,
and one solution.  SuperLU (of SciPy) orders anew for every matrix; it has its fastest setting for
such matrices, minimum degree on A + Aᵀ and pivots on the diagonal where they are large enough.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages.table import figure, line
from benchmarks.processes import answer

SIDES = ((40, 40, 1), (6, 6, 6), (8, 8, 8), (12, 12, 12), (16, 16, 16))

TEXT = """## Grids of bodies

Bodies on bushings between neighbours, a mesh without joints: all of it goes to the sparse LU. CPU
time in ms of what every step costs, new factors for the same pattern and one solution, beside
SuperLU (SciPy), which also orders in every factorisation; *analysis* (s) is done once in a run:

| grid | unknowns | analysis | factors | solution | SuperLU factors | solution | ratio |
|---|---|---|---|---|---|---|---|
{rows}

Groups are ordered by minimum degree. Fronts from 160 rows on are eliminated in panels of 48 pivots,
which pass through memory once instead of twelve times. Solutions agree to {apart}.
"""


def build(sides: list[int]) -> Any:
    import linkwork as lw

    m, found = lw.Model("grid"), {}
    for place in np.ndindex(*sides):
        found[place] = m.add(f"body{place}", lw.Body(1, (1, 1, 1), position=place))
    for place, body in found.items():
        for k in range(3):
            step = np.eye(3, dtype=int)[k]
            other = found.get(tuple(np.add(place, step).tolist()))
            if other is not None:
                stiffness = [1e4] * 3 + [10.0] * 3
                between = lw.Bushing(body, other, at=place + step / 2, stiffness=stiffness)
                m.add(f"bushing{k}{place}", between)
    return m


def fastest(task: Callable[[], Any], runs: int) -> float:
    """CPU time in ms."""
    times = []
    for _ in range(runs):
        begin = time.process_time()
        task()
        times.append(time.process_time() - begin)
    return 1e3 * min(times)


def run(sides: list[int], runs: int = 3) -> dict[str, Any]:
    from scipy.sparse.linalg import splu

    from linkwork.linear_algebra.core import analyse, refactor, solve
    from linkwork.system.system import compile_model

    system = compile_model(build(sides))
    data = system.data()
    A, p = data.evaluate(system.described_state(), cM=1e6).matrix.tocsr(), data.pattern
    parts = p.indptr, p.indices, A.data, p.groups, p.motions
    refactor(analyse(*parts), A.data)  # loads the compiled code
    begin = time.process_time()
    lu = analyse(*parts)
    analysis = time.process_time() - begin
    side = np.random.default_rng(0).normal(size=A.shape[0])
    x = side.copy()

    def solution() -> None:
        x[:] = side
        solve(lu, x)

    def other() -> Any:
        return splu(
            A.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.01,
            options={"SymmetricMode": True},
        )  # fmt: skip

    found = {
        "unknowns": A.shape[0], "analysis": analysis,
        "factors": fastest(lambda: refactor(lu, A.data), runs),
        "solution": fastest(solution, runs), "their factors": fastest(other, runs),
    }  # fmt: skip
    theirs = other()
    y = theirs.solve(side)
    found["their solution"] = fastest(lambda: theirs.solve(side), runs)
    found["apart"] = float(np.abs(x - y).max() / np.abs(y).max())
    return found


def ratio(f: dict[str, Any]) -> float:
    theirs = f["their factors"] + f["their solution"]
    return float(theirs / (f["factors"] + f["solution"]))


def compare_grids(runs: int, quick: bool) -> dict[str, dict[str, Any]]:
    found = {}
    for sides in SIDES[: 3 if quick else None]:
        title = "×".join(str(n) for n in sides if n > 1)
        found[title] = answer("grids", {"sides": list(sides), "runs": min(runs, 3)})
        print(f"grid {title}: {ratio(found[title]):.2f} times SuperLU's speed", flush=True)
    return found


def grid_section(docs: Path, found: dict[str, dict[str, Any]]) -> str:
    rows = [
        line(
            title, f"{f['unknowns']:,}", f"{f['analysis']:.2f}",
            *(figure(f[key]) for key in ("factors", "solution", "their factors", "their solution")),
            f"**{ratio(f):.1f}**",
        )
        for title, f in found.items()
    ]  # fmt: skip
    apart = max(f["apart"] for f in found.values())
    return TEXT.format(rows="\n".join(rows), apart=f"{apart:.0e}")


if __name__ == "__main__":
    print(json.dumps(run(**json.loads(sys.argv[1]))))
