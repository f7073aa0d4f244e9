"""How methods are written: what differs from the default, as one would type it."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from linkwork.errors import LinkworkError
from linkwork.model.drives import Drive


class Written:
    """A dataclass (with repr=False) whose repr has only the parameters that are not the default.

    Drives are written as their dictionaries, so that files can bring the method back.
    """

    def __repr__(self) -> str:
        parts = []
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            default = f.default if f.default_factory is MISSING else f.default_factory()
            if isinstance(value, Drive):
                parts.append(f"{f.name}={plain(value)!r}")
            elif type(value) is not type(default) or value != default:
                parts.append(f"{f.name}={value!r}")
        return f"{type(self).__name__}({', '.join(parts)})"


def plain(drive: Drive) -> Any:
    try:
        return drive.to_dict()
    except LinkworkError:  # a Python function
        return drive.label
