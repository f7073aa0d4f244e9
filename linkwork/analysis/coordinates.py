"""Coordinates of a lock joint in one state: x = R_Sᵀ (r_P − r_S), ρ = ρ_S* ρ_P of its markers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linkwork.elements.joints.lock import lock_coordinates
from linkwork.system.state import State

GROUND_POSE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def joint_coordinates(
    reals: np.ndarray, state: State, ends: Iterable[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Position and quaternion of the driven marker relative to the main one.

    reals : the joint's numbers at that time;   ends : its two bodies' numbers, the ground −1
    """
    a, b = (state.motion[i, :7] if i >= 0 else GROUND_POSE for i in ends)
    x, q = lock_coordinates(reals[None], a[None, :3], a[None, 3:], b[None, :3], b[None, 3:])
    return x[0], q[0]


def twist_angle(q: np.ndarray) -> float:
    """The angle about z, from −2π to 2π."""
    return 2 * float(np.arctan2(q[3], q[0]))
