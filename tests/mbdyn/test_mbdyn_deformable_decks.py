"""Decks of deformable joints: each equals its model built in Python, and a closed form."""

from __future__ import annotations

import numpy as np
from mbdyn_decks import DECKS, damped, default, equilibria, ran, same
from scipy.optimize import brentq, fsolve

import linkwork as lw
from linkwork.extend import rotations

laws = lw.laws
SPLINE = lw.table([-1, -0.5, 0, 0.5, 1], [-200, -70, 0, 70, 200], kind="natural", outside="extend")


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
    assert t == 12  # the loads are full since t = 1

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
    shift = (0.01, 0.0, lw.expression("0.02*min(t, 1)"))
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
    time = lw.expression("min(t, 1)")
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
