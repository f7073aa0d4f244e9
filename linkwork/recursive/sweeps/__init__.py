"""Sweeps along the tree, outward and inward."""
