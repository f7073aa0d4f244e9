"""Constraints: the lock joint and its rows, and joints with an equation of their own."""
