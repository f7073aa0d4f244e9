"""Abstract and parameter nodes: single numbers, and what acts on them.

linkwork's unknowns are bodies, so an abstract node is a body that can only move along x: its place
is the node's value, its velocity the derivative, a `mass` genel its mass.  Without a mass its
equation is of first order (c ẋ + k x = f) or of order zero (system.massless).  Where only elastic
springs and given forces act it has no motion of its own and needs no body:

    k x = Σ f   →   x = Σ f/k            a function

A parameter node is a constant, or has the value of a datum of an element that `bind` ties to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.language import ExpressionError
from linkwork.model.drives import Constant, Drive, Sum
from linkwork.model.readings import reads

if TYPE_CHECKING:
    from linkwork.io.mbdyn.deck.deck import Deck


@dataclass
class ScalarNode:
    """An abstract or parameter node: how it begins, and what becomes of it."""

    kind: str
    label: int
    args: Arguments
    value: float = 0.0
    derivative: float | None = None
    output: bool = True
    masses: list[Any] = field(default_factory=list)  # drives, made later
    loads: list[Any] = field(default_factory=list)  # drives of forces, made later
    stiffness: float = 0.0  # of elastic supports
    moves: bool = False  # something else than a given force and an elastic support acts on it
    clamp: Any = None
    body: Any = None
    given: Drive | None = None  # its value, where it is a function
    making: bool = False  # that function
    bound: Callable[[], Drive] | None = None  # the datum of an element that it has
    waits: bool = False  # for a bind card

    def read(self, name: str) -> Drive:
        """The drive of its value ("x") or of its derivative ("xP")."""
        if name not in ("x", "xP"):
            raise ExpressionError(f"an {self.kind} node has the data x and xP, found '{name}'")
        if self.bound is not None and name == "x":
            return self.bound()
        if self.args.deck.building:
            add_scalar_node(self.args.deck, self, moves=name == "xP")
        if self.given is not None:
            if name == "xP" and not isinstance(self.given, Constant):
                raise ExpressionError(
                    f"{self.kind} node {self.label} is a function here; its derivative cannot be "
                    "read"
                )
            return self.given if name == "x" else Constant(0.0)
        if self.body is None:
            raise ExpressionError(f"{self.name} cannot be read here, before the model is made")
        return reads(self.body, "position" if name == "x" else "velocity", "x")

    @property
    def name(self) -> str:
        return f"{self.kind} {self.label}"


def abstract(args: Arguments) -> None:
    """abstract: label [, algebraic | differential] [, value, x [, derivative, ẋ]];"""
    node = new_node(args, "abstract")
    order = args.keyword("algebraic", "differential") or "differential"
    if args.keyword("value"):
        node.value = args.real("the value of an abstract node")
        if args.keyword("derivative"):
            node.derivative = args.real("the derivative of an abstract node")
            if order == "algebraic":
                args.fail("an algebraic node has no derivative", args.i - 1)
    options(args, node)


def parameter(args: Arguments) -> None:
    """parameter: label [, value, x];  or label, element;  whose value `bind` gives"""
    node = new_node(args, "parameter")
    if word := args.keyword("sample and hold", "beam strain gage"):
        args.unsupported(f"a parameter node that follows '{word}' is not supported", args.i - 1)
    if args.keyword("element"):
        node.waits = True
    elif args.keyword("value") or (args.more() and args.key() not in ("output", "scale")):
        node.value = args.real("the value of a parameter node")
    node.given = Constant(node.value)
    options(args, node)


def new_node(args: Arguments, kind: str) -> ScalarNode:
    args.deck.count(f"{kind} nodes")
    label = args.deck.new_label(args, f"{kind} node")
    node = ScalarNode(kind, label, args)
    args.deck.scalars[kind, label] = node
    return node


def options(args: Arguments, node: ScalarNode) -> None:
    while word := args.keyword("scale", "output"):
        if word == "scale":
            if not args.keyword("default"):
                args.real("a scale")
            args.deck.ignore(f"scale of {node.kind} nodes")
        else:
            node.output = args.flag("whether the node is written")
    args.end()


def bind(args: Arguments) -> None:
    """bind: element, type, parameter node, string | name, "name" | index, number [, output, …];"""
    from linkwork.io.mbdyn.drives.readings import element_datum

    label = args.label("the label of an element")
    args.card, i = f"bind {label}", args.i
    kind = args.key()
    args.i += 1
    at = args.i
    node = args.deck.scalars.get(("parameter", args.label("the label of a parameter node")))
    if node is None or not node.waits or node.bound is not None:
        args.fail(f"there is no parameter node {args.shown(at)} that waits for an element "
                  "(parameter: label, element;)", at)  # fmt: skip
    if args.keyword("index"):
        args.unsupported('data are read by their names here: string, "name"', args.i - 1)
    args.keyword("string", "name")
    name = args.string("the name of a datum")
    if args.keyword("output"):
        args.flag("whether it is written")
    args.end()

    def read() -> Drive:
        try:
            return element_datum(args.deck, kind, label, name)
        except ExpressionError as error:
            args.fail(str(error), i)

    node.bound = read


# ------------------------------------------------------------------------------------ building


def add_scalar_node(deck: Deck, node: ScalarNode, moves: bool = False) -> None:
    """The body of an abstract node, or its function; a body where its rate is read first."""
    if node.waits and node.bound is None:
        node.args.fail("the node waits for an element, but no bind card gives it one", 0)
    if node.kind == "parameter" or node.body is not None or node.given is not None:
        return
    held = node.moves or node.stiffness != 0
    if not (held or node.masses or node.clamp is not None):
        node.args.unsupported(
            f"abstract node {node.label} has no mass, and nothing holds or damps it, so that no "
            "equation gives its value; give it a genel: mass, spring support, clamp …", 0,
        )  # fmt: skip
    if moves or node.moves or node.making or node.masses or node.clamp is not None:
        masses = [make() for make in node.masses]
        clamp = None if node.clamp is None else node.clamp()
        node.body = scalar_body(deck, node.name, node.value, node.derivative, masses, clamp)
        return
    node.making = True  # what asks for its value meanwhile gets a body's
    given = function_of(node)
    node.making = False
    if node.body is None:
        node.given = given


def scalar_body(
    deck: Deck, name: str, value: float, rate: float | None = None, masses: Sequence[Drive] = (),
    clamp: Drive | None = None,
) -> Any:  # fmt: skip
    """A body that can only move along x, by these masses; its place is a function where clamped."""
    from linkwork.elements.bodies.body import Body
    from linkwork.elements.bodies.variable_mass import VariableMass
    from linkwork.elements.joints.joints import Actuator, Prismatic
    from linkwork.io.mbdyn.deck.deck import ground_frame
    from linkwork.model.frame import Frame

    steady = sum(m.v for m in masses if isinstance(m, Constant))
    changing = [m for m in masses if not isinstance(m, Constant)]
    body = deck.model.add(name, Body(
        steady, (0.0, 0.0, 0.0), position=(value, 0.0, 0.0),
        velocity=None if rate is None else (rate, 0.0, 0.0),
    ))  # fmt: skip
    for k, m in enumerate(changing):
        deck.model.add(f"mass {k + 1} of {name}", VariableMass(body, m))
    axes = along_x()
    ends = ground_frame(axes=axes), Frame(body, (0.0, 0.0, 0.0), axes)
    rail: Any = Prismatic(*ends) if clamp is None else Actuator(*ends, displacement=clamp)
    deck.model.add(f"line of {name}", rail)
    return body


def hold_still(deck: Deck) -> None:
    """A body that is fixed, where all nodes are functions and there would be nothing to run."""
    from linkwork.elements.bodies.body import Body
    from linkwork.elements.joints.joints import Fixed
    from linkwork.io.mbdyn.deck.deck import ground_frame
    from linkwork.model.frame import Frame

    if not any(isinstance(item, Body) for item in deck.model.items.values()):
        still = deck.model.add("still", Body(1.0, (1.0, 1.0, 1.0)))
        deck.model.add("hold of still", Fixed(ground_frame(), Frame(still)))


def along_x() -> Any:
    """Axes whose z is the world's x."""
    import numpy as np

    return np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def function_of(node: ScalarNode) -> Drive:
    """x = Σ f/k of a node that nothing else acts on."""
    loads = [make() for make in node.loads]
    if not loads:
        return Constant(0.0)
    total = loads[0] if len(loads) == 1 else Sum(tuple(loads))
    return total if node.stiffness == 1 else (1 / node.stiffness) * total
