"""Heat: a balance, a closed form, radiation, and what motors and dampers lose."""

import numpy as np
import pytest

import linkwork as lw

T = lw.thermal


def ran(m, t, h):
    return lw.transient(m, t=t, h=h, progress=False)


def two_masses():
    """The deck o2: 50 and 20 J/K, 0.5 and 1 K/W, a sink of 300 K, 50 W."""
    m = lw.Model("heat")
    first = m.add("first", T.Temperature(300, capacitance=50))
    second = m.add("second", T.Temperature(300))
    m.add("mass", T.Capacitance(second, 20))
    sink = m.add("sink", T.Ambient(300))
    m.add("inner", T.Resistance(first, second, 0.5))
    m.add("outer", T.Resistance(second, sink, 1.0))
    m.add("source", T.HeatSource(first, lw.formula("where(t < 1, 25*(1 - cos(pi*t)), 50)")))
    return m


def test_two_masses_in_closed_form():
    """The exact column of MBDyn's record o2."""
    run = ran(two_masses(), 100, 0.1)
    exact = {10: (308.24859, 302.65094), 50: (332.43851, 319.34005), 100: (350.66999, 332.47311)}
    for t, (first, second) in exact.items():
        k = int(np.argmin(abs(run.time - t)))
        assert float(run["first"].temperature[k]) == pytest.approx(first, abs=3e-5)
        assert float(run["second"].temperature[k]) == pytest.approx(second, abs=3e-5)
    assert run["first"].temperature.units == "K"


def test_heat_is_balanced():
    run = ran(two_masses(), 100, 0.1)
    supplied = run["source"].heat_flow + run["sink"].heat_flow
    into = run["first"].heat_flow + run["mass"].heat_flow
    assert np.allclose(supplied, into, atol=1e-9)
    whole = np.trapezoid(supplied, run.time)
    assert whole == pytest.approx(float(run["first"].heat[-1] + run["mass"].heat[-1]), rel=1e-7)


def test_radiation_cools_to_the_power_of_four():
    """C dT/dt = −k T⁴ against 0 K: T⁻³ = T₀⁻³ + 3 k t/C."""
    m = lw.Model("radiator")
    hot, space = m.add("hot", T.Temperature(900, capacitance=100)), m.add("space", T.Ambient(0))
    m.add("surface", T.Radiation(hot, space, area=0.1, emissivity=0.8))
    run = ran(m, 100, 0.1)
    k = 0.8 * 0.1 * 5.670374419e-8
    exact = (900.0**-3 + 3 * k * run.time / 100) ** (-1 / 3)
    fine = ran(m, 100, 0.05)
    errors = [abs(x["hot"].temperature[-1].item() - exact[-1]) for x in (run, fine)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1) and errors[1] < 1e-2


def test_losses_become_heat():
    """All that a motor, a damper and a resistor dissipate warms one place."""
    m = lw.Model("drive")
    wheel = m.add("wheel", lw.Body(2, (0.01, 0.01, 0.02)))
    shaft = m.add("shaft", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
    plus, mid = m.add("plus", lw.electric.Node()), m.add("mid", lw.electric.Node())
    m.add("battery", lw.electric.VoltageSource(plus, lw.GROUND, 24))
    cable = m.add("cable", lw.electric.Resistor(plus, mid, 0.2))
    motor = m.add("motor", lw.DCMotor(shaft, mid, lw.GROUND, constant=0.05, resistance=0.6, gear=5,
                                      inductance=1e-3, damping=1e-5))  # fmt: skip
    damper = m.add("damper", lw.TorsionSpring(shaft, stiffness=0, damping=0.1))
    case = m.add("case", T.Temperature(300, capacitance=10))
    m.add("air", T.Ambient(300))
    m.add("cooling", T.Resistance(case, m["air"], 2.0))
    m.add("heat", T.HeatSource(case, losses=[cable, motor, damper]))
    run = ran(m, 0.5, 5e-4)
    heat = np.trapezoid(run["heat"].heat_flow, run.time)
    assert heat == pytest.approx(float(run.energy.dissipated[-1]), rel=1e-6)
    kept = float(run["case"].heat[-1]) + np.trapezoid(run["cooling"].heat_flow, run.time)
    assert heat == pytest.approx(kept, rel=1e-5)


def sliding_block(m, joint, **words):
    block = m.add("block", lw.Body(2, (1, 1, 1), velocity=(1.5, 0, 0)))
    made = m.add("rail", joint(lw.GROUND, block, at=(0, 0, 0), **words))
    return m.add("rubs", lw.Friction(made, lw.Coulomb(0.3, stiffness=1e6)))


def braked_disc(m):
    disc = m.add("disc", lw.Body(2, (0.3, 0.3, 0.5), angular_velocity=(0, 0, 3)))
    m.add("pin", lw.Revolute(lw.GROUND, disc, at=(0, 0, 0), axis=(0, 0, 1)))
    return m.add("rubs", lw.Brake(lw.GROUND, disc, axis=(0, 0, 1), radius=0.2, load=60,
                                  model=lw.Coulomb(0.4, stiffness=1e6)))  # fmt: skip


@pytest.mark.parametrize("make", [
    lambda m: sliding_block(m, lw.Prismatic, axis=(1, 0, 0)),
    lambda m: sliding_block(m, lw.Planar, axis=(0, 0, 1)),
    braked_disc,
], ids=["rail", "plane", "brake"])  # fmt: skip
def test_friction_becomes_heat(make):
    """What slides to rest warms a place by its kinetic energy, 9/4 J, over the capacitance."""
    rises = []
    for h in (4e-3, 2e-3):
        m = lw.Model("stops", gravity=(0, 0, -9.81))
        rubs = make(m)
        case = m.add("case", T.Temperature(300, capacitance=5))
        m.add("heat", T.HeatSource(case, losses=rubs))
        run = ran(m, 0.8, h)
        assert abs(run["rubs"].speed[-1]) < 1e-3
        rises.append(float(run["case"].temperature[-1]) - 300)
        assert 5 * rises[-1] == pytest.approx(float(run.energy.dissipated[-1]), rel=1e-3)
        assert np.trapezoid(run["heat"].heat_flow, run.time) == pytest.approx(2.25, rel=5e-3)
    assert rises == pytest.approx([0.45, 0.45], rel=5e-3)


def test_a_winding_that_warms_has_more_resistance():
    """R = R₀ (1 + α (T − T₀)): a resistor that reads a temperature."""
    m = lw.Model("winding")
    plus = m.add("plus", lw.electric.Node())
    m.add("source", lw.electric.VoltageSource(plus, lw.GROUND, 10))
    place = m.add("place", T.Temperature(293, capacitance=5))
    warm = lw.reads(place, "temperature")
    coil = m.add("coil", lw.electric.Resistor(plus, lw.GROUND, 2 * (1 + 0.004 * (warm - 293))))
    m.add("heat", T.HeatSource(place, losses=coil))
    run = ran(m, 10, 0.01)
    x = run["place"].temperature.values - 293  # 5 x (1 + 0.004 x/2) = 50 t
    assert np.allclose(5 * x * (1 + 0.002 * x), 50 * run.time, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda a: T.Resistance(a, a, 1), "with itself"),
        (lambda a: T.Resistance(a, lw.GROUND, 1), "b.*Temperature or an Ambient"),
        (lambda a: T.Resistance(a, T.Ambient(), 0), "positive"),
        (lambda a: T.Capacitance(a), "capacitance"),
        (lambda a: T.HeatSource(a), "either heat_flow="),
        (lambda a: T.HeatSource(a, losses=lw.Body(1, (1, 1, 1))), "losses.*DCMotor"),
        (lambda a: T.Radiation(a, T.Ambient(), area=-1), "area"),
        (lambda a: T.Temperature("hot"), "value"),
    ],
)  # fmt: skip
def test_mistakes_are_said(make, message):
    with pytest.raises(lw.LinkworkError, match=message):
        make(T.Temperature(300))
