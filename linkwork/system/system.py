"""compile_model: Model → System, and what a system can be asked at a state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.elements.layout import ACCEPT, BY_VALUE, COEFS, TANGENT
from linkwork.errors import ModelError
from linkwork.math import sparse as sp
from linkwork.math.compiled import announce
from linkwork.math.compiling.undisturbed import without_collection
from linkwork.math.memory.addresses import addresses_in, write_addresses
from linkwork.model.model import Model, require_model
from linkwork.model.nodes import Node
from linkwork.model.registry import Entry
from linkwork.system.compilation.collection import (
    add_sensors,
    bodies_of,
    check_items,
    collect,
    nodes_of,
)  # fmt: skip
from linkwork.system.compilation.compiled_model import CompiledModel
from linkwork.system.compilation.flexible import find_links
from linkwork.system.compilation.numbering import Element, Row, signal_pairs
from linkwork.system.compilation.tables import make_tables, round_off, scales
from linkwork.system.evaluate import (
    Work,
    evaluate,
    jacobian_values,
    make_work,
    set_rotations,
)
from linkwork.system.layout import Layout
from linkwork.system.matrices import Evaluation
from linkwork.system.pattern import make_pattern
from linkwork.system.rank_one.distant import distant_signals
from linkwork.system.state import State

CHUNK = 1024  # stored times per call: bounds the table of the motion laws


@dataclass(frozen=True)
class System(CompiledModel):
    """A compiled model.  `keep` says which of all constraint rows take part in the equations."""

    # ----------------------------------------------------------------------------- with other rows
    def with_rows(self, keep: np.ndarray) -> System:
        """The same system with only the rows `keep` in the equations."""
        keep = np.asarray(keep, bool)
        return build(
            self.model, self.names, self.elements, self.all_rows, keep, self.layout.nodes,
            self.stepping, self.apart,
        )  # fmt: skip

    def for_steps(self, updates: bool = False) -> System:
        """The same system for runs: once samples are taken, numbers that follow them alone have no
        slopes, so that a controller of a distant body leaves the order of elimination alone.

        updates : whether the method adds rank-one updates of numbers that follow distant bodies
        """
        joined = [set(signal_pairs(self.elements, steps)) for steps in (False, True)]
        inert = bool((self.inertias[:, 0] > 0).all() and (self.inertias[:, [1, 5, 9]] > 0).all())
        apart = distant_signals(self.elements) if updates and inert else frozenset()
        if joined[0] == joined[1] and not apart:
            return self
        return build(
            self.model, self.names, self.elements, self.all_rows, self.keep, self.layout.nodes,
            True, apart,
        )  # fmt: skip

    def held_alone(self) -> System:
        """The same system with those vector nodes alone that constraints hold, and what acts on
        bodies and these."""
        n = self.bodies
        held = {g for e in self.elements if e.entry.rows for g in e.ends if g >= n}
        if len(held) == len(self.layout.nodes):
            return self
        group = {g: n + k for k, g in enumerate(sorted(held))} | {b: b for b in range(-2, n)}
        kept = [i for i, e in enumerate(self.elements) if all(g in group for g in e.ends)]
        number = {i: k for k, i in enumerate(kept)}
        rows = tuple(replace(row, element=number[row.element]) for row in self.all_rows)
        elements = tuple(
            replace(e, ends=tuple(group[g] for g in e.ends))
            for e in (self.elements[i] for i in kept)
        )
        nodes = tuple(self.layout.nodes[g - n] for g in sorted(held))
        return build(self.model, self.names, elements, rows, self.keep, nodes)

    def with_other_values(self, held: System, state: State) -> State:
        """A state of `held_alone` with the values of all vector nodes, the others as described."""
        values, mine = self.layout.start(), held.layout
        first = {id(node): int(at) for node, at in zip(self.layout.nodes, self.layout.first)}
        for node, at in zip(mine.nodes, mine.first):
            to = first[id(node)]
            values[:, to : to + node.size] = state.values[:, at : at + node.size]
        if held is self:
            return replace(state, values=values)
        memory = self.tables.reals[self.memory_places].copy()  # also of what `held` has not
        return replace(state, values=values, memory=memory)

    # ------------------------------------------------------------------------------------- pickling
    @property
    def _numbers(self) -> list[np.ndarray]:
        """The arrays that may hold addresses."""
        return [self.tables.reals, *(e.entry.reals for e in self.elements)]

    def __getstate__(self) -> dict[str, Any]:
        """Without work arrays, some of which are views of others."""
        parts = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**parts, "addresses": addresses_in(self._numbers)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        write_addresses(self._numbers, state["addresses"])

    # ----------------------------------------------------------------------------------- time laws
    def schedule(self, times: np.ndarray) -> np.ndarray:
        """Values (T, n) for tables.reals[tables.targets] at the given times."""
        times = np.atleast_1d(np.asarray(times, float))
        if not self.laws:
            return np.zeros((len(times), 0))
        return np.ascontiguousarray(np.hstack([law.values(times) for law in self.laws]))

    def set_time(self, time: float, laws: np.ndarray | None = None) -> None:
        """The numbers that laws give at a time; `laws` are those, where they are known."""
        known = self.schedule(np.array([time]))[0] if laws is None else laws
        self.tables.reals[self.tables.targets] = known

    # ---------------------------------------------------------------------------------- evaluation
    @cached_property
    def work(self) -> Work:
        return make_work(self.bodies, self.layout.values, self.rows, self.pattern)

    def load(self, state: State, laws: np.ndarray | None = None) -> None:
        """Put a state into the work arrays; laws: what motion laws give at its time, if known."""
        w, n = self.work, self.bodies
        w.nodes[:n, :13] = state.motion
        set_rotations(w.nodes)
        w.values[:3, : self.layout.values] = state.values
        w.vdot[:] = 0.0
        if state.acceleration is not None:
            w.vdot[:n, :6] = state.acceleration
        w.x[:] = 0.0
        w.gamma[:] = 0.0
        if state.gamma is not None:
            w.gamma[: self.rows] = state.gamma[self.kept]
        if state.memory is not None and state.memory.size:
            self.tables.reals[self.memory_places] = state.memory
        self.set_time(state.time, laws)

    def evaluate(
        self, state: State, *, cM: float = 0.0, cD: float = 0.0, cK: float = 1.0,
        tangent: bool = True, rates: bool = False, constraint_stiffness: bool = True,
        laws: np.ndarray | None = None, by: np.ndarray | None = None,
    ) -> Evaluation:  # fmt: skip
        """Residual r, constraints, and the matrix [[cM M + cD D + cK K, C_qᵀ], [C_q, 0]].

        by : (3, values) coefficients of their own for vector nodes: of value, rate and second
             derivative
        """
        self.load(state, laws)
        w, n, m = self.work, self.bodies, self.rows
        w.coef[:COEFS] = (cK, cD, tangent, rates, 0.0, constraint_stiffness, False)
        w.values[BY_VALUE:, :-1] = np.array([[cK], [cD], [cM]]) if by is None else by
        w.Ct[:] = 0.0
        w.Qc[:] = 0.0
        evaluate(self.kernels, self.tables, w, state.time, cM)
        values = w.vals[self.pattern.places] if tangent else np.zeros(0)
        return Evaluation(
            w.f[:n].copy(), w.balance[:-1].copy(), w.C[:m].copy(), w.Ct[:m].copy(),
            w.Qc[:m].copy(), w.power.copy(), values, self.pattern,
        )  # fmt: skip

    def jacobians(
        self, times: np.ndarray, motion: np.ndarray, values: np.ndarray | None = None
    ) -> Iterator[sp.csr_array]:
        """C_q at stored times, motion (T, bodies, 13), values (T, 3, n); lean, for long runs."""
        first = self.pattern.indptr[self.motions]
        indptr = self.pattern.indptr[self.motions :] - first
        for k in range(0, len(times), CHUNK):
            part = slice(k, k + CHUNK)
            now = None if values is None else values[part]
            for row in self._jacobian_values(times[part], motion[part], now):
                shape = self.rows, self.motions
                yield sp.csr_array((row, self.pattern.indices[first:], indptr), shape)

    def dense_jacobians(self, times: np.ndarray, motion: np.ndarray) -> np.ndarray:
        """The same (T, rows, motions) with its zeros, for systems of bodies alone."""
        p, n = self.pattern, self.motions
        row = np.repeat(np.arange(self.rows), np.diff(p.indptr[n:]))
        out = np.zeros((len(times), self.rows * n))
        out[:, row * n + p.indices[p.indptr[n] :]] = self._jacobian_values(times, motion, None)
        return out.reshape(len(times), self.rows, n)

    def _jacobian_values(
        self, times: np.ndarray, motion: np.ndarray, values: np.ndarray | None
    ) -> np.ndarray:
        p = self.pattern
        out = np.zeros((len(times), len(p.indices) - p.indptr[self.motions]))
        jacobian_values(
            self.kernels, self.tables, self.work, times, np.ascontiguousarray(motion),
            self.stored_values(len(times), values), self.schedule(times), out,
        )  # fmt: skip
        return out

    def stored_values(self, count: int, values: np.ndarray | None) -> np.ndarray:
        """Values (T, 3, n) for compiled loops; as described where none are given."""
        if values is None:
            return np.broadcast_to(self.layout.start(), (count, 3, self.layout.values)).copy()
        return np.ascontiguousarray(values)

    def mass_matrix(self, state: State) -> sp.csr_matrix:
        """M: masses and inertias in body axes (block diagonal but for flexible links)."""
        if self.layout.values or any(f.inertial for f in self.families):
            return sp.csr_matrix(self.evaluate(state, cM=1.0, cK=0.0).stiffness)
        blocks = []
        for row in self.tables.bodies:
            block = np.zeros((6, 6))
            block[:3, :3] = row[0] * np.eye(3)
            block[3:, 3:] = row[1:].reshape(3, 3)
            blocks.append(block)
        return sp.csr_matrix(sp.block_diag(blocks)) if blocks else sp.csr_matrix((0, 0))

    def remember(self, state: State) -> State:
        """The state, once elements with a memory know that it was reached."""
        if not self.memory:
            return state
        self.load(state)
        self.work.coef[TANGENT], self.work.coef[ACCEPT] = 0.0, 1.0
        evaluate(self.kernels, self.tables, self.work, state.time, 0.0)
        self.work.coef[ACCEPT] = 0.0
        return replace(state, memory=self.tables.reals[self.memory_places].copy())

    def described_state(self, time: float = 0.0) -> State:
        """The state as the user described it, constraints not yet satisfied."""
        motion = np.zeros((self.bodies, 13))
        for i, body in enumerate(self.items):
            motion[i, :3], motion[i, 3:7] = body.position, body.orientation
            if body.velocity is not None:
                motion[i, 7:10] = body.velocity
            if body.angular_velocity is not None:
                motion[i, 10:13] = body.angular_velocity
        memory = self.tables.reals[self.memory_places].copy()
        return State(time, self.names, motion, memory=memory, values=self.layout.start())


@without_collection()
def compile_model(model: Model, extra: Sequence[tuple[str, Entry]] = ()) -> System:
    """Number the bodies, collect the elements of all items, and build the tables.

    `extra` are further entries under names of items: rows that only assembly knows.
    """
    announce(evaluate, "the kernels of elements", 4)
    require_model(model)
    add_sensors(model)
    bodies, nodes = bodies_of(model), nodes_of(model)
    if not bodies and not nodes:
        raise ModelError(f"model '{model.name}' has no body; add one with model.add(name, lw.Body)")
    check_items(model)
    elements, rows = collect(model, bodies, nodes, extra)
    everything = np.ones(len(rows), bool)
    return build(model, tuple(bodies), elements, rows, everything, nodes)


def build(
    model: Model, names: tuple[str, ...], elements: tuple[Element, ...], rows: tuple[Row, ...],
    keep: np.ndarray, nodes: tuple[Node, ...] = (), stepping: bool = False,
    apart: frozenset[int] = frozenset(),
) -> System:  # fmt: skip
    """Tables of a system in which only the rows `keep` constrain; for the rest see for_steps."""
    kept_rows = [[j for j, r in enumerate(e.rows) if keep[r]] for e in elements]
    known = bodies_of(model)
    items = tuple(known[name] for name in names)
    layout = Layout(names, nodes)
    links = find_links(model, items, layout)
    pattern, groups = make_pattern(
        len(names),
        [
            (() if e.entry.family.signal else e.ends, len(k), e.entry.family.whole)
            for e, k in zip(elements, kept_rows)
        ],
        [node.size for node in layout.nodes], signal_pairs(elements, stepping, apart),
    )  # fmt: skip
    tables, laws, kernels = make_tables(
        model, items, elements, kept_rows, pattern, groups, layout, apart
    )
    places = np.array([body.position for body in items], float).reshape(-1, 3)
    length, mass = scales(model, places, tables.bodies, links)
    return System(
        model, names, elements, rows, np.array(keep, bool), kernels, tables, pattern, layout, laws,
        length, mass, round_off(model, places, tables.bodies), items, links, stepping, apart,
    )  # fmt: skip
