"""Fields that act on masses, of bodies and of other items: moving frames and central gravity."""

import numpy as np
import pytest

import linkwork as lw
from linkwork import compile_model

W = np.array([0.3, -0.2, 1.0])  # rad/s
STEEL = lw.Section.circle(0.01, E=2.1e11, density=7800)


def thrown(moving, changing=False):
    """A free body with a sensor, with a mass that changes; seen from a frame that turns with
    W (1 + t) and is pushed along its own x axis by 2 + t."""
    r, v, spin = np.array([0.5, 0.2, 0.1]), np.array([0.4, -1.0, 0.3]), np.array([1.0, 2.0, -0.5])
    m = lw.Model("thrown")
    if moving:
        v, spin = v - np.cross(W, r), spin - W
    body = m.add("body", lw.Body(2.0, (0.3, 0.2, 0.4), position=r, velocity=v,
                                 angular_velocity=spin))  # fmt: skip
    masses = [body]
    if changing:
        wave = lw.sine(0.2, 1.0)
        masses.append(m.add("fuel", lw.VariableMass(
            body, lw.polynomial([2, -1]), (wave, 0.1, 0.3), (wave + 2, 2, 2), (1, 1, wave + 1)
        )))  # fmt: skip
    for item in masses if moving else ():
        m.add(f"frame of {item.name}", lw.MovingFrame(
            item, (lw.polynomial([2, 1]), 0, 0), [lw.polynomial([w, w]) for w in W], W
        ))  # fmt: skip
    m.add("unit", lw.StrapdownSensor(lw.Frame(body, (0.2, -0.1, 0.3))))
    return lw.transient(m, t=1, h=1e-3, progress=False)


@pytest.mark.parametrize("changing", [False, True])
def test_a_sensor_in_a_moving_frame_shows_what_it_shows_in_the_fixed_world(changing):
    runs = thrown(False, changing), thrown(True, changing)
    for run in runs:
        energy = run.energy
        assert np.abs(energy.balance.values).max() < 1e-5 * energy.kinetic.values.max()
    world, frame = (run["unit"] for run in runs)
    for name in ("specific_force", "acceleration", "angular_velocity", "angular_acceleration"):
        expected, found = (np.asarray(getattr(x, name)) for x in (world, frame))
        np.testing.assert_allclose(found, expected, atol=2e-5)


def test_a_sensor_at_rest_in_a_frame_that_turns_and_rises():
    """−Ω² r outwards, g + a₀ upwards."""
    m = lw.Model("lift", gravity=(0, 0, -9.81))
    body = m.add("body", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    m.add("hold", lw.Fixed(lw.GROUND, body, at=(1, 0, 0)))
    m.add("frame", lw.MovingFrame(body, (0, 0, 5), (0, 0, 3)))
    m.add("unit", lw.StrapdownSensor(body))
    run = lw.transient(m, t=0.01, h=1e-3, progress=False)
    np.testing.assert_allclose(run["unit"].specific_force.values[-1], (-9, 0, 14.81), atol=1e-9)
    np.testing.assert_allclose(run["unit"].angular_velocity.values[-1], (0, 0, 3), atol=1e-9)


def test_a_sensor_on_a_body_without_mass_feels_the_frame():
    m = lw.Model("lift")
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    plate = m.add("plate", lw.Body(0, (0, 0, 0), position=(0.5, 0, 0)))
    m.add("hold", lw.Fixed(lw.GROUND, body, at=(0, 0, 0)))
    m.add("weld", lw.Fixed(body, plate, at=(0, 0, 0)))
    m.add("frame", lw.MovingFrame(body, (0, 0, 5), (0, 0, 3)))
    m.add("unit", lw.StrapdownSensor(plate))
    run = lw.transient(m, t=0.01, h=1e-3, progress=False)
    np.testing.assert_allclose(run["unit"].specific_force.values[-1], (-4.5, 0, 5), atol=1e-9)


OMEGA, SEGMENTS = 3.0, 6


def test_a_rope_that_turns_with_its_frame():
    """N_i − N_{i+1} = m ω² x of the point between; the post bears the end's half mass, too."""
    m = lw.Model("sling")
    post = m.add("post", lw.Body(2.0, (1, 1, 1), position=(1.5, 0, 0)))
    m.add("clamp", lw.Fixed(lw.GROUND, post, at=(1.5, 0, 0)))
    rope = m.add("rope", lw.Cable(lw.GROUND, post, at_a=(0, 0, 0), length=1.45, stiffness=1e3,
                                  mass=0.8, segments=SEGMENTS, hang=(0, 0, 0)))  # fmt: skip
    for item in (post, rope):
        m.add(f"frame of {item.name}", lw.MovingFrame(item, angular_velocity=(0, 0, OMEGA)))
    found = lw.static(m, progress=False)
    x, tension = found["rope"].points.values[:, 0], found["rope"].tension.values
    mass = 0.8 * 1.45 / SEGMENTS
    np.testing.assert_allclose(-np.diff(tension), mass * OMEGA**2 * x[1:-1], rtol=1e-9)
    held = (2.0 + mass / 2) * OMEGA**2 * 1.5 - tension[-1]
    np.testing.assert_allclose(found["clamp"].force_world.values, (-held, 0, 0), atol=1e-7)


@pytest.mark.parametrize("inertia", ["lumped", "consistent"])
def test_a_blade_pulls_at_its_root(inertia):
    """ω² ∫ x dm, of a blade that stretches by 1e-7."""
    m = lw.Model("blade")
    blade = m.add("blade", lw.Beam((0.2, 0, 0), (1.2, 0, 0), STEEL, elements=2, inertia=inertia))
    m.add("root", lw.Fixed(lw.GROUND, blade.root, at=(0.2, 0, 0)))
    m.add("frame", lw.MovingFrame(blade, angular_velocity=(0, 0, OMEGA)))
    found = lw.static(m, progress=False)["root"].force_world.values
    np.testing.assert_allclose(found, (-STEEL.mass * OMEGA**2 * 0.7, 0, 0), rtol=3e-7, atol=1e-9)


def test_fields_do_not_take_masses_that_move_with_shapes():
    link = lw.FlexibleLink((0, 0, 0), (1, 0, 0), STEEL, modes=1)
    for field in (lw.MovingFrame, lambda item: lw.CentralGravity(item, mu=1)):
        with pytest.raises(lw.ModelError, match="FlexibleLink moves with its shapes; .*lw.Beam"):
            field(link)
        with pytest.raises(lw.ModelError, match="needs a body or another item with mass"):
            field(lw.Force(lw.Body(1, (1, 1, 1)), (0, 0, 1)))


def variable_mass(m, body):
    return lw.VariableMass(body, 3.0)


def beam(m, body):
    return lw.Beam((0, 0, 0), (1, 0, 0), STEEL, elements=2)


def consistent_beam(m, body):
    return lw.Beam((0, 0, 0), (1, 0, 0), STEEL, elements=2, inertia="consistent")


def link(m, body):
    return lw.FlexibleLink((0, 0, 0), (1, 0, 0), STEEL, modes=1)


def cable(m, body):
    return lw.Cable(lw.GROUND, body, (1, 0, 0), stiffness=1e4, mass=1.0, segments=3)


def body_alone(m, body):
    return lw.Body(1, (1, 1, 1))


@pytest.mark.parametrize("other", [
    variable_mass, beam, consistent_beam, link, cable, body_alone
])  # fmt: skip
def test_masses_that_a_moving_frame_would_miss_are_refused(other):
    m = lw.Model("frame")
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    m.add("spin", lw.MovingFrame(body, angular_velocity=(0, 0, 1)))
    compile_model(m)
    m.add("other", other(m, body))
    with pytest.raises(lw.ModelError, match="MovingFrame 'spin' describes .* 'other' has"):
        compile_model(m)


def test_masses_that_central_gravity_would_miss_are_refused():
    m = lw.Model("orbit")
    body = m.add("body", lw.Body(1, (1, 1, 1), position=(7e6, 0, 0)))
    m.add("earth", lw.CentralGravity(body, mu=3.986e14))
    beside = m.add("beside", lw.Body(1, (1, 1, 1)))
    m.add("tank", lw.VariableMass(beside, 3.0))
    compile_model(m)
    m.add("fuel", lw.VariableMass(body, 3.0))
    with pytest.raises(lw.ModelError, match="'earth' attracts .* not what .*'fuel' adds"):
        compile_model(m)


MU = 4.0


def test_mass_that_leaves_does_not_change_an_orbit():
    """Kepler's ellipse, E = −μ m/2a of the mass that is left, and nothing to feel on board."""
    a, e = 1.5, 0.3
    m = lw.Model("orbit")
    moon = m.add("moon", lw.Body(3, (1, 2, 2), position=(a * (1 - e), 0, 0),
                                 velocity=(0, np.sqrt(MU / a * (1 + e) / (1 - e)), 0)))  # fmt: skip
    fuel = m.add("fuel", lw.VariableMass(moon, lw.polynomial([5, -1])))
    m.add("earth", lw.CentralGravity([moon, fuel], mu=MU))
    m.add("unit", lw.StrapdownSensor(moon))
    half = np.pi * np.sqrt(a**3 / MU)
    run = lw.transient(m, half, half / 1000, lw.MSSTH5(), progress=False)
    np.testing.assert_allclose(run["moon"].position.values[-1], (-a * (1 + e), 0, 0), atol=1e-8)
    np.testing.assert_allclose(run.energy.total, -MU * (8 - run.time) / (2 * a), rtol=1e-8)
    assert np.abs(run.energy.balance.values).max() < 1e-7
    np.testing.assert_allclose(run["unit"].specific_force, 0, atol=1e-9)


def test_a_sensor_away_from_the_centre_shows_the_tide():
    """A stick along the radius, held in its orbit's axes: 3 μ u/r³ is missing at u, to u²/r²."""
    r, u = 10.0, 1e-3
    spin = np.sqrt(MU / r**3)
    m = lw.Model("tide")
    stick = m.add("stick", lw.Body(1, (1, 1, 1), position=(r, 0, 0), velocity=(0, r * spin, 0),
                                   angular_velocity=(0, 0, spin)))  # fmt: skip
    m.add("earth", lw.CentralGravity(stick, mu=MU))
    m.add("unit", lw.StrapdownSensor(lw.Frame(stick, (u, 0, 0))))
    run = lw.transient(m, 0.1, 1e-2, lw.MSSTH5(), progress=False)
    found = run["unit"].specific_force.values[0]
    np.testing.assert_allclose(found, (-3 * MU * u / r**3, 0, 0), rtol=1e-3, atol=1e-12)


def test_energy_of_a_mass_that_moves_in_a_central_field():
    m = lw.Model("moving mass")
    body = m.add("body", lw.Body(2, (1, 1.2, 0.9), position=(1, 0, 0), velocity=(0, 2, 0),
                                 angular_velocity=(1, 2, 3)))  # fmt: skip
    wave = lw.sine(0.2, 1.0)
    ball = m.add("ball", lw.VariableMass(body, 2 + wave, (wave, 0.1, 0.3), (2, 2, 2)))
    m.add("earth", lw.CentralGravity([body, ball], mu=MU))
    run = lw.transient(m, 1.0, 1e-3, lw.MSSTH5(), progress=False)
    assert np.abs(run.energy.balance.values).max() < 1e-5 * np.ptp(run.energy.total.values)


def test_a_rope_hangs_in_a_central_field():
    """The tension bears μ m/x² of all that hangs below."""
    m = lw.Model("rope")
    ball = m.add("ball", lw.Body(2.0, (1, 1, 1), position=(1, 0, 0)))
    rope = m.add("rope", lw.Cable(lw.Frame(lw.GROUND, (2, 0, 0)), ball, stiffness=1e5, mass=0.8,
                                  segments=SEGMENTS, hang=(0, 0, 0)))  # fmt: skip
    m.add("earth", lw.CentralGravity([ball, rope], mu=MU))
    found = lw.static(m, progress=False)
    x, mass = found["rope"].points.values[1:, 0], np.full(SEGMENTS, 0.8 / SEGMENTS)
    mass[-1] = mass[-1] / 2 + 2.0
    expected = np.cumsum((MU * mass / x**2)[::-1])[::-1]
    np.testing.assert_allclose(found["rope"].tension, expected, rtol=1e-9)
