"""Coordinates of a lock joint in one state: x = R_Sᵀ (r_P − r_S), ρ = ρ_S* ρ_P of its markers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linkwork.elements.joints.lock import QA, QB, UA, UB
from linkwork.kernels import rotations
from linkwork.system.state import State

GROUND_POSE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def joint_coordinates(
    reals: np.ndarray, state: State, ends: Iterable[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Position and quaternion of the driven marker relative to the main one.

    reals : the joint's numbers at that time;   ends : its two bodies' numbers, the ground −1
    """
    a, b = (state.motion[i, :7] if i >= 0 else GROUND_POSE for i in ends)
    places, axes = [], []
    for pose, u, q in ((a, UA, QA), (b, UB, QB)):
        places.append(pose[:3] + rotations.matrix(pose[3:]) @ reals[u : u + 3])
        axes.append(rotations.multiply(pose[3:], reals[q : q + 4]))
    x = rotations.matrix(axes[0]).T @ (places[1] - places[0])
    return x, rotations.multiply(rotations.conjugate(axes[0]), axes[1])


def twist_angle(q: np.ndarray) -> float:
    """The angle about z, from −2π to 2π."""
    return 2 * float(np.arctan2(q[3], q[0]))
