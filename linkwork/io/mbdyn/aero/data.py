"""Data of aircraft instruments, craft, the air and rotors that drives can read.

With the axes of the aircraft R (x to the nose, y to the right, z down), its velocity v, its
velocity against the air w = v − v_air(t), and the world z up, x north (MBDyn's input manual):

    airspeed |w|              groundspeed √(v_x² + v_y²)      altitude z     verticalspeed v_z
    attitude asin r₃₁         bank asin r₃₂                   heading atan2(r₂₁, r₁₁)
    turn 60 ω_z               rollrate, pitchrate, yawrate    Rᵀω
    slip atan2(u_y, u_x)      angleofattack atan2(u_z, u_x),  u = Rᵀw
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.io.mbdyn.aero.records import CraftRecord, InstrumentsRecord
from linkwork.io.mbdyn.syntax.hints import there_are
from linkwork.io.mbdyn.syntax.language import ExpressionError, Unreadable
from linkwork.model.drives import Constant, Drive, formula
from linkwork.model.frame import Frame
from linkwork.model.signals.readings import reads

if TYPE_CHECKING:
    from linkwork.io.mbdyn.deck.deck import Deck

AXES = np.eye(3)
WORLD = {"altitude": ("position", 2), "verticalspeed": ("velocity", 2)}
RATES = {"rollrate": 0, "pitchrate": 1, "yawrate": 2}
ANGLES = {"attitude": "asin(r31)", "bank": "asin(r32)", "heading": "atan2(r21, r11)"}
KNOWN = ("airspeed", "groundspeed", "altitude", "attitude", "bank", "turn", "slip", "verticalspeed",
         "angleofattack", "heading", "rollrate", "pitchrate", "yawrate")  # fmt: skip
LOADS = {"Tz": 0, "Mx": 1, "My": 2}  # of a rotor, unknowns of its own
STREAM = {"vxinf": 0, "vyinf": 1, "vzinf": 2}


def stream(deck: Deck) -> list[Drive]:
    """The velocity of the air without gusts."""
    made = deck.aero.velocity
    return [Constant(0.0)] * 3 if made is None else made()


def instrument(deck: Deck, record: InstrumentsRecord, name: str) -> Drive:
    """A number of the instruments that follows the motion."""
    if record.node.body is None:
        raise ExpressionError(
            f"aircraft instruments {record.label} cannot be read here, before the model is made"
        )
    frame: Frame = record.node.frame(axes=record.axes)
    if name in WORLD:
        quantity, i = WORLD[name]
        return reads(frame, quantity, AXES[i])
    if name == "turn":
        return 60.0 * reads(frame, "angular velocity", AXES[2])
    if name in RATES:
        return reads(frame, "angular velocity", AXES[RATES[name]], axes=frame)
    if name == "groundspeed":
        v = {n: reads(frame, "velocity", n) for n in "xy"}
        return formula("sqrt(x^2 + y^2)", **v)
    if name in ANGLES:
        text = ANGLES[name]
        cosines = {f"r{i + 1}{j + 1}": (i, j) for i in range(3) for j in range(3)}
        return formula(text, **{
            word: reads(frame, "cosine", AXES[i], along=AXES[j])
            for word, (i, j) in cosines.items() if word in text
        })  # fmt: skip
    if name in ("airspeed", "slip", "angleofattack"):
        return against_air(deck, record, frame, name)
    if name in ("longitude", "latitude"):
        raise Unreadable(
            f"'{name}' of aircraft instruments {record.label} is not supported, since the manual "
            "does not say how it follows from the place on a flat world; read the node's position"
        )
    raise ExpressionError(
        f"aircraft instruments have no datum '{name}'; they have {', '.join(KNOWN)}"
    )


def relative_velocity(deck: Deck, frame: Frame, what: str) -> dict[str, Drive]:
    """x, y, z: the velocity of a frame against the air, in world axes."""
    if deck.aero.gusts:
        raise Unreadable(
            f"{what} cannot be read in a gust; the velocities of the node can"
        )
    air = stream(deck)
    parts: dict[str, Drive] = {}
    for i, n in enumerate("xyz"):
        v = reads(frame, "velocity", AXES[i])
        still = isinstance(air[i], Constant) and air[i].v == 0  # type: ignore[attr-defined]
        parts[n] = v if still else v - air[i]
    return parts


def in_axes(frame: Frame, letter: str, j: int) -> tuple[str, dict[str, Drive]]:
    """The text of component j, in the axes of a frame, of a vector x, y, z; and what it needs."""
    words = {f"{letter}{n}": reads(frame, "cosine", AXES[i], along=AXES[j])
             for i, n in enumerate("xyz")}  # fmt: skip
    return " + ".join(f"{letter}{n}*{n}" for n in "xyz"), words


def against_air(deck: Deck, record: InstrumentsRecord, frame: Frame, name: str) -> Drive:
    """Airspeed, slip or angle of attack."""
    parts = relative_velocity(deck, frame, f"'{name}' of aircraft instruments {record.label}")
    if name == "airspeed":
        return formula("sqrt(x^2 + y^2 + z^2)", **parts)
    ahead, one = in_axes(frame, "a", 0)
    beside, two = in_axes(frame, "b", 1 if name == "slip" else 2)
    return formula(f"atan2({beside}, {ahead})", **parts, **one, **two)


def craft_angle(deck: Deck, record: CraftRecord, name: str) -> Drive:
    """alpha or beta of a generic aerodynamic force (elements.aero.craft.kernel)."""
    what = f"'{name}' of generic aerodynamic force {record.label}"
    if name not in ("alpha", "beta"):
        raise Unreadable(
            f"{what} cannot be read while the model moves; alpha and beta can, and its loads are "
            "in the .aer file and in the run"
        )
    if record.node.body is None:
        raise ExpressionError(f"{what} cannot be read here, before the model is made")
    frame: Frame = record.node.frame(record.offset, record.axes)
    parts = relative_velocity(deck, frame, what)
    texts: list[str] = []
    for j, letter in enumerate("abc"):
        text, words = in_axes(frame, letter, j)
        texts.append(f"({text})")
        parts |= words
    v1, v2, v3 = texts
    side = f"{v1}/abs({v1})"
    if record.alpha_first:
        alpha = f"atan2({v3}, {side}*sqrt({v1}^2 + {v2}^2))"
        beta = f"-atan2({v2}, abs({v1}))"
    else:
        alpha = f"atan2({v3}, abs({v1}))"
        beta = f"-atan2({v2}, {side}*sqrt({v1}^2 + {v2}^2))"
    return formula(alpha if name == "alpha" else beta, **parts)


def air_datum(deck: Deck, name: str) -> Drive:
    """vxinf, vyinf, vzinf or vinf: the velocity of the air without gusts."""
    if deck.aero.air is None:
        raise ExpressionError("the deck has no air properties whose data could be read")
    v = stream(deck)
    if name in STREAM:
        return v[STREAM[name]]
    if name == "vinf":
        return formula("sqrt(x^2 + y^2 + z^2)", x=v[0], y=v[1], z=v[2])
    raise ExpressionError(f"air properties have vxinf, vyinf, vzinf and vinf, found '{name}'")


def rotor_datum(deck: Deck, label: int, name: str) -> Drive:
    """Tz, Mx or My of a rotor, which are unknowns beside the motion."""
    record: Any = deck.aero.rotors.get(label)
    if record is None:
        raise ExpressionError(
            f"there is no induced velocity element {label}; {there_are(deck.aero.rotors, label)}"
        )
    if name in LOADS:
        return reads(record.rotor(), "rotor_load", LOADS[name])
    raise Unreadable(
        f"'{name}' of rotor {label} cannot be read while the model moves; Tz, Mx and My can, and "
        "all loads are in the .rot file and in the run"
    )
