"""Segments of a cable: strings between points, or points and frames on bodies, that may go slack.

With the ends p_a and p_b of a segment, d = p_b − p_a, l = |d|, e = d/l, its free length l₀ and the
strain ε = l/l₀ − 1,

    N = EA ε + c s l̇/l₀,  s = ε/(ε + 1e-3)   where ε > 0, never a push, and none where ε ≤ 0
    force N e on a and −N e on b

s lets the damping come in with the first strain, so that a rope that becomes taut has no jump.
A point is a vector node of three unknowns, p = q; an end on a body is p = r + R f, so that the
moment f × Rᵀ(N e) acts on it, too.  With E = (∂N/∂l) e eᵀ + N/l (I − e eᵀ), v = ṗ_b − ṗ_a and
∂l̇/∂p = (v − l̇ e)/l,

    δ(N e) = E δd + c s/l₀ (e (v − l̇ e)ᵀ/l δd + e eᵀ δḋ)

Half of a segment's mass goes to each end: a point has m (q̈ − g), a body one more mass at f.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import (
    BY_RATE, BY_SECOND, BY_VALUE, CD, CK, GRAVITY, OMEGA, OUT, POS, RATE, ROT, SECOND, STRIDE,
    TANGENT, VALUE, VEL, add33, write,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    IDENTITY, accumulate, add, at, at9, cm, cross, dot, madd, mc, mm, mscale, mv, outer, scale,
    skew, sub, three, tm, tv,
)  # fmt: skip
from linkwork.model.outputs import MASS_OUTPUTS, STORED_ENERGY, Output
from linkwork.model.registry import Family, point_masses

# reals of a segment: l₀, EA, c, point f on each body
LENGTH, EA, DAMPING, ARMS, REALS = record(length=1, ea=1, damping=1, arms=6, reals=0)
MASS, POINT_REALS = record(mass=1, point_reals=0)
ONSET = 1e-3  # strain in which damping comes in
ZERO = (0.0, 0.0, 0.0)


@inlined
def value3(values, level, i):
    return values[level, i], values[level, i + 1], values[level, i + 2]


@inlined
def end_of(nodes, values, reals, k, side, free, i):
    """Place, velocity and axes of an end; arm in the axes of a body."""
    if free:
        return value3(values, VALUE, i), value3(values, RATE, i), IDENTITY, ZERO
    f, R = at(reals, k, ARMS + 3 * side), at9(nodes, i, ROT)
    arm = mv(R, f)
    v = add(at(nodes, i, VEL), cross(mv(R, at(nodes, i, OMEGA)), arm))
    return add(at(nodes, i, POS), arm), v, R, f


@inlined
def add_block(
    vals, base, free_row, free_column, Ri, fi, Rj, fj, K, D, omega, by_value, by_rate, cK, cD
):
    """The block of one end against another: K by its place, D by its velocity."""
    if free_column:
        Y = madd(mscale(by_value, K), mscale(by_rate, D))
        put_rows(vals, base, free_row, Ri, fi, 0, Y)
        return
    Y = madd(mscale(cK, K), mscale(cD, D))
    back = mscale(-1.0, mc(Rj, fj))  # p by θ
    turn = mscale(-1.0, mc(Rj, cross(omega, fj)))  # ṗ by θ at fixed velocities
    put_rows(vals, base, free_row, Ri, fi, 0, Y)
    put_rows(vals, base, free_row, Ri, fi, 3, madd(mm(Y, back), mscale(cK, mm(D, turn))))


@inlined
def put_rows(vals, base, free_row, R, f, column, Y):
    """Y in the rows of a force at an end, and f × RᵀY in those of the moment on a body."""
    add33(vals, base, 0, column, 1.0, Y)
    if not free_row:
        add33(vals, base, 3, column, 1.0, cm(f, tm(R, Y)))


def segment_kernel(ints, reals, motion, loads):
    """Ends a and b: points, where the last two reals say so, or bodies."""
    nodes, values, coef = motion.nodes, motion.values, motion.coef
    f, balance, vals = loads.f, loads.balance, loads.vals
    cK, cD = coef[CK], coef[CD]
    for k in range(ints.shape[0]):
        a, b = ints[k, 0], ints[k, 1]
        free_a, free_b = reals[k, REALS] != 0.0, reals[k, REALS + 1] != 0.0
        pa, va, Ra, fa = end_of(nodes, values, reals, k, 0, free_a, a)
        pb, vb, Rb, fb = end_of(nodes, values, reals, k, 1, free_b, b)
        d, v, l0 = sub(pb, pa), sub(vb, va), reals[k, LENGTH]
        l = np.sqrt(dot(d, d))
        if coef[OUT] != 0.0:
            write(loads.out, k, (0.0, 0.0))
        if l <= l0:
            continue
        e = scale(1.0 / l, d)
        rate = dot(e, v)
        strain = l / l0 - 1.0
        c = reals[k, DAMPING] * strain / (strain + ONSET) / l0
        N = reals[k, EA] * strain + c * rate
        if coef[OUT] != 0.0:
            write(loads.out, k, (max(N, 0.0), 0.5 * reals[k, EA] * strain * strain * l0))
        if N <= 0.0:  # the damper takes up all that the string gives
            loads.power[0] -= reals[k, EA] * strain * rate
            continue
        F = scale(N, e)
        if free_a:
            for j in range(3):
                balance[a + j] -= F[j]
        else:
            accumulate(f, a, 0, scale(-1.0, F))
            accumulate(f, a, 3, cross(tv(Ra, F), fa))
        if free_b:
            for j in range(3):
                balance[b + j] += F[j]
        else:
            accumulate(f, b, 0, F)
            accumulate(f, b, 3, cross(fb, tv(Rb, F)))
        loads.power[0] += c * rate * rate
        if coef[TANGENT] == 0.0:
            continue
        ee = outer(e, e)
        more = reals[k, DAMPING] * ONSET / (strain + ONSET) ** 2 / l0 * rate
        across = madd(IDENTITY, mscale(-1.0, ee))
        K = madd(mscale((reals[k, EA] + more) / l0, ee), mscale(N / l, across))
        K = madd(K, mscale(c / l, outer(e, sub(v, scale(rate, e)))))
        D = mscale(c, ee)
        for i in range(2):
            row_free = free_a if i == 0 else free_b
            Ri, fi = (Ra, fa) if i == 0 else (Rb, fb)
            for j in range(2):
                column_free, other = (free_a, a) if j == 0 else (free_b, b)
                Rj, fj = (Ra, fa) if j == 0 else (Rb, fb)
                sign = 1.0 if i == j else -1.0
                by_value, by_rate, omega = 0.0, 0.0, ZERO
                if column_free:
                    by_value, by_rate = values[BY_VALUE, other], values[BY_RATE, other]
                else:
                    omega = at(nodes, other, OMEGA)
                add_block(
                    vals, ints[k, 2 + 2 * i + j], row_free, column_free, Ri, fi, Rj, fj,
                    mscale(sign, K), mscale(sign, D), omega, by_value, by_rate, cK, cD,
                )  # fmt: skip
            if not row_free:  # δ(f × RᵀF) by the turn of the body itself
                own = tv(Ri, F) if i == 1 else scale(-1.0, tv(Ri, F))
                add33(vals, ints[k, 2 + 3 * i], 3, 3, cK, cm(fi, skew(own)))


def point_kernel(ints, reals, motion, loads):
    """m (q̈ − g) of a point."""
    values, coef = motion.values, motion.coef
    for k in range(ints.shape[0]):
        i, m = ints[k, 0], reals[k, MASS]
        if coef[OUT] != 0.0:
            x, v = value3(values, VALUE, i), value3(values, RATE, i)
            p = scale(m, v)
            energies = 0.5 * dot(p, v), -m * dot(three(coef, GRAVITY), x)
            write(loads.out, k, energies + p + cross(x, p))
        for j in range(3):
            loads.balance[i + j] += m * (values[SECOND, i + j] - coef[GRAVITY + j])
            if coef[TANGENT] != 0.0:
                loads.vals[ints[k, 1] + (STRIDE + 1) * j] += m * values[BY_SECOND, i + j]


SEGMENT_KERNEL = Kernel(segment_kernel)
# ends of a family are of one kind each: free points, or bodies
SEGMENTS = {
    (a, b): Family(
        f"cable segment from a {'point' if a else 'body'} to a {'point' if b else 'body'}",
        SEGMENT_KERNEL, bodies=2, reals=REALS + 2,
        outputs=(Output("tension", "N"), STORED_ENERGY),
    )
    for a in (False, True) for b in (False, True)
}  # fmt: skip
POINT = Family(
    "cable point", Kernel(point_kernel), bodies=1, reals=POINT_REALS,
    masses=lambda reals: [point_masses(reals[:, MASS])], outputs=MASS_OUTPUTS,
)  # fmt: skip
