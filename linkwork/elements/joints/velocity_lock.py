"""Rows on the level of velocity: components of a relative velocity held or driven (nonholonomic).

Frame S on body a, frame P on body b, axes E those of S or of P; with the relative velocity
U = v_b + w_b × s_P − v_a − w_a × l as in deformable.slide, l = r_P − r_a, w = R ω, and unit vectors
e_i of E,

    φ = e_i·U − u_i(t)             rows x y z
    φ = e_i·(w_b − w_a) − u_i(t)   rows rx ry rz                φ = A(q) v + C_t,   C_t = −u(t)

    A:  x y z     b  e, R_bᵀ(s_P × e);   a  −e, −R_aᵀ(l × e)
        rx ry rz  b  0, R_bᵀ e;          a  0, −R_aᵀ e
    reaction Aᵀγ, F = Σ γ e and G = Σ γ e:  its change K_c along each of the twelve increments
    Q_c = −dφ/dt at zero accelerations = u̇ − ė·U − e·(w_b × (w_b × s_P) − w_a × l̇),   and so on

Such a row says nothing about positions.  In a step, where v = cv x + …, the row C = φ/cv takes the
place of a position row: C_q = A but for terms of the order of the step, so that Newton's method
converges with that factor.  cv is the ratio of `coef`'s D and K parts; where that is zero (assembly
of positions, evaluations at rest) C is zero.  (MBDyn's manual, 9.1.13, velocity components of the
total joint.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.deformable.bushing import add_column, moved_by
from linkwork.elements.joints.joints import markers, parse_rows
from linkwork.elements.layout import (
    AA, AB, BA, BB, CA, CB, CD, CK, EQ, KC, OMEGA, OUT, POS, QUAT, ROT, ROWS, TANGENT, VEL, A, B,
    M, multipliers, put6, write,
)  # fmt: skip
from linkwork.elements.joints.motion_laws import ROW_NAMES, row_laws
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qmul, rotation_matrix
from linkwork.kernels.vectors import (
    accumulate, add, at, at4, at9, column, cross, dot, mv, scale, sub, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.frame import Frame
from linkwork.model.given import (
    DirectionLike, FrameLike, Functions, OrientationLike, RowsLike, VectorLike, given,
)
from linkwork.model.outputs import REACTION
from linkwork.model.registry import Entry, Family, Item, Law

# reals: the frames on their bodies, whether the axes are those of P, then u and u̇ of the six rows
UA, QA, UB, QB, SECOND, VALUE, RATE, REALS = record(
    ua=3, qa=4, ub=3, qb=4, second=1, value=6, rate=6, reals=0
)
ZERO = (0.0, 0.0, 0.0)
SLOTS = ROWS + 6  # in ints: the multiplier of each of the six rows


@inlined
def velocity_stiffness(vals, ints, k, Ra, Rb, sb, l, F, G, second, cK):
    """K_c: F and G turn with E, column by column."""
    moment_a, moment_b = add(cross(l, F), G), add(cross(sb, F), G)
    for j in range(12):
        pa, pb, dl = moved_by(j, Ra, Rb, sb)
        turn = pb if second else pa
        dF, dG = cross(turn, F), cross(turn, G)
        da = add(add(cross(l, dF), cross(dl, F)), sub(dG, cross(pa, moment_a)))
        db = add(add(cross(sb, dF), cross(cross(pb, sb), F)), sub(dG, cross(pb, moment_b)))
        base_a, base_b = ints[k, AA], ints[k, BA]
        if j >= 6:
            base_a, base_b = ints[k, AB], ints[k, BB]
        add_column(vals, base_a, j % 6, scale(-cK, dF), scale(-cK, tv(Ra, da)))
        add_column(vals, base_b, j % 6, scale(cK, dF), scale(cK, tv(Rb, db)))


def velocity_kernel(ints, reals, motion, loads):
    nodes, gamma, coef = motion.nodes, motion.gamma, motion.coef
    f, C, Ct, Qc, vals = loads.f, loads.C, loads.Ct, loads.Qc, loads.vals
    for k in range(ints.shape[0]):
        a, b, eq, m = ints[k, A], ints[k, B], ints[k, EQ], ints[k, M]
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        second = reals[k, SECOND] != 0.0
        E = rotation_matrix(qmul(at4(nodes, a, QUAT), at4(reals, k, QA)))
        if second:
            E = rotation_matrix(qmul(at4(nodes, b, QUAT), at4(reals, k, QB)))
        sb = mv(Rb, at(reals, k, UB))
        l = sub(add(at(nodes, b, POS), sb), at(nodes, a, POS))
        wa, wb = mv(Ra, at(nodes, a, OMEGA)), mv(Rb, at(nodes, b, OMEGA))
        nb, wr = cross(wb, sb), sub(wb, wa)
        l1 = sub(add(at(nodes, b, VEL), nb), at(nodes, a, VEL))
        U = sub(l1, cross(wa, l))
        U1 = sub(cross(wb, nb), cross(wa, l1))
        spin = wb if second else wa
        factor = 0.0
        if coef[CD] != 0.0:
            factor = coef[CK] / coef[CD]
        F, G = ZERO, ZERO
        for j in range(m):
            i = ints[k, ROWS + j]
            e = column(E, i % 3)
            e1 = cross(spin, e)
            if i < 3:
                rate, change = dot(e, U), dot(e1, U) + dot(e, U1)
                F = add(F, scale(gamma[eq + j], e))
                force_a, moment_a = scale(-1.0, e), scale(-1.0, tv(Ra, cross(l, e)))
                force_b, moment_b = e, tv(Rb, cross(sb, e))
            else:
                rate, change = dot(e, wr), dot(e1, wr)
                G = add(G, scale(gamma[eq + j], e))
                force_a, moment_a = ZERO, scale(-1.0, tv(Ra, e))
                force_b, moment_b = ZERO, tv(Rb, e)
            C[eq + j] = factor * (rate - reals[k, VALUE + i])
            Ct[eq + j] = -reals[k, VALUE + i]
            Qc[eq + j] = reals[k, RATE + i] - change
            if coef[TANGENT] != 0.0:
                put6(vals, ints[k, CA], j, force_a, moment_a)
                put6(vals, ints[k, CB], j, force_b, moment_b)
        if coef[OUT] != 0.0:
            force = scale(-1.0, multipliers(ints, k, gamma, SLOTS))
            torque = scale(-1.0, multipliers(ints, k, gamma, SLOTS + 3))
            write(loads.out, k, force + torque + E + add(at(nodes, b, POS), sb))
        accumulate(f, b, 0, F)
        accumulate(f, b, 3, tv(Rb, add(cross(sb, F), G)))
        accumulate(f, a, 0, scale(-1.0, F))
        accumulate(f, a, 3, scale(-1.0, tv(Ra, add(cross(l, F), G))))
        if coef[TANGENT] != 0.0 and coef[KC] != 0.0:
            velocity_stiffness(vals, ints, k, Ra, Rb, sb, l, F, G, second, coef[CK])


VELOCITY = Family(
    "velocity lock", Kernel(velocity_kernel), bodies=2, rows=6, angles=(3, 4, 5), reals=REALS,
    velocity=(0, 1, 2, 3, 4, 5),
    outputs=REACTION,
)  # fmt: skip


@dataclass(eq=False)
class VelocityLock(Item):
    """Holds or drives components of the velocity of b relative to a; positions are free.

    a, b        : the two bodies, a may be lw.GROUND; or frames on them (lw.Frame)
    at          : (x, y, z) of the markers in the reference configuration (m, world axes)
    axis        : direction of the markers' axis z (world axes); default (0, 0, 1)
    orientation : quaternion (w, x, y, z) of the markers' axes in the world, instead of axis
    rows        : components x y z (m/s) of the velocity of b's marker seen from a, and rx ry rz
                  (rad/s) of the relative angular velocity; default all, "x y z rx ry rz"
    drive       : {row: function of time} (m/s, rad/s); rows without one are held at zero
    axes        : rows are in the axes of the marker on "a" (default) or on "b"

    Rolling, skating and speeds that no angle goes with are of this kind.  Implicit methods step
    with it in the form that is not stabilised.

    Example
    -------
    >>> import linkwork as lw
    >>> skate = lw.Body(1, (1, 1, 1))
    >>> blade = lw.VelocityLock(lw.GROUND, skate, at=(0, 0, 0), rows="y", axes="b")
    """

    a: FrameLike
    b: FrameLike
    at: VectorLike | None = None
    axis: DirectionLike | None = None
    orientation: OrientationLike | None = None
    rows: RowsLike = "x y z rx ry rz"
    drive: Functions = given(None)
    axes: str = "a"
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        rows = parse_rows(self.rows, what)
        self.frames = markers(
            self.a, self.b, self.at, self.axis, self.orientation, what, min(rows) < 3
        )
        self.drive = row_laws(self.drive, rows, "drive", what)
        checks.choice(self.axes, f"axes of {what}", ("a", "b"))

    def entries(self) -> list[Entry]:
        fa, fb = self.frames
        reals = np.zeros(REALS)
        reals[UA : UA + 3], reals[QA : QA + 4] = fa.position, fa.orientation
        reals[UB : UB + 3], reals[QB : QB + 4] = fb.position, fb.orientation
        reals[SECOND] = self.axes == "b"
        rows = parse_rows(self.rows, self.label)
        entry = Entry(VELOCITY, (fa.body, fb.body), reals, rows, row_names=ROW_NAMES)
        drives = self.drive or {}
        if drives:
            def values(t: np.ndarray) -> np.ndarray:
                out = np.zeros((len(t), 12))
                for row, drive in drives.items():
                    i = ROW_NAMES.index(row)
                    out[:, [i, 6 + i]] = drive.jet(t)[:, :2]
                return out

            entry.laws = [Law(VALUE, values, 12)]
            entry.driven = tuple(r for r in rows if ROW_NAMES[r] in drives)
        return [entry]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> VelocityLock:
        from linkwork.model.drives import polynomial

        rows = [ROW_NAMES[i] for i in sorted(rng.choice(6, rng.integers(1, 7), replace=False))]
        return cls(
            a, b, at=rng.normal(size=3), axis=rng.normal(size=3), rows=rows,
            drive={r: polynomial(rng.uniform(-0.5, 0.5, 3)) for r in rows[:2]},
            axes="b" if rng.integers(2) else "a",
        )  # fmt: skip
