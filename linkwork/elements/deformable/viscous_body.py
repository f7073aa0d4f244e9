"""The viscous body: a force and a moment on one body from its own velocity, by a law of six.

Frame S on the body, at u in body axes with rotation Q = R(q_S):

    ε̇ = (Qᵀ(Rᵀv + ω × u), Qᵀω),   σ = (n, μ)
    force −R Q n in world axes,   moment −(Q μ + u × Q n) in body axes

(MBDyn's manual, 9.3, with the sign of a resistance.)  Strain is zero.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.deformable.bushing import add_column
from linkwork.elements.deformable.joint_kernel import (
    CHANGE, CHANGE_RATE, CHANGE_STRESS, put3, room, stress_change, take3,
)  # fmt: skip
from linkwork.elements.laws import LinearViscous
from linkwork.elements.laws.base import (
    ConstitutiveLaw, RATE, STRAIN, STRESS, SUPPLIED, WANTED, WORK, law_at, law_numbers, padded,
    respond,
)  # fmt: skip
from linkwork.elements.layout import CD, CK, OMEGA, OUT, ROT, TANGENT, VEL, int_width, write
from linkwork.elements.signals.probes import FORCE, TORQUE, Probe, measured_load
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.memory.pointers import begin
from linkwork.kernels.record import record
from linkwork.kernels.rotations import rotation_matrix
from linkwork.kernels.vectors import accumulate, add, at, at4, at9, cross, dot, mv, scale, tv
from linkwork.model.drives import Drive
from linkwork.model.frame import GROUND, Frame, as_frame
from linkwork.model.given import FrameLike
from linkwork.model.outputs import POWER, Output
from linkwork.model.registry import Entry, Family, Item

U, QS, LAW = record(u=3, qs=4, law=0)
LAW_CODES = int_width(1, 0)  # integers of the law
BODY, BASE = 0, 1
ZERO = (0.0, 0.0, 0.0)


def viscous_kernel(ints, reals, motion, loads):
    nodes, time, coef = motion.nodes, motion.time, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    y = np.zeros(WORK)
    for i in range(ints.shape[0]):
        b, u, Q = ints[i, BODY], at(reals, i, U), rotation_matrix(at4(reals, i, QS))
        R, v, w = at9(nodes, b, ROT), at(nodes, b, VEL), at(nodes, b, OMEGA)
        local = tv(R, v)
        put3(y, RATE, tv(Q, add(local, cross(w, u))))
        put3(y, RATE + 3, tv(Q, w))
        for j in range(6):
            y[STRAIN + j] = 0.0
        y[WANTED] = 0.0
        respond(time, law_at(reals, i, LAW), begin(y), law_at(ints, i, LAW_CODES))
        n, mu = mv(Q, take3(y, STRESS)), mv(Q, take3(y, STRESS + 3))
        accumulate(f, b, 0, mv(R, n))
        accumulate(f, b, 3, add(mu, cross(u, n)))
        power[1] += y[SUPPLIED]
        for j in range(6):
            power[0] += y[STRESS + j] * y[RATE + j]
        if coef[OUT] != 0.0:
            force, torque = scale(-1.0, take3(y, STRESS)), scale(-1.0, take3(y, STRESS + 3))
            gained = dot(force, take3(y, RATE)) + dot(torque, take3(y, RATE + 3))
            write(loads.out, i, force + torque + (gained,))
        if coef[TANGENT] != 0.0:
            cK, cD = coef[CK], coef[CD]
            for j in range(6):
                e = (1.0 if j % 3 == 0 else 0.0, 1.0 if j % 3 == 1 else 0.0,
                     1.0 if j % 3 == 2 else 0.0)  # fmt: skip
                turn, spin = ZERO, ZERO
                if j < 3:
                    move = scale(cD, tv(R, e))
                else:
                    turn, spin = e, scale(cD, e)
                    move = add(scale(cK, cross(local, e)), cross(spin, u))
                put3(y, CHANGE, ZERO)
                put3(y, CHANGE + 3, ZERO)
                put3(y, CHANGE_RATE, tv(Q, move))
                put3(y, CHANGE_RATE + 3, tv(Q, spin))
                stress_change(y, 0, 6)
                dn, dmu = mv(Q, take3(y, CHANGE_STRESS)), mv(Q, take3(y, CHANGE_STRESS + 3))
                force = mv(R, add(dn, scale(cK, cross(turn, n))))
                add_column(vals, ints[i, BASE], j, force, add(dmu, cross(u, dn)))


VISCOUS_KERNEL = Kernel(viscous_kernel, allocates=True)


@functools.cache
def viscous_family(places: int) -> Family:
    """Viscous bodies whose laws have at most so many numbers; all share one kernel."""
    return Family(
        f"viscous body of {places}", VISCOUS_KERNEL, bodies=1, reals=LAW + places,
        integers=places,
        outputs=(
            Output("force", "N", "xyz", "force on the body at the frame, in its axes"),
            Output("torque", "N m", "xyz", "torque on the body about the frame, in its axes"),
            POWER,
        ),
    )  # fmt: skip


@dataclass(eq=False)
class ViscousBody(Item):
    """A resistance to the motion of a body: force and moment from its velocity, by a law of six.

    frame : the body, or a frame on it (lw.Frame)
    law   : of six components: force (N) and moment (N m) from the velocity (m/s) of the frame's
            origin and the angular velocity (rad/s), in the frame's axes; needed

    Outputs: force and torque on the body at the frame, in its axes.

    Example
    -------
    >>> import linkwork as lw
    >>> ball = lw.Body.sphere(0.1, density=1000)
    >>> drag = lw.ViscousBody(ball, lw.laws.LinearViscous((2, 2, 2, 0.1, 0.1, 0.1)))
    """

    frame: FrameLike
    law: ConstitutiveLaw | None = None

    def __post_init__(self) -> None:
        if as_frame(self.frame, self.label).body is GROUND:
            raise ModelError(f"{self.label} acts on GROUND, which cannot move; give it a body")
        law_numbers(self.law, 6, self.label, LAW)

    def reading(self, quantity: str, axis: Any) -> Drive:
        return measured_load(self, quantity, axis, ("force", "torque"))

    def probe(self, quantity: str, which: int) -> Probe:
        frame, kind = as_frame(self.frame, self.label), FORCE if quantity == "force" else TORQUE
        return Probe(kind, ((0, 0),), frame.position, frame)

    def entries(self) -> list[Entry]:
        frame = as_frame(self.frame, self.label)
        numbers, integers, laws = law_numbers(self.law, 6, self.label, LAW)
        places = room(numbers, integers)
        reals = np.zeros(LAW + places)
        reals[U : U + 3], reals[QS : QS + 4] = frame.position, frame.orientation
        reals[LAW : LAW + len(numbers)] = numbers
        integers = padded(integers, places)
        ends = (frame.body,)
        return [Entry(viscous_family(places), ends, reals, laws=laws, integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> ViscousBody:
        X, q = rng.normal(size=(6, 6)), rng.normal(size=4)
        frame = Frame(a, rng.normal(size=3), q / np.linalg.norm(q))
        return cls(frame, LinearViscous(X @ X.T, prestress=rng.normal(size=6)))
