"""Drives that read values and rates of vector nodes, and elements of these that follow them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from inside import ITEMS, model_from_dict, model_to_dict
from node_elements import Chamber, Oscillators, Slow

import linkwork as lw
from linkwork import compile_model


def run(m, t, h, **options):
    return lw.transient(m, t=t, h=h, progress=False, **options)


METHODS = [lw.GeneralizedAlpha(), lw.BDF2(), lw.MS2(), lw.DIRK33(), lw.SS3()]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_feedback_of_a_value_is_a_stiffness(method):
    """2 q̇ + 3 q = u with u = sin 5t − 4 q − q̇/2 is 2.5 q̇ + 7 q = sin 5t, step by step."""
    plain, fed = lw.Model("plain"), lw.Model("fed")
    plain.add("tank", Slow(2.5, 7.0, u=lw.expression("sin(5*t)"), start=1.0))
    tank = fed.add("tank", Slow(2.0, 3.0, start=1.0))
    level, rate = lw.reads(tank, "level"), lw.reads(tank, "level_rate")
    tank.u = lw.expression("sin(5*t)") - 4 * level - 0.5 * rate
    a, b = (run(m, 1.0, 0.02, method=method)["tank"].level.values for m in (plain, fed))
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_chamber_of_signals_is_a_chamber(method):
    """c ṗ = −A v and the force A p along the body's axis, once as an element, once by readings."""

    def model(signals):
        m = lw.Model("piston")
        body = m.add("body", lw.Body(1.0, (0.02, 0.03, 0.04), angular_velocity=(3, 2, 1)))
        if not signals:
            m.add("chamber", Chamber(body, 1e-3, 1e-9, 1e4))
            return m
        chamber = m.add("chamber", Slow(1e-9, 0.0, start=1e4, scale=1e5))
        chamber.u = -1e-3 * lw.reads(body, "velocity", "z", axes=body)
        push = 1e-3 * lw.reads(chamber, "level")
        m.add("push", lw.Force(body, (0, 0, 1), drive=push, follower=True))
        return m

    one, other = (run(model(s), 0.2, 1e-3, method=method) for s in (False, True))
    p, q = one["chamber"].pressure.values, other["chamber"].level.values
    np.testing.assert_allclose(q, p, rtol=0, atol=1e-8 * np.abs(p).max())
    np.testing.assert_allclose(
        other["body"].position.values, one["body"].position.values, rtol=0, atol=1e-9
    )


def coupled():
    """Bodies, a node of ten unknowns and scalars that all follow each other, nonlinearly."""
    m, rng = lw.Model("coupled"), np.random.default_rng(3)
    body = m.add("body", lw.Body(2.0, (0.3, 0.4, 0.5), position=(0.1, 0.2, 0.3)))
    other = m.add("other", lw.Body(1.0, (0.1, 0.2, 0.15), position=(0.6, -0.2, 0.3)))
    modes = m.add("modes", Oscillators(*rng.normal(size=(3, 10, 10))))
    slow = m.add("slow", Slow(2.0, 3.0, 0.4, 0.5, 1.0))
    fast = m.add("fast", Slow(0.0, 1.5, 0.2, 0.1))
    speed = lw.reads(body, "velocity", "z", relative_to=other, axes=other)
    mode, rate = lw.reads(modes, "amplitude", 9), lw.reads(modes, "amplitude_rate", 3)
    level, change = lw.reads(slow, "level"), lw.reads(slow, "level_rate")
    slow.u = lw.formula("sin(a)*b + c*d", a=mode, b=speed, c=rate, d=level)
    fast.u = lw.formula("a*b + exp(c/5)", a=change, b=lw.reads(fast, "level"), c=rate)
    m.add("push", lw.Force(lw.Frame(body, (0.1, 0, 0.2)), (1, 2, 3), follower=True,
                           drive=lw.formula("a*b*c", a=mode, b=change, c=speed)))  # fmt: skip
    return m


@pytest.mark.parametrize("level", [0, 1])
def test_tangents_against_differences(level):
    """∂r/∂(value or rate) of every unknown."""
    data, rng, eps = compile_model(coupled()).data(), np.random.default_rng(level), 1e-6
    n, b = data.system.motions, data.system.bodies
    state = data.system.described_state().moved(rng.normal(size=n))
    state = state.with_velocities(rng.normal(size=(b, 6)))
    values = rng.normal(size=(3, data.system.layout.values))
    state = replace(state, acceleration=rng.normal(size=(b, 6)), values=values)
    A = data.evaluate(state, **{("cK", "cD")[level]: 1.0, "cK": 1.0 - level}).stiffness.toarray()
    found = np.zeros((n, n))
    for j in range(n):
        sides = []
        for sign in (1, -1):
            d = np.zeros(n)
            d[j] = sign * eps
            if level == 0:
                moved = state.moved(d)
            else:
                moved = state.with_velocities(state.velocities + d[: 6 * b].reshape(-1, 6))
                rates = state.values.copy()
                rates[1] += d[6 * b :]
                moved = replace(moved, values=rates)
            sides.append(data.evaluate(moved).residual)
        found[:, j] = (sides[0] - sides[1]) / (2 * eps)
    np.testing.assert_allclose(A, found, rtol=0, atol=2e-8 * np.abs(A).max())
    rows, columns = A[: 6 * b, 6 * b :], A[6 * b :, : 6 * b]
    assert np.abs(rows).max() > 0.01 and np.abs(columns).max() > 0.01


def follower():
    m = lw.Model("follower")
    tank = m.add("tank", Slow(1.0, 2.0, start=1.0))
    modes = m.add("modes", Oscillators(np.eye(3), 0.1 * np.eye(3), np.diag([1.0, 4, 9]), start=0.1))
    tank.u = 3 * lw.reads(modes, "amplitude", 1) + lw.reads(modes, "amplitude_rate", "amplitude 3")
    body = m.add("body", lw.Body(1.0, (1, 1, 1)))
    m.add("push", lw.Force(body, (1, 0, 0), drive=2 * lw.reads(tank, "level")))
    return m


def test_models_with_readings_of_nodes_are_stored(monkeypatch):
    for cls in (Slow, Oscillators):
        monkeypatch.setitem(ITEMS, cls.__name__, cls)
    m = follower()
    again = model_from_dict(model_to_dict(m))
    assert again["tank"].u.to_dict() == m["tank"].u.to_dict()
    a, b = (run(x, 0.2, 0.01).values for x in (m, again))
    np.testing.assert_array_equal(a, b)


def test_forces_that_follow_a_value_move_bodies_by_its_integral():
    """q̇ = −q from 1, v̇ = 2 q: v = 2 (1 − exp −t)."""
    m = lw.Model("push")
    tank = m.add("tank", Slow(1.0, 1.0, start=1.0))
    body = m.add("body", lw.Body(1.0, (1, 1, 1)))
    m.add("push", lw.Force(body, (1, 0, 0), drive=2 * lw.reads(tank, "level")))
    r = run(m, 1.0, 1e-3)
    v = r["body"].velocity.values[:, 0]
    np.testing.assert_allclose(v, 2 * (1 - np.exp(-r.time)), rtol=0, atol=1e-6)
    np.testing.assert_allclose(r.energy.supplied[-1], v[-1] ** 2 / 2, rtol=1e-5)


def test_equilibria_and_eigenvalues_see_the_feedback():
    """3 q = 5 − 2 q: q = 1; 2 q̇ = −5 q."""
    m = lw.Model("fed")
    tank = m.add("tank", Slow(2.0, 3.0, start=0.3))
    tank.u = 5 - 2 * lw.reads(tank, "level")
    rest = lw.static(m)
    assert float(rest["tank"].level) == pytest.approx(1.0, abs=1e-10)
    np.testing.assert_allclose(lw.eigen(m, at=rest).eigenvalues, [-2.5], rtol=1e-9)


@pytest.mark.parametrize("name, message", [
    ("levels", "expected one of level, level_rate, found 'levels'; did you mean 'level'"),
    ("position", "expected one of level, level_rate, found 'position'"),
])  # fmt: skip
def test_what_a_node_does_not_have_is_refused(name, message):
    with pytest.raises(lw.DriveError, match=message):
        lw.reads(Slow(1.0, 1.0), name)


def test_rates_of_order_zero_and_missing_components_are_refused():
    with pytest.raises(lw.DriveError, match="have no rates; read level"):
        lw.reads(Slow(0.0, 1.0), "level_rate")
    modes = Oscillators(np.eye(3), np.eye(3), np.eye(3))
    for wrong in (None, 3, "x", -1):
        with pytest.raises(lw.DriveError, match="a number from 0 to 2"):
            lw.reads(modes, "amplitude", wrong)


def test_nodes_that_are_not_in_the_model_are_refused():
    m = lw.Model("alone")
    body = m.add("body", lw.Body(1.0, (1, 1, 1)))
    m.add("push", lw.Force(body, (1, 0, 0), drive=lw.reads(Slow(1.0, 1.0), "level")))
    with pytest.raises(lw.ModelError, match="reads a Slow, which is not in model 'alone'"):
        run(m, 0.1, 0.01)
