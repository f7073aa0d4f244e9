"""Loads that jump, or have corners, at times that are no multiples of the step."""

import warnings

import numpy as np
import pytest
from inside import Periodic, Piecewise

import linkwork as lw
from linkwork.model.drives import Delayed
from linkwork.model.drives.jump_times import jump_times

AT = 0.1234567  # when loads jump
EXACT_METHOD = lw.Recursive()


def cart(drive):
    """m ẍ = F, in closed form."""
    m = lw.Model("cart")
    body = m.add("body", lw.Body(2, (1, 1, 1)))
    m.add("rail", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("push", lw.Force(body, (1, 0, 0), drive=drive))
    return m


def pendulum(kind):
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (0.1,) * 3, position=(0, 0, 0.5)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=0.3))
    drive = {
        "step": lambda: lw.expression(f"3*step(t - {AT})"),
        "pulse": lambda: lw.expression(f"20*(step(t - {AT}) - step(t - 0.1734))"),
        "set point": lambda: lw.formula(
            f"30*(step(t - {AT}) - a) - 2*w", a=lw.reads(pin, "angle"), w=lw.reads(pin, "rate")
        ),
        "table": lambda: lw.table([0, AT, 0.2, 1], [0, 3, -2, 1], kind="linear"),
        "pieces": lambda: Piecewise((AT,), (lw.constant(0), lw.sine(3, 1.0))),
        "smooth": lambda: lw.sine(3, 1.0),
    }[kind]()
    m.add("load", lw.JointTorque(pin, drive))
    return m


KINDS = ("step", "pulse", "set point", "table", "pieces")
STEPS = {2: (4e-3, 2e-3, 1e-3), 4: (8e-3, 4e-3, 2e-3)}
METHODS = [
    lw.GeneralizedAlpha(), lw.MS2(), lw.EnergyMomentum(), lw.RK4(), lw.Recursive(),
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_methods_keep_their_order_across_jumps_and_corners(method, kind):
    """Two halvings of h; without splitting, steps across a jump err by h."""
    exact = lw.transient(pendulum(kind), t=0.4, h=5e-4, method=EXACT_METHOD, progress=False)
    errors = []
    for h in STEPS[method.order]:
        run = lw.transient(pendulum(kind), t=0.4, h=h, method=method, progress=False)
        assert len(run.time) == round(0.4 / h) + 1
        assert np.allclose(np.diff(run.time), h, rtol=1e-9)
        errors.append(abs(float(run["pin"].angle[-1] - exact["pin"].angle[-1])))
    observed = np.log2(errors[0] / errors[2]) / 2
    assert observed > method.order - 0.35, errors
    assert errors[2] < (1e-4 if method.order == 2 else 1e-9)


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.RK4(), lw.Recursive(),
                                    lw.EnergyMomentum()], ids=repr)  # fmt: skip
def test_a_push_in_closed_form(method):
    """x = F (t − τ)²/2m behind the jump, which all methods of second order have exactly."""
    run = lw.transient(cart(lw.expression(f"8*step(t - {AT})")), t=0.5, h=0.01, method=method,
                       progress=False)  # fmt: skip
    expected = 2 * np.maximum(run.time - AT, 0) ** 2
    assert np.allclose(run["body"].position[:, 0], expected, atol=2e-12)
    acceleration = np.where(run.time >= AT, 4.0, 0.0)
    assert np.allclose(run.acceleration[:, 0, 0], acceleration, atol=1e-9)


def test_a_jump_on_a_step_and_at_both_ends():
    for at in (0.0, 0.1, 0.5):
        run = lw.transient(cart(lw.expression(f"8*step(t - {at})")), t=0.5, h=0.01, progress=False)
        expected = 2 * np.maximum(run.time - at, 0) ** 2
        assert np.allclose(run["body"].position[:, 0], expected, atol=1e-12)
        assert len(run.time) == 51 and run.time[-1] == 0.5


@pytest.mark.parametrize("words", [{"tolerance": 1e-7}, {"stop": lambda t, now: 0.45 - t},
                                   {"every": 7}, {}])  # fmt: skip
def test_other_ways_to_run(words):
    """Error control, events, and fewer stored steps; two jumps within one step."""
    drive = lw.expression(f"8*step(t - {AT}) - 16*step(t - {AT} - 0.001)")
    run = lw.transient(cart(drive), t=0.5, h=0.01, progress=False, **words)
    t = run.time
    expected = 2 * np.maximum(t - AT, 0) ** 2 - 4 * np.maximum(t - AT - 0.001, 0) ** 2
    assert np.allclose(run["body"].position[:, 0], expected, atol=1e-10)
    assert np.all(np.diff(t) > 0)
    if "stop" in words:
        assert run.time[-1] == pytest.approx(0.45)


def test_circuits_switch_where_they_should():
    """RC: u = U (1 − exp(−(t − τ)/RC)) behind the switch; trapezoidal-like steps are of order 2."""
    def circuit():
        m = lw.Model("rc")
        top, mid = m.add("top", lw.electric.Node()), m.add("mid", lw.electric.Node())
        voltage = lw.expression(f"5*step(t - {AT})")
        m.add("source", lw.electric.VoltageSource(top, lw.GROUND, voltage))
        m.add("R", lw.electric.Resistor(top, mid, resistance=100))
        m.add("C", lw.electric.Capacitor(mid, lw.GROUND, capacitance=1e-3))
        return m

    errors = []
    for h in (0.02, 0.01, 0.005):
        run = lw.transient(circuit(), t=0.4, h=h, progress=False)
        expected = 5 * (1 - np.exp(-np.maximum(run.time - AT, 0) / 0.1))
        errors.append(np.abs(run["mid"].voltage.values - expected).max())
    assert errors[2] < 2e-3 and np.log2(errors[0] / errors[2]) / 2 > 1.8


def test_work_and_restarts_go_on_across_jumps(tmp_path):
    whole = lw.transient(pendulum("pulse"), t=0.4, h=2e-3, progress=False)
    balance = whole.energy.balance.values
    assert np.abs(balance - balance[0]).max() < 1e-3
    for end in (0.1, 0.15):
        part = lw.transient(pendulum("pulse"), t=end, h=2e-3, progress=False)
        part.save(tmp_path / "part.nc")
        rest = lw.resume(tmp_path / "part.nc", t=0.4)
        assert np.array_equal(rest["pin"].angle[-1], whole["pin"].angle[-1])
        assert np.array_equal(rest.energy.supplied[-1], whole.energy.supplied[-1])


def test_steps_of_smooth_loads_are_not_cut():
    run = lw.transient(pendulum("smooth"), t=0.2, h=2e-3, progress=False)
    assert run.info["steps"] == 100 and np.array_equal(run.time, 2e-3 * np.arange(101))


def test_what_drives_tell():
    grid = np.linspace(0, 1, 101)
    square = Periodic(Piecewise((0.05,), (lw.constant(1), lw.constant(0))), 0.1, 0.25)
    expected = [0.1, 0.15, 0.35, 0.4, 0.6, 0.65, 0.85, 0.9]
    assert np.allclose(sorted(jump_times(square, grid, False)), expected)
    assert jump_times(Delayed(lw.expression("floor(t + 0.5)"), 0.1), grid, False) == [
        pytest.approx(0.6)
    ]
    assert jump_times(lw.expression("sin(300*t)*exp(-t)"), grid, True) == []
    assert jump_times(lw.expression("where(t < 0.5, t, 1 - t)"), grid, False) == []
    ramp = lw.table([0, 0.5, 1], [0, 1, 0], kind="linear")
    assert jump_times(ramp, grid, False) == [] and 0.5 in jump_times(ramp, grid, True)
    assert jump_times(lw.function(lambda t: float(t > 0.512)), grid, True) == [
        pytest.approx(0.512)
    ]
    assert jump_times(lw.function(lambda t: np.sin(300 * t)), grid, True) == []
    noise = np.random.default_rng(1)
    assert jump_times(lw.function(lambda t: noise.normal()), grid, True) == []


# -------------------------------------------------- Python functions, motion laws, contact


def driven_cart(kind):
    """A pendulum on a carriage that stands until AT and then has the acceleration 6 m/s²."""
    m = lw.Model("driven", gravity=(0, 0, -9.81))
    cart = m.add("cart", lw.Body(1, (1, 1, 1)))
    law = {
        "pieces": lambda: Piecewise(
            (AT,), (lw.constant(0), lw.polynomial([3 * AT * AT, -6 * AT, 3]))
        ),
        "formula": lambda: lw.expression(f"3*step(t - {AT})*(t - {AT})^2"),
        "function": lambda: lw.function(
            lambda t: 3 * max(t - AT, 0) ** 2, d1=lambda t: 6 * max(t - AT, 0),
            d2=lambda t: 6.0 * (t >= AT),
        ),
    }[kind]()  # fmt: skip
    m.add("rail", lw.Actuator(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0), displacement=law))
    rod = m.add("rod", lw.Body(1, (0.1,) * 3, position=(0, 0, -0.5)))
    m.add("pin", lw.Revolute(cart, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=0.3))
    return m


def switched(kind):
    """A pendulum under a load that a Python function switches."""
    m = lw.Model("switched", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (0.1,) * 3, position=(0, 0, -0.5)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=0.3))
    if kind == "function":
        m.add("load", lw.JointTorque(pin, lambda t: 3.0 if t >= AT else -1.0))
    else:
        def load(t, motion):
            return np.array([3.0 if t >= AT else -1.0, 0, 0, 0, 0, 0])

        m.add("load", lw.UserForce(rod, load, jumps=[AT]))
    return m


CASES = [(driven_cart, kind) for kind in ("pieces", "formula", "function")]
CASES += [(switched, kind) for kind in ("function", "user force")]


@pytest.mark.parametrize("build, kind", CASES)
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_orders_with_functions_and_motion_laws(method, build, kind):
    if build is driven_cart and isinstance(method, lw.EnergyMomentum):
        pytest.skip("has no motion laws")
    exact = lw.transient(build(kind), t=0.4, h=5e-4, method=EXACT_METHOD, progress=False)
    errors = []
    for h in STEPS[method.order]:
        run = lw.transient(build(kind), t=0.4, h=h, method=method, progress=False)
        errors.append(abs(float(run["pin"].angle[-1] - exact["pin"].angle[-1])))
    assert np.log2(errors[0] / errors[2]) / 2 > method.order - 0.35, errors


def ball(height, drive, friction=0.3):
    m = lw.Model("ball", gravity=(0, 0, -9.81))
    body = m.add("body", lw.Body(
        1, (0.01,) * 3, position=(0, 0, 0.1 + height), shape={"kind": "sphere", "radius": 0.1}
    ))  # fmt: skip
    m.add("floor", lw.Contact(lw.GROUND, body, friction=friction))
    m.add("push", lw.Force(body, (1, 0, -3), drive=drive))
    return m


def test_a_body_on_a_floor_is_pushed_in_closed_form():
    """Without friction x = F (t − τ)²/2m."""
    m = ball(0.0, lw.expression(f"0.5*step(t - {AT})"), friction=0.0)
    run = lw.transient(m, t=0.4, h=4e-3, progress=False)
    expected = 0.25 * np.maximum(run.time - AT, 0) ** 2
    assert np.allclose(run["body"].position[:, 0], expected, atol=1e-12)


def test_a_load_that_jumps_within_an_impact():
    """The ball touches the floor at t = 0.101 s; with steps of 1 ms it ends where those of 0.05 ms
    lead it, and nothing gains energy."""
    drive = lw.expression("3*step(t - 0.1023) - 2*step(t - 0.2)")
    fine = lw.transient(ball(0.05, drive), t=0.4, h=5e-5, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = lw.transient(ball(0.05, drive), t=0.4, h=1e-3, progress=False)
    end, expected = run["body"].position[-1], fine["body"].position[-1]
    assert np.abs(end - expected).max() < 2e-5  # 8e-5 where steps go over the jumps


def test_times_of_jumps_that_are_none_are_refused():
    rod = lw.Body(1, (1, 1, 1))
    for bad in ("soon", [0.1, np.nan], 3.0, None):
        with pytest.raises(lw.errors.ModelError, match="jumps of a UserForce must be a list"):
            lw.UserForce(rod, lambda t, m: np.zeros(6), jumps=bad)
