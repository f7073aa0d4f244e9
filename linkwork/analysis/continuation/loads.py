"""The load factor λ: gravity, loads and imposed motions of a compiled model, times λ.

    f(q, λ) = f₀(q) + λ p(q),        C(q, λ y(t)) = 0

p are weights and the forces of items that are loads (`Family.loads` says which of their numbers
they are proportional to); y are the motion laws of joints, Motor, Actuator or Lock, that the user
names.  Everything else, springs and other joints with their drives, acts in full.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from linkwork.elements.forces.user_force import UserForce
from linkwork.elements.joints.joints import Joint
from linkwork.elements.joints.motion_laws import ROTATION, MotionFactor
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.model import Model
from linkwork.model.registry import Item
from linkwork.system.data import Data
from linkwork.system.system import System

GRAVITY = "gravity"


class Loads:
    """What λ scales in one system: names of items, and the places of their numbers."""

    def __init__(
        self, data: Data, names: Sequence[str], motions: MotionFactor | None = None
    ) -> None:
        self.data, self.names, self.motions = data, tuple(names), motions
        self.gravity = np.array(data.tables.gravity) if GRAVITY in names else None
        places = [
            place.start + np.array(e.entry.family.loads, np.intp)
            for place, e in zip(data.system.places, data.system.elements, strict=True)
            if e.owner in names
        ]
        self.places = np.concatenate(places) if places else np.zeros(0, np.intp)
        self.reals = data.tables.reals[self.places].copy()
        self.factor = 1.0

    def set(self, factor: float) -> None:
        """Everything scaled is λ times what the user described from now on."""
        self.factor = float(factor)
        if self.gravity is not None:
            self.data.tables.gravity[:] = factor * self.gravity
        self.data.tables.reals[self.places] = factor * self.reals
        if self.motions is not None:
            self.motions.value = self.factor


@contextlib.contextmanager
def scaled_motions(model: Model, loads: Any, start: float) -> Iterator[MotionFactor | None]:
    """The factor of the motion laws of joints among the loads, which systems made meanwhile have;
    None where there are none."""
    given = [] if loads is None else [loads] if isinstance(loads, (str, Item)) else list(loads)
    items = [model.items.get(x) if isinstance(x, str) else model.own(x) for x in given]
    joints = [x for x in items if isinstance(x, Joint) and moved(x)]
    factor = MotionFactor(start)
    for joint in joints:
        joint.__dict__["motion_factor"] = factor
    try:
        yield factor if joints else None
    finally:
        for joint in joints:
            del joint.__dict__["motion_factor"]


def moved(item: Item | None) -> bool:
    """Whether it is a joint with motion laws."""
    return isinstance(item, Joint) and any(item.laws().values())


def chosen_loads(model: Model, system: System, loads: Any, what: str) -> tuple[str, ...]:
    """Names of what λ scales: those given, or gravity and all loads; one error for each mistake."""
    able = {e.owner for e in system.elements if e.entry.family.loads}
    motions = {name for name, item in model.items.items() if moved(item)}
    if loads is None:
        for item in model.items.values():
            if isinstance(item, UserForce):
                raise ModelError(
                    f"{what} cannot scale {item.label}, whose function says its force; name the "
                    "loads to scale with loads=[...] (it then acts in full)"
                )
        names = [name for name in model.items if name in able]
        if np.any(model.gravity):
            names = [GRAVITY, *names]
        if not names:
            raise ModelError(
                f"{what} finds no load in model '{model.name}' to scale; add a Force or a Torque, "
                "give the model gravity, or name a motor with loads=[...], whose motion is scaled"
            )
        return tuple(names)
    given = [loads] if isinstance(loads, (str, Item)) else list(loads)
    names = [one_load(model, able | motions, model.own(x), what) for x in given]
    if not names:
        raise ModelError(f"loads of {what} must name at least one load, but none was given")
    return tuple(dict.fromkeys(names))


def one_load(model: Model, able: set[str], given: Any, what: str) -> str:
    """The name of a load that was given as an item or by its name."""
    if given == GRAVITY and GRAVITY not in model.items:
        if not np.any(model.gravity):
            raise ModelError(f"loads of {what} names gravity, but model '{model.name}' has none")
        return GRAVITY
    name = given if isinstance(given, str) else getattr(given, "name", None)
    if not isinstance(given, (str, Item)) or name is None:
        raise ModelError(
            f"loads of {what} must be items of the model, their names, or \"gravity\", but "
            f"{checks.show(given)} was given"
        )
    item = model[name]
    if item is not given and not isinstance(given, str):
        raise ModelError(f"loads of {what} has {given.label}, which is of another model")
    if name not in able:
        raise ModelError(
            f"{what} cannot scale {item.label}, which is no load: give forces, torques, joints "
            'with motion laws, or "gravity"'
        )
    if isinstance(item, Joint) and any(ROTATION in laws for laws in item.laws().values()):
        raise ModelError(
            f"{what} cannot scale {item.label}, whose rotation is given as a whole; give laws on "
            "rx, ry or rz"
        )
    return name
