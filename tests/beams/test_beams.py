"""Finite-volume beam elements: derivatives, invariance, patches, paths, zero modes, power."""

from dataclasses import replace

import numpy as np
import pytest
from sample_elements import stored_energy

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations

SEEDS = [1, 2, 3]


def random_law(rng):
    X = rng.normal(size=(6, 6))
    return lw.laws.LinearViscoelastic(
        X @ X.T, 0.3 * X @ X.T, prestrain=[lw.sine(0.1, 0.2)] * 6, prestress=rng.normal(size=6)
    )


def random_section(rng, kind="matrix"):
    X, Y = rng.normal(size=(2, 6, 6))
    inertia = (1.0, 1.0, 1.0)
    if kind == "law":
        return lw.Section(law=random_law(rng), mass=1.0, inertia=inertia)
    K = X @ X.T + np.eye(6)
    if kind == "prestrain":
        return lw.Section(stiffness=K, mass=1.0, damping=0.1, prestrain=[0.1] * 6)
    return lw.Section(stiffness=K, mass=1.0, damping=Y @ Y.T)


def element_system(rng, nodes, kind="matrix"):
    """Free bodies on a random curved line, joined by one element with offsets."""
    m = lw.Model("element")
    along = rng.normal(size=3)
    line = np.linspace(0, 1.5, nodes)[:, None] * along / np.linalg.norm(along)
    line = line + 0.05 * rng.normal(size=(nodes, 3))
    bodies = [
        m.add(f"b{i}", lw.Body(1, (1, 1, 1), p, rotations.exponential(rng.normal(size=3))))
        for i, p in enumerate(line)
    ]
    ends = [lw.Frame(body, 0.05 * rng.normal(size=3)) for body in bodies]
    m.add("beam", lw.BeamElement(*ends, random_section(rng, kind), up=rng.normal(size=3)))
    return compile_model(m).data()


def moving(data, rng, size=0.3, speed=1.0):
    system = data.system
    state = system.described_state(time=0.3)
    state = state.moved(size * rng.normal(size=(system.bodies, 6)))
    return state.with_velocities(speed * rng.normal(size=(system.bodies, 6)))


def residual(data, state):
    return data.evaluate(state, tangent=False).f


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("nodes", "kind"), [
    (2, "matrix"), (2, "prestrain"), (3, "matrix"), (3, "prestrain"), (3, "law"),
])  # fmt: skip
def test_tangent_is_exact(nodes, kind, seed):
    rng = np.random.default_rng(seed)
    data = element_system(rng, nodes, kind)
    state, h, n = moving(data, rng), 1e-5, 6 * nodes
    for word, move in (
        ("cK", lambda x: state.moved(x)),
        ("cD", lambda x: state.with_velocities(state.velocities + x.reshape(-1, 6))),
    ):
        found = data.evaluate(state, **{"cK": 0.0, "cD": 0.0, "cM": 0.0, word: 1.0})
        found = found.stiffness.toarray()
        difference = np.array([
            (residual(data, move(h * x)) - residual(data, move(-h * x))).ravel() / (2 * h)
            for x in np.eye(n)
        ]).T  # fmt: skip
        # central differences: truncation 1e-10, round-off 1e-11 of the values
        np.testing.assert_allclose(found, difference, atol=2e-7 * np.abs(difference).max())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("nodes", [2, 3])
def test_forces_turn_with_the_world_and_balance(nodes, seed):
    rng = np.random.default_rng(seed)
    data = element_system(rng, nodes)
    state = moving(data, rng)
    q = rotations.exponential(2.5 * rng.normal(size=3))
    Q, shift, spin, speed = rotations.matrix(q), *rng.normal(size=(3, 3))
    motion = state.motion.copy()
    motion[:, :3] = motion[:, :3] @ Q.T + shift
    motion[:, 3:7] = rotations.multiply(q, motion[:, 3:7])
    motion[:, 7:10] = motion[:, 7:10] @ Q.T + speed + np.cross(spin, motion[:, :3])
    R = rotations.matrix(motion[:, 3:7])
    motion[:, 10:13] += np.einsum("bji,j->bi", R, spin)
    here, there = residual(data, state), residual(data, replace(state, motion=motion))
    size = np.abs(here).max()
    np.testing.assert_allclose(there[:, :3], here[:, :3] @ Q.T, atol=1e-12 * size)
    np.testing.assert_allclose(there[:, 3:], here[:, 3:], atol=1e-12 * size)
    moments = np.einsum("bij,bj->bi", R, there[:, 3:]) + np.cross(motion[:, :3], there[:, :3])
    assert np.abs(there[:, :3].sum(axis=0)).max() < 1e-12 * size
    assert np.abs(moments.sum(axis=0)).max() < 1e-11 * size


@pytest.mark.parametrize("nodes", [2, 3])
def test_forces_do_not_depend_on_the_path(nodes):
    """Round a closed path of large rotations, and back: no trace of the way."""
    rng = np.random.default_rng(5)
    data = element_system(rng, nodes)
    state = moving(data, rng, speed=0.0)
    first, wander = residual(data, state), state
    turns = [rotations.exponential(x) for x in 1.5 * rng.normal(size=(6, 3))]
    for q in turns:
        motion = wander.motion.copy()
        motion[:, 3:7] = rotations.multiply(q, motion[:, 3:7])
        motion[:, :3] = motion[:, :3] @ rotations.matrix(q).T
        wander = replace(wander, motion=motion).moved(0.2 * rng.normal(size=6 * nodes))
        residual(data, wander)
    np.testing.assert_array_equal(residual(data, replace(wander, motion=state.motion)), first)


@pytest.mark.parametrize("nodes", [2, 3])
def test_constant_strain_is_reproduced(nodes):
    """A helix: constant stretch, shear, twist and curvature are exact at every section."""
    K = np.array([900.0, 300.0, 400.0, 20.0, 30.0, 40.0])
    strain = np.array([0.05, 0.02, -0.03, 0.3, 0.2, -0.4])
    if nodes == 3:
        strain[1:3] = 0.0  # positions of three nodes follow a parabola
        strain[3:] *= 1e-4
    m, s = lw.Model("helix"), np.linspace(0, 0.8, nodes)
    bodies = [m.add(f"b{i}", lw.Body(1, (1, 1, 1), (x, 0, 0))) for i, x in enumerate(s)]
    m.add("beam", lw.BeamElement(*bodies, lw.Section(stiffness=K, mass=1.0)))
    system = compile_model(m)
    state, motion = system.described_state(), system.described_state().motion.copy()
    gamma, kappa = np.array([1.0, 0, 0]) + strain[:3], strain[3:]
    for i, x in enumerate(s):  # p′ = R γ, R = exp(s κ̃)
        fine = np.linspace(0, x, 2001)
        R = rotations.matrix(rotations.exponential(fine[:, None] * kappa))
        motion[i, :3] = np.trapezoid(R @ gamma, fine, axis=0) if x else 0.0
        motion[i, 3:7] = rotations.exponential(x * kappa)
    view = lw.Result.of_state(system, replace(state, motion=motion))["beam"]
    found = np.concatenate([view.strain.values, view.curvature.values], axis=-1)
    # the chord of a two-node element shortens by (κL)²/24; three nodes see terms of κ³
    atol = 0.02 if nodes == 2 else 1e-8
    np.testing.assert_allclose(found[:, 3:], np.tile(strain[3:], (nodes - 1, 1)), atol=1e-12)
    np.testing.assert_allclose(found, np.tile(strain, (nodes - 1, 1)), atol=atol)


@pytest.mark.parametrize("nodes", [2, 3])
def test_two_end_nodes_have_the_exact_stiffness_of_a_straight_beam(nodes):
    """Timoshenko's 12×12 matrix, GA with Φ = 12 EI/(GA L²); the middle node is condensed."""
    L, EA, GA, GJ, EIy, EIz = 0.7, 5e3, 2e3, 30.0, 40.0, 60.0
    m = lw.Model("straight")
    places = np.linspace(0, L, nodes)
    bodies = [m.add(f"b{i}", lw.Body(1, (1, 1, 1), (x, 0, 0))) for i, x in enumerate(places)]
    K6 = [EA, GA, GA, GJ, EIy, EIz]
    m.add("beam", lw.BeamElement(*bodies, lw.Section(stiffness=K6, mass=1.0)))
    data = compile_model(m).data()
    K = data.evaluate(data.system.described_state()).stiffness.toarray()
    if nodes == 3:
        keep, away = np.r_[0:6, 12:18], np.r_[6:12]
        inner = np.linalg.solve(K[np.ix_(away, away)], K[np.ix_(away, keep)])
        K = K[np.ix_(keep, keep)] - K[np.ix_(keep, away)] @ inner
    exact = np.zeros((12, 12))
    for i, j, k in ((0, 6, EA / L), (3, 9, GJ / L)):
        exact[np.ix_([i, j], [i, j])] = k * np.array([[1, -1], [-1, 1]])
    for v, t, EI, sign in ((1, 5, EIz, 1), (2, 4, EIy, -1)):
        phi = 12 * EI / (GA * L * L)
        s = sign * 6 * L
        block = EI / (L**3 * (1 + phi)) * np.array([
            [12, s, -12, s], [s, (4 + phi) * L * L, -s, (2 - phi) * L * L],
            [-12, -s, 12, -s], [s, (2 - phi) * L * L, -s, (4 + phi) * L * L],
        ])  # fmt: skip
        at = [v, t, v + 6, t + 6]
        exact[np.ix_(at, at)] = block
    np.testing.assert_allclose(K, exact, atol=1e-12 * np.abs(exact).max())


@pytest.mark.parametrize("order", [2, 3])
def test_a_free_curved_beam_has_six_rigid_motions(order):
    points = [(np.cos(a), np.sin(a), 0.2 * a) for a in np.linspace(0, 1.5, 9)]
    m = lw.Model("free")
    section = lw.Section(stiffness=[1e4, 4e3, 4e3, 10, 20, 30], mass=1.0)
    m.add("beam", lw.Beam.along(points, section, order=order))
    data = compile_model(m).data()
    K = data.evaluate(data.system.described_state()).stiffness.toarray()
    values = np.sort(np.abs(np.linalg.svd(K, compute_uv=False)))
    assert values[5] < 1e-9 * values[-1] < 1e-3 * values[6]


@pytest.mark.parametrize("nodes", [2, 3])
def test_power_is_accounted_for(nodes):
    """Power of the forces = rate of strain energy + dissipated − supplied (mesh error, drives)."""
    rng = np.random.default_rng(7)
    data = element_system(rng, nodes, "matrix")
    state, h = moving(data, rng), 1e-5
    v = state.velocities
    moved = [stored_energy(data, state.moved(x * v)) for x in (-h, h)]
    rate = (moved[1] - moved[0]) / (2 * h)
    found = data.evaluate(state, tangent=False)
    spent = np.sum(found.f * v)  # spheres have no gyroscopic forces
    assert found.power[0] > 0
    assert spent == pytest.approx(rate + found.power[0] - found.power[1], rel=1e-7)


def test_sections_that_turn_too_far_from_each_other_are_refused():
    bodies = [lw.Body(1, (1, 1, 1), (x, 0, 0)) for x in (0, 1)]
    section = lw.Section(stiffness=[1, 1, 1, 1, 1, 1], mass=1.0)
    m = lw.Model()
    for i, body in enumerate(bodies):
        m.add(f"b{i}", body)
    m.add("beam", lw.BeamElement(*bodies, section, up=[(0, 0, 1), (0, 0.001, -1)]))
    with pytest.raises(lw.ModelError, match="half a turn"):
        compile_model(m)
