"""How near positions are, Σ w (|δr|²/L² + |θ|²), and how far joints are open, in mm and degrees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from linkwork.analysis.scales import column_scale
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data
from linkwork.system.state import State
from linkwork.system.system import System

STIFF = 1e4  # weight of the amplitudes of flexible links, where joints must bend them
FOLLOWS = 1e-3  # weight of what follows the frame of a link


class Scale:
    """Makes lengths and angles comparable: columns by L and weights, rows by 1/L.

    straight : the amplitudes of flexible links stay as they are
    """

    def __init__(
        self, system: System, weights: Mapping[str, float], fixed: list[str],
        velocity_weights: Mapping[str, float] | None = None, straight: bool = False,
    ) -> None:  # fmt: skip
        self.length = system.length
        self.all_columns = _columns(system, weights)
        self.velocity_columns = self.all_columns
        if velocity_weights is not None:
            self.velocity_columns = _columns(system, velocity_weights)
        self.free = np.ones(system.motions, bool)
        for name in fixed:
            self.free[system.layout.group == _body(system, name)] = False
        for link in system.flexible if straight else ():
            self.free[system.layout.rigid :][link.places] = False
        self.column = self.all_columns * self.free
        self.weight = self.free / self.all_columns**2

    def distance(self, state: State, given: State) -> float:
        """How far a position is from another, squared: Σ w (|δr|²/L² + |θ|²) over the bodies, and
        w (δq/size)² over values that constraints hold."""
        return float(self.weight @ state.way_from(given) ** 2)

    def rows(self, data: Data) -> np.ndarray:
        """1/L for rows that measure a length."""
        return row_scale(data.kept_rows, self.length)


def _columns(system: System, weights: Mapping[str, float]) -> np.ndarray:
    """L or 1 over the root of the weight, for all unknowns."""
    layout = system.layout
    weight, values = np.ones(system.bodies), np.ones(layout.values)
    for link in system.flexible:
        weight[list(link.nodes)], values[link.places] = FOLLOWS, STIFF
    for name, value in weights.items():
        weight[_body(system, name)] = checks.number(value, f"weight of '{name}'", positive=True)
    bodies = weight[layout.group[: layout.rigid]]
    return column_scale(system) / np.sqrt(np.concatenate([bodies, values]))


def resistances(weights: Any, fixed: Any) -> tuple[dict[str, float], list[str]]:
    """What the user said about moving bodies, as a dict and a list."""
    if weights is not None and not isinstance(weights, Mapping):
        raise ModelError(
            'weights of assemble must be a dict such as {"rod": 10.0}, but '
            f"{checks.show(weights)} was given"
        )
    names = [fixed] if isinstance(fixed, str) else fixed
    if not isinstance(names, Iterable):
        raise ModelError(
            'fixed of assemble must be a list of names such as ["rod"], but '
            f"{checks.show(fixed)} was given"
        )
    return dict(weights or {}), list(names)


def _body(system: System, name: str) -> int:
    if name not in system.names:
        raise ModelError(
            f"assemble was given {checks.show(name)}, but the model has no body of that name"
        )
    return system.names.index(name)


def violations_of(
    data: Data, C: np.ndarray, *, rates: bool = False
) -> dict[str, dict[str, float]]:
    """Per joint the largest error in millimetres and degrees (per second), largest first."""
    worst: dict[str, dict[str, float]] = {}
    for row, value in zip(data.kept_rows, np.abs(C), strict=True):
        entry = worst.setdefault(row.owner, {"mm": 0.0, "deg": 0.0})
        if row.is_angle:
            angle = np.degrees(angle_error(row.name, value, rates))
            entry["deg"] = max(entry["deg"], float(angle))
        else:
            entry["mm"] = max(entry["mm"], 1e3 * float(value))
    order = sorted(
        worst, key=lambda n: worst[n]["mm"] / 1e3 / data.system.length + np.radians(worst[n]["deg"])
    )
    return {name: worst[name] for name in reversed(order)}


def angle_error(row: str, value: float, rates: bool = False) -> float:
    """The angle (rad) behind a row: half of it is in a quaternion part, a cosine is off square."""
    if row == "perpendicular":
        return value if rates else float(np.arcsin(min(value, 1.0)))
    return 2 * value if rates else 2 * float(np.arcsin(min(value, 1.0)))


def listed(violations: Mapping[str, Mapping[str, float]], per: str = "") -> str:
    """The violated joints in words, eight at most."""
    listed = []
    for name, v in violations.items():
        parts = [f"{v['mm']:.3g} mm{per}"] if v["mm"] > 1e-6 else []
        parts += [f"{v['deg']:.3g}°{per}"] if v["deg"] > 1e-6 else []
        if parts:
            listed.append(f"'{name}' by {' and '.join(parts)}")
    more = f" and {len(listed) - 8} more" if len(listed) > 8 else ""
    return ", ".join(listed[:8]) + more
