"""PID control with limits, continuous or sampled.

    u = k_p e + I + k_d ė,   within limits

continuous    İ = k_i e by the trapezoidal rule over steps, ė a reading of its own (`rate`)
sampled       I_{k+1} = I_k + k_i T e_k;   u_k holds from t_k on;   without a rate,
              D_k = (T_f D_{k−1} + k_d (e_k − e_{k−1}))/(T_f + T), which is k_d ė behind a filter
              of time constant T_f

Where u is at a limit and e would drive it further, I stands still (conditional integration: Åström,
Hägglund, Advanced PID Control, 2006, ch. 3.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from linkwork.errors import DriveError
from linkwork.kernels import programs as ops
from linkwork.model.control.blocks import Block, block_input, integral_of, limits_of
from linkwork.model.control.clock import clock
from linkwork.model.drives.base import Drive
from linkwork.model.drives.words import shown

if TYPE_CHECKING:
    from linkwork.model.signals.programs import Translator


@dataclass(frozen=True)
class PIDControl(Block):
    """See `PID`."""

    error: Drive
    rate: Drive | None
    kp: float
    ki: float
    kd: float
    every: float | None
    start: float
    low: float | None
    high: float | None
    filter: float
    word: ClassVar[str] = "PID controller"

    def __post_init__(self) -> None:
        self._need_motion(self.error, *(() if self.rate is None else (self.rate,)))
        self._set_numbers("kp", "ki", "kd", "start", "filter")
        if self.filter < 0:
            raise DriveError(
                f"{self.label}: expected a filter of at least 0 s, found {self.filter:g}"
            )
        if self.every is not None:
            self._positive("every")
        elif self.kd and self.rate is None:
            raise DriveError(
                f"{self.label}: expected rate=, a reading of the error's rate, with kd and without "
                "every=; give it, for the error -angle of a joint -1 * lw.reads(joint, 'rate'), or "
                "a sample time"
            )


def limited(writer: Translator, drive: PIDControl, u: int) -> int:
    if drive.low is None or drive.high is None:
        return u
    do, constant = writer.do, writer.constant
    return writer.rule("min", [do(ops.MAX, u, constant(drive.low)), constant(drive.high)])


def beyond(writer: Translator, drive: PIDControl, u: int, e: int) -> int:
    """Whether u is beyond a limit and k_i e drives it further."""
    do, constant = writer.do, writer.constant
    if drive.low is None or drive.high is None:
        return constant(0.0)
    push, zero = do(ops.MUL, constant(drive.ki), e), constant(0.0)
    above = do(ops.AND, do(ops.LESS, constant(drive.high), u), do(ops.LESS, zero, push))
    below = do(ops.AND, do(ops.LESS, u, constant(drive.low)), do(ops.LESS, push, zero))
    return do(ops.OR, above, below)


def pid_program(writer: Translator, drive: PIDControl) -> int:
    do, constant = writer.do, writer.constant
    e = writer.drive(drive.error)
    u = do(ops.MUL, constant(drive.kp), e)
    if drive.rate is not None:
        u = do(ops.ADD, u, do(ops.MUL, constant(drive.kd), writer.drive(drive.rate)))
    if drive.every is None:
        return continuous(writer, drive, e, u)
    due, fresh = clock(writer, drive.start, drive.every)
    I = writer.recall(0.0, lambda: do(ops.PICK, due, moved, I))
    u = do(ops.ADD, u, I)
    if drive.kd and drive.rate is None:
        before = writer.recall(0.0, lambda: do(ops.PICK, due, e, before))
        D = writer.recall(0.0, lambda: do(ops.PICK, due, steeper, D))
        change = do(ops.MUL, constant(drive.kd), do(ops.SUB, e, before))
        sum_ = do(ops.ADD, do(ops.MUL, constant(drive.filter), D), change)
        filtered = do(ops.DIV, sum_, constant(drive.filter + drive.every))
        steeper = do(ops.PICK, fresh, constant(0.0), filtered)
        u = do(ops.ADD, u, steeper)
    step = do(ops.MUL, constant(drive.ki * drive.every), e)
    moved = do(ops.PICK, beyond(writer, drive, u, e), I, do(ops.ADD, I, step))
    new = limited(writer, drive, u)
    held = writer.recall(0.0, lambda: do(ops.PICK, due, new, held))
    return do(ops.PICK, fresh, new, held)


def continuous(writer: Translator, drive: PIDControl, e: int, u: int) -> int:
    if not drive.ki:
        return limited(writer, drive, u)
    do, constant = writer.do, writer.constant
    I = integral_of(
        writer, drive, do(ops.MUL, constant(drive.ki), e), 0.0,
        lambda: beyond(writer, drive, u, e),
    )  # fmt: skip
    u = do(ops.ADD, u, I)
    return limited(writer, drive, u)


def PID(
    error: Drive | float, kp: float, ki: float = 0.0, kd: float = 0.0, *,
    every: float | None = None, rate: Drive | float | None = None,
    limits: Sequence[float] | None = None, filter: float = 0.0, start: float = 0.0,
) -> Drive:  # fmt: skip
    """A PID controller u = k_p e + k_i ∫e dt + k_d ė as the drive of a load.

    error  : e, for example ``0.5 - lw.reads(pin, "angle")``
    rate   : ė, for example ``-1 * lw.reads(pin, "rate")``; needed for kd unless it is sampled
    every  : sample time (s); u is then computed at start, start + every, … and held in between.
             Without a rate, k_d acts on differences of e behind a filter of that time constant (s)
    limits : (low, high) of u; the integral does not wind up beyond them

    Example: ``lw.JointTorque(pin, lw.PID(0.5 - lw.reads(pin, "angle"), 40, 10, 3, every=0.01))``
    """
    low = high = None
    if limits is not None:
        if not isinstance(limits, (list, tuple)) or len(limits) != 2:
            raise DriveError(
                f"PID: expected limits as (low, high), found {shown(limits)}"
            )
        low, high = limits_of(limits[0], limits[1], "limits of PID")
    slope = None if rate is None else block_input(rate, "rate of PID")
    return PIDControl(
        block_input(error, "error of PID"), slope, kp, ki, kd, every, start, low, high, filter
    )
