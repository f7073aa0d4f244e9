"""How far joints are open, in millimetres and degrees."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linkwork.system.data import Data


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
    def size(name: str) -> float:  # equal ones in the order of the model
        v = worst[name]
        return -float(f"{v['mm'] / 1e3 / data.system.length + np.radians(v['deg']):.3g}")

    return {name: worst[name] for name in sorted(worst, key=size)}


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
