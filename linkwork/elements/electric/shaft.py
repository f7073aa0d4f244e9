"""What motors do about the axis of a joint: its rate, a torque on its bodies, and their slopes.

With n the axis, fixed in b (body axes), m = R_aᵀ R_b n the same in the axes of a,

    rate   w = n·ω_b − m·ω_a          torque T on b about n, −T on a:   residual −T n in b, T m in a
    δm = m × θ_a + R_aᵀ R_b (θ_b × n)
    δw = n·δω_b − m·δω_a − θ_a·(ω_a × m) − θ_b·(n × ω'_a),     ω'_a = R_bᵀ R_a ω_a

A rotor that turns N times as fast and has the inertia J about its axis adds, with ẇ the rate of w
where rx and ry are held,

    J N² ẇ n in b,  −J N² ẇ m in a,      ẇ = n·ω̇_b − m·ω̇_a;      kinetic energy ½ J N² w²

(The gyroscopic torque of the rotor's spin on what carries it is left out.  Both torques cancel, so
that the angular momentum of the bodies alone is kept, and the rotor has none of its own.)
"""

from __future__ import annotations

from linkwork.elements.layout import CK, CM, OMEGA, OUT, ROT, STRIDE, TANGENT, write
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import inverse_tangent
from linkwork.kernels.vectors import accumulate, at, at9, cross, dot, mv, scale, sub, tv
from linkwork.model.outputs import KINETIC_ENERGY
from linkwork.model.registry import Family


@inlined
def shaft(nodes, a, b, n):
    """m, the rate w, and its slopes by turns of a and b."""
    Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
    m = tv(Ra, mv(Rb, n))
    wa = at(nodes, a, OMEGA)
    seen = tv(Rb, mv(Ra, wa))
    rate = dot(n, at(nodes, b, OMEGA)) - dot(m, wa)
    return m, rate, scale(-1.0, cross(wa, m)), scale(-1.0, cross(n, seen))


@inlined
def add_outer(vals, base, c, u, v):
    """Add c u vᵀ to the part of a block that belongs to turns."""
    for i in range(3):
        p = base + (3 + i) * STRIDE + 3
        for j in range(3):
            vals[p + j] += c * u[i] * v[j]


@inlined
def turn_axis(vals, ab, aa, nodes, a, b, n, m, c):
    """Add c ∂m/∂θ to the rows of a."""
    Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
    for j in range(3):
        e = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
        x, y = cross(m, e), tv(Ra, mv(Rb, cross(e, n)))
        for i in range(3):
            vals[aa + (3 + i) * STRIDE + 3 + j] += c * x[i]
            vals[ab + (3 + i) * STRIDE + 3 + j] += c * y[i]


@inlined
def push(f, a, b, n, m, T):
    """A torque T on b about the axis, opposite on a."""
    accumulate(f, b, 3, scale(-T, n))
    accumulate(f, a, 3, scale(T, m))


# -------------------------------------------------------------------------------------- rotor
ROTOR_AXIS, ROTOR, ROTOR_REALS = record(rotor_axis=3, rotor=1, rotor_reals=0)


@inlined
def rotor_slopes(nodes, vdot, x, coef, a, b, n, m):
    """What ẇ changes by with the turns of a and b in a step."""
    Ra, Rb, ta = at9(nodes, a, ROT), at9(nodes, b, ROT), at(vdot, a, 3)
    Ta, Tb = inverse_tangent(at(x, a, 3)), inverse_tangent(at(x, b, 3))
    by_a = sub(scale(-coef[CM], tv(Ta, m)), scale(coef[CK], cross(ta, m)))
    by_b = sub(scale(coef[CM], tv(Tb, n)), scale(coef[CK], cross(n, tv(Rb, mv(Ra, ta)))))
    return by_a, by_b


def rotor_kernel(ints, reals, motion, loads):
    nodes, vdot, x, coef, vals = motion.nodes, motion.vdot, motion.x, motion.coef, loads.vals
    for k in range(ints.shape[0]):
        a, b, n, J = ints[k, 0], ints[k, 1], at(reals, k, ROTOR_AXIS), reals[k, ROTOR]
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        m, ta, tb = tv(Ra, mv(Rb, n)), at(vdot, a, 3), at(vdot, b, 3)
        change = dot(n, tb) - dot(m, ta)
        push(loads.f, a, b, n, m, -J * change)
        if coef[TANGENT] != 0.0:
            aa, ab, ba, bb = ints[k, 2], ints[k, 3], ints[k, 4], ints[k, 5]
            by_a, by_b = rotor_slopes(nodes, vdot, x, coef, a, b, n, m)
            add_outer(vals, bb, J, n, by_b)
            add_outer(vals, ba, J, n, by_a)
            add_outer(vals, ab, -J, m, by_b)
            add_outer(vals, aa, -J, m, by_a)
            turn_axis(vals, ab, aa, nodes, a, b, n, m, -coef[CK] * J * change)
        if coef[OUT] != 0.0:
            rate = shaft(nodes, a, b, n)[1]
            write(loads.out, k, (0.5 * J * rate * rate,))


ROTOR_INERTIA = Family(
    "rotor", Kernel(rotor_kernel), bodies=2, reals=ROTOR_REALS, inertial=True,
    outputs=(KINETIC_ENERGY,),
)  # fmt: skip
