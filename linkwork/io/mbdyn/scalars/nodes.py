"""Abstract and parameter nodes: single numbers, and what acts on them.

The equation of an abstract node is the sum of what cards add to it,

    m ẍ + c ẋ + k x + σ(x, ẋ) … = Σ f

of order two, one or zero as they say, and the node is a Quantity.  Where only elastic springs and
given forces act, it has no motion of its own and is a function:

    k x = Σ f   →   x = Σ f/k

A clamp makes it a function, too, and a distance ties it to another: x = x_other + d(t) + …, where
what acts on it acts on the other.  A parameter node is a constant, or has the value of a datum of
an element that `bind` ties to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from linkwork.io.mbdyn.scalars.rates import rate_of
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.language import ExpressionError, Unreadable
from linkwork.model.drives import Constant, Drive, Sum
from linkwork.model.signals.readings import reads

if TYPE_CHECKING:
    from linkwork.io.mbdyn.laws.reading import LawRead

Made = Callable[[], Drive]
KINDS = ("abstract", "electric", "thermal", "parameter")  # of scalar nodes


@dataclass
class Spring:
    """A law between two abstract nodes, or of one alone: its strain is that of `second` less that
    of `first`."""

    name: str
    law: LawRead
    first: ScalarNode | None
    second: ScalarNode


@dataclass
class ScalarNode:
    """An abstract or parameter node: how it begins, and what becomes of it."""

    kind: str
    label: int
    args: Arguments
    value: float = 0.0
    derivative: float | None = None
    output: bool = True
    masses: list[Made] = field(default_factory=list)
    loads: list[Made] = field(default_factory=list)  # forces
    damping: float = 0.0
    stiffness: float = 0.0
    springs: list[Spring] = field(default_factory=list)
    moves: bool = False  # by loads that depend on it
    charged: bool = False  # by beams: its rate is in their currents
    clamp: Made | None = None
    links: list[tuple[ScalarNode, Made]] = field(default_factory=list)  # x = that of another + d
    tie: tuple[ScalarNode | None, Made] | None = None  # x = that of another (0) + a function
    tied: list[ScalarNode] = field(default_factory=list)  # those that are tied to it
    item: Any = None  # the Quantity
    given: Drive | None = None  # its value, where it is a function
    making: bool = False  # that function
    bound: Made | None = None  # the datum of an element that it has
    waits: bool = False  # for a bind card

    @property
    def name(self) -> str:
        return f"{self.kind} {self.label}"

    # -------------------------------------------------------------------------------- reading
    def read(self, name: str) -> Drive:
        """The drive of its value ("x") or of its derivative ("xP")."""
        if name not in ("x", "xP"):
            article = "an" if self.kind[0] in "ae" else "a"
            raise ExpressionError(
                f"{article} {self.kind} node has the data x and xP, found '{name}'"
            )
        if self.bound is not None:
            return self.bound() if name == "x" else self._rate_of_bound(self.bound())
        if self.tie is not None:
            return self._read_tied(name)
        if self.args.deck.building:
            from linkwork.io.mbdyn.scalars.building import add_scalar_node

            add_scalar_node(self.args.deck, self)
        if self.given is not None:
            return self.given if name == "x" else self._rate_of_function()
        if self.item is None:
            raise ExpressionError(f"{self.name} cannot be read here, before the model is made")
        if name == "xP" and self.item.node.kind.order == 0:
            self.item.order = 1  # if nothing but its own loads have it: `refuse_rates`
        return reads(self.item, "value" if name == "x" else "value_rate")

    def _read_tied(self, name: str) -> Drive:
        other, offset = self.root
        own = offset if name == "x" else rate_of(offset)
        if own is None:
            raise ExpressionError(f"the derivative of {self.name}, which is clamped, is not known")
        return own if other is None else Sum((other.read(name), own))

    def _rate_of_function(self) -> Drive:
        assert self.given is not None
        rate = rate_of(self.given)
        if rate is None:
            raise ExpressionError(
                f"{self.kind} node {self.label} is a function here; its derivative cannot be read"
            )
        return rate

    def _rate_of_bound(self, bound: Drive) -> Drive:
        rate = rate_of(bound)
        if rate is None:
            raise Unreadable(
                f"the derivative of {self.name}, which is bound to an element, is not known here"
            )
        return rate

    @property
    def root(self) -> tuple[ScalarNode | None, Drive]:
        """The node that says its value, none for a function alone, and what comes on top."""
        assert self.tie is not None
        other, make = self.tie
        offset = make()
        while other is not None and other.tie is not None:
            other, more = other.tie
            offset = Sum((offset, more()))
        return other, offset

    def together(self) -> list[ScalarNode]:
        """The node and all that are tied to it."""
        return [self, *(node for other in self.tied for node in other.together())]

    # ------------------------------------------------------------------------------- equation
    @property
    def order(self) -> int:
        """Of its equation, as far as its own loads do not say."""
        parts = self.together()
        if any(node.masses for node in parts):
            return 2
        damped = any(
            node.damping or node.charged or any(x.law.viscous for x in node.springs)
            for node in parts
        )
        return 1 if damped else 0

    @property
    def held(self) -> bool:
        """Whether something determines its value."""
        return any(
            node.moves or node.stiffness or node.damping or node.masses or node.springs
            or node.charged
            for node in self.together()
        )

    @property
    def is_function(self) -> bool:
        moves = self.moves or self.damping or self.masses or self.springs or self.charged
        return not self.tied and not moves


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


def circuit_node(kind: str) -> Callable[[Arguments], None]:
    """electric: | thermal: label [, value, x [, derivative, ẋ]];"""

    def card(args: Arguments) -> None:
        node = new_node(args, kind)
        if args.keyword("value"):
            node.value = args.real(f"the value of a {kind} node")
            if args.keyword("derivative"):
                node.derivative = args.real(f"the derivative of a {kind} node")
        options(args, node)

    return card


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
    from linkwork.io.mbdyn.drives.callers import element_kind
    from linkwork.io.mbdyn.drives.readings import element_datum

    label = args.label("the label of an element")
    args.card, i = f"bind {label}", args.i
    kind, at = element_kind(args), args.i
    node = args.deck.scalars.get(("parameter", args.label("the label of a parameter node")))
    if node is None or not node.waits or node.bound is not None:
        waiting = [n.label for n in args.deck.scalars.values() if n.waits and n.bound is None]
        args.fail(f"there is no parameter node {args.shown(at)} that waits for an element "
                  f"(parameter: label, element;); waiting: "
                  f"{', '.join(map(str, waiting)) or 'none'}", at)  # fmt: skip
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
            args.refuse(error, i)

    node.bound = read
