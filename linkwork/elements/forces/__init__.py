"""Loads that are given, follow from functions of the user, or from one linear law."""
