"""Dry friction in joints that turn or slide, loaded by the joint's own reaction.

What rubs in a joint says elements.friction_joints; where it moves in several directions at once,
elements.friction.surfaces.  Here it is one direction, or those of a universal joint's two pins.
With the path s of the surfaces (radius × angle, or travel along z; elements.forces.torsion_spring,
deformable.slide), its speed v = ṡ, and the load N, the friction on b is −N c: c is the deflection z
of bristles over what they bear at most.  With g(v) (elements.friction.models) and z_m = g/σ₀,

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
lead angle a and half thread angle γ (MBDyn's manual, 9.1.16).  In a journal bearing the pin touches
its bush where the friction angle leads it, so that |F| has the normal and the friction force in it:
c → c/√(1 + c²), the sine of that angle (9.1.6 there; the friction circle).

The load comes from the multipliers of the same iteration, so the solution is implicit in them; the
tangent of runs leaves ∂N/∂γ out, and Newton's method converges linearly where friction changes its
own load, as fast as that is little (small motions have it by analysis.linear.equations.reactions).
Where joints share reactions these are not unique; rows that load friction are kept before others,
and joints that rub carry all that they can, in all analyses
(system.initial_conditions.independence, system.redundancy).

The relative rotation of a universal joint is ρ = ρ_x(α) ρ_y(β), α the turn of the arm x in a and β
that of the arm y in b, so tan α/2 = ρ_x/ρ_w and tan β/2 = ρ_y/ρ_w: twists about x and y of its
axes, each a pin of its own under N₀ + |F| + |M|/arm, M the torque that the joint transmits.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from linkwork.elements.friction.bristles import (
    LEAST, LOADS, MODEL, MOTION, POINTS, PRELOAD, QA, QB, RADIUS, SEC, TABLE, TAN, UA, UB, bristles,
    friction_reals, no_path,
)  # fmt: skip
from linkwork.elements.friction.joints import (
    JOURNAL, PINS, SCREWS, SLIDES, TURNS, Rubbing, check_joint, held_rows, rubbing, turned,
)  # fmt: skip
from linkwork.elements.friction.models import Coulomb, FrictionModel, LuGre
from linkwork.elements.friction.surfaces import BALL, BUSH, PLANE, SURFACES, surface_entry
from linkwork.elements.joints.joints import (
    Cylindrical, Joint, Planar, Prismatic, Revolute, Spherical,
)  # fmt: skip
from linkwork.elements.layout import (
    AA, AB, ACCEPT, BA, BB, CD, CK, OMEGA, OUT, QUAT, TANGENT, A, B, write,
)  # fmt: skip
from linkwork.elements.joints.orthogonal import Universal
from linkwork.elements.joints.screw import Screw
from linkwork.elements.deformable.slide import slide, slide_force, slide_tangent
from linkwork.elements.forces.torsion_spring import TURN, torsion_tangent, twist_gradients
from linkwork.elements.signals.probes import (
    Probe, about_axis, along_axis, between_frames, measured_load,
)  # fmt: skip
from linkwork.errors import DriveError, ModelError
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qconj, qmul, rotation_matrix
from linkwork.kernels.vectors import accumulate, at, at4, dot, mv, scale
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.given import Number, given
from linkwork.model.outputs import POWER, Output
from linkwork.model.registry import Entry, Family, Item, Memory

PATH, BENT, MEMORY = record(path=1, bent=1, memory=0)  # the deflection
ARM = TAN  # of a Universal's pins: one over the arm, in the place of a thread's number

# the path s, its rate, and the radius of surfaces that turn (0 of those that slide)
TURNING = Output("_path", "m"), Output("_path_rate", "m/s"), Output("_radius", "m")
ON_A_LINE = (
    *SURFACES,
    Output("force", "N", words="friction force on the second body"),
    Output("torque", "N m", words="friction torque on the second body"),
    POWER,
    *TURNING,
)


@inlined
def shaped(kind, reals, i, sense, c):
    """What c becomes on a thread or in a journal bearing, and its derivative by c."""
    if kind == JOURNAL:
        cosine = 1.0 / math.sqrt(1.0 + c * c)
        return c * cosine, cosine * cosine * cosine
    if kind != SCREWS:
        return c, 1.0
    sec, tan = reals[i, SEC], reals[i, TAN]
    top, below = sec * (1.0 + tan * tan), 1.0 - sense * sec * c * tan
    return top * c / below, top / (below * below)


@inlined
def load_of(ints, reals, i, gamma):
    """N, and for a screw whether moving along the axis (1) or back (−1) is against the load."""
    x, y, z = gamma[ints[i, LOADS]], gamma[ints[i, LOADS + 1]], gamma[ints[i, LOADS + 2]]
    size, sense, kind = math.sqrt(x * x + y * y + z * z), 1.0, ints[i, MOTION]
    if kind == SLIDES:
        size = math.sqrt(x * x + y * y)
    elif kind == SCREWS:
        axial = gamma[ints[i, LOADS + 3]]
        size, sense = abs(axial), (-1.0 if axial >= 0.0 else 1.0)
    elif kind == PINS:
        size += reals[i, ARM] * abs(gamma[ints[i, LOADS + 3]])
    return max(reals[i, PRELOAD] + size, reals[i, LEAST]), sense


@inlined
def path_of(kind, nodes, reals, i, before, a, b):
    """The path s, nearest to that before, its rate v, and what their changes are made of."""
    radius = reals[i, RADIUS]
    turns = kind != SLIDES
    qA, qB = at4(reals, i, QA), at4(reals, i, QB)
    rho = qmul(qconj(qmul(at4(nodes, a, QUAT), qA)), qmul(at4(nodes, b, QUAT), qB))
    RA, RB = rotation_matrix(qA), rotation_matrix(qB)
    gP, gS = twist_gradients(rho)
    e, sb, l, s, v, U = slide(nodes, a, b, qA, at(reals, i, UA), at(reals, i, UB))
    known = abs(before) < 1e200
    if turns:
        phi = 2.0 * math.atan2(rho[3], rho[0])
        if known:
            phi += TURN * math.floor((before / radius - phi) / TURN + 0.5)
        wa, wb = at(nodes, a, OMEGA), at(nodes, b, OMEGA)
        s, v = radius * phi, radius * (dot(mv(RB, gP), wb) - dot(mv(RA, gS), wa))
    return turns, rho, RA, RB, gP, gS, e, sb, l, U, known, s, v


@inlined
def write_line(out, i, turns, radius, s, v, N, coefficient, c, z):
    """Outputs of surfaces that move in one direction; c: on a thread or in a bearing."""
    push = -N * c
    force, arm = (0.0, radius) if turns else (push, 0.0)
    write(out, i, (v, N, coefficient, z, force, push * arm, push * v, s, v, arm))


def friction_kernel(ints, reals, motion, loads):
    nodes, gamma, coef = motion.nodes, motion.gamma, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    memory = motion.memory
    for i in range(ints.shape[0]):
        a, b, radius = ints[i, A], ints[i, B], reals[i, RADIUS]
        before, z0 = memory[i, PATH], memory[i, BENT]
        turns, rho, RA, RB, gP, gS, e, sb, l, U, known, s, v = path_of(
            ints[i, MOTION], nodes, reals, i, before, a, b
        )
        wa, wb = at(nodes, a, OMEGA), at(nodes, b, OMEGA)
        ma, mb = mv(RA, gS), mv(RB, gP)
        step = s - before
        N, sense = load_of(ints, reals, i, gamma)
        c, z, cs, cv = bristles(reals, i, ints[i, POINTS], ints[i, MODEL], known, z0, step, v)
        coefficient = c
        c, slope = shaped(ints[i, MOTION], reals, i, sense, c)
        cs, cv = cs * slope, cv * slope
        power[0] += N * c * v
        if coef[OUT] != 0.0:
            write_line(loads.out, i, turns, radius, s, v, N, coefficient, c, z)
        if turns:
            M = N * c * radius
            accumulate(f, b, 3, scale(M, mb))
            accumulate(f, a, 3, scale(-M, ma))
        else:
            slide_force(f, nodes, a, b, e, sb, l, N * c)
        if coef[ACCEPT] != 0.0:
            memory[i, PATH], memory[i, BENT] = s, z
        if coef[TANGENT] != 0.0:
            cK, cD = coef[CK], coef[CD]
            if turns:
                r2 = N * radius * radius
                torsion_tangent(
                    vals, ints[i, AA], ints[i, AB], ints[i, BA], ints[i, BB], rho, gP, gS, RA, RB,
                    ma, mb, wa, wb, N * c * radius, r2 * cs, r2 * cv, cK, cD,
                )  # fmt: skip
            else:
                slide_tangent(
                    vals, ints, i, nodes, a, b, e, sb, l, U, N * c, N * cs, N * cv, cK, cD
                )


FRICTION_KERNEL = Kernel(friction_kernel)


@functools.cache
def friction_family(points: int) -> Family:
    """Friction whose g(v) has a table of so many points; all share one kernel."""
    return Family(
        f"friction of {points}" if points else "friction", FRICTION_KERNEL, bodies=2,
        reals=TABLE + 3 * points, integers=3, memory=Memory(path=MEMORY), reads=4,
        outputs=ON_A_LINE,
    )  # fmt: skip


def friction_entry(
    frames: Any, model: FrictionModel, motion: int, radius: float, preload: float, least: float,
    reads: tuple = (),
) -> Entry:  # fmt: skip
    """The element of a friction model between two frames."""
    reals = friction_reals(frames, model, radius, preload, least)
    fa, fb = frames
    points = (len(reals) - TABLE) // 3
    ends, integers = (fa.body, fb.body), (points, motion, model.number)
    return Entry(
        friction_family(points), ends, reals, reads=reads, integers=integers,
        memory=no_path(MEMORY),
    )  # fmt: skip


# ----------------------------------------------------------------------------- the user's words

PARTS = {"all": (0, 1, 2), "axial": (2,), "radial": (0, 1), "none": ()}  # rows of the reaction


@dataclass(eq=False)
class Friction(Item):
    """Dry friction in a joint, loaded by the joint's reaction.

    joint   : any joint that slides or turns: a pin or a rail, a ball, a plane, a Universal with its
              two pins, a Screw
    model   : lw.Coulomb(mu) or lw.LuGre(mu); a number stands for lw.Coulomb of it
    radius  : of the bearing or the ball (m); of a plane, the friction radius for turning about its
              normal (2/3 of the radius of a disc; without it only sliding rubs); the mean radius of
              a thread
    preload : added to the reaction (N); default 0
    motion  : of a joint that does both, "turn", "slide" or "both" (a plane that it also spins on, a
              rod that turns and slides in one bush; they share one limit)
    thread  : half angle of a thread (rad); default 0
    least   : the load is never below it (N); default 0
    load    : which part of the reaction counts: "all" (default) or "none", of a pin also "axial" or
              "radial"
    spin    : how much a ball rubs about the direction of its load, from 0 (it touches at a point)
              to 1 (default)
    journal : whether a pin has play in its bush, so that its torque is r N c/√(1 + c²), that of the
              friction circle, in place of r N c; default False
    arm     : of a Universal, distance of its bearings from the centre (m): the torque that it
              transmits, over it, adds to the load

    Outputs: speed of the surfaces; load, coefficient and force (of a joint that turns, torque) of
    the friction on b, power and the bristles' deflection (m).  Bristles follow the stored path:
    where steps are left out, numbers of sticking are approximate.  In several directions speed,
    coefficient and deflection are sizes, force and torque vectors in the axes of the joint on a; of
    a Universal they are pairs, of the arms in a and in b.

    Example
    -------
    >>> import linkwork as lw
    >>> rod = lw.Body(1, (1, 1, 1), position=(1, 0, 0))
    >>> pin = lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
    >>> bearing = lw.Friction(pin, lw.Coulomb(0.1), radius=0.02)
    """

    joint: Joint
    model: FrictionModel | float
    radius: Number = given(None)
    preload: float = 0.0
    motion: str | None = None
    thread: float = 0.0
    least: float = 0.0
    load: str = "all"
    spin: float = 1.0
    arm: float | None = None
    journal: bool = False

    def __post_init__(self) -> None:
        what = self.label
        check_joint(self.joint, what)
        if isinstance(self.model, (int, float)) and not isinstance(self.model, bool):
            self.model = Coulomb(checks.number(self.model, f"coefficient of {what}", minimum=0))
        if not isinstance(self.model, FrictionModel):
            raise ModelError(
                f"{what} needs a model such as lw.Coulomb(0.3), but {checks.show(self.model)} was "
                "given"
            )
        if self.radius is not None:
            self.radius = checks.number(self.radius, f"radius of {what}", minimum=0)
        rubs = rubbing(self.joint, self.motion, self.radius, what)
        self.motion = rubs.motion
        if rubs.motion != "slide" and not self.radius:
            raise ModelError(f"{what} needs radius=, of the surfaces that turn on each other")
        self.preload = checks.number(self.preload, f"preload of {what}", minimum=0)
        self.least = checks.number(self.least, f"least of {what}", minimum=0)
        self.thread = checks.number(self.thread, f"thread of {what}", minimum=0)
        self.check_parameters(rubs, what)

    def check_parameters(self, rubs: Rubbing, what: str) -> None:
        """Refuse parameters that mean nothing where this friction acts."""
        words = tuple(PARTS) if rubs.kind == TURNS else ("all", "none")
        checks.choice(self.load, f"load of {what}", tuple(PARTS))
        if self.load not in words or (rubs.kind == SCREWS and self.load != "all"):
            raise ModelError(
                f"load of {what} is for a joint that turns about one axis; leave it out"
            )
        if not 0 <= checks.number(self.spin, f"spin of {what}") <= 1:
            raise ModelError(f"spin of {what} must be from 0 to 1, found {self.spin:g}")
        if self.spin != 1 and rubs.kind != BALL:
            raise ModelError(f"spin of {what} is for a ball; leave it out")
        self.journal = checks.flag(self.journal, f"journal of {what}")
        if self.journal and rubs.kind != TURNS:
            raise ModelError(f"journal of {what} is for a pin; leave it out")
        if self.arm is not None:
            self.arm = checks.number(self.arm, f"arm of {what}", positive=True)
            if rubs.kind != PINS:
                raise ModelError(f"arm of {what} is for a Universal; leave it out")
        pressed = rubs.kind == SCREWS or held_rows(self.joint) & {0, 1, 2}
        if not pressed and not self.preload and not self.least:
            raise ModelError(
                f"{what} cannot act on {self.joint.label}, which holds no point: no reaction "
                "presses its surfaces together; give preload= or least="
            )

    def needs(self) -> tuple[Item, ...]:
        return (self.joint,)

    @property
    def rubs(self) -> Rubbing:
        return rubbing(self.joint, self.motion, self.radius, self.label)

    @property
    def is_read(self) -> bool:
        """Whether what it exerts is proportional to its load, as sensors take it to be."""
        return self.rubs.kind != PINS and (self.rubs.kind != BALL or self.spin == 1)

    @property
    def offered(self) -> tuple[str, ...]:
        """What can be read: force, torque, or both."""
        slides = () if self.motion == "turn" else ("force",)
        return (*slides, *(() if self.motion == "slide" else ("torque",)))

    def reading(self, quantity: str, axis: Any) -> Drive:
        if not self.is_read:
            why = "both pins" if self.rubs.kind == PINS else "a ball with spin= below 1"
            raise DriveError(
                f"a reading of {self.label}: friction of {why} is not proportional to one load; "
                f"read the torque of {self.joint.label} instead"
            )
        several = self.rubs.kind in (BALL, PLANE, BUSH)
        return measured_load(self, quantity, axis, self.offered, along=several)

    def probe(self, quantity: str, which: int) -> Probe:
        rubs = self.rubs
        if rubs.kind in (BALL, PLANE, BUSH):
            return between_frames(self.joint, quantity)
        frames = rubs.frames(self.joint)
        return along_axis(frames) if rubs.kind == SLIDES else about_axis(frames)

    def entries(self) -> list[Entry]:
        joint, rubs = self.joint, self.rubs
        radius = 0.0 if rubs.motion == "slide" else self.radius
        counted = held_rows(joint) & {rubs.rows()[k] for k in self.pressing(rubs)}
        reads = tuple((joint, 0, row if row in counted else -1) for row in rubs.rows())
        kind = JOURNAL if self.journal else rubs.kind
        words = cast(FrictionModel, self.model), kind, radius, self.preload, self.least
        if rubs.kind in (BALL, PLANE, BUSH):
            return [surface_entry(rubs.frames(joint), *words, reads, self.spin, rubs.axis)]
        if rubs.kind == PINS:
            return [self.pin(axis, words, reads) for axis in (0, 1)]
        if rubs.kind == SCREWS:
            reads = (*reads, (joint, len(joint.entries()) - 1, 0))
        entry = friction_entry(rubs.frames(joint), *words, reads)
        if rubs.kind == SCREWS and isinstance(joint, Screw):
            lead = math.atan2(abs(joint.pitch), TURN * radius)
            entry.reals[TAN] = math.copysign(math.tan(lead), joint.pitch)
            entry.reals[SEC] = math.sqrt(1 + (math.cos(lead) * math.tan(self.thread)) ** 2)
        return [entry]

    def pressing(self, rubs: Rubbing) -> tuple[int, ...]:
        """Which of the reaction's components in the element's frames press the surfaces."""
        if rubs.kind == PLANE:
            return PARTS["axial"] if self.load == "all" else ()
        if rubs.kind in (SLIDES, BUSH):
            return PARTS["radial"] if self.load == "all" else ()
        return PARTS[self.load]

    def pin(self, axis: int, words: tuple[Any, int, float, float, float], reads: tuple) -> Entry:
        """The arm of a Universal that turns in a (x of its frame) or in b (y)."""
        reads = (*reads, (self.joint, 1, 0 if self.load == "all" and self.arm else -1))
        entry = friction_entry(turned(self.joint.frames, axis), *words, reads)
        entry.reals[ARM] = 1.0 / self.arm if self.arm else 0.0
        return entry

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> list[Item]:  # type: ignore[override]
        kinds = (Revolute, Prismatic, Screw, Spherical, Planar, Cylindrical, Universal)
        kind: Any = kinds[rng.integers(len(kinds))]
        words = dict(at=rng.normal(size=3), axis=rng.normal(size=3))
        joint = kind(a, b, **words, **({"pitch": 0.5} if kind is Screw else {}))
        model = LuGre if rng.integers(2) else Coulomb
        made = model(0.3, 0.5, 2.0, stiffness=0.2, damping=0.1, viscous=0.05)
        more: dict[Any, dict[str, Any]] = {
            Spherical: {"spin": 0.4}, Cylindrical: {"motion": "both"}, Universal: {"arm": 0.7},
        }  # fmt: skip
        rest = more.get(kind, {})
        return [joint, cls(joint, made, radius=0.4, preload=0.5, thread=0.2, **rest)]
