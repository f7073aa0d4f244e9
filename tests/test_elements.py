"""What elements must be beyond having right derivatives (tests/test_derivatives.py).

Invariance under rigid motions, self-equilibrium of internal forces, forces as gradients of their
potential, powers, reactions against residuals; kinematics known in closed form; user functions in
Python and numba against an equivalent spring; and the words of errors.
"""

from dataclasses import replace

import numba
import numpy as np
import pytest

import linkwork as lw
import linkwork.elements.catalogue
from linkwork.elements.layout import ACCEPT
from linkwork.elements.user_force import raise_if_failed
from linkwork.math import rotations
from linkwork.model.registry import ITEMS
from linkwork.system.evaluate import evaluate
from linkwork.system.system import compile_model

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


def moving(system, rng, speed=1.0):
    """A random violated state."""
    state = system.described_state(time=0.4)
    n, rows = system.bodies, len(system.all_rows)
    state = replace(state.moved(0.4 * rng.normal(size=(n, 6))), gamma=rng.normal(size=rows))
    return state.with_velocities(speed * rng.normal(size=(n, 6)))


def sample(name, seed, speed=1.0):
    m, bodies, rng = two_bodies(seed)
    item = ITEMS[name].sample(rng, *bodies)
    for i, part in enumerate(item if isinstance(item, list) else [item]):
        m.add(f"item{i}", part)
    system = compile_model(m)
    return system, moving(system, rng, speed)


def residual(system, state):
    return system.evaluate(state, tangent=False).f


def world(state):
    return rotations.matrix(state.orientations)


def is_internal(name):
    if name in ("Body", "UserForce"):
        return False
    return all(e.entry.family.bodies == 2 for e in sample(name, 1)[0].elements)


INTERNAL = sorted(n for n in ITEMS if is_internal(n))
CONSERVATIVE = sorted(
    n for n in INTERNAL if any(e.entry.family.potential for e in sample(n, 1)[0].elements)
)
CONSTRAINTS = sorted(n for n in INTERNAL if sample(n, 1)[0].rows and n != "TorsionSpring")


def test_all_are_there():
    assert {"Spring", "TorsionSpring", "Bushing"} <= set(CONSERVATIVE)
    assert {"Distance", "Orthogonal", "Universal", "Revolute"} <= set(CONSTRAINTS)


# ------------------------------------------------------------------------- invariance, equilibrium


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", INTERNAL)
def test_internal_forces_turn_with_the_world(name, seed):
    system, state = sample(name, seed)
    rng = np.random.default_rng(100 + seed)
    q, shift = turn(rng), rng.normal(size=3)
    Q = rotations.matrix(q)
    motion = state.motion.copy()
    motion[:, :3] = motion[:, :3] @ Q.T + shift
    motion[:, 3:7] = rotations.multiply(q, motion[:, 3:7])
    motion[:, 7:10] = motion[:, 7:10] @ Q.T
    here = system.evaluate(state, rates=True)
    f, C, Qc = here.f, here.C, here.Qc
    there = system.evaluate(replace(state, motion=motion), rates=True)
    np.testing.assert_allclose(there.f[:, :3], f[:, :3] @ Q.T, atol=20 * EXACT)
    np.testing.assert_allclose(there.f[:, 3:], f[:, 3:], atol=20 * EXACT)
    np.testing.assert_allclose(there.C, C, atol=EXACT)
    np.testing.assert_allclose(there.Qc, Qc, atol=20 * EXACT)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", INTERNAL)
def test_internal_forces_are_in_equilibrium(name, seed):
    system, state = sample(name, seed)
    f = residual(system, state)
    moments = np.einsum("bij,bj->bi", world(state), f[:, 3:]) + np.cross(state.positions, f[:, :3])
    assert np.abs(f).max() > 1e-3
    np.testing.assert_allclose(f[:, :3].sum(axis=0), 0, atol=20 * EXACT)
    np.testing.assert_allclose(moments.sum(axis=0), 0, atol=20 * EXACT)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_damping_does_not_feel_a_rigid_motion(name, seed):
    system, state = sample(name, seed)
    rng = np.random.default_rng(seed)
    V, W = rng.normal(size=(2, 3))
    v = state.velocities.copy()
    v[:, :3] += V + np.cross(W, state.positions)
    v[:, 3:] += np.einsum("bji,j->bi", world(state), W)
    np.testing.assert_allclose(
        residual(system, state.with_velocities(v)), residual(system, state), atol=50 * EXACT
    )


# ---------------------------------------------------------------------------- energy and power


def bodies_of(element, state):
    """r, q, v, omega of an element's bodies as lists of arrays with one time."""
    rows = [state.motion[end] for end in element.ends]
    return [[row[None, a:b] for row in rows] for a, b in ((0, 3), (3, 7), (7, 10), (10, 13))]


def potential(system, state):
    total = 0.0
    for e in system.elements:
        if e.entry.family.potential:
            r, q, _, _ = bodies_of(e, state)
            total += e.entry.family.potential(e.entry.reals[None], r, q)[0]
    return total


def free(state):
    """Without multipliers."""
    return replace(state, gamma=None)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_force_is_the_gradient_of_the_potential(name, seed):
    system, state = sample(name, seed, speed=0.0)
    state = free(state)
    h = 1e-5
    gradient = np.array([
        (potential(system, state.moved(h * x)) - potential(system, state.moved(-h * x))) / (2 * h)
        for x in np.eye(12)
    ])  # fmt: skip
    found = residual(system, state).ravel()
    # central differences: truncation h² and round-off ε/h of energies up to a hundred
    np.testing.assert_allclose(found, gradient, atol=1e-8 * max(1, np.abs(found).max()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_power_is_potential_rate_and_dissipation(name, seed):
    system, state = sample(name, seed)
    state = free(state)
    v, h = state.velocities, 1e-5
    before, after = (potential(system, state.moved(d * v)) for d in (-h, h))
    rate = (after - before) / (2 * h)
    e = system.evaluate(state, tangent=False)
    assert e.power[0] > 0
    assert np.sum(e.f * v) == pytest.approx(rate + e.power[0], rel=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["Force", "Torque", "ForcePair", "UserForce"])
def test_supplied_power(name, seed):
    system, state = sample(name, seed)
    e = system.evaluate(state, tangent=False)
    assert np.sum(e.f * state.velocities) == pytest.approx(-e.power[1], rel=1e-12)
    assert abs(e.power[1]) > 1e-3


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_reactions_are_the_residual(name, seed):
    """Force and torque on the second body, at the point given, in the axes given."""
    system, state = sample(name, seed)
    force, torque = np.zeros(3), np.zeros(3)
    for e in system.elements:
        family = e.entry.family
        reals = e.entry.reals[None].copy()
        for law in e.entry.laws:
            reals[:, law.column : law.column + law.length] = law.values(np.array([state.time]))
        gamma = np.zeros((1, family.rows))
        gamma[:, list(e.entry.rows)] = state.gamma[list(e.rows)]
        r, q, _, _ = bodies_of(e, state)
        F, T, R, point = (x[0] for x in family.reaction(reals, gamma, r[0], q[0], r[1], q[1]))
        force += R @ F
        torque += R @ T + np.cross(point - r[1][0], R @ F)
    f = residual(system, state)[1]
    np.testing.assert_allclose(force, -f[:3], atol=EXACT)
    np.testing.assert_allclose(torque, -world(state)[1] @ f[3:], atol=10 * EXACT)


# ---------------------------------------------------------------------------------- force, torque


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("follower", [False, True])
def test_pairs_of_forces(follower, apart):
    """Force, torque and their tangent, by hand and by central differences."""
    m, (a, b), rng = two_bodies(5)
    ends = lw.Frame(a, rng.normal(size=3)), lw.Frame(b, rng.normal(size=3))
    F0, T0 = rng.normal(size=(2, 3))
    m.add("pair", lw.ForcePair(*ends, F0, T0, lw.constant(1.5), follower, apart))
    system = compile_model(m)
    state = free(moving(system, rng, 1.0))
    R, r = world(state), state.positions
    F, T = (1.5 * (R[0] @ v if follower else v) for v in (F0, T0))
    arms = [R[i] @ end.position for i, end in enumerate(ends)]
    there = arms[1] if apart else r[0] + arms[0] - r[1]
    expected = [[*(-F), *(R[0].T @ -(np.cross(arms[0], F) + T))],
                [*F, *(R[1].T @ (np.cross(there, F) + T))]]  # fmt: skip
    np.testing.assert_allclose(residual(system, state), expected, atol=1e-13)
    K, h = system.evaluate(state, cK=1.0, cD=0.0).stiffness.toarray(), 1e-6
    for k, x in enumerate(np.eye(12)):
        up, down = (residual(system, state.moved(s * h * x)) for s in (1, -1))
        np.testing.assert_allclose(K[:, k], (up - down).ravel() / (2 * h), atol=1e-8)


def test_dead_and_follower_force():
    q = rotations.exponential(np.array([0, 0, np.pi / 2]))
    expected = {False: [1, 0, 0], True: [0, 1, 0]}
    for follower, F in expected.items():
        m = lw.Model()
        b = m.add("b", lw.Body(1, (1, 1, 1), orientation=q))
        m.add("f", lw.Force(lw.Frame(b, (0, 0, 2)), (1, 0, 0), follower=follower, drive=3.0))
        system = compile_model(m)
        f = residual(system, system.described_state())[0]
        np.testing.assert_allclose(-f[:3], 3 * np.array(F), atol=EXACT)
        moment = 3 * np.cross([0, 0, 2], rotations.matrix(q).T @ F)
        np.testing.assert_allclose(-f[3:], moment, atol=EXACT)


# -------------------------------------------------------------------------------------- spring


def test_spring_numbers():
    m, (a, b), rng = two_bodies(5)
    m.add("s", lw.Spring(a, b, (0, 0, 0), (3, 4, 0), stiffness=10, length=4, preload=2, damping=1))
    system = compile_model(m)
    state = system.described_state().with_velocities([1, 1, 1, 0, 0, 0] * 2)
    f = residual(system, state)
    np.testing.assert_allclose(f[1, :3], 12 * np.array([0.6, 0.8, 0]), atol=1e-11)
    (e,) = system.elements
    out = e.entry.family.outputs(e.entry.reals[None], *bodies_of(e, state))
    assert out["length"][0] == pytest.approx(5)
    assert out["force"][0] == pytest.approx(12)
    state = moving(system, rng)
    out = e.entry.family.outputs(e.entry.reals[None], *bodies_of(e, state))
    assert abs(out["force"][0]) == pytest.approx(np.linalg.norm(residual(system, state)[1, :3]))
    assert system.evaluate(state).power[0] == pytest.approx(out["rate"][0] ** 2)


def test_spring_without_free_length_is_regular_where_its_points_meet():
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1))) for n in "ab")
    m.add("s", lw.Spring(a, b, stiffness=7, length=0))
    system = compile_model(m)
    e = system.evaluate(system.described_state())
    np.testing.assert_array_equal(e.f, 0)
    np.testing.assert_array_equal(e.stiffness.toarray()[6:9, 6:9], 7 * np.eye(3))


# -------------------------------------------------------------------------------- universal joint


@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.3])
def test_universal_joint_transmits_as_hooke_says(alpha):
    """tan β = tan α / cos δ; dβ/dα = cos δ / (1 − sin² δ cos² α), shafts bent by δ."""
    bend = 0.7
    n = np.array([np.cos(bend), np.sin(bend), 0])
    beta = np.arctan2(np.sin(alpha), np.cos(alpha) * np.cos(bend))
    ratio = np.cos(bend) / (1 - (np.sin(bend) * np.cos(alpha)) ** 2)
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1), position=(-1, 0, 0)))
    b = m.add("b", lw.Body(1, (1, 1, 1), position=n))
    m.add("u", lw.Universal(a, b, at=(0, 0, 0), axis_a=(0, 1, 0), axis_b=(0, 0, 1)))
    system = compile_model(m)
    state = system.described_state()
    turned = state.motion.copy()
    turned[0, 3:7] = rotations.exponential(alpha * np.array([1, 0, 0]))
    turned[1, 3:7] = rotations.exponential(beta * n)
    e = system.evaluate(replace(state, motion=turned))
    np.testing.assert_allclose(e.C, 0, atol=EXACT)
    velocities = np.zeros(12)
    velocities[3], velocities[9:] = 1.0, ratio * n
    np.testing.assert_allclose(e.Cq @ velocities, 0, atol=EXACT)


def test_universal_joint_from_its_shaft_from_frames_and_from_its_arms_are_the_same():
    """axis along the shaft x: the joint's x axis is world y, its y axis world z."""
    tables = []
    for words in (
        dict(axis=(1, 0, 0)),
        dict(axis_a=(0, 1, 0), axis_b=(0, 0, 1)),
        dict(orientation=[[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
    ):
        m = lw.Model()
        a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=(i, 0, 0))) for i, n in enumerate("ab"))
        m.add("u", lw.Universal(a, b, at=(0.5, 0, 0), **words))
        tables.append(compile_model(m).tables.reals)
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=(i, 0, 0))) for i, n in enumerate("ab"))
    axes = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    ends = lw.Frame(a, (0.5, 0, 0), axes), lw.Frame(b, (-0.5, 0, 0), axes)
    m.add("u", lw.Universal(*ends))
    tables.append(compile_model(m).tables.reals)
    for other in tables[1:]:
        np.testing.assert_allclose(other, tables[0], atol=1e-15)


# --------------------------------------------------------------------------------- torsion spring


def accept(system, state):
    """Evaluate as at the end of a step."""
    system.load(replace(state, memory=None))
    system.work.coef[:] = 0.0
    system.work.coef[ACCEPT] = 1.0
    evaluate(system.kernels, system.tables, system.work, state.time, 0.0)


def hinge(start=0.0, **words):
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1))) for n in "ab")
    pin = m.add("pin", lw.Revolute(a, b, at=(0, 0, 0), axis=(1, 2, 2), angle=start))
    m.add("s", lw.TorsionSpring(pin, **words))
    return compile_model(m), np.array([1, 2, 2]) / 3


@pytest.mark.parametrize("direction", [1, -1])
def test_torsion_spring_counts_turns(direction):
    k, free_angle = 3.0, 0.2
    system, axis = hinge(stiffness=k, angle=free_angle)
    state = replace(system.described_state(), memory=None)
    for step in range(41):
        angle = direction * 0.5 * step  # 20 rad, more than three turns
        motion = state.motion.copy()
        motion[1, 3:7] = rotations.exponential(angle * axis)
        now = replace(state, motion=motion)
        for _ in range(2):  # evaluating twice changes nothing
            torque = -residual(system, now)[1, 3:]
            np.testing.assert_allclose(torque, -k * (angle - free_angle) * axis, atol=1e-11)
        accept(system, now)


def test_torsion_spring_starts_where_its_joint_does():
    system, axis = hinge(start=7.0, stiffness=2.0)
    state = system.described_state()
    motion = state.motion.copy()
    motion[1, 3:7] = rotations.exponential(7.0 * axis)
    np.testing.assert_allclose(
        -residual(system, replace(state, motion=motion))[1, 3:], -14 * axis, atol=1e-12
    )


def test_torsion_spring_outputs_over_turns():
    system, axis = hinge(stiffness=2.0, damping=0.5, angle=1.0)
    e = next(e for e in system.elements if e.entry.family.memory)
    angle = np.linspace(0, 15, 60)
    q = [np.tile([1.0, 0, 0, 0], (60, 1)), rotations.exponential(angle[:, None] * axis)]
    still = [np.zeros((60, 3))] * 2
    omega = [np.zeros((60, 3)), np.tile(4 * axis, (60, 1))]
    reals = np.tile(e.entry.reals, (60, 1))
    out = e.entry.family.outputs(reals, still, q, still, omega)
    np.testing.assert_allclose(out["angle"], angle, atol=1e-12)
    np.testing.assert_allclose(out["torque"], -2 * (angle - 1) - 0.5 * 4, atol=1e-11)
    np.testing.assert_allclose(
        e.entry.family.potential(reals, still, q), (angle - 1) ** 2, atol=1e-10
    )


# --------------------------------------------------------------------------------------- bushing


def test_bushing_at_small_rotation_is_six_springs():
    k, c = np.arange(1.0, 7.0), np.arange(7.0, 13.0)
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=(1, 2, 3))) for n in "ab")
    m.add("s", lw.Bushing(a, b, at=(1, 2, 3), stiffness=k, damping=c))
    system = compile_model(m)
    state = system.described_state()
    for X, coefficients in ((k, {"cK": 1.0}), (c, {"cK": 0.0, "cD": 1.0})):
        found = system.evaluate(state, **coefficients).stiffness.toarray()
        np.testing.assert_allclose(found, np.kron([[1, -1], [-1, 1]], np.diag(X)), atol=EXACT)
    step = 1e-6 * np.array([[0] * 6, [1, -2, 3, -1, 2, -3]])
    np.testing.assert_allclose(residual(system, state.moved(step))[1], k * step[1], atol=1e-10)


def test_bushing_torque_is_linear_in_a_large_rotation_about_one_axis():
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1))) for n in "ab")
    m.add("s", lw.Bushing(a, b, at=(0, 0, 0), stiffness=[1, 1, 1, 2, 3, 4]))
    system = compile_model(m)
    for i in range(3):
        step = np.zeros((2, 6))
        step[1, 3 + i] = 2.5
        f = residual(system, system.described_state().moved(step))
        np.testing.assert_allclose(f[1], (2 + i) * step[1], atol=EXACT)


@pytest.mark.parametrize("seed", SEEDS)
def test_bushing_outputs_are_the_residual(seed):
    system, state = sample("Bushing", seed)
    (e,) = system.elements
    r, q, v, w = bodies_of(e, state)
    out = {n: x[0] for n, x in e.entry.family.outputs(e.entry.reals[None], r, q, v, w).items()}
    fa, fb = system.model["item0"].frames
    S = world(state)[0] @ rotations.matrix(fa.orientation)
    arm = world(state)[1] @ fb.position
    f = residual(system, state)[1]
    np.testing.assert_allclose(S @ out["force"], -f[:3], atol=1e-11)
    np.testing.assert_allclose(
        S @ out["torque"] + np.cross(arm, S @ out["force"]), -world(state)[1] @ f[3:], atol=1e-11
    )


def test_rotation_coefficient_is_smooth_where_its_series_takes_over():
    from linkwork.elements import bushing

    kappa = getattr(bushing.kappa, "py_func", bushing.kappa)  # only compiled code calls it

    below, above = kappa(0.25 - 1e-12), kappa(0.25 + 1e-12)
    np.testing.assert_allclose(below, above, rtol=1e-11)
    assert kappa(0.0) == (1 / 12, 1 / 720)


# ------------------------------------------------------------------------------------ user forces


def pull(t, motion):
    """A spring of stiffness 20, length 0.5 and damping 2 between two frames."""
    d = motion.position[1] - motion.position[0]
    length = np.sqrt((d * d).sum())
    e = d / length
    rate = (e * (motion.velocity[1] - motion.velocity[0])).sum()
    force = (20 * (length - 0.5) + 2 * rate) * e
    wrench = np.zeros((2, 6))
    wrench[0, :3] = force
    wrench[1, :3] = -force
    return wrench


@pytest.fixture(scope="module")
def compiled_pull():
    return numba.njit(pull)


def user_system(function, stiff=True):
    m, (a, b), rng = two_bodies(3)
    ends = [lw.Frame(x, rng.normal(size=3)) for x in (a, b)]
    if function is None:
        m.add("s", lw.Spring(*ends, stiffness=20, length=0.5, damping=2))
    else:
        m.add("s", lw.UserForce(ends, function, stiff=stiff))
    return compile_model(m)


def test_user_force_in_python_and_numba_equals_a_spring(compiled_pull):
    spring = user_system(None)
    state = moving(spring, np.random.default_rng(4))
    for function in (pull, compiled_pull):
        user = user_system(function)
        for cK, cD in ((1, 0), (0, 1), (0.7, 2.0)):
            mine, its = (s.evaluate(state, cK=cK, cD=cD) for s in (user, spring))
            np.testing.assert_allclose(mine.f, its.f, atol=1e-12 * np.abs(its.f).max())
            # central differences with a step near 4e-6: 1e-9 of numbers up to a hundred
            np.testing.assert_allclose(
                mine.stiffness.toarray(), its.stiffness.toarray(), atol=1e-6
            )
        raise_if_failed(user)
        mild = user_system(function, stiff=False).evaluate(state, cK=1)
        assert np.abs(mild.stiffness.toarray()[:3]).max() == 0


def test_user_force_sees_the_motion_of_frames():
    seen = {}

    def look(t, motion):
        seen[t] = motion
        return np.zeros((3, 6))

    m, (a, b), rng = two_bodies(8)
    frames = [lw.Frame(a, rng.normal(size=3), turn(rng)), b, lw.Frame(a, rng.normal(size=3))]
    m.add("u", lw.UserForce(frames, look))
    system = compile_model(m)
    state = moving(system, rng)
    residual(system, state)
    motion = seen[state.time]
    for i, body in enumerate((0, 1, 0)):
        frame = system.model["u"].frames[i]
        R = world(state)[body]
        spin = R @ state.velocities[body, 3:]
        arm = R @ frame.position
        np.testing.assert_allclose(motion.position[i], state.positions[body] + arm, atol=EXACT)
        np.testing.assert_allclose(motion.angular_velocity[i], spin, atol=EXACT)
        velocity = state.velocities[body, :3] + np.cross(spin, arm)
        np.testing.assert_allclose(motion.velocity[i], velocity, atol=EXACT)
        axes = R @ rotations.matrix(frame.orientation)
        np.testing.assert_allclose(motion.orientation[i], axes, atol=EXACT)


def test_user_force_on_two_frames_of_one_body_and_six_numbers_on_one():
    m, (a, _), _ = two_bodies(2)
    m.add("one", lw.UserForce(a, lambda t, motion: [1, 2, 3, 0, 0, 4]))
    two = np.array([[1.0, 0, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0]])
    ends = [lw.Frame(a, (0, 0, 1)), lw.Frame(a, (0, 0, -1))]
    m.add("two", lw.UserForce(ends, lambda t, motion: two))
    system = compile_model(m)
    state = system.described_state()
    f = residual(system, state)[0]
    np.testing.assert_allclose(-f[:3], [1, 2, 3], atol=EXACT)
    R = world(state)[0]
    couple = np.cross([0, 0, 2], R.T @ [1, 0, 0])
    np.testing.assert_allclose(-f[3:], R.T @ [0, 0, 4] + couple, atol=EXACT)


def fails(t, motion):
    if t > 0.1:
        raise ValueError("no such place")
    return np.zeros((2, 6))


def small(t, motion):
    return np.zeros((1, 6))


def lost(t, motion):
    return np.full((2, 6), np.nan)


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize(
    ("function", "words"),
    [(fails, "raised ValueError: no such place"), (small, "shape"), (lost, "not finite")],
)
def test_user_force_failures_are_told(function, words, jit):
    system = user_system(numba.njit(function) if jit else function, stiff=False)
    state = replace(system.described_state(), time=0.4)
    assert np.isnan(residual(system, state)).any()
    with pytest.raises(lw.ModelError, match=f"UserForce 's' .*{words}.* t = 0.4") as caught:
        raise_if_failed(system)
    if function is fails:
        assert isinstance(caught.value.__cause__, ValueError)
    raise_if_failed(system.model)  # told once


def test_user_force_lives_with_its_system():
    """A system keeps what it calls alive, whatever becomes of the model."""
    import gc

    system = user_system(lambda t, motion: np.ones((2, 6)))
    system.model.remove("s")
    gc.collect()
    assert residual(system, system.described_state())[0, 0] == -1


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="needs numba's compiler")
def test_user_force_that_numba_cannot_compile():
    bad = numba.njit(lambda t, motion: motion.colour)
    m, (a, _), _ = two_bodies()
    m.add("u", lw.UserForce(a, bad))
    with pytest.raises(lw.ModelError, match="UserForce 'u' cannot be compiled"):
        compile_model(m)


def test_user_force_can_be_copied():
    import copy

    _, (a, _), _ = two_bodies()
    u = lw.UserForce(a, small)
    u.entries()
    assert copy.deepcopy(u).entries()


# ----------------------------------------------------------------------------------------- errors


A, B = lw.Body(1, (1, 1, 1)), lw.Body(1, (1, 1, 1), position=(1, 0, 0))
PIN = lw.Revolute(A, B, at=(0, 0, 0), axis=(0, 0, 1))
MISTAKES = [
    (lambda: lw.Distance(A, B, (0, 0, 0), (0, 0, 0)), "coincide.*Spherical"),
    (lambda: lw.Distance(A, B, length=0), "must be positive.*Spherical"),
    (lambda: lw.Distance(A, B, length=-1), "must be positive"),
    (lambda: lw.Distance(A, A, (0, 0, 0), (1, 0, 0)), "with itself"),
    (lambda: lw.Distance(lw.Frame(A), B, at_a=(0, 0, 0)), "leave out at_a"),
    (lambda: lw.Distance(A, "b"), "needs a body, a Frame or GROUND"),
    (lambda: lw.Orthogonal(A, B, (1, 0, 0)), "needs axis_b="),
    (lambda: lw.Orthogonal(A, B, (1, 0, 0), (2, 0, 0)), "parallel"),
    (lambda: lw.Orthogonal(lw.Frame(A), B, (1, 0, 0), (0, 1, 0)), "leave out axis_a"),
    (lambda: lw.Universal(A, B, (0, 0, 0), (1, 0, 0), (0, 1, 0), axis=(0, 0, 1)), "or axis"),
    (lambda: lw.Universal(A, B, axis_a=(1, 0, 0), axis_b=(0, 1, 0)), "needs at="),
    (lambda: lw.Universal(A, B, (0, 0, 0), (1, 0, 0), (1, 0, 0)), "parallel"),
    (lambda: lw.Force(A, (1, 2)), "vector of a Force must be 3 numbers"),
    (lambda: lw.Torque("A", (1, 2, 3)), "needs a body"),
    (lambda: lw.Force(A, (1, 2, 3), drive="sin"), "drive of a Force"),
    (lambda: lw.Spring(A, B), "needs stiffness="),
    (lambda: lw.Spring(A, B, stiffness=1, damping=-1), "damping of a Spring must be at least 0"),
    (lambda: lw.Spring(A, B, (0, 0, 0), (0, 0, 0), stiffness=1, damping=1), "coincide"),
    (lambda: lw.Spring(A, B, (0, 0, 0), (0, 0, 0), stiffness=1, length=1), "coincide"),
    (lambda: lw.TorsionSpring(A, 1), "needs a joint"),
    (lambda: lw.TorsionSpring(lw.Prismatic(A, B, at=(0, 0, 0)), 1), "no free rotation"),
    (lambda: lw.TorsionSpring(PIN, "soft"), "stiffness of a TorsionSpring must be a number"),
    (lambda: lw.Bushing(A, B, (0, 0, 0)), "needs stiffness="),
    (lambda: lw.Bushing(A, B, (0, 0, 0), stiffness=(1, 2, 3)), "6 numbers"),
    (lambda: lw.Bushing(A, B, (0, 0, 0), stiffness=np.triu(np.ones((6, 6)))), "symmetric"),
    (lambda: lw.Bushing(A, B, (0, 0, 0), stiffness=[1] * 6, damping=[-1] * 6), "negative"),
    (lambda: lw.UserForce([], pull), "at least one"),
    (lambda: lw.UserForce(A, 3), "needs function"),
]


@pytest.mark.parametrize(("make", "words"), MISTAKES)
def test_mistakes_are_explained(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make()


def test_driven_length_must_stay_positive():
    m = lw.Model()
    a, b = m.add("a", lw.Body(1, (1, 1, 1))), m.add("b", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    m.add("rod", lw.Distance(a, b, length=lw.ramp(-1.0, start=1.0) + 1.0))
    system = compile_model(m)
    with pytest.raises(lw.ModelError, match=r"length of Distance 'rod' must be positive.* t = 4"):
        system.schedule(np.array([0.0, 1.0, 4.0]))
