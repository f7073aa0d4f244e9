"""A force or torque on a body, in world axes (dead) or body axes (follower), scaled by a drive.

    F = y(t) F₀ or y(t) R F₀,   T likewise,   at the point r + s, s = R u

    residual:   −F,   −Rᵀ(s × F + T) = −(u × F_l + T_l),   F_l = RᵀF, T_l = RᵀT
    tangent (θ in body axes; a dead force at an arm has stiffness too):
        dead       0        and  −(ũ F̃_l + T̃_l)      in the columns θ
        follower   R F̃_l    and  0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.layout import CK, OMEGA, OUT, ROT, TANGENT, VEL, add33, write
from linkwork.elements.signals.load_formulas import component, load_reading, power_of_load
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    accumulate, add, at, at9, cross, dot, madd, mm, mv, scale, skew, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import Drive, as_drive
from linkwork.model.frame import GROUND, Frame, as_frame
from linkwork.model.given import FrameLike, FunctionOrNone, VectorLike, given
from linkwork.model.outputs import POWER, Output
from linkwork.model.registry import Entry, Family, Item

# reals: the point on the body, force, torque, whether they follow the body, the factor y(t)
U, FORCE_, TORQUE_, FOLLOWS, FACTOR, REALS = record(
    u=3, force_=3, torque_=3, follows=1, factor=1, reals=0
)
# ints of an element on one body
BODY, BASE = 0, 1


def force_kernel(ints, reals, motion, loads):
    nodes, coef = motion.nodes, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    for k in range(ints.shape[0]):
        b, y, u = ints[k, BODY], reals[k, FACTOR], at(reals, k, U)
        R, w = at9(nodes, b, ROT), at(nodes, b, OMEGA)
        F, T = scale(y, at(reals, k, FORCE_)), scale(y, at(reals, k, TORQUE_))
        follows = reals[k, FOLLOWS] != 0.0
        if follows:
            Fl, Tl, F = F, T, mv(R, F)
        else:
            Fl, Tl = tv(R, F), tv(R, T)
        moment = add(cross(u, Fl), Tl)
        accumulate(f, b, 0, scale(-1.0, F))
        accumulate(f, b, 3, scale(-1.0, moment))
        supplied = dot(F, at(nodes, b, VEL)) + dot(moment, w)
        power[1] += supplied
        if coef[OUT] != 0.0:
            write(loads.out, k, F + (mv(R, T) if follows else T) + (supplied,))
        if coef[TANGENT] != 0.0:
            base = ints[k, BASE]
            if follows:
                add33(vals, base, 0, 3, coef[CK], mm(R, skew(Fl)))
            else:
                X = madd(mm(skew(u), skew(Fl)), skew(Tl))
                add33(vals, base, 3, 3, -coef[CK], X)


FORCE_KERNEL = Kernel(force_kernel)
LOADS = tuple(range(FORCE_, FOLLOWS))
FORCE = Family(
    "force", FORCE_KERNEL, bodies=1, reals=REALS, loads=LOADS,
    outputs=(
        Output("force", "N", "xyz", "force on the body (world axes)", total=True),
        Output("_torque", "N m", "xyz"), POWER,
    ),
)  # fmt: skip
TORQUE = Family(
    "torque", FORCE_KERNEL, bodies=1, reals=REALS, loads=LOADS,
    outputs=(
        Output("_force", "N", "xyz"),
        Output("torque", "N m", "xyz", "torque on the body (world axes)", total=True), POWER,
    ),
)  # fmt: skip


@dataclass(eq=False)
class Load(Item, abstract=True):
    """What Force and Torque share."""

    column: ClassVar[int] = FORCE_
    column_name: ClassVar[str] = "force"
    family: ClassVar[Family] = FORCE
    frame: FrameLike
    vector: VectorLike
    drive: FunctionOrNone = given(None)
    follower: bool = False

    def __post_init__(self) -> None:
        if as_frame(self.frame, self.label).body is GROUND:
            raise ModelError(f"{self.label} acts on GROUND, which cannot move; give it a body")
        self.vector = checks.vector(self.vector, f"vector of {self.label}")
        self.follower = checks.flag(self.follower, f"follower of {self.label}")
        if self.drive is not None:
            self.drive = as_drive(self.drive, f"drive of {self.label}", follows=True)

    def reading(self, quantity: str, axis: Any) -> Drive:
        return load_reading(self, quantity, axis, ("power",), (self.column_name,))

    def load_formula(self, quantity: str, axis: Any) -> Drive:
        vector: Any = self.vector
        if quantity == "power":
            still = np.zeros(3)
            both = (vector, still) if self.column == FORCE_ else (still, vector)
            return power_of_load(self, *both)
        return component(self, vector, axis, as_frame(self.frame, self.label).body)

    def entries(self) -> list[Entry]:
        frame, drive = as_frame(self.frame, self.label), self.drive
        reals = np.zeros(REALS)
        reals[U : U + 3] = frame.position
        reals[self.column : self.column + 3] = self.vector
        reals[FOLLOWS], reals[FACTOR] = self.follower, 1.0
        entry = Entry(self.family, (frame.body,), reals)
        if drive is not None:
            entry.laws = [factor_law(FACTOR, drive)]
        return [entry]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.model.drives import sine

        return cls(
            Frame(a, rng.normal(size=3)), rng.normal(size=3), drive=sine(1.5, 0.3, 0.7),
            follower=bool(rng.integers(2)),
        )  # fmt: skip


class Force(Load):
    """A force (N) on a body: at its centre of mass, or at the origin of a Frame on it.

    frame    : the body, or a frame on it (lw.Frame), at whose origin the force acts
    vector   : (x, y, z) (N), in world axes, or in the body's axes with follower=True
    drive    : a function of time, or of the motion (lw.reads), that multiplies it; default 1
    follower : True: the force turns with the body; default False

    Its power counts as supplied.  Outputs: force (world axes), power.

    Example
    -------
    >>> import linkwork as lw
    >>> rod = lw.Body(1, (1, 1, 1))
    >>> push = lw.Force(lw.Frame(rod, (0, 0, 0.5)), (10, 0, 0), drive=lw.sine(1, 2))
    """


class Torque(Load):
    """A torque (N m) on a body.

    frame    : the body, or a frame on it (lw.Frame)
    vector   : (x, y, z) (N m), in world axes, or in the body's axes with follower=True
    drive    : a function of time, or of the motion (lw.reads), that multiplies it; default 1
    follower : True: the torque turns with the body; default False

    Its power counts as supplied.  Outputs: torque (world axes), power.

    Example
    -------
    >>> import linkwork as lw
    >>> wheel = lw.Body(1, (1, 1, 1))
    >>> turn = lw.Torque(wheel, (0, 0, 2), follower=True)
    """

    column = TORQUE_
    column_name = "torque"
    family = TORQUE
