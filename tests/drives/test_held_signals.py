"""Drives that hold something of the motion from step to step: samples, filters, switches."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from inside import Chain, Constant, Function, Piecewise, signal_values
from scipy.linalg import expm
from scipy.signal import lfilter

import linkwork as lw
from linkwork.model.drives.sampled import DiscreteFilter, Meter, SampleAndHold, Switch

MASS, K, C, KP, KI, PERIOD = 2.0, 30.0, 1.0, 25.0, 12.0, 0.05


def plant(drive_of):
    """A mass on a spring and a damper along x, and a force on it with a drive of its motion."""
    m = lw.Model()
    cart = m.add("cart", lw.Body(MASS, (1, 1, 1), position=(0.1, 0, 0), velocity=(0.3, 0, 0)))
    x, v = lw.reads(cart, "position", "x"), lw.reads(cart, "velocity", "x")
    m.add("support", lw.Force(cart, (1, 0, 0), drive=-K * x - C * v))
    m.add("control", lw.Force(cart, (1, 0, 0), drive=drive_of(x, v)))
    return m


def controller(x, v):
    """Discrete proportional and integral action: u_k = −k_p x_k − k_i s_k, s_k+1 = s_k + T x_k."""
    total = DiscreteFilter(x, (1.0,), (0.0, PERIOD), PERIOD)
    return SampleAndHold(-KP * x - KI * total, Constant(1.0), PERIOD)


def exact(n):
    """x after n periods of the sampled loop: the plant's matrix exponential with u held."""
    A = np.zeros((3, 3))
    A[0, 1], A[1, 0], A[1, 1], A[1, 2] = 1.0, -K / MASS, -C / MASS, 1 / MASS
    step = expm(A * PERIOD)
    state, total, found = np.array([0.1, 0.3, 0.0]), 0.0, [0.1]
    for _ in range(n):
        state[2] = -KP * state[0] - KI * total
        total += PERIOD * state[0]
        state = step @ state
        found.append(state[0])
    return np.array(found)


def error(m, method, steps):
    run = lw.transient(m, 40 * PERIOD, PERIOD / steps, method, progress=False)
    return np.abs(run["cart"].position.values[::steps, 0] - exact(40)).max()


def test_a_discrete_controller():
    """Twenty Runge-Kutta steps per period: what is left is their error, of order four."""
    assert error(plant(controller), lw.RK4(), 20) < 1e-9
    assert error(plant(lambda x, v: -KP * x), lw.RK4(), 20) > 1e-3  # another motion


SECOND_ORDER = [
    lw.GeneralizedAlpha(0.9), lw.GeneralizedAlpha(0.8, stabilized=True), lw.HHT(), lw.Newmark(0.5),
    lw.BDF2(),
]  # fmt: skip


@pytest.mark.parametrize("method", SECOND_ORDER, ids=repr)
def test_samples_fall_on_steps(method):
    """Accelerations jump with a sample, so that methods keep their order."""
    m = plant(controller)
    coarse, fine = error(m, method, 10), error(m, method, 40)
    assert fine < 1e-5
    assert coarse / fine == pytest.approx(16, rel=0.1)


def test_samples_fall_on_steps_in_joint_coordinates():
    m = plant(controller)
    coarse, fine = (error(m, lw.Recursive(), n) for n in (5, 10))
    assert coarse / fine == pytest.approx(16, rel=0.15)
    coarse, fine = (error(m, lw.Recursive(integrator="implicit"), n) for n in (10, 20))
    assert coarse / fine == pytest.approx(4, rel=0.1)


MULTISTEP = [lw.MS2(0.6), lw.MS4(0.6), lw.Hope(0.6), lw.SS3(0.6), lw.CrankNicolson(), lw.DIRK54(),
             lw.MSSTH5()]  # fmt: skip


@pytest.mark.parametrize("method", MULTISTEP, ids=lambda m: type(m).__name__)
def test_formulas_that_look_back_are_of_second_order(method):
    """Their past becomes that of the motion behind the sample."""
    m = plant(controller)
    coarse, fine = error(m, method, 10), error(m, method, 20)
    assert fine < 2e-5
    assert coarse / fine == pytest.approx(4, rel=0.05)


def test_steps_of_another_size_do_not_change_the_samples():
    """Steps that follow the error, but end at the samples: the same loop."""
    m = plant(controller)
    run = lw.transient(m, PERIOD, PERIOD / 20, lw.GeneralizedAlpha(0.9), progress=False)
    for k in range(2, 21):
        run = lw.transient(m, k * PERIOD, PERIOD / 20, start=run, tolerance=1e-9, progress=False)
    assert run["cart"].position.values[-1, 0] == pytest.approx(exact(20)[-1], abs=5e-6)
    assert len(run.time) > 22


A_, B_ = (0.6, -0.2, 0.1), (0.5, 1.0, -0.3)


def test_a_discrete_filter_of_a_reading():
    """The force is what scipy.signal.lfilter makes of the stored positions, at every step."""
    h = 2e-3
    m = plant(lambda x, v: -20 * DiscreteFilter(x + 0.02 * v, A_, B_, h))
    run = lw.transient(m, 400 * h, h, progress=False)
    x, v = run["cart"].position.values[:, 0], run["cart"].velocity.values[:, 0]
    expected = -20 * lfilter(B_, [1.0, *(-a for a in A_)], x + 0.02 * v)
    rest = MASS * run["cart"].acceleration.values[:, 0] + K * x + C * v
    np.testing.assert_allclose(rest, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    found = signal_values(run, m["control"].drive)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_a_filter_slower_than_the_run():
    """A filter of period 5 h sees every fifth position and is constant between."""
    h = 1e-3
    m = plant(lambda x, v: -20 * DiscreteFilter(x, A_, B_, 5 * h))
    run = lw.transient(m, 300 * h, h, progress=False)
    x, v = run["cart"].position.values[:, 0], run["cart"].velocity.values[:, 0]
    steps = -20 * lfilter(B_, [1.0, *(-a for a in A_)], x[::5])
    rest = MASS * run["cart"].acceleration.values[:, 0] + K * x + C * v
    np.testing.assert_allclose(rest, np.repeat(steps, 5)[: len(x)], rtol=0, atol=1e-7)


def test_triggers():
    """A sample of the velocity every third step, seen in the force from the next step on."""
    h = 1e-2
    every = Meter(3, start=0.0, end=None, step=h)
    m = plant(lambda x, v: SampleAndHold(v, every, h, value=7.0))
    run = lw.transient(m, 1.0, h, progress=False)
    x, v = run["cart"].position.values[:, 0], run["cart"].velocity.values[:, 0]
    rest = MASS * run["cart"].acceleration.values[:, 0] + K * x + C * v
    expected = np.repeat(v[::3], 3)[: len(v) - 1]
    np.testing.assert_allclose(rest[1:], expected, rtol=0, atol=1e-9)


def test_a_switch_by_the_position():
    """A push that begins behind a step below −0.02 and ends behind one above 0.02."""
    h = 1e-3
    m = plant(lambda x, v: 3.0 * Switch(
        lw.formula("x < -0.02", x=x), lw.formula("x > 0.02", x=x), h))  # fmt: skip
    run = lw.transient(m, 4.0, h, progress=False)
    x, v = run["cart"].position.values[:, 0], run["cart"].velocity.values[:, 0]
    rest = MASS * run["cart"].acceleration.values[:, 0] + K * x + C * v
    state, expected = 0.0, []
    for place in x[:-1]:
        state = float(place <= 0.02) if state else float(place < -0.02)
        expected.append(3 * state)
    np.testing.assert_allclose(rest[1:], expected, rtol=0, atol=1e-8)
    assert len(set(expected)) == 2
    np.testing.assert_allclose(signal_values(run, m["control"].drive)[1:], expected, atol=1e-15)


def test_a_law_that_the_motion_switches():
    """A bistop on a rod pulls while the mass has been beyond 1.05 m and not yet back at 0.95 m."""
    h, E = 1e-3, 60.0
    m = lw.Model()
    body = m.add("body", lw.Body(MASS, (1, 1, 1), position=(1, 0, 0), velocity=(0.8, 0, 0)))
    x = lw.reads(body, "position", "x")
    m.add("weak", lw.Force(body, (1, 0, 0), drive=-4 * (x - 1)))
    on, off = lw.formula("x > 1.05", x=x), lw.formula("x < 0.95", x=x)
    law = lw.laws.Bistop(lw.laws.LinearElastic(E), on, off, step=h)
    m.add("rod", lw.Rod(lw.GROUND, body, law=law))
    run = lw.transient(m, 3.0, h, progress=False)
    x = run["body"].position.values[:, 0]
    state, pull = 0.0, []
    for before, now in zip(x, x[1:]):
        state = float(before >= 0.95) if state else float(before > 1.05)
        pull.append(-E * state * (now - 1))
    rest = MASS * run["body"].acceleration.values[:, 0] + 4 * (x - 1)
    np.testing.assert_allclose(rest[1:], pull, rtol=0, atol=1e-7)
    assert np.count_nonzero(np.diff(np.array(pull) != 0)) >= 3
    force = run["rod"].force.values[1:]
    np.testing.assert_allclose(np.abs(force).reshape(len(pull), -1).max(axis=1), np.abs(pull),
                               rtol=0, atol=1e-9)  # fmt: skip


def test_it_remembers_while_another_piece_holds():
    """A filter behind a break in time has seen what came before it."""
    h = 1e-3
    m = plant(lambda x, v: Piecewise((0.1,), (Constant(0.0), DiscreteFilter(x, A_, B_, h))))
    run = lw.transient(m, 0.2, h, progress=False)
    x, v = run["cart"].position.values[:, 0], run["cart"].velocity.values[:, 0]
    rest = MASS * run["cart"].acceleration.values[:, 0] + K * x + C * v
    expected = np.where(run.time < 0.1, 0.0, lfilter(B_, [1.0, *(-a for a in A_)], x))
    np.testing.assert_allclose(rest[1:], expected[1:], rtol=0, atol=1e-8)


# ------------------------------------------------------------------------------ going on


METHODS = [lw.GeneralizedAlpha(0.9), lw.RK4(), lw.MSSTH3(), lw.BDF2()]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_a_run_goes_on_with_the_same_digits(method, tmp_path):
    """Stopped in the middle of a period, stored, and gone on with."""
    m, h = plant(controller), PERIOD / 8
    whole = lw.transient(m, 97 * h, h, method, progress=False)
    half = lw.transient(m, 43 * h, h, method, progress=False)
    half.save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", 97 * h, progress=False)
    np.testing.assert_array_equal(rest.motion, whole.motion[43:])
    drive, again = m["control"].drive, rest.system.model["control"].drive
    found = signal_values(rest, again)[1:]
    np.testing.assert_array_equal(found, signal_values(whole, drive)[44:])


def test_a_run_goes_on_from_any_stored_time():
    m, h = plant(controller), PERIOD / 8
    whole = lw.transient(m, 97 * h, h, lw.RK4(), progress=False)
    rest = lw.transient(m, 97 * h, h, lw.RK4(), start=whole.state(43), progress=False)
    np.testing.assert_allclose(rest.motion[-1], whole.motion[-1], rtol=0, atol=1e-13)


def test_an_event_in_the_middle_of_a_period():
    """The way to the event is that of the whole run, and so is what is held there."""
    m, h = plant(controller), PERIOD / 20
    whole = lw.transient(m, 2, h, progress=False)
    stopped = lw.transient(m, 2, h, stop=lambda t, now: now["cart"].position[0], progress=False)
    n = len(stopped.time) - 1
    assert stopped.time[-1] % PERIOD > 2e-3
    np.testing.assert_array_equal(stopped.motion[:n], whole.motion[:n])
    held = [signal_values(run, m["control"].drive) for run in (stopped, whole)]
    assert held[0][-1] == held[1][n]
    np.testing.assert_array_equal(stopped.state().memory, whole.state(n - 1).memory)


def test_steps_that_are_repaired():
    """A step that fails and is taken in pieces counts as one, for a filter and for a sample.

    The wall turns the body round within a step, so steps fail, and the energy is told to be wrong.
    """
    h, m = 0.02, lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1), position=(0.5, 0, 0), velocity=(12, 0, 0)))
    x = lw.reads(a, "position", "x")
    m.add("wall", lw.Force(a, (1, 0, 0), drive=lw.formula("-1e6*x^9", x=x)))
    m.add("filter", lw.Force(a, (0, 1, 0), drive=DiscreteFilter(x, A_, B_, h)))
    m.add("sample", lw.Force(a, (0, 0, 1), drive=SampleAndHold(x, Constant(1.0), h)))
    with pytest.warns(lw.LinkworkWarning, match="the step of 0.02 s is too large"):
        run = lw.transient(m, 2.0, h, lw.GeneralizedAlpha(0.8, max_iterations=4), progress=False)
    assert run.info["repairs"] > 10
    place, force = run["a"].position.values[:, 0], run["a"].acceleration.values
    expected = lfilter(B_, [1.0, *(-w for w in A_)], place)
    np.testing.assert_allclose(force[1:, 1], expected[1:], rtol=0, atol=1e-9)
    np.testing.assert_allclose(force[1:, 2], place[:-1], rtol=0, atol=1e-12)


# ------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    "method", [lw.EnergyMomentum(), lw.Recursive(integrator="dormand-prince"), lw.ODE()],
    ids=lambda m: type(m).__name__,
)
def test_methods_that_cannot(method):
    with pytest.raises(lw.ModelError, match="(holds something|keeps a memory).*GeneralizedAlpha"):
        lw.transient(plant(controller), 0.1, 1e-2, method, progress=False)


def test_only_programs_are_held():
    body = lw.Body(1, (1, 1, 1))
    x = lw.reads(body, "position", "x")
    f = Chain(Function(lambda t: t, lambda t: 1.0, lambda t: 0.0), x)
    with pytest.raises(lw.DriveError, match="found a Python function of a reading"):
        lw.Force(body, (1, 0, 0), drive=SampleAndHold(f, Constant(1), 0.1))
    with pytest.raises(lw.DriveError, match="would have to remember"):
        lw.Force(body, (1, 0, 0), drive=SampleAndHold(x, Constant(1), 0.1).delayed(0.1))


def test_values_that_do_not_exist_are_told():
    m = plant(lambda x, v: SampleAndHold(lw.formula("sqrt(x)", x=x), Constant(1.0), 0.01))
    with pytest.raises(lw.ModelError, match="drive of Force 'control' has no value: .*sqrt"):
        lw.transient(m, 2, 1e-2, progress=False)


def test_statics_sees_a_load_that_is_given():
    """The equilibrium of the plant under the sample of its start."""
    m = plant(lambda x, v: SampleAndHold(-KP * x, Constant(1.0), PERIOD))
    m["cart"].velocity = (0, 0, 0)
    m.add("rail", lw.Prismatic(lw.GROUND, m["cart"], at=(0, 0, 0), axis=(1, 0, 0)))
    rest = lw.static(m)
    assert rest["cart"].position.values[0] == pytest.approx(-KP * 0.1 / K, abs=1e-10)


def test_what_is_held_at_steps_that_are_not_stored_is_told_of():
    """Every seventh of 1 ms: samples at 10 ms fall between; every fifth and tenth meet them all."""
    def sampled():
        m = lw.Model("sampled")
        body = m.add("body", lw.Body(1, (1, 1, 1), velocity=(1, 0, 0)))
        drive = -3 * lw.sample_hold(lw.reads(body, "position", "x"), 0.01)
        m.add("hold", lw.Force(body, (1, 0, 0), drive=drive))
        return m

    whole = lw.transient(sampled(), t=0.2, h=1e-3, progress=False)
    seventh = lw.transient(sampled(), t=0.2, h=1e-3, every=7, progress=False)
    with pytest.warns(lw.errors.LinkworkWarning, match=r"drive of Force 'hold'.*every = 7"):
        assert len(seventh["hold"].force) == 30
    assert np.allclose(seventh["body"].position[:3], whole["body"].position[:21:7], rtol=1e-12)
    for every in (5, 10):
        run = lw.transient(sampled(), t=0.2, h=1e-3, every=every, progress=False)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.allclose(run["hold"].force, whole["hold"].force[::every], rtol=1e-12)
