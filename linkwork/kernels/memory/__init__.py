"""Addresses of arrays and functions: what compiled loops hand on without Python."""
