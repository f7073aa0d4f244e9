"""An analysis compiles its model once: start values, independent rows and parts are masks and views
of the same tables."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pytest

import linkwork as lw


def four_bar(**start):
    m = lw.Model("four-bar", gravity=(0, 0, -9.81))
    points = [(0, 0, 0), (0, 0, 0.3), (0.9, 0, 0.8), (1, 0, 0)]
    bars = [
        m.add(f"bar {k}", lw.Body(1.0, (0.1,) * 3, position=np.add(a, b) / 2))
        for k, (a, b) in enumerate(zip(points, points[1:]))
    ]
    for k, (a, b) in enumerate(zip([lw.GROUND, *bars], [*bars, lw.GROUND])):
        more = start if k == 0 else {}
        m.add(f"pin {k}", lw.Revolute(a, b, at=points[k], axis=(0, 1, 0), **more))
    return m


def calls(analysis, *names):
    """How often functions of these names are called."""
    counts: Counter[str] = Counter()

    def count(frame, event, _):
        if event == "call" and frame.f_code.co_name in names:
            counts[frame.f_code.co_name] += 1

    sys.setprofile(count)
    try:
        analysis()
    finally:
        sys.setprofile(None)
    return counts


def run(method):
    return lambda m: lw.transient(m, t=0.003, h=1e-3, method=method, progress=False)


def refused(analysis):
    """The analysis of a mechanism that is not fully driven, and the joints that could be."""

    def analyse(m):
        with pytest.raises(lw.ModelError, match=r"drive for example joint 'pin 0' \(rz\)"):
            analysis(m)

    return analyse


ANALYSES = {
    "assemble": lw.assemble,
    "static": lw.static,
    "eigen": lambda m: lw.eigen(m, at=lw.assemble(m)) and None,
    "generalized-alpha": run(lw.GeneralizedAlpha()),
    "recursive": run(lw.Recursive()),
    "energy-momentum": run(lw.EnergyMomentum()),
    "RK4": run(lw.RK4()),
    "BDF": run(lw.BDF(2)),
    "kinematics": refused(lambda m: lw.kinematics(m, t=0.1, h=0.01, progress=False)),
}


@pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")
@pytest.mark.parametrize("start", [{}, {"angle": 0.1}, {"angle": 0.1, "rate": 2.0}], ids=repr)
@pytest.mark.parametrize("name", [name for name in ANALYSES if name != "eigen"])
def test_tables_are_built_once(name, start):
    m = four_bar(**start)
    assert calls(lambda: ANALYSES[name](m), "make_tables", "make_pattern") == {
        "make_tables": 1, "make_pattern": 1,
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")
def test_outputs_of_joints_need_no_tables_of_their_own():
    m = four_bar()
    at, outputs = lw.static(m, progress=False), ["pin 3.angle", "pin 1.rate"]
    assert calls(lambda: lw.linearize(m, at=at, outputs=outputs), "make_tables") == {
        "make_tables": 1
    }


def test_rows_of_start_values_are_no_rows_of_the_model():
    """Their systems have the same rows, unknowns, blocks and laws as without start values."""
    plain, started = lw.compile_model(four_bar()), lw.compile_model(four_bar(angle=0.1, rate=2.0))
    assert started.starting is not None and plain.starting is None
    assert [str(row) for row in started.all_rows] == [str(row) for row in plain.all_rows]
    assert len(started.starting.all_rows) == len(plain.all_rows) + 1
    state = plain.described_state().moved(0.1 * np.random.default_rng(2).normal(size=18))
    one, other = (s.data().evaluate(state, rates=True) for s in (plain, started))
    np.testing.assert_array_equal(one.matrix.toarray(), other.matrix.toarray())
    np.testing.assert_array_equal(one.f, other.f)
    np.testing.assert_array_equal(one.Qc, other.Qc)
    assert len(started.laws) == len(plain.laws)
