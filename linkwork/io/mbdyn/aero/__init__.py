"""Aerodynamic cards of MBDyn and their files."""
