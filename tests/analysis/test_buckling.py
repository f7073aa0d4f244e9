"""Critical load factors against closed forms; Ziegler's column, which has none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from test_equilibrium_path import strut, truss, truss_load

import linkwork as lw
from tests.beams.test_large_deformation import cantilever


def column(n: int, pinned: bool, k: float = 100.0, follower: bool = False) -> lw.Model:
    """n rigid links of length 1 along z with torsion springs between them, loaded at the top.

    pinned: both ends turn freely and the top stays above the foot; else the foot has a spring too.
    """
    m, before = lw.Model("column"), lw.GROUND
    for i in range(n):
        link = m.add(f"b{i}", lw.Body(1, (0.1, 0.1, 0.01), position=(0, 0, i + 0.5)))
        pin = m.add(f"p{i}", lw.Revolute(before, link, at=(0, 0, i), axis=(0, 1, 0)))
        if i or not pinned:
            m.add(f"k{i}", lw.TorsionSpring(pin, stiffness=k))
        before = link
    if pinned:
        m.add("top", lw.PointOnPlane(lw.GROUND, before, at=(0, 0, n), axis=(1, 0, 0)))
    m.add("P", lw.Force(lw.Frame(before, (0, 0, 0.5)), (0, 0, -1), follower=follower))
    return m


@pytest.mark.parametrize("n", [2, 3, 8])
def test_a_pinned_column_of_links_has_its_discrete_euler_loads(n):
    # w_{i+1} − 2 w_i + w_{i−1} = −(P/k) w_i:  P_j = 4 k/L sin²(jπ/2n)
    found = lw.buckling(column(n, pinned=True), n=3, progress=False)
    j = np.arange(1, min(3, n - 1) + 1)
    np.testing.assert_allclose(found.factor, 400 * np.sin(j * np.pi / (2 * n)) ** 2, rtol=1e-8)
    assert found.exact.all()
    x = found.shapes[0, :, 0] / np.abs(found.shapes[0, :, 0]).max()
    half = np.sin(np.pi * np.arange(n + 1) / n)
    middle = (half[1:] + half[:-1]) / 2  # links move by the mean of their ends
    np.testing.assert_allclose(np.abs(x), middle / middle.max(), atol=1e-6)


def test_two_bars_on_springs():
    # k [2 −1; −1 1] − P L [1 0; 0 1] in the angles of the bars
    found = lw.buckling(column(2, pinned=False), progress=False)
    np.testing.assert_allclose(found.factor, [100 * (3 - 5**0.5) / 2, 100 * (3 + 5**0.5) / 2])
    assert lw.buckling(strut(), n=1, progress=False).factor == pytest.approx([100.0])


def test_what_deforms_before_it_buckles():
    """The steep truss is shortened by its load, and buckles earlier than linearised about none."""
    h, l0 = 3.0, np.hypot(1, 3.0)
    length = brentq(lambda x: x**3 - l0 * (x * x - 1), 2 * l0 / 3, l0, xtol=1e-14)
    critical = truss_load(np.sqrt(length**2 - 1), h)
    found = lw.buckling(truss(h, free=True), n=1, progress=False)
    assert found.factor == pytest.approx([critical], rel=1e-8)
    linear = lw.buckling(truss(h, free=True), n=1, exact=False, progress=False)
    assert not linear.exact.any() and linear.factor[0] > 1.05 * critical


def test_a_limit_point_is_not_reached_by_linear_buckling_and_is_warned_of():
    with pytest.warns(lw.LinkworkWarning, match="could not be followed"):
        found = lw.buckling(truss(0.2), n=1, progress=False)
    assert not found.exact[0]


@pytest.mark.parametrize("gravity", [True, False])
def test_loads_that_are_named(gravity):
    m = strut(gravity=10.0)
    m["P"].vector = (0, 0, -60)
    found = lw.buckling(m, n=1, loads=["gravity"] if gravity else ["P"], progress=False)
    assert found.factor == pytest.approx([(100 - 60) / 10 if gravity else (100 - 10) / 60])


def test_a_clamped_chain_of_bushings_buckles_in_both_planes():
    # pieces with k = EI/h and 2k at the clamp: P_j = 4 k/h sin²((2j − 1)π/4n) → π² EI/4L²
    n = 10
    m = cantilever(n)
    m.add("P", lw.Force(lw.Frame(m[f"b{n - 1}"], (0.5 / n, 0, 0)), (-1, 0, 0)))
    found = lw.buckling(m, n=4, progress=False)
    expected = 4 * n**2 * np.sin((2 * np.array([1, 1, 2, 2]) - 1) * np.pi / (4 * n)) ** 2
    np.testing.assert_allclose(found.factor, expected, rtol=1e-5)  # EA = 1e7 shortens it by 1e-6


def ziegler(P: float) -> lw.Model:
    """Two massless bars of length 1 with springs k = 1, masses 2 and 1 at their ends, and a force
    along the second bar."""
    m = lw.Model("ziegler")
    a = m.add("a", lw.Body(2, (0, 0, 0), position=(0, 0, 1)))
    b = m.add("b", lw.Body(1, (0, 0, 0), position=(0, 0, 2)))
    foot = m.add("foot", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0)))
    knee = m.add("knee", lw.Revolute(a, b, at=(0, 0, 1), axis=(0, 1, 0)))
    m.add("k1", lw.TorsionSpring(foot, stiffness=1))
    m.add("k2", lw.TorsionSpring(knee, stiffness=1))
    m.add("P", lw.Force(b, (0, 0, -P), follower=True))
    return m


def test_follower_loads_are_refused_and_eigenvalues_show_the_flutter():
    with pytest.raises(lw.ModelError, match="conservative loads"):
        lw.buckling(ziegler(1.0), progress=False)
    # H. Ziegler, Ingenieur-Archiv 20 (1952): P L/k = 7/2 − √2
    critical = 3.5 - 2**0.5
    assert lw.eigen(ziegler(0.999 * critical)).stable
    assert not lw.eigen(ziegler(1.001 * critical)).stable


def test_loads_that_only_pull_have_no_critical_factor():
    m = strut()
    m["P"].vector = (0, 0, 1)
    with pytest.raises(lw.ModelError, match="no positive factor"):
        lw.buckling(m, progress=False)
    with pytest.raises(lw.ModelError, match="n "):
        lw.buckling(m, n=0)


def test_buckling_says_what_it_found():
    found = lw.buckling(column(3, pinned=True), n=2, progress=False)
    assert "2 critical factors of 'column', times P" in repr(found)
    assert found["b0"].shape == (2, 6) and len(found) == 2
    with pytest.raises(lw.ModelError, match="no body named"):
        found["b9"]
