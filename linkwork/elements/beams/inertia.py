"""Consistent inertia of beams: accelerations between the nodes load the pieces they are in.

The centres of mass of the sections lie on c(s) = Σ N_j c_j, c_j = x_j + R_j f_j; the mass m(s)
there accelerates by Σ N_j a_j.  Sections at the evaluation points cut the beam into one piece for
each node (elements.beams.kernel), and a piece takes what its mass does less its weight, with
b_j = a_j − g:

    F_i = Σ_j A_ij b_j,    A_ij = ∫_i m N_j ds          M_i = Σ_jk B_ikj (c_k − x_i) × b_j,
                                                        B_ikj = ∫_i m N_k N_j ds

so that sections carry exactly what lies beyond them, and frequencies are of the order of the
element.  The matrix of masses is not symmetric, as the stiffness of finite volumes is not.  Moments
of inertia of the sections stay lumped at the nodes, the length of a piece each.  With z_j = ω̇ × f +
ω × (ω × f) in the axes of a node and H_ik = Σ_j B_ikj b_j, L_ij = Σ_k B_ikj c_k − A_ij x_i,

    δa_j = δv̇_j − R f̃ δω̇ − R (ω̃ f̃ + (ω × f)~) δω − R z̃ θ,    δF_i = Σ A_ij δa_j
    δ(R_iᵀM_i) = R_iᵀ (Σ_j L̃_ij δa_j − Σ_k H̃_ik (δx_k − R_k f̃_k θ_k) + F̃_i δx_i + M̃_i φ_i)

The kinetic energy is ½ Σ C_ij v_i·v_j, C_ij = ∫ m N_i N_j ds, with the velocities of the centres;
what the forces above do beyond it, an error of the mesh, counts as supplied.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from linkwork.elements.beams.family import POINTS, shape_functions
from linkwork.elements.layout import (
    CD, CK, CM, GRAVITY, OMEGA, OUT, POS, ROT, TANGENT, VEL, add33, write,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.rotations import inverse_tangent
from linkwork.kernels.vectors import (
    IDENTITY, accumulate, add, at, at9, cm, cross, dot, madd, mc, mm, mscale, mv, scale, skew, sub,
    three, tm, tv,
)  # fmt: skip
from linkwork.model.outputs import MASS_OUTPUTS
from linkwork.model.registry import Entry, Family, Mass, point_masses

KINDS = ("lumped", "consistent")
EACH = 3  # of offsets f
QUADRATURE = np.polynomial.legendre.leggauss(5)


def places(n: int) -> tuple[int, int, int, int]:
    """Where A, B and C begin, and how many numbers there are."""
    return EACH * n, EACH * n + n * n, EACH * n + n * n + n**3, EACH * n + 2 * n * n + n**3


@inlined
def beam_mass_outputs(reals, k, C, n, g, c, v):
    """Energies and momenta, of centres c and their velocities v."""
    kinetic, stored, momentum, spin = 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(n):
        for j in range(n):
            m = reals[k, C + n * i + j]
            p = scale(m, at(v, j, 0))
            kinetic += 0.5 * dot(at(v, i, 0), p)
            stored -= m * dot(g, at(c, j, 0))
            momentum = add(momentum, p)
            spin = add(spin, cross(at(c, i, 0), p))
    return (kinetic, stored) + momentum + spin


def beam_inertia_kernel(ints, reals, motion, loads):
    nodes, vdot, x, coef = motion.nodes, motion.vdot, motion.x, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    g, cM, cD, cK = three(coef, GRAVITY), coef[CM], coef[CD], coef[CK]
    n = 3 if ints.shape[1] == 12 else 2
    A, B, C = EACH * n, EACH * n + n * n, EACH * n + n * n + n * n * n
    c, b, v, H = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 9))
    for k in range(ints.shape[0]):
        offset = False
        for j in range(n):
            body, arm = ints[k, j], at(reals, k, EACH * j)
            R, w = at9(nodes, body, ROT), at(nodes, body, OMEGA)
            turn = cross(w, arm)
            z = add(cross(at(vdot, body, 3), arm), cross(w, turn))
            place = add(at(nodes, body, POS), mv(R, arm))
            accelerated = sub(add(at(vdot, body, 0), mv(R, z)), g)
            speed = add(at(nodes, body, VEL), mv(R, turn))
            offset = offset or arm[0] != 0.0 or arm[1] != 0.0 or arm[2] != 0.0
            for i in range(3):
                c[j, i], b[j, i], v[j, i] = place[i], accelerated[i], speed[i]
        if coef[OUT] != 0.0:
            write(loads.out, k, beam_mass_outputs(reals, k, C, n, g, c, v))
        more = 0.0
        for i in range(n):
            for j in range(n):
                more += reals[k, C + n * i + j] * dot(at(v, i, 0), at(b, j, 0))
        for i in range(n):
            body = ints[k, i]
            R, here = at9(nodes, body, ROT), at(nodes, body, POS)
            F, M = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            for j in range(n):
                L, Hj = scale(-reals[k, A + n * i + j], here), (0.0, 0.0, 0.0)
                F = add(F, scale(reals[k, A + n * i + j], at(b, j, 0)))
                for m in range(n):
                    L = add(L, scale(reals[k, B + n * (n * i + m) + j], at(c, m, 0)))
                    Hj = add(Hj, scale(reals[k, B + n * (n * i + j) + m], at(b, m, 0)))
                M = add(M, cross(L, at(b, j, 0)))
                for m in range(3):
                    H[j, m], H[j, 3 + m] = L[m], Hj[m]
            local = tv(R, M)
            accumulate(f, body, 0, F)
            accumulate(f, body, 3, local)
            more -= dot(F, at(nodes, body, VEL)) + dot(local, at(nodes, body, OMEGA))
            if coef[TANGENT] == 0.0:
                continue
            for j in range(n):
                other, base, a = ints[k, j], ints[k, n + n * i + j], reals[k, A + n * i + j]
                L, Hj = at(H, j, 0), at(H, j, 3)
                add33(vals, base, 0, 0, cM * a, IDENTITY)
                add33(vals, base, 3, 0, cM, tm(R, skew(L)))
                add33(vals, base, 3, 0, -cK, tm(R, skew(Hj)))
                if offset:
                    arm, Rj = at(reals, k, EACH * j), at9(nodes, other, ROT)
                    w, S = at(nodes, other, OMEGA), skew(arm)
                    T = inverse_tangent(at(x, other, 3))
                    turn = cross(w, arm)
                    z = add(cross(at(vdot, other, 3), arm), cross(w, turn))
                    W = madd(mm(skew(w), S), skew(turn))
                    X = mm(Rj, mm(mscale(-1.0, madd(mscale(cM, S), mscale(cD, W))), T))
                    X = madd(X, mscale(-cK, mc(Rj, z)))
                    add33(vals, base, 0, 3, a, X)
                    add33(vals, base, 3, 3, 1.0, tm(R, cm(L, X)))
                    add33(vals, base, 3, 3, cK, tm(R, cm(Hj, mc(Rj, arm))))
                if i == j:
                    add33(vals, base, 3, 0, cK, tm(R, skew(F)))
                    add33(vals, base, 3, 3, cK, tm(R, cm(M, R)))
        power[1] += more


BEAM_INERTIA_KERNEL = Kernel(beam_inertia_kernel, allocates=True)


def masses_of_nodes(reals: np.ndarray) -> list[Mass]:
    """Σ_j C_ij at each node: as heavy as the element, with the same centre of mass."""
    n = 2 if reals.shape[1] == places(2)[3] else 3
    masses = reals[:, places(n)[2] : places(n)[3]].reshape(-1, n, n).sum(axis=2)
    return [point_masses(masses[:, i], reals[:, EACH * i : EACH * i + 3]) for i in range(n)]


@functools.cache
def beam_inertia_family(nodes: int) -> Family:
    return Family(
        f"inertia of a beam of {nodes} nodes", BEAM_INERTIA_KERNEL, bodies=nodes,
        reals=places(nodes)[3], inertial=True, masses=masses_of_nodes, outputs=MASS_OUTPUTS,
    )  # fmt: skip


def cuts(n: int) -> list[float]:
    """ξ of the ends of all pieces."""
    return [-1.0, *POINTS[n], 1.0]


def beam_inertia_entry(
    bodies: tuple[Any, ...], p: np.ndarray, offsets: np.ndarray, mass: Any
) -> Entry:
    """Of an element through points p (n, 3) at rest with centres of mass at `offsets` (n, 3).

    mass : a function of ξ, kg/m
    """
    n = len(bodies)
    reals = np.zeros(places(n)[3])
    reals[: EACH * n] = np.ravel(offsets)
    A, B, C = np.zeros((n, n)), np.zeros((n, n, n)), np.zeros((n, n))
    for i, (a, b) in enumerate(zip(cuts(n)[:-1], cuts(n)[1:])):
        for x, weight in zip(*QUADRATURE):
            xi = (a + b) / 2 + (b - a) / 2 * x
            N, N1 = shape_functions(n, xi)
            dm = weight * (b - a) / 2 * float(np.linalg.norm(N1 @ p)) * mass(xi)
            A[i] += dm * N
            B[i] += dm * np.outer(N, N)
            C += dm * np.outer(N, N)
    reals[EACH * n :] = np.concatenate([A.ravel(), B.ravel(), C.ravel()])
    return Entry(beam_inertia_family(n), bodies, reals)
