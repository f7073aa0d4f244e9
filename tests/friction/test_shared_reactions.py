"""Friction on joints that share their reactions with others: one rule in all analyses.

A door of 10 kg on two hinges, 2 m apart, its centre of mass 0.5 m from their line.
"""

import warnings

import numpy as np
import pytest

import linkwork as lw

MASS, ARM, RATE, MU, R, G = 10.0, 0.5, 1.0, 0.5, 0.1, 9.81
WEIGHT = MASS * G


def door(rubbing, motion="motor"):
    """With a motor in its bottom hinge, led by a drive beside the hinges, or at rest."""
    m = lw.Model("door", gravity=(0, 0, -G))
    leaf = m.add("leaf", lw.Body(MASS, (1, 1, 1), position=(ARM, 0, 1)))
    if motion == "motor":
        m.add("bottom", lw.Motor(lw.GROUND, leaf, (0, 0, 0), (0, 0, 1), angle=lw.ramp(RATE)))
    else:
        m.add("bottom", lw.Revolute(lw.GROUND, leaf, at=(0, 0, 0), axis=(0, 0, 1)))
    if motion == "led":
        m.add("drive", lw.Lock(lw.GROUND, leaf, rows="rz", drive={"rz": lw.ramp(RATE)}))
    m.add("top", lw.Revolute(lw.GROUND, leaf, at=(0, 0, 2), axis=(0, 0, 1)))
    for name in rubbing:
        m.add(f"in {name}", lw.Friction(m[name], lw.Coulomb(MU), radius=R))
    return m


def transient(m):
    return lw.transient(m, t=1.0, h=0.01, progress=False)


def implicit_euler(m):
    return lw.transient(m, t=1.0, h=0.01, method=lw.ImplicitEuler(), progress=False)


def kinematics(m):
    return lw.kinematics(m, t=1.0, h=0.01)


def inverse(m):
    actuators = ["bottom"] if "drive" in m.items else None
    return lw.inverse(m, t=1.0, h=0.01, actuators=actuators, progress=False).run


ANALYSES = pytest.mark.parametrize(
    "analysis, motion",
    [
        (transient, "motor"), (implicit_euler, "motor"), (kinematics, "motor"),
        (inverse, "motor"), (inverse, "led"), (kinematics, "led"),
    ],
)  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*not unique")
@ANALYSES
@pytest.mark.parametrize("hinge", ["bottom", "top"])
def test_a_hinge_that_rubs_alone_carries_all_forces(hinge, analysis, motion):
    """N² = (m g)² + (m ω² r)²; results show this reaction, and the load that acted."""
    run = analysis(door([hinge], motion))
    load = np.hypot(WEIGHT, MASS * RATE**2 * ARM)
    last = run[f"in {hinge}"]
    assert float(last.load[-1]) == pytest.approx(load, rel=1e-4)
    assert float(last.torque[-1]) == pytest.approx(-MU * R * load, rel=1e-4)
    force = run[hinge].force[-1].values
    assert np.linalg.norm(force) == pytest.approx(load, rel=1e-4)


@pytest.mark.filterwarnings("ignore:.*not unique")
@ANALYSES
def test_two_hinges_that_rub_have_the_same_loads_in_all_analyses(analysis, motion):
    """One carries the weight, and moments are carried by forces: 2 H = m g r, less centrifugal."""
    run = analysis(door(["bottom", "top"], motion))
    push, pull = WEIGHT * ARM / 2, MASS * RATE**2 * ARM / 2
    bottom, top = (float(run[f"in {hinge}"].load[-1]) for hinge in ("bottom", "top"))
    assert bottom == pytest.approx(np.hypot(WEIGHT, push - pull), rel=1e-4)
    assert top == pytest.approx(push + pull, rel=1e-4)
    across = [run[hinge].force[-1, :2].values for hinge in ("bottom", "top")]
    assert np.linalg.norm(across[0]) == pytest.approx(push - pull, rel=1e-4)
    assert np.linalg.norm(across[1]) == pytest.approx(push + pull, rel=1e-4)


@pytest.mark.filterwarnings("ignore:.*not unique")
def test_inverse_asks_for_the_torque_that_a_run_needs():
    run, inverse = transient(door(["bottom"])), lw.inverse(door(["bottom"]), 1.0, 0.01)
    torque = MU * R * np.hypot(WEIGHT, MASS * RATE**2 * ARM)
    assert float(inverse["bottom"][-1]) == pytest.approx(torque, rel=1e-6)
    assert float(run["bottom"].torque[-1]) == pytest.approx(torque, rel=1e-3)


@pytest.mark.filterwarnings("ignore:.*not unique")
def test_statics_has_the_same_load():
    eq = lw.static(door(["top"], "rest"))
    assert float(eq["in top"].load) == pytest.approx(WEIGHT, rel=1e-9)


@pytest.mark.parametrize(
    "analysis",
    [
        lw.assemble,
        lw.static,
        lw.eigen,
        lw.linearize,
        transient,
        implicit_euler,
        kinematics,
        inverse,
    ],
)
def test_every_analysis_warns_once(analysis):
    m = door(["top"], "rest" if analysis in (lw.static, lw.eigen, lw.linearize) else "motor")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        analysis(m)
    (words,) = [str(w.message) for w in told if "friction is not unique" in str(w.message)]
    assert "in top" in words and "'top'" in words


def test_a_hinge_whose_reaction_is_its_own_is_not_warned_of():
    """Two locks hold the same turns, which load no ball."""
    m = lw.Model("door", gravity=(0, 0, -G))
    leaf = m.add("leaf", lw.Body(MASS, (1, 1, 1), position=(ARM, 0, 1)))
    bottom = m.add("bottom", lw.Spherical(lw.GROUND, leaf, at=(0, 0, 0)))
    m.add("guide", lw.Lock(lw.GROUND, leaf, rows="rx ry"))
    m.add("again", lw.Lock(lw.GROUND, leaf, rows="rx ry"))
    m.add("friction", lw.Friction(bottom, lw.Coulomb(MU), radius=R, preload=1.0))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        lw.assemble(m)
    assert told
    assert not [w for w in told if "friction is not unique" in str(w.message)]
