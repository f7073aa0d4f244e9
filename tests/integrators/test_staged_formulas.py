"""Coefficients of the staged methods against published numbers and their defining conditions."""

import math

import numpy as np
import pytest

from linkwork.integrators.first_order import multistep, tableaux

# Zhang, Zhang, Xing, Masarati: On the optimization of n-sub-step composite time integration
# methods, Nonlinear Dynamics 102 (2020), tables 4 and 5
PUBLISHED_G = {
    ("bathe", 2): (0.292893218813452, 0.267949192431123, 0.25),
    ("mssth", 3): (0.435866521508460, 0.375602225015285, 1 / 3),
    ("mssth", 4): (0.572816062482135, 0.470480577621677, 0.394337567297407),
    ("mssth", 5): (0.278053841136450, 0.260515416607055, 0.246505193142820),
    ("msstc", 3): (0.180425306429398, 0.172547961422089, 1 / 6),
    ("msstc", 4): (0.131378736730466, 0.127742970556848, 0.125),
    ("msstc", 5): (0.103557108920215, 0.101533025147874, 0.1),
}
# a_3 of MSSTC4, and a_3, a_4 of MSSTC5, at rho = 0, 0.5, 1
PUBLISHED_A = {
    4: [(0.00453529185986996,), (0.00636644119939074,), (0.0078125,)],
    5: [(0.00763819606391975, 0.000257160742971488), (0.00896327074168002, 0.000391393000239752),
        (0.01, 0.0005)],
}  # fmt: skip


def tableau(family, n, rho):
    return tableaux.bathe(rho) if family == "bathe" else getattr(tableaux, family)(n, rho)


def stability(A, z):
    """A(z) = 1 + z b (1 − z A)⁻¹ 1."""
    n = len(A)
    return 1 + z * A[-1] @ np.linalg.solve(np.eye(n) - z * A, np.ones(n))


@pytest.mark.parametrize("family, n", PUBLISHED_G)
def test_diagonal_numbers(family, n):
    """To the last digits that are printed."""
    found = [tableau(family, n, rho)[-1, -1] for rho in (0.0, 0.5, 1.0)]
    assert found == pytest.approx(PUBLISHED_G[family, n], abs=3e-15)


@pytest.mark.parametrize("n", PUBLISHED_A)
def test_numerators_of_msstc(n):
    for rho, expected in zip((0.0, 0.5, 1.0), PUBLISHED_A[n], strict=True):
        A = tableaux.msstc(n, rho)
        g = A[-1, -1]
        # (1 − g z)^n A(z), a polynomial: its coefficients from values on a circle
        z = 2.0 * np.exp(2j * np.pi * np.arange(16) / 16)
        values = np.array([stability(A, x) * (1 - g * x) ** n for x in z])
        a = np.fft.fft(values).real / 16 / 2.0 ** np.arange(16)
        assert a[3:n] == pytest.approx(expected, abs=1e-13)


def conditions(A, order):
    """What the conditions of Runge and Kutta lack, up to an order (Butcher's trees)."""
    c, b = A.sum(axis=1), A[-1]
    Ac, A2 = A @ c, A @ c**2
    trees = {
        1: [b.sum() - 1], 2: [b @ c - 1 / 2], 3: [b @ c**2 - 1 / 3, b @ Ac - 1 / 6],
        4: [b @ c**3 - 1 / 4, b @ (c * Ac) - 1 / 8, b @ A2 - 1 / 12, b @ (A @ Ac) - 1 / 24],
        5: [b @ c**4 - 1 / 5, b @ (c**2 * Ac) - 1 / 10, b @ (c * A2) - 1 / 15,
            b @ (c * (A @ Ac)) - 1 / 30, b @ Ac**2 - 1 / 20, b @ (A @ c**3) - 1 / 20,
            b @ (A @ (c * Ac)) - 1 / 40, b @ (A @ A2) - 1 / 60, b @ (A @ (A @ Ac)) - 1 / 120],
    }  # fmt: skip
    return np.abs(np.concatenate([trees[p] for p in range(1, order + 1)])).max()


RADII = (0.0, 0.25, 0.6, 0.85, 1.0)
TABLEAUX = [("bathe", 2, 2, r) for r in RADII]
TABLEAUX += [("msstc", n, 2, r) for n in (3, 4, 5) for r in RADII]
TABLEAUX += [("mssth", n, n, r) for n in (3, 4, 5) for r in RADII]


@pytest.mark.parametrize("family, n, order, rho", TABLEAUX)
def test_tableaux_have_their_order_and_radius(family, n, order, rho):
    A = tableau(family, n, rho)
    assert conditions(A, order) < 1e-14
    if order < 5:
        assert conditions(A, order + 1) > 1e-4
    assert np.diag(A)[1:] == pytest.approx(A[-1, -1])
    assert abs(stability(A, 1e9j)) == pytest.approx(rho, abs=1e-6)
    largest = max(abs(stability(A, 1j * w)) for w in np.logspace(-3, 6, 400))
    assert largest < 1 + 1e-13  # A-stable: no growth on the imaginary axis


@pytest.mark.parametrize("name, order", [("dirk33", 3), ("dirk43", 3), ("dirk54", 4)])
def test_dirk(name, order):
    A = getattr(tableaux, name)()
    assert conditions(A, order) < 1e-15
    assert conditions(A, order + 1) > 1e-4
    assert abs(stability(A, 1e9j)) < 1e-8
    assert max(abs(stability(A, 1j * w)) for w in np.logspace(-3, 6, 400)) < 1 + 1e-13


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.9])
def test_multistep_coefficients(rho):
    """Closed forms, derived apart from the linear system that the code solves."""
    a, b = multistep.ms_coefficients(2, rho)
    assert a == pytest.approx([4 * (1 - rho) / (3 - rho), (3 * rho - 1) / (3 - rho)])
    assert b[0] == pytest.approx(2 / ((1 + rho) * (3 - rho)))
    a, b = multistep.ms_coefficients(3, rho)
    d = rho**2 - 5 * rho + 10
    assert a == pytest.approx(
        [3 * (2 * rho**2 - 9 * rho + 5) / d, -3 * (5 * rho**2 - 9 * rho + 2) / d,
         (10 * rho**2 - 5 * rho + 1) / d]
    )  # fmt: skip
    assert b == pytest.approx(6 / ((1 + rho) * d) * np.array([1, 3 * rho, 3 * rho**2, rho**3]))
    a, b = multistep.ms_coefficients(4, rho)
    d = -(rho**3) + 7 * rho**2 - 21 * rho + 35
    assert a[0] == pytest.approx(4 * (-2 * rho**3 + 13 * rho**2 - 35 * rho + 14) / d)
    assert a[1] == pytest.approx(-4 * (1 - rho) * (7 * rho**2 - 34 * rho + 7) / d)
    assert a[2] == pytest.approx(-4 * (14 * rho**3 - 35 * rho**2 + 13 * rho - 2) / d)
    assert a[3] == pytest.approx((35 * rho**3 - 21 * rho**2 + 7 * rho - 1) / d)
    assert b[0] == pytest.approx(20 / ((1 + rho) * d))


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("rho", [0.0, 0.4, 0.8])
def test_filters_have_the_roots_of_their_multistep_method(k, rho):
    """b(ξ)/a(ξ) of both are the same rational function."""
    a, b = multistep.ms_coefficients(k, rho)
    numerator, denominator = multistep.ss_k(k, rho).filter
    for z in (0.3 + 0.4j, -0.7j, 2.0, -1.5 + 0.2j):
        d = 1 / z
        one = np.polyval(b[::-1], d) / (1 - d * np.polyval(a[::-1], d))
        other = np.polyval(numerator[::-1], d) / np.polyval(denominator[::-1], d) / (1 - d)
        assert other == pytest.approx(one, rel=1e-11)


@pytest.mark.parametrize("ratio", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0])
def test_two_steps_of_different_size_are_exact_for_parabolas(ratio, rho):
    f = multistep.ms2(rho, ratio, 2)
    t = np.array([0.0, -1 / ratio])
    for p in range(3):
        past = f.alpha[0, :2] @ t**p + f.beta[0, :2] @ (p * t ** max(p - 1, 0) if p else 0 * t)
        assert past + f.g[0] * p == pytest.approx(1.0)


def test_second_step_of_hope_at_rho_zero_is_tr_bdf2():
    """With equal halves H: y = 4/3 y₁ − 1/3 y₀ + 2/3 H ẏ (Bank and others 1985)."""
    f = multistep.hope_second(0.0)
    assert f.alpha[0, :2] == pytest.approx([4 / 3, -1 / 3])
    assert f.g[0] == pytest.approx(2 / 3) and math.isclose(f.beta[0, 0], 0.0, abs_tol=1e-15)
