"""Blocks of controllers: drives of readings, compiled as programs, and controllers in Python."""
