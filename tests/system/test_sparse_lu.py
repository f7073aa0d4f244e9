"""The sparse LU against numpy's dense one, on matrices with the structure of mechanisms."""

from itertools import pairwise

import numpy as np
import pytest
from uncompiled import printed_numbers

from linkwork.linear_algebra.core import LU, SingularMatrix, analyse, refactor, solve

EPS = np.finfo(float).eps
GROUND = -1


class Mechanism:
    """Random iteration matrices [S Cᵀ; C 0] of n bodies and joints (body, body, number of rows)."""

    def __init__(self, n_body, joints, springs=()):
        self.n_body, self.joints = n_body, joints
        starts = 6 * n_body + np.cumsum([0, *(rows for _, _, rows in joints)])
        self.n = int(starts[-1])
        self.rows_of = [np.arange(a, b) for a, b in pairwise(starts)]
        sizes = [6] * n_body + [rows for _, _, rows in joints]
        self.groups = np.repeat(np.arange(len(sizes)), sizes)
        self.pairs = {(a, b) for a, b, *_ in [*joints, *springs] if GROUND not in (a, b)}
        pattern = np.zeros((self.n, self.n), dtype=bool)
        for first, second, _ in self.blocks():
            pattern[np.ix_(first, second)] = pattern[np.ix_(second, first)] = True
        self.pattern = pattern
        self.indptr = np.concatenate([[0], np.cumsum(pattern.sum(1))]).astype(np.int64)
        self.indices = np.nonzero(pattern)[1].astype(np.int64)

    def body(self, b):
        return np.arange(6 * b, 6 * b + 6)

    def blocks(self):
        """Unknowns of the two groups of every block of the upper triangle, and what it is."""
        for b in range(self.n_body):
            yield self.body(b), self.body(b), "body"
        for a, b in sorted(self.pairs):
            yield self.body(a), self.body(b), "coupling"
        for (a, b, _), rows in zip(self.joints, self.rows_of, strict=True):
            for body in {a, b} - {GROUND}:
                yield self.body(body), rows, "joint"

    def matrix(self, seed=0, mass=1.0, coupling=0.1):
        """Dense values; `mass` is one number or one of each body."""
        rng = np.random.default_rng(seed)
        mass = np.broadcast_to(mass, self.n_body)
        A = np.zeros((self.n, self.n))
        for first, second, kind in self.blocks():
            X = rng.standard_normal((len(first), len(second)))
            if kind == "body":
                m = mass[first[0] // 6]
                A[np.ix_(first, first)] = m * (X @ X.T + np.eye(6) + 0.1 * X)
            elif kind == "coupling":
                A[np.ix_(first, second)] = coupling * X
                A[np.ix_(second, first)] = coupling * rng.standard_normal(X.T.shape)
            else:  # as good rows as those of real joints: a chain of random ones is near singular
                X = np.linalg.qr(X)[0]
                A[np.ix_(first, second)], A[np.ix_(second, first)] = X, X.T
        return A

    def vals(self, A, dummies=0):
        """Values in the pattern, followed by some that must not matter."""
        return np.append(A[self.pattern], np.full(dummies, np.nan))

    def analyse(self, A, pivots=None):
        return analyse(
            self.indptr, self.indices, self.vals(A), self.groups, 6 * self.n_body, pivots=pivots
        )


def chain(n, rows=5):
    return Mechanism(n, [(b - 1, b, rows) for b in range(n)])


def tree(n, seed=3):
    """Joints of all kinds, some with springs beside them, a base that floats."""
    rng = np.random.default_rng(seed)
    joints = [(int(rng.integers(b)), b, int(rng.integers(1, 7))) for b in range(1, n)]
    springs = [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(n // 4)]
    return Mechanism(n, joints, springs)


def four_bars(n):
    """Cells of three bars, revolute-spherical-spherical-revolute, next cell on the last bar."""
    joints, base = [], GROUND
    for a in range(0, 3 * n, 3):
        joints += [(base, a, 5), (a, a + 1, 3), (a + 1, a + 2, 3), (a + 2, base, 5)]
        base = a + 2
    return Mechanism(3 * n, joints)


def hexapod():
    """Six legs of two bodies: universal, prismatic and spherical joint."""
    joints = []
    for a in range(1, 13, 2):
        joints += [(GROUND, a, 4), (a, a + 1, 5), (a + 1, 0, 3)]
    return Mechanism(13, joints)


def star(n):
    return Mechanism(n, [(0, b, 5) for b in range(1, n)])


def check(A, lu, vals, growth_limit=1e6):
    """Factor and solve; compare with the definition of a solution and with numpy's."""
    growth = refactor(lu, vals)
    assert growth < growth_limit
    b = np.random.default_rng(5).standard_normal(len(A))
    x = b.copy()
    solve(lu, x)
    scale = np.abs(A).sum(1).max() * np.abs(x).max() + np.abs(b).max()
    assert np.abs(A @ x - b).max() <= 1e-11 * scale
    exact = np.linalg.solve(A, b)
    # The bound of first order is cond·eps times a factor of growth; numpy's own error is in it too.
    assert np.abs(x - exact).max() <= 1e3 * EPS * np.linalg.cond(A) * np.abs(exact).max()
    return x


MECHANISMS = {
    "one body": Mechanism(1, [(GROUND, 0, 5)]),
    "free body": Mechanism(1, []),
    "chain": chain(12),
    "chain of hinges of one row": chain(9, rows=1),
    "welded chain": chain(7, rows=6),
    "chain held at both ends": Mechanism(8, [(b - 1, b, 4) for b in range(8)] + [(7, GROUND, 4)]),
    "tree": tree(30),
    "two trees": Mechanism(7, [(0, 1, 5), (1, 2, 3), (3, 4, 5), (4, 5, 6), (4, 6, 2)]),
    "four-bars": four_bars(6),
    "hexapod": hexapod(),
    "star": star(20),
    "springs only": Mechanism(6, [], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]),
}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("mass", ["even", "ratio 1e8", "light"])
def test_solution(name, mass):
    mechanism = MECHANISMS[name]
    masses = np.ones(mechanism.n_body)
    if mass == "ratio 1e8":
        masses[::2] = 1e8
    elif mass == "light":
        masses *= 1e-6
    A = mechanism.matrix(mass=masses, coupling=0.1 * masses.min())
    check(A, mechanism.analyse(A), mechanism.vals(A))


@pytest.mark.parametrize("seed", range(20))
def test_random_trees(seed):
    mechanism = tree(3 + 2 * seed, seed)
    A = mechanism.matrix(seed)
    check(A, mechanism.analyse(A), mechanism.vals(A))


@pytest.mark.parametrize("heavy", [1.0, 1e8])
@pytest.mark.parametrize("coupling", [0.0, 0.1])
def test_massless_bodies_between_heavy_ones(heavy, coupling):
    """Diagonal blocks vanish; the joints on both sides hold the massless bodies."""
    mechanism = chain(11)
    A = mechanism.matrix(mass=np.where(np.arange(11) % 2, 0.0, heavy), coupling=coupling)
    check(A, mechanism.analyse(A), mechanism.vals(A))


def test_strong_coupling():
    """Blocks between bodies that outweigh the masses, as constraint stiffness under large loads."""
    mechanism = chain(20)
    A = mechanism.matrix(coupling=100.0)
    check(A, mechanism.analyse(A), mechanism.vals(A))


def test_other_values_of_the_same_pattern():
    mechanism = tree(15)
    lu = mechanism.analyse(mechanism.matrix(0))
    for seed in range(1, 6):
        A = mechanism.matrix(seed)
        if refactor(lu, mechanism.vals(A)) > 1e6:
            lu = mechanism.analyse(A)
        check(A, lu, mechanism.vals(A))


def test_entries_become_nonzero_and_zero():
    """The fronts come from the pattern: zeros of the analysis must have their place."""
    mechanism = four_bars(4)
    sparse, full = mechanism.matrix(coupling=0.0), mechanism.matrix(coupling=0.1)
    for b in range(mechanism.n_body):
        block = np.ix_(mechanism.body(b), mechanism.body(b))
        sparse[block] = np.diag(np.diag(sparse[block]))
    rows, cols = np.nonzero(mechanism.pattern)
    hidden = (rows >= 6 * mechanism.n_body) ^ (cols >= 6 * mechanism.n_body)
    hidden &= (rows + cols) % 5 == 0
    sparse[rows[hidden], cols[hidden]] = sparse[cols[hidden], rows[hidden]] = 0.0
    for start in (sparse, full):
        lu = mechanism.analyse(start)
        for A in (sparse, full, sparse):
            check(A, lu, mechanism.vals(A))


def test_zero_pivot_is_reported_by_the_growth_and_cured_by_a_new_analysis():
    mechanism = chain(5)
    A = mechanism.matrix()
    lu = mechanism.analyse(A)
    first = lu.row_perm[0], lu.col_perm[0]
    A[first] = 0.0
    assert refactor(lu, mechanism.vals(A)) == np.inf
    A[first] = 1e-10
    assert refactor(lu, mechanism.vals(A)) > 1e6
    check(A, mechanism.analyse(A), mechanism.vals(A))
    A[first] = np.nan
    assert refactor(lu, mechanism.vals(A)) == np.inf


def test_growth_is_that_of_the_scaled_matrix():
    """Units of equations do not matter: rows times 1e±6 give the same growth up to a power of 2."""
    mechanism = tree(10)
    A = mechanism.matrix()
    units = 10.0 ** np.random.default_rng(1).integers(-6, 7, mechanism.n)
    B = units[:, None] * A
    lu = mechanism.analyse(B)
    assert refactor(lu, mechanism.vals(B)) < 1e3
    b = np.ones(mechanism.n)
    solve(lu, b)
    assert np.abs(units[:, None] * A @ b - 1).max() < 1e-9 * np.abs(B).max()


def test_cost_is_linear_in_bodies():
    """Also the first test of time: a wrong order of groups makes the last case run for minutes."""
    for make in (chain, star, four_bars, tree):
        sizes = []
        for n in (40, 80, 160):
            mechanism = make(n if make is not four_bars else n // 3)
            sizes.append(mechanism.analyse(mechanism.matrix()).factors.size)
        limit = 2.1 if make is not tree else 4.0  # springs at random make the tree a thicket
        assert sizes[1] < limit * sizes[0] and sizes[2] < limit * sizes[1], make.__name__


def test_chain_has_one_front_per_body():
    """Bodies first, then the joint: 11 pivots and 6 more unknowns in each front."""
    mechanism = chain(50)
    lu = mechanism.analyse(mechanism.matrix(mass=10.0, coupling=0.0))
    fronts = list(zip(np.diff(lu.fronts["slot"]), lu.fronts["rest"], strict=False))
    assert fronts.count((11, 6)) >= 45
    assert lu.factors.size < 50 * 18 * 20


def test_saved_pivots_reproduce_all_digits():
    mechanism = tree(20)
    A, later = mechanism.matrix(0), mechanism.matrix(1)
    lu = mechanism.analyse(A)
    b = np.random.default_rng(0).standard_normal(mechanism.n)
    for pivots in (lu.pivots, (lu.row_perm, lu.col_perm)):
        again = mechanism.analyse(later, pivots=pivots)
        assert np.array_equal(again.row_perm, lu.row_perm)
        assert np.array_equal(again.col_perm, lu.col_perm)
        growth = [refactor(each, mechanism.vals(A)) for each in (lu, again)]
        assert len(pivots) == 2 or growth[0] == growth[1]
        x, y = b.copy(), b.copy()
        solve(lu, x)
        solve(again, y)
        assert np.array_equal(x, y)


def test_dummy_values_are_ignored():
    mechanism = four_bars(2)
    A = mechanism.matrix()
    vals = mechanism.vals(A, dummies=7)
    lu = analyse(mechanism.indptr, mechanism.indices, vals, mechanism.groups, 6 * mechanism.n_body)
    check(A, lu, vals)


def test_lu_is_arrays_only():
    lu = chain(2).analyse(chain(2).matrix())
    assert isinstance(lu, LU) and all(isinstance(each, np.ndarray) for each in lu)


def test_singular_massless_tip():
    """The last body turns freely without inertia: no equation determines its rotation."""
    mechanism = chain(6)
    A = mechanism.matrix(mass=[1, 1, 1, 1, 1, 0], coupling=0.0)
    with pytest.raises(SingularMatrix) as caught:
        mechanism.analyse(A)
    assert caught.value.unknown in [*mechanism.body(5), *mechanism.rows_of[5]]


def test_singular_repeated_row():
    mechanism = chain(4)
    A = mechanism.matrix()
    first, second = mechanism.rows_of[1][:2]
    A[second] = A[first]
    A[:, second] = A[:, first]
    with pytest.raises(SingularMatrix) as caught:
        mechanism.analyse(A)
    assert caught.value.unknown in (first, second)


def test_singular_by_structure():
    """Two welds on one body, a column without entries, and values that are not numbers."""
    welded = Mechanism(2, [(GROUND, 0, 6), (GROUND, 0, 6), (0, 1, 5)])
    with pytest.raises(SingularMatrix):
        welded.analyse(welded.matrix())
    mechanism = chain(3)
    A = mechanism.matrix()
    A[:, 8] = A[8] = 0.0
    with pytest.raises(SingularMatrix) as caught:
        mechanism.analyse(A)
    assert caught.value.unknown == 8
    A = mechanism.matrix()
    A[3, 4] = np.nan
    with pytest.raises(SingularMatrix) as caught:
        mechanism.analyse(A)
    assert caught.value.unknown == 3


def test_without_compilation():
    """The plain Python of the kernels gives the same solution but for rounding."""
    code = (
        "from test_sparse_lu import check, four_bars; m = four_bars(2); A = m.matrix();"
        "print(*check(A, m.analyse(A), m.vals(A)))"
    )
    mechanism = four_bars(2)
    A = mechanism.matrix()
    x = check(A, mechanism.analyse(A), mechanism.vals(A))
    assert np.allclose(printed_numbers(code), x, rtol=1e-9)
