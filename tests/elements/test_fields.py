"""Fields that act on masses: moving frames and central gravity know the mass of bodies alone."""

import numpy as np
import pytest

import linkwork as lw
from linkwork import compile_model

W = np.array([0.3, -0.2, 1.0])  # rad/s
STEEL = lw.Section.circle(0.01, E=2.1e11, density=7800)


def thrown(moving):
    """A free body with a sensor; seen from a frame that turns with W (1 + t) and is pushed along
    its own x axis by 2 + t."""
    r, v, spin = np.array([0.5, 0.2, 0.1]), np.array([0.4, -1.0, 0.3]), np.array([1.0, 2.0, -0.5])
    m = lw.Model("thrown")
    if moving:
        v, spin = v - np.cross(W, r), spin - W
    body = m.add("body", lw.Body(2.0, (0.3, 0.2, 0.4), position=r, velocity=v,
                                 angular_velocity=spin))  # fmt: skip
    if moving:
        m.add("frame", lw.MovingFrame(
            body, (lw.polynomial([2, 1]), 0, 0), [lw.polynomial([w, w]) for w in W], W
        ))  # fmt: skip
    m.add("unit", lw.StrapdownSensor(lw.Frame(body, (0.2, -0.1, 0.3))))
    return lw.transient(m, t=1, h=1e-3, progress=False)["unit"]


def test_a_sensor_in_a_moving_frame_shows_what_it_shows_in_the_fixed_world():
    world, frame = thrown(False), thrown(True)
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
