"""Independent rows of large mechanisms: trees in linear time, loops without dense matrices."""

import sys
import time
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from inside import ConstraintRows, independent_rows
from rows_from_geometry import GROUND, Mechanism, checked, dense, polygon


def chain(n, rng):
    """A tree of n revolutes, built without a Python loop: the rows of one joint are (5, 12)."""
    parent = np.maximum(np.arange(n) - rng.integers(1, 4, n), -1)
    block = rng.standard_normal((n, 5, 12))
    i, j, k = np.nonzero(np.ones((n, 5, 12)) * np.where(parent < 0, 0, 1)[:, None, None])
    child = k >= 6
    column = np.where(child, 6 * i, 6 * parent[i]) + k % 6
    rows = (5 * i + j, column)
    i0, j0, k0 = np.nonzero(np.ones((n, 5, 6)) * np.where(parent < 0, 1, 0)[:, None, None])
    Cq = sp.csr_array(
        (
            np.r_[block[i, j, k], block[i0, j0, k0]],
            (np.r_[rows[0], 5 * i0 + j0], np.r_[rows[1], 6 * i0 + k0]),
        ),
        shape=(5 * n, 6 * n),
    )
    bodies = list(zip(parent.tolist(), range(n)))
    names = [f"j{i}" for i in range(n)]
    return ConstraintRows(Cq, np.repeat(np.arange(n), 5), ["x"] * (5 * n), names, bodies)


def best_of_three(work):
    seconds = []
    for _ in range(3):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return result, min(seconds)


def test_tree_of_ten_thousand_joints_is_fast_and_needs_no_networkx(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)  # importing it would raise
    rows = chain(10_000, np.random.default_rng(0))
    found, seconds = best_of_three(lambda: independent_rows(rows))
    assert found.rank == 50_000 and not found.components
    assert seconds < 1  # 0.1 s measured; the rest is for busy machines
    small = chain(40, np.random.default_rng(1))
    checked(small)


def test_loop_of_600_rows_is_fast():
    rows = polygon(120).rows()
    found, seconds = best_of_three(lambda: independent_rows(rows))
    assert found.dropped.size == 3
    assert rows.Cq.shape[0] == 600
    assert found.messages[0].startswith("joint 'J120': 3 of its 5 rows repeat what 'J1', 'J2', ")
    assert "'J4' and 115 more already impose" in found.messages[0]
    assert seconds < 1  # 0.06 s measured on a free core, 0.25 s on a busy one


def test_large_loops_are_certified_without_dense_factorisation():
    """A ring of links on balls has full rank; σ_min as numpy finds it."""
    angle = 2 * np.pi * np.arange(150) / 150
    points = np.c_[np.cos(angle), np.sin(angle), 0.3 * np.sin(2 * angle)]
    m = Mechanism()
    links = [m.body(*(p + q) / 2) for p, q in pairwise(points)]
    ends = [GROUND, *links, GROUND]
    for i, p in enumerate(points):
        m.joint(f"J{i}", ends[i], ends[i + 1], p, kind="spherical")
    rows = m.rows()
    found = independent_rows(rows)
    assert found.keep.all() and rows.Cq.shape[0] == 450
    sigma = np.linalg.svd(dense(rows), compute_uv=False)[-1]
    # twenty inverse iterations come from above; singular values lie close to each other here
    assert sigma <= found.smallest_kept < 1.1 * sigma
