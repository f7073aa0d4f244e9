"""Friction over the steps of a run: the bristles follow the stored path as they did in the run.

A step moves the deflection by the path and the speed at its end alone (elements.friction), so the
path at all steps gives it back.  Where steps were left out in storing, sliding friction is still
right, and that of sticking approximate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.friction import MOTION, RADIUS, SCREWS, bristles, thread_friction
from linkwork.math.compiled import compiled


@compiled
def replay(reals: Any, s: Any, v: Any, sense: Any) -> Any:
    """(T, 2): c of the surfaces, and what the friction is over the load and 1 or the radius."""
    out = np.empty((s.size, 2))
    z = 0.0
    for k in range(s.size):
        step = s[k] - s[max(k - 1, 0)]
        c, z, _, _ = bristles(reals, 0, k > 0, z, step, v[k])
        whole = c
        if reals[0, MOTION] == SCREWS:
            whole, _ = thread_friction(reals, 0, sense[k], c)
        out[k, 0], out[k, 1] = c, whole
    return out


class History(NamedTuple):
    """Over time: load N, coefficient c, and the force or torque (`turns`) on b."""

    load: np.ndarray
    coefficient: np.ndarray
    force: np.ndarray
    turns: bool


def friction_history(
    reals: np.ndarray, path: np.ndarray, speed: np.ndarray, load: np.ndarray, axial: np.ndarray
) -> History:
    """reals of the element (n,); path (m), its speed and the load (T,); a screw's axial force."""
    sense = np.where(axial >= 0, -1.0, 1.0)
    row = np.ascontiguousarray(reals[None], float)
    c, whole = replay(row, path.astype(float), speed.astype(float), sense).T
    turns = bool(reals[MOTION] != 1)
    arm = reals[RADIUS] if turns else 1.0
    return History(load, c, -load * whole * arm, turns)
