"""The energy account of a run: energy out of nothing, or lost without a damper.

    balance = T + V + dissipated − supplied − (its initial value)

is zero but for the method's error, and for that of the dissipated work where a damper acts faster
than the step (told of explicit methods); energy that is made is therefore looked for in
T + V − supplied, which dampers can only lower, as a rise above the lowest value so far.  Both are
compared with what a mechanism had to exchange,

    T₀ + (V₀ − min V) + work supplied + what laws give back that count as dissipating,

in which a potential that rises counts for nothing: only kinetic energy can raise it.  Where few
steps are stored, min V is not known: a swing that is stored once or twice never seems to fall.
Then what bodies may have exchanged in a time Δt without stored steps counts, too,

    m |v̇| s,   s = min(|v| Δt + |v̇| Δt²/2, L),   and alike for rotations, up to half a turn,

which is far too much for vibrations; many stored steps show min V themselves.

A step that is too large makes energy (index 3, nonlinear instability), or takes it away where
motion that it does not resolve is damped.  Fast turning is damped slowly and steadily, so that a
longer run loses all of it: where a body turns by FAST in a step of an implicit method, which takes
more than all dampers do, less is let pass.  Explicit methods do not damp: a hundredth of the energy
is as much as their error of a higher order makes when the motion itself is off by tenths, unless it
is the work of dampers and drives that is counted that badly, between samples for one.  Energy that
a step makes and a damper takes within a few steps lies between the times that are looked at: where
more was dissipated than there was, those beside the largest losses are looked at as well.  Where
the balance changes at corners of motion laws alone (corners.py), it is these that are told.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analysis.motion.checks.explicit_steps import beyond_stability, is_explicit
from linkwork.analysis.motion.checks.vibrations import vibration_trouble
from linkwork.analysis.motion.corners import MANY as MANY_STEPS
from linkwork.analysis.motion.corners import corners
from linkwork.errors import LinkworkWarning, ModelError, users_line
from linkwork.integrators.second_order.methods import (
    GeneralizedAlpha,
    LinearMethod,
    slackens,
)
from linkwork.integrators.second_order.recovery import run_away
from linkwork.results.files.file_array import blocks
from linkwork.results.outputs import totals
from linkwork.results.result import Result
from linkwork.system.system import System

SAMPLES = 64  # stored times that are looked at
BURSTS = 32  # steps that dissipated most, looked at where the account does not close
BETWEEN = 0.75  # rad that a body turns between two of them, where angles over turns are counted
MANY = 32  # stored times that show how deep a potential goes
FINE = 2048  # stored times, where the balance is compared with corners of motion laws
RINGS = 30  # steps after a corner in which velocities may still oscillate
MADE, LOST = 0.1, 0.1  # of what could be exchanged, before it is told
MISCOUNTED = 0.2  # of it, in the work of dampers
FAST, LOST_FAST = 0.25, 0.01  # turn in a step (rad) that methods damp, and LOST beyond it
EXPLICIT = 0.01  # of it, made or lost by explicit methods, which do not damp
WAVES = 0.05  # LOST of models with beams, whose waves a step may not resolve
NOISE = 1e-6  # of the mechanism's length: moves in a step that are not told


def warn_of_energy(result: Result, method: object, h: float) -> None:
    """Say so when a run has made or lost energy."""
    trouble = energy_trouble(result, method, h)
    if trouble:
        warnings.warn(trouble, LinkworkWarning, stacklevel=users_line())


@dataclass(frozen=True)
class Account:
    """Energy over stored times: what was made, the balance, and what could be exchanged."""

    time: np.ndarray
    rise: np.ndarray  # T + V − supplied − what dissipating laws gave back, less its initial value
    balance: np.ndarray
    there: float


def account(result: Result, samples: int = SAMPLES, more: np.ndarray | None = None) -> Account:
    """At so many of the stored times, and more of them."""
    system = result.system
    assert result.work is not None
    some = np.unique(np.linspace(0, len(result) - 1, samples).astype(int))
    some = some if more is None else np.union1d(some, more)
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
        there = kinetic[0] + potential[0] - potential.min() + np.abs(work[:, 1]).max()
        there += returned.max() + unseen_exchange(result, some)
        return Account(result.time[some], rise - rise[0], balance - balance[0], float(there))


def samples_that_count_turns(result: Result) -> int:
    """How many stored times are looked at.

    Springs and stops on joints that turn know their angle over turns from the one before: there
    frames may turn by no more than BETWEEN from one to the next of the times.  More than there are
    where the stored ones do not show it.
    """
    system = result.system
    bodies = {
        b for e in system.elements for b in e.ends
        if b >= 0 and e.entry.family.memory.turns and e.entry.family.stores_energy
    }  # fmt: skip
    if not bodies:
        return min(SAMPLES, len(result))
    some = sorted(bodies)
    spins = np.concatenate([
        np.linalg.norm(result.motion[k][:, some, 10:13], axis=-1).max(axis=1)
        for k in blocks(result.motion)
    ])  # fmt: skip
    gaps = np.diff(result.time)
    if not np.all(np.isfinite(spins)) or np.max(spins[:-1] * gaps, initial=0.0) > BETWEEN:
        return len(result) + 1
    turned = float(np.max(spins) * (result.time[-1] - result.time[0]))
    return min(len(result), max(SAMPLES, int(turned / BETWEEN) + 2))


def bursts(result: Result) -> np.ndarray:
    """Stored times beside those in which most was dissipated."""
    assert result.work is not None
    taken = np.nan_to_num(np.abs(np.diff(result.work[:, 0])))
    largest = np.argsort(taken)[-BURSTS:]
    return np.clip(np.add.outer(largest, [-1, 0, 1, 2]).ravel(), 0, len(result) - 1)


def largest_rise(energy: np.ndarray) -> float:
    """Above the lowest value so far, which is at most zero; infinite where it is not finite."""
    energy = np.where(np.isfinite(energy), energy, np.inf)
    return float(np.max(energy - np.minimum.accumulate(np.minimum(energy, 0.0)), initial=0.0))


def is_implicit(method: Any) -> bool:
    """Whether a method is of second or of first order; the latter is loaded where it is used."""
    if isinstance(method, LinearMethod):
        return True
    loaded = sys.modules.get("linkwork.integrators.first_order.methods")
    return loaded is not None and isinstance(method, loaded.StagedMethod)


def energy_trouble(result: Result, method: object, h: float) -> str:
    """One sentence on energy that a run has made or lost; empty where there is little of it."""
    system = result.system
    families = {e.entry.family for e in system.elements}
    if result.work is None or len(result) < 2:
        return ""
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(np.square(result.motion[-1]).sum()):  # nor is its energy
            cause = beyond_stability(result, method, h)
            grew = f"the energy of '{system.model.name}' grew beyond all numbers: {cause}"
            return grew if cause else run_away(system, result.state(-1))
    samples = samples_that_count_turns(result)
    if samples > len(result):
        return ""
    moving = system.bodies or any(node.kind.order == 2 for node in system.layout.nodes)
    noise = system.mass * moving * (NOISE * system.length / h) ** 2
    found = account(result, samples)
    made, lost = largest_rise(found.rise), float(-np.nanmin(found.balance))
    there, name = found.there, system.model.name
    beams = any(f.slender for f in families)
    limit = WAVES if beams else LOST
    makes, dissipated = MADE, float(np.nanmax(np.abs(result.work[:, 0])))
    little = dissipated < lost  # which then is no error of the work of dampers
    if is_implicit(method) and little and largest_turn(result, h) > FAST:
        limit = LOST_FAST
    if is_explicit(method):
        counted = dissipated + float(np.nanmax(np.abs(result.work[:, 1])))
        limit = EXPLICIT if counted < lost else limit
        makes = EXPLICIT if counted < made else MADE
    grows, fades = not made <= makes * there + noise, lost > limit * there + noise
    if not grows and not fades and not np.nanmax(found.balance) <= MADE * there + noise:
        found = account(result, samples, bursts(result))
        made, there = largest_rise(found.rise), found.there
        grows = not made <= makes * there + noise
    if not grows and not fades:
        miscounted = miscounted_work(result, found, noise, h) if is_explicit(method) else ""
        return miscounted or vibration_trouble(result, method, there, noise, h)
    if corner := corner_trouble(result, method, h, noise):
        return corner
    step = f"the step of {h:g} s is too large for {method!r}"
    other = "lw.EnergyMomentum()" if energy_momentum_steps(system) else "lw.GeneralizedAlpha()"
    better = "" if type(method).__name__ in other else f", or {other}"
    if slackens(system.model):
        better = ", or lw.GeneralizedAlpha(rho=0)" if method != GeneralizedAlpha(rho=0.0) else ""
    cause = beyond_stability(result, method, h)
    when = float(found.time[int(np.argmin(found.balance))])
    if grows and not (fades and lost > made):  # the larger of both is told
        least = f", though no more than {there:.3g} J could be exchanged" * bool(there < np.inf)
        sentence = f"the energy of '{name}' grew by {made:.3g} J out of nothing{least}: "
        return sentence + (cause or f"{step}; take a smaller one{better}")
    sentence = (
        f"the method took {lost:.3g} J from '{name}' until t = {when:.4g}, of {there:.3g} J "
        "that could be exchanged: "
    )
    if cause or is_explicit(method):
        return sentence + (cause or f"{step}; take a smaller one{better}")
    return (
        f"{sentence}{step} and damps motion that it does not resolve; take a "
        f"smaller one{f', tolerance={better}' if better else ', or tolerance='}"
    )


def energy_momentum_steps(system: System) -> bool:
    """Whether lw.EnergyMomentum would step this model, so that it can be advised."""
    from linkwork.nullspace import forces
    from linkwork.nullspace.constraints import rows
    from linkwork.system.sensor_nodes import sensor_nodes

    try:
        rows.refuse_unknown(system)
        forces.refuse_unknown(system)
        system.refuse_nodes("lw.EnergyMomentum", sensor_nodes(system))
    except ModelError:
        return False
    return True


def miscounted_work(result: Result, found: Account, noise: float, h: float) -> str:
    """One sentence, if dampers took less from the motion than their account says.

    Implicit methods go over dampers that act faster than the step, so that the motion is right.
    """
    highest = float(np.nanmax(found.balance, initial=0.0))
    assert result.work is not None
    if not highest > MISCOUNTED * found.there + noise or not np.any(result.work[:, 0]):
        return ""
    when = float(found.time[int(np.nanargmax(found.balance))])
    return (
        f"the account of dissipated energy of '{result.system.model.name}' is {highest:.3g} J too "
        f"large at t = {when:.4g}, of {found.there:.3g} J that could be exchanged: a damper, stop "
        f"or friction acts faster than the step of {h:g} s shows, and what follows may be off; "
        "take a smaller step, or lw.GeneralizedAlpha()"
    )


def largest_turn(result: Result, h: float) -> float:
    """The largest turn of a body in one of the stored steps, in rad."""
    some = np.unique(np.linspace(0, len(result) - 1, SAMPLES).astype(int))
    known = result.arrays.get("step", np.zeros(0))
    steps = known[some] if len(known) == len(result) else np.full(len(some), h)
    spins = np.linalg.norm(result.motion[some.tolist()][:, :, 10:13], axis=-1)
    return float(np.nanmax(spins.max(axis=1, initial=0.0) * steps))


def corner_trouble(result: Result, method: object, h: float, noise: float) -> str:
    """One sentence, if the balance changes at corners of motion laws and little elsewhere.

    Joints that only stabilising terms close again stay open long after a corner.
    """
    system = result.system
    steps = round((result.time[-1] - result.time[0]) / h)
    if not system.moving or steps > MANY_STEPS:
        return ""
    at = corners(system, result.time[0] + h * np.arange(steps + 1))
    if not at:
        return ""
    found = account(result, max(FINE, samples_that_count_turns(result)))
    when = np.array([t for t, _ in at])
    rings = RINGS * h if np.isinf(getattr(method, "drifts", np.inf)) else np.inf
    before, after = found.time[:-1] - rings, found.time[1:] + 2 * h
    hit = np.searchsorted(when, after) > np.searchsorted(when, before, side="right")
    rise, balance = (np.where(hit, 0.0, np.diff(y)) for y in (found.rise, found.balance))
    made, lost = largest_rise(np.cumsum(rise)), -np.cumsum(balance).min(initial=0.0)
    if not made <= MADE * found.there + noise or lost > LOST * found.there + noise:
        return ""
    change = float(np.abs(np.where(hit, np.diff(found.balance), 0.0)).max())
    others = f" (one of {len(at)} such corners)" if len(at) > 1 else ""
    return (
        f"the velocity that '{at[0][1]}' imposes jumps at t = {at[0][0]:.4g}{others}, for which an "
        f"infinite force is needed whose work is not known: the energy balance of "
        f"'{system.model.name}' changes by up to {change:.3g} J there, and forces beside the "
        "corner are those of a velocity that changes within a step; a smaller step does not help: "
        "round the corner of the law, for example with lw.table(…, kind='cubic')"
    )


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
