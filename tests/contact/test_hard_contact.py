"""Hard contact with Moreau's time stepping: impacts in closed form, stacks, refusals."""

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def run(m, t, h, **words):
    return lw.transient(m, t=t, h=h, method=lw.Moreau(**words), progress=False)


@pytest.mark.parametrize("impact", ["newton", "poisson"])
def test_a_ball_bounces_with_its_restitution(impact):
    m = lw.Model("bounce", gravity=(0, 0, -G))
    ball = m.add("ball", lw.Body.sphere(0.1, density=1000, position=(0, 0, 1.1)))
    m.add("touch", lw.Contact(ball, lw.GROUND, hard=True, restitution=0.8, impact=impact))
    found = run(m, 1.5, 5e-4)
    v = found["ball"].velocity.values[:, 2]
    hits = np.flatnonzero((v[1:] > 0) & (v[:-1] < 0))
    # impulse and weight of the step: an error of g h
    for k in hits[:3]:
        assert v[k + 1] == pytest.approx(-0.8 * v[k], abs=2 * G * 5e-4)
    z = found["ball"].position.values[:, 2] - 0.1
    peaks = [z[i] for i in range(1, len(z) - 1) if z[i - 1] < z[i] >= z[i + 1]]
    # g h of 3.5 and of 2.8 m/s, twice in the height: 0.6 % after two bounces
    np.testing.assert_allclose(peaks[:2], [0.64, 0.64**2], rtol=6.5e-3)
    assert float(found.energy.balance.values[-1]) == pytest.approx(
        float(found.energy.balance.values[0]), abs=2e-2 * 4.2 * G)  # fmt: skip


def test_a_bouncing_ball_comes_to_rest():
    """After t₀ (1 + e)/(1 − e), t₀ = √(2 H/g), though it has bounced infinitely often."""
    m = lw.Model("rest", gravity=(0, 0, -G))
    ball = m.add("ball", lw.Body.sphere(0.1, density=1000, position=(0, 0, 0.6)))
    m.add("touch", lw.Contact(ball, lw.GROUND, hard=True, restitution=0.5))
    found = run(m, 1.5, 1e-3)
    ends = np.sqrt(2 * 0.5 / G) * 1.5 / 0.5
    moving = found.time[np.abs(found["ball"].velocity.values[:, 2]) > 0.03]
    assert moving[-1] == pytest.approx(ends, abs=0.02)
    assert abs(float(found["ball"].velocity[-1, 2])) < 1e-9
    assert float(found["touch"].normal_force[-1]) == pytest.approx(ball.mass * G, rel=1e-6)


def cradle(lifted, balls=5):
    m = lw.Model("cradle", gravity=(0, 0, -G))
    r, length, bodies = 0.05, 0.5, []
    for i in range(balls):
        x, a = i * (2 * r + 2e-5), 0.5 if i < lifted else 0.0
        place = (x - length * np.sin(a), 0, -length * np.cos(a))
        body = lw.Body.sphere(r, density=7800, position=place)
        bodies.append(m.add(f"ball{i}", body))
        m.add(f"pin{i}", lw.Revolute(lw.GROUND, body, at=(x, 0, 0), axis=(0, 1, 0)))
    m.add("touch", lw.Contact(bodies, hard=True, restitution=1.0))
    return m


@pytest.mark.parametrize("lifted", [1, 2])
def test_newtons_cradle_sends_off_as_many_balls_as_arrive(lifted):
    m = cradle(lifted)
    found = run(m, 0.55, 5e-4)
    v = np.array([found[f"ball{i}"].velocity.values[:, 0] for i in range(5)])
    speed = np.sqrt(2 * G * 0.5 * (1 - np.cos(0.5)))
    arriving = v[0].max()
    assert arriving == pytest.approx(speed, rel=0.02)
    k = int(np.argmax(v[-1])) + 20  # the impacts come one after the other
    leaving = v[:, k]
    np.testing.assert_allclose(leaving[-lifted:], speed, rtol=0.03)
    np.testing.assert_allclose(leaving[:-lifted], 0, atol=0.03 * speed)
    assert float(found.violation.position.max()) < 1e-6


def test_a_rocking_block_loses_what_housner_says():
    """ω⁺/ω⁻ = 1 − 3/2 sin² α for a block with tan α = b/h that does not slide or bounce
    (G. W. Housner, Bull. Seismological Society of America 53, 1963)."""
    b, h, tilt = 0.1, 0.4, 0.1
    m = lw.Model("rocking", gravity=(0, 0, -G))
    corner = np.array([-b / 2, 0, -h / 2])
    c, s = np.cos(-tilt), np.sin(-tilt)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    block = m.add("block", lw.Body.box((b, 0.1, h), density=1000, position=-R @ corner,
                                       orientation=R))  # fmt: skip
    m.add("floor", lw.Contact(block, lw.GROUND, hard=True, friction=5.0, restitution=0.0))
    found = run(m, 0.5, 2e-4)
    w = found["block"].angular_velocity.values[:, 1]
    k = int(np.argmax(np.abs(w)))
    after = w[k + 3]
    alpha = np.arctan(b / h)
    assert after / w[k] == pytest.approx(1 - 1.5 * np.sin(alpha) ** 2, abs=0.01)


def stack(boxes):
    m = lw.Model("stack", gravity=(0, 0, -G))
    bodies = [
        m.add(f"b{i}", lw.Body.box((0.2, 0.2, 0.1), density=1000, position=(0, 0, 0.05 + 0.1 * i)))
        for i in range(boxes)
    ]
    m.add("floor", lw.Contact(bodies[0], lw.GROUND, hard=True, friction=0.5))
    m.add("stack", lw.Contact(bodies, hard=True, friction=0.5))
    return m


@pytest.mark.parametrize("time", [3.0, pytest.param(60.0, marks=pytest.mark.slow)])
def test_ten_boxes_rest_on_each_other(time):
    found = lw.transient(stack(10), t=time, h=1e-2, method=lw.Moreau(), every=50, progress=False)
    moved = np.abs(found.motion[-1, :, :3] - found.motion[0, :, :3]).max()
    assert moved < 1e-4  # they sink into the floor by at most 2e-4 of half a box, each
    weight = 10 * 4.0 * G
    assert float(found["floor"].normal_force[-1]) == pytest.approx(weight, rel=1e-3)


def test_a_heap_of_balls_comes_to_rest_in_a_box():
    m = lw.Model("heap", gravity=(0, 0, -G))
    rng = np.random.default_rng(1)
    balls = [
        m.add(f"b{i}", lw.Body.sphere(0.05, density=1000, position=(
            0.11 * (i % 3) + 0.01 * rng.random(), 0.11 * (i // 3 % 3) + 0.01 * rng.random(),
            0.06 + 0.11 * (i // 9))))
        for i in range(18)
    ]  # fmt: skip
    walls = [
        {"kind": "plane"}, {"kind": "plane", "normal": (1, 0, 0), "position": (-0.06, 0, 0)},
        {"kind": "plane", "normal": (-1, 0, 0), "position": (0.3, 0, 0)},
        {"kind": "plane", "normal": (0, 1, 0), "position": (0, -0.06, 0)},
        {"kind": "plane", "normal": (0, -1, 0), "position": (0, 0.3, 0)},
    ]
    m.add("walls", lw.Contact(balls, lw.GROUND, hard=True, friction=0.4, ground=walls))
    m.add("balls", lw.Contact(balls, hard=True, friction=0.4))
    found = lw.transient(m, t=1.2, h=4e-3, method=lw.Moreau(tolerance=1e-4, sweeps=200),
                         every=20, progress=False)  # fmt: skip
    assert np.abs(found.motion[-1, :, 7:10]).max() < 0.05
    place = found.motion[-1, :, :3]
    apart = np.linalg.norm(place[:, None] - place[None], axis=2) + np.eye(18)
    assert apart.min() > 0.1 - 1e-3  # depth over the diameter: 1 %
    assert place[:, 2].min() > 0.05 - 1e-3
    weight = 18 * balls[0].mass * G
    assert found["walls"].force.values[-1, 2] == pytest.approx(-weight, rel=0.05)


def test_methods_say_which_contacts_they_treat():
    m = lw.Model("hard", gravity=(0, 0, -G))
    ball = m.add("ball", lw.Body.sphere(0.1, density=1000, position=(0, 0, 1)))
    m.add("touch", lw.Contact(ball, lw.GROUND, hard=True))
    for method in (lw.GeneralizedAlpha(), lw.RK4(), lw.Recursive()):
        with pytest.raises(lw.ModelError, match="which is hard: use method=lw.Moreau"):
            lw.transient(m, t=0.1, h=1e-3, method=method, progress=False)
    for analysis in (lw.static, lw.eigen):
        with pytest.raises(lw.ModelError, match="which is hard"):
            analysis(m)
    soft = lw.Model("soft")
    ball = soft.add("ball", lw.Body.sphere(0.1, density=1000, position=(0, 0, 1)))
    soft.add("touch", lw.Contact(ball, lw.GROUND))
    with pytest.raises(lw.ModelError, match="remembers its path"):
        run(soft, 0.1, 1e-3)


def test_a_run_goes_on_from_its_end():
    whole = run(cradle(1), 0.3, 1e-3)
    half = run(cradle(1), 0.15, 1e-3)
    rest = lw.transient(half.system.model, t=0.3, h=1e-3, method=lw.Moreau(), start=half,
                        progress=False)  # fmt: skip
    np.testing.assert_allclose(rest.motion[-1], whole.motion[-1], atol=1e-12)


@pytest.mark.parametrize("angle,work", [
    (lw.polynomial([0, 0, 1]), 4.0),  # speeds up to 2 rad/s
    (lw.polynomial([0, 2]), 0.0),  # turns steadily
    (lw.sine(1.0, 1.5 / np.pi), 9.0 * np.cos(3.0) ** 2 - 9.0),
])  # fmt: skip
def test_motors_are_in_the_energy_account(angle, work):
    """A wheel of 2 kg m² gains J (ω₁² − ω₀²)/2, beside a ball that hits the floor without loss."""
    m = lw.Model("mill", gravity=(0, 0, -9.81))
    wheel = m.add("wheel", lw.Body(1, (2, 2, 2), position=(5, 0, 0)))
    m.add("motor", lw.Motor(lw.GROUND, wheel, at=(5, 0, 0), axis=(0, 0, 1), angle=angle))
    ball = m.add("ball", lw.Body.sphere(0.1, mass=1, position=(0, 0, 0.5)))
    m.add("floor", lw.Contact(ball, lw.GROUND, hard=True, restitution=1.0))
    errors = []
    for h in (2e-3, 1e-3):
        run = lw.transient(m, t=1, h=h, method=lw.Moreau(), progress=False)
        assert np.abs(run.energy["balance"].values).max() < 1e-9
        errors.append(float(run.energy["supplied"][-1]) - work)
    assert abs(errors[1]) < max(0.6 * abs(errors[0]), 1e-9)  # of first order
    assert abs(errors[1]) < 0.01
