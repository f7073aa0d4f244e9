"""Pivots among the restart numbers of a run, so that it goes on with the same digits.

Their names end with the version of their layout: of files of another version they are not taken,
and the elimination chooses its pivots anew, which changes last digits alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.linear_algebra.along_mechanism.tables import Elimination

NAME = "pivots_v2_"  # before: pivots0 … pivots8 of vector nodes and bodies between, apart


def pivots_to_keep(e: Elimination) -> dict[str, np.ndarray]:
    """The pivots of an elimination, by the names of restart numbers."""
    return {f"{NAME}{i}": np.array(part) for i, part in enumerate(e.pivots)}


def kept_pivots(restart: dict[str, Any]) -> tuple[np.ndarray, ...] | None:
    """Those of an earlier run, for `factorise`; None where there are none of this layout."""
    names = sorted(name for name in restart if name.startswith(NAME))
    return tuple(np.asarray(restart[name]) for name in names) or None
