"""A mass on a body that changes with time: mass, centre and inertia are given functions.

With c the centre and J the inertia about it, both in the axes of the body and functions of time
(J = J_m + J_g: J_m changes with the mass, J_g with the shape), and z = Rᵀ(v̇ − g),

    n = m (z + ω̇ × c + ω × (ω × c) + 2 ω × ċ + c̈)              force R n in world axes
    c × n + J ω̇ + ω × J ω + J̇_g ω                               moment in body axes

(MBDyn's technical manual, (8.16) to (8.24): what leaves the body takes its momentum along, so that
ṁ v does not appear; the thrust of a rocket is a Force of its own.)  Tangent, W = ω~c~ + (ω × c)~:

    v̇   m,  m c~Rᵀ          ω̇   −m R c~,  J − m c~c~        θ   R (m z~ − ñ),  m c~z~
    ω   −m R (W + 2 ċ~),  −m c~(W + 2 ċ~) + ω~J − (Jω)~ + J̇_g

Energy T = ½ m v_c² + ½ ω·Jω, V = −m g·r_c with v_c = v + R(ω × c + ċ) takes up, beside what forces
do, n·ċ + ½ ṁ v_c² − ṁ g·r_c + ½ ω·J̇ω − ω·J̇_gω, which counts as supplied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.bodies.body import IDENTITY, Body
from linkwork.elements.layout import (
    CD, CK, CM, GRAVITY, OMEGA, OUT, POS, ROT, TANGENT, VEL, add33, write,
)  # fmt: skip
from linkwork.errors import ModelError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import inverse_tangent
from linkwork.kernels.vectors import (
    accumulate, add, at, at9, cross, dot, madd, mm, mscale, mt, mv, scale, skew, sub, three, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import Constant, Drive, as_drive
from linkwork.model.given import Components, DriveLike, MatrixLike, given
from linkwork.model.outputs import MASS_OUTPUTS
from linkwork.model.registry import Entry, Family, Item, Law, Mass

# reals: m, ṁ, c, ċ, c̈, J, J̇, J̇_g
MASS, MASS1, CENTRE, CENTRE1, CENTRE2, INERTIA, INERTIA1, SHAPE1, REALS = record(
    mass=1, mass1=1, centre=3, centre1=3, centre2=3, inertia=9, inertia1=9, shape1=9, reals=0
)
BODY, BASE = 0, 1


def variable_mass_kernel(ints, reals, motion, loads):
    nodes, vdot, x, coef = motion.nodes, motion.vdot, motion.x, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    g, cM = three(coef, GRAVITY), coef[CM]
    for k in range(ints.shape[0]):
        b, m, c = ints[k, BODY], reals[k, MASS], at(reals, k, CENTRE)
        c1, J, Jg = at(reals, k, CENTRE1), at9(reals, k, INERTIA), at9(reals, k, SHAPE1)
        R, w = at9(nodes, b, ROT), at(nodes, b, OMEGA)
        z, wdot = tv(R, sub(at(vdot, b, 0), g)), at(vdot, b, 3)
        arm, h = cross(w, c), mv(J, w)
        n = add(add(z, cross(wdot, c)), add(cross(w, arm), scale(2.0, cross(w, c1))))
        n = scale(m, add(n, at(reals, k, CENTRE2)))
        moment = add(add(cross(c, n), mv(J, wdot)), add(cross(w, h), mv(Jg, w)))
        accumulate(f, b, 0, mv(R, n))
        accumulate(f, b, 3, moment)
        speed = add(at(nodes, b, VEL), mv(R, add(arm, c1)))
        place = add(at(nodes, b, POS), mv(R, c))
        lost = 0.5 * dot(speed, speed) - dot(g, place)
        power[1] += dot(n, c1) + reals[k, MASS1] * lost
        power[1] += 0.5 * dot(w, mv(at9(reals, k, INERTIA1), w)) - dot(w, mv(Jg, w))
        if coef[OUT] != 0.0:
            p = scale(m, speed)
            energies = 0.5 * (dot(p, speed) + dot(w, h)), -dot(g, scale(m, place))
            write(loads.out, k, energies + p + add(cross(place, p), mv(R, h)))
        if coef[TANGENT] != 0.0:
            base, T, S = ints[k, BASE], inverse_tangent(at(x, b, 3)), skew(c)
            W = madd(madd(mm(skew(w), S), skew(arm)), mscale(2.0, skew(c1)))
            add33(vals, base, 0, 0, cM * m, IDENTITY)
            add33(vals, base, 3, 0, cM * m, mt(S, R))
            X = mscale(-m, madd(mscale(cM, S), mscale(coef[CD], W)))
            add33(vals, base, 0, 3, 1.0, mm(R, mm(X, T)))
            Y = madd(madd(mm(skew(w), J), mscale(-1.0, skew(h))), Jg)
            Y = madd(mm(S, X), madd(mscale(cM, J), mscale(coef[CD], Y)))
            add33(vals, base, 3, 3, 1.0, mm(Y, T))
            Z = mscale(m, skew(z))
            add33(vals, base, 0, 3, coef[CK], mm(R, madd(Z, mscale(-1.0, skew(n)))))
            add33(vals, base, 3, 3, coef[CK], mm(S, Z))


def masses_of_reals(reals: np.ndarray) -> list[Mass]:
    inertia, shape_rate = (reals[:, i : i + 9].reshape(-1, 3, 3) for i in (INERTIA, SHAPE1))
    return [Mass(
        reals[:, MASS], reals[:, CENTRE : CENTRE + 3], inertia, reals[:, MASS1],
        reals[:, CENTRE1 : CENTRE1 + 3], shape_rate,
    )]  # fmt: skip


VARIABLE_MASS = Family(
    "variable mass", Kernel(variable_mass_kernel), bodies=1, reals=REALS, inertial=True,
    masses=masses_of_reals, outputs=MASS_OUTPUTS,
)  # fmt: skip


@dataclass(eq=False)
class VariableMass(Item):
    """A mass on a body whose amount, place and inertia change with time in a given way.

    body          : the body that it is on
    mass          : kg
    centre        : three numbers (m), from the body's position in its axes; default (0, 0, 0)
    inertia       : about that centre (kg m²), three numbers or 3×3, body axes; default zero
    shape_inertia : the part of the inertia that changes because masses move, not because they come
                    or go; default zero

    Each number may be a function of time.  It adds to the body's own mass, which may be zero.  What
    leaves the body takes its momentum with it: the thrust of a rocket is a Force of its own.
    Outputs: kinetic_energy, stored_energy (of its weight), momentum, angular_momentum.

    Example
    -------
    >>> import linkwork as lw
    >>> rocket = lw.Body(10, (1, 1, 1))
    >>> fuel = lw.VariableMass(rocket, lw.polynomial([40, -2]))
    >>> thrust = lw.Force(rocket, (0, 0, 2 * 3000), follower=True)
    """

    body: Body
    mass: DriveLike
    centre: Components = given((0.0, 0.0, 0.0))
    inertia: Sequence[DriveLike] | MatrixLike = (0.0, 0.0, 0.0)
    shape_inertia: Sequence[DriveLike] | MatrixLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not isinstance(self.body, Body):
            raise ModelError(f"{self.label} needs a Body, but {checks.show(self.body)} was given")
        self.mass = as_drive(self.mass, what=f"mass of {self.label}")
        self.centre = drives(self.centre, (3,), f"centre of {self.label}")
        for word in ("inertia", "shape_inertia"):
            setattr(self, word, drives(getattr(self, word), (3, 9), f"{word} of {self.label}"))

    def numbers(self, times: np.ndarray) -> np.ndarray:
        """All numbers (T, REALS) at times."""
        found = np.zeros((len(times), REALS))
        mass = as_drive(self.mass).jet(times)
        if np.any(mass[:, 0] < 0):
            t = times[np.argmax(mass[:, 0] < 0)]
            raise ModelError(f"mass of {self.label} becomes negative at t = {t:g}")
        found[:, [MASS, MASS1]] = mass[:, :2]
        for k, drive in enumerate(self.centre):
            found[:, [CENTRE + k, CENTRE1 + k, CENTRE2 + k]] = drive.jet(times)
        for word, columns in (("inertia", (INERTIA, INERTIA1)),
                              ("shape_inertia", (INERTIA, INERTIA1, SHAPE1))):  # fmt: skip
            parts = getattr(self, word)
            places = (0, 4, 8) if len(parts) == 3 else range(9)
            for place, drive in zip(places, parts):
                jet = drive.jet(times)
                for level, column in zip((0, 1, 1), columns):
                    found[:, column + place] += jet[:, level]
        J = found[:, INERTIA : INERTIA + 9].reshape(-1, 3, 3)
        skewed = np.abs(J - J.swapaxes(1, 2)).max(axis=(1, 2)) > 1e-9 * np.abs(J).max()
        if np.any(skewed):
            t = times[np.argmax(skewed)]
            raise ModelError(f"inertia of {self.label} must be symmetric, but at t = {t:g} is not")
        return found

    def entries(self) -> list[Entry]:
        reals = self.numbers(np.zeros(1))[0]
        steady = all(isinstance(drive, Constant) for drive in self.own_drives())
        laws = [] if steady else [Law(0, self.numbers, REALS)]
        return [Entry(VARIABLE_MASS, (self.body,), reals, laws=laws)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> VariableMass:
        from linkwork.model.drives import polynomial

        def curve(n: int, first: float = 0.0) -> list:
            return [polynomial([first, *rng.uniform(-1, 1, 2)]) for _ in range(n)]

        moments = [curve(6, 1.0)[i] for i in range(6)]
        rows = [[moments[i] for i in row] for row in ((0, 3, 4), (3, 1, 5), (4, 5, 2))]
        return cls(a, curve(1, 3.0)[0], curve(3), curve(3, 4.0), rows)


def drives(value: Any, sizes: tuple[int, ...], what: str) -> tuple[Drive, ...]:
    """Drives from numbers or functions of time: so many, or the rows of a matrix."""
    given = value.tolist() if isinstance(value, np.ndarray) else value
    flat: list[Any] = []
    for part in given if isinstance(given, (list, tuple)) else [given]:
        flat += part if isinstance(part, (list, tuple)) else [part]
    if len(flat) not in sizes:
        wanted = " or ".join(map(str, sizes))
        raise ModelError(
            f"{what} must be {wanted} numbers or functions of time, but {checks.show(value)} was "
            "given"
        )
    return tuple(as_drive(x, what=what) for x in flat)
