"""Formulas in t and their derivatives."""
