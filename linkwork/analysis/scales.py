"""Lengths over L and rotations in rad, so that both compare: (δr, θ) = S y with S = diag(L, 1).

Columns of bodies are multiplied with L and 1, rows that measure a length with 1/L.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from linkwork.system.compilation.numbering import Row
from linkwork.system.system import System

CLOSED = 1e-12  # constraint error of an iterate, lengths over L and quaternion parts


def column_scale(system: System) -> np.ndarray:
    """L for displacements, 1 for rotations of all bodies, then the sizes of other values."""
    return system.layout.scale(system.length)


def row_scale(rows: Iterable[Row], length: float) -> np.ndarray:
    """1/L for rows that measure a length, 1 for the others."""
    return np.array([1.0 if row.is_angle else 1 / length for row in rows])
