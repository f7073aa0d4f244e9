"""The torsion spring and damper about the z axis of a joint.

The angle is the twist about z of the relative quaternion ρ = q_S* q_P = (s, v) of the markers,

    φ = 2 atan2(v_z, s) + 2π n,   N = k (φ − φ₀) + c φ̇        (torque on b about z: −N)

with n such that φ is nearest to the angle at the last accepted step (the element's memory), so
that the spring counts turns.  With p = s² + v_z² and rotations θ_P, θ_S of the markers in their
own axes

    δφ = g_P·θ_P − g_S·θ_S,   g_P = ((v_z v_x − s v_y)/p, (v_z v_y + s v_x)/p, 1)
                              g_S = ((v_z v_x + s v_y)/p, (v_z v_y − s v_x)/p, 1)

so the residual takes N m_b in body b and −N m_a in body a, m_b = R(q_B) g_P, m_a = R(q_A) g_S in
body axes, and φ̇ = m_b·ω_b − m_a·ω_a: the exact gradient of k/2 (φ − φ₀)², also where rx and ry
are violated or free.  The tangent differentiates these along δρ = ρ θ_P/2 and −θ_S ρ/2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.forces.joint_checks import refuse_moving_markers, refuse_other_items
from linkwork.elements.joints.joints import Revolute
from linkwork.elements.layout import (
    AA, AB, ACCEPT, BA, BB, CD, CK, OMEGA, OUT, QUAT, STRIDE, TANGENT, A, B, write,
)  # fmt: skip
from linkwork.elements.joints.orthogonal import Universal
from linkwork.elements.signals.load_formulas import load_reading
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qadd, qconj, qmul, qscale, rotation_matrix
from linkwork.kernels.vectors import accumulate, add, at, at4, dot, mv, scale, tv
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.outputs import POWER, STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item, Memory

QA, QB, STIFFNESS, DAMPING, ANGLE, REALS = record(
    qa=4, qb=4, stiffness=1, damping=1, angle=1, reals=0
)
LAST = REALS  # the angle at the last step, which functions for results have behind the reals
TURN = 2 * math.pi


@inlined
def twist_gradients(rho):
    """g_P and g_S."""
    s, x, y, z = rho
    p = s * s + z * z
    return ((z * x - s * y) / p, (z * y + s * x) / p, 1.0), (
        (z * x + s * y) / p, (z * y - s * x) / p, 1.0,
    )  # fmt: skip


@inlined
def twist_changes(rho, gP, gS, d):
    """Changes of φ, g_P and g_S for a change d of ρ."""
    s, x, y, z = rho
    p = s * s + z * z
    dp = 2.0 * (s * d[0] + z * d[3])
    zx, sy = d[3] * x + z * d[1], d[0] * y + s * d[2]
    zy, sx = d[3] * y + z * d[2], d[0] * x + s * d[1]
    dP = ((zx - sy - gP[0] * dp) / p, (zy + sx - gP[1] * dp) / p, 0.0)
    dS = ((zx + sy - gS[0] * dp) / p, (zy - sx - gS[1] * dp) / p, 0.0)
    return 2.0 * (s * d[3] - z * d[0]) / p, dP, dS


@inlined
def twist_bend(rho, gP, gS, RA, RB, wa, wb):
    """φ̈ without accelerations, ṁ_b·ω_b − ṁ_a·ω_a."""
    oa, ob = tv(RA, wa), tv(RB, wb)
    left, right = (0.0, -oa[0], -oa[1], -oa[2]), (0.0, ob[0], ob[1], ob[2])
    _, dP, dS = twist_changes(
        rho, gP, gS, qscale(0.5, qadd(qmul(rho, right), qmul(left, rho)))
    )
    return dot(dP, ob) - dot(dS, oa)


@inlined
def add_moments(vals, base, j, x):
    """Add x to the rotation rows of column j of a block."""
    p = base + 3 * STRIDE + j
    vals[p] += x[0]
    vals[p + STRIDE] += x[1]
    vals[p + 2 * STRIDE] += x[2]


@inlined
def torsion_tangent(vals, aa, ab, ba, bb, rho, gP, gS, RA, RB, ma, mb, wa, wb, N, k, c, cK, cD):
    """Column by column: rotations of a, then of b, about their body axes, in the blocks aa … bb."""
    for j in range(6):
        r = 3 * (j % 3)
        if j < 3:
            theta = (0.0, RA[r], RA[r + 1], RA[r + 2])
            drho = qscale(-0.5, qmul(theta, rho))
            base_a, base_b = aa, ba
        else:
            theta = (0.0, RB[r], RB[r + 1], RB[r + 2])
            drho = qscale(0.5, qmul(rho, theta))
            base_a, base_b = ab, bb
        dphi, dP, dS = twist_changes(rho, gP, gS, drho)
        da, db = mv(RA, dS), mv(RB, dP)
        dN = (cK * k + cD * c) * dphi + cK * c * (dot(db, wb) - dot(da, wa))
        column = 3 + j % 3
        add_moments(vals, base_a, column, scale(-1.0, add(scale(dN, ma), scale(cK * N, da))))
        add_moments(vals, base_b, column, add(scale(dN, mb), scale(cK * N, db)))


@inlined
def twist(reals, i, axes, last, nodes, a, b):
    """ρ, its gradients, the markers' axes, arms of a unit torque, ω, angle over turns, its rate.

    axes: where reals have both quaternions;   last: the angle at the last step
    """
    qA, qB = at4(reals, i, axes), at4(reals, i, axes + 4)
    RA, RB = rotation_matrix(qA), rotation_matrix(qB)
    wa, wb = at(nodes, a, OMEGA), at(nodes, b, OMEGA)
    rho = qmul(qconj(qmul(at4(nodes, a, QUAT), qA)), qmul(at4(nodes, b, QUAT), qB))
    gP, gS = twist_gradients(rho)
    ma, mb = mv(RA, gS), mv(RB, gP)
    phi = 2.0 * math.atan2(rho[3], rho[0])
    phi += TURN * math.floor((last - phi) / TURN + 0.5)
    return rho, gP, gS, RA, RB, ma, mb, wa, wb, phi, dot(mb, wb) - dot(ma, wa)


def torsion_kernel(ints, reals, motion, loads):
    nodes, coef = motion.nodes, motion.coef
    f, vals, power, memory = loads.f, loads.vals, loads.power, motion.memory
    for i in range(ints.shape[0]):
        a, b = ints[i, A], ints[i, B]
        k, c = reals[i, STIFFNESS], reals[i, DAMPING]
        rho, gP, gS, RA, RB, ma, mb, wa, wb, phi, rate = twist(
            reals, i, QA, memory[i, 0], nodes, a, b
        )
        N = k * (phi - reals[i, ANGLE]) + c * rate
        accumulate(f, b, 3, scale(N, mb))
        accumulate(f, a, 3, scale(-N, ma))
        power[0] += c * rate * rate
        if coef[OUT] != 0.0:
            x = phi - reals[i, ANGLE]
            write(loads.out, i, (phi, rate, -N, -N * rate, 0.5 * k * x * x))
        if coef[ACCEPT] != 0.0:
            memory[i, 0] = phi
        if coef[TANGENT] != 0.0:
            torsion_tangent(
                vals, ints[i, AA], ints[i, AB], ints[i, BA], ints[i, BB], rho, gP, gS, RA, RB, ma,
                mb, wa, wb, N, k, c, coef[CK], coef[CD],
            )  # fmt: skip


# --------------------------------------------------------------------------- results, in numpy


def relative_quaternion(reals: np.ndarray, q: Any) -> np.ndarray:
    """ρ = q_S* q_P over time, (T, 4)."""
    qS = rotations.multiply(q[0], reals[:, QA : QA + 4])
    qP = rotations.multiply(q[1], reals[:, QB : QB + 4])
    return rotations.multiply(rotations.conjugate(qS), qP)


def quaternion_gradients(rho: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """g_P and g_S over time, (T, 3) each."""
    s, x, y, z = rho.T
    p, one = s * s + z * z, np.ones_like(s)
    gP = np.stack([(z * x - s * y) / p, (z * y + s * x) / p, one], axis=1)
    return gP, np.stack([(z * x + s * y) / p, (z * y - s * x) / p, one], axis=1)


def twist_angle(reals: np.ndarray, q: Any) -> np.ndarray:
    """φ over time: the first nearest to the memory, then less than half a turn from one another."""
    rho = relative_quaternion(reals, q)
    phi = np.unwrap(2 * np.arctan2(rho[:, 3], rho[:, 0]), period=TURN)
    return phi + TURN * np.round((reals[0, LAST] - phi[0]) / TURN)


def described_angle(q: Any) -> float:
    """φ of the markers with quaternions q_S and q_P, within half a turn."""
    rho = rotations.multiply(rotations.conjugate(q[0]), q[1])
    return 2 * math.atan2(rho[3], rho[0])


TORSION = Family(
    "torsion spring", Kernel(torsion_kernel), bodies=2, reals=REALS,
    memory=Memory(turns=("angle",)),
    outputs=(
        Output("angle", "rad"), Output("rate", "rad/s"),
        Output("torque", "N m", words="torque on the second body about the axis"), POWER,
        STORED_ENERGY,
    ),
)  # fmt: skip


def check_joint(joint: Any, what: str, driven: bool = False) -> None:
    """Refuse a joint that does not turn about the z axis of markers fixed to its bodies.

    driven : a motor, whose turn is a function of time, will do too
    """
    refuse_other_items(joint, what, "a Revolute")
    held = 5 in joint.active and not (driven and "rz" in joint.laws().get("t", {}))
    if isinstance(joint, Universal) or held:
        raise ModelError(
            f"{what} cannot act on {joint.label}, which has no free rotation about its z axis; "
            "use a joint such as a Revolute or a Cylindrical"
        )
    refuse_moving_markers(joint, what)


@dataclass(eq=False)
class TorsionSpring(Item):
    """A linear torsion spring and damper about the axis of a joint that turns.

    joint     : a Revolute, Cylindrical or any other that turns freely about its axis
    stiffness : N m/rad
    damping   : N m s/rad; default 0
    angle     : of the joint, at which the spring has no torque (rad); default 0

    It counts turns, from the angle where the joint starts.  Outputs: angle, rate, torque (on b,
    about the axis), power.

    Example
    -------
    >>> import linkwork as lw
    >>> door = lw.Body(10, (1, 1, 1), position=(0.5, 0, 0))
    >>> hinge = lw.Revolute(lw.GROUND, door, at=(0, 0, 0), axis=(0, 0, 1))
    >>> closer = lw.TorsionSpring(hinge, stiffness=5, damping=1, angle=-0.2)
    """

    joint: Revolute
    stiffness: float
    damping: float = 0.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        what = self.label
        check_joint(self.joint, what)
        self.stiffness = checks.number(self.stiffness, f"stiffness of {what}")
        self.damping = checks.number(self.damping, f"damping of {what}", minimum=0)
        self.angle = checks.number(self.angle, f"angle of {what}")

    def needs(self) -> tuple[Item, ...]:
        return (self.joint,)

    def reading(self, quantity: str, axis: Any) -> Drive:
        if quantity in ("angle", "rate"):
            return self.joint.reading(quantity, axis)
        return load_reading(self, quantity, axis, ("torque", "angle", "rate", "power"))

    def load_formula(self, quantity: str, axis: Any) -> Drive:
        """−k (φ − φ₀) − c φ̇ on b, and its power."""
        angle, rate = (self.joint.reading(word, None) for word in ("angle", "rate"))
        torque = -self.stiffness * angle + self.stiffness * self.angle
        if self.damping:
            torque = torque - self.damping * rate
        return torque if quantity == "torque" else torque * rate

    def entries(self) -> list[Entry]:
        fa, fb = self.joint.frames
        reals = np.zeros(REALS)
        reals[QA : QA + 4], reals[QB : QB + 4] = fa.orientation, fb.orientation
        reals[STIFFNESS : ANGLE + 1] = self.stiffness, self.damping, self.angle
        described = described_angle([f.world()[1] for f in (fa, fb)])
        memory = np.array([self.joint.start()[0].get("rz", described)])
        return [Entry(TORSION, (fa.body, fb.body), reals, memory=memory)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> list[Item]:  # type: ignore[override]
        joint = Revolute(a, b, at=rng.normal(size=3), axis=rng.normal(size=3))
        spring = cls(joint, rng.uniform(1, 5), damping=rng.uniform(0.5, 1), angle=rng.normal())
        return [joint, spring]
