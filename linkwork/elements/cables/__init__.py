"""Ropes and belts: strings of points."""
