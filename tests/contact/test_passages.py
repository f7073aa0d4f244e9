"""Shapes that pass through each other within a step are told; those that bounce are not."""

from __future__ import annotations

import warnings

import pytest

import linkwork as lw

METHODS = [lw.GeneralizedAlpha(), lw.BDF2(), lw.MS2(), lw.Recursive(), lw.RK4()]


def ball_on_plate(hard: bool, speed: float = 100.0, beside: float = 0.0) -> lw.Model:
    """A ball of 10 mm radius that flies against a plate of 10 mm, restitution 1."""
    m = lw.Model("plate")
    plate = m.add("plate", lw.Body.box((1, 1, 0.01), mass=1000))
    ball = m.add("ball", lw.Body.sphere(0.01, mass=0.01, position=(beside, 0, 0.5),
                                        velocity=(0, 0, -speed)))  # fmt: skip
    m.add("touch", lw.Contact(ball, plate, restitution=1.0, hard=hard))
    return m


@pytest.mark.parametrize("method", [*METHODS, lw.Moreau()], ids=repr)
def test_a_ball_that_flew_through_a_plate_is_told(method):
    model = ball_on_plate(isinstance(method, lw.Moreau), speed=333.0)
    with pytest.warns(lw.LinkworkWarning, match="body 'ball' and body 'plate' went through"):
        run = lw.transient(model, t=0.02, h=2e-3, method=method, progress=False)
    assert float(run["ball"].velocity[-1, 2]) < 0  # in truth back with the same speed


@pytest.mark.parametrize("method", [*METHODS, lw.Moreau()], ids=repr)
def test_a_step_as_advised_lets_it_bounce(method):
    """0.5 (5 mm + 10 mm)/333 m/s = 22 µs; nothing is said then, and the speed is that before."""
    model = ball_on_plate(isinstance(method, lw.Moreau), speed=333.0)
    run = lw.transient(model, t=0.003, h=2e-5, method=method, progress=False)
    assert abs(float(run["ball"].velocity[-1, 2]) / 333.0 - 1) < 0.01


def test_step_control_that_steps_over_a_plate_is_told():
    with pytest.warns(lw.LinkworkWarning, match="went through each other"):
        lw.transient(ball_on_plate(False), t=0.05, h=1e-3, tolerance=1e-6, progress=False)


@pytest.mark.parametrize("hard", [False, True])
def test_what_flies_past_or_slides_along_is_not_told(hard):
    method = lw.Moreau() if hard else lw.GeneralizedAlpha()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        past = ball_on_plate(hard, beside=0.52)  # within the plate's bounding ball
        run = lw.transient(past, t=0.02, h=1e-3, method=method, progress=False)
        assert float(run["ball"].velocity[-1, 2]) == pytest.approx(-100.0, abs=1e-9)
        m = lw.Model("slides", gravity=(0, 0, -9.81))
        box = lw.Body.box((0.05, 0.05, 0.05), mass=1, position=(-4, 0, 0.025), velocity=(80, 0, 0))
        floor = {"kind": "box", "size": (20, 2, 0.01), "position": (0, 0, -0.005)}
        m.add("touch", lw.Contact(m.add("box", box), lw.GROUND, ground=floor, hard=hard,
                                  restitution=0.0))  # fmt: skip
        run = lw.transient(m, t=0.05, h=1e-3, method=method, progress=False)
        assert abs(float(run["box"].position[-1, 2]) - 0.025) < 1e-3
