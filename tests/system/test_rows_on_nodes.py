"""Constraint rows on vector nodes: a tie of a body to a weighted sum of values, against closed
forms and dense solutions; flexible links leave the equations with their frames."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg as sla
from inside import accelerations, analyse, assemble_model, refactor, solve, sweep_back
from node_elements import Oscillators, Slow

import linkwork as lw
from linkwork.extend import (
    POS,
    STRIDE,
    TANGENT,
    VALUE,
    Entry,
    Family,
    Item,
    Kernel,
    put6,
    put_value,
)

# the oscillators of the tests have no energy in the account of runs
pytestmark = pytest.mark.filterwarnings("ignore:the energy of 'tied'")
BODY, NODE, M, CB, CQ, SLOT = 0, 1, 7, 8, 9, 12


def tie_kernel(ints, reals, motion, loads):
    """C = w·q − (x − x0); reals: x0, w."""
    n = reals.shape[1] - 1
    width = STRIDE * ((n + STRIDE - 1) // STRIDE)
    for k in range(ints.shape[0]):
        if ints[k, M] == 0:
            continue
        b, first, row = ints[k, BODY], ints[k, NODE], ints[k, SLOT]
        error, gamma = reals[k, 0] - motion.nodes[b, POS], motion.gamma[row]
        loads.f[b, 0] -= gamma
        for i in range(n):
            error += reals[k, 1 + i] * motion.values[VALUE, first + i]
            loads.balance[first + i] += gamma * reals[k, 1 + i]
            if motion.coef[TANGENT] != 0.0:
                put_value(loads.vals, ints[k, CQ], 0, width, i, reals[k, 1 + i])
        loads.C[row] = error
        if motion.coef[TANGENT] != 0.0:
            put6(loads.vals, ints[k, CB], 0, (-1.0, 0.0, 0.0), (0.0, 0.0, 0.0))


TIE = Kernel(tie_kernel)


@dataclass(eq=False)
class Tie(Item, abstract=True):
    """A body's x is a weighted sum of the values of a node."""

    body: Any
    other: Any
    weights: Any

    def entries(self):
        w = np.atleast_1d(self.weights)
        family = Family(f"tie {len(w)}", TIE, bodies=2, rows=1, reals=1 + len(w))
        reals = np.concatenate([[0.0], w])
        ends = (self.body, self.other.node)
        return [Entry(family, ends, reals, rows=(0,), row_names=("x",))]


MASS, OWN, STIFF, START = 3.0, 2.0, 80.0, 0.05


def tied(weights=(1.0,), ties=1, start=START):
    """A body on a slide along x whose place is w·q of oscillators."""
    w = np.array(weights, float)
    n = len(w)
    m = lw.Model("tied")
    body = m.add("body", lw.Body(MASS, (1, 1, 1), position=(start, 0, 0)))
    m.add("slide", lw.Prismatic(lw.GROUND, body, at=(start, 0, 0), axis=(1, 0, 0)))
    K = STIFF * np.diag(1.0 + np.arange(n))
    node = m.add("q", Oscillators(OWN * np.eye(n), np.zeros((n, n)), K, start=start * w / (w @ w)))
    for k in range(ties):
        m.add(f"tie{k}", Tie(body, node, w))
    return m, w, K


OMEGA = np.sqrt(STIFF / (MASS + OWN))


def test_frequency_of_a_body_tied_to_a_value():
    m, _, _ = tied()
    m["body"].position, m["q"].node.value[:] = (0, 0, 0), 0.0
    assert lw.eigen(m).frequency == pytest.approx([OMEGA / (2 * np.pi)], rel=1e-10)


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.RK4(), lw.CrankNicolson()])
def test_motion_and_multiplier_are_those_of_one_oscillator(method):
    """x = x0 cos ωt, and the tie pulls with M ẍ; second order: the error of h = 1e-3 is below
    (ω h)²/10 of a period's worth of phase."""
    m, _, _ = tied()
    run = lw.transient(m, t=0.5, h=1e-3, method=method, progress=False)
    exact = START * np.cos(OMEGA * run.time)
    np.testing.assert_allclose(run["body"].position.values[:, 0], exact, atol=1e-4 * START)
    np.testing.assert_allclose(run.values[:, 0, 0], run["body"].position.values[:, 0], atol=1e-7)
    pull = -MASS * OMEGA**2 * exact
    row = [r.owner for r in run.system.all_rows].index("tie0")
    np.testing.assert_allclose(run.gamma[5:, row], pull[5:], atol=1e-3 * np.abs(pull).max())
    assert run.violation.position.values.max() < 1e-6


def test_equilibrium_under_a_force():
    m, _, _ = tied()
    m.add("push", lw.Force(m["body"], (4.0, 0, 0)))
    found = lw.static(m)
    assert found.state["body"].position[0] == pytest.approx(4.0 / STIFF, rel=1e-9)
    assert found.state.values[0, 0] == pytest.approx(4.0 / STIFF, rel=1e-9)


def test_accelerations_against_a_dense_solution():
    """Nine values: rows of C_q are sixteen numbers wide."""
    m, w, K = tied(np.linspace(1, 2, 9))
    found = assemble_model(m)
    state = accelerations(found.data, found.state)
    A = np.zeros((11, 11))
    A[:9, :9], A[9, 9] = OWN * np.eye(9), MASS
    A[10, :9] = A[:9, 10] = w
    A[10, 9] = A[9, 10] = -1.0
    y = np.linalg.solve(A, np.concatenate([-K @ found.state.values[0], [0.0, 0.0]]))
    np.testing.assert_allclose(state.values[2], y[:9], rtol=1e-10)
    assert state.acceleration[0, 0] == pytest.approx(y[9], rel=1e-10)


def test_jacobian_by_differences():
    m, _, _ = tied(np.linspace(1, 2, 9))
    found = assemble_model(m)
    s, state = found.full, found.state
    J = np.array([
        (s.evaluate(state.moved(d)).C - s.evaluate(state.moved(-d)).C) / 2e-6
        for d in 1e-6 * np.eye(s.system.motions)
    ]).T  # fmt: skip
    np.testing.assert_allclose(s.evaluate(state).Cq.toarray(), J, atol=1e-8)


@pytest.mark.parametrize("n", [1, 9])
def test_a_tie_given_twice_is_redundant_and_shares_its_pull(n):
    """Small nodes in the compiled loop of reactions, larger ones by dense factors."""
    weights = np.linspace(1, 2, n)
    alone = lw.transient(tied(weights)[0], t=0.02, h=1e-3, progress=False)
    with pytest.warns(lw.LinkworkWarning, match="'tie1': its row repeats what 'tie0'"):
        run = lw.transient(tied(weights, ties=2)[0], t=0.02, h=1e-3, progress=False)
    np.testing.assert_allclose(run.motion, alone.motion, atol=1e-12)
    rows = [r.owner for r in run.system.all_rows]
    one = alone.gamma[:, [r.owner for r in alone.system.all_rows].index("tie0")]
    for name in ("tie0", "tie1"):
        np.testing.assert_allclose(run.gamma[:, rows.index(name)], one / 2, rtol=1e-6)


def test_assembly_closes_ties():
    m, _, _ = tied()
    m["q"].node.value[:] = START / 2
    state = lw.assemble(m)
    assert state.values[0, 0] == pytest.approx(state["body"].position[0], abs=1e-12)


def test_runs_go_on_with_the_same_digits():
    m, _, _ = tied()
    whole = lw.transient(m, t=0.04, h=1e-3, progress=False)
    half = lw.transient(m, t=0.02, h=1e-3, progress=False)
    on = lw.transient(m, t=0.04, h=1e-3, progress=False, start=half)
    np.testing.assert_array_equal(on.values[-1], whole.values[-1])
    np.testing.assert_array_equal(on.motion[-1], whole.motion[-1])


def test_nodes_of_lower_order_are_refused():
    m = lw.Model("slow")
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    level = m.add("level", Slow(1.0, 1.0))
    m.add("tie", Tie(body, level, (1.0,)))
    with pytest.raises(lw.ModelError, match="order 2, and its are of order 1; add to its eq"):
        lw.assemble(m)


# ------------------------------------------------------------------------------- flexible links

SOFT = lw.Section(EA=1e5, EIy=4.0, EIz=4.0, GJ=1.0, mass=1.5, Jx=1e-3, Jy=0.0, Jz=0.0)


def link_chain(n, modes=2):
    m, last = lw.Model("chain", gravity=(0, 0, -9.81)), lw.GROUND
    for k in range(n):
        link = m.add(f"l{k}", lw.FlexibleLink(
            (0.3 * k, 0, 0), (0.3 * (k + 1), 0, 0), SOFT, boundary="pinned-pinned", modes=modes
        ))  # fmt: skip
        m.add(f"j{k}", lw.Revolute(last, link.root, at=(0.3 * k, 0, 0), axis=(0, 1, 0)))
        last = link.tip
    return m


def link_loop(boundary="pinned-pinned", ground=False, modes=2):
    """A link between two cranks, or between the ground and a crank."""
    m = lw.Model("loop", gravity=(0, 0, -9.81))
    B, C, D = np.array([(0.3, 0, 0.4), (1.2, 0.1, 0.7), (1.5, 0, 0)], float)
    link = m.add("link", lw.FlexibleLink(B, C, SOFT, boundary=boundary, modes=modes, at=(0.5,)))
    rocker = m.add("rocker", lw.Body.link(D, C, 0.02, mass=1.5))
    m.add("D", lw.Revolute(lw.GROUND, rocker, at=D, axis=(0, 1, 0)))
    m.add("C", lw.Spherical(link.tip, rocker, at=C))
    if ground:
        m.add("B", lw.Spherical(lw.GROUND, link.root, at=B))
        return m
    crank = m.add("crank", lw.Body.link((0, 0, 0), B, 0.02, mass=1.0))
    m.add("A", lw.Revolute(lw.GROUND, crank, at=(0, 0, 0), axis=(0, 1, 0), rate=2.0))
    m.add("B", lw.Universal(crank, link.root, at=B, axis_a=(0, 1, 0), axis_b=(1, 0, -3)))
    return m


@pytest.mark.parametrize(("build", "loop"), [
    (lambda: link_chain(4), False), (lambda: link_chain(2, modes=10), False),
    (lambda: link_loop(), True), (lambda: link_loop("craig-bampton"), True),
    (lambda: link_loop(ground=True), True), (lambda: link_loop("clamped-free", modes=1), True),
])  # fmt: skip
def test_links_leave_with_their_frames(build, loop):
    """Of trees nothing is left to the sparse LU, and the solutions are those of SuperLU."""
    found = assemble_model(build(), warn=False)
    s, rng = found.data, np.random.default_rng(1)
    state = found.state.moved(1e-3 * rng.normal(size=s.system.motions))
    e = s.evaluate(state, cM=1.0, cD=1e-3, cK=1e-6)
    vals = s.work.vals.copy()
    plan = analyse(s.pattern, vals, s.system.length)
    links = len(s.system.flexible)
    if loop:
        assert 0 < plan.core.size < s.unknowns
    else:
        assert plan.core.size == 0
        assert (plan.carried.first.size, plan.condensed.first.size) == (2 * links, links)
    A, (b, other) = e.matrix.tocsc(), rng.normal(size=(2, s.unknowns))
    y = b.copy()
    s.work.vals[:] = vals
    assert refactor(plan, s.work.vals, y) < 1e6
    sweep_back(plan, s.work.vals, y)
    second = other.copy()
    solve(plan, s.work.vals, second)
    for found_, side in ((y, b), (second, other)):
        exact = sla.spsolve(A, side)
        np.testing.assert_allclose(found_, exact, atol=1e-9 * np.abs(exact).max())
    again = analyse(s.pattern, vals, s.system.length, plan.pivots)
    s.work.vals[:] = vals
    z = b.copy()
    refactor(again, s.work.vals, z)
    sweep_back(again, s.work.vals, z)
    np.testing.assert_array_equal(z, y)


@pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")
@pytest.mark.parametrize("method", [lw.CrankNicolson(), lw.BDF2(), lw.Newmark(0.5)])
def test_methods_of_second_order_tend_to_runge_and_kutta(method):
    m = link_chain(1)
    exact = lw.transient(m, t=0.2, h=2e-4, method=lw.RK4(), progress=False)
    at = exact["l0.tip"].position.values[-1]
    error = []
    for h in (2e-3, 1e-3):
        run = lw.transient(m, t=0.2, h=h, method=method, progress=False)
        error.append(np.abs(run["l0.tip"].position.values[-1] - at).max())
    assert error[1] < 2e-3
    assert 3.0 < error[0] / error[1] < 5.0
