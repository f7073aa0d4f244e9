"""Pipes: friction, inertia and waves of the fluid in them."""
