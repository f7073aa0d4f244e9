"""Rotors: loads, inflow, induced velocity."""
