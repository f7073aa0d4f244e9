"""Recursive dynamics in joint coordinates: trees in O(N), loops closed by cut joints."""
