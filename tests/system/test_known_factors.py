"""Accelerations with the pivots of another state, and the largest turns of stored steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.motion.checks.turns import largest_spins
from linkwork.system.consistency.accelerations import KnownFactors, accelerations

G, LENGTH = 9.81, 0.7


def pendulum(angle: float) -> lw.Model:
    """A point on a light rod, at an angle from the vertical."""
    m = lw.Model(gravity=(0, 0, -G))
    at = LENGTH * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    bob = m.add("bob", lw.Body(2.0, (1e-9, 1e-9, 1e-9), position=at))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


@pytest.mark.parametrize("angle", [0.3, 0.5 * np.pi, 2.5])
def test_accelerations_with_the_pivots_of_another_state(angle):
    """g sin φ across the rod, whatever the place is whose pivots are taken."""
    known = KnownFactors()
    first = assemble_model(pendulum(0.0))
    accelerations(first.system, first.state, known)
    kept = known.lu
    assert kept is not None
    moved = replace(first.state, motion=assemble_model(pendulum(angle)).state.motion)
    moved.motion[:, 3:7] = np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0
    found = accelerations(first.system, moved, known)
    expected = -G * np.sin(angle) * np.array([np.cos(angle), 0.0, np.sin(angle)])
    np.testing.assert_allclose(found.acceleration[0, :3], expected, atol=1e-7)
    assert known.lu is not None


def test_largest_spins_of_chosen_bodies():
    rng = np.random.default_rng(3)
    motion, chosen = rng.normal(size=(7, 5, 13)), np.array([4, 1])
    found = np.zeros(2)
    largest_spins(motion, chosen, found)
    expected = np.linalg.norm(motion[:, chosen, 10:13], axis=-1).max(axis=0)
    np.testing.assert_allclose(found, expected, rtol=1e-15)
