"""scipy.sparse, imported when first used: small models start without it."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    value = globals()[name] = getattr(importlib.import_module("scipy.sparse"), name)
    return value
