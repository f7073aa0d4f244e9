"""What a compiled model consists of: frozen arrays, the numbering, and what follows from them.

What it can be asked at a state (forces, constraints, matrices) is in system.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.kernels.kernel import KernelTable
from linkwork.linear_algebra.pattern import Pattern
from linkwork.model.drives.base import held_in
from linkwork.model.model import Model
from linkwork.model.nodes import Node
from linkwork.model.registry import Law
from linkwork.model.signals.held import is_sampled, sampled_at
from linkwork.system.compilation.extents import extents
from linkwork.system.compilation.flexible import FlexibleBody
from linkwork.system.compilation.numbering import Element, Row, families_of
from linkwork.system.compilation.tables import ActiveRows, inertias_of
from linkwork.system.evaluate import Tables
from linkwork.system.layout import GROUND_END, Layout


@dataclass(frozen=True)
class CompiledModel:
    """The constant parts of a system."""

    model: Model
    names: tuple[str, ...]  # of bodies
    elements: tuple[Element, ...]
    all_rows: tuple[Row, ...]
    kernels: KernelTable
    tables: Tables
    active_rows: tuple[ActiveRows, ...]  # where ints of elements name constraint rows
    pattern: Pattern
    layout: Layout
    laws: tuple[tuple[int, Law], ...]  # motion laws, with the numbers of their elements
    length: float  # characteristic length, makes rotations and displacements comparable
    mass: float  # characteristic mass
    round_off: float  # an angle that the round-off of positions may be
    items: tuple[Any, ...]  # the bodies as they were described
    flexible: tuple[FlexibleBody, ...]  # flexible links and which bodies are theirs
    starting: Any = None  # the same tables with the rows of start values, where there are any

    # ------------------------------------------------------------------------------ numbering
    @property
    def bodies(self) -> int:
        return len(self.names)

    @property
    def motions(self) -> int:
        """Unknowns of bodies and vector nodes, before the multipliers."""
        return self.pattern.motions

    @cached_property
    def on_velocities(self) -> np.ndarray:
        """Which of all rows are conditions on velocities alone."""
        return np.array([
            row.index in self.elements[row.element].entry.family.velocity for row in self.all_rows
        ], bool)  # fmt: skip

    @cached_property
    def pressing(self) -> np.ndarray:
        """Which of all rows load friction by their multipliers."""
        owned: dict[str, list[Element]] = {}
        for e in self.elements:
            owned.setdefault(e.owner, []).append(e)
        found = np.zeros(len(self.all_rows), bool)
        for e in self.elements:
            for item, which, row in e.entry.reads if e.entry.family.answers < 0 else ():
                joint = owned[item.name][which]
                if row in joint.entry.rows:
                    found[joint.rows[joint.entry.rows.index(row)]] = True
        return found

    @cached_property
    def families(self) -> list[Any]:
        return families_of(self.elements)

    @cached_property
    def body_ends(self) -> np.ndarray:
        """Which ends of each family's elements are bodies or the ground, (families, most ends)."""
        number = {family: m for m, family in enumerate(self.families)}
        most = max((family.bodies for family in number), default=0)
        found = np.zeros((len(number), most), bool)
        for e in self.elements:
            if e.entry.family.signal:  # which exert nothing, and whose ends may be anything
                continue
            for j, end in enumerate(e.ends):
                found[number[e.entry.family], j] |= GROUND_END <= end < self.bodies
        return found

    @cached_property
    def places(self) -> tuple[slice, ...]:
        """Where in tables.reals every element has its numbers."""
        return self._places(4)

    @cached_property
    def memory_places(self) -> tuple[slice, ...]:
        """Where in tables.memory, and in `State.memory`, every element has what it remembers."""
        return self._places(6)

    def _places(self, column: int) -> tuple[slice, ...]:
        """Places of elements by two columns of the directory: first of a family, and of each."""
        rows = dict(zip(self.families, self.tables.directory[:, column : column + 2].tolist()))
        found = []
        for e in self.elements:
            first, width = rows[e.entry.family]
            found.append(slice(first, first + width))
            rows[e.entry.family][0] += width
        return tuple(found)

    @cached_property
    def jumps(self) -> bool:
        """Whether forces may jump with what elements remember: not with angles over turns."""
        return any(e.entry.family.memory.path for e in self.elements)

    @cached_property
    def memories(self) -> dict[int, tuple[Element, slice]]:
        """The elements that remember, by id and in the order of `State.memory`, and where in it."""
        found = [
            (place.start, e, place) for e, place in zip(self.elements, self.memory_places)
            if place.stop > place.start
        ]  # fmt: skip
        return {id(e): (e, place) for _, e, place in sorted(found, key=lambda x: x[0])}

    @cached_property
    def moving(self) -> bool:
        """Whether any motion law drives a constraint."""
        return any(e.entry.rows and e.entry.laws for e in self.elements)

    @cached_property
    def holding(self) -> tuple[int, ...]:
        """Numbers of the elements with constraint rows: what checks of joints evaluate, so that
        functions of the user are not called again."""
        return tuple(i for i, e in enumerate(self.elements) if e.entry.rows)

    @cached_property
    def sample_times(self) -> tuple[tuple[float, float], ...]:
        """Start and period of what is sampled: drives that change at steps of their own."""
        drives = [e.entry.acts_on[1].signal for e in self.elements if e.entry.family.signal]
        return sampled_at(drives)

    @cached_property
    def extents(self) -> np.ndarray:
        """Of every body the extent of the bodies that constraints join to it."""
        return extents(self) if self.starting is None else self.starting.extents

    @cached_property
    def held_values(self) -> np.ndarray:
        """Which values of vector nodes constraints act on."""
        held = {g for e in self.elements if e.entry.rows for g in e.ends}
        nodes = [self.bodies + i in held for i in range(len(self.layout.nodes))]
        return np.repeat(np.array(nodes, bool), np.diff(self.layout.first))

    def held(self, samples: bool = False) -> str | None:
        """The label of an item that holds something of the motion from step to step; samples:
        other than samples of it."""
        for e in self.elements:
            parts = held_in(e.entry.acts_on[1].signal) if e.entry.family.signal else []
            if any(not (samples and is_sampled(part)) for part in parts):
                return self.model[e.owner].label
        return None

    def refuse_nodes(self, what: str, known: Sequence[Node] = ()) -> None:
        """For analyses and methods that know bodies alone, and nodes of their own; flexible links
        are their own concern."""
        mine = {id(node) for node in (*known, *(link.item.amplitudes for link in self.flexible))}
        others = [node for node in self.layout.nodes if id(node) not in mine]
        if others:
            raise ModelError(
                f"{what} knows bodies alone, but model '{self.model.name}' has "
                f"{others[0].label}; use lw.transient with lw.GeneralizedAlpha() or another "
                "implicit method, or lw.static and lw.eigen"
            )

    def refuse_held(self, what: str, samples: bool = False) -> None:
        """For methods whose steps are not those that a model counts; samples: which know these."""
        held = self.held(samples)
        if held is not None:
            raise ModelError(
                f"{held} holds something of the motion from step to step, which {what} cannot do; "
                "use lw.GeneralizedAlpha(), lw.RK4() or lw.Recursive()"
            )

    def refuse_velocity_rows(self, what: str, hint: str = "use lw.transient") -> None:
        """Refuse conditions on velocities where positions alone are solved for."""
        if self.on_velocities.any():
            row = self.all_rows[int(np.argmax(self.on_velocities))]
            raise ModelError(
                f"{what} cannot treat {self.model[row.owner].label}, which holds velocities and "
                f"not positions; {hint}"
            )

    def split(self, text: str) -> tuple[str, list[str]]:
        """The body or item that a text such as "rod.tip.position.x" begins with, and the rest."""
        bodies = [n for n in self.names if text == n or text.startswith(f"{n}.")]
        head = max(bodies, key=len, default=text.split(".")[0])
        return head, [word for word in text[len(head) + 1 :].split(".") if word]

    def described(self, name: str) -> Any:
        """The item, or the part of an item, of that name."""
        return self.items[self.names.index(name)] if name in self.names else self.model[name]

    @cached_property
    def inertias(self) -> np.ndarray:
        """Mass and inertia of every body (bodies, 10); of links undeformed, of all at t = 0."""
        return inertias_of(self.tables.bodies, self.elements)
