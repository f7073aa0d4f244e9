"""Forces, springs, torsion springs and bushings against closed forms, and the words of errors."""

from dataclasses import replace

import numpy as np
import pytest
from inside import Result
from sample_elements import (
    EXACT,
    SEEDS,
    free,
    moving,
    outputs,
    residual,
    sample,
    two_bodies,
    world,
)

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations

# ------------------------------------------------------------------------------------ force, torque


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("follower", [False, True])
def test_pairs_of_forces(follower, apart):
    """Force, torque and their tangent, by hand and by central differences."""
    m, (a, b), rng = two_bodies(5)
    ends = lw.Frame(a, rng.normal(size=3)), lw.Frame(b, rng.normal(size=3))
    F0, T0 = rng.normal(size=(2, 3))
    m.add("pair", lw.ForcePair(*ends, F0, T0, lw.constant(1.5), follower, apart))
    data = compile_model(m).data()
    state = free(moving(data, rng, 1.0))
    R, r = world(state), state.positions
    F, T = (1.5 * (R[0] @ v if follower else v) for v in (F0, T0))
    arms = [R[i] @ end.position for i, end in enumerate(ends)]
    there = arms[1] if apart else r[0] + arms[0] - r[1]
    expected = [[*(-F), *(R[0].T @ -(np.cross(arms[0], F) + T))],
                [*F, *(R[1].T @ (np.cross(there, F) + T))]]  # fmt: skip
    np.testing.assert_allclose(residual(data, state), expected, atol=1e-13)
    K, h = data.evaluate(state, cK=1.0, cD=0.0).stiffness.toarray(), 1e-6
    for k, x in enumerate(np.eye(12)):
        up, down = (residual(data, state.moved(s * h * x)) for s in (1, -1))
        np.testing.assert_allclose(K[:, k], (up - down).ravel() / (2 * h), atol=1e-8)


def test_dead_and_follower_force():
    q = rotations.exponential(np.array([0, 0, np.pi / 2]))
    expected = {False: [1, 0, 0], True: [0, 1, 0]}
    for follower, F in expected.items():
        m = lw.Model()
        b = m.add("b", lw.Body(1, (1, 1, 1), orientation=q))
        m.add("f", lw.Force(lw.Frame(b, (0, 0, 2)), (1, 0, 0), follower=follower, drive=3.0))
        data = compile_model(m).data()
        f = residual(data, data.system.described_state())[0]
        np.testing.assert_allclose(-f[:3], 3 * np.array(F), atol=EXACT)
        moment = 3 * np.cross([0, 0, 2], rotations.matrix(q).T @ F)
        np.testing.assert_allclose(-f[3:], moment, atol=EXACT)


# ------------------------------------------------------------------------------------------- spring


def test_spring_numbers():
    m, (a, b), rng = two_bodies(5)
    m.add("s", lw.Spring(a, b, (0, 0, 0), (3, 4, 0), stiffness=10, length=4, preload=2, damping=1))
    data = compile_model(m).data()
    state = data.system.described_state().with_velocities([1, 1, 1, 0, 0, 0] * 2)
    f = residual(data, state)
    np.testing.assert_allclose(f[1, :3], 12 * np.array([0.6, 0.8, 0]), atol=1e-11)
    out = outputs(data, state)
    assert out["length"] == pytest.approx(5)
    assert out["force"] == pytest.approx(12)
    assert out["stored_energy"] == pytest.approx(10 / 2 + 2)
    state = moving(data, rng)
    out = outputs(data, state)
    assert abs(out["force"]) == pytest.approx(np.linalg.norm(residual(data, state)[1, :3]))
    assert data.evaluate(state).power[0] == pytest.approx(out["rate"] ** 2)


def test_spring_without_free_length_is_regular_where_its_points_meet():
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1))) for n in "ab")
    m.add("s", lw.Spring(a, b, stiffness=7, length=0))
    data = compile_model(m).data()
    e = data.evaluate(data.system.described_state())
    np.testing.assert_array_equal(e.f, 0)
    np.testing.assert_array_equal(e.stiffness.toarray()[6:9, 6:9], 7 * np.eye(3))


# ----------------------------------------------------------------------------------- torsion spring


def hinge(start=0.0, **words):
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1))) for n in "ab")
    pin = m.add("pin", lw.Revolute(a, b, at=(0, 0, 0), axis=(1, 2, 2), angle=start))
    m.add("s", lw.TorsionSpring(pin, **words))
    return compile_model(m).data(), np.array([1, 2, 2]) / 3


@pytest.mark.parametrize("direction", [1, -1])
def test_torsion_spring_counts_turns(direction):
    k, free_angle = 3.0, 0.2
    data, axis = hinge(stiffness=k, angle=free_angle)
    state = data.system.described_state()
    for step in range(41):
        angle = direction * 0.5 * step  # 20 rad, more than three turns
        motion = state.motion.copy()
        motion[1, 3:7] = rotations.exponential(angle * axis)
        now = replace(state, motion=motion)
        for _ in range(2):  # evaluating twice changes nothing
            torque = -residual(data, now)[1, 3:]
            np.testing.assert_allclose(torque, -k * (angle - free_angle) * axis, atol=1e-11)
        state = data.remember(now)


def test_torsion_spring_starts_where_its_joint_does():
    data, axis = hinge(start=7.0, stiffness=2.0)
    state = data.system.described_state()
    motion = state.motion.copy()
    motion[1, 3:7] = rotations.exponential(7.0 * axis)
    np.testing.assert_allclose(
        -residual(data, replace(state, motion=motion))[1, 3:], -14 * axis, atol=1e-12
    )


def test_torsion_spring_outputs_over_turns():
    data, axis = hinge(stiffness=2.0, damping=0.5, angle=1.0)
    angle = np.linspace(0, 15, 60)
    motion = np.zeros((60, 2, 13))
    motion[:, 0, 3] = 1.0
    motion[:, 1, 3:7] = rotations.exponential(angle[:, None] * axis)
    motion[:, 1, 10:] = 4 * axis
    run = Result(data.system, angle / 4, motion)
    out = run["s"]
    np.testing.assert_allclose(out.angle, angle, atol=1e-12)
    np.testing.assert_allclose(out.torque, -2 * (angle - 1) - 0.5 * 4, atol=1e-11)
    np.testing.assert_allclose(out.stored_energy, (angle - 1) ** 2, atol=1e-10)


# ------------------------------------------------------------------------------------------ bushing


def test_bushing_at_small_rotation_is_six_springs():
    k, c = np.arange(1.0, 7.0), np.arange(7.0, 13.0)
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=(1, 2, 3))) for n in "ab")
    m.add("s", lw.Bushing(a, b, at=(1, 2, 3), stiffness=k, damping=c))
    data = compile_model(m).data()
    state = data.system.described_state()
    for X, coefficients in ((k, {"cK": 1.0}), (c, {"cK": 0.0, "cD": 1.0})):
        found = data.evaluate(state, **coefficients).stiffness.toarray()
        np.testing.assert_allclose(found, np.kron([[1, -1], [-1, 1]], np.diag(X)), atol=EXACT)
    step = 1e-6 * np.array([[0] * 6, [1, -2, 3, -1, 2, -3]])
    np.testing.assert_allclose(residual(data, state.moved(step))[1], k * step[1], atol=1e-10)


def test_bushing_torque_is_linear_in_a_large_rotation_about_one_axis():
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1))) for n in "ab")
    m.add("s", lw.Bushing(a, b, at=(0, 0, 0), stiffness=[1, 1, 1, 2, 3, 4]))
    data = compile_model(m).data()
    for i in range(3):
        step = np.zeros((2, 6))
        step[1, 3 + i] = 2.5
        f = residual(data, data.system.described_state().moved(step))
        np.testing.assert_allclose(f[1], (2 + i) * step[1], atol=EXACT)


@pytest.mark.parametrize("seed", SEEDS)
def test_bushing_outputs_are_the_residual(seed):
    data, state = sample("Bushing", seed)
    out = outputs(data, state)
    fa, fb = data.system.model["item0"].frames
    S = world(state)[0] @ rotations.matrix(fa.orientation)
    arm = world(state)[1] @ fb.position
    f = residual(data, state)[1]
    np.testing.assert_allclose(S @ out["force"], -f[:3], atol=1e-11)
    np.testing.assert_allclose(
        S @ out["torque"] + np.cross(arm, S @ out["force"]), -world(state)[1] @ f[3:], atol=1e-11
    )


def test_rotation_coefficient_is_smooth_where_its_series_takes_over():
    from linkwork.elements.deformable import bushing

    kappa = getattr(bushing.kappa, "py_func", bushing.kappa)  # only compiled code calls it

    below, above = kappa(0.25 - 1e-12), kappa(0.25 + 1e-12)
    np.testing.assert_allclose(below, above, rtol=1e-11)
    assert kappa(0.0) == (1 / 12, 1 / 720)


# ------------------------------------------------------------------------------------------- errors


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
    (lambda: lw.UserForce([], lambda t, motion: motion), "at least one"),
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
    data = compile_model(m).data()
    with pytest.raises(lw.ModelError, match=r"length of Distance 'rod' must be positive.* t = 4"):
        data.schedule(np.array([0.0, 1.0, 4.0]))
