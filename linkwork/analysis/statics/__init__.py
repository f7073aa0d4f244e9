"""Equilibrium, reactions and stability: lw.static."""
