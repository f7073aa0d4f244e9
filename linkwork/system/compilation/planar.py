"""Models in a plane: what holds bodies in it, and the rows of joints that count.

A mechanism in space whose axes are all normal to a plane has three superfluous rows for every
closed loop: each joint keeps both bodies in the plane, and one on the way around does so for all.
With n the normal of the plane, a row of a lock joint acts in the plane if it holds a displacement
across n or a turn about n.  A spanning tree from the ground holds the bodies in the plane, with all
rows of its joints; bodies that no joint ties to the plane have a guide (the rows of lw.Planar).  Of
all other joints the rows that act in the plane count, and no others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.elements.bodies.body import Body
from linkwork.elements.flexible.link import FlexibleLink
from linkwork.elements.forces.force import Force, Torque
from linkwork.elements.joints.distance import DISTANCE
from linkwork.elements.joints.gear import Gear
from linkwork.elements.joints.joints import Planar
from linkwork.elements.joints.lock import LOCK, QA
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.frame import GROUND
from linkwork.model.model import Model
from linkwork.model.registry import Entry

if TYPE_CHECKING:
    from linkwork.system.system import System

ALONG = 1e-9  # an axis this close to the normal, or to the plane, lies along it


class Acts(NamedTuple):
    """What the rows of a lock joint do: in the plane, and out of it."""

    inside: tuple[int, ...]
    outside: tuple[int, ...]

    @property
    def keeps_plane(self) -> bool:
        """Whether one body of the joint stays in the plane if the other does."""
        return len(self.outside) == 3


def guides(
    model: Model, entries: list[tuple[str, Entry]], bodies: dict[str, Any]
) -> list[tuple[str, Entry]]:
    """Entries that hold what no joint holds in the plane; refuses items that leave it."""
    normal = model.normal
    refuse_spatial(model, normal, bodies)
    tree = Tree()
    for name, entry in entries:
        acts = rows_of(model, name, entry, normal)
        if acts is not None and acts.keeps_plane:
            tree.join(entry.bodies[:2])
    found: list[tuple[str, Entry]] = []
    for name, body in bodies.items():
        if tree.join((GROUND, body)):
            guide = Planar(GROUND, body, at=body.position, axis=normal)
            found += [(name.split(".")[0], entry) for entry in guide.entries()]
    return found


def counting(full: System) -> np.ndarray:
    """Which of all rows count: (all rows,)."""
    keep, tree = np.ones(len(full.all_rows), bool), Tree()
    for e in sorted(full.elements, key=lambda e: is_interface(full.model, e.owner, e.entry) < 1):
        acts = rows_of(full.model, e.owner, e.entry, full.model.normal)
        if acts is None or (acts.keeps_plane and tree.join(e.entry.bodies[:2])):
            continue
        for row, i in zip(e.rows, e.entry.rows):
            keep[row] = i in acts.inside
    return keep


class Tree:
    """Bodies that are joined, by the roots of their trees."""

    def __init__(self) -> None:
        self.above: dict[int, int] = {}

    def root(self, body: Any) -> int:
        at = id(body)
        while self.above.get(at, at) != at:
            at = self.above[at]
        return at

    def join(self, pair: tuple[Any, ...]) -> bool:
        """Join two bodies; False where they were joined already."""
        a, b = map(self.root, pair)
        self.above[b] = a
        return a != b


def is_interface(model: Model, name: str, entry: Entry) -> bool:
    return bool(entry.rows) and isinstance(model[name], FlexibleLink)


def rows_of(model: Model, name: str, entry: Entry, normal: np.ndarray) -> Acts | None:
    """What the rows of an entry do; None where they all count anyway."""
    item = model[name]
    if not entry.rows or entry.family is DISTANCE or isinstance(item, Gear):
        return None
    if is_interface(model, name, entry):  # a section follows its frame and the amplitudes
        return Acts((0, 1, 5), (2, 3, 4))
    if entry.family is not LOCK:
        raise ModelError(
            f"{item.label} does not belong in a planar model ({plane(model)}); use joints such "
            "as Revolute, Prismatic, Fixed or Motor there, or leave out planar="
        )
    body = entry.bodies[0]
    orientation = rotations.multiply(body.orientation, entry.reals[QA : QA + 4])
    across = np.abs(rotations.matrix(orientation).T @ normal)  # of the axes x, y, z
    along = across > 1 - ALONG
    if not np.all(along | (across < np.sqrt(2 * ALONG))):
        if len(entry.rows) == 6:  # all held: which axes does not matter, while it is in the tree
            return Acts((0, 1, 5), (2, 3, 4))
        raise ModelError(
            f"the axes of {item.label} are askew to the plane of the model ({plane(model)}), so "
            f"that it moves out of it; give it the axis {checks.show(normal.tolist())} to turn "
            "about, or one in the plane to slide along"
        )
    inside = {i for i in range(3) if not along[i]} | {3 + i for i in range(3) if along[i]}
    held = set(entry.rows)
    if inside <= held and len(held) < 6:
        raise ModelError(
            f"{item.label} can only move out of the plane of the model ({plane(model)}); give it "
            f"the axis {checks.show(normal.tolist())}, or use lw.Fixed"
        )
    if set(entry.driven) - inside:
        raise ModelError(
            f"{item.label} is driven out of the plane of the model ({plane(model)}); drive "
            "displacements in the plane and turns about its normal"
        )
    return Acts(tuple(sorted(inside & held)), tuple(sorted(held - inside)))


def refuse_spatial(model: Model, n: np.ndarray, bodies: dict[str, Any]) -> None:
    """Gravity, velocities, loads and links that lead out of the plane."""
    tell = f"leads out of the plane of model '{model.name}' ({plane(model)})"
    if off(model.gravity, n):
        raise ModelError(f"gravity {model.gravity.tolist()} {tell}; give one in the plane")
    for item in model.items.values():
        if isinstance(item, FlexibleLink):
            if item.normal is None or abs(n @ checks.unit(np.asarray(item.normal))[0]) < 1 - ALONG:
                raise ModelError(
                    f"{item.label} bends out of the plane of the model ({plane(model)}); give it "
                    f"normal={tuple(n.tolist())}"
                )
        elif isinstance(item, (Force, Torque)):
            R = np.eye(3)
            if item.follower:
                R = rotations.matrix(item.entries()[0].bodies[0].orientation)
            vector = R @ item.vector
            turned = vector - (vector @ n) * n if isinstance(item, Torque) else (vector @ n) * n
            if np.linalg.norm(turned) > ALONG * np.linalg.norm(vector):
                where = "about the normal" if isinstance(item, Torque) else "in the plane"
                raise ModelError(f"vector of {item.label} {tell}; give one {where}")
        elif isinstance(item, Body):
            if item.velocity is not None and off(item.velocity, n):
                raise ModelError(f"velocity of {item.label} {tell}; give one in the plane")
            if item.angular_velocity is not None:
                w = rotations.matrix(item.orientation) @ item.angular_velocity
                if np.linalg.norm(w - (w @ n) * n) > ALONG * np.linalg.norm(w):
                    raise ModelError(
                        f"angular velocity of {item.label} {tell}; give one about the normal"
                    )


def off(vector: np.ndarray, n: np.ndarray) -> bool:
    return abs(vector @ n) > ALONG * float(np.linalg.norm(vector))


def plane(model: Model) -> str:
    return f'planar="{model.planar}"'
