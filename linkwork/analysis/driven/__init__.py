"""Fully driven mechanisms, without integration: lw.kinematics."""
