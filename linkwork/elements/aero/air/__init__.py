"""Density, wind and gusts of the air."""
