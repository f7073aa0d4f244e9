"""Forces of a user's function at the stored times: the function is called again for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.forces.user_force import Motion, UserForce, is_jitted
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.results.outputs.stored import body_motion, body_numbers

if TYPE_CHECKING:
    from linkwork.results.result import Result


def frames_over_time(result: Result, item: UserForce) -> tuple[np.ndarray, ...]:
    """Position (T, n, 3), orientation (T, n, 3, 3), velocity and angular velocity of its frames."""
    number, parts = body_numbers(result), []
    for frame in item.acted_on:
        m = body_motion(result, number(frame.body))
        R = rotations.matrix(m.q)
        arm, w = R @ frame.position, np.einsum("tij,tj->ti", R, m.w)
        X = R @ rotations.matrix(frame.orientation)
        parts.append((m.r + arm, X, m.v + np.cross(w, arm), w))
    return tuple(np.stack(part, axis=1) for part in zip(*parts))


def user_wrenches(result: Result, item: UserForce) -> tuple[np.ndarray, np.ndarray]:
    """Force and torque (T, n, 6) on each frame in world axes, and their power (T,)."""
    position, axes, v, w = frames_over_time(result, item)
    plain = item.function.py_func if is_jitted(item.function) else item.function
    found = np.empty((len(result.time), len(item.acted_on), 6))
    for k, t in enumerate(result.time):
        try:
            wrench = plain(float(t), Motion(position[k], axes[k], v[k], w[k]))
            found[k] = np.asarray(wrench, float).reshape(found.shape[1:])
        except Exception as error:
            raise ModelError(
                f"function of {item.label} has no value at t = {t:g}: {checks.line(error)}"
            ) from error
    power = np.sum(found[:, :, :3] * v + found[:, :, 3:] * w, axis=(1, 2))
    return found, power
