"""Large models: what is done without dense matrices agrees with dense ones, and is linear in N."""

import time
import warnings

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from inside import (
    ImplicitRun,
    MinimumNorm,
    ProgressLog,
    Search,
    assemble_model,
    constraint_rows,
    eigenvalues_below,
    independent_rows,
    step_rows,
)
from loops_in_space import four_bars, random_mechanism

import linkwork as lw
from linkwork import compile_model
from linkwork.analysis.statics import stability
from linkwork.analysis.statics.static import beginning

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")


MECHANISMS = [*((number, planar) for number in range(8) for planar in (False, True)), "four-bars"]


def rows_of(which):
    if which == "four-bars":
        model = four_bars(6)
    else:
        model = random_mechanism(np.random.default_rng(which[0]), which[1])
    full = compile_model(model).data()
    return constraint_rows(full, full.system.described_state())


@pytest.mark.parametrize("which", MECHANISMS, ids=str)
def test_elimination_finds_the_rank_of_the_singular_values(which):
    rows = rows_of(which)
    C = rows.Cq.csr.toarray()
    C[:, np.arange(C.shape[1]) % 6 >= 3] /= rows.L
    C /= np.linalg.norm(C, axis=1, keepdims=True)
    sigma = np.linalg.svd(C, compute_uv=False)
    rank = int(np.sum(sigma > 1e-9))
    dense, found = independent_rows(rows), independent_rows(rows, dense=0)
    assert found.rank == dense.rank == rank
    kept = np.linalg.svd(C[found.keep], compute_uv=False)[-1]
    best = np.linalg.svd(C[dense.keep], compute_uv=False)[-1]
    assert kept > 0.02 * best  # pivoting within fronts costs some conditioning, not the rank
    assert (found.dropped.size == 0) == (not found.messages)


@pytest.mark.parametrize("which", MECHANISMS, ids=str)
def test_reactions_of_least_norm_without_dense_matrices(which):
    rows = rows_of(which)
    rng = np.random.default_rng(5)
    redundancy = independent_rows(rows)
    y = np.where(redundancy.keep, rng.normal(size=len(redundancy.keep)), 0.0)
    dense = MinimumNorm(rows, redundancy)(rows.Cq.csr, y)
    large = MinimumNorm(rows, redundancy, dense=0)(rows.Cq.csr, y)
    np.testing.assert_allclose(large, dense, rtol=0, atol=1e-9 * np.abs(dense).max())


def test_motors_that_fight_joints_are_named():
    def model():
        m = four_bars(4)
        for name, bar in (("first", "bar0"), ("second", "bar2")):
            body, k = m[bar], int(bar[3:])
            m.remove(f"foot{k}")
            m.add(name, lw.Motor(lw.GROUND, body, at=(k, 0, 0), axis=(0, 0, 1),
                                 angle=lw.ramp(0.1)))  # fmt: skip
        return m

    full = compile_model(model()).data()
    rows = constraint_rows(full, full.system.described_state())
    dense, large = independent_rows(rows), independent_rows(rows, dense=0)
    assert len(large.conflicts) == len(dense.conflicts) == 1
    assert large.rank == dense.rank
    motor = next(text for text in large.messages if text.startswith("motor"))
    assert "drives a direction that other joints already fix" in motor


@pytest.mark.parametrize("number", range(12))
def test_eigenvalues_are_counted_as_dense_matrices_count_them(number):
    rng = np.random.default_rng(number)
    m = random_mechanism(rng, planar=False)
    for k in range(3):
        name = f"b{rng.integers(4)}"
        m.add(f"spring{k}", lw.Spring(m[name], lw.GROUND, at_b=rng.normal(size=3), stiffness=10))
    full, data, state = beginning(m, None, None)
    search = Search(full, data, 1e-10, 60, True, True, ProgressLog("", False))
    point = search.settle(state, far=True)
    vals, matrix = stability.exact_tangent(search, point)
    n, size = search.n, np.abs(vals[search.body]).max()
    vals[search.body] /= size
    matrix = sp.csr_matrix((vals, matrix.indices, matrix.indptr), matrix.shape)
    K, J = matrix[:n, :n].toarray(), matrix[n:, :n].toarray()
    N = la.null_space(J)
    values = la.eigvalsh(N.T @ (K + K.T) @ N / 2)
    bounds = [*(values[:-1] + values[1:]) / 2, values[0] - 1, values[-1] + 1]
    apart = [b for b in bounds if np.abs(values - b).min() > 1e-9]
    assert len(apart) > 2
    expected = [int(np.sum(values < b)) for b in apart]
    assert eigenvalues_below(data.pattern, matrix, apart) == expected


def hanging(n, tip=0.0):
    """n links of 1 m and 1 kg, nearly straight down; `tip` N lifts the last one."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    parent, p = lw.GROUND, np.zeros(3)
    for i in range(n):
        a = 0.02 * (-1) ** i
        d = np.array([np.sin(a), 0, -np.cos(a)])
        turn = (np.cos(a / 2), 0, -np.sin(a / 2), 0)
        link = lw.Body(1, (1 / 12, 1 / 12, 0.01), position=p + d / 2, orientation=turn)
        body = m.add(f"b{i}", link)
        m.add(f"j{i}", lw.Revolute(parent, body, at=p, axis=(0, 1, 0)))
        parent, p = body, p + d
    if tip:
        m.add("lift", lw.Force(parent, (0, 0, tip)))
    return m


def test_a_long_hanging_chain():
    """The top joint carries N m g; the softest motion is the last link's, m g l/2 (Lagrange)."""
    n = 400
    eq = lw.static(hanging(n), progress=False)
    assert eq.stable
    assert abs(eq["j0"].force_world[2] - n * 9.81) < 1e-8 * n * 9.81
    for i in (0, n // 2, n - 1):
        np.testing.assert_allclose(eq[f"b{i}"].position, (0, 0, -i - 0.5), rtol=0, atol=1e-8)


def test_steps_of_a_long_chain_at_rest():
    """Of 2,100 straight links at rest every joint carries the weight of those below it."""
    n, m = 2100, lw.Model("straight", gravity=(0, 0, -9.81))
    parent = lw.GROUND
    for i in range(n):
        link = m.add(f"b{i}", lw.Body(1, (1 / 12, 1 / 12, 0.01), position=(0, 0, -i - 0.5)))
        m.add(f"j{i}", lw.Revolute(parent, link, at=(0, 0, -i), axis=(0, 1, 0)))
        parent = link
    run = lw.transient(m, t=3e-3, h=1e-3, progress=False)
    for i in (0, n // 2, n - 1):
        np.testing.assert_allclose(run[f"j{i}"].force_world[-1], (0, 0, (n - i) * 9.81),
                                   rtol=1e-7, atol=1e-6)  # fmt: skip
    assert np.abs(run.motion[-1] - run.motion[0]).max() < 1e-9


def test_a_long_chain_that_stands_on_its_head_is_unstable():
    """Lifted by more than its weight at the lowest link, the upper ones are in compression."""
    n = 300
    m = hanging(n, tip=1.5 * n * 9.81)
    straight = lw.static(hanging(n), progress=False).state
    eq = lw.static(m, at=straight, progress=False, max_iterations=3)
    assert not eq.stable
    assert "UNSTABLE" in eq.report


def test_a_row_of_loops_takes_time_in_proportion():
    """Six times as many loops may take six times as long, and twice that for the clock's sake.

    The shortest of three times counts, as a collection of garbage may fall into one.
    """
    spent = []
    for n in (100, 600):
        model, times = four_bars(n), []
        assemble_model(model, warn=False)
        for _ in range(3):
            begin = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", lw.LinkworkWarning)
                assembled = assemble_model(model)
            times.append(time.process_time() - begin)
        spent.append(min(times))
        assert assembled.redundancy.rank == 6 * (2 * n + 1) - 1  # one motion is left
    assert spent[1] < 12 * spent[0], spent


def test_warnings_of_a_large_mechanism_fit_into_a_sentence():
    with pytest.warns(lw.LinkworkWarning) as caught:
        lw.assemble(four_bars(60))
    assert len(caught) == 1
    text = str(caught[0].message)
    assert "56 more: 180 of their 300 rows repeat" in text and len(text) < 300


def test_round_off_of_far_positions_costs_no_iterations():
    """Where the world's origin is does not matter: a folded chain 30 km away takes as many of
    Newton's iterations as one that hangs beside it, though its corrections are 1e-11 rad of noise.
    """

    def iterations(away):
        m, body, start = lw.Model("chain", gravity=(0, 0, -9.81)), lw.GROUND, np.array([away, 0, 0])
        for i in range(4):
            a = 0.02 * (-1) ** i
            along = np.array([np.sin(a), 0, -np.cos(a)])
            link = lw.Body(1, (1 / 12, 1 / 12, 0.01), position=start + along / 2,
                           orientation=(np.cos(a / 2), 0, -np.sin(a / 2), 0))  # fmt: skip
            m.add(f"link{i}", link)
            m.add(f"joint{i}", lw.Revolute(body, link, at=start, axis=(0, 1, 0)))
            body, start = link, start + along
        assembled = assemble_model(m, warn=False)
        run = ImplicitRun(
            assembled.data, lw.GeneralizedAlpha(rho=0.8), assembled.state, 1e-3, None
        )
        times, out = 1e-3 * np.arange(1, 26), step_rows(assembled.full.system, 25)
        run.advance(times, np.zeros((25, 0)), np.arange(25), out)
        return out.iterations.sum()

    assert iterations(3e4) == iterations(0.0)
