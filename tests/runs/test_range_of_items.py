"""Runs tell where a flexible link, a rolling wheel or a tyre is beyond what it means."""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
import pytest

import linkwork as lw

G = 9.81
SOUTHWELL = 1.193  # of the first bending of a uniform cantilever: ω² = ω₀² + 1.193 Ω² out of plane


def blade(spin: float) -> lw.Model:
    """A steel strip on a hub that turns; a force bends it in the plane that holds the axis."""
    m = lw.Model("blade")
    strip = lw.Section.rectangle(0.02, 0.005, E=2.1e11, density=7800)
    link = m.add("strip", lw.FlexibleLink(
        (0, 0, 0), (1, 0, 0), strip, modes=1, boundary="clamped-free", angular_velocity=(0, 0, spin)
    ))  # fmt: skip
    m.add("hub", lw.Motor(lw.GROUND, link.root, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(spin)))
    m.add("pull", lw.Force(link.tip, (0, 0, 1.0)))
    return m


def told(run) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    sentences = [str(w.message) for w in caught if issubclass(w.category, lw.LinkworkWarning)]
    return [s for s in sentences if "not unique" not in s]


def test_stiffening_that_a_link_leaves_out_is_told_with_southwells_coefficient():
    first = 1.87510**2 * math.sqrt(2.1e11 * 0.005**2 / 12 / 7800)
    spin = 0.6 * first
    with pytest.warns(lw.LinkworkWarning, match="FlexibleLink 'strip' turns at") as caught:
        lw.transient(blade(spin), t=0.3, h=1e-3, progress=False)
    part = int(re.search(r"stiffer by (\d+) %", str(caught[0].message)).group(1)) / 100
    assert abs(part - SOUTHWELL * 0.36) < 0.02 * SOUTHWELL * 0.36 + 0.005
    slow = 0.2 * first  # 5 %
    assert told(lambda: lw.transient(blade(slow), t=0.3, h=1e-3, progress=False)) == []


def test_large_deflections_of_a_link_are_told_and_explain_a_failure():
    def run(force: float, **words):
        m = blade(0.0)
        m.remove("pull")
        m.add("pull", lw.Force(m["strip"].tip, (0, 0, force)))
        return lw.transient(m, t=0.2, h=1e-3, progress=False)

    stiff = 3 * 2.1e11 * 0.02 * 0.005**3 / 12  # N/m of the tip, which swings twice as far
    assert told(lambda: run(0.9 * 0.05 * stiff)) == []
    (sentence,) = told(lambda: run(1.2 * 0.05 * stiff))
    assert "FlexibleLink 'strip' is bent by" in sentence
    m = lw.Model("spinning")
    strip = lw.Section.rectangle(0.02, 0.005, E=2.1e11, density=7800)
    link = m.add("strip", lw.FlexibleLink(
        (0, 0, 0), (1, 0, 0), strip, modes=3, boundary="clamped-free", angular_velocity=(0, 50, 0)
    ))  # fmt: skip
    m.add("hub", lw.Motor(lw.GROUND, link.root, at=(0, 0, 0), axis=(0, 1, 0), angle=lw.ramp(50)))
    m.add("pull", lw.Force(link.tip, (0, 0, 1.0)))
    with pytest.raises(lw.ConvergenceError, match="could not go on.*'strip' is bent by"):
        lw.transient(m, t=0.5, h=1e-3, progress=False)


def eccentric_wheel(rate: float) -> lw.Model:
    """A wheel of 2 kg with 2 kg at 0.25 m above its centre."""
    m = lw.Model("eccentric wheel", gravity=(0, 0, -G))
    spin = dict(angular_velocity=(0, rate, 0))
    disc = m.add("disc", lw.Body(2, (0.045, 0.09, 0.045), position=(0, 0, 0.3),
                                 velocity=(0.3 * rate, 0, 0), **spin))  # fmt: skip
    mass = m.add("mass", lw.Body(2, (1e-3, 1e-3, 1e-3), position=(0, 0, 0.55),
                                 velocity=(0.55 * rate, 0, 0), **spin))  # fmt: skip
    m.add("bolt", lw.Fixed(disc, mass, at=(0, 0, 0.3)))
    m.add("guide", lw.Lock(lw.GROUND, disc, at=(0, 0, 0.3), rows="rx rz"))
    m.add("roll", lw.Rolling(disc, lw.GROUND, radius=0.3, axis=(0, 1, 0)))
    return m


def least_normal_force(rate: float) -> float:
    """In one turn: I(θ) θ'² is that of the energy, N = M g − m e (θ'² cos θ + θ'' sin θ)."""
    r, e, m, M = 0.3, 0.25, 2.0, 4.0
    a = np.linspace(0, 2 * np.pi, 20001)
    inertia = 0.091 + M * r**2 + m * e**2 + 2 * m * r * e * np.cos(a)
    square = (inertia[0] * rate**2 + 2 * m * G * e * (1 - np.cos(a))) / inertia
    lifts = square * np.cos(a) + np.gradient(square, a) / 2 * np.sin(a)
    return float((M * G - m * e * lifts).min())


@pytest.mark.parametrize("rate", [6.0, 12.0])
def test_a_wheel_that_would_lift_off_is_told(rate):
    least = least_normal_force(rate)
    found = told(lambda: lw.transient(eccentric_wheel(rate), t=1, h=2e-4, progress=False))
    assert len(found) == (least < 0)
    if found:
        pull = float(re.search(r"by up to ([\d.e+]+) N", found[0]).group(1))
        assert abs(pull + least) < 0.01 * abs(least)


def test_rolling_without_weight_says_nothing():
    m = lw.Model("ball")
    ball = m.add("ball", lw.Body.sphere(0.1, mass=1, position=(0, 0, 0.1), velocity=(3, 1, 0),
                                        angular_velocity=(-10, 30, 5)))  # fmt: skip
    m.add("roll", lw.Rolling(ball, lw.GROUND, radius=0.1))
    assert told(lambda: lw.transient(m, t=1, h=1e-3, progress=False)) == []


@pytest.mark.parametrize("part", [0.9, 1.1])
def test_a_tyre_that_is_pressed_on_its_rim_is_told(part):
    """A wheel that falls from H presses an undamped tyre by mg/k + √((mg/k)² + 2 mgH/k)."""
    k, mass, radius = 2e5, 410.0, 0.32
    sag, deep = mass * G / k, part * 0.5 * radius
    fall = ((deep - sag) ** 2 - sag**2) / (2 * sag)
    data = lw.TyreData.magic(radius=radius, stiffness=k, load=4000, x=(12, 1.6, 1, 0.5),
                             y=(10, 1.4, 0.95, -1))  # fmt: skip
    m = lw.Model("drop", gravity=(0, 0, -G))
    hub = m.add("hub", lw.Body(400, (10, 10, 10), position=(0, 0, radius + fall)))
    rim = m.add("rim", lw.Body(10, (0.5, 0.9, 0.5), position=(0, 0, radius + fall)))
    m.add("axle", lw.Revolute(hub, rim, at=(0, 0, radius + fall), axis=(0, 1, 0)))
    m.add("guide", lw.Lock(lw.GROUND, hub, at=(0, 0, radius + fall), rows="x y rx ry rz"))
    m.add("tyre", lw.Tyre(hub, rim, data))
    found = told(lambda: lw.transient(m, t=0.5, h=5e-4, progress=False))
    assert len(found) == (part > 1)
    assert all("Tyre 'tyre' is pressed by" in sentence for sentence in found)
