"""Statics of the cantilever of beams.py in linkwork, from the model to the equilibrium.

    python -m benchmarks.programs.own_beam_static '{"n": 1000}'
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any

import linkwork as lw
from benchmarks.programs.own_beam import build


def run(n: int, runs: int = 3) -> dict[str, Any]:
    """CPU time in s, the least of some runs after one that loads the compiled code."""
    times = []
    for _ in range(runs + 1):
        model = build(n, 3)
        begin = time.process_time()
        lw.static(model, progress=False)
        times.append(time.process_time() - begin)
    return {"cpu": min(times[1:])}


if __name__ == "__main__":
    warnings.simplefilter("ignore", lw.LinkworkWarning)
    print(json.dumps(run(**json.loads(sys.argv[1]))))
