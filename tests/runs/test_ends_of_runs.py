"""How runs end: events, limits, Ctrl-C, functions that fail, wrong arguments."""

import signal
import threading
from dataclasses import replace

import numpy as np
import pytest
from small_mechanisms import double_pendulum

import linkwork as lw

# ------------------------------------------------------------------------------------------- events


def test_an_event_ends_the_run_at_its_root():
    """A ball dropped from 1 m reaches the floor at sqrt(2/g)."""
    m = lw.Model("drop", gravity=(0, 0, -9.81))
    m.add("ball", lw.Body(1, (1, 1, 1), position=(0, 0, 1)))
    run = lw.transient(
        m, t=10, h=1e-2, stop=lambda t, now: now["ball"].position[2], progress=False
    )
    assert run.time[-1] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-10)
    assert abs(run["ball"].position.values[-1, 2]) < 1e-10
    assert "event" in run.info["ended_by"]


def test_a_joint_limit_ends_the_run():
    m = double_pendulum()
    run = lw.transient(m, t=5, h=1e-3, stop=lw.JointLimit("A", angle=(-1, 1)), progress=False)
    assert abs(float(run["A"].angle[-1])) == pytest.approx(1.0, abs=1e-9)
    assert run.time[-1] < 5


@pytest.mark.parametrize("stop", [3, "angle", [lambda t, now: "high"], lw.JointLimit])
def test_bad_events_are_refused(stop):
    with pytest.raises((lw.ModelError, TypeError)):
        lw.transient(double_pendulum(), t=1, h=1e-2, stop=stop, progress=False)


# -------------------------------------------------------------------------------- how runs go wrong


def locking_crank():
    """Crank 1 m, rod 0.8 m to a slider on the x axis: locks where sin(angle) = 0.8."""
    m = lw.Model("locks")
    end = (1.8, 0, 0)
    crank = m.add("crank", lw.Body.link((0, 0, 0), (1, 0, 0), 0.05, mass=1))
    rod = m.add("rod", lw.Body.link((1, 0, 0), end, 0.05, mass=1))
    slider = m.add("slider", lw.Body.box((0.1, 0.1, 0.1), mass=1, position=end))
    m.add("motor", lw.Motor(lw.GROUND, crank, (0, 0, 0), (0, 0, 1), angle=lw.ramp(1.0)))
    m.add("pin", lw.Revolute(crank, rod, at=(1, 0, 0), axis=(0, 0, 1)))
    m.add("wrist", lw.PointOnLine(rod, slider, at=end, axis=(0, 0, 1)))
    m.add("guide", lw.Prismatic(lw.GROUND, slider, at=end, axis=(1, 0, 0)))
    return m


def test_a_mechanism_that_locks_says_where_and_keeps_the_results():
    with pytest.raises(lw.ConvergenceError) as caught:
        lw.transient(locking_crank(), t=3, h=1e-2, progress=False)
    error = caught.value
    assert error.time == pytest.approx(np.arcsin(0.8), abs=0.02)
    assert "t = 0.93" in str(error) and "prescribed motion of motor 'motor'" in str(error)
    assert error.time is not None and error.result.time[-1] < 3
    assert np.all(np.isfinite(error.result.motion))


def test_ctrl_c_saves_what_was_computed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    m = double_pendulum()
    lw.transient(m, t=1e-2, h=1e-3, progress=False)  # compiled before the clock starts
    timer = threading.Timer(0.6, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        lw.transient(m, t=1e5, h=1e-3, every=1000, progress=False)
    timer.join()
    assert isinstance(caught.value, lw.Interrupted)
    assert "double-interrupted.nc" in str(caught.value)
    stored = lw.load("double-interrupted.nc")
    assert stored.time[-1] > 0 and np.array_equal(stored.motion, caught.value.result.motion)
    more = lw.resume("double-interrupted.nc", t=float(stored.time[-1]) + 1, progress=False)
    assert more.time[0] == pytest.approx(stored.state().time)


def pushed_by(function):
    m = lw.Model("pushed")
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    m.add("push", lw.UserForce([body], function))
    return m


def test_ctrl_c_inside_a_users_function_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls = []

    def force(t, motion):
        if t > 0.05 and not calls:
            calls.append(t)
            raise KeyboardInterrupt
        return np.zeros(6)

    with pytest.raises(lw.Interrupted, match="was interrupted at t = ") as caught:
        lw.transient(pushed_by(force), t=1e4, h=1e-3, progress=False)
    assert caught.value.result.time[-1] < 1e3
    assert (tmp_path / "pushed-interrupted.nc").exists() or "not saved" in str(caught.value)


@pytest.mark.parametrize("method", [None, lw.RK4(), lw.ODE()], ids=repr)
def test_a_users_function_that_fails_is_named_and_the_results_are_kept(method):
    def force(t, motion):
        return [1.0, 0, 0, 0, 0, 0] if t < 0.5 else 1 / 0

    with pytest.raises(lw.ModelError, match="UserForce 'push'.*ZeroDivisionError") as caught:
        lw.transient(pushed_by(force), t=1, h=1e-2, method=method, progress=False)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    kept = caught.value.result
    assert kept.time[-1] <= 0.5
    if not isinstance(method, lw.ODE):  # which looks ahead by steps of its own
        assert kept.time[-1] > 0.3
    np.testing.assert_allclose(kept["body"].position.values[:, 0], kept.time**2 / 2, atol=1e-9)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (dict(t=0, h=1e-3), "t must be later"),
        (dict(t=-1, h=1e-3), "t must be later"),
        (dict(t=1, h=0), "h, the step, must be positive"),
        (dict(t=1, h=-1e-3), "h, the step, must be positive"),
        (dict(t=np.nan, h=1e-3), "t, the end time, must be a finite"),
        (dict(t=1, h=np.inf), "h, the step, must be a finite"),
        (dict(t=1, h=1e-3, every=0), "every must be"),
        (dict(t=1, h=1e-3, tolerance=-1), "tolerance must be positive"),
        (dict(t=1, h=1e-3, method="rk4"), "method must be an integrator"),
        (dict(t=1, h=1e-3, start=3), "start must be a State, a Result or an Equilibrium"),
        (dict(t=1e9, h=1e-3), "would store .* GB, more than the"),
    ],
)
def test_bad_arguments(words, message):
    with pytest.raises(lw.ModelError, match=message):
        lw.transient(double_pendulum(), **words, progress=False)


@pytest.mark.parametrize(
    "method",
    [
        lambda: lw.GeneralizedAlpha("a"), lambda: lw.GeneralizedAlpha(1.2),
        lambda: lw.GeneralizedAlpha(tolerance=np.nan), lambda: lw.HHT(0.5),
        lambda: lw.HHT(stabilized="no"), lambda: lw.Newmark(0.4), lambda: lw.Newmark(0.6, beta=-1),
        lambda: lw.BDF2(max_iterations=0), lambda: lw.RK4(baumgarte=3),
        lambda: lw.RK4(baumgarte=(-1, 1)), lambda: lw.ODE("Euler"), lambda: lw.ODE(rtol=-1),
    ],
)  # fmt: skip
def test_bad_parameters_of_methods(method):
    with pytest.raises(lw.ModelError):
        method()


def test_a_start_that_is_none_is_refused():
    m = double_pendulum()
    state = lw.assemble(m)
    bad = state.motion.copy()
    bad[0, 0] = np.nan
    for motion, message in (
        (bad, "finite numbers"),
        (state.moved(np.full(12, 0.3)).motion, "start violates joint"),
        (state.motion * 2, "unit quaternions"),
    ):
        with pytest.raises(lw.ModelError, match=message):
            lw.transient(m, t=1, h=1e-2, start=replace(state, motion=motion), progress=False)


def test_an_event_met_exactly_at_a_step_ends_the_run():
    run = lw.transient(
        double_pendulum(), t=1, h=0.125, stop=lambda t, now: t - 0.25, progress=False
    )
    assert run.time[-1] == pytest.approx(0.25, abs=1e-12)


def test_energy_out_of_nothing_is_told():
    """A rod on a pin, without any load, keeps J ω²/2.  At 0.49 rad in a step index 3 makes more
    than half of it anew within 22 steps, and says so; the other form and other methods keep it."""
    m = lw.Model("rod")
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.02, mass=1))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), rate=19.6))
    h, exact = 0.025, (1 / 3 + 0.02**2 / 4) * 19.6**2 / 2
    with pytest.warns(lw.LinkworkWarning, match="energy of 'rod' grew .* too large") as told:
        run = lw.transient(
            m, t=22 * h, h=h, method=lw.GeneralizedAlpha(stabilized=False), progress=False
        )
    assert run.energy.total.values.max() > 1.5 * exact
    assert f"no more than {exact:.3g} J could be exchanged" in str(told[0].message)
    for method in (lw.GeneralizedAlpha(), lw.EnergyMomentum()):  # a warning here is an error
        run = lw.transient(m, t=22 * h, h=h, method=method, progress=False)
        off = np.abs(run.energy.total.values / exact - 1).max()
        assert off < 22 * 1e-8  # what is left by Newton's method in every step
    fine = lw.GeneralizedAlpha(stabilized=False)
    lw.transient(m, t=22 * h, h=h / 10, method=fine, progress=False)


def test_energy_of_sparsely_stored_runs():
    """A pendulum of 4 m that falls from rest at 30° exchanges m g l (1 − cos 30°) = 79 J.  Of 200 s
    the first and the last state alone are stored, and the last is not at the lowest point: a loss
    of 3 % is not told as one of a tenth.  BDF2 takes nearly all of it, and says so."""
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    place = (4 * np.sin(np.pi / 6), 0, -4 * np.cos(np.pi / 6))
    bob = m.add("bob", lw.Body(mass=15, inertia=(0, 0, 0), position=place))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    whole = 15 * 9.81 * 4 * (1 - np.cos(np.pi / 6))
    words = dict(t=200, h=0.2, every=1000, progress=False)
    run = lw.transient(m, method=lw.GeneralizedAlpha(stabilized=False), **words)
    energy = run.energy
    seen = float(energy.potential[0] - energy.potential.min())
    assert 0.01 * whole < -float(energy.balance[-1]) < 0.04 * whole and seen < 0.5 * whole
    with pytest.warns(lw.LinkworkWarning, match="the method took .* J from 'pendulum'"):
        run = lw.transient(m, method=lw.BDF2(stabilized=False), **words)
    assert -float(run.energy.balance[-1]) > 0.9 * whole


@pytest.mark.parametrize("method", [lw.RK4(), lw.ODE("RK45", rtol=1e-2, atol=1e-2)], ids=repr)
def test_joints_that_explicit_methods_leave_open_are_told(method):
    """A pendulum of 1 m on a ball: its length is the distance of its mass from the ground."""
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    bob = m.add("bob", lw.Body(1, (0.1, 0.1, 0.1), position=(1, 0, 0), velocity=(0, 1, 0),
                               angular_velocity=(0, 0, 1)))  # fmt: skip
    m.add("ball", lw.Spherical(lw.GROUND, bob, at=(0, 0, 0)))
    with pytest.warns(lw.LinkworkWarning, match="joint 'ball' was open by .* did not keep it"):
        run = lw.transient(m, t=2, h=0.1, method=method, progress=False)
    assert np.abs(np.linalg.norm(run["bob"].position, axis=1) - 1).max() > 1e-4
    fine = lw.RK4() if isinstance(method, lw.RK4) else lw.ODE("RK45")
    run = lw.transient(m, t=2, h=2e-3, method=fine, progress=False)  # a warning is an error
    assert np.abs(np.linalg.norm(run["bob"].position, axis=1) - 1).max() < 1e-4
