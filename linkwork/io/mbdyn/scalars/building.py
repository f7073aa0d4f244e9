"""Quantities, loads and springs from the scalar nodes of a deck (scalars.nodes)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkwork.io.mbdyn.scalars.nodes import Made, ScalarNode, Spring
from linkwork.model.drives import Constant, Drive, Sum
from linkwork.model.signals.readings import reads

if TYPE_CHECKING:
    from linkwork.io.mbdyn.deck.deck import Deck


def tie_nodes(deck: Deck) -> None:
    """Nodes that distances join follow one of them: the one that is clamped, else the first."""
    for node in deck.scalars.values():
        if node.tie is None and not any(node in other.tied for other in deck.scalars.values()):
            group = joined(node)
            clamped = [each for each in group if each.clamp is not None]
            if len(clamped) > 1:
                clamped[1].args.fail(f"{clamped[1].name} is held already, by distances from "
                                     f"{clamped[0].name}, which is clamped", 0)  # fmt: skip
            if sum(len(each.links) for each in group) != 2 * (len(group) - 1):
                node.args.fail(f"distances join {node.name} with itself; leave out one", 0)
            hang_on(clamped[0] if clamped else node)


def joined(node: ScalarNode, without: ScalarNode | None = None) -> list[ScalarNode]:
    """The nodes that distances join with this one, itself first; not by way of `without`."""
    found = [node]
    for each in found:
        for other, _ in each.links:
            if not (each is node and other is without) and not any(x is other for x in found):
                found.append(other)
    return found


def hang_on(root: ScalarNode) -> None:
    """Tie all nodes that are joined with this one to it, one after the other."""
    if root.clamp is not None:
        root.tie = None, root.clamp
    waiting, known = [root], [root]
    while waiting:
        here = waiting.pop()
        for other, distance in here.links:
            if not any(other is x for x in known):
                other.tie = here, negative(distance)
                here.tied.append(other)
                waiting.append(other)
                known.append(other)


def negative(make: Made) -> Made:
    return lambda: -make()


def add_scalar_node(deck: Deck, node: ScalarNode) -> None:
    """The Quantity of an abstract node, or its function."""
    if node.waits and node.bound is None:
        node.args.fail("the node waits for an element, but no bind card gives it one", 0)
    if node.kind == "parameter" or node.tie is not None:
        return
    if node.item is not None or node.given is not None:
        return
    if not node.held:
        node.args.unsupported(
            f"abstract node {node.label} has no mass, and nothing holds or damps it, so that no "
            "equation gives its value; give it a genel: mass, spring support, clamp …", 0,
        )  # fmt: skip
    if node.making or not node.is_function:
        add_quantity(deck, node)
        return
    node.making = True  # what asks for its value meanwhile gets a Quantity's
    given = function_of(node)
    node.making = False
    if node.item is None:
        node.given = given


def add_quantity(deck: Deck, node: ScalarNode) -> None:
    from linkwork.elements.quantities.quantity import Quantity

    parts = node.together()
    node.item = deck.model.add(node.name, Quantity(
        node.value, node.derivative or 0.0, order=node.order,
        mass=total([make() for part in parts for make in part.masses]),
        damping=sum(part.damping for part in parts),
        stiffness=sum(part.stiffness for part in parts),
    ))  # fmt: skip


def add_loads(node: ScalarNode) -> None:
    """What acts on a Quantity, once all that may be read is there."""
    if node.item is None:
        return
    terms = [make() for part in node.together() for make in part.loads]
    for part in node.together()[1:]:
        terms += offset_loads(part)
    if terms:
        node.item.load = total(terms)


def read_bound(node: ScalarNode) -> None:
    """What a parameter node is bound to must be there, even where nothing reads the node."""
    if node.bound is not None:
        node.bound()


def offset_loads(node: ScalarNode) -> list[Drive]:
    """−m d̈ − c ḋ − k d of a node that is tied to another with x = x_other + d."""
    from linkwork.model.drives import Derivative

    _, d = node.root
    rate = Derivative(d)
    terms = [-(make() * Derivative(rate)) for make in node.masses]
    if node.damping:
        terms.append(-node.damping * rate)
    if node.stiffness:
        terms.append(-node.stiffness * d)
    return terms


def refuse_rates(node: ScalarNode) -> None:
    """A derivative that is read must be in the node's own equation."""
    from linkwork.model.drives.base import leaves_that_follow

    if node.item is None or node.item.order != 1 or node.order != 0:
        return
    own = reads(node.item, "value_rate")
    if not any(own.reads_the_same(leaf) for leaf in leaves_that_follow(node.item.load)):  # type: ignore[attr-defined]
        node.args.unsupported(
            f"the derivative of {node.name} is read, but its own equation has none, so that "
            "nothing determines it; damp the node, or read what its value is made of", 0,
        )  # fmt: skip


def add_spring(deck: Deck, spring: Spring) -> None:
    """The law between two Quantities; ends that are tied or clamped shift its strain."""
    from linkwork.elements.quantities.quantity_law import QuantityLaw
    from linkwork.model.frame import GROUND

    ends: list[Any] = []
    shift: list[Drive] = []
    for sign, node in ((-1.0, spring.first), (1.0, spring.second)):
        root: ScalarNode | None = node
        if node is not None and node.tie is not None:
            root, offset = node.root
            shift.append(-sign * offset)
        if root is not None:
            add_scalar_node(deck, root)
        ends.append(GROUND if root is None else root.item)
    if ends[0] is ends[1]:  # both tied to one, or clamped: a function that acts on nothing
        return
    law = QuantityLaw(ends[0], ends[1], spring.law.make(), total(shift))
    deck.model.add(spring.name, law)


def something_moves(deck: Deck) -> None:
    """One of the nodes as an unknown, where all are functions and there would be nothing to run."""
    from linkwork.elements.quantities.quantity import Quantity

    items = deck.model.items.values()
    if any(item.bodies() or item.vector_nodes() for item in items):
        return
    node = next(iter(deck.scalars.values()))
    deck.model.add(node.name, Quantity(node.value, stiffness=1.0, load=node.read("x")))


def total(terms: list[Drive]) -> Drive:
    if not terms:
        return Constant(0.0)
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))


def function_of(node: ScalarNode) -> Drive:
    """x = Σ f/k of a node that nothing else acts on."""
    loads = total([make() for make in node.loads])
    if isinstance(loads, Constant) or node.stiffness == 1:
        return Constant(loads.v / node.stiffness) if isinstance(loads, Constant) else loads
    return (1 / node.stiffness) * loads
