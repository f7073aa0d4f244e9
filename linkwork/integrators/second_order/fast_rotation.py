"""The implicit step for bodies that turn fast, compiled: momenta, turned axes, GGL constraints.

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
The history of the translation turns with the part s of the body's
rotation: s = 1 for a body on a pin, whose motion is then exact at any speed, s = 0 for one in
flight; it follows from how much of the acceleration is that of turning,

    s = clip(2c − ½, 0, 1),   c = cos²(v̇, ω × v) v̇·(ω × v)/|ω × v|²

and when it changes, so does what the history knows of accelerations: with ω, ω̇ in world axes and
the algorithmic acceleration at the time t + τ,

    v̇ − s ω × v,     algorithmic: … − s ω × v − τ G,     G = s (ω̇ × v + 2 ω × v̇ − s ω × (ω × v))

Positions satisfy C = 0 and velocities C_q v + C_t = 0 (Gear, Gupta, Leimkuhler 1985; for this
family Arnold, Brüls, Cardona 2015).  The step moves a body by d = (Δr, x); the velocities that
follow from it are corrected by −cv p, their rates by −ca p, p of the third order in h, in the span
of S⁻¹C_qᵀ, so that the relations of the method hold for y less p.  With S the upper left part of
the matrix and r_p the change of the residual with p, an iteration of Newton's method is

    [S    C_qᵀ] [π]   [0                   ]        [S    C_qᵀ] [δ ]     [r + r_p π]
    [C_q  0   ] [·] = [(C_q v + C_t)/cv − C],       [C_q  0   ] [Δγ] = − [C        ]

for the changes π of p and δ of d: one factorisation, two right-hand sides.

Index 3 with rates in body axes and translation in fixed axes, which costs half as much, multiplies
the energy of a rod on a pin from 0.3 rad per step on, and a top errs twenty times as much.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.elements.bodies.body import BODY_REALS, INERTIA
from linkwork.elements.layout import (
    ACCEPT, CD, CK, FIRST, KC, NODE, OMEGA, POS, QUAT, RATES, ROT, STRIDE, TANGENT, VEL, WRITTEN,
    put36,
)  # fmt: skip
from linkwork.integrators.second_order.spinning import spins as body_spins
from linkwork.integrators.second_order.newton import (
    FAR, ROUND_OFF, SMOOTH, apply_increment, diverges, largest_of, measure_kappa, residual_side,
    restrain, worst_residual,
)  # fmt: skip
from linkwork.integrators.second_order.placing import turn_body
from linkwork.integrators.second_order.sampled_jumps import (
    let_history_jump, let_values_jump, sampled_jump,
)  # fmt: skip
from linkwork.integrators.second_order.stepper import (
    CA, CALPHA, CV, DIVERGED, DONE, GROWTH, LEARN, LENGTH, MASS, MAX_ITERATIONS, MEMORY, MOVING,
    NO_CONVERGENCE, PIVOTS, SAMPLED, STEP, STIFFNESS, TOLERANCE,
)  # fmt: skip
from linkwork.integrators.second_order.stepping import gather_work, store
from linkwork.integrators.values import ALG, HISTORY, V, VDOT, VDOTPREV, VPREV, XPREV
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import inlined, lean
from linkwork.math.eights import load8, six8, spread8, store6, store8
from linkwork.math.referred import refer
from linkwork.math.rotations import (
    inverse_tangent, inverse_tangent_slope, qexp, rotation_matrix, tangent,
)  # fmt: skip
from linkwork.math.vectors import (
    IDENTITY, accumulate, add, at, at9, cm, cross, dot, four, madd, mm, mscale, mv, nine, scale,
    skew, solve3, sub, three, tm, transpose, tv,
)  # fmt: skip
from linkwork.integrators.values import (
    accept_values, correct_rates, place_values, predict_values,
)  # fmt: skip
from linkwork.system.elimination import solution, solve
from linkwork.system.sensors import answer_sensors
from linkwork.system.evaluate import refill, velocity_of

CALM = 6  # a status: no body has turned fast for a while
# numbers of a body: Ĵ, its inverse, s, whether Ĵ is its inertia
SPIN, SPIN_INVERSE, SHARE, WHOLE, SPINS = 0, 9, 18, 19, 24
ZERO, NONE = (0.0, 0.0, 0.0), (0.0,) * 9
DRIFT = 1.0  # error of p over that of the step
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
def predict(stepper, fast, work):
    """Affine parts, and d for linearly continued rates of momenta; the largest acceleration."""
    k, bodies, h = stepper.weights, stepper.p.shape[0], stepper.settings[STEP]
    n = STRIDE * bodies
    H, p, affine = borrow(stepper.history), borrow(stepper.p), borrow(stepper.affine)
    d, vdot, spins, base = (borrow(fast.move), borrow(fast.vdot), borrow(fast.spins),
                            borrow(stepper.base))  # fmt: skip
    inverse, length, largest = 1.0 / stepper.settings[CA], 1.0 / stepper.settings[LENGTH], 0.0
    for b in range(bodies):
        i, q = STRIDE * b, NODE * b
        v0 = a0 = spread8(0.0)
        for j in range(HISTORY):
            past = load8(H, j * n + i)
            v0 = v0 + past * k[0, j]
            a0 = a0 + past * k[1, j]
        store8(affine, i, v0)
        store8(affine, n + i, a0)
        ahead = load8(H, VDOT * n + i) * 2.0 - load8(H, VDOTPREV * n + i) - a0
        store8(d, i, ahead * inverse)
        y, R0 = three(d, i), rotation_matrix(four(base, q + QUAT))
        turn = turn_with_momentum(
            spins, b, R0, scale(h, three(base, q + OMEGA)), three(d, i + 3)
        )
        s = spins[SPINS * b + SHARE]
        if s != 0.0:
            y = tv(tangent(scale(s, mv(R0, turn))), y)
        store8(d, i, six8(y, turn))
        store8(p, i, spread8(0.0))
        for c in range(3):
            largest = max(largest, abs(vdot[i + c]) * length, abs(vdot[i + 3 + c]))
    if stepper.flow.shape[1] > 0:
        ahead = predict_values(stepper.flow, k, stepper.settings[CA], h)
        largest = max(largest, ahead)
    gamma, past = borrow(work.gamma), borrow(stepper.gamma)
    rows = work.gamma.shape[0]
    for e in range(rows):
        gamma[e] = 2.0 * past[e] - past[rows + e]
    return largest


@inlined
def velocity_side(stepper, fast, tables, work):
    """Right-hand side of π: 0, (C_q v + C_t)/cv − C."""
    n, side = tables.motions[0], stepper.rhs
    for e in range(n):
        side[e] = 0.0
    for e in range(n, side.shape[0]):
        s = work.Ct[e - n]
        for p in range(tables.indptr[e], tables.indptr[e + 1]):
            s += work.vals[tables.places[p]] * velocity_of(work, tables.indices[p])
        side[e] = fast.holds[e - n] * (s / stepper.settings[CV] - work.C[e - n])


@inlined
def correct_velocities(stepper, fast, tables, work):
    """Add the solution π to p and r_p π to the residual; returns its size.

    π changes v by −cv π and ω by −cv π alike; v̇ and ω̇ follow from momenta that change by −ca
    """
    ca, cv = stepper.settings[CA], stepper.settings[CV]
    move = turn = 0.0
    for b in range(stepper.p.shape[0]):
        s, R = fast.spins[b, SHARE], at9(work.nodes, b, ROT)
        v, w = at(work.nodes, b, VEL), at(work.nodes, b, OMEGA)
        j = 6 * b
        push = (stepper.rhs[j], stepper.rhs[j + 1], stepper.rhs[j + 2])
        spin = (stepper.rhs[j + 3], stepper.rhs[j + 4], stepper.rhs[j + 5])
        for c in range(3):
            stepper.p[b, c] += push[c]
            stepper.p[b, 3 + c] += spin[c]
            move, turn = max(move, abs(push[c])), max(turn, abs(spin[c]))
        dv, dw = scale(-cv, push), scale(-cv, spin)
        dva = scale(-ca, push)
        if s != 0.0:
            side = add(cross(mv(R, dw), v), cross(mv(R, w), dv))
            dva = add(dva, scale(s, side))
        H, J = at9(fast.spins, b, SPIN), at9(tables.bodies, b, INERTIA)
        own = add(cross(dw, mv(H, w)), cross(w, mv(H, dw)))
        dwa = sub(scale(-ca, spin), mv(at9(fast.spins, b, SPIN_INVERSE), own))
        torque = add(mv(J, dwa), add(cross(dw, mv(J, w)), cross(w, mv(J, dw))))
        accumulate(work.f, b, 0, scale(tables.bodies[b, 0], dva))
        accumulate(work.f, b, 3, torque)
    other = correct_rates(stepper.flow, stepper.rhs, 6 * stepper.p.shape[0])
    return max(move / stepper.settings[LENGTH], turn, other)


@inlined
def solve_step(kernels, tables, lu, work, stepper, fast, time):
    """Solve one step; status DONE, NO_CONVERGENCE, PIVOTS or DIVERGED."""
    s, n = stepper.settings, tables.motions[0]
    ca, m, h = s[CA], s[MASS], s[STEP]
    largest = predict(stepper, fast, work)
    tolerance = s[TOLERANCE] * h * h * largest + 1e-14
    coef = work.coef
    coef[CK], coef[CD], coef[KC] = 1.0 / (ca * m), s[CV] / (ca * m), s[STIFFNESS]
    coef[TANGENT], coef[RATES], coef[ACCEPT], coef[WRITTEN] = 1.0, s[MOVING], 0.0, 1.0
    rhs, before, drift_before, rate, cap = stepper.rhs, 0.0, 0.0, 1.0, 1e300
    guessed = False
    for iteration in range(SMOOTH * int(s[MAX_ITERATIONS])):
        if iteration >= s[MAX_ITERATIONS] and cap == 1e300:
            break
        place_bodies(stepper, fast, tables, work, True)
        coef[FIRST] = 1.0 if iteration == 0 and s[MEMORY] != 0.0 else 0.0
        refill(kernels, tables, work, time, 1.0 / m)
        elsewhere = coef[FIRST] == 2.0
        coef[FIRST] = 0.0
        velocity_side(stepper, fast, tables, work)
        growth = solution(lu, work.vals, rhs)
        if not growth < s[GROWTH]:
            worst_residual(stepper, work)
            return DIVERGED if before > FAR else PIVOTS
        drift = correct_velocities(stepper, fast, tables, work)
        residual_side(stepper, tables, work)
        if cap < 1e300 and largest_of(rhs) <= tolerance:
            return DONE
        solve(lu, work.vals, rhs)
        answer_sensors(lu, tables, work, rhs)
        if iteration >= SMOOTH - 1:
            cap = restrain(stepper, iteration, cap)
        size = apply_increment(stepper, rhs, fast.move, fast.move)
        for e in range(n, rhs.shape[0]):
            work.gamma[e - n] += rhs[e] * ca * m
        stepper.report[0], stepper.report[1] = iteration + 1, size
        if diverges(iteration, size, before):
            worst_residual(stepper, work)
            return DIVERGED
        if cap < 1e300:
            before, drift_before = size, drift
            continue
        if elsewhere:  # its size says nothing of those that follow
            before, drift_before, guessed = size, drift, True
            continue
        if iteration > 0 and not guessed:
            measure_kappa(stepper, size, before)
        guessed = False
        if iteration > 0 and drift_before > 1e-13:
            rate = min(drift / drift_before, 1.0)
        exhausted = iteration > 1 and size < 1e-10 and size > 0.3 * before
        before, drift_before = size, drift
        if iteration + 1 < s[LEARN]:
            continue
        error = (stepper.kappa[0] * size + ROUND_OFF * growth) * size
        done = (s[STIFFNESS] != 0.0 and error <= tolerance) or size <= tolerance
        if (done and rate * drift <= DRIFT * tolerance) or exhausted:
            s[LEARN] = 1.0
            return DONE
    worst_residual(stepper, work)
    return NO_CONVERGENCE


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
def put3(flat, p, a):
    flat[p], flat[p + 1], flat[p + 2] = a[0], a[1], a[2]


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


@inlined
def take_up_samples(kernels, tables, lu, work, stepper, fast, time):
    """The next step begins with what samples hold from now on; turning, ΔL̇ = R Ĵ Δω̇."""
    if not sampled_jump(kernels, tables, lu, work, stepper, time, work.x):
        return
    rhs = stepper.rhs
    for b in range(stepper.p.shape[0]):
        j = 6 * b
        for i in range(6):
            fast.vdot[b, i] += rhs[j + i]
        own = mv(nine(borrow(fast.spins), SPINS * b + SPIN), (rhs[j + 3], rhs[j + 4], rhs[j + 5]))
        torque = mv(at9(work.nodes, b, ROT), own)
        for i in range(3):
            let_history_jump(stepper, b, i, rhs[j + i])
            let_history_jump(stepper, b, 3 + i, torque[i])
    let_values_jump(stepper.flow, stepper.settings[STEP], rhs, 6 * stepper.p.shape[0])


@lean
def guess_fast(stepper, fast, tables, work):
    """The motion of all bodies at the predicted end of the next step, for Python."""
    s, f, w = refer(stepper), refer(fast), refer(work)
    predict(s, f, w)
    place_bodies(s, f, refer(tables), w, True)


@lean
def place_fast(stepper, fast, tables, work):
    """The motion of all bodies and the tangent of their inertia, for Python."""
    place_bodies(refer(stepper), refer(fast), refer(tables), refer(work), True)


@lean
def advance_fast(
    kernels, tables, lu, work, stepper, fast, times, schedule, saved, out, first, last
):
    """Steps `first` … `last` − 1; as stepping.advance.  CALM where nothing turns fast any more."""
    limits, factors, tables, work = fast.limits, refer(lu), refer(tables), refer(work)
    stepper, fast, out = refer(stepper), refer(fast), refer(out)
    for k in range(first, last):
        for j in range(tables.targets.shape[0]):
            tables.reals[tables.targets[j]] = schedule[k, j]
        status = solve_step(kernels, tables, factors, work, stepper, fast, times[k])
        if status != DONE:
            return status, k
        turn, spinning = accept(kernels, tables, work, stepper, fast, times[k])
        limits[LARGEST] = max(limits[LARGEST], turn)
        if saved[k] >= 0:
            store(stepper, fast.vdot, out, saved[k])
            out.iterations[saved[k]] = stepper.report[0]
        if stepper.settings[SAMPLED] != 0.0:
            take_up_samples(kernels, tables, factors, work, stepper, fast, times[k])
        limits[QUIET] = 0.0 if spinning or turn > limits[FAST] else limits[QUIET] + 1.0
        if limits[QUIET] >= limits[PATIENCE]:
            return CALM, k + 1
    return DONE, last
