"""Cams: curves of a body against rollers, pins and flat faces."""
