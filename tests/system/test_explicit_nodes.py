"""Vector nodes of first order in explicit runs."""

from __future__ import annotations

import numpy as np
import pytest
from node_elements import Chamber, Slow

import linkwork as lw


def run(m, t, h, method):
    return lw.transient(m, t=t, h=h, method=method, progress=False)


def exact(t, a=1.5, w=5.0):
    """2 q̇ + 3 q = sin 5t from q = 1."""
    forced = 0.5 * (a * np.sin(w * t) - w * np.cos(w * t)) / (a * a + w * w)
    return forced + (1 + 0.5 * w / (a * a + w * w)) * np.exp(-a * t)


def slow_model():
    m = lw.Model("slow")
    m.add("tank", Slow(2.0, 3.0, u=lw.expression("sin(5*t)"), start=1.0))
    return m


def test_runge_kutta_has_its_order():
    errors = []
    for h in (0.05, 0.025):
        r = run(slow_model(), 2.0, h, lw.RK4())
        errors.append(np.abs(r["tank"].level.values - exact(r.time)).max())
        q, rate = r["tank"].level.values, r["tank"].level_rate.values
        np.testing.assert_allclose(2 * rate, np.sin(5 * r.time) - 3 * q, rtol=0, atol=1e-12)
    assert 3.7 < np.log2(errors[0] / errors[1]) < 4.3


@pytest.mark.parametrize("solver", ["DOP853", "Radau", "LSODA"])
def test_scipys_methods(solver):
    r = run(slow_model(), 2.0, 0.1, lw.ODE(solver, rtol=1e-9, atol=1e-11))
    np.testing.assert_allclose(r["tank"].level.values, exact(r.time), rtol=0, atol=1e-7)


def test_rates_that_enter_nonlinearly():
    """q̇ + 0.2 q̇³ = −q from 1, against SciPy on the explicit root."""
    from scipy.integrate import solve_ivp

    m = lw.Model("cubic")
    tank = m.add("tank", Slow(1.0, 1.0, start=1.0))
    rate = lw.reads(tank, "level_rate")
    tank.u = -0.2 * (rate * rate * rate)

    def root(q):  # Cardano: y³ + 5 y + 5 q = 0
        d = np.sqrt((2.5 * q) ** 2 + (5 / 3) ** 3)
        return np.cbrt(-2.5 * q + d) + np.cbrt(-2.5 * q - d)

    r = run(m, 2.0, 0.02, lw.RK4())
    y = solve_ivp(lambda t, q: root(q), (0, 2), [1.0], t_eval=r.time, rtol=1e-11, atol=1e-13).y[0]
    np.testing.assert_allclose(r["tank"].level.values, y, rtol=0, atol=1e-8)


def test_bodies_and_values_together():
    """A tumbling piston, as with an implicit method of fifth order."""

    def model():
        m = lw.Model("free")
        body = m.add("body", lw.Body(1.0, (0.02, 0.03, 0.04), angular_velocity=(3, 2, 1)))
        m.add("chamber", Chamber(body, 1e-3, 1e-9, 1e4))
        return m

    a, b = run(model(), 0.4, 1e-3, lw.RK4()), run(model(), 0.4, 2e-3, lw.MSSTH5(tolerance=1e-11))
    np.testing.assert_allclose(
        a["body"].position.values[::2], b["body"].position.values, rtol=0, atol=1e-7
    )
    p = b["chamber"].pressure.values
    np.testing.assert_allclose(a["chamber"].pressure.values[::2], p, rtol=0, atol=1e-6 * p.max())


def test_runs_go_on_with_the_same_digits(tmp_path):
    m = lw.Model("stored")
    m.add("q", lw.Quantity(1.0, damping=2.0, stiffness=3.0, load=lw.expression("sin(5*t)")))
    whole = run(m, 1.0, 0.05, lw.RK4())
    run(m, 0.5, 0.05, lw.RK4()).save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=1.0)
    np.testing.assert_array_equal(rest.values[-1], whole.values[-1])


def rectifier(capacitance):
    """A diode between a source and a load: algebraic nodes, one of them nonlinear."""
    e = lw.electric
    m = lw.Model("rectifier")
    plus, mid, out = (m.add(name, e.Node()) for name in ("plus", "mid", "out"))
    m.add("source", e.VoltageSource(plus, lw.GROUND, lw.sine(10, 50.0)))
    m.add("line", e.Resistor(plus, mid, 5.0))
    m.add("diode", e.Diode(mid, out))
    m.add("load", e.Resistor(out, lw.GROUND, 100.0))
    m.add("C", e.Capacitor(out, lw.GROUND, capacitance))
    return m


@pytest.mark.parametrize("method", [lw.RK4(), lw.ODE()], ids=repr)
def test_values_of_order_zero_are_solved_for(method):
    """Kirchhoff's laws hold at every stored time, and the voltage is that of an implicit run."""
    a = run(rectifier(1e-4), 0.02, 2e-5, method)
    assert np.allclose(a["line"].current, a["diode"].current, atol=1e-9)
    total = a["load"].current.values + a["C"].current.values
    assert np.allclose(a["diode"].current, total, atol=1e-8)
    b = run(rectifier(1e-4), 0.02, 1e-5, lw.GeneralizedAlpha())
    assert np.allclose(a["out"].voltage.values, b["out"].voltage.values[::2], atol=2e-4)
    assert a["out"].voltage.max() > 7


def test_runs_with_values_of_order_zero_go_on_with_the_same_digits(tmp_path):
    whole = run(rectifier(1e-4), 0.01, 2e-5, lw.RK4())
    run(rectifier(1e-4), 0.005, 2e-5, lw.RK4()).save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=0.01)
    np.testing.assert_array_equal(rest.values[-1], whole.values[-1])


def test_values_held_to_each_other_are_refused():
    """ẋ₁ = −x₁ + u and 0 = 2 x₁ − x₂ + 3 u: the second equation has no rate to solve for."""
    m = lw.Model("shared")
    A, B, E = [[-1.0, 0], [2, -1]], [[1.0], [3]], np.diag([1.0, 0])
    m.add("s", lw.StateSpace(A, B, [lw.sine(1, 0.5)], E))
    with pytest.raises(lw.SingularError, match="lw.RK4 finds no rates in model 'shared'"):
        run(m, 0.01, 1e-4, lw.RK4())
