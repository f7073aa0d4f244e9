"""Equilibrium paths against closed forms: snap-through, buckling, branches, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import linkwork as lw


def truss(h: float, free: bool = False, b: float = 1.0, k: float = 1000.0) -> lw.Model:
    """Two springs from (±b, 0, 0) to a mass at (0, 0, h), loaded downwards (von Mises' truss)."""
    m = lw.Model("truss")
    top = m.add("top", lw.Body(1, (1, 1, 1), position=(0, 0, h)))
    rows = "y rx ry rz" if free else "x y rx ry rz"
    m.add("guide", lw.Lock(lw.GROUND, top, at=(0, 0, h), rows=rows))
    for name, x in (("left", -b), ("right", b)):
        m.add(name, lw.Spring(
            lw.GROUND, top, at_a=(x, 0, 0), stiffness=k, length=np.hypot(b, h)
        ))  # fmt: skip
    m.add("P", lw.Force(top, (0, 0, -1)))
    return m


def truss_load(z, h: float, b: float = 1.0, k: float = 1000.0):
    """P(z) = 2 k z (l₀/l − 1), from the potential k (l − l₀)² − P (h − z)."""
    return 2 * k * z * (np.hypot(b, h) / np.hypot(b, z) - 1)


def test_a_shallow_truss_snaps_through():
    h = 0.2
    path = lw.equilibrium_path(truss(h), until=20.0, progress=False)
    z = path["top"].position.sel(xyz="z")
    np.testing.assert_allclose(path.factor, truss_load(z.values, h), atol=1e-9)
    assert path.reached and path.factor[-1] == 20.0 and z.values.min() < -h
    # dP/dz = 0: l³ = l₀ b²
    limit = np.sqrt(np.hypot(1, h) ** (2 / 3) - 1)
    assert [p.factor for p in path.limit_points] == pytest.approx(
        [truss_load(limit, h), -truss_load(limit, h)], rel=1e-10
    )
    assert not path.bifurcations
    np.testing.assert_array_equal(path.stable, np.abs(z.values) > limit)
    np.testing.assert_allclose(z.factor, path.factor)
    np.testing.assert_allclose(
        path["left"].force.values, 1000 * (np.hypot(1, z) - np.hypot(1, h)), atol=1e-9
    )


@pytest.mark.parametrize("until, step", [(12.0, 0.5), (1000.0, 0.05), (4.0, 0.2)])
def test_long_steps_do_not_jump_over_the_limit(until, step):
    path = lw.equilibrium_path(truss(0.2), until=until, step=step, progress=False)
    assert len(path.limit_points) == 2 and path.reached


def test_a_steep_truss_buckles_sideways_before_it_snaps():
    # along the symmetric path the stiffness sideways, 2k(1 − l₀ z²/l³), vanishes before dP/dz
    h, l0 = 3.0, np.hypot(1, 3.0)
    length = brentq(lambda x: x**3 - l0 * (x * x - 1), 2 * l0 / 3, l0, xtol=1e-14)
    critical = truss_load(np.sqrt(length**2 - 1), h)
    path = lw.equilibrium_path(truss(h, free=True), until=1000.0, progress=False)
    assert [p.factor for p in path.bifurcations] == pytest.approx([critical], rel=1e-8)
    assert not path.limit_points
    np.testing.assert_array_equal(path.stable, path.factor < critical)
    shape = path.bifurcations[0].shape[0]
    np.testing.assert_allclose(np.abs(shape), [1, 0, 0, 0, 0, 0], atol=1e-6)


def toggle(angle: float, k: float = 500.0) -> lw.Model:
    """Two rigid links of length 1 at an angle; the right foot slides along x against a spring."""
    m, c, s = lw.Model("toggle"), np.cos(angle), np.sin(angle)
    a = m.add("a", lw.Body.link((0, 0, 0), (c, 0, s), radius=0.01, density=1000))
    b = m.add("b", lw.Body.link((c, 0, s), (2 * c, 0, 0), radius=0.01, density=1000))
    m.add("left", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("apex", lw.Revolute(a, b, at=(c, 0, s), axis=(0, 1, 0)))
    m.add("right", lw.PointOnPlane(lw.GROUND, b, at=(2 * c, 0, 0), axis=(0, 0, 1)))
    m.add("spring", lw.Spring(
        lw.GROUND, b, at_a=(2 * c + 2, 0, 0), at_b=(2 * c, 0, 0), stiffness=k, length=2.0
    ))  # fmt: skip
    m.add("P", lw.Force(lw.Frame(a, (0, 0, 0.5)), (0, 0, -1)))  # links lie along their z axes
    return m


def test_a_shallow_arch_of_rigid_links_snaps_through_its_straight_position():
    # k (2L)²/2 (cos α − cos α₀)² − P L (sin α₀ − sin α):  P = 4 k L (cos α − cos α₀) tan α
    angle, k = 0.3, 500.0
    path = lw.equilibrium_path(toggle(angle, k), until=60.0, progress=False)
    middle = path["a"].position.values
    alpha = np.arctan2(middle[:, 2], middle[:, 0])
    expected = 4 * k * (np.cos(alpha) - np.cos(angle)) * np.tan(alpha)
    np.testing.assert_allclose(path.factor, expected, atol=1e-7)
    peak = np.arccos(np.cos(angle) ** (1 / 3))  # dP/dα = 0: cos³α = cos α₀
    limit = 4 * k * (np.cos(peak) - np.cos(angle)) * np.tan(peak)
    assert [p.factor for p in path.limit_points] == pytest.approx([limit, -limit], rel=1e-9)
    assert path.reached and alpha[-1] < -angle


def strut(k: float = 100.0, gravity: float = 0.0) -> lw.Model:
    """A rigid bar of length 1 that a torsion spring holds upright under a dead load."""
    m = lw.Model("strut", gravity=(0, 0, -gravity))
    bar = m.add("bar", lw.Body(2.0, (0.1, 0.1, 0.01), position=(0, 0, 0.5)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, bar, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("spring", lw.TorsionSpring(pin, stiffness=k))
    m.add("P", lw.Force(lw.Frame(bar, (0, 0, 0.5)), (0, 0, -1)))
    return m


@pytest.mark.parametrize("side", [1, -1])
def test_a_strut_buckles_and_its_branch_rises(side):
    m = strut()
    straight = lw.equilibrium_path(m, until=150.0, progress=False)
    crossing = straight.bifurcations[0]
    assert crossing.factor == pytest.approx(100.0, rel=1e-9)  # k/L
    bent = lw.equilibrium_path(m, until=300.0, at=crossing, branch=side, progress=False)
    angle = bent["pin"].angle.values[1:]
    np.testing.assert_allclose(bent.factor[1:], 100 * angle / np.sin(angle), rtol=1e-9)
    assert bent.stable[1:].all() and np.abs(angle[-1]) > 2
    assert (np.sign(angle) == np.sign(angle[0])).all()


def test_both_branches_leave_to_opposite_sides():
    m = strut()
    crossing = lw.equilibrium_path(m, until=150.0, progress=False).bifurcations[0]
    ends = [
        lw.equilibrium_path(m, until=200.0, at=crossing, branch=side, progress=False)["pin"].angle
        for side in (1, -1)
    ]
    assert float(ends[0][-1]) == pytest.approx(-float(ends[1][-1]), rel=1e-9)


def test_named_loads_alone_are_scaled():
    # k = P L + λ m g L/2
    m = strut(gravity=10.0)
    m["P"].vector = (0, 0, -60)
    path = lw.equilibrium_path(m, until=10.0, loads=["gravity"], progress=False)
    assert path.bifurcations[0].factor == pytest.approx((100 - 60) / 10, rel=1e-9)
    path = lw.equilibrium_path(m, until=10.0, loads=m["P"], progress=False)
    assert path.bifurcations[0].factor == pytest.approx((100 - 10) / 60, rel=1e-9)
    both = lw.equilibrium_path(m, until=10.0, progress=False)
    assert both.loads == ("gravity", "P")
    assert both.bifurcations[0].factor == pytest.approx(100 / 70, rel=1e-9)


def test_an_imperfect_strut_bends_from_the_start_and_has_no_bifurcation():
    m = strut()
    m["spring"].angle = 0.01
    path = lw.equilibrium_path(m, until=200.0, progress=False)
    angle = path["pin"].angle.values[1:]
    np.testing.assert_allclose(path.factor[1:], 100 * (angle - 0.01) / np.sin(angle), rtol=1e-8)
    assert not path.bifurcations and not path.limit_points and path.stable.all()


def test_a_path_can_be_stopped_and_printed_and_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    path = lw.equilibrium_path(
        truss(0.2), until=20.0, stop=lambda factor, state: state["top"].position[2] < 0,
        progress=False,
    )  # fmt: skip
    z = path["top"].position.sel(xyz="z").values
    assert z[-1] < 0 <= z[-2] and len(path) == len(path.states) == len(path.stable)
    assert "limit points  3.01915" in repr(path)
    axes = path.plot("top.position.z")
    assert axes.get_ylabel() == "load factor"


def test_what_a_path_cannot_do_is_said():
    m = strut()
    for words, match in (
        ({"until": 0.0}, "until must be a factor"),
        ({"loads": ["spring"]}, "TorsionSpring 'spring', which is no load"),
        ({"loads": ["gravity"]}, "has none"),
        ({"loads": []}, "at least one load"),
        ({"loads": [3]}, "must be items"),
        ({"step": -1}, "step"),
    ):  # fmt: skip
        with pytest.raises(lw.ModelError, match=match):
            lw.equilibrium_path(m, **words)
    empty = lw.Model("empty")
    empty.add("ball", lw.Body(1, (1, 1, 1)))
    with pytest.raises(lw.ModelError, match="finds no load"):
        lw.equilibrium_path(empty)
    m.add("wind", lw.UserForce(m["bar"], lambda t, motion: np.zeros(6)))
    with pytest.raises(lw.ModelError, match="cannot scale UserForce 'wind'"):
        lw.equilibrium_path(m)


def test_a_mechanism_without_stiffness_at_the_start_is_refused():
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    bob = m.add("bob", lw.Body(1, (1, 1, 1), position=(0.6, 0, -0.8)))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    with pytest.raises(lw.SingularError, match="some motion has no stiffness"):
        lw.equilibrium_path(m, progress=False)


# ------------------------------------------------------------------------------- imposed motions


def pushed_truss(h: float, soft: float | None = None) -> lw.Model:
    """The truss with its top moved down by an actuator, rigidly or through a spring."""
    m = truss(h)
    m.remove("P")
    top = m["top"]
    down = lw.polynomial([-1.0])
    if soft is None:
        m.add("ram", lw.Lock(lw.GROUND, top, at=(0, 0, h), rows="z", drive={"z": down}))
        return m
    head = m.add("head", lw.Body(1, (1, 1, 1), position=(0, 0, h + 1)))
    m.add("ram", lw.Actuator(lw.GROUND, head, at=(0, 0, h + 1), displacement=down))
    m.add("soft", lw.Spring(head, top, stiffness=soft, length=1.0))
    return m


def test_an_imposed_displacement_leads_through_a_snap():
    h = 0.2
    path = lw.equilibrium_path(pushed_truss(h), until=2 * h, loads=["ram"], progress=False)
    z = path["top"].position.values[:, 2]
    assert path.reached and path.stable.all() and not path.limit_points
    np.testing.assert_allclose(z, h - path.factor, atol=1e-12)
    np.testing.assert_allclose(path["ram"].force.values[:, 2], -truss_load(z, h), atol=1e-10)


def test_an_imposed_displacement_has_limit_points_behind_a_soft_spring():
    """u = h − z + P(z)/k: its extremes are where P′(z) = k."""
    h, k, l0 = 0.2, 20.0, np.hypot(1, 0.2)
    path = lw.equilibrium_path(pushed_truss(h, k), until=0.8, loads="ram", progress=False)
    z = path["top"].position.values[:, 2]
    np.testing.assert_allclose(path.factor, h - z + truss_load(z, h) / k, atol=1e-11)
    turn = np.sqrt((2000 * l0 / (2000 + k)) ** (2 / 3) - 1)  # P′ = 2000 (l₀/l³ − 1)
    expected = [h - s * turn + truss_load(s * turn, h) / k for s in (1, -1)]
    assert [p.factor for p in path.limit_points] == pytest.approx(expected, rel=1e-9)


def test_a_column_shortened_by_an_actuator():
    """Pinned ends brought together: u = 2 (1 − E/K), P = 4 K² EI (elliptic integrals)."""
    from scipy.special import ellipe, ellipk

    EA = 1e5
    m = lw.Model("column")
    section = lw.Section(stiffness=[EA, 1e6, 1e6, 1, 1, 1], mass=1.0)
    beam = m.add("beam", lw.Beam((0, 0, 0), (1, 0, 0), section, elements=8))
    head = m.add("head", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    m.add("foot", lw.Revolute(lw.GROUND, beam.root, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("pin", lw.Revolute(head, beam.tip, at=(1, 0, 0), axis=(0, 1, 0)))
    m.add("ram", lw.Actuator(
        lw.GROUND, head, at=(1, 0, 0), axis=(1, 0, 0), displacement=lw.polynomial([-1.0])
    ))  # fmt: skip
    straight = lw.equilibrium_path(m, until=2e-4, loads="ram", progress=False)
    first = straight.bifurcations[0]
    # EA u = P, and the column is π²/EA shorter by then, by which its load is larger twice
    assert first.factor == pytest.approx(np.pi**2 / EA * (1 + 2 * np.pi**2 / EA), rel=1e-4)
    bent = lw.equilibrium_path(m, at=first, until=0.6, loads="ram", progress=False)
    k = brentq(lambda x: 2 * (1 - ellipe(x) / ellipk(x)) - 0.6, 0.01, 0.99)
    load = float(np.abs(bent["ram"].force.values[-1]))
    # the mesh's error is of fourth order; the axial strain P/EA is 1e-4
    assert bent.reached and load == pytest.approx(4 * ellipk(k) ** 2, rel=1e-3)


@pytest.mark.filterwarnings("ignore:joint 'out'")  # three hinges on one axis
def test_an_imposed_rotation_winds_a_spring_over_turns():
    """A motor turns a shaft against a torsional spring by three turns: M = k λ."""
    m = lw.Model("wound")
    shaft = m.add("shaft", lw.Body(1, (1, 1, 1)))
    disc = m.add("disc", lw.Body(1, (1, 1, 1), position=(0, 0, 1)))
    m.add("motor", lw.Motor(lw.GROUND, shaft, at=(0, 0, 0), angle=lw.polynomial([1.0])))
    pin = m.add("pin", lw.Revolute(shaft, disc, at=(0, 0, 1)))
    out = m.add("out", lw.Revolute(lw.GROUND, disc, at=(0, 0, 1)))
    m.add("first", lw.TorsionSpring(pin, stiffness=3.0))
    m.add("second", lw.TorsionSpring(out, stiffness=1.0))
    until = 6 * np.pi
    path = lw.equilibrium_path(m, until=until, loads=[m["motor"]], progress=False)
    np.testing.assert_allclose(path["motor"].angle.values, path.factor, atol=1e-9)
    np.testing.assert_allclose(path["out"].angle.values, 0.75 * path.factor, atol=1e-9)


def test_joints_whose_whole_rotation_is_given_are_refused():
    m = truss(0.2)
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    whole = {"rotation": lw.rotation_vector(1.0, 0.0, 0.0)}
    m.add("turn", lw.Lock(lw.GROUND, body, at=(0, 0, 0), drive=whole))
    with pytest.raises(lw.ModelError, match="given as a whole"):
        lw.equilibrium_path(m, loads=["turn"])
    with pytest.raises(lw.ModelError, match="a list of items"):
        lw.equilibrium_path(m, loads=3.0)
