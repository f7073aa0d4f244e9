"""The energy account of runs whose joints have torsion springs and limits.

Their potential needs angles counted over turns: a spring of 1e-9 N m/rad stores nothing that
counts, so that a run with it must be judged as the one without it.
"""

import math
import warnings

import pytest

import linkwork as lw
from linkwork.analysis.motion.checks.energy_account import samples_that_count_turns


def slider_crank(spring):
    """Crank of 0.1 m at 300 rad/s, which steps of 1 ms do not resolve, and a slider."""
    m, end = lw.Model("slider-crank", gravity=(0, 0, 0)), (0.4, 0, 0)
    crank = m.add("crank", lw.Body.link((0, 0, 0), (0.1, 0, 0), radius=0.01, mass=0.5))
    link = m.add("link", lw.Body.link((0.1, 0, 0), end, radius=0.01, mass=0.5))
    slider = m.add("slider", lw.Body(0.5, (1e-3, 1e-3, 1e-3), position=end))
    main = m.add("main", lw.Revolute(lw.GROUND, crank, at=(0, 0, 0), axis="z", rate=300))
    m.add("pin", lw.Revolute(crank, link, at=(0.1, 0, 0), axis="z"))
    m.add("wrist", lw.Spherical(link, slider, at=end))
    m.add("guide", lw.Cylindrical(lw.GROUND, slider, at=end, axis="x"))
    if spring:
        m.add("spring", lw.TorsionSpring(main, stiffness=1e-9))
    return m


def told(model, t, h, word, **options):
    """The warnings of a run that have a word."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = lw.transient(model, t=t, h=h, progress=False, **options)
    return run, [str(w.message) for w in said if word in str(w.message)]


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.BDF2()], ids=repr)
def test_energy_out_of_nothing_is_told_with_a_torsion_spring(method):
    without = told(slider_crank(False), 0.1, 1e-3, "out of nothing", method=method)[1]
    run, beside = told(slider_crank(True), 0.1, 1e-3, "out of nothing", method=method)
    assert len(without) == len(beside) == 1
    assert abs(run.energy.balance.values).max() > 10  # of 151 J


def test_where_stored_steps_do_not_show_turns_nothing_is_said():
    """Between stored times the crank makes a turn; its spring's angle is not known there."""
    run, said = told(slider_crank(True), 0.1, 1e-3, "energy", every=20)
    assert not said and samples_that_count_turns(run) > len(run)


def test_a_torsion_pendulum_over_many_turns_is_not_accused():
    """φ = (ω/n) sin n t with n² = k/J: 159 turns to each side."""
    m = lw.Model("torsion pendulum", gravity=(0, 0, 0))
    disc = m.add("disc", lw.Body(1, (1, 1, 1)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, disc, at=(0, 0, 0), axis="z", rate=100))
    m.add("spring", lw.TorsionSpring(pin, stiffness=0.01))
    run, said = told(m, 40, 2e-3, "")
    assert not said
    expected = 1000 * math.sin(0.1 * 40)
    assert abs(float(run["pin"].angle.values[-1]) - expected) < 0.05
    assert abs(run.energy.balance.values).max() < 1e-3 * 5000


@pytest.mark.parametrize("h, is_told", [(1e-3, True), (1e-5, False)])
def test_dissipated_energy_that_is_not_resolved_is_told(h, is_told):
    """A damper stops a wheel within J/c = 0.4 ms; it can take T = ½Jω² = 2 J and no more."""
    m = lw.Model("damped wheel", gravity=(0, 0, 0))
    wheel = m.add("wheel", lw.Body(1, (1e-2, 1e-2, 1e-2)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis="y", rate=20))
    m.add("damper", lw.TorsionSpring(pin, stiffness=0, damping=25))
    run, said = told(m, 0.05, h, "dissipated", method=lw.Recursive())
    error = float(run.energy.dissipated.values[-1]) - 2.0
    assert (error > 0.4) == is_told == bool(said), (error, said)
    assert is_told or abs(error) < 0.02
