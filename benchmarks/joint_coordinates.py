"""What every program does in the comparison of trees: some steps for the answer, then the clock.

The classic Runge-Kutta method for q̈ = a(q, v) with hinge angles q and q̇ = v, for programs that have
none of their own: with the rows Y = (q, v, a₁, a₂, a₃, a₄) a stage's arguments and the end of the
step are linear in the rows before them,

    (q, v)ₛ = Wₛ Y,      W₂ = [1 h/2 0  ; 0 1 h/2],   W₃ = [1 h/2 h²/4 0; 0 1 0 h/2],
                         W₄ = [1 h 0 h²/2 0; 0 1 0 0 h],
                         W₅ = [1 h h²/6 h²/6 h²/6 0; 0 1 h/6 h/3 h/3 h/6]

so a step is four evaluations and four small matrix products in place.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

H = 1e-3
STEPS, EVALUATIONS = 2000, 100_000  # at most, under one clock


def weights(h: float) -> list[np.ndarray]:
    return [
        np.array([[1, h / 2, 0], [0, 1, h / 2]]),
        np.array([[1, h / 2, h**2 / 4, 0], [0, 1, 0, h / 2]]),
        np.array([[1, h, 0, h**2 / 2, 0], [0, 1, 0, 0, h]]),
        np.array([[1, h, h**2 / 6, h**2 / 6, h**2 / 6, 0], [0, 1, h / 6, h / 3, h / 3, h / 6]]),
    ]


class RungeKutta:
    """Steps of h for accelerations a(x), x = (q, v) as an array of two rows."""

    def __init__(self, accelerations: Callable[[np.ndarray], np.ndarray], n: int) -> None:
        self.accelerations = accelerations
        self.rows = np.zeros((6, n))
        self.x = self.rows[:2]
        self.arguments = np.zeros((2, n))
        self.stages = [(w, self.rows[: w.shape[1]]) for w in weights(H)]

    def advance(self, steps: int) -> None:
        rows, x, argument, a = self.rows, self.x, self.arguments, self.accelerations
        (w2, y2), (w3, y3), (w4, y4), (w5, y5) = self.stages
        for _ in range(steps):
            rows[2] = a(x)
            np.dot(w2, y2, out=argument)
            rows[3] = a(argument)
            np.dot(w3, y3, out=argument)
            rows[4] = a(argument)
            np.dot(w4, y4, out=argument)
            rows[5] = a(argument)
            np.dot(w5, y5, out=argument)
            x[:] = argument


def clock(work: Callable[[int], None], seconds: float, most: int) -> float:
    """CPU time of one repetition, µs: of as many as fit into about so many seconds."""
    begin = time.process_time()
    work(1)
    once = max(time.process_time() - begin, 1e-6)
    count = int(min(max(seconds / once, 1), most))
    begin = time.process_time()
    work(count)
    return 1e6 * (time.process_time() - begin) / count


def measure(
    advance: Callable[[int], None], evaluate: Callable[[int], None],
    positions: Callable[[], np.ndarray], steps: int, seconds: float,
) -> dict[str, Any]:  # fmt: skip
    """The centres of mass after so many steps; then the time of a step and of an evaluation."""
    advance(steps)
    answer = np.asarray(positions(), float).tolist()
    step = clock(advance, seconds, STEPS)
    evaluation = clock(evaluate, seconds, EVALUATIONS)
    return {"positions": answer, "step": step, "evaluation": evaluation}


def reply(run: Callable[..., dict[str, Any]]) -> None:
    """Prints the answer to the question on the command line as one line of JSON."""
    print(json.dumps(run(**json.loads(sys.argv[1]))))
