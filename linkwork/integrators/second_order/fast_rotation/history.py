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
from linkwork.elements.layout import NODE, POS, QUAT, ROT, STRIDE, VEL
from linkwork.integrators.second_order.fast_rotation.momenta import (
    AHEAD, BEFORE, FAST, LAST, MISSED, NONE, OFFSET, SHARE, SPINS, TURNING,
    path_of, put3, turn_of,
)  # fmt: skip
from linkwork.integrators.second_order.fast_rotation.spinning import effective_turn
from linkwork.integrators.second_order.fast_rotation.spinning import spins as body_spins
from linkwork.integrators.second_order.placing import turn_body
from linkwork.integrators.second_order.stepper import CA, CALPHA, CV, MASS, MEMORY, STEP
from linkwork.integrators.second_order.stepping import gather_work
from linkwork.integrators.values import (
    ALG, HISTORY, V, VDOT, VDOTPREV, VPREV, XPREV, accept_values, place_values,
)  # fmt: skip
from linkwork.math.memory.borrowed import borrow
from linkwork.math.compiled import inlined
from linkwork.math.registers.eights import load8, six8, spread8, store6, store8
from linkwork.math.vectors import add, cross, dot, four, mv, nine, scale, sub, three


@inlined
def share_of_turning(v, a, w):
    """s of a body with velocity, acceleration and angular velocity in world axes."""
    u = cross(w, v)
    along, size = dot(a, u), dot(u, u) * dot(u, u) * dot(a, a)
    if not size > 0.0 or along < 0.0:
        return 0.0
    return min(max(2.0 * along * along * along / size - 0.5, 0.0), 1.0)


@inlined
def turned_jerk(s, v, a, w, wdot):
    """G: what turning with the part s takes from the rate of the acceleration."""
    u = cross(w, v)
    own = add(cross(wdot, v), sub(scale(2.0, cross(w, a)), scale(s, cross(w, u))))
    return scale(s, own)


@inlined
def turn_past(H, n, i, E):
    """The past of the translation in the axes at the end of the step."""
    for j in (ALG, VPREV, VDOTPREV):
        put3(H, j * n + i, mv(E, three(H, j * n + i)))


@inlined
def change_share(H, n, i, old, new, v, a, w, wdot, late, h):
    """The past for s = new after old; late: how much later the algorithmic acceleration is."""
    less = scale(new - old, cross(w, v))
    jerk = sub(turned_jerk(new, v, a, w, wdot), turned_jerk(old, v, a, w, wdot))
    at_, past = ALG * n + i, VDOTPREV * n + i
    put3(H, at_, sub(three(H, at_), add(less, scale(late, jerk))))
    put3(H, past, sub(three(H, past), sub(less, scale(h, jerk))))


@inlined
def accept(kernels, tables, work, stepper, fast, time):
    """Take over the solution of a step: motion, momenta, history, multipliers, work done.

    Returns the largest turn in the step, and whether a body spins or turns fast.
    """
    k, s, bodies = stepper.weights, stepper.settings, stepper.p.shape[0]
    H, p, d = borrow(stepper.history), borrow(stepper.p), borrow(fast.move)
    base, nodes, vdot = borrow(stepper.base), borrow(work.nodes), borrow(work.vdot)
    affine, spins, n = borrow(stepper.affine), borrow(fast.spins), STRIDE * bodies
    held, ca, cv, calpha, most = borrow(fast.vdot), s[CA], s[CV], s[CALPHA], 0.0
    ends, past, h = borrow(work.x), borrow(fast.past), s[STEP]
    late, busy, multistep = fast.limits[OFFSET] * h, False, fast.limits[TURNING] == 0.0
    smooth, inertia, quick = s[MEMORY] == 0.0, borrow(tables.bodies), fast.limits[FAST] ** 2
    for b in range(bodies):
        q, i = NODE * b, STRIDE * b
        t, x, extra = three(d, i), three(d, i + 3), three(p, i)
        most = max(most, dot(x, x))
        r = add(three(base, q + POS), t)
        put3(nodes, q + POS, r)
        g = turn_body(base, nodes, q, x)
        R = nine(nodes, q + ROT)
        y, Jp, L, rate, own, wdot = turn_of(
            spins, b, x, g, three(p, i + 3), R, three(affine, i + 3), three(affine, n + i + 3),
            ca, cv,
        )  # fmt: skip
        w, share = mv(R, own), spins[SPINS * b + SHARE]
        v0, a0, E, z = three(affine, i), three(affine, n + i), NONE, t
        free = sub(t, extra)
        if share == 0.0:
            v, a = add(scale(cv, free), v0), add(scale(ca, free), a0)
        else:
            E, z, v, a = path_of(share, scale(share, mv(R, x)), t, extra, w, v0, a0, ca, cv)
            free = sub(z, extra)
        alg = spread8(0.0)
        for j in range(HISTORY):
            alg = alg + load8(H, j * n + i) * k[2, j]
        store8(H, VPREV * n + i, load8(H, V * n + i))
        store8(H, VDOTPREV * n + i, load8(H, VDOT * n + i))
        store8(H, ALG * n + i, alg)
        if share != 0.0:
            turn_past(H, n, i, E)
        step = six8(free, mv(R, y))
        store8(H, ALG * n + i, load8(H, ALG * n + i) + step * calpha)
        if multistep:
            store8(H, XPREV * n + i, six8(z, mv(R, add(y, Jp))))
        new = 0.0 if multistep else share_of_turning(v, a, w)
        store8(H, V * n + i, six8(v, mv(R, L)))
        store8(H, VDOT * n + i, six8(sub(a, scale(new, cross(w, v))), mv(R, rate)))
        if new != share:
            change_share(H, n, i, share, new, v, a, w, mv(R, wdot), late, h)
            spins[SPINS * b + SHARE] = new
        if body_spins(own, wdot, three(held, i + 3), h):
            busy = True
        elif not busy and dot(x, x) > quick:
            c = BODY_REALS * b
            J = nine(inertia, c + INERTIA)
            busy = effective_turn(inertia[c], J, v, own, wdot, h) > quick
        now, ahead = six8(a, wdot), six8(t, x)
        store8(held, i, now)
        store8(vdot, i, now)
        store8(ends, i, ahead)
        store6(nodes, q + VEL, six8(v, own))
        if smooth:  # forces that jump would be taken for a motion that goes on
            store8(past, BEFORE * n + i, load8(past, LAST * n + i))
            store8(past, LAST * n + i, load8(p, i))
            missed = load8(past, MISSED * n + i) + (ahead - load8(past, AHEAD * n + i))
            store8(past, MISSED * n + i, missed)
        c = q + QUAT
        e = four(nodes, c)
        size = 1.5 - 0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
        put3(base, q + POS, r)
        base[c], base[c + 1], base[c + 2] = e[0] * size, e[1] * size, e[2] * size
        base[c + 3] = e[3] * size
        store6(base, q + VEL, six8(v, own))
    place_values(stepper.flow, work.values, 1.0 / (s[MASS] * ca))
    accept_values(stepper.flow, k)
    gather_work(kernels, tables, work, stepper, time)
    return math.sqrt(most), busy
