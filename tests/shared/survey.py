"""What becomes of a random mechanism by every method: the rule of docs/hard-motions.md.

The right motion is that of two independent formulations with small steps that agree.  A motion
that depends on its beginning so much that a change of 1e-8 of all velocities grows a thousandfold
is compared until then: a method's own error, of some 1e-5, has then become visible as well.
"""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np
from random_mechanisms import RandomMechanism

import linkwork as lw

CHANGE, GROWN = 1e-8, 1e-5  # of velocities, and of the motion where the comparison ends
BOUND = 0.02  # of the size of the motion
FORCES = 0.1  # root of the mean square, of the largest force
FINE = 4  # steps of the independent runs in a step


def quiet(model: lw.Model, t: float, h: float, method: Any, start: Any = None) -> lw.Result | None:
    """A run, or none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(lw.LinkworkError):
            return lw.transient(model, t, h, method, start=start, progress=False)
    return None


class Reference:
    """The right motion of a mechanism, and the error of a run against it."""

    def __init__(self, mechanism: RandomMechanism) -> None:
        self.mechanism, self.known = mechanism, False
        t, h = mechanism.t, mechanism.h / FINE
        methods = [lw.Recursive(), lw.RK4(), lw.EnergyMomentum(), lw.GeneralizedAlpha()]
        first, best = None, np.inf
        for method in methods:
            run = quiet(mechanism.build(), t, h, method)
            if run is None:
                continue
            if first is None:
                first = run
                self._measure(first)
                continue
            apart = self.error(run)
            best = min(best, apart)
            if apart < 0.1 * BOUND:
                break
        self.apart, self.known = best, best < 0.2 * BOUND

    def _measure(self, run: lw.Result) -> None:
        """Sizes of the motion, and the time until which it can be compared."""
        self.times, self.places = run.time, run.motion[:, :, :3]
        self.gamma = np.nan_to_num(np.asarray(run.gamma))
        moved = np.abs(self.places - self.places[:1]).max()
        self.size = max(float(moved), 0.1 * self.mechanism.length)
        m, model = self.mechanism, self.mechanism.build()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            state = lw.assemble(model)
        rng, rate = np.random.default_rng(0), 0.01 / m.h  # of the motion, by its making
        change = rng.normal(size=state.velocities.shape) * rate
        change[:, :3] *= m.length
        other = quiet(
            model, m.t, m.h / FINE, lw.Recursive(),
            state.with_velocities(state.velocities + CHANGE * change),
        )  # fmt: skip
        self.until = float(self.times[-1])
        if other is not None:
            apart = np.abs(other.motion[:, :, :3] - self.places).max(axis=(1, 2)) / self.size
            q, p = run.motion[:, :, 3:7], other.motion[:, :, 3:7]
            turned = np.minimum(np.abs(q - p).max(axis=(1, 2)), np.abs(q + p).max(axis=(1, 2)))
            far = (apart > GROWN) | (turned > GROWN)
            if far.any():
                self.until = float(self.times[int(np.argmax(far))])

    def error(self, run: lw.Result) -> float:
        """The largest error of positions over the size of the motion."""
        there = run.time <= self.until * (1 + 1e-9)
        at = np.searchsorted(self.times, run.time[there] - 1e-9 * self.times[-1])
        found = run.motion[there, :, :3]
        return float(np.abs(found - self.places[at]).max() / self.size)

    def force_error(self, run: lw.Result) -> float:
        """Of all forces of joints: the root of the mean square error over the largest one."""
        rows = np.array([not row.is_angle for row in run.system.all_rows], bool)
        there = (run.time <= self.until * (1 + 1e-9)) & (run.time > 0)
        if not rows.any() or not there.any():
            return 0.0
        at = np.searchsorted(self.times, run.time[there] - 1e-9 * self.times[-1])
        right = self.gamma[at][:, rows]
        off = np.asarray(run.gamma)[there][:, rows] - right
        m = self.mechanism  # forces that vanish in truth are compared with those of inertia
        least = 1e-3 * m.mass * m.length / m.t**2
        return float(np.sqrt((off**2).mean(axis=0)).max() / max(np.abs(right).max(), least))


def motions_of(mechanism: RandomMechanism, reference: Reference) -> list[Any]:
    """The mechanism as two hard motions: by its positions, and by its forces."""
    from docs.hard.runs import Motion

    def motion(what: str, error: Any, bound: float) -> Motion:
        return Motion(
            f"{mechanism.name}, {what}", mechanism.build, mechanism.t, mechanism.h, error, bound
        )

    return [motion("motion", reference.error, BOUND),
            motion("forces", reference.force_error, FORCES)]  # fmt: skip


def alone(mechanism: RandomMechanism) -> list[str]:
    """Where no two methods agree: those that ended without a warning."""
    from docs.hard.runs import METHODS, Motion, attempt

    motion = Motion(mechanism.name, mechanism.build, mechanism.t, mechanism.h, lambda run: 0.0, 1)
    return [method for method in METHODS if attempt(motion, method).kind == "right"]
