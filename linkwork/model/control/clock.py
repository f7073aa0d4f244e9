"""The clock of what is sampled: t_k = start + k step, reached at 1e-6 of a step before, or at the
round-off of the time where that is more.

A sample is due at the first accepted step of a run at or behind each t_k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.kernels import programs as ops
from linkwork.model.drives.sampled import REACHED, ROUND_OFF

if TYPE_CHECKING:
    from linkwork.model.signals.programs import Translator

NEVER = -1e300  # the number of a step before the first


def clock(writer: Translator, start: float, step: float) -> tuple[int, int]:
    """Registers: whether a new step has been reached, and whether none had been before."""
    n, last = counter(writer, start, step)
    return writer.do(ops.LESS, last, n), writer.do(ops.LESS, last, writer.constant(NEVER / 2))


def counter(writer: Translator, start: float, step: float) -> tuple[int, int]:
    """Registers: the number of the step at the time, and of the last one that was stored."""
    do, constant = writer.do, writer.constant
    since = do(ops.DIV, do(ops.SUB, writer.time, constant(start)), constant(step))
    rounded = do(ops.MUL, constant(ROUND_OFF / step), writer.rule("abs", [writer.time]))
    n = do(ops.FLOOR, do(ops.ADD, since, do(ops.MAX, constant(REACHED), rounded)))
    last = writer.recall(NEVER, lambda: do(ops.MAX, n, last))
    return n, last
