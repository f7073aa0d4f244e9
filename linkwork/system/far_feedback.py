"""Numbers that follow distant bodies: their tangents are rank-one updates, not blocks.

A load on one end of a chain that follows a body at the other end adds u wᵀ to the matrix of a step,
u = ∂f/∂y by the unknowns of the bodies it acts on, w = ∂y/∂(unknowns) by those that it reads.  As
blocks that would join all bodies between them in the elimination.  A solution with it follows from
one more with the matrix without it (linear_algebra.low_rank), which costs a quarter of a step.
"""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.model.nodes import Node
from linkwork.system.compilation.numbering import Element

NEAR = 3  # joints between bodies up to which blocks are cheaper
MOST = 24  # numbers that are treated so: each costs a solution


def distant_signals(elements: Sequence[Element]) -> frozenset[int]:
    """Which elements are signals that read bodies far from those they act on, on the same
    mechanism; none where there are many."""
    signals = [i for i, e in enumerate(elements) if e.entry.family.signal]
    if not signals:
        return frozenset()
    neighbours: dict[int, set[int]] = {}
    for e in elements:
        if not e.entry.family.signal:
            bodies = [end for end in e.ends if end >= 0]
            for a in bodies:
                neighbours.setdefault(a, set()).update(b for b in bodies if b != a)
    found = frozenset(i for i in signals if is_distant(elements[i], neighbours))
    return found if len(found) <= MOST else frozenset()


def is_distant(e: Element, neighbours: dict[int, set[int]]) -> bool:
    """Whether a signal joins bodies of one mechanism with more than NEAR joints between them."""
    if any(isinstance(end, Node) for end in e.entry.bodies):
        return False
    loaded = e.entry.acts_on[2]
    known = {end for end in e.ends[:loaded] if end >= 0}
    wanted = {end for end in e.ends[loaded:] if end >= 0} - known
    edge = set(known)
    for steps in range(1, len(neighbours) + 1):
        edge = {b for a in edge for b in neighbours.get(a, ())} - known
        if not edge:
            return False  # those left are parts of other mechanisms, or there are none
        known |= edge
        if steps > NEAR and wanted & edge:
            return True
        wanted -= edge
        if not wanted:
            return False
    return False
