"""Geometrically exact beams by finite volumes: elements, and beams that bring their own nodes."""
