"""Equilibria held by springs: linkages, a suspension, a cantilever, and columns that flutter."""

import numpy as np
import pytest
from body_points import end
from scipy.optimize import brentq, fsolve
from scipy.spatial.transform import Rotation

import linkwork as lw

G = 9.81


# ---------------------------------------------------------------- five-bar: references.md section 2


def five_bar():
    A, B, C, D, E = (np.array([*p, 0.0]) for p in ((0, 0), (1, 0), (-1, -1), (0.5, -2), (2, -1)))
    m = lw.Model("five-bar", gravity=(0, -G, 0))

    def rod(name, p, q, mass):
        l = np.linalg.norm(q - p)
        x = (q - p) / l
        J = mass * l * l / 12
        axes = np.column_stack([x, np.cross([0, 0, 1], x), [0, 0, 1]])
        return m.add(name, lw.Body(mass, (0, J, J), position=(p + q) / 2, orientation=axes))

    AC, CD = rod("AC", A, C, 1), rod("CD", C, D, 1.5)
    DE, EB = rod("DE", D, E, 1.5), rod("EB", E, B, 1)
    for name, a, b, p in (
        ("A", lw.GROUND, AC, A), ("C", AC, CD, C), ("D", CD, DE, D), ("E", DE, EB, E),
        ("B", EB, lw.GROUND, B),
    ):  # fmt: skip
        m.add(name, lw.Revolute(a, b, at=p, axis=(0, 0, 1)))
    # the free lengths 2.2360680 and 2.0615528 are the distances in the described position
    m.add("BC", lw.Spring(lw.GROUND, AC, B, C, stiffness=100))
    m.add("BD", lw.Spring(lw.GROUND, CD, B, D, stiffness=100))
    return m


def test_five_bar_of_revolutes():
    m = five_bar()
    with pytest.warns(lw.LinkworkWarning, match="repeat"):
        eq = lw.static(m)
    C = end(eq, "AC", (np.sqrt(2) / 2, 0, 0))
    D = end(eq, "CD", (np.hypot(1.5, 1) / 2, 0, 0))
    E = end(eq, "DE", (np.hypot(1.5, 1) / 2, 0, 0))
    assert np.allclose(C[:2], (-0.79400868, -1.17027784), atol=6e-9)
    assert np.allclose(D[:2], (0.64224214, -2.25985739), atol=6e-9)
    assert np.allclose(E[:2], (1.96441880, -1.03435795), atol=6e-9)
    assert eq.stable
    # all rows hold, reactions across the plane (the redundant ones) are zero in the least norm
    assert float(eq.result.violation.position.max()) < 1e-11
    for joint in "ABCDE":
        assert np.allclose(eq[joint].force_world[2], 0, atol=1e-10)
        assert np.allclose(eq[joint].torque_world, 0, atol=1e-10)
    supports = eq["A"].force_world.values - eq["B"].force_world.values
    pull = sum(
        float(eq[s].force) * (P - (1, 0, 0)) / np.linalg.norm(P - (1, 0, 0))
        for s, P in (("BC", C), ("BD", D))
    )
    assert np.allclose(supports, pull + np.array([0, 5 * G, 0]), atol=1e-9)  # weights and springs


# ------------------------------------------------------------------------- suspension, own geometry


WISHBONE = {
    "lower axis": ((-0.15, 0.3, 0.2), (0.99, 0.05, 0.03)),
    "upper axis": ((-0.1, 0.4, 0.5), (0.98, -0.04, 0.06)),
    "lower ball": (0.02, 0.75, 0.18), "upper ball": (-0.02, 0.68, 0.48),
    "rod inside": (-0.2, 0.35, 0.27), "rod outside": (-0.14, 0.72, 0.26),
    "spring top": (0.0, 0.42, 0.7), "spring foot": (0.0, 0.6, 0.2), "wheel": (0.0, 0.8, 0.3),
}  # fmt: skip
WISHBONE = {
    k: tuple(np.array(x, float) for x in v) if isinstance(v[0], tuple) else np.array(v, float)
    for k, v in WISHBONE.items()
}
STIFFNESS, FREE, LOAD = 30e3, 0.62, 3200.0
MASSES = {"lower": 4.0, "upper": 3.0, "upright": 35.0}


def wishbone():
    """A double wishbone with axes that are not parallel, a track rod and a preloaded spring."""
    w = WISHBONE
    m = lw.Model("wishbone", gravity=(0, 0, -G))
    lower, upper = (
        m.add(arm, lw.Body(MASSES[arm], (1, 1, 1), (w[f"{arm} axis"][0] + w[f"{arm} ball"]) / 2))
        for arm in ("lower", "upper")
    )
    upright = m.add("upright", lw.Body(MASSES["upright"], (1, 1, 1), w["wheel"]))
    m.add("a", lw.Revolute(lw.GROUND, lower, at=w["lower axis"][0], axis=w["lower axis"][1]))
    m.add("b", lw.Revolute(lw.GROUND, upper, at=w["upper axis"][0], axis=w["upper axis"][1]))
    m.add("c", lw.Spherical(lower, upright, at=w["lower ball"]))
    m.add("d", lw.Spherical(upper, upright, at=w["upper ball"]))
    m.add("rod", lw.Distance(lw.GROUND, upright, w["rod inside"], w["rod outside"]))
    m.add("spring", lw.Spring(
        lw.GROUND, lower, w["spring top"], w["spring foot"], stiffness=STIFFNESS, length=FREE
    ))  # fmt: skip
    m.add("tyre", lw.Force(upright, (0, 0, LOAD)))
    return m


def wishbone_by_energy():
    """Wheel centre at rest: loop closure by fsolve, then dV/dα = 0 by differences of V."""
    w = WISHBONE
    guess = np.zeros(4)

    def swing(axis, angle, point):
        n = axis[1] / np.linalg.norm(axis[1])
        return axis[0] + Rotation.from_rotvec(angle * n).apply(point - axis[0])

    def places(angle):
        low = swing(w["lower axis"], angle, w["lower ball"])
        length = np.linalg.norm(w["rod outside"] - w["rod inside"])

        def closure(x):
            R = Rotation.from_rotvec(x[1:])
            up = low + R.apply(w["upper ball"] - w["lower ball"])
            out = low + R.apply(w["rod outside"] - w["lower ball"])
            gap = up - swing(w["upper axis"], x[0], w["upper ball"])
            return [*gap, np.linalg.norm(out - w["rod inside"]) - length]

        x, *_ = fsolve(closure, guess, xtol=1e-14, full_output=True)
        assert np.abs(closure(x)).max() < 1e-12
        wheel = low + Rotation.from_rotvec(x[1:]).apply(w["wheel"] - w["lower ball"])
        middle_low = swing(w["lower axis"], angle, (w["lower axis"][0] + w["lower ball"]) / 2)
        middle_up = swing(w["upper axis"], x[0], (w["upper axis"][0] + w["upper ball"]) / 2)
        foot = swing(w["lower axis"], angle, w["spring foot"])
        return wheel, middle_low, middle_up, foot

    def energy(angle):
        wheel, low, up, foot = places(angle)
        stretch = np.linalg.norm(foot - w["spring top"]) - FREE
        weight = MASSES["upright"] * wheel[2] + MASSES["lower"] * low[2] + MASSES["upper"] * up[2]
        return STIFFNESS / 2 * stretch**2 + G * weight - LOAD * wheel[2]

    def slope(a, h=2e-3):  # fourth order
        near, far = energy(a + h) - energy(a - h), energy(a + 2 * h) - energy(a - 2 * h)
        return (8 * near - far) / (12 * h)

    angle = brentq(slope, -0.25, 0.25, xtol=1e-12)
    return places(angle)[0], np.linalg.norm(places(angle)[3] - w["spring top"])


def test_double_wishbone_against_energy():
    eq = lw.static(wishbone())
    wheel, length = wishbone_by_energy()
    assert np.linalg.norm(wheel - WISHBONE["wheel"]) > 5e-3  # it does move
    assert np.allclose(eq["upright"].position, wheel, atol=1e-8)
    assert float(eq["spring"].length) == pytest.approx(length, abs=1e-8)
    assert eq.stable


# ------------------------------------------------------------------------ elastic, non-conservative


def hinged_cantilever(n, load, k=2.0):
    """n links of 1/n along x on torsion springs, a dead load along −z at the tip, no gravity."""
    m, before, l = lw.Model("cantilever"), lw.GROUND, 1 / n
    for i in range(n):
        link = m.add(f"link{i}", lw.Body(1, (1, 1, 1), position=((i + 0.5) * l, 0, 0)))
        hinge = m.add(f"hinge{i}", lw.Revolute(before, link, at=(i * l, 0, 0), axis=(0, 1, 0)))
        m.add(f"spring{i}", lw.TorsionSpring(hinge, k * n))
        before = link
    m.add("load", lw.Force(lw.Frame(before, (l / 2, 0, 0)), (0, 0, -load)))
    return m


@pytest.mark.parametrize("loads", [1, 6])
@pytest.mark.parametrize("load", [4.0, 20.0])
def test_large_deflection_of_a_hinged_cantilever(load, loads):
    n, k = 8, 2.0
    eq = lw.static(hinged_cantilever(n, load, k), loads=loads)

    def moments(theta, share=1.0):  # k n (θ_i − θ_{i−1}) = P Σ_{j ≥ i} l cos θ_j
        arms = np.cumsum(np.cos(theta[::-1]))[::-1] / n
        return k * n * np.diff(theta, prepend=0) - share * load * arms

    angles = np.linspace(0, 1, n)
    for share in np.linspace(0.1, 1, 10):
        angles = fsolve(moments, angles, share, xtol=1e-13)
    tip = np.array([np.cos(angles).sum(), 0, -np.sin(angles).sum()]) / n
    assert np.abs(moments(angles)).max() < 1e-10
    assert np.allclose(end(eq, f"link{n - 1}", (0.5 / n, 0, 0)), tip, atol=1e-9)
    assert eq.stable
    assert eq.method == ("newton" if loads == 1 else "newton with load steps")


def ziegler(P, k=3.0, l=0.5, mass=0.7):
    """Two massless links, 2m at the knee and m at the tip, a force along the second link."""
    m = lw.Model("Ziegler")
    knee = m.add("knee", lw.Body(2 * mass, (0, 0, 0), position=(l, 0, 0)))
    tip = m.add("tip", lw.Body(mass, (0, 0, 0), position=(2 * l, 0, 0)))
    h1 = m.add("h1", lw.Revolute(lw.GROUND, knee, at=(0, 0, 0), axis=(0, 0, 1)))
    h2 = m.add("h2", lw.Revolute(knee, tip, at=(l, 0, 0), axis=(0, 0, 1)))
    m.add("s1", lw.TorsionSpring(h1, k))
    m.add("s2", lw.TorsionSpring(h2, k))
    m.add("push", lw.Force(tip, (-P * k / l, 0, 0), follower=True))
    return m


@pytest.mark.parametrize(("P", "stable"), [(1.0, True), (2.08, True), (2.09, False), (3.0, False)])
def test_ziegler_column_flutters_beyond_its_critical_load(P, stable):
    """H. Ziegler, Ing.-Archiv 20 (1952): P l/k = 7/2 − √2 = 2.0858, without damping."""
    eq = lw.static(ziegler(P))
    assert eq.stable is stable
    assert "not conservative" in eq.report
    assert stable or "growing oscillation" in eq.report


@pytest.mark.parametrize(("P", "stable"), [(2.0, True), (2.2, False)])
def test_flutter_is_seen_in_a_large_system_too(P, stable):
    """Ziegler's column beside a hanging rope of 130 links: the column decides."""
    m = ziegler(P)
    m.gravity = np.array([0, 0, -G])  # across the column's plane
    before, l = lw.GROUND, 0.1
    for i in range(130):
        at = np.array([3, 0, -i * l])
        link = m.add(f"link{i}", lw.Body(1, (1e-3, 1e-3, 1e-3), position=at - (0, 0, l / 2)))
        m.add(f"joint{i}", lw.Homokinetic(before, link, at=at, axis=(0, 0, 1)))
        before = link
    assert lw.static(m).stable is stable


def test_torsion_spring_winds_over_turns():
    m = lw.Model("winding")
    drum = m.add("drum", lw.Body(1, (1, 1, 1)))
    axle = m.add("axle", lw.Revolute(lw.GROUND, drum, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("spring", lw.TorsionSpring(axle, 0.5))
    m.add("torque", lw.Torque(drum, (0, 0, 5.0)))
    eq = lw.static(m)
    assert eq["spring"].angle == pytest.approx(10.0, abs=1e-9)  # T/k, more than a turn and a half
    again = lw.static(m, at=eq)
    assert again.iterations <= 1
    assert again["spring"].angle == pytest.approx(10.0, abs=1e-9)
