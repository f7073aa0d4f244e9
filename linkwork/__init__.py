"""linkwork: multibody dynamics of mechanisms.

    import linkwork as lw

Names are imported when first used, so that `import linkwork` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "model.model": ["Model"],
    "model.frame": ["Frame", "GROUND"],
    "model.drives": ["constant", "ramp", "sine", "table", "polynomial", "expression", "function"],
    "elements.body": ["Body"],
    "elements.joints": [
        "Lock", "Fixed", "Revolute", "Prismatic", "Cylindrical", "Spherical", "Planar",
        "PointOnLine", "PointOnPlane", "Parallel", "Align", "Oldham", "Rzeppa", "Homokinetic",
        "Motor", "Actuator",
    ],
    "system.system": ["compile_model"],
    "system.state": ["State"],
    "errors": [
        "LinkworkError", "ModelError", "DriveError", "AssemblyError", "ConvergenceError",
        "SingularError", "ResultFileError", "Interrupted", "LinkworkWarning",
    ],
}  # fmt: skip
_WHERE = {name: module for module, names in _HOME.items() for name in names}
__all__ = sorted(_WHERE)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'linkwork' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"linkwork.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
