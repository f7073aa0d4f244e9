"""What deformable joints write: internal forces of their laws, strains and strain rates.

    .jnt   f, m in the axes of the law, F, M in global axes, then
           displacement joint    strain d [, its rate]
           hinge                 relative orientation [, angular velocity]
           joint                 strain d, relative orientation [, both rates]
           axial joint           angle [, its rate]
           viscous body          velocity, angular velocity
           rod                   length, axis, rate of length; of a shock absorber also the
                                 pressure, area, elastic and viscous force

Rates are there where the law depends on them (in .nc always).  The axes of a law are those of the
first node's marker, and of invariant joints half-way to the second's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.io.mbdyn.deck.deck import JointRecord
from linkwork.io.mbdyn.output.numbers.motion import Motion, angles, rotate, rotate_back, seen
from linkwork.kernels import rotations
from linkwork.model.drives import as_drive

if TYPE_CHECKING:
    from linkwork.io.mbdyn.output.numbers.tables import Tables

COLUMNS = ("strain", "angles", "deformation", "axial", "viscous body")
Variable = tuple[str, np.ndarray, str, str]  # name, values, units, words
ROTATIONS = {"orientation vector": ("Phi", "rad"), "orientation matrix": ("R", "-")}


def markers_and_outputs(tables: Tables, joint: JointRecord) -> tuple[Motion, Motion, Any]:
    a, b = tables.markers(joint)
    return a, b, lambda name: tables.output(joint.items[0], name)


def law_axes(tables: Tables, joint: JointRecord, a: Motion, rotation: np.ndarray) -> np.ndarray:
    """E: those of the first marker, or half-way to the second."""
    if getattr(tables.deck.model[joint.items[0]], "form", "attached") != "invariant":
        return a.R
    return a.R @ rotations.matrix(rotations.exponential(0.5 * rotation))


def described(tables: Tables, joint: JointRecord) -> str:
    return joint.about.get("orientation") or tables.deck.analysis.orientation


def text_columns(tables: Tables, joint: JointRecord) -> tuple[np.ndarray, ...]:
    """f, m in the law's axes, F, M in global ones, and what follows them in .jnt."""
    a, b, out = markers_and_outputs(tables, joint)
    zero = np.zeros((len(tables.rows), 3))
    viscous = joint.about.get("viscous", True)
    if joint.columns == "viscous body":
        f, m = -out("force"), -out("torque")
        rates = [rotate_back(b.R, b.v), rotate_back(b.R, b.w)]
        return f, m, rotate(b.R, f), rotate(b.R, m), np.hstack(rates)
    if joint.columns == "axial":
        m = zero.copy()
        m[:, 2] = -out("torque")
        parts = [out("angle"), out("rate")] if viscous else [out("angle")]
        return zero, m, zero, rotate(a.R, m), np.column_stack(parts)
    f, m = out("internal_force"), out("internal_moment")
    E = law_axes(tables, joint, a, out("rotation"))
    strains, rates = [], []
    if joint.columns != "angles":
        strains.append(out("displacement"))
        rates.append(out("velocity"))
    if joint.columns != "strain":
        strains.append(angles(seen(b, a).R, described(tables, joint)))
        rates.append(out("angular_velocity"))
    extra = np.hstack([*strains, *rates] if viscous else strains)
    return f, m, rotate(E, f), rotate(E, m), extra


def variables(tables: Tables, joint: JointRecord) -> list[Variable]:
    """What .nc has besides the forces."""
    a, b, out = markers_and_outputs(tables, joint)
    if joint.columns == "viscous body":
        return [("V", rotate_back(b.R, b.v), "m/s", "local linear velocity"),
                ("Omega", rotate_back(b.R, b.w), "rad/s", "local angular velocity")]  # fmt: skip
    if joint.columns == "axial":
        return [("Theta", out("angle"), "rad", "relative angle"),
                ("Omega", out("rate"), "rad/s", "relative angular velocity")]  # fmt: skip
    E, found = law_axes(tables, joint, a, out("rotation")), []
    if joint.columns != "angles":
        d, v = out("displacement"), out("velocity")
        found += [
            ("d", d, "m", "relative position in local frame"),
            ("dPrime", v, "m/s", "relative linear velocity in local frame"),
            ("D", rotate(E, d), "m", "relative position in global frame"),
            ("DPrime", rotate(E, v), "m/s", "relative linear velocity in global frame"),
        ]
    if joint.columns != "strain":
        kind, R = described(tables, joint), seen(b, a).R
        name, units = ROTATIONS.get(kind, ("E", "deg"))
        turned = R if name == "R" else angles(R, kind)
        found += [
            (name, turned, units, "relative orientation, in joint reference frame"),
            ("Omega", out("angular_velocity"), "rad/s", "local relative angular velocity"),
        ]
    return found


def shock_absorber(
    tables: Tables, joint: JointRecord, length: np.ndarray, rate: np.ndarray
) -> list[Variable]:
    """What a shock absorber adds to its rod: nothing for other laws."""
    from linkwork import laws

    item = tables.deck.model[joint.items[0]]
    law = getattr(item, "law", None)
    if not isinstance(law, laws.ShockAbsorber):
        return []
    given = 0.0 if law.prestrain is None else law.prestrain
    before = tables.signal(as_drive(given, "prestrain", follows=True))
    e, r = length / item.length - 1 - before, rate / item.length

    def value(f: Any, x: np.ndarray) -> np.ndarray:
        return np.zeros_like(x) if f is None else as_drive(f, what="an area").values(x)

    p = law.pressure * (1 + law.interaction * e) ** -law.exponent
    compressed = law.metering if law.negative is None else law.negative
    area = np.where(r < 0, value(compressed, e), value(law.metering, e)) + value(law.orifice, r)
    k, d = law.penalty
    above, below = np.maximum(e - law.upper, 0), np.minimum(e - law.lower, 0)
    stop = k * (above + below) + d * np.where(above > 0, np.maximum(r, 0), 0)
    stop = stop + d * np.where(below < 0, np.minimum(r, 0), 0)
    flow = law.fluid_area * law.scale / area
    return [
        ("constitutiveLaw.p", p, "Pa", "gas pressure"),
        ("constitutiveLaw.A", area, "m^2", "metering area"),
        ("constitutiveLaw.Fe", stop - p * law.area, "N", "elastic force"),
        ("constitutiveLaw.Fv", 0.5 * law.density * law.fluid_area * flow**2 * r * np.abs(r), "N",
         "viscous force"),
    ]  # fmt: skip
