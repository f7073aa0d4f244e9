"""Values that fall below what they can be, noticed in a run: pressures below that of the vapour,
tanks below empty."""

from __future__ import annotations

import numpy as np

from linkwork.errors import ConvergenceError
from linkwork.integrators.contract import StepFailure
from linkwork.system.system import System

SLACK = 1e-6  # of a value's size: the round-off of a run is no cavitation


class LowestValues:
    """The lowest values that nodes of a system can have; asked about every step of a run."""

    def __init__(self, system: System) -> None:
        layout = system.layout
        watched = [
            (node, int(first), node.lowest - SLACK * node.scale)
            for node, first in zip(layout.nodes, layout.first) if node.lowest is not None
        ]  # fmt: skip
        self.nodes = [node for node, _, _ in watched]
        self.places = np.array([first for _, first, _ in watched], dtype=int)
        self.least = np.array([least for _, _, least in watched])

    def __bool__(self) -> bool:
        return bool(self.nodes)

    def require(self, values: np.ndarray, times: np.ndarray) -> None:
        """Refuse a run whose values (steps, 3, n) at `times` fell too low: the first of them."""
        low = values[:, 0, self.places] < self.least
        if not low.any():
            return
        step = int(np.argmax(low.any(axis=1)))
        which = int(np.argmax(low[step]))
        t, value = float(times[step]), float(values[step, 0, self.places[which]])
        raise StepFailure(t, 0, 0.0, self.nodes[which].label, self.sentence(which, value, t))

    def require_equilibrium(self, values: np.ndarray, model: str) -> None:
        """Refuse an equilibrium with values (3, n) that are too low."""
        low = values[0, self.places] < self.least
        if low.any():
            which = int(np.argmax(low))
            sentence = self.sentence(which, float(values[0, self.places[which]]))
            raise ConvergenceError(f"model '{model}' {sentence}")

    def sentence(self, which: int, value: float, t: float | None = None) -> str:
        node = self.nodes[which]
        unit = node.kind.units[0]
        when = "in equilibrium" if t is None else f"at t = {t:.6g}"
        said = node.beneath.format(
            node=node.label, value=f"{value:.4g} {unit}", when=when,
            lowest=f"{node.lowest:g} {unit}",
        )  # fmt: skip
        return said + ", or take smaller steps if it only overshoots" * (t is not None)
