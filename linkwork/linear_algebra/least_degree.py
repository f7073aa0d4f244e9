"""The order of elimination: always the body with the fewest neighbours, whose neighbours then meet.

For chains, trees and rows of loops a body has few neighbours when its turn comes, so that what is
done at its turn costs the same everywhere and all of it is linear in the number of bodies.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

import numpy as np


def least_degree(bodies: int, joints: Iterable[Sequence[int]]) -> np.ndarray:
    """The turn of every body; joints: the bodies that each one ties together."""
    near: list[set[int]] = [set() for _ in range(bodies)]
    for ends in joints:
        for b in ends:
            near[b].update(ends)
    for b, others in enumerate(near):
        others.discard(b)
    heap = [(len(others), b) for b, others in enumerate(near)]
    heapq.heapify(heap)
    turn = np.full(bodies, -1, np.intp)
    count = 0
    while heap:
        degree, b = heapq.heappop(heap)
        if turn[b] >= 0 or degree != len(near[b]):
            continue
        turn[b], count = count, count + 1
        for other in near[b]:
            near[other] |= near[b]
            near[other] -= {other, b}
            heapq.heappush(heap, (len(near[other]), other))
    return turn
