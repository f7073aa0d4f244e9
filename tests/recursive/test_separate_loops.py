"""Loops that share no branch of the tree: blocks of their own, at a cost that is linear."""

import numpy as np
import pytest
from inside import beginning

import linkwork as lw
from linkwork.recursive.tree.parts import Parts

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")


def four_bars(which):
    """Numbered mechanisms side by side, each with bars and a start of its own."""
    m = lw.Model("bars", gravity=(0, -9.81, 0))
    for k in which:
        x = 3 * k
        points = [(x, 0, 0), (x, 1, 0), (x + 2, 1.5 + 0.1 * k, 0), (x + 2, 0, 0)]
        bars = [
            m.add(f"bar{k}{i}", lw.Body.link(points[i], points[i + 1], 0.02, mass=1.0 + k))
            for i in range(3)
        ]
        ends = [lw.GROUND, *bars, lw.GROUND]
        for i in range(4):
            rate = -1.0 - k if i == 0 else None
            m.add(f"pin{k}{i}", lw.Revolute(ends[i], ends[i + 1], at=points[i], axis=(0, 0, 1),
                                            rate=rate))  # fmt: skip
    return m


def loops_of(model):
    full, _, state, _ = beginning(model, None, lw.Recursive())
    return Parts(full, state).loops


def test_rows_and_velocities_are_divided_by_branches():
    """Two separate loops, two with a common body, and a pendulum, whose velocity no row acts on."""
    m = four_bars([0, 1])
    base = m["bar11"]
    tip = m.add("tip", lw.Body.link((3, 1, 0), (3, 2, 0), 0.02, mass=1.0))
    m.add("low", lw.Revolute(base, tip, at=(3, 1, 0), axis=(0, 0, 1)))
    m.add("guide", lw.PointOnLine(lw.GROUND, tip, at=(3, 2, 0), axis=(1, 0, 0)))
    rod = m.add("rod", lw.Body.link((9, 0, 0), (9, 1, 0), 0.02, mass=1.0))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(9, 0, 0), axis=(0, 0, 1)))
    loops = loops_of(m)
    blocks = loops.blocks
    assert len(blocks.row_begins) == 3
    assert sorted(blocks.rows) == list(range(len(loops.J)))
    assert np.count_nonzero(blocks.owner < 0) == 1
    for k in range(2):
        mine = blocks.rows[blocks.row_begins[k] : blocks.row_begins[k + 1]]
        theirs = np.setdiff1d(blocks.rows, mine)
        columns = blocks.velocities[blocks.velocity_begins[k] : blocks.velocity_begins[k + 1]]
        assert len(columns) >= 3 and not loops.J[np.ix_(theirs, columns)].any()


def test_work_is_linear_in_the_number_of_separate_loops():
    """Sweeps of responses, of eight rows each, and products of the factorisation."""
    one, many = loops_of(four_bars([0])), loops_of(four_bars(range(20)))
    assert len(many.X) == len(one.X) == 1
    assert many.A.shape == (20 * len(one.A), one.A.shape[1])


@pytest.mark.parametrize("integrator", ["rk4", "implicit"])
def test_each_moves_as_alone(integrator):
    """Corrections are made for all where one needs them, so that digits differ a little."""
    words = dict(t=0.5, h=1e-3, method=lw.Recursive(integrator), progress=False)
    together = lw.transient(four_bars(range(5)), **words)
    for k in (0, 3):
        alone = lw.transient(four_bars([k]), **words)
        for name in (f"bar{k}1", f"pin{k}3"):
            for output in ("position", "velocity") if "bar" in name else ("force",):
                one, other = getattr(alone[name], output), getattr(together[name], output)
                assert np.abs(one - other).max() < 1e-9 * np.abs(one).max()


def test_they_move_as_in_all_unknowns():
    """Generalized-alpha tends to the same motion with the square of its step."""
    words = dict(t=0.5, progress=False)
    run = lw.transient(four_bars(range(5)), h=1e-3, method=lw.Recursive(), **words)
    errors = []
    for h in (5e-4, 2.5e-4):
        other = lw.transient(four_bars(range(5)), h=h, method=lw.GeneralizedAlpha(), **words)
        apart = [run[f"bar{k}1"].position[-1] - other[f"bar{k}1"].position[-1] for k in range(5)]
        errors.append(np.abs(apart).max())
    assert errors[0] < 1e-4 and errors[0] / errors[1] == pytest.approx(4, rel=0.1)
