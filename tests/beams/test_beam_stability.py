"""Beams that buckle, snap and turn: closed forms and published values."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.special import ellipk

import linkwork as lw


def section(EIy: float = 1.0, EIz: float = 1.0, GJ: float = 1.0, EA: float = 1e6) -> lw.Section:
    return lw.Section(stiffness=[EA, EA, EA, GJ, EIy, EIz], mass=1.0)


def cantilever(load=None, profile=None, elements: int = 8, gravity=(0, 0, 0), **words) -> lw.Model:
    m = lw.Model("cantilever", gravity=gravity)
    beam = lw.Beam((0, 0, 0), (1, 0, 0), profile or section(), elements=elements)
    m.add("beam", beam)
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    if load is not None:
        m.add("P", lw.Force(beam.tip, load, **words))
    return m


def test_euler_column():
    found = lw.buckling(cantilever((-1, 0, 0)), n=4, progress=False)
    euler = np.pi**2 / 4 * np.array([1, 1, 9, 9])
    # meshes of fourth order: 4e-6 in the first load, 3e-4 in the second
    np.testing.assert_allclose(found.factor, euler, rtol=5e-4)
    np.testing.assert_allclose(found.factor[:2], euler[:2], rtol=1e-5)
    assert found.exact.all()


def test_a_column_under_its_own_weight():
    # A. G. Greenhill (1881): q L³/EI = 9/4 j², j the first zero of J_{-1/3}
    found = lw.buckling(cantilever(gravity=(-1, 0, 0), elements=16), n=1, progress=False)
    assert found.factor == pytest.approx([7.83735], rel=3e-4)


def test_lateral_buckling_of_a_narrow_cantilever():
    # 4.01260 √(EI GJ)/L² where bending in the plane of the load is stiff: 1e5 times as stiff here
    narrow = section(EIy=1e5, EA=1e8)
    found = lw.buckling(cantilever((0, 0, -1), narrow, elements=16), n=1, progress=False)
    assert found.exact[0]
    assert found.factor == pytest.approx([4.0125993436], rel=1e-3)


def test_a_buckled_column_is_an_elastica():
    # P/P₁ = (2 K(sin α/2)/π)² at the tip angle α
    m = cantilever((-1, 0, 0), section(EIz=2.0), elements=16)
    straight = lw.equilibrium_path(m, until=3.0, progress=False)
    assert len(straight.bifurcations) == 1
    np.testing.assert_array_equal(straight.stable, straight.factor < np.pi**2 / 4)
    bent = lw.equilibrium_path(m, until=4.0, at=straight.bifurcations[0], progress=False)
    q = bent["beam.tip"].orientation.values
    alpha = 2 * np.arctan2(np.abs(q[:, 2]), np.abs(q[:, 0]))
    expected = np.pi**2 / 4 * (2 / np.pi * ellipk(np.sin(alpha / 2) ** 2)) ** 2
    np.testing.assert_allclose(bent.factor[2:], expected[2:], rtol=1e-4)
    assert alpha[-1] > 1.5 and bent.stable[2:].all()


def test_becks_column_flutters():
    # M. Beck (1952): P = 20.05 EI/L² along the tip
    with pytest.raises(lw.ModelError, match="conservative loads"):
        lw.buckling(cantilever((-1, 0, 0), follower=True), progress=False)
    for load, stable in ((19.5, True), (20.6, False)):
        m = cantilever((-load, 0, 0), section(EIz=1.3), elements=12, follower=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # low modes: no mesh is to blame
            assert lw.eigen(m, at=lw.static(m, progress=False)).stable == stable


def blade(speed: float) -> lw.Model:
    m = lw.Model("blade")
    hub = m.add("hub", lw.Body(1, (1, 1, 1)))
    angle = lw.ramp(speed)
    m.add("drive", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1), angle=angle))
    beam = m.add("beam", lw.Beam((0, 0, 0), (1, 0, 0), section(), elements=12))
    m.add("clamp", lw.Fixed(hub, beam.root, at=(0, 0, 0)))
    return m


def test_frequencies_of_a_rotating_blade():
    # A. D. Wright, C. E. Smith, R. W. Thresher, J. L. C. Wang, J. Appl. Mech. 49 (1982), 197-202;
    # lag² = flap² − η²; the extension η²/3EA is below 1e-4
    speeds = np.array([0.0, 1.0, 2.0, 6.0, 10.0])
    first = np.array([3.51602, 3.68165, 4.13732, 7.36037, 11.20233])
    second = np.array([22.03449, 22.18101, 22.61492, 26.80908, 33.64037])
    found = 2 * np.pi * lw.campbell(blade, speeds, n=4, progress=False).frequency
    expected = np.column_stack([
        np.sqrt(first**2 - speeds**2), first, np.sqrt(second**2 - speeds**2), second
    ])  # fmt: skip
    np.testing.assert_allclose(np.sort(found, axis=1), expected, rtol=2e-3)
    np.testing.assert_allclose(np.sort(found, axis=1)[:, 1], first, rtol=2e-4)


def test_a_large_beam_is_judged_too():
    m = cantilever((0, 0, -2.0), elements=60)
    eq = lw.static(m, progress=False)
    assert eq.stable and eq.stiffness > 0
    m = cantilever((-3.0, 0, 0), elements=60)
    assert not lw.static(m, progress=False).stable  # above π²/4
    m = cantilever((-2.0, 0, 0), elements=60)
    assert lw.static(m, progress=False).stable


# ---------------------------------------------------------------------- flutter of coarse meshes


def finite_volumes(n, EI, GA, L, J):
    """K and the masses by Simpson's rule of a free straight beam of n three-node elements, unknowns
    w and ψ of the nodes: K = Σ Tᵀ C B with arms of the pieces in T, strains of the points in B."""
    h, a = L / n, 3**-0.5
    K, mass = np.zeros((4 * n + 2, 4 * n + 2)), np.zeros(4 * n + 2)
    for e in range(n):
        w = 4 * e + 2 * np.arange(3)
        for k, xi in enumerate((-a, a)):
            N = np.array([xi * (xi - 1) / 2, 1 - xi * xi, xi * (xi + 1) / 2])
            slope = np.array([xi - 0.5, -2 * xi, xi + 0.5]) * 2 / h
            arms = np.array([xi + 1 - k, k - xi]) * h / 2  # from the nodes before and behind
            shear, bent = np.zeros(4 * n + 2), np.zeros(4 * n + 2)
            shear[w], shear[w + 1], bent[w + 1] = slope, -N, slope
            across, turns = np.zeros(4 * n + 2), np.zeros(4 * n + 2)
            across[w[[k, k + 1]]], across[w[[k, k + 1]] + 1] = (-1, 1), -arms
            turns[w[[k, k + 1]] + 1] = -1, 1
            K += GA * np.outer(across, shear) + EI * np.outer(turns, bent)
        mass[w] += np.array([1, 4, 1]) / 6 * h
        mass[w + 1] += np.array([1, 4, 1]) / 6 * h * J
    return K, mass


def free_beam(n, order=3, inertia="lumped"):
    section = lw.Section(stiffness=[1e3, 1e3, 1e3, 50, 50, 50], mass=1.0, inertia=(0.1, 0.05, 0.05))
    m = lw.Model("free")
    m.add("beam", lw.Beam(
        (0, 0, 0), (4, 0, 0), section, elements=n, order=order, inertia=inertia
    ))  # fmt: skip
    return lw.eigen(m)


def test_flutter_of_a_coarse_mesh_is_that_of_its_stiffness():
    """Two modes of three elements grow in pairs; of elements of two nodes none does."""
    K, mass = finite_volumes(3, 50.0, 1e3, 4.0, 0.05)
    omega = np.sqrt(np.linalg.eigvals(K / mass[:, None]).astype(complex))
    grows = np.abs(omega.imag).max()
    with pytest.warns(lw.LinkworkWarning, match="Beam 'beam': elements of three nodes can do that"):
        found = free_beam(3)
    assert grows > 1.0
    assert found.eigenvalues.real.max() == pytest.approx(grows, rel=1e-5) and not found.stable
    for n in (3, 6, 7):
        assert free_beam(n, order=2).eigenvalues.real.max() < 1e-6
