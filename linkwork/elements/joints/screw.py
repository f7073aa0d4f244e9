"""The screw: a cylindrical joint whose turn and travel are tied by the pitch.

Lock rows x y rx ry, and

    C = e·d − p/2π φ,   e = R_S z,   d = r_P − r_S,   φ the twist about z, counted over turns

with φ and its gradients m_b, m_a (body axes) as in forces.torsion_spring.  The first part is row
z of the lock joint (elements.joints.lock), F = γ e; the second a torque N = −γ p/2π about the axis:

    C_q:  b  eᵀ, (R_bᵀ(s_P × e) − p/2π m_b)ᵀ;   a  −eᵀ, (−R_aᵀ(l × e) + p/2π m_a)ᵀ,   l = r_P − r_a
    K_c:  those of row z with F, and of a torsion spring with the torque N
    Q_c = −(ë·d + 2 ė·ḋ + e·d̈) + p/2π (ṁ_b·ω_b − ṁ_a·ω_a)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.joints.joints import Joint, NamedJoint, markers
from linkwork.elements.layout import (
    AA, AB, ACCEPT, BA, BB, CK, EQ, KC, OMEGA, OUT, POS, QUAT, RATES, ROT, TANGENT, VEL, A, B, M,
    add33, put_row, write,
)  # fmt: skip
from linkwork.elements.forces.torsion_spring import (
    TURN, described_angle, torsion_tangent, twist_bend, twist_gradients,
)  # fmt: skip
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qconj, qmul, rotation_matrix
from linkwork.kernels.vectors import (
    accumulate, add, at, at4, at9, column, cross, dot, mm, mv, scale, skew, sub, tm, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.frame import Frame
from linkwork.model.given import (
    DirectionLike, FrameLike, Number, OrientationLike, VectorLike, given,
)
from linkwork.model.outputs import REACTION, Output
from linkwork.model.registry import Entry, Family, Memory

# reals: the frames on their bodies (axes first, as those of a torsion spring), p/2π.  Memory: the
# angle
QA, QB, UA, UB, LEAD, REALS = record(qa=4, qb=4, ua=3, ub=3, lead=1, reals=0)


@inlined
def axial_stiffness(vals, ints, k, cK, Ra, Rb, sb, l, F):
    """K_c of a force F along the main marker's axis, F on b at P and −F on a."""
    f = skew(F)
    X, Fl, sF = mm(f, Ra), mm(f, skew(l)), mm(skew(sb), f)
    add33(vals, ints[k, AA], 0, 3, cK, X)
    add33(vals, ints[k, AA], 3, 0, -cK, tm(Ra, f))
    add33(vals, ints[k, AA], 3, 3, cK, tm(Ra, mm(Fl, Ra)))
    add33(vals, ints[k, AB], 3, 0, cK, tm(Ra, f))
    add33(vals, ints[k, AB], 3, 3, -cK, tm(Ra, mm(mm(f, skew(sb)), Rb)))
    add33(vals, ints[k, BA], 0, 3, -cK, X)
    add33(vals, ints[k, BA], 3, 3, -cK, tm(Rb, mm(sF, Ra)))
    add33(vals, ints[k, BB], 3, 3, cK, tm(Rb, mm(sF, Rb)))


def screw_kernel(ints, reals, motion, loads):
    nodes, gamma, coef = motion.nodes, motion.gamma, motion.coef
    f, C, Qc, vals, memory = loads.f, loads.C, loads.Qc, loads.vals, motion.memory
    for k in range(ints.shape[0]):
        a, b, eq = ints[k, A], ints[k, B], ints[k, EQ]
        Ra, Rb, lead = at9(nodes, a, ROT), at9(nodes, b, ROT), reals[k, LEAD]
        qA, qB = at4(reals, k, QA), at4(reals, k, QB)
        qS = qmul(at4(nodes, a, QUAT), qA)
        rho = qmul(qconj(qS), qmul(at4(nodes, b, QUAT), qB))
        RA, RB = rotation_matrix(qA), rotation_matrix(qB)
        gP, gS = twist_gradients(rho)
        ma, mb = mv(RA, gS), mv(RB, gP)
        phi = 2.0 * math.atan2(rho[3], rho[0])
        phi += TURN * math.floor((memory[k, 0] - phi) / TURN + 0.5)
        if coef[ACCEPT] != 0.0:
            memory[k, 0] = phi
        if ints[k, M] == 0:
            continue
        e = column(rotation_matrix(qS), 2)
        sa, sb = mv(Ra, at(reals, k, UA)), mv(Rb, at(reals, k, UB))
        l = sub(add(at(nodes, b, POS), sb), at(nodes, a, POS))
        d = sub(l, sa)
        C[eq] = dot(e, d) - lead * phi
        ta = sub(scale(lead, ma), tv(Ra, cross(l, e)))
        tb = sub(tv(Rb, cross(sb, e)), scale(lead, mb))
        g = gamma[eq]
        accumulate(f, b, 0, scale(g, e))
        accumulate(f, b, 3, scale(g, tb))
        accumulate(f, a, 0, scale(-g, e))
        accumulate(f, a, 3, scale(g, ta))
        wa, wb = at(nodes, a, OMEGA), at(nodes, b, OMEGA)
        if coef[OUT] != 0.0:
            S, spin = rotation_matrix(qS), mv(Ra, wa)
            va = add(at(nodes, a, VEL), cross(spin, sa))
            vb = add(at(nodes, b, VEL), cross(mv(Rb, wb), sb))
            torque = tv(S, scale(g * lead, mv(Rb, mb)))
            reaction = (0.0, 0.0, -g) + torque + S + add(at(nodes, b, POS), sb)
            speed = dot(e, sub(vb, va)) + dot(cross(spin, e), d)
            write(
                loads.out, k, reaction + (phi, dot(mb, wb) - dot(ma, wa), dot(e, d), speed)
            )
        if coef[TANGENT] != 0.0:
            put_row(vals, ints, k, 0, scale(-1.0, e), ta, e, tb)
            if coef[KC] != 0.0:
                axial_stiffness(vals, ints, k, coef[CK], Ra, Rb, sb, l, scale(g, e))
                torsion_tangent(
                    vals, ints[k, AA], ints[k, AB], ints[k, BA], ints[k, BB], rho, gP, gS, RA, RB,
                    ma, mb, wa, wb, -g * lead, 0.0, 0.0, coef[CK], 0.0,
                )  # fmt: skip
        if coef[RATES] != 0.0:
            spin, turn = mv(Ra, wa), mv(Rb, wb)
            e1 = cross(spin, e)
            na, nb = cross(spin, sa), cross(turn, sb)
            d1 = sub(add(at(nodes, b, VEL), nb), add(at(nodes, a, VEL), na))
            d2 = sub(cross(turn, nb), cross(spin, na))
            second = dot(cross(spin, e1), d) + 2.0 * dot(e1, d1) + dot(e, d2)
            Qc[eq] = lead * twist_bend(rho, gP, gS, RA, RB, wa, wb) - second


SCREW = Family(
    "screw", Kernel(screw_kernel), bodies=2, rows=1, reals=REALS,
    memory=Memory(turns=("angle",)),
    outputs=(
        *REACTION, Output("angle", "rad"), Output("rate", "rad/s"), Output("displacement", "m"),
        Output("speed", "m/s"),
    ),
)  # fmt: skip


@dataclass(eq=False)
class Screw(Joint):
    """Turns about its axis and slides along it by `pitch` (m) per turn.

    a, b         : the two bodies, or lw.GROUND, or frames on them (lw.Frame), which then say where
                   the joint is
    at           : (x, y, z), the joint's point in the reference configuration (m, world axes);
                   needed unless frames are given
    axis         : direction of the joint's axis z (world axes); default (0, 0, 1)
    pitch        : travel per turn (m); positive for a right-handed thread, where b turns
                   right-handed about the axis as it moves along it; needed
    orientation  : quaternion (w, x, y, z) of the joint's axes in the world, instead of axis
    angle, rate  : at the start (rad, rad/s); default: as assembly finds it
    displacement, speed : at the start (m, m/s); default: as assembly finds it
    guided       : False leaves the thread alone, and other joints hold the axes together;
                   default True

    Angle and displacement are zero in the reference configuration.  Outputs: angle, rate,
    displacement, speed, and the reaction.

    Example
    -------
    >>> import linkwork as lw
    >>> nut = lw.Body(1, (1, 1, 1))
    >>> screw = lw.Screw(lw.GROUND, nut, (0, 0, 0), (0, 0, 1), pitch=0.005)
    """

    rows = "x y rx ry"
    a: FrameLike
    b: FrameLike
    at: VectorLike | None = None
    axis: DirectionLike | None = None
    pitch: Number = given(None)
    orientation: OrientationLike | None = None
    angle: float | None = None
    displacement: float | None = None
    rate: float | None = None
    speed: float | None = None
    guided: bool = True
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        checks.flag(self.guided, f"guided of {self.label}")
        self.frames = markers(
            self.a, self.b, self.at, self.axis, self.orientation, self.label, True
        )
        self.pitch = checks.number(self.pitch, f"pitch of {self.label}")
        self.start()

    @property
    def lead(self) -> float:
        """Travel for a radian (m)."""
        return float(self.pitch) / TURN

    def start(self) -> tuple[dict[str, float], dict[str, float]]:
        return NamedJoint.start(self)  # type: ignore[arg-type]

    def entries(self) -> list[Entry]:
        fa, fb = self.frames
        reals = np.zeros(REALS)
        reals[QA : QA + 4], reals[QB : QB + 4] = fa.orientation, fb.orientation
        reals[UA : UA + 3], reals[UB : UB + 3] = fa.position, fb.position
        reals[LEAD] = self.lead
        described = described_angle([f.world()[1] for f in (fa, fb)])
        ends, memory = (fa.body, fb.body), np.array([self.start()[0].get("rz", described)])
        thread = Entry(SCREW, ends, reals, (0,), row_names=("pitch",), memory=memory)
        return [self.lock_entry(self.active, {}), thread] if self.guided else [thread]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Screw:
        return cls(a, b, rng.normal(size=3), rng.normal(size=3), pitch=rng.uniform(0.5, 2))
