"""Flexible bodies in a floating frame: sections, beams reduced to shapes, the link."""

from linkwork.elements.flexible.link import FlexibleLink
from linkwork.elements.flexible.section import Section

__all__ = ["FlexibleLink", "Section"]
