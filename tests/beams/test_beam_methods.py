"""Beams in other formulations, and words of beams that are changed or wrong."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from mistakes import refuse

import linkwork as lw

SOFT = lw.Section(
    stiffness=[1e4, 4e3, 4e3, 2.0, 3.0, 3.0], mass=1.0, inertia=(2e-2, 1e-2, 1e-2), damping=2e-3
)
ROUND = lw.Section.circle(0.01, E=2.1e11, density=7800)


def beam(order: int, joint: str, section: lw.Section = SOFT) -> lw.Model:
    m = lw.Model("beam", gravity=(0, 0, -9.81))
    b = m.add("beam", lw.Beam((0, 0, 0), (1, 0, 0), section, elements=2, order=order))
    if joint == "free":
        b.velocity, b.angular_velocity = (1, 0, 2), (0, 3, 1)
    elif joint == "fixed":
        m.add("clamp", lw.Fixed(lw.GROUND, b.root, at=(0, 0, 0)))
    elif joint == "motor":
        turn = lw.polynomial([0, 0, 1.0])
        m.add("hub", lw.Motor(lw.GROUND, b.root, at=(0, 0, 0), axis=(0, 0, 1), angle=turn))
    else:
        m.add("pin", lw.Revolute(lw.GROUND, b.root, at=(0, 0, 0), axis=(0, 1, 0)))
        m.add("slide", lw.PointOnLine(lw.GROUND, b.tip, at=(1, 0, 0), axis=(1, 0, 0)))
    return m


def outcome(m: lw.Model, method: object, h: float) -> np.ndarray:
    run = lw.transient(m, t=0.2, h=h, method=method, every=1000, progress=False)
    parts = [run["beam.tip"].position, run["beam.tip"].velocity, run["beam"].section_moment]
    return np.concatenate([part.values[-1].ravel() for part in parts])


@pytest.mark.parametrize("joint", ["free", "fixed", "motor", "loop"])
@pytest.mark.parametrize("order", [2, 3])
def test_joint_coordinates_give_the_same_motion(order, joint):
    """Runge and Kutta in joint coordinates is where generalized-alpha tends with h²."""
    exact = outcome(beam(order, joint), lw.Recursive(), 2e-4)
    np.testing.assert_allclose(exact, outcome(beam(order, joint), lw.Recursive(), 1e-4), atol=1e-7)
    errors = [
        np.abs(outcome(beam(order, joint), lw.GeneralizedAlpha(), h) - exact).max()
        for h in (8e-4, 4e-4)
    ]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.15), errors
    assert errors[1] < 1e-4


def test_steps_too_large_for_explicit_methods_are_told():
    with pytest.raises(lw.ConvergenceError, match=r"Recursive\(\); take .* lw.GeneralizedAlpha"):
        lw.transient(beam(3, "fixed", ROUND), t=0.1, h=1e-2, method=lw.Recursive(), progress=False)


def test_energy_momentum_refuses_beams():
    m = lw.Model("flexure")
    hub, blade = lw.Body(5, (1, 1, 1)), lw.Body(2, (1, 1, 1), position=(1, 0, 0))
    m.add("hub", hub)
    m.add("blade", blade)
    m.add("flexure", lw.BeamElement(hub, blade, SOFT))
    for model, what in ((m, "BeamElement 'flexure'"), (beam(2, "fixed"), "Beam 'beam'")):
        refuse(
            lambda model=model: lw.transient(
                model, t=0.1, h=1e-2, method=lw.EnergyMomentum(), progress=False
            ),
            f"{what} has a potential .* use lw.GeneralizedAlpha",
        )


def test_directions_of_an_element_that_are_changed_take_effect():
    a, b, c = (lw.Body(1, (1, 1, 1), position=(x, 0, 0)) for x in (0, 1, 2))
    element = lw.BeamElement(a, b, section=ROUND)
    element.up = (0, 1, 0)
    np.testing.assert_allclose(
        element.frames[0].orientation,
        lw.BeamElement(a, b, ROUND, up=(0, 1, 0)).frames[0].orientation,
    )
    turned = np.sqrt([0.5, 0.5, 0, 0])
    element.axes = [turned, turned]
    np.testing.assert_array_equal(element.frames[1].orientation, turned)
    element.axes = None
    element.c, element.b = c, b
    assert [frame.body for frame in element.frames] == [a, b, c]


MIDDLE = [(0, 0, 0), (0.5, 0.1, 0), (1, 0, 0)]
A, B = lw.Body(1, (1, 1, 1)), lw.Body(1, (1, 1, 1), position=(1, 0, 0))
MISTAKES = [
    (lambda: lw.Beam((0, 0, 0), (1, 0, 0), ROUND, order=2.0), "order of a Beam must be 3 or 2"),
    (lambda: lw.Beam((0, 0, 0), (2, 0, 0), ROUND, path=MIDDLE), "must lead from its start to its"),
    (lambda: setattr(lw.Beam.along(MIDDLE, ROUND), "start", (0, 0, 1)), "lead from its start"),
    (lambda: lw.Beam.along(MIDDLE[:1], ROUND), "points of Beam.along must be at least 2 points"),
    (lambda: lw.Beam.along(MIDDLE, ROUND, order="two"), "order of Beam.along must be 3 or 2"),
    (lambda: lw.BeamElement(A, B, ROUND, axes=[None, None]), "axes of a BeamElement must be 2"),
    (lambda: lw.BeamElement(A, B, ROUND, section_axes=[1]), "section_axes of a BeamElement must"),
]


@pytest.mark.parametrize(("make", "words"), MISTAKES)
def test_mistakes_are_explained(make, words):
    refuse(make, words)


@pytest.mark.parametrize("h", [2.5e-4, 5e-5])
def test_waves_that_a_step_does_not_resolve_are_told_of(h):
    """A beam that starts unstretched at 300 rad/s: axial waves of 5 kHz, damped or resolved."""
    section = lw.Section.rectangle(0.02, 0.02, E=2.1e11, nu=0.3, density=7800)
    m = lw.Model("spin", gravity=(0, 0, 0))
    beam = lw.Beam((0, 0, 0), (1, 0, 0), section, elements=4, angular_velocity=(0, 0, 300))
    m.add("beam", beam)
    m.add("pin", lw.Revolute(lw.GROUND, beam.root, at=(0, 0, 0), axis=(0, 0, 1)))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", lw.LinkworkWarning)
        run = lw.transient(m, t=0.1, h=h, progress=False)
    energy = run.energy
    lost = -float(energy.balance.values.min()) / float(energy.kinetic.values[0])
    assert any("damps motion" in str(one.message) for one in told) == (lost > 0.05)
    assert (lost > 0.05) == (h > 1e-4)
