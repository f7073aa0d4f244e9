"""Implicit steps of large models, tile by tile, by one thread or two."""
