"""Every linear solver gives LAPACK's solutions: as it is, transposed, refined, after updates."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from inside import assemble_model
from step_matrices import four_bars, ring, tree

import linkwork as lw
from linkwork.linear_algebra import (
    AlongMechanism,
    Dense,
    SingularMatrix,
    SparseCore,
    SparseFactors,
    linear_solver,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.peeling import Peeling
from linkwork.linear_algebra.pattern import make_pattern

PACKAGE = Path(lw.__file__).parent
SOLVERS = (Dense, SparseCore, AlongMechanism)


def equations(model, seed=1):
    """A system with independent rows, the values of a regular matrix, and the same, dense."""
    found = assemble_model(model, warn=False)
    p, rng = found.data.pattern, np.random.default_rng(seed)
    vals = found.data.evaluate(found.state, cM=1.0, cK=0.0).values.copy()
    rows = np.repeat(np.arange(p.unknowns), np.diff(p.indptr))
    body = (rows < p.motions) & (p.indices < p.motions)
    vals[body] += 0.01 * rng.standard_normal(int(body.sum()))
    A = np.zeros((p.unknowns, p.unknowns))
    A[rows, p.indices] = vals
    return p, vals, A, rng


MODELS = {
    "chain": lambda: tree([-1, 0, 1], [lw.Revolute] * 3, np.random.default_rng(2))[0],
    "four-bar": lambda: four_bars(1),
    "ring off the ground": lambda: ring(4, lw.Spherical, np.random.default_rng(3)),
}


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_solutions_are_those_of_lapack(kind, model):
    p, vals, A, rng = equations(model())
    solver, b = kind(p), rng.standard_normal(p.unknowns)
    side = b.copy()
    assert solver.factorise(vals, side).growth < 1e6
    close = dict(rtol=0, atol=1e-11 * np.linalg.cond(A))
    np.testing.assert_allclose(side, np.linalg.solve(A, b), **close)
    for transposed, B in ((False, A), (True, A.T)):
        y = solver.solve(b, transposed, refined=1)
        np.testing.assert_allclose(y, np.linalg.solve(B, b), **close)
        np.testing.assert_allclose(solver.times(y, transposed), B @ y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", SOLVERS)
def test_updates_are_added_to_the_matrix(kind):
    """Two of them, one of which changes the solution with the other; the next matrix has none."""
    p, vals, A, rng = equations(MODELS["chain"]())
    solver = kind(p)
    solver.factorise(vals)
    b, changed = rng.standard_normal(p.unknowns), A.copy()
    for _ in range(2):
        u, w = rng.standard_normal((2, p.unknowns))
        assert abs(solver.update(u, w)) > 1e-6
        changed += np.outer(u, w)
    close = dict(rtol=0, atol=1e-11 * np.linalg.cond(changed))
    for transposed, B in ((False, changed), (True, changed.T)):
        y = solver.solve(b, transposed, refined=1)
        np.testing.assert_allclose(y, np.linalg.solve(B, b), **close)
    solver.factorise(vals)
    np.testing.assert_allclose(solver.solve(b), np.linalg.solve(A, b), **close)


def test_an_update_says_that_the_matrix_is_singular_now():
    p, vals, A, rng = equations(MODELS["chain"]())
    solver, u = SparseCore(p), rng.standard_normal(p.unknowns)
    solver.factorise(vals)
    z = np.linalg.solve(A, u)
    assert abs(solver.update(u, -z / (z @ z))) < 1e-12


@pytest.mark.parametrize("kind", SOLVERS)
def test_a_singular_matrix_is_refused_and_the_next_one_solved(kind):
    """A body without inertia and stiffness, in the direction that its joint leaves free."""
    p, vals, A, rng = equations(MODELS["chain"]())
    solver, b = kind(p), rng.standard_normal(p.unknowns)
    solver.factorise(vals)
    rows = np.repeat(np.arange(p.unknowns), np.diff(p.indptr))
    last = slice(p.motions - 6, p.motions)
    nothing = vals.copy()
    inside = (rows < p.motions) & (p.indices < p.motions)
    nothing[inside & (np.isin(rows, np.r_[last]) | np.isin(p.indices, np.r_[last]))] = 0.0
    with pytest.raises(SingularMatrix):
        solver.factorise(nothing)
    solver.factorise(vals)
    np.testing.assert_allclose(
        solver.solve(b), np.linalg.solve(A, b), rtol=0, atol=1e-11 * np.linalg.cond(A)
    )


@pytest.mark.parametrize("kind", [SparseCore, AlongMechanism])
def test_known_pivots_give_the_same_digits(kind):
    p, vals, _, rng = equations(MODELS["ring off the ground"]())
    one, other, b = kind(p), kind(p), rng.standard_normal(p.unknowns)
    one.factorise(vals)
    other.analyse(1.01 * vals, known=tuple(x.copy() for x in one.tables.pivots))
    other.factorise(vals)
    assert np.array_equal(one.solve(b), other.solve(b))


def test_the_choice_is_by_size():
    """LAPACK for the smallest, the elimination for the largest; compiled loops take no LAPACK."""
    small, _, _, _ = equations(MODELS["chain"]())
    rng = np.random.default_rng(5)
    middle = lw.compile_model(tree([*range(-1, 20)], [lw.Revolute] * 21, rng)[0]).pattern
    large = lw.compile_model(tree([-1] * 100, [lw.Revolute] * 100, rng)[0]).pattern
    kinds = [type(linear_solver(p)) for p in (small, middle, large)]
    assert kinds == [Dense, SparseCore, AlongMechanism]
    assert isinstance(linear_solver(small, compiled=True), SparseCore)


def test_matrices_of_no_system_are_solved_also_complex():
    rng = np.random.default_rng(4)
    A = rng.standard_normal((20, 20)) + 1j * rng.standard_normal((20, 20))
    b = rng.standard_normal(20) + 0j
    factors = SparseFactors(sp.csr_array(A))
    for transposed, B in ((False, A), (True, A.T)):
        np.testing.assert_allclose(factors.solve(b, transposed), np.linalg.solve(B, b), rtol=1e-9)
    real = SparseFactors(sp.csr_array(A.real))
    assert real.determinant_sign() == np.sign(np.linalg.det(A.real))
    with pytest.raises(SingularMatrix):
        SparseFactors(sp.csr_array(np.zeros((3, 3))))


def test_superlu_is_called_in_one_place():
    """Analyses go through `linear_algebra`; of scipy.sparse.linalg they take eigenvalues alone."""
    words = ("splu", "spsolve", "spilu", "factorized", "SuperLU")
    users = [
        str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py")
        if any(word in path.read_text(encoding="utf-8") for word in words)
    ]  # fmt: skip
    assert users == [str(Path("linear_algebra", "general.py"))]


class Blocks(dict):
    """Blocks of a pattern that count how often one is looked for."""

    looked = 0

    def __contains__(self, key):
        self.looked += 1
        return super().__contains__(key)


def star(leaves):
    """A body, a node on it, and so many nodes on that one; the nodes' blocks are one."""
    joints = [((0, 1), 0, False), *(((1, 2 + k), 0, False) for k in range(leaves))]
    p, _ = make_pattern(1, joints, [1] * (leaves + 1))
    p, vals = replace(p, blocks=Blocks(p.blocks)), np.zeros(p.size)
    for g in range(1, leaves + 2):
        vals[p.blocks[g, g]] = 2.0 * leaves if g == 1 else 1.0
    return p, vals


def test_checks_of_nodes_that_leave_first_are_linear_in_their_number():
    """Not all pairs of neighbours are looked for."""
    looked = []
    for leaves in (50, 200):
        p, vals = star(leaves)
        peeling = Peeling(p, 1.0, False)
        peeling.take_first(vals)
        assert len(peeling.others) == leaves + 1
        looked.append(p.blocks.looked)
    assert looked[1] <= 4.5 * looked[0]
