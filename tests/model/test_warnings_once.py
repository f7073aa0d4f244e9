"""Warnings about a model come once, and point at the user's line."""

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


@pytest.mark.parametrize("first", ["assemble", "transient"])
def test_redundant_rows_are_told_once_at_the_users_line(first):
    m = door()
    analyses = {
        "assemble": lambda: lw.assemble(m),
        "transient": lambda: lw.transient(m, t=0.02, h=0.01, progress=False),
    }
    told = told_by(analyses[first])
    assert len(told) == 1 and "hinge 1" in str(told[0].message)
    assert told[0].filename == __file__
    assert all(told_by(analysis) == [] for analysis in analyses.values())
    assert len(told_by(lambda: lw.assemble(door()))) == 1  # another model is told anew


def test_lost_velocities_are_told_at_the_users_line():
    m = door()
    m.remove("hinge 1")
    m["leaf"].velocity = (0, 0, 1)
    told = told_by(lambda: lw.transient(m, t=0.02, h=0.01, progress=False))
    assert [type(w.message) for w in told] == [lw.VelocityWarning]
    assert told[0].filename == __file__
