"""Shapes of bodies as contact sees them, and the points in which pairs of them touch."""
