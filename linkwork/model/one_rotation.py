"""One rotation at a time, in plain numbers: what models are made of.

The functions of `kernels.rotations` take arrays of any number of rotations, which for one of them
costs ten times as long.  These round in the same order, so that both give the same bits.
"""

from __future__ import annotations

import math

import numpy as np


def multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quaternion product p q."""
    (a, b, c, d), (e, f, g, h) = p.tolist(), q.tolist()
    return np.array([
        a * e - (0.0 + b * f + c * g + d * h),
        a * f + e * b + (c * h - d * g),
        a * g + e * c + (d * f - b * h),
        a * h + e * d + (b * g - c * f),
    ])  # fmt: skip


def matrix(q: np.ndarray) -> np.ndarray:
    """The rotation matrix of a unit quaternion."""
    w, x, y, z = q.tolist()
    return np.array([
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ])  # fmt: skip


def from_matrix(r: list[list[float]]) -> np.ndarray:
    """Unit quaternion of a rotation matrix, the largest component taken as positive pivot."""
    d = [0.0 + r[0][0] + r[1][1] + r[2][2], r[0][0], r[1][1], r[2][2]]
    i = d.index(max(d))
    if i == 0:
        q = [1 + d[0], r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]]
    else:
        a, b, c = i - 1, i % 3, (i + 1) % 3
        q = [r[c][b] - r[b][c], 0.0, 0.0, 0.0]
        q[1 + a] = 1 + r[a][a] - r[b][b] - r[c][c]
        q[1 + b] = r[a][b] + r[b][a]
        q[1 + c] = r[a][c] + r[c][a]
    return unit(np.array(q))


def unit(x: np.ndarray) -> np.ndarray:
    """A vector over its length."""
    return np.asarray(x / math.sqrt(x.dot(x)))
