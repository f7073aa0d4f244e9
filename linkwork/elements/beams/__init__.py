"""Geometrically exact beams by finite volumes: elements, and beams that bring their own nodes."""

from linkwork.elements.beams.beam import Beam
from linkwork.elements.beams.element import BeamElement

__all__ = ["Beam", "BeamElement"]
