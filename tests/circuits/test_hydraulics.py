"""Hydraulic circuits: pipes, waves, restrictions, accumulators against closed forms and records."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import linkwork as lw

H = lw.hydraulics
OIL = H.Fluid(850, viscosity=0.02)  # incompressible
ELASTIC = H.Fluid(850, 1.4e9, 0.02)


def run(m, t, h, **options):
    return lw.transient(m, t=t, h=h, progress=False, **options)


# ------------------------------------------------------------------------------------ fluids


@pytest.mark.parametrize("words", [
    {}, {"law": "exponential"}, {"air": 0.01, "reference_pressure": 1e5},
    {"air": 0.01, "reference_pressure": 1e5, "polytropic": 1.0}, {"bulk_modulus": None},
    {"expansion": 7e-4, "temperature": 330.0},
    {"law": "super", "reference_pressure": 2e5, "transition": 3e4, "vapour_density": 5.0},
])  # fmt: skip
def test_fluids_have_the_density_of_their_law_and_its_integral(words):
    """ρ in closed form; ρ' and h = ∫ dp/ρ against differences and quadrature."""
    from linkwork.elements.hydraulics.fluids import over_time

    words = {"bulk_modulus": 1.4e9, **words}
    fluid = H.Fluid(850, **words)
    p = np.linspace(50.0, 4e7, 2001)
    at = partial(over_time, [fluid.kind], fluid.reals()[None, :])
    rho, _, _ = at(p)
    x, rho0 = p - fluid.reference_pressure, fluid.rho
    beta = fluid.beta
    expected = rho0 * (1 + x / beta) if fluid.compressible else np.full_like(p, 850.0)
    if fluid.law == "exponential":
        expected = rho0 * np.exp(x / beta)
    if fluid.law == "super":
        expected = 5.0 + rho0 * (1 + np.tanh(x / 3e4)) / 2 + rho0 * np.maximum(x, 0) / beta
    if fluid.air:
        gas = fluid.air * (1e5 / np.maximum(p, 100)) ** (1 / fluid.polytropic)
        expected = rho0 * (1 + fluid.air) / (np.exp(-x / beta) + gas)
    inside = p > 100
    np.testing.assert_allclose(rho[inside], expected[inside], rtol=1e-13)
    for q in (3e5, 2e7):
        d = 1e-4 * q
        a, b, mid = (at(np.array([y])) for y in (q - d, q + d, q))
        np.testing.assert_allclose((b[0] - a[0]) / (2 * d), mid[1], rtol=1e-6, atol=1e-15)
        np.testing.assert_allclose((b[2] - a[2]) / (2 * d), 1 / mid[0], rtol=1e-6)
    low = at(np.array([-3e4]))
    assert not fluid.cavitates or low[0][0] > 0


def test_thermal_expansion_lowers_the_density():
    fluid = H.Fluid(850, 1.4e9, expansion=7e-4, temperature=333.15)
    np.testing.assert_allclose(fluid.density_at(0.0), 850 * (1 - 7e-4 * 40))
    np.testing.assert_allclose(H.Fluid(850, sound_speed=1300.0).beta, 850 * 1300.0**2)


# ------------------------------------------------------------------------------------- pipes


def two_pipes():
    """The deck h1: two pipes in series, end pressures 1e5 → 3e5 within half a second, and 1e5."""
    m = lw.Model("h1")
    p1 = m.add("p1", H.Supply(OIL, lw.expression("1e5 + 1e5*(1 - cos(2*pi*min(t, 0.5)))")))
    p2 = m.add("p2", H.Pressure(OIL, 1e5))
    p3 = m.add("p3", H.Tank(OIL, 1e5))
    m.add("thin", H.Pipe(p1, p2, diameter=5e-3, length=2.0))
    m.add("wide", H.Pipe(p2, p3, diameter=8e-3, length=1.0))
    return m


def test_record_of_two_pipes():
    """MBDyn's record h1 (nine stable digits), which is Hagen-Poiseuille in series."""
    r = run(two_pipes(), 1.0, 0.01)
    thin, wide = (np.pi * 850 * d**4 / (128 * 0.02 * L) for d, L in ((5e-3, 2), (8e-3, 1)))
    flow = 2e5 / (1 / thin + 1 / wide)
    q = r["thin"].mass_flow.values
    np.testing.assert_allclose(q[[100, 25]], [0.0605728424, 0.0302864212], rtol=2e-9)
    np.testing.assert_allclose(q[-1], flow, rtol=1e-12)
    np.testing.assert_allclose(r["p2"].pressure.values[-1], 114177.158, rtol=1e-8)
    np.testing.assert_allclose(r["p1"].mass_flow.values, -r["p3"].mass_flow.values, atol=1e-16)
    np.testing.assert_allclose(r["thin"].reynolds.values[-1], 4 * flow / (np.pi * 5e-3 * 0.02))
    assert r["p2"].pressure.attrs["units"] == "Pa"
    assert r["thin"].mass_flow.attrs["units"] == "kg/s"
    np.testing.assert_allclose(r.energy["balance"], 0, atol=1e-9)


def test_turbulent_flow_is_that_of_blasius():
    """Δp = 0.3164 Re^(−1/4) L/D ρ v²/2 at Re = 20 000; rough pipes: Colebrook within 2 %."""
    d, L, rho, mu = 0.01, 2.0, 850.0, 0.02
    v = 20000 * mu / (rho * d)
    area = np.pi / 4 * d * d
    m = lw.Model("turbulent")
    p1 = m.add("p1", H.Supply(OIL, 1e5 + 0.3164 * 20000**-0.25 * L / d * rho * v * v / 2))
    m.add("pipe", H.Pipe(p1, m.add("p2", H.Tank(OIL, 1e5)), diameter=d, length=L))
    q = run(m, 0.1, 0.05)["pipe"].mass_flow.values
    np.testing.assert_allclose(q, rho * area * v, rtol=1e-9)
    # a rough pipe: Haaland's explicit formula is within 2 % of Colebrook and White 1939
    m["pipe"].roughness, f = 1e-4, 0.03
    q = run(m, 0.1, 0.05)["pipe"].mass_flow.values[-1]
    reynolds = q * d / (area * mu)
    for _ in range(50):
        f = (-2 * np.log10(1e-4 / (3.7 * d) + 2.51 / (reynolds * np.sqrt(f)))) ** -2
    drop = f * L / d * q * q / (2 * rho * area**2)
    np.testing.assert_allclose(drop, m["p1"].node.value[0] - 1e5, rtol=0.02)


def test_friction_is_smooth_and_rises_through_the_transition():
    """The pressure rises slowly from 0: laminar, between, turbulent; no jump of the slope."""
    d, L, mu = 0.01, 1.0, 0.02
    area = np.pi / 4 * d * d
    m = lw.Model("rising")
    p1 = m.add("p1", H.Supply(OIL, lw.ramp(1e5)))
    m.add("pipe", H.Pipe(p1, m.add("p2", H.Tank(OIL, 0.0)), diameter=d, length=L))
    r = run(m, 6.0, 2e-3)
    q, drop = r["pipe"].mass_flow.values, r["pipe"].pressure_drop.values
    reynolds = r["pipe"].reynolds.values
    assert np.all(np.diff(q) > 0) and reynolds[-1] > 6000
    low, high = reynolds < 2000, reynolds > 4000
    np.testing.assert_allclose(drop[low], 32 * mu * L * q[low] / (850 * area * d * d), rtol=1e-9)
    blasius = 0.3164 * reynolds[high] ** -0.25 * L / d * q[high] ** 2 / (2 * 850 * area**2)
    np.testing.assert_allclose(drop[high], blasius, rtol=1e-9)
    slope = np.diff(drop) / np.diff(q)
    assert np.abs(np.diff(slope)).max() < 0.02 * slope.max()


def test_inertia_of_the_fluid_delays_a_laminar_flow():
    """(L/A) q̇ = Δp − R q from rest: q = Δp/R (1 − exp(−R A t/L))."""
    m = lw.Model("start")
    p1, p2 = m.add("p1", H.Supply(OIL, 1.1e5)), m.add("p2", H.Tank(OIL, 1e5))
    m.add("pipe", H.Pipe(p1, p2, diameter=8e-3, length=1.0, inertia=True))
    r = run(m, 0.5, 1e-3)
    A = np.pi / 4 * 64e-6
    R = 32 * 0.02 / (850 * A * 64e-6)
    exact = 1e4 / R * (1 - np.exp(-R * A * r.time))
    error = np.abs(r["pipe"].mass_flow.values - exact).max() / exact.max()
    assert error < (1e-3 * R * A) ** 2 / 12  # a method of second order
    assert np.abs(r.energy["balance"].values).max() < 1e-5 * r.energy["supplied"].values[-1]


# ------------------------------------------------------------------------------------- waves

THIN = H.Fluid(1000.0, 1e3, 1e-12)  # c = 1 m/s, nearly without friction


@pytest.mark.parametrize("elements, expected", [
    (1, 2.828), (2, 3.266), (4, 3.180), (8, 3.1516), (16, 3.1441),
])  # fmt: skip
def test_first_frequency_of_a_closed_pipe(elements, expected):
    """ω₁ = π a/L in the limit; by finite volumes the numbers of the specification."""
    m = lw.Model("closed")
    p1, p2 = m.add("p1", H.Pressure(THIN)), m.add("p2", H.Pressure(THIN))
    m.add("pipe", H.DynamicPipe(p1, p2, diameter=0.1, length=1.0, elements=elements))
    w = np.sort(np.abs(lw.eigen(m).eigenvalues.imag))
    first = w[w > 0.1][0]
    np.testing.assert_allclose(first, expected, rtol=2e-4)


def test_closed_pipe_converges_with_order_two():
    error = []
    for n in (8, 16, 32):
        m = lw.Model("closed")
        p1, p2 = m.add("p1", H.Pressure(THIN)), m.add("p2", H.Pressure(THIN))
        m.add("pipe", H.DynamicPipe(p1, p2, diameter=0.1, length=1.0, elements=n))
        w = np.sort(np.abs(lw.eigen(m).eigenvalues.imag))
        error.append(w[w > 0.1][0] - np.pi)
    assert np.all(np.abs(np.log2(np.array(error[:-1]) / error[1:]) - 2) < 0.05)


def test_joukowsky():
    """A valve that closes at once: Δp = ρ c Δv behind it until the wave is back, 2 L/c."""
    fluid, d, L, v = H.Fluid(850.0, 1.4e9, 1e-6), 0.02, 20.0, 0.5
    c, A = fluid.speed_of_sound, np.pi / 4 * 0.02**2
    m = lw.Model("hammer")
    p1 = m.add("reservoir", H.Supply(fluid, 2e6))
    p2 = m.add("valve", H.Pressure(fluid, 2e6))
    m.add("pipe", H.DynamicPipe(
        p1, p2, diameter=d, length=L, elements=60, flow=fluid.density_at(2e6)[0] * A * v
    ))  # fmt: skip
    r = run(m, 2 * L / c, L / c / 400, method=lw.GeneralizedAlpha(rho=0.5))
    p, t = r["valve"].pressure.values, r.time * c / L
    plateau = p[(t > 0.3) & (t < 1.7)].mean() - 2e6
    np.testing.assert_allclose(plateau, 850.0 * c * v, rtol=5e-3)


def test_models_and_runs_come_back_from_files(tmp_path):
    m = two_pipes()
    r = run(m, 0.2, 0.01)
    r.save(tmp_path / "circuit.nc")
    again = lw.load(tmp_path / "circuit.nc")
    np.testing.assert_array_equal(again["p2"].pressure, r["p2"].pressure)
    np.testing.assert_array_equal(again["thin"].power, r["thin"].power)
    assert again.system.model["thin"].p1.fluid == OIL
