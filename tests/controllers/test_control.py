"""Controllers: sampled loops in closed form, blocks against definitions, refusals, restarts."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from inside import signal_values
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork import compile_model
from tests.drives.test_held_signals import KI, KP, PERIOD, controller, exact, plant

KD = 1.5


def python_controller(x, v, calls=None):
    """The discrete controller of test_held_signals as a Python function with a memory."""

    def control(t, x, memory):
        if calls is not None:
            calls.append(t)
        u = -KP * x[0] - KI * memory[0]
        memory[0] += PERIOD * x[0]
        return u

    return lw.Controller(control, [x], ["u"], every=PERIOD, memory=[0.0])["u"]


BUILDERS = {
    "program": controller,
    "python": python_controller,
    "pid": lambda x, v: lw.PID(-1 * x, KP, KI, every=PERIOD),
}


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(0.9), lw.RK4(), lw.Recursive()],
                         ids=lambda m: type(m).__name__)  # fmt: skip
def test_a_sampled_loop_in_closed_form(build, method):
    """The plant's matrix exponential with u held; errors of the order of the method."""
    errors = []
    for n in (10, 20):
        run = lw.transient(plant(build), 40 * PERIOD, PERIOD / n, method, progress=False)
        errors.append(np.abs(run["cart"].position.values[::n, 0] - exact(40)).max())
    order = 2 if method.order == 2 else 4
    assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.1)
    assert errors[1] < (2e-5 if order == 2 else 1e-9)


@pytest.mark.parametrize("build", [python_controller, BUILDERS["pid"]], ids=["python", "pid"])
def test_sampled_loops_of_energy_momentum_steps_and_scipys_methods(build):
    """SciPy's steps begin anew at samples, to its own tolerance; the other is of order two."""
    for solver in ("DOP853", "Radau"):
        method = lw.ODE(solver, rtol=1e-9, atol=1e-12)
        run = lw.transient(plant(build), 40 * PERIOD, PERIOD / 4, method, progress=False)
        assert np.abs(run["cart"].position.values[::4, 0] - exact(40)).max() < 1e-7
    errors = []
    for n in (10, 20):
        run = lw.transient(
            plant(build), 40 * PERIOD, PERIOD / n, lw.EnergyMomentum(), progress=False
        )
        errors.append(np.abs(run["cart"].position.values[::n, 0] - exact(40)).max())
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1) and errors[1] < 2e-5


def test_steps_of_a_strategy_end_at_samples():
    run = lw.transient(
        plant(python_controller), 20 * PERIOD, PERIOD / 20, tolerance=1e-9, progress=False
    )
    for k in range(21):
        near = np.argmin(np.abs(run.time - k * PERIOD))
        assert run.time[near] == pytest.approx(k * PERIOD, abs=1e-6 * PERIOD)
        assert run["cart"].position.values[near, 0] == pytest.approx(exact(20)[k], abs=5e-6)


def test_samples_that_steps_do_not_meet_are_told():
    with pytest.warns(lw.LinkworkWarning, match="samples every 0.05 s.*take h = 0.00625"):
        lw.transient(plant(controller), 0.5, 0.007, progress=False)


def test_a_function_is_called_once_per_sample():
    """Also where two loads use its outputs; results know what it said."""
    calls = []
    m = lw.Model()
    cart = m.add("cart", lw.Body(2, (1, 1, 1), position=(0.1, 0.2, 0)))
    x, y = (lw.reads(cart, "position", axis) for axis in "xy")

    def control(t, x):
        calls.append(t)
        return -20 * x[0], -30 * x[1]

    both = lw.Controller(control, [x, y], ["x", "y"], every=0.01)
    m.add("along x", lw.Force(cart, (1, 0, 0), drive=both["x"]))
    m.add("along y", lw.Force(cart, (0, 1, 0), drive=both["y"]))
    run = lw.transient(m, 0.5, 1e-3, progress=False)
    held = np.repeat(-30 * run["cart"].position.values[::10, 1], 10)
    np.testing.assert_allclose(run["along y"].force.values[1:, 1], held[: len(run) - 1], atol=1e-12)
    np.testing.assert_allclose(calls, np.arange(51) * 0.01, rtol=0, atol=1e-9)


SAMPLED = {
    "pid": lambda x, start: lw.PID(-1 * x, KP, KI, every=PERIOD, start=start),
    "hold": lambda x, start: lw.sample_hold(-KP * x, PERIOD, start=start),
    "python": lambda x, start: lw.Controller(
        lambda t, x: -KP * x[0], [x], every=PERIOD, start=start
    ),
}  # fmt: skip


@pytest.mark.parametrize("begins", [False, True], ids=["at zero", "with the run"])
@pytest.mark.parametrize("build", SAMPLED.values(), ids=SAMPLED)
def test_samples_late_in_time_are_those_at_its_beginning(build, begins):
    """At 1e9 s neighbouring times are 1.2e-7 s apart, at 1e10 s 1.9e-6 s."""

    def places(time):
        m = lw.Model()
        cart = m.add("cart", lw.Body(2, (1, 1, 1), position=(0.1, 0, 0)))
        drive = build(lw.reads(cart, "position", "x"), time if begins else 0.0)
        m.add("push", lw.Force(cart, (1, 0, 0), drive=drive))
        start = lw.assemble(m, time=time)
        run = lw.transient(m, time + 20 * PERIOD, PERIOD / 16, start=start, progress=False)
        return run["cart"].position.values[:, 0]

    exact = places(0.0)
    for time in (1e6, 1e9, 1.7e9, 1e10):
        np.testing.assert_array_equal(places(time), exact)


def test_every_run_asks_the_function_and_its_results_know_the_answers():
    """A function that counts its calls pushes by their number: 1 to 11, then 12 to 22."""
    calls = iter(range(1, 100))
    m = lw.Model()
    cart = m.add("cart", lw.Body(2, (1, 1, 1)))
    x = lw.reads(cart, "position", "x")
    push = lw.Controller(lambda t, x: next(calls), [x], every=0.01)
    m.add("push", lw.Force(cart, (1, 0, 0), drive=push))
    m.add("half", lw.Force(cart, (0, 1, 0), drive=0.5 * push[0]))
    runs = [lw.transient(m, 0.1, 1e-3, progress=False) for _ in range(2)]
    for _ in range(2):
        runs += [pickle.loads(pickle.dumps(run)) for run in runs[:2]]
        for run, first in zip(runs, (1, 12) * 3, strict=False):
            held = np.repeat(np.arange(first, first + 10), 10)
            np.testing.assert_array_equal(run["push"].force.values[1:, 0], held)
            np.testing.assert_array_equal(run["half"].force.values[1:, 1], held / 2)
    assert next(calls) == 23


@pytest.mark.filterwarnings("ignore:.*will not hold its model")
def test_memory_is_saved_and_restarts(tmp_path):
    m = plant(python_controller)
    whole = lw.transient(m, 20 * PERIOD, PERIOD / 10, progress=False)
    half = lw.transient(m, 9.5 * PERIOD, PERIOD / 10, progress=False)
    half.save(tmp_path / "half.nc")
    again = plant(python_controller)
    for start, model in ((half, m), (lw.load(tmp_path / "half.nc", model=again), again)):
        rest = lw.transient(model, 20 * PERIOD, PERIOD / 10, start=start, progress=False)
        np.testing.assert_array_equal(
            rest["cart"].position.values[-1], whole["cart"].position.values[-1]
        )


def test_a_sampled_pid_with_a_filtered_difference_and_limits():
    """The same difference equations in Python, with the motion between samples exact."""
    kp, ki, kd, T, Tf, low, high, mass = 30.0, 20.0, 4.0, 0.02, 0.05, -1.0, 0.6, 2.0
    m = lw.Model()
    cart = m.add("cart", lw.Body(mass, (1, 1, 1), position=(0.1, 0, 0), velocity=(0.3, 0, 0)))
    e = -1 * lw.reads(cart, "position", "x")
    u = lw.PID(e, kp, ki, kd, every=T, filter=Tf, limits=(low, high))
    m.add("push", lw.Force(cart, (1, 0, 0), drive=u))
    run = lw.transient(m, 100 * T, T / 4, lw.RK4(), progress=False)
    x, v, total, slope, before, found = 0.1, 0.3, 0.0, 0.0, None, []
    for _ in range(100):
        error = -x
        slope = 0.0 if before is None else (Tf * slope + kd * (error - before)) / (Tf + T)
        before, wanted = error, kp * error + total + slope
        if not ((wanted > high and error > 0) or (wanted < low and error < 0)):
            total += ki * T * error
        a = min(max(wanted, low), high) / mass
        found.append(x)
        x, v = x + T * v + T * T * a / 2, v + T * a
    np.testing.assert_allclose(run["cart"].position.values[:-1:4, 0], found, rtol=0, atol=1e-12)
    force = run["push"].force.values[:, 0]
    assert force.min() == low and force.max() == high


def test_a_continuous_pid_has_the_order_of_the_method():
    """m ẍ = −k_p x − k_d ẋ − k_i ∫x: a linear system of three states."""
    kp, ki, kd, mass = 30.0, 20.0, 4.0, 2.0
    A = np.array([[0, 1, 0], [-kp / mass, -kd / mass, -ki / mass], [1, 0, 0]])
    errors = []
    for h in (0.02, 0.01):
        m = lw.Model()
        cart = m.add("cart", lw.Body(mass, (1, 1, 1), position=(0.1, 0, 0), velocity=(0.3, 0, 0)))
        x, v = lw.reads(cart, "position", "x"), lw.reads(cart, "velocity", "x")
        m.add("push", lw.Force(cart, (1, 0, 0), drive=lw.PID(-1 * x, kp, ki, kd, rate=-1 * v)))
        run = lw.transient(m, 2.0, h, progress=False)
        from scipy.linalg import expm

        states = np.array([expm(A * t) @ [0.1, 0.3, 0.0] for t in run.time])
        errors.append(np.abs(run["cart"].position.values[:, 0] - states[:, 0]).max())
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)
    assert errors[1] < 1e-4


# -------------------------------------------------------------------------------------- blocks


def block_run(build, t=1.5, h=2e-3):
    """A free swing of a cart on a spring; the block acts with a force too small to matter."""
    m = lw.Model()
    cart = m.add("cart", lw.Body(2, (1, 1, 1), position=(0.1, 0, 0)))
    m.add("spring", lw.Force(cart, (1, 0, 0), drive=-50 * lw.reads(cart, "position", "x")))
    drive = build(lw.reads(cart, "position", "x"))
    m.add("block", lw.Force(cart, (1, 0, 0), drive=1e-12 * drive))
    run = lw.transient(m, t, h, lw.RK4(), progress=False)
    return run.time, 0.1 * np.cos(5 * run.time), signal_values(run, m["block"].drive) * 1e12


def test_static_blocks():
    _, x, y = block_run(lambda x: lw.saturate(x, -0.03, 0.05))
    np.testing.assert_allclose(y, np.clip(x, -0.03, 0.05), rtol=0, atol=1e-8)
    _, x, y = block_run(lambda x: lw.dead_zone(x, 0.04))
    np.testing.assert_allclose(y, np.sign(x) * np.maximum(np.abs(x) - 0.04, 0), rtol=0, atol=1e-8)
    places, values = [-0.08, 0.0, 0.05], [1.0, 3.0, -2.0]
    _, x, y = block_run(lambda x: lw.lookup(x, places, values))
    np.testing.assert_allclose(y, np.interp(x, places, values), rtol=0, atol=1e-6)


def test_an_integral():
    t, _, y = block_run(lambda x: lw.integral(x, 0.3))
    np.testing.assert_allclose(y, 0.3 + 0.02 * np.sin(5 * t), rtol=0, atol=2e-6)


def test_a_delay():
    t, _, y = block_run(lambda x: lw.delay(x, 0.2, samples=50))
    expected = np.where(t < 0.2, 0.1, 0.1 * np.cos(5 * (t - 0.2)))
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-5)  # 0.1·25·0.004²/8 between samples


def test_a_rate_limit():
    """y follows x by at most 0.2 per second: as the same rule from step to step."""
    t, x, y = block_run(lambda x: lw.rate_limit(x, 0.2))
    expected = [x[0]]
    for k in range(1, len(t)):
        most = 0.2 * (t[k] - t[k - 1])
        expected.append(min(max(x[k], expected[-1] - most), expected[-1] + most))
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-7)
    assert np.abs(np.diff(y) / np.diff(t)).max() == pytest.approx(0.2, rel=1e-6)


def test_a_sample_and_hold():
    t, x, y = block_run(lambda x: lw.sample_hold(x, 0.1))
    held = np.repeat(x[::50], 50)[: len(t) - 1]
    np.testing.assert_allclose(y[1:], held, rtol=0, atol=1e-8)


def test_a_delayed_loop():
    """m ẍ = −k x(t − d) grows as the delay equation does (method of steps, solve_ivp)."""
    k, d, mass = 20.0, 0.1, 2.0
    m = lw.Model()
    cart = m.add("cart", lw.Body(mass, (1, 1, 1), position=(0.1, 0, 0)))
    drive = -k * lw.delay(lw.reads(cart, "position", "x"), d, samples=50)
    m.add("push", lw.Force(cart, (1, 0, 0), drive=drive))
    run = lw.transient(m, 0.4, 1e-3, lw.RK4(), progress=False)
    past, state, begin = (lambda t: 0.1), [0.1, 0.0], 0.0
    for _ in range(4):
        piece = solve_ivp(
            lambda t, y, past=past: [y[1], -k * past(t - d) / mass], (begin, begin + d), state,
            rtol=1e-10, atol=1e-12, dense_output=True,
        )  # fmt: skip
        past, state, begin = (lambda t, s=piece.sol: s(t)[0]), piece.y[:, -1], begin + d
    assert run["cart"].position.values[-1, 0] == pytest.approx(state[0], abs=2e-6)


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.RK4(), lw.Recursive()], ids=repr)
@pytest.mark.parametrize("h", [2.4e-3, 1.7e-3, 7e-4])
def test_delays_need_no_steps_that_divide_them(h, method):
    """J a'' = -k a(t - d) - c a', steps that meet no sample: the error is that of lines between
    samples, 2.5 ms apart, and of the method."""
    k, c, J, d = 4.0, 0.8, 0.1, 0.05
    m = lw.Model()
    rod = m.add("rod", lw.Body(1, (J, J, J)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 0, 1), angle=0.5))
    drive = lw.delay(-k * lw.reads(pin, "angle"), d) - c * lw.reads(pin, "rate")
    m.add("motor", lw.JointTorque(pin, drive))
    run = lw.transient(m, 0.2, h, method, progress=False)
    past, state, begin = (lambda t: 0.5), [0.5, 0.0], 0.0
    for _ in range(5):
        piece = solve_ivp(
            lambda t, y, past=past: [y[1], (-k * past(t - d) - c * y[1]) / J], (begin, begin + d),
            state, rtol=1e-10, atol=1e-12, dense_output=True,
        )  # fmt: skip
        past, state, begin = (lambda t, s=piece.sol: s(t)[0]), piece.y[:, -1], begin + d
        inside = (run.time >= begin - d) & (run.time <= begin)
        expected = piece.sol(run.time[inside])[0]
        assert np.allclose(run["pin"].angle.values[inside], expected, atol=3e-5)


def test_steps_longer_than_the_samples_of_a_delay_are_refused():
    m = lw.Model()
    cart = m.add("cart", lw.Body(1, (1, 1, 1), position=(0.1, 0, 0)))
    drive = -20 * lw.delay(lw.reads(cart, "position", "x"), 0.1)
    m.add("push", lw.Force(cart, (1, 0, 0), drive=drive))
    with pytest.raises(lw.ModelError, match="'push' follows a delay.*samples=12 in lw.delay"):
        lw.transient(m, 0.1, 8e-3, progress=False)
    fine = lw.transient(m, 0.1, 1e-3, tolerance=1e-3, progress=False)
    assert np.diff(fine.time).max() <= 0.005 * (1 + 1e-9)


# ------------------------------------------------------------------------------------ refusals


def reading():
    return lw.reads(lw.Body(1, (1, 1, 1)), "position", "x")


@pytest.mark.parametrize("build, words", [
    (lambda x: lw.saturate(x, 1, -1), "expected low below high, found 1 and -1"),
    (lambda x: lw.saturate("x", 0, 1), "expected a reading or another drive, found 'x'"),
    (lambda x: lw.dead_zone(x, -1), "expected a width of at least 0, found -1"),
    (lambda x: lw.rate_limit(x, 0), "expected a positive rate, found 0"),
    (lambda x: lw.rate_limit(lw.ramp(1), 1), "expected a reading of the motion"),
    (lambda x: lw.delay(x, -1), "expected a positive time, found -1"),
    (lambda x: lw.delay(x, 1, samples=0), "expected samples between 1 and 200, found 0"),
    (lambda x: lw.sample_hold(x, 0), "expected a positive sample time every=, found 0"),
    (lambda x: lw.PID(x, "high"), "expected a finite number for kp, found 'high'"),
    (lambda x: lw.PID(x, 1, float("nan")), "expected a finite number for ki, found nan"),
    (lambda x: lw.PID(x, 1, 0, 1), "expected rate="),
    (lambda x: lw.PID(x, 1, every=0), "expected a positive every, found 0"),
    (lambda x: lw.PID(x, 1, limits=3), r"expected limits as \(low, high\), found 3"),
    (lambda x: lw.Controller(3, [x], every=1), r"expected a function\(t, x\), found 3"),
    (lambda x: lw.Controller(print, x, every=1), "expected a list of readings as inputs"),
    (lambda x: lw.Controller(print, [x], every=0), "expected a positive sample time"),
    (lambda x: lw.Controller(print, [x], ["a", "a"], every=1), "each once, or how many"),
    (lambda x: lw.Controller(print, [x], every=1, memory=3), "a list of numbers as memory"),
    (lambda x: lw.Controller(print, [x], ["u"], every=1)["v"], "has no output 'v'; it has u"),
    (lambda x: lw.Controller(print, [lw.ramp(1)], every=1)[0], "expected a reading of the motion"),
])  # fmt: skip
def test_bad_blocks(build, words):
    with pytest.raises(lw.DriveError, match=words):
        build(reading())


@pytest.mark.parametrize("function, words", [
    (lambda t, x: None, "returned None instead of its outputs, at t = "),
    (lambda t, x: [1.0, 2.0], "returned 2 numbers instead of 1"),
    (lambda t, x: x[3], "raised IndexError"),
    (lambda t, x: 1.0 if t < 0.3 else float("nan"), "returned nan, at t = 0.3"),
    (lambda t, x: "much", "returned 'much' instead of numbers, at t = 0"),
])  # fmt: skip
def test_bad_functions_of_controllers(function, words):
    function.__name__ = "control"
    m = plant(lambda x, v: lw.Controller(function, [x], ["u"], every=0.1)["u"])
    with pytest.raises(lw.LinkworkError, match=f"Controller 'control' .*{words}"):
        lw.transient(m, 1.0, 0.01, progress=False)
    assert "\n" not in words


def test_a_controller_with_one_output_is_a_drive():
    body = lw.Body(1, (1, 1, 1))
    reading = lw.reads(body, "position")
    one = lw.Controller(lambda t, x: -x[0], [reading], every=0.01)
    assert lw.Force(body, (1, 0, 0), drive=one).drive.controller is one
    two = lw.Controller(lambda t, x: (1, 2), [reading], ["left", "right"], every=0.01)
    with pytest.raises(lw.DriveError, match=r"which has 2; give controller\['left'\]"):
        lw.Force(body, (1, 0, 0), drive=two)


def chain_with_controller(n, drive_of):
    """n links on a hinge each; the first hinge is driven by what the last link does."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    before = lw.GROUND
    for k in range(n):
        at = (0.1 * k, 0, 0)
        link = m.add(f"link{k}", lw.Body.link(at, (0.1 * k + 0.1, 0, 0), radius=0.01, mass=0.1))
        m.add(f"pin{k}", lw.Revolute(before, link, at=at, axis=(0, 1, 0)))
        before = link
    z, w = lw.reads(before, "position", "z"), lw.reads(before, "velocity", "z")
    m.add("motor", lw.JointTorque(m["pin0"], drive_of(z, w)))
    return m


@pytest.mark.parametrize("drive_of", [
    lambda z, w: lw.Controller(lambda t, x: -x[0] - 0.1 * x[1], [z, w], every=0.01)[0],
    lambda z, w: lw.sample_hold(-1 * z - 0.1 * w, 0.01),
    lambda z, w: lw.PID(-1 * z, 1, 0, 0.1, every=0.01, rate=-1 * w),
])  # fmt: skip
def test_sampled_controllers_leave_the_elimination_alone(drive_of):
    """Runs have no blocks between ends that a sample alone joins; other analyses have them."""
    full = compile_model(chain_with_controller(10, drive_of)).data()
    first, last = full.system.names.index("link0"), full.system.names.index("link9")
    assert (first, last) in full.pattern.blocks
    steps = full.system.data(steps=True)
    assert (first, last) not in steps.pattern.blocks
    assert (first, last) not in steps.restricted(steps.keep).pattern.blocks


def test_continuous_controllers_keep_their_slopes_in_runs():
    full = compile_model(chain_with_controller(5, lambda z, w: -1 * z - 0.1 * w)).data()
    assert full.system.data(steps=True).pattern.blocks == full.pattern.blocks


def test_chains_under_sampled_control_agree_in_all_formulations():
    """Augmented equations, joint coordinates and generalized-alpha, of order four and two."""
    def drive_of(z, w):
        return lw.Controller(lambda t, x: -x[0] - 0.1 * x[1], [z, w], every=0.01)[0]

    methods = [lw.RK4(), lw.Recursive(), lw.GeneralizedAlpha(), lw.BDF2()]
    runs = [
        lw.transient(chain_with_controller(4, drive_of), 0.2, 1e-3, method=method, progress=False)
        for method in methods
    ]
    angles = [run["pin0"].angle.values for run in runs]
    assert np.ptp(angles[0]) > 0.05
    assert np.allclose(angles[1], angles[0], atol=1e-8)
    for found in angles[2:]:
        assert np.allclose(found, angles[0], atol=2e-4)


@pytest.mark.parametrize("gain", [100.0, 1000.0])  # too fast for the step; beyond half a turn
@pytest.mark.parametrize("kind", ["pid", "function"])
def test_gains_that_are_too_high_for_the_sample_time_are_named(kind, gain):
    """J θ̈ = −k_d θ̇ sampled every T: θ̇ becomes (1 − k_d T/J) θ̇ at every sample, −9 or −99 of it."""
    every = 0.01
    m = lw.Model("loop")
    arm = m.add("arm", lw.Body(1, (0.1, 0.1, 0.1)))
    pin = lw.Revolute(lw.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1), angle=0.2)
    m.add("pin", pin)
    angle, rate = lw.reads(pin, "angle"), lw.reads(pin, "rate")
    if kind == "pid":
        drive = lw.PID(0.5 - angle, gain, 0.0, gain, every=every, rate=-1 * rate)
    else:
        drive = lw.Controller(lambda t, x: -gain * (x[0] + x[1]), [angle, rate], every=every)
    m.add("motor", lw.JointTorque(pin, drive))
    with pytest.raises(lw.LinkworkError, match="gains.* too high for a sample time of 0.01") as e:
        lw.transient(m, 1.0, 1e-3, progress=False)
    assert e.value.__cause__ is None
