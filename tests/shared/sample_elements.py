"""Random items of the registry between two free bodies, in violated states."""

from dataclasses import replace

import numpy as np
from inside import ITEMS, ItemOutputs, Result

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import Role, rotations

SEEDS = [1, 2, 3]
EXACT = 1e-12  # sums of a few dozen products of numbers of size one


def turn(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def two_bodies(seed=0):
    """A model of two free bodies with isotropic inertia (no gyroscopic terms)."""
    rng = np.random.default_rng(seed)
    m = lw.Model("two")
    bodies = [
        m.add(n, lw.Body(1, (1, 1, 1), position=rng.normal(size=3), orientation=turn(rng)))
        for n in ("a", "b")
    ]
    return m, bodies, rng


def moving(data, rng, speed=1.0):
    """A random violated state."""
    state = data.system.described_state(time=0.4)
    n, rows = data.system.bodies, len(data.system.all_rows)
    state = replace(state.moved(0.4 * rng.normal(size=(n, 6))), gamma=rng.normal(size=rows))
    return state.with_velocities(speed * rng.normal(size=(n, 6)))


def sample(name, seed, speed=1.0):
    m, bodies, rng = two_bodies(seed)
    item = ITEMS[name].sample(rng, *bodies)
    for i, part in enumerate(item if isinstance(item, list) else [item]):
        m.add(f"item{i}", part)
    data = compile_model(m).data()
    return data, moving(data, rng, speed)


def residual(data, state):
    return data.evaluate(state, tangent=False).f


def world(state):
    return rotations.matrix(state.orientations)


def bodies_of(element, state):
    """r, q, v, omega of an element's bodies as lists of arrays with one time."""
    rows = [state.motion[end] for end in element.ends]
    return [[row[None, a:b] for row in rows] for a, b in ((0, 3), (3, 7), (7, 10), (10, 13))]


def outputs(data, state, owner=None):
    """What kernels write in a state, by names: of an item, or of the only one with outputs."""
    system = data.system
    owners = [owner] if owner else list(dict.fromkeys(e.owner for e in system.elements))
    asked = [ItemOutputs(Result.of_state(system, state), name) for name in owners]
    (found,) = [item for item in asked if item.names]
    return {name: found[name][0] for name in found.names}


def stored_energy(data, state):
    """Of all elements in a state."""
    return Result.of_state(data.system, state).sums_of_elements[Role.STORED][0]


def free(state):
    """Without multipliers."""
    return replace(state, gamma=None)
