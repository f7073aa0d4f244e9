"""Lock and the joints that are rows of it; z is the joint's axis.

A row x y z rx ry rz that is active is held (or driven), one that is not is free.  A new joint of
this kind is one class statement with its rows.

Motion laws are in motion_laws.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.joints.lock import LEVEL, LOCK, MOVING, QA, QB, QT, REALS, RT, UA, UB
from linkwork.elements.joints.motion_laws import (
    ROW_NAMES, MotionFactor, driven_rows, motion_jets, row_laws,
)  # fmt: skip
from linkwork.elements.signals.joint_readings import lock_reading
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame, as_frame, joint_place, place
from linkwork.model.given import (
    DirectionLike, FrameLike, Functions, OrientationLike, RowsLike, VectorLike, given,
)  # fmt: skip
from linkwork.model.registry import Entry, Item, Law

PARAMETERS = {  # of joints, for their docstrings
    "a, b": "the two bodies, or lw.GROUND; motions are those of b relative to a.  Frames on them\n"
    "(lw.Frame) may take their place, and then say where the joint is",
    "at": "(x, y, z), the joint's point in the reference configuration (m, world axes); needed\n"
    "unless frames are given",
    "at, where free": "(x, y, z) of the markers (m, world axes); without it, the origin of b",
    "axis": "world direction of the joint's axis z, or 'x', '-y', …; default (0, 0, 1)",
    "orientation": "quaternion (w, x, y, z) of the joint's axes in the world, instead of axis",
    "angle": "about the axis at the start (rad); default: as assembly finds it",
    "displacement": "along the axis at the start (m); default: as assembly finds it",
    "rate": "of the angle at the start (rad/s); default: from the velocities of the bodies",
    "rate, sliding": "of the displacement at the start (m/s); default: from the bodies' velocities",
    "speed": "d/dt of the displacement at the start (m/s); default: from the bodies' velocities",
    "none": "cannot be given: the joint has no single one",
    "limits": "(lower, upper) of the angle (rad), or of the displacement (m) where it slides; one\n"
    "may be None.  model.add makes an lw.Stop of it, under the joint's name and '_stop'",
}


KNOWN_ROWS: dict[str, tuple[int, ...]] = {}  # texts that were parsed before


def parse_rows(rows: Any, what: str) -> tuple[int, ...]:
    """Row numbers of a text such as "x y z rx"."""
    if isinstance(rows, str) and rows in KNOWN_ROWS:
        return KNOWN_ROWS[rows]
    words = rows.split() if isinstance(rows, str) else rows
    if isinstance(words, (list, tuple)) and words:
        known = [w for w in words if isinstance(w, str) and w in ROW_NAMES]
        if len(set(known)) == len(words):
            found = tuple(sorted(ROW_NAMES.index(w) for w in known))
            if isinstance(rows, str):
                KNOWN_ROWS[rows] = found
            return found
    raise ModelError(
        f"rows of {what} must be some of 'x y z rx ry rz', each once, but {checks.show(rows)} was "
        "given"
    )


def free_motions(active: tuple[int, ...]) -> tuple[bool, bool, bool]:
    """Whether a joint turns about z alone, slides along z, or turns about several axes."""
    free = 5 not in active
    turns = free and {3, 4} <= set(active)
    return turns, 2 not in active, free and not turns


def described_parameters(rows: str) -> str:
    """The parameters of a joint with these rows, laid out for its docstring."""
    active = parse_rows(rows, "a joint")
    turns, slides, bends = free_motions(active)
    words = ["a, b", "at" if min(active) < 3 else "at, where free", "axis", "orientation"]
    words += ["angle"] * turns + ["displacement"] * slides + ["rate"] * turns
    words += ["rate, sliding"] * (slides and not turns and not bends) + ["speed"] * slides
    words += ["limits"] * (turns != slides and not bends)
    lines = []
    for word in words:
        first, *more = PARAMETERS[word].split("\n")
        name = word if word == "a, b" else word.split(",")[0]
        lines += [f"    {name:<12} : {first}", *(f"{'':19}{line}" for line in more)]
    given = {word.split(",")[0] for word in words}
    starts = ("angle", "displacement", "rate", "speed", "limits")
    missing = [word for word in starts if word not in given]
    if missing:
        lines.append(f"    {', '.join(missing)} : {PARAMETERS['none']}")
    return "\n".join(lines)


def markers(a: Any, b: Any, at: Any, axis: Any, orientation: Any, what: str, places: bool):
    """The two coinciding markers of a joint: from a world point and axes, or from frames."""
    fa, fb = as_frame(a, what), as_frame(b, what)
    if fa.body is fb.body:
        raise ModelError(
            f"{what} joins {fa.body!r} with itself; give two different bodies (or GROUND)"
        )
    framed_a, framed_b = isinstance(a, Frame), isinstance(b, Frame)
    described = at is not None or axis is not None or orientation is not None
    if framed_a and framed_b:
        if described:
            raise ModelError(f"{what}: give frames, or at and axis with bodies, not both")
        return fa, fb
    if framed_a or framed_b:
        if described:
            raise ModelError(f"{what}: the frame says where the joint is; leave out at and axis")
        given = fa if framed_a else fb
        world = given.world()
        return (given, place(fb.body, *world)) if framed_a else (place(fa.body, *world), given)
    if at is None:
        at = joint_place(fa.body, fb.body, what) if places else fb.body.position
    point = checks.vector(at, f"at of {what}")
    axes = checks.axes(axis, orientation, what)
    return place(fa.body, point, axes), place(fb.body, point, axes)


class Joint(Item, abstract=True):
    """What all joints of the lock family share; subclasses state their `rows`."""

    rows: RowsLike = ""
    a: FrameLike
    b: FrameLike
    motion_factor: ClassVar[MotionFactor | None] = None  # of its laws, while a path scales them

    @property
    def active(self) -> tuple[int, ...]:
        return parse_rows(self.rows, self.label)

    def laws(self) -> dict[str, dict[str, Drive]]:
        """Motion laws of the relative motion ('t') and of the markers ('a', 'b')."""
        return {}

    def start(self) -> tuple[dict[str, float], dict[str, float]]:
        """Where the joint starts: coordinates and rates of free rows that the user gave."""
        return {}, {}

    def reading(self, quantity: str, axis: Any) -> Drive:
        return lock_reading(self, quantity, axis)

    def entries(self) -> list[Entry]:
        return [self.lock_entry(self.active, self.laws())]

    def lock_entry(self, rows: tuple[int, ...], laws: dict[str, dict[str, Drive]]) -> Entry:
        """The joint's element with these rows and motion laws."""
        fa, fb = self.frames
        reals = np.zeros(REALS)
        reals[QT] = 1.0
        reals[UA : UA + 3], reals[QA : QA + 4] = fa.position, fa.orientation
        reals[UB : UB + 3], reals[QB : QB + 4] = fb.position, fb.orientation
        entry = Entry(LOCK, (fa.body, fb.body), reals, rows, row_names=ROW_NAMES)
        if any(laws.values()):
            reals[MOVING] = 1.0
            factor = self.motion_factor or MotionFactor()
            entry.laws = [Law(0, lambda t: self.poses(reals, laws, t, factor.value), 3 * LEVEL)]
            entry.driven = driven_rows(laws.get("t", {}), rows)
        return entry

    def poses(
        self, reals: np.ndarray, laws: dict, times: np.ndarray, factor: float = 1.0
    ) -> np.ndarray:
        """The first 63 reals at each time, with all laws times a factor."""
        out = np.zeros((len(times), 3, LEVEL))
        for which, u, q in (("t", RT, QT), ("a", UA, QA), ("b", UB, QB)):
            if not laws.get(which):
                out[:, 0, u : u + 3], out[:, 0, q : q + 4] = reals[u : u + 3], reals[q : q + 4]
                continue
            move, turn = motion_jets(laws.get(which, {}), np.asarray(times, float), factor)
            if which != "t":  # marker laws are motions from the marker's place, in its axes
                u0, q0 = reals[u : u + 3], reals[q : q + 4]
                move = move @ rotations.matrix(q0).T
                move[:, 0] += u0
                turn = rotations.multiply(q0, turn)
            out[:, :, u : u + 3], out[:, :, q : q + 4] = move, turn
        return out.reshape(len(times), 3 * LEVEL)

    frames: tuple[Frame, Frame]


@dataclass(eq=False)
class Lock(Joint):
    """The one joint: any of the rows x y z rx ry rz between two markers, held or driven.

    a carries the main marker (rows are in its axes), b the driven one.

    a, b             : the two bodies, or lw.GROUND, or frames on them (lw.Frame)
    at               : (x, y, z), the joint's point in the reference configuration (m, world axes);
                       needed unless frames are given, a body is a section of a beam (its root,
                       tip, at(s)), or no position is held
    axis             : world direction of the joint's axis z, or "x", "-y", …; default (0, 0, 1)
    orientation      : quaternion (w, x, y, z) of the joint's axes in the world, instead of axis
    rows             : what is held, some of "x y z rx ry rz"; default all
    drive            : {row: function of time} of held rows (m, rad); default none
    drive_a, drive_b : the same of the markers on their bodies, in the markers' axes; default none

    "rotation" in a drive is the whole rotation as a function of time (lw.quaternion,
    lw.rotation_vector, lw.rotation_table) instead of laws on rx, ry and rz.

    Example
    -------
    >>> import linkwork as lw
    >>> body = lw.Body(1, (1, 1, 1))
    >>> lift = lw.Lock(lw.GROUND, body, at=(0, 0, 0), rows="x y z", drive={"z": lw.ramp(0.1)})
    """

    a: FrameLike
    b: FrameLike
    at: VectorLike | None = None
    axis: DirectionLike | None = None
    orientation: OrientationLike | None = None
    rows: RowsLike = "x y z rx ry rz"
    drive: Functions = given(None)
    drive_a: Functions = given(None)
    drive_b: Functions = given(None)

    def __post_init__(self) -> None:
        rows = self.active
        self.frames = markers(
            self.a, self.b, self.at, self.axis, self.orientation, self.label, min(rows) < 3
        )
        for word, active in (("drive", rows), ("drive_a", range(6)), ("drive_b", range(6))):
            laws = row_laws(getattr(self, word), active, word, self.label, whole=True)
            setattr(self, word, laws)

    def laws(self) -> dict[str, dict[str, Drive]]:
        return {"t": self.drive or {}, "a": self.drive_a or {}, "b": self.drive_b or {}}

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Lock:
        from linkwork.model.drives import polynomial, quaternion, rotation_vector

        def law() -> Drive:
            return polynomial(rng.uniform(-0.5, 0.5, 4))

        def laws(rows: Any) -> dict[str, Drive]:
            """On every row, or the rotation as a whole."""
            if rng.random() < 0.4 or not set(rows) & set(ROW_NAMES[3:]):
                return {r: law() for r in rows}
            vector = rotation_vector(law(), law(), law())
            turned = vector * quaternion(1 + law(), law(), law(), law())
            return {r: law() for r in rows if r in "xyz"} | {"rotation": turned}

        n = rng.integers(1, 7)
        rows = [ROW_NAMES[i] for i in sorted(rng.choice(6, n, replace=False))]
        return cls(
            a, b, at=rng.uniform(-1, 1, 3), axis=rng.normal(size=3), rows=rows,
            drive=laws(rows), drive_a=laws(ROW_NAMES), drive_b=laws(ROW_NAMES),
        )  # fmt: skip


@dataclass(eq=False)
class NamedJoint(Joint, abstract=True):
    """A joint that holds some rows of the lock joint; a subclass names them: rows="y z rx ry".

    at is a world point and axis a world direction in the reference configuration; a
    and b are bodies (or frames, which then say where the joint is).  `angle`, `displacement` and
    `rate` (of the angle where the joint turns, else of the displacement; `speed` is always that
    of the displacement) say where it starts, and assembly honours them.
    """

    a: FrameLike
    b: FrameLike
    at: VectorLike | None = None
    axis: DirectionLike | None = None
    orientation: OrientationLike | None = None
    angle: float | None = None
    displacement: float | None = None
    rate: float | None = None
    speed: float | None = None
    limits: tuple[float | None, float | None] | None = None

    def __init_subclass__(cls, rows: str = "", **keywords: Any) -> None:
        cls.rows = rows
        super().__init_subclass__(**keywords)
        cls.__doc__ = f"{cls.__doc__}\n\n{described_parameters(cls.rows)}\n    "

    def __post_init__(self) -> None:
        self.frames = markers(
            self.a, self.b, self.at, self.axis, self.orientation, self.label, min(self.active) < 3
        )
        self.start()
        if self.limits is not None:
            self.check_limits()

    def check_limits(self) -> None:
        """Refuse limits that are no pair, or of a joint that has not exactly one free motion."""
        pair = self.limits
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or pair == (None, None):
            raise ModelError(
                f"limits of {self.label} must be (lower, upper), of which one may be None, but "
                f"{checks.show(pair)} was given"
            )
        turns, slides, bends = free_motions(self.active)
        if bends or turns == slides:
            raise ModelError(
                f"limits of {self.label}: it does not turn or slide along its axis alone; add "
                'lw.Stop(joint, lower, upper, stiffness, motion="turn" or "slide") instead'
            )
        low, high = (
            None if x is None else checks.number(x, f"limits of {self.label}") for x in pair
        )
        if low is not None and high is not None and not low < high:
            raise ModelError(
                f"limits of {self.label} must be (lower, upper), but {low:g} is not below {high:g}"
            )
        checks.range_of_motion(low, high, f"limits of {self.label}")
        if self.name is not None:
            raise ModelError(
                f"limits of {self.label} are those of its stop, since it is in a model already; "
                f"change model['{self.name}_stop'], or add an lw.Stop"
            )
        self.limits = low, high

    def companions(self) -> dict[str, Item]:
        """The stop that limits= stands for; from then on it has them."""
        if self.limits is None:
            return {}
        from linkwork.elements.forces.stop import stop_of_limits

        limits, self.__dict__["limits"] = self.limits, None
        return {"stop": stop_of_limits(self, *limits)}

    def start(self) -> tuple[dict[str, float], dict[str, float]]:
        turns, slides, bends = free_motions(self.active)
        if self.speed is not None and self.rate is not None and not turns:
            raise ModelError(f"{self.label} has one rate; give rate or speed, not both")
        given = [
            ("angle", self.angle, turns, 0, "rz"),
            ("displacement", self.displacement, slides, 0, "z"),
            ("rate", self.rate, turns or (slides and not bends), 1, "rz" if turns else "z"),
            ("speed", self.speed, slides, 1, "z"),
        ]
        start: tuple[dict[str, float], dict[str, float]] = ({}, {})
        for word, value, possible, level, row in given:
            if value is None:
                continue
            if not possible and bends and word in ("angle", "rate"):
                raise ModelError(
                    f"{self.label} has no {word} to start with: it turns about more than one axis; "
                    "give its bodies their orientations and angular velocities instead"
                )
            if not possible:
                raise ModelError(f"{self.label} has no {word} to start with: it is held")
            start[level][row] = checks.number(value, f"{word} of {self.label}")
        return start

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        return cls(a, b, at=rng.uniform(-1, 1, 3), axis=rng.normal(size=3))


class Fixed(NamedJoint, rows="x y z rx ry rz"):
    """Holds everything: two bodies become one."""


class Revolute(NamedJoint, rows="x y z rx ry"):
    """A hinge: turns about its axis.  Outputs: angle, rate, force, torque."""


class Prismatic(NamedJoint, rows="x y rx ry rz"):
    """A slide: moves along its axis."""


class Cylindrical(NamedJoint, rows="x y rx ry"):
    """Turns about and slides along its axis."""


class Spherical(NamedJoint, rows="x y z"):
    """A ball: holds a point."""


class Planar(NamedJoint, rows="z rx ry"):
    """Moves in the plane normal to its axis and turns about it."""


class PointOnLine(NamedJoint, rows="x y"):
    """Holds a point of b on a's line along the axis."""


class PointOnPlane(NamedJoint, rows="z"):
    """Holds a point of b on a's plane normal to the axis."""


class Parallel(NamedJoint, rows="rx ry"):
    """Holds the axes of both bodies parallel; positions are free."""


class Align(NamedJoint, rows="rx ry rz"):
    """Holds the orientation; positions are free."""


class Oldham(NamedJoint, rows="z rx ry rz"):
    """Moves in the plane normal to its axis without turning."""


class Rzeppa(NamedJoint, rows="x y rz"):
    """A plunging constant velocity joint: bends, slides along its axis, and transmits rotation."""


class Homokinetic(NamedJoint, rows="x y z rz"):
    """A constant velocity joint: bends and transmits rotation."""
