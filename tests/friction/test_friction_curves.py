"""Friction whose limit is a curve over the speed, its force in results, brakes, threads alone."""

from __future__ import annotations

import re

import numpy as np
import pytest
from inside import drive_from_dict

import linkwork as lw
from linkwork.model.drives import CarriedVelocity, Constant, Integral

G = 9.81


def slide(model, v=1.0, t=0.4, mass=2.0, every=1):
    m = lw.Model(gravity=(0, 0, -G))
    block = m.add("block", lw.Body(mass, (1, 1, 1)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=(1, 0, 0), speed=v))
    m.add("friction", lw.Friction(rail, model))
    return m, lw.transient(m, t=t, h=1e-3, every=every, progress=False)


def test_a_curve_of_points_is_the_formula_it_comes_from():
    """Stribeck's curve as a formula, and as a table with slopes."""
    mu, static, speed = 0.2, 0.4, 0.3
    v = np.linspace(0, 3, 600)
    g = mu + (static - mu) * np.exp(-((v / speed) ** 2))
    slope = -2 * v / speed**2 * (g - mu)
    words = dict(stiffness=1e4, damping=20.0)
    runs = [slide(model)[1] for model in (
        lw.LuGre(mu, static, speed, **words), lw.LuGre(curve=(v, g, slope), **words),
    )]
    a, b = (run["block"].position.values for run in runs)
    np.testing.assert_allclose(a, b, atol=1e-8)


def test_lines_between_points():
    """μ = 0.5 − 0.2 v from 1 m/s on: v̇ = −g μ(v), solved exactly."""
    _, run = slide(lw.Coulomb(curve=[[0, 2, 4], [0.5, 0.1, 0.1]]), v=1.0, t=0.2)
    t = run.time
    exact = 2.5 + (1.0 - 2.5) * np.exp(0.2 * G * t)
    np.testing.assert_allclose(run["rail"].speed, exact, atol=1e-6)
    limit = 0.5 - 0.2 * run["rail"].speed
    np.testing.assert_allclose(run["friction"].coefficient, limit, atol=1e-12)


@pytest.mark.parametrize("model", [
    lw.Coulomb(0.3, stiffness=1e5, damping=20.0),
    lw.LuGre(0.3, 0.5, 0.1, stiffness=1e4, damping=20.0),
], ids=["coulomb", "lugre"])  # fmt: skip
def test_force_in_results_is_what_slows_the_block(model):
    """m v̇ = F at every step, sliding, stopping and at rest."""
    _, run = slide(model, v=0.6, t=0.4)
    force = run["friction"].force.values
    a = run["block"].acceleration.values[:, 0]
    np.testing.assert_allclose(force[1:], 2.0 * a[1:], atol=1e-6 * np.abs(force).max())
    np.testing.assert_allclose(run["friction"].load, 2.0 * G, rtol=1e-6)


def test_friction_with_a_curve_goes_through_a_file(tmp_path):
    model = lw.LuGre(curve=[[0, 1], [0.5, 0.2]], stiffness=1e4, damping=10.0)
    m, whole = slide(model, t=0.2)
    half = lw.transient(m, t=0.1, h=1e-3, progress=False)
    half.save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=0.2, progress=False)
    np.testing.assert_array_equal(rest["rail"].displacement[-1], whole["rail"].displacement[-1])


def test_the_load_is_never_below_the_least():
    m = lw.Model()
    wheel = m.add("wheel", lw.Body(1, (1, 1, 0.1)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=5))
    m.add("friction", lw.Friction(pin, lw.Coulomb(0.2), radius=0.1, least=20.0))
    run = lw.transient(m, t=0.5, h=1e-3, progress=False)
    # J ω̇ = −μ N r
    np.testing.assert_allclose(run["pin"].rate, 5 - 0.2 * 20 * 0.1 / 0.1 * run.time, atol=1e-9)


@pytest.mark.parametrize(("load", "N"), [("all", 5), ("axial", 4), ("radial", 3), ("none", 0)])
def test_parts_of_the_reaction(load, N):
    m = lw.Model(gravity=(3.0, 0, -4.0))
    wheel = m.add("wheel", lw.Body(1, (1, 1, 0.1)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=5))
    m.add("friction", lw.Friction(pin, lw.Coulomb(0.2), radius=0.1, load=load))
    run = lw.transient(m, t=0.1, h=1e-3, progress=False)
    np.testing.assert_allclose(run["friction"].load[5:], N, atol=1e-6)


def test_a_brake_stops_a_wheel_and_holds_it():
    """N = 100 t: ω = ω₀ − μ r 100 t²/(2 J) until it stops."""
    m = lw.Model()
    wheel = m.add("wheel", lw.Body(1, (1, 1, 0.5)))
    m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=2))
    m.add("brake", lw.Brake(lw.GROUND, wheel, axis=(0, 0, 1), model=lw.Coulomb(0.4, damping=20.0),
                            radius=0.2, load=lw.ramp(100)))
    run = lw.transient(m, t=1, h=1e-3, progress=False)
    t = run.time
    w = np.maximum(2 - 0.4 * 0.2 * 100 * t**2 / (2 * 0.5), 0)
    np.testing.assert_allclose(run["pin"].rate, w, atol=0.02)
    angle = run["pin"].angle.values
    assert np.ptp(angle[t > 0.7]) < 1e-6
    np.testing.assert_allclose(run["brake"].load, 100 * t, atol=1e-9)
    sliding = (t > 0.01) & (w > 0.05)
    np.testing.assert_allclose(run["brake"].torque.values[sliding], -0.4 * 0.2 * 100 * t[sliding],
                               rtol=1e-9)
    taken = 0.5 * 2**2 / 2
    assert float(run.energy.dissipated[-1]) == pytest.approx(taken, rel=1e-3)


@pytest.mark.parametrize("model", [
    lw.Coulomb(0.4, stiffness=1e4, damping=20.0),
    lw.LuGre(0.4, 0.6, 0.1, stiffness=1e4, damping=20.0),
], ids=["coulomb", "lugre"])  # fmt: skip
@pytest.mark.parametrize("press", ["brake", "preload"])
def test_brakes_in_explicit_methods_and_joint_coordinates(model, press):
    """A load that is no reaction needs none: the formulations agree, sliding, stopping and held."""
    m = lw.Model()
    wheel = m.add("wheel", lw.Body(1, (1, 1, 0.1)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=5))
    words = dict(model=model, radius=0.1)
    if press == "brake":
        m.add("brake", lw.Brake(lw.GROUND, wheel, axis=(0, 0, 1), load=lw.ramp(100), **words))
    else:
        m.add("brake", lw.Friction(pin, preload=30, load="none", **words))
    runs = [
        lw.transient(m, t=1, h=2e-4, method=method, progress=False)
        for method in (lw.GeneralizedAlpha(), lw.RK4(), lw.Recursive())
    ]
    for run in runs[1:]:
        np.testing.assert_allclose(run["pin"].rate, runs[0]["pin"].rate, atol=1e-4)
        np.testing.assert_allclose(run["pin"].angle[-1], runs[0]["pin"].angle[-1], atol=1e-6)
        assert abs(float(run["pin"].rate[-1])) < 1e-4
        assert float(run.energy.dissipated[-1]) == pytest.approx(0.1 * 25 / 2, rel=1e-4)


@pytest.mark.parametrize(("method", "reason"), [
    (lw.ODE(), "lw.ODE cannot treat Brake 'brake', whose bristles follow the path step by step"),
    (lw.Recursive("dormand-prince"), "cannot treat Brake 'brake', whose bristles follow the path"),
    (lw.EnergyMomentum(), "Brake 'brake' keeps a memory of earlier steps"),
], ids=["ode", "dormand-prince", "energy-momentum"])  # fmt: skip
def test_why_a_brake_is_refused(method, reason):
    m = lw.Model()
    wheel = m.add("wheel", lw.Body(1, (1, 1, 0.1)))
    m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=5))
    m.add("brake", lw.Brake(lw.GROUND, wheel, axis=(0, 0, 1), model=lw.Coulomb(0.4), radius=0.1))
    with pytest.raises(lw.ModelError, match=re.escape(reason)):
        lw.transient(m, t=0.1, h=1e-3, method=method, progress=False)


def test_a_thread_alone_with_a_guide_is_a_screw():
    runs = []
    for guided in (True, False):
        m = lw.Model(gravity=(0, 0, -G))
        nut = m.add("nut", lw.Body(2, (0.1, 0.2, 0.3), position=(0.1, 0, 0)))
        if not guided:
            m.add("guide", lw.Cylindrical(lw.GROUND, nut, at=(0, 0, 0), axis=(0, 0, 1)))
        screw = m.add("screw", lw.Screw(lw.GROUND, nut, (0, 0, 0), (0, 0, 1), 0.3, guided=guided))
        m.add("friction", lw.Friction(screw, lw.LuGre(0.1), radius=0.05))
        runs.append(lw.transient(m, t=1, h=1e-3, progress=False))
    a, b = (run["nut"].position.values for run in runs)
    np.testing.assert_allclose(a, b, atol=1e-9)
    np.testing.assert_allclose(*(run["friction"].torque for run in runs), atol=1e-7)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: lw.Coulomb(), "mu of Coulomb"),
    (lambda: lw.Coulomb(0.3, curve=[[0, 1], [0.5, 0.2]]), "give one of both"),
    (lambda: lw.Coulomb(curve=[0.3, 0.2]), "two rows"),
    (lambda: lw.Coulomb(curve=[[0, 0], [0.3, 0.2]]), "increasing speeds"),
    (lambda: lw.Coulomb(curve=[[0, 1], [0.3, -0.2]]), "positive"),
    (lambda: lw.Brake(lw.GROUND, lw.Body(1, (1, 1, 1)), axis=(0, 0, 1)), "needs a model"),
    (lambda: lw.Brake(lw.GROUND, lw.Body(1, (1, 1, 1)), axis=(0, 0, 1), model=lw.Coulomb(0.1)),
     "needs radius"),
])  # fmt: skip
def test_errors(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make()


# --------------------------------------------------------------------------------------- drives


def test_a_velocity_seen_from_a_turning_body():
    """a = 0: u turns backwards; and for any drives u̇ = a − ω × u, ü by differences."""
    w = Constant(1.5)
    zero = Constant(0.0)
    parts = [CarriedVelocity((zero,) * 3, (zero, zero, w), 0.0, (2.0, 0, 0), k) for k in range(3)]
    t = np.linspace(0, 4, 41)
    np.testing.assert_allclose(parts[0].values(t), 2 * np.cos(1.5 * t), atol=1e-10)
    np.testing.assert_allclose(parts[1].values(t), -2 * np.sin(1.5 * t), atol=1e-10)
    a = tuple(lw.expression(x) for x in ("sin(t)", "0.3*t", "cos(2*t)"))
    spin = tuple(lw.expression(x) for x in ("0.4*cos(t)", "0.2", "0.5*sin(3*t)"))
    u = [CarriedVelocity(a, spin, 1.0, (0.1, 0.2, 0.3), k) for k in range(3)]
    t, h = np.linspace(1.1, 3, 7), 1e-4
    for part in u:
        jet, up, down = part.jet(t), part.jet(t + h), part.jet(t - h)
        np.testing.assert_allclose((up[:, 0] - down[:, 0]) / (2 * h), jet[:, 1], atol=1e-7)
        np.testing.assert_allclose((up[:, 1] - down[:, 1]) / (2 * h), jet[:, 2], atol=1e-7)
    again = drive_from_dict(u[1].to_dict())
    np.testing.assert_allclose(again.values(t), u[1].values(t), atol=1e-12)
    with pytest.raises(lw.DriveError, match="from 1 on"):
        u[0].values([0.5])


def test_an_integral_near_the_zeros_of_its_integrand():
    """Round-off is all that is left there, and no reason to halve intervals for ever."""
    t = np.linspace(0, 2, 2001)
    y = Integral(lw.sine(10, 0.5)).values(t)
    np.testing.assert_allclose(y, 10 / np.pi * (1 - np.cos(np.pi * t)), atol=1e-12)
