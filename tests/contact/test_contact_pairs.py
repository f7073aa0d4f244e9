"""Every pair of shapes: exact tangents, balance, energy, in penetrated states with a path."""

import numpy as np
import pytest
from contact_pairs import PAIRS, on_the_ground, touching
from sample_elements import stored_energy

import linkwork as lw

STEP = 1e-6  # central differences of forces of size ten: truncation 1e-12, round-off 1e-9


def tangents(data, state):
    n = data.system.motions
    K, D = np.empty((2, n, n))
    for j in range(n):
        d = np.zeros(n)
        d[j] = STEP
        v = state.rates
        K[:, j] = residual(data, state.moved(d)) - residual(data, state.moved(-d))
        D[:, j] = residual(data, state.with_rates(v + d)) - residual(
            data, state.with_rates(v - d)
        )
    return K / (2 * STEP), D / (2 * STEP)


def residual(data, state):
    return data.evaluate(state, tangent=False).residual


@pytest.mark.parametrize("pair", PAIRS)
def test_tangent_is_exact(pair):
    friction = lw.LuGre(0.4, stiffness=300, damping=3) if len(pair) % 2 else lw.Coulomb(
        0.4, static=0.5, stribeck=0.1, stiffness=100, damping=1)  # fmt: skip
    check_tangent(*touching(pair, friction, rolling=0.02, spinning=0.05))


@pytest.mark.parametrize("pair", [p for p in PAIRS if p.startswith("plane")])
@pytest.mark.parametrize("friction", [
    None, lw.LuGre(0.4, stiffness=100, damping=1), lw.Coulomb(0.1, stiffness=100, damping=1),
])  # fmt: skip
def test_tangent_on_the_ground_is_exact(pair, friction):
    words = {} if friction is None else {"rolling": 0.02, "spinning": 0.05}
    check_tangent(*on_the_ground(pair, friction, **words))


def check_tangent(data, state):
    assert np.abs(residual(data, state)).max() > 0.1
    K, D = tangents(data, state)
    found_K = data.evaluate(state, cK=1.0).stiffness.toarray()
    found_D = data.evaluate(state, cK=0.0, cD=1.0).stiffness.toarray()
    np.testing.assert_allclose(found_K, K, atol=1e-6 * np.abs(K).max())
    np.testing.assert_allclose(found_D, D, atol=1e-6 * np.abs(D).max())


@pytest.mark.parametrize("pair", PAIRS)
def test_forces_balance_and_do_not_depend_on_the_order(pair):
    data, state = touching(pair, rolling=0.02)
    f = data.evaluate(state, tangent=False).f
    R = np.array([lw_matrix(q) for q in state.motion[:, 3:7]])
    moments = np.einsum("bij,bj->bi", R, f[:, 3:]) + np.cross(state.motion[:, :3], f[:, :3])
    np.testing.assert_allclose(f[:, :3].sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(moments.sum(axis=0), 0, atol=1e-11)
    other, moved = touching(pair, rolling=0.02, flip=True)
    if pair not in ("boxes, face on face", "parallel capsules"):  # faces at nearly the same depth
        np.testing.assert_allclose(other.evaluate(moved, tangent=False).f, f, atol=1e-9)


def lw_matrix(q):
    from linkwork.extend import rotations

    return rotations.matrix(q)


@pytest.mark.parametrize("pair", PAIRS)
def test_elastic_force_is_the_gradient_of_the_energy(pair):
    if pair == "boxes, face of the second":  # crossings slide along tilted edges
        pytest.skip("crossings of tilted edges have no energy")
    data, state = touching(pair, friction=None)
    state = state.with_velocities(np.zeros((2, 6)))

    h = 1e-5
    above, below = (
        np.array([stored_energy(data, state.moved(side * h * x)) for x in np.eye(12)])
        for side in (1, -1)
    )
    slope = (above - below) / (2 * h)
    found = residual(data, state)
    np.testing.assert_allclose(found, slope, atol=1e-7 * max(1, np.abs(found).max()))
