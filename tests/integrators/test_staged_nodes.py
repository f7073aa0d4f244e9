"""Vector nodes in the first-order family: multistep, filters, sub-steps and Runge-Kutta stages."""

from __future__ import annotations

import numpy as np
import pytest
from node_elements import Chamber, Oscillators, Resistor, Slow
from staged_problems import EVERY

import linkwork as lw


def run(m, t, h, method, **options):
    return lw.transient(m, t=t, h=h, method=method, progress=False, **options)


def slow_model(u=0.0, c=2.0, k=3.0, e=0.0, start=1.0):
    m = lw.Model("slow")
    m.add("tank", Slow(c, k, e, u, start))
    return m


def observed(errors, steps):
    return np.log(errors[0] / errors[1]) / np.log(steps[0] / steps[1])


STEPS = {1: (2e-2, 1e-2), 2: (2e-2, 1e-2), 3: (2.5e-2, 1.25e-2), 4: (0.1, 5e-2), 5: (0.2, 0.1)}


@EVERY
def test_first_order_equations_have_the_order_of_the_method(cls):
    """2 q̇ + 3 q = sin 5t from q = 1, against the closed form."""
    a, w, method = 1.5, 5.0, cls()

    def exact(t):
        forced = 0.5 * (a * np.sin(w * t) - w * np.cos(w * t)) / (a * a + w * w)
        return forced + (1 + 0.5 * w / (a * a + w * w)) * np.exp(-a * t)

    errors, steps = [], STEPS[method.order]
    for h in steps:
        r = run(slow_model(lw.expression("sin(5*t)")), 2.0, h, method)
        errors.append(np.abs(r["tank"].level.values - exact(r.time)).max())
    assert errors[-1] < 0.02
    assert abs(observed(errors, steps) - method.order) < 0.35, errors


@EVERY
def test_rates_of_first_order_are_those_of_the_equation(cls):
    r = run(slow_model(lw.expression("sin(5*t)")), 0.5, 0.05, cls())
    q, rate = r["tank"].level.values, r["tank"].level_rate.values
    np.testing.assert_allclose(2 * rate, np.sin(5 * r.time) - 3 * q, rtol=0, atol=1e-8)


@EVERY
def test_stiff_equations_are_followed_from_a_start_beside_them(cls):
    """q̇ = −λ (q − cos t) − sin t with λ h = 10³ (Prothero and Robinson): q = cos t is reached in
    the pieces of the first step, and all methods are then as exact as h², also one that damps
    nothing."""
    stiffness, h, method = 1e5, 1e-2, cls()
    u = lw.expression("1e5*cos(t) - sin(t)")
    smooth = run(slow_model(u, c=1.0, k=stiffness, start=1.0), 2.0, h, method)
    error = np.abs(smooth["tank"].level.values - np.cos(smooth.time))
    assert error.max() < (h if method.order == 1 else h**2)
    beside = run(slow_model(u, c=1.0, k=stiffness, start=2.0), 2.0, h, method)
    error = np.abs(beside["tank"].level.values - np.cos(beside.time))
    assert error.max() < 1.2 and np.isfinite(error).all()
    assert error[-1] < h**2


@EVERY
def test_equations_of_order_zero_hold_at_every_step(cls):
    """3 q + q³ = sin 5t, to Newton's tolerance of 1e-8 h |q̇|."""
    m = slow_model(lw.expression("sin(5*t)"), c=0.0, e=1.0, start=0.1)
    r = run(m, 1.0, 0.02, cls())
    q = r["tank"].level.values
    np.testing.assert_allclose(3 * q + q**3, np.sin(5 * r.time), rtol=0, atol=1e-9)


@EVERY
def test_values_of_second_order_move_like_masses_on_slides(cls):
    """A value with m q̈ + d q̇ + k q = 0 beside a free body on springs and dampers along x."""
    m = lw.Model("both")
    block = m.add("block", lw.Body(2.0, (1, 1, 1), position=(0.3, 0, 0)))
    k, d = (50.0,) * 3 + (1.0,) * 3, (0.4,) * 3 + (0.0,) * 3
    m.add("spring", lw.Bushing(lw.Frame(lw.GROUND), lw.Frame(block), stiffness=k, damping=d))
    m.add("value", Oscillators([[2.0]], [[0.4]], [[50.0]], start=0.3))
    r = run(m, 1.0, 2e-3 if cls is lw.ImplicitEuler else 0.02, cls())
    x = r["block"].position.values[:, 0]
    np.testing.assert_allclose(r["value"].amplitude.values, x, rtol=0, atol=1e-12)
    v = r["block"].velocity.values[:, 0]
    np.testing.assert_allclose(r["value"].amplitude_rate.values, v, rtol=0, atol=1e-11)


def tumbling(e=1e-9):
    """A pendulum on a ball joint with a chamber along its own axis, and a leak to an orifice whose
    pressure is of order zero."""
    m = lw.Model("tumbling", gravity=(0, 0, -9.81))
    w, arm = np.array([3.0, 2.0, 1.0]), np.array([0, 0, 0.4])
    body = m.add("body", lw.Body(1.0, (0.2, 0.3, 0.1), position=arm, angular_velocity=w,
                                 velocity=np.cross(w, arm)))  # fmt: skip
    m.add("pin", lw.Spherical(lw.GROUND, body, at=(0, 0, 0)))
    hand = m.add("hand", lw.Body(0.3, (0.02, 0.03, 0.04), position=arm + (0, 0, 0.2),
                                 velocity=np.cross(w, arm + (0, 0, 0.2)), angular_velocity=w))
    m.add("spring", lw.Bushing(lw.Frame(body, (0, 0, 0.2)), lw.Frame(hand),
                               stiffness=(300.0,) * 3 + (2.0,) * 3))  # fmt: skip
    m.add("chamber", Chamber(hand, 1e-3, e, 1e4))
    m.add("valve", Slow(0.0, 2e-9, scale=1e4))
    m.add("pipe", Resistor(m["chamber"], m["valve"], 1e-8))
    return m


def end_of(method, h):
    r = run(tumbling(), 0.4, h, method, every=10**6)
    hand = r["hand"]
    return np.concatenate([
        hand.position.values[-1], hand.velocity.values[-1] / 10,
        [r["chamber"].pressure.values[-1] / 1e4, r["valve"].level.values[-1] / 1e4],
    ])  # fmt: skip


@EVERY
def test_bodies_joints_and_values_together_have_the_order_of_the_method(cls, finest):
    """Against two independent methods that agree, the one extrapolated as the other."""
    method = cls()
    coarse = {1: 2e-4, 2: 5e-4, 3: 1e-3, 4: 5e-3, 5: 1e-2}[method.order]
    steps = coarse, coarse / 2
    if cls is lw.DIRK43:  # whose errors of third order are small
        steps = 4e-3, 2e-3
    errors = [np.abs(end_of(method, h) - finest).max() for h in steps]
    assert errors[-1] < (2e-2 if method.order == 1 else 2e-3)
    assert observed(errors, steps) > method.order - 0.4, errors


@pytest.fixture(scope="module")
def finest():
    """DIRK54 with its error of fourth order extrapolated, which GeneralizedAlpha confirms."""
    coarse, fine = (end_of(lw.DIRK54(tolerance=1e-12), h) for h in (2e-3, 1e-3))
    found = fine + (fine - coarse) / 15
    rough, better = (end_of(lw.GeneralizedAlpha(), h) for h in (2.5e-4, 1.25e-4))  # no pieces
    np.testing.assert_allclose(better + (better - rough) / 3, found, rtol=0, atol=5e-7)
    return found


@EVERY
@pytest.mark.filterwarnings("ignore::linkwork.errors.FunctionWarning")
def test_runs_go_on_with_the_same_digits(cls, tmp_path):
    def model():
        m = tumbling()
        m.add("slow", Slow(2.0, 3.0, 0.4, lw.expression("sin(9*t)"), 1.0))
        m.add("modes", Oscillators(np.eye(9), 0.1 * np.eye(9), np.diag(np.arange(9.0)), start=0.1))
        return m

    method = cls()
    whole = run(model(), 0.1, 5e-3, method)
    run(model(), 0.05, 5e-3, method).save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=0.1, model=model())
    np.testing.assert_array_equal(rest.values[-1], whole.values[-1])
    np.testing.assert_array_equal(rest.motion[-1], whole.motion[-1])


@pytest.mark.parametrize("method", [lw.MS2(), lw.SS3(), lw.DIRK43(), lw.Bathe()], ids=repr)
def test_error_control_sees_values(method):
    """With tolerance= the error of exp(−20 t) falls with it."""
    errors = []
    for tolerance in (1e-4, 1e-7):
        r = run(slow_model(c=1.0, k=20.0), 1.0, 0.05, method, tolerance=tolerance)
        errors.append(np.abs(r["tank"].level.values - np.exp(-20 * r.time)).max())
    assert errors[1] < errors[0] / 20
    assert errors[1] < 1e-4


@pytest.mark.parametrize("test", ["norm", "minmax", "relnorm", "sepnorm"])
def test_residual_tests_see_values(test):
    """3 q + q³ = sin 5t is solved to the tolerance of the test."""
    m = slow_model(lw.expression("sin(5*t)"), c=0.0, e=1.0, start=0.1)
    m.add("body", lw.Body(1.0, (1, 1, 1), velocity=(1.0, 0, 0)))
    r = run(m, 1.0, 0.05, lw.MS2(test=test, tolerance=1e-8))
    q = r["tank"].level.values
    left = np.abs(3 * q + q**3 - np.sin(5 * r.time))
    assert left.max() < 1e-8
