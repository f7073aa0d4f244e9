"""scipy.sparse, and `dense`, scipy.linalg: imported when first used, small models start without."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # Python's own questions about this module
        raise AttributeError(name)
    value = globals()[name] = getattr(importlib.import_module("scipy.sparse"), name)
    return value


class _Dense:
    def __getattr__(self, name: str) -> Any:
        value = vars(self)[name] = getattr(importlib.import_module("scipy.linalg"), name)
        return value


dense: Any = _Dense()
