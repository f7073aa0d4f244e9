"""compile_model: Model → System, the constant tables of a model and its numbering.

Everything that changes while a system is evaluated is in a `Data` (system/data.py).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.kernels.compiled import announce
from linkwork.kernels.compiling.undisturbed import without_collection
from linkwork.linear_algebra.pattern import make_pattern
from linkwork.model.model import Model, private_copy
from linkwork.system.compilation.collection import (
    add_sensors,
    bodies_of,
    check_items,
    collect,
    nodes_of,
)  # fmt: skip
from linkwork.system.compilation.compiled_model import CompiledModel
from linkwork.system.compilation.flexible import find_links
from linkwork.system.compilation.numbering import signal_pairs
from linkwork.system.compilation.start_rows import start_entries
from linkwork.system.compilation.tables import (
    inertias_of,
    make_tables,
    round_off,
    scales,
    write_addresses,
)  # fmt: skip
from linkwork.system.data import Data, protected
from linkwork.system.evaluate import Tables, evaluate
from linkwork.system.layout import Layout
from linkwork.system.part import Part, part_of
from linkwork.system.state import State

PATTERN_ARRAYS = ("indptr", "indices", "places", "groups", "first")


@dataclass(frozen=True)
class System(CompiledModel):
    """A compiled model: constant, its arrays are write-protected."""

    def __post_init__(self) -> None:
        vars(self)["tables"] = Tables(*map(protected, self.tables))
        vars(self)["kernels"] = protected(self.kernels)
        for name in PATTERN_ARRAYS:
            vars(self.pattern)[name] = protected(getattr(self.pattern, name))

    def data(
        self, rows: np.ndarray | None = None, elements: Collection[int] | None = None, *,
        steps: bool = False, updates: bool = False,
    ) -> Data:  # fmt: skip
        """The changing numbers of an analysis, as the model was described.

        rows     : which of all constraint rows are equations; all of them
        elements : numbers of the elements that take part; all of them
        steps    : for steps in time: signals that are constant between samples have no blocks, so
                   that a controller of a distant body leaves the order of elimination alone
        updates  : of a method that adds rank-one updates of signals of distant bodies
        """
        return Data(self, rows, elements, steps, updates)

    def without_last(self, count: int) -> System:
        """The same tables without their last elements, rows of start values: the system of the
        model alone, which knows this one as `starting`."""
        first = len(self.elements) - count
        keep = np.arange(len(self.all_rows)) < self.elements[first].first_row
        pattern = self.pattern.restricted(keep)
        family = self.elements[first].entry.family
        directory = self.tables.directory.copy()
        directory[self.families.index(family), 1] -= count
        stay = [np.full(law.length, i < first) for i, law in self.laws]
        return replace(
            self, elements=self.elements[:first], all_rows=self.all_rows[: int(keep.sum())],
            pattern=pattern, laws=tuple(law for law in self.laws if law[0] < first),
            tables=self.tables._replace(
                directory=directory, indptr=pattern.indptr, indices=pattern.indices,
                places=pattern.places, targets=self.tables.targets[np.concatenate(stay)],
            ),
            starting=self,
        )  # fmt: skip

    @property
    def table_rows(self) -> int:
        """Constraint rows in the tables, with those of start values."""
        return len((self.starting or self).all_rows)

    @cached_property
    def whole(self) -> Part:
        """All elements."""
        return part_of(self)

    # ------------------------------------------------------------------------------------- pickling
    def __getstate__(self) -> dict[str, Any]:
        """Without what follows from the fields."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        vars(self)["tables"] = Tables(*map(np.array, self.tables))  # unpickled arrays are protected
        for name in PATTERN_ARRAYS:
            vars(self.pattern)[name] = np.array(getattr(self.pattern, name))
        write_addresses(self.tables, self.families, self.elements)
        self.__post_init__()

    def stored_values(self, count: int, values: np.ndarray | None) -> np.ndarray:
        """Values (T, 3, n) for compiled loops; as described where none are given."""
        if values is None:
            return np.broadcast_to(self.layout.start(), (count, 3, self.layout.values)).copy()
        return np.ascontiguousarray(values)

    def described_state(self, time: float = 0.0) -> State:
        """The state as the user described it, constraints not yet satisfied."""
        motion = np.zeros((self.bodies, 13))
        for i, body in enumerate(self.items):
            motion[i, :3], motion[i, 3:7] = body.position, body.orientation
            if body.velocity is not None:
                motion[i, 7:10] = body.velocity
            if body.angular_velocity is not None:
                motion[i, 10:13] = body.angular_velocity
        memory = self.tables.memory.copy()
        return State(time, self.names, motion, memory=memory, values=self.layout.start())


@without_collection()
def compile_model(model: Model) -> System:
    """Number the bodies, collect the elements of all items, and build the tables.

    The system has a private copy of the model, which does not follow later changes of it.
    """
    announce(evaluate, "the kernels of elements", 4)
    model = private_copy(model)
    add_sensors(model)
    bodies, nodes = bodies_of(model), nodes_of(model)
    if not bodies and not nodes:
        raise ModelError(f"model '{model.name}' has no body; add one with model.add(name, lw.Body)")
    check_items(model)
    starts = start_entries(model)
    elements, rows = collect(model, bodies, nodes, starts)
    items, names = tuple(bodies.values()), tuple(bodies)
    layout = Layout(names, nodes)
    links = find_links(model, items, layout)
    pattern, groups = make_pattern(
        len(names),
        [
            (() if e.entry.family.signal else e.ends, len(e.rows), e.entry.family.whole)
            for e in elements
        ],
        [node.size for node in layout.nodes], signal_pairs(elements, False), len(starts),
    )  # fmt: skip
    tables, laws, kernels, active = make_tables(
        model, items, elements, pattern, groups, layout, len(starts)
    )
    places = np.array([body.position for body in items], float).reshape(-1, 3)
    inertias = inertias_of(tables.bodies, elements)
    length, mass = scales(model, places, inertias, elements)
    system = System(
        model, names, elements, rows, kernels, tables, active, pattern, layout, laws, length, mass,
        round_off(model, places, inertias), items, links,
    )  # fmt: skip
    return system.without_last(len(starts)) if starts else system
