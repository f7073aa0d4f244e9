"""Forces of the user, in Python and numba, against an equivalent spring; failures are told."""

from dataclasses import replace

import numba
import numpy as np
import pytest
from sample_elements import EXACT, moving, residual, turn, two_bodies, world

import linkwork as lw
from linkwork import compile_model
from linkwork.elements.failures import raise_if_failed
from linkwork.extend import rotations


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
    return compile_model(m).data()


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
        raise_if_failed(user.system)
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
    data = compile_model(m).data()
    state = moving(data, rng)
    residual(data, state)
    motion = seen[state.time]
    for i, body in enumerate((0, 1, 0)):
        frame = data.system.model["u"].frames[i]
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
    data = compile_model(m).data()
    state = data.system.described_state()
    f = residual(data, state)[0]
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
    data = user_system(numba.njit(function) if jit else function, stiff=False)
    state = replace(data.system.described_state(), time=0.4)
    assert np.isnan(residual(data, state)).any()
    with pytest.raises(lw.ModelError, match=f"UserForce 's' .*{words}.* t = 0.4") as caught:
        raise_if_failed(data.system)
    if function is fails:
        assert isinstance(caught.value.__cause__, ValueError)
    raise_if_failed(data.system.model)  # told once


def test_user_force_lives_with_its_system():
    """A system keeps what it calls alive, whatever becomes of the model."""
    import gc

    data = user_system(lambda t, motion: np.ones((2, 6)))
    data.system.model.remove("s")
    gc.collect()
    assert residual(data, data.system.described_state())[0, 0] == -1


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
