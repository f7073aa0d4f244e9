"""scipy.sparse and its `splu`, imported when first used: small models start without them."""

from __future__ import annotations

import importlib
from typing import Any

LINEAR = {"splu"}


def __getattr__(name: str) -> Any:
    module = "scipy.sparse.linalg" if name in LINEAR else "scipy.sparse"
    value = globals()[name] = getattr(importlib.import_module(module), name)
    return value
