"""Coefficients of airfoils, and their files."""
