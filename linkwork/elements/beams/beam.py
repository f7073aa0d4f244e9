"""The beam: nodes along a line or curve, elements between them, and their mass.

Lumped at the nodes, an element of three nodes gives its end nodes a sixth of its mass each and its
middle node two thirds (Simpson's rule); one of two nodes gives each half.  Moments of inertia are
those of the section times the same length l, but at least 1e-6 m l², so that sections without have
some.  Consistent mass is that of elements.beams.inertia, with moments of inertia of the pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from linkwork.elements.beams.curve import Curve, checked_points
from linkwork.elements.beams.electrodes import (
    Electrodes, checked_electrodes, electrode_entry, with_voltages,
)  # fmt: skip
from linkwork.elements.beams.element import more_damping
from linkwork.elements.beams.family import POINTS, beam_entry
from linkwork.elements.beams.inertia import KINDS, beam_inertia_entry, cuts
from linkwork.elements.beams.nodes import BeamNode
from linkwork.elements.bodies.variable_mass import CENTRE, INERTIA, MASS, VARIABLE_MASS
from linkwork.elements.bodies.variable_mass import REALS as MASS_REALS
from linkwork.elements.flexible.section import Section
from linkwork.elements.flexible.stations import FramesAlong
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.calls import explained_maker
from linkwork.model.frame import Frame
from linkwork.model.given import (
    MatrixLike, MatrixOrNone, Places, VectorLike, VectorOrNone, given,
)  # fmt: skip
from linkwork.model.registry import Entry, Item

MOST_ELEMENTS = 100_000
SHARES = {2: (0.5, 0.5), 3: (1 / 6, 2 / 3, 1 / 6)}
LEAST_INERTIA = 1e-6  # of m l² of a node's piece
SAME = 1e-9  # parts of the length that are one place


class Mesh(NamedTuple):
    """The nodes of a beam at rest: places s (n,), positions, axes, lengths that they stand for."""

    s: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    share: np.ndarray
    numbers: dict[float, int]  # of the nodes by their places

    def number(self, s: float) -> int:
        """The node at a place."""
        found = self.numbers.get(s)
        return int(np.argmin(np.abs(self.s - s))) if found is None else found


SectionAlong: TypeAlias = Section | Callable[[float], Section]
UpAlong: TypeAlias = VectorLike | Callable[[float], VectorLike] | None


@dataclass(eq=False)
class Beam(FramesAlong, Item):
    """An elastic beam from start to end that may bend and turn far: geometrically exact.

    start, end : world points in the reference configuration
    section    : lw.Section, or a function of s from 0 to 1 that gives one (tapered)
    elements   : how many, default 8;   order : nodes of each, 3 (default) or 2
    up         : world direction of the section's z axis (default: the world's z, or y where the
                 beam is nearly upright), or a function of s that gives it (twisted)
    damping    : factor of the stiffness (s), added to the section's own
    inertia    : "lumped" at the nodes, which is fast, or "consistent" with the element, which has
                 frequencies of fourth order in the length of elements (of three nodes)
    velocity   : of its start, world axes;  angular_velocity : in the axes of its root; it starts
                 in that rigid motion
    at         : places s along the beam that have frames; `beam.at(s)` adds one
    path       : points that its axis passes through (`Beam.along` takes them)
    electrodes : voltages (V) of the electrodes of a piezoelectric section: numbers, functions of
                 time, or items with a scalar node such as lw.Quantity, which take their currents

    It brings a body for each node, with a share of its mass.  Joints and forces take its frames
    `beam.root`, `beam.tip`, `beam.at(s)` in place of a body; at(s) moves the nearest node there.
    Outputs over time and s: section_force, section_moment, strain, curvature (section axes),
    force_world, moment_world, and the axis, in `run["beam"]`; `run["beam.tip"]` has the motion
    of the tip.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model("cantilever", gravity=(0, 0, -9.81))
    >>> steel = lw.Section.rectangle(0.02, 0.005, E=2.1e11, density=7800)
    >>> strip = m.add("strip", lw.Beam((0, 0, 0), (2, 0, 0), steel, elements=6))
    >>> clamp = m.add("clamp", lw.Fixed(lw.GROUND, strip.root, at=(0, 0, 0)))
    >>> sagged = lw.static(m)
    """

    view: ClassVar[str] = "beam"

    start: VectorLike
    end: VectorLike
    section: SectionAlong
    elements: int = 8
    order: int = 3
    up: UpAlong = None
    damping: float = 0.0
    velocity: VectorOrNone = given(None)
    angular_velocity: VectorOrNone = given(None)
    at: Places = given(())
    path: MatrixOrNone = given(None)
    electrodes: Electrodes = given(())
    inertia: str = "lumped"
    curve: Curve = field(init=False, repr=False)
    frame_kind: ClassVar[Any] = BeamNode

    @classmethod
    @explained_maker
    def along(
        cls, points: MatrixLike, section: SectionAlong, **words: Any
    ) -> Beam:
        """A beam along a smooth curve through at least three points; its words are those of Beam.

        Without `elements` there are as many nodes as points, or one more.  A corner is two beams
        joined by lw.Fixed.
        """
        path = checked_points(points, "points of Beam.along", 2)
        steps = checked_order(words.get("order", 3), "Beam.along") - 1
        words.setdefault("elements", -(-(len(path) - 1) // steps))
        return cls(path[0], path[-1], section, path=path if len(path) > 2 else None, **words)

    def __post_init__(self) -> None:
        what = self.label
        self.start = checks.vector(self.start, f"start of {what}")
        self.end = checks.vector(self.end, f"end of {what}")
        self.elements = checks.count(self.elements, f"elements of {what}")
        if self.elements > MOST_ELEMENTS:
            raise ModelError(
                f"elements of {what} must be at most {MOST_ELEMENTS}, but {self.elements} was given"
            )
        self.order = checked_order(self.order, what)
        self.damping = checks.number(self.damping, f"damping of {what}", minimum=0)
        checks.choice(self.inertia, f"inertia of {what}", tuple(KINDS))
        for word in ("velocity", "angular_velocity"):
            if getattr(self, word) is not None:
                setattr(self, word, checks.vector(getattr(self, word), f"{word} of {what}"))
        if self.up is not None and not callable(self.up):
            self.up = checks.direction(self.up, f"up of {what}")
        points = np.array([self.start, self.end])
        if self.path is not None:
            self.path = path = checked_points(self.path, f"path of {what}", 3)
            if np.abs(path[[0, -1]] - points).max() > SAME * np.abs(path).max():
                raise ModelError(
                    f"path of {what} must lead from its start to its end; give the points alone to "
                    "lw.Beam.along"
                )
            points = path
        elif np.linalg.norm(self.end - self.start) <= 1e-12 * np.abs(points).max():
            raise ModelError(f"the ends of {what} must be two different points")
        self.curve = Curve(points, self.up, what)
        self.section_at(0.0), self.section_at(1.0)
        self.electrodes = tuple(v.given for v in self.voltages())
        self.take_stations()
        self.__dict__.pop("made_mesh", None)
        self.mesh  # noqa: B018  (refuses axes that cannot be)

    def __repr__(self) -> str:
        return self.label

    # -------------------------------------------------------------------------------- sections
    def section_at(self, s: float) -> Section:
        """The section at a place, damping included."""
        found = checks.at_place(self.section, s, f"section of {self.label}")
        if not isinstance(found, Section):
            raise ModelError(
                f"section of {self.label} must be an lw.Section, or a function of s that gives "
                f"one, but {checks.show(found)} was given; write for example "
                "lw.Section.circle(0.01, E=2.1e11, density=7800)"
            )
        return more_damping(found, self.damping, self.label)

    @property
    def length(self) -> float:
        return self.curve.length

    def voltages(self) -> list[Any]:
        """Of its electrodes."""
        if isinstance(self.electrodes, (tuple, list)) and not len(self.electrodes):
            return []
        ends = [self.section_at(0.0), self.section_at(1.0)]
        return checked_electrodes(self.electrodes, ends, self.label)

    def needs(self) -> tuple[Item, ...]:
        return tuple(v.item for v in self.voltages() if v.item is not None)

    def rates_needed(self) -> list[Any]:
        return [item.vector_nodes()[0] for item in self.needs()]

    # ------------------------------------------------------------------------------------ mesh
    @property
    def mesh(self) -> Mesh:
        """Nodes at rest, made anew when a frame has moved one."""
        made = self.__dict__.get("made_mesh")
        if made is None or made[0] != tuple(self.at):
            s, shares = self._places(), SHARES[self.order]
            if self.inertia == "consistent":
                shares = tuple(np.diff(cuts(self.order)) / 2)
            share = np.zeros(len(s))
            step = self.order - 1
            for e in range(self.elements):
                part = slice(step * e, step * e + self.order)
                share[part] += (s[part][-1] - s[part][0]) * np.array(shares)
            mesh = Mesh(
                s, np.array([self.curve.position(x) for x in s]),
                np.array([self.curve.orientation(x) for x in s]), share * self.length,
                {float(x): i for i, x in enumerate(s)},
            )  # fmt: skip
            made = self.__dict__["made_mesh"] = (tuple(self.at), mesh)
        return made[1]

    def _places(self) -> np.ndarray:
        """s of all nodes: equal elements, or stretched so that frames fall on their ends."""
        n, step = self.elements, self.order - 1
        equal = np.linspace(0, 1, n * step + 1)
        wanted = sorted(self.at)
        if all(np.abs(equal - s).min() < SAME for s in wanted):
            for s in wanted:
                equal[np.argmin(np.abs(equal - s))] = s
            return equal
        if len(wanted) > n - 1:
            raise ModelError(
                f"{self.label} has frames at {len(wanted)} places between its ends, which takes "
                f"at least {len(wanted) + 1} elements, but has {n}; give elements={len(wanted) + 1}"
            )
        ends: list[int] = []
        for i, place in enumerate(wanted):
            least, most = (ends[-1] + 1 if ends else 1), n - 1 - (len(wanted) - 1 - i)
            ends.append(int(min(max(round(place * n), least), most)))
        cuts = np.interp(np.arange(n + 1), [0, *ends, n], [0.0, *wanted, 1.0])
        return np.interp(np.linspace(0, n, n * step + 1), np.arange(n + 1), cuts)

    def lumped(self, s: float) -> tuple[float, np.ndarray]:
        """Mass and inertia of the node at a place; none where its centre lies beside the axis."""
        mass, section, length = self.lumped_mass(s)
        return mass, inertia_of(section, length) if length else np.zeros((3, 3))

    def lumped_mass(self, s: float) -> tuple[float, Section, float]:
        """Mass of the node at a place, the section there, and the length that it stands for."""
        section = self.section_at(s)
        mesh = self.mesh
        length = float(mesh.share[mesh.number(s)])
        if self.inertia == "consistent":
            return 0.0, section, length
        if any(section.mass_offset):
            return 0.0, section, 0.0
        return length * section.mass, section, length

    def rigid_velocity(self, node: BeamNode) -> tuple[Any, Any]:
        """Velocities of a node in the rigid motion that the beam starts with."""
        if self.velocity is None and self.angular_velocity is None:
            return None, None
        v = np.zeros(3) if self.velocity is None else self.velocity
        w = np.zeros(3) if self.angular_velocity is None else self.angular_velocity
        world = rotations.matrix(self.mesh.orientation[0]) @ w
        own = rotations.matrix(node.orientation).T @ world
        return v + np.cross(world, node.position - self.mesh.position[0]), own

    def check_stations(self) -> None:
        self._places()

    # ----------------------------------------------------------------------------- compilation
    def bodies(self) -> list[BeamNode]:
        """Its nodes, from root to tip."""
        made = self.__dict__.get("made_bodies")
        mesh = self.mesh
        if made is None or made[0] is not mesh:
            frames = self.__dict__["nodes"]
            number = {mesh.number(s): frames[s] for s in (0.0, 1.0, *self.at)}
            bodies = [
                number.get(i) or BeamNode(self, f"node{i}", float(s)) for i, s in enumerate(mesh.s)
            ]
            made = self.__dict__["made_bodies"] = (mesh, bodies)
        return made[1]

    def entries(self) -> list[Entry]:
        bodies, s, step = self.bodies(), self.mesh.s, self.order - 1
        frames = [Frame(body) for body in bodies]
        found, alike = [], None
        voltages, nodes = self.voltages(), bool(self.needs())
        for e in range(self.elements):
            first = step * e
            part = slice(first, first + self.order)
            middle, half = (s[first] + s[first + step]) / 2, (s[first + step] - s[first]) / 2
            uniform = self.curve.straight and not callable(self.section) and not callable(self.up)
            uniform = uniform and not voltages
            if uniform and alike is not None and abs(half - alike[0]) < SAME * half:
                made, ends = alike[1], tuple(bodies[part])
                reals, integers = made.reals.copy(), made.integers
                found.append(Entry(made.family, ends, reals, laws=made.laws, integers=integers))
                continue
            sections = [self.section_at(middle + xi * half) for xi in POINTS[self.order]]
            loaded = [with_voltages(s, voltages) for s in sections] if voltages else sections
            found.append(beam_entry(frames[part], loaded, self.label))
            alike = (half, found[-1])
            if nodes:
                found.append(electrode_entry(found[-1], sections, voltages))
        if self.inertia == "consistent":
            return found + self._consistent_masses(bodies)
        return found + self._offset_masses(bodies)

    def _consistent_masses(self, bodies: list[BeamNode]) -> list[Entry]:
        """Masses of the elements, along the line of the centres."""
        found, s, step, same = [], self.mesh.s, self.order - 1, not callable(self.section)
        sections = [self.section_at(x) for x in ([s[0]] * len(s) if same else s)]
        offsets = np.array([(0.0, *section.mass_offset) for section in sections])
        for e in range(self.elements):
            part = slice(step * e, step * e + self.order)
            a, b = s[part][0], s[part][-1]

            def mass(xi: float, a: float = a, b: float = b) -> float:
                at = sections[0] if same else self.section_at((a + b) / 2 + xi * (b - a) / 2)
                return float(at.mass)

            found.append(beam_inertia_entry(
                tuple(bodies[part]), self.mesh.position[part], offsets[part], mass
            ))  # fmt: skip
        return found

    def _offset_masses(self, bodies: list[BeamNode]) -> list[Entry]:
        """Masses whose centres lie beside the beam's axis."""
        found = []
        for body, length in zip(bodies, self.mesh.share):
            section = self.section_at(body.s)
            if any(section.mass_offset):
                reals = np.zeros(MASS_REALS)
                reals[MASS] = length * section.mass
                reals[CENTRE + 1], reals[CENTRE + 2] = section.mass_offset
                reals[INERTIA : INERTIA + 9] = inertia_of(section, length).ravel()
                found.append(Entry(VARIABLE_MASS, (body,), reals))
        return found

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Beam:
        X = rng.normal(size=(6, 6))
        section = Section(
            stiffness=X @ X.T + np.eye(6), mass=rng.uniform(1, 2), damping=rng.uniform(0.1, 0.5),
            inertia=rng.uniform(1, 2, 3), mass_offset=0.1 * rng.normal(size=2),
        )  # fmt: skip
        ends = rng.normal(size=(2, 3))
        path = np.array([ends[0], ends.mean(axis=0) + 0.1 * rng.normal(size=3), ends[1]])
        return cls.along(path, section, elements=2, angular_velocity=rng.normal(size=3))


def checked_order(given: Any, what: str) -> int:
    """Nodes of an element."""
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given not in (2, 3):
        raise ModelError(
            f"order of {what} must be 3 or 2, the nodes of an element, but {checks.show(given)} "
            "was given"
        )
    return int(given)


def inertia_of(section: Section, length: float) -> np.ndarray:
    """Of a piece of that length, as far as its node carries it."""
    least = LEAST_INERTIA * section.mass * length**2
    return length * np.diag(np.maximum([section.Jx, section.Jy, section.Jz], least))
