"""The flexible link: a straight beam in a floating frame, deformed by a few shapes.

    r = r_F + R_F (ρ0 + Φ_u q),   small rotations Φ_θ q of its sections      (floating frame of
                                                                                reference)

A model that is compiled has in its place the floating frame F, an interface node for every section
that something can be fixed to (parts.py), and one vector node, the amplitudes q.  The interface
nodes follow F and q (interface.py); inertia and elasticity act on F and q (inertia.py).

- A. A. Shabana: Dynamics of Multibody Systems, 5th ed., Cambridge University Press 2020, chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.flexible.beam import Beam
from linkwork.elements.flexible.inertia import MOST, inertia_entry
from linkwork.elements.flexible.interface import interface_entry
from linkwork.elements.flexible.modal import (
    HELD,
    Modal,
    Shapes,
    chosen,
    constants,
    craig_bampton,
    held_modes,
)  # fmt: skip
from linkwork.elements.flexible.parts import FloatingFrame, InterfaceNode, Part
from linkwork.elements.flexible.section import Section
from linkwork.elements.flexible.stations import FramesAlong
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.given import VectorLike, VectorOrNone, given
from linkwork.model.nodes import VECTOR, Node, NodeKind
from linkwork.model.registry import Entry, Item

MOST_SHAPES, MOST_ELEMENTS = MOST, 200
CRAIG_BAMPTON = "craig-bampton"
SQUARE = 1e-6  # of a direction that must be normal to the link


@dataclass(eq=False)
class FlexibleLink(FramesAlong, Item):
    """A straight elastic beam from start to end that bends, stretches and twists a little.

    start, end : world points in the reference configuration
    section    : lw.Section
    modes      : how many modes, default 2; the slowest ones are taken
    boundary   : how the shapes hold the ends: "clamped-free", "pinned-pinned", a pair such as
                 ("clamped", "pinned"), or "craig-bampton": the static shapes of the tip and
                 `modes` modes with both ends held
    elements   : finite elements that the shapes are computed with; default 20
    up         : world direction of the section's z axis, along which its height is measured
                 (default: the world's z, or y where the link is nearly upright)
    normal     : makes the link planar: it bends only in the plane normal to this world direction,
                 and stretches.  Without `up` it is the section's y axis
    damping    : modal damping ratio, one number or one for each shape
    velocity   : of its start, world axes;   angular_velocity : in its axes (x along the link)
    at         : places s along the link, from 0 to 1, that have frames; `link.at(s)` adds one

    Joints and forces take its frames `link.root`, `link.tip`, `link.at(s)` in place of a body.  A
    run has `run["link"].amplitudes`, its kinetic_energy, stored_energy (of strain and weight),
    momentum and angular_momentum, and the motion of `run["link.tip"]`.  Deformations are small
    and the theory is linear in them: neither rotation nor axial loads make it stiffer or softer.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    >>> steel = lw.Section.circle(0.005, E=2.1e11, density=7800)
    >>> rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), steel, boundary="pinned-pinned"))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, rod.root, at=(0, 0, 0), axis=(0, 1, 0)))
    """

    start: VectorLike
    end: VectorLike
    section: Section
    modes: int = 2
    boundary: str = CRAIG_BAMPTON
    elements: int = 20
    up: VectorLike | None = None
    normal: VectorLike | None = None
    damping: float | VectorLike = 0.0
    velocity: VectorOrNone = given(None)
    angular_velocity: VectorOrNone = given(None)
    at: VectorLike = ()
    orientation: np.ndarray = field(init=False, repr=False)
    shapes: Shapes = field(init=False, repr=False)
    modal: Modal = field(init=False, repr=False)
    frame_kind: ClassVar[Any] = InterfaceNode
    has_range: ClassVar[bool] = True

    def __post_init__(self) -> None:
        what = self.label
        self.start = checks.vector(self.start, f"start of {what}")
        self.end = checks.vector(self.end, f"end of {what}")
        if not isinstance(self.section, Section):
            raise ModelError(
                f"section of {what} must be an lw.Section, but {checks.show(self.section)} was "
                "given; write for example lw.Section.circle(0.01, E=2.1e11, density=7800)"
            )
        self.section.refuse_coupling(what)
        self.modes = checks.count(self.modes, f"modes of {what}")
        self.elements = checks.count(self.elements, f"elements of {what}")
        if self.elements > MOST_ELEMENTS:
            raise ModelError(
                f"elements of {what} must be at most {MOST_ELEMENTS}, but {self.elements} was "
                "given; a few modes need no more"
            )
        for word in ("velocity", "angular_velocity"):
            if getattr(self, word) is not None:
                setattr(self, word, checks.vector(getattr(self, word), f"{word} of {what}"))
        motions = self._place()
        self.shapes = self._reduce(motions)
        self.modal = constants(self.shapes, self._damping())
        self.__dict__.setdefault("frame", FloatingFrame(self, ""))
        self.take_stations()

    def __repr__(self) -> str:
        return self.label

    # --------------------------------------------------------------------------- place and shapes
    @property
    def length(self) -> float:
        return checks.unit(np.subtract(self.end, self.start))[1]

    def _place(self) -> list[str]:
        """Find the axes; returns the motions that the link can make."""
        what = self.label
        x, length = checks.unit(np.subtract(self.end, self.start))
        if length <= 1e-12 * float(np.abs(self.start).max() + np.abs(self.end).max()):
            raise ModelError(f"the ends of {what} must be two different points")
        y = z = None
        if self.up is not None:
            z = checks.direction(self.up, f"up of {what}")
        if self.normal is not None:
            y = self._normal(x)
            z = np.cross(x, y) if z is None else z
        if z is None:
            z = np.array([0.0, 0.0, 1.0]) if abs(x[2]) < 0.99 else np.array([0.0, 1.0, 0.0])
        z, size = checks.unit(z - (z @ x) * x)
        if size < SQUARE:
            raise ModelError(f"up of {what} lies along the link; give a direction across it")
        axes = np.column_stack([x, np.cross(z, x), z])
        self.orientation = rotations.from_matrix(axes)
        if y is None:
            return ["stretch", "bending y", "bending z", "twist"]
        across = np.abs(axes.T @ y)
        if across.max() < 1 - SQUARE:
            raise ModelError(
                f"normal of {what} must be the section's y or z axis, so that it bends in one "
                "plane; leave out up, or give one along or across normal"
            )
        return ["stretch", "bending z" if across[1] > across[2] else "bending y"]

    def _normal(self, x: np.ndarray) -> np.ndarray:
        y = checks.direction(self.normal, f"normal of {self.label}")
        self.normal = y if isinstance(self.normal, str) else self.normal
        if abs(y @ x) > SQUARE:
            raise ModelError(
                f"normal of {self.label} must be perpendicular to the link, but is "
                f"{np.degrees(np.arccos(min(1.0, abs(y @ x)))):.4g}° from it"
            )
        return checks.unit(y - (y @ x) * x)[0]

    def _reduce(self, motions: list[str]) -> Shapes:
        what, beam = self.label, Beam(self.length, self.section, self.elements)
        try:
            with np.errstate(over="raise", invalid="raise", divide="raise"):
                if isinstance(self.boundary, str) and self.boundary == CRAIG_BAMPTON:
                    shapes = craig_bampton(beam, self.modes, motions, what)
                else:
                    held = held_modes(beam, self._supports(), motions, what)
                    shapes = chosen(held, self.modes, what)
        except (ArithmeticError, np.linalg.LinAlgError):
            raise ModelError(
                f"{what}, {self.length:.3g} m long, has stiffnesses or masses so large or so small "
                "that its modes cannot be computed; check its length and section, or take other "
                "units"
            ) from None
        if len(shapes.squares) > MOST_SHAPES:
            raise ModelError(
                f"{what} has {len(shapes.squares)} shapes, but can have {MOST_SHAPES} at most; "
                "take fewer modes"
            )
        return shapes

    def _supports(self) -> tuple[str, str]:
        ends = self.boundary.split("-") if isinstance(self.boundary, str) else self.boundary
        known = HELD["root"]
        if not isinstance(ends, (tuple, list)) or len(ends) != 2 or not all(
            isinstance(end, str) and end in known for end in ends
        ):  # fmt: skip
            raise ModelError(
                f'boundary of {self.label} must be "craig-bampton", or two of "clamped", "pinned", '
                f'"free" such as "clamped-free", but {checks.show(self.boundary)} was given'
            )
        return ends[0], ends[1]

    def _damping(self) -> np.ndarray:
        what, n = f"damping of {self.label}", len(self.shapes.squares)
        ratios = checks.array(self.damping)
        if ratios is None or ratios.shape not in ((), (n,)) or not np.all(np.isfinite(ratios)):
            raise ModelError(
                f"{what} must be a number, or {n} numbers for its {n} shapes, but "
                f"{checks.show(self.damping)} was given"
            )
        if ratios.min(initial=0.0) < 0:
            raise ModelError(f"{what} must not be negative, but {ratios.min():g} was given")
        self.damping = float(ratios) if ratios.ndim == 0 else ratios
        return np.broadcast_to(ratios, n)

    # ------------------------------------------------------------------------------------- frames
    @property
    def interface_nodes(self) -> list[InterfaceNode]:
        """Root, tip and the others, in the order in which they were asked for."""
        return [self.__dict__["nodes"][s] for s in (0.0, 1.0, *self.at)]

    @property
    def interfaces(self) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Suffix of each node's name → its place ρ0 (3), Φ_u (3, m) and Φ_θ (3, m)."""
        nodes = self.interface_nodes
        s = np.array([node.s for node in nodes])
        Phi, Psi = self.shapes.at(s)
        return {
            node.suffix: (np.array([node.s * self.length, 0.0, 0.0]), Phi[i], Psi[i])
            for i, node in enumerate(nodes)
        }

    # -------------------------------------------------------------------------------- compilation
    def bodies(self) -> list[Part]:
        """What stands in its place in a compiled model: frame and interface nodes."""
        return [self.__dict__["frame"], *self.interface_nodes]

    @property
    def amplitudes(self) -> Node:
        """The vector node of its amplitudes, which start at rest in the undeformed link."""
        n, length = len(self.shapes.squares), self.length
        known = self.__dict__.get("amplitude_node")
        if known is None or known.size != n or known.scale != length:
            names = tuple(f"mode {i + 1}" for i in range(n))
            kind = NodeKind("amplitudes", n, n, VECTOR, 2, names, ("m",) * n)
            known = self.__dict__["amplitude_node"] = Node(kind, scale=length)
        return known

    def vector_nodes(self) -> list[Node]:
        return [self.amplitudes]

    def entries(self) -> list[Entry]:
        """Inertia and elasticity of frame and amplitudes, and the nodes that follow these."""
        frame, amplitudes = self.__dict__["frame"], self.amplitudes
        interfaces = self.interfaces
        return [inertia_entry(frame, amplitudes, self.modal)] + [
            interface_entry((frame, node, amplitudes), node.suffix, *interfaces[node.suffix])
            for node in self.interface_nodes
        ]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> FlexibleLink:
        section = Section(*rng.uniform(1, 2, 5))
        end = rng.normal(size=3)
        ratios = rng.uniform(0, 0.5, 8)
        return cls((0, 0, 0), end, section, elements=3, damping=ratios, at=(0.3,))
