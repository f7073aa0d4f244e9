"""Elimination along the mechanism against numpy's dense solution and the sparse LU."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inside import (
    GROWTH,
    SingularMatrix,
    analyse,
    assemble_model,
    refactor,
    solve,
    sweep_back,
    unknown_scale,
)
from step_matrices import (
    BACKWARD,
    EPS,
    JOINTS,
    Z,
    add_body,
    add_joint,
    bricard,
    chain,
    displaced,
    four_bars,
    hexapod,
    ladder,
    loop,
    ring,
    solved,
    star,
    step,
    tree,
)  # fmt: skip
from uncompiled import printed_numbers

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations
from linkwork.linear_algebra import core as sparse_lu

ALL_JOINTS = [kind for kinds in JOINTS.values() for kind in kinds]
FADED = 1e-11  # backward error: pivots may fade to a thousandth before they are chosen anew


@pytest.fixture
def rng():
    return np.random.default_rng(1)


# ------------------------------------------------------------------------------------- solutions


@pytest.mark.parametrize("kind", [lw.Spring, lw.Bushing, *ALL_JOINTS])
def test_chains_of_every_joint(kind, rng):
    solved(chain(8, kind, rng)[0], rng)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_random_trees(data):
    """Joints of all kinds or none, several roots on the ground or free."""
    n = data.draw(st.integers(1, 12))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    parents = [data.draw(st.sampled_from([None, *range(-1, i)])) for i in range(n)]
    kinds = st.sampled_from([lw.Spring, lw.Bushing, *ALL_JOINTS])
    solved(tree(parents, [data.draw(kinds) for _ in range(n)], rng)[0], rng)


def test_stars_and_free_trees_need_no_core(rng):
    solved(star(50, lw.Revolute, rng)[0], rng)
    solved(star(50, lw.Spherical, rng, base=None)[0], rng)
    solved(tree([None, 0, 0, 1, 1, 2, 2], [lw.Universal] * 7, rng)[0], rng)
    solved(tree([-1] * 100, [lw.Revolute] * 100, rng)[0], rng)


@pytest.mark.parametrize(
    "model", [four_bars(1), four_bars(12), bricard(), hexapod()], ids=lambda m: m.name
)
def test_loops_through_the_ground_need_no_core(model, rng):
    """Redundant rows are left out as assembly does; rows that a body cannot take are delayed."""
    found = assemble_model(model, warn=False)
    _, e, _ = solved(None, rng, data=found.data, state=found.state)
    assert len(e.late_unknown) > 0


def test_loops_off_the_ground_are_the_core(rng):
    solved(ring(6, lw.Spherical, rng), rng, core=6)
    solved(ring(8, lw.Universal, rng), rng, core=8)
    solved(ring(6, lw.Spherical, rng, hanging=9), rng, core=6)
    for kind in (lw.PointOnPlane, lw.PointOnLine, lw.Spherical):
        solved(ladder(6, kind, rng), rng, core=12)


def test_delayed_rows_reach_the_core(rng):
    """A ring held to the ground by a body with more rows than unknowns."""
    m = ring(5, lw.Spherical, rng)
    held = add_body(m, rng, (2, 0, 1))
    for kind, a in ((lw.Revolute, lw.GROUND), (lw.Cylindrical, m["body0"])):
        add_joint(m, rng, kind, a, held)
    _, e, _ = solved(m, rng, core=5)
    assert np.sum(e.core >= e.unknowns) == 3


def test_springs_across_a_tree_make_loops(rng):
    """Beside a joint a spring changes nothing; across the tree the bodies between are the core."""
    m, bodies = tree([-1, 0, 1, 2, 0, 4, 5], [lw.Revolute] * 7, rng)
    add_joint(m, rng, lw.Bushing, bodies[1], bodies[2])
    add_joint(m, rng, lw.Spring, lw.GROUND, bodies[3])
    solved(m, rng, core=0)
    add_joint(m, rng, lw.Spring, bodies[2], bodies[5])  # 2-1-0-4-5 and back
    solved(m, rng, core=5)


def test_user_force_on_three_bodies(rng):
    k = 1e6 * rng.standard_normal((18, 9))

    def function(t, motion):
        return (k @ motion.position.ravel()).reshape(3, 6)

    m, bodies = tree([-1, 0, 1, 0, 3], [lw.Spherical] * 5, rng)
    m.add("force", lw.UserForce([bodies[i] for i in (2, 0, 4)], function, stiff=True))
    solved(m, rng, core=5)


# -------------------------------------------------------------------------------------- accuracy


@pytest.mark.parametrize("kind", [lw.PointOnPlane, lw.Spherical, lw.Universal, lw.Revolute])
def test_large_constraint_stiffness_and_mass_ratios(kind, rng):
    """Nothing is definite then: growth up to 1e7 is accepted, and times round-off is the error."""
    for _ in range(5):
        solved(chain(8, kind, rng)[0], rng, core=None, load=1e6, backward=None)
        solved(chain(8, kind, rng, mass=[1.0, 1e8] * 4)[0], rng, core=None, backward=None)


@pytest.mark.parametrize("kind", [lw.Universal, lw.Revolute, lw.Fixed])
def test_massless_bodies_in_between(kind, rng):
    solved(chain(9, kind, rng, mass=[1.0, 0.0, 0.0] * 3)[0], rng, core=None)
    solved(chain(8, kind, rng, mass=[0.0, 1.0] * 4)[0], rng, core=None)


def test_massless_leaf_by_constraint_stiffness_alone(rng):
    model = tree([None, 0], [None, lw.Revolute], rng, mass=[1.0, 0.0])[0]
    solved(model, rng)
    with pytest.raises(SingularMatrix) as caught:
        solved(model, rng, load=0.0)
    assert caught.value.unknown in range(6, 17)


@pytest.mark.parametrize("unit", [1e3, 1e-3])
def test_units_of_length(unit, rng):
    """Millimetres or kilometres: the same numbers but for the units, and as accurate."""
    results = []
    for u in (1.0, unit):
        m, turned = lw.Model("units"), np.random.default_rng(7)
        ends = [lw.GROUND]
        for i in range(6):
            r, q = turned.standard_normal((2, 3))
            ends.append(m.add(f"b{i}", lw.Body(1.0, np.array((1, 1.5, 2)) * u**2, r * u,
                                               rotations.exponential(q))))  # fmt: skip
            kind = (lw.Revolute, lw.Universal, lw.Spherical)[i % 3]
            m.add(f"j{i}", kind(ends[-2], ends[-1], at=(r + q) * u, axis=q))
        now, e, _ = solved(m, np.random.default_rng(8))
        x = now.solve(e)[0] / unknown_scale(now.data)
        results.append((x / np.abs(x).max(), e.pivot_col))
    assert np.abs(results[1][0] - results[0][0]).max() < 1e-9  # condition number times round-off
    assert np.array_equal(results[0][1], results[1][1])


# ---------------------------------------------------------------------------------------- pivots

TURNS = [np.pi / 2, np.pi / 2 + 1e-9, np.pi / 2 - 1e-5, np.pi, 1.0]


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_pivots_that_vanish_are_chosen_anew(kind, rng):
    """A chain along x turned as a whole by 90°: cosines that were 1 are 0, or 6e-17."""
    for order in (1, -1):
        m, last = lw.Model("chain"), lw.GROUND
        for i in range(5):
            body = m.add(f"b{i}", lw.Body(1.0, (0.1, 0.1, 0.1), position=(i + 0.5, 0, 0)))
            pair = (last, body)[::order]
            if kind is lw.Distance:
                joint = kind(*pair, (i - 0.2, 0.3, 0.2), (i + 0.5, 0.1, 0.3))
            elif kind is lw.Orthogonal:
                joint = kind(*pair, (1, 0, 0), (0, 1, 0))
            else:
                joint = kind(*pair, at=(i, 0, 0), axis=Z)
            m.add(f"j{i}", joint)
            last = body
        data = compile_model(m).data()
        e = step(data, data.system.described_state(), rng).analyse()
        for axis in np.eye(3):
            for angle in TURNS:
                now = step(data, turned(data, angle * axis), rng)
                x, growth, _ = now.solve(e)
                assert growth < 1e6
                now.check(x)


def turned(data, rotation):
    """The described state turned about the world's origin."""
    state, q = data.system.described_state(), rotations.exponential(np.array([rotation]))
    motion = state.motion.copy()
    motion[:, :3] = motion[:, :3] @ rotations.matrix(q)[0].T
    motion[:, 3:7] = rotations.multiply(np.repeat(q, data.system.bodies, 0), motion[:, 3:7])
    return replace(state, motion=motion)


@pytest.mark.parametrize("build", [
    lambda rng: tree([-1, 0, 1, 1, 0, 4], ALL_JOINTS[-6:], rng)[0],
    lambda rng: hexapod(),
    lambda rng: loop([lw.Revolute, lw.Universal, lw.Spherical, lw.Cylindrical], rng),
    lambda rng: ring(6, lw.Spherical, rng, hanging=4),
], ids=["tree", "hexapod", "four-bar", "ring"])  # fmt: skip
def test_far_away_positions(build, rng):
    """Bodies anywhere in any orientation; new pivots only where the growth asks for them."""
    data = compile_model(build(rng)).data()
    e, again = step(data, data.system.described_state(), rng).analyse(), 0
    for _ in range(20):
        now = step(data, displaced(data, rng, size=1.0), rng)
        x, growth, _ = now.solve(e)
        if growth > 1e5:
            e, again = now.analyse(), again + 1
            x, growth, _ = now.solve(e)
        now.check(x, backward=max(FADED, EPS * growth))
    assert again < 10


def test_several_right_hand_sides_and_second_opinion(rng):
    for model in (ring(6, lw.Spherical, rng, hanging=4), hexapod(), loop([lw.Revolute] * 7, rng),
                  star(5, lw.Universal, rng)[0]):  # fmt: skip
        now, e, vals = solved(model, rng, core=None)
        p = now.data.pattern
        lu = sparse_lu.analyse(p.indptr, p.indices, now.vals[p.places], p.groups, p.motions)
        assert sparse_lu.refactor(lu, now.vals[p.places]) < 1e6
        scale = unknown_scale(now.data)
        for b in rng.standard_normal((3, p.unknowns)) / scale:
            x, y = b.copy(), b.copy()
            solve(e, vals, x)
            now.check(x, b)
            sparse_lu.solve(lu, y)
            bound = 1e3 * EPS * np.linalg.cond(scale[:, None] * now.A * scale, 1)
            assert np.abs((x - y) / scale).max() <= bound * np.abs(x / scale).max()
        again = now.solve(e)[0]
        solve(e, vals, b := now.b.copy())
        now.check(again)
        now.check(b)


def test_saved_pivots_reproduce_all_digits(rng):
    """Before and after pivots have moved, also from an analysis of other values."""
    for model in (ring(6, lw.Spherical, rng, hanging=4), hexapod(), chain(6, lw.Universal, rng)[0]):
        data = compile_model(model).data()
        states = [displaced(data, rng, size=0.5) for _ in range(3)]
        first, *later = [step(data, s, rng) for s in states]
        e = first.analyse()
        for now in later:
            twin = now.analyse(pivots=tuple(p.copy() for p in e.pivots))
            for mine, its in zip(e.pivots, twin.pivots):
                assert np.array_equal(mine, its)
            (x, growth, vals), (y, same, _) = now.solve(e), now.solve(twin)
            assert growth == same and np.array_equal(x, y)
            a, b = now.b[::-1].copy(), now.b[::-1].copy()
            solve(e, vals, a)
            solve(twin, vals, b)
            assert np.array_equal(a, b)


# -------------------------------------------------------------------------------------- singular


def is_singular(now, e=None):
    """Whether a singular matrix is found, by analysis or (with factors given) by the growth.

    The sparse LU's growth does not see its last pivot, so a core may show it by a solution that no
    step accepts.
    """
    scale = unknown_scale(now.data)
    sizes = np.linalg.svd(scale[:, None] * now.A * scale, compute_uv=False)
    assert sizes[-1] < 1e-14 * sizes[0]  # it is one
    if e is not None:
        x, growth, _ = now.solve(e)
        return growth > GROWTH or (len(e.core) > 0 and np.abs(x / scale).max() > 1e10)
    try:
        growth = now.solve(now.analyse())[1]
    except SingularMatrix as error:
        return error.unknown is None or 0 <= error.unknown < now.data.unknowns
    return growth == np.inf


R, P = lw.Revolute, lw.Parallel
DEPENDENT = [[R] * 4, [R] * 7, [R, R, R, lw.Spherical], [R, R, R, P], [R, R, R, lw.PointOnPlane]]


@pytest.mark.parametrize("kinds", DEPENDENT)
@pytest.mark.parametrize("ground", [True, False])
@pytest.mark.parametrize("load", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(1, 5))
def test_dependent_rows_are_found(kinds, ground, load, seed):
    """Planar loops: rows repeat others there, and not a little away; also after an analysis there.

    Factors that met a singular matrix serve the next one as before.
    """
    rng = np.random.default_rng(seed)
    data = compile_model(loop(kinds, rng, ground)).data()
    state = data.system.described_state()
    singular = step(data, state, rng, load)
    assert is_singular(singular)
    near = step(data, displaced(data, rng, state=state), rng, load)
    if np.linalg.matrix_rank(near.A) < len(near.A):  # more rows than unknowns
        return
    e = near.analyse()
    for _ in range(3):
        assert is_singular(singular, e)
        x, growth, _ = near.solve(e)
        # in the core, which keeps its pivots, round-off of n rows adds up as in a random walk
        faded = FADED * max(len(e.core), 1) ** 0.5
        near.check(x, backward=max(faded, EPS * growth))
        near = step(data, displaced(data, rng, state=state), rng, load)


def test_other_singular_matrices_are_found(rng):
    """Two welds, seven rows on a body, bodies without mass that turn or move freely, no numbers."""
    m, (a, b) = chain(2, lw.Universal, rng)
    add_joint(m, rng, lw.Fixed, a, b)
    add_joint(m, rng, lw.Fixed, a, b)
    held = chain(2, lw.Spring, rng)
    for kind in (lw.Fixed, lw.PointOnPlane):
        add_joint(held[0], rng, kind, lw.GROUND, held[1][1])
    on_seven = tree([-1], [lw.Universal], rng)
    add_joint(on_seven[0], rng, lw.Planar, lw.GROUND, on_seven[1][0])
    models = [m, held[0], on_seven[0], tree([None, None], [None] * 2, rng, mass=[1.0, 0.0])[0]]
    leaf = (chain(4, kind, rng, mass=[1.0, 0.0] * 2)[0] for kind in (lw.Spherical, lw.Prismatic))
    for model in [*models, *leaf]:
        data = compile_model(model).data()
        for _ in range(5):
            state = turned(data, rng.standard_normal(3))
            assert is_singular(step(data, state, rng))
    data = compile_model(chain(3, lw.Revolute, rng)[0]).data()
    now = step(data, data.system.described_state(), rng)
    e, good = now.analyse(), now.vals.copy()
    now.vals[data.pattern.places[::7]] = np.nan
    assert now.solve(e)[1] == np.inf
    with pytest.raises(SingularMatrix):
        analyse(data.pattern, now.vals, data.system.length)
    now.vals[:] = good
    now.check(now.solve(e)[0])


# ------------------------------------------------------------------------------ cost and compiler


def test_cost_is_linear_in_bodies(rng):
    """Of a chain, exactly; and the long one is solved: residual by the sparse matrix."""
    sizes = []
    for n in (500, 1000, 2000):
        m, last = lw.Model("chain"), lw.GROUND
        for i in range(n):
            body = m.add(f"b{i}", lw.Body(1.0, (0.1, 0.1, 0.1), position=(i + 0.5, 0, 0)))
            m.add(f"j{i}", lw.Revolute(last, body, at=(i, 0, 0), axis=(0, 1, i % 2)))
            last = body
        data = compile_model(m).data()
        A = data.evaluate(data.system.described_state(), cM=1.0).matrix
        e = analyse(data.pattern, data.work.vals, data.system.length)
        b = rng.standard_normal(data.unknowns)
        x = b.copy()
        assert refactor(e, data.work.vals, x) < 1e6
        sweep_back(e, data.work.vals, x)
        assert np.abs(A @ x - b).max() <= BACKWARD * (abs(A) @ np.abs(x) + np.abs(b)).max()
        sizes.append([each.size for each in (e.nodes, e.rows, e.store, e.order)])
        assert len(e.core) == 0
    assert np.array_equal(2 * np.array(sizes[:-1]), sizes[1:])


def small_solution():
    """Of a four-bar with delayed rows, and of a ring with a core; for the test below."""
    rng = np.random.default_rng(3)
    found = []
    for model in (loop([R, lw.Universal, lw.Spherical, R], rng), ring(3, lw.Spherical, rng)):
        now, e, vals = solved(model, rng, core=None)
        x = now.solve(e)[0]
        solve(e, vals, y := now.b[::-1].copy())
        found += [*x, *y]
    return np.array(found)


@pytest.mark.parametrize("core", [False, True])
def test_an_elimination_can_be_pickled(core):
    """With the addresses of the code that it calls."""
    rng = np.random.default_rng(3)
    model = ring(3, lw.Spherical, rng) if core else loop([R, lw.Universal, lw.Spherical, R], rng)
    now, e, _ = solved(model, rng, core=None)
    assert (e.core.size > 0) == core
    again = pickle.loads(pickle.dumps(e))
    assert np.array_equal(now.solve(again)[0], now.solve(e)[0])


def test_without_compilation():
    """The plain Python of the kernels gives the same solution but for rounding."""
    code = "from test_elimination import small_solution; print(*small_solution())"
    x = small_solution()
    assert np.abs(printed_numbers(code) - x).max() <= 1e-11 * np.abs(x).max()
