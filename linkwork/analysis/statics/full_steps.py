"""Newton's method in full steps, for structures that deform far.

A step that bends a slender structure by the angle θ stretches it by θ²/2, and with a large axial
stiffness the unbalanced force grows by orders of magnitude, although the next step takes the
stretch out and is nearer to the answer.  A search that wants |r| to fall at every step stalls
there.  So steps are taken whole, only with |θ| ≤ 0.7, whatever |r| does:

    q ← q exp(min(1, 0.7/|θ|) δ),        back to C = 0

Where this does not converge, the unbalanced force r₀ of the start is held by a dead load and let
go in steps, r(λ) = r − (1 − λ) r₀, whose width follows the iterations they take.  Slender parts
have tangents with predicted stresses (slender.py), and load steps in which the first full step
turns nothing by more than BEND: beyond it straight lines say little about where an arc leads, and
whether such steps converge is a matter of chance.
"""

from __future__ import annotations

import numpy as np

from linkwork.analysis.statics.balance import TURN, Balance, Lost, Point

MOST = 40  # iterations of one load step, unless the user allows fewer
MOST_SLENDER = 15  # the same with slender parts, whose load steps are short
QUICK = 12  # iterations below which the next load step is wider
BEND = 0.7  # rad, the most that slender structures turn in one load step
NARROWEST = 1.0 / 512  # load step
NEARLY = 1e-6  # step at which a load step of slender parts ends, in L and rad
SMALL = 1e-12  # step, in L and rad
GROWN = 1e12  # of the forces at work: unbalanced forces beyond it do not come back


def full_steps(balance: Balance, start: Point, most: int = MOST) -> tuple[Point, int]:
    """An equilibrium and the iterations taken; raises Lost."""
    held, done, width, point, total = start.force.copy(), 0.0, 1.0, start, 0
    limit = MOST_SLENDER if balance.slender else MOST
    try:
        while done < 1.0:
            if balance.slender:
                width = min(width, (1.0 - done) * part_to_bend(balance, point))
                total += 1
            share = min(1.0, done + width)
            share = share if share < 1 - 1e-12 else 1.0
            balance.hold = (1.0 - share) * held
            eased = balance.settle(point.state)
            try:
                if eased is None:
                    raise Lost(point)
                point, taken = converged(balance, eased, min(most, limit), share < 1.0)
            except Lost as lost:
                total += lost.iterations
                width /= 4
                if width < NARROWEST:
                    raise
                continue
            total += taken
            done = share
            width *= 2 if taken < QUICK else 1
    finally:
        balance.hold = np.zeros(balance.n)
        balance.slender.clear()
    return point, total


def part_to_bend(balance: Balance, point: Point) -> float:
    """The part of all unbalanced forces under which a slender structure turns by no more than BEND,
    if it goes on as it begins."""
    balance.hold = np.zeros(balance.n)
    free = balance.settle(point.state)
    step = None if free is None else balance.direction(free)
    if step is None:
        return 1.0
    turn = float(np.abs(step[balance.data.system.layout.is_angle]).max(initial=0.0))
    return min(1.0, BEND / max(turn, 1e-300))


def converged(
    balance: Balance, point: Point, most: int, on_the_way: bool = False
) -> tuple[Point, int]:
    """Full steps from a point until the forces balance and steps are small, and how many.

    A soft structure is not yet where it should be when its forces balance to round-off: it is
    when steps do not become smaller any more.  On the way to another load steps of slender parts
    need only be small.
    """
    best, least = None, np.inf
    balance.slender.clear()
    for taken in range(most):
        step = balance.direction(point, regular=0.0)  # slender structures are soft against REGULAR
        if step is None:
            step = balance.direction(point)
        if step is None:
            raise Lost(point, loose=True, iterations=taken)
        if on_the_way and balance.slender and np.abs(step).max(initial=0.0) <= NEARLY:
            return point, taken
        if balance.enough(point):
            size = float(np.abs(step).max(initial=0.0))
            if size > 0.5 * least:
                break
            best, least = point, size
            if size <= SMALL:
                break
        trial = moved(balance, point, step)
        if trial is None or not trial.largest <= GROWN * max(trial.scale, point.scale):
            break
        point = trial
    if best is None:
        raise Lost(point, iterations=most)
    return best, taken


def moved(balance: Balance, point: Point, step: np.ndarray) -> Point | None:
    """The point on the constraints after a whole step, or after a part where there is none."""
    turn = float(np.abs(step[balance.data.system.layout.is_angle]).max(initial=0.0))
    factor = min(1.0, TURN / max(turn, 1e-300))
    for _ in range(4):
        trial = balance.settle(
            point.state.moved(factor * balance.column * step), far=True, since=point.state
        )
        if trial is not None:
            if balance.slender:
                balance.slender.predict(point.state, factor * balance.column * step)
            return trial
        factor /= 2
    return None
