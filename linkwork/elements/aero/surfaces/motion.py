"""Motion of the sections of a lifting surface against the air (surfaces.kernel)."""

from __future__ import annotations

import math

from linkwork.elements.aero.air.wind import VISCOSITY, air_at
from linkwork.elements.aero.rotors.field import induced
from linkwork.elements.aero.surfaces.layout import (
    AIR, AIR_CODES, ARM, AXES, CENTRE, CONTROL, CRAFT, FIRST, FIRST_CODE, HUB, INFLOW, INVERSE,
    NODE, NODE_F, NODE_Q, NODE_WORK, PLACE, PLACES, POINT, POINT_CODES, SHAPE, SHARE, SPAN, SPEED,
    SPIN, THEODORSEN, TURN, TWIST,
)  # fmt: skip
from linkwork.elements.aero.surfaces.indicial import lagging
from linkwork.elements.aero.surfaces.section import add_rates, quasi_steady, unsteady
from linkwork.elements.beams.kernels.kernel import put3, put9
from linkwork.elements.beams.kernels.turning import inverse_map
from linkwork.elements.deformable.bushing import kappa, rotation_vector
from linkwork.elements.layout import OMEGA, POS, QUAT, ROT, VEL
from linkwork.kernels.compiled import inlined
from linkwork.kernels.rotations import qconj, qexp, qmul, rotation_matrix
from linkwork.kernels.vectors import (
    add, at, at4, at9, cross, dot, madd, mm, mscale, mv, outer, scale, sub, three,
)  # fmt: skip

ZERO = (0.0, 0.0, 0.0)


@inlined
def take_nodes(ints, reals, nodes, k, n, first, y):
    """Places, arms, velocities and turns of the nodes; axes of the reference node."""
    r = max(n - 2, 0)
    b = ints[k, r]
    qr = qmul(at4(nodes, b, QUAT), at4(reals, k, first + NODE * r + NODE_Q))
    for i in range(n):
        b, p, c = ints[k, i], PLACES + NODE_WORK * i, first + NODE * i
        R = at9(nodes, b, ROT)
        arm, w = mv(R, at(reals, k, c + NODE_F)), mv(R, at(nodes, b, OMEGA))
        put3(y, p + PLACE, add(at(nodes, b, POS), arm))
        put3(y, p + ARM, arm)
        put3(y, p + SPIN, w)
        put3(y, p + SPEED, add(at(nodes, b, VEL), cross(w, arm)))
        if i != r:
            q = qmul(at4(nodes, b, QUAT), at4(reals, k, c + NODE_Q))
            theta = rotation_vector(qmul(q, qconj(qr)))
            put3(y, p + TURN, theta)
            put9(y, p + INVERSE, inverse_map(theta, kappa(dot(theta, theta))[0]))
    return qr


@inlined
def move_along(ints, reals, k, first, pt, nodes, qr, y):
    """The reference point of a single body at its place along the span."""
    b, S, s = ints[k, 0], rotation_matrix(qr), reals[k, pt + SPAN]
    f = at(reals, k, first - NODE + NODE_F)
    arm = add(mv(at9(nodes, b, ROT), f), scale(s, (S[2], S[5], S[8])))
    put3(y, PLACES + PLACE, add(at(nodes, b, POS), arm))
    put3(y, PLACES + ARM, arm)
    put3(y, PLACES + SPEED, add(at(nodes, b, VEL), cross(three(y, PLACES + SPIN), arm)))


@inlined
def between(reals, k, pt, n, field, y):
    """Σ N_i x_i of the numbers at `field` of the nodes."""
    total = ZERO
    for i in range(n):
        x = three(y, PLACES + NODE_WORK * i + field)
        total = add(total, scale(reals[k, pt + SHAPE + i], x))
    return total


@inlined
def turned_axes(E, angle):
    """Columns e₁, e₂, e₃ of axes that turn by an angle about the third."""
    c, s = math.cos(angle), math.sin(angle)
    x, z = (E[0], E[3], E[6]), (E[1], E[4], E[7])
    return (
        add(scale(c, x), scale(s, z)), add(scale(-s, x), scale(c, z)), (E[2], E[5], E[8]),
    )  # fmt: skip


@inlined
def from_axes(x, y, z, e1, e2, e3):
    """x e₁ + y e₂ + z e₃."""
    return add(add(scale(x, e1), scale(y, e2)), scale(z, e3))


@inlined
def section_axes(reals, k, pt, n, qr, y):
    """Axes of the section before twist, and the turn from the reference node."""
    theta = ZERO
    if n > 1:
        r = n - 2
        for i in range(n):
            if i != r:
                turn = three(y, PLACES + NODE_WORK * i + TURN)
                theta = add(theta, scale(reals[k, pt + SHAPE + i], turn))
        return rotation_matrix(qmul(qexp(theta), qr)), theta
    return rotation_matrix(qr), theta


@inlined
def rotor_frame(ints, reals, nodes, k, first):
    """Axes a₁, a₂, a₃ and centre of the rotor, and the arm of the centre on its body."""
    craft, hub = ints[k, first + CRAFT], ints[k, first + HUB]
    A = mm(at9(nodes, craft, ROT), at9(reals, k, AXES))
    arm = mv(at9(nodes, hub, ROT), at(reals, k, CENTRE))
    return A, add(at(nodes, hub, POS), arm), arm


@inlined
def section_at(
    ints, codes, reals, k, n, states, kind, rotor, point, nodes, values, time, qr, A, centre,
    radius, y, given, found,
):  # fmt: skip
    """Motion of a section against the air, its forces in the work; what the tangent needs of it."""
    first = codes[k, FIRST]
    pt, foil = first + POINT * point, codes[k, FIRST_CODE] + POINT_CODES * point
    if n == 1:
        move_along(ints, reals, k, first, pt, nodes, qr, y)
    p = between(reals, k, pt, n, PLACE, y)
    spin = between(reals, k, pt, n, SPIN, y)
    S, theta = section_axes(reals, k, pt, n, qr, y)
    angle = reals[k, pt + TWIST] + reals[k, CONTROL] * reals[k, pt + SHARE]
    e1, e2, e3 = turned_axes(S, angle)
    v, G, rho, sound, rho_h, sound_h = air_at(
        codes, reals, k, AIR_CODES, AIR, p, time, given, found
    )
    w = sub(between(reals, k, pt, n, SPEED, y), v)
    u, ux, uy, u0, u1, u2, u3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    away = sub(p, centre)
    if kind > 0:
        a1, a2, a3 = (A[0], A[3], A[6]), (A[1], A[4], A[7]), (A[2], A[5], A[8])
        u, ux, uy, u0, u1, u2, u3 = induced(
            values, ints[k, rotor + INFLOW], kind, dot(a1, away) / radius, dot(a2, away) / radius,
        )  # fmt: skip
        w = add(w, scale(u, a3))
        ux, uy = ux / radius, uy / radius
        G = madd(G, mscale(-1.0, outer(a3, add(scale(ux, a1), scale(uy, a2)))))
    Vx, Vy, wz, sweep = dot(e1, w), dot(e2, w), dot(e3, spin), dot(e3, w)
    if states > 0:
        z = ints[k, n] + states * point
        if states == THEODORSEN:
            unsteady(y, codes, reals, k, foil, pt, values, z, Vx, Vy, wz, sweep, rho, sound, rho_h,
                     sound_h, reals[k, AIR + VISCOSITY])  # fmt: skip
        else:
            lagging(y, codes, reals, k, foil, pt, values, z, states, Vx, Vy, wz, sweep, rho, sound,
                    rho_h, sound_h, reals[k, AIR + VISCOSITY])  # fmt: skip
        add_rates(y, values, z, states)
    else:
        quasi_steady(y, codes, reals, k, foil, pt, Vx, Vy, wz, sweep, rho, sound, rho_h, sound_h,
                     reals[k, AIR + VISCOSITY])  # fmt: skip
    return p, spin, theta, e1, e2, e3, w, G, away, u, ux, uy, u0, u1, u2, u3
