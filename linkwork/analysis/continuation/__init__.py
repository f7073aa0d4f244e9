"""Equilibria over a load factor: lw.equilibrium_path and lw.buckling."""
