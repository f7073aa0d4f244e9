"""Decks of rods with all constitutive laws: each equals its model built in Python, and a closed
form."""

from __future__ import annotations

import numpy as np
from mbdyn_decks import damped, equilibria, ran, same
from scipy.optimize import brentq
from scipy.special import airy, ellipj

import linkwork as lw

laws = lw.laws
CUBE = lw.expression("t^3")


def point(m, name, mass, x, v=(0, 0, 0)):
    """What a displacement node is: a mass that does not turn."""
    body = m.add(name, lw.Body(mass, (0, 0, 0), position=x, velocity=v))
    m.add(f"orientation of {name}", lw.Align(lw.GROUND, body))
    return body


# ---------------------------------------------------------------------------- elastic laws of rods


def test_hanging_masses():
    """σ(ε) = m g, solved for ε by hand."""
    deck, run, tables = ran("hanging_masses")
    W, K, t = 20.0, 100.0, run.time

    def root(f):
        return brentq(lambda e: f(e) - W, 0, 2, xtol=1e-14)

    alpha, beta = 3 / 0.3**2, 30 / 200
    exact = {
        1: W / K, 2: (W - 5) / K, 3: W / K + 0.2 * t,
        4: root(lambda e: 50 * e + 40 * e**2 + 30 * e**3),
        5: root(lambda e: K * e + 6 / (1 + e) ** 2), 6: np.exp(W / 80) - 1, 7: 0.1 + (W - 10) / 40,
        8: root(lambda e: 200 * (beta + alpha * e**2) / (1 + alpha * e**2) * e),
        9: 0.1 + (W - 15) / 50, 10: (-60 + np.sqrt(60**2 + 4 * 50 * W)) / (2 * 50),
        11: W / K, 12: root(lambda e: (50 + e**2) * e), 13: root(lambda e: 60 * e + 50 * e**3),
        14: W / (K * (1 + t)), 15: 0.1 + (W - 5) / K, 16: ((W / 10) ** (-1 / 1.4) - 1) / 0.9,
    }  # fmt: skip
    for n, strain in exact.items():
        sign = 1 if n == 16 else -1
        z = sign * (1 + strain + 0 * t)
        np.testing.assert_allclose(tables.node(n)[:, 2], z, atol=1e-8, err_msg=str(n))
        jnt = np.hstack(tables.joint(deck.joints[n]))
        np.testing.assert_allclose(jnt[:, 0], -sign * W, atol=1e-7, err_msg=str(n))
        np.testing.assert_allclose(jnt[:, 12], np.abs(z), atol=1e-8)  # the length
    gas = np.hstack(tables.joint(deck.joints[16]))[-1, 17:]
    np.testing.assert_allclose(gas, [2000, 1e-4, -20, 0], rtol=1e-7)  # p, A, elastic, viscous


def test_hanging_masses_in_python():
    _, run, _ = ran("hanging_masses")
    K = 100.0
    soft = lw.table([-1, 0, 0.1, 1], [-150, 0, 15, 60], kind="linear", outside="extend")
    known = {
        1: laws.LinearElastic(K), 2: laws.LinearElastic(K, prestress=5.0),
        3: laws.LinearElastic(K, prestrain=0.2 * lw.ramp(1)), 4: laws.CubicElastic(50, 40, 30),
        5: laws.Parallel((laws.LinearElastic(K), laws.InverseSquare(6.0, 1.0))),
        6: laws.LogElastic(80), 7: laws.DoubleLinear(K, 0.1, -0.1, 40, 70),
        8: laws.IsotropicHardening(200, 0.3, linear=30), 9: laws.ScalarFunctionElastic(soft),
        10: laws.ScalarFunctionElastic(lw.polynomial([0, 60, 50])),
        11: laws.FunctionViscoelastic(K / 2, lw.polynomial([0, K / 2])),
        12: laws.FunctionViscoelastic(K / 2, lw.expression("t^2"), product=True),
        13: laws.Symbolic("60*x + 50*x^3", strain="x"),
        14: laws.TimeVariant(laws.LinearElastic(K), lw.polynomial([1, 1])),
        15: laws.LinearElastic(K, prestress=5.0, prestrain=0.1),
        16: laws.ShockAbsorber(1e3, 0.01, 0.9, 1.4, 1e-4, 5e-3, 900, scale=1 / 0.6),
    }  # fmt: skip
    m = lw.Model(gravity=(0, 0, -10))
    for n, law in known.items():
        body = point(m, f"node {n}", 2.0, (n, 0, 1 if n == 16 else -1))
        m.add(f"joint {n}", lw.Rod(lw.GROUND, body, at_a=(n, 0, 0), law=law))
    m.add("guide", lw.PointOnLine(lw.GROUND, body, at=(16, 0, 1)))
    equilibria(run, m)


# ------------------------------------------------------------------------- laws of strain and rate


def test_moving_laws():
    _, run, tables = ran("moving_laws")
    m, k, c, v, t = 2.0, 200.0, 4.0, 0.5, run.time
    swing = damped(0, v, k, c, m, t)[0]
    cross = brentq(lambda s: damped(0, v, k, c, m, s)[0] - 0.02, 0, 0.1)
    beyond = damped(0, v, k, c, m, cross)[1]
    # beyond 0.02 the force is 2 k (x − 0.01) + 2 c ẋ
    later = 0.01 + damped(0.01, beyond, 2 * k, 2 * c, m, t - cross)[0]
    double = np.where(t < cross, swing, later)
    first_return = np.flatnonzero((t > cross) & (later < 0.02))[0]
    a, _, b, _ = airy(-((k / m) ** (1 / 3)) * t)
    ai, aip, bi, bip = airy(0)
    kelvin = 0.2 * (bip * a - aip * b) / (bip * ai - aip * bi)
    w2 = (k + 5000 * 0.2**2) / m
    duffing = 0.2 * ellipj(np.sqrt(w2) * t, 5000 * 0.2**2 / m / (2 * w2))[1]
    thick = np.sqrt(2 * m * v / 40)
    cube = (np.sqrt(1 + 2 * v**2 * t / m) - 1) * m / v
    exact = {
        1: v * m / c * (1 - np.exp(-c / m * t)), 4: m / 20 * np.log(1 + 20 * v * t / m), 5: cube,
        6: thick * np.tanh(v / thick * t), 7: cube, 8: swing, 18: kelvin, 19: duffing,
    }  # fmt: skip
    exact |= {n: exact[1] for n in (2, 3)} | {n: swing for n in range(9, 17)}
    for n, x in exact.items():
        # the method's h² ω²/12 of a period's phase
        atol = 2e-5 if n == 19 else 2e-6
        np.testing.assert_allclose(tables.node(n)[:, 0] - 1, x, atol=atol, err_msg=str(n))
    x = tables.node(17)[:first_return, 0] - 1  # there and back once
    assert x.max() > 0.035
    np.testing.assert_allclose(x, double[:first_return], atol=5e-6)


def test_moving_laws_in_python():
    _, run, _ = ran("moving_laws")
    k, c = 200.0, 4.0
    half, drag = lw.polynomial([0, k / 2]), lw.polynomial([0, c / 2])
    known = {
        1: laws.LinearViscous(c), 4: laws.Turbulent(0.0, 20.0),
        5: laws.FunctionViscoelastic(viscous_functions=CUBE),
        6: laws.FunctionViscoelastic(viscous_functions=lw.polynomial([0, 40.0]), product=True),
        7: laws.Symbolic("r^3", rate="r"), 8: laws.LinearViscoelastic(k, c),
        11: laws.FunctionViscoelastic(k / 2, half, c / 2, drag),
        12: laws.FunctionViscoelastic(k / 2, k / 2, c / 2, c / 2, product=True),
        13: laws.Symbolic("200*e + 4*r", "e", "r"),
        14: laws.Parallel((laws.LinearElastic(k), laws.LinearViscous(c))),
        15: laws.CubicElastic(k, 0, 0, c), 16: laws.Turbulent(k, 1.0, 10.0, c),
        17: laws.DoubleLinear(k, 0.02, -0.02, 2 * k, viscosity=c, second_viscosity=2 * c),
        18: laws.LinearViscoelastic(k, 0.0, stiffness_scale=lw.polynomial([0, 1])),
        19: laws.CubicElastic(k, 0, 5000),
    }  # fmt: skip
    m = lw.Model()
    for n, law in known.items():
        x, v = (1.2, (0, 0, 0)) if n > 17 else (1.0, (0.5, 0, 0))
        body = point(m, f"node {n}", 2.0, (x, n, 0), v)
        m.add(f"joint {n}", lw.Rod(lw.GROUND, body, at_a=(0, n, 0), law=law, length=1))
    same(run, m)


# ------------------------------------------------------------------------- laws at imposed strains


def forces_by_hand(t, e, r):
    """Forces of the rods at the times t, lengths 1 + e and rates r; what the gas spring adds."""
    step = np.round(t / 5e-3).astype(int)
    on, late = (step >= 40) & (step < 120), step < 120
    far = np.abs(e) > 0.05
    two = np.where(far, 5 * np.sign(e) + 20 * (e - 0.05 * np.sign(e)) + 7 * r, 100 * e + 3 * r)
    s, q = (1 + e) / 1.2 - 1.02, r / 1.2
    p = 1e5 * (1 + 2 * s) ** -1.4
    area = np.where(q < 0, 8e-4, 1e-3 + 1e-3 * s) + 1e-4 * (1 + (q > 0))
    deep = np.minimum(s + 0.24, 0)
    stop = 1e5 * deep + np.where(deep < 0, 1e3 * np.minimum(q, 0), 0)
    oil = 0.5 * 900 * 5e-3 * (5e-3 / (0.7 * area)) ** 2 * q * np.abs(q)
    shock = -0.01 * p * (1 - 0.1 * np.tanh(q / 0.05)) + stop + oil
    forces = {
        3: on * (100 * e + 2), 4: late * (100 * e + 5 * r), 5: on * two,
        6: (1 + t) * 100 * (e - 0.02 * t) + (1 - 0.5 * t) * 5 * r, 7: shock,
        8: 100 * np.sin(3 * e) + 4 * 0.5 * (1 - np.cos(np.pi * t)),
        9: np.minimum(2 * t, 1) * (100 * e + 5 * r),
    }  # fmt: skip
    return forces, np.stack([p, area, stop - 0.01 * p, oil], axis=1)


def test_imposed_strain():
    deck, run, tables = ran("imposed_strain")
    t, w = run.time, 2 * np.pi
    jnt = {n: np.hstack(tables.joint(deck.joints[n])) for n in range(3, 10)}
    e, r = jnt[3][:, 12] - 1, jnt[3][:, 16]  # the length of the file, and its rate
    np.testing.assert_allclose(e, 0.1 * np.sin(w * t), atol=1e-12)
    np.testing.assert_allclose(r, 0.1 * w * np.cos(w * t), atol=2e-4)  # h² of the method
    forces, gas = forces_by_hand(t, e, r)
    for n, force in forces.items():
        np.testing.assert_allclose(jnt[n][:, 0], force, rtol=1e-9, atol=1e-9, err_msg=str(n))
    np.testing.assert_allclose(jnt[7][:, 17:], gas, rtol=1e-9, atol=1e-9)
    # the guide pushes the mass against all of them: m ẍ = F − Σ tension
    push = tables.reaction(deck.joints[2])[0][:, 0]
    inertia = 3 * run["node 2"].acceleration.values[:, 0]
    np.testing.assert_allclose(push[1:], (inertia + sum(forces.values()))[1:], atol=1e-6)


def test_imposed_strain_in_python():
    _, run, _ = ran("imposed_strain")
    h = 5e-3
    on = lw.expression("(t >= 0.2 - 1e-9) and (t < 0.3)")
    off, never = lw.expression("t >= 0.6 - 1e-9"), lw.constant(0)
    two = laws.DoubleLinear(100, 0.05, -0.05, 20, viscosity=3, second_viscosity=7)
    late = dict(stiffness_scale=lw.polynomial([1, 1]), viscosity_scale=lw.polynomial([1, -0.5]))
    known = {
        3: laws.Bistop(laws.LinearElastic(100, prestress=2.0), on, off, h),
        4: laws.Bistop(laws.LinearViscoelastic(100, 5.0), never, off, h, active=True),
        5: laws.Bistop(two, on, off, h),
        6: laws.LinearViscoelastic(100, 5.0, prestrain=lw.polynomial([0, 0.02]), **late),
        7: laws.ShockAbsorber(
            1e5, 0.01, 2, 1.4, lw.polynomial([1e-3, 1e-3]), 5e-3, 900, scale=1 / 0.7, negative=8e-4,
            lower=-0.24, penalty=(1e5, 1e3), gas_friction=(0.1, 0.05), prestrain=0.02,
            orifice=lw.expression("1e-4*(1 + (t > 0))")),
        8: laws.Symbolic("100*sin(3*e)", "e", prestress=lw.expression("2*(1 - cos(pi*t))")),
        9: laws.TimeVariant(laws.LinearViscoelastic(100, 5.0), lw.expression("min(2*t, 1)")),
    }  # fmt: skip
    m = lw.Model()
    body = m.add("node 2", lw.Body(3, (1, 1, 1), position=(1, 0, 0)))
    m.add("guide", lw.Lock(lw.Frame(lw.GROUND, (1, 0, 0)), lw.Frame(body), rows="x y z rx ry rz",
                           drive={"x": lw.sine(0.1, 1)}))
    for n, law in known.items():
        y = -1 if n == 9 else 0
        words = dict(at_a=(0, y, 0), at_b=(1, y, 0), length=1.2 if n == 7 else 1)
        m.add(f"rod {n}", lw.Rod(lw.GROUND, body, law=law, **words))
    other = same(run, m)
    for n in known:
        found = run[f"joint {n}"].force.values
        np.testing.assert_allclose(other[f"rod {n}"].force.values, found, atol=1e-6)
