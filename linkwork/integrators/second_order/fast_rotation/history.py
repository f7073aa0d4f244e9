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

from linkwork.elements.layout import NODE, OMEGA, POS, QUAT, ROT, STRIDE, VEL
from linkwork.integrators.second_order.fast_rotation.momenta import (
    OFFSET, SHARE, SPIN, SPINS, TURNING, ZERO, angular_momentum, place_bodies, put3, turned,
)  # fmt: skip
from linkwork.integrators.second_order.fast_rotation.spinning import spins as body_spins
from linkwork.integrators.second_order.stepper import CA, CALPHA, CV, STEP
from linkwork.integrators.second_order.stepping import gather_work
from linkwork.integrators.values import (
    ALG, HISTORY, V, VDOT, VDOTPREV, VPREV, XPREV, accept_values,
)  # fmt: skip
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import inlined
from linkwork.math.eights import load8, six8, spread8, store6, store8
from linkwork.math.rotations import rotation_matrix
from linkwork.math.vectors import add, cross, dot, four, mv, nine, scale, sub, three, tv


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
def turn_history(H, n, i, E, old, new, v, a, w, wdot, late, h):
    """The past of the translation in the axes at the end of the step, for s = new after old.

    late: how much later than the step the algorithmic acceleration is
    """
    for j in range(HISTORY):
        put3(H, j * n + i, mv(E, three(H, j * n + i)))
    u = cross(w, v)
    put3(H, V * n + i, v)
    put3(H, VDOT * n + i, sub(a, scale(new, u)))
    if new != old:
        less = scale(new - old, u)
        jerk = sub(turned_jerk(new, v, a, w, wdot), turned_jerk(old, v, a, w, wdot))
        at_, past = ALG * n + i, VDOTPREV * n + i
        put3(H, at_, sub(three(H, at_), add(less, scale(late, jerk))))
        put3(H, past, sub(three(H, past), sub(less, scale(h, jerk))))


@inlined
def accept(kernels, tables, work, stepper, fast, time):
    """Take over the solution of a step: motion, momenta, history, multipliers, work done.

    Returns the largest turn in the step, and whether a body spins.
    """
    k, s, bodies = stepper.weights, stepper.settings, stepper.p.shape[0]
    place_bodies(stepper, fast, tables, work, False)
    H, p, x = borrow(stepper.history), borrow(stepper.p), borrow(work.x)
    base, nodes, vdot = borrow(stepper.base), borrow(work.nodes), borrow(work.vdot)
    affine, spins, n = borrow(stepper.affine), borrow(fast.spins), STRIDE * bodies
    held, ca, cv, calpha, most = borrow(fast.vdot), s[CA], s[CV], s[CALPHA], 0.0
    late, spinning = fast.limits[OFFSET] * s[STEP], False
    for b in range(bodies):
        q, i = NODE * b, STRIDE * b
        turn, share = three(x, i + 3), spins[SPINS * b + SHARE]
        most = max(most, dot(turn, turn))
        R0, R = rotation_matrix(four(base, q + QUAT)), nine(nodes, q + ROT)
        y = angular_momentum(R0, R, spins, b, turn)
        E, t = turned(scale(share, mv(R0, turn)), three(x, i))
        less = mv(R, mv(nine(spins, SPINS * b + SPIN), three(p, i + 3)))
        eff, yeff = sub(t, tv(E, three(p, i))), sub(y, less)
        L = add(scale(cv, yeff), three(affine, i + 3))
        rate = add(scale(ca, yeff), three(affine, n + i + 3))
        alg = spread8(0.0)
        for j in range(HISTORY):
            alg = alg + load8(H, j * n + i) * k[2, j]
        store8(H, VPREV * n + i, load8(H, V * n + i))
        store8(H, VDOTPREV * n + i, load8(H, VDOT * n + i))
        store8(H, ALG * n + i, alg + six8(eff, yeff) * calpha)
        store8(H, XPREV * n + i, six8(t, y))
        store8(H, V * n + i, six8(ZERO, L))
        store8(H, VDOT * n + i, six8(ZERO, rate))
        v, a = three(nodes, q + VEL), three(vdot, i)
        w = mv(R, three(nodes, q + OMEGA))
        new = share_of_turning(v, a, w) if fast.limits[TURNING] != 0.0 else 0.0
        wdot = mv(R, three(vdot, i + 3))
        turn_history(H, n, i, E, share, new, v, a, w, wdot, late, s[STEP])
        spins[SPINS * b + SHARE] = new
        own = three(nodes, q + OMEGA)
        if body_spins(own, three(vdot, i + 3), three(held, i + 3), s[STEP]):
            spinning = True
        store8(held, i, load8(vdot, i))
        r = q + QUAT
        e = four(nodes, r)
        size = 1.5 - 0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
        put3(base, q + POS, three(nodes, q + POS))
        base[r], base[r + 1], base[r + 2] = e[0] * size, e[1] * size, e[2] * size
        base[r + 3] = e[3] * size
        store6(base, q + VEL, load8(nodes, q + VEL))
    accept_values(stepper.flow, k)
    gather_work(kernels, tables, work, stepper, time)
    return math.sqrt(most), spinning
