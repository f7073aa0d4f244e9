"""Equilibria under weight: pendulums, hanging chains, free motions, and what is refused."""

import re
import time as clock

import numpy as np
import pytest
from body_points import end
from scipy.optimize import brentq

import linkwork as lw
from linkwork.analysis.statics.stability import refuse_not_finite

G = 9.81


def along(d):
    """Body axes with z along d and y along world y."""
    return np.column_stack([np.cross([0, 1, 0], d), [0, 1, 0], d])


# ---------------------------------------------------------- pendulum: Peng et al. 2024, section 4.1


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


# ------------------------------------------------------------------- chain: references.md section 1


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


# ------------------------------------------------------------ free motions, redundancy, time, words


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


# ------------------------------- nothing loads the model, or a spring takes all of its load

FAR = np.array([300.0, -500.0, 200.0])  # from the origin, where a place is known to 1e-13 m
SLOPE = np.array([0.48, 0.6, -0.64])


@pytest.mark.parametrize("force", [0.0, 1e-9, 1e-3, 2e5])
@pytest.mark.parametrize("length", [None, 2.7])
def test_spring_on_a_slide_holds_a_force_without_gravity(force, length):
    """x = F/k beyond the spring's own length; neither reaction nor resultant is left."""
    k, away = 7e5, 2.5
    m = lw.Model("slide")
    cart = m.add("cart", lw.Body(3, (1, 1, 1), position=FAR))
    m.add("rail", lw.Prismatic(lw.GROUND, cart, at=FAR, axis=SLOPE))
    m.add("spring", lw.Spring(lw.GROUND, cart, at_a=FAR - away * SLOPE, stiffness=k, length=length))
    m.add("load", lw.Force(cart, force * SLOPE))
    eq = lw.static(m)
    x = (0 if length is None else length - away) + force / k
    assert np.abs(eq["cart"].position.values - FAR - x * SLOPE).max() < 2e-12
    assert eq.stable
    assert eq.method == "newton"
    again = lw.static(m, at=eq)
    assert np.abs(again.state.positions - eq.state.positions).max() < 2e-12


@pytest.mark.parametrize("offset", [0.0, 1.0])
def test_relaxed_spring_of_a_free_body_has_its_own_length(offset):
    """Nothing is at work in the answer, and five free motions have no stiffness."""
    m = lw.Model("relaxed")
    body = m.add("body", lw.Body(3, (1, 1, 1), position=offset * FAR + (0.3, 0.4, 1.2)))
    m.add("spring", lw.Spring(lw.GROUND, body, at_a=offset * FAR, stiffness=8e7, length=0.5))
    eq = lw.static(m)
    assert abs(np.linalg.norm(eq.state.positions[0] - offset * FAR) - 0.5) < 3e-12
    assert eq.stable


def test_chain_of_bushings_without_gravity_carries_what_hangs_on_it():
    """Each bushing has the sum of the forces further out, whatever the bushings' size."""
    rng = np.random.default_rng(37)
    m, before, at = lw.Model("chain"), lw.GROUND, FAR
    forces = rng.normal(size=(5, 3))
    for i, force in enumerate(forces):
        body = m.add(f"b{i}", lw.Body(1, (1, 1, 1), position=at + rng.normal(size=3)))
        k = 3e4 * 10 ** rng.uniform(-2, 0, size=6)
        m.add(f"bush{i}", lw.Bushing(before, body, at=at, stiffness=k))
        m.add(f"load{i}", lw.Force(body, force))
        before, at = body, body.position
    eq = lw.static(m)
    for i in range(5):
        carried = np.linalg.norm(eq[f"bush{i}"].force)
        assert abs(carried - np.linalg.norm(forces[i:].sum(axis=0))) < 1e-8


def test_unsupported_force_is_refused_however_strong_other_springs_are():
    m = lw.Model("free slide")
    for name, y in (("held", 0), ("free", 1)):
        body = m.add(name, lw.Body(1, (1, 1, 1), position=(0, y, 0)))
        m.add(f"rail of {name}", lw.Prismatic(lw.GROUND, body, at=(0, y, 0), axis=(1, 0, 0)))
    m.add("spring", lw.Spring(lw.GROUND, m["held"], at_a=(-1, 0, 0), stiffness=1e5, length=2))
    m.add("load", lw.Force(m["free"], (1e-3, 0, 0)))
    with pytest.raises(lw.SingularError, match=r"holds body 'free' along x, where 0\.001 N"):
        lw.static(m)


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


def test_matrices_that_are_not_finite_are_an_error():
    with pytest.raises(lw.SingularError, match="far too large"):
        refuse_not_finite(np.eye(2), np.full((2, 2), np.inf))


def test_analyses_start_from_an_equilibrium():
    """A mass that hangs on a spring, at z = −(L + m g / k), stays where it is."""
    m = lw.Model(gravity=(0, 0, -10))
    mass = m.add("mass", lw.Body(2, (1, 1, 1), position=(0, 0, -1)))
    m.add("guide", lw.Prismatic(lw.GROUND, mass, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("spring", lw.Spring(lw.GROUND, mass, at_a=(0, 0, 0), stiffness=100, length=1))
    hanging = lw.static(m)
    run = lw.transient(m, t=1, h=0.01, start=hanging, progress=False)
    np.testing.assert_allclose(run["mass"].position[:, 2], -1.2, rtol=1e-12)
    space = lw.joint_space(m, start=hanging)
    np.testing.assert_allclose(space.q, [-0.2], rtol=1e-12)
    np.testing.assert_allclose(space.forward(space.q), [0.0], atol=1e-9)
