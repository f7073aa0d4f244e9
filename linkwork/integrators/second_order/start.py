"""The start of a run: room for its numbers, and v̇, v̈ and γ̇ of a state without a past.

The second derivative of velocities and the rate of multipliers come from a short move along the
motion, and from a second one what of them a step may carry on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.layout import SIX
from linkwork.integrators import values as vl
from linkwork.integrators.second_order import stepper as sp
from linkwork.integrators.second_order.fast_starts import (
    goes_far, resolved_share, settled_accelerations,
)  # fmt: skip
from linkwork.kernels.registers.eights import vectors, zeros8
from linkwork.system.initial_conditions.accelerations import acceleration_solver, accelerations
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.initial_conditions.index_reduction import first_rates
from linkwork.system.state import State
from linkwork.system.data import Data


def make_stepper(data: Data, settings: int) -> sp.Stepper:
    """Room for a system, and what the settings say of it; settings: how many there are."""
    system = data.system
    n, m = system.bodies, data.rows
    stepper = sp.Stepper(
        base=zeros8(data.work.nodes.size).reshape(data.work.nodes.shape),
        history=vectors(vl.HISTORY, n),
        gamma=np.zeros((2, m + 1)),
        p=vectors(n),
        affine=vectors(2, n),
        rhs=np.zeros(data.unknowns),
        flow=vl.make_flow(system.layout.order, system.layout.value_scale),
        weights=np.zeros((vl.WEIGHTS, vl.HISTORY)),
        settings=np.zeros(settings),
        work=np.zeros(4),
        kappa=np.ones(1),
        report=np.zeros(sp.REPORT),
        kept=data.kept.astype(np.int64),
        sizes=np.append(row_scale(data.kept_rows, system.length), 0.0),
        six=np.repeat([1.0, 0.0], [SIX, 2]),
        last=np.zeros(data.unknowns),
    )
    s = stepper.settings
    s[sp.LENGTH], s[sp.MASS], s[sp.MEMORY] = system.length, system.mass, data.part.remembers
    s[sp.MOVING], s[sp.NOISE] = data.part.moving, system.round_off
    s[sp.SAMPLED], s[sp.JUMPS] = bool(system.sample_times), system.jumps
    return stepper


class StartRates(NamedTuple):
    """What a run knows before its first step."""

    now: State  # with velocities of bodies without mass
    ahead: State  # after the short move
    epsilon: float  # s: the time of that move
    acceleration: np.ndarray  # (bodies, 6)
    jerk: np.ndarray  # (bodies, 6) v̈
    gamma: np.ndarray  # (all rows,)
    gamma_rate: np.ndarray  # (kept rows,)


def rates_of_start(data: Data, state: State, h: float) -> StartRates:
    """Accelerations, multipliers and their rates at the start, for steps of length h."""
    system = data.system
    solver = acceleration_solver(data)  # of nearly the same matrix in all three
    full = accelerations(data, state, solver)  # bodies without mass have got velocities
    assert full.acceleration is not None and full.gamma is not None
    speed = np.abs(full.velocities / np.repeat([system.length, 1.0], 3)).max(initial=0.0)
    epsilon = min(1e-3 * h, 1e-4 / speed) if speed > 0 else 1e-3 * h
    ahead = accelerations(data, full.later(epsilon, full.acceleration), solver)
    gamma_rate = ((ahead.gamma - full.gamma) / epsilon)[data.kept]
    acceleration, jerk = first_rates(data, full, ahead, epsilon, h)

    def further() -> State:
        assert ahead.acceleration is not None
        return accelerations(data, ahead.later(epsilon, ahead.acceleration), solver)

    share = resolved_share(system, full, ahead, further, h / epsilon)
    jerk, gamma_rate = share[:, None] * jerk, share.min(initial=1.0) * gamma_rate
    if goes_far(system, full, share, h):
        settled = settled_accelerations(data, full, h)
        if settled is not None:
            acceleration, jerk = settled, (share == 1.0)[:, None] * jerk
    return StartRates(full, ahead, epsilon, acceleration, jerk, full.gamma, gamma_rate)
