"""Lifting surfaces on bodies and beams."""
