"""What elements do in stored states: their outputs, their power and their forces on bodies.

The kernels of the elements that take part are called once more, one element at a time, and write
their outputs.  What an element remembers of its path moves on from row to row, as it did in the
run; turns that it counts and what signals hold are put in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.layout import ACCEPT, GRAVITY, OUT
from linkwork.kernels.compiled import inlined
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import (
    Floats,
    Floats2,
    Floats3,
    Floats4,
    Ints,
    Ints2,
    stored,
)  # fmt: skip
from linkwork.model.outputs import Output
from linkwork.system.compilation.numbering import Element
from linkwork.system.data import Data
from linkwork.system.evaluate import (
    NUMBER,
    TARGET,
    Equations,
    ask,
    load_body,
    load_numbers,
)  # fmt: skip
from linkwork.system.part import Part

FIRST_COLUMN, COLUMNS = 0, 1  # of Asked.columns


@stored
class Rows(NamedTuple):
    """Stored states, one row each."""

    time: Floats
    motion: Floats3  # (T, bodies, 13)
    acceleration: Floats3  # (T, bodies, 6)
    gamma: Floats2  # (T, all rows)
    values: Floats3  # (T, 3, n)
    schedule: Floats2  # what motion laws give
    memory: Floats2  # (T, places) what is put in


@stored
class Asked(NamedTuple):
    """What is asked of the elements, in the order of the tables, and their answers."""

    places: Ints  # of Rows.memory among all memory
    bodies: Ints  # that take part
    one_by_one: bool  # elements, else the power of each is not known
    columns: Ints2  # (elements, 2) where the outputs of an element begin in `out`, how many
    ends: Ints2  # (elements, n) the bodies that forces are wanted on; −1 for none
    out: Floats2  # (T, columns)
    power: Floats3  # (T, elements, 2) dissipated and supplied
    wrenches: Floats4  # (T, elements, n, 6) residuals: force in world axes, moment in body axes


@inlined
def load_row(tables, work, rows, asked, k):
    """The k-th state, of the bodies that take part, and what is remembered there."""
    for i in range(asked.bodies.size):
        b = asked.bodies[i]
        load_body(work, rows.motion, k, b)
        for j in range(6):
            work.vdot[b, j] = rows.acceleration[k, b, j]
    load_numbers(tables, work, rows.values, rows.schedule, k)
    for j in range(rows.gamma.shape[1]):
        work.gamma[j] = rows.gamma[k, j]
    for j in range(asked.places.size):
        tables.memory[asked.places[j]] = rows.memory[k, j]


@c_function(Equations, Rows, Asked, returns=None)
def replay_rows(equations, rows, asked):
    """Outputs, power and forces in every row."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    d, f, ends = tables.directory, work.f, asked.ends
    work.coef[:] = 0.0
    work.coef[ACCEPT] = 1.0
    for j in range(3):
        work.coef[GRAVITY + j] = tables.gravity[j]
    for k in range(rows.time.shape[0]):
        load_row(tables, work, rows, asked, k)
        e = 0
        for m in range(d.shape[0]):
            if m == tables.signal_family_count[0]:
                for s in range(tables.signals.shape[0]):
                    number = tables.reals[tables.signals[s, NUMBER]]
                    tables.reals[tables.signals[s, TARGET]] = number
            at, width = asked.columns[e, FIRST_COLUMN], asked.columns[e, COLUMNS]
            work.coef[OUT] = 1.0 if width > 0 else 0.0
            n = 1 if asked.one_by_one else d[m, 1]
            for i in range(0, d[m, 1], n):
                work.power[:] = 0.0
                for j in range(ends.shape[1]):
                    if ends[e, j] >= 0:
                        f[ends[e, j], :] = 0.0
                ask(kernels, d[m, 0], tables, work, f, work.balance,
                    asked.out[k, at : at + n * width].reshape(n, width), rows.time[k], n,
                    d[m, 2] + i * d[m, 3], d[m, 3], d[m, 4] + i * d[m, 5], d[m, 5],
                    d[m, 6] + i * d[m, 7], d[m, 7])  # fmt: skip
                at += n * width
                if asked.one_by_one:
                    asked.power[k, e, 0], asked.power[k, e, 1] = work.power[0], work.power[1]
                for j in range(ends.shape[1]):
                    if ends[e, j] >= 0:
                        for p in range(6):
                            asked.wrenches[k, e, j, p] = f[ends[e, j], p]
                e += n
    work.coef[OUT] = work.coef[ACCEPT] = 0.0


class Replay:
    """A replay of a part of a system, some rows at a time, with the tables and arrays of `data`.

    each : whether the power of each element is wanted, too;   forces : their forces on bodies
    """

    def __init__(self, data: Data, part: Part, each: bool = False, forces: bool = False) -> None:
        self.data, self.part = data, part
        self.tables = part.tables(data.tables)
        self.each = each or forces
        families = {family: i for i, family in enumerate(data.system.families)}
        key = {
            id(e): (families[e.entry.family], place.start)
            for e, place in zip(part.elements, part.places)
        }
        self.elements: list[Element] = sorted(part.elements, key=lambda e: key[id(e)])
        for family in {e.entry.family for e in self.elements if e.entry.family.shares}:
            data.separate_numbers(family)
        sizes = [width(e.entry.family.outputs) for e in self.elements]
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.columns = np.stack([first[:-1], np.array(sizes, np.int64)], axis=1)
        self.width = int(first[-1])
        loaded = [self.loaded(e) for e in self.elements]
        self.bodies = np.unique(np.array([b for each in loaded for b in each], np.int64))
        most = max(map(len, loaded), default=0) if forces else 0
        self.ends = np.full((len(self.elements), most), -1)
        for k, bodies in enumerate(loaded if forces else ()):
            self.ends[k, : len(bodies)] = bodies

    def schedule(self, times: np.ndarray) -> np.ndarray:
        """What the motion laws of these elements give at these times, (T, n)."""
        given = [law.values(times) for _, law in self.part.laws]
        return np.ascontiguousarray(np.hstack(given)) if given else np.zeros((len(times), 0))

    def loaded(self, e: Element) -> list[int]:
        """The bodies that an element joins, each once."""
        return list(dict.fromkeys(b for b in e.ends if 0 <= b < self.data.system.bodies))

    def over(self, rows: Rows, places: np.ndarray) -> Asked:
        """The answers in these rows, which follow those of the last call."""
        T, n = len(rows.time), len(self.elements)
        asked = Asked(
            np.ascontiguousarray(places, np.int64), self.bodies, self.each, self.columns,
            self.ends, np.full((T, self.width), np.nan), np.zeros((T, n * self.each, 2)),
            np.zeros((T, n, self.ends.shape[1], 6)),
        )  # fmt: skip
        replay_rows(self.data.equations._replace(tables=self.tables), rows, asked)
        return asked

    def column(self, k: int, output: Output) -> slice | int:
        """Where an output of the k-th element is among its answers."""
        first = int(self.columns[k, FIRST_COLUMN])
        for declared in self.elements[k].entry.family.outputs:
            if declared is output:
                return slice(first, first + output.size) if output.axis else first
            first += declared.size
        raise KeyError(output.name)


def width(outputs: tuple[Output, ...]) -> int:
    """Numbers that a kernel writes for one element."""
    return sum(output.size for output in outputs)
