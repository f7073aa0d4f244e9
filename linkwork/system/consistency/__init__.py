"""Accelerations, multipliers, rates and values that belong to given positions and velocities."""
