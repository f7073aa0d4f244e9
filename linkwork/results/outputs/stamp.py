"""The numbers of a state in one row, to tell whether it is still the one that a run has left."""

from __future__ import annotations

import numpy as np


def stamp(time: float, motion: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.concatenate([[time], np.ravel(motion), np.ravel(values)])
