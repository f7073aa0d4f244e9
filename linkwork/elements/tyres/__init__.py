"""Tyres on roads."""
