"""A mechanism stays on the branch on which it was put together, or the run says that it did not."""

import re
import warnings

import numpy as np
import pytest

import linkwork as lw

AXIS = (0, 1, 0)


def elbow(start, end, a, b):
    """Where arms of lengths a from `start` and b from `end` meet, to the left of start → end."""
    way = end - start
    d = np.linalg.norm(way, axis=-1, keepdims=True)
    along = (a * a - b * b + d * d) / (2 * d)
    x, z = way[..., 0:1] / d, way[..., 2:3] / d
    left = np.concatenate([-z, 0 * z, x], axis=-1)
    return start + along * way / d + np.sqrt(a * a - along * along) * left


def crank_end(crank, times):
    """Of a crank that turns once a second from the vertical."""
    turned = 2 * np.pi * np.asarray(times, dtype=float)
    return crank * np.stack([np.sin(turned), 0 * turned, np.cos(turned)], axis=-1)


def four_bar(crank, coupler, rocker, base, rate=None):
    """Driven once a second; or free, and with a rate at the start."""
    A, D = np.zeros(3), np.array([base, 0, 0])
    B = crank_end(crank, 0.0)
    C = elbow(B, D, coupler, rocker)
    m = lw.Model("four-bar", gravity=(0, 0, -9.81), planar="xz")
    arms = [m.add(name, lw.Body.link(p, q, radius=0.01, density=7800))
            for name, p, q in (("crank", A, B), ("coupler", B, C), ("rocker", D, C))]  # fmt: skip
    if rate is None:
        m.add("motor", lw.Motor(lw.GROUND, arms[0], at=A, axis=AXIS, angle=lw.ramp(2 * np.pi)))
    else:
        m.add("pivot", lw.Revolute(lw.GROUND, arms[0], at=A, axis=AXIS, rate=rate))
    m.add("B", lw.Revolute(arms[0], arms[1], at=B, axis=AXIS))
    m.add("C", lw.Revolute(arms[1], arms[2], at=C, axis=AXIS))
    m.add("D", lw.Revolute(lw.GROUND, arms[2], at=D, axis=AXIS))
    return m


@pytest.mark.parametrize("slack", [0.1, 1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("h", [0.011, 0.07, 0.11, 0.23, 0.35, 0.47])
def test_a_crank_and_rocker_that_nearly_folds_keeps_its_branch(slack, h):
    crank, coupler, base = 0.28, 0.94, 1.0
    rocker = crank + base - coupler + slack  # folds where slack is zero
    run = lw.kinematics(four_bar(crank, coupler, rocker, base), t=3, h=h, progress=False)
    D = np.array([base, 0, 0])
    C = elbow(crank_end(crank, run.time), D, coupler, rocker)
    assert np.abs(2 * run["rocker"].position.values - D - C).max() < 1e-8


@pytest.mark.parametrize("h", [0.02, 0.1, 0.3])
def test_a_parallelogram_goes_on_through_its_flat_positions(h):
    run = lw.kinematics(four_bar(0.2, 0.5, 0.2, 0.5), t=3, h=h, progress=False)
    tip = run["rocker"].position.values * 2 - [0.5, 0, 0] - [0.5, 0, 0]
    assert np.abs(tip - crank_end(0.2, run.time)).max() < 1e-9


@pytest.mark.parametrize("h", [0.05, 0.125])
def test_a_stored_time_on_a_flat_position_is_refused_before_it_is_stored(h):
    with pytest.raises(lw.ConvergenceError, match="falls on a singular position") as error:
        lw.kinematics(four_bar(0.2, 0.5, 0.2, 0.5), t=3, h=h, progress=False)
    before = error.value.result
    assert before.time[-1] < 0.25
    assert np.abs(before["rocker"].angular_velocity.values).max() == pytest.approx(2 * np.pi)


@pytest.mark.parametrize("speed", [1e2, 1e4, 1e6])
def test_a_rotor_may_turn_many_times_in_a_step(speed):
    m = lw.Model("rotor")
    body = m.add("rotor", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    m.add("motor", lw.Motor(lw.GROUND, body, (0, 0, 0), (0, 0, 1), angle=lw.ramp(speed)))
    run = lw.kinematics(m, t=0.1, h=1e-3, progress=False)
    assert np.abs(run["rotor"].position.values[:, 0] - np.cos(speed * run.time)).max() < 1e-9
    assert run.info["steps"] == 100


def test_a_linkage_that_turns_too_often_in_a_step_is_refused_by_name():
    m = four_bar(0.28, 0.94, 0.5, 1.0)
    with pytest.raises(lw.ModelError, match=r"body '\w+' moves by .* take h = "):
        lw.kinematics(m, t=3000, h=1000, progress=False)


METHODS = [lw.GeneralizedAlpha(), lw.BDF2(), lw.MS2(), lw.Recursive(), lw.EnergyMomentum()]


def side(run, base):
    """Of B → D on which C lies: its sign stays with the branch."""
    B = 2 * run["crank"].position.values
    D = np.array([base, 0, 0])
    C = 2 * run["rocker"].position.values - D
    return np.sign((D - B)[:, 0] * (C - B)[:, 2] - (D - B)[:, 2] * (C - B)[:, 0])


@pytest.mark.parametrize("rate", [None, 8.0], ids=["driven", "free"])
@pytest.mark.parametrize("h", [5e-3, 0.02, 0.04])
@pytest.mark.parametrize("slack", [1e-3, 1e-4])
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_runs_keep_their_branch_or_say_so(method, slack, h, rate):
    if rate is None and isinstance(method, lw.EnergyMomentum):
        rate = 6.0  # motion laws are refused
    crank, coupler, base = 0.28, 0.94, 1.0
    m = four_bar(crank, coupler, crank + base - coupler + slack, base, rate)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            run = lw.transient(m, t=2, h=h, method=method, progress=False)
        except lw.ConvergenceError as refused:
            assert re.search("could not close its loops|too fast for its step", str(refused))
            return
    kept = (side(run, base) == side(run, base)[0]).all()
    # or it has lost energy by its step, and the motion is told to be wrong
    said = " ".join(str(w.message) for w in told)
    assert kept or re.search("another way of being put together|the method took", said)


@pytest.mark.parametrize("h", [1e-3, 7e-3, 0.02])
def test_a_parallelogram_has_not_changed_its_branch(h):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = lw.transient(four_bar(0.2, 0.5, 0.2, 0.5, 7.0), t=2, h=h, progress=False)
    tip = run["rocker"].position.values - [0.5, 0, 0]
    assert np.abs(tip - run["crank"].position.values).max() < 1e-5
    assert not [w for w in told if "another way" in str(w.message)]
