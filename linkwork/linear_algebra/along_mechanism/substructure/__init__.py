"""Substructures in numbers: the record of one, its factors, and solutions with them."""
