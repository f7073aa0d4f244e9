"""Quantities, laws between them, and state spaces, against closed forms and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
from inside import model_from_dict, model_to_dict

import linkwork as lw

METHODS = [lw.GeneralizedAlpha(), lw.MS2(rho=0.6), lw.DIRK54(), lw.CrankNicolson(), lw.SS2()]
EACH = pytest.mark.parametrize("method", METHODS, ids=repr)


def run(m, t, h, **options):
    return lw.transient(m, t=t, h=h, progress=False, **options)


@EACH
def test_a_quantity_of_second_order_is_an_oscillator(method):
    """2 q̈ + 0.4 q̇ + 50 q = 10 from rest."""
    m = lw.Model("one")
    m.add("q", lw.Quantity(mass=2.0, damping=0.4, stiffness=50.0, load=10.0))
    r = run(m, 1.0, 1e-3, method=method)
    s = -0.1 + 1j * np.sqrt(25 - 0.01)
    exact = 0.2 - 0.2 * (np.exp(s * r.time) * (1 - 0.1j / s.imag)).real
    np.testing.assert_allclose(r["q"].value, exact, rtol=0, atol=3e-6)


def test_a_mass_that_grows_with_time():
    """(2 + t/2) q̈ = 1 from rest: q̇ = 2 ln(1 + t/4)."""
    m = lw.Model("grows")
    m.add("q", lw.Quantity(mass=lw.polynomial([2.0, 0.5]), load=1.0))
    r = run(m, 1.0, 1e-3)
    np.testing.assert_allclose(r["q"].value_rate, 2 * np.log(1 + r.time / 4), rtol=0, atol=1e-6)


@EACH
def test_heat_between_three_plates(method):
    """Capacities 5, 9 and none, conductances 0.4 and 0.7, and a law to the surroundings."""
    m = lw.Model("plates")
    a = m.add("a", lw.Quantity(80.0, damping=5.0, scale=100.0))
    b = m.add("b", lw.Quantity(20.0, damping=9.0, scale=100.0))
    c = m.add("c", lw.Quantity(20.0, scale=100.0))
    m.add("ac", lw.QuantityLaw(a, c, law=lw.laws.LinearElastic(0.4)))
    m.add("cb", lw.QuantityLaw(c, b, law=lw.laws.LinearElastic(0.7)))
    m.add("air", lw.QuantityLaw(lw.GROUND, b, law=lw.laws.LinearElastic(0.2), offset=10.0))
    r = run(m, 20.0, 0.1, method=method)
    g = 0.4 * 0.7 / 1.1
    K = np.array([[g, -g], [-g, g + 0.2]]) / np.array([[5.0], [9.0]])
    rest = np.linalg.solve(K, [0, 2.0 / 9])
    exact = rest + la.expm(-20 * K) @ (np.array([80.0, 20.0]) - rest)
    np.testing.assert_allclose([r["a"].value[-1], r["b"].value[-1]], exact, rtol=2e-5)
    np.testing.assert_allclose(
        r["c"].value, (0.4 * r["a"].value + 0.7 * r["b"].value) / 1.1, rtol=1e-9
    )


@EACH
def test_rates_that_two_equations_share(method):
    """2 (q̇₁ − q̇₂) + 6 q₁ = 0 and 2 (q̇₂ − q̇₁) + 6 q₂ = t: from q₁ = 0.2 the sum is t/6 at once, and
    the difference d decays, 2 ḋ + 3 d = −t/2."""
    m = lw.Model("shared")
    first = m.add("1", lw.Quantity(0.2, stiffness=6.0, order=1))
    second = m.add("2", lw.Quantity(stiffness=6.0, order=1, load=lw.polynomial([0.0, 1.0])))
    m.add("d", lw.QuantityLaw(first, second, law=lw.laws.LinearViscous(2.0)))
    r = run(m, 1.0, 2e-3, method=method)
    x, y, t = r["1"].value.values, r["2"].value.values, r.time
    np.testing.assert_allclose(x + y, t / 6, rtol=0, atol=1e-9)
    d = x - y
    start = d[0]
    exact = -t / 6 + 1 / 9 + (start - 1 / 9) * np.exp(-1.5 * t)
    np.testing.assert_allclose(d, exact, rtol=0, atol=2e-6)
    rates = r["1"].value_rate.values + r["2"].value_rate.values
    np.testing.assert_allclose(rates, 1 / 6, rtol=0, atol=1e-6)


def chain(n, rng):
    A = rng.normal(size=(n, n)) - 3 * np.eye(n)
    return A, rng.normal(size=(n, 1)), np.eye(n) + 0.1 * rng.normal(size=(n, n))


@EACH
@pytest.mark.parametrize("n", [1, 3, 20])
def test_state_spaces_against_the_matrix_exponential(method, n):
    """E ẋ = A x + B sin 3t as a part of a larger autonomous system."""
    A, B, E = chain(n, np.random.default_rng(n))
    m = lw.Model("states")
    start = np.linspace(-1, 1, n)
    m.add("x", lw.StateSpace(A, B, lw.expression("sin(3*t)"), E, start))
    r = run(m, 1.0, 2e-3, method=method)
    whole = np.zeros((n + 2, n + 2))
    whole[:n, :n], whole[:n, n:] = la.solve(E, A), np.hstack([la.solve(E, B), np.zeros((n, 1))])
    whole[n, n + 1], whole[n + 1, n] = 3.0, -3.0
    exact = (la.expm(whole) @ np.concatenate([start, [0.0, 1.0]]))[:n]
    found = np.atleast_2d(r["x"].state.values.reshape(len(r.time), n))[-1]
    np.testing.assert_allclose(found, exact, rtol=0, atol=2e-4)


def test_a_filter_in_a_loop_with_a_body():
    """m ẍ = −40 y, ẏ = 5 (x − y): eigenvalues of the whole, and the run against them."""
    m = lw.Model("loop")
    cart = m.add("cart", lw.Body(2.0, (1, 1, 1), position=(0.1, 0, 0)))
    slow = m.add("slow", lw.StateSpace([[-5.0]], [[5.0]], [lw.reads(cart, "position", "x")]))
    m.add("push", lw.Force(cart, (1, 0, 0), drive=-40 * slow.output([1.0])))
    A = np.array([[0, 1, 0], [0, 0, -20], [5, 0, -5]])
    r = run(m, 1.0, 1e-3)
    exact = np.array([la.expm(A * t) @ [0.1, 0, 0] for t in (0.5, 1.0)])
    found = np.column_stack([r["cart"].position.values[[500, 1000], 0],
                             r["slow"].state.values[[500, 1000]]])  # fmt: skip
    np.testing.assert_allclose(found, exact[:, [0, 2]], rtol=0, atol=2e-6)


@pytest.mark.parametrize("method", [*METHODS, lw.BDF2(), lw.ImplicitEuler()], ids=repr)
def test_a_singular_e_leaves_algebraic_equations(method):
    """T (E, A, B) S with ẋ₁ = −x₁ + u and 0 = 2 x₁ − x₂ + 3 u, u = sin ωt, from x₁ = 0.5."""
    rng = np.random.default_rng(5)
    T, S = np.eye(2) + 0.3 * rng.normal(size=(2, 2)), np.eye(2) + 0.3 * rng.normal(size=(2, 2))
    A, B, E = np.array([[-1.0, 0], [2, -1]]), np.array([[1.0], [3]]), np.diag([1.0, 0])
    start = np.linalg.solve(S, [0.5, 1.0])  # where the equations hold
    errors = []
    for h in (0.01, 0.005):
        m = lw.Model("descriptor")
        m.add("s", lw.StateSpace(T @ A @ S, T @ B, [lw.sine(1, 0.5)], T @ E @ S, start))
        r = run(m, 1.0, h, method=method)
        x, w = np.asarray(r["s"].state) @ S.T, np.pi
        x1 = (0.5 + w / (1 + w * w)) * np.exp(-r.time)
        x1 += (np.sin(w * r.time) - w * np.cos(w * r.time)) / (1 + w * w)
        np.testing.assert_allclose(2 * x[:, 0] - x[:, 1], -3 * np.sin(w * r.time), atol=1e-8)
        errors.append(np.abs(x[:, 0] - x1).max())
    first = isinstance(method, lw.ImplicitEuler)
    assert errors[0] < (0.01 * 3 if first else 0.01**2 * 2)  # h/2 |x''|, h²/3 |x'''| and less
    assert errors[1] < 1e-11 or errors[0] / errors[1] > (1.9 if first else 3.8)


def test_a_singular_e_in_statics_and_modes():
    """At rest x₁ = u = 2, x₂ = 2 x₁ + 3 u = 10; one finite eigenvalue, −1."""
    m = lw.Model("descriptor")
    m.add("s", lw.StateSpace([[-1.0, 0], [2, -1]], [[1.0], [3]], [2.0], np.diag([1.0, 0])))
    rest = lw.static(m)
    np.testing.assert_allclose(rest["s"].state, [2.0, 10.0], rtol=1e-12)
    np.testing.assert_allclose(lw.eigen(m, at=rest).eigenvalues, [-1.0], rtol=1e-12)


def test_they_are_stored_and_come_back():
    m = lw.Model("stored")
    cart = m.add("cart", lw.Body(2.0, (1, 1, 1)))
    q = m.add("q", lw.Quantity(1.0, damping=2.0, load=lw.reads(cart, "velocity", "x")))
    s = m.add("s", lw.StateSpace([[-1.0, 0.5], [0.0, -2.0]], np.eye(2),
                                 [lw.reads(q, "value"), lw.sine(1, 2)], start=[0.1, 0.2]))
    m.add("law", lw.QuantityLaw(q, lw.GROUND, law=lw.laws.LinearElastic(2.0)))
    m.add("push", lw.Force(cart, (1, 0, 0), drive=lw.reads(s, "state", 1)))
    again = model_from_dict(model_to_dict(m))
    np.testing.assert_array_equal(run(m, 0.1, 1e-2).values, run(again, 0.1, 1e-2).values)


@pytest.mark.parametrize("make, message", [
    (lambda: lw.Quantity(order=3), "order of a Quantity must be 0, 1 or 2"),
    (lambda: lw.Quantity(mass=1.0, order=1), "its equation is of order 2"),
    (lambda: lw.Quantity(stiffness="soft"), "stiffness of a Quantity"),
    (lambda: lw.StateSpace([[1.0]], [[1.0, 2.0]], [0.0]), "B of a StateSpace must be a matrix"),
    (lambda: lw.StateSpace([[0.0]], [[1.0]], [0.0], [[0.0]]), "E of a StateSpace is singular"),
    (lambda: lw.StateSpace(np.eye(2), [[0.0], [1.0]], [0.0], [[0, 1], [0, 0]]), "index over one"),
    (lambda: lw.QuantityLaw(lw.GROUND, 3.0, law=lw.laws.LinearElastic(1.0)), "must be a Quantity"),
    (lambda: lw.QuantityLaw(lw.GROUND, lw.GROUND, law=lw.laws.LinearElastic(1.0)), "with itself"),
])  # fmt: skip
def test_bad_words_are_refused(make, message):
    with pytest.raises(lw.ModelError, match=message):
        make()


def test_statics_with_forces_of_round_off_elsewhere():
    """k x = f, however little acts on bodies beside it."""
    m = lw.Model("two worlds")
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    m.add("spring", lw.Bushing(lw.GROUND, body, at=(0, 0, 0), stiffness=6 * [1e4]))
    m.add("push", lw.Force(body, (1e-20, 0, 0)))
    m.add("state", lw.Quantity(0.2, order=1, damping=1.0, stiffness=3.0, load=1.5))
    assert lw.static(m, progress=False)["state"].value == pytest.approx(0.5, rel=1e-9)
