"""Loads from a constitutive law between two frames."""
