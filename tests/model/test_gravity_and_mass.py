"""Central gravity and masses that change, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import linkwork as lw
from linkwork import compile_model

MU, A, ECC = 4.0, 1.5, 0.3


def orbit(periods=1.0, method=None, h=2e-3):
    """An ellipse about (1, 2, 3), from its nearest point on."""
    centre = np.array([1.0, 2.0, 3.0])
    r = A * (1 - ECC)
    v = np.sqrt(MU / A * (1 + ECC) / (1 - ECC))
    m = lw.Model()
    moon = m.add("moon", lw.Body(7, (1, 2, 2), position=centre + (r, 0, 0), velocity=(0, v, 0)))
    m.add("field", lw.CentralGravity(moon, mu=MU, centre=centre))
    T = 2 * np.pi * np.sqrt(A**3 / MU)
    return lw.transient(m, periods * T, h, method or lw.MSSTH5(), progress=False), centre, T


def test_kepler_orbit():
    """x = a (cos E − e), y = a √(1 − e²) sin E with Kepler's E − e sin E = n t."""
    run, centre, T = orbit()
    n = 2 * np.pi / T
    E = [brentq(lambda E, t=t: E - ECC * np.sin(E) - n * t, -1, 8) for t in run.time]
    x = A * np.column_stack([np.cos(E) - ECC, np.sqrt(1 - ECC**2) * np.sin(E)])
    found = run["moon"].position.values - centre
    np.testing.assert_allclose(found[:, :2], x, atol=1e-8)
    energy = run.energy
    np.testing.assert_allclose(energy.total, -MU * 7 / (2 * A), rtol=1e-8)  # −μ m/2a
    assert energy.potential[0] == pytest.approx(-MU * 7 / (A * (1 - ECC)))


def test_central_gravity_of_several_bodies_and_mistakes():
    m = lw.Model()
    a, b = (m.add(n, lw.Body(2, (1, 1, 1), position=(x, 0, 0))) for n, x in (("a", 1), ("b", 2)))
    m.add("field", lw.CentralGravity([a, b], mu=3))
    f = compile_model(m).data().evaluate(compile_model(m).described_state()).f
    np.testing.assert_allclose(f[:, 0], [6, 1.5], rtol=1e-15)
    with pytest.raises(lw.ModelError, match="needs a body or another item with mass"):
        lw.CentralGravity(lw.GROUND, mu=1)
    with pytest.raises(lw.ModelError, match="mu of"):
        lw.CentralGravity(a, mu=-1)


@pytest.mark.parametrize("own", [0.0, 5.0])
@pytest.mark.parametrize(
    "method", [lw.GeneralizedAlpha(0.9), lw.RK4(), lw.MSSTH5(), lw.CrankNicolson()],
    ids=lambda m: type(m).__name__,
)  # fmt: skip
def test_rocket(own, method):
    """v = c ln(m₀/m) − g t (Tsiolkovsky): the mass leaves with speed c, thrust q c."""
    g, m0, q, c = 9.81, 45.0 - own, 4.0, 800.0
    m = lw.Model(gravity=(0, 0, -g))
    ship = m.add("ship", lw.Body(own, np.full(3, own)))
    burn = lw.polynomial([1, -q / m0])
    inertia = [lw.polynomial([2, -0.1])] * 3
    m.add("fuel", lw.VariableMass(ship, m0 * burn, inertia=inertia))
    m.add("thrust", lw.Force(ship, (0, 0, q * c), follower=True))
    run = lw.transient(m, 5.0, 2e-3, method, progress=False)
    v = c * np.log((m0 + own) / (m0 + own - q * run.time)) - g * run.time
    np.testing.assert_allclose(run["ship"].velocity.values[:, 2], v, rtol=1e-6, atol=1e-4)
    p = (own + m0 - q * run.time) * run["ship"].velocity.values[:, 2]
    np.testing.assert_allclose(run.momentum.values[:, 2], p, rtol=1e-12, atol=1e-9)


def test_mass_that_moves_inside_a_body():
    """(M + m) v + m ċ is constant: the body goes back as far as the mass goes forth."""
    M, mu = 3.0, 2.0
    m = lw.Model()
    box = m.add("box", lw.Body(M, (1, 1, 1), velocity=(0, 0.2, 0)))
    way = lw.sine(0.4, 0.5)
    m.add("ball", lw.VariableMass(box, mu, centre=(way, 0, 0)))
    run = lw.transient(m, 2.0, 1e-3, lw.MSSTH5(), progress=False)
    c, c1 = way.values(run.time), way.jet(np.zeros(1))[0, 1]
    x = (mu * c1 * run.time - mu * c) / (M + mu)
    np.testing.assert_allclose(run["box"].position.values[:, 0], x, atol=1e-9)
    np.testing.assert_allclose(run["box"].position.values[:, 1], 0.2 * run.time, atol=1e-12)
    np.testing.assert_allclose(run.momentum.values[:, 0], mu * c1, atol=1e-8)


def test_spin_of_an_inertia_that_changes():
    """Masses that are drawn in keep J ω; masses that leave take theirs along and keep ω."""
    for word, power in (("shape_inertia", 1), ("inertia", 0)):
        m = lw.Model()
        skater = m.add("skater", lw.Body(1, (1, 1, 1), angular_velocity=(0, 0, 2)))
        J = lw.polynomial([3, -1])
        m.add("arms", lw.VariableMass(skater, 0, **{word: (J, J, J)}))
        run = lw.transient(m, 2.0, 1e-3, lw.MSSTH5(), progress=False)
        w = 2 * (4 / (4 - run.time)) ** power
        np.testing.assert_allclose(run["skater"].angular_velocity.values[:, 2], w, rtol=1e-9)


def test_offset_mass_equals_a_body_there():
    """A constant mass at an offset is a body whose centre of mass is there."""
    def model(offset):
        m = lw.Model(gravity=(0, 0, -9.81))
        body = m.add("b", lw.Body(2, (1, 1, 1), position=(0, 0, 0)) if offset else
                     lw.Body(5, J, position=r))  # fmt: skip
        at = (0.0, 0.0, 0.0)
        if offset:
            m.add("mass", lw.VariableMass(body, 3, c, (0.1, 0.2, 0.3)))
        m.add("pin", lw.Spherical(lw.GROUND, body, at=at))
        return m

    c = np.array([0.3, -0.2, 0.5])
    r = 3 * c / 5
    J = np.eye(3) + np.diag((0.1, 0.2, 0.3))
    for mass, d in ((2, -r), (3, c - r)):
        J = J + mass * (d @ d * np.eye(3) - np.outer(d, d))
    runs = [lw.transient(model(x), 1.0, 1e-3, lw.MSSTH5(), progress=False) for x in (1, 0)]
    a, b = (run["b"] for run in runs)
    np.testing.assert_allclose(a.angular_velocity, b.angular_velocity, atol=1e-8)
    force = [run["pin"].force_world.values for run in runs]
    np.testing.assert_allclose(force[0], force[1], atol=5e-6)  # of 44 N: other unknowns, same h
    for word in ("kinetic", "potential"):
        x, y = (getattr(run.energy, word).values for run in runs)
        np.testing.assert_allclose(x, y, atol=1e-7)
    L = [run.angular_momentum.values for run in runs]
    np.testing.assert_allclose(L[0], L[1], atol=1e-8)


def test_energy_that_a_changing_mass_takes_up():
    """Total energy less what is supplied stays what it was."""
    m = lw.Model(gravity=(0, 0, -9.81))
    body = m.add("b", lw.Body(2, (1, 1.2, 0.9), angular_velocity=(1, 2, 3), velocity=(1, 0, 0)))
    wave = lw.sine(0.2, 1.0)
    m.add("mass", lw.VariableMass(body, 2 + wave, (wave, 0.1, 0.3), (wave + 2, 2, 2),
                                  (1, 1, wave + 1)))  # fmt: skip
    run = lw.transient(m, 1.0, 5e-4, lw.GeneralizedAlpha(0.9), progress=False)
    e = run.energy
    kept = (e.total - e.supplied).values
    assert np.ptp(kept) < 2e-4 * np.ptp(e.total.values)


def test_mistakes_and_refusals():
    m = lw.Model()
    body = m.add("b", lw.Body(1, (1, 1, 1)))
    with pytest.raises(lw.ModelError, match="needs a Body"):
        lw.VariableMass(lw.GROUND, 1)
    with pytest.raises(lw.ModelError, match="3 or 9 numbers"):
        lw.VariableMass(body, 1, inertia=(1, 2))
    with pytest.raises(lw.DriveError, match="reads the motion"):
        lw.VariableMass(body, lw.reads(body, "position", "x"))
    m.add("mass", lw.VariableMass(body, lw.polynomial([1, -1])))
    for method in (lw.Recursive(), lw.EnergyMomentum()):
        with pytest.raises(lw.ModelError, match="inertia that changes"):
            lw.transient(m, 0.5, 1e-2, method, progress=False)
    with pytest.raises(lw.ModelError, match="negative"):
        lw.transient(m, 2.0, 1e-2, progress=False)
