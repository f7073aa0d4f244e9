"""The variables of the step for fast rotation: angular momenta, and translation in turned axes.

The linear relations of a method (stepping.py) hold for other variables than rates in body axes:

    rotation      y = ½ (R₀ + R₁) Ĵ x + …   L = cv y + …,  L̇ = ca y + …      world axes
                  ω = Ĵ⁻¹R₁ᵀL,   ω̇ = Ĵ⁻¹(R₁ᵀL̇ − ω × Ĵω)
    translation   y = T(−φ)⁻¹ Δr,  φ = s R₀ x,  E = exp(φ̃)
                  v = E (cv y + …),  v̇ = E (ca y + …) + s R₁ω × v

Ĵ is the body's inertia (any constant matrix gives a method of the same order).  Angular momentum
of a free body is kept to round-off, and a top's precession does not suffer from the oscillation of
its rates in body axes.  y is the integral of the momentum by the trapezoidal rule, as in the
formulas for first-order equations, with what that misses of a body that spins
(momentum_integral.py).  R₀ exp(x̃/2) Ĵ x, whose axis in the middle of the step lies on the arc of a
rotation about x and not on the way of the top's axis, errs three times as much.
The history of the translation turns with the part s of the body's rotation (history.py): s = 1 for
a body on a pin, whose motion is then exact at any speed, s = 0 for one in flight.
"""

from __future__ import annotations

from typing import NamedTuple


from linkwork.kernels.memory.records import Floats, Floats2, Floats3, Ints, Ints2, stored

from linkwork.elements.bodies.body import BODY_REALS, INERTIA
from linkwork.elements.layout import NODE, POS, QUAT, ROT, STRIDE, VEL, put36
from linkwork.integrators.second_order.fast_rotation.momentum_integral import (
    BENT, COURSE, bent, bent_slope, integral, integral_slope,
)  # fmt: skip
from linkwork.integrators.second_order.stepper import CA, CV, MASS, Stepper
from linkwork.integrators.values import place_values
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import fused_spliced, inlined, spliced
from linkwork.kernels.registers.eights import load8, six8, store6, store8, triples8
from linkwork.kernels.rotations import (
    inverse_tangent_by, inverse_tangent_slope, qmul, rotation_matrix,
    tangent_factors, turn_factors,
)  # fmt: skip
from linkwork.kernels.vectors import (
    IDENTITY, add, cc, cm, cross, dot, four, madd, mm, mscale, mv, nine, scale, skew, sub,
    three, transpose, tv,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.tables import Elimination

# numbers of a body: Ĵ, its inverse, s, whether Ĵ is its inertia
SPIN, SPIN_INVERSE, SHARE, WHOLE, SPINS = 0, 9, 18, 19, 24
ZERO, NONE = (0.0, 0.0, 0.0), (0.0,) * 9
# limits: may the translation turn; α_m − α_f; the turn in a step that counts as fast; steps
# without it so far, and how many of them end this form of the step; the largest turn so far, and
# the body that made it; change of p over the correction of d that it follows; correction of d over
# the change of p that it follows; steps in a row that few iterations solved; 1 where the change of
# what predictions missed goes on
(TURNING, OFFSET, FAST, QUIET, PATIENCE, LARGEST, WHOSE, FOLLOWS, LEADS, EVEN, SLOPE,
 LIMITS) = range(12)  # fmt: skip
FEW, ENOUGH = 3, 2  # iterations of an even step; such steps from which the next one is continued
# p of the last step and of the one before; d less h v + ½ h² v̇ of both, and that of the next one
LAST, BEFORE, MISSED, MISSED_BEFORE, AHEAD, PAST = range(6)


@stored
class FastRotation(NamedTuple):
    """What the step for fast rotation has beside the stepper."""

    spins: Floats2  # (bodies, SPINS)
    move: Floats2  # (bodies, 8) d, the displacement of the step
    vdot: Floats2  # (bodies, 8) accelerations at the last good step
    free: Floats2  # (bodies, 8) velocities without p
    past: Floats3  # (PAST, bodies, 8) what predictions of p and d follow from
    holds: Floats  # (rows + 1,) 1 for rows on positions, 0 for those on velocities alone
    starts: Ints  # (rows + 1,) the first block of each row
    blocks: Ints2  # (blocks of bodies in C_q, 2) their row's first number, STRIDE × body
    limits: Floats  # (LIMITS,)
    course: Floats2  # (bodies, COURSE) what the integral of the momentum has more than y₀


@stored
class FastSteps(NamedTuple):
    """A run in the form for fast rotation."""

    factors: Elimination
    stepper: Stepper
    fast: FastRotation


@inlined
def gyroscopic(J, w):
    """∂(ω × Jω)/∂ω."""
    return madd(cm(w, J), mscale(-1.0, skew(mv(J, w))))


@fused_spliced
def turn_of(spins, course, b, x, g, p, R, L0, F0, ca, cv):
    """Of a body that turns by x, in body axes: the integral y less Ĵp, Ĵp, L, L̇, ω and ω̇."""
    k = SPINS * b
    J, inverse = nine(spins, k + SPIN), nine(spins, k + SPIN_INVERSE)
    Jp, y = mv(J, p), integral(g, mv(J, x))
    if course[COURSE * b + BENT] != 0.0:
        y = mv(bent(course, b, R), y)
    y = sub(y, Jp)
    L, rate = add(scale(cv, y), tv(R, L0)), add(scale(ca, y), tv(R, F0))
    w = mv(inverse, L)
    return y, Jp, L, rate, w, mv(inverse, sub(rate, cross(w, L)))


@fused_spliced
def path_of(s, factors, phi, t, p, ww, v0, a0, ca, cv):
    """E = exp(φ̃), Ey = T(φ)⁻¹Δr, v and v̇ of a body whose translation turns with the part s."""
    c, half, k, _ = factors
    E = rotation_matrix((c, half * phi[0], half * phi[1], half * phi[2]))
    z = mv(inverse_tangent_by(phi, k), t)
    free = sub(z, p)
    v = add(scale(cv, free), mv(E, v0))
    return E, z, v, add(add(scale(ca, free), mv(E, a0)), scale(s, cross(ww, v)))


@spliced
def factors_of_part(s, x, factors):
    """`turn_factors` of s x from those of x."""
    return factors if s == 1.0 else turn_factors(s * s * dot(x, x))


@fused_spliced
def turns_with_part(s, x, k):
    """s T(−sx) T(−x)⁻¹, two polynomials in x̃, with k of `turn_factors`."""
    p2 = dot(x, x)
    a, b = tangent_factors(s * s * p2)
    a, b = a * s, b * s * s
    l = s * (a - 0.5 - p2 * (a * k - 0.5 * b))
    q = s * (b - 0.5 * a + k - p2 * b * k)
    x, y, z = x
    d = s - q * p2
    return (
        d + q * x * x, q * x * y - l * z, q * x * z + l * y,
        q * x * y + l * z, d + q * y * y, q * y * z - l * x,
        q * x * z - l * y, q * y * z + l * x, d + q * z * z,
    )  # fmt: skip


@fused_spliced
def turned_tangents(s, x, factors, part, phi, E, t, v, w, R, chord, W, v0, a0, ca, cv):
    """∂v̇/∂r and ∂v̇/∂θ of a translation whose history turns; chord = T(x)⁻¹, W = ∂ω/∂θ − ω̃.

    v = cv z + E v₀,  v̇ = ca z + E a₀ + s R₁ω × v,  z = T(φ)⁻¹Δr.  φ changes by Ψθ, Ψ = s R₁T(−x)⁻¹,
    z by ∂(T(φ)⁻¹Δr)/∂φ Ψθ =: R₁Aθ, E by (T(−φ)Ψθ)~ E, and T(−φ)Ψ = R₁ for s = 1.  With
    u = −R₁ᵀE v₀ and f = −R₁ᵀE a₀

        R₁ᵀ ∂v̇/∂θ = (ca + s cv ω̃) A + (f̃ + s ω̃ ũ) s T(−sx)T(−x)⁻¹ − s (R₁ᵀv)~ W
    """
    less, ww = scale(-s, x), mv(R, w)
    A = mscale(-s, mm(inverse_tangent_slope(less, tv(R, t), part[2], part[3]), transpose(chord)))
    u, f = scale(-1.0, tv(R, mv(E, v0))), scale(-1.0, tv(R, mv(E, a0)))
    own = madd(skew(f), mscale(s, cc(w, u)))
    if s != 1.0:
        own = mm(own, turns_with_part(s, x, factors[2]))
    own = madd(own, mscale(-s, cm(tv(R, v), W)))
    own = madd(own, madd(mscale(ca, A), mscale(s * cv, cm(w, A))))
    line = inverse_tangent_by(phi, part[2])
    return madd(mscale(ca, line), mscale(s * cv, cm(ww, line))), mm(R, own)


@fused_spliced
def put_tangents(work, spins, course, b, at_, cM, m, J, s, x, g, factors, part, t, phi, E, v, w, R,
                 L, rate, v0, a0, ca, cv):  # fmt: skip
    """The tangent of the inertia of a body, whose block begins at at_; L and L̇ without p.

        N = ∂(R₁ᵀL̇)/∂θ/ca,   ∂ω/∂θ = Ĵ⁻¹(cv N + (R₁ᵀL − cv/ca R₁ᵀL̇)~)
        ∂(Jω̇ + ω × Jω)/∂θ = ca N  where Ĵ = J,  else  JĴ⁻¹(ca N − Ĝ ∂ω/∂θ) + G ∂ω/∂θ
    """
    k, square, chord = SPINS * b, 1.0 / ca, inverse_tangent_by(x, factors[2])
    spin, W, whole = nine(spins, k + SPIN), NONE, spins[k + WHOLE] != 0.0
    if course[COURSE * b + BENT] == 0.0:
        N = integral_slope(spin, chord, g, mv(spin, x), rate, square)
    else:
        N = bent_slope(bent(course, b, R), spin, chord, g, mv(spin, x), rate, square)
    if s != 0.0 or not whole:
        inverse = nine(spins, k + SPIN_INVERSE)
        more = skew(sub(L, scale(cv * square, rate)))
        W = mm(inverse, madd(mscale(cv, N), more))
        if not whole:
            N = madd(N, mscale(-square, mm(gyroscopic(spin, w), W)))
            N = madd(mm(J, mm(inverse, N)), mscale(square, mm(gyroscopic(J, w), W)))
        W = madd(W, skew(scale(-1.0, w)))
    if s == 0.0:
        put36(work.vals, at_, cM * m, IDENTITY, NONE)
    else:
        push, side = turned_tangents(
            s, x, factors, part, phi, E, t, v, w, R, chord, W, v0, a0, ca, cv
        )
        put36(work.vals, at_, cM * m * square, push, side)
    put36(work.vals, at_ + 3 * STRIDE, cM, NONE, N)


@fused_spliced
def turned(base, q, x):
    """exp(x) with its factors, the orientation q₀ exp(x) of the body whose numbers begin at q, and
    its rotation matrix."""
    factors = turn_factors(dot(x, x))
    half = factors[1]
    g = (factors[0], half * x[0], half * x[1], half * x[2])
    e = qmul(four(base, q + QUAT), g)
    return factors, g, e, rotation_matrix(e)


@fused_spliced
def put_motion(nodes, q, r, e, v, w, R):
    """All numbers of a body: the quaternion, ω and R end in the same vectors of eight."""
    put3(nodes, q + POS, r)
    nodes[q + QUAT], nodes[q + QUAT + 1], nodes[q + QUAT + 2], nodes[q + QUAT + 3] = e
    store6(nodes, q + VEL, six8(v, w))
    p = q + ROT
    nodes[p], nodes[p + 1], nodes[p + 2], nodes[p + 3], nodes[p + 4] = R[0], R[1], R[2], R[3], R[4]
    nodes[p + 5], nodes[p + 6], nodes[p + 7], nodes[p + 8] = R[5], R[6], R[7], R[8]


@fused_spliced
def place_bodies(stepper, fast, tables, work, wanted):
    """Motion of all bodies from d and p; if wanted the tangent of their inertia, too."""
    ca, cv, bodies = stepper.settings[CA], stepper.settings[CV], stepper.p.shape[0]
    cM, n = 1.0 / stepper.settings[MASS], STRIDE * bodies
    d, p, z, u = borrow(fast.move), borrow(stepper.p), borrow(work.x), borrow(fast.free)
    affine, base, spins = borrow(stepper.affine), borrow(stepper.base), borrow(fast.spins)
    nodes, vdot, inertia = borrow(work.nodes), borrow(work.vdot), borrow(tables.bodies)
    course = borrow(fast.course)
    for b in range(bodies):
        i, q, k = STRIDE * b, NODE * b, BODY_REALS * b
        move = load8(d, i)
        store8(z, i, move)
        t, x = triples8(move)
        correction = load8(p, i)
        extra, spin = triples8(correction)
        v0, L0 = triples8(load8(affine, i))
        a0, F0 = triples8(load8(affine, n + i))
        factors, g, e, R = turned(base, q, x)
        _, Jp, L, rate, w, wdot = turn_of(spins, course, b, x, g, spin, R, L0, F0, ca, cv)
        s, phi, E, part = spins[SPINS * b + SHARE], ZERO, NONE, factors
        if s == 0.0:
            y = sub(t, extra)
            v, a = add(scale(cv, y), v0), add(scale(ca, y), a0)
        else:
            phi, part = scale(s, mv(R, x)), factors_of_part(s, x, factors)
            E, _, v, a = path_of(s, part, phi, t, extra, mv(R, w), v0, a0, ca, cv)
        put_motion(nodes, q, add(three(base, q + POS), t), e, v, w, R)
        store8(vdot, i, six8(a, wdot))
        if wanted:
            store8(u, i, six8(v, w) + correction * cv)
            L, rate = add(L, scale(cv, Jp)), add(rate, scale(ca, Jp))
            put_tangents(
                work, spins, course, b, tables.blocks[b], cM, inertia[k],
                nine(inertia, k + INERTIA), s, x, g, factors, part, t, phi, E, v, w, R, L, rate,
                v0, a0, ca, cv,
            )  # fmt: skip
    place_values(stepper.flow, work.values, cM / ca)


@spliced
def put3(flat, p, a):
    flat[p], flat[p + 1], flat[p + 2] = a[0], a[1], a[2]
