"""What a drawing consists of: solids, symbols, lines and arrows, and where each is at every frame.

    marker of a body      r + R u,  R R_u          line from a to b        z axis along b − a
    reaction of a joint   on its second body, at the joint;   load   at its point
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from linkwork.elements.joints.joints import Joint
from linkwork.kernels import rotations
from linkwork.model.frame import Frame
from linkwork.results.outputs.stored import body_motion
from linkwork.results.result import Result
from linkwork.view.lines import Line
from linkwork.view.solids.figures import turned
from linkwork.view.solids.shapes import Part
from linkwork.view.traces import Trace

ARROW = 0.28  # normal length of an arrow, in sizes of the mechanism
LONGEST, SHORTEST = 1.6, 0.02  # times the normal length; what is shorter is not drawn


def extent_of(parts: list[Part]) -> float:
    """Radius of a ball about the origin that holds parts."""
    return max((float(np.linalg.norm(p.position)) + p.reach for p in parts), default=0.0)


@dataclass(eq=False)
class Solid:
    """A body: its parts in body axes, and where it is."""

    name: str
    number: int
    parts: list[Part]
    colour: tuple[int, int, int]
    inertia: Part | None = None  # the solid of equal inertia, where links stand for the body

    @property
    def extent(self) -> float:
        return extent_of(self.parts)

    @property
    def wall(self) -> float:
        """Radius of its rods."""
        rods = [p.numbers[0] for p in self.parts if p.kind == "cylinder" and not p.opacity]
        return min(rods, default=0.0)


@dataclass(eq=False)
class Symbol:
    """A joint, a bushing or a torsion spring: parts that move with a marker of a body."""

    name: str
    group: str
    parts: list[Part]
    marker: Frame
    position: np.ndarray  # (F, 3)

    @property
    def extent(self) -> float:
        return extent_of(self.parts)


@dataclass(eq=False)
class Arrow:
    """A force or torque vector that acts at a point, world axes."""

    name: str
    group: str  # "forces" or "reactions"
    kind: str  # "force" or "torque"
    point: np.ndarray  # (F, 3)
    vector: np.ndarray  # (F, 3)


@dataclass(eq=False)
class Drawing:
    """Everything that is drawn of a result."""

    result: Result  # of the frames alone
    title: str
    run: Result  # from which the frames are, with all its times
    frames: np.ndarray  # their numbers there
    solids: list[Solid] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    other: Drawing | None = None  # another run, drawn as a ghost

    @property
    def time(self) -> np.ndarray:
        return self.result.time

    @property
    def size(self) -> float:
        return self.result.system.length

    @property
    def period(self) -> float | None:
        """Of a mode, whose time is a phase; none of a run."""
        found = self.result.info.get("period")
        return None if found is None else float(found)

    def when(self, i: int) -> str:
        """The time of a frame in words, or the phase of a mode."""
        t = float(self.time[i])
        if self.period is not None:
            return f"phase {360 * t / self.period:.0f}°"
        return f"t = {t:.{self.digits}f} s"

    @property
    def digits(self) -> int:
        """Decimals with which a hundredth of the run can be told."""
        duration = float(self.time[-1] - self.time[0])
        return int(np.clip(np.ceil(2 - np.log10(duration)), 1, 9)) if duration > 0 else 3

    @cached_property
    def references(self) -> dict[tuple[str, str], float]:
        """The force and the torque that an arrow of normal length stands for, in each group: of
        reactions, and of loads, which those of a rotor exceed a hundred times."""
        found: dict[tuple[str, str], float] = {}
        for arrow in self.arrows:
            sizes = np.linalg.norm(arrow.vector, axis=1)
            good = sizes[np.isfinite(sizes)]
            usual = float(np.quantile(good, 0.9)) if len(good) else 0.0
            key = arrow.group, arrow.kind
            found[key] = max(found.get(key, 0.0), usual)
        return {key: size or 1.0 for key, size in found.items()}

    def arrow_ends(self, group: str, kind: str, i: int, scale: float = 1.0) -> np.ndarray:
        """(n, 2, 3): from the points along the vectors, at most LONGEST normal lengths."""
        normal = ARROW * self.size * scale
        mine = [a for a in self.arrows if a.group == group and a.kind == kind]
        point = np.array([a.point[i] for a in mine]).reshape(-1, 3)
        d = np.array([a.vector[i] for a in mine]).reshape(-1, 3)
        d /= self.references.get((group, kind), 1.0)
        length = np.linalg.norm(d, axis=1)
        seen = length > SHORTEST
        point, d, length = point[seen], d[seen], length[seen]
        d *= np.minimum(1.0, LONGEST / length)[:, None]
        return np.stack([point, point + normal * d], axis=1)

    @cached_property
    def markers(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions (F, n, 3) and quaternions (F, n, 4) of all markers of joints."""
        found = [
            place(self.result, frame)
            for item in self.result.system.model.items.values() if isinstance(item, Joint)
            for frame in item.frames
        ]  # fmt: skip
        if not found:
            return np.zeros((len(self.time), 0, 3)), np.zeros((len(self.time), 0, 4))
        return np.stack([p for p, _ in found], 1), np.stack([q for _, q in found], 1)


def nearest(time: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Numbers of the stored times nearest to those wanted."""
    i = np.clip(np.searchsorted(time, wanted), 1, max(len(time) - 1, 1))
    i = np.minimum(i, len(time) - 1)
    before = np.maximum(i - 1, 0)
    return np.where(wanted - time[before] <= time[i] - wanted, before, i)


def place(result: Result, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """A marker over the frames: position (F, 3) and quaternion (F, 4)."""
    names = result.system.names
    number = names.index(frame.body.name) if frame.body.name in names else -1
    m = body_motion(result, number)
    return m.r + turned(m.q, frame.position), rotations.multiply(m.q, frame.orientation)
