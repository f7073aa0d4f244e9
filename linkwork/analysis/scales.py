"""Lengths over L and rotations in rad, so that both compare: (δr, θ) = S y with S = diag(L, 1).

Columns of bodies are multiplied with L and 1, rows that measure a length with 1/L
(`row_scale` of the compiled model's numbering).
"""

from __future__ import annotations

import numpy as np

from linkwork.system.system import System

CLOSED = 1e-12  # constraint error of an iterate, lengths over L and quaternion parts


def column_scale(system: System) -> np.ndarray:
    """L for displacements, 1 for rotations of all bodies, then the sizes of other values."""
    return system.layout.scale(system.length)
