"""Runs that go on where others ended give the digits of one run; steps stored every so often."""

import warnings

import numpy as np
import pytest
from small_mechanisms import double_pendulum, spatial_four_bar

import linkwork as lw


@pytest.mark.parametrize(
    "method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.HHT(stabilized=True)], ids=repr
)
def test_a_restart_gives_the_same_digits(tmp_path, method):
    m = double_pendulum()
    whole = lw.transient(m, t=2, h=1e-3, method=method, every=10, progress=False)
    half = lw.transient(m, t=1, h=1e-3, method=method, every=10, progress=False)
    half.save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=2, progress=False)
    assert rest.time[0] == half.time[-1]
    assert np.array_equal(whole.time[100:], rest.time)
    assert np.array_equal(whole.motion[100:], rest.motion)
    assert np.array_equal(whole.gamma[100:], rest.gamma)
    assert np.array_equal(whole.energy.total[100:], rest.energy.total)


def test_a_restart_of_a_redundant_mechanism_gives_the_same_digits(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        m = spatial_four_bar()
        whole = lw.transient(m, t=1, h=1e-3, every=100, progress=False)
        lw.transient(m, t=0.5, h=1e-3, every=100, progress=False).save(tmp_path / "half.nc")
        rest = lw.resume(tmp_path / "half.nc", t=1, progress=False)
    assert np.array_equal(whole.motion[5:], rest.motion)


def test_turns_and_memory_go_on_over_a_restart(tmp_path):
    """A wheel at 10 rad/s against a weak torsion spring, stored twice a turn."""
    m = lw.Model("wheel")
    wheel = m.add("wheel", lw.Body.cylinder(0.5, 0.1, mass=10))
    axle = m.add("axle", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=10.0))
    m.add("spring", lw.TorsionSpring(axle, stiffness=0.1))
    half = lw.transient(m, t=2, h=1e-3, every=300, progress=False)
    half.save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=4, progress=False)
    w = np.sqrt(0.1 / (10 * 0.5**2 / 2))  # angle(t) = 10/w sin(w t)
    for run in (half, rest):
        exact = 10 / w * np.sin(w * run.time)
        np.testing.assert_allclose(run["axle"].angle.values, exact, atol=1e-4)
        np.testing.assert_allclose(run["spring"].torque.values, -0.1 * exact, atol=1e-5)
        assert float(abs(run.energy.balance).max()) < 1e-3


EXPLICIT = [lw.RK4(), *(lw.ODE(name) for name in ("RK45", "RK23", "DOP853", "Radau", "BDF"))]


@pytest.mark.parametrize("method", EXPLICIT, ids=lambda m: getattr(m, "solver", "RK4"))
@pytest.mark.parametrize("redundant", [False, True])
def test_explicit_methods_go_on_with_the_same_digits(tmp_path, method, redundant):
    """Stages, step sizes, Jacobians, pivots and work done go through the file."""
    m = double_pendulum()
    m.add("damper", lw.Spring(lw.GROUND, m["b"], at_a=(0, 0, 3), stiffness=5, damping=0.4))
    if redundant:
        still = m.add("still", lw.Body(1, (1, 1, 1)))
        for name in "CD":
            m.add(name, lw.Fixed(lw.GROUND, still, at=(0, 0, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        whole = lw.transient(m, t=0.4, h=1e-3, method=method, progress=False)
        half = lw.transient(m, t=0.2, h=1e-3, method=method, progress=False)
        half.save(tmp_path / "half.nc")
        rest = lw.resume(tmp_path / "half.nc", t=0.4, progress=False)
    assert len(rest.time) == 201
    for name in ("time", "motion", "acceleration", "gamma", "work"):
        a, b = (np.asarray(getattr(run, name))[-201:] for run in (rest, whole))
        np.testing.assert_array_equal(a, b, err_msg=name)


def test_the_same_input_gives_the_same_output():
    runs = [lw.transient(double_pendulum(), t=0.5, h=1e-3, progress=False) for _ in range(2)]
    assert np.array_equal(runs[0].motion, runs[1].motion)


def test_going_on_from_a_state_of_another_method():
    m = double_pendulum()
    first = lw.transient(m, t=0.5, h=1e-3, progress=False)
    second = lw.transient(m, t=1, h=1e-3, method=lw.RK4(), start=first, progress=False)
    third = lw.transient(m, t=1, h=1e-3, start=first.state(), progress=False)
    assert second.time[0] == 0.5 and second.time[-1] == 1.0
    gap = np.abs(second["b"].position.values[-1] - third["b"].position.values[-1]).max()
    assert gap < 1e-5  # second order of one of them


def test_storing_every_so_many_steps():
    run = lw.transient(double_pendulum(), t=0.1, h=1e-3, every=7, progress=False)
    np.testing.assert_allclose(run.time, [*np.arange(0, 0.1, 7e-3), 0.1])
    odd = lw.transient(double_pendulum(), t=0.0123, h=1e-3, progress=False)
    assert odd.time[-1] == 0.0123 and len(odd.time) == 14
