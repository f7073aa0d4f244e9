"""The gear: the turns of two joints are tied by a ratio.

    C = φ₂ − i φ₁ − c,   φ the twist about z of each joint, counted over turns, c its first value

with φ and its gradients m_b, m_a (body axes) as in forces.torsion_spring.  Each turn has a weight
w (1 and −i), and the multiplier acts through it as a torsion spring of the torque N = w γ does:

    C_q:  b  0, w m_bᵀ;   a  0, −w m_aᵀ
    K_c:  that of two torsion springs with the torques γ and −i γ
    Q_c = −Σ w (ṁ_b·ω_b − ṁ_a·ω_a)

The torques on both joints do no work together; what holds the axes (housing, carrier) takes their
sum, so that trains, differentials and planetary gears come from pairs of joints.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.joints.joints import Revolute
from linkwork.elements.layout import ACCEPT, CK, KC, OUT, POS, RATES, ROT, STRIDE, TANGENT, write
from linkwork.elements.forces.torsion_spring import (
    check_joint, described_angle, torsion_tangent, twist, twist_bend,
)  # fmt: skip
from linkwork.elements.signals.joint_readings import gear_reading
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import accumulate, at, at9, mm, mv, scale, tv
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.outputs import REACTION, Output
from linkwork.model.registry import Entry, Family, Item, Memory

# both turns, second joint first, each with the markers' axes and the weight w; c.  Memory: the two
# angles
TURN_REALS = record(axes=8, weight=1)
AXES, WEIGHT = TURN_REALS
SIZE = TURN_REALS.width
GEAR = record(2 * SIZE, first_value=1)
(FIRST_VALUE,) = GEAR
# integers, the last of the row: the bodies a and b of each turn, and how many bodies there are
GEAR_INTEGERS = record(slots=4, bodies=1)
SLOTS, BODIES = GEAR_INTEGERS
OWN = GEAR_INTEGERS.width
OUTPUTS = (
    *REACTION, Output("angle_2", "rad"), Output("rate_2", "rad/s"), Output("angle_1", "rad"),
    Output("rate_1", "rad/s"),
)  # fmt: skip
ANGLES = sum(output.size for output in REACTION)  # where the angles begin


@inlined
def add_turn(vals, base, m):
    """Add m to the rotations of a row of C_q."""
    for i in range(3):
        vals[base + 3 + i] += m[i]


def gear_kernel(ints, reals, motion, loads):
    nodes, gamma, coef = motion.nodes, motion.gamma, motion.coef
    f, C, Qc, vals, memory = loads.f, loads.C, loads.Qc, loads.vals, motion.memory
    own = ints.shape[1] - OWN
    for k in range(ints.shape[0]):
        n = ints[k, own + BODIES]
        eq, m, rows = ints[k, n + n * n], ints[k, n + n * n + 1], n + n * n + 2
        if m > 0:
            C[eq] = -reals[k, FIRST_VALUE]
            if coef[RATES] != 0.0:
                Qc[eq] = 0.0
            if coef[TANGENT] != 0.0:
                for j in range(n):
                    for c in range(STRIDE):
                        vals[ints[k, rows + j] + c] = 0.0
        for j in range(2):
            p = SIZE * j
            s = own + SLOTS + 2 * j
            i_a, i_b, w = ints[k, s], ints[k, s + 1], reals[k, p + WEIGHT]
            a, b = ints[k, i_a], ints[k, i_b]
            rho, gP, gS, RA, RB, ma, mb, wa, wb, phi, rate = twist(
                reals, k, p + AXES, memory[k, j], nodes, a, b
            )
            if coef[ACCEPT] != 0.0:
                memory[k, j] = phi
            if coef[OUT] != 0.0:
                if j == 0:
                    Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
                    S = mm(Ra, RA)
                    torque = tv(S, scale(-gamma[eq], mv(Rb, mb)))
                    write(loads.out, k, (0.0, 0.0, 0.0) + torque + S + at(nodes, b, POS))
                loads.out[k, ANGLES + 2 * j], loads.out[k, ANGLES + 2 * j + 1] = phi, rate
            if m == 0:
                continue
            g = w * gamma[eq]
            C[eq] += w * phi
            accumulate(f, b, 3, scale(g, mb))
            accumulate(f, a, 3, scale(-g, ma))
            if coef[TANGENT] != 0.0:
                add_turn(vals, ints[k, rows + i_b], scale(w, mb))
                add_turn(vals, ints[k, rows + i_a], scale(-w, ma))
                if coef[KC] != 0.0:
                    torsion_tangent(
                        vals, ints[k, n + n * i_a + i_a], ints[k, n + n * i_a + i_b],
                        ints[k, n + n * i_b + i_a], ints[k, n + n * i_b + i_b], rho, gP, gS, RA, RB,
                        ma, mb, wa, wb, g, 0.0, 0.0, coef[CK], 0.0,
                    )  # fmt: skip
            if coef[RATES] != 0.0:
                Qc[eq] -= w * twist_bend(rho, gP, gS, RA, RB, wa, wb)



GEAR_KERNEL = Kernel(gear_kernel)


@functools.cache
def gear_family(bodies: int) -> Family:
    """Gears between joints that have so many bodies together; all share one kernel."""
    return Family(
        f"gear on {bodies}", GEAR_KERNEL, bodies=bodies, rows=1, angles=(0,), reals=GEAR.end,
        integers=OWN, memory=Memory(turns=("angle_2", "angle_1")), outputs=OUTPUTS,
    )  # fmt: skip


# ----------------------------------------------------------------------------- what the user says


@dataclass(eq=False)
class Gear(Item):
    """Ties the turns of two joints: the second turns `ratio` times as much as the first.

    first, second : joints that turn about their axes: Revolute, Cylindrical, Motor, …
    ratio         : rate of second over rate of first (no unit): −z₁/z₂ for wheels with z₁ and z₂
                    teeth that mesh outside and whose axes point the same way, z₁/z₂ inside or with
                    a belt or chain; needed

    Axes may also cross (bevels).  For a planetary gear the joints of sun and ring are those on the
    carrier.  Turns are counted from where the joints start.  Outputs: the reaction (torque on the
    second body of `second`), angle_1, rate_1, angle_2, rate_2.

    Example
    -------
    >>> import linkwork as lw
    >>> pinion, wheel = (lw.Body(1, (1, 1, 1), position=(x, 0, 0)) for x in (0, 0.3))
    >>> one = lw.Revolute(lw.GROUND, pinion, at=(0, 0, 0), axis=(0, 0, 1))
    >>> two = lw.Revolute(lw.GROUND, wheel, at=(0.3, 0, 0), axis=(0, 0, 1))
    >>> mesh = lw.Gear(one, two, ratio=-20 / 40)
    """

    first: Revolute
    second: Revolute
    ratio: float

    def __post_init__(self) -> None:
        what = self.label
        for joint in (self.first, self.second):
            check_joint(joint, what, driven=True)
        if self.first is self.second:
            raise ModelError(f"{what} needs two different joints, but both are {self.first.label}")
        self.ratio = checks.number(self.ratio, f"ratio of {what}")
        if self.ratio == 0:
            raise ModelError(f"ratio of {what} must not be zero; use a Fixed joint to hold it")

    def needs(self) -> tuple[Item, ...]:
        return (self.first, self.second)

    def reading(self, quantity: str, axis: Any) -> Drive:
        return gear_reading(self, quantity, axis)

    def entries(self) -> list[Entry]:
        bodies: list[Any] = []
        reals, memory, slots = np.zeros(GEAR.end), np.zeros(2), []
        for j, (joint, weight) in enumerate([(self.second, 1.0), (self.first, -self.ratio)]):
            p, frames = SIZE * j, joint.frames
            for i, f in enumerate(frames):
                if not any(f.body is known for known in bodies):
                    bodies.append(f.body)
                slots.append(next(n for n, x in enumerate(bodies) if x is f.body))
                reals[p + AXES + 4 * i : p + AXES + 4 * i + 4] = f.orientation
            reals[p + WEIGHT] = weight
            described = described_angle([f.world()[1] for f in frames])
            angle = joint.start()[0].get("rz", described)
            memory[j] = angle
            reals[FIRST_VALUE] += weight * angle
        family, integers = gear_family(len(bodies)), (*slots, len(bodies))
        return [
            Entry(family, tuple(bodies), reals, (0,), row_names=("ratio",), integers=integers,
                  memory=memory)
        ]  # fmt: skip

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> list[Item]:  # type: ignore[override]
        from linkwork.elements.bodies.body import Body
        from linkwork.model.frame import GROUND

        c = Body(1, (1, 1, 1), position=rng.normal(size=3))
        one = Revolute(a, b, at=rng.normal(size=3), axis=rng.normal(size=3))
        other = GROUND if rng.random() < 0.3 else a
        two = Revolute(other, c, at=rng.normal(size=3), axis=rng.normal(size=3))
        return [c, one, two, cls(one, two, rng.uniform(-2, -0.5))]
