"""Values of first order that die away within a step, at the start and behind jumps of loads."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import linkwork as lw

E = lw.electric
IMPLICIT = [
    lw.GeneralizedAlpha(), lw.GeneralizedAlpha(rho=0.0), lw.HHT(), lw.BDF2(), lw.MS2(),
    lw.DIRK33(), lw.DIRK54(), lw.MSSTH5(), lw.Bathe(),
]  # fmt: skip


def charged(tau, jump):
    """A capacitor that is charged through a resistor, from the time of the jump on."""
    m = lw.Model("charged")
    plus, out = m.add("plus", E.Node()), m.add("out", E.Node())
    m.add("source", E.VoltageSource(plus, lw.GROUND, lw.formula(f"t >= {jump}")))
    m.add("resistor", E.Resistor(plus, out, 1e3))
    m.add("capacitor", E.Capacitor(out, lw.GROUND, tau / 1e3))
    return m


def charge_error(run, tau, jump):
    t = run.time - jump
    exact = np.where(t > 1e-12, 1 - np.exp(-np.maximum(t, 0) / tau), 0.0)
    away = np.abs(t) > 1e-12
    return np.abs(run["out"].voltage.values - exact)[away].max()


@pytest.mark.parametrize("method", IMPLICIT, ids=repr)
@pytest.mark.parametrize("jump", [0.0, 0.003, 0.0034])
@pytest.mark.parametrize("tau", [1e-6, 2e-5])
def test_a_charge_within_a_step_follows_its_closed_form(method, jump, tau):
    """Carried on over a step of 1 ms, the first rate would make 250 V of 1 V at τ = 1 µs."""
    run = lw.transient(charged(tau, jump), 0.01, 1e-3, method, progress=False)
    assert charge_error(run, tau, jump) < (1e-6 if tau < 1e-5 else 1e-3)


@pytest.mark.parametrize("method", [lw.DIRK54(), lw.MSSTH5(), lw.DIRK33()], ids=repr)
@pytest.mark.parametrize("jump", [0.003, 0.0034, 0.00301])
def test_stages_behind_a_step_know_nothing_of_a_jump_there(method, jump):
    """DIRK54 and MSSTH5 have a stage at 1.05 and 1.1 steps; it erred by a tenth of h ΔU."""
    run = lw.transient(charged(0.1, jump), 0.01, 1e-3, method, progress=False)
    assert charge_error(run, 0.1, jump) < 1e-8


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6])
def test_controlled_steps_begin_short(tolerance):
    for method in (lw.GeneralizedAlpha(), lw.BDF2(), lw.DIRK54()):
        run = lw.transient(
            charged(1e-6, 0.0034), 0.01, 1e-3, method, tolerance=tolerance, progress=False
        )
        assert charge_error(run, 1e-6, 0.0034) < 3 * tolerance


@pytest.mark.parametrize("solver", ["Radau", "BDF"])
def test_integrators_of_scipy_do_not_look_behind_a_jump(solver):
    """Radau went over the jump in one step, and its polynomial said 0.4 V before it."""
    run = lw.transient(charged(1e-9, 0.0034), 0.01, 1e-3, lw.ODE(solver), progress=False)
    assert charge_error(run, 1e-9, 0.0034) < 1e-7


@pytest.mark.parametrize("method", [lw.RK4(), lw.ODE("Radau"), lw.ODE("RK45")], ids=repr)
def test_explicit_methods_reach_rest(method):
    """Rates that have died away are round-off, of which no digits are asked."""
    m = lw.Model("resonator")
    a, b, c = (m.add(name, E.Node()) for name in "abc")
    m.add("source", E.VoltageSource(a, lw.GROUND, 1.0))
    m.add("resistor", E.Resistor(a, b, 1.0))
    m.add("coil", E.Inductor(b, c, 1e-3))
    m.add("capacitor", E.Capacitor(c, lw.GROUND, 1e-3))
    run = lw.transient(m, 0.1, 2e-4, method, progress=False)
    w, d = 500 * np.sqrt(3), 500.0
    decay = np.exp(-d * run.time)
    exact = 1 - decay * (np.cos(w * run.time) + d / w * np.sin(w * run.time))
    np.testing.assert_allclose(run["c"].voltage.values, exact, atol=2e-5)


def bridged(t):
    """The voltage behind a bridge of four equal diodes: by symmetry d, the voltage between their
    inputs, says all, i = (u − d)/r = I((d − v)/2) − I(−(d + v)/2)."""

    def current(v):
        return 1e-9 * np.expm1(v / 0.04) + v / 1e10  # below the bend at 0.886 V

    def rate(t, y):
        u = 10 * np.sin(100 * np.pi * t)

        def left(d):
            return (u - d) - 1.0 * (current((d - y[0]) / 2) - current(-(d + y[0]) / 2))

        d = brentq(left, -30.0, 30.0, xtol=1e-13)
        through = current((d - y[0]) / 2) + current(-(d + y[0]) / 2)
        return [(through - y[0] / 50) / 1e-3]

    return solve_ivp(rate, (0, t), [5.0], method="LSODA", rtol=1e-9, atol=1e-10).y[0, -1]


@pytest.mark.parametrize(
    ("method", "h"), [(lw.GeneralizedAlpha(), 1e-4), (lw.BDF2(), 1e-4), (lw.MS2(), 1e-4),
                      (lw.DIRK54(), 1e-4), (lw.DIRK54(), 1e-5), (lw.ODE("Radau"), 1e-3)], ids=repr,
)  # fmt: skip
def test_nodes_between_diodes_that_block_keep_a_voltage(method, h):
    """Four diodes that block left the source's nodes without any conductance, which was refused."""
    m = lw.Model("bridge")
    p, n, o = m.add("p", E.Node()), m.add("n", E.Node()), m.add("o", E.Node(value=5.0))
    m.add("source", E.VoltageSource(p, n, lw.sine(10, frequency=50), resistance=1.0))
    for name, ends in {"a": (p, o), "b": (n, o), "c": (lw.GROUND, p), "d": (lw.GROUND, n)}.items():
        m.add(name, E.Diode(*ends))
    m.add("capacitor", E.Capacitor(o, lw.GROUND, 1e-3))
    m.add("load", E.Resistor(o, lw.GROUND, 50.0))
    run = lw.transient(m, 0.02, h, method, progress=False)
    assert abs(run["o"].voltage.values[-1] - bridged(0.02)) < 5e-3


@pytest.mark.parametrize(
    "method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.MS2(), lw.DIRK54(), lw.RK4()], ids=repr
)
def test_a_restart_at_a_jump_takes_the_same_pieces(method, tmp_path):
    tau = 2e-4 if method == lw.RK4() else 1e-6
    h = 2e-4 if method == lw.RK4() else 1e-3
    whole = lw.transient(charged(tau, 0.004), 0.008, h, method, progress=False)
    part = lw.transient(charged(tau, 0.004), 0.004, h, method, progress=False)
    part.save(tmp_path / "part.nc")
    rest = lw.resume(tmp_path / "part.nc", 0.008, progress=False)
    np.testing.assert_array_equal(rest.values[-1], whole.values[-1])
