"""Readings of the motion, drives that have them among their parts, and their programs."""
