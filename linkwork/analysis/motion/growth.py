"""A run whose energy grew out of nothing: what a step that is too large does to implicit methods.

Kinetic energy comes from somewhere:  T ≤ T₀ + max V − min V + work supplied + what laws give back
that count as dissipating (a gas spring).  Positions hold, since joints are solved for, while
velocities may grow without bound (index 3, nonlinear instability).
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.errors import LinkworkWarning
from linkwork.results import totals
from linkwork.results.result import Result

SAMPLES = 64  # stored times that are looked at
FACTOR = 2.0  # kinetic energy over what was there, before it is told
NOISE = 1e-6  # of the mechanism's length: moves in a step that are not told


def warn_of_growth(result: Result, method: object, h: float) -> None:
    """Say so when there is far more kinetic energy than there can be."""
    if result.system.memory or result.work is None:  # turns are not counted between samples
        return
    some = np.unique(np.linspace(0, len(result) - 1, SAMPLES).astype(int))
    motion, work = result.motion[some.tolist()], result.work[some]
    part = Result(result.system, result.time[some], motion, work=work, stored_model="")
    kinetic, potential = totals.kinetic_energy(part), totals.all_potential_energy(part)
    there = float(kinetic[0] + np.ptp(potential) + np.abs(work[:, 1]).max())
    there += float((np.maximum.accumulate(work[:, 0]) - work[:, 0]).max())
    most, system = float(kinetic.max()), result.system
    noise = system.mass * system.bodies * (NOISE * system.length / h) ** 2
    if most > FACTOR * there + noise:
        warnings.warn(
            f"the kinetic energy of '{result.system.model.name}' rose to {most:.3g} J, though no "
            f"more than {there:.3g} J were there: the step of {h:g} s is too large for {method!r}; "
            "take a smaller one, stabilized=True, or lw.EnergyMomentum()",
            LinkworkWarning,
            stacklevel=3,
        )
