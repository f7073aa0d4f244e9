"""Data and first integrals that [B] prints for its examples, and Wittenburg's ties of the linkage.

[B] is P. Betsch, S. Leyendecker, Int. J. Numer. Meth. Engng 67 (2006), section 5.  Energies and
momenta are computed here from its independent velocities; a run has to start with them and keep
them, which are the straight lines of its figures 10, 13, 17 and 23.
"""

import numpy as np
import pytest
from example_scripts import load_example

import linkwork as lw

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")
E1, E2, E3 = np.eye(3)


def stepped(name, t, h):
    return lw.transient(load_example(name).build(), t, h, lw.EnergyMomentum(), progress=False)


def assert_kept(values, expected):
    assert np.abs(values - expected).max() < 1e-11 * np.abs(expected).max()


def test_energy_and_momentum_of_the_gyro_top():
    """(156) to (158), (164) to (173): a cone of height 0.1, radius 0.05 on its tip; figure 10."""
    mass, length = 2700 * np.pi * 0.05**2 * 0.1 / 3, 0.075
    across, along = 3 * mass / 80 * (4 * 0.05**2 + 0.1**2) + mass * length**2, 0.3 * mass * 0.05**2
    nutation, precession = np.pi / 3, 10.0
    spin = mass * 9.81 * length / (along * precession)
    spin += (across - along) / along * precession * np.cos(nutation)
    axis = np.array([0, -np.sin(nutation), np.cos(nutation)])
    omega = precession * E3 + spin * axis
    reduced = across * (np.eye(3) - np.outer(axis, axis)) + along * np.outer(axis, axis)
    energy = 0.5 * omega @ reduced @ omega + mass * 9.81 * length * np.cos(nutation)
    run = stepped("gyro_top", 1, 0.05)
    assert_kept(run.energy.total.values, energy)
    assert_kept(run.angular_momentum.values[:, 2], (reduced @ omega)[2])
    assert run.angular_momentum.values[0] == pytest.approx(reduced @ omega, rel=1e-12)


def flying_pair(masses, inertias, places, twist, sliding, turning):
    """Energy and angular momentum of (57) at the start, where all directors are the world's axes:
    the second body slides by a velocity and turns by a rate about e₃ on the first."""
    velocity, omega = np.array(twist[:3]), np.array(twist[3:])
    both = [(velocity, omega)]
    second = velocity + np.cross(omega, np.subtract(places[1], places[0])) + sliding
    both.append((second, omega + turning * E3))
    energy, momentum = 0.0, np.zeros(3)
    for m, J, r, (v, w) in zip(masses, inertias, places, both, strict=True):
        energy += 0.5 * (m * v @ v + np.multiply(J, w) @ w)
        momentum = momentum + m * np.cross(r, v) + np.multiply(J, w)
    return energy, momentum


def test_energy_and_momentum_of_the_cylindrical_pair():
    """(175); the inertias follow from lengths and radii; figures 13 and 14."""
    rod = 4 * (30**2 + 3 * 2**2) / 12, 4 * 2**2 / 2
    sleeve = 3 * (6**2 + 3 * (3**2 + 2**2)) / 12, 3 * (3**2 + 2**2) / 2
    energy, momentum = flying_pair(
        (4, 3), ((rod[0], rod[0], rod[1]), (sleeve[0], sleeve[0], sleeve[1])),
        ((0, 0, 0), (0, 0, -11)), (0, 50, 0, 1, 1.5, 0), 35.5 * E3, -100.0,
    )  # fmt: skip
    run = stepped("cylindrical_pair", 0.7, 0.01)
    assert_kept(run.energy.total.values, energy)
    assert_kept(run.angular_momentum.values, momentum)
    joint = run["joint"]
    assert float(joint.displacement[0]) == -11 and float(joint.angle[0]) == 0
    assert float(joint.speed[0]) == pytest.approx(35.5, rel=1e-12)
    assert float(joint.rate[0]) == pytest.approx(-100, rel=1e-12)


def test_energy_and_momentum_of_the_planar_pair():
    """(177); the inertias follow from the sides of plate and pyramid; figures 17 and 18."""
    plate = 5 * (16**2 + 0.5**2) / 12, 5 * (2 * 16**2) / 12
    pyramid = 2 * (4 * 2**2 + 3 * 3**2) / 80, 2 * 2 * 2**2 / 20
    energy, momentum = flying_pair(
        (5, 2), ((plate[0], plate[0], plate[1]), (pyramid[0], pyramid[0], pyramid[1])),
        ((5, 5, 5), (-2, -2, 6.25)), (0, 0, 0, -20, -20, 10), 150 * E1 - 120 * E2, 60.0,
    )  # fmt: skip
    run = stepped("planar_pair", 0.08, 0.01)
    assert_kept(run.energy.total.values, energy)
    assert_kept(run.angular_momentum.values, momentum)
    foot = run["pyramid"].point((0, 0, -1)).values[0] - run["plate"].point((0, 0, 0.25)).values[0]
    assert foot == pytest.approx([-7, -7, 0], abs=1e-12)


def test_bodies_of_the_linkage():
    """Mass, centre and inertia of body 0 as printed; bodies 2 and 4 are like it, the others are its
    mirror images."""
    ring = load_example("six_body_linkage")
    a, length, density = np.tan(0.16 * np.pi), 0.1, 1000
    body, side, cross = ring.tetrahedron(0), 1 / 3 + a**2 / 4, -(a**2) / 12
    assert body.mass == pytest.approx(density * a**2 * length**3 / 6, rel=1e-14)
    centre = np.array([a / 4, 1 / 2, -a / 4]) * length
    assert np.asarray(body.position) == pytest.approx(centre, rel=1e-14)
    J = np.array([[side, a / 6, cross], [a / 6, a**2 / 2, a / 6], [cross, a / 6, side]])
    J *= density * length**5 * a**2 / 40
    assert np.abs(body.inertia - J).max() < 1e-14 * np.abs(J).max()
    for k in range(1, 6):
        other, mirror = ring.tetrahedron(k), (-1) ** k
        assert other.mass == pytest.approx(body.mass, rel=1e-14)
        assert np.linalg.eigvalsh(other.inertia) == pytest.approx(np.linalg.eigvalsh(J), rel=1e-12)
        volume = np.linalg.det([ring.HINGES[k], ring.HINGES[(k + 1) % 6], edge(ring, k)])
        assert volume * np.linalg.det([ring.HINGES[0], ring.HINGES[1], edge(ring, 0)]) * mirror > 0


def edge(ring, k):
    return ring.CORNERS[(k + 1) % 6] - ring.CORNERS[k]


def test_start_of_the_linkage():
    """(191), (192): the five hinges start with 30 rad/s, and (190) keeps its angles tied in the
    steps of 0.01 s of figures 23 to 25, together with the energy."""
    run = stepped("six_body_linkage", 0.4, 0.01)
    angle = np.stack([run[f"hinge {k}"].angle.values for k in range(1, 6)])
    rate = [float(run[f"hinge {k}"].rate[0]) for k in range(1, 6)]
    assert rate == pytest.approx([30] * 5, rel=1e-12)
    s1, s2 = np.sin(angle[:2])
    ties = s2 * (1 - s1) - s1, angle[2] - angle[0], angle[4] - angle[0], angle[3] - angle[1]
    assert np.abs(ties).max() < 1e-10
    assert_kept(run.energy.total.values, run.energy.total.values[0])
