"""Loads of the air on whole craft, from coefficients over two angles."""
