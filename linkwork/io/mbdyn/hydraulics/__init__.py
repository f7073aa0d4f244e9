"""Hydraulic fluids, nodes and elements of decks."""
