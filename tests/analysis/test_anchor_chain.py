"""The anchor chain of Peng, Tasora, Fusai, Mangoni (2024), section 4.2, as points and tensions.

An independent formulation: the links are thin rods between points p_0 … p_n, of which the first
and the last are held; the unknowns are the points' displacements u.  In equilibrium link k pulls
with the tension T_k and

    mass        Σ_k m_k/6 (2 |u̇_k|² + 2 |u̇_{k+1}|² + 2 u̇_k·u̇_{k+1}) / 2
    stiffness   Σ_k T_k/l_k |u_{k+1} − u_k|²                            (of the length's multiplier)
    lengths     t_k·(u_{k+1} − u_k) = 0

Torsion: link k turns by φ_k = s_k t_k + b_k, b_k = t_k × (u_{k+1} − u_k)/l_k.  A cross whose arms
are y in the one body and perpendicular to y and to the link in the other holds (φ_k − φ_{k−1})·t_k
= 0, hence s_0 = 0, s_k = s_{k−1} t_{k−1}·t_k + b_{k−1}·t_k, and at B, where the arm along y is the
ground's, s_n−1 = 0: one more condition on u.  Thin rods have no inertia about t_k.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from example_scripts import load_example
from scipy.linalg import eigh, null_space
from scipy.optimize import brentq

import linkwork as lw

GRAVITY = 9.81


def hanging_points(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and tensions of n equal links of 1 kg/m, 2 √61 m in all, hung from A and B."""
    length = 2 * math.sqrt(61) / n
    vertical = GRAVITY * length * (np.arange(n) - (n - 1) / 2)  # in the middle of each link

    def span(H: float) -> float:
        return float(np.sum(length * H / np.hypot(H, vertical))) - 10

    H = brentq(span, 1, 1000, xtol=1e-13)
    T = np.hypot(H, vertical)
    t = np.column_stack([H / T, np.zeros(n), vertical / T])
    return np.vstack([np.zeros(3), np.cumsum(length * t, axis=0)]), T


def frequencies(n: int, torsion: bool = True) -> np.ndarray:
    """Frequencies (Hz) of the chain of points, with torsion held all along or free."""
    points, T = hanging_points(n)
    d = np.diff(points, axis=0)
    length = np.linalg.norm(d, axis=1)
    t, I3 = d / length[:, None], np.eye(3)
    M, K = np.zeros((2, 3 * (n + 1), 3 * (n + 1)))
    A = np.zeros((n + torsion, 3 * (n + 1)))
    spin = np.zeros(3 * (n + 1))  # s_k as a row that multiplies u
    for k in range(n):
        six = slice(3 * k, 3 * k + 6)
        M[six, six] += length[k] / 6 * np.kron([[2, 1], [1, 2]], I3)
        K[six, six] += T[k] / length[k] * np.kron([[1, -1], [-1, 1]], I3)
        A[k, six] = np.concatenate([-t[k], t[k]])
        if k > 0:
            spin = spin * (t[k - 1] @ t[k])
            row = np.cross(t[k], t[k - 1]) / length[k - 1]  # t_k·(t_{k−1} × u) = (t_k × t_{k−1})·u
            spin[3 * k - 3 : 3 * k + 3] += np.concatenate([-row, row])
    if torsion:
        A[n] = spin
    free = slice(3, 3 * n)
    Z = null_space(A[:, free])
    squares = eigh(Z.T @ K[free, free] @ Z, Z.T @ M[free, free] @ Z, eigvals_only=True)
    return np.sqrt(squares) / (2 * math.pi)


@cache
def hanging_chain(links: int) -> tuple[lw.Model, lw.Result]:
    model = load_example("anchor_chain").build(links)
    return model, lw.static(model, progress=False)


def homokinetic_chain(links: int) -> lw.Model:
    """The same links on constant velocity joints and a ball at B, which leaves torsion free."""
    chain = load_example("anchor_chain").build(links)
    m = lw.Model("chain", gravity=(0, 0, -GRAVITY))
    last = lw.GROUND
    for k in range(links):
        old = chain[f"link {k}"]
        link = m.add(f"link {k}", lw.Body(old.mass, old.inertia, position=old.position,
                                          orientation=old.orientation))  # fmt: skip
        axis = lw.Frame(link, (0, 0, 0)).world()[1]
        at = chain[f"joint {k}"].frames[0].world()[0]
        m.add(f"joint {k}", lw.Homokinetic(last, link, at=at, orientation=axis))
        last = link
    m.add("end", lw.Spherical(last, lw.GROUND, at=(10, 0, 0)))
    return m


@pytest.mark.parametrize("links", [20, 40, 80])
def test_frequencies_are_those_of_points_and_tensions(links: int) -> None:
    """The first eight, of which a link of radius 1 mm and 0.78 m changes less than 1e-5."""
    model, rest = hanging_chain(links)
    modes = lw.eigen(model, at=rest.state, n=8)
    assert rest.stable
    np.testing.assert_allclose(modes.frequency, frequencies(links)[:8], rtol=1e-5)


def test_free_torsion_adds_an_antisymmetric_mode() -> None:
    """references.md, section 1 [X]: 0.24355, 0.32253, 0.44276, 0.57885 Hz of 20 links."""
    expected = (0.24355, 0.32253, 0.44276, 0.57885)
    np.testing.assert_allclose(frequencies(20, torsion=False)[:4], expected, rtol=0, atol=5.1e-6)
    model = homokinetic_chain(20)
    modes = lw.eigen(model, at=lw.static(model, progress=False).state, n=4)
    np.testing.assert_allclose(modes.frequency, expected, rtol=0, atol=5.1e-6)


def test_modes_are_of_the_published_kinds() -> None:
    """Peng et al. 2024, figure 5: out of the plane, in it, in it, out of it; the middle swings
    along y, x, z, y."""
    model, rest = hanging_chain(20)
    shapes = lw.eigen(model, at=rest.state, n=4).shapes
    example = load_example("anchor_chain")
    for shape, axis in zip(shapes, (1, 0, 2, 1), strict=True):
        moved = np.abs(example.polygon(rest, shape.real))
        assert moved[10].argmax() == axis and moved[10, axis] > 0.1 * moved.max()
        others = moved[:, [0, 2]] if axis == 1 else moved[:, 1]
        assert np.max(others) < 1e-9 * moved.max()
    swings = [example.polygon(rest, s.real)[1:-1, 1] for s in shapes[[0, 3]]]
    assert (swings[0] > 0).all() or (swings[0] < 0).all()  # the first has no node
    assert np.count_nonzero(np.diff(np.sign(swings[1]))) == 2  # the fourth has two


@pytest.mark.parametrize("links", [20, 40, 80])
def test_equilibrium_is_that_of_points_and_tensions(links: int) -> None:
    """Peng et al. 2024, section 4.2.1: the horizontal force is the same in every joint."""
    _, rest = hanging_chain(links)
    points, T = hanging_points(links)
    force = np.array([rest[f"joint {k}"].force_world.values for k in range(links)])
    horizontal = T[0] * (points[1, 0] - points[0, 0]) / (2 * math.sqrt(61) / links)
    np.testing.assert_allclose(force[:, 0], -horizontal, rtol=1e-9)
    assert np.abs(force[:, 1]).max() < 1e-11 * horizontal
    middle = rest[f"link {links // 2}"].point((0, 0, -math.sqrt(61) / links)).values
    np.testing.assert_allclose(middle, points[links // 2], rtol=0, atol=1e-9)


def test_chains_converge_to_the_catenary() -> None:
    """references.md, section 1 [X]: lowest point of 40 links; the limit is that of a rope."""
    assert abs(hanging_points(40)[0][20, 2] + 5.41542) < 5.1e-6
    a = brentq(lambda a: a * math.sinh(5 / a) - math.sqrt(61), 1, 10, xtol=1e-14)
    z = [float(hanging_chain(n)[1][f"link {n // 2}"].point((0, 0, -math.sqrt(61) / n))[2])
         for n in (20, 40, 80)]  # errors c₂/n² + c₄/n⁴  # fmt: skip
    finer = [(4 * z[1] - z[0]) / 3, (4 * z[2] - z[1]) / 3]
    assert abs((16 * finer[1] - finer[0]) / 15 - a * (1 - math.cosh(5 / a))) < 1e-7
