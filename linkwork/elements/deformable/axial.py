"""A law of one component of the turn about an axis: a torsion spring of any kind.

The angle is the twist φ of the frames about z, counted over turns, with its gradients m_b and m_a
as in elements.forces.torsion_spring:

    N = σ(φ, φ̇),   residual:  body b  N m_b,   body a  −N m_a,   φ̇ = m_b·ω_b − m_a·ω_a

(MBDyn's manual, 9.2.5, where the other two rotations must be held; here they may be free.)
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.corners import NOTES, corner_of, note
from linkwork.elements.forces import torsion_spring as ts
from linkwork.elements.deformable.joint_kernel import room
from linkwork.elements.joints.joints import Joint, markers
from linkwork.elements.laws import LinearViscoelastic
from linkwork.elements.laws.base import (
    ENERGY, KD, KE, RATE, STORED, STRAIN, STRESS, SUPPLIED, WANTED, WORK, ConstitutiveLaw,
    law_at, law_numbers, padded,
    respond,
)  # fmt: skip
from linkwork.elements.layout import (
    AA, AB, ACCEPT, BA, BB, CD, CK, OUT, TANGENT, A, B, int_width, write,
)  # fmt: skip
from linkwork.elements.forces.torsion_spring import QA, QB, torsion_tangent, twist
from linkwork.elements.signals.probes import Probe, about_axis, measured_load
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.memory.pointers import begin
from linkwork.kernels.record import record
from linkwork.kernels.vectors import accumulate, scale
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame
from linkwork.model.given import FrameLike, OrientationLike, VectorLike
from linkwork.model.outputs import POWER, STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item, Memory

# axes of both frames; the law.  Memory: notes, and last the angle
_, LAW = record(axes=8, law=0)
LAW_CODES = int_width(2, 0)  # integers of the law


def axial_kernel(ints, reals, motion, loads):
    nodes, time, coef = motion.nodes, motion.time, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    y, memory = np.zeros(WORK), motion.memory
    last = memory.shape[1] - 1
    for i in range(ints.shape[0]):
        a, b = ints[i, A], ints[i, B]
        rho, gP, gS, RA, RB, ma, mb, wa, wb, phi, rate = twist(
            reals, i, QA, memory[i, last], nodes, a, b
        )
        y[STRAIN], y[RATE], y[WANTED] = phi, rate, coef[OUT]
        respond(time, law_at(reals, i, LAW), begin(y), law_at(ints, i, LAW_CODES))
        if last > 0:
            note(memory, i, time, y)
        N, k, c = y[STRESS], y[KE], y[KD]
        accumulate(f, b, 3, scale(N, mb))
        accumulate(f, a, 3, scale(-N, ma))
        power[0] += (N - y[STORED]) * rate
        power[1] += y[SUPPLIED]
        if coef[OUT] != 0.0:
            write(loads.out, i, (phi, rate, -N, -N * rate, y[ENERGY]))
        if coef[ACCEPT] != 0.0:
            memory[i, last] = phi
        if coef[TANGENT] != 0.0:
            torsion_tangent(
                vals, ints[i, AA], ints[i, AB], ints[i, BA], ints[i, BB], rho, gP, gS, RA, RB, ma,
                mb, wa, wb, N, k, c, coef[CK], coef[CD],
            )  # fmt: skip


# --------------------------------------------------------------------------- results, in numpy


def as_torsion(reals: np.ndarray) -> np.ndarray:
    """The numbers of a torsion spring of stiffness zero with the same axes and memory."""
    out = np.zeros((len(reals), ts.REALS + 1))
    out[:, :LAW], out[:, ts.LAST] = reals[:, :LAW], reals[:, -1]
    return out


def axial_strain(integers: np.ndarray, reals: np.ndarray, r: Any, q: Any) -> np.ndarray:
    return ts.twist_angle(as_torsion(reals), q)


AXIAL_KERNEL = Kernel(axial_kernel, allocates=True)


@functools.cache
def axial_family(places: int, notes: int = 0) -> Family:
    """Deformable axes whose laws have at most so many numbers; all share one kernel."""
    name = f"deformable axis of {places}" + (" with a corner" if notes else "")
    return Family(
        name, AXIAL_KERNEL, bodies=2, reals=LAW + places, integers=places,
        memory=Memory(notes, ("angle",)),
        outputs=(
            Output("angle", "rad"), Output("rate", "rad/s"),
            Output("torque", "N m", words="torque on the second body about the axis"), POWER,
            STORED_ENERGY,
        ),
    )  # fmt: skip


@dataclass(eq=False)
class DeformableAxial(Item):
    """A moment about an axis from a law of one component of the angle, counted over turns.

    a, b        : the two bodies, or lw.GROUND, or frames on them (lw.Frame); or a is a joint that
                  turns about its axis, and b is left out
    law         : of one component: torque (N m) from angle (rad) and rate (rad/s); needed
    axis        : direction of the axis (world axes); default (0, 0, 1)
    orientation : quaternion (w, x, y, z) of axes in the world whose z is the axis, instead of axis

    Outputs: angle, rate, torque (on b, about the axis).

    Example
    -------
    >>> import linkwork as lw
    >>> door = lw.Body(10, (1, 1, 1), position=(0.5, 0, 0))
    >>> hinge = lw.Revolute(lw.GROUND, door, at=(0, 0, 0), axis=(0, 0, 1))
    >>> closer = lw.DeformableAxial(hinge, law=lw.laws.CubicElastic(5, 0, 1, viscosity=2))
    """

    a: FrameLike | Joint
    b: FrameLike | None = None
    law: ConstitutiveLaw | None = None
    axis: VectorLike | None = None
    orientation: OrientationLike | None = None
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.a, Joint) and self.b is None:
            ts.check_joint(self.a, self.label)
            self.frames = self.a.frames
        else:
            self.frames = markers(
                self.a, self.b, None, self.axis, self.orientation, self.label, False
            )
        law_numbers(self.law, 1, self.label, LAW)

    def needs(self) -> tuple[Joint, ...]:
        return (self.a,) if isinstance(self.a, Joint) and self.b is None else ()

    def reading(self, quantity: str, axis: Any) -> Drive:
        if quantity in ("angle", "rate") and self.needs():
            return self.needs()[0].reading(quantity, axis)
        offered = ("torque", *(("angle", "rate") if self.needs() else ()))
        return measured_load(self, quantity, axis, offered, along=False)

    def probe(self, quantity: str, which: int) -> Probe:
        return about_axis(self.frames)

    def entries(self) -> list[Entry]:
        fa, fb = self.frames
        numbers, integers, laws = law_numbers(self.law, 1, self.label, LAW)
        corner = corner_of(self.law, numbers, integers, LAW, self.frames, axial_strain, turns=True)
        notes, places = 0 if corner is None else NOTES, room(numbers, integers)
        integers = padded(integers, places)
        reals, memory = np.zeros(LAW + places), np.zeros(notes + 1)
        reals[QA : QA + 4], reals[QB : QB + 4] = fa.orientation, fb.orientation
        reals[LAW : LAW + len(numbers)] = numbers
        axes = [f.body.orientation[None] for f in (fa, fb)]
        start = ts.twist_angle(as_torsion(np.append(reals, 0.0)[None]), axes)
        memory[-1] = start[0]
        for joint in self.needs():  # which may say where it starts
            memory[-1] = joint.start()[0].get("rz", start[0])
        family = axial_family(places, notes)
        ends = fa.body, fb.body
        return [
            Entry(family, ends, reals, laws=laws, corner=corner, integers=integers, memory=memory)
        ]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> DeformableAxial:
        law = LinearViscoelastic(rng.uniform(1, 5), rng.uniform(1, 2), prestrain=rng.normal())
        return cls(a, b, law, axis=rng.normal(size=3))
