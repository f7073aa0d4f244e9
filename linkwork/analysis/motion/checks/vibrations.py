"""Vibrations that the step does not resolve, found in the velocities of a finished run.

A vibration v = A cos(ωt) that a method shows with a phase θ in a step has the second difference

    |vₖ₋₁ − 2 vₖ + vₖ₊₁| = 4 sin²(θ/2) |vₖ|

which is next to nothing where the step resolves it and A to 4 A where there are six to two steps in
a period.  Implicit methods are stable there and may even keep the energy, also that of a spring
with a damper, but tan(θ/2) = ωh/2 of the trapezoidal rule, and what is alike in the others, is a
phase that is off within a few steps: where such a vibration carries the motion, its place is lost.
The kinetic energy of the second differences,

    Z = Σ ½ m |Δ²v|² + ½ Δ²ω·J Δ²ω

is compared with what could be exchanged.  A body on a link that turns by φ in a step has
|Δ²v| = 4 sin²(φ/2) |v| ≤ φ² |v|, which methods resolve (turns.py): so much of the largest turn is
left out.  Jumps of velocities, as in impacts, are in single steps: Z is taken which a quarter of
the steps exceed.  Motion that is imposed may change as quickly and yet be right: something must be
free to move, and the energy of springs and other elements with a potential vary as much.

Only runs that store every step show it.
"""

from __future__ import annotations

import numpy as np

from linkwork.analysis.motion.checks.explicit_steps import is_explicit
from linkwork.results.outputs import totals
from linkwork.results.result import Result

SAMPLES = 64  # steps that are looked at
FEWEST = 8  # of them, below which nothing is said
EXCEEDED = 0.75  # part of the steps with a smaller Z
SHARE = 0.1  # of what could be exchanged, in Z: reached from ten steps in a period on
EXPLICIT = 0.4  # the same of explicit methods of fourth order: from six steps on
STORED = 0.05  # of it, in elements with a potential


def vibration_trouble(result: Result, method: object, there: float, noise: float, h: float) -> str:
    """One sentence on vibrations that the step does not resolve; empty where there are none."""
    system = result.system
    elastic = [
        i for i, e in enumerate(system.elements)
        if e.entry.family.stores_energy and e.entry.family.masses is None  # not of weight alone
        and any(0 <= b < system.bodies for b in e.ends)
    ]  # fmt: skip
    if not elastic or int(result.info.get("every", 1)) != 1:
        return ""
    if system.moving and len(system.all_rows) >= system.layout.motions:  # laws impose all of it
        return ""
    step = np.abs(np.diff(result.time) - h) < 1e-6 * h
    middle = 1 + np.flatnonzero(step[:-1] & step[1:])
    if len(middle) < FEWEST:
        return ""
    middle = middle[np.unique(np.linspace(0, len(middle) - 1, SAMPLES).astype(int))]
    with np.errstate(all="ignore"):
        found = second_differences(result, middle, h)
    total = float(np.quantile(found.sum(axis=1), EXCEEDED))
    share = EXPLICIT if is_explicit(method) else SHARE
    if not total > share * there + noise or not np.isfinite(total):
        return ""
    stored = totals.stored_by(result, elastic)
    if not np.ptp(stored) > STORED * there:
        return ""
    body = system.names[int(np.argmax(np.quantile(found, EXCEEDED, axis=0)))]
    return (
        f"'{system.model.name}' vibrates faster than the step of {h:g} s shows, most of all body "
        f"'{body}', whose velocity turns back within a few steps: elements with a potential take "
        f"up to {np.ptp(stored):.3g} J of {there:.3g} J that could be exchanged, velocities and "
        "forces of such a vibration are off, and so may be what follows from it; take a smaller "
        "step, until the motion stays the same"
    )


def second_differences(result: Result, middle: np.ndarray, h: float) -> np.ndarray:
    """Z of every body (times, bodies), without what the largest turn of a body explains."""
    rows = [result.motion[(middle + k).tolist()] for k in (-1, 0, 1)]
    mass, inertia = totals.masses(result)
    spins = [np.linalg.norm(motion[:, :, 10:13], axis=-1) for motion in rows]
    turn = (h * np.max(spins, axis=(0, 2)))[:, None]
    Z = np.zeros((len(middle), result.system.bodies))
    for part in (slice(7, 10), slice(10, 13)):
        before, now, after = (motion[:, :, part] for motion in rows)
        change = before - 2 * now + after
        size = np.linalg.norm(change, axis=-1)
        speed = np.max([np.linalg.norm(motion[:, :, part], axis=-1) for motion in rows], axis=0)
        left = np.where(size > 0.0, 1 - turn**2 * speed / np.where(size > 0.0, size, 1.0), 0.0)
        change = change * np.maximum(left, 0.0)[:, :, None]
        weighed = (
            mass[:, None] * change
            if part.start == 7
            else np.einsum("bij,tbj->tbi", inertia, change)
        )
        Z += 0.5 * np.einsum("tbi,tbi->tb", change, weighed)
    return Z
