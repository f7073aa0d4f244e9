"""Mode shapes in motion, about the state they belong to.

    r = r₀ + a Re(x e^{iφ}),   R = exp(a Re(ψ e^{iφ})) R₀,   φ = 0 … 2π

The amplitude a makes the mode easy to see: no body moves by more than a tenth of the mechanism or
turns by more than 0.3 rad.  One period is played in two seconds, whatever the frequency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.results.result import Result

if TYPE_CHECKING:
    from linkwork.analysis.linear.modes import Modes

FRAMES = 60  # of one period
PERIOD = 2.0  # seconds
ROUND_OFF = 1e-12  # a damping ratio that is not told
MOVES, TURNS = 0.12, 0.3  # most, in sizes of the mechanism and in radians


def mode_motion(modes: Modes, i: int) -> tuple[Result, str]:
    """One period of mode i as a result, and its title."""
    if modes.data is None or modes.state is None:
        raise ModelError("these modes do not know their mechanism; take them from lw.eigen")
    n = len(modes)
    if not isinstance(i, (int, np.integer)) or not -n <= i < n:
        raise ModelError(f"there are modes 0 to {n - 1}, but {checks.show(i)} was given")
    shape, system = modes.shapes[i], modes.data.system
    moves = np.linalg.norm(np.abs(shape[:, :3]), axis=1).max()
    turns = np.linalg.norm(np.abs(shape[:, 3:]), axis=1).max()
    amplitude = 1 / max(moves / (MOVES * system.length), turns / TURNS)
    time = np.linspace(0, PERIOD, FRAMES + 1)
    wave = np.exp(2j * np.pi * time / PERIOD)
    x = amplitude * (wave[:, None, None] * shape[None]).real
    motion = np.tile(modes.state.motion, (len(time), 1, 1))
    motion[:, :, 7:] = 0.0
    motion[:, :, :3] += x[:, :, :3]
    motion[:, :, 3:7] = rotations.multiply(rotations.exponential(x[:, :, 3:]), motion[:, :, 3:7])
    values = np.tile(modes.state.values, (len(time), 1, 1))
    values[:, 1:] = 0.0
    if values.size:
        values[:, 0] += amplitude * (wave[:, None] * modes.values[i]).real
    title = f"{system.model.name}, mode {i % n}: {modes.frequency[i]:.4g} Hz"
    if abs(modes.damping[i]) > ROUND_OFF:
        title += f", damping {modes.damping[i]:.3g}"
    return Result(system, time, motion, values=values, info={"period": PERIOD}), title
