"""Residual and matrix of the reduced step, scaled with h/(2m), m the characteristic mass:

    R h/(2m) = M (q₁ − q₀ − h v₀)/m − h² f̄/(2m),   μ = λ h²/(2m)

In the bodies' blocks, for increments in world axes,

    φφ  m_b/m I,   θθ  tr(X) I − X,  X = D₁ E D̄ᵀ/m;   and from the change of P_int(q̄)ᵀ, with N the
    director part of R and of the rows' forces:  θθ  (D₁ Nᵀ − (N : D₁) I)/2
"""

from __future__ import annotations

from typing import NamedTuple

from linkwork.elements.layout import (
    CD,
    CK,
    KC,
    OMEGA,
    POS,
    QUAT,
    ROT,
    SIX,
    STRIDE,
    TANGENT,
    VEL,
    add33,
)  # fmt: skip
from linkwork.kernels import kernel
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import call_kernel
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import Floats, Floats2, Floats3, refer, rows_at, stored
from linkwork.kernels.rotations import rotation_matrix
from linkwork.kernels.vectors import (
    IDENTITY,
    at,
    at4,
    at9,
    madd,
    mm,
    mscale,
    mt,
    mv,
    skew,
    tv,
)  # fmt: skip
from linkwork.nullspace.constraints.quadratic import add_rows
from linkwork.nullspace.constraints.rows import Rows
from linkwork.nullspace.constraints.tree import Tree
from linkwork.nullspace.forces import Forces, cayley, half_way
from linkwork.system.evaluate import Equations, refill, set_rotation

STEP, TOLERANCE, MAX_ITERATIONS, LENGTH, MASS, GROWTH, SETTINGS = range(7)


@stored
class Motion(NamedTuple):
    """What the scheme carries from step to step, and its work arrays."""

    base: Floats2  # (bodies + 1, NODE) poses at the start of the step
    end: Floats2  # (bodies + 1, NODE) poses at its end
    mean: Floats2  # (bodies + 1, 12) q̄: φ̄ and D̄ row by row
    velocity: Floats2  # (bodies + 1, 12) φ̇ and Ḋ row by row
    coordinate: Floats2  # (bodies, 8) joint coordinates at the start
    trial: Floats2  # (bodies, 8) at the end
    past: Floats3  # (HIGHEST, bodies, 8) differences of the last steps' increments
    rate: Floats2  # (bodies + 1, 8) rates of the coordinates, or their increments
    learned: Floats  # of predictions and corrections (`prediction`)
    delta: Floats2  # (bodies + 1, 6) increments of the bodies
    residual: Floats2  # (bodies + 1, 12) N
    wrench: Floats2  # (bodies + 1, 6) forces at the level of twists
    euler: Floats2  # (bodies, 10) mass and Euler tensor
    mu: Floats2  # (5, rows + 1) multipliers of this step and of the last four
    C: Floats  # (rows + 1,)
    rhs: Floats
    work: Floats  # (2,) energy dissipated and supplied until now
    taken: Floats  # (2,) the same in this step
    settings: Floats
    report: Floats  # iterations, last correction, worst unknown, its residual


@stored
class Scheme(NamedTuple):
    """The equations of a step."""

    forces: Forces
    rows: Rows  # in the equations
    left: Rows  # left out of them
    tree: Tree
    motion: Motion


@inlined
def mean_and_inertia(m, gravity):
    """q̄, and the parts of inertia and weight in N."""
    h, mass = m.settings[STEP], m.settings[MASS]
    nb = m.euler.shape[0]
    for b in range(nb + 1):
        for i in range(3):
            m.mean[b, i] = 0.5 * (m.base[b, POS + i] + m.end[b, POS + i])
        for i in range(9):
            m.mean[b, 3 + i] = 0.5 * (m.base[b, ROT + i] + m.end[b, ROT + i])
    m.residual[nb] = 0.0
    for b in range(nb):
        c = m.euler[b, 0] / mass
        for i in range(3):
            move = m.end[b, POS + i] - m.base[b, POS + i] - h * m.velocity[b, i]
            m.residual[b, i] = c * (move - 0.5 * h * h * gravity[i])
        turned = madd(at9(m.end, b, ROT), mscale(-1.0, at9(m.base, b, ROT)))
        X = madd(turned, mscale(-h, at9(m.velocity, b, 3)))
        X = mscale(1.0 / mass, mm(X, at9(m.euler, b, 1)))
        for i in range(9):
            m.residual[b, 3 + i] = X[i]


@inlined
def axial(A, B):
    """Σ a_I × b_I over the columns: the axial vector of B Aᵀ − A Bᵀ."""
    X = mt(B, A)
    return (X[7] - X[5], X[2] - X[6], X[3] - X[1])


@inlined
def body_blocks(m, blocks, vals):
    """Inertia and the change of P_int(q̄)ᵀ."""
    mass = m.settings[MASS]
    for b in range(m.euler.shape[0]):
        base = blocks[b]
        c = m.euler[b, 0] / mass
        for i in range(3):
            vals[base + i * STRIDE + i] += c
        D = at9(m.end, b, ROT)
        X = mm(mscale(1.0 / mass, mm(D, at9(m.euler, b, 1))), (
            m.mean[b, 3], m.mean[b, 6], m.mean[b, 9], m.mean[b, 4], m.mean[b, 7], m.mean[b, 10],
            m.mean[b, 5], m.mean[b, 8], m.mean[b, 11],
        ))  # fmt: skip
        Y = mt(D, at9(m.residual, b, 3))
        t = X[0] + X[4] + X[8] - 0.5 * (Y[0] + Y[4] + Y[8])
        Z = madd(mscale(t, IDENTITY), madd(mscale(-1.0, X), mscale(0.5, Y)))
        add33(vals, base, 3, 3, 1.0, Z)


@inlined
def put_middle(base, end, h, b, nodes):
    """Position, rotation half-way, velocity and ω* of a body in the middle of a step."""
    q0, q1 = at4(base, b, QUAT), at4(end, b, QUAT)
    q, turn = half_way(q0, q1), cayley(q0, q1)
    spin = tv(rotation_matrix(q), turn)
    for i in range(4):
        nodes[b, QUAT + i] = q[i]
    for i in range(3):
        nodes[b, POS + i] = 0.5 * (base[b, POS + i] + end[b, POS + i])
        nodes[b, VEL + i] = (end[b, POS + i] - base[b, POS + i]) / h
        nodes[b, OMEGA + i] = spin[i] / h


@inlined
def other_forces(kernels, forces, work, m, time, tangent):
    """Forces of element kernels at q̄ into the wrench; their tangent turned to world axes."""
    h, mass = m.settings[STEP], m.settings[MASS]
    nb = m.euler.shape[0]
    nodes = work.nodes
    for b in range(nb):
        put_middle(m.base, m.end, h, b, nodes)
        set_rotation(nodes, b)
    c = 0.5 * h * h / mass
    coef = work.coef
    coef[:] = 0.0
    coef[CK], coef[CD], coef[KC] = 0.5 * c, c / h, 1.0
    coef[TANGENT] = 1.0 if tangent else 0.0
    refill(kernels, forces.tables, work, time, 0.0)
    m.taken[0] += h * work.power[0]
    m.taken[1] += h * work.power[1]
    vals = work.vals
    if tangent:
        for k in range(forces.blocks.shape[0]):
            turn_block(vals, forces.blocks[k, 2], nodes, forces.blocks[k, 0], forces.blocks[k, 1])
    for b in range(nb):
        T = mv(at9(nodes, b, ROT), at(work.f, b, 3))
        for i in range(3):
            m.wrench[b, i] += c * work.f[b, i]
            m.wrench[b, 3 + i] += c * T[i]
        if tangent:
            add33(vals, forces.tables.blocks[b], 3, 3, -0.5 * c, skew(T))


@inlined
def turn_block(vals, base, nodes, row, col):
    """Torque rows and rotation columns of a block from body to world axes."""
    R, Q = at9(nodes, row, ROT), at9(nodes, col, ROT)
    for i in range(6):
        p = base + i * STRIDE + 3
        x = mv(Q, (vals[p], vals[p + 1], vals[p + 2]))
        vals[p], vals[p + 1], vals[p + 2] = x
    for j in range(6):
        p, s = base + 3 * STRIDE + j, STRIDE
        x = mv(R, (vals[p], vals[p + s], vals[p + 2 * s]))
        vals[p], vals[p + s], vals[p + 2 * s] = x


@inlined
def assemble_forces(kernels, forces, tables, work, m, time, tangent):
    """All forces but weight into m.wrench, times h²/(2m); with `tangent` into a fresh matrix."""
    h, mass, L = m.settings[STEP], m.settings[MASS], m.settings[LENGTH]
    m.wrench[:] = 0.0
    m.taken[:] = 0.0
    if tangent:
        forces.sums[:] = 0.0
    if forces.tables.directory.shape[0] > 0:
        other_forces(kernels, forces, work, m, time, tangent)
    if forces.springs.shape[0] > 0:
        coef = work.coef
        coef[:] = 0.0
        coef[0], coef[1] = 0.5 * h * h / mass, L
        coef[TANGENT] = 1.0 if tangent else 0.0
        spring_forces(forces, tables.reals, tables.memory, m, coef, work.vals)


@inlined
def spring_forces(forces, reals, memory, m, coef, vals):
    none = forces.nothing
    call_kernel(
        forces.kernel, 0, forces.springs, m.base,
        refer(kernel.Motion(
            m.end, m.base, m.base, m.base, reals, m.settings[STEP], coef,
            rows_at(memory, 0, memory.size, 1),
        )),
        refer(kernel.Loads(m.wrench, none, none, none, none, vals, m.taken, m.base)),
    )  # fmt: skip


@inlined
def assemble_step(kernels, forces, rows, tables, work, m, time, tangent):
    """Right-hand side, and with `tangent` the matrix, at the poses m.end."""
    nb, n = m.euler.shape[0], tables.motions[0]
    mean_and_inertia(m, tables.gravity)
    assemble_forces(kernels, forces, tables, work, m, time, tangent)
    add_rows(rows, m.end, m.mean, m.mu[0], m.residual, m.C, work.vals, tangent)
    if tangent:
        body_blocks(m, tables.blocks, work.vals)
        for k in range(forces.sensors.shape[0]):  # which stay as they are in Newton's method
            work.vals[forces.sensors[k]] = 1.0
    for b in range(nb):
        T = axial(at9(m.mean, b, 3), at9(m.residual, b, 3))
        for i in range(3):
            m.rhs[SIX * b + i] = -m.residual[b, i] - m.wrench[b, i]
            m.rhs[SIX * b + 3 + i] = -T[i] - m.wrench[b, 3 + i]
    for i in range(SIX * nb, n):
        m.rhs[i] = 0.0
    for e in range(m.rhs.shape[0] - n):
        m.rhs[n + e] = -m.C[e]


@c_function(Equations, Scheme, float, int, returns=None)
def assemble_forces_of(equations, scheme, time, tangent):
    """`assemble_forces` for Python."""
    assemble_forces(
        equations.kernels, scheme.forces, equations.tables, equations.work, scheme.motion, time,
        tangent != 0,
    )  # fmt: skip


@c_function(Equations, Scheme, float, int, returns=None)
def assemble_step_of(equations, scheme, time, tangent):
    """`assemble_step` for Python."""
    assemble_step(
        equations.kernels, scheme.forces, scheme.rows, equations.tables, equations.work,
        scheme.motion, time, tangent != 0,
    )  # fmt: skip
