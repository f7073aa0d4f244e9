"""Beams in the linear equations: a chain of bodies without rows, no core; corrections by chords."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import linkwork as lw
from linkwork import compile_model
from linkwork.math.registers.eights import zeros8
from linkwork.system import elimination, sparse_lu


def cantilever(elements, order=3, E=1e9, length=2.0, gravity=9.81):
    m = lw.Model("cantilever", gravity=(0, 0, -gravity))
    section = lw.Section.rectangle(0.02, 0.02, E=E, density=1000)
    beam = lw.Beam((0, 0, 0), (length, 0, 0), section, elements=elements, order=order)
    m.add("beam", beam)
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    return m


def three_bodies(held):
    """A triangle of bushings, one corner on a hinge, with a pendulum on another where held."""
    m = lw.Model("triangle", gravity=(0, 0, -9.81))
    places = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    bodies = [m.add(f"b{i}", lw.Body(1 + i, (0.1, 0.2, 0.3), p)) for i, p in enumerate(places)]
    for i in range(3):
        a, b = bodies[i], bodies[(i + 1) % 3]
        at = (np.array(places[i]) + places[(i + 1) % 3]) / 2
        m.add(f"bushing{i}", lw.Bushing(a, b, at=at, stiffness=[1e3, 2e3, 3e3, 10, 20, 30]))
    m.add("hinge", lw.Revolute(lw.GROUND, bodies[0], at=(0, 0, 0), axis=(1, 2, 0)))
    if held:
        bob = m.add("bob", lw.Body(1, (0.1, 0.1, 0.1), (0, 1, -1)))
        m.add("pin", lw.Spherical(bodies[2], bob, at=(0, 1, -0.5)))
    return m


def step_matrix(model, seed=1):
    """System, and values of the matrix of a step of 1 ms in a random position."""
    rng, data = np.random.default_rng(seed), compile_model(model).data()
    state = data.system.described_state().moved(0.05 * rng.normal(size=(data.system.bodies, 6)))
    state = state.with_velocities(rng.normal(size=(data.system.bodies, 6)))
    vals = zeros8(data.pattern.size)
    vals[data.pattern.places] = data.evaluate(state, cK=1.0, cD=2e3, cM=4e6).matrix.data / 4e6
    return data, vals


@pytest.mark.parametrize("model", [
    cantilever(7), cantilever(5, order=2), three_bodies(False), three_bodies(True),
], ids=["three nodes", "two nodes", "triangle", "triangle with a pendulum"])  # fmt: skip
def test_bodies_without_rows_leave_and_the_solution_is_that_of_superlu(model):
    data, vals = step_matrix(model)
    p = data.pattern
    e = elimination.analyse(p, vals, data.system.length)
    assert e.core.size == 0
    assert e.between.order.size >= 6 * 2
    A = sp.csr_matrix((vals[p.places], p.indices, p.indptr)).tocsc()
    first, second = np.random.default_rng(2).normal(size=(2, p.unknowns))
    work, x = zeros8(p.size), first.copy()
    work[:] = vals
    assert elimination.refactor(e, work, x) < 1e6
    elimination.sweep_back(e, work, x)
    y = second.copy()
    elimination.solve(e, work, y)
    for found, side in ((x, first), (y, second)):
        exact = sla.spsolve(A, side)
        np.testing.assert_allclose(found, exact, atol=1e-11 * np.abs(exact).max())


def test_an_elimination_is_repeated_digit_by_digit():
    data, vals = step_matrix(cantilever(6))
    e = elimination.analyse(data.pattern, vals, data.system.length)
    again = elimination.analyse(data.pattern, vals, data.system.length, e.pivots)
    solutions = []
    for each in (e, again):
        work, x = zeros8(data.pattern.size), np.ones(data.unknowns)
        work[:] = vals
        elimination.refactor(each, work, x)
        elimination.sweep_back(each, work, x)
        solutions.append(x)
    np.testing.assert_array_equal(*solutions)
    np.testing.assert_array_equal(e.between.ints, again.between.ints)


def test_second_corrections_by_chords_leave_no_more_than_the_tolerance():
    runs = [
        lw.transient(cantilever(10), 0.1, 1e-3, lw.GeneralizedAlpha(tolerance=tolerance),
                     progress=False)
        for tolerance in (1e-8, 1e-13)
    ]  # fmt: skip
    assert runs[0].diagnostics.iterations[2:].max() == 2
    # 1e-8 of h² times accelerations of 1e1 m/s², over 100 steps and their growth
    difference = np.abs(runs[0].motion[..., :7] - runs[1].motion[..., :7]).max()
    assert difference < 1e-9


def test_statics_of_a_long_beam_is_that_of_the_beam_equation():
    """170 elements, 2,052 unknowns: eliminated along the beam.  Small deflections, q L⁴ / 8EI."""
    m = cantilever(170, E=2e11, gravity=1e-2)
    state = lw.static(m, progress=False).state
    EI, q = 2e11 * 0.02**4 / 12, 0.4 * 1e-2
    shear = q * 2.0**2 / (2 * 5 / 6 * 2e11 / 2.6 * 0.02**2)
    sag = -state.positions[:, 2].min()
    assert sag == pytest.approx(q * 2.0**4 / (8 * EI) + shear, rel=1e-4)


def block_grid(side):
    """6×6 blocks on a grid in space, unsymmetric, as CSR parts and groups."""
    rng, n = np.random.default_rng(3), side**3
    number = np.arange(n).reshape(side, side, side)
    pairs = [np.arange(n)[:, None].repeat(2, axis=1)]
    for axis in range(3):
        low = np.take(number, range(side - 1), axis).ravel()
        high = np.take(number, range(1, side), axis).ravel()
        pairs += [np.column_stack([low, high]), np.column_stack([high, low])]
    i, j = np.concatenate(pairs).T
    blocks = rng.normal(size=(len(i), 6, 6)) + 20.0 * np.eye(6) * (i == j)[:, None, None]
    row = (6 * i[:, None] + np.arange(6)).repeat(6, axis=1).ravel()
    col = np.tile(6 * j[:, None] + np.arange(6), (1, 6)).ravel()
    A = sp.csr_matrix((blocks.ravel(), (row, col)))
    A.sort_indices()
    return A, np.repeat(np.arange(n), 6)


@pytest.mark.parametrize("side", [6, 8])
def test_large_fronts_in_panels(side):
    """Fronts of 270 and 510 rows: by panels, and for the larger ones with groups joined."""
    A, groups = block_grid(side)
    lu = sparse_lu.analyse(A.indptr, A.indices, A.data, groups, A.shape[0])
    assert (lu.fronts["pivots"] + lu.fronts["rest"]).max() > 200
    assert sparse_lu.refactor(lu, A.data) < 1e3
    b = np.random.default_rng(4).normal(size=A.shape[0])
    x = b.copy()
    sparse_lu.solve(lu, x)
    exact = sla.spsolve(A.tocsc(), b)
    np.testing.assert_allclose(x, exact, atol=1e-11 * np.abs(exact).max())


def shared_numbers(model):
    """The data of a model, and of its beam elements how far back the same numbers stand."""
    data = compile_model(model).data()
    row = next(
        i for i, e in enumerate(data.system.elements) if e.entry.family.name.startswith("beam of")
    )
    start, family = data.system.places[row].start, data.system.elements[row].entry.family
    _, count, first, width, *_ = next(r for r in data.tables.directory if r[4] == start)
    ints = data.tables.ints[first : first + count * width].reshape(count, width)
    return data, ints[:, -1 - family.integers]


@pytest.mark.parametrize("order", [3, 2])
def test_elements_alike_share_their_numbers_and_keep_their_matrix(order):
    data, back = shared_numbers(cantilever(5, order=order))
    np.testing.assert_array_equal(back, np.arange(5))
    state = data.system.described_state().moved(
        0.05 * np.random.default_rng(3).normal(size=(data.system.bodies, 6))
    )
    together = data.evaluate(state, cK=1.0).matrix.data.copy()
    back[:] = 0  # every element reads its own
    np.testing.assert_array_equal(data.evaluate(state, cK=1.0).matrix.data, together)


def test_elements_of_a_tapered_beam_have_numbers_of_their_own():
    m = lw.Model("mast")
    m.add("mast", lw.Beam((0, 0, 0), (0, 0, 5), lambda s: lw.Section.circle(
        0.02 - 0.01 * s, E=7e10, density=2700), elements=4))  # fmt: skip
    _, back = shared_numbers(m)
    np.testing.assert_array_equal(back, np.zeros(4))


def test_blocks_that_two_elements_write_are_summed():
    """Two equal elements side by side on the same bodies are one of twice the stiffness."""

    def pair(count, factor):
        m = lw.Model("pair")
        ends = [m.add(f"b{i}", lw.Body(1, (1, 1, 1), (0.5 * i, 0, 0))) for i in range(3)]
        section = lw.Section(stiffness=factor * np.array([1e4, 4e3, 4e3, 5, 8, 12]), mass=1.0)
        for i in range(count):
            m.add(f"e{i}", lw.BeamElement(*ends, section))
        data = compile_model(m).data()
        state = data.system.described_state().moved(
            0.1 * np.random.default_rng(5).normal(size=(3, 6))
        )
        first = data.evaluate(state, cK=1.0).matrix.toarray()
        again = data.evaluate(state, cK=1.0).matrix.toarray()
        np.testing.assert_array_equal(first, again)  # nothing is left of the evaluation before
        return first

    one, two = pair(1, 2.0), pair(2, 1.0)
    np.testing.assert_allclose(two, one, atol=1e-12 * np.abs(one).max())
