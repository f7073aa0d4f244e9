"""Explicit methods on the augmented equations."""
