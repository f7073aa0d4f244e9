"""A hydraulic motor, or pump, between two bodies that turn about an axis.

    torque on b about the axis n of a     T = D (p₁ − p₂) − c ω,      ω = n · (ω_b − ω_a)
    mass flow from p₁ to p₂               ρ (D ω + G (p₁ − p₂))       ρ at the mean pressure

D is the displacement in m³/rad, c viscous friction, G leakage.  The axis is fixed in a.  Of the
power q (h₁ − h₂) of the fluid the bodies get D ω (p₁ − p₂); the rest is lost, to leakage and to
expansion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.elements.hydraulics.fluids import FLUID, density, specific_energy
from linkwork.elements.hydraulics.ports import (
    FLOW, MASS_FLOW, POWER, Port, ports, sample_ports,
)  # fmt: skip
from linkwork.elements.layout import (
    BY_VALUE,
    CD,
    CK,
    OMEGA,
    OUT,
    ROT,
    STRIDE,
    TANGENT,
    VALUE,
    write,
)
from linkwork.elements.signals.probes import TORQUE, Probe, measured_load
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import accumulate, at, at9, cross, dot, mv, scale, tv
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame, as_frame
from linkwork.model.given import FrameLike, Number, VectorLike, given
from linkwork.model.outputs import Output
from linkwork.model.registry import Entry, Family, Item

AXIS, DISPLACEMENT, VISCOUS, LEAKAGE, REALS = record(
    FLUID, axis=3, displacement=1, viscous=1, leakage=1, reals=0
)
ENDS = 4


def motor_kernel(ints, reals, motion, loads):
    """Ends a, b, p1, p2; n = R_bᵀ R_a u is the axis in those of b."""
    nodes, values, coef, vals = motion.nodes, motion.values, motion.coef, loads.vals
    for k in range(ints.shape[0]):
        a, b, i, j = ints[k, 0], ints[k, 1], ints[k, 2], ints[k, 3]
        p1, p2 = values[VALUE, i], values[VALUE, j]
        u = at(reals, k, AXIS)
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        n = tv(Rb, mv(Ra, u))
        wb = at(nodes, b, OMEGA)
        speed = dot(n, wb) - dot(u, at(nodes, a, OMEGA))
        D, c, G = reals[k, DISPLACEMENT], reals[k, VISCOUS], reals[k, LEAKAGE]
        T = D * (p1 - p2) - c * speed
        accumulate(loads.f, b, 3, scale(-T, n))
        accumulate(loads.f, a, 3, scale(T, u))
        rho, first, _ = density(ints, reals, k, 0.5 * (p1 + p2))
        volume = D * speed + G * (p1 - p2)
        q = rho * volume
        loads.balance[i] += q
        loads.balance[j] -= q
        head = specific_energy(ints, reals, k, p1) - specific_energy(ints, reals, k, p2)
        loads.power[0] += c * speed * speed + q * head - D * speed * (p1 - p2)
        if coef[TANGENT] != 0.0:
            cK, cD = coef[CK], coef[CD]
            by1, by2 = values[BY_VALUE, i], values[BY_VALUE, j]
            # speed by the turns of b and a: n(θ) · ω_b with δn = n × θ_b and −R_bᵀ R_a (u × θ_a)
            turn_b = cross(wb, n)
            turn_a = cross(u, tv(Ra, mv(Rb, wb)))
            by_b = (
                cK * turn_b[0] + cD * n[0], cK * turn_b[1] + cD * n[1], cK * turn_b[2] + cD * n[2]
            )  # fmt: skip
            by_a = (
                cK * turn_a[0] - cD * u[0], cK * turn_a[1] - cD * u[1], cK * turn_a[2] - cD * u[2]
            )  # fmt: skip
            aa, ab, ba, bb = ints[k, 4], ints[k, 5], ints[k, 8], ints[k, 9]
            for r in range(3):
                row = STRIDE * (3 + r) + 3
                for s in range(3):
                    vals[bb + row + s] += c * n[r] * by_b[s]
                    vals[ba + row + s] += c * n[r] * by_a[s]
                    vals[ab + row + s] -= c * u[r] * by_b[s]
                    vals[aa + row + s] -= c * u[r] * by_a[s]
                vals[ints[k, 10] + STRIDE * (3 + r)] -= D * n[r] * by1
                vals[ints[k, 11] + STRIDE * (3 + r)] += D * n[r] * by2
                vals[ints[k, 6] + STRIDE * (3 + r)] += D * u[r] * by1
                vals[ints[k, 7] + STRIDE * (3 + r)] -= D * u[r] * by2
                x = rho * D
                vals[ints[k, 12] + 3 + r] += x * by_a[r]
                vals[ints[k, 13] + 3 + r] += x * by_b[r]
                vals[ints[k, 16] + 3 + r] -= x * by_a[r]
                vals[ints[k, 17] + 3 + r] -= x * by_b[r]
            # −T δn: δn = n × θ_b = −θ_b × n, and for θ_a: R_bᵀ R_a (θ_a × u)
            w = scale(-cK * T, n)
            vals[bb + STRIDE * 3 + 4] -= w[2]
            vals[bb + STRIDE * 3 + 5] += w[1]
            vals[bb + STRIDE * 4 + 3] += w[2]
            vals[bb + STRIDE * 4 + 5] -= w[0]
            vals[bb + STRIDE * 5 + 3] -= w[1]
            vals[bb + STRIDE * 5 + 4] += w[0]
            for s in range(3):
                axis = (1.0 if s == 0 else 0.0, 1.0 if s == 1 else 0.0, 1.0 if s == 2 else 0.0)
                moved = tv(Rb, mv(Ra, cross(axis, u)))
                for r in range(3):
                    vals[ba + STRIDE * (3 + r) + 3 + s] -= cK * T * moved[r]
            half = 0.5 * first * volume
            l1, l2 = (rho * G + half) * by1, (half - rho * G) * by2
            vals[ints[k, 14]] += l1
            vals[ints[k, 15]] += l2
            vals[ints[k, 18]] -= l1
            vals[ints[k, 19]] -= l2
        if coef[OUT] != 0.0:
            write(loads.out, k, (T, speed, volume, q, T * speed))


MOTOR = Family(
    "hydraulic motor", Kernel(motor_kernel), bodies=ENDS, reals=REALS, integers=1,
    outputs=(Output("torque", "N m"), Output("rate", "rad/s"), FLOW, MASS_FLOW, POWER),
)  # fmt: skip


@dataclass(eq=False)
class RotaryMotor(Item):
    """A hydraulic motor that turns b against a about an axis, driven by p1 − p2.

    axis: a world direction in the reference configuration (default (0, 0, 1)), fixed in a; a joint
    must keep b on it. displacement in m³/rad, viscous friction in N m s, leakage in m³/(s Pa).

    Outputs: torque (N m), rate (rad/s), flow (m³/s), mass_flow (kg/s) from p1 to p2, power (W) on
    the bodies.
    """

    a: FrameLike
    b: FrameLike
    p1: Port
    p2: Port
    axis: VectorLike = (0.0, 0.0, 1.0)
    displacement: Number = given(None)
    viscous: float = 0.0
    leakage: float = 0.0
    frames: tuple[Frame, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        bodies = [as_frame(end, what).body for end in (self.a, self.b)]
        if bodies[0] is bodies[1]:
            raise ModelError(
                f"{what} joins {bodies[0]!r} with itself; give two different bodies (or GROUND)"
            )
        ports(self, "p1", "p2")
        direction = checks.direction(self.axis, f"axis of {what}")
        turn = rotations.matrix(bodies[0].orientation)
        z = turn.T @ direction
        self.frames = (Frame(bodies[0], orientation=about(z)), Frame(bodies[1]))
        self.displacement = checks.number(
            self.displacement, f"displacement of {what}", positive=True
        )
        for word in ("viscous", "leakage"):
            given = checks.number(getattr(self, word), f"{word} of {what}", minimum=0)
            setattr(self, word, given)

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2)

    def reading(self, quantity: str, axis: Any) -> Drive:
        return measured_load(self, quantity, axis, ("torque",), along=False)

    def probe(self, quantity: str, which: int) -> Probe:
        return Probe(TORQUE, axes=self.frames[0])

    def entries(self) -> list[Entry]:
        fa, fb = self.frames
        axis = rotations.matrix(fa.orientation)[:, 2]
        reals = np.concatenate([
            self.p1.fluid.reals(), axis, [self.displacement, self.viscous, self.leakage]
        ])  # fmt: skip
        ends, integers = (fa.body, fb.body, self.p1.node, self.p2.node), (self.p1.fluid.kind,)
        return [Entry(MOTOR, ends, reals, integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        p1, p2 = sample_ports(rng, 2)
        return [p1, p2, cls(a, b, p1, p2, rng.normal(size=3), *rng.uniform(0.5, 1, 3))]


def about(z: np.ndarray) -> np.ndarray:
    """A quaternion whose matrix has the third column z."""
    least = np.eye(3)[int(np.argmin(np.abs(z)))]
    x, _ = checks.unit(np.cross(least, z))
    return checks.quaternion(np.column_stack([x, np.cross(z, x), z]), "axis")
