"""Reactions of redundant joints over a run: least norm, at a cost that is linear in bodies."""

from dataclasses import replace

import numpy as np
import pytest
from inside import MinimumNorm, constraint_rows, independent_rows, make_plan
from loops_in_space import four_bars, random_mechanism

import linkwork as lw
from linkwork import compile_model

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")


def least_norm_by_svd(solver, Cq, y):
    """The y' with Cqᵀy' = Cqᵀy and the least Σ(w y')², of the whole matrix at once."""
    scaled = Cq.toarray()
    scaled.reshape(len(scaled), -1, 6)[:, :, 3:] /= solver.L
    B = scaled / solver.weight[:, None]
    x = np.linalg.lstsq(B.T, B.T @ (y * solver.weight), rcond=1e-9)[0]
    return x / solver.weight


def problem(model, seed=3):
    """Its constraints, the solver, and multipliers of independent rows at the described position"""
    system = compile_model(model)
    full, state = system.data(), system.described_state()
    rows = constraint_rows(full, state)
    found = independent_rows(rows)
    y = np.random.default_rng(seed).normal(size=len(found.keep)) * found.keep
    return system.data(elements=system.holding), MinimumNorm(rows, found), state.motion[None], y


def same_as_by_svd(model):
    alone, solver, motion, y = problem(model)
    time, gamma = np.zeros(1), y[None].copy()
    solver.over(alone, time, motion, gamma)
    [Cq] = alone.jacobians(time, motion)
    expected = least_norm_by_svd(solver, Cq, y)
    np.testing.assert_allclose(gamma[0], expected, rtol=0, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_random_mechanisms_have_the_reactions_of_least_norm(seed, planar):
    same_as_by_svd(random_mechanism(np.random.default_rng(seed), planar))


def test_a_joint_of_three_bodies_and_two_separate_loops():
    m = four_bars(2)
    for k in range(2):  # a door on three hinges: all reactions of two of them are redundant
        door = m.add(f"door{k}", lw.Body(2, (1, 1, 1), position=(5 * k, 3, 0.4)))
        for i in range(3):
            at = (5 * k, 3.5, 0.4 * i)
            m.add(f"hinge{k}{i}", lw.Revolute(lw.GROUND, door, at=at, axis=(0, 0, 1)))
    m.add("gear", lw.Gear(m["foot0"], m["foot1"], ratio=1.0))
    same_as_by_svd(m)


def test_every_stored_step_of_a_run():
    """Also where bars lie on one line, of which the fast elimination is not certain: what is
    stored balances the other forces on the bodies, and is the least that does."""
    m = four_bars(3)
    m.add("push", lw.Force(m["top1"], (3, 0, 0)))
    run = lw.transient(m, t=0.05, h=1e-3, progress=False)
    alone, solver, _, _ = problem(m)
    for k, Cq in enumerate(alone.jacobians(run.time, run.motion)):
        gamma = run.gamma[k]
        expected = least_norm_by_svd(solver, Cq, gamma)
        np.testing.assert_allclose(gamma, expected, atol=1e-11 * np.abs(expected).max())
        now = replace(run.system.described_state(), time=run.time[k], motion=run.motion[k],
                      acceleration=run.acceleration[k], gamma=gamma)  # fmt: skip
        left = run.system.data().evaluate(now, tangent=False).residual
        assert np.abs(left).max() < 1e-9 * np.abs(Cq.T @ gamma).max()
    assert 0 < run.info["reaction_seconds"] < 60
    assert "for reactions of redundant joints" in repr(run)


def test_singular_positions_have_reactions_of_least_norm():
    """A parallelogram on its base line: one more state of self-stress than elsewhere."""
    alone, solver, motion, y = problem(four_bars(2))
    flat = motion.copy()  # turned by a quarter about the feet
    turn = [np.sqrt(0.5), 0, 0, -np.sqrt(0.5)]
    for b, name in enumerate(alone.system.names):
        upright = name.startswith("bar")
        flat[0, b, :3] = motion[0, b, :3] + ((0.5, -0.5, 0) if upright else (1, -1, 0))
        if upright:
            flat[0, b, 3:7] = turn
    for where in (motion, flat):
        gamma = y[None].copy()
        solver.over(alone, np.zeros(1), where, gamma)
        [Cq] = alone.jacobians(np.zeros(1), where)
        np.testing.assert_allclose(Cq.T @ gamma[0], Cq.T @ y, atol=1e-12)
        assert np.linalg.norm(gamma[0]) <= np.linalg.norm(y)


def test_work_is_linear_in_the_number_of_loops():
    """Products of blocks in a factorisation, and its memory."""
    sizes = []
    for n in (10, 20, 40):
        alone, solver, _, _ = problem(four_bars(n))
        plan = make_plan(alone, np.ones(len(alone.system.all_rows)), solver.rank)
        sizes.append([len(plan.updates), len(plan.pairs), plan.blocks.size])
    first, second, third = np.array(sizes)
    np.testing.assert_array_equal(third - second, 2 * (second - first))
    assert (third < 4.1 * first).all()
