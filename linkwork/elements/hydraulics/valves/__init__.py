"""Valves: their moving parts, the passages these open, and the forces of the flow."""
