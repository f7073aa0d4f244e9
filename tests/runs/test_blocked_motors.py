"""A motor that its mechanism cannot follow is named by every method, in the same words.

A crank of 0.5 m turns at 2 rad/s and pulls a rod of 0.4 m whose other end slides along x: it comes
until sin 2t = 0.4/0.5, and no further.
"""

import math
import warnings

import numpy as np
import pytest
from inside import METHODS, corners

import linkwork as lw
from linkwork.integrators.second_order.recovery import probable_cause

LAST = math.asin(0.4 / 0.5) / 2
CAUSE = ("the mechanism probably locks or cannot follow the prescribed motion of motor 'motor' "
         "beyond this position: ")  # fmt: skip
Z = (0, 0, 1)


def slider_crank():
    model = lw.Model("slider crank")
    crank = model.add("crank", lw.Body.link((0, 0, 0), (0.5, 0, 0), radius=0.02, density=1000))
    rod = model.add("rod", lw.Body.link((0.5, 0, 0), (0.9, 0, 0), radius=0.02, density=1000))
    slider = model.add("slider", lw.Body(1, (1, 1, 1), position=(0.9, 0, 0)))
    model.add("motor", lw.Motor(lw.GROUND, crank, at=(0, 0, 0), axis=Z, angle=lw.ramp(2)))
    model.add("pin", lw.Revolute(crank, rod, at=(0.5, 0, 0), axis=Z))
    model.add("wrist", lw.Spherical(rod, slider, at=(0.9, 0, 0)))
    model.add("guide", lw.Prismatic(lw.GROUND, slider, at=(0.9, 0, 0), axis=(1, 0, 0)))
    return model


def told(analysis):
    """The error of an analysis at the dead end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(lw.ConvergenceError) as error:
            analysis(slider_crank())
    sentence = str(error.value)
    assert CAUSE in sentence
    before, _, _ = sentence.partition(CAUSE)  # details may follow the cause, nothing precedes it
    for other in ("jumps", "grew", "too fast", "wrist", "guide", "pin"):
        assert other not in before
    return error.value


@pytest.mark.parametrize("name", [name for name in METHODS if name != "EnergyMomentum"])
def test_every_method_names_the_motor(name):
    h = 1e-3
    error = told(lambda model: lw.transient(model, 2, h, METHODS[name](), progress=False))
    assert LAST - h < error.time < LAST + 4 * h
    run = error.result
    before = run.time < LAST - h
    x = run["slider"].position.values[before, 0]
    angle = 2 * run.time[before]
    exact = 0.5 * np.cos(angle) + np.sqrt(0.16 - 0.25 * np.sin(angle) ** 2)
    assert before.sum() > 400 and np.abs(x - exact).max() < 1e-3


@pytest.mark.parametrize("analysis", [
    lambda model: lw.transient(model, 2, 1e-3, tolerance=1e-5, progress=False),
    lambda model: lw.kinematics(model, 2, 1e-3),
    lambda model: lw.inverse(model, 2, 1e-3, progress=False),
], ids=["tolerance", "kinematics", "inverse"])  # fmt: skip
def test_other_analyses_name_the_motor(analysis):
    error = told(analysis)
    assert error.time is None or abs(error.time - LAST) < 2e-3


def test_joints_do_not_stay_open_under_impulses():
    """Moreau's steps went on to the end with joints that were open by a metre."""
    error = told(lambda model: lw.transient(model, 2, 1e-3, lw.Moreau(), progress=False))
    data = error.result.system.data()
    for k in range(0, len(error.result), 20):
        assert np.abs(data.evaluate(error.result.state(k)).C).max() < 1e-3


def test_a_speed_that_is_not_a_number_explains_nothing():
    data = lw.compile_model(slider_crank()).data()
    state = data.system.described_state()
    state.motion[:, 7:] = np.nan
    assert probable_cause(data, state, 1e-3).startswith(CAUSE[:-2])


def test_functions_of_python_have_no_corners_from_round_off():
    model = lw.Model("winch")
    rod = model.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.02, density=1000))
    model.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=Z))
    ends = lw.Frame(lw.GROUND, (0, 2, 0)), lw.Frame(rod, (0.5, 0, 0))
    model.add("winch", lw.Distance(*ends, length=lambda t: 5**0.5 + t))
    system = lw.compile_model(model)
    with pytest.warns(lw.LinkworkWarning, match="differentiated numerically"):
        assert corners(system, np.linspace(0, 1, 1001)) == []
