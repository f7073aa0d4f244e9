"""scipy.sparse with its `splu`, and `dense`, scipy.linalg: imported when first used.

Small models start without them.
"""

from __future__ import annotations

import importlib
from typing import Any

LINEAR = {"splu"}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # Python's own questions about this module
        raise AttributeError(name)
    module = "scipy.sparse.linalg" if name in LINEAR else "scipy.sparse"
    value = globals()[name] = getattr(importlib.import_module(module), name)
    return value


class _Dense:
    def __getattr__(self, name: str) -> Any:
        value = vars(self)[name] = getattr(importlib.import_module("scipy.linalg"), name)
        return value


dense: Any = _Dense()
