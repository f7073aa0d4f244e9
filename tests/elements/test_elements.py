"""What elements must be beyond having right derivatives (tests/elements/test_derivatives.py).

The registry is walked: invariance under rigid motions, self-equilibrium of internal forces,
forces as gradients of their potential, powers, reactions against residuals.
"""

from dataclasses import replace

import numpy as np
import pytest
from inside import ITEMS, Result, element_outputs
from sample_elements import (
    EXACT,
    SEEDS,
    free,
    moving,
    residual,
    sample,
    stored_energy,
    turn,
    world,
)  # fmt: skip

from linkwork.extend import Node, rotations


def is_internal(name):
    if name in ("Body", "UserForce"):
        return False
    elements = sample(name, 1)[0].system.elements
    bodies = [[end for end in e.entry.bodies if not isinstance(end, Node)] for e in elements]
    return bool(elements) and all(
        e.entry.family.bodies == len(ends) == 2 for e, ends in zip(elements, bodies)
    )


INTERNAL = sorted(n for n in ITEMS if is_internal(n))
CONSERVATIVE = sorted(
    n for n in INTERNAL
    if any(e.entry.family.stores_energy for e in sample(n, 1)[0].system.elements)
)
CONSTRAINTS = sorted(
    n for n in INTERNAL if all(e.entry.rows for e in sample(n, 1)[0].system.elements)
)


def test_all_are_there():
    assert {"Spring", "TorsionSpring", "Bushing"} <= set(CONSERVATIVE)
    assert {"Distance", "Orthogonal", "Universal", "Revolute"} <= set(CONSTRAINTS)


@pytest.mark.parametrize("name", sorted(set(ITEMS) - {"Body"}))
def test_evaluating_leaves_nothing_behind(name):
    """The same digits again, after another state was evaluated in between."""
    data, state = sample(name, 1)

    def numbers(at):
        e = data.evaluate(at, tangent=True)
        return [np.array(x) for x in (e.f, e.balance, e.C, e.Ct, e.Qc, e.power, e.values)]

    first = numbers(state)
    numbers(moving(data, np.random.default_rng(7)))
    for before, again in zip(first, numbers(state), strict=True):
        np.testing.assert_array_equal(before, again)


# -------------------------------------------------------------------------- invariance, equilibrium


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", INTERNAL)
def test_internal_forces_turn_with_the_world(name, seed):
    data, state = sample(name, seed)
    rng = np.random.default_rng(100 + seed)
    q, shift = turn(rng), rng.normal(size=3)
    Q = rotations.matrix(q)
    motion = state.motion.copy()
    motion[:, :3] = motion[:, :3] @ Q.T + shift
    motion[:, 3:7] = rotations.multiply(q, motion[:, 3:7])
    motion[:, 7:10] = motion[:, 7:10] @ Q.T
    here = data.evaluate(state, rates=True)
    f, C, Qc = here.f, here.C, here.Qc
    there = data.evaluate(replace(state, motion=motion), rates=True)
    np.testing.assert_allclose(there.f[:, :3], f[:, :3] @ Q.T, atol=20 * EXACT)
    np.testing.assert_allclose(there.f[:, 3:], f[:, 3:], atol=20 * EXACT)
    np.testing.assert_allclose(there.C, C, atol=EXACT)
    np.testing.assert_allclose(there.Qc, Qc, atol=20 * EXACT)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", INTERNAL)
def test_internal_forces_are_in_equilibrium(name, seed):
    data, state = sample(name, seed)
    f = residual(data, state)
    moments = np.einsum("bij,bj->bi", world(state), f[:, 3:]) + np.cross(state.positions, f[:, :3])
    assert np.abs(f).max() > 1e-3
    np.testing.assert_allclose(f[:, :3].sum(axis=0), 0, atol=20 * EXACT)
    np.testing.assert_allclose(moments.sum(axis=0), 0, atol=20 * EXACT)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_damping_does_not_feel_a_rigid_motion(name, seed):
    data, state = sample(name, seed)
    rng = np.random.default_rng(seed)
    V, W = rng.normal(size=(2, 3))
    v = state.velocities.copy()
    v[:, :3] += V + np.cross(W, state.positions)
    v[:, 3:] += np.einsum("bji,j->bi", world(state), W)
    np.testing.assert_allclose(
        residual(data, state.with_velocities(v)), residual(data, state), atol=50 * EXACT
    )


# --------------------------------------------------------------------------------- energy and power


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_force_is_the_gradient_of_the_potential(name, seed):
    data, state = sample(name, seed, speed=0.0)
    state = free(state)
    h = 1e-5
    gradient = np.array([
        (stored_energy(data, state.moved(h * x)) - stored_energy(data, state.moved(-h * x))) / (2 * h)
        for x in np.eye(12)
    ])  # fmt: skip
    found = residual(data, state).ravel()
    # central differences: truncation h² and round-off ε/h of energies up to a hundred
    np.testing.assert_allclose(found, gradient, atol=1e-8 * max(1, np.abs(found).max()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_power_is_potential_rate_and_dissipation(name, seed):
    data, state = sample(name, seed)
    state = free(state)
    v, h = state.velocities, 1e-5
    before, after = (stored_energy(data, state.moved(d * v)) for d in (-h, h))
    rate = (after - before) / (2 * h)
    e = data.evaluate(state, tangent=False)
    assert e.power[0] > 0
    assert np.sum(e.f * v) == pytest.approx(rate + e.power[0], rel=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["Force", "Torque", "ForcePair", "UserForce"])
def test_supplied_power(name, seed):
    data, state = sample(name, seed)
    e = data.evaluate(state, tangent=False)
    assert np.sum(e.f * state.velocities) == pytest.approx(-e.power[1], rel=1e-12)
    assert abs(e.power[1]) > 1e-3


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_reactions_are_the_residual(name, seed):
    """Force and torque on the second body, at the point given, in the axes given."""
    data, state = sample(name, seed)
    force, torque = np.zeros(3), np.zeros(3)
    run = Result.of_state(data.system, state)
    for e, found in zip(data.system.elements, element_outputs(run, data.system.elements)):
        F, T, point = (found[x][0] for x in ("force", "torque", "_point"))
        R = found["_axes"].reshape(3, 3)
        assert e.ends[1] == 1
        force += R @ F
        torque += R @ T + np.cross(point - state.positions[1], R @ F)
    f = residual(data, state)[1]
    np.testing.assert_allclose(force, -f[:3], atol=EXACT)
    np.testing.assert_allclose(torque, -world(state)[1] @ f[3:], atol=10 * EXACT)
