"""How far bodies turn in one step: more than a method resolves is told once, or refused.

A method with equal steps sees a rotation by φ in a step up to terms of φ²/12; beyond half a turn
most cannot tell it from a smaller one the other way round.  A run says what it resolves by its
members `turns` and `watched_bodies` (integrators/contract.py): methods that choose their steps
resolve any turn, and in joint coordinates only bodies on balls count, since a pin is exact at any
speed.

The default method resolves a turn about an axis of fixed direction up to a third of π.  Where the
axis moves, as that of a top, its motion has an error of order φ² from the spin, however slow it is
by itself: bodies whose rotation no joint guides are told of from a smaller turn on (`free_turn`),
if their axis has moved by more than MOVED.
"""

from __future__ import annotations

import math
import warnings

import numpy as np

from linkwork.errors import LinkworkWarning, ModelError, users_line
from linkwork.integrators.blocked import COMPARE, blocked_motion
from linkwork.integrators.contract import Run, StepFailure
from linkwork.kernels import rotations
from linkwork.kernels.compiled import lean
from linkwork.system.system import System

AT_ONCE = 2  # times the turn of the step before: no motion becomes faster so quickly by itself
MOVED = 1e-3  # rad, by which the direction of an angular velocity has changed in the world


def rounded_down(h: float) -> float:
    """A step of two digits that is not longer."""
    unit = 10.0 ** (np.floor(np.log10(h)) - 1)
    return float(f"{np.floor(h / unit * (1 + 1e-9)) * unit:.2g}")


def counted_pairs(system: System) -> list[tuple[int, int, str]]:
    """Bodies between which an element counts turns (−1 for the ground), and whose element it is."""
    return [
        (e.ends[0], e.ends[1], e.owner)
        for e in system.elements
        if e.entry.family.memory.turns and len(e.ends) == 2
    ]


def world_spin(motion: np.ndarray, body: int) -> np.ndarray:
    """Angular velocity (rows, 3) of a body in world axes; that of the ground is zero."""
    if body < 0:
        return np.zeros((len(motion), 3))
    R = rotations.matrix(motion[:, body, 3:7])
    return np.einsum("tij,tj->ti", R, motion[:, body, 10:13])


def unguided_bodies(system: System) -> np.ndarray:
    """Bodies on whose rotation no constraint acts."""
    guided = {
        end
        for e in system.elements
        if any(row in e.entry.family.angles for row in e.entry.rows)
        for end in e.ends
    }
    return np.array([b for b in range(system.bodies) if b not in guided], dtype=int)


@lean
def largest_spins(motion, bodies, out):
    """The largest |ω| of each of these bodies in motions (rows, bodies, 13), in one go: a run that
    stores every step would else read its motion several times more."""
    for k in range(motion.shape[0]):
        for j in range(bodies.shape[0]):
            w = motion[k, bodies[j]]
            out[j] = max(out[j], w[10] * w[10] + w[11] * w[11] + w[12] * w[12])
    for j in range(bodies.shape[0]):
        out[j] = math.sqrt(out[j])


class TurnWatch:
    """The largest turn in a step that was seen in one run."""

    def __init__(self, run: Run, names: tuple[str, ...]) -> None:
        self.told, self.refused = run.turns
        self.blocked = blocked_motion(run.data)  # what may make it fast from a step to the next
        self.pairs = counted_pairs(run.data.system)
        self.samples = run.data.system.sample_times
        self.bodies = np.arange(len(names))[run.watched_bodies]
        self.names, self.largest, self.body, self.h = np.array(names), 0.0, "", 0.0
        self.free_turn = run.free_turn
        free = run.free_turn < self.told
        self.unguided = unguided_bodies(run.data.system) if free else np.zeros(0, dtype=int)
        self.axes: dict[int, np.ndarray] = {}  # of fast unguided bodies, when they became fast
        self.moved = 0.0, "", 0.0  # the largest turn about an axis that moves, whose it is, and h

    def copy(self) -> tuple:
        """What `go_back` needs."""
        return self.largest, self.body, self.h, dict(self.axes), self.moved

    def go_back(self, copy: tuple) -> None:
        """Forget what was seen since a copy was made."""
        self.largest, self.body, self.h, self.axes, self.moved = copy

    def opposite(self, motion: np.ndarray, h: float) -> str:
        """A sentence on two bodies whose angle, counted over turns, is no longer certain; empty
        where there are none."""
        for a, b, owner in self.pairs if self.largest > np.pi / 2 else ():
            spins = [world_spin(motion, body) for body in (a, b)]
            turn = float(np.sqrt(((spins[1] - spins[0]) ** 2).sum(axis=-1).max())) * h
            if turn > np.pi:
                return (
                    f"the bodies of '{owner}' turn by {turn:.3g} rad against each other in a step "
                    f"of {h:g} s, and beyond half a turn its angle cannot be counted: take h = "
                    f"{rounded_down(h * np.pi / turn):g} s or less"
                )
        return ""

    def update(self, motion: np.ndarray, h: float) -> float:
        """Motions (rows, bodies, 13) reached with steps of h; the largest turn among them."""
        if not len(motion) or not len(self.bodies) or self.told == np.inf:
            return 0.0
        spins = np.zeros(len(self.bodies))
        largest_spins(motion, self.bodies, spins)
        b = int(np.argmax(spins))
        turn = float(spins[b]) * h
        if turn > self.largest:
            self.largest, self.body, self.h = turn, str(self.names[self.bodies][b]), h
        if turn > self.free_turn:
            self.watch_axes(motion, h)
        return turn

    def watch_axes(self, motion: np.ndarray, h: float) -> None:
        """Notice unguided bodies that turn fast about an axis that moves."""
        speeds = np.sqrt((motion[:, self.unguided, 10:13] ** 2).sum(axis=-1))
        for b in self.unguided[speeds.max(axis=0, initial=0.0) * h > self.free_turn].tolist():
            spin = world_spin(motion, b)
            speed = np.linalg.norm(spin, axis=1)
            fast = speed * h > self.free_turn
            axes, turn = spin[fast] / speed[fast, None], float(speed.max()) * h
            first = self.axes.setdefault(b, axes[0])
            if np.linalg.norm(axes - first, axis=1).max() > MOVED and turn > self.moved[0]:
                self.moved = turn, str(self.names[b]), h

    def sentence(self) -> str:
        return (
            f"body '{self.body}' turns by {self.largest:.3g} rad in a step of {self.h:g} s, more "
            f"than the {self.told:g} rad that this method resolves: take h = "
            f"{rounded_down(self.h * self.told / self.largest):g} s or less"
        )

    def require_start(self, motion: np.ndarray, h: float) -> None:
        """Refuse a run that begins too fast for its step."""
        if self.update(motion[None], h) > self.refused:
            raise ModelError(self.sentence())
        if uncertain := self.opposite(motion[None], h):
            raise ModelError(uncertain)

    def require(self, motion: np.ndarray, h: float, time: float) -> None:
        """End a run that has become too fast for its step."""
        before = self.largest
        if self.update(motion, h) > self.refused:
            what = f"became too fast for its step until t = {time:.6g}: {self.sentence()}"
            if self.samples:
                most = max(period for _, period in self.samples)
                what += (
                    "; where it grows from sample to sample, the gains of a controller are too "
                    f"high for a sample time of {most:g} s"
                )
            if self.blocked and self.largest > AT_ONCE * before:
                what = (
                    f"could not go on at t = {time:.6g}: {self.blocked}: {COMPARE} (body "
                    f"'{self.body}' turns by {self.largest:.3g} rad in a step of {self.h:g} s)"
                )
            raise StepFailure(time, 0, 0.0, self.body, what)
        if uncertain := self.opposite(motion, h):
            raise StepFailure(
                time, 0, 0.0, self.body,
                f"became too fast for its step until t = {time:.6g}: {uncertain}",
            )  # fmt: skip

    def warn(self) -> None:
        turn, body, h = self.moved
        if self.largest > self.told:
            warnings.warn(self.sentence(), LinkworkWarning, stacklevel=users_line())
        elif turn > 0.0:
            warnings.warn(
                f"body '{body}' turns by {turn:.3g} rad in a step of {h:g} s about an axis that "
                "moves, and that motion is not resolved well beyond "
                f"{self.free_turn:g} rad: take h = {rounded_down(h * self.free_turn / turn):g} s "
                "or less",
                LinkworkWarning, stacklevel=users_line(),
            )  # fmt: skip
