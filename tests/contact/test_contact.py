"""Contact with laws of depth: closed forms of impacts, friction, rolling, equilibria, cams."""

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def ball(m, height=0.1, velocity=(0, 0, 0), radius=0.1, **spin):
    place = (0, 0, height)
    body = lw.Body.sphere(radius, density=1000, position=place, velocity=velocity, **spin)
    return m.add("ball", body)


def run(m, t, h, **words):
    return lw.transient(m, t=t, h=h, progress=False, **words)


# ------------------------------------------------------------------------------------------ impacts


@pytest.mark.parametrize("e", [0.02, 0.3, 0.8, 1.0])
def test_hunt_crossley_has_the_restitution_asked_for(e):
    m = lw.Model("impact")
    ball(m, 0.1, (0, 0, -2.0))
    law = lw.laws.HuntCrossley(1e7, restitution=e, speed=2.0)
    m.add("touch", lw.Contact(m["ball"], lw.GROUND, law=law))
    found = run(m, 0.01, 1e-5)
    # trapezoidal steps through 240 of them in contact: second order
    assert float(found["ball"].velocity[-1, 2]) == pytest.approx(2 * e, rel=2e-3)


def test_hertz_depth_and_time_of_contact():
    """δ = (5 m v²/4 k)^(2/5), T = 2.9432 δ/v (H. Hertz 1882; K. L. Johnson, Contact Mechanics)."""
    m = lw.Model("hertz")
    one = ball(m, 0.1, (0, 0, -1.0))
    modulus, v = 1e8, 1.0
    m.add("touch", lw.Contact(one, lw.GROUND, law=lw.laws.Hertz(modulus)))
    found = run(m, 0.006, 2e-6)
    k = 4 / 3 * modulus * np.sqrt(0.1)
    depth = (5 * one.mass * v**2 / (4 * k)) ** 0.4
    gap = found["touch"].gap.values
    assert -np.nanmin(gap) == pytest.approx(depth, rel=1e-5)
    touching = found.time[found["touch"].normal_force.values > 0]
    assert touching[-1] - touching[0] == pytest.approx(2.9432 * depth / v, rel=2e-3)
    assert found.energy.total.values[-1] == pytest.approx(found.energy.total.values[0], rel=1e-6)


def test_spheres_of_equal_mass_exchange_their_velocities():
    m = lw.Model("two")
    a = m.add("a", lw.Body.sphere(0.1, mass=1, position=(0, 0, 0), velocity=(1, 0, 0)))
    b = m.add("b", lw.Body.sphere(0.1, mass=1, position=(0.21, 0, 0), velocity=(0, 0, 0)))
    m.add("touch", lw.Contact(a, b, law=lw.laws.HuntCrossley(1e7)))
    found = run(m, 0.02, 2e-5)
    assert float(found["a"].velocity[-1, 0]) == pytest.approx(0, abs=2e-4)
    assert float(found["b"].velocity[-1, 0]) == pytest.approx(1, abs=2e-4)
    np.testing.assert_allclose(found.momentum.values[-1], found.momentum.values[0], atol=1e-12)


def floor_with_friction(t, motion):
    """A penalty floor with friction that turns within 1e-5 m/s, as a user would write it."""
    r, v = motion.position[0], motion.velocity[0]
    depth = 0.1 - r[2]
    if depth <= 0:
        return np.zeros(6)
    N = max(1e6 * depth - 1e3 * v[2], 0.0)
    size = np.hypot(v[0], v[1])
    rub = -0.3 * N * v[:2] / max(size, 1e-5)
    return np.array([rub[0], rub[1], N, 0, 0, 0])


@pytest.mark.parametrize("kind", ["contact", "function"])
def test_error_control_goes_through_impacts_with_friction(kind):
    m = lw.Model("drop", gravity=(0, 0, -G))
    body = ball(m, 0.3, (1, 0, 0))
    if kind == "contact":
        m.add("touch", lw.Contact(body, lw.GROUND, law=lw.laws.HuntCrossley(1e7, damping=0.5),
                                  friction=0.3))  # fmt: skip
    else:
        m.add("touch", lw.UserForce(body, floor_with_friction))
    found = run(m, 0.5, 1e-3, tolerance=1e-6)
    assert found.time[-1] == 0.5
    v = found["ball"].velocity.values[-1]
    assert v[0] == pytest.approx(5 / 7, abs=2e-3) if kind == "contact" else 0 <= v[0] < 0.7


# ----------------------------------------------------------------------------------------- friction


@pytest.mark.parametrize("friction", [0.2, lw.LuGre(0.2, stiffness=1e5, damping=50)])
def test_a_sliding_ball_ends_rolling_with_five_sevenths(friction):
    m = lw.Model("bowling", gravity=(0, 0, -G))
    body = ball(m, 0.1, (1, 0, 0))
    m.add("touch", lw.Contact(body, lw.GROUND, law=lw.laws.HuntCrossley(1e7, damping=50),
                              friction=friction))  # fmt: skip
    found = run(m, 0.4, 5e-4)
    v, w = found["ball"].velocity.values[-1], found["ball"].angular_velocity.values[-1]
    assert v[0] == pytest.approx(5 / 7, abs=1e-4)
    assert w[1] * 0.1 == pytest.approx(v[0], abs=1e-4)
    # it slides for 2 v/(7 μ g) with the deceleration μ g
    half = found.time <= 0.5 * 2 / (7 * 0.2 * G)
    expected = 1 - 0.2 * G * found.time[half][-1]
    assert found["ball"].velocity.values[half][-1, 0] == pytest.approx(expected, abs=5e-3)


def box_on_a_slope(tangent, **contact):
    a = np.arctan(tangent)
    normal = np.array([np.sin(a), 0, np.cos(a)])
    m = lw.Model("slope", gravity=(0, 0, -G))
    turn = (np.cos(a / 2), 0, np.sin(a / 2), 0)
    box = m.add("box", lw.Body.box((0.2, 0.2, 0.1), density=1000, position=0.05 * normal,
                                   orientation=turn))  # fmt: skip
    slope = {"kind": "plane", "normal": normal.tolist()}
    m.add("touch", lw.Contact(box, lw.GROUND, ground=slope, **contact))
    return m, np.array([np.cos(a), 0, -np.sin(a)]), a


@pytest.mark.parametrize("hard", [False, True])
def test_a_box_holds_on_a_slope_just_below_the_limit(hard):
    words = {"hard": True} if hard else {"law": lw.laws.HuntCrossley(1e7, damping=50)}
    m, down, _ = box_on_a_slope(0.95 * 0.4, friction=0.4, **words)
    method = lw.Moreau() if hard else lw.GeneralizedAlpha()
    found = run(m, 2.0, 2e-3, method=method)
    way = (found["box"].position.values - found["box"].position.values[500]) @ down
    assert np.abs(way[500:]).max() < 1e-6  # no creep over one second


@pytest.mark.parametrize("hard", [False, True])
def test_a_box_slides_on_a_slope_just_above_the_limit(hard):
    words = {"hard": True} if hard else {"law": lw.laws.HuntCrossley(1e7, damping=50)}
    m, down, a = box_on_a_slope(1.05 * 0.4, friction=0.4, **words)
    method = lw.Moreau() if hard else lw.GeneralizedAlpha()
    found = run(m, 1.0, 1e-3, method=method)
    speed = found["box"].velocity.values[-1] @ down
    assert speed == pytest.approx(G * (np.sin(a) - 0.4 * np.cos(a)), rel=0.02)


@pytest.mark.parametrize("model", [lw.Coulomb(0.4), lw.LuGre(0.4)], ids=lambda m: type(m).__name__)
def test_both_models_hold_at_the_limit_with_long_steps(model):
    """At 0.98 of it, for ten seconds with steps far longer than a vibration of the bristles."""
    m, down, _ = box_on_a_slope(0.98 * 0.4, friction=model)
    found = run(m, 10.0, 1e-2)
    way = (found["box"].position.values - found["box"].position.values[100]) @ down
    assert np.abs(way[100:]).max() < 1e-7


def test_rolling_resistance_stops_a_ball():
    """(7/5) m a r = μ ρ m g."""
    m = lw.Model("rolling", gravity=(0, 0, -G))
    body = ball(m, 0.1, (0.5, 0, 0), angular_velocity=(0, 5, 0))
    m.add("touch", lw.Contact(body, lw.GROUND, law=lw.laws.HuntCrossley(1e7, damping=50),
                              friction=0.4, rolling=0.01))  # fmt: skip
    found = run(m, 1.0, 1e-3)
    a = 5 / 7 * 0.4 * 0.01 * G / 0.1
    assert float(found["ball"].velocity[-1, 0]) == pytest.approx(0.5 - a, rel=5e-3)
    assert found["touch"].power.values[500:].mean() < 0


def test_spinning_resistance_of_a_ring():
    """μ ρ N against 2/5 m r²."""
    m = lw.Model("spinning", gravity=(0, 0, -G))
    body = ball(m, 0.1, angular_velocity=(0, 0, 10))
    m.add("touch", lw.Contact(body, lw.GROUND, law=lw.laws.HuntCrossley(1e7, damping=50),
                              friction=0.3, spinning=0.01))  # fmt: skip
    found = run(m, 0.5, 1e-3)
    rate = 0.3 * 0.01 * G / (0.4 * 0.01)
    assert float(found["ball"].angular_velocity[-1, 2]) == pytest.approx(10 - 0.5 * rate, rel=1e-2)


# --------------------------------------------------------------------------- rest and small motions


def test_equilibrium_and_frequency_on_a_floor():
    m = lw.Model("rest", gravity=(0, 0, -G))
    body = ball(m, 0.1)
    m.add("touch", lw.Contact(body, lw.GROUND, law=lw.laws.HuntCrossley(1e7), friction=0.5))
    found = lw.static(m)
    depth = (body.mass * G / 1e7) ** (2 / 3)
    assert 0.1 - float(found["ball"].position[2]) == pytest.approx(depth, rel=1e-8)
    assert float(found["touch"].normal_force) == pytest.approx(body.mass * G, rel=1e-8)
    modes = lw.eigen(m, at=found)
    stiffness = 1.5 * 1e7 * np.sqrt(depth)
    expected = np.sqrt(stiffness / body.mass) / (2 * np.pi)
    assert np.abs(modes.frequency - expected).min() < 1e-6 * expected


@pytest.mark.filterwarnings("error")
def test_outputs_and_energy_of_a_law_that_varies_with_time():
    """A ball goes down with the free length of its support: the force is its weight, and the work
    of the support closes the balance of energy."""
    m, k, speed = lw.Model(gravity=(0, 0, -G)), 1e5, 2e-3
    weight = lw.Body.sphere(0.1, density=1000).mass * G
    law = lw.laws.LinearViscoelastic(k, 300.0, prestrain=lw.ramp(speed))
    m.add("floor", lw.Contact(ball(m, 0.1 - weight / k), lw.GROUND, law=law))
    found = run(m, 0.5, 1e-3)
    assert float(found["floor"].normal_force[-1]) == pytest.approx(weight, rel=1e-8)
    compressed = -found["floor"].gap - speed * found.time
    stored = k / 2 * compressed**2
    np.testing.assert_allclose(found["floor"].stored_energy, stored, rtol=1e-12)
    way = weight * speed * 0.5
    assert np.abs(found.energy.balance).max() < 1e-6 * way


def test_a_box_rests_on_four_points_and_tells_them():
    m = lw.Model("box", gravity=(0, 0, -G))
    one = m.add("one", lw.Body.box((0.2, 0.2, 0.1), density=1000, position=(0, 0, 0.05)))
    two = m.add("two", lw.Body.box((0.1, 0.1, 0.1), density=1000, position=(0.03, 0.02, 0.15)))
    law = lw.laws.HuntCrossley(1e8, damping=50)
    m.add("floor", lw.Contact(one, lw.GROUND, law=law, friction=0.4))
    m.add("top", lw.Contact(one, two, law=law, friction=0.4))
    found = run(m, 0.5, 1e-3)
    assert found["top"].force.values[-1] == pytest.approx([0, 0, two.mass * G], abs=1e-3)
    np.testing.assert_allclose(found["top"].point.values[-1], [0.03, 0.02, 0.1], atol=1e-4)
    weight = (one.mass + two.mass) * G
    assert float(found["floor"].normal_force[-1]) == pytest.approx(weight, rel=1e-4)
    table = found["floor"].table()
    assert table["a"].values.tolist() == ["one"] and table["b"].values.tolist() == ["ground"]
    assert float(table["normal_force"][0]) == pytest.approx(weight, rel=1e-4)


def test_a_ball_rests_alike_on_plane_box_mesh_and_heights():
    corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-0.2, 0)]
    faces = [[0, 3, 1], [0, 2, 3], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 7, 3],
             [2, 6, 7], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]]  # fmt: skip
    grounds = [
        {"kind": "plane"}, {"kind": "box", "size": (2, 2, 0.2), "position": (0, 0, -0.1)},
        {"kind": "mesh", "vertices": corners, "faces": faces},
        {"kind": "mesh", "vertices": corners, "convex": True},
        {"kind": "heights", "heights": np.zeros((4, 5)).tolist(), "size": (2, 2)},
    ]
    heights = []
    for ground in grounds:
        m = lw.Model("rest", gravity=(0, 0, -G))
        body = ball(m, 0.1)
        body.position = (0.13, 0.24, 0.1)
        m.add("touch", lw.Contact(body, lw.GROUND, ground=ground, law=lw.laws.HuntCrossley(1e7)))
        heights.append(float(lw.static(m)["ball"].position[2]))
    np.testing.assert_allclose(heights, heights[0], rtol=1e-10)


# --------------------------------------------------------------------------------------------- cams


def eccentric(speed, flat):
    """Follower on an eccentric disc, pressed by its weight: y = R + e sin ω t (flat face)."""
    t = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    R, e = 0.03, 0.01
    curve = np.column_stack([R * np.cos(t) + e, R * np.sin(t)])
    m = lw.Model("cam", gravity=(0, -G, 0))
    cam = m.add("cam", lw.Body(1, (1e-3, 1e-3, 1e-3)))
    m.add("shaft", lw.Motor(lw.GROUND, cam, at=(0, 0, 0), axis=(0, 0, 1),
                            angle=lw.ramp(speed)))  # fmt: skip
    height = R if flat else np.sqrt((R + 0.01) ** 2 - e**2)
    follower = m.add("follower", lw.Body(0.2, (1e-4,) * 3, position=(0, height, 0),
                                         velocity=(0, e * speed, 0)))  # fmt: skip
    m.add("guide", lw.Prismatic(lw.GROUND, follower, at=(0, height, 0), axis=(0, 1, 0)))
    end = lw.Frame(follower, (0, 0, 0), (np.sqrt(0.5), np.sqrt(0.5), 0, 0)) if flat else follower
    law = lw.laws.HuntCrossley(1e9, damping=200)
    m.add("touch", lw.CamFollower(cam, end, curve, radius=None if flat else 0.01, law=law))
    return m, R, e


def test_flat_follower_lifts_off_beyond_the_critical_speed():
    """m (g − e ω²) is the least force: it lifts off at ω = √(g/e)."""
    critical = np.sqrt(G / 0.01)
    for factor, lifts in ((0.95, False), (1.05, True)):
        m, R, e = eccentric(factor * critical, True)
        found = run(m, 2 * 2 * np.pi / (factor * critical), 5e-5)
        force = found["touch"].normal_force.values
        settled = found.time > 0.02
        assert (force[settled].min() <= 0) == lifts
        if not lifts:
            y = found["follower"].position.values[:, 1]
            expected = R + e * np.sin(factor * critical * found.time)
            # 4 N at most press it in by (4/1e9)^(2/3) = 2.5e-6
            np.testing.assert_allclose(y, expected, atol=4e-6)


def test_roller_follows_the_pitch_curve():
    """The roller's centre is at the distance R + ρ from the centre of the disc."""
    m, R, e = eccentric(10.0, False)
    found = run(m, 2 * np.pi / 10, 5e-4)
    middle = e * np.column_stack([np.cos(10 * found.time), np.sin(10 * found.time)])
    distance = np.linalg.norm(found["follower"].position.values[:, :2] - middle, axis=1)
    np.testing.assert_allclose(distance, R + 0.01, atol=1e-5)


def test_a_thrust_bearing_turns_its_balls_at_half_speed():
    """Ten balls between two plates: their centres go round with half the speed of the upper one."""
    m = lw.Model("thrust", gravity=(0, 0, -G))
    r, radius, speed = 0.01, 0.06, 5.0
    balls = []
    for k in range(10):
        a = 2 * np.pi * k / 10
        out, along = np.array([np.cos(a), np.sin(a), 0]), np.array([-np.sin(a), np.cos(a), 0])
        v = speed * radius / 2
        balls.append(m.add(f"ball{k}", lw.Body.sphere(
            r, density=7800, position=radius * out + (0, 0, r), velocity=v * along,
            angular_velocity=v / r * np.cross((0, 0, 1), along),
        )))  # fmt: skip
    plate = m.add("plate", lw.Body(5, (0.01, 0.01, 0.02), position=(0, 0, 2 * r), shape={
        "kind": "plane", "normal": (0, 0, -1)}, angular_velocity=(0, 0, speed)))  # fmt: skip
    m.add("axle", lw.Cylindrical(lw.GROUND, plate, at=(0, 0, 2 * r), axis=(0, 0, 1)))
    law = lw.laws.HuntCrossley(1e8, damping=1)
    m.add("below", lw.Contact(balls, lw.GROUND, law=law, friction=0.3))
    m.add("above", lw.Contact(balls, plate, law=law, friction=0.3))
    found = run(m, 0.3, 5e-4)
    turned = float(found["axle"].angle[-1])
    for k in range(10):
        p = found[f"ball{k}"].position.values
        angle = np.unwrap(np.arctan2(p[:, 1], p[:, 0]))
        assert angle[-1] - angle[0] == pytest.approx(turned / 2, rel=5e-3)
    assert turned == pytest.approx(0.3 * speed, rel=0.02)


# ---------------------------------------------------------------------------- methods and bad input


def test_contact_in_joint_coordinates_agrees():
    m = lw.Model("pendulum", gravity=(0, 0, -G))
    rod = m.add("rod", lw.Body.sphere(0.1, density=1000, position=(1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    wall = {"kind": "plane", "normal": (1, 0, 0), "position": (-0.1, 0, 0)}
    law = lw.laws.HuntCrossley(1e6, damping=1)
    m.add("touch", lw.Contact(rod, lw.GROUND, ground=wall, law=law))
    one = run(m, 1.2, 1e-4)
    two = run(m, 1.2, 1e-4, method=lw.Recursive())
    assert one["touch"].normal_force.values.max() > 100
    np.testing.assert_allclose(
        two["rod"].position.values[-1], one["rod"].position.values[-1], atol=2e-4
    )


def sphere(radius=0.1, **words):
    return lw.Body.sphere(radius, density=1000, **words)


def test_overlap_at_the_start_is_named_with_its_depth():
    for words in ({}, {"hard": True}):
        m = lw.Model("overlap")
        one = m.add("one", sphere())
        two = m.add("two", sphere(position=(0.15, 0, 0)))
        m.add("touch", lw.Contact(one, two, **words))
        method = lw.Moreau() if words else lw.GeneralizedAlpha()
        with pytest.raises(lw.ModelError, match="'one' and body 'two' overlap by 0.05 m"):
            run(m, 0.1, 1e-3, method=method)


def test_bad_input_is_refused_in_one_sentence():
    body = sphere()
    cases = [
        (lambda: lw.Contact(body, body), "with itself"),
        (lambda: lw.Contact(body), "needs b="),
        (lambda: lw.Contact(body, "floor"), "must be a body"),
        (lambda: lw.Contact(body, lw.GROUND, law=3), "needs a law"),
        (lambda: lw.Contact(body, lw.GROUND, friction=-1), "friction"),
        (lambda: lw.Contact(body, lw.GROUND, rolling=0.1), "give friction="),
        (lambda: lw.Contact(body, lw.GROUND, restitution=1.5), "from 0 to 1"),
        (lambda: lw.Contact(body, lw.GROUND, hard=True, law=lw.laws.HuntCrossley(1)), "leave out"),
        (lambda: lw.laws.HuntCrossley(1e6, restitution=0.5).numbers(1, "x"), "speed="),
        (lambda: lw.Stop(None, 0, 1, 1), "needs a joint"),
        (lambda: lw.CamFollower(body, lw.GROUND, [(0, 0)], law=lw.laws.HuntCrossley(1)), "four"),
    ]
    for make, words in cases:
        with pytest.raises(lw.ModelError, match=words):
            make()


@pytest.mark.parametrize("shape, words", [
    ({"kind": "sphere", "radius": -1.0}, "radius of shape of Body 'b' must be"),
    ({"kind": "ball", "radius": 1.0}, "one of plane, sphere"),
    ({"kind": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
      "faces": [[0, 2, 1], [0, 1, 3], [1, 2, 3]]}, "open mesh"),
    ({"kind": "mesh", "file": "nowhere.stl"}, "does not exist"),
    ({"kind": "capsule", "radius": 1.0}, "needs 'length'"),
    (None, "which has none"),
])  # fmt: skip
def test_bad_shapes_are_refused(shape, words):
    m = lw.Model("bad")
    body = m.add("b", lw.Body(1, (1, 1, 1), shape=shape))
    m.add("touch", lw.Contact(body, lw.GROUND))
    with pytest.raises(lw.ModelError, match=words):
        lw.compile_model(m)


def test_stop_with_restitution():
    m = lw.Model("stop")
    door = m.add("door", lw.Body(1, (0.1, 0.1, 0.1), angular_velocity=(0, 0, 2.0)))
    hinge = m.add("hinge", lw.Revolute(lw.GROUND, door, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("stop", lw.Stop(hinge, -1.0, 0.5, 1e4, restitution=0.4, speed=2.0))
    found = run(m, 0.4, 2e-5)
    assert float(found["hinge"].rate[-1]) == pytest.approx(-0.8, rel=2e-3)


def test_a_word_that_a_shape_of_the_ground_does_not_have_is_refused():
    shape = {"kind": "capsule", "radius": 0.1, "length": 0.5, "axis": (1, 0, 0)}
    ball = lw.Body.sphere(0.1, mass=1)
    with pytest.raises(lw.ModelError, match="has no 'axis' but radius, length.*orientation turns"):
        lw.Contact(ball, lw.GROUND, ground=shape)
