"""Abstract and parameter nodes over the stored times, and what they exert on clamps."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.errors import DriveError
from linkwork.io.mbdyn.scalars.building import joined
from linkwork.io.mbdyn.scalars.nodes import ScalarNode, Spring
from linkwork.io.mbdyn.scalars.rates import rate_of
from linkwork.model.drives import Drive
from linkwork.model.drives.base import leaves_that_follow


def scalar_values(run: Any, node: ScalarNode) -> np.ndarray:
    """Value and derivative of a scalar node at stored times, (T, 2).

    The derivative of a function that follows positions is that of its parts; of others, of
    functions without one at some time, and of a node whose equation has none, that of a parabola
    through its values.
    """
    if node.bound is not None:
        return function_values(run, node.bound())
    if node.item is None:
        return function_values(run, node.read("x"))
    found = np.column_stack([run[node.name].value.values, run[node.name].value_rate.values])
    if run.system.model[node.name].node.kind.order == 0:
        found[:, 1] = slopes(run, found[:, 0])
    return found


def function_values(run: Any, given: Drive) -> np.ndarray:
    from linkwork.results.outputs.stored import signal_values

    given = run.system.model.copies.of(given)  # whose nodes have the orders of the run
    value = signal_values(run, given)
    if not leaves_that_follow(given):
        return np.column_stack([value, derivative(run, given, 1)])
    rate = rate_of(given)
    if rate is not None:
        return np.column_stack([value, signal_values(run, rate)])
    return np.column_stack([value, slopes(run, value)])


def derivative(run: Any, given: Drive, order: int) -> np.ndarray:
    """Of a function of time; where it has none at some time, that of parabolas through values."""
    try:
        return given.jet(run.time)[:, order]
    except DriveError:
        found = given.values(run.time)
        for _ in range(order):
            found = slopes(run, found)
        return found


def slopes(run: Any, value: np.ndarray) -> np.ndarray:
    if len(value) < 3:
        return np.full(len(value), np.nan)
    return np.gradient(value, run.time, edge_order=2)


# ------------------------------------------------------------------------------------ reactions


def on_clamp(run: Any, node: ScalarNode) -> np.ndarray:
    """What a node, with all that distances join to it, exerts on its clamp, (T, 1); of an electric
    node the current that the clamp feeds into the circuit, as with mass flows of hydraulic ones."""
    found = sum(exerted(run, each) for each in joined(node))[:, None]  # type: ignore[index]
    return -found if node.kind == "electric" else found


def on_distance(run: Any, first: ScalarNode, second: ScalarNode) -> np.ndarray:
    """What the first of two nodes exerts on the distance between them, (T, 1)."""
    side, sign = joined(first, without=second), 1.0
    if any(each.clamp is not None for each in side):
        side, sign = joined(second, without=first), -1.0
    return sign * sum(exerted(run, each) for each in side)[:, None]  # type: ignore[index]


def exerted(run: Any, node: ScalarNode) -> np.ndarray:
    """Σ f − σ − k x − c ẋ − m ẍ of a node, without what holds it, (T,)."""
    from linkwork.results.outputs.stored import signal_values

    x = scalar_values(run, node)
    found = -node.stiffness * x[:, 0] - node.damping * x[:, 1]
    for make in node.loads:
        found += signal_values(run, make())
    for make in node.masses:
        found -= signal_values(run, make()) * acceleration(run, node)
    for spring in node.springs:
        found -= stress(run, spring) * (1.0 if spring.second is node else -1.0)
    return found


def acceleration(run: Any, node: ScalarNode) -> np.ndarray:
    """ẍ of a node, whose offset from another is a function of time."""
    other, offset = (node, None) if node.tie is None else node.root
    found = np.zeros(len(run.time))
    if other is not None:
        layout = run.system.layout
        k = layout.nodes.index(run.system.model[other.name].node)
        found += np.asarray(run.values)[:, 2, int(layout.first[k])]
    return found if offset is None else found + derivative(run, offset, 2)


def stress(run: Any, spring: Spring) -> np.ndarray:
    """σ of a law between two nodes, (T,)."""
    from linkwork.elements.laws.base import STRESS, addresses, law_numbers, over_times
    from linkwork.results.outputs.stored import signal_values

    strain = scalar_values(run, spring.second)
    if spring.first is not None:
        strain = strain - scalar_values(run, spring.first)
    numbers, integers, laws = law_numbers(spring.law.make(), 1, spring.name, 0)
    reals = np.tile(numbers, (len(run.time), 1))
    for law in laws:
        column = slice(law.column, law.column + law.length)
        followed = law.signal is not None
        reals[:, column] = (
            signal_values(run, law.signal)[:, None] if followed else law.values(run.time)  # type: ignore[arg-type]
        )
    return over_times(addresses(integers), reals, strain[:, :1], strain[:, 1:])[:, STRESS]
