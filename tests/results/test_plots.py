"""Plots show the numbers: health, phases, spectra, modes and root loci."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import linkwork as lw
from linkwork import ModelError
from linkwork.results.spectrum import amplitudes

g = 9.81


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def pendulum(angle: float = 0.01) -> lw.Model:
    """A mathematical pendulum of 1 m."""
    m = lw.Model("pendulum", gravity=(0, 0, -g))
    bob = m.add("bob", lw.Body(1, (0, 0, 0), position=(0, 0, -1)))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0), angle=angle))
    return m


def oscillator(damping: float) -> lw.Model:
    m = lw.Model("oscillator")
    cart = m.add("cart", lw.Body(1, (1, 1, 1)))
    m.add("rail", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("spring", lw.Spring(
        lw.GROUND, cart, at_a=(-1, 0, 0), stiffness=4, damping=damping, length=1))  # fmt: skip
    return m


@pytest.mark.parametrize("window", ["hann", "blackman", "boxcar"])
@pytest.mark.parametrize("even", [True, False])
def test_a_sine_gives_its_amplitude_and_frequency(window, even):
    """4 mm at 3.3 Hz in 20 s; bins are 1/160 Hz apart."""
    t = np.linspace(0, 20, 4001)
    if not even:
        t = t + 0.002 * np.sin(t)
    f, a = amplitudes(t, 5 + 0.004 * np.sin(2 * np.pi * 3.3 * t), window)
    assert f[a.argmax()] == pytest.approx(3.3, abs=1 / 160)
    assert a.max() == pytest.approx(0.004, rel=0.01)


def test_spectrum_of_a_pendulum_peaks_at_its_frequency():
    """√(g/l)/2π, for which 1e-2 rad is small enough to the digits of a bin."""
    m = pendulum()
    run = lw.transient(m, t=60, h=0.01, progress=False)
    modes = lw.eigen(m, at=lw.static(m).state)
    ax = run.spectrum("bob.position.x", modes=modes)
    curve, mark = ax.get_lines()[:2]
    peak = curve.get_xdata()[curve.get_ydata().argmax()]
    exact = np.sqrt(g) / (2 * np.pi)
    assert peak == pytest.approx(exact, abs=1 / 480)
    assert mark.get_xdata()[0] == pytest.approx(exact, rel=1e-6)
    assert ax.get_xlabel() == "frequency (Hz)" and "(m)" in ax.get_ylabel()
    with pytest.raises(ModelError, match="window must be the name"):
        run.spectrum("bob.position.x", window="none such")
    with pytest.raises(ModelError, match="did you mean 'position'"):
        run.spectrum("bob.positon")


def test_phase_plot_is_an_ellipse():
    """Small swings: φ² + φ̇² l/g is constant."""
    method = lw.GeneralizedAlpha(rho=0.95)
    run = lw.transient(pendulum(), t=3, h=0.005, method=method, progress=False)
    ax = run.plot_phase("pin.angle", "pin.rate")
    x, y = ax.get_lines()[0].get_data()
    np.testing.assert_allclose(x**2 + y**2 / g, 1e-4, rtol=2e-3)
    assert ax.get_xlabel() == "pin.angle (rad)" and ax.get_ylabel() == "pin.rate (rad/s)"
    with pytest.raises(ModelError, match="means 3 curves, where one is needed"):
        run.plot_phase("bob.position", "pin.rate")


def test_health_shows_what_the_run_says():
    run = lw.transient(pendulum(1.0), t=1, h=0.01, progress=False)
    axes = run.plot_health()
    assert [ax.get_ylabel() for ax in axes] == [
        "energy (J)", "violation", "step (s)", "iterations"]  # fmt: skip
    np.testing.assert_array_equal(axes[0].get_lines()[0].get_ydata(), run.energy.balance)
    np.testing.assert_allclose(
        axes[1].get_lines()[0].get_ydata(), np.maximum(run.violation.position.values[:, 0], 1e-18)
    )
    np.testing.assert_allclose(axes[2].get_lines()[0].get_ydata(), 0.01)
    assert "'pin'" in axes[1].get_legend().get_texts()[0].get_text()
    m = lw.Model("falling", gravity=(0, 0, -g))
    m.add("stone", lw.Body(1, (1, 1, 1)))
    assert len(lw.transient(m, t=0.1, h=0.01, progress=False).plot_health()) == 3


def test_modes_plot():
    modes = lw.eigen(oscillator(1.0))
    frequency, damping, plane = modes.plot()
    assert frequency.patches[0].get_height() == pytest.approx(np.sqrt(4 - 0.25) / (2 * np.pi))
    assert damping.patches[0].get_height() == pytest.approx(0.25)
    x, y = plane.get_lines()[0].get_data()
    np.testing.assert_allclose(sorted(y), [-np.sqrt(3.75), np.sqrt(3.75)])
    np.testing.assert_allclose(x, -0.5)


def test_root_locus_of_a_damped_oscillator():
    """λ = −c/2 ± i √(4 − c²/4): on a circle of radius 2."""
    c = np.linspace(0, 3.5, 8)
    locus = lw.root_locus(oscillator, c)
    np.testing.assert_allclose(np.abs(locus.eigenvalues[:, 0]), 2, rtol=1e-9)
    np.testing.assert_allclose(locus.eigenvalues[:, 0].real, -c / 2, atol=1e-9)
    assert locus.parameter == "damping" and locus.stable.all()
    ax = locus.plot()
    assert ax.get_xlabel() == "Re λ (1/s)"
    with pytest.raises(ModelError, match="must return a linkwork Model"):
        lw.root_locus(lambda x: None, [1])


def test_loci_that_cross_are_followed():
    """Two uncoupled oscillators, 4 and p rad²/s²: each keeps its column through the crossing."""

    def build(p):
        m = lw.Model("two")
        for name, k, y in (("one", 4.0, 0.0), ("two", p, 5.0)):
            cart = m.add(name, lw.Body(1, (1, 1, 1), position=(0, y, 0)))
            m.add(f"rail {name}", lw.Prismatic(lw.GROUND, cart, at=(0, y, 0), axis=(1, 0, 0)))
            m.add(f"spring {name}", lw.Spring(
                lw.GROUND, cart, at_a=(-1, y, 0), stiffness=k, length=1))  # fmt: skip
        return m

    p = np.array([2.0, 3.0, 3.8, 4.4, 6.0, 8.0])
    found = lw.root_locus(build, p, equilibrium=False).eigenvalues.imag
    columns = sorted(found.T, key=np.ptp)
    np.testing.assert_allclose(columns[0], 2.0, rtol=1e-7)
    np.testing.assert_allclose(columns[1], np.sqrt(p), rtol=1e-7)


def test_names_of_items_are_listed_once():
    m = lw.Model()
    bob = m.add("bob", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    run = lw.transient(m, 0.01, 1e-2, progress=False)
    with pytest.raises(lw.ModelError, match="it has bob, pin, energy"):
        run.plot("nobody.position")
