"""The cable: points along a rope or belt, strings between them that may go slack."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.bodies.variable_mass import CENTRE, VARIABLE_MASS
from linkwork.elements.bodies.variable_mass import MASS as BODY_MASS
from linkwork.elements.bodies.variable_mass import REALS as MASS_REALS
from linkwork.elements.cables.hanging import hanging_shape
from linkwork.elements.cables.segments import (
    ARMS, DAMPING, EA, LENGTH, POINT, REALS, SEGMENTS,
)  # fmt: skip
from linkwork.elements.signals.joint_readings import refuse_others
from linkwork.elements.signals.probes import PULL, Probe, measured_load
from linkwork.errors import DriveError, ModelError
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import GROUND, Frame, as_frame, place
from linkwork.model.given import FrameLike, Vector, VectorLike, given
from linkwork.model.nodes import Node, point
from linkwork.model.registry import Entry, Item
from linkwork.model.signals.value_readings import value_reading

MOST_SEGMENTS = 100_000


@dataclass(eq=False)
class Cable(Item):
    """A rope, belt or chain between two bodies: it pulls, and where it is slack it does nothing.

    a, b         : the bodies at its ends, or Frames on them
    at_a, at_b   : world points in the reference configuration where it is fastened (without them
                   the bodies' origins, or the Frames' own)
    length       : unstretched, m (without it the distance of its ends)
    stiffness    : EA, N: tension per strain
    mass         : per length, kg/m
    segments     : strings between the points that its mass is lumped at; default 16
    damping      : tension per strain rate, N s, while it is stretched (by more than about 0.1 %)
    hang         : acceleration (m/s²) under which it hangs at the start, at rest; the usual gravity
                   if not given, (0, 0, 0) for a straight one

    It has no stiffness in bending and none in compression.  Runs of models with cables have the
    default method GeneralizedAlpha(rho=0), which damps the waves in its segments that a step does
    not resolve; methods that keep their energy make the light points between them fly.  Where its
    ends are nearer to each other than it is long it starts as the catenary that it hangs in.
    Outputs: tension (N) over (time, segment), points (m) over (time, point, xyz) from end to end,
    kinetic_energy, stored_energy (of strain and weight), momentum, angular_momentum.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model("swing", gravity=(0, 0, -9.81))
    >>> load = m.add("load", lw.Body(20, (1, 1, 1), position=(1, 0, -2)))
    >>> rope = m.add("rope", lw.Cable(lw.GROUND, load, at_a=(0, 0, 0), stiffness=1e5, mass=0.5))
    """

    view: ClassVar[str] = "cable"

    a: FrameLike
    b: FrameLike
    at_a: VectorLike | None = None
    at_b: VectorLike | None = None
    length: float | None = None
    stiffness: float | None = None
    mass: float | None = None
    segments: int = 16
    damping: float = 0.0
    hang: Vector = given((0.0, 0.0, -9.81))
    frames: tuple[Frame, Frame] = field(init=False, repr=False)

    slackens: ClassVar[bool] = True
    places: ClassVar[frozenset[str]] = Item.places | {"length"}

    def __post_init__(self) -> None:
        what = self.label
        for word in ("stiffness", "mass"):
            if getattr(self, word) is None:
                unit = "EA in N" if word == "stiffness" else "per length, kg/m"
                raise ModelError(f"{what} needs its {word} ({unit}): give {word}=")
            value = checks.number(getattr(self, word), f"{word} of {what}", positive=True)
            setattr(self, word, value)
        self.segments = checks.count(self.segments, f"segments of {what}")
        if self.segments > MOST_SEGMENTS:
            raise ModelError(
                f"segments of {what} must be at most {MOST_SEGMENTS}, but {self.segments} was given"
            )
        self.damping = checks.number(self.damping, f"damping of {what}", minimum=0)
        self.hang = checks.vector(self.hang, f"hang of {what}")
        self.frames = tuple(
            self._end(end, at, word)
            for end, at, word in ((self.a, self.at_a, "at_a"), (self.b, self.at_b, "at_b"))
        )  # type: ignore[assignment]
        first, second = (frame.world()[0] for frame in self.frames)
        distance = float(np.linalg.norm(second - first))
        if self.length is None:
            if distance == 0.0:
                raise ModelError(
                    f"the ends of {what} coincide, so that its length must be given: length="
                )
            self.length = distance
        self.length = checks.number(self.length, f"length of {what}", positive=True)
        body = self.frames[0].body
        between_points = body is GROUND and distance > 0.0 and self.segments > 1
        if body is self.frames[1].body and not between_points:
            raise ModelError(
                f"{what} joins a body with itself; give two different bodies, or two points of the "
                "ground and at least 2 segments"
            )
        self.__dict__.pop("made_nodes", None)

    def _end(self, end: Any, at: Any, word: str) -> Frame:
        frame = as_frame(end, self.label)
        if at is None:
            return frame
        point_ = checks.vector(at, f"{word} of {self.label}")
        return place(frame.body, point_, np.array([1.0, 0.0, 0.0, 0.0]))

    # ------------------------------------------------------------------------------- its nodes
    def start(self) -> np.ndarray:
        """Places (segments + 1, 3) of all points at the start."""
        a, b = (frame.world()[0] for frame in self.frames)
        with np.errstate(all="ignore"):
            points = hanging_shape(
                a, b, float(self.length), self.segments, float(self.stiffness),  # type: ignore[arg-type]
                float(self.mass) * self.hang,  # type: ignore[arg-type]
            )
        if not np.isfinite(points).all():
            raise ModelError(
                f"{self.label}: no shape between its ends can be found, because its length "
                f"{self.length:g} m, mass {self.mass:g} kg/m or stiffness {self.stiffness:g} N is "
                "too large or too small for numbers of a computer; check their units"
            )
        return points

    def vector_nodes(self) -> list[Node]:
        made = self.__dict__.get("made_nodes")
        ends = np.array([frame.world()[0] for frame in self.frames])
        if made is None or not np.array_equal(made[0], ends):
            size = max(float(np.abs(ends).max()), float(self.length))  # type: ignore[arg-type]
            inner = self.start()[1:-1]
            nodes = made[1] if made and len(made[1]) == len(inner) else [
                Node(point(f"point {i + 1}"), x, scale=size) for i, x in enumerate(inner)
            ]
            for node, x in zip(nodes, inner):
                node.value = np.array(x)
            made = self.__dict__["made_nodes"] = (ends, nodes)
        return made[1]

    def reading(self, quantity: str, axis: Any) -> Drive:
        if quantity != "tension":
            names = [node.kind.name.replace(" ", "_") for node in self.vector_nodes()]
            if quantity.removesuffix("_rate") in names:
                return value_reading(self, quantity, axis)
            refuse_others(self, quantity, ("tension", *names))
        which = 0 if axis is None else axis
        if isinstance(which, bool) or not isinstance(which, (int, np.integer)) or not (
            0 <= which < self.segments
        ):  # fmt: skip
            raise DriveError(
                f"a reading of {self.label}: expected which of its {self.segments} segments is "
                f"meant, a number from 0 to {self.segments - 1}, found {checks.show(axis)}"
            )
        return measured_load(self, "tension", None, ("tension",), which=int(which))

    def probe(self, quantity: str, which: int) -> Probe:
        return Probe(PULL, ((which, 0),))

    def entries(self) -> list[Entry]:
        n, nodes = self.segments, self.vector_nodes()
        first, last = self.frames
        ends: list[Any] = [first.body, *nodes, last.body]
        piece = float(self.length) / n  # type: ignore[arg-type]
        found = []
        for i in range(n):
            reals = np.zeros(REALS + 2)
            reals[[LENGTH, EA, DAMPING]] = piece, self.stiffness, self.damping
            for side, k in enumerate((i, i + 1)):
                if 0 < k < n:
                    reals[REALS + side] = 1.0
                else:
                    frame = first if k == 0 else last
                    reals[ARMS + 3 * side : ARMS + 3 * side + 3] = frame.position
            free = bool(reals[REALS]), bool(reals[REALS + 1])
            found.append(Entry(SEGMENTS[free], (ends[i], ends[i + 1]), reals))
        weight = float(self.mass) * piece  # type: ignore[arg-type]
        found += [Entry(POINT, (node,), np.array([weight])) for node in nodes]
        for frame in self.frames:
            if frame.body is not GROUND:
                reals = np.zeros(MASS_REALS)
                reals[BODY_MASS], reals[CENTRE : CENTRE + 3] = weight / 2, frame.position
                found.append(Entry(VARIABLE_MASS, (frame.body,), reals))
        return found

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Cable:
        first, last = (Frame(body, rng.normal(size=3)) for body in (a, b))
        p, q = (end.world()[0] for end in (first, last))
        length = 0.3 * float(np.linalg.norm(q - p))  # stretched wherever its points are moved to
        return cls(
            first, last, length=length, stiffness=rng.uniform(5, 9), mass=1.0, segments=3,
            damping=rng.uniform(0.1, 0.2), hang=(0, 0, 0),
        )  # fmt: skip

