"""How deep the shapes of a contact lie in each other, wherever their bodies are."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.contact.geometry.narrow_phase import find_points
from linkwork.elements.contact.layout import COLUMNS, DEPTH, MOST_POINTS
from linkwork.kernels.compiled import compiled
from linkwork.kernels.rotations import rotation_matrix
from linkwork.kernels.vectors import at, at4

APART = 1e30  # m, between shapes that are further apart than the margin


@compiled
def depths(codes: Any, reals: Any, r: Any, q: Any, found: Any) -> None:
    """At T places (T, 2, 3) and quaternions (T, 2, 4) of both bodies."""
    w = np.zeros((MOST_POINTS, COLUMNS))
    for t in range(found.size):
        Ra, Rb = rotation_matrix(at4(q[t], 0, 0)), rotation_matrix(at4(q[t], 1, 0))
        count, _ = find_points(codes, reals, 0, w, Ra, at(r[t], 0, 0), Rb, at(r[t], 1, 0))
        found[t] = -APART
        for m in range(count):
            found[t] = max(found[t], w[m, DEPTH])


def contact_depth(integers: np.ndarray, reals: np.ndarray, r: Any, q: Any) -> np.ndarray:
    """Depth (m) of one element over time, negative where its shapes are apart."""
    found = np.empty(len(r[0]))
    places, turns = (np.stack(x, axis=1).astype(float) for x in (r, q))
    depths(integers[None], np.array(reals[:1], float), places, turns, found)
    return found
