"""Differences of two runs of one model at the times that both have stored."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from linkwork.elements.flexible.link import FlexibleLink
from linkwork.errors import LinkworkWarning
from linkwork.kernels import rotations
from linkwork.results.result import Result


def common(a: Result, b: Result) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the stored times that two runs share."""
    near = np.clip(np.searchsorted(b.time, a.time), 1, len(b.time) - 1)
    near -= np.abs(b.time[near - 1] - a.time) < np.abs(b.time[near] - a.time)
    same = np.abs(b.time[near] - a.time) < 1e-9 * max(1.0, abs(float(a.time[-1])))
    return np.flatnonzero(same), near[same]


def motion_differences(a: Result, b: Result) -> dict[str, np.ndarray]:
    """Largest differences over bodies and nodes at the common times: position, angle, value."""
    i, j = common(a, b)
    p, q = np.asarray(a.motion[i]), np.asarray(b.motion[j])
    out = {"time": a.time[i], "position": np.linalg.norm(p[:, :, :3] - q[:, :, :3], axis=2)}
    out["angle"] = angle_between(p[:, :, 3:7], q[:, :, 3:7])
    if a.system.layout.values:
        mine, other = (np.asarray(x.values[k])[:, 0] for x, k in ((a, i), (b, j)))
        size = np.maximum(np.abs(other).max(axis=0), a.system.layout.value_scale)
        out["value"] = np.abs(mine - other) / size
    return {k: v if v.ndim == 1 else v.max(axis=1, initial=0.0) for k, v in out.items()}


def differences(a: Result, b: Result) -> dict[str, np.ndarray]:
    """Those of the motion, and the largest ones of forces and torques over all joints."""
    out = motion_differences(a, b)
    i, j = common(a, b)
    joints = [n for n in a.joints if not isinstance(a.system.model[n], FlexibleLink)]
    for part in ("force", "torque"):
        columns = [
            np.linalg.norm(reaction(a, name, part)[i] - reaction(b, name, part)[j], axis=1)
            for name in joints
        ]
        out[part] = np.max(columns, axis=0) if columns else np.zeros(len(i))
    return out


def angle_between(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Angle of the rotation from one orientation to the other, also where it is small."""
    relative = rotations.multiply(rotations.conjugate(p), q)
    return 2 * np.arctan2(np.linalg.norm(relative[..., 1:], axis=-1), np.abs(relative[..., 0]))


def reaction(result: Result, name: str, part: str) -> np.ndarray:
    """Force or torque of a joint as a vector; that of a motor is a number about its axis."""
    view = result[name]
    word = f"reaction_{part}"
    return np.asarray(getattr(view, word if word in view.names else part).values)


def apart_over_time(a: Result, b: Result) -> tuple[np.ndarray, np.ndarray]:
    """Common times, and there the largest difference of positions (over the mechanism's size), of
    orientations and of values of vector nodes (over their size)."""
    found = motion_differences(a, b)
    parts = (found["position"] / a.system.length, found["angle"], found.get("value", 0.0))
    return found["time"], np.maximum(np.maximum(parts[0], parts[1]), parts[2])


def apart(a: Result, b: Result) -> float:
    """The largest of these."""
    return float(apart_over_time(a, b)[1].max())


class told_once:
    """Warnings of many runs, each told once at the end."""

    def __enter__(self) -> None:
        self.catching = warnings.catch_warnings(record=True)
        self.seen = self.catching.__enter__()
        warnings.simplefilter("always", LinkworkWarning)

    def __exit__(self, *error: Any) -> None:
        self.catching.__exit__(*error)
        for text, kind in {(str(w.message), w.category): None for w in self.seen or ()}:
            warnings.warn(text, kind, stacklevel=3)
