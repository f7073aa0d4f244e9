"""How messages about drives show what they found."""

from __future__ import annotations

from numbers import Real

import numpy as np


def short(text: object, limit: int = 60) -> str:
    """One line of at most `limit` characters."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def is_number(x: object) -> bool:
    return isinstance(x, Real) or (
        isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype.kind in "fiu"
    )
