"""Tyres: curves of the magic formula and the brush, contact, relaxation, standstill, cornering."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def run(m, t, h, **options):
    return lw.transient(m, t=t, h=h, progress=False, **options)


def car_tyre(**words):
    given = dict(radius=0.32, stiffness=2e5, damping=500.0, load=4000.0, x=(12, 1.6, 1.0, 0.5),
                 y=(10, 1.4, 0.95, -1.0), trail=0.03)  # fmt: skip
    return lw.TyreData.magic(**{**given, **words})


# ---------------------------------------------------------------------------------------- curves


def test_numbers_of_the_specification():
    """B = 10, C = 1.9, D = 1, E = 0.97: slope 19, 0.7356, 0.9558, a peak of 1 at 0.1802, 0.9145."""
    tyre = car_tyre(x=(10, 1.9, 1, 0.97), y=(10, 1.9, 1, 0.97), combined=False)
    s = np.array([1e-6, 0.05, 0.1, 0.1802, 1.0])
    found = tyre.forces(slip_ratio=s)["longitudinal_force"] / 4000
    np.testing.assert_allclose(found[1:], [0.7356, 0.9558, 1.0, 0.9145], atol=6e-5)
    np.testing.assert_allclose(found[0] / 1e-6, 19, rtol=1e-6)
    across = tyre.forces(slip_angle=s)["lateral_force"] / 4000
    np.testing.assert_allclose(across, -found, rtol=1e-9)  # against the slip, the same curve
    grid = np.linspace(0.1, 0.3, 20001)
    curve = tyre.forces(slip_ratio=grid)["longitudinal_force"]
    np.testing.assert_allclose(grid[np.argmax(curve)], 0.1802, atol=1e-4)


@pytest.mark.parametrize("tyre", [
    car_tyre(), lw.TyreData.brush(radius=0.3, stiffness=2e5, load=4e3, slip_stiffness=6e4,
                                  friction=0.9),
])  # fmt: skip
def test_forces_are_odd_in_the_slip_angle_and_opposed_to_it(tyre):
    a = np.linspace(0.001, 1.2, 200)
    plus, minus = tyre.forces(slip_angle=a), tyre.forces(slip_angle=-a)
    for name in ("lateral_force", "aligning_moment"):
        np.testing.assert_allclose(plus[name], -minus[name], rtol=1e-12)
    assert np.all(plus["lateral_force"] < 0) and np.all(plus["aligning_moment"] >= 0)
    np.testing.assert_allclose(tyre.forces()["lateral_force"], 0, atol=1e-9)


def test_brush_in_closed_form():
    """μ F_z (1 − (1 − θ σ)³) below full sliding, μ F_z beyond; trail a/3 at no slip."""
    C, mu, a, F = 6e4, 0.9, 0.08, 4e3
    tyre = lw.TyreData.brush(
        radius=0.3, stiffness=2e5, load=F, slip_stiffness=C, friction=mu, patch=a
    )
    theta = C / (3 * mu * F)
    t = np.array([0.01, 0.05, 0.1, 0.3])
    found = tyre.forces(slip_angle=np.arctan(t))
    full = theta * t >= 1
    expected = np.where(full, mu * F, mu * F * (1 - (1 - theta * t) ** 3))
    np.testing.assert_allclose(-found["lateral_force"], expected, rtol=1e-12)
    small = tyre.forces(slip_angle=1e-7)
    np.testing.assert_allclose(
        small["aligning_moment"] / -small["lateral_force"], a / 3, rtol=1e-4
    )
    both = tyre.forces(slip_ratio=1.0, slip_angle=np.pi / 4)
    total = np.hypot(both["longitudinal_force"], both["lateral_force"])
    np.testing.assert_allclose(total, mu * F, rtol=1e-12)  # on the circle of friction


def test_combined_slip_limits_the_force():
    """Braking takes lateral force away, and together they stay within the largest friction."""
    tyre = car_tyre()
    k, a = np.meshgrid(np.linspace(-1, 1, 81), np.linspace(-0.6, 0.6, 61))
    f = tyre.forces(slip_ratio=k, slip_angle=a)
    total = np.hypot(f["longitudinal_force"], f["lateral_force"])
    assert total.max() < 1.1 * 4000  # weights, not a circle
    free = tyre.forces(slip_angle=0.08)["lateral_force"]
    braked = tyre.forces(slip_ratio=-0.3, slip_angle=0.08)["lateral_force"]
    assert abs(braked) < 0.5 * abs(free)


# ------------------------------------------------------------------------------------ one wheel


def rig(v=10.0, *, data=None, spin=None, height=None, rows="rx ry rz y", road=None, mass=400.0,
        slope=0.0):  # fmt: skip
    """A wheel on a hub that keeps its attitude; gravity along a slope along x."""
    data = data or car_tyre()
    weight = (mass + 10) * G
    z = data.radius - weight / data.stiffness if height is None else height
    m = lw.Model("rig", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    hub = m.add("hub", lw.Body(mass, (10, 10, 10), position=(0, 0, z), velocity=(v, 0, 0)))
    rate = v / (data.radius - weight / data.stiffness / 3) if spin is None else spin
    rim = m.add("rim", lw.Body(
        10, (0.5, 0.9, 0.5), position=(0, 0, z), velocity=(v, 0, 0), angular_velocity=(0, rate, 0)
    ))  # fmt: skip
    m.add("axle", lw.Revolute(hub, rim, at=(0, 0, z), axis=(0, 1, 0)))
    m.add("guide", lw.Lock(lw.GROUND, hub, at=(0, 0, z), rows=rows))
    m.add("tyre", lw.Tyre(hub, rim, data, road))
    return m


@pytest.mark.parametrize("v", [10.0, -10.0, 0.3])
def test_a_free_wheel_rolls_without_force(v):
    """From a spin that is 5 % wrong the force vanishes, forwards, backwards and slowly."""
    r = run(rig(v, spin=1.05 * v / 0.313), 3.0, 1e-3)
    force = r["tyre"].longitudinal_force.values
    assert np.sign(force[3]) == np.sign(v) and abs(force[3]) > 1  # it spins too fast: drives
    assert abs(force[-1]) < 1e-3 * np.abs(force).max()
    tyre = r["tyre"]
    re = 0.32 - tyre.deflection.values[-1] / 3
    rolled = r["rim"].angular_velocity.values[-1, 1] * re
    np.testing.assert_allclose(rolled, r["rim"].velocity.values[-1, 0], rtol=1e-4)
    assert np.abs(r.energy["balance"].values).max() < 1e-3 * r.energy["kinetic"].values[0] + 1e-2


def test_lateral_force_builds_up_over_the_relaxation_length():
    """At constant speed along a line at an angle: F = F_∞ (1 − exp(−x/σ)) for a small angle."""
    data = car_tyre(relaxation=(0.2, 0.6))
    m = rig(10.0, data=data, rows="rx ry rz")
    alpha = 1e-4
    m["hub"].velocity = m["rim"].velocity = (10, 10 * alpha, 0)
    m.add("hold", lw.VelocityLock(lw.GROUND, m["hub"], at=(0, 0, 0), rows="y",
                                  drive={"y": 10 * alpha}))  # fmt: skip
    r = run(m, 0.3, 2e-4)
    force = r["tyre"].lateral_force.values
    steady = -10 * 1.4 * 0.95 * alpha * r["tyre"].load.values
    np.testing.assert_allclose(
        force, steady * (1 - np.exp(-10 * r.time / 0.6)), atol=3e-3 * np.abs(steady).max()
    )


def test_contact_is_unilateral():
    """Dropped from 0.2 m: in the air no load, free fall; the spring's energy when it lands."""
    m = rig(0.0, spin=0.0, height=0.52, data=car_tyre(damping=0.0), rows="rx ry rz y x")
    r = run(m, 1.2, 2e-4)
    load, d = r["tyre"].load.values, r["tyre"].deflection.values
    assert np.all(load >= 0) and np.all(load[d < 0] == 0)
    fall = r.time < 0.2
    np.testing.assert_allclose(
        r["hub"].position.values[fall, 2], 0.52 - G / 2 * r.time[fall] ** 2, atol=1e-5
    )
    # energy: m g (0.2 + δ) = k δ²/2
    weight = 410 * G
    deepest = (weight + np.sqrt(weight**2 + 2 * 2e5 * weight * 0.2)) / 2e5
    np.testing.assert_allclose(d.max(), deepest, rtol=1e-3)
    np.testing.assert_allclose(r["hub"].position.values[:, 2].max(), 0.52, atol=1e-3)
    assert np.abs(r.energy["balance"].values).max() < 1e-3 * weight * 0.2


def test_a_braked_wheel_parks_on_a_slope():
    """The wheel is held: it skids, stops and stands on the spring of its tyre, without chatter."""
    slope = 0.15
    m = rig(3.0, spin=0.0, slope=slope, data=car_tyre(damping=4000.0))
    m.add("brake", lw.Lock(m["hub"], m["rim"], at=m["hub"].position, rows="ry"))
    r = run(m, 6.0, 1e-3)
    v = r["hub"].velocity.values[:, 0]
    force = r["tyre"].longitudinal_force.values
    late = r.time > 5.5
    assert np.abs(v[late]).max() < 1e-6  # no creep
    assert np.ptp(force[late]) < 1e-4 * 410 * G  # no chatter
    np.testing.assert_allclose(force[-1], -410 * G * np.sin(slope), rtol=1e-6)
    stopped = r.time[np.argmax(v < 0.01)]
    sliding = np.sin(1.6 * np.arctan(12 - 0.5 * (12 - np.arctan(12))))  # κ = −1; the peak is 1
    early, soon = (3.0 / (G * (mu * np.cos(slope) - np.sin(slope))) for mu in (1.0, sliding))
    assert early < stopped < soon


def test_a_standing_tyre_slides_when_it_must():
    """Pulled across at standstill by more than its friction it moves off, with μ F_z against it."""
    m = rig(0.0, spin=0.0, rows="rx ry rz x")
    m.add("pull", lw.Force(m["hub"], (0, 1, 0), drive=lw.ramp(4000.0)))
    r = run(m, 1.5, 1e-3)
    force, y = r["tyre"].lateral_force.values, r["hub"].position.values[:, 1]
    held = r.time < 0.6
    assert np.abs(y[held]).max() < 0.1 and y[-1] > 0.3
    assert np.abs(force).max() < 1.02 * 0.95 * 410 * G


def test_a_wheel_follows_an_uneven_road():
    """Slowly over a wave of 2 m: the centre goes up and down with it, and the load stays."""
    road = lw.Road.function(
        lambda x, y: 0.05 * (1 - np.cos(np.pi * x)) / 2 + 0.0 * y, x=(-5, 45), y=(-2, 2)
    )
    m = rig(0.5, road=road)
    m.add("pull", lw.VelocityLock(lw.GROUND, m["hub"], at=(0, 0, 0), rows="x", drive={"x": 0.5}))
    r = run(m, 8.0, 2e-3)
    x, z = r["rim"].position.values[:, 0], r["rim"].position.values[:, 2]
    under = 0.05 * (1 - np.cos(np.pi * x)) / 2
    gap = z - under
    slope = 0.05 * np.pi / 2 * np.sin(np.pi * x)
    np.testing.assert_allclose(
        gap / np.sqrt(1 + slope**2), 0.32 - 410 * G / 2e5, atol=1.5e-3
    )  # the distance to the tangent plane
    assert np.ptp(z) > 0.045
    flat = lw.Road(height=0.2, slope=(0.0, 0.0))
    moved = run(rig(10.0, road=flat, height=0.52 - 410 * G / 2e5), 0.1, 1e-3)
    np.testing.assert_allclose(moved["tyre"].load.values, 410 * G, rtol=1e-6)


def test_camber_pushes_to_the_side_that_the_wheel_leans_to():
    tyre = car_tyre(camber=1.0)
    lean = 0.1  # about the heading: to the right
    np.testing.assert_allclose(tyre.forces(camber=lean)["lateral_force"], -0.1 * 4000, rtol=1e-9)
    m = lw.Model("leaning", gravity=(0, 0, -G))
    q = (np.cos(lean / 2), np.sin(lean / 2), 0, 0)
    hub = m.add("hub", lw.Body(400, (10, 10, 10), position=(0, 0, 0.3)))
    rim = m.add("rim", lw.Body(10, (1, 1, 1), position=(0, 0, 0.3), orientation=q))
    axis = (0, np.cos(lean), np.sin(lean))
    m.add("axle", lw.Revolute(hub, rim, at=(0, 0, 0.3), axis=axis))
    m.add("held", lw.Lock(lw.GROUND, hub, at=(0, 0, 0.3)))
    m.add("tyre", lw.Tyre(hub, rim, tyre, axis=axis))
    r = run(m, 0.01, 1e-3)
    np.testing.assert_allclose(r["tyre"].camber.values, lean, rtol=1e-9)
    np.testing.assert_allclose(r["tyre"].deflection.values, 0.32 - 0.3 / np.cos(lean), rtol=1e-9)


# --------------------------------------------------------------------------------------- vehicles


@pytest.mark.parametrize("v, sign", [(10.0, 1.0), (20.0, 1.0), (15.0, -1.0)])
def test_steady_cornering_has_the_understeer_of_the_bicycle_model(v, sign):
    """r = v δ/(l + K v²) with K = m/l (b/C_f − a/C_r), for front tyres softer or stiffer."""
    soft, stiff = (8.0, 12.0) if sign > 0 else (12.0, 10.5)
    a, b, mass, delta = 1.2, 1.3, 1000.0, 0.004
    m = lw.Model("single track", gravity=(0, 0, -G))
    z = 0.32 - mass * G / 2 / 2e5
    body = m.add("body", lw.Body(mass - 40, (500, 1500, 1500), position=(0, 0, z),
                                 velocity=(v, 0, 0)))  # fmt: skip
    m.add("upright", lw.Orthogonal(lw.GROUND, body, axis_a=(0, 0, 1), axis_b=(0, 1, 0)))
    for name, x, B, angle in (("front", a, soft, delta), ("rear", -b, stiff, 0.0)):
        hub = m.add(f"{name} hub", lw.Body(10, (0.1,) * 3, position=(x, 0, z), velocity=(v, 0, 0)))
        law = lw.expression(f"{angle}*(3*(2*min(t, 0.5))**2 - 2*(2*min(t, 0.5))**3)")
        m.add(f"{name} steer", lw.Motor(body, hub, at=(x, 0, z), axis=(0, 0, 1), angle=law))
        rim = m.add(f"{name} rim", lw.Body(
            10, (0.5, 0.9, 0.5), position=(x, 0, z), velocity=(v, 0, 0),
            angular_velocity=(0, v / 0.3118, 0),
        ))  # fmt: skip
        m.add(f"{name} axle", lw.Revolute(hub, rim, at=(x, 0, z), axis=(0, 1, 0)))
        m.add(f"{name} tyre", lw.Tyre(hub, rim, car_tyre(y=(B, 1.4, 0.95, -1.0), trail=0.0)))
    r = run(m, 5.0, 2e-3)
    late = r.time > 4.5
    rate = r["body"].angular_velocity.values[late, 2].mean()
    speed = np.linalg.norm(r["body"].velocity.values[late], axis=1).mean()
    loads = [r[f"{name} tyre"].load.values[late].mean() for name in ("front", "rear")]
    C = [B * 1.4 * 0.95 * F for B, F in zip((soft, stiff), loads)]
    arm_a = loads[1] * (a + b) / sum(loads)  # from the front axle to the centre of mass
    K = mass / (a + b) * ((a + b - arm_a) / C[0] - arm_a / C[1])
    assert np.sign(K) == sign
    expected = speed * delta / (a + b + K * speed**2)
    np.testing.assert_allclose(rate, expected, rtol=0.01)


def test_mistakes_are_named():
    hub = lw.Body(1, (1, 1, 1), position=(0, 0, 0.3))
    rim = lw.Body(1, (1, 1, 1), position=(0, 0, 0.3))
    data = car_tyre()

    def refuse(make, *parts):
        with pytest.raises(lw.ModelError) as caught:
            make()
        for part in parts:
            assert part in str(caught.value), caught.value
        assert "\n" not in str(caught.value)

    refuse(lambda: lw.Tyre(hub, hub, data), "one body")
    refuse(lambda: lw.Tyre(hub, rim, "soft"), "must be a TyreData")
    refuse(lambda: lw.Tyre(hub, rim, data, "flat"), "must be a lw.Road")
    refuse(lambda: lw.Tyre(hub, rim, data, lw.Road(height=0.3)), "not on its road")
    refuse(lambda: lw.Tyre(hub, rim, data, axis=(0, 0, 1)), "on its side")
    refuse(lambda: car_tyre(radius=-1), "radius of TyreData.magic must be positive")
    refuse(lambda: car_tyre(x=(1, 2, 3)), "must be B, C, D")
    refuse(lambda: car_tyre(relaxation=0.0), "positive lengths")
    refuse(lambda: lw.Road(heights=[[0.0]], x=(0, 1), y=(0, 1)), "at least 2 × 2")
    refuse(lambda: lw.Road(heights=np.zeros((3, 3)), x=(1, 0), y=(0, 1)), "must rise")
    refuse(lambda: lw.Road.function(lambda x, y: 0 * x, x=(0, 1), y=(0, 1), spacing=0), "spacing")


def test_roads_go_through_their_points_with_continuous_slopes():
    from linkwork.elements.tyres.tyre import height_under

    rng = np.random.default_rng(2)
    grid = rng.normal(size=(7, 5))
    road = lw.Road(heights=grid, x=(1, 4), y=(-2, 2))

    def height(x, y):
        return height_under(road, (x, y))

    for i in (1, 3, 5):
        for j in (1, 2):
            x, y = 1 + 0.5 * i, -2 + j
            np.testing.assert_allclose(height(x, y), grid[i, j], atol=1e-12)
            d = 1e-6
            left, right = ((height(x + s * 2 * d, y) - height(x + s * d, y))
                           / (s * d) for s in (-1, 1))  # fmt: skip
            np.testing.assert_allclose(left, right, atol=1e-3)
    assert height(-50.0, 0.0) == height(1.0, 0.0)
