"""Decks with constitutive laws and deformable joints: each equals its model built in Python, and a
closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, fsolve
from scipy.special import airy, ellipj
from test_mbdyn_decks import DECKS, default, ran, same

import linkwork as lw
from linkwork.math import rotations

laws = lw.laws
CUBE = lw.expression("t^3")
SPLINE = lw.table([-1, -0.5, 0, 0.5, 1], [-200, -70, 0, 70, 200], kind="natural", outside="extend")


def point(m, name, mass, x, v=(0, 0, 0)):
    """What a displacement node is: a mass that does not turn."""
    body = m.add(name, lw.Body(mass, (0, 0, 0), position=x, velocity=v))
    m.add(f"orientation of {name}", lw.Align(lw.GROUND, body))
    return body


def equilibria(run, model):
    """The same equilibria as those of a model built in Python, at the last time of the deck."""
    found = lw.static(model, time=float(run.time[-1]), progress=False)
    for name, item in model.items.items():
        if isinstance(item, lw.Body):
            x = run[name].position.values[-1]
            np.testing.assert_allclose(found[name].position.values, x, atol=1e-9)
            q = found[name].orientation.values, run[name].orientation.values[-1]
            assert abs(np.dot(*q)) == pytest.approx(1, abs=1e-12)


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


def damped(x, v, k, c, m, t):
    """m ẍ + c ẋ + k x = 0 from x and v: position and velocity."""
    s = -c / (2 * m) + 1j * np.sqrt(k / m - (c / (2 * m)) ** 2)
    a = x - 1j * (v - s.real * x) / s.imag
    wave = a * np.exp(s * t)
    return wave.real, (s * wave).real


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


# ------------------------------------------------------------------------------- mounts and hinges


def mounts():
    """The axes of the joints and the matrices of the laws."""
    A = lw.read_deck(DECKS / "mounts.mbd").references[1].R
    K3 = np.array([[100, 10, 5], [10, 120, -8], [5, -8, 90.0]])
    K6 = np.diag([100, 120, 150, 4, 5, 6.0])
    for i, j, x in ((0, 1, 5), (0, 4, 2), (1, 3, 1), (2, 5, 3), (3, 4, 0.2), (4, 5, 0.1)):
        K6[i, j] = K6[j, i] = x
    D6, D3 = np.diag([100, 100, 100, 4, 5, 6.0]), np.diag([4, 5, 6.0])
    K4 = np.array([[4, 0.2, 0], [0.2, 5, 0.1], [0, 0.1, 6]])
    return A, K3, K6, D6, D3, K4


def test_mounts():
    """Strains from σ(ε) = Aᵀ load, solved by hand: the law's axes stand still with the ground."""
    deck, run, tables = ran("mounts")
    A, K3, K6, _, D3, K4 = mounts()
    f, m, t = A.T @ (3, 4, 5), A.T @ (0.2, 0.3, 0.4), float(run.time[-1])
    assert t == 1

    def strain(n):
        return np.hstack(tables.joint(deck.joints[n]))[-1, 12:]

    def inverse(law, load):
        return [brentq(lambda x, i=i: law(x, i) - load[i], -1, 1, xtol=1e-15) for i in range(3)]

    exact = {
        1: np.linalg.solve(K3, f - (1, 0, -1)) + (0.01, 0, 0.02),
        2: [f[0] / 100, f[1] / 100, 0.02 + (f[2] - 2) / 60],
        3: inverse(lambda x, i: (50, 60, 70)[i] * x + 20 * abs(x) * x + (900, 800, 700)[i] * x**3,
                   f),
        5: [f[0] / 100, f[1] / 200, brentq(lambda x: float(SPLINE(x)) - f[2], -1, 1, xtol=1e-15)],
        6: inverse(lambda x, i: (100 + x**2) * x, f),
    }  # fmt: skip
    size, alpha, beta = np.linalg.norm(f), 3 / 0.1**2, 50 / 300
    e = brentq(lambda x: 300 * (beta + alpha * x**2) / (1 + alpha * x**2) * x - size, 0, 1)
    exact[4] = e * f / size
    ab = np.linalg.solve([[100, 50], [50, 100]], f[:2])
    exact[7] = [*ab, (f[2] - 10 * ab[0] ** 2) / 80]
    for n, d in exact.items():
        np.testing.assert_allclose(strain(n)[:3], d, atol=1e-9, err_msg=str(n))
        np.testing.assert_allclose(tables.node(n)[-1, :3], A @ d, atol=1e-9)
        jnt = np.hstack(tables.joint(deck.joints[n]))[-1]
        np.testing.assert_allclose(jnt[:3], f, atol=1e-8)  # in the law's axes, and in global ones
        np.testing.assert_allclose(jnt[6:9], (3, 4, 5), atol=1e-8)
    assert len(strain(1)) == 3 and len(strain(7)) == 6  # rates where the law has them
    both = np.linalg.solve(K6, [*f, *m])
    np.testing.assert_allclose(strain(8), both, atol=1e-9)
    for n in (9, 10):  # the torsional stiffness grows with the axial strain
        d = f / 100
        turn = np.array([m[0] / (4 + 40 * d[0]), m[1] / 5, m[2] / 6])
        np.testing.assert_allclose(strain(n)[:3], d, atol=1e-9)
        found = rotation(run, n, A)
        np.testing.assert_allclose(found, turn, atol=1e-9)
    np.testing.assert_allclose(strain(12), np.linalg.solve(K4, m), atol=1e-9)
    for n, part in ((11, 0.5), (13, 1.0)):  # the law's axes turn with the body, half or wholly

        def residual(x, part=part):
            return rotations.matrix(rotations.exponential(part * x)) @ D3 @ x - m

        turn = fsolve(residual, m / np.diag(D3), xtol=1e-14)
        np.testing.assert_allclose(rotation(run, n, A), turn, atol=1e-9)
        jnt = np.hstack(tables.joint(deck.joints[n]))[-1]
        np.testing.assert_allclose(jnt[9:12], (0.2, 0.3, 0.4), atol=1e-9)


def rotation(run, n, A):
    """ψ of R₁ᵀ R₂, R₁ = A and R₂ = R A."""
    R = rotations.matrix(run[f"node {n}"].orientation.values[-1])
    return rotations.logarithm(rotations.from_matrix(A.T @ R @ A))


def test_mounts_in_python():
    _, run, _ = ran("mounts")
    A, K3, K6, D6, D3, K4 = mounts()
    square = lw.expression("t^2")
    formulas = ("100*a + 50*b + u", "50*a + 100*b + v", "80*c + 10*a^2 + w")
    shift = (0.01, 0.0, lw.polynomial([0, 0.02]))
    known = {
        1: laws.LinearElastic(K3, prestress=(1, 0, -1), prestrain=shift),
        2: laws.DoubleLinear(100, 0.02, -0.02, 60),
        3: laws.CubicElastic((50, 60, 70), 20, (900, 800, 700)),
        4: laws.IsotropicHardening(300, 0.1, linear=50),
        5: laws.ScalarFunctionElastic([lw.polynomial([0, 100]), lw.polynomial([0, 200]), SPLINE]),
        6: laws.FunctionViscoelastic(100, square, product=True),
        7: laws.Symbolic(formulas, ("a", "b", "c"), ("u", "v", "w")), 8: laws.LinearElastic(K6),
        9: laws.AxialTorsion(D6, 40), 10: laws.AxialTorsion(D6, 40, 0.1 * D6),
        11: laws.LinearElastic(D6), 12: laws.LinearElastic(K4),
        13: laws.InvariantAngular(1.0, laws.LinearElastic(D3)),
    }  # fmt: skip
    m = lw.Model()
    time = lw.ramp(1)
    for n, law in known.items():
        body = m.add(f"node {n}", lw.Body(1, (1, 1, 1)))
        form = dict(form="invariant" if n in (6, 7, 11) else "attached", conservative=False)
        words = dict(law=law, orientation=A, **form)
        if n < 8:
            m.add(f"hold {n}", lw.Align(lw.GROUND, body))
            m.add(f"joint {n}", lw.DeformableDisplacement(lw.GROUND, body, (0, 0, 0), **words))
        elif n < 12:
            m.add(f"joint {n}", lw.DeformableJoint(lw.GROUND, body, (0, 0, 0), **words))
        else:
            m.add(f"ball {n}", lw.Spherical(lw.GROUND, body, at=(0, 0, 0)))
            m.add(f"joint {n}", lw.DeformableHinge(lw.GROUND, body, **words))
        if n < 11:
            m.add(f"force {n}", lw.Force(body, (3, 4, 5), time))
        if n > 7:
            m.add(f"couple {n}", lw.Torque(body, (0.2, 0.3, 0.4), time))
    equilibria(run, m)


# ----------------------------------------------------------------------------------------- torsion


def test_torsion():
    deck, run, tables = ran("torsion")
    J, K, C, a, t = 0.5, 50.0, 1.0, 0.4, run.time
    swing, free = damped(a, 0, K, C, J, t), a * np.cos(np.sqrt(K / J) * t)
    jnt = {n: np.hstack(tables.joint(deck.joints[n])) for n in (11, 12, 13, 14, 15, 16)}
    assert jnt[11].shape[1] == 13 and jnt[15].shape[1] == 14  # a rate where the law has one
    np.testing.assert_allclose(jnt[11][:, 12], free, atol=2e-5)
    np.testing.assert_allclose(jnt[11][:, 5], K * free, atol=1e-3)
    for n in (12, 13, 14):
        np.testing.assert_allclose(np.radians(jnt[n][:, 14]), swing[0], atol=2e-5)
        np.testing.assert_allclose(jnt[n][:, 17], swing[1], atol=2e-4)
        np.testing.assert_allclose(jnt[n][:, 5], K * swing[0] + C * swing[1], atol=1e-3)
    # a damper alone: φ = ω₀ J/c (1 − exp(−c t/J)), over more than two turns
    turned = 20 * J / 0.2 * (1 - np.exp(-0.2 * t / J))
    assert turned[-1] > 4 * np.pi
    np.testing.assert_allclose(jnt[15][:, 12], turned, atol=2e-5)
    np.testing.assert_allclose(jnt[15][:, 13], 20 * np.exp(-0.2 * t / J), atol=2e-5)
    # drag: v exp(−c t/m) in fixed directions, while the body turns with exp(−c t/J)
    axes = deck.references[1].R
    v = np.exp(-1.5 * t)[:, None] * (axes @ (1, 2, 3))
    np.testing.assert_allclose(tables.node(6)[:, 6:9], v, atol=1e-5)
    w = 4 * np.exp(-0.8 * t)
    np.testing.assert_allclose(jnt[16][:, 17], w, atol=1e-6)
    speed = np.linalg.norm(jnt[16][:, 12:15], axis=1)
    np.testing.assert_allclose(speed, np.sqrt(14) * np.exp(-1.5 * t), atol=1e-5)
    np.testing.assert_allclose(jnt[16][:, 6:9], 3 * v, atol=1e-4)  # the law's force, globally


def test_torsion_in_python():
    deck, run, _ = ran("torsion")
    R, S = deck.references[1].R, deck.references[2].R
    J, K, C = 0.5, 50.0, 1.0
    spring = laws.LinearViscoelastic(np.diag([10, 20, K]), np.diag([1, 2, C]))
    bends = {
        2: (laws.Axial((0, 0, 1), laws.LinearViscoelastic(K, C)), "attached"),
        3: (spring, "invariant"), 4: (laws.InvariantAngular(0.5, spring), "attached"),
    }  # fmt: skip
    m = lw.Model()
    ground = lw.Frame(lw.GROUND, orientation=rotations.from_matrix(R))
    for n in range(1, 6):
        start = dict(orientation=rotations.from_matrix(R if n == 5 else S))
        body = lw.Body(1, (J, J, J), angular_velocity=(0, 0, 20 if n == 5 else 0), **start)
        m.add(f"node {n}", body)
        m.add(f"joint {n}", lw.Revolute(ground, lw.Frame(body)))
        if n in bends:
            law, form = bends[n]
            words = dict(law=law, form=form, conservative=False)
            m.add(f"joint 1{n}", lw.DeformableHinge(ground, lw.Frame(body), **words))
        else:
            law = laws.LinearViscous(0.2) if n == 5 else laws.LinearElastic(K)
            m.add(f"joint 1{n}", lw.DeformableAxial(ground, lw.Frame(body), law=law))
    body = m.add("node 6", lw.Body(2, (J, J, J), orientation=rotations.from_matrix(R),
                                   velocity=R @ (1, 2, 3), angular_velocity=(0, 0, 4)))
    m.add("drag", lw.ViscousBody(body, laws.LinearViscous((3, 3, 3, 0.4, 0.4, 0.4))))
    other = same(run, m, default(run))
    np.testing.assert_allclose(other.energy.balance.values[-1], 0, atol=1e-4)
