"""Cables: the catenary, a rope as a pendulum, ropes that go slack, waves, and sentences."""

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def catenary(length, span, rise, w, EA=None):
    """Tension at the left end and lowest place of an inextensible catenary from x = 0."""
    from scipy.optimize import brentq

    a = brentq(lambda a: 2 * a * np.sinh(span / (2 * a)) - np.sqrt(length**2 - rise**2), 1e-2, 1e3)
    x0 = span / 2 - a * np.arctanh(rise / length)  # of the lowest place
    return w * a * np.cosh(x0 / a), x0, a


def hanging(length, span, rise, segments=40, stiffness=1e8, **words):
    m = lw.Model("catenary", gravity=(0, 0, -G))
    post = m.add("post", lw.Body(1, (1, 1, 1), position=(span, 0, rise)))
    m.add("clamp", lw.Fixed(lw.GROUND, post, at=(span, 0, rise)))
    m.add("rope", lw.Cable(
        lw.GROUND, post, at_a=(0, 0, 0), length=length, stiffness=stiffness, mass=2.0,
        segments=segments, **words,
    ))  # fmt: skip
    return m


@pytest.mark.parametrize(("length", "rise"), [(12.0, 0.0), (12.0, 3.0), (30.0, -4.0)])
def test_a_catenary(length, rise):
    """Chords of n segments: an error of second order in their length."""
    errors = []
    for n in (20, 40):
        found = lw.static(hanging(length, 10.0, rise, segments=n), progress=False)
        tension, x0, a = catenary(length, 10.0, rise, 2.0 * G)
        pull = found["rope"].tension.values
        points = found["rope"].points.values
        low = points[:, 2].min()
        assert low == pytest.approx(a - a * np.cosh(x0 / a), rel=2e-2)
        errors.append(abs(pull[0] - tension + G * length / n) / tension)  # at half a segment
    assert errors[1] < 1e-2 and errors[1] < errors[0]


def test_reactions_carry_the_weight():
    m = hanging(12.0, 10.0, 3.0)
    found = lw.static(m, progress=False)
    points, pull = found["rope"].points.values, found["rope"].tension.values
    first, last = points[1] - points[0], points[-2] - points[-1]
    up = pull[0] * first / np.linalg.norm(first) + pull[-1] * last / np.linalg.norm(last)
    # the half segments at the ends rest on the ground and the post
    np.testing.assert_allclose(up, [0, 0, -2.0 * G * 12 * 39 / 40], atol=1e-6)
    held = found["clamp"].force_world.values[2]
    assert held == pytest.approx(-(pull[-1] * last / np.linalg.norm(last))[2] + G + G * 12 / 40)


def test_a_taut_rope_is_a_string():
    """f = √(N/m)/(2 L) · k across it; 60 segments have an error of (kπ/60)²/24."""
    m = lw.Model("string")
    end = m.add("end", lw.Body(1, (1, 1, 1), position=(2, 0, 0)))
    m.add("clamp", lw.Fixed(lw.GROUND, end, at=(2, 0, 0)))
    m.add("rope", lw.Cable(
        lw.GROUND, end, at_a=(0, 0, 0), length=2.0 / 1.01, stiffness=1e4, mass=0.1, segments=60,
        hang=(0, 0, 0),
    ))  # fmt: skip
    found = np.sort(lw.eigen(m).frequency)
    mass = 0.1 / 1.01  # per stretched length
    exact = np.sqrt(100.0 / mass) / 4.0 * np.repeat([1, 2, 3], 2)
    np.testing.assert_allclose(found[:6], exact, rtol=2e-3)


def swinging(slack):
    """A load on a rope; with slack it falls freely first, 1 m beside the hook."""
    m = lw.Model("swing", gravity=(0, 0, -G))
    load = m.add("load", lw.Body(50.0, (1, 1, 1), position=(1.0, 0, 0)))
    m.add("rope", lw.Cable(
        lw.GROUND, load, at_a=(0, 0, 0), length=1.0 + slack, stiffness=2e5, mass=0.05, segments=8,
        damping=2e3,
    ))  # fmt: skip
    return m


def test_a_load_swings_on_a_rope():
    """Released horizontally: v² = 2 g L and N = 3 m g below the hook."""
    run = lw.transient(swinging(0.0), t=0.7, h=5e-4, progress=False)
    x = run["load"].position.values
    k = int(np.argmin(np.abs(x[:, 0])))
    v = run["load"].velocity.values[k]
    assert np.hypot(v[0], v[2]) == pytest.approx(np.sqrt(2 * G), rel=5e-3)
    assert run["rope"].tension.values[k, -1] == pytest.approx(3 * 50 * G, rel=5e-2)
    assert np.abs(run.energy["balance"]).max() < 2e-3 * 50 * G


def test_a_slack_rope_catches_a_falling_load():
    """Free fall while it is slack, then a jerk: the load keeps its distance to the hook."""
    run = lw.transient(swinging(0.2), t=0.8, h=5e-4, progress=False)
    x, tension = run["load"].position.values, run["rope"].tension.values
    far = np.linalg.norm(x, axis=1)
    free = run.time < 0.25  # the load falls 0.66 m until √(1 + z²) = 1.2
    np.testing.assert_allclose(x[free, 2], -G / 2 * run.time[free] ** 2, atol=2e-3)
    assert far[free].max() < 1.2 and far.max() > 1.199 and far.max() < 1.25
    assert tension.min() == 0.0 and tension[:, -1].max() > 1500
    assert (tension[free, -1] < 5.0).all()


def test_a_rope_pulls_and_does_not_push():
    m = lw.Model("push")
    body = m.add("body", lw.Body(1, (1, 1, 1), position=(1, 0, 0), velocity=(-1.0, 0, 0)))
    m.add("rope", lw.Cable(
        lw.GROUND, body, at_a=(0, 0, 0), stiffness=1e4, mass=1e-3, segments=4, hang=(0, 0, 0)
    ))  # fmt: skip
    run = lw.transient(m, t=0.5, h=1e-3, progress=False)
    np.testing.assert_allclose(run["body"].velocity.values[-1], [-1, 0, 0], atol=1e-6)
    assert run["rope"].tension.values.max() < 1e-6


@pytest.mark.parametrize(("words", "sentence"), [
    (dict(mass=1.0), "stiffness"), (dict(stiffness=1.0), "mass"),
    (dict(stiffness=1.0, mass=1.0, segments=0), "segments"),
    (dict(stiffness=-1.0, mass=1.0), "stiffness"),
    (dict(stiffness=1.0, mass=1.0, length=0.0), "length"),
])  # fmt: skip
def test_sentences(words, sentence):
    a, b = lw.Body(1, (1, 1, 1)), lw.Body(1, (1, 1, 1), position=(1, 0, 0))
    with pytest.raises(lw.ModelError, match=sentence):
        lw.Cable(a, b, **words)
    with pytest.raises(lw.ModelError, match="itself"):
        lw.Cable(a, a, stiffness=1.0, mass=1.0, length=1.0)


def ball_on_a_rope(segments=16, **words):
    """Released from the side of its support; a rope of 1 g/m at a ball of 2.6 kg."""
    m = lw.Model("ball on a rope", gravity=(0, 0, -G))
    ball = m.add("ball", lw.Body.sphere(0.05, density=5000, position=(1, 0, 0)))
    m.add("rope", lw.Cable(lw.GROUND, ball, at_a=(0, 0, 0), stiffness=1e6, mass=1e-3,
                           segments=segments, **words))  # fmt: skip
    return m


@pytest.mark.parametrize(
    ("segments", "h"), [(s, h) for s in (1, 4, 16, 40) for h in (1e-3, 2.7e-4)] + [(100, 1.1e-3)]
)
def test_light_points_of_a_taut_rope_do_not_fly(segments, h):
    """A pendulum, θ̈ = −g cos θ: stretched by 8e-5, with a rope of 4e-4 of the ball's mass.

    The waves in a segment of 1/40 m, of 2 µs, are never resolved.
    """
    from scipy.integrate import solve_ivp

    angle = solve_ivp(lambda _, y: (y[1], -G * np.cos(y[0])), (0, 0.8), (0, 0), rtol=1e-10).y[0, -1]
    run = lw.transient(ball_on_a_rope(segments), t=0.8, h=h, progress=False)
    place = run["ball"].position.values[-1]
    np.testing.assert_allclose(place, [np.cos(angle), 0, np.sin(angle)], atol=8e-4)
    energy = run.energy
    assert abs(energy.balance).max() < 1e-3 * energy.kinetic.max()


def test_a_rope_whose_waves_are_damped_keeps_its_energy():
    """Where a Newton iteration ended while points of the rope were still far off, it flew."""
    method = lw.GeneralizedAlpha()
    run = lw.transient(ball_on_a_rope(60), t=0.8, h=5e-4, method=method, progress=False)
    assert np.abs(run.energy["balance"].values).max() < 1e-3  # of 20 J that move


def test_methods_that_make_a_rope_fly_name_the_one_that_does_not():
    m, method = ball_on_a_rope(60), lw.GeneralizedAlpha(rho=1)
    with pytest.warns(lw.LinkworkWarning, match=r"grew by .* or lw.GeneralizedAlpha\(rho=0\)"):
        lw.transient(m, t=0.8, h=5e-4, method=method, progress=False)


def test_a_rope_between_two_points_of_the_ground():
    """Without any body it hangs as between a post and the ground, and stays there in a run."""
    beside = lw.static(hanging(12.0, 10.0, 3.0, stiffness=1e6), progress=False)["rope"]
    m = lw.Model("rope", gravity=(0, 0, -G))
    ends = [lw.Frame(lw.GROUND, place) for place in ((0, 0, 0), (10, 0, 3))]
    m.add("rope", lw.Cable(*ends, length=12.0, stiffness=1e6, mass=2.0, segments=40))
    rest = lw.static(m, progress=False)
    np.testing.assert_allclose(rest["rope"].tension, beside.tension, rtol=1e-8)
    np.testing.assert_allclose(rest["rope"].points, beside.points, atol=1e-8)
    run = lw.transient(m, t=0.1, h=1e-3, start=rest, progress=False)
    assert abs(run["rope"].points - rest["rope"].points.values).max() < 1e-6
    with pytest.raises(lw.ModelError, match="two points of the ground and at least 2"):
        lw.Cable(*ends, stiffness=1.0, mass=1.0, segments=1)
