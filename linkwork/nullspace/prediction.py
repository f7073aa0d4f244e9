"""Where a step begins, and whether its first correction is enough.

Increments Δ of the joint coordinates over a step are kept as backward differences ∇ʲΔ.  The next
ones are

    Δ ≈ Σ_{j<k} ∇ʲΔ ± ∇ᵏΔ

With + this continues polynomials of degree k exactly; with − those of degree k − 1 and what changes
sign in every step, as a small part does under the mid-point rule, which high orders magnify: they
are the sequences for which (z − 1)ᵏ(z ∓ 1) vanishes.  The k ≤ 4 and the sign that were least wrong
in the last step are taken.  Multipliers are continued with k = 3 and −: 2μ₁ − 2μ₃ + μ₄, where μ_j
are those of j steps ago.

The equations are linear in the multipliers and smooth in the poses, so that Newton's first
correction (δ of the poses, δμ of the multipliers) leaves over what is quadratic in both,

    left ≈ ε (δ/δ_l) (δ/δ_l + δμ/δμ_l)

with ε, δ_l, δμ_l those of a step that began badly, with the increments of the one before it and
multipliers a sixteenth too small, so that ε, its second correction, stands out of round-off.  The
first step is such a one, then one soon after it (a motion from rest is still nearly linear), then
one in `LEARN`, as long as predictions are good enough for a single correction.
"""

from __future__ import annotations

from linkwork.elements.layout import STRIDE
from linkwork.kernels.compiled import inlined
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.registers.eights import larger8, load8, spread8, store8
from linkwork.kernels.rotations import qconj, qmul
from linkwork.kernels.vectors import at, at4
from linkwork.nullspace.constraints.tree import (
    ANGLE,
    CHILD,
    FREE,
    TURN,
    TURNED,
    Q,
    cayley_turn,
    twice_atan_half,
    twice_tan_half,
)  # fmt: skip

HIGHEST = 5  # number of differences, from ∇⁰ on
# what is learned from step to step: how many differences there are, the last one (k) and the sign
# that were least wrong, their error, steps since ε, δ_l and δμ_l were measured, and these
COUNT, LAST, SIGN, ERROR, SINCE, LEFT, MOVE, LOAD, LEARNED = range(9)
LEARN, SOON = 64.0, 8.0
GOOD = 1e-8  # error of a prediction (radians, lengths over L) worth to ask for a single correction
SAFE = 10.0  # times what is estimated to be left over must be below the tolerance


@inlined
def is_plain(learned):
    """Whether this step begins badly, to measure what corrections leave over."""
    return learned[COUNT] == 0.0 or (learned[SINCE] >= LEARN and learned[ERROR] < GOOD)


@inlined
def learn(learned, left, move, load):
    """What a first correction has left over; curvature is never taken below that of a turn."""
    learned[SINCE] = LEARN - SOON if learned[COUNT] == 0.0 else 0.0
    learned[LEFT], learned[MOVE], learned[LOAD] = max(left, move * move), move, load


@inlined
def left_over(learned, move, load):
    """Estimate of the second correction of a step after its first, of poses and multipliers."""
    moved = move / learned[MOVE] if move > 0.0 else 0.0
    loaded = load / learned[LOAD] if load > 0.0 else 0.0
    return learned[LEFT] * moved * (moved + loaded)


@inlined
def predict_multipliers(mu, learned):
    """mu[0] from mu[1:], those of the last steps."""
    plain, few = is_plain(learned), learned[COUNT] < 4.0
    for e in range(mu.shape[1]):
        if plain:
            mu[0, e] = 0.9375 * mu[1, e]
        elif few:
            mu[0, e] = 2.0 * mu[1, e] - mu[2, e]
        else:
            mu[0, e] = 2.0 * (mu[1, e] - mu[3, e]) + mu[4, e]


@inlined
def predict_coordinates(tree, coordinate, past, learned, rate, h):
    """Coordinates continued by their differences, or by the velocities `rate` in a first step.

    `rate` as read off by joint_increment, rotations in world axes; those of `past` are in the
    child's.  A turn by an angle counts as twice the tangent of its half, which is what the scheme
    makes of a speed: it turns by less than half a turn at any speed.
    """
    first = learned[COUNT] == 0.0
    plain = is_plain(learned)
    last, sign = 0 if plain else int(learned[LAST]), 1.0 if plain else learned[SIGN]
    differences, steps, n = borrow(past), borrow(rate), past.shape[1] * STRIDE
    for i in range(tree.ints.shape[0]):
        c = tree.ints[i, CHILD]
        if first:
            step = load8(steps, STRIDE * c) * h
        else:
            step = load8(differences, last * n + STRIDE * c) * sign
            for j in range(last):
                step = step + load8(differences, j * n + STRIDE * c)
        store8(steps, STRIDE * c, step)
        for j in range(3):
            coordinate[c, j] += rate[c, j]
        coordinate[c, ANGLE] += twice_atan_half(rate[c, ANGLE])
        if tree.ints[i, TURN] == FREE:
            q, turn = at4(coordinate, c, Q), cayley_turn(at(rate, c, TURNED))
            q = qmul(turn, q) if first else qmul(q, turn)
            for j in range(4):
                coordinate[c, Q + j] = q[j]


@inlined
def largest(rate, squares, L):
    """The largest increment, lengths over L and angles, from eight largest squares."""
    b = rate.shape[0] - 1  # behind the bodies, as scratch
    store8(borrow(rate), STRIDE * b, squares)
    moved, turned = max(rate[b, 0], rate[b, 1], rate[b, 2]), max(rate[b, 3], rate[b, 4])
    return max(moved / (L * L), turned, rate[b, 5], rate[b, 6]) ** 0.5


@inlined
def judge(learned, last, sign, error):
    if error < learned[ERROR]:
        learned[LAST], learned[SIGN], learned[ERROR] = last, sign, error


@inlined
def remember_increments(tree, before, after, past, learned, rate, L):
    """Differences of the step from coordinates `before` to `after`, and what they favour."""
    for i in range(tree.ints.shape[0]):
        c = tree.ints[i, CHILD]
        for j in range(3):
            rate[c, j] = after[c, j] - before[c, j]
        rate[c, ANGLE] = twice_tan_half(after[c, ANGLE] - before[c, ANGLE])
        if tree.ints[i, TURN] == FREE:
            turned = qmul(qconj(at4(before, c, Q)), at4(after, c, Q))
            for j in range(3):
                rate[c, TURNED + j] = 2.0 * turned[1 + j] / turned[0]
    differences, steps, n = borrow(past), borrow(rate), past.shape[1] * STRIDE
    count = int(learned[COUNT])
    learned[LAST], learned[SIGN], learned[ERROR] = 0.0, 1.0, 1e300
    for j in range(min(count + 1, HIGHEST)):
        plus = minus = spread8(0.0)
        for k in range(j * n, j * n + n, STRIDE):
            step, old = load8(steps, k - j * n), load8(differences, k)
            store8(differences, k, step)
            twice, step = step + old, step - old
            store8(steps, k - j * n, step)
            plus, minus = larger8(plus, step * step), larger8(minus, twice * twice)
        if j < count:
            judge(learned, j, 1.0, largest(rate, plus, L))
            judge(learned, j, -1.0, largest(rate, minus, L))
    learned[COUNT] = min(count + 1.0, HIGHEST)
    learned[SINCE] += 1.0
