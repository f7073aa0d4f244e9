"""How a joint moves: the coordinates of each joint of the lock family.

A lock joint leaves free the rows that are not active: translations along the axes of the marker on
its first body, and a rotation that depends on how many of rx, ry, rz are held (zero parts of the
relative quaternion):

    3 held   no rotation
    2 held   about the free axis                          one angle
    1 held   a swing without twist about the held axis    two parts of the rotation vector
    0 held   a ball                                       unit quaternion

A universal joint turns about the arm in its first body and then the one in its second.  Axes are
renamed in cycles so that the special one is z.  A joint may be walked from its second body to its
first when the free translations look the same from there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.elements.joints.joints import Joint
from linkwork.elements.joints.lock import LEVEL, LOCK, QA, QB, QT, RT, UA, UB
from linkwork.elements.joints.orthogonal import EA, EB, ORTHOGONAL
from linkwork.kernels import rotations
from linkwork.recursive.tree.layout import ABOUT_Z, BALL, CROSS, NO_TURN, SWING
from linkwork.system.compilation.numbering import Element
from linkwork.system.system import System

CYCLE = {2: (1.0, 0.0, 0.0, 0.0), 0: (0.5, 0.5, 0.5, 0.5), 1: (0.5, -0.5, -0.5, -0.5)}
VELOCITIES = {NO_TURN: 0, ABOUT_Z: 1, BALL: 3, CROSS: 2, SWING: 2}
COORDINATES = {**VELOCITIES, BALL: 4}


@dataclass(frozen=True)
class Marker:
    """A place and axes on a body."""

    position: np.ndarray
    orientation: np.ndarray


@dataclass(frozen=True)
class JointMotion:
    """The free motion of one joint, axes renamed so that its special one is z."""

    first: Marker  # on the joint's first body
    second: Marker
    free: tuple[int, ...]  # translations along the first marker's axes
    turn: int
    axis: int  # which of the joint's own axes is z here
    law: Element | None = None  # whose motion laws it follows
    reversible: bool = True

    @property
    def velocities(self) -> int:
        return len(self.free) + VELOCITIES[self.turn]

    @property
    def coordinates(self) -> int:
        return len(self.free) + COORDINATES[self.turn]

    @property
    def plain_hinge(self) -> bool:
        return self.turn == ABOUT_Z and not self.free and self.law is None

    @property
    def names(self) -> list[str]:
        """Of the coordinates, in words of the joint's own axes."""
        own = [(self.axis + 1) % 3, (self.axis + 2) % 3, self.axis]  # what x y z here are there
        axes = ["xyz"[i] for i in own]
        turns = {
            NO_TURN: [], ABOUT_Z: ["r" + axes[2]], BALL: ["w", "rx", "ry", "rz"],
            CROSS: ["first", "second"], SWING: ["r" + axes[0], "r" + axes[1]],
        }  # fmt: skip
        return [axes[i] for i in self.free] + turns[self.turn]

    def laws(self, times: np.ndarray, turned: bool) -> np.ndarray:
        """r_t, ρ_t and two derivatives (T, 21) from the first body; turned: from the second."""
        assert self.law is not None
        (law,) = self.law.entry.laws
        levels = law.values(times).reshape(len(times), 3, LEVEL)
        r, q = levels[:, :, RT : RT + 3], levels[:, :, QT : QT + 4].copy()
        order = [(self.axis + 1) % 3, (self.axis + 2) % 3, self.axis]
        r, q[:, :, 1:] = r[:, :, order], q[:, :, 1:][:, :, order]
        if turned:
            r, q = -r, rotations.conjugate(q)
        return np.concatenate([r, q], axis=2).reshape(len(times), 21)


FREE = JointMotion(
    Marker(np.zeros(3), np.array([1.0, 0, 0, 0])), Marker(np.zeros(3), np.array([1.0, 0, 0, 0])),
    (0, 1, 2), BALL, 2,
)  # fmt: skip

RIGID = JointMotion(FREE.first, FREE.second, (), NO_TURN, 2)  # places of a flexible link


def joint_motion(system: System, elements: list[Element]) -> JointMotion | None:
    """The motion of the joint made of these elements, or none where it can only be cut."""
    lock = elements[0]
    if lock.entry.family is not LOCK:
        return None
    if len(elements) == 2 and elements[1].entry.family is ORTHOGONAL:
        return cross_motion(lock, elements[1])
    if len(elements) != 1:
        return None
    reals, rows = np.asarray(lock.entry.reals), set(lock.entry.rows)
    law = None
    if lock.entry.laws:
        joint = system.model[lock.owner]
        words = joint.laws() if isinstance(joint, Joint) else {}
        if any(words.get(which) for which in ("a", "b")) or not words.get("t"):
            return None
        law = lock
    held = [i for i in range(3) if 3 + i in rows]
    axis, turn = 2, (BALL, SWING, ABOUT_Z, NO_TURN)[len(held)]
    if turn == ABOUT_Z:
        axis = next(i for i in range(3) if i not in held)
    elif turn == SWING:
        axis = held[0]
    order = [(axis + 1) % 3, (axis + 2) % 3, axis]
    free = tuple(i for i in range(3) if order[i] not in rows)
    return JointMotion(
        marker(reals, UA, QA, axis), marker(reals, UB, QB, axis), free, turn, axis, law,
        reversible(free, turn, lock),
    )  # fmt: skip


def reversible(free: tuple[int, ...], turn: int, lock: Element) -> bool:
    """Whether the motion looks the same from the second body."""
    if lock.entry.laws and len(lock.entry.driven) + len(free) + VELOCITIES[turn] > 1:
        return False
    if turn == NO_TURN:
        return True
    if turn == ABOUT_Z:
        return (0 in free) == (1 in free)
    return len(free) in (0, 3)


def marker(reals: np.ndarray, u: int, q: int, axis: int) -> Marker:
    turned = rotations.multiply(reals[q : q + 4], np.array(CYCLE[axis]))
    return Marker(reals[u : u + 3].copy(), turned)


def cross_motion(lock: Element, cross: Element) -> JointMotion | None:
    """A universal joint: x of the first marker is the arm in a, y of the second the arm in b."""
    if set(lock.entry.rows) != {0, 1, 2} or lock.ends != cross.ends or lock.entry.laws:
        return None
    reals, axes = np.asarray(lock.entry.reals), np.asarray(cross.entry.reals)
    return JointMotion(
        Marker(reals[UA : UA + 3].copy(), with_axis(axes[EA : EA + 3], 0)),
        Marker(reals[UB : UB + 3].copy(), with_axis(axes[EB : EB + 3], 1)), (), CROSS, 2,
    )  # fmt: skip


def with_axis(e: np.ndarray, i: int) -> np.ndarray:
    """An orientation whose axis i is along e."""
    helper = np.eye(3)[int(np.argmin(np.abs(e)))]
    f = np.cross(e, helper)
    f /= np.linalg.norm(f)
    columns = [e, f, np.cross(e, f)]
    R = np.column_stack([columns[(j - i) % 3] for j in range(3)])
    return rotations.from_matrix(R)


