"""Data: everything that changes while a constant System is evaluated.

    r = M v̇ + f_g + C_qᵀγ − f,   C(q, t);   matrix [[cM M + cD D + cK K, C_qᵀ], [C_q, 0]]

A `Data` has its own numbers of elements (what motion laws give now, what elements remember), its
own gravity and work arrays, and says which constraint rows are equations and which elements take
part.  Two of them never disturb each other: one for every run, thread and trial.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.layout import ACCEPT, BY_VALUE, COEFS, TANGENT
from linkwork.kernels import sparse as sp
from linkwork.linear_algebra.low_rank import FIRST, SENSOR
from linkwork.linear_algebra.pattern import Pattern
from linkwork.system.compilation.numbering import Row, signal_pairs
from linkwork.system.compilation.tables import write_addresses
from linkwork.system.evaluate import (
    BODIES,
    INTS,
    LOADED,
    MEMORY_WIDTH,
    NUMBER,
    UPDATE,
    Tables,
    Work,
    evaluate,
    jacobian_values,
    make_work,
    set_rotations,
)  # fmt: skip
from linkwork.system.far_feedback import distant_signals
from linkwork.system.matrices import Evaluation
from linkwork.system.part import part_of
from linkwork.system.state import State

if TYPE_CHECKING:
    from linkwork.system.system import System

OWN = ("gravity", "reals", "memory", "ints")  # tables of which every Data has its own
CHUNK = 1024  # stored times per call: bounds the table of the motion laws


class Data:
    """The changing numbers of a system, made by `System.data`."""

    keep: np.ndarray  # which of all constraint rows are equations
    pattern: Pattern  # of the matrix with these rows
    tables: Tables

    def __init__(
        self, system: System, rows: np.ndarray | None = None,
        elements: Collection[int] | None = None, steps: bool = False, updates: bool = False,
    ) -> None:  # fmt: skip
        self.system = system
        self.part = system.whole if elements is None else part_of(system, elements)
        self.laws = self.part.laws
        self.options: dict[str, Any] = {"elements": elements, "steps": steps, "updates": updates}
        self.apart: tuple[int, ...] = ()
        self.dropped: set[tuple[int, int]] = set()
        if steps:
            self.apart = self._distant() if updates else ()
            self.dropped = self._dropped_pairs()
        self.tables = self._tables()
        for family in system.families if not self.part.whole else ():
            if family.shares:  # the first of them may not take part
                self.separate_numbers(family)
        keep = np.ones(len(system.all_rows), bool) if rows is None else np.array(rows, bool)
        self.set_rows(keep & self.part.rows(len(keep)))

    def __getstate__(self) -> dict[str, Any]:
        return {
            "system": self.system, "keep": self.keep, "options": self.options, "laws": self.laws,
            **{name: getattr(self.tables, name) for name in OWN},
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["system"], state["keep"], **state["options"])  # type: ignore[misc]
        self.laws = state["laws"]
        own, system = self.tables, self.system
        for name in OWN:
            getattr(own, name)[:] = state[name]
        write_addresses(own, system.families, system.elements)

    # -------------------------------------------------------------------------- what takes part
    def _distant(self) -> tuple[int, ...]:
        inertias = self.system.inertias
        inert = bool((inertias[:, 0] > 0).all() and (inertias[:, [1, 5, 9]] > 0).all())
        return tuple(sorted(distant_signals(self.system.elements))) if inert else ()

    def _dropped_pairs(self) -> set[tuple[int, int]]:
        """Pairs of groups that only signals join which are constant between samples, or which have
        rank-one updates."""
        elements = self.system.elements
        joined, stays = (
            {pair for i, j in pairs if i != j for pair in ((i, j), (j, i))}
            for pairs in (signal_pairs(elements, False), signal_pairs(elements, True, self.apart))
        )
        only = joined - stays
        if not only:
            return set()
        for e in elements:
            if not e.entry.family.signal:
                only -= {(i, j) for i in e.ends for j in e.ends}
        return {(i, j) for i, j in only if min(i, j) >= 0}

    def _tables(self) -> Tables:
        """The tables of the system with numbers of our own, for the elements that take part."""
        system = self.system
        own = Tables(*(writable(array) for array in system.tables))
        own = self.part.tables(own._replace(
            reals=own.reals.copy(), memory=own.memory.copy(), ints=own.ints.copy(),
            gravity=own.gravity.copy(), signals=own.signals.copy(),
        ))  # fmt: skip
        for k, i in enumerate(self.apart):
            own.signals[own.signals[:, NUMBER] == system.places[i].start, UPDATE] = k
        if self.dropped:
            self._leave_out_blocks(own)
        return own

    def ints_of(self, family: Any) -> np.ndarray:
        """(n, ints) of the elements of a family, to be read and written."""
        row = self.system.tables.directory[self.system.families.index(family)]
        _, count, first, width, *_ = row.tolist()
        return self.tables.ints[first : first + count * width].reshape(count, width)

    def separate_numbers(self, family: Any) -> None:
        """Every element of a family that shares numbers reads its own from now on."""
        self.ints_of(family)[:, -1 - family.integers] = 0

    def _leave_out_blocks(self, tables: Tables) -> None:
        """Signals write blocks of dropped pairs to a spare place."""
        ends = {
            int(self.system.places[i].start): e.ends
            for i, e in enumerate(self.system.elements) if e.entry.family.signal
        }  # fmt: skip
        for row in tables.signals.tolist():
            groups, n = ends[row[NUMBER]], row[BODIES]
            for a in range(row[LOADED]):
                for b in range(n):
                    if (groups[a], groups[b]) in self.dropped:
                        tables.ints[row[INTS] + n + n * a + b] = self.system.pattern.spare

    # ------------------------------------------------------------------------------------- rows
    def set_rows(self, keep: np.ndarray) -> None:
        """Only the constraint rows `keep` are equations from now on."""
        system = self.system
        self.keep = np.array(keep, bool)
        self.pattern = p = system.pattern.restricted(self.keep, self.dropped)
        active = np.zeros(system.table_rows, bool)
        active[: len(self.keep)] = self.keep
        for family in system.active_rows:
            family.write(self.tables.ints, active)
        sensors = self.tables.sensors.copy()
        sensors[:, FIRST:SENSOR] = self.tables.ints[self._read]
        self.tables = self.tables._replace(
            indptr=p.indptr, indices=p.indices, places=p.places, sensors=sensors,
            answers=np.zeros((len(sensors) + len(self.apart), p.unknowns)),
            updates=np.zeros((len(self.apart), 2, p.motions)),
        )  # fmt: skip
        vars(self).pop("work", None)
        vars(self).pop("kept", None)
        vars(self).pop("kept_rows", None)

    def restricted(self, keep: np.ndarray) -> Data:
        """New data of the same elements and blocks in which the constraint rows `keep` are
        equations."""
        other = Data(self.system, keep, **self.options)
        other.laws = self.laws
        return other

    @cached_property
    def _read(self) -> np.ndarray:
        """Where the ints of sensors name the multipliers that they follow."""
        known = {row[1]: row[2:] for row in self.system.tables.sensors.tolist()}
        read = [known[row[1]] for row in self.tables.sensors.tolist()]
        return np.array(read, np.int64).reshape(-1, SENSOR - FIRST)

    @cached_property
    def work(self) -> Work:
        system = self.system
        memory = int(self.tables.signals[:, MEMORY_WIDTH].max(initial=0))
        return make_work(system.bodies, system.layout.values, self.rows, memory, self.pattern)

    @property
    def kernels(self) -> Any:
        """Addresses of the kernels, as compiled functions take them."""
        return writable(self.system.kernels)

    @property
    def rows(self) -> int:
        """Constraint rows in the equations."""
        return self.pattern.rows

    @property
    def unknowns(self) -> int:
        return self.pattern.unknowns

    @cached_property
    def kept(self) -> np.ndarray:
        """Numbers (among all rows) of the rows in the equations, in their order."""
        return np.flatnonzero(self.keep)

    @cached_property
    def kept_rows(self) -> tuple[Row, ...]:
        return tuple(self.system.all_rows[i] for i in self.kept)

    def all_gamma(self, gamma: np.ndarray) -> np.ndarray:
        """Multipliers over all rows from those in the equations (last axis), zeros elsewhere."""
        out = np.zeros((*gamma.shape[:-1], len(self.system.all_rows)))
        out[..., self.kept] = gamma[..., : self.rows]
        return out

    # ----------------------------------------------------------------------------------- time laws
    def schedule(self, times: np.ndarray) -> np.ndarray:
        """Values (T, n) for tables.reals[tables.targets] at the given times."""
        times = np.atleast_1d(np.asarray(times, float))
        if not self.laws:
            return np.zeros((len(times), 0))
        return np.ascontiguousarray(np.hstack([law.values(times) for _, law in self.laws]))

    def set_time(self, time: float, laws: np.ndarray | None = None) -> None:
        """The numbers that laws give at a time; `laws` are those, where they are known."""
        known = self.schedule(np.array([time]))[0] if laws is None else laws
        self.tables.reals[self.tables.targets] = known

    @property
    def memory(self) -> np.ndarray:
        """What elements remember, a copy."""
        return self.tables.memory.copy()

    @memory.setter
    def memory(self, values: np.ndarray) -> None:
        self.tables.memory[:] = values

    @property
    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """What laws and signals have given, and what elements remember: copies."""
        return self.tables.reals.copy(), self.tables.memory.copy()

    @numbers.setter
    def numbers(self, values: tuple[np.ndarray, np.ndarray]) -> None:
        self.tables.reals[:], self.tables.memory[:] = values

    # ---------------------------------------------------------------------------------- evaluation
    def load(self, state: State, laws: np.ndarray | None = None) -> None:
        """Put a state into the work arrays; laws: what motion laws give at its time, if known.

        A state without a memory has that of the described model.
        """
        w, n = self.work, self.system.bodies
        w.nodes[:n, :13] = state.motion
        set_rotations(w.nodes)
        w.values[:3, : self.system.layout.values] = state.values
        w.vdot[:] = 0.0
        if state.acceleration is not None:
            w.vdot[:n, :6] = state.acceleration
        w.x[:] = 0.0
        w.gamma[:] = 0.0
        if state.gamma is not None:
            w.gamma[: self.rows] = state.gamma[self.kept]
        memory = state.memory
        self.memory = memory if memory is not None and memory.size else self.system.tables.memory
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
        w, n, m = self.work, self.system.bodies, self.rows
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

    def remember(self, state: State) -> State:
        """The state, once elements with a memory know that it was reached."""
        if not self.part.remembers:
            return state
        self.load(state)
        self.work.coef[TANGENT], self.work.coef[ACCEPT] = 0.0, 1.0
        evaluate(self.kernels, self.tables, self.work, state.time, 0.0)
        self.work.coef[ACCEPT] = 0.0
        return replace(state, memory=self.memory)

    def jacobians(
        self, times: np.ndarray, motion: np.ndarray, values: np.ndarray | None = None
    ) -> Iterator[sp.csr_array]:
        """C_q at stored times, motion (T, bodies, 13), values (T, 3, n); lean, for long runs."""
        n = self.pattern.motions
        first = self.pattern.indptr[n]
        indptr = self.pattern.indptr[n:] - first
        for k in range(0, len(times), CHUNK):
            part = slice(k, k + CHUNK)
            now = None if values is None else values[part]
            for row in self._jacobian_values(times[part], motion[part], now):
                shape = self.rows, n
                yield sp.csr_array((row, self.pattern.indices[first:], indptr), shape)

    def dense_jacobians(self, times: np.ndarray, motion: np.ndarray) -> np.ndarray:
        """The same (T, rows, motions) with its zeros, for systems of bodies alone."""
        p, n = self.pattern, self.pattern.motions
        row = np.repeat(np.arange(self.rows), np.diff(p.indptr[n:]))
        out = np.zeros((len(times), self.rows * n))
        out[:, row * n + p.indices[p.indptr[n] :]] = self._jacobian_values(times, motion, None)
        return out.reshape(len(times), self.rows, n)

    def _jacobian_values(
        self, times: np.ndarray, motion: np.ndarray, values: np.ndarray | None
    ) -> np.ndarray:
        p = self.pattern
        out = np.zeros((len(times), len(p.indices) - p.indptr[p.motions]))
        jacobian_values(
            self.kernels, self.tables, self.work, times, np.ascontiguousarray(motion),
            self.system.stored_values(len(times), values), self.schedule(times), out,
        )  # fmt: skip
        return out

    def mass_matrix(self, state: State) -> sp.csr_matrix:
        """M: masses and inertias in body axes (block diagonal but for flexible links)."""
        system = self.system
        if system.layout.values or any(f.inertial for f in system.families):
            return sp.csr_matrix(self.evaluate(state, cM=1.0, cK=0.0).stiffness)
        blocks = []
        for row in system.tables.bodies:
            block = np.zeros((6, 6))
            block[:3, :3] = row[0] * np.eye(3)
            block[3:, 3:] = row[1:].reshape(3, 3)
            blocks.append(block)
        return sp.csr_matrix(sp.block_diag(blocks)) if blocks else sp.csr_matrix((0, 0))


def protected(array: Any) -> Any:
    """The same numbers, which nobody can write through this array."""
    if not isinstance(array, np.ndarray):
        return array
    if not array.flags.writeable:
        return array
    owner = array if array.base is None else array.copy()
    view = owner.view()
    view.flags.writeable = False
    return view


def writable(array: Any) -> Any:
    """The array behind a protected one, which compiled functions take and do not write."""
    return array if not isinstance(array, np.ndarray) or array.flags.writeable else array.base
