"""Equilibria whose positions, reactions or stability are known by other means."""

import re
import time as clock

import numpy as np
import pytest
from scipy.optimize import brentq, fsolve
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.errors import SingularError
from linkwork.math import rotations

G = 9.81


def end(eq, name, point):
    """World place of a point of a body."""
    i = eq.state.bodies.index(name)
    return eq.state.positions[i] + rotations.matrix(eq.state.orientations[i : i + 1])[0] @ point


def along(d):
    """Body axes with z along d and y along world y."""
    return np.column_stack([np.cross([0, 1, 0], d), [0, 1, 0], d])


# ------------------------------------------- pendulum: Peng et al. 2024, section 4.1


def pendulum(degrees, **start):
    """Point mass 15 kg at 4 m from a revolute joint, `degrees` off the lower position."""
    a = np.radians(degrees)
    m = lw.Model("pendulum", gravity=(0, 0, -G))
    place = np.array([4 * np.sin(a), 0, -4 * np.cos(a)])
    rod = m.add("rod", lw.Body(15, (0, 0, 0), position=place))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), **start))
    return m


@pytest.mark.parametrize("degrees", [0, 10, 30, -60, 80, 85, 89.99])
def test_pendulum_below_goes_down(degrees):
    eq = lw.static(pendulum(degrees))
    assert np.allclose(eq["rod"].position, (0, 0, -4), atol=1e-12)
    assert eq.stable
    assert np.allclose(eq["pin"].force_world, (0, 0, 15 * G), atol=1e-10)
    assert np.allclose(eq["pin"].torque, 0, atol=1e-10)
    # V'' = m g L per rad²; a unit step in (δx/L, θ) turns by 1/√2 rad
    assert eq.stiffness == pytest.approx(15 * G * 4 / 2, rel=1e-9)


@pytest.mark.parametrize("degrees", [90.01, 95, 100, -120, 150, 180])
def test_pendulum_above_goes_up_and_is_unstable(degrees):
    eq = lw.static(pendulum(degrees))
    assert np.allclose(eq["rod"].position, (0, 0, 4), atol=1e-12)
    assert not eq.stable
    assert "UNSTABLE" in eq.report
    assert eq.stiffness == pytest.approx(-15 * G * 4 / 2, rel=1e-9)


def test_pendulum_at_90_degrees_falls_back_and_goes_down():
    eq = lw.static(pendulum(90))
    assert np.allclose(eq["rod"].position, (0, 0, -4), atol=1e-12)
    assert eq.stable
    assert eq.method == "relaxation"


@pytest.mark.parametrize(
    ("degrees", "z"), [(30, -4), (80, 4), (85, 4), (95, -4), (100, -4), (150, 4)]
)
def test_plain_newton_does_what_references_say(degrees, z):
    eq = lw.static(pendulum(degrees), line_search=False)
    assert np.allclose(eq["rod"].position, (0, 0, z), atol=1e-10)
    assert eq.stable == (z < 0)


def test_without_constraint_stiffness_the_pendulum_is_refused():
    with pytest.raises(lw.SingularError, match=r"without constraint stiffness is .*'rod'"):
        lw.static(pendulum(30), constraint_stiffness=False)


# ------------------------------------------------------------- chain: references.md section 1


def universal(a, b, at, axis):
    return lw.Universal(a, b, at=at, axis_a=(0, 1, 0), axis_b=np.cross((0, 1, 0), axis))


def chain(n, joint=lw.Homokinetic):
    """n thin links from (0,0,0) to (10,0,0), started as a V through (5,0,-6), 1 kg/m."""
    A, C, B = np.array([[0, 0, 0], [5, 0, -6], [10, 0, 0]], float)
    h = n // 2
    points = [A + (C - A) * i / h for i in range(h)] + [C + (B - C) * i / h for i in range(h + 1)]
    l = np.sqrt(61) / h
    m = lw.Model("chain", gravity=(0, 0, -G))
    before = lw.GROUND
    for i in range(n):
        p, q = points[i], points[i + 1]
        d = (q - p) / l
        link = m.add(f"link{i}", lw.Body(
            l, (l**3 / 12, l**3 / 12, 0), position=(p + q) / 2, orientation=along(d)
        ))  # fmt: skip
        m.add(f"joint{i}", joint(before, link, at=p, axis=d))
        before = link
    m.add("end", lw.Spherical(before, lw.GROUND, at=B))
    return m


def catenary_of_links(n):
    """Horizontal force and joints of a chain of n links, from the force triangle of each link."""
    l = 2 * np.sqrt(61) / n
    V = l * G * (n / 2 - np.arange(n) - 0.5)  # vertical force at the middle of link i

    def reach(H):
        return l * np.sum(H / np.hypot(H, V)) - 10

    H = brentq(reach, 1e-3, 1e4, xtol=1e-13, rtol=1e-15)
    d = l * np.stack([H / np.hypot(H, V), -V / np.hypot(H, V)])
    return H, np.cumsum(d, axis=1)


@pytest.mark.parametrize(
    ("n", "joint"),
    [(20, lw.Homokinetic), (40, lw.Homokinetic), (80, lw.Homokinetic), (20, universal)],
)
def test_chain_hangs_as_a_catenary(n, joint):
    eq = lw.static(chain(n, joint))
    H, joints = catenary_of_links(n)
    l = 2 * np.sqrt(61) / n
    found = np.array([end(eq, f"link{i}", (0, 0, l / 2)) for i in range(n)])
    assert np.allclose(found[:, [0, 2]], joints.T, atol=1e-9)
    assert np.allclose(found[:, 1], 0, atol=1e-9)
    forces = np.array([eq[f"joint{i}"].force_world.values for i in range(n)])
    assert np.allclose(-forces[:, 0], H, rtol=1e-8)
    assert eq.stable
    if n == 40:  # references.md, section 1
        assert found[:, 2].min() == pytest.approx(-5.41542, abs=5e-6)


def test_chain_upside_down_is_unstable():
    m = chain(20)
    m.gravity = np.array([0, 0, G])
    eq = lw.static(m)
    _, joints = catenary_of_links(20)
    assert eq.stable is False
    l = np.sqrt(61) / 10
    assert end(eq, "link9", (0, 0, l / 2))[2] == pytest.approx(joints[1].min(), abs=1e-9)


@pytest.mark.parametrize("flipped", [None, 0, 299])
def test_stability_of_a_large_system(flipped):
    """A hanging chain of 300 links is stable, and one with a link upside down is not: V'' < 0."""
    n, l = 300, 0.1
    m, before, p = lw.Model("rope", gravity=(0, 0, -G)), lw.GROUND, np.zeros(3)
    for i in range(n):
        d = np.array([0, 0, 1.0 if i == flipped else -1.0])
        link = m.add(f"link{i}", lw.Body(
            1, (1e-3, 1e-3, 1e-5), position=p + l / 2 * d, orientation=along(d)
        ))  # fmt: skip
        m.add(f"joint{i}", lw.Homokinetic(before, link, at=p, axis=d))
        before, p = link, p + l * d
    began = clock.perf_counter()
    eq = lw.static(m)
    assert clock.perf_counter() - began < 20
    assert eq.stable == (flipped is None)
    assert eq["joint0"].force_world.values[2] == pytest.approx(n * G, rel=1e-10)


# ---------------------------------------------------------- five-bar: references.md section 2


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


# --------------------------------------------------------------------- suspension, own geometry


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


# ----------------------------------------------------------------- elastic, non-conservative


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


# --------------------------------------------------------- free motions, redundancy, time, words


def test_mass_on_a_spring_hangs_and_may_turn_freely():
    m = lw.Model("spring", gravity=(0, 0, -G))
    mass = m.add("mass", lw.Body(2, (1, 1, 1), position=(0.3, 0.1, -1)))
    m.add("spring", lw.Spring(lw.GROUND, mass, at_a=(0, 0, 0), stiffness=50, length=0.8))
    eq = lw.static(m)
    assert np.allclose(eq["mass"].position, (0, 0, -0.8 - 2 * G / 50), atol=1e-10)
    assert eq.stable
    assert "3 free motions without stiffness" in eq.report


def test_free_body_without_force_is_at_rest():
    m = lw.Model("space")
    m.add("rock", lw.Body(1, (1, 1, 1), position=(1, 2, 3), velocity=(1, 0, 0)))
    eq = lw.static(m)
    assert np.array_equal(eq["rock"].position, (1, 2, 3))
    assert np.array_equal(eq["rock"].velocity, (0, 0, 0))
    assert eq.stable
    assert "6 free motions" in eq.report


def test_falling_body_is_refused_in_one_sentence():
    m = lw.Model("falling", gravity=(0, 0, -G))
    m.add("rock", lw.Body(1, (1, 1, 1)))
    with pytest.raises(lw.SingularError, match=r"nothing holds body 'rock' along z, where 9\.8 N"):
        lw.static(m)


def test_spinning_up_is_refused():
    m = lw.Model("rotor")
    rotor = m.add("rotor", lw.Body(1, (1, 1, 1)))
    m.add("axle", lw.Revolute(lw.GROUND, rotor, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("torque", lw.Torque(rotor, (0, 0, 1)))
    with pytest.raises(lw.SingularError, match="nothing holds body 'rotor' about z, where 1 N m"):
        lw.static(m)


def test_table_on_four_legs_shares_its_load_in_the_least_norm():
    """Weight W at (a, b), legs at (±1, ±1): the least norm is W/4 (1 + a x + b y)."""
    m = lw.Model("table", gravity=(0, 0, -G))
    top = m.add("top", lw.Body(8, (1, 1, 1), position=(0.3, -0.2, 0)))
    legs = {f"leg{i}": (x, y) for i, (x, y) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)])}
    for name, (x, y) in legs.items():
        m.add(name, lw.PointOnPlane(lw.GROUND, top, at=(x, y, 0), axis=(0, 0, 1)))
    with pytest.warns(lw.LinkworkWarning, match="leg"):
        eq = lw.static(m)
    for name, (x, y) in legs.items():
        expected = 8 * G / 4 * (1 + 0.3 * x - 0.2 * y)
        assert eq[name].force_world.values[2] == pytest.approx(expected, rel=1e-10)
    assert eq.stable
    assert "3 free motions" in eq.report


def test_drives_are_frozen_at_the_time_asked_for():
    m = lw.Model("lift", gravity=(0, 0, -G))
    cage = m.add("cage", lw.Body(3, (1, 1, 1)))
    m.add("lift", lw.Actuator(lw.GROUND, cage, (0, 0, 0), (0, 0, 1), displacement=lw.ramp(0.5)))
    for time in (0.0, 2.0):
        eq = lw.static(m, time=time)
        assert eq.state.time == time
        assert np.allclose(eq["cage"].position, (0, 0, 0.5 * time), atol=1e-12)
        assert np.allclose(eq["lift"].force_world, (0, 0, 3 * G), atol=1e-10)
        assert eq.stable


def test_starting_from_a_state_and_going_on_from_the_equilibrium():
    m = pendulum(150)
    down = lw.assemble(pendulum(150, angle=np.radians(110)))  # 40 degrees off the lower position
    eq = lw.static(m, at=down)
    assert np.allclose(eq["rod"].position, (0, 0, -4), atol=1e-12)
    rest = lw.transient(m, t=0.5, h=0.01, start=eq.state, progress=False)
    assert np.abs(rest["rod"].velocity.values).max() < 1e-9
    assert np.allclose(rest["pin"].force_world.values, (0, 0, 15 * G), atol=1e-8)
    with pytest.raises(lw.ModelError, match="at has the bodies"):
        lw.static(chain(4), at=down)


def test_failure_says_how_far_it_came():
    with pytest.raises(lw.ConvergenceError) as caught:
        lw.static(chain(20), max_iterations=1)
    sentence = str(caught.value)
    assert re.search(
        r"statics of 'chain' did not converge after \d+ iterations.*largest residual [\d.e+-]+ N"
        r"( m)? in body 'link\d+', \w+;", sentence,
    )  # fmt: skip
    assert caught.value.state is not None
    for words in ({"loads": 0}, {"max_iterations": 0}, {"tolerance": -1}):
        with pytest.raises(lw.ModelError):
            lw.static(pendulum(30), **words)


def test_a_function_that_fails_is_what_is_reported():
    m = pendulum(30)

    def broken(time, motion):
        raise ZeroDivisionError("oops")

    m.add("user", lw.UserForce([m["rod"]], broken))
    with pytest.raises(lw.ModelError, match="UserForce 'user'"):
        lw.static(m)


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


def test_numbers_far_too_large_are_an_error():
    """Followers make the stiffness unsymmetric, so that damping counts, which overflows."""
    m = lw.Model()
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    m.add("mount", lw.Bushing(lw.GROUND, body, at=(0, 0, 0), stiffness=(10,) * 6,
                              damping=(1e308,) * 6))  # fmt: skip
    m.add("push", lw.Force(lw.Frame(body, (0, 0.1, 0)), (1, 0, 0), follower=True))
    m.add("turn", lw.Torque(body, (0, 0, 1), follower=True))
    with pytest.raises(SingularError, match="far too large"):
        lw.static(m)
