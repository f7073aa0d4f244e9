"""Deformed shape of flexible links over time."""

from __future__ import annotations

import numpy as np

from linkwork.kernels import rotations
from linkwork.system.compilation.flexible import FlexibleBody


def deformed(
    link: FlexibleBody, motion: np.ndarray, values: np.ndarray, s: np.ndarray
) -> np.ndarray:
    """World positions (T, n, 3) of the axis of a link at parts s of its length."""
    frame, item = motion[:, link.frame], link.item
    rho = np.einsum("nai,ti->tna", item.shapes.at(s)[0], link.amplitudes(values))
    rho[:, :, 0] += item.length * np.asarray(s)
    R = rotations.matrix(frame[:, 3:7])
    return frame[:, None, :3] + np.einsum("tij,tnj->tni", R, rho)
