"""The map of unknowns: which node or joint has which, and the way back to words.

    [ six increments of every body | values of vector nodes | multipliers of constraint rows ]
      0 … 6 b                        … motions                … unknowns

Everything that numbers unknowns asks here; nothing else computes with six.  Compiled code finds the
size of a body's group, SIX, beside the other numbers of kernels (elements/layout.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.elements.layout import SIX
from linkwork.model.nodes import RIGID, Node, first_places

assert RIGID.unknowns == SIX
GROUND_END, REFERENCE_END = -1, -2  # of elements that end at the ground, or at nothing


@dataclass(frozen=True)
class Layout:
    """The motion unknowns of a system: bodies by name, then vector nodes."""

    bodies: tuple[str, ...]
    nodes: tuple[Node, ...] = ()

    # ----------------------------------------------------------------------------------- sizes
    @property
    def rigid(self) -> int:
        """Unknowns of bodies; those of vector nodes follow."""
        return SIX * len(self.bodies)

    @cached_property
    def first(self) -> np.ndarray:
        """First value of each vector node; one more follows the last."""
        return first_places(self.nodes)

    @property
    def values(self) -> int:
        """Values of all vector nodes."""
        return int(self.first[-1])

    @property
    def motions(self) -> int:
        """Unknowns before the multipliers."""
        return self.rigid + self.values

    @cached_property
    def sizes(self) -> list[int]:
        """Unknowns of each group: bodies, then vector nodes."""
        return [SIX] * len(self.bodies) + [node.size for node in self.nodes]

    def unknowns(self, group: int) -> slice:
        """The unknowns of a group."""
        if group < len(self.bodies):
            return slice(SIX * group, SIX * (group + 1))
        first = self.rigid + self.first[group - len(self.bodies)]
        return slice(first, first + self.sizes[group])

    # --------------------------------------------------------------------- arrays over unknowns
    @cached_property
    def group(self) -> np.ndarray:
        """The group of every motion unknown."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def is_angle(self) -> np.ndarray:
        """Which motion unknowns are rotations."""
        turns = np.tile(np.repeat([False, True], 3), len(self.bodies))
        return np.concatenate([turns, np.zeros(self.values, bool)])

    @cached_property
    def order(self) -> np.ndarray:
        """Order of the equations of every value."""
        orders = [node.kind.order for node in self.nodes]
        return np.repeat(np.array(orders, np.int64), np.diff(self.first))

    @cached_property
    def follows(self) -> np.ndarray:
        """Which values have a rate that constraints alone say."""
        return np.repeat([node.follows for node in self.nodes], np.diff(self.first)).astype(bool)

    @cached_property
    def value_scale(self) -> np.ndarray:
        """A typical size of every value."""
        return np.repeat([node.scale for node in self.nodes], np.diff(self.first)).astype(float)

    def start(self) -> np.ndarray:
        """Values and rates at the start as they were described, and no second derivatives."""
        found = np.zeros((3, self.values))
        for node, a, b in zip(self.nodes, self.first[:-1], self.first[1:]):
            found[0, a:b], found[1, a:b] = node.value, node.rate
        return found

    def scale(self, length: float, angle: float = 1.0) -> np.ndarray:
        """Typical sizes of the motion unknowns: lengths, angles, and those of vector nodes."""
        bodies = np.tile(np.repeat([length, angle], 3), len(self.bodies))
        return np.concatenate([bodies, self.value_scale])

    def end(self, group: int) -> int:
        """Where kernels find a node: the row of a body, the first value of a vector node."""
        if group >= len(self.bodies):
            return int(self.first[group - len(self.bodies)])
        return {GROUND_END: len(self.bodies), REFERENCE_END: self.values}.get(group, group)

    # ------------------------------------------------------------------------------- and back
    def place(self, unknown: int) -> tuple[int, int]:
        """The group of a motion unknown, and which of its unknowns it is."""
        if unknown < self.rigid:
            return unknown // SIX, unknown % SIX
        value = unknown - self.rigid
        node = int(np.searchsorted(self.first, value, side="right")) - 1
        return len(self.bodies) + node, value - int(self.first[node])

    def name(self, group: int) -> str:
        """What an element ends at: a body, a vector node, the ground."""
        if group < 0:
            return {GROUND_END: "ground", REFERENCE_END: "reference"}[group]
        return (*self.bodies, *(node.name for node in self.nodes))[group]

    def owner(self, unknown: int) -> str:
        """Whose a motion unknown is: body 'rod', pressure 'tank'."""
        group, _ = self.place(unknown)
        if group < len(self.bodies):
            return f"body '{self.bodies[group]}'"
        return self.nodes[group - len(self.bodies)].label

    def describe(self, unknown: int) -> str:
        """A motion unknown in words: body 'rod', ry; pressure 'tank'."""
        group, component = self.place(unknown)
        if group < len(self.bodies):
            return f"body '{self.bodies[group]}', {RIGID.components[component]}"
        return self.nodes[group - len(self.bodies)].describe(component)

    def remedy(self, unknown: int | None) -> str:
        """What to do where nothing determines a value; empty where its node does not say."""
        if unknown is None or (group := self.place(unknown)[0]) < len(self.bodies):
            return ""
        return self.nodes[group - len(self.bodies)].remedy

    def moves(self, unknown: int) -> str:
        """The motion that an unknown stands for: body 'rod' (turning about y)."""
        group, component = self.place(unknown)
        if group >= len(self.bodies):
            return self.describe(unknown)
        motion = ("moving along", "turning about")[component // 3]
        return f"body '{self.bodies[group]}' ({motion} {'xyz'[component % 3]})"

