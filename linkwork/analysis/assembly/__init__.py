"""Positions and velocities that satisfy the joints, nearest to the given ones: lw.assemble."""
