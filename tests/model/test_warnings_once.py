"""Every analysis warns, once of the same thing, and its warnings point at the user's line."""

from __future__ import annotations

import warnings

import pytest

import linkwork as lw


def door() -> lw.Model:
    m = lw.Model("door", gravity=(0, 0, -9.81))
    leaf = m.add("leaf", lw.Body.box((0.9, 0.04, 2), mass=25, position=(0.45, 0, 1)))
    for k, z in enumerate((0.2, 1.8)):
        m.add(f"hinge {k}", lw.Revolute(lw.GROUND, leaf, at=(0, 0, z), axis=(0, 0, 1)))
    return m


def told_by(action) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        action()
    return told


def transient(m: lw.Model) -> lw.Result:
    return lw.transient(m, t=0.02, h=0.01, progress=False)


@pytest.mark.parametrize("first", [lw.assemble, transient], ids=["assemble", "transient"])
def test_every_analysis_warns_once_at_the_users_line(first):
    m = door()
    for analysis in (first, lw.assemble, transient):
        told = told_by(lambda analysis=analysis: analysis(m))
        assert len(told) == 1 and "hinge 1" in str(told[0].message)
        assert told[0].filename == __file__


def test_an_analysis_of_several_parts_warns_once():
    """A steady rotation is found by two assemblies and a search."""
    m = lw.Model("turning door")
    leaf = m.add("leaf", lw.Body.box((0.9, 0.04, 2), mass=25, angular_velocity=(0, 0, 2)))
    for k, z in enumerate((-0.8, 0.8)):
        m.add(f"hinge {k}", lw.Revolute(lw.GROUND, leaf, at=(0, 0, z), axis=(0, 0, 1)))
    told = told_by(lambda: lw.static(m, spin="hinge 0", progress=False))
    assert len([w for w in told if "hinge 1" in str(w.message)]) == 1


def test_lost_velocities_are_told_at_the_users_line():
    m = door()
    m.remove("hinge 1")
    m["leaf"].velocity = (0, 0, 1)
    told = told_by(lambda: transient(m))
    assert [type(w.message) for w in told] == [lw.VelocityWarning]
    assert told[0].filename == __file__
