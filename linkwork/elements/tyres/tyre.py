"""A tyre on a road: contact, slip with relaxation, forces (MBDyn's theory manual, chapter 17).

The rim has the centre P and the axis s, which points to the left of the way forward; the road at P
the height h, the normal n and the distance d = n·(P − q).  With σ = n·s, k = √(1 − σ²),

    l = s × n/k, t = n × l                 along and across;       sin γ = σ          camber
    m = (n − σ s)/k, X = P − r m           the contact, r = d/k the loaded radius
    F_z = k_t δ + c_t δ̇, not below zero    δ = r₀ − r,   δ̇ = −n·v_P/k;   c_t fades in with δ
    V_x = l·v_P, V_sx = V_x − r_e s·w, V_sy = t·(v_P + w × (X − P))      r_e = r₀ − δ/3

Deflections u and v of the contact follow the slip over the relaxation lengths σ_x and σ_y (Pacejka
2006, section 7.2),

    u̇ + |V_x| u/σ_x + V_sx + f u = 0,        κ = u/σ_x − g_x V_sx
    v̇ + |V_x| v/σ_y − V_sy + f v = 0,        tan α = v/σ_y + g_y V_sy

so that a standing tyre is a spring, and nothing is divided by a speed.  Below the low speed v_L the
damping g is there, and f = (1 − χ)|V_s|/u_m lets a standing tyre slide when its deflection is
u_m = 0.2 σ:  χ = (1 + tanh((|V_x| − v_L)/(v_L/4)))/2.  In the air deflections vanish.  F_x, F_y and
the moments over κ, α, γ and F_z are those of magic_formula (or of a brush).  Chapter 17 has the
frames, the slips and B, C, D, E; its V_x in the place of |V_x| is wrong backwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.layout import (
    BY_RATE, BY_VALUE, CD, CK, OMEGA, OUT, POS, RATE, ROT, STRIDE, TANGENT, VALUE, VEL, write,
)  # fmt: skip
from linkwork.elements.tyres.magic_formula import COEFFICIENTS, COUNT
from linkwork.elements.tyres.patch import (
    AXIS, BRUSH, CENTRE, GX, GY, LOW, RADIUS, ROAD_AT, SIGMA_X, SIGMA_Y, STIFFNESS, TYRE_INTEGERS,
    TYRE_REALS, bent, contact_of, forces_of, low_part, radial, slips, turned_normal,
)  # fmt: skip
from linkwork.elements.tyres.road import Road, height
from linkwork.elements.tyres.tyre_data import TyreData, as_tyre_data
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.kernels.compiled import compiled, inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.memory.addresses import address_of
from linkwork.kernels.vectors import (
    accumulate,
    add,
    at,
    at9,
    column,
    cross,
    dot,
    mv,
    scale,
    sub,
    tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.frame import Frame, as_frame
from linkwork.model.given import FrameLike, Given, VectorLike, given
from linkwork.model.nodes import Node, scalar
from linkwork.model.outputs import STORED_ENERGY, Output
from linkwork.model.registry import Entry, Family, Item

SLIDING = 0.2  # slip at which a standing tyre slides
AIR = 0.01  # s, in which deflections vanish in the air
ZERO = (0.0, 0.0, 0.0)


@inlined
def write_tyre(out, reals, e, patch, deflection, vx, vsx, vsy, X):
    """Outputs; patch: F_x, F_y, F_z, M_z, κ, α, γ."""
    depth = max(deflection, 0.0)
    stored = 0.5 * reals[e, STIFFNESS] * depth * depth
    write(out, e, patch + (deflection, vx, vsx, vsy) + X + (stored,))


def tyre_kernel(ints, reals, motion, loads):
    """Ends rim, u, v; blocks row by row."""
    nodes, values, coef, vals = motion.nodes, motion.values, motion.coef, loads.vals
    for e in range(ints.shape[0]):
        b, i, j = ints[e, 0], ints[e, 1], ints[e, 2]
        R, omega = at9(nodes, b, ROT), at(nodes, b, OMEGA)
        p, s, w = mv(R, at(reals, e, CENTRE)), mv(R, at(reals, e, AXIS)), mv(R, omega)
        P = add(at(nodes, b, POS), p)
        vP = add(at(nodes, b, VEL), cross(w, p))
        u, v, du, dv = values[VALUE, i], values[VALUE, j], values[RATE, i], values[RATE, j]
        L, n, d, sigma, root, m, l, t, hess = contact_of(ints, reals, e, ROAD_AT, P, s, vP, w)
        r, r0 = d / root, reals[e, RADIUS]
        c = scale(-r, m)
        normal = dot(n, vP)
        load, by_d, by_r = radial(reals, e, r0 - r, -normal / root)
        sx, sy = reals[e, SIGMA_X], reals[e, SIGMA_Y]
        spin, re = dot(s, w), r0 - (r0 - r) / 3.0
        there = add(vP, cross(w, c))
        vx = dot(l, vP)
        vsx, vsy = vx - re * spin, dot(t, there)
        tangent_wanted = coef[TANGENT] != 0.0
        if load <= 0.0:  # in the air
            loads.balance[i] += du + u / AIR
            loads.balance[j] += dv + v / AIR
            if tangent_wanted:
                vals[ints[e, 3 + 4]] += values[BY_RATE, i] + values[BY_VALUE, i] / AIR
                vals[ints[e, 3 + 8]] += values[BY_RATE, j] + values[BY_VALUE, j] / AIR
            if coef[OUT] != 0.0:
                patch = 0.0, 0.0, load, 0.0, 0.0, 0.0, math.asin(sigma)
                write_tyre(loads.out, reals, e, patch, r0 - r, vx, vsx, vsy, add(P, c))
            continue
        speed, side = abs(vx), 1.0 if vx >= 0.0 else -1.0
        low, low_slope = low_part(vx, reals[e, LOW])
        kappa, alpha, tan_alpha = slips(reals, e, u, v, vsx, vsy, low)
        gamma = math.asin(sigma)
        Fx, Fy, Mz, Mx, My = forces_of(
            ints[e, ROAD_AT + BRUSH] != 0, reals, e, kappa, alpha, gamma, load
        )
        if coef[OUT] != 0.0:
            patch = Fx[0], Fy[0], load, Mz[0], kappa, alpha, gamma
            write_tyre(loads.out, reals, e, patch, r0 - r, vx, vsx, vsy, add(P, c))
        turn = math.tanh(spin)  # rolling resistance acts against the spin
        F = add(add(scale(Fx[0], l), scale(Fy[0], t)), scale(load, n))
        moment = add(scale(Mz[0], n), add(scale(Mx[0], l), scale(My[0] * turn, s)))
        arm = add(p, c)
        T = add(cross(arm, F), moment)
        accumulate(loads.f, b, 0, scale(-1.0, F))
        accumulate(loads.f, b, 3, scale(-1.0, tv(R, T)))
        slide = math.sqrt(vsx * vsx + vsy * vsy)
        fade = low * slide / SLIDING
        loads.balance[i] += du + speed * u / sx + vsx + fade * u / sx
        loads.balance[j] += dv + speed * v / sy - vsy + fade * v / sy
        # what the bodies lose and the radial spring does not store
        sigma1 = dot(n, cross(w, s)) + dot(s, turned_normal(n, L, hess, vP))
        radial1 = (normal - d * bent(n, L, hess, vP)) / root + r * sigma * sigma1 / (root * root)
        given = dot(F, at(nodes, b, VEL)) + dot(T, w)
        loads.power[0] -= given - reals[e, STIFFNESS] * (r0 - r) * radial1
        if not tangent_wanted:
            continue
        cos2 = 1.0 / (1.0 + tan_alpha * tan_alpha)
        by_u, by_v = 1.0 / sx, cos2 / sy
        for q in range(12):
            turn_q, moved, dw, dvP = ZERO, ZERO, ZERO, ZERO
            unit = (1.0 if q % 3 == 0 else 0.0, 1.0 if q % 3 == 1 else 0.0,
                    1.0 if q % 3 == 2 else 0.0)  # fmt: skip
            weight = coef[CK] if q < 6 else coef[CD]
            if weight == 0.0:
                continue
            if q < 3:
                moved = unit
            elif q < 6:
                turn_q = column(R, q % 3)
                moved = cross(turn_q, p)
                dw = cross(turn_q, w)
                dvP = add(cross(dw, p), cross(w, moved))
            elif q < 9:
                dvP = unit
            else:
                dw = column(R, q % 3)
                dvP = cross(dw, p)
            ds = cross(turn_q, s)
            dn = turned_normal(n, L, hess, moved)
            dd = dot(n, moved) - d * bent(n, L, hess, moved)
            dsigma = dot(dn, s) + dot(n, ds)
            dr = dd / root + r * sigma * dsigma / (root * root)
            dm = add(scale(1.0 / root, sub(sub(dn, scale(dsigma, s)), scale(sigma, ds))),
                     scale(sigma * dsigma / (root * root), m))  # fmt: skip
            dl = add(scale(1.0 / root, add(cross(ds, n), cross(s, dn))),
                     scale(sigma * dsigma / (root * root), l))  # fmt: skip
            dt = add(cross(dn, l), cross(n, dl))
            dc = sub(scale(-dr, m), scale(r, dm))
            drate = -(dot(dn, vP) + dot(n, dvP)) / root - normal * sigma * dsigma / root**3
            dload = -by_d * dr + by_r * drate
            dvx = dot(dl, vP) + dot(l, dvP)
            dspin = dot(ds, w) + dot(s, dw)
            dvsx = dvx - dr / 3.0 * spin - re * dspin
            dvsy = dot(dt, there) + dot(t, add(dvP, add(cross(dw, c), cross(w, dc))))
            dlow = low_slope * dvx
            dkappa = -reals[e, GX] * (dlow * vsx + low * dvsx)
            dalpha = cos2 * reals[e, GY] * (dlow * vsy + low * dvsy)
            dgamma = dsigma / root
            fx = along(Fx, dkappa, dalpha, dgamma, dload)
            fy = along(Fy, dkappa, dalpha, dgamma, dload)
            dF = add(add(scale(fx, l), scale(Fx[0], dl)), add(scale(fy, t), scale(Fy[0], dt)))
            dF = add(dF, add(scale(dload, n), scale(load, dn)))
            mz = along(Mz, dkappa, dalpha, dgamma, dload)
            mx = along(Mx, dkappa, dalpha, dgamma, dload)
            my = along(My, dkappa, dalpha, dgamma, dload) * turn
            my += My[0] * (1.0 - turn * turn) * dspin
            dT = add(add(scale(mz, n), scale(Mz[0], dn)), add(scale(mx, l), scale(Mx[0], dl)))
            dT = add(dT, add(scale(my, s), scale(My[0] * turn, ds)))
            dT = add(dT, add(cross(add(cross(turn_q, p), dc), F), cross(arm, dF)))
            torque = tv(R, sub(dT, cross(turn_q, T)))
            base, place = ints[e, 3], q % 6
            for a in range(3):
                vals[base + a * STRIDE + place] -= weight * dF[a]
                vals[base + (3 + a) * STRIDE + place] -= weight * torque[a]
            dslide = 0.0
            if slide > 0.0:
                dslide = (vsx * dvsx + vsy * dvsy) / slide
            dfade = (dlow * slide + low * dslide) / SLIDING
            vals[ints[e, 6] + place] += weight * ((side * dvx + dfade) * u / sx + dvsx)
            vals[ints[e, 9] + place] += weight * ((side * dvx + dfade) * v / sy - dvsy)
        for q in range(2):
            by_slip, node = (by_u, i) if q == 0 else (by_v, j)
            o = 1 + q
            dF = add(scale(Fx[o], l), scale(Fy[o], t))
            dT = add(add(scale(Mz[o], n), scale(Mx[o], l)), scale(My[o] * turn, s))
            torque = tv(R, add(cross(arm, dF), dT))
            weight = by_slip * values[BY_VALUE, node]
            base = ints[e, 4 + q]
            for a in range(3):
                vals[base + a * STRIDE] -= weight * dF[a]
                vals[base + (3 + a) * STRIDE] -= weight * torque[a]
        vals[ints[e, 7]] += values[BY_RATE, i] + (speed + fade) / sx * values[BY_VALUE, i]
        vals[ints[e, 11]] += values[BY_RATE, j] + (speed + fade) / sy * values[BY_VALUE, j]


@inlined
def along(force, dkappa, dalpha, dgamma, dload):
    """The change of a dual."""
    return force[1] * dkappa + force[2] * dalpha + force[3] * dgamma + force[4] * dload


OUTPUTS = (
    Output("longitudinal_force", "N"),
    Output("lateral_force", "N"),
    Output("load", "N"),
    Output("aligning_moment", "N m"),
    Output("slip_ratio", "1"),
    Output("slip_angle", "rad"),
    Output("camber", "rad"),
    Output("deflection", "m"),
    Output("speed", "m/s"),
    Output("sliding_speed_x", "m/s"),
    Output("sliding_speed_y", "m/s"),
    Output("contact_x", "m"),
    Output("contact_y", "m"),
    Output("contact_z", "m"),
    STORED_ENERGY,
)

TYRE = Family(
    "tyre", Kernel(tyre_kernel), bodies=3, reals=TYRE_REALS.width, integers=TYRE_INTEGERS.width,
    outputs=OUTPUTS,
)  # fmt: skip


@dataclass(eq=False)
class Tyre(Item):
    """A tyre between a rim and a road.

    hub  : the body that carries the wheel and does not spin
    rim  : the body that spins, to which the tyre belongs (or a frame at its centre); a joint of
           hub and rim must leave it free to turn about the axis alone
    data : lw.TyreData: magic formula, a .tir file, or a brush model
    road : lw.Road, by default flat at the height zero; the world's z axis is up
    axis : of the wheel, to the left of the way forward, a world direction in the reference
           configuration; default (0, 1, 0)

    Forces act at the contact, and the joint carries them to the hub.  Slips and forces have the
    signs of .tir files: positive slip ratios drive, lateral forces are positive to the left.

    Outputs: longitudinal_force, lateral_force, load (N), aligning_moment (N m), slip_ratio,
    slip_angle, camber (rad), deflection (m), speed (m/s), sliding_speed_x, sliding_speed_y (m/s),
    contact_x, contact_y, contact_z (m), stored_energy (J).
    """

    hub: FrameLike
    rim: FrameLike
    data: Given[TyreData, TyreData | None] = given(None)
    road: Given[Road, Road | None] = given(None)
    axis: VectorLike = (0.0, 1.0, 0.0)
    frames: tuple[Frame, Frame] = field(init=False, repr=False)
    along: Node = field(init=False, repr=False)
    across: Node = field(init=False, repr=False)

    places = Item.places | {"hub", "rim"}
    has_range: ClassVar[bool] = True

    def __post_init__(self) -> None:
        what = self.label
        hub, rim = as_frame(self.hub, what), as_frame(self.rim, what)
        if hub.body is rim.body:
            raise ModelError(f"hub and rim of {what} are one body; give two, with a joint between")
        as_tyre_data(self.data, what)
        self.road = Road() if self.road is None else self.road
        if not isinstance(self.road, Road):
            raise ModelError(
                f"road of {what} must be a lw.Road, but {checks.show(self.road)} was given; write "
                "for example lw.Road.function(h, x=(0, 100), y=(-5, 5))"
            )
        direction = checks.direction(self.axis, f"axis of {what}")
        self.frames = (Frame(hub.body, hub.position), Frame(rim.body, rim.position))
        self._axis = rotations.matrix(rim.body.orientation).T @ direction
        if abs(direction[2]) > 0.95:
            raise ModelError(f"axis of {what} is upright, so that the wheel lies on its side")
        self._check_place(rim.world()[0], what)
        for word in ("along", "across"):
            if word not in self.__dict__:
                setattr(self, word, Node(scalar(f"deflection {word}", 1, "m"), scale=0.01))

    def _check_place(self, centre: np.ndarray, what: str) -> None:
        under = height_under(self.road, centre)
        gap = float(centre[2] - under)
        if gap < 0.5 * self.data.radius:
            raise ModelError(
                f"{what} is not on its road: its centre is {gap:g} m above it, less than half of "
                f"its radius {self.data.radius:g} m; move the wheel or the road"
            )

    def vector_nodes(self) -> list[Node]:
        return [self.along, self.across]

    def entries(self) -> list[Entry]:
        data: TyreData = self.data
        rim = self.frames[1]
        reals = np.concatenate([
            rim.position, self._axis, [data.radius, data.stiffness, data.damping],
            data.relaxation, [data.low_speed], data.low_damping(), self.road.reals(), data.reals(),
        ])  # fmt: skip
        ends = (rim.body, self.along, self.across)
        integers = (*self.road.integers(), int(data.model == "brush"))
        return [Entry(TYRE, ends, reals, integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Tyre:
        grid = 0.05 * rng.normal(size=(40, 40)) - 8.0
        road = Road(height=-8.0, slope=(0.1, -0.1)) if rng.integers(2) else Road(
            heights=grid, x=(-10, 10), y=(-10, 10)
        )  # fmt: skip
        words: dict[str, Any] = dict(radius=12.0, stiffness=2.0, damping=0.1, low_speed=1.0)
        words["relaxation"] = (0.5, 0.7)
        numbers = {key: float(x) for key, x in zip(COEFFICIENTS, rng.uniform(0.1, 0.3, COUNT))}
        numbers |= {"FNOMIN": 10.0, "R0": 12.0, "CAMBER": float(rng.integers(2)), "PCX1": 1.4,
                    "PCY1": 1.3, "PKX1": 2.0, "PKY1": -2.0, "PKY2": 1.5, "PKY4": 2.0}  # fmt: skip
        data = TyreData(numbers=numbers, **words)
        if rng.integers(3) == 0:
            data = TyreData.brush(load=10.0, slip_stiffness=3.0, friction=0.7, patch=0.2, **words)
        axis = np.array([0.1, 1.0, 0.2]) * rng.uniform(0.5, 1, 3)
        return cls(a, b, data, road, axis)


@compiled
def height_of(integers, reals, x, y):
    return height(integers, reals, 0, 0, 0, x, y)[0]


def height_under(road: Road, place: np.ndarray) -> float:
    """The height of a road at a place."""
    integers = np.array([[address_of(x) for x in road.integers()]], np.int64)
    return float(height_of(integers, np.array([road.reals()]), place[0], place[1]))


@compiled
def forces_over(is_brush, reals, slips, out):
    """Rows κ, α, γ, F_z → F_x, F_y, M_z, M_x, M_y."""
    for k in range(slips.shape[0]):
        if slips[k, 3] > 0.0:
            kappa, alpha, gamma, load = slips[k, 0], slips[k, 1], slips[k, 2], slips[k, 3]
            found = forces_of(is_brush, reals, 0, kappa, alpha, gamma, load)
            for i in range(5):
                out[k, i] = found[i][0]
