"""First steps of values of first order: in pieces where they die away faster than a step.

A capacitor that is charged through R, a pressure behind a valve that slams: at the start, and where
a load has jumped, the rate q̇ of such a value is that of a transient whose time

    τ = |q̇| / |q̈|

may be far shorter than the step h.  A step that carries that rate on overshoots by h/τ.  Hence the
first step is taken in pieces: the first one lasts τ/16, and every further one is as long as the
error of a second-order formula allows,

    k³ |q⃛| / 12 ≤ 3e-4 |q − q_begin|,       q⃛ from the rates at the ends of the last two pieces

until they fill the step.  q̈ comes from a short move along the motion, far shorter than τ.
Methods that choose their steps by themselves need none of this.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.integrators.contract import Run
from linkwork.integrators.nonsmooth.method import Moreau
from linkwork.system.data import Data
from linkwork.system.initial_conditions.accelerations import accelerations
from linkwork.system.state import State
from linkwork.system.system import System

FIRST = 16  # pieces of τ
RESOLVED = 2.0  # steps of τ: such a transient is resolved
SHORT = 1e-3  # of a step, then of τ: how long the move is that finds τ
SHORTEST = 1e-12  # of a step: the first piece
FAINT = 1e-9  # of a value: what a transient moves that need not be resolved
CLOSE = 3e-4  # of the change of a value: its error in a piece
GROWS, SHRINKS = 2.0, 0.5  # a piece, beside the one before; none is shorter than the first
MOST = 2000  # pieces; a vibration that does not die away is left to the step


def takes_pieces(method: Any, system: System) -> bool:
    """Whether first steps matter: there are values of first order, and steps are those given."""
    own_steps = getattr(method, "solver", None) or isinstance(method, Moreau)
    return bool(np.any(system.layout.order == 1)) and not own_steps


def first_piece(data: Data, state: State, h: float) -> float:
    """How long the first piece of a step h from this state is: h where it resolves the motion."""
    start = replace(state, acceleration=None, gamma=None, restart={})
    epsilon = SHORT * h
    try:
        now = accelerations(data, start)
        while True:
            fastest = transient_time(data, now, epsilon)
            if fastest >= RESOLVED * h:
                return h
            if epsilon <= 2 * SHORT * fastest or epsilon <= SHORTEST * h:
                break
            epsilon = max(SHORT * min(fastest, epsilon), SHORTEST * h)
    except LinkworkError:
        return h  # what is wrong is told where the run begins
    return min(h, max(fastest / FIRST, SHORTEST * h))


def transient_time(data: Data, now: State, epsilon: float) -> float:
    """The shortest τ of the values that are moved by more than round-off."""
    assert now.acceleration is not None
    ahead = accelerations(data, now.later(epsilon, now.acceleration))
    mine = data.system.layout.order == 1
    rate, change = (np.abs(x[1, mine]) for x in (now.values, ahead.values - now.values))
    size = np.maximum(np.abs(now.values[0, mine]), data.system.layout.value_scale[mine])
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = np.where(change > 0, epsilon * rate / change, np.inf)
    counts = rate * np.minimum(tau, epsilon / SHORT) > FAINT * size
    return float(np.min(tau[counts], initial=np.inf))


class Pieces:
    """The pieces of a step that begins with run.h, which is shorter than the step."""

    def __init__(self, run: Run) -> None:
        self.mine = run.data.system.layout.order == 1
        values = run.state().values[:, self.mine]
        self.begin, self.scale = values[0], FAINT / CLOSE * np.abs(values[0])
        self.rates, self.lengths = [values[1]], [run.h]

    def next_end(self, begin: float, end: float) -> float:
        """The end of the next piece of a step that goes on to `end`."""
        left, k = end - begin, self.lengths[-1]
        if left <= 1.25 * k or len(self.rates) > MOST:
            return end
        return begin + (0.5 * left if left < 2 * k else k)

    def note(self, run: Run, k: float) -> None:
        """A piece of length k was taken: choose the next one by the rates at the ends of two."""
        self.lengths[-1] = k
        values = run.state().values[:, self.mine]
        self.scale = np.maximum(self.scale, np.abs(values[0] - self.begin))
        self.rates.append(values[1])
        factor = 1.0
        if len(self.rates) > 2:
            a, b, c = self.rates[-3:]
            before = self.lengths[-2]
            # k³ q⃛/12 by divided differences
            with np.errstate(all="ignore"):
                bend = np.abs((c - b) / k - (b - a) / before) / (k + before) * k**3 / 6
                ratio = np.where(bend > 0, CLOSE * self.scale / bend, np.inf)
            factor = float(np.clip(0.9 * np.cbrt(np.nanmin(ratio)), SHRINKS, GROWS))
        self.lengths.append(max(k * factor, self.lengths[0]))
