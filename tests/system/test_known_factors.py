"""Accelerations with the pivots of another state, and the largest turns of stored steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from inside import acceleration_solver, accelerations, assemble_model

import linkwork as lw
from linkwork.analysis.motion.checks.turns import largest_spins

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
    first = assemble_model(pendulum(0.0))
    solver = acceleration_solver(first.data)
    accelerations(first.data, first.state, solver)
    assert solver.tables is not None
    moved = replace(first.state, motion=assemble_model(pendulum(angle)).state.motion)
    moved.motion[:, 3:7] = np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0
    found = accelerations(first.data, moved, solver)
    expected = -G * np.sin(angle) * np.array([np.cos(angle), 0.0, np.sin(angle)])
    np.testing.assert_allclose(found.acceleration[0, :3], expected, atol=1e-7)


def straight_chain(links: int, length: float) -> lw.Model:
    """Thin rods of 1 kg in a row from the ground, horizontal."""
    m, last = lw.Model(gravity=(0, 0, -G * length)), lw.GROUND
    for k in range(links):
        rod = m.add(f"rod{k}", lw.Body(
            1.0, (1e-4 * length**2, length**2 / 12, length**2 / 12),
            position=((k + 0.5) * length, 0, 0)))  # fmt: skip
        m.add(f"pin{k}", lw.Revolute(last, rod, at=(k * length, 0, 0), axis=(0, 1, 0)))
        last = rod
    return m


def test_a_chain_leaves_the_elimination_whatever_the_unit_of_length():
    """Angular accelerations have no unit of length; rods of 10 km are eliminated like others."""
    found = []
    for length in (1.0, 1e4):
        given = assemble_model(straight_chain(40, length))
        solver = acceleration_solver(given.data)
        found.append(accelerations(given.data, given.state, solver).acceleration[:, 3:])
        assert len(solver.tables.core) == 0
    largest = np.abs(found[0]).max()
    np.testing.assert_allclose(found[1], found[0], atol=1e-12 * largest)


def test_pivots_of_a_long_chain_serve_nearby_states():
    """Round-off grows with the number of links, with new pivots as with known ones."""
    given = assemble_model(straight_chain(1500, 0.1))
    solver = acceleration_solver(given.data)
    start = accelerations(given.data, given.state, solver)
    kept = solver.tables
    assert solver.growth > 1e3
    ahead = accelerations(given.data, start.later(1e-6, start.acceleration), solver)
    assert solver.tables is kept
    np.testing.assert_allclose(ahead.acceleration, start.acceleration, atol=1e-3)


def test_largest_spins_of_chosen_bodies():
    rng = np.random.default_rng(3)
    motion, chosen = rng.normal(size=(7, 5, 13)), np.array([4, 1])
    found = np.zeros(2)
    largest_spins(motion, chosen, found)
    expected = np.linalg.norm(motion[:, chosen, 10:13], axis=-1).max(axis=0)
    np.testing.assert_allclose(found, expected, rtol=1e-15)
