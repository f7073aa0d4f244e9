"""The variables of the step for fast rotation: angular momenta, and translation in turned axes.

The linear relations of a method (stepping.py) hold for other variables than rates in body axes:

    rotation      y = ½ (R₀ + R₁) Ĵ x       L = cv y + …,  L̇ = ca y + …      world axes
                  ω = Ĵ⁻¹R₁ᵀL,   ω̇ = Ĵ⁻¹(R₁ᵀL̇ − ω × Ĵω)
    translation   y = T(−φ)⁻¹ Δr,  φ = s R₀ x,  E = exp(φ̃)
                  v = E (cv y + …),  v̇ = E (ca y + …) + s R₁ω × v

Ĵ is the body's inertia (any constant matrix gives a method of the same order).  Angular momentum
of a free body is kept to round-off, and a top's precession does not suffer from the oscillation of
its rates in body axes.  y is the integral of the momentum by the trapezoidal rule, as in the
formulas for first-order equations: R₀ exp(x̃/2) Ĵ x, whose axis in the middle of the step lies on
the arc of a rotation about x and not on the way of the top's axis, errs three times as much.
The history of the translation turns with the part s of the body's rotation (history.py): s = 1 for
a body on a pin, whose motion is then exact at any speed, s = 0 for one in flight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.bodies.body import BODY_REALS, INERTIA
from linkwork.elements.layout import NODE, POS, QUAT, ROT, STRIDE, VEL, put36
from linkwork.integrators.second_order.placing import turn_body
from linkwork.integrators.second_order.stepper import CA, CV, MASS
from linkwork.integrators.values import place_values
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import inlined
from linkwork.math.eights import load8, six8, store6, store8
from linkwork.math.rotations import (
    inverse_tangent, inverse_tangent_slope, qexp, rotation_matrix, tangent,
)  # fmt: skip
from linkwork.math.vectors import (
    IDENTITY, add, cm, cross, four, madd, mm, mscale, mv, nine, scale, skew, solve3, sub, three,
    tm, transpose, tv,
)  # fmt: skip

# numbers of a body: Ĵ, its inverse, s, whether Ĵ is its inertia
SPIN, SPIN_INVERSE, SHARE, WHOLE, SPINS = 0, 9, 18, 19, 24
ZERO, NONE = (0.0, 0.0, 0.0), (0.0,) * 9
# limits: may the translation turn; α_m − α_f; the turn in a step that counts as fast; steps
# without it so far, and how many of them end this form of the step; the largest turn so far, and
# the body that made it
TURNING, OFFSET, FAST, QUIET, PATIENCE, LARGEST, WHOSE, LIMITS = range(8)


class FastRotation(NamedTuple):
    """What the step for fast rotation has beside the stepper."""

    spins: np.ndarray  # (bodies, SPINS)
    move: np.ndarray  # (bodies, 8) d, the displacement of the step
    vdot: np.ndarray  # (bodies, 8) accelerations at the last good step
    holds: np.ndarray  # (rows + 1,) 1 for rows on positions, 0 for those on velocities alone
    limits: np.ndarray  # (LIMITS,)


@inlined
def angular_momentum(R0, R1, spins, b, x):
    """y = ½ (R₀ + R₁) Ĵ x."""
    own = scale(0.5, mv(nine(spins, SPINS * b + SPIN), x))
    return add(mv(R0, own), mv(R1, own))


@inlined
def spin_of(R, inverse, L, rate):
    """ω and ω̇ in body axes for an angular momentum and its rate in world axes."""
    own = tv(R, L)
    w = mv(inverse, own)
    return w, mv(inverse, sub(tv(R, rate), cross(w, own)))


@inlined
def turned(phi, t):
    """E = exp(φ̃), and y of the displacement t."""
    return rotation_matrix(qexp(phi)), mv(inverse_tangent(scale(-1.0, phi)), t)


@inlined
def spin_tangents(spins, b, R0, R, x, w, L, rate, ca, cv):
    """W = ∂ω/∂θ and Z = ∂ω̇/∂θ.

    y changes by ½ [(R₀ + R₁) Ĵ T(x)⁻¹ − R₁ (Ĵx)~] θ, and R₁ᵀL by (R₁ᵀL)~ θ more
    """
    J, inverse = nine(spins, SPINS * b + SPIN), nine(spins, SPINS * b + SPIN_INVERSE)
    own = mm(J, inverse_tangent(x))
    N = madd(madd(own, tm(R, mm(R0, own))), mscale(-1.0, skew(mv(J, x))))
    N = mscale(0.5, N)
    W = mm(inverse, madd(skew(tv(R, L)), mscale(cv, N)))
    gyro = madd(cm(w, J), mscale(-1.0, skew(mv(J, w))))
    Z = madd(madd(skew(tv(R, rate)), mscale(ca, N)), mscale(-1.0, mm(gyro, W)))
    return W, mm(inverse, Z)


@inlined
def turned_tangents(s, phi, E, t, v, u, ww, Psi, dw, ca, cv):
    """∂v̇/∂r and ∂v̇/∂θ of a translation whose history turns.

    v̇ = u + s ww × v,  u = E (ca y + …);  Psi = ∂φ/∂θ, dw = ∂ww/∂θ, ww = R₁ω
    """
    G, left = inverse_tangent_slope(phi, t), transpose(tangent(phi))
    back = mm(E, inverse_tangent(scale(-1.0, phi)))
    EG = mm(E, G)
    dv = madd(mscale(cv, EG), mscale(-1.0, cm(v, left)))  # by φ
    du = madd(mscale(ca, EG), mscale(-1.0, cm(u, left)))
    push = madd(mscale(ca, back), mscale(s * cv, cm(ww, back)))
    side = mm(madd(du, mscale(s, cm(ww, dv))), Psi)
    return push, madd(side, mscale(-s, cm(v, dw)))


@inlined
def place_bodies(stepper, fast, tables, work, wanted):
    """Motion of all bodies from d and p; if wanted the tangent of their inertia, too."""
    ca, cv, bodies = stepper.settings[CA], stepper.settings[CV], stepper.p.shape[0]
    cM, n = 1.0 / stepper.settings[MASS], STRIDE * bodies
    d, p, x = borrow(fast.move), borrow(stepper.p), borrow(work.x)
    affine, base, spins = borrow(stepper.affine), borrow(stepper.base), borrow(fast.spins)
    nodes, vdot, inertia = borrow(work.nodes), borrow(work.vdot), borrow(tables.bodies)
    for b in range(bodies):
        i, q, j = STRIDE * b, NODE * b, BODY_REALS * b
        store8(x, i, load8(d, i))
        t, turn, extra = three(d, i), three(d, i + 3), three(p, i)
        nodes[q + POS] = base[q + POS] + d[i]
        nodes[q + POS + 1] = base[q + POS + 1] + d[i + 1]
        nodes[q + POS + 2] = base[q + POS + 2] + d[i + 2]
        turn_body(base, nodes, q, turn)
        R = nine(nodes, q + ROT)
        v0, L0 = three(affine, i), three(affine, i + 3)
        a0, F0 = three(affine, n + i), three(affine, n + i + 3)
        R0 = rotation_matrix(four(base, q + QUAT))
        y = angular_momentum(R0, R, spins, b, turn)
        y = sub(y, mv(R, mv(nine(spins, SPINS * b + SPIN), three(p, i + 3))))
        L, rate = add(scale(cv, y), L0), add(scale(ca, y), F0)
        w, wdot = spin_of(R, nine(spins, SPINS * b + SPIN_INVERSE), L, rate)
        s = spins[SPINS * b + SHARE]
        phi, E = ZERO, NONE
        if s == 0.0:
            y = sub(t, extra)
            v, u = add(scale(cv, y), v0), add(scale(ca, y), a0)
            a = u
        else:
            phi = scale(s, mv(R0, turn))
            E, y = turned(phi, t)
            v = sub(mv(E, add(scale(cv, y), v0)), scale(cv, extra))
            u = sub(mv(E, add(scale(ca, y), a0)), scale(ca, extra))
            a = add(u, scale(s, cross(mv(R, w), v)))
        store6(nodes, q + VEL, six8(v, w))
        store8(vdot, i, six8(a, wdot))
        if wanted:
            W, Z = spin_tangents(spins, b, R0, R, turn, w, L, rate, ca, cv)
            J = nine(inertia, j + INERTIA)
            gyro = madd(cm(w, J), mscale(-1.0, skew(mv(J, w))))
            place = tables.blocks[b]
            m = cM * inertia[j]
            if s == 0.0:
                put36(work.vals, place, m, IDENTITY, NONE)
            else:
                Psi = mscale(s, mm(R0, inverse_tangent(turn)))
                dw = mm(R, madd(W, mscale(-1.0, skew(w))))
                push, side = turned_tangents(s, phi, E, t, v, u, mv(R, w), Psi, dw, ca, cv)
                put36(work.vals, place, m / ca, push, side)
            put36(work.vals, place + 3 * STRIDE, cM / ca, NONE, madd(mm(J, Z), mm(gyro, W)))
    place_values(stepper.flow, work.values, cM / ca)


@inlined
def turn_with_momentum(spins, b, R0, x, y):
    """x with ½ (R₀ + R₀ exp(x̃)) Ĵ x = y by Newton's method from a guess."""
    J, wanted = nine(spins, SPINS * b + SPIN), scale(2.0, tv(R0, y))
    for _ in range(4):
        E, Jx = rotation_matrix(qexp(x)), mv(J, x)
        rest = sub(wanted, add(Jx, mv(E, Jx)))
        slope = madd(J, mm(E, madd(J, mscale(-1.0, cm(Jx, tangent(x))))))
        x = add(x, solve3(slope, rest))
    return x


@inlined
def put3(flat, p, a):
    flat[p], flat[p + 1], flat[p + 2] = a[0], a[1], a[2]
