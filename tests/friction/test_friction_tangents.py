"""Friction in several directions: derivatives, indifference to frames, lines as one direction."""

from dataclasses import replace

import numpy as np
import pytest
from inside import compiled
from test_friction import check_tangents

import linkwork as lw
from linkwork import Result, compile_model
from linkwork.elements.friction.bristles import bristles
from linkwork.elements.friction.bristles_in_space import bristles_in_space
from linkwork.extend import rotations

JOINTS = {
    "ball": (lw.Spherical, dict(radius=0.4)),
    "ball that spins on a point": (lw.Spherical, dict(radius=0.4, spin=0.0)),
    "plane": (lw.Planar, dict()),
    "plane with spin": (lw.Planar, dict(radius=0.4)),
    "rod in a bush": (lw.Cylindrical, dict(radius=0.4, motion="both")),
    "constant velocity joint": (lw.Homokinetic, dict(radius=0.4)),
    "universal": (lw.Universal, dict(radius=0.4, arm=0.7)),
}


def moving_pair(joint, words, model, seed):
    """Two bodies in random motion with a joint and its friction, and a path behind them."""
    rng = np.random.default_rng(seed)
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=rng.normal(size=3))) for n in "ab")
    made = m.add("j", joint(a, b, at=rng.normal(size=3), axis=rng.normal(size=3)))
    m.add("f", lw.Friction(made, model, preload=0.5, **words))
    data = compile_model(m).data()
    state = data.system.described_state().moved(0.2 * rng.normal(size=12))
    state = replace(state, gamma=rng.normal(size=len(data.system.all_rows)))
    state = data.remember(state.with_velocities(rng.normal(size=12)))
    state = state.moved(0.15 * rng.normal(size=12)).with_velocities(rng.normal(size=12))
    return data, state, rng


def forces(data, state):
    return data.evaluate(state, tangent=False).f.ravel()


@pytest.mark.parametrize("size", [0.05, 0.5, 1.1, 1.6])
@pytest.mark.parametrize("kind", [lw.Coulomb, lw.LuGre])
@pytest.mark.parametrize("name", list(JOINTS))
def test_tangent_with_a_path_behind(name, kind, size):
    """K and D of stuck and slipping bristles at fixed load, by differences."""
    joint, words = JOINTS[name]
    model = kind(0.3, 0.5, 2.0, stiffness=0.4, damping=0.1, viscous=0.05)
    for seed in range(4):
        data, state, rng = moving_pair(joint, words, model, seed)
        memory = state.memory.copy()
        if name == "universal":
            memory[1::2] = size * rng.choice([-1, 1], 2)
        else:
            z = rng.normal(size=3)
            memory[-3:] = size * z / np.linalg.norm(z)
        state = replace(state, memory=memory)
        check_tangents(data, state)


def entry(words, model, joint=lw.Planar):
    body = lw.Body(1, (1, 1, 1))
    made = joint(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1))
    return lw.Friction(made, model, **words).entries()[0]


MODELS = [
    lw.Coulomb(0.3, 0.5, 0.2, stiffness=40.0, damping=0.1, viscous=0.05),
    lw.LuGre(0.3, 0.5, 0.2, stiffness=40.0, damping=0.1, viscous=0.05, kappa=0.4),
    lw.LuGre(curve=[[0, 1, 2], [0.5, 0.3, 0.4]], stiffness=40.0, damping=0.2),
]


def wandering(rng, T=400):
    """Steps and velocities of a path that goes forth and back and about."""
    t = np.linspace(0, 12, T)
    v = np.stack([np.sin(2 * t), np.cos(3.1 * t) * 0.7, np.sin(t) ** 3], axis=1)
    v *= (1 + 0.3 * rng.normal(size=T))[:, None] * np.minimum(1, np.abs(np.sin(0.7 * t)))[:, None]
    return v * np.gradient(t)[:, None], v


@compiled
def along_a_line(integers, reals, s, v):
    """Coefficients (T,) of bristles along a path s with the speeds v."""
    c, z, n, model = np.empty(s.size), 0.0, integers[0], integers[2]
    for k in range(s.size):
        step = s[k] - s[max(k - 1, 0)]
        c[k], z, _, _ = bristles(reals, 0, n, model, k > 0, z, step, v[k])
    return c


@compiled
def in_space(integers, reals, steps, v, first):
    """The same of vectors (T, 3), from the path of each step and the deflection before them."""
    out, n, model = np.empty(steps.shape), integers[0], integers[2]
    z = (first[0], first[1], first[2])
    for k in range(len(steps)):
        known = k > 0 or not np.isnan(first[0])
        step, speed = (steps[k, 0], steps[k, 1], steps[k, 2]), (v[k, 0], v[k, 1], v[k, 2])
        c, z, _, _ = bristles_in_space(reals, 0, n, model, known, z, step, speed)
        for j in range(3):
            out[k, j] = c[j]
    return out


def numbers(element):
    """Its integers, and its row of reals."""
    return element.integer_row, element.reals[None].copy()


@pytest.mark.parametrize("model", MODELS, ids=["coulomb", "lugre", "curve"])
def test_along_a_line_they_are_the_scalar_bristles(model):
    steps, v = wandering(np.random.default_rng(3))
    u = np.array([2.0, -1.0, 2.0]) / 3
    along, speed = steps @ u, v @ u
    integers, row = numbers(entry({}, model, lw.Prismatic))
    path = np.concatenate([[0], np.cumsum(along[1:])])
    c = along_a_line(integers, row, path, speed)
    integers, row = numbers(entry({}, model))
    bent = np.full(3, np.nan)
    found = in_space(integers, row, along[:, None] * u, speed[:, None] * u, bent)
    np.testing.assert_allclose(found, c[:, None] * u, atol=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=["coulomb", "lugre", "curve"])
def test_no_direction_is_preferred(model):
    """A path that is turned, or seen in a mirror, has the friction turned with it."""
    rng = np.random.default_rng(4)
    steps, v = wandering(rng)
    integers, row = numbers(entry({}, model))
    bent = rng.normal(size=3)
    plain = in_space(integers, row, steps, v, bent)
    for _ in range(5):
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turned = in_space(integers, row, np.ascontiguousarray(steps @ Q.T),
                          np.ascontiguousarray(v @ Q.T), Q @ bent)
        np.testing.assert_allclose(turned, plain @ Q.T, atol=1e-11)


@pytest.mark.parametrize("name", list(JOINTS))
def test_friction_turns_with_the_whole_model(name):
    """Rigid motions of both bodies leave the friction as it is, seen from them."""
    joint, words = JOINTS[name]
    model = lw.LuGre(0.3, 0.5, 2.0, stiffness=0.4, damping=0.1)
    data, state, rng = moving_pair(joint, words, model, 5)
    plain = forces(data, replace(state, gamma=None)).reshape(-1, 6)  # the least load: preload
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    R, motion = rotations.matrix(q), state.motion.copy()
    motion[:, :3] = motion[:, :3] @ R.T + rng.normal(size=3)
    motion[:, 3:7] = rotations.multiply(q, motion[:, 3:7])
    motion[:, 7:10] = motion[:, 7:10] @ R.T
    found = forces(data, replace(state, motion=motion, gamma=None)).reshape(-1, 6)
    np.testing.assert_allclose(found[:, :3], plain[:, :3] @ R.T, atol=1e-12)
    np.testing.assert_allclose(found[:, 3:], plain[:, 3:], atol=1e-12)


@pytest.mark.parametrize("name", list(JOINTS))
def test_friction_takes_energy_from_what_slides(name):
    """The power of what it does to both bodies is what it counts as dissipated: μ N |v|."""
    joint, words = JOINTS[name]
    for seed in range(5):
        data, state, _ = moving_pair(joint, words, lw.Coulomb(0.3, stiffness=1e6), seed)
        state = replace(state, gamma=np.zeros(len(state.gamma)))  # the load is the preload
        state = data.remember(state).moved(1e-4 * state.velocities)
        e = data.evaluate(state, tangent=False)
        power = e.f.ravel() @ state.velocities.ravel()  # without inertia: the bodies are balls
        assert power == pytest.approx(e.power[0], rel=1e-12)
        if name == "universal":
            assert power > 0
        else:
            speed = float(Result.of_state(data.system, state)["f"].speed)
            assert power == pytest.approx(0.3 * 0.5 * speed, rel=1e-3)  # a short turn of the path
