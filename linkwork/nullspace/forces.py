"""Springs as discrete gradients: their work over a step is exactly the change of their potential.

All are written in what does not change under rigid motions, so momenta are conserved as well
(Gonzalez 1996).  A bar is the mean of both ends of the step, Δ the difference, ω* h the rotation
of a body with R₁ − R₀ = h ω̃* R̄ (twice the tangent of half the angle, about its axis):

    spring     F = N 2 d̄/(l₀ + l₁),   N = k (l̄ − L) + N₀ + c Δl/h
               work N Δl, because d̄·Δd = (l₁² − l₀²)/2
    torsion    N n̄ r,   N = k (φ̄ − φ₀) + c Δφ/h,   r = Δφ/(n̄·Δ(ω*h))         work N Δφ
               = x (cos x − p sin x)/(sin x (1 + p²)),  x = Δφ/2,  p = n̄·ω*_a h/2: with the turn
               of a (1, w), w = ω*_a h/2, that of b is (1, w)(cos x, e₀ sin x) as quaternions,
               e₀ = n̄ − w × n̄ and n̄²(1 + w²) = 1 + p²; regular where nothing turns
    bushing    σ = K ε̄ + C Δε/h;  forces as for the row e_a·d, work n·Δx;
               torque T⁻¹(ψ̄) μ, corrected along the relative rotation y so that its work is μ·Δψ

so dampers take c Δl²/h, c Δφ²/h and ΔεᵀC Δε/h.  Forces and user forces are evaluated at q̄ with
R_m, the rotation half-way, and velocities Δφ/h, ω*; their work is their power there times h.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.elements import points
from linkwork.elements.deformable import bushing
from linkwork.elements.deformable.bushing import BUSHING, bend, kappa, law, rotation_vector
from linkwork.elements.forces import spring, torsion_spring
from linkwork.elements.forces.spring import SPRING
from linkwork.elements.forces.torsion_spring import TORSION
from linkwork.elements.joints.lock import LOCK
from linkwork.elements.layout import (
    AA,
    AB,
    ACCEPT,
    BA,
    BB,
    POS,
    QUAT,
    SIX,
    STRIDE,
    TANGENT,
)  # fmt: skip
from linkwork.elements.signals.measured import Sensor
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel, NullFunction, kernel_table
from linkwork.kernels.memory.records import Floats, Ints, Ints2, stored
from linkwork.kernels.rotations import qadd, qconj, qexp, qmul, qscale, rotation_matrix
from linkwork.kernels.vectors import (
    add,
    at,
    at4,
    column,
    cross,
    dot,
    madd,
    mscale,
    mv,
    scale,
    sub,
    tv,
)  # fmt: skip
from linkwork.model.drives.base import held_in
from linkwork.model.signals.held import is_sampled
from linkwork.system.data import Data
from linkwork.system.evaluate import DIRECTORY_COLUMNS, Tables
from linkwork.system.sensor_nodes import sensor_groups
from linkwork.system.system import System

SPRING_, TORSION_, BUSHING_ = 0, 1, 2
KINDS = {SPRING: SPRING_, TORSION: TORSION_, BUSHING: BUSHING_}
# ints: kind, first real, number of reals, then those of the element (elements.layout) up to BB; of
# a torsion spring where its angle is in the memory
KIND, FIRST, WIDTH, OF_ELEMENT, ANGLE, INTS = 0, 1, 2, 3, 9, 10
SMALL = 1e-8  # rotations below which ratios of two of them are not formed
NUDGE = 2.0**-20  # of differences for the tangent, which only steers Newton's method


@stored
class Forces(NamedTuple):
    """Springs of all kinds; and the tables that evaluate the other forces at q̄ alone."""

    springs: Ints2  # (n, INTS)
    kernel: Ints  # theirs, where there are some
    nothing: Floats  # (1,) for the kernel's arguments that it does not use
    tables: Tables
    blocks: Ints2  # (n, 3) row body, column body, base of blocks they write
    sums: Floats  # the blocks of bodies among the values of the matrix
    sensors: Ints  # where the diagonal entries of sensors are among them


def make_forces(data: Data) -> Forces:
    system = data.system
    springs, others, blocks = [], [], set()
    seen: dict = {}
    for e, place, own in zip(system.elements, system.places, system.memory_places, strict=True):
        family = e.entry.family
        number = seen[family] = seen.get(family, -1) + 1
        if e.entry.rows or isinstance(system.model[e.owner], Sensor):
            continue
        if family in KINDS:
            x = data.ints_of(family)[number]
            springs.append([KINDS[family], place.start, family.reals, *x[:6], own.start])
            continue
        others.append(family)
        ends = [end for end in e.ends if 0 <= end < system.bodies]
        known = data.pattern.blocks
        blocks |= {(a, b, known[a, b]) for a in ends for b in ends if (a, b) in known}
    refuse_unknown(system)
    slots = system.families
    mine = [row for row, f in zip(data.tables.directory, slots, strict=True) if f in others]
    tables = data.tables._replace(
        directory=np.array(mine, np.int64).reshape(-1, DIRECTORY_COLUMNS),
        bodies=np.zeros_like(data.tables.bodies),
    )
    return Forces(
        np.array(springs, np.int64).reshape(-1, INTS),
        kernel_table([SPRINGS if springs else NullFunction()]), np.zeros(1), tables,
        np.array(sorted(blocks), np.int64).reshape(-1, 3),
        data.work.vals[: data.pattern.sums.stop],
        np.array([data.pattern.blocks[g, g] for g in sensor_groups(system)], np.int64),
    )  # fmt: skip


def refuse_unknown(system: System) -> None:
    """Forces that could not keep the energy: an unknown potential, a twist that also bends."""
    held = {}
    for e in system.elements:
        if e.entry.family is LOCK:
            held[e.owner] = e.entry.rows
    for e in system.elements:
        family, item = e.entry.family, system.model[e.owner]
        if e.entry.rows or family in (SPRING, BUSHING) or isinstance(item, Sensor):
            continue
        if family is TORSION and {3, 4} - set(held.get(item.joint.name, ())):
            raise ModelError(
                f"{item.label} acts on {item.joint.label}, which can bend, and "
                "lw.EnergyMomentum knows torsion springs of joints that hold rx and ry only; use "
                "lw.GeneralizedAlpha(), or a Revolute or Cylindrical"
            )
        if family.inertial:
            what = "a rotor's inertia" if family.name == "rotor" else "an inertia that changes"
            raise ModelError(
                f"{item.label} has {what}, which lw.EnergyMomentum does not know; "
                "use lw.GeneralizedAlpha()"
            )
        if family.signal and all(map(is_sampled, held_in(e.entry.acts_on[1].signal))):
            continue  # angles that it may count stay within half a turn of the start
        if family is not TORSION and (family.stores_energy or family.memory.size):
            what = (
                "has a potential whose discrete gradient lw.EnergyMomentum does not know"
                if family.stores_energy
                else "keeps a memory of earlier steps, which lw.EnergyMomentum does not carry on"
            )
            raise ModelError(
                f"{item.label} {what}; use lw.GeneralizedAlpha(), or a Spring, TorsionSpring, "
                "Bushing or UserForce"
            )


@inlined
def cayley(q0, q1):
    """h ω* in world axes."""
    d = qmul(q1, qconj(q0))
    s = 2.0 / d[0]
    return (s * d[1], s * d[2], s * d[3])


@inlined
def half_way(q0, q1):
    """The rotation half-way between two."""
    s = 1.0
    if q0[0] * q1[0] + q0[1] * q1[1] + q0[2] * q1[2] + q0[3] * q1[3] < 0.0:
        s = -1.0
    q = qadd(qscale(s, q0), q1)
    return qscale(1.0 / math.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2), q)


@inlined
def mean_matrix(q0, q1):
    return mscale(0.5, madd(rotation_matrix(q0), rotation_matrix(q1)))


@inlined
def spring_wrench(y, k, pa0, pa1, pb0, pb1, h):
    (ra0, qa0), (ra1, qa1), (rb0, qb0), (rb1, qb1) = pa0, pa1, pb0, pb1
    ua, ub = at(y, k, points.UA), at(y, k, points.UB)
    sa, sb = mv(mean_matrix(qa0, qa1), ua), mv(mean_matrix(qb0, qb1), ub)
    d0 = sub(add(rb0, mv(rotation_matrix(qb0), ub)), add(ra0, mv(rotation_matrix(qa0), ua)))
    d1 = sub(add(rb1, mv(rotation_matrix(qb1), ub)), add(ra1, mv(rotation_matrix(qa1), ua)))
    l0, l1 = math.sqrt(dot(d0, d0)), math.sqrt(dot(d1, d1))
    stiffness, c = y[k, spring.STIFFNESS], y[k, spring.DAMPING]
    # k d̄ apart, so that a spring without free length is regular where its points meet
    along = y[k, spring.PRELOAD] - stiffness * y[k, spring.LENGTH] + c * (l1 - l0) / h
    if l0 + l1 > 0.0:
        along /= l0 + l1
    F = scale(0.5 * stiffness + along, add(d0, d1))
    return F, scale(-1.0, cross(sa, F)), cross(sb, F), c * (l1 - l0) ** 2 / h


@inlined
def twist(y, k, last, qa, qb):
    """The angle about z between the markers, nearest to that of the last step."""
    qS, qP = qmul(qa, at4(y, k, torsion_spring.QA)), qmul(qb, at4(y, k, torsion_spring.QB))
    rho = qmul(qconj(qS), qP)
    phi = 2.0 * math.atan2(rho[3], rho[0])
    turn = torsion_spring.TURN
    return phi + turn * math.floor((last - phi) / turn + 0.5)


@inlined
def torsion_wrench(y, k, last, pa0, pa1, pb0, pb1, h):
    qa0, qa1, qb0, qb1 = pa0[1], pa1[1], pb0[1], pb1[1]
    p0, p1 = twist(y, k, last, qa0, qb0), twist(y, k, last, qa1, qb1)
    S = rotation_matrix(at4(y, k, torsion_spring.QA))
    n = mv(mean_matrix(qa0, qa1), column(S, 2))
    x, p = 0.5 * (p1 - p0), 0.5 * dot(n, cayley(qa0, qa1))
    s = math.sin(x)
    ratio = (math.cos(x) - p * s) / (1.0 + p * p) * (x / s if s != 0.0 else 1.0)
    c = y[k, torsion_spring.DAMPING]
    N = y[k, torsion_spring.STIFFNESS] * (0.5 * (p0 + p1) - y[k, torsion_spring.ANGLE])
    T = scale(ratio * (N + c * (p1 - p0) / h), n)
    return (0.0, 0.0, 0.0), scale(-1.0, T), T, c * (p1 - p0) ** 2 / h


@inlined
def strain(y, k, pa, pb):
    """x and ψ between the frames."""
    (ra, qa), (rb, qb) = pa, pb
    qS = qmul(qa, at4(y, k, bushing.QA))
    pS = add(ra, mv(rotation_matrix(qa), at(y, k, bushing.UA)))
    pP = add(rb, mv(rotation_matrix(qb), at(y, k, bushing.UB)))
    rho = qmul(qconj(qS), qmul(qb, at4(y, k, bushing.QB)))
    return tv(rotation_matrix(qS), sub(pP, pS)), rotation_vector(rho)


@inlined
def bushing_wrench(y, k, pa0, pa1, pb0, pb1, h):
    (ra0, qa0), (ra1, qa1), (rb0, qb0), (rb1, qb1) = pa0, pa1, pb0, pb1
    x0, psi0 = strain(y, k, pa0, pb0)
    x1, psi1 = strain(y, k, pa1, pb1)
    dx, dpsi = sub(x1, x0), sub(psi1, psi0)
    mean = scale(0.5, add(psi0, psi1))
    n, mu = law(y, k, bushing.KK, scale(0.5, add(x0, x1)), mean)
    nd, md = law(y, k, bushing.CC, scale(1.0 / h, dx), scale(1.0 / h, dpsi))
    n, mu = add(n, nd), add(mu, md)
    qA = at4(y, k, bushing.QA)
    S = mscale(0.5, madd(rotation_matrix(qmul(qa0, qA)), rotation_matrix(qmul(qa1, qA))))
    F = mv(S, n)
    sb = mv(mean_matrix(qb0, qb1), at(y, k, bushing.UB))
    l = sub(add(scale(0.5, add(rb0, rb1)), sb), scale(0.5, add(ra0, ra1)))
    halfway = rotation_matrix(qmul(half_way(qa0, qa1), qA))
    y3 = tv(halfway, sub(cayley(qb0, qb1), cayley(qa0, qa1)))
    tau = bend(0.5, mean, kappa(dot(mean, mean))[0], mu)
    square = dot(y3, y3)
    if square > SMALL * SMALL:
        tau = add(tau, scale((dot(mu, dpsi) - dot(tau, y3)) / square, y3))
    G = mv(halfway, tau)
    taken = dot(nd, dx) + dot(md, dpsi)
    return F, scale(-1.0, add(cross(l, F), G)), add(cross(sb, F), G), taken


@inlined
def wrench(kind, y, k, last, pa0, pa1, pb0, pb1, h):
    """Residual of a spring: force F on b (−F on a), torques on a and b, and energy dissipated."""
    if kind == SPRING_:
        return spring_wrench(y, k, pa0, pa1, pb0, pb1, h)
    if kind == TORSION_:
        return torsion_wrench(y, k, last, pa0, pa1, pb0, pb1, h)
    return bushing_wrench(y, k, pa0, pa1, pb0, pb1, h)


@inlined
def pose(nodes, b):
    return at(nodes, b, POS), at4(nodes, b, QUAT)


@inlined
def nudged(p, j, eps, L):
    """A pose moved by eps (times L for displacements) along increment j in world axes."""
    r, q = p
    e = (eps if j % 3 == 0 else 0.0, eps if j % 3 == 1 else 0.0, eps if j % 3 == 2 else 0.0)
    if j < 3:
        return add(r, scale(L, e)), q
    return r, qmul(qexp(e), q)


@inlined
def put_wrench_column(vals, x, j, c, w1, w0):
    """c (w₁ − w₀) into column j of the bodies' blocks; columns 0-5 belong to a, 6-11 to b."""
    pa, pb = x[AA], x[BA]
    if j >= 6:
        pa, pb = x[AB], x[BB]
    col = j % SIX
    for i in range(3):
        vals[pb + i * STRIDE + col] += c * (w1[0][i] - w0[0][i])
        vals[pa + i * STRIDE + col] -= c * (w1[0][i] - w0[0][i])
        vals[pa + (3 + i) * STRIDE + col] += c * (w1[1][i] - w0[1][i])
        vals[pb + (3 + i) * STRIDE + col] += c * (w1[2][i] - w0[2][i])


def springs_kernel(ints, reals, motion, loads):
    """All springs, behind the signature of element kernels so that only models that have some
    compile it: reals are the nodes at q₀, nodes those at q₁, gamma the system's reals, memory all
    of it, time is h, and coef [factor of the wrench, L, tangent wanted, —, step accepted].
    power[0] takes the energy dissipated."""
    nodes, gamma, time, coef = motion.nodes, motion.gamma, motion.time, motion.coef
    f, vals, power, memory = loads.f, loads.vals, loads.power, motion.memory
    h, c, L = time, coef[0], coef[1]
    for k in range(ints.shape[0]):
        kind, first, width = ints[k, KIND], ints[k, FIRST], ints[k, WIDTH]
        y = gamma[first : first + width].reshape(1, width)
        x = ints[k, OF_ELEMENT:]
        a, b = x[0], x[1]
        pa0, pb0, pa1, pb1 = pose(reals, a), pose(reals, b), pose(nodes, a), pose(nodes, b)
        last = memory[ints[k, ANGLE], 0] if kind == TORSION_ else 0.0
        if coef[ACCEPT] != 0.0:
            if kind == TORSION_:
                memory[ints[k, ANGLE], 0] = twist(y, 0, last, pa1[1], pb1[1])
            continue
        w = wrench(kind, y, 0, last, pa0, pa1, pb0, pb1, h)
        for i in range(3):
            f[b, i] += c * w[0][i]
            f[a, i] -= c * w[0][i]
            f[a, 3 + i] += c * w[1][i]
            f[b, 3 + i] += c * w[2][i]
        power[0] += w[3]
        if coef[TANGENT] != 0.0:
            for j in range(12):
                qa, qb = pa1, pb1
                if j < 6:
                    qa = nudged(pa1, j, NUDGE, L)
                else:
                    qb = nudged(pb1, j - 6, NUDGE, L)
                moved = wrench(kind, y, 0, last, pa0, qa, pb0, qb, h)
                step = NUDGE * L if j % SIX < 3 else NUDGE
                put_wrench_column(vals, x, j, c / step, moved, w)


SPRINGS = Kernel(springs_kernel)
