"""Which view an item has: by the name that its class gives, `Item.view`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from linkwork.results.outputs.views.base import View

if TYPE_CHECKING:
    from linkwork.results.result import Result

OUTPUTS = "linkwork.results.outputs"
VIEWS = {  # module, imported where a model has such an item, and class
    "element": (f"{OUTPUTS}.views.elements", "ElementView"),
    "body": (f"{OUTPUTS}.views.bodies", "BodyView"),
    "link": (f"{OUTPUTS}.views.bodies", "LinkView"),
    "beam": (f"{OUTPUTS}.deformed.beam_view", "BeamView"),
    "cable": (f"{OUTPUTS}.deformed.cables", "CableView"),
    "contact": (f"{OUTPUTS}.views.contact", "ContactView"),
    "cam": (f"{OUTPUTS}.views.contact", "ContactView"),
    "surface": (f"{OUTPUTS}.views.surface", "SurfaceView"),
    "rotor": (f"{OUTPUTS}.views.rotor", "RotorView"),
}


def view(result: Result, name: str) -> View:
    """The view of the item of that name; a ModelError that suggests the nearest otherwise."""
    module, kind = VIEWS[result.system.described(name).view]
    return getattr(importlib.import_module(module), kind)(result, name)
