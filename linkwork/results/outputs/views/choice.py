"""Which view an item has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.elements.flexible.parts import FloatingFrame
from linkwork.results.outputs.views.base import View
from linkwork.results.outputs.views.bodies import BodyView, LinkView
from linkwork.results.outputs.views.elements import ElementView

if TYPE_CHECKING:
    from linkwork.results.result import Result


def view(result: Result, name: str) -> View:
    """The view of the item of that name; a ModelError that suggests the nearest otherwise."""
    item = result.system.described(name)
    if isinstance(item, FloatingFrame):
        return LinkView(result, name)
    if any(e.owner == name and e.entry.family.slender for e in result.system.elements):
        from linkwork.results.outputs.deformed.beam_view import BeamView  # slow to import

        return BeamView(result, name)
    if any(e.owner == name and e.entry.family.name.startswith("cable segment")
           for e in result.system.elements):  # fmt: skip
        from linkwork.results.outputs.deformed.cables import CableView

        return CableView(result, name)
    if type(item).__name__ in ("Contact", "CamFollower"):
        from linkwork.results.outputs.views.contact import ContactView  # slow to import

        return ContactView(result, name)
    if item.needs_air and hasattr(item, "pieces"):
        from linkwork.results.outputs.views.surface import SurfaceView  # slow to import

        return SurfaceView(result, name)
    if item.needs_air and hasattr(item, "disc"):
        from linkwork.results.outputs.views.rotor import RotorView  # slow to import

        return RotorView(result, name)
    return BodyView(result, name) if name in result.system.names else ElementView(result, name)
