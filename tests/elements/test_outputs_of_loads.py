"""Outputs of loads: power against the residual of every registered load, values in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from inside import ITEMS
from sample_elements import free, outputs, residual, sample

import linkwork as lw

H = 1e-3
LOADS = [
    "Force", "Torque", "ForcePair", "JointTorque", "JointForce", "Spring", "TorsionSpring",
    "Bushing", "Rod", "DeformableHinge", "DeformableDisplacement", "DeformableJoint",
    "DeformableAxial", "DeformableSlide", "ViscousBody", "UserForce",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", LOADS)
def test_power_is_that_of_the_forces_on_the_bodies(name, seed):
    """−f·v of the residuals of its elements, in a random state."""
    data, state = sample(name, seed)
    state = free(state)
    mine = [e for e in data.system.elements if not e.entry.rows]
    assert mine and name in ITEMS
    expected = -np.sum(residual(data, state) * state.velocities)
    power = sum(outputs(data, state, owner)["power"] for owner in {e.owner for e in mine})
    assert power == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert abs(power) > 1e-3


def swinging():
    """A pendulum with a spring, a force, a torque and a user's drag."""
    m = lw.Model(gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(2, (0.1, 0.1, 0.02), position=(0.5, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("spring", lw.Spring(
        lw.GROUND, rod, at_a=(0, 0, 1), at_b=(1, 0, 0), stiffness=30, damping=2))  # fmt: skip
    m.add("push", lw.Force(lw.Frame(rod, (0.5, 0, 0)), (0, 0, 3), drive=lw.sine(1, 2)))
    m.add("turn", lw.Torque(rod, (0, 2, 0), drive=-0.3 * lw.reads(m["pin"], "rate")))

    def drag(t, motion):
        return np.concatenate((-0.4 * motion.velocity[0], np.zeros(3)))

    m.add("drag", lw.UserForce(lw.Frame(rod, (0.5, 0, 0)), drag))
    return m


def test_power_of_all_loads_is_the_change_of_the_energy():
    """Kinetic and gravitational energy change by what spring, forces, torque and drag supply."""
    run = lw.transient(swinging(), 1.0, H, lw.RK4(), progress=False)
    energy = 0.5 * 2 * np.sum(run["rod"].velocity.values**2, axis=1)
    energy += 0.5 * np.sum(np.array([0.1, 0.1, 0.02]) * run["rod"].angular_velocity.values**2, 1)
    energy += 2 * 9.81 * run["rod"].position.values[:, 2]
    power = sum(run[name].power.values for name in ("spring", "push", "turn", "drag"))
    work = np.concatenate([[0.0], np.cumsum(0.5 * H * (power[1:] + power[:-1]))])
    np.testing.assert_allclose(energy - energy[0], work, rtol=0, atol=2e-5)
    assert np.ptp(energy) > 1.0


def test_values_and_units():
    run = lw.transient(swinging(), 0.5, H, progress=False)
    push = 3 * np.sin(4 * np.pi * run.time)
    np.testing.assert_allclose(run["push"].force.values[:, 2], push, rtol=0, atol=1e-12)
    turn = -0.6 * run["pin"].rate.values
    np.testing.assert_allclose(run["turn"].torque.values[:, 1], turn, rtol=0, atol=1e-9)
    tip = run["rod"].point((0.5, 0, 0)).values
    length = np.linalg.norm(tip - [0, 0, 1], axis=1)
    np.testing.assert_allclose(run["spring"].length.values, length, rtol=0, atol=1e-12)
    rate = np.gradient(length, run.time)
    tension = 30 * (length - np.sqrt(2)) + 2 * rate
    np.testing.assert_allclose(run["spring"].force.values[2:-2], tension[2:-2], rtol=0, atol=1e-3)
    speed = np.gradient(tip, run.time, axis=0)
    found = run["drag"].force.values
    np.testing.assert_allclose(found[2:-2], -0.4 * speed[2:-2], rtol=0, atol=1e-4)
    units = {"force": "N", "length": "m", "rate": "m/s", "power": "W"}
    for name, unit in units.items():
        assert getattr(run["spring"], name).attrs["units"] == unit
    assert run["drag"].torque.attrs["units"] == "N m"


def test_the_drive_of_a_motor_and_of_an_actuator():
    """The scalars are what lifts the weight: m g l cos φ about the axis, and m g along it.

    At first multipliers swing by 2e-6 of their size, and die out with the method's damping.
    """
    m = lw.Model(gravity=(0, 0, -9.81))
    arm = m.add("arm", lw.Body(2, (0.1, 0.1, 0.02), position=(0.5, 0, 0)))
    m.add("motor", lw.Motor(lw.GROUND, arm, at=(0, 0, 0), axis=(0, -1, 0), angle=lw.ramp(0.3)))
    lift = m.add("lift", lw.Body(3, (1, 1, 1), position=(0, 2, 0)))
    m.add("jack", lw.Actuator(lw.GROUND, lift, (0, 2, 0), (0, 0, 1), displacement=lw.ramp(0.2)))
    run = lw.transient(m, 1.0, H, progress=False)
    torque = 2 * 9.81 * 0.5 * np.cos(0.3 * run.time)
    np.testing.assert_allclose(run["motor"].drive_torque, torque, rtol=0, atol=3e-5)
    np.testing.assert_allclose(run["jack"].drive_force, 3 * 9.81, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(run["motor"].drive_torque, run["motor"].torque)
    np.testing.assert_array_equal(run["motor"].torque, run["motor"].reaction_torque.values[:, 2])
    np.testing.assert_array_equal(run["jack"].force, run["jack"].reaction_force.values[:, 2])
    assert run["motor"].torque_world.shape == (len(run), 3) == run["motor"].force.shape
    assert run["motor"].drive_torque.attrs["units"] == "N m"


def test_outputs_of_loads_are_saved_and_plotted(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    m = swinging()
    m.remove("drag")
    run = lw.transient(m, 0.2, H, progress=False)
    run.plot("push.force", "spring.power", "turn.torque")
    run.save(tmp_path / "run.nc")
    again = lw.load(tmp_path / "run.nc")
    for name in ("push", "spring", "turn"):
        np.testing.assert_array_equal(again[name].power, run[name].power)


def test_power_of_friction():
    """A block that slides to rest: friction takes its kinetic energy."""
    m = lw.Model(gravity=(0, 0, -9.81))
    block = m.add("block", lw.Body(2, (1, 1, 1), velocity=(1.5, 0, 0)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("rub", lw.Friction(rail, lw.Coulomb(0.3)))
    run = lw.transient(m, 0.3, 1e-4, progress=False)
    power = run["rub"].power.values
    work = np.sum(0.5 * 1e-4 * (power[1:] + power[:-1]))
    v = run["block"].velocity.values[:, 0]
    assert work == pytest.approx(0.5 * 2 * (v[-1] ** 2 - v[0] ** 2), rel=1e-4)
