"""Positions and velocities that satisfy the joints and the start values: one consistent start."""
