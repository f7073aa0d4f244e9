"""What a deck says: nodes, joints and forces by label, how to run it, and the Model made of it.

Cards are read into records; when the whole file has been read, the records become items of a
Model.  A node is a frame of a body: MBDyn's node may lie anywhere on its body, linkwork's Body is
where its centre of mass is, so with b the centre of mass of all masses at the node,

    r = x + R b,   v = ẋ + w × R b,   J = Σ (J_i + m_i (c̃_iᵀ c̃_i)),   c_i = b_i − b
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import LinkworkError, MbdynError
from linkwork.io.mbdyn.aero.records import AeroDeck
from linkwork.io.mbdyn.hydraulics.circuit import Circuit
from linkwork.io.mbdyn.syntax.evaluation import Symbols
from linkwork.io.mbdyn.syntax.geometry import EYE, ZERO, Reference, cross
from linkwork.io.mbdyn.syntax.hints import there_are
from linkwork.kernels import rotations
from linkwork.model.drives import Drive
from linkwork.model.frame import GROUND, Frame
from linkwork.model.model import Model

if TYPE_CHECKING:
    from linkwork.io.mbdyn.drives.callers import Law
    from linkwork.io.mbdyn.drives.templates import Terms
    from linkwork.io.mbdyn.problem.eigen import EigenRequest
    from linkwork.io.mbdyn.problem.inverse import InverseProblem, Role
    from linkwork.io.mbdyn.problem.steps import Factor
    from linkwork.io.mbdyn.scalars.nodes import ScalarNode
    from linkwork.io.mbdyn.syntax.arguments import Arguments


@dataclass
class Analysis:
    """How the deck wants to be run, and what it wants to be written."""

    initial_time: float = 0.0
    final_time: float | None = None  # also where the deck goes on forever
    forever: bool = False
    last_step: int | None = None  # of `abort after: regular step`
    startup: int = 1  # steps with which a multistep method begins: of the default, one
    step: float | None = None
    min_step: float = 0.0
    max_step: float = float("inf")
    longest: Drive | None = None  # step, with time
    change: Callable[[], Drive] | None = None  # of the step, with time
    factor: Factor | None = None  # of the step, with iterations
    method: Callable[[], Any] | None = None
    max_iterations: int | None = None
    residual: tuple[float, str] | None = None  # tolerance and test
    eigen: EigenRequest | None = None
    inverse: InverseProblem | None = None
    stiffness: tuple[float, float] = (1.0, 1.0)  # of nodes in the assembly
    skip_assembly: bool = False
    static: bool = False
    abort_after: str = ""
    every: int = 1
    meter: Callable[[], Drive] | None = None
    orientation: str = "euler123"
    precision: int = 6
    text: bool = True
    accelerations: bool = False
    silent: set[str] = field(default_factory=set)  # kinds of which nothing is written by default
    title: str = ""

    @property
    def moves(self) -> bool:
        """Whether running the deck integrates its equations of motion."""
        return not (self.static or self.abort_after or self.inverse is not None)


@dataclass
class Mass:
    """A mass at a node: its centre and its inertia about that, in the axes of the node.

    label : that of the body it is part of;   ergonomy : whether inverse dynamics weighs its motion
    """

    mass: float
    centre: np.ndarray
    inertia: np.ndarray
    label: int
    ergonomy: bool = False


@dataclass
class StructuralNode:
    """A structural node and, once the model is made, its body and the centre of mass on it."""

    label: int
    kind: str
    reference: Reference
    args: Arguments
    orientation: str = ""
    output: bool = True
    accelerations: bool = False
    stiffness: tuple[float, float] | None = None  # in the assembly, where it has its own
    masses: list[Mass] = field(default_factory=list)
    variable: list[Any] = field(default_factory=list)  # masses that change, once they are made
    base: Any = None  # of dummy nodes: how they follow others (nodes.Follower)
    body: Any = None
    centre: np.ndarray = field(default_factory=lambda: ZERO)

    @property
    def points_only(self) -> bool:
        return self.kind.endswith("displacement")

    def frame(self, position: np.ndarray = ZERO, axes: np.ndarray = EYE) -> Frame:
        """A frame of the body from a point and axes given from the node."""
        return Frame(self.body, position - self.centre, rotations.from_matrix(axes))


def ground_frame(position: np.ndarray = ZERO, axes: np.ndarray = EYE) -> Frame:
    return Frame(GROUND, position, rotations.from_matrix(axes))


@dataclass
class JointRecord:
    """A joint of the deck: its items in the model, and what files need to know about it."""

    label: int
    kind: str
    items: list[str]
    nodes: tuple[int | None, int]  # None is the ground
    offsets: tuple[np.ndarray, np.ndarray]
    axes: tuple[np.ndarray, np.ndarray]
    columns: str = ""  # what follows the reactions: "hinge", "total", "distance", "rod", "strain"
    rotation_axes: tuple[np.ndarray, np.ndarray] | None = None
    output: bool = True
    about: dict[str, Any] = field(default_factory=dict)  # what else its columns depend on
    friction: str = ""  # the item of its friction
    orientation: str = ""  # how its angles are written, where not by default
    imposed: Any = None  # a direction and the law of what is imposed along it
    points: Any = None  # nodes, places and weights that a node follows

    @property
    def written(self) -> bool:
        return self.output and bool(self.items or self.friction)


@dataclass
class ForceRecord:
    """A force or couple of the deck: terms vector × drive at points of nodes."""

    label: int
    kind: str  # "force" or "couple"
    variant: str
    nodes: tuple[int, ...]
    terms: list[tuple[np.ndarray, Drive]]
    output: bool = True
    arms: tuple[np.ndarray, ...] = (ZERO, ZERO)
    moments: list[tuple[np.ndarray, Drive]] = field(default_factory=list)
    follower: bool = False


@dataclass
class Deck:
    """An MBDyn input file that has been read.

    model          : the Model made of it           analysis : times, step, method, output
    nodes          : structural nodes by label      joints, forces : likewise
    notes          : sentences about what differs   without_effect : cards that do nothing here
    """

    path: Path
    model: Model
    symbols: Symbols = field(default_factory=Symbols)
    analysis: Analysis = field(default_factory=Analysis)
    references: dict[int, Reference] = field(default_factory=dict)
    drives: dict[int, Law] = field(default_factory=dict)
    template_drives: dict[tuple[int, int], Terms] = field(default_factory=dict)
    functions: dict[str, Drive] = field(default_factory=dict)
    files: dict[int, list[Drive]] = field(default_factory=dict)  # drivers: one drive per column
    environment: dict[str, str] = field(default_factory=dict)
    laws: dict[tuple[int, int], Any] = field(default_factory=dict)
    nodes: dict[int, StructuralNode] = field(default_factory=dict)
    scalars: dict[tuple[str, int], ScalarNode] = field(default_factory=dict)  # by kind and label
    circuit: Circuit = field(default_factory=Circuit)  # hydraulic nodes and elements
    aero: AeroDeck = field(default_factory=AeroDeck)  # air, airfoils, surfaces, rotors
    joints: dict[int, JointRecord] = field(default_factory=dict)
    forces: dict[int, ForceRecord] = field(default_factory=dict)
    beams: dict[int, Any] = field(default_factory=dict)  # cards.beams.BeamRecord
    genels: dict[int, Callable[[Any], np.ndarray]] = field(default_factory=dict)  # their columns
    roles: dict[int, Role] = field(default_factory=dict)  # of joints in inverse dynamics
    gates: dict[tuple[str, int], Law] = field(default_factory=dict)  # of driven elements
    bodies: set[int] = field(default_factory=set)
    gravity: Terms | None = None
    frame: Any = None  # the moving frame that everything is described in (moving_frame.Moving)
    counts: dict[str, tuple[int, Arguments]] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    labels: dict[str, set[int]] = field(default_factory=dict)
    missing: set[int] = field(default_factory=set)  # nodes that could not be read
    blocks: tuple[str, ...] = ()  # that the file has, in its order
    notes: list[str] = field(default_factory=list)
    without_effect: list[str] = field(default_factory=list)
    later: list[tuple[Arguments, Callable[[], None]]] = field(default_factory=list)
    last: list[tuple[Arguments, Callable[[], None]]] = field(default_factory=list)
    unused: dict[Any, tuple[Arguments, Law]] = field(default_factory=dict)  # drives
    building: bool = False  # the file has been read, and bodies are being made

    # ------------------------------------------------------------------------------ reading
    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    def ignore(self, card: str) -> None:
        """A card that concerns MBDyn's own solver or output alone."""
        if card not in self.without_effect:
            self.without_effect.append(card)

    def count(self, kind: str) -> None:
        self.found[kind] = self.found.get(kind, 0) + 1

    def new_label(self, args: Arguments, kind: str) -> int:
        """The label of an element, which no other of its kind may have, and its [name, "…"]."""
        label = args.label(f"the label of a {kind}")
        args.card = f"{kind} {label}"
        known = self.labels.setdefault(kind, set())
        if label in known:
            args.fail(f"there is a {kind} {label} already; give it another label", 0)
        known.add(label)
        if args.keyword("name"):
            args.string("a name")
        return label

    def node(self, args: Arguments, what: str = "the label of a node") -> StructuralNode:
        """The structural node whose label comes next."""
        i = args.i
        label = args.label(what)
        if label in self.missing:
            raise MissingNode("")
        if label not in self.nodes:
            args.fail(f"there is no structural node {label}; {self.known_nodes(label)}", i)
        node = self.nodes[label]
        if node.kind == "dummy":
            args.fail(f"structural node {label} is a dummy, which cannot carry elements", i)
        return node

    def known_nodes(self, label: int) -> str:
        """Which nodes there are, those with the nearest labels."""
        if not self.nodes:
            return "the block 'nodes' must come before the elements"
        return there_are(self.nodes, label)

    def build_later(self, args: Arguments, make: Callable[[], None]) -> None:
        self.later.append((args, make))

    # ------------------------------------------------------------------------------- building
    def build(self) -> None:
        """Items from records: bodies first, then what joins them, in the order of the file."""
        from linkwork.io.mbdyn.drives.unused import look_at_unused
        from linkwork.io.mbdyn.scalars.building import (
            add_loads,
            add_scalar_node,
            read_bound,
            refuse_rates,
            something_moves,
            tie_nodes,
        )  # fmt: skip

        self.building = True
        for node in self.nodes.values():
            if node.kind != "dummy":
                self.make(node.args, lambda node=node: self.add_body(node))  # type: ignore[misc]
        tie_nodes(self)
        for scalar in self.scalars.values():
            self.make(scalar.args, lambda scalar=scalar: add_scalar_node(self, scalar))  # type: ignore[misc]
        for args, make in (*self.later, *self.last):
            self.make(args, make)
        made: list[Any] = [*self.scalars.values(), *self.circuit.nodes.values()]  # when asked for
        for each in made:
            if each.name in self.model:
                self.model.places[each.name] = each.args.place()
        for check in (add_loads, read_bound, refuse_rates):
            for scalar in self.scalars.values():
                in_card(scalar.args, lambda s=scalar, check=check: check(s))  # type: ignore[misc]
        look_at_unused(self)
        if self.scalars:
            something_moves(self)
        if not self.model.items:
            self.note("the deck has no node, so its model is empty")

    def make(self, args: Arguments, make: Callable[[], None]) -> None:
        """Items of a card, which errors of runs name with its place."""
        items = self.model.items
        known = len(items)
        in_card(args, make)
        for name in itertools.islice(reversed(items), len(items) - known):
            self.model.places.setdefault(name, args.place())

    def add_body(self, node: StructuralNode) -> None:
        from linkwork.elements.bodies.body import Body
        from linkwork.elements.joints.joints import Align

        m = sum(part.mass for part in node.masses)
        J = sum((part.inertia for part in node.masses), np.zeros((3, 3)))
        if m > 0 and len(node.masses) == 1:
            node.centre = node.masses[0].centre
        elif m > 0:
            node.centre = sum((part.mass * part.centre for part in node.masses), ZERO) / m
            for part in node.masses:
                c = rotations.tilde(part.centre - node.centre)
                J = J + part.mass * c.T @ c
        x, R, v, w = node.reference
        arm = R @ node.centre
        node.body = self.model.add(f"node {node.label}", Body(
            m, J, position=x + arm, orientation=rotations.from_matrix(R),
            velocity=v + cross(w, arm), angular_velocity=R.T @ w, any_inertia=True,
        ))  # fmt: skip
        least, middle, largest = np.linalg.eigvalsh(node.body.inertia).tolist()
        if least + middle < (1 - 1e-9) * largest:
            self.note(
                f"the moments of inertia of node {node.label} ({least:g}, {middle:g}, {largest:g}) "
                "belong to no body; they are used as they are"
            )
        if node.points_only:
            held = Align(ground_frame(x, R), node.frame())
            self.model.add(f"orientation of node {node.label}", held)


class MissingNode(MbdynError):
    """An element hangs on a node that could not be read; told there already."""


def in_card(args: Arguments, make: Callable[[], Any]) -> Any:
    """Make something; what is wrong with it names the card it comes from."""
    try:
        return make()
    except MbdynError:
        raise
    except LinkworkError as error:
        raise args.translated(error, 0) from None
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise args.failure(f"its numbers cannot be used ({error})", 0) from None
