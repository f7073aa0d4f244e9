"""Where two records differ.

Numbers are equal when their bits are.  Otherwise the error of a column (all but the first axis,
which is time) is its largest difference over its largest value.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from record import Record


@dataclass(frozen=True)
class Difference:
    """`what` differs: an array, "warnings" or "error"; `error` is relative, or infinite."""

    what: str
    error: float
    sentence: str


def differences(base: Record, this: Record) -> list[Difference]:
    found = []
    if base.error != this.error:
        found.append(Difference("error", np.inf, f"{base.error} in the base, now {this.error}"))
    for name in [*base.arrays, *(n for n in this.arrays if n not in base.arrays)]:
        a, b = base.arrays.get(name), this.arrays.get(name)
        if a is None or b is None:
            where = "this commit" if a is None else "the base"
            found.append(Difference(name, np.inf, f"only in {where}"))
        elif a.shape != b.shape:
            found.append(Difference(name, np.inf, f"shape {a.shape} in the base, now {b.shape}"))
        elif a.dtype != b.dtype or a.tobytes() != b.tobytes():
            error = column_error(a.astype(float), b.astype(float))
            found.append(Difference(name, error, f"differs by {error:.1e} of its column"))
    before, now = Counter(base.warnings), Counter(this.warnings)
    for text, count in ((before - now) | (now - before)).items():
        side = "only in the base" if before[text] > now[text] else "only now"
        found.append(Difference("warnings", np.inf, f"{count} {side}: {': '.join(text)}"))
    return found


def column_error(a: np.ndarray, b: np.ndarray) -> float:
    """The largest error of a column; infinite where only one of two numbers is finite."""
    a, b = (x.reshape(x.shape[0] if x.ndim else 1, -1) for x in (a, b))
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if a.size == 0 or same.all():
        return 0.0  # signs of zeros, or payloads of NaN
    if not (np.isfinite(a) & np.isfinite(b))[~same].all():
        return float("inf")
    apart = np.where(same, 0.0, a - b)
    largest = np.nanmax(np.where(np.isfinite(a), abs(a), 0.0), axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.abs(apart).max(axis=0) / largest
    return float(np.nanmax(relative))
