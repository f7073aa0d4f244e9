"""How far bodies turn in one step: more than a method resolves is told once, or refused.

A method with equal steps sees a rotation by φ in a step up to terms of φ²/12; beyond half a turn
most cannot tell it from a smaller one the other way round.  A run says what it resolves by its
members `turns` and `watched_bodies` (integrators/contract.py): methods that choose their steps
resolve any turn, and in joint coordinates only bodies on balls count, since a pin is exact at any
speed.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.errors import LinkworkWarning, ModelError, users_line
from linkwork.integrators.contract import Run, StepFailure


def rounded_down(h: float) -> float:
    """A step of two digits that is not longer."""
    unit = 10.0 ** (np.floor(np.log10(h)) - 1)
    return float(f"{np.floor(h / unit * (1 + 1e-9)) * unit:.2g}")


class TurnWatch:
    """The largest turn in a step that was seen in one run."""

    def __init__(self, run: Run, names: tuple[str, ...]) -> None:
        self.told, self.refused = run.turns
        self.bodies = run.watched_bodies
        self.names, self.largest, self.body, self.h = np.array(names), 0.0, "", 0.0

    def see(self, motion: np.ndarray, h: float) -> float:
        """Motions (rows, bodies, 13) reached with steps of h; the largest turn among them."""
        spins = motion[:, self.bodies, 10:13]
        if not spins.size or self.told == np.inf:
            return 0.0
        spins = np.sqrt((spins**2).sum(axis=-1).max(axis=0))
        b = int(np.argmax(spins))
        turn = float(spins[b]) * h
        if turn > self.largest:
            self.largest, self.body, self.h = turn, str(self.names[self.bodies][b]), h
        return turn

    def sentence(self) -> str:
        return (
            f"body '{self.body}' turns by {self.largest:.3g} rad in a step of {self.h:g} s, more "
            f"than the {self.told:g} rad that this method resolves: take h = "
            f"{rounded_down(self.h * self.told / self.largest):g} s or less"
        )

    def require_start(self, motion: np.ndarray, h: float) -> None:
        """Refuse a run that begins too fast for its step."""
        if self.see(motion[None], h) > self.refused:
            raise ModelError(self.sentence())

    def require(self, motion: np.ndarray, h: float, time: float) -> None:
        """End a run that has become too fast for its step."""
        if self.see(motion, h) > self.refused:
            raise StepFailure(
                time, 0, 0.0, self.body,
                f"became too fast for its step until t = {time:.6g}: {self.sentence()}",
            )  # fmt: skip

    def warn(self) -> None:
        if self.largest > self.told:
            warnings.warn(self.sentence(), LinkworkWarning, stacklevel=users_line())
