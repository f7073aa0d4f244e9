"""Loops that share no branch of the tree: blocks of their own, at a cost that is linear."""

import numpy as np
import pytest
import scipy.linalg
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
    assert len(blocks.table) == 3
    assert sorted(blocks.rows) == list(range(len(loops.gamma)))
    assert len(blocks.velocities) == len(blocks.number) - 2  # all but the pendulum's
    for k in range(2):
        rows, velocities, J = blocks.jacobian(loops.J, k)
        assert J.shape == (len(rows), len(velocities)) and len(velocities) >= 3


@pytest.mark.parametrize("how", ["semi-analytic", "direct"])
def test_the_jacobian_of_all_is_that_of_each(how):
    """The rows of a mechanism are those that it has alone, and zero for the others' velocities."""
    all_of_them = lw.joint_space(four_bars(range(3)))
    together, at = all_of_them.jacobian(all_of_them.q, how), 0
    for k in range(3):
        space = lw.joint_space(four_bars([k]))
        own = space.jacobian(space.q, how)
        m, n = own.shape
        rows, columns = slice(m * k, m * (k + 1)), slice(at, at + n)
        np.testing.assert_allclose(together[rows, columns], own, rtol=0, atol=1e-12)
        assert np.count_nonzero(together[rows]) == np.count_nonzero(together[rows, columns])
        at += n


def test_memory_is_linear_in_the_number_of_separate_loops():
    """No array of the loops has more than its part for every mechanism."""
    sizes = []
    for count in (1, 20):
        loops = loops_of(four_bars(range(count)))
        sizes.append([x.size for x in (loops.J, loops.X, loops.A, *loops.blocks)])
    one, many = np.array(sizes)
    assert np.all(many <= 20 * one)


def test_the_start_is_linear_in_the_number_of_separate_loops(monkeypatch):
    """Independent rows are sought in matrices no larger than those of one mechanism."""
    shapes = []
    factors = scipy.linalg.qr

    def qr(A, *args, **words):
        shapes.append(A.shape)
        return factors(A, *args, **words)

    monkeypatch.setattr(scipy.linalg, "qr", qr)
    loops_of(four_bars(range(6)))
    shapes = shapes[-6:]
    assert len(set(shapes)) == 1 and max(shapes[0]) <= 5


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
