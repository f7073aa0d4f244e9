"""A hydraulic cylinder between points of two bodies, with a chamber on either side of its piston.

    l = |d|, e = d/l           as in elements.points, from the foot on a to the rod's end on b
    thrust on b along e        S = A₁ p₁ − A₂ p₂ − (A₁ − A₂) p_a − friction(l̇) − stops
    chambers                   V₁ = V₀₁ + A₁ (l − l₀),    V₂ = V₀₂ + A₂ (l₀ + stroke − l)
    mass flow from the nodes   d/dt (ρ₁ V₁) + q_l,        d/dt (ρ₂ V₂) − q_l

    friction   (F_c + (F_s − F_c) exp(−(l̇/v_s)²)) tanh(l̇/v₀) + c l̇,  v₀ = v_s/10   seals, Stribeck
    stops      k z (1 + b ż) beyond the ends of the stroke, z how far         Hunt, Crossley 1975
    leakage    q_l = ρ G (p₁ − p₂) at the mean pressure

(MBDyn's theory manual, 15.3.2, has the force, the chambers and their flows.)  p_a is the pressure
around.  With ∂S = S_l ∂l + S_v ∂l̇ + A₁ ∂p₁ − A₂ ∂p₂ the tangent is that of a spring, F = −S e.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkwork.elements.corners import NOTES, Corner, note_corner, reduced
from linkwork.elements.hydraulics.accumulator import beyond_stops
from linkwork.elements.hydraulics.fluids import FLUID, density, specific_energy
from linkwork.elements.hydraulics.ports import POWER, Port, ports, sample_ports
from linkwork.elements.laws.base import law_numbers
from linkwork.elements.laws.nonlinear import Stop
from linkwork.elements.layout import (
    BY_RATE,
    BY_VALUE,
    CD,
    CK,
    OUT,
    RATE,
    ROT,
    STRIDE,
    TANGENT,
    VALUE,
    write,
)
from linkwork.elements.points import (
    LINE_REALS,
    end_frames,
    line_behind,
    line_force,
    line_over_time,
    line_reals,
    tangent_of_line,
)
from linkwork.elements.signals.joint_readings import line_reading
from linkwork.elements.signals.probes import Probe, along_line, measured_load
from linkwork.errors import ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    IDENTITY, add, at9, cross, dot, madd, mscale, outer, scale, sub, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame
from linkwork.model.given import FrameLike, Number, VectorLike, given
from linkwork.model.outputs import STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item, Memory

# the fluid's columns come first, those of the line behind them
LINE = FLUID
(
    A1, A2, V1, V2, CLOSED, STROKE, AMBIENT, COULOMB, STATIC, STRIBECK, VISCOUS, STOP, BOUNCE,
    LEAKAGE, REALS,
) = record(
    LINE + LINE_REALS, a1=1, a2=1, v1=1, v2=1, closed=1, stroke=1, ambient=1, coulomb=1, static=1,
    stribeck=1, viscous=1, stop=1, bounce=1, leakage=1, reals=0,
)  # fmt: skip
ENDS, AA, AB, BA, BB = 4, 4, 5, 8, 9


@inlined
def seal_friction(v, coulomb, static, stribeck, viscous):
    """Friction and its slope by the speed."""
    if static == 0.0:
        return viscous * v, viscous
    x, y = v / stribeck, 10.0 * v / stribeck
    bell, t = (static - coulomb) * math.exp(-x * x), math.tanh(y)
    level = coulomb + bell
    slope = level * (1.0 - t * t) * 10.0 / stribeck - 2.0 * x / stribeck * bell * t
    return level * t + viscous * v, slope + viscous


@inlined
def end_stop(l, v, low, high, stiffness, bounce):
    """Force against l beyond the ends of the stroke, its slope by l, and that by l̇."""
    if l < low:
        z = low - l
        return -stiffness * z * (1.0 - bounce * v), stiffness * (1.0 - bounce * v), (
            stiffness * z * bounce
        )  # fmt: skip
    if l > high:
        z = l - high
        return stiffness * z * (1.0 + bounce * v), stiffness * (1.0 + bounce * v), (
            stiffness * z * bounce
        )  # fmt: skip
    return 0.0, 0.0, 0.0


@inlined
def put_motion(vals, base, cK, cD, a, c, s, n, R, sign):
    """Row of a number y(d, ḋ) with ∂y/∂d = a, ∂y/∂ḋ = c against the body at one end of the line."""
    force = add(scale(cK, a), scale(cD, c))
    turn = add(scale(cK, add(cross(s, a), cross(n, c))), scale(cD, cross(s, c)))
    turn = tv(R, turn)
    for j in range(3):
        vals[base + j] += sign * force[j]
        vals[base + 3 + j] += sign * turn[j]


@inlined
def put_force(vals, base, x, e, s, R):
    """Column x e of forces and moments at one end of the line against a pressure."""
    moment = tv(R, cross(s, e))
    for j in range(3):
        vals[base + STRIDE * j] += x * e[j]
        vals[base + STRIDE * (3 + j)] += x * moment[j]


def cylinder_kernel(ints, reals, motion, loads):
    """Ends a, b, p1, p2."""
    nodes, values, coef, vals = motion.nodes, motion.values, motion.coef, loads.vals
    for k in range(ints.shape[0]):
        a, b, i, j = ints[k, 0], ints[k, 1], ints[k, 2], ints[k, 3]
        p1, p2, dp1, dp2 = values[VALUE, i], values[VALUE, j], values[RATE, i], values[RATE, j]
        Ra, Rb = at9(nodes, a, ROT), at9(nodes, b, ROT)
        sa, sb, na, nb, _, ddot, l, e = line_behind(reals, k, LINE, nodes, a, b)
        v = dot(e, ddot)
        area1, area2 = reals[k, A1], reals[k, A2]
        low = reals[k, CLOSED]
        high = low + reals[k, STROKE]
        rub, rub_slope = seal_friction(
            v, reals[k, COULOMB], reals[k, STATIC], reals[k, STRIBECK], reals[k, VISCOUS]
        )
        held, held_l, held_v = end_stop(l, v, low, high, reals[k, STOP], reals[k, BOUNCE])
        if l > high:
            note_corner(motion.memory, k, motion.time, 1.0, v)
        elif l < low:
            note_corner(motion.memory, k, motion.time, 2.0, -v)
        else:
            note_corner(motion.memory, k, motion.time, 0.0, 0.0)
        S = area1 * p1 - area2 * p2 - (area1 - area2) * reals[k, AMBIENT] - rub - held
        F = scale(-S, e)
        line_force(loads.f, a, b, Ra, Rb, sa, sb, F)
        volume1 = reals[k, V1] + area1 * (l - low)
        volume2 = reals[k, V2] + area2 * (high - l)
        rho1, f1, ff1 = density(ints, reals, k, p1)
        rho2, f2, ff2 = density(ints, reals, k, p2)
        rho, first, _ = density(ints, reals, k, 0.5 * (p1 + p2))
        G = reals[k, LEAKAGE]
        leak = rho * G * (p1 - p2)
        loads.balance[i] += rho1 * area1 * v + volume1 * f1 * dp1 + leak
        loads.balance[j] += volume2 * f2 * dp2 - rho2 * area2 * v - leak
        head = specific_energy(ints, reals, k, p1) - specific_energy(ints, reals, k, p2)
        loads.power[0] += rub * v + held_v * v * v + leak * head
        loads.power[1] -= (area1 - area2) * reals[k, AMBIENT] * v
        if coef[TANGENT] != 0.0:
            cK, cD = coef[CK], coef[CD]
            Sl, Sv = -held_l, -rub_slope - held_v
            ee, turn = outer(e, e), scale(1.0 / l, sub(ddot, scale(v, e)))
            E = madd(mscale(-Sl, ee), mscale(-S / l, madd(IDENTITY, mscale(-1.0, ee))))
            E = madd(E, mscale(-Sv, outer(e, turn)))
            G6 = mscale(-Sv, ee)
            tangent_of_line(
                vals, ints[k, AA], ints[k, AB], ints[k, BA], ints[k, BB], Ra, Rb, sa, sb, na, nb,
                E, G6, F, cK, cD,
            )  # fmt: skip
            by1, by2 = values[BY_VALUE, i], values[BY_VALUE, j]
            put_force(vals, ints[k, BB + 1], -area1 * by1, e, sb, Rb)
            put_force(vals, ints[k, BB + 2], area2 * by2, e, sb, Rb)
            put_force(vals, ints[k, AB + 1], area1 * by1, e, sa, Ra)
            put_force(vals, ints[k, AB + 2], -area2 * by2, e, sa, Ra)
            # ∂/∂d of ρ A l̇ + V ρ' ṗ, and ∂/∂ḋ
            g = add(scale(rho1 * area1, turn), scale(area1 * f1 * dp1, e))
            c = scale(rho1 * area1, e)
            put_motion(vals, ints[k, 12], cK, cD, g, c, sa, na, Ra, -1.0)
            put_motion(vals, ints[k, 13], cK, cD, g, c, sb, nb, Rb, 1.0)
            g = add(scale(-rho2 * area2, turn), scale(-area2 * f2 * dp2, e))
            c = scale(-rho2 * area2, e)
            put_motion(vals, ints[k, 16], cK, cD, g, c, sa, na, Ra, -1.0)
            put_motion(vals, ints[k, 17], cK, cD, g, c, sb, nb, Rb, 1.0)
            half = 0.5 * first * G * (p1 - p2)
            l1, l2 = (rho * G + half) * by1, (half - rho * G) * by2
            vals[ints[k, 14]] += l1 + (f1 * area1 * v + volume1 * ff1 * dp1) * by1
            vals[ints[k, 14]] += volume1 * f1 * values[BY_RATE, i]
            vals[ints[k, 15]] += l2
            vals[ints[k, 18]] -= l1
            vals[ints[k, 19]] += (volume2 * ff2 * dp2 - f2 * area2 * v) * by2 - l2
            vals[ints[k, 19]] += volume2 * f2 * values[BY_RATE, j]
        if coef[OUT] != 0.0:
            z = beyond_stops(l, low, high)
            stored = volume1 * (rho1 * specific_energy(ints, reals, k, p1) - p1)
            stored += volume2 * (rho2 * specific_energy(ints, reals, k, p2) - p2)
            stored += 0.5 * reals[k, STOP] * z * z
            flow1 = rho1 * area1 * v + volume1 * f1 * dp1 + leak
            flow2 = volume2 * f2 * dp2 - rho2 * area2 * v - leak
            write(loads.out, k, (
                S, l, v, l - low, rub, volume1, volume2, flow1, flow2, S * v, stored
            ))  # fmt: skip


def cylinder_length(integers: np.ndarray, reals: np.ndarray, r: Any, q: Any) -> np.ndarray:
    return line_over_time(reals[:, LINE:], r, q)[2]


CYLINDER = Family(
    "hydraulic cylinder", Kernel(cylinder_kernel), bodies=ENDS, reals=REALS, integers=1,
    memory=Memory(notes=NOTES),
    outputs=(
        Output("force", "N"), Output("length", "m"), Output("rate", "m/s"), Output("stroke", "m"),
        Output("friction", "N"), Output("volume_1", "m³"), Output("volume_2", "m³"),
        Output("mass_flow_1", "kg/s"), Output("mass_flow_2", "kg/s"), POWER, STORED_ENERGY,
    ),
)  # fmt: skip


@dataclass(eq=False)
class Cylinder(Item):
    """A double-acting cylinder between a point of a (its foot) and a point of b (its rod's end).

    p1 pushes the points apart, p2 (on the rod's side) together.  at_a and at_b are world points in
    the reference configuration (without them: the bodies' origins); Frames may take the place of
    bodies.
    bore and rod diameters (m), or area_1 and area_2 (m²) of the piston's sides; closed: the
    distance of the points (m) when it is retracted; stroke (m);
    dead_volume (m³) of each chamber at its end of the stroke; ambient pressure around (Pa; default
    0, for pressures counted from it: give 1e5 where pressures are absolute);
    friction of the seals: coulomb and static (N), with the transition at the speed stribeck (m/s;
    default 0.01),
    viscous (N s/m); leakage past the piston in m³/(s Pa);
    stop_stiffness (N/m; default 1e+08) and stop_damping (s/m; default 1) beyond the ends of the
    stroke.

    Outputs: force (N, the thrust), length, stroke (m), rate (m/s), volume_1, volume_2 (m³),
    mass_flow_1, mass_flow_2 (kg/s) into the chambers, friction (N), power (W) on the bodies,
    stored_energy (J).
    """

    a: FrameLike
    b: FrameLike
    p1: Port
    p2: Port
    at_a: VectorLike | None = None
    at_b: VectorLike | None = None
    bore: Number = given(None)
    rod: float = 0.0
    area_1: float | None = None
    area_2: float | None = None
    closed: Number = given(None)
    stroke: Number = given(None)
    dead_volume: float = 0.0
    ambient: float = 0.0
    coulomb: float = 0.0
    static: Number = given(None)
    stribeck: float = 0.01
    viscous: float = 0.0
    leakage: float = 0.0
    stop_stiffness: float = 1e8
    stop_damping: float = 1.0
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.label
        self.frames, described = end_frames(self)
        fluid = ports(self, "p1", "p2")

        def put(word: str, **limits: Any) -> None:
            setattr(self, word, checks.number(getattr(self, word), f"{word} of {what}", **limits))

        if (self.bore is None) == (self.area_1 is None):
            raise ModelError(f"{what} needs bore= (m) or area_1= (m²), one of them")
        for word in ("bore", "area_1", "area_2"):
            if getattr(self, word) is not None:
                put(word, positive=True)
        put("rod", minimum=0)
        if self.areas[1] <= 0:
            raise ModelError(
                f"rod of {what} must be thinner than its bore, {self.bore:g} m, but {self.rod:g} "
                "was given"
            )
        put("stroke", positive=True)
        self.closed = described if self.closed is None else self.closed
        put("closed", minimum=0)
        put("ambient")
        for word in ("dead_volume", "coulomb", "viscous", "leakage", "stop_stiffness",
                     "stop_damping"):  # fmt: skip
            put(word, minimum=0)
        put("stribeck", positive=True)
        self.static = self.coulomb if self.static is None else self.static
        put("static", minimum=self.coulomb)
        slack = 1e-9 * max(described, self.stroke)
        if not self.closed - slack <= described <= self.closed + self.stroke + slack:
            raise ModelError(
                f"the points of {what} are {described:g} m apart, but its length goes from "
                f"{self.closed:g} m to {self.closed + self.stroke:g} m; correct closed or "
                "stroke, or move them"
            )
        if described == 0:
            raise ModelError(f"the two points of {what} coincide, so it has no direction; move one")
        if fluid.compressible and np.any(self.volumes(described) <= 0):
            raise ModelError(
                f"{what} starts with a chamber of no volume, whose pressure could jump; give it a "
                "dead_volume (m³), or start it elsewhere"
            )

    @property
    def areas(self) -> tuple[float, float]:
        """Of the piston on the sides of p1 and p2 (m²)."""
        first = math.pi / 4 * self.bore**2 if self.area_1 is None else self.area_1
        rod = math.pi / 4 * self.rod**2
        return first, first - rod if self.area_2 is None else self.area_2

    def volumes(self, length: float) -> np.ndarray:
        """Of both chambers at a distance of the points (m³)."""
        first, second = self.areas
        away = length - self.closed
        return self.dead_volume + np.array([first * away, second * (self.stroke - away)])

    def needs(self) -> tuple[Item, ...]:
        return (self.p1, self.p2)

    def rates_needed(self) -> list[Any]:
        return [self.p1.node, self.p2.node] if self.p1.fluid.compressible else []

    def reading(self, quantity: str, axis: Any) -> Drive:
        if quantity in ("length", "rate"):
            return line_reading(self, quantity, axis)
        return measured_load(self, quantity, axis, ("force", "length", "rate"), along=False)

    def probe(self, quantity: str, which: int) -> Probe:
        return replace(along_line(self), sign=1.0)

    def entries(self) -> list[Entry]:
        fa, fb = self.frames
        reals = np.concatenate([
            self.p1.fluid.reals(), line_reals(self.frames, LINE_REALS), self.areas,
            [self.dead_volume] * 2, [
                self.closed, self.stroke, self.ambient, self.coulomb, self.static, self.stribeck,
                self.viscous, self.stop_stiffness, self.stop_damping, self.leakage,
            ],
        ])  # fmt: skip
        bodies = (fa.body, fb.body, self.p1.node, self.p2.node)
        integers = (self.p1.fluid.kind,)
        return [
            Entry(CYLINDER, bodies, reals, integers=integers, corner=self.corner(),
                  memory=np.zeros(NOTES))
        ]  # fmt: skip

    def corner(self) -> Corner:
        """The ends of the stroke, as a law of its length."""
        low, high = self.closed, self.closed + self.stroke
        law = Stop(low, high, self.stop_stiffness, self.stop_damping, exponent=1.0)
        mass = reduced([getattr(frame.body, "mass", 0.0) for frame in self.frames])
        numbers, integers, _ = law_numbers(law, 1, self.label, 0)
        return Corner(numbers, integers, tuple(law.corners()), None, mass, mass, cylinder_length)

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        p1, p2 = sample_ports(rng, 2)
        at_a, at_b = rng.normal(size=(2, 3))
        length = float(np.linalg.norm(at_b - at_a))
        low = length + 2.0 if rng.integers(2) else max(length - 0.2, 0.0)  # at its end, or not
        low = min(low, length)
        return [p1, p2, cls(
            a, b, p1, p2, at_a, at_b, area_1=rng.uniform(1, 2), area_2=rng.uniform(0.5, 1),
            closed=low, stroke=rng.choice([0.3, 5.0]), dead_volume=3.0, ambient=0.2,
            coulomb=0.3, static=0.5, stribeck=2.0, viscous=0.2, leakage=0.1, stop_stiffness=3.0,
            stop_damping=0.2,
        )]  # fmt: skip
