"""The energy account of a run: energy out of nothing, or lost without a damper.

    balance = T + V + dissipated − supplied − (its initial value)

is zero but for the method's error, and for that of the dissipated work where a damper acts faster
than the step; energy that is made is therefore looked for in T + V − supplied, which dampers can
only lower.  Both are compared with what a mechanism had to exchange,

    T₀ + (V₀ − min V) + work supplied + what laws give back that count as dissipating,

in which a potential that rises counts for nothing: only kinetic energy can raise it.  Where few
steps are stored, min V is not known: a swing that is stored once or twice never seems to fall.
Then what bodies may have exchanged in a time Δt without stored steps counts, too,

    m |v̇| s,   s = min(|v| Δt + |v̇| Δt²/2, L),   and alike for rotations, up to half a turn,

which is far too much for vibrations; many stored steps show min V themselves.

A step that is too large makes energy (index 3, nonlinear instability), or takes it away where
motion that it does not resolve is damped.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.outputs import totals
from linkwork.results.result import Result

SAMPLES = 64  # stored times that are looked at
MANY = 32  # stored times that show how deep a potential goes
MADE, LOST = 0.1, 0.1  # of what could be exchanged, before it is told
NOISE = 1e-6  # of the mechanism's length: moves in a step that are not told


def warn_of_energy(result: Result, method: object, h: float) -> None:
    """Say so when a run has made or lost energy."""
    trouble = energy_trouble(result, method, h)
    if trouble:
        warnings.warn(trouble, LinkworkWarning, stacklevel=users_line())


def energy_trouble(result: Result, method: object, h: float) -> str:
    """One sentence on energy that a run has made or lost; empty where there is little of it."""
    system = result.system
    families = {e.entry.family for e in system.elements}
    turns = any(f.memory and f.potential is not None for f in families)  # not counted in samples
    if turns or result.work is None or len(result) < 2:
        return ""
    some = np.unique(np.linspace(0, len(result) - 1, SAMPLES).astype(int))
    motion, work = result.motion[some.tolist()], result.work[some]
    with np.errstate(all="ignore"):
        part = Result(
            system, result.time[some], motion, work=work, stored_model="",
            values=result.values[some.tolist()],
        )  # fmt: skip
        kinetic, potential = totals.kinetic_energy(part), totals.all_potential_energy(part)
        if "kinetic_energy" in result.arrays:  # of the method's own velocities
            kinetic = result.arrays["kinetic_energy"][some]
        returned = np.maximum.accumulate(work[:, 0]) - work[:, 0]  # by laws that dissipate
        rise = kinetic + potential - work[:, 1] - returned
        balance = kinetic + potential + work[:, 0] - work[:, 1]
        rise, balance = rise - rise[0], balance - balance[0]
        there = kinetic[0] + potential[0] - potential.min() + np.abs(work[:, 1]).max()
        there += returned.max() + unseen_exchange(result, some)
        noise = system.mass * system.bodies * (NOISE * system.length / h) ** 2
    made, lost = float(np.nanmax(rise)), float(-np.nanmin(balance))
    name, step = system.model.name, f"the step of {h:g} s is too large for {method!r}"
    beams = any(f.slender for f in families)  # which EnergyMomentum does not step
    better = "lw.GeneralizedAlpha()" if beams else "lw.EnergyMomentum()"
    if not made <= MADE * there + noise:
        return (
            f"the energy of '{name}' grew by {made:.3g} J out of nothing, though no more than "
            f"{there:.3g} J could be exchanged: {step}; take a smaller one, or {better}"
        )
    if lost > LOST * there + noise:
        when = float(result.time[some][int(np.argmin(balance))])
        return (
            f"the method took {lost:.3g} J from '{name}' until t = {when:.4g}, of {there:.3g} J "
            f"that could be exchanged: {step} and damps motion that it does not resolve; take a "
            f"smaller one, {'or tolerance=' if beams else f'tolerance=, or {better}'}"
        )
    return ""


def unseen_exchange(result: Result, some: np.ndarray) -> float:
    """Energy that bodies may have exchanged between stored times, for steps that are not stored.

    Flexible links are left out: accelerations of their frames are those of their vibrations.
    """
    every, accelerations = int(result.info.get("every", 1)), result.acceleration
    if every == 1 or len(some) >= MANY or accelerations is None:
        return 0.0
    gap = float(np.diff(result.time).max()) * (1 - 1 / every)
    motion, rates = result.motion[some.tolist()], accelerations[some.tolist()]
    mass, inertia = totals.masses(result)
    largest = np.linalg.norm(inertia, 2, axis=(1, 2))
    found = 0.0
    for weight, part, limit in ((mass, 0, result.system.length), (largest, 3, np.pi)):
        speed = np.linalg.norm(motion[:, :, 7 + part : 10 + part], axis=-1)
        rate = np.linalg.norm(rates[:, :, part : part + 3], axis=-1)
        way = np.minimum(speed * gap + rate * gap**2 / 2, limit)
        found = found + (weight * rate * way).sum(axis=1)
    return float(np.nanmax(found))
