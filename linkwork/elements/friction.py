"""Dry friction in joints that turn or slide, loaded by the joint's own reaction.

With the path s of the surfaces (radius × angle, or travel along z; elements.torsion_spring,
elements.slide), its speed v = ṡ, and the load N, the friction on b is −N c: c is the deflection z
of bristles over what they bear at most.  With g(v) (elements.friction_models) and z_m = g/σ₀,

    Coulomb   c = σ₀ z + σ₁ v while |c| ≤ g, with the bristles stuck: z = z₀ + Δs;
              else they slip: c = ±g, z = c/σ₀                                        (+ σ₂ v)
    LuGre     z = z₀ + Δs − α(z) |Δs| z/z_m,   ż = (1 − α sgn(v) z/z_m) v
              c = σ₀ z + σ₁ ż + σ₂ v
              α = 0 where |z| ≤ κ z_m or z and v differ in sign, 1 where |z| ≥ z_m, between
              ½ + ½ sin(π (|z| − (1 + κ) z_m/2)/((1 − κ) z_m))

z₀ and Δs since the last accepted step; both are implicit in the step, the second by Newton's
method on a monotonic function.  (Dupont, Hayward, Armstrong, Altpeter, IEEE Trans. Automatic
Control 47, 2002: bristles that are not near their limit stay elastic, so that a joint at rest does
not creep, as it does with α = 1.)  c is found at the end of the step: first order in the switch
between stick and slip, second in sliding.

The load is N₀ + |F|, F the reaction force of a joint that turns, its part across the axis for one
that slides, and not less than a least load; for a screw N₀ + |axial force| with
c → c' (1 + tan² a)/(1 − c' tan a), c' = c/cos γ_n signed by the load, tan γ_n = cos a tan γ, at
lead angle a and half thread angle γ (MBDyn's manual, 9.1.16).  It comes from the multipliers of the
same iteration, so the solution is implicit in them; the tangent leaves ∂N/∂γ out, and Newton's
method converges linearly where friction changes its own load, as fast as that is little.  Where
rows of the joint are redundant its reaction, and with it the friction, is not unique.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements import torsion_spring as ts
from linkwork.elements.friction_models import LUGRE, Coulomb, FrictionModel, LuGre
from linkwork.elements.joints import Joint, Prismatic, Revolute
from linkwork.elements.layout import (
    ACCEPT, CD, CK, OMEGA, QUAT, TANGENT, UNKNOWN, A, B,
)  # fmt: skip
from linkwork.elements.screw import Screw
from linkwork.elements.slide import slide, slide_force, slide_tangent, travel
from linkwork.elements.stop import moves
from linkwork.elements.torsion_spring import TURN, torsion_tangent, twist_gradients
from linkwork.errors import ModelError
from linkwork.math.compiled import Kernel, inlined
from linkwork.math.rotations import qconj, qmul, rotation_matrix
from linkwork.math.vectors import accumulate, at, at4, dot, mv, scale
from linkwork.model import checks
from linkwork.model.registry import Entry, Family, Item

# reals: frames (axes first, as those of a torsion spring), what moves, the model, the memory
# (the path and the deflection, which are the last)
QA, QB, UA, UB, MOTION, RADIUS, MODEL, MU, STATIC, SPEED, S0, S1, S2, KAPPA, PRELOAD, TAN, SEC = (
    0, 4, 8, 11, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
)  # fmt: skip
LEAST, POINTS, TABLE, MEMORY = 27, 28, 29, 2  # the table of g(v): speed, value, slope
TURNS, SLIDES, SCREWS = 0, 1, 2
LOADS = 6  # ints: where the multipliers of rows x y z and of a screw are
SLIDING = 1e-3  # limits of bristles per second, above which a joint starts sliding


@inlined
def tabulated(reals, i, n, v):
    """Cubic between the points of the table, constant beyond the last: g and dg/dv at v ≥ 0."""
    low, high = 0, n - 1
    if v >= reals[i, TABLE + 3 * high]:
        return reals[i, TABLE + 3 * high + 1], 0.0
    while high - low > 1:
        middle = (low + high) // 2
        if v < reals[i, TABLE + 3 * middle]:
            high = middle
        else:
            low = middle
    p, q = TABLE + 3 * low, TABLE + 3 * high
    h = reals[i, q] - reals[i, p]
    x, d = (v - reals[i, p]) / h, (reals[i, q + 1] - reals[i, p + 1]) / h
    a, b = reals[i, p + 2], reals[i, q + 2]
    second, third = 3.0 * d - 2.0 * a - b, a + b - 2.0 * d
    g = reals[i, p + 1] + h * x * (a + x * (second + x * third))
    return g, a + x * (2.0 * second + 3.0 * x * third)


@inlined
def limit(reals, i, v):
    """g(v) and dg/dv."""
    n = int(reals[i, POINTS])
    if n > 0:
        g, dg = tabulated(reals, i, n, abs(v))
        return g, (dg if v >= 0.0 else -dg)
    mu, more, speed = reals[i, MU], reals[i, STATIC] - reals[i, MU], reals[i, SPEED]
    if more == 0.0 or speed == 0.0:
        return mu, 0.0
    x = v / speed
    part = more * math.exp(-x * x)
    return mu + part, -2.0 * x / speed * part


@inlined
def coulomb(reals, i, z0, step, v):
    """c, z, ∂c/∂s, ∂c/∂v."""
    s0, s1 = reals[i, S0], reals[i, S1]
    g, dg = limit(reals, i, v)
    z = z0 + step
    c = s0 * z + s1 * v
    if abs(c) <= g:
        return c, z, s0, s1
    sign = 1.0 if c > 0.0 else -1.0
    return sign * g, sign * g / s0, 0.0, sign * dg


@inlined
def slipping(z, v, top, kappa):
    """α, ∂α/∂z and ∂α/∂z_m."""
    size = abs(z)
    if z * v <= 0.0 or size <= kappa * top:
        return 0.0, 0.0, 0.0
    if size >= top:
        return 1.0, 0.0, 0.0
    width = (1.0 - kappa) * top
    x = math.pi * (size - 0.5 * (1.0 + kappa) * top) / width
    slope = 0.5 * math.cos(x) * math.pi / width
    sign = 1.0 if z > 0.0 else -1.0
    return 0.5 + 0.5 * math.sin(x), sign * slope, -slope * size / top


@inlined
def lugre(reals, i, z0, step, v):
    """c, z, ∂c/∂s, ∂c/∂v."""
    s0, s1, kappa = reals[i, S0], reals[i, S1], reals[i, KAPPA]
    g, dg = limit(reals, i, v)
    top, dtop = g / s0, dg / s0
    size = abs(step)
    z = min(max(z0 + step, -top), top)
    slope, alpha, da, dm = 1.0, 0.0, 0.0, 0.0
    for _ in range(50):
        alpha, da, dm = slipping(z, step, top, kappa)
        slope = 1.0 + size / top * (alpha + da * z)
        error = z - z0 - step + alpha * size * z / top
        z -= error / slope
        if abs(error) <= 1e-15 * top:
            break
    alpha, da, dm = slipping(z, step, top, kappa)
    slope = 1.0 + size / top * (alpha + da * z)
    sign = 1.0 if step > 0.0 else (-1.0 if step < 0.0 else 0.0)
    zs = (1.0 - alpha * sign * z / top) / slope
    zv = -size * z / top * (dm - alpha / top) * dtop / slope
    # the rate, with α at this z and the sense of v
    a, az, am = slipping(z, v, top, kappa)
    turn = 1.0 if v > 0.0 else -1.0
    share = 1.0 - a * turn * z / top
    share_z = -turn * (az * z + a) / top
    share_top = -turn * z * (am - a / top) / top
    c = s0 * z + s1 * share * v
    cs = s0 * zs + s1 * share_z * zs * v
    cv = s0 * zv + s1 * (share + (share_z * zv + share_top * dtop) * v)
    return c, z, cs, cv


@inlined
def at_first(reals, i, v):
    """c, z, ∂c/∂s, ∂c/∂v with no path behind: bristles of a sliding joint are at their limit."""
    g, dg = limit(reals, i, v)
    if abs(v) > SLIDING * g / reals[i, S0]:
        sign = 1.0 if v > 0.0 else -1.0
        return sign * g, sign * g / reals[i, S0], 0.0, sign * dg
    return reals[i, S1] * v, 0.0, 0.0, reals[i, S1]


@inlined
def bristles(reals, i, known, z0, step, v):
    """c, z, ∂c/∂s, ∂c/∂v from the deflection at the last step and the path since."""
    if not known:
        c, z, cs, cv = at_first(reals, i, v)
    elif reals[i, MODEL] == LUGRE:
        c, z, cs, cv = lugre(reals, i, z0, step, v)
    else:
        c, z, cs, cv = coulomb(reals, i, z0, step, v)
    return c + reals[i, S2] * v, z, cs, cv + reals[i, S2]


@inlined
def thread_friction(reals, i, sense, c):
    """What c becomes on a thread, and its derivative by c."""
    sec, tan = reals[i, SEC], reals[i, TAN]
    top, below = sec * (1.0 + tan * tan), 1.0 - sense * sec * c * tan
    return top * c / below, top / (below * below)


@inlined
def load_of(ints, reals, i, gamma):
    """N, and for a screw whether moving along the axis (1) or back (−1) is against the load."""
    x, y, z = gamma[ints[i, LOADS]], gamma[ints[i, LOADS + 1]], gamma[ints[i, LOADS + 2]]
    size, sense = math.sqrt(x * x + y * y + z * z), 1.0
    if reals[i, MOTION] == SLIDES:
        size = math.sqrt(x * x + y * y)
    elif reals[i, MOTION] == SCREWS:
        axial = gamma[ints[i, LOADS + 3]]
        size, sense = abs(axial), (-1.0 if axial >= 0.0 else 1.0)
    return max(reals[i, PRELOAD] + size, reals[i, LEAST]), sense


def friction_kernel(ints, reals, nodes, gamma, time, coef, f, C, Ct, Qc, vals, power):
    last = reals.shape[1]
    for i in range(ints.shape[0]):
        a, b, radius = ints[i, A], ints[i, B], reals[i, RADIUS]
        turns = reals[i, MOTION] != SLIDES
        qA, qB = at4(reals, i, QA), at4(reals, i, QB)
        rho = qmul(qconj(qmul(at4(nodes, a, QUAT), qA)), qmul(at4(nodes, b, QUAT), qB))
        RA, RB = rotation_matrix(qA), rotation_matrix(qB)
        wa, wb = at(nodes, a, OMEGA), at(nodes, b, OMEGA)
        gP, gS = twist_gradients(rho)
        ma, mb = mv(RA, gS), mv(RB, gP)
        e, sb, l, s, v, U = slide(nodes, a, b, qA, at(reals, i, UA), at(reals, i, UB))
        before, z0 = reals[i, last - 2], reals[i, last - 1]
        known = abs(before) < 1e200
        if turns:
            phi = 2.0 * math.atan2(rho[3], rho[0])
            if known:
                phi += TURN * math.floor((before / radius - phi) / TURN + 0.5)
            s, v = radius * phi, radius * (dot(mb, wb) - dot(ma, wa))
        step = s - before
        N, sense = load_of(ints, reals, i, gamma)
        c, z, cs, cv = bristles(reals, i, known, z0, step, v)
        if reals[i, MOTION] == SCREWS:
            c, slope = thread_friction(reals, i, sense, c)
            cs, cv = cs * slope, cv * slope
        power[0] += N * c * v
        if turns:
            M = N * c * radius
            accumulate(f, b, 3, scale(M, mb))
            accumulate(f, a, 3, scale(-M, ma))
        else:
            slide_force(f, nodes, a, b, e, sb, l, N * c)
        if coef[ACCEPT] != 0.0:
            reals[i, last - 2], reals[i, last - 1] = s, z
        if coef[TANGENT] != 0.0:
            cK, cD = coef[CK], coef[CD]
            if turns:
                r2 = N * radius * radius
                torsion_tangent(
                    vals, ints, i, rho, gP, gS, RA, RB, ma, mb, wa, wb, N * c * radius, r2 * cs,
                    r2 * cv, cK, cD,
                )  # fmt: skip
            else:
                slide_tangent(
                    vals, ints, i, nodes, a, b, e, sb, l, U, N * c, N * cs, N * cv, cK, cD
                )


# --------------------------------------------------------------------------- results, in numpy


def friction_outputs(
    reals: np.ndarray, r: Any, q: Any, v: Any, omega: Any
) -> dict[str, np.ndarray]:
    """The `speed` (m/s) of the surfaces on each other."""
    if reals[0, MOTION] == SLIDES:
        frames = reals[:, QA : QA + 4], reals[:, UA : UA + 3], reals[:, UB : UB + 3]
        return {"speed": travel(frames, r, q, v, omega)[1]}
    torsion = np.zeros((len(reals), ts.REALS))
    torsion[:, :8] = reals[:, :8]
    return {"speed": reals[:, RADIUS] * ts.torsion_outputs(torsion, r, q, v, omega)["rate"]}


FRICTION_KERNEL = Kernel(friction_kernel)


@functools.cache
def friction_family(points: int) -> Family:
    """Friction whose g(v) has a table of so many points; all share one kernel."""
    return Family(
        f"friction of {points}" if points else "friction", FRICTION_KERNEL, bodies=2,
        reals=TABLE + 3 * points + MEMORY, memory=MEMORY, reads=4, outputs=friction_outputs,
    )  # fmt: skip


def friction_entry(
    frames: Any, model: FrictionModel, motion: int, radius: float, preload: float, least: float,
    reads: tuple = (),
) -> Entry:  # fmt: skip
    """The element of a friction model between two frames."""
    fa, fb = frames
    table = model.table()
    reals = np.zeros(TABLE + table.size + MEMORY)
    reals[QA : QA + 4], reals[QB : QB + 4] = fa.orientation, fb.orientation
    reals[UA : UA + 3], reals[UB : UB + 3] = fa.position, fb.position
    reals[MOTION], reals[RADIUS], reals[PRELOAD], reals[LEAST] = motion, radius, preload, least
    reals[MODEL : KAPPA + 1] = model.numbers()
    reals[POINTS], reals[TABLE : TABLE + table.size] = len(table), table.ravel()
    reals[-2] = UNKNOWN
    return Entry(friction_family(len(table)), (fa.body, fb.body), reals, reads=reads)


# ----------------------------------------------------------------------------- the user's words

PARTS = {"all": (0, 1, 2), "axial": (2,), "radial": (0, 1), "none": ()}  # rows of the reaction


@dataclass(eq=False)
class Friction(Item):
    """Dry friction in a joint, loaded by the joint's reaction.

    joint turns about its z axis or slides along it, or is a Screw; of one that does both, `motion`
    says "turn" or "slide".  model is lw.Coulomb(mu) or lw.LuGre(mu).  radius (m) is that of the
    bearing, or the mean one of a thread, whose half angle is thread (rad).  preload (N) is added
    to the reaction, and the load is never below least (N).  Of a joint that turns, `load` says
    which part of its reaction counts: "all", "axial", "radial" or "none".  Outputs: speed of the
    surfaces; load, coefficient and force (of a joint that turns, torque) of the friction on b,
    found from the stored steps: where some are left out, those of sticking are approximate.

    Example
    -------
    >>> import linkwork as lw
    >>> rod = lw.Body(1, (1, 1, 1), position=(1, 0, 0))
    >>> pin = lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
    >>> bearing = lw.Friction(pin, lw.Coulomb(0.1), radius=0.02)
    """

    joint: Any
    model: Any
    radius: Any = None
    preload: Any = 0.0
    motion: Any = None
    thread: Any = 0.0
    least: Any = 0.0
    load: Any = "all"

    def __post_init__(self) -> None:
        what = self.label
        if not isinstance(self.joint, Joint):
            raise ModelError(
                f"{what} needs a joint such as a Revolute, but {checks.show(self.joint)} was "
                "given; pass the item that model.add returned"
            )
        if not isinstance(self.model, FrictionModel):
            raise ModelError(
                f"{what} needs a model such as lw.Coulomb(0.3), but {checks.show(self.model)} was "
                "given"
            )
        if isinstance(self.joint, Screw) and self.motion is None:
            self.motion = "turn"
        self.motion = moves(self.joint, self.motion, what)
        if isinstance(self.joint, Screw) and self.motion != "turn":
            raise ModelError(f"{what} acts on the turn of {self.joint.label}; leave out motion")
        if self.motion == "turn" and self.radius is None:
            raise ModelError(f"{what} needs radius=, of the surfaces that turn on each other")
        if self.radius is not None:
            self.radius = checks.number(self.radius, f"radius of {what}", positive=True)
        self.preload = checks.number(self.preload, f"preload of {what}", minimum=0)
        self.least = checks.number(self.least, f"least of {what}", minimum=0)
        self.thread = checks.number(self.thread, f"thread of {what}", minimum=0)
        checks.choice(self.load, f"load of {what}", tuple(PARTS))
        if self.load != "all" and (self.motion != "turn" or isinstance(self.joint, Screw)):
            raise ModelError(f"load of {what} is for a joint that turns; leave it out")

    def needs(self) -> tuple[Item, ...]:
        return (self.joint,)

    def entries(self) -> list[Entry]:
        screw = isinstance(self.joint, Screw)
        motion = SCREWS if screw else TURNS if self.motion == "turn" else SLIDES
        reads = tuple((self.joint, 0, row if row in PARTS[self.load] else -1) for row in range(3))
        if screw:
            reads = (*reads, (self.joint, len(self.joint.entries()) - 1, 0))
        entry = friction_entry(
            self.joint.frames, self.model, motion, self.radius or 1.0, self.preload, self.least,
            reads,
        )  # fmt: skip
        if screw:
            lead = math.atan2(abs(self.joint.pitch), TURN * entry.reals[RADIUS])
            entry.reals[TAN] = math.copysign(math.tan(lead), self.joint.pitch)
            entry.reals[SEC] = math.sqrt(1 + (math.cos(lead) * math.tan(self.thread)) ** 2)
        return [entry]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> list[Item]:  # type: ignore[override]
        which = rng.integers(3)
        words = dict(at=rng.normal(size=3), axis=rng.normal(size=3))
        joint: Any = (Revolute, Prismatic)[which % 2](a, b, **words)
        if which == 2:
            joint = Screw(a, b, **words, pitch=0.5)
        model = LuGre if rng.integers(2) else Coulomb
        made = model(0.3, 0.5, 2.0, stiffness=0.2, damping=0.1, viscous=0.05)
        return [joint, cls(joint, made, radius=0.4, preload=0.5, thread=0.2)]
