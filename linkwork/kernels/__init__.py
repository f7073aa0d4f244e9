"""Rotations and small fixed-size algebra: the bottom layer, importing nothing else of linkwork."""
