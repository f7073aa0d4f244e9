"""How messages about drives show what they found."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from linkwork.model import checks


def short(text: object, limit: int = 60) -> str:
    """One line of at most `limit` characters."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def shown(x: object) -> str:
    """What was found."""
    return checks.show(x, 60)


def is_number(x: object) -> bool:
    return (isinstance(x, Real) and not isinstance(x, bool)) or (
        isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype.kind in "fiu"
    )


def finite(x: Any) -> float | None:
    """A number as a float; None where it is none, not finite, or too large for a float."""
    try:
        y = float(x) if is_number(x) else math.nan
    except OverflowError:
        return None
    return y if math.isfinite(y) else None
