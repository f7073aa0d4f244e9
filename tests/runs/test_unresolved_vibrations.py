"""Vibrations faster than the step: told where they carry the motion, and only there."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import linkwork as lw

IMPLICIT = [lw.GeneralizedAlpha(), lw.EnergyMomentum(), lw.MS2()]
STRETCH = 0.01  # m


def mass_on_spring(frequency: float, ratio: float, pulled: float = STRETCH) -> lw.Model:
    """1 kg on a guide, released from a stretched spring (angular frequency, damping ratio)."""
    m = lw.Model("oscillator", gravity=(0, 0, 0))
    mass = m.add("mass", lw.Body(1, (1, 1, 1)))
    m.add("guide", lw.Prismatic(lw.GROUND, mass, at=(0, 0, 0), axis="x"))
    foot = lw.Frame(lw.GROUND, position=(-1, 0, 0))
    spring = lw.Spring(
        foot, mass, stiffness=frequency**2, damping=2 * ratio * frequency, length=1 - pulled
    )
    m.add("spring", spring)
    return m


def exact(t: np.ndarray, frequency: float, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """Place and energy left of the released mass, in closed form for a ratio below one."""
    slow = frequency * np.sqrt(1 - ratio**2)
    fall = STRETCH * np.exp(-ratio * frequency * t)
    y = fall * (np.cos(slow * t) + ratio * frequency / slow * np.sin(slow * t))
    v = -fall * frequency**2 / slow * np.sin(slow * t)
    return y - STRETCH, (v**2 + frequency**2 * y**2) / 2


def said(model: lw.Model, t: float, h: float, method: object, **options) -> tuple[lw.Result, str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = lw.transient(model, t, h, method, progress=False, **options)
    return result, " ".join(str(w.message) for w in caught if w.category is lw.LinkworkWarning)


@pytest.mark.parametrize("method", IMPLICIT, ids=repr)
@pytest.mark.parametrize("ratio", [0.01, 0.02])
def test_a_damped_vibration_of_three_steps_in_a_period_is_told(method, ratio):
    h, frequency = 1e-3, 2.2e3
    result, words = said(mass_on_spring(frequency, ratio), 0.05, h, method)
    place, _ = exact(result.time, frequency, ratio)
    assert np.abs(result["mass"].position.values[:, 0] - place).max() > STRETCH / 2
    assert "vibrates faster than the step" in words or "took" in words
    if isinstance(method, lw.EnergyMomentum):  # whose balance is zero in spite of it
        assert "body 'mass'" in words and "take a smaller step" in words and "forces" in words


@pytest.mark.parametrize("frequency", [1e3, 1e4, 1e5])
def test_a_method_that_keeps_the_energy_does_not_hide_a_lost_phase(frequency):
    result, words = said(mass_on_spring(frequency, 0.0), 0.1, 1e-3, lw.EnergyMomentum())
    place, energy = exact(result.time, frequency, 0.0)
    assert np.abs(result.energy.balance).max() < 1e-6 * energy[0]
    assert np.abs(result["mass"].position.values[:, 0] - place).max() > STRETCH
    assert "vibrates faster than the step" in words


@pytest.mark.parametrize("method", IMPLICIT, ids=repr)
def test_what_the_step_resolves_is_not_told_and_dissipates_as_it_should(method):
    frequency, ratio = 2.2e3, 0.05
    result, words = said(mass_on_spring(frequency, ratio), 0.02, 5e-5, method)
    place, energy = exact(result.time, frequency, ratio)
    assert words == ""
    assert np.abs(result["mass"].position.values[:, 0] - place).max() < 0.02 * STRETCH
    lost = energy[0] - energy
    assert np.abs(result.energy.dissipated - lost).max() < 0.01 * energy[0]


@pytest.mark.parametrize("method", IMPLICIT, ids=repr)
def test_a_stiff_spring_that_is_hardly_excited_is_not_told(method):
    """A pendulum hung on a stiff spring swings as on a pin; its period is that of a small swing."""
    m = lw.Model("pendulum")
    knot = m.add("knot", lw.Body(1, (0.1, 0.1, 0.1)))
    m.add("guide", lw.Prismatic(lw.GROUND, knot, at=(0, 0, 0), axis="x"))
    foot = lw.Frame(lw.GROUND, position=(-1, 0, 0))
    m.add("spring", lw.Spring(foot, knot, stiffness=1e9, length=1.0))
    bob = m.add("bob", lw.Body(1, (1e-9, 1e-9, 1e-9), position=(0.05, 0, -np.sqrt(1 - 0.05**2))))
    m.add("pin", lw.Revolute(knot, bob, at=(0, 0, 0), axis="y"))
    period = 2 * np.pi / np.sqrt(9.81) * (1 + 0.05**2 / 16)
    result, words = said(m, period, period / 400, method)
    assert words == ""
    assert result["bob"].position.values[-1, 0] == pytest.approx(0.05, rel=1e-3)


@pytest.mark.parametrize("stiffness", [10.0, 1e7])
def test_imposed_motion_that_turns_back_in_five_steps_is_not_told(stiffness):
    m = lw.Model("shaker", gravity=(0, 0, 0))
    table = m.add("table", lw.Body(1, (1, 1, 1)))
    law = lw.sine(0.01, 200)
    m.add("drive", lw.Actuator(lw.GROUND, table, (0, 0, 0), (1, 0, 0), displacement=law))
    foot = lw.Frame(lw.GROUND, position=(-1, 0, 0))
    m.add("spring", lw.Spring(foot, table, stiffness=stiffness, length=1.0))
    result, words = said(m, 0.1, 1e-3, lw.GeneralizedAlpha())
    place = 0.01 * np.sin(0.4 * np.pi * np.arange(101))
    assert result["table"].position.values[:, 0] == pytest.approx(place, abs=1e-9)
    assert "vibrates" not in words
