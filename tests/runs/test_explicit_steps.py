"""What is said where explicit steps are unstable: the motion that is too fast, and the step."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import linkwork as lw

METHODS = [lw.RK4(), lw.Recursive()]
LIMITS = {"damper": 2.7853, "spring": 2.8284}  # |λ| h of the classic method on either axis


def strut(stiffness: float, damping: float) -> lw.Model:
    """A mass of 1 kg on a vertical guide, sinking on a spring or a damper."""
    m = lw.Model("strut", gravity=(0, 0, -9.81))
    mass = m.add("mass", lw.Body(1, (1, 1, 1)))
    m.add("guide", lw.Prismatic(lw.GROUND, mass, at=(0, 0, 0), axis=(0, 0, 1)))
    foot = lw.Frame(lw.GROUND, position=(0, 0, -1))
    m.add("strut", lw.Spring(foot, mass, stiffness=stiffness, damping=damping, length=1.0))
    return m


def run(model: lw.Model, t: float, h: float, method: object) -> str:
    """What was said of a run, by an error or by a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            lw.transient(model, t, h, method, progress=False)
        except lw.ConvergenceError as error:
            return str(error)
    return " ".join(str(w.message) for w in caught if w.category is lw.LinkworkWarning)


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("kind", LIMITS)
def test_unstable_steps_are_told_with_the_motion_and_the_step_that_is_stable(kind, method):
    model = strut(0.0, 1e4) if kind == "damper" else strut(1e8, 0.0)
    said = run(model, 0.1, 1e-3, method)
    assert "unstable" in said and "body 'mass', z" in said and "|λ| = 1e+04 1/s" in said
    assert "damps" not in said and "singular" not in said and "nan" not in said
    step = float(re.search(r"take h = (\S+) s or less", said)[1])
    assert step == pytest.approx(LIMITS[kind] / 1e4, rel=0.05) and step < LIMITS[kind] / 1e4


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_with_that_step_the_mass_sinks_as_the_damper_lets_it(method):
    h = 2.7e-4
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LinkworkWarning)
        result = lw.transient(strut(0.0, 1e4), 0.1, h, method, progress=False)
    c, t = 1e4, result.time[-1]
    exact = -9.81 / c * (t - (1 - np.exp(-c * t)) / c)
    assert result["mass"].position.values[-1, 2] == pytest.approx(exact, rel=1e-3)


def test_turns_of_a_motion_that_blew_up_are_not_the_cause():
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    body = m.add("mass", lw.Body(1, (0.1, 0.1, 0.1), position=(0.5, 0, 0)))
    m.add("bush", lw.Bushing(lw.GROUND, body, at=(0, 0, 0), stiffness=(1e5,) * 3 + (100,) * 3,
                             damping=(1e4,) * 3 + (50,) * 3))  # fmt: skip
    said = run(m, 0.5, 1e-3, lw.RK4())
    assert "too large for RK4()" in said and "unstable" in said and " turns by " not in said


def test_a_motor_whose_speed_jumps_is_told_as_a_corner_with_rk4():
    m = lw.Model("cart", gravity=(0, 0, -9.81))
    cart = m.add("cart", lw.Body(1, (1, 1, 1)))
    m.add("rail", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0)))
    law = {"x": lw.ramp(3, start=0.5)}
    m.add("motor", lw.Lock(lw.GROUND, cart, at=(0, 0, 0), rows="x", drive=law))
    said = run(m, 1.0, 1e-3, lw.RK4())
    assert "'motor' imposes jumps at t = 0.5" in said and "damps" not in said


def test_a_motion_that_blew_up_into_a_singular_position_keeps_its_results():
    model = strut(1e10, 0.0)
    arm = model.add("arm", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    model.add("pin", lw.Revolute(model["mass"], arm, at=(0, 0, 0), axis=(0, 1, 0)))
    with pytest.raises(lw.ConvergenceError, match="unstable here") as caught:
        lw.transient(model, 1.0, 1e-4, lw.RK4(), progress=False)
    assert "singular" not in str(caught.value) and len(caught.value.result) > 2


@pytest.mark.parametrize("method", [lw.RK4(), lw.Recursive()], ids=repr)
def test_energy_that_explicit_steps_take_is_told_from_a_hundredth_on(method):
    """A mass on a spring, ω = 1: a step of z keeps 1 − z⁶/72 + z⁸/576 of its energy of 0.5 J."""
    m = lw.Model("oscillator")
    mass = m.add("mass", lw.Body(1, (1, 1, 1), position=(1, 0, 0), velocity=(1, 0, 0)))
    m.add("guide", lw.Prismatic(lw.GROUND, mass, at=(1, 0, 0), axis="x"))
    m.add("spring", lw.Spring(lw.Frame(lw.GROUND, (-9, 0, 0)), mass, stiffness=1, length=10))
    z, steps = 0.7, 40
    lost = 0.5 * (1 - (1 - z**6 / 72 + z**8 / 576) ** steps)  # 0.03 J
    with pytest.warns(lw.LinkworkWarning, match="the method took") as heard:
        run = lw.transient(m, z * steps, z, method, progress=False)
    assert -float(run.energy.balance[-1]) == pytest.approx(lost, rel=1e-6)
    assert f"took {lost:.3g} J" in str(heard[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # 0.3 %
        lw.transient(m, 0.5 * 14, 0.5, method, progress=False)
