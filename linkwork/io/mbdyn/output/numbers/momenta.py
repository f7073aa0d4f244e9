"""Momentum and moment of momentum of masses that change, about the node they sit on.

    β = m v_c,   γ = J w + b × β,   β̇ = m a_c + ṁ v_c,   γ̇ = J ẇ + w × J w + J̇ w + ḃ × β + b × β̇

(MBDyn's technical manual, (8.16) to (8.22)); b reaches from the node to the centre of mass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.bodies.variable_mass import (
    CENTRE,
    CENTRE1,
    CENTRE2,
    INERTIA,
    INERTIA1,
    MASS,
    MASS1,
)  # fmt: skip
from linkwork.io.mbdyn.output.numbers.motion import Motion, rotate


def changing_momentum(
    item: Any, centre: np.ndarray, times: np.ndarray, m: Motion
) -> tuple[np.ndarray, ...]:
    """β, γ, β̇, γ̇ of one mass on a node whose body has its place at `centre`."""
    n = item.numbers(times)
    b = rotate(m.R, centre + n[:, CENTRE : CENTRE + 3])
    inner, change = (rotate(m.R, n[:, c : c + 3]) for c in (CENTRE1, CENTRE2))
    J, J1 = (m.R @ n[:, c : c + 9].reshape(-1, 3, 3) @ np.swapaxes(m.R, 1, 2)
             for c in (INERTIA, INERTIA1))  # fmt: skip
    arm = np.cross(m.w, b)
    v = m.v + arm + inner
    a = m.a + np.cross(m.p, b) + np.cross(m.w, arm + 2 * inner) + change
    beta, rate = n[:, MASS, None] * v, n[:, MASS, None] * a + n[:, MASS1, None] * v
    spin = rotate(J, m.w)
    turning = rotate(J, m.p) + np.cross(m.w, spin) + rotate(J1, m.w)
    moment = turning + np.cross(arm + inner, beta) + np.cross(b, rate)
    return beta, spin + np.cross(b, beta), rate, moment
