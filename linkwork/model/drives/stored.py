"""Drives as plain data (numbers, strings, lists, dicts) and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from linkwork.errors import DriveError
from linkwork.model.drives.base import Drive
from linkwork.model.drives.words import short, shown


def _store(x: Any) -> Any:
    if isinstance(x, Drive):
        return x.to_dict()
    return [_store(y) for y in x] if isinstance(x, tuple) else x


def _restore(x: Any, frame: Callable[[dict], Any] | None) -> Any:
    if isinstance(x, dict):
        return drive_from_dict(x, frame) if "drive" in x or not frame else frame(x["frame"])
    return tuple(_restore(y, frame) for y in x) if isinstance(x, list) else x


def drive_from_dict(d: dict[str, Any], frame: Callable[[dict], Any] | None = None) -> Drive:
    """Rebuild the drive that `Drive.to_dict` stored, exactly.

    frame : makes the frames of stored readings, which name their bodies

    Example: ``drive_from_dict(lw.sine(1, 2).to_dict()) == lw.sine(1, 2)``
    """
    kind = d.get("drive") if isinstance(d, dict) else None
    if not isinstance(kind, str) or kind not in Drive.kinds or kind == "function":
        raise DriveError(
            f"stored drive: expected a dict whose 'drive' is one of "
            f"{', '.join(k for k in Drive.kinds if k != 'function')}, found {shown(d)}; "
            f"store drives with to_dict()"
        )
    cls = Drive.kinds[kind]
    words = [f for f in fields(cls) if f.init and f.name != "what"]
    expected = {f.name for f in words}
    needed = {f.name for f in words if f.default is MISSING}
    if not needed <= set(d) - {"drive"} <= expected:
        raise DriveError(
            f"stored {kind} drive: expected the entries {', '.join(sorted(expected))}, found "
            f"{short(', '.join(map(str, d)))}; store drives with to_dict()"
        )
    return cls(**{name: _restore(d[name], frame) for name in expected if name in d})
