"""Electric circuits and DC motors in closed form, with closed accounts of energy."""

import numpy as np
import pytest
from scipy.linalg import expm

import linkwork as lw

E = lw.electric
IMPLICIT = [lw.GeneralizedAlpha(), lw.BDF2(), lw.MS2(), lw.DIRK33()]


def ran(m, t, h, method=None):
    return lw.transient(m, t=t, h=h, method=method or lw.GeneralizedAlpha(), progress=False)


def observed(build, exact, t, h, method):
    """Errors of `exact(run)` at h and h/2."""
    return [exact(ran(build(), t, x, method)) for x in (h, h / 2)]


def rc():
    m = lw.Model("rc")
    plus, out = m.add("plus", E.Node()), m.add("out", E.Node())
    m.add("source", E.VoltageSource(plus, lw.GROUND, 10))
    m.add("R", E.Resistor(plus, out, 1000))
    m.add("C", E.Capacitor(out, lw.GROUND, 1e-6))
    return m


@pytest.mark.parametrize("method", IMPLICIT, ids=lambda x: type(x).__name__)
def test_rc_in_closed_form(method):
    def error(run):
        return abs(run["out"].voltage.values - 10 * (1 - np.exp(-run.time / 1e-3))).max()

    coarse, fine = observed(rc, error, 5e-3, 5e-5, method)
    assert fine < 2e-3 and coarse / fine > 0.9 * 2 ** min(method.order, 3)


def test_outputs_have_units_and_the_account_is_closed():
    run = ran(rc(), 5e-3, 1e-5)
    assert run["out"].voltage.units == "V" and run["R"].current.units == "A"
    assert np.allclose(run["R"].current, run["C"].current, atol=1e-8)
    assert np.allclose(run["source"].current, run["R"].current, atol=1e-12)
    energy = run.energy
    assert float(energy.dissipated[-1]) == pytest.approx(0.5e-6 * 100, rel=2e-3)  # half is lost
    fine = ran(rc(), 5e-3, 5e-6).energy
    assert abs(energy.balance).max() < 2e-4 * float(energy.supplied[-1])
    assert float(abs(energy.balance).max() / abs(fine.balance).max()) == pytest.approx(4, rel=0.02)
    assert np.allclose(run["C"].stored_energy, 0.5e-6 * run["out"].voltage**2)


def test_rlc_in_closed_form():
    R, L, C = 10.0, 1e-3, 1e-6
    a = R / 2 / L
    w = np.sqrt(1 / L / C - a * a)

    def build():
        m = lw.Model("rlc")
        plus, mid, out = (m.add(n, E.Node()) for n in ("plus", "mid", "out"))
        m.add("source", E.VoltageSource(plus, lw.GROUND, 10))
        m.add("R", E.Resistor(plus, mid, R))
        m.add("L", E.Inductor(mid, out, L))
        m.add("C", E.Capacitor(out, lw.GROUND, C))
        return m

    def error(run):
        t = run.time
        exact = 10 * (1 - np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t)))
        return abs(run["out"].voltage.values - exact).max()

    coarse, fine = observed(build, error, 5e-4, 1e-6, lw.GeneralizedAlpha())
    assert fine < 1e-3 and coarse / fine == pytest.approx(4, rel=0.02)
    run = ran(build(), 5e-4, 1e-6)
    assert abs(run.energy.balance).max() < 1e-4 * float(run.energy.supplied.max())


def test_rlc_has_its_eigenvalue():
    m = lw.Model("tank circuit")
    out = m.add("out", E.Node())
    m.add("L", E.Inductor(out, lw.GROUND, 1e-3))
    m.add("C", E.Capacitor(out, lw.GROUND, 1e-6))
    m.add("R", E.Resistor(out, lw.GROUND, 1e3))
    a = 1 / (2 * 1e3 * 1e-6)
    w = np.sqrt(1 / (1e-3 * 1e-6) - a * a)
    assert lw.eigen(m).frequency.max() == pytest.approx(w / 2 / np.pi, rel=1e-9)


def test_capacitor_at_an_ideal_source():
    """i = C dU/dt + U/R, though nothing limits the current."""
    m = lw.Model("bypass")
    plus = m.add("plus", E.Node())
    m.add("source", E.VoltageSource(plus, lw.GROUND, lw.sine(10, frequency=50)))
    m.add("C", E.Capacitor(plus, lw.GROUND, 1e-6))
    m.add("R", E.Resistor(plus, lw.GROUND, 1e3))
    run = ran(m, 0.04, 1e-4)
    w = 100 * np.pi
    exact = 1e-5 * w * np.cos(w * run.time) + 1e-2 * np.sin(w * run.time)
    assert np.allclose(run["source"].current, exact, atol=1e-6)


def test_diode_holds_its_equation_and_rectifies():
    m = lw.Model("rectifier")
    plus, out = m.add("plus", E.Node()), m.add("out", E.Node())
    m.add("source", E.VoltageSource(plus, lw.GROUND, lw.sine(10, frequency=50)))
    diode = m.add("D", E.Diode(plus, out, saturation=1e-9, thermal=0.04, resistance=1e-3))
    m.add("C", E.Capacitor(out, lw.GROUND, 1e-3))
    m.add("R", E.Resistor(out, lw.GROUND, 100))
    run = ran(m, 0.06, 1e-4)
    v = run["D"].voltage.values
    exact = 1e-9 * np.expm1(v / 0.04) + v / diode.off
    assert np.allclose(run["D"].current, exact, rtol=1e-9, atol=1e-12)
    assert diode.resistance == 1e-3 and run["D"].current.min() > -1e-9 * 1.001 + v.min() / 1e10
    late = run.time > 0.02
    assert 7.5 < run["out"].voltage.values[late].min() < run["out"].voltage.values[late].max() < 10
    assert abs(run.energy.balance).max() < 1e-3 * float(run.energy.supplied[-1])


def test_a_switch_closes():
    """A switch that closes at t = 5 ms: the divider is that of its resistance."""
    m = lw.Model("switch")
    plus, out = m.add("plus", E.Node()), m.add("out", E.Node())
    m.add("source", E.CurrentSource(plus, lw.GROUND, 2.0))
    m.add("load", E.Resistor(plus, lw.GROUND, 10))
    m.add("S", E.Switch(plus, out, lw.formula("t > 0.005"), on=0.5, off=1e6))
    m.add("R", E.Resistor(out, lw.GROUND, 9.5))
    run = ran(m, 0.01, 1e-3)
    assert float(run["plus"].voltage[3]) == pytest.approx(20, rel=1e-4)
    assert float(run["plus"].voltage[-1]) == pytest.approx(10, rel=1e-12)
    assert float(run["S"].current[-1]) == pytest.approx(1, rel=1e-12)
    assert float(run["S"].closed[-1]) == 1


# --------------------------------------------------------------------------------------- motors
K, R, L, N, JR, C, J, U = 0.05, 0.6, 1e-2, 5.0, 1e-5, 1e-5, 0.02, 24.0


def drive(voltage=U, inductance=L, wired=False, turned=False, **words):
    m = lw.Model("drive")
    wheel = m.add("wheel", lw.Body(2, (0.01, 0.01, J)))
    ends = (wheel, lw.GROUND) if turned else (lw.GROUND, wheel)
    shaft = m.add("shaft", lw.Revolute(*ends, at=(0, 0, 0), axis=(0, 0, 1)))
    words = {"constant": K, "resistance": R, "inductance": inductance, "gear": N, "inertia": JR,
             "damping": C} | words  # fmt: skip
    if wired:
        plus = m.add("plus", E.Node())
        m.add("battery", E.VoltageSource(plus, lw.GROUND, voltage))
        m.add("motor", lw.DCMotor(shaft, plus, lw.GROUND, **words))
    else:
        m.add("motor", lw.DCMotor(shaft, voltage=voltage, **words))
    return m


def started(t, inductance):
    """Current and rate of the joint in closed form."""
    whole = J + N * N * JR
    if inductance == 0:
        a, b = (K * K * N * N / R + N * N * C) / whole, N * K * U / R / whole
        rate = b / a * (1 - np.exp(-a * t))
        return (U - K * N * rate) / R, rate
    A = np.array([[-R / inductance, -K * N / inductance], [N * K / whole, -N * N * C / whole]])
    b = np.array([U / inductance, 0.0])
    values, X = np.linalg.eig(A)
    end = -np.linalg.solve(A, b)
    x = end[:, None] + (X * np.linalg.solve(X, -end)) @ np.exp(np.outer(values, t))
    return x.real


@pytest.mark.parametrize("wired", [False, True])
@pytest.mark.parametrize("inductance", [0.0, L])
def test_motor_starts_in_closed_form(inductance, wired):
    def error(run):
        return abs(run["motor"].rate.values - started(run.time, inductance)[1]).max()

    coarse, fine = observed(
        lambda: drive(inductance=inductance, wired=wired), error, 0.5, 2e-3, lw.GeneralizedAlpha()
    )
    assert coarse / fine == pytest.approx(4, rel=0.05) and fine < 5e-3  # of 91 rad/s


@pytest.mark.parametrize("method", [lw.RK4(), lw.Recursive(), lw.DIRK33(), lw.ODE()],
                         ids=lambda x: type(x).__name__)  # fmt: skip
@pytest.mark.parametrize("turned", [False, True])
def test_motor_in_other_formulations(method, turned):
    """Without inductance it has no unknowns; in joint coordinates the rotor is part of the tree."""
    run = ran(drive(inductance=0.0, turned=turned), 0.3, 1e-3, method)
    current, rate = started(run.time, 0.0)
    assert np.allclose(run["motor"].rate, rate, atol=2e-6)
    assert np.allclose(run["motor"].current, current, atol=2e-6)
    assert abs(run.energy.balance).max() < 1e-4 * float(run.energy.supplied[-1])


def test_powers_of_a_motor():
    run = ran(drive(), 0.5, 5e-4)
    motor, energy = run["motor"], run.energy
    assert abs(energy.balance).max() < 3e-4 * float(energy.supplied[-1])
    assert np.allclose(motor.stored_energy, 0.5 * L * motor.current**2)
    assert np.allclose(motor.kinetic_energy, 0.5 * N * N * JR * motor.rate**2)
    assert np.allclose(energy.potential, motor.stored_energy)
    assert np.allclose(motor.electric_power, U * motor.current)
    assert np.allclose(motor.back_emf, N * K * motor.rate)
    assert motor.torque.units == "N m" and motor.heat.units == "W"


def test_the_rotor_of_a_motor_has_kinetic_energy():
    run = ran(drive(inductance=0.0), 0.5, 1e-3)
    kinetic = (J + N**2 * JR) * np.asarray(run["shaft"].rate) ** 2 / 2
    np.testing.assert_allclose(run.energy.kinetic, kinetic, rtol=1e-9, atol=1e-12)
    assert not run.energy.potential.any()


def test_a_motor_that_turns_with_what_carries_it():
    """Its torque is inner: with a free carrier the angular momentum of both stays zero."""
    m = lw.Model("two wheels")
    places = (("a", (0, 0, 0)), ("b", (0, 0, 1)))
    a, b = (m.add(n, lw.Body(1, (0.1, 0.1, 0.02), position=r)) for n, r in places)
    shaft = m.add("shaft", lw.Revolute(a, b, at=(0, 0, 0.5), axis=(0, 0, 1)))
    m.add("motor", lw.DCMotor(shaft, voltage=12, constant=0.1, resistance=1, inertia=1e-3, gear=3))
    run = ran(m, 0.2, 1e-3)
    spins = run.motion[:, :, 12]
    assert np.allclose(spins[:, 0], -spins[:, 1], atol=1e-9) and spins[-1, 1] > 5


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.MS2(), lw.SS3()],
                         ids=lambda x: type(x).__name__)  # fmt: skip
def test_a_sampled_voltage_keeps_the_order(method):
    """Rates of currents jump with the voltage; the drive's matrix exponential with u held."""
    k, r, l, j, period = 0.5, 0.6, 0.05, 0.02, 0.05
    Z = np.zeros((3, 3))
    Z[:2, :2], Z[0, 2] = [[-r / l, -k / l], [k / j, 0]], 1 / l
    P, x, exact = expm(Z * period), np.zeros(2), [0.0]
    for _ in range(20):
        x = P[:2, :2] @ x + P[:2, 2] * 0.3 * (40 - x[1])
        exact.append(x[1])
    errors = []
    for n in (10, 20):
        m = lw.Model("servo")
        wheel = m.add("wheel", lw.Body(1, (1, 1, j)))
        shaft = m.add("shaft", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
        rate = lw.reads(shaft, "rate")
        u = lw.Controller(lambda t, x: 0.3 * (40 - x[0]), [rate], every=period)[0]
        m.add("motor", lw.DCMotor(shaft, voltage=u, constant=k, resistance=r, inductance=l))
        run = ran(m, 20 * period, period / n, method)
        errors.append(abs(run["motor"].rate.values[::n] - exact).max())
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1) and errors[1] < 2e-2


def test_motors_can_be_read():
    m = drive(inductance=0.0)
    torque, current = lw.reads(m["motor"], "torque"), lw.reads(m["motor"], "current")
    m.add("echo", lw.Torque(m["wheel"], (0, 0, 1), drive=1e-12 * torque + 1e-12 * current))
    run = ran(m, 0.1, 1e-3)
    assert np.allclose(run["echo"].torque[:, 2] * 1e12, run["motor"].torque + run["motor"].current)


# ------------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda n, j: E.Resistor(n, n, 5), "joins.*with itself"),
        (lambda n, j: E.Resistor(n, 3, 5), "minus.*Node or GROUND"),
        (lambda n, j: E.Resistor(n, lw.GROUND, 0), "resistance.*positive"),
        (lambda n, j: E.Resistor(n, lw.GROUND), "resistance"),
        (lambda n, j: E.Capacitor(n, lw.GROUND, -1), "capacitance"),
        (lambda n, j: E.Inductor(n, lw.GROUND, "big"), "inductance"),
        (lambda n, j: E.VoltageSource(n, lw.GROUND), "voltage"),
        (lambda n, j: E.Diode(n, lw.GROUND, thermal=0), "thermal"),
        (lambda n, j: lw.DCMotor(j, constant=1, resistance=1), "needs a voltage"),
        (lambda n, j: lw.DCMotor(j, n, voltage=3, constant=1, resistance=1), "either voltage="),
        (lambda n, j: lw.DCMotor(j, voltage=3, resistance=1), "constant"),
        (lambda n, j: lw.DCMotor(j, voltage=3, constant=1, resistance=1, gear=0), "gear"),
        (lambda n, j: lw.DCMotor(n, voltage=3, constant=1, resistance=1), "needs a joint"),
        (lambda n, j: lw.DCMotor(lw.Spherical(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0)),
                                 voltage=3, constant=1, resistance=1), "bend"),
    ],
)  # fmt: skip
def test_mistakes_are_said(make, message):
    joint = lw.Revolute(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(lw.LinkworkError, match=message):
        make(E.Node(), joint)


def test_circuits_that_nothing_determines_are_said():
    m = lw.Model("floating")
    a, b = m.add("a", E.Node()), m.add("b", E.Node())
    m.add("source", E.VoltageSource(a, b, 5))
    m.add("R", E.Resistor(a, b, 1))
    with pytest.raises(lw.SingularError, match="nothing determines voltage"):
        ran(m, 0.1, 0.01)
    m = lw.Model("alone")
    m.add("a", E.Node())
    with pytest.raises(lw.ModelError, match="joined to nothing"):
        ran(m, 0.1, 0.01)
    m = lw.Model("jump")
    a = m.add("a", E.Node(0.0))
    m.add("source", E.VoltageSource(a, lw.GROUND, 5))
    m.add("C", E.Capacitor(a, lw.GROUND, 1e-3))
    with pytest.raises(lw.ModelError, match="begins with 5 V.*with 0 V"):
        ran(m, 0.1, 0.01)


def test_circuits_are_drawn():
    import matplotlib

    matplotlib.use("Agg")
    ax = ran(rc(), 1e-3, 1e-4).draw_circuit()
    words = " ".join(text.get_text() for text in ax.texts)
    assert "out" in words and " V" in words and "A" in words
