"""Circuits that cannot work: what is refused, and how cavitation is noticed."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

H = lw.hydraulics
OIL = H.Fluid(850, viscosity=0.02)  # incompressible
ELASTIC = H.Fluid(850, 1.4e9, 0.02)


def run(m, t, h, **options):
    return lw.transient(m, t=t, h=h, progress=False, **options)


def refuse(build, *words):
    with pytest.raises(lw.LinkworkError) as caught:
        build()
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert word in text, text


def test_mistakes_are_named():
    m = lw.Model("mistakes")
    p1, p2 = m.add("p1", H.Pressure(OIL, 1e5)), m.add("p2", H.Pressure(OIL, 1e5))
    other = m.add("other", H.Pressure(ELASTIC, 1e5))
    pipe = dict(diameter=0.01, length=1.0)
    refuse(lambda: H.Pipe(p1, p1, **pipe), "a Pipe joins Pressure 'p1' with itself")
    refuse(lambda: H.Pipe(p1, other, **pipe), "different fluids", "'p1'", "'other'")
    refuse(lambda: H.Pipe(p1, p2, diameter=-0.01, length=1.0), "diameter of a Pipe", "positive")
    refuse(lambda: H.Pipe(p1, 3.0, **pipe), "p2 of a Pipe must be a Pressure")
    refuse(lambda: H.Orifice(p1, p2, area=-1e-6), "area of an Orifice must be positive")
    refuse(lambda: H.DynamicPipe(p1, p2, **pipe), "incompressible", "bulk_modulus")
    dry = H.Fluid(850)
    ends = H.Pressure(dry), H.Pressure(dry)
    refuse(lambda: H.Pipe(*ends, **pipe), "its fluid has none", "viscosity=")
    wet = H.Fluid(850, vapour_pressure=2e3)
    refuse(lambda: H.Pressure(wet, 1e3), "below the vapour pressure 2000 Pa")
    refuse(lambda: H.Pressure("oil"), "fluid of a Pressure must be a Fluid")
    refuse(lambda: H.Fluid(-1.0), "density of a Fluid must be positive")
    refuse(lambda: H.Fluid(1, 1e9, sound_speed=1e3), "both were given")
    refuse(lambda: H.Fluid(1, air=0.1), "needs bulk_modulus")
    refuse(lambda: H.ReliefValve(p1, p2, crack=2e6, full=1e6, area=1e-5), "must be above crack")
    refuse(lambda: run(m, 0.1, 0.1), "pressure 'p1' is joined to nothing")
    m.add("pipe", H.Pipe(p1, H.Pressure(OIL), **pipe))
    refuse(lambda: run(m, 0.1, 0.1), "Pipe 'pipe'", "not in model")


def test_a_circuit_without_any_given_pressure_is_refused():
    """Two incompressible nodes and a pipe between: the level of their pressure is open."""
    m = lw.Model("floating")
    p1, p2 = m.add("p1", H.Pressure(OIL, 1e5)), m.add("p2", H.Pressure(OIL, 1e5))
    m.add("pipe", H.Pipe(p1, p2, diameter=0.01, length=1.0))
    refuse(lambda: run(m, 0.1, 0.01), "p")


def test_a_closed_volume_without_compressibility_is_named():
    m = lw.Model("closed")
    line = m.add("line", H.Pressure(OIL, 1e5))
    m.add("pump", H.Pump(m.add("tank", H.Tank(OIL, 1e5)), line, flow=1e-4))
    with pytest.raises(lw.SingularError, match="determines pressure 'line'; a closed volume needs"):
        run(m, 0.1, 0.01)


def test_cavitation_is_refused_and_air_prevents_it():
    """Fluid is pumped out of a closed volume: below the vapour pressure, or thinned air."""
    for air in (0.0, 0.01):
        fluid = H.Fluid(850, 1.4e9, 0.02, reference_pressure=1e5, air=air)
        m = lw.Model("empty")
        tank = m.add("tank", H.Tank(fluid, 1e5))
        line = m.add("line", H.Pressure(fluid, 1e5, volume=1e-3))
        m.add("pump", H.Pump(line, tank, flow=1e-5))
        if air:
            p = run(m, 1.0, 1e-3)["line"].pressure.values
            assert np.all(p > 0) and p[-1] < 6e4
            mass = run(m, 1.0, 1e-3)["line"].mass.values
            assert mass[-1] < mass[0]
        else:
            refuse(lambda m=m: run(m, 1.0, 1e-3), "pressure 'line' fell to", "vapour", "air=")


def draining(fluid):
    """Fluid is pumped out of a closed volume and back into it: its pressure dips for a moment."""
    m = lw.Model("dip")
    tank = m.add("tank", H.Tank(fluid, 1e5))
    line = m.add("line", H.Pressure(fluid, 1e5, volume=1e-3))
    m.add("pump", H.Pump(line, tank, flow=lw.expression("4e-6*sin(2*pi*t/0.1)")))
    return m


@pytest.mark.parametrize("options", [
    {"every": 100}, {"tolerance": 1e-4}, {"method": lw.BDF2()}, {"stop": lambda t, now: 1.0},
])  # fmt: skip
def test_cavitation_between_stored_steps_is_noticed(options):
    """The pressure is below zero from 0.03 to 0.07 s; steps are stored at 0 and 0.1 s alone."""
    fluid = H.Fluid(850, 1.4e9, 0.02, reference_pressure=1e5)
    m = draining(fluid)
    low = 1e5 - 1.4e9 / 1e-3 * 4e-6 * 0.1 / np.pi
    assert low < -5e4
    with pytest.raises(lw.ConvergenceError, match="pressure 'line' fell to .* at t = 0.0[23]"):
        run(m, 0.1, 1e-3, **options)
    wet = H.Fluid(850, 1.4e9, 0.02, reference_pressure=1e5, vapour_pressure=low - 1e3)
    assert len(run(draining(wet), 0.1, 1e-3, every=10)) == 11


def test_equilibria_below_the_vapour_pressure_are_refused():
    m = lw.Model("suction")
    p1, p2 = m.add("p1", H.Tank(OIL, 1e5)), m.add("p2", H.Pressure(OIL, 1e5))
    m.add("hole", H.Orifice(p1, p2, area=1e-6))
    m.add("out", H.FlowSource(p2, -0.1))
    with pytest.raises(lw.ConvergenceError, match="pressure 'p2' fell to .* in equilibrium"):
        lw.static(m)


def test_a_super_fluid_boils_at_its_saturation_pressure():
    """Mass leaves a closed volume: the pressure stays near that of saturation while vapour grows,
    and the energy account of the vapour is closed."""
    fluid = H.Fluid(850, 1.4e9, 0.02, law="super", reference_pressure=1e5, transition=1e4)
    m = lw.Model("boiling")
    line = m.add("line", H.Pressure(fluid, 2e5, volume=1e-3))
    m.add("out", H.FlowSource(line, -0.4))
    r = run(m, 1.5, 1e-6, tolerance=1e-7)
    p, mass = r["line"].pressure.values, r["line"].mass.values
    np.testing.assert_allclose(mass, mass[0] - 0.4 * r.time, atol=1e-4 * mass[0])
    boiling = (mass > 0.3) & (mass < 0.42)
    exact = 1e5 + 1e4 * np.arctanh(2 * (mass[boiling] / 1e-3 - 0.85) / 850 - 1)
    np.testing.assert_allclose(p[boiling], exact, rtol=1e-6)
    supplied = np.abs(r.energy["supplied"].values).max()
    assert np.abs(r.energy["balance"].values).max() < 1e-3 * supplied


def test_a_tank_that_is_emptied_ends_the_run():
    """100 l/s m² out of half a metre: empty after 5 s."""
    m = lw.Model("draining")
    tank = m.add("tank", H.Tank(OIL, 1e5, area=0.01, level=0.5))
    m.add("pump", H.Pump(tank, m.add("sink", H.Tank(OIL, 1e5)), flow=1e-3))
    lw.transient(m, 4.9, 0.1, progress=False)
    with pytest.raises(lw.ConvergenceError, match=r"empties a tank: pressure 'tank'.*higher level"):
        lw.transient(m, 6.0, 0.1, progress=False)
    with pytest.raises(lw.ConvergenceError) as caught:
        lw.transient(m, 6.0, 0.1, progress=False)
    assert caught.value.result.time[-1] == pytest.approx(5.0, abs=0.11)
