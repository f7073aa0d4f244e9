"""Impacts in runs with equal steps: bounces in closed form though h is longer than the impact."""

import math
import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.elements.laws.contact import tsuji_damping

G = 9.81


def bouncing_ball(height=1.0, restitution=0.5, stiffness=1.3e10):
    """The impact lasts 0.4 ms."""
    m = lw.Model("ball", gravity=(0, 0, -G))
    ball = m.add("ball", lw.Body.sphere(0.1, density=1000, position=(0, 0, 0.1 + height)))
    law = lw.laws.HuntCrossley(stiffness, restitution=restitution, speed=np.sqrt(2 * G * height))
    m.add("touch", lw.Contact(ball, lw.GROUND, law=law))
    return m


def quiet(m, t, h, **words):
    """A run that has nothing to warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LinkworkWarning)
        return lw.transient(m, t=t, h=h, progress=False, **words)


def heights(found):
    return found["ball"].position.values[:, 2] - 0.1


METHODS = [
    lw.GeneralizedAlpha(), lw.MS2(), lw.DIRK33(), lw.RK4(), lw.Recursive(),
    lw.Recursive(integrator="implicit"),
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_ball_bounces_to_a_quarter_of_its_height(method):
    """e = 1/2: the second apex is at e² H, whatever h is against the impact's 0.4 ms."""
    found = quiet(bouncing_ball(), 0.8, 1e-3, method=method)
    after = heights(found)[found.time > 0.5]
    # 48 pieces of an impact, whose beginning lies anywhere in the first
    assert after.max() == pytest.approx(0.25, rel=5e-3)
    np.testing.assert_allclose(np.diff(found.time), 1e-3, rtol=1e-9)


def test_steps_of_ten_milliseconds_resolve_a_fall_from_a_hundred_metres():
    found = quiet(bouncing_ball(100.0, restitution=0.7), 10.0, 1e-2)
    fall = np.sqrt(2 * 100 / G)
    after = heights(found)[found.time > fall]
    assert after.max() == pytest.approx(0.49 * 100, rel=5e-3)


@pytest.mark.parametrize("method", [lw.RK4(), lw.Recursive()], ids=repr)
def test_explicit_methods_hold_a_ball_at_rest(method):
    """On a stiff floor, whose vibrations of 0.1 ms a step of 1 ms could not follow."""
    m = lw.Model("rest", gravity=(0, 0, -G))
    ball = m.add("ball", lw.Body.sphere(0.1, density=1000, position=(0, 0, 0.1)))
    m.add("touch", lw.Contact(ball, lw.GROUND, law=lw.laws.HuntCrossley(1e9, damping=50)))
    found = quiet(m, 0.1, 1e-3, method=method)
    depth = (ball.mass * G / 1e9) ** (2 / 3)
    assert heights(found)[-1] == pytest.approx(-depth, rel=0.05)


def test_a_hanging_ball_hits_a_wall_alike_in_two_formulations():
    def build():
        m = lw.Model("wrecking ball", gravity=(0, 0, -G))
        ball = m.add("ball", lw.Body.sphere(0.1, density=7800, position=(1, 0, 0)))
        m.add("pin", lw.Revolute(lw.GROUND, ball, at=(0, 0, 0), axis=(0, 1, 0)))
        wall = {"kind": "plane", "normal": (1, 0, 0), "position": (-0.1, 0, 0)}
        m.add("touch", lw.Contact(ball, lw.GROUND, ground=wall, restitution=0.6))
        return m

    one = quiet(build(), 1.0, 1e-3)
    two = quiet(build(), 1.0, 1e-3, method=lw.Recursive())
    np.testing.assert_allclose(
        two["ball"].position.values[-1], one["ball"].position.values[-1], atol=2e-3
    )
    assert one["ball"].velocity.values[:, 0].max() > 0.5  # it came back


def test_a_run_that_stops_within_an_impact_goes_on_with_the_same_digits():
    m = bouncing_ball(stiffness=1e8)
    touch = np.sqrt(2 / G)
    middle = round(touch + 1.5e-3, 3)
    whole = quiet(m, 0.6, 1e-3)
    half = quiet(m, middle, 1e-3)
    rest = quiet(m, 0.6, 1e-3, start=half)
    np.testing.assert_array_equal(rest.motion[-1], whole.motion[-1])


def test_an_impact_that_no_pieces_resolve_ends_the_run_where_it_throws_the_body():
    """It would make 46 kJ out of 41 J."""
    m = bouncing_ball(stiffness=1e19)
    with pytest.raises(lw.ConvergenceError, match="Contact 'touch': an impact of .*lw.Moreau"):
        lw.transient(m, t=0.6, h=5e-2, progress=False)


@pytest.mark.parametrize("e", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("speed", [0.01, 1.0, 10.0])
def test_restitution_of_tsujis_law_is_the_same_at_every_speed(e, speed):
    m = lw.Model("ball")
    ball = lw.Body.sphere(0.1, density=1000, position=(0, 0, 0.1 + 1e-3 * speed))
    ball = m.add("ball", lw.Body(ball.mass, ball.inertia, position=ball.position,
                                 velocity=(0, 0, -speed), shape=ball.shape))  # fmt: skip
    law = lw.laws.Tsuji(1e8, restitution=e, mass=ball.mass)
    m.add("floor", lw.Contact(ball, lw.GROUND, law=law))
    run = lw.transient(m, t=0.03, h=1e-5, progress=False)
    left = float(run["ball"].velocity[-1, 2]) / speed
    assert left == pytest.approx(e, rel=0.01)


@pytest.mark.parametrize("e", [0.5, 0.9, 0.97])
def test_tsujis_damping_comes_near_that_of_a_law_that_may_pull(e):
    """a = √5 |ln e|/√(ln² e + π²) where the last, pulling part of the force is kept (D. Antypov,
    J. A. Elliott, EPL 94, 2011): there the body loses a little more, so a is a little smaller."""
    pulling = math.sqrt(5) * abs(math.log(e)) / math.sqrt(math.log(e) ** 2 + math.pi**2)
    assert pulling < tsuji_damping(e) < pulling * (1 + 0.5 * (1 - e))


@pytest.mark.parametrize("h", [1e-3, 1e-4])
def test_a_box_laid_on_a_slope_sticks(h):
    """tan 15° < 0.3: it gives way by its bristles, below 1e-4 of its size, and no more."""
    tilt = math.radians(15)
    m = lw.Model("slope", gravity=(9.81 * math.sin(tilt), 0, -9.81 * math.cos(tilt)))
    box = m.add("box", lw.Body.box((0.2, 0.2, 0.2), density=1000, position=(0, 0, 0.1)))
    m.add("floor", lw.Contact(box, lw.GROUND, friction=0.3))
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LinkworkWarning)
        run = lw.transient(m, t=1.0, h=h, progress=False)
    assert abs(run["box"].position.values[-1] - [0, 0, 0.1]).max() < 1e-4 * 0.1
    assert abs(run["box"].velocity.values[-1]).max() < 1e-9


def test_a_box_that_falls_flat_comes_to_rest_where_it_fell():
    m = lw.Model("drop", gravity=(0, 0, -9.81))
    box = m.add("box", lw.Body.box((0.2, 0.2, 0.2), density=1000, position=(0, 0, 0.3)))
    m.add("floor", lw.Contact(box, lw.GROUND, friction=0.3))
    run = lw.transient(m, t=2.0, h=1e-3, progress=False)
    assert abs(run["box"].position.values[-1] - [0, 0, 0.1]).max() < 2e-6
    assert abs(run["box"].velocity.values[-1]).max() < 1e-9


@pytest.mark.parametrize("e", [0.01, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("steps", [0.3, 9.0, 30.0])
def test_restitution_and_energy_do_not_depend_on_the_step(e, steps):
    """Steps of 1/9 and 1/30 of the impact, and such that pass over it; Tsuji's damping rises with
    the fourth root of the depth, so that its beginning needs short pieces."""
    ball, speed = lw.Body.sphere(0.1, density=1000), 2.0
    stiffness = 1e9
    T = 2.94 * (1.25 * ball.mass * speed**2 / stiffness) ** 0.4 / speed
    h = T / steps
    m = lw.Model("ball")
    m.add("ball", lw.Body.sphere(0.1, density=1000, position=(0, 0, 0.1 + 2.37 * speed * h),
                                 velocity=(0, 0, -speed)))  # fmt: skip
    law = lw.laws.Tsuji(stiffness, restitution=e, mass=ball.mass)
    m.add("touch", lw.Contact(m["ball"], lw.GROUND, law=law))
    found = quiet(m, math.ceil(4 + 8 * steps) * h, h)
    assert found["ball"].velocity.values[-1, 2] / speed == pytest.approx(e, rel=3e-3)
    kinetic = 0.5 * ball.mass * speed**2
    assert np.abs(found.energy.balance.values).max() < 0.02 * kinetic


@pytest.mark.parametrize("e", [0.0, 0.5])
@pytest.mark.parametrize("h", [1e-3, 1e-4])
def test_a_tumbling_box_makes_no_energy(e, h):
    """Corners land one after the other: each is an impact of its own."""
    m = lw.Model("box", gravity=(0, 0, -G))
    q = np.array([0.9, 0.2, 0.3, 0.1])
    box = lw.Body.box(
        (0.2, 0.3, 0.1), density=1000, position=(0, 0, 0.6), velocity=(1, 0.5, -2),
        angular_velocity=(3, 4, 1), orientation=q / np.linalg.norm(q),
    )  # fmt: skip
    m.add("touch", lw.Contact(m.add("box", box), lw.GROUND, restitution=e, friction=0.3))
    found = quiet(m, 1.0, h)
    total = found.energy.total.values
    assert (total - np.minimum.accumulate(total)).max() < 1e-3 * total[0]
    assert np.abs(found.energy.balance.values).max() < 0.02 * total[0]


def test_an_edge_that_lands_later_is_an_impact():
    """A box that stands on two corners tips over: the other two land at the speed of a rod that
    turns about its edge, ω² = 2 m g Δz/J, and the kinetic energy does not grow there."""
    size, angle = (0.4, 0.3, 0.1), 0.3
    m = lw.Model("box", gravity=(0, 0, -G))
    body = lw.Body.box(size, density=1000)
    arm = np.array([0.2 * math.cos(angle) + 0.05 * math.sin(angle), 0,
                    -0.2 * math.sin(angle) + 0.05 * math.cos(angle)])  # fmt: skip
    z = 0.2 * math.sin(angle) + 0.05 * math.cos(angle)
    q = (math.cos(angle / 2), 0, -math.sin(angle / 2), 0)
    box = m.add("box", lw.Body.box(size, density=1000, position=(0, 0, z), orientation=q))
    m.add("touch", lw.Contact(box, lw.GROUND, restitution=0.2, friction=2.0))
    found = quiet(m, 0.35, 1e-3)
    J = float(np.asarray(body.inertia)[1, 1]) + body.mass * float(arm @ arm)
    wanted = math.sqrt(2 * body.mass * G * (z - 0.05) / J)
    omega = found["box"].angular_velocity.values[:, 1]
    assert np.abs(omega).max() == pytest.approx(wanted, rel=0.02)
    total = found.energy.total.values
    assert (total - np.minimum.accumulate(total)).max() < 1e-3 * total[0]
    assert np.abs(found.energy.balance.values).max() < 0.02 * total[0]


@pytest.mark.parametrize("overlap", [3e-6, 1e-5, 3e-5])
def test_shapes_that_hardly_overlap_make_no_energy(overlap):
    """A box that leaves and lands slower than 4 g h, and everything else it does slower still: its
    energy only falls, and it rises by no more than its law has stored."""
    m = lw.Model("box", gravity=(0, 0, -G))
    box = m.add("box", lw.Body.box((0.2, 0.2, 0.2), density=1000, position=(0, 0, 0.1 - overlap)))
    m.add("floor", lw.Contact(box, lw.GROUND, friction=0.3))
    run = quiet(m, 0.3, 1e-3)
    total = run.energy.total.values
    stored = total[0] - 8 * G * (0.1 - overlap)
    assert (total - np.minimum.accumulate(total)).max() < 1e-5 * stored
    assert abs(run.energy.balance).max() < 0.02 * stored
    assert 8 * G * (float(run["box"].position[:, 2].max()) - 0.1) < stored


@pytest.mark.parametrize("overlap", [1e-4, 1e-3])
def test_shapes_that_begin_in_each_other_part_with_the_energy_of_their_law(overlap):
    """No more than is stored; the account of energy is closed within a part of it."""
    m = lw.Model("box", gravity=(0, 0, -9.81))
    box = m.add("box", lw.Body.box((0.2, 0.2, 0.2), density=1000, position=(0, 0, 0.1 - overlap)))
    m.add("floor", lw.Contact(box, lw.GROUND, friction=0.3))
    run = lw.transient(m, t=0.3, h=1e-3, progress=False)
    energy = run.energy
    stored = float(energy.total[0]) - 8 * 9.81 * (0.1 - overlap)
    assert abs(energy.balance).max() < 0.01 * stored
    rise = float(run["box"].position[:, 2].max()) - 0.1
    assert 0.1 * stored < 8 * 9.81 * rise < stored


def test_a_light_foot_under_a_heavy_body_presses_longer_than_it_would_alone():
    """e by the whole mass that arrives: an undamped law gives back what it took."""
    m = lw.Model("foot", gravity=(0, 0, -9.81))
    foot = m.add("foot", lw.Body.sphere(0.02, mass=0.05, position=(0, 0, 0.03),
                                        velocity=(0, 0, -3)))  # fmt: skip
    load = m.add("load", lw.Body(20, (1, 1, 1), position=(0, 0, 0.5), velocity=(0, 0, -3)))
    m.add("leg", lw.Fixed(foot, load, at=(0, 0, 0.03)))
    m.add("floor", lw.Contact(foot, lw.GROUND, law=lw.laws.Hertz(1e7)))
    run = lw.transient(m, t=0.05, h=2e-3, progress=False)
    speed = run["load"].velocity.values[:, 2]
    k = 4 / 3 * 1e7 * 0.02**0.5
    depth = (1.25 * 20.05 * 3**2 / k) ** 0.4  # m v²/2 = (2/5) k δ^2.5
    lasts = 2.94 * depth / 3
    there = run.time[np.argmax(speed > 0)]
    assert speed[-1] == pytest.approx(3, abs=9.81 * 0.05)
    assert there == pytest.approx(0.01 / 3 + lasts / 2, abs=2e-3 + lasts / 2)
    assert abs(run.energy.balance).max() < 1e-3 * 20.05 * 3**2 / 2
