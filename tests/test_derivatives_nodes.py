"""Derivatives of every registered item with vector nodes: bodies and values together.

Central differences of the residual by values, rates and second derivatives of all unknowns, in
random states, against K, D and M; tests/test_derivatives.py does the same for bodies alone.
"""

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
import linkwork.elements.catalogue
from linkwork.math import rotations
from linkwork.model.registry import ITEMS
from linkwork.system.system import compile_model

STEP = 1e-5  # truncation 1e-10, round-off 1e-11 of the values


def sample_items(name, rng, *bodies):
    found = ITEMS[name].sample(rng, *bodies)
    return found if isinstance(found, list) else [found]


def brings_nodes(name):
    rng = np.random.default_rng(0)
    bodies = [lw.Body(1, (1, 1, 1), position=(x, 0, 0)) for x in (0, 1)]
    return any(item.vector_nodes() for item in sample_items(name, rng, *bodies))


NAMES = sorted(n for n in ITEMS if n != "Body" and brings_nodes(n))


def sample_state(name, seed):
    rng = np.random.default_rng(seed)
    m = lw.Model("sample")
    bodies = []
    for i in range(2):
        q = rng.normal(size=4)
        words = dict(position=rng.normal(size=3), orientation=q / np.linalg.norm(q))
        bodies.append(m.add(f"b{i}", lw.Body(1 + i, (1, 1, 1), **words)))
    for i, item in enumerate(sample_items(name, rng, *bodies)):
        m.add(f"item{i}", item)
    system = compile_model(m)
    state, n = system.described_state(time=0.4), system.bodies
    motion = state.motion.copy()
    motion[:, :3] += 0.1 * rng.normal(size=(n, 3))
    turned = rotations.exponential(0.3 * rng.normal(size=(n, 3)))
    motion[:, 3:7] = rotations.multiply(motion[:, 3:7], turned)
    motion[:, 7:] = rng.normal(size=(n, 6))
    values = state.values + 0.1 * rng.normal(size=state.values.shape)
    acceleration = rng.normal(size=(n, 6))
    return system, replace(state, motion=motion, values=values, acceleration=acceleration)


def shifted(state, level, d, bodies):
    """The state with positions and values, velocities and rates, or accelerations moved by d."""
    if level == 0:
        return state.moved(d)
    rigid = d[: 6 * bodies].reshape(-1, 6)
    values = state.values.copy()
    values[level] += d[6 * bodies :]
    if level == 1:
        return replace(state.with_velocities(state.velocities + rigid), values=values)
    return replace(state, acceleration=state.acceleration + rigid, values=values)


def test_there_are_some():
    assert {"Cylinder", "Pipe", "DynamicPipe", "Accumulator", "SpoolValve"} <= set(NAMES)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize("name", NAMES)
def test_tangents_of_items_with_nodes(name, seed):
    system, state = sample_state(name, seed)
    n, b = system.motions, system.bodies
    highest = np.concatenate([np.full(6 * b, 2), system.layout.order])
    for level, word in enumerate(("cK", "cD", "cM")):
        coefficients = {"cK": 0.0, "cD": 0.0, "cM": 0.0, word: 1.0}
        A = system.evaluate(state, **coefficients).stiffness.toarray()
        found = np.zeros((n, n))
        for j in range(n):
            if highest[j] < level:
                continue  # its equations know no such derivative
            d = np.zeros(n)
            d[j] = STEP
            sides = [
                system.evaluate(shifted(state, level, s * d, b), tangent=False).residual
                for s in (1, -1)
            ]
            found[:, j] = (sides[0] - sides[1]) / (2 * STEP)
        scale = max(1.0, np.abs(found).max())
        worst = np.unravel_index(np.abs(A - found).argmax(), A.shape)
        error = np.abs(A - found).max() / scale
        assert error < 1e-7, f"{word}: relative error {error:.1e} at {worst}"
