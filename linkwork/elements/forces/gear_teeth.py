"""The teeth of two involute gears: elastic contact along the line of action, with backlash.

Involutes of the base circles r_b = m z cos α/2 touch on the common tangent of these circles, which
is also the direction of the force.  Along it, with the turns φ of both wheels,

    x = r_b1 φ₁ + r_b2 φ₂                       transmission error (m); inside a ring, − r_b2 φ₂
    N = n k (x ∓ j/2)(1 ± d ẋ)                  on the flank that bears, nothing within backlash j
    torques  −N r_b1 on wheel 1,  −N r_b2 on wheel 2
    force    −(N cos α t + |N| sin α d) on wheel 1, opposite on wheel 2

with d from the first axis to the second and t = z × d.  The force is along the line of action at
the pressure angle of the axes as they are, cos α = (r_b1 + r_b2)/a; its line passes the axes at the
base radii, so torques and forces at the axes are together the force of the teeth, and the body that
carries both axes feels it through their bearings alone.

k is the stiffness of one pair of teeth and n how many pairs are in mesh, which repeats with the
base pitch p = π m cos α.  A pair is in mesh from one tip circle to the other (J. E. Shigley,
Mechanical Engineering Design, gears): over ε p, where ε is the contact ratio

    ε = (√(r_a1² − r_b1²) ± √(r_a2² − r_b2²) ∓ a sin α)/p,     a the distance of the centres

and ⌊ε⌋ + 1 pairs share the load during the part ε − ⌊ε⌋ of every pitch, ⌊ε⌋ during the rest: so the
error of transmission under a torque T has the two levels T/(r_b1 n k), and the mean of n is ε.
A pair takes up its load over the part `entry` of a pitch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.elements.forces import force_pair as fp
from linkwork.elements.forces.joint_load import ABOUT_AXIS, JointTorque
from linkwork.elements.forces.torsion_spring import check_joint
from linkwork.elements.joints.joints import Joint, Revolute
from linkwork.elements.signals.load_formulas import load_reading
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.drives import Drive, formula
from linkwork.model.given import Number, given
from linkwork.model.signals.readings import reads
from linkwork.model.registry import Entry, Family, Item

PAIRS = "(whole + min(1, max(0, (half + w/2 - abs(u - floor(u + 0.5)))/w)))"
FRONT = "max(max(x - gap, 0)*(1 + d*v), 0)"
BACK = "max(max(-x - gap, 0)*(1 - d*v), 0)"

TEETH = Family("gear teeth", fp.PAIR_KERNEL, bodies=2, reals=fp.REALS, outputs=ABOUT_AXIS)
SILENT = Family("other loads of gear teeth", fp.PAIR_KERNEL, bodies=2, reals=fp.REALS)
PARALLEL = 1 - 1e-6  # cosine between axes


@dataclass(eq=False)
class GearTeeth(Item):
    """Teeth of two involute spur gears: elastic, with backlash and a stiffness that varies in mesh.

    first, second  : joints that carry the wheels and turn about parallel axes that point the same
                     way (Revolute, …); for a rigid mesh see lw.Gear
    teeth          : (z₁, z₂), numbers of teeth
    module         : pitch diameter over teeth (m)
    stiffness      : of one pair of teeth along the line of action (N/m); for steel about 1.4e10
                     times the width in m (ISO 6336)
    pressure_angle : rad; default 0.349066, which is 20°
    addendum       : height of the teeth above the pitch circle, in modules; default 1
    backlash       : along the line of action (m); default 0
    damping        : d in 1 + d ẋ (s/m); default 0
    internal       : True where the second is a ring around the first; default False
    entry          : part of a pitch over which a pair takes up its load; default 0.1

    The wheels start in mesh, in the middle of the backlash.  `contact_ratio`, `base_radii` and
    `base_pitch` are closed forms; `transmission_error(run)` is x (m) over the stored times.  The
    force N acts on both wheels along the line of action and loads their bearings where one body (or
    the ground) carries both joints; where two bodies do, the teeth act as torques alone.
    Outputs: torque, rate and power at the first joint.

    Example
    -------
    >>> import math, linkwork as lw
    >>> pinion, wheel = (lw.Body(1, (1, 1, 1e-3), position=(x, 0, 0)) for x in (0, 0.06))
    >>> one = lw.Revolute(lw.GROUND, pinion, at=(0, 0, 0), axis=(0, 0, 1))
    >>> two = lw.Revolute(lw.GROUND, wheel, at=(0.06, 0, 0), axis=(0, 0, 1))
    >>> mesh = lw.GearTeeth(one, two, teeth=(20, 40), module=2e-3, stiffness=2e8)
    >>> round(mesh.contact_ratio, 3)
    1.635
    """

    first: Revolute
    second: Revolute
    teeth: tuple[int, int]
    module: Number = given(None)
    stiffness: Number = given(None)
    pressure_angle: float = math.radians(20)
    addendum: float = 1.0
    backlash: float = 0.0
    damping: float = 0.0
    internal: bool = False
    entry: float = 0.1

    def __post_init__(self) -> None:
        what = self.label
        for joint in (self.first, self.second):
            if not isinstance(joint, Joint):
                raise ModelError(
                    f"{what} needs two joints such as Revolute, but {checks.show(joint)} was given"
                )
            check_joint(joint, what)
        if self.first is self.second:
            raise ModelError(f"{what} needs two different joints, but both are {self.first.label}")
        if not isinstance(self.teeth, (list, tuple)) or len(self.teeth) != 2:
            raise ModelError(
                f"teeth of {what} must be two numbers of teeth, but {checks.show(self.teeth)} was "
                "given"
            )
        z1, z2 = (checks.count(z, f"teeth of {what}") for z in self.teeth)
        self.teeth = z1, z2
        for word in ("module", "stiffness"):
            checks.number(getattr(self, word), f"{word} of {what}", positive=True)
        checks.number(self.addendum, f"addendum of {what}", positive=True)
        for word in ("backlash", "damping"):
            checks.number(getattr(self, word), f"{word} of {what}", minimum=0)
        self.internal = checks.flag(self.internal, f"internal of {what}")
        angle = checks.number(self.pressure_angle, f"pressure_angle of {what}", positive=True)
        part = checks.number(self.entry, f"entry of {what}", positive=True)
        if angle >= math.pi / 4 or part > 0.5:
            raise ModelError(
                f"{what} needs a pressure_angle below π/4 rad and an entry of at most 0.5, found "
                f"{angle:g} and {part:g}"
            )
        if self.internal and z2 <= z1:
            raise ModelError(f"{what} is internal: the ring needs more teeth than {z1}, found {z2}")
        if not self.contact_ratio >= 1:
            raise ModelError(
                f"{what} has a contact ratio of {self.contact_ratio:.3g}: one pair of teeth ends "
                "before the next begins; give more teeth, or a larger addendum"
            )

    # ------------------------------------------------------------------------------ closed forms
    @property
    def base_radii(self) -> tuple[float, float]:
        """Radii of the base circles (m)."""
        z1, z2 = self.teeth
        half = self.module * math.cos(self.pressure_angle) / 2
        return half * z1, half * z2

    @property
    def base_pitch(self) -> float:
        """Distance of neighbouring flanks along the line of action (m)."""
        return math.pi * self.module * math.cos(self.pressure_angle)

    @property
    def contact_ratio(self) -> float:
        """Mean number of pairs in mesh."""
        sign = -1 if self.internal else 1
        (r1, r2), m = self.base_radii, self.module
        tips = [m * (z / 2 + s * self.addendum) for z, s in zip(self.teeth, (1, sign))]
        way = [math.sqrt(max(t * t - r * r, 0.0)) for t, r in zip(tips, (r1, r2))]
        centres = m * (self.teeth[1] + sign * self.teeth[0]) / 2
        path = way[0] + sign * way[1] - sign * centres * math.sin(self.pressure_angle)
        return path / self.base_pitch

    def transmission_error(self, run: Any) -> np.ndarray:
        """x (m) over the stored times of a run, zero in the middle of the backlash."""
        r1, r2 = self._signed()
        angles = [run[joint.name].angle.values for joint in (self.first, self.second)]
        start = [starting_angle(joint) for joint in (self.first, self.second)]
        return r1 * (angles[0] - start[0]) + r2 * (angles[1] - start[1])

    def _signed(self) -> tuple[float, float]:
        r1, r2 = self.base_radii
        return r1, -r2 if self.internal else r2

    # ---------------------------------------------------------------------------------- elements
    def force(self, size: bool = False) -> Drive:
        """N as a function of the two turns and their rates, or its size."""
        r1, r2 = self._signed()
        x: Any = -(r1 * starting_angle(self.first) + r2 * starting_angle(self.second))
        v: Any = 0.0
        for r, joint in ((r1, self.first), (r2, self.second)):
            x = r * reads(joint, "angle") + x
            v = r * reads(joint, "rate") + v
        more = self.contact_ratio - math.floor(self.contact_ratio)
        turned = reads(self.first, "angle") + (-starting_angle(self.first))
        u = self.teeth[0] / (2 * math.pi) * turned + (-more / 2)
        return formula(
            f"k*{PAIRS}*({FRONT} {'+' if size else '-'} {BACK})", x=x, v=v, u=u,
            k=float(self.stiffness), gap=float(self.backlash) / 2, d=float(self.damping),
            half=more / 2, w=max(min(self.entry, more, 1 - more), 1e-3),
            whole=math.floor(self.contact_ratio),
        )  # fmt: skip

    def torques(self) -> tuple[JointTorque, JointTorque]:
        """What the teeth do to both joints."""
        N, (r1, r2) = self.force(), self._signed()
        made = JointTorque(self.first, -r1 * N), JointTorque(self.second, -r2 * N)
        for load in made:
            load.name = self.name
        return made

    def line_of_action(self) -> tuple[np.ndarray, np.ndarray] | None:
        """cos α t and sin α d in the axes of the body that carries both joints; None where they
        are carried by two bodies, or their axes are not parallel."""
        one, two = self.first.frames[0], self.second.frames[0]
        axes = [rotations.matrix(frame.orientation)[:, 2] for frame in (one, two)]
        if one.body is not two.body or axes[0] @ axes[1] < PARALLEL:
            return None
        apart = np.asarray(two.position) - np.asarray(one.position)
        apart = apart - (apart @ axes[0]) * axes[0]
        a, (r1, r2) = float(np.linalg.norm(apart)), self.base_radii
        base = r2 - r1 if self.internal else r1 + r2
        if a <= base:
            raise ModelError(
                f"{self.label}: the axes are {a:g} m apart, less than the base circles need, "
                f"{base:g} m; the teeth mesh at {base / math.cos(self.pressure_angle):g} m"
            )
        d, cosine = apart / a, base / a
        side = -1 if self.internal else 1
        return side * cosine * np.cross(axes[0], d), side * math.sqrt(1 - cosine**2) * d

    def needs(self) -> tuple[Item, ...]:
        return (self.first, self.second)

    def reading(self, quantity: str, axis: Any) -> Drive:
        return load_reading(self, quantity, axis, ("torque", "rate", "power"))

    def load_formula(self, quantity: str, axis: Any) -> Drive:
        rate, torque = reads(self.first, "rate"), -self._signed()[0] * self.force()
        return {"torque": torque, "rate": rate, "power": torque * rate}[quantity]

    def read_leaves(self) -> list[Any]:
        return [leaf for load in self.torques() for leaf in load.read_leaves()]

    def entries(self) -> list[Entry]:
        (first,), (second,) = (load.entries() for load in self.torques())
        return [replace(first, family=TEETH), replace(second, family=SILENT),
                *self.bearing_entries()]  # fmt: skip

    def bearing_entries(self) -> list[Entry]:
        """The force of the teeth at both axes, opposite on the body that carries them."""
        line = self.line_of_action()
        if line is None:
            return []
        made = []
        for vector, drive in zip(line, (self.force(), self.force(size=True))):
            for joint, sign in ((self.first, 1.0), (self.second, -1.0)):
                load = JointTorque(joint, drive)
                load.name = self.name
                carrier, wheel = joint.frames
                made.append(load.pair_entry(SILENT, carrier, wheel, fp.FORCE_, sign * vector))
        return made

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> list[Item]:  # type: ignore[override]
        from linkwork.elements.bodies.body import Body

        c = Body(1, (1, 1, 1), position=rng.normal(size=3))
        one = Revolute(a, b, at=rng.normal(size=3), axis=rng.normal(size=3))
        two = Revolute(a, c, at=rng.normal(size=3), axis=rng.normal(size=3))
        return [c, one, two, cls(one, two, (20, 30), 0.1, rng.uniform(1, 2), damping=0.1)]


def starting_angle(joint: Joint) -> float:
    """The angle at which a joint begins, as far as the model says it."""
    S, P = (rotations.multiply(f.body.orientation, f.orientation) for f in joint.frames)
    rho = rotations.multiply(rotations.conjugate(S), P)
    return joint.start()[0].get("rz", float(2 * np.arctan2(rho[3], rho[0])))
