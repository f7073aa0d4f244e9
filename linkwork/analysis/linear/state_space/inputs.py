"""Inputs of linearize: a force, or the drive of a joint, by its name.

A unit of an input changes the numbers of its element: the factor or the vector of a force, or the
law r_t, ρ_t of a lock joint.  What that changes in the residual r and in C are the input's columns,

    F = −∂r/∂u,   C_u = ∂C/∂u

which must be the same at all times of a steady motion, seen in its frames.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analysis.linear.equations.pencil import Pencil, places
from linkwork.analysis.linear.equations.steady import STEADY
from linkwork.analysis.linear.equations.world_axes import body_blocks, world_axes
from linkwork.elements.forces import force_pair
from linkwork.elements.forces.force import FACTOR, Load
from linkwork.elements.forces.joint_load import JointLoad
from linkwork.elements.joints.distance import LENGTH, Distance
from linkwork.elements.joints.joints import Joint
from linkwork.elements.joints.lock import LEVEL
from linkwork.elements.joints.motion_laws import ROTATION, frozen
from linkwork.elements.layout import COEFS
from linkwork.errors import ModelError
from linkwork.model.drives import Drive
from linkwork.model.drives.base import leaves_that_follow
from linkwork.model.model import Model
from linkwork.system.data import Data
from linkwork.system.evaluate import evaluate
from linkwork.system.initial_conditions.accelerations import accelerations
from linkwork.system.state import State

XYZ = "xyz"


@dataclass(frozen=True)
class Input:
    """One input: forces F (6 bodies) and constraint changes C_u it makes."""

    name: str
    F: np.ndarray
    Cu: np.ndarray


def make_input(p: Pencil, name: str) -> Input:
    """The input of that name, the same at all times of the motion."""
    first, rest = split(p.data.system.model, name)
    item = p.data.system.model[first]
    found = input_change(p, item, rest, p.state)
    F, Cu = response(p, p.state, *found, np.eye(3)[None])
    for carried in p.later:
        moved = accelerations(p.data, carried.state)
        again = input_change(p, item, rest, moved)
        Fm, _ = response(p, moved, *again, carried.turn)
        size = np.abs(F).max(initial=0.0)
        if np.abs(Fm - F).max(initial=0.0) > STEADY * max(size, 1e-300):
            raise ModelError(
                f"input '{name}' does not keep its direction while the mechanism moves, so the "
                f"linearised equations ({p.describe()}) have no constant coefficients; use a force "
                "that follows the motion"
            )
    return Input(name, p.reactions.applied(F), Cu)


def split(model: Model, name: str) -> tuple[str, list[str]]:
    first, *rest = name.split(".")
    model[first]  # raises where there is none, with a suggestion
    return first, rest


def input_change(
    p: Pencil, item: Any, rest: list[str], state: State
) -> tuple[slice, np.ndarray]:
    """Where the numbers of an input's element are, and how they change with a unit of it."""
    data = p.data
    mine = [place for place, owner in places(data.system, type(item)) if owner is item]
    data.set_time(state.time)
    if isinstance(item, (Load, JointLoad)):
        if item.drive is not None and leaves_that_follow(item.drive):
            raise ModelError(
                f"{item.label} follows the motion, so it cannot be an input; add a "
                f"{'Force' if isinstance(item, Load) else type(item).__name__} beside it for what "
                "comes from outside"
            )
        if isinstance(item, JointLoad):
            return joint_load_change(data, item, rest, mine[0])
        return load_change(data, item, rest, mine[0])
    if isinstance(item, Distance) and isinstance(item.length, Drive) and not rest:
        change = np.zeros(mine[0].stop - mine[0].start)
        change[LENGTH] = 1.0
        return mine[0], change
    drives = item.laws().get("t", {}) if isinstance(item, Joint) else {}
    row = rest[0] if rest else next(iter(drives), None)
    if row == ROTATION:
        raise ModelError(
            f"the {ROTATION} law of {item.label} has no single value that could be an input; give "
            "laws on its rows rx, ry and rz instead"
        )
    if not drives or len(rest) > 1 or (len(drives) > 1 and not rest) or row not in drives:
        raise ModelError(no_input(p.data.system.model, item, rest, drives))
    return mine[0], drive_change(item, str(row), state.time, data.tables.reals[mine[0]])


def no_input(model: Model, item: Any, rest: list[str], drives: dict[str, Drive]) -> str:
    """The sentence that says why there is no such input."""
    words = ".".join([str(item.name), *rest])
    if drives:
        listed = ", ".join(f"'{item.name}.{row}'" for row in drives)
        return f"{item.label} has no input '{words}'; its inputs are {listed}"
    loads = (Load, JointLoad)
    usable = [n for n, i in model.items.items() if isinstance(i, loads) or _driven(i)]
    near = difflib.get_close_matches(str(item.name), usable, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    listed = ", ".join(f"'{n}'" for n in usable) or "none: add a Force, Torque or Motor"
    return (
        f"'{words}' cannot be an input: {item.label} is neither a force nor driven{hint} "
        f"(inputs of this model: {listed})"
    )


def _driven(item: Any) -> bool:
    if isinstance(item, Distance):
        return isinstance(item.length, Drive)
    return isinstance(item, Joint) and bool(item.laws().get("t"))


def load_change(
    data: Data, item: Load, rest: list[str], place: slice
) -> tuple[slice, np.ndarray]:
    """Change of a force's numbers: its factor, or a component of vector · factor."""
    now = data.tables.reals[place]
    change = np.zeros_like(now)
    if not rest:
        change[FACTOR] = 1.0
        return place, change
    if len(rest) > 1 or rest[0] not in XYZ:
        raise ModelError(
            f"{item.label} has no input '{item.name}.{'.'.join(rest)}'; its inputs are "
            f"'{item.name}' (the factor of its vector) and '{item.name}.x', '.y', '.z'"
        )
    column = item.column + XYZ.index(rest[0])
    change[FACTOR] = 1.0 - now[FACTOR]
    change[item.column : item.column + 3] = item.vector * (now[FACTOR] - 1.0)
    change[column] += 1.0
    return place, change


def joint_load_change(
    data: Data, item: JointLoad, rest: list[str], place: slice
) -> tuple[slice, np.ndarray]:
    """Change of a torque or force along a joint's freedom."""
    if rest:
        raise ModelError(
            f"{item.label} has no input '{item.name}.{'.'.join(rest)}'; its input is '{item.name}'"
        )
    change = np.zeros_like(data.tables.reals[place])
    change[force_pair.FACTOR] = 1.0
    return place, change


def drive_change(item: Joint, row: str, time: float, now: np.ndarray) -> np.ndarray:
    """∂(numbers of the lock element)/∂(value of the drive of a row): r_t, ρ_t and nothing else."""
    laws = {
        which: frozen(those, time, row if which == "t" else None)
        for which, those in item.laws().items()
    }
    rest = item.lock_entry(item.active, {}).reals
    change = np.zeros_like(now)
    change[:LEVEL] = item.poses(rest, laws, np.zeros(1)).reshape(3, LEVEL)[1]
    return change


def response(
    p: Pencil, state: State, place: slice, change: np.ndarray, turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Forces (frames) and constraint changes of a change of an element's numbers.

    The residual is linear in the change of a force or law: the difference of two evaluations is
    exact (up to the product of the factor and vector of a force, which load_change undoes).
    """
    data = p.data
    before = data.evaluate(state, tangent=False)
    data.load(state)
    w = data.work
    w.coef[:COEFS] = (0.0, 0.0, False, False, 0.0, True, False)
    reals = data.tables.reals[place].copy()
    data.tables.reals[place] += change
    evaluate(data.equations, state.time, 0.0)
    data.tables.reals[place] = reals
    force = before.residual - np.concatenate([w.f[: data.system.bodies].ravel(), w.balance[:-1]])
    _, T = world_axes(state)
    E = np.broadcast_to(turn, (data.system.bodies, 3, 3))
    F = body_blocks(E, E, data.system.layout.values, 1.0).T @ (T @ force)
    positions = ~data.system.on_velocities[data.kept]
    return F, (w.C[: data.rows] - before.C)[positions]
