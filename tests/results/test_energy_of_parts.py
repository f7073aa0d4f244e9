"""Energy of some items of a run, and the power that each dissipates and supplies."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork import ModelError

H, G = 1e-3, 9.81


def integral(time, values):
    steps = np.diff(time) * (values[1:] + values[:-1]) / 2
    return np.concatenate([[0.0], np.cumsum(steps)])


def two_pendulums():
    """Points on massless rods of lengths 1 and 0.5, which do not touch each other."""
    m = lw.Model("two", gravity=(0, 0, -G))
    for name, mass, length, y in (("one", 2.0, 1.0, 0.0), ("two", 3.0, 0.5, 1.0)):
        body = m.add(name, lw.Body(mass, (0, 0, 0), position=(length, y, 0)))
        m.add(f"pin {name}", lw.Revolute(lw.GROUND, body, at=(0, y, 0), axis=(0, 1, 0)))
    return m


def test_two_pendulums_each_keep_their_own_energy():
    """½ m v² and m g z of each, whose sum stays zero; pins have none."""
    run = lw.transient(two_pendulums(), 1.0, H, lw.EnergyMomentum(), progress=False)
    for name, mass in (("one", 2.0), ("two", 3.0)):
        energy = run.energy_of(name, f"pin {name}")
        v, z = run[name].velocity.values, run[name].position.values[:, 2]
        np.testing.assert_allclose(energy.kinetic, mass / 2 * np.sum(v**2, axis=1), atol=1e-12)
        np.testing.assert_allclose(energy.stored, mass * G * z, atol=1e-12)
        assert np.ptp(energy.stored.values) > 1.0
        assert not np.any(energy.dissipated.values) and not np.any(energy.supplied.values)
    both = run.energy_of("one", "two")
    np.testing.assert_allclose(both.kinetic + both.stored, 0.0, atol=1e-7)
    assert not np.any(run.energy_of("pin one").to_array().values)


def oscillator():
    """A mass on a damped spring, pushed."""
    m = lw.Model("oscillator", gravity=(0, 0, -G))
    bob = m.add("bob", lw.Body(2, (1, 1, 1), position=(0, 0, -1), velocity=(0, 0, 0.7)))
    m.add("guide", lw.Prismatic(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("spring", lw.Spring(lw.GROUND, bob, at_a=(0, 0, 0), stiffness=80, damping=3))
    m.add("push", lw.Force(bob, (0, 0, 4), drive=lw.sine(1, 0.7)))
    m.add("turntable", lw.Body(1, (1, 1, 1)))
    m.add("motor", lw.Motor(
        lw.GROUND, m["turntable"], at=(0, 0, 0), axis="z", angle=lw.sine(0.4, 1.0),
    ))  # fmt: skip
    return m


def test_energy_of_a_damped_spring():
    """∫ c l̇² and k/2 (l − l₀)²; and F·v of a force, ½ J ω² of what a motor drives."""
    run = lw.transient(oscillator(), 2.0, H, progress=False)
    length, rate = run["spring"].length.values, run["spring"].rate.values
    spring = run.energy_of("spring")
    lost = integral(run.time, 3 * rate**2)
    np.testing.assert_allclose(spring.dissipated, lost, atol=1e-12)
    np.testing.assert_allclose(spring.stored, 40 * (length - 1) ** 2, atol=1e-12)
    np.testing.assert_allclose(run["spring"].dissipated_power, 3 * rate**2, atol=1e-12)
    assert lost[-1] > 0.5 and not spring.kinetic.values.any() and not spring.supplied.values.any()
    speed = run["bob"].velocity.values[:, 2]
    work = 4 * np.sin(2 * np.pi * 0.7 * run.time) * speed
    np.testing.assert_allclose(run["push"].supplied_power, work, atol=1e-12)
    np.testing.assert_allclose(run.energy_of("push").supplied, integral(run.time, work), atol=1e-12)
    # a motor's multiplier of the first steps swings with the start of the motion
    turned = run.energy_of("turntable").kinetic
    given = run.energy_of("motor").supplied
    np.testing.assert_allclose(given - given[-1], turned - turned[-1], atol=2e-4)
    assert run["spring"].dissipated_power.attrs["units"] == "W"
    assert spring.stored.attrs["units"] == "J"


def test_all_items_together_have_the_energy_of_the_run():
    run = lw.transient(oscillator(), 2.0, H, progress=False)
    found = run.energy_of(*run.system.model)
    np.testing.assert_allclose(found.kinetic, run.energy.kinetic, rtol=1e-13)
    np.testing.assert_allclose(found.stored, run.energy.potential, atol=1e-11)
    np.testing.assert_allclose(found.dissipated, run.energy.dissipated, atol=1e-5)
    np.testing.assert_allclose(found.supplied, run.energy.supplied, atol=2e-4)


def test_mistakes_get_one_sentence():
    run = lw.transient(oscillator(), 2 * H, H, progress=False)
    with pytest.raises(ModelError, match="energy_of needs names of items"):
        run.energy_of()
    with pytest.raises(ModelError, match="spring"):
        run.energy_of("sprign")
    assert "dissipated_power" not in run["guide"].names + run["bob"].names
