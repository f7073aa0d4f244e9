"""Cylinders, motors and valves beside mechanisms: stiffness, response, mass and energy."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

H = lw.hydraulics
OIL = H.Fluid(850, 1.4e9, 0.02)


def run(m, t, h, **options):
    return lw.transient(m, t=t, h=h, progress=False, **options)


def slide(mass=100.0, gravity=0.0, at=0.8):
    """A block on a slide along x, its centre at `at`."""
    m = lw.Model("slide", gravity=(-gravity, 0, 0))
    block = m.add("block", lw.Body(mass, (1, 1, 1), position=(at, 0, 0)))
    m.add("guide", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=(1, 0, 0)))
    return m, block


def add_cylinder(m, block, p1, p2, **words):
    given = dict(area_1=2e-3, area_2=1.2e-3, closed=0.5, stroke=0.6, dead_volume=1e-5)
    return m.add("cylinder", H.Cylinder(lw.GROUND, block, p1, p2, **{**given, **words}))


def test_stiffness_of_a_locked_cylinder():
    """Both ports closed: k = β (A₁²/V₁ + A₂²/V₂) and ω = √(k/m)."""
    m, block = slide()
    p1, p2 = m.add("p1", H.Pressure(OIL, 0.0)), m.add("p2", H.Pressure(OIL, 0.0))
    add_cylinder(m, block, p1, p2)
    V1, V2 = 1e-5 + 2e-3 * 0.3, 1e-5 + 1.2e-3 * 0.3
    k = 1.4e9 * (2e-3**2 / V1 + 1.2e-3**2 / V2)
    w = np.abs(lw.eigen(m).eigenvalues.imag).max()
    np.testing.assert_allclose(w, np.sqrt(k / 100.0), rtol=1e-9)
    block.velocity = (0.01, 0, 0)
    m["p1"].value = m["p2"].value = 5e6
    m["cylinder"].area_2 = 2e-3  # in equilibrium at equal pressures
    r = run(m, 0.1, 1e-4, method=lw.GeneralizedAlpha(rho=1.0))
    exchanged = 0.5 * 100 * 0.01**2
    assert np.abs(r.energy["balance"].values).max() < 1e-3 * exchanged
    # nothing leaves a closed chamber: ρ V stays to round-off of Newton's method
    for i in (1, 2):
        p = r[f"p{i}"].pressure.values
        volume = getattr(r["cylinder"], f"volume_{i}").values
        chamber = 850 * (1 + p / 1.4e9) * volume
        np.testing.assert_allclose(chamber, chamber[0], rtol=3e-7)
        np.testing.assert_allclose(getattr(r["cylinder"], f"mass_flow_{i}").values, 0, atol=1e-9)


def servo(opening, mass=200.0, viscous=4000.0, method=None):
    """A four-way valve and a symmetric cylinder that moves a mass."""
    m, block = slide(mass)
    supply, tank = m.add("supply", H.Supply(OIL, 2e7)), m.add("tank", H.Tank(OIL, 1e5))
    a, b = m.add("a", H.Pressure(OIL, 1.005e7)), m.add("b", H.Pressure(OIL, 1.005e7))
    m.add("valve", H.Valve(supply, a, b, tank, area=1e-5, opening=opening, leakage=0.0))
    add_cylinder(
        m, block, a, b, area_1=1e-3, area_2=1e-3, viscous=viscous, dead_volume=1e-6
    )
    return m


@pytest.mark.parametrize("ratio", [0.1, 0.35, 0.7])
def test_servo_valve_and_cylinder_against_a_linear_model(ratio):
    """Speed over opening: (K_q/A)/(s²/ω_h² + 2 ζ s/ω_h + 1), Merritt 1967, section 6.1.

    K_q = C_d w √(Δp_S/ρ), ω_h² = 2 β A²/(V m) with V of one chamber, 2 ζ/ω_h = B V/(2 β A²) at zero
    leakage, with the density of 100 bar.  Amplitude and phase after the transient, for openings so
    small that load pressures are a small part of the supply's.
    """
    mass, B, A, V = 200.0, 4000.0, 1e-3, 1e-3 * 0.3 + 1e-6
    p = 1.005e7
    rho, beta = 850 * (1 + p / 1.4e9), 1.4e9 * (1 + p / 1.4e9)
    hydraulic = 2 * beta * A * A / V
    wh = np.sqrt(hydraulic / mass)
    w = ratio * wh
    cycles = max(4, int(np.ceil(8 / (B / (2 * mass)) * w / (2 * np.pi))))
    amplitude = 4e-3
    period = 2 * np.pi / w
    m = servo(lw.expression(f"{amplitude}*sin({float(w)!r}*t)"), mass, B)
    r = run(m, (cycles + 2) * period, period / 200)
    v = r["cylinder"].rate.values
    last = r.time > r.time[-1] - 2 * period - 1e-12
    t = r.time[last]
    basis = np.column_stack([np.sin(w * t), np.cos(w * t), np.ones_like(t)])
    (a, b, _), *_ = np.linalg.lstsq(basis, v[last], rcond=None)
    gain = 0.611 * 1e-5 * np.sqrt((2e7 - 1e5) / rho) / A
    s = 1j * w
    linear = gain / (s * s / wh**2 + s * B / hydraulic + 1)
    found = (a + 1j * b) / amplitude
    np.testing.assert_allclose(abs(found), abs(linear), rtol=0.02)
    np.testing.assert_allclose(np.angle(found), np.angle(linear), atol=0.02)


def test_frequency_response_of_a_servo_valve_and_cylinder():
    """From a force on the spool to the piston's speed: `linearize` about an equilibrium under load,
    against complex derivatives of the equations of Merritt 1967, chapter 6, written down here."""
    m, block = slide(200.0)
    supply, tank = m.add("supply", H.Supply(OIL, 2e7)), m.add("tank", H.Tank(OIL, 1e5))
    a, b = m.add("a", H.Pressure(OIL, 1.1e7)), m.add("b", H.Pressure(OIL, 9e6))
    spool = m.add("spool", lw.Body(0.05, (1, 1, 1), position=(1e-4, 1, 0)))
    m.add("bore", lw.Prismatic(lw.GROUND, spool, at=(0, 1, 0), axis=(1, 0, 0)))
    m.add("centring", lw.Spring(
        lw.GROUND, spool, at_a=(-1, 1, 0), at_b=(1e-4, 1, 0), stiffness=2e4, damping=20.0,
        length=1.0,
    ))  # fmt: skip
    m.add("push", lw.Force(spool, (1, 0, 0), drive=lw.constant(2.0)))
    m.add("valve", H.Valve(
        supply, a, b, tank, area=1e-5, opening=1e3 * lw.reads(spool, "position", (1, 0, 0)),
        leakage=0.0,
    ))  # fmt: skip
    words = dict(area_1=1e-3, area_2=1e-3, viscous=4000.0, dead_volume=1e-6, leakage=2e-12)
    add_cylinder(m, block, a, b, **words)
    m.add("load", lw.Spring(
        lw.GROUND, block, at_a=(-1, 0, 0), at_b=(0.8, 0, 0), stiffness=4e5, length=1.8
    ))  # fmt: skip
    rest = lw.static(m)

    def rates(y, u):
        z, vz, x, v, pa, pb = y
        V1, V2 = 1e-6 + 1e-3 * (x - 0.5), 1e-6 + 1e-3 * (1.1 - x)
        rho = [850 * (1 + p / 1.4e9) for p in (pa, pb, (pa + pb) / 2, (2e7 + pa) / 2,
                                               (pb + 1e5) / 2)]  # fmt: skip
        k = 0.611 * 1e-5 * 1e3 * z * np.sqrt(2)
        into, out = k * np.sqrt(rho[3] * (2e7 - pa)), k * np.sqrt(rho[4] * (pb - 1e5))
        leak, stored = rho[2] * 2e-12 * (pa - pb), 850 / 1.4e9
        return np.array([
            vz, (u - 2e4 * z - 20 * vz) / 0.05, v,
            (1e-3 * (pa - pb) - 4000 * v - 4e5 * (x - 0.8)) / 200,
            (into - leak - rho[0] * 1e-3 * v) / (V1 * stored),
            (leak - out + rho[1] * 1e-3 * v) / (V2 * stored),
        ])  # fmt: skip

    found = [rest["spool"].position[0], rest["block"].position[0], rest["a"].pressure,
             rest["b"].pressure]  # fmt: skip
    z, x, pa, pb = (float(value) for value in found)
    y = np.array([z, 0, x, 0, pa, pb])
    assert pa - pb > 1e5 and abs(z - 1e-4) < 1e-12
    sizes = np.array([0, 40.0, 0, 0.01, 1e9, 1e9])
    np.testing.assert_allclose(rates(y, 2.0), 0, atol=1e-6 * sizes.max())
    tiny = 1e-20
    A = np.column_stack([rates(y + 1j * tiny * e, 2.0).imag / tiny for e in np.eye(6)])
    B = rates(y.astype(complex), 2.0 + 1j * tiny).imag / tiny
    ss = lw.linearize(m, at=rest, inputs=["push"], outputs=["block.velocity.x"])
    for w in (1.0, 30.0, 100.0, 300.0, 1000.0):
        expected = np.linalg.solve(1j * w * np.eye(6) - A, B)[3]
        n = len(ss.A)
        response = (ss.C @ np.linalg.solve(1j * w * np.eye(n) - ss.A, ss.B) + ss.D)[0, 0]
        np.testing.assert_allclose(response, expected, rtol=1e-6)


def test_mass_is_conserved_to_round_off():
    """At every node the flows of all elements balance; what is stored is what flowed in."""
    m = servo(lw.expression("0.3*sin(20*t)"))
    m.add("pipe", H.Pipe(m["a"], m["b"], diameter=1e-3, length=0.5))
    r = run(m, 0.2, 2e-4)
    valve, cylinder, pipe = r["valve"], r["cylinder"], r["pipe"]
    size = np.abs(cylinder.mass_flow_1.values).max()
    at_a = valve.mass_flow_1_2 - valve.mass_flow_2_4 - cylinder.mass_flow_1 - pipe.mass_flow
    at_b = valve.mass_flow_1_3 - valve.mass_flow_3_4 - cylinder.mass_flow_2 + pipe.mass_flow
    for balance in (at_a, at_b):
        np.testing.assert_allclose(balance.values[1:], 0, atol=1e-8 * size)
    outside = r["supply"].mass_flow.values - valve.mass_flow_1_2 - valve.mass_flow_1_3
    np.testing.assert_allclose(outside.values[1:], 0, atol=1e-12 * size)


def test_energy_of_a_lift_is_accounted_for():
    """Pump, relief valve, valve and cylinder raise a weight: supplied = stored + work + lost."""
    m, block = slide(500.0, 9.81, at=0.7)
    tank = m.add("tank", H.Tank(OIL, 1e5))
    line = m.add("line", H.Pressure(OIL, 5e6, volume=1e-3))
    a, b = m.add("a", H.Pressure(OIL, 2.6e6)), m.add("b", H.Pressure(OIL, 1e5))
    m.add("pump", H.Pump(tank, line, flow=4e-4, leakage=1e-13))
    m.add("relief", H.ReliefValve(line, tank, crack=1e7, full=1.2e7, area=2e-5))
    opening = lw.table([0, 0.1, 0.2, 1.0, 1.1, 2.0], [0, 0, 1, 1, 0, 0], kind="linear")
    m.add("valve", H.Valve(line, a, b, tank, area=1e-5, opening=opening))
    add_cylinder(m, block, a, b, coulomb=200.0, static=250.0, viscous=500.0, leakage=1e-13)
    r = run(m, 1.5, 2e-4)
    e = r.energy
    supplied = e["supplied"].values[-1]
    raised = r["block"].position.values[-1, 0] - 0.7
    assert raised > 0.05
    work = 500 * 9.81 * raised
    assert supplied > work > 0
    assert np.abs(e["balance"].values).max() < 2e-4 * supplied
    power = r["pump"].power.values + r["tank"].power.values
    total = np.sum((power[1:] + power[:-1]) / 2 * np.diff(r.time))
    np.testing.assert_allclose(total, supplied, rtol=1e-4)
    p = r["a"].pressure.values[-1]
    np.testing.assert_allclose(
        2e-3 * p - 1.2e-3 * r["b"].pressure.values[-1], 500 * 9.81, atol=260.0
    )  # held, but for friction


def test_end_stops_hold_the_piston():
    m, block = slide(100.0)
    p1, p2 = m.add("p1", H.Supply(OIL, 2e6)), m.add("p2", H.Tank(OIL, 0.0))
    add_cylinder(m, block, p1, p2, viscous=4000.0, stop_damping=2.0)
    r = run(m, 1.5, 5e-4)
    stroke = r["cylinder"].stroke.values
    assert stroke.max() < 0.602
    np.testing.assert_allclose(stroke[-1], 0.6 + 2e-3 * 2e6 / 1e8, rtol=1e-4)
    # on the way there: m v̇ = A p − c v
    early = r.time < 0.05
    exact = 2e-3 * 2e6 / 4000.0 * (1 - np.exp(-40 * r.time[early]))
    np.testing.assert_allclose(r["cylinder"].rate.values[early], exact, atol=1e-4)


def test_a_motor_turns_a_flywheel():
    """J ω̇ = D Δp − c ω, and D ω + G Δp flows; turned in space the same."""
    m = lw.Model("motor")
    axis = np.array([1.0, 2.0, 2.0]) / 3
    wheel = m.add("wheel", lw.Body(10.0, (0.5, 0.5, 0.5)))
    m.add("shaft", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=axis))
    p1, p2 = m.add("p1", H.Supply(OIL, 1e7)), m.add("p2", H.Tank(OIL, 1e5))
    m.add("motor", H.RotaryMotor(
        lw.GROUND, wheel, p1, p2, axis=axis, displacement=5e-6, viscous=0.4, leakage=1e-12
    ))  # fmt: skip
    r = run(m, 2.0, 1e-3)
    T = 5e-6 * 9.9e6
    exact = T / 0.4 * (1 - np.exp(-0.8 * r.time))
    np.testing.assert_allclose(r["motor"].rate.values, exact, atol=1e-5 * exact.max())
    flow = 5e-6 * exact + 1e-12 * 9.9e6
    np.testing.assert_allclose(r["motor"].flow.values, flow, rtol=1e-4)
    supplied = r.energy["supplied"].values[-1]
    assert np.abs(r.energy["balance"].values).max() < 1e-5 * supplied


def test_a_spool_valve_follows_its_force():
    """m s̈ + c ṡ + k s = F: the spool is an oscillator; its edges are those of a Valve."""
    m = lw.Model("spool")
    p = [m.add("p1", H.Supply(OIL, 1e7)), m.add("p2", H.Supply(OIL, 4e6)),
         m.add("p3", H.Supply(OIL, 3e6)), m.add("p4", H.Tank(OIL, 1e5))]  # fmt: skip
    m.add("valve", H.SpoolValve(
        *p, width=0.01, stroke=2e-3, mass=0.1, stiffness=1e4, damping=10.0, force=10.0, leakage=0.0
    ))  # fmt: skip
    r = run(m, 0.4, 1e-4)
    w, z = np.sqrt(1e5), 10.0 / (2 * np.sqrt(0.1 * 1e4))
    d = w * np.sqrt(1 - z * z)
    t = r.time
    exact = 1e-3 * (1 - np.exp(-z * w * t) * (np.cos(d * t) + z * w / d * np.sin(d * t)))
    s = r["valve"].spool.values
    np.testing.assert_allclose(s, exact, atol=2e-6)
    rho = OIL.density_at(7e6)[0]
    q = 0.611 * 0.01 * np.maximum(s, 0) * np.sqrt(2 * rho * 6e6)
    np.testing.assert_allclose(r["valve"].mass_flow_1_2.values, q, atol=1e-9)
    np.testing.assert_allclose(-r["p2"].mass_flow.values, q, atol=1e-9)


def test_pilot_pressures_move_a_spool():
    """At rest k s = A_v (p₅ − p₆)."""
    m = lw.Model("pilot")
    given = (1e7, 4e6, 3e6, 1e5, 8e5, 3e5)
    ends = [m.add(f"p{i + 1}", H.Supply(OIL, x)) for i, x in enumerate(given)]
    m.add("valve", H.SpoolValve(
        *ends[:4], width=0.01, stroke=2e-3, mass=0.1, stiffness=1e4, damping=60.0, p5=ends[4],
        p6=ends[5], pilot_area=2e-5,
    ))  # fmt: skip
    r = run(m, 0.4, 2e-4)
    np.testing.assert_allclose(r["valve"].spool.values[-1], 2e-5 * 5e5 / 1e4, rtol=1e-6)
    swept = np.sum(r["p5"].mass_flow.values[1:] + r["p5"].mass_flow.values[:-1]) / 2 * 2e-4
    rho = OIL.density_at(5.5e5)[0]
    np.testing.assert_allclose(swept, rho * 2e-5 * 1e-3, rtol=1e-3)


def test_a_circuit_keeps_the_cost_linear():
    """A cylinder on every joint of an arm: nodes leave before bodies, none is in the core."""
    from inside import ImplicitRun, assemble_model

    m = lw.Model("arm", gravity=(0, 0, -9.81))
    before = lw.GROUND
    for i in range(8):
        link = m.add(f"link{i}", lw.Body.link((i, 0, 0), (i + 1, 0, 0), radius=0.05, density=1000))
        m.add(f"pin{i}", lw.Revolute(before, link, at=(i, 0, 0), axis=(0, 1, 0)))
        ends = [m.add(f"{x}{i}", H.Pressure(OIL, 1e6)) for x in "ab"]
        m.add(f"cylinder{i}", H.Cylinder(
            before, link, *ends, at_a=(i - 0.3, 0, -0.2), at_b=(i + 0.4, 0, 0.1), bore=0.05,
            rod=0.03, closed=0.5, stroke=0.5, dead_volume=1e-5,
        ))  # fmt: skip
        before = link
    a = assemble_model(m)
    stepping = ImplicitRun(a.data, lw.GeneralizedAlpha(), a.state, 1e-3, None)
    assert len(stepping.lu.core) == 0 and len(stepping.lu.condensed.first) == 16


def test_mistakes_of_cylinders_are_named():
    m, block = slide()
    p1, p2 = m.add("p1", H.Pressure(OIL, 1e5)), m.add("p2", H.Pressure(OIL, 1e5))

    def refuse(*parts, **words):
        with pytest.raises(lw.ModelError) as caught:
            add_cylinder(m, block, p1, p2, **words)
        for part in parts:
            assert part in str(caught.value), caught.value

    refuse("its length goes from 0.5 m to 0.6 m", stroke=0.1)
    refuse("area_1 of a Cylinder must be positive", area_1=-1.0)
    refuse("chamber of no volume", closed=0.8, dead_volume=0.0)
    refuse("one of them", bore=0.1)
    refuse("thinner than its bore", area_1=None, area_2=None, bore=0.05, rod=0.05)
    with pytest.raises(lw.ModelError, match="with itself"):
        H.Cylinder(block, block, p1, p2, bore=0.1, stroke=1.0)
    with pytest.raises(lw.ModelError, match="joins Pressure 'p1' with itself"):
        add_cylinder(m, block, p1, p1)


def test_the_circuit_is_drawn_with_its_state():
    import matplotlib.pyplot as plt

    r = run(servo(0.2), 0.05, 1e-3)
    ax = r.draw_circuit(time=0.02)
    texts = [text.get_text() for text in ax.texts]
    p = r["a"].pressure.values[20] / 1e5
    assert f"a\n{p:.1f} bar" in texts
    assert {"valve", "cylinder"} <= {text.split("\n")[0] for text in texts}
    assert "t = 0.02 s" in ax.get_title()
    plt.close("all")
    m = lw.Model("dry")
    m.add("body", lw.Body(1, (1, 1, 1)))
    with pytest.raises(lw.ModelError, match="no circuit to draw"):
        run(m, 0.1, 0.1).draw_circuit()
