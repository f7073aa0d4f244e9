"""Friction over the steps of a run: the bristles follow the stored path as they did in the run.

A step moves the deflection by the path and the speed at its end alone (friction.bristles), so the
path at all steps gives it back.  Where steps were left out in storing, sliding friction is still
right, and that of sticking approximate.  z is the deflection at the first time where it is known
(in an equilibrium), else not a number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.friction.bristles import bristles
from linkwork.elements.friction.bristles_in_space import bristles_in_space
from linkwork.elements.friction.friction import shaped
from linkwork.kernels.compiled import compiled


@compiled
def replay(
    integers: Any, reals: Any, s: Any, v: Any, sense: Any, z: float
) -> Any:
    """(T, 2): c of the surfaces, and what the friction is over the load and 1 or the radius."""
    n, kind, model = integers[0], integers[1], integers[2]
    out = np.empty((s.size, 2))
    known = not np.isnan(z)
    for k in range(s.size):
        step = s[k] - s[max(k - 1, 0)]
        c, z, _, _ = bristles(reals, 0, n, model, k > 0 or known, z, step, v[k])
        out[k, 0], out[k, 1] = c, shaped(kind, reals, 0, sense[k], c)[0]
    return out


@compiled
def replay_in_space(integers: Any, reals: Any, steps: Any, v: Any, first: Any) -> Any:
    """(T, 3): c of surfaces that move in several directions, from the path of each step."""
    out, n, model = np.empty(steps.shape), integers[0], integers[2]
    z = (first[0], first[1], first[2])
    known = not np.isnan(first[0])
    for k in range(len(steps)):
        step = (steps[k, 0], steps[k, 1], steps[k, 2])
        now = (v[k, 0], v[k, 1], v[k, 2])
        c, z, _, _ = bristles_in_space(reals, 0, n, model, k > 0 or known, z, step, now)
        for j in range(3):
            out[k, j] = c[j]
    return out
