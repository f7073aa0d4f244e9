"""A beam element on bodies that are there: two or three of them (elements.beams.kernel)."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from linkwork.elements.beams.curve import ALONG, usual_up
from linkwork.elements.beams.electrodes import (
    Electrodes, checked_electrodes, electrode_entry, with_voltages,
)  # fmt: skip
from linkwork.elements.beams.family import POINTS, beam_entry, shape_functions
from linkwork.elements.flexible.section import Section
from linkwork.elements.laws import LinearElastic, LinearViscoelastic
from linkwork.elements.laws.base import ConstitutiveLaw
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame, as_frame
from linkwork.model.given import FrameLike, Given, MatrixLike, OrientationLike, VectorLike, given
from linkwork.model.registry import Entry, Item

ENDS = {2: (-1.0, 1.0), 3: (-1.0, 0.0, 1.0)}  # ξ of nodes


SectionLike: TypeAlias = "Section | ConstitutiveLaw | Sequence[Section | ConstitutiveLaw]"
Orientations: TypeAlias = Given[
    list[np.ndarray] | None, Sequence[OrientationLike] | OrientationLike | None
]


@dataclass(eq=False)
class BeamElement(Item):
    """An elastic beam through two or three bodies, or Frames on them, that may bend far.

    a, b, c : the bodies in their order along the beam; leave out c for an element of two nodes
    section : lw.Section or a law of six components (lw.laws), or with three nodes a pair of them
              for its two evaluation points
    up      : world direction of the section's z axis (default: the world's z, or y where the
              element is nearly upright), or one for each node
    axes    : section axes at the nodes in the world, as quaternions, matrices or Rotations, in
              place of up;   section_axes : those at the evaluation points, where they are others
    damping : factor of the stiffness (s), added to the section's own
    shear_correction : whether an element of two nodes has the flexibility of a bending moment that
              changes along it in its shear, as it should
    helicoidal : whether an element of two nodes lies along a screw, so that positions and turns
              are interpolated together; an arc that turns by less than half a turn is exact then
    electrodes : voltages (V) of the electrodes of a piezoelectric section: numbers, functions of
              time, or items with a scalar node such as lw.Quantity, which take their currents

    The reference configuration is free of strain, however curved and twisted.  The element has no
    mass: bodies bring theirs.  Outputs: section_force (N), section_moment (N m), strain, curvature
    (1/m) at the evaluation points, in section axes.  `lw.reads(element, "curvature 1", "y")`
    follows one of them at a point ("1" and "2" of three nodes, none of two), or "position".

    Example
    -------
    >>> import linkwork as lw
    >>> hub, blade = lw.Body(5, (1, 1, 1)), lw.Body(2, (1, 1, 1), position=(1, 0, 0))
    >>> steel = lw.Section.circle(0.01, E=2.1e11, density=7800)
    >>> flexure = lw.BeamElement(hub, blade, steel)
    """

    view: ClassVar[str] = "beam"

    a: FrameLike
    b: FrameLike
    c: FrameLike | SectionLike | None = None
    section: SectionLike | None = None
    up: VectorLike | MatrixLike | None = None
    axes: Orientations = given(None)
    section_axes: Orientations = given(None)
    damping: float = 0.0
    shear_correction: bool = True
    helicoidal: bool = False
    electrodes: Electrodes = given(())
    frames: tuple[Frame, ...] = field(init=False, repr=False)

    places: ClassVar[frozenset[str]] = Item.places | {"c", "up", "axes"}

    def __post_init__(self) -> None:
        what = self.label
        if self.section is None and not hasattr(self.c, "position"):
            self.section, self.c = self.c, None
        given = [self.a, self.b] + ([] if self.c is None else [self.c])
        found = [as_frame(end, what) for end in given]
        self.damping = checks.number(self.damping, f"damping of {what}", minimum=0)
        self.shear_correction = checks.flag(self.shear_correction, f"shear_correction of {what}")
        self.helicoidal = checks.flag(self.helicoidal, f"helicoidal of {what}")
        if self.helicoidal and len(found) == 3:
            raise ModelError(
                f"{what} has three nodes, but only elements of two nodes are helicoidal; leave out "
                "c, or helicoidal"
            )
        self.section_list(len(found))
        self._take_electrodes(len(found))
        if len({id(frame.body) for frame in found}) < len(found):
            raise ModelError(f"{what} joins a body with itself; give two or three different bodies")
        if self.axes is not None:
            self.axes = self._orientations("axes", len(found))
        if self.section_axes is not None:
            self.section_axes = self._orientations("section_axes", len(found) - 1)
        self.frames = self._frames(found)

    @property
    def nodes(self) -> int:
        return 2 if self.c is None else 3

    def _take_electrodes(self, n: int) -> None:
        found = self.voltages(n)
        if self.helicoidal and found:
            raise ModelError(f"electrodes of {self.label} need an element that is not helicoidal")
        self.electrodes = tuple(v.given for v in found)

    def voltages(self, n: int) -> list[Any]:
        """Of its electrodes."""
        none = isinstance(self.electrodes, (tuple, list)) and not len(self.electrodes)
        return [] if none else checked_electrodes(self.electrodes, self.section_list(n), self.label)

    def needs(self) -> tuple[Item, ...]:
        return tuple(v.item for v in self.voltages(self.nodes) if v.item is not None)

    def rates_needed(self) -> list[Any]:
        return [item.vector_nodes()[0] for item in self.needs()]

    def section_list(self, n: int) -> list[Section]:
        """The sections at the evaluation points, damping included."""
        one = self.section
        parts = one if isinstance(one, (list, tuple)) else [one] * (n - 1)
        given = [as_section(x) for x in parts]
        if len(given) != n - 1 or not all(isinstance(x, Section) for x in given):
            raise ModelError(
                f"section of {self.label} must be an lw.Section"
                f"{', or two of them' if n == 3 else ''}, but {checks.show(self.section)} was "
                "given; write for example lw.Section.circle(0.01, E=2.1e11, density=7800)"
            )
        return [more_damping(section, self.damping, self.label) for section in given]

    def _frames(self, found: list[Frame]) -> tuple[Frame, ...]:
        """Frames at the nodes with the section's axes."""
        what, n = self.label, len(found)
        p = np.array([frame.world()[0] for frame in found])
        check_nodes(p, what)
        if self.axes is not None:
            quaternions = self.axes
        else:
            ups = self._ups(n)
            quaternions = []
            for xi, up in zip(ENDS[n], ups):
                x = checks.unit(shape_functions(n, xi)[1] @ p)[0]
                up = usual_up(checks.unit(p[-1] - p[0])[0]) if up is None else up
                z, size = checks.unit(up - (up @ x) * x)
                if size < ALONG:
                    raise ModelError(
                        f"up of {what} lies along the beam; give a direction across it"
                    )
                quaternions.append(rotations.from_matrix(np.column_stack([x, np.cross(z, x), z])))
        frames = []
        for frame, q in zip(found, quaternions):
            local = rotations.multiply(rotations.conjugate(frame.body.orientation), q)
            frames.append(Frame(frame.body, frame.position, local / np.linalg.norm(local)))
        return tuple(frames)

    def _orientations(self, word: str, count: int) -> list[np.ndarray]:
        """The quaternions of a word that has one orientation for each node or point."""
        given = getattr(self, word)
        parts = list(given) if isinstance(given, (list, tuple, np.ndarray)) and len(given) else []
        if len(parts) != count or any(part is None for part in parts):
            raise ModelError(
                f"{word} of {self.label} must be {count} orientation{'s' * (count > 1)} in a list, "
                f"one for each {'node' if word == 'axes' else 'evaluation point'}, but "
                f"{checks.show(given)} was given"
            )
        return [checks.quaternion(q, f"{word} of {self.label}") for q in parts]

    def _ups(self, n: int) -> list[Any]:
        if self.up is None:
            return [None] * n
        given = checks.array(self.up)
        if given is not None and given.shape == (n, 3):
            return [checks.direction(x, f"up of {self.label}") for x in given]
        return [checks.direction(self.up, f"up of {self.label}")] * n

    def reading(self, quantity: str, axis: Any) -> Drive:
        from linkwork.elements.beams.readings import element_reading

        return element_reading(self, quantity, axis)

    def entries(self) -> list[Entry]:
        frames = list(self.frames)
        check_nodes(np.array([frame.world()[0] for frame in frames]), self.label)
        sections, axes = self.section_list(len(frames)), self.section_axes
        voltages = self.voltages(len(frames))
        loaded = [with_voltages(s, voltages) for s in sections] if voltages else sections
        entry = beam_entry(
            frames, loaded, self.label, axes, self.shear_correction, self.helicoidal
        )
        if not self.needs():
            return [entry]
        return [entry, electrode_entry(entry, sections, voltages)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.elements.bodies.body import Body

        X, Y = rng.normal(size=(2, 6, 6))
        section = Section(stiffness=X @ X.T + np.eye(6), mass=1.0, damping=Y @ Y.T)
        small = 0.03 * float(np.linalg.norm(b.position - a.position))
        middle = Body(
            1, (1, 1, 1), (a.position + b.position) / 2 + small * rng.normal(size=3),
            orientation=rotations.exponential(rng.normal(size=3)),
        )  # fmt: skip
        ends = [Frame(body, small * rng.normal(size=3)) for body in (a, middle, b)]
        return [middle, cls(ends[0], ends[1], ends[2], section, up=rng.normal(size=3))]


def as_section(given: Any) -> Any:
    """A section as it is; that of a law, which the bodies' masses are beside."""
    if not isinstance(given, ConstitutiveLaw):
        return given
    if given.prestress is None and given.prestrain is None:
        D: Any = None
        if isinstance(given, LinearElastic):
            D = 0.0
        elif isinstance(given, LinearViscoelastic) and given.stiffness_scale == 1.0:
            D = given.viscosity if given.proportional is None else given.proportional
            D = D if given.viscosity_scale == 1.0 else None
        with contextlib.suppress(ModelError):  # not symmetric, or not positive: a law can be that
            if D is not None:
                return Section(stiffness=given.stiffness, mass=1.0, damping=D)  # type: ignore[attr-defined]
    return Section(law=given, mass=1.0, inertia=(0.0, 0.0, 0.0))


def more_damping(section: Section, factor: float, what: str) -> Section:
    """A section with damping in proportion to its stiffness added."""
    if factor == 0:
        return section
    if section.law is not None:
        raise ModelError(f"damping of {what} belongs to the law of its section; give it there")
    return replace_section(section, section.damping_matrix + factor * section.matrix)


def replace_section(section: Section, damping: np.ndarray) -> Section:
    words = section.parameters()
    return Section(**{**words, "damping": damping})


def check_nodes(p: np.ndarray, what: str) -> None:
    """Refuse nodes that coincide or do not follow each other."""
    n = len(p)
    steps = np.linalg.norm(np.diff(p, axis=0), axis=1)
    if steps.min() <= 1e-12 * float(np.abs(p).max()) or not steps.min() > 0:
        raise ModelError(
            f"two nodes of {what} coincide, so that it has no length; give bodies at different "
            "places, in their order along the beam"
        )
    chord = p[-1] - p[0]
    slopes = [shape_functions(n, xi)[1] @ p for xi in (*ENDS[n], *POINTS[n])]
    if min(float(slope @ chord) for slope in slopes) <= 0:
        raise ModelError(
            f"the nodes of {what} do not follow each other along a line: the middle one must lie "
            "between the others, well away from both; give a, b, c in their order along the beam"
        )
