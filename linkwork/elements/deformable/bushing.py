"""The bushing: a linear spring and damper in all six directions between two frames.

Main frame S on body a, frame P on body b.  With the strain

    ε = (x, ψ),   x = R_Sᵀ (r_P − r_S),   exp(ψ̃) = R_Sᵀ R_P                 ψ the rotation vector

the law is σ = K ε + C ε̇ = (n, μ), from the potential εᵀ K ε/2, so that forces are its exact
gradient at any rotation below half a turn (where the rotation vector jumps); for small rotations
these are six ordinary springs, and a rotation about one principal axis has the torque k ψ always.
With T⁻¹ = I + ψ̃/2 + κ ψ̃², κ = (1 − φ/2 cot φ/2)/φ², φ = |ψ|,

    δψ = T⁻ᵀ R_Sᵀ (φ_b − φ_a),   F = R_S n,   G = R_S T⁻¹ μ
    residual:  body b  F, R_bᵀ(s_P × F + G);   body a  −F, −R_aᵀ(l × F + G),   l = r_P − r_a
    ẋ = R_Sᵀ V,  V = v_b − v_a + w_b × s_P − w_a × l,   ψ̇ = T⁻ᵀ R_Sᵀ (w_b − w_a)

The tangent differentiates these along each of the twelve increments; T⁻¹ by
δ(T⁻¹ μ) = δψ × μ/2 + 2 κ' (ψ·δψ) ψ × (ψ × μ) + κ (δψ × (ψ × μ) + ψ × (δψ × μ)), κ' = dκ/dφ².
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.joints.joints import markers
from linkwork.elements.layout import (
    AA, AB, BA, BB, CD, CK, OMEGA, OUT, POS, QUAT, ROT, STRIDE, TANGENT, VEL, A, B, write,
)  # fmt: skip
from linkwork.elements.signals.probes import Probe, between_frames, measured_load
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qconj, qmul, rotation_matrix
from linkwork.kernels.vectors import (
    accumulate, add, at, at4, at9, column, cross, dot, mv, scale, sub, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame
from linkwork.model.given import FrameLike, Given, MatrixLike, OrientationLike, VectorLike, given
from linkwork.model.outputs import POWER, STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item

# reals: the frames on their bodies; K and C as 3×3 blocks xx, xψ, ψx, ψψ
UA, QA, UB, QB, KK, CC, REALS = record(ua=3, qa=4, ub=3, qb=4, kk=36, cc=36, reals=0)
ZERO = (0.0, 0.0, 0.0)


@inlined
def rotation_vector(rho):
    """ψ of a unit quaternion, at most half a turn."""
    s, v = rho[0], (rho[1], rho[2], rho[3])
    if s < 0.0:
        s, v = -s, scale(-1.0, v)
    size = math.sqrt(dot(v, v))
    factor = 2.0
    if size > 0.0:
        factor = 2.0 * math.atan2(size, s) / size
    return scale(factor, v)


@inlined
def kappa(p2):
    """κ and dκ/dφ² for φ² = p2; the series are Bernoulli's, relative error below 1e-12."""
    if p2 < 0.25:
        k = 1 / 74724249600.0 + p2 * (3617 / 10670622842880000.0)
        k = 1 / 47900160.0 + p2 * (691 / 1307674368000.0 + p2 * k)
        k = 1 / 12.0 + p2 * (1 / 720.0 + p2 * (1 / 30240.0 + p2 * (1 / 1209600.0 + p2 * k)))
        d = 6 / 74724249600.0 + p2 * (7 * 3617 / 10670622842880000.0)
        d = 4 / 47900160.0 + p2 * (5 * 691 / 1307674368000.0 + p2 * d)
        d = 1 / 720.0 + p2 * (2 / 30240.0 + p2 * (3 / 1209600.0 + p2 * d))
        return k, d
    p = math.sqrt(p2)
    sine = math.sin(0.5 * p)
    cotangent = math.cos(0.5 * p) / sine
    k = 1.0 / p2 - cotangent / (2.0 * p)
    d = (-2.0 / (p2 * p) + cotangent / (2.0 * p2) + 1.0 / (4.0 * p * sine * sine)) / (2.0 * p)
    return k, d


@inlined
def bend(half, psi, k, z):
    """T⁻¹ z (half = ½) or T⁻ᵀ z (half = −½)."""
    y = cross(psi, z)
    return add(z, add(scale(half, y), scale(k, cross(psi, y))))


@inlined
def bend_change(half, psi, k, dk, z, d):
    """Change of T⁻¹ z (half = ½) or T⁻ᵀ z (half = −½) for a change d of ψ."""
    y, dy = cross(psi, z), cross(d, z)
    bent = scale(k, add(cross(d, y), cross(psi, dy)))
    return add(add(scale(half, dy), bent), scale(2.0 * dk * dot(psi, d), cross(psi, y)))


@inlined
def law(reals, i, c, x, psi):
    """The six-by-six matrix at column c times (x, ψ)."""
    n = add(mv(at9(reals, i, c), x), mv(at9(reals, i, c + 9), psi))
    return n, add(mv(at9(reals, i, c + 18), x), mv(at9(reals, i, c + 27), psi))


@inlined
def add_column(vals, base, j, force, moment):
    """Add a column of six to a block."""
    p = base + j
    for i in range(3):
        vals[p + i * STRIDE] += force[i]
        vals[p + (3 + i) * STRIDE] += moment[i]


@inlined
def moved_by(j, Ra, Rb, sb):
    """Rotations of a and b in world axes and the change of l, for the unit of unknown j of 12."""
    e = (1.0 if j % 3 == 0 else 0.0, 1.0 if j % 3 == 1 else 0.0, 1.0 if j % 3 == 2 else 0.0)
    if j < 3:
        return ZERO, ZERO, scale(-1.0, e)
    if j < 6:
        return column(Ra, j % 3), ZERO, ZERO
    if j < 9:
        return ZERO, ZERO, e
    turn = column(Rb, j % 3)
    return ZERO, turn, cross(turn, sb)


@inlined
def put_wrench(f, a, b, Ra, Rb, sb, l, F, G):
    """F at P and G into the residual of b, their opposites into that of a."""
    accumulate(f, b, 0, F)
    accumulate(f, b, 3, tv(Rb, add(cross(sb, F), G)))
    accumulate(f, a, 0, scale(-1.0, F))
    accumulate(f, a, 3, scale(-1.0, tv(Ra, add(cross(l, F), G))))


@inlined
def wrench_column(vals, ints, i, j, Ra, Rb, sb, l, pa, pb, dl, F, G, dF, dG, cK):
    """Column j of 12 of the tangent of `put_wrench`, with the changes of F, G and of the arms."""
    moment_a, moment_b = add(cross(l, F), G), add(cross(sb, F), G)
    da = add(cross(l, dF), scale(cK, sub(cross(dl, F), cross(pa, moment_a))))
    db = add(cross(sb, dF), scale(cK, sub(cross(cross(pb, sb), F), cross(pb, moment_b))))
    base_a, base_b = ints[i, AA], ints[i, BA]
    if j >= 6:
        base_a, base_b = ints[i, AB], ints[i, BB]
    add_column(vals, base_a, j % 6, scale(-1.0, dF), scale(-1.0, tv(Ra, add(da, dG))))
    add_column(vals, base_b, j % 6, dF, tv(Rb, add(db, dG)))


@inlined
def bushing_tangent(
    vals, ints, i, reals, Ra, Rb, S, sb, l, wa, wb, V, om, psi, k, dk, mu, F, G, cK, cD
):  # fmt: skip
    """Column by column: δr_a, θ_a, δr_b, θ_b."""
    nb = cross(wb, sb)
    for j in range(12):
        pa, pb, dl = moved_by(j, Ra, Rb, sb)
        turn = sub(pb, pa)
        # strains, and their rates by the positions at fixed velocities
        dx = tv(S, sub(dl, cross(pa, l)))
        dpsi = bend(-0.5, psi, k, tv(S, turn))
        dV = sub(cross(pb, nb), add(cross(cross(pa, wa), l), cross(wa, dl)))
        dx1 = tv(S, sub(dV, cross(pa, V)))
        dpsi1 = add(
            bend(-0.5, psi, k, tv(S, cross(turn, wb))),
            bend_change(-0.5, psi, k, dk, om, dpsi),
        )
        # stresses; the rates change with velocities as the strains do with positions
        n1, m1 = law(reals, i, KK, dx, dpsi)
        n2, m2 = law(
            reals, i, CC,
            add(scale(cK, dx1), scale(cD, dx)), add(scale(cK, dpsi1), scale(cD, dpsi)),
        )  # fmt: skip
        dF = add(mv(S, add(scale(cK, n1), n2)), scale(cK, cross(pa, F)))
        dg = add(
            bend(0.5, psi, k, add(scale(cK, m1), m2)),
            scale(cK, bend_change(0.5, psi, k, dk, mu, dpsi)),
        )
        dG = add(mv(S, dg), scale(cK, cross(pa, G)))
        wrench_column(vals, ints, i, j, Ra, Rb, sb, l, pa, pb, dl, F, G, dF, dG, cK)


@inlined
def relative_turn(nodes, reals, i, a, b):
    """Rotations of the bodies, of the marker on a, and the rotation vector from it to that on b."""
    qS = qmul(at4(nodes, a, QUAT), at4(reals, i, QA))
    rho = qmul(qconj(qS), qmul(at4(nodes, b, QUAT), at4(reals, i, QB)))
    return at9(nodes, a, ROT), at9(nodes, b, ROT), qS, rotation_matrix(qS), rotation_vector(rho)


def bushing_kernel(ints, reals, motion, loads):
    nodes, coef = motion.nodes, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    for i in range(ints.shape[0]):
        a, b = ints[i, A], ints[i, B]
        Ra, Rb, _, S, psi = relative_turn(nodes, reals, i, a, b)
        k, dk = kappa(dot(psi, psi))
        sb = mv(Rb, at(reals, i, UB))
        l = sub(add(at(nodes, b, POS), sb), at(nodes, a, POS))
        x = tv(S, sub(l, mv(Ra, at(reals, i, UA))))
        wa, wb = mv(Ra, at(nodes, a, OMEGA)), mv(Rb, at(nodes, b, OMEGA))
        V = sub(add(at(nodes, b, VEL), cross(wb, sb)), add(at(nodes, a, VEL), cross(wa, l)))
        om = tv(S, sub(wb, wa))
        x1, psi1 = tv(S, V), bend(-0.5, psi, k, om)
        n, mu = law(reals, i, KK, x, psi)
        nd, md = law(reals, i, CC, x1, psi1)
        mu = add(mu, md)
        F, G = mv(S, add(n, nd)), mv(S, bend(0.5, psi, k, mu))
        put_wrench(f, a, b, Ra, Rb, sb, l, F, G)
        power[0] += dot(x1, nd) + dot(psi1, md)
        if coef[OUT] != 0.0:
            force, torque = scale(-1.0, add(n, nd)), scale(-1.0, bend(0.5, psi, k, mu))
            gained = dot(force, x1) - dot(mu, psi1)
            stored = 0.5 * (dot(n, x) + dot(sub(mu, md), psi))
            write(loads.out, i, force + torque + x + psi + (gained, stored))
        if coef[TANGENT] != 0.0:
            bushing_tangent(
                vals, ints, i, reals, Ra, Rb, S, sb, l, wa, wb, V, om, psi, k, dk, mu, F, G,
                coef[CK], coef[CD],
            )  # fmt: skip


BUSHING = Family(
    "bushing", Kernel(bushing_kernel), bodies=2, reals=REALS,
    outputs=(
        Output("force", "N", "xyz", "force on the second body, in the axes of the first frame"),
        Output("torque", "N m", "xyz", "torque on the second body, in the axes of the first frame"),
        Output("displacement", "m", "xyz"), Output("rotation", "rad", "xyz"), POWER, STORED_ENERGY,
    ),
)  # fmt: skip


def six(value: Any, what: str) -> np.ndarray:
    """A symmetric 6×6 matrix from six numbers or a matrix."""
    X = checks.array(value)
    if X is not None and X.shape == (6,):
        X = np.diag(X)
    if X is None or X.shape != (6, 6) or not np.all(np.isfinite(X)):
        raise ModelError(
            f"{what} must be 6 numbers (x y z rx ry rz) or a 6×6 matrix, all finite, but "
            f"{checks.show(value)} was given"
        )
    scaled = X / (np.abs(X).max() or 1.0)
    if np.abs(scaled - scaled.T).max() > 1e-9:
        raise ModelError(f"{what} must be a symmetric matrix, but {checks.show(value)} was given")
    return X / 2 + X.T / 2


@dataclass(eq=False)
class Bushing(Item):
    """A linear elastic support in six directions, with damping, between two bodies.

    a, b        : the two bodies, or lw.GROUND, or frames on them (lw.Frame), which need not
                  coincide
    at          : (x, y, z), the point of both frames in the reference configuration (m, world
                  axes); needed unless frames are given
    orientation : quaternion (w, x, y, z) of the frames' axes in the world
    stiffness   : six numbers for x y z (N/m) and rx ry rz (N m/rad), or a symmetric 6×6 matrix, in
                  the axes of the frame on a; needed
    damping     : likewise (N s/m, N m s/rad); default none
    axis        : direction of the frames' axis z (world axes), instead of orientation

    Rotations are measured by the rotation vector, below half a turn.  Outputs: force and torque on
    b at its frame, displacement, rotation, all in the axes of the frame on a.

    Example
    -------
    >>> import linkwork as lw
    >>> engine = lw.Body(100, (5, 5, 5), position=(0, 0, 0.3))
    >>> mount = lw.Bushing(
    ...     lw.GROUND, engine, at=(0, 0, 0), stiffness=[1e5, 1e5, 2e5, 1e3, 1e3, 1e3],
    ...     damping=[100, 100, 200, 1, 1, 1],
    ... )
    """

    a: FrameLike
    b: FrameLike
    at: VectorLike | None = None
    orientation: OrientationLike | None = None
    stiffness: Given[np.ndarray, VectorLike | MatrixLike | None] = given(None)
    damping: Given[np.ndarray, VectorLike | MatrixLike | None] = given(None)
    axis: VectorLike | None = None
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        self.frames = markers(self.a, self.b, self.at, self.axis, self.orientation, what, True)
        if self.stiffness is None:
            raise ModelError(f"{what} needs stiffness=, six numbers for x y z rx ry rz")
        self.stiffness = six(self.stiffness, f"stiffness of {what}")
        damping = np.zeros(6) if self.damping is None else self.damping
        self.damping = six(damping, f"damping of {what}")
        largest = float(np.abs(self.damping).max()) or 1.0
        least = float(np.linalg.eigvalsh(self.damping / largest)[0])
        if least < -1e-9:
            raise ModelError(
                f"damping of {what} must not be negative in any direction, but is "
                f"{least * largest:g} in one"
            )

    def reading(self, quantity: str, axis: Any) -> Drive:
        return measured_load(self, quantity, axis, ("force", "torque"))

    def probe(self, quantity: str, which: int) -> Probe:
        return between_frames(self, quantity)

    def entries(self) -> list[Entry]:
        fa, fb = self.frames
        reals = np.zeros(REALS)
        reals[UA : UA + 3], reals[QA : QA + 4] = fa.position, fa.orientation
        reals[UB : UB + 3], reals[QB : QB + 4] = fb.position, fb.orientation
        for c, X in ((KK, self.stiffness), (CC, self.damping)):
            reals[c : c + 36] = X.reshape(2, 3, 2, 3).transpose(0, 2, 1, 3).ravel()
        return [Entry(BUSHING, (fa.body, fb.body), reals)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Bushing:
        X, Y = rng.normal(size=(2, 6, 6))
        return cls(
            a, b, at=rng.normal(size=3), axis=rng.normal(size=3), stiffness=X @ X.T, damping=Y @ Y.T
        )
