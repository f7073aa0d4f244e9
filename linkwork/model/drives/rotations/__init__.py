"""Drives of whole rotations."""
