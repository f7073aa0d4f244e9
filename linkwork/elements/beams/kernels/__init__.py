"""Compiled equations of beam elements: strains, forces, tangents."""
