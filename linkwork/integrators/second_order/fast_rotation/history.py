"""What an accepted step for fast rotation leaves behind: motion, momenta, and a history that turns.

The history of the translation turns with the part s of the body's rotation, which follows from how
much of the acceleration is that of turning,

    s = clip(2c − ½, 0, 1),   c = cos²(v̇, ω × v) v̇·(ω × v)/|ω × v|²

and when it changes, so does what the history knows of accelerations: with ω, ω̇ in world axes and
the algorithmic acceleration at the time t + τ,

    v̇ − s ω × v,     algorithmic: … − s ω × v − τ G,     G = s (ω̇ × v + 2 ω × v̇ − s ω × (ω × v))
"""

from __future__ import annotations

import math

from linkwork.elements.bodies.body import BODY_REALS, INERTIA
from linkwork.elements.layout import NODE, POS, QUAT, STRIDE, VEL
from linkwork.integrators.second_order.fast_rotation.momenta import (
    AHEAD, BEFORE, FAST, LAST, MISSED, MISSED_BEFORE, OFFSET, SHARE, SPINS, TURNING, ZERO,
    factors_of_part, path_of, put3, put_motion, turn_of, turned,
)  # fmt: skip
from linkwork.integrators.second_order.fast_rotation.momentum_integral import shift_of
from linkwork.integrators.second_order.fast_rotation.spinning import effective_turn
from linkwork.integrators.second_order.fast_rotation.spinning import spins as body_spins
from linkwork.integrators.second_order.stepper import (
    CA, CALPHA, CV, JUMPS, MASS, MEMORY, SAMPLED, STEP,
)  # fmt: skip
from linkwork.integrators.second_order.stepping import gather_work
from linkwork.integrators.values import (
    ALG, HISTORY, V, VDOT, VDOTPREV, VPREV, XPREV, accept_values, place_values,
)  # fmt: skip
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_spliced
from linkwork.kernels.registers.eights import lane8, load8, six8, spread8, store6, store8, triples8
from linkwork.kernels.vectors import add, cross, dot, mv, nine, scale, sub, three


@fused_spliced
def share_of_turning(v, a, u):
    """s of a body with velocity, acceleration and u = ω × v in world axes."""
    along, size = dot(a, u), dot(u, u) * dot(u, u) * dot(a, a)
    if not size > 0.0 or along < 0.0:
        return 0.0
    return min(max(2.0 * along * along * along / size - 0.5, 0.0), 1.0)


@fused_spliced
def change_of_share(old, new, v, a, w, wdot, u):
    """What a new share takes from v̇, and from its rate G."""
    common, twice = add(cross(wdot, v), scale(2.0, cross(w, a))), cross(w, u)
    return scale(new - old, u), sub(scale(new - old, common), scale(new * new - old * old, twice))


@fused_spliced
def past_of(H, n, i, k):
    """The algorithmic acceleration without the step's own part, v and v̇ at the begin."""
    alg = spread8(0.0)
    for j in range(HISTORY):
        alg = alg + load8(H, j * n + i) * k[2, j]
    return alg, load8(H, V * n + i), load8(H, VDOT * n + i)


@fused_spliced
def axes8(E):
    """The columns of E, for the translation among the six numbers of a body."""
    one, two = six8((E[0], E[3], E[6]), ZERO), six8((E[1], E[4], E[7]), ZERO)
    return one, two, six8((E[2], E[5], E[8]), ZERO)


@fused_spliced
def turned8(axes, still, v):
    """Six numbers of a body, the translation turned by E; still: ones for rotation."""
    turned = axes[0] * lane8(v, 0) + v * still
    return turned + axes[1] * lane8(v, 1) + axes[2] * lane8(v, 2)


@fused_spliced
def accept(kernels, tables, work, stepper, fast, time, look):
    """Take over the solution of a step: motion, momenta, history, multipliers, work done.

    Returns the largest turn in the step, and, if looked for, whether a body spins or turns fast.
    """
    k, s, bodies = stepper.weights, stepper.settings, stepper.p.shape[0]
    H, p, d = borrow(stepper.history), borrow(stepper.p), borrow(fast.move)
    base, nodes, vdot = borrow(stepper.base), borrow(work.nodes), borrow(work.vdot)
    affine, spins, n = borrow(stepper.affine), borrow(fast.spins), STRIDE * bodies
    held, ca, cv, calpha, most = borrow(fast.vdot), s[CA], s[CV], s[CALPHA], 0.0
    ends, past, course, h = borrow(work.x), borrow(fast.past), borrow(fast.course), s[STEP]
    late, busy, multistep = fast.limits[OFFSET] * h, False, fast.limits[TURNING] == 0.0
    smooth, inertia, quick = s[JUMPS] == 0.0, borrow(tables.bodies), fast.limits[FAST] ** 2
    still = six8(ZERO, (1.0, 1.0, 1.0))
    asked = s[MEMORY] != 0.0 or s[SAMPLED] != 0.0  # elements are evaluated at the end of the step
    for b in range(bodies):
        q, i = NODE * b, STRIDE * b
        t, x, correction = three(d, i), three(d, i + 3), load8(p, i)
        extra, spin = triples8(correction)
        v0, L0 = triples8(load8(affine, i))
        a0, F0 = triples8(load8(affine, n + i))
        turn = dot(x, x)
        most = max(most, turn)
        factors, g, e, R = turned(base, q, x)
        y, Jp, L, rate, own, wdot = turn_of(spins, course, b, x, g, spin, R, L0, F0, ca, cv)
        r, w, share = add(three(base, q + POS), t), mv(R, own), spins[SPINS * b + SHARE]
        alg, before, was = past_of(H, n, i, k)
        z, free, axes = t, sub(t, extra), (still, still, still)
        if share == 0.0:
            v, a = add(scale(cv, free), v0), add(scale(ca, free), a0)
        else:
            part = factors_of_part(share, x, factors)
            phi = scale(share, mv(R, x))
            E, z, v, a = path_of(share, part, phi, t, extra, w, v0, a0, ca, cv)
            free = sub(z, extra)
            axes = axes8(E)
            alg, before, was = (turned8(axes, still, alg), turned8(axes, still, before),
                                turned8(axes, still, was))  # fmt: skip
        y = add(mv(R, y), shift_of(course, b))
        alg = alg + six8(free, y) * calpha
        if multistep:
            store8(H, XPREV * n + i, six8(z, add(y, mv(R, Jp))))
        u = cross(w, v)
        new = 0.0 if multistep else share_of_turning(v, a, u)
        if new != share:
            less, jerk = change_of_share(share, new, v, a, w, mv(R, wdot), u)
            alg = alg - six8(add(less, scale(late, jerk)), ZERO)
            was = was - six8(sub(less, scale(h, jerk)), ZERO)
            spins[SPINS * b + SHARE] = new
        store8(H, ALG * n + i, alg)
        store8(H, VPREV * n + i, before)
        store8(H, VDOTPREV * n + i, was)
        store8(H, V * n + i, six8(v, mv(R, L)))
        store8(H, VDOT * n + i, six8(sub(a, scale(new, u)), mv(R, rate)))
        if look and not busy:
            busy = body_spins(own, wdot, three(held, i + 3), h)
            if not busy and turn > quick:
                c = BODY_REALS * b
                J = nine(inertia, c + INERTIA)
                busy = effective_turn(inertia[c], J, v, own, wdot, h) > quick
        now, move = six8(a, wdot), six8(t, x)
        store8(held, i, now)
        if smooth:  # forces that jump would be taken for a motion that goes on
            missed, older = move - load8(past, AHEAD * n + i), load8(past, MISSED * n + i)
            recent = load8(past, LAST * n + i)
            if share != 0.0:
                missed, older = turned8(axes, still, missed), turned8(axes, still, older)
                recent, correction = turned8(axes, still, recent), turned8(axes, still, correction)
            store8(past, BEFORE * n + i, recent)
            store8(past, LAST * n + i, correction)
            store8(past, MISSED_BEFORE * n + i, older)
            store8(past, MISSED * n + i, missed)
        if asked:
            put_motion(nodes, q, r, e, v, own, R)
            store8(vdot, i, now)
            store8(ends, i, move)
        size = 1.5 - 0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
        c = q + QUAT
        put3(base, q + POS, r)
        base[c], base[c + 1], base[c + 2] = e[0] * size, e[1] * size, e[2] * size
        base[c + 3] = e[3] * size
        store6(base, q + VEL, six8(v, own))
    place_values(stepper.flow, work.values, 1.0 / (s[MASS] * ca))
    accept_values(stepper.flow, k)
    gather_work(kernels, tables, work, stepper, time)
    return math.sqrt(most), busy
