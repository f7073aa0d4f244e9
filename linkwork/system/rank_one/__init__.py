"""Slopes that are no blocks of the matrix: rank-one updates of solutions."""
