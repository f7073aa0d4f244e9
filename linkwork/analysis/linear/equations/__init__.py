"""Linearised equations of motion about an equilibrium or a steady motion."""
