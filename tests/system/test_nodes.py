"""Unknowns that are no bodies: scalar and vector nodes of orders two, one and zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg as la
from node_elements import Chamber, Oscillators, Resistor, Slow

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import REFERENCE, Node, scalar
from linkwork.system.layout import Layout

METHODS = [
    lw.GeneralizedAlpha(), lw.GeneralizedAlpha(rho=0.0), lw.GeneralizedAlpha(rho=1.0), lw.HHT(),
    lw.Newmark(gamma=0.5), lw.BDF2(), lw.GeneralizedAlpha(stabilized=True),
]  # fmt: skip


def run(m, t, h, **options):
    return lw.transient(m, t=t, h=h, progress=False, **options)


def slow_model(u=0.0, c=2.0, k=3.0, e=0.0, start=1.0):
    m = lw.Model("slow")
    m.add("tank", Slow(c, k, e, u, start))
    return m


# ------------------------------------------------------------------------------------- orders


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_first_order_equations_have_the_order_of_the_method(method):
    """2 q̇ + 3 q = sin 5t from q = 1, against the closed form."""
    a, w = 1.5, 5.0

    def exact(t):
        forced = 0.5 * (a * np.sin(w * t) - w * np.cos(w * t)) / (a * a + w * w)
        return forced + (1 + 0.5 * w / (a * a + w * w)) * np.exp(-a * t)

    errors = []
    for h in (0.02, 0.01, 0.005):
        r = run(slow_model(lw.expression("sin(5*t)")), 2.0, h, method=method)
        errors.append(np.abs(r["tank"].level.values - exact(r.time)).max())
    ratios = np.array(errors[:-1]) / errors[1:]
    assert errors[-1] < 3e-4
    assert np.all((ratios > 3.5) & (ratios < 4.6)), ratios


def test_newmark_with_damping_is_of_first_order_here_too():
    errors = []
    for h in (0.02, 0.01):
        r = run(slow_model(), 1.0, h, method=lw.Newmark(gamma=0.6))
        errors.append(abs(float(r["tank"].level[-1]) - np.exp(-1.5)))
    assert 1.8 < errors[0] / errors[1] < 2.2


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_equations_of_order_zero_hold_at_every_step(method):
    """3 q + q³ = sin 5t, to Newton's tolerance of 1e-8 h |q̇|."""
    m = slow_model(lw.expression("sin(5*t)"), c=0.0, e=1.0, start=0.1)
    r = run(m, 1.0, 0.02, method=method)
    q = r["tank"].level.values
    np.testing.assert_allclose(3 * q + q**3, np.sin(5 * r.time), rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_values_of_second_order_move_like_masses_on_slides(method):
    """A value with m q̈ + d q̇ + k q = 0 beside a body on a slide with a spring and a damper."""
    m = lw.Model("both")
    block = m.add("block", lw.Body(2.0, (1, 1, 1), position=(0.3, 0, 0)))
    m.add("slide", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=(1, 0, 0)))
    anchor = lw.Frame(lw.GROUND, (-5.0, 0, 0))
    m.add("spring", lw.Spring(anchor, block, stiffness=50.0, damping=0.4, length=5.0))
    m.add("value", Oscillators([[2.0]], [[0.4]], [[50.0]], start=0.3))
    r = run(m, 2.0, 0.01, method=method)
    x = r["block"].position.values[:, 0]
    np.testing.assert_allclose(r["value"].amplitude.values, x, rtol=0, atol=2e-10)


def test_error_control_sees_values():
    """With tolerance= the error of exp(−t/ε) falls with it."""
    errors = []
    for tolerance in (1e-4, 1e-6):
        r = run(slow_model(c=1.0, k=20.0), 1.0, 0.05, tolerance=tolerance)
        errors.append(np.abs(r["tank"].level.values - np.exp(-20 * r.time)).max())
    assert errors[1] < errors[0] / 20
    assert errors[1] < 1e-4


# ------------------------------------------------------------------------------------ coupling


def chamber_model(n=1, pressure=2e5):
    """Masses in a row on slides along z, a closed chamber of fluid behind each."""
    m = lw.Model("chambers")
    for i in range(n):
        block = m.add(f"block{i}", lw.Body(4.0, (1, 1, 1), position=(i, 0, 0)))
        m.add(f"slide{i}", lw.Prismatic(lw.GROUND, block, at=(i, 0, 0), axis=(0, 0, 1)))
        m.add(f"chamber{i}", Chamber(block, 1e-3, 1e-10, pressure))
    return m


def test_a_closed_chamber_is_a_spring():
    """ω² = A²/(m V/β), and p + (A β/V) z stays."""
    w = np.sqrt(1e-6 / 1e-10 / 4.0)
    r = run(chamber_model(), 0.2, 1e-4, method=lw.GeneralizedAlpha(rho=1.0))
    p = r["chamber0"].pressure.values
    np.testing.assert_allclose(p, 2e5 * np.cos(w * r.time), rtol=0, atol=2e5 * 2e-4)
    z = r["block0"].position.values[:, 2]
    np.testing.assert_allclose(p + 1e7 * z, 2e5, rtol=1e-10)
    modes = lw.eigen(chamber_model(pressure=0.0))
    np.testing.assert_allclose(modes.eigenvalues.imag.max(), w, rtol=1e-9)


def test_turning_pistons_against_smaller_steps():
    """A free body with a chamber along its own axis, which tumbles: order two in everything."""
    ends = []
    for h in (2e-3, 1e-3, 5e-4):
        m = lw.Model("free")
        body = m.add("body", lw.Body(1.0, (0.02, 0.03, 0.04), angular_velocity=(3, 2, 1)))
        m.add("chamber", Chamber(body, 1e-3, 1e-9, 1e4))
        r = run(m, 0.4, h)
        p = r["chamber"].pressure.values[-1] / 1e4
        ends.append(np.append(r["body"].position.values[-1], p))
    change = [np.abs(a - b).max() for a, b in zip(ends, ends[1:])]
    assert 3.5 < change[0] / change[1] < 4.6


def states(data, rng):
    """A random violated state."""
    s = data.system.described_state()
    s = s.moved(rng.normal(size=data.system.motions))
    s = s.with_velocities(rng.normal(size=(data.system.bodies, 6)))
    values = rng.normal(size=(3, data.system.layout.values))
    return replace(s, acceleration=rng.normal(size=(data.system.bodies, 6)), values=values)


def all_nodes():
    m = chamber_model(1, 1.0)
    m["chamber0"].elasticity, m["chamber0"].area = 0.7, 1.3
    m.add("slow", Slow(2.0, 3.0, 0.4, 0.5, 1.0))
    n = 10
    rng = np.random.default_rng(3)
    m.add("modes", Oscillators(*rng.normal(size=(3, n, n))))
    m.add("r", Resistor(m["slow"], m["chamber0"], 0.3))
    m.add("leak", Resistor(m["slow"], REFERENCE, 0.2))
    return m


@pytest.mark.parametrize("level", [0, 1, 2])
def test_tangents_against_differences(level):
    """∂r/∂(value, rate, second derivative) of every unknown, bodies and nodes together."""
    data, rng, eps = compile_model(all_nodes()).data(), np.random.default_rng(level), 1e-6
    state, n, b = states(data, rng), data.system.motions, data.system.bodies
    coefficients = dict(zip(("cK", "cD", "cM"), np.eye(3)[level]))
    A = data.evaluate(state, **coefficients).stiffness.toarray()
    found = np.zeros((n, n))
    for j in range(n):
        sides = []
        for sign in (1, -1):
            d = np.zeros(n)
            d[j] = sign * eps
            moved = state
            if level == 0:
                moved = state.moved(d)
            elif level == 1:
                moved = state.with_velocities(state.velocities + d[: 6 * b].reshape(-1, 6))
            else:
                acceleration = state.acceleration + d[: 6 * b].reshape(-1, 6)
                moved = replace(state, acceleration=acceleration)
            if level:
                values = state.values.copy()
                values[level] += d[6 * b :]
                moved = replace(moved, values=values)
            sides.append(data.evaluate(moved).residual)
        found[:, j] = (sides[0] - sides[1]) / (2 * eps)
    np.testing.assert_allclose(A, found, rtol=0, atol=2e-8 * np.abs(A).max())


# --------------------------------------------------------------------------------- elimination


def test_nodes_beside_a_body_leave_before_it():
    """A chain of bodies with a pressure each has no core, and as many fast nodes as bodies."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    before = lw.GROUND
    for i in range(30):
        link = m.add(f"link{i}", lw.Body.link((i, 0, 0), (i + 1, 0, 0), radius=0.05, density=1000))
        m.add(f"pin{i}", lw.Revolute(before, link, at=(i, 0, 0), axis=(0, 1, 0)))
        m.add(f"chamber{i}", Chamber(link, 1e-3, 1e-10, 1e5))
        before = link
    from inside import ImplicitRun, assemble_model

    a = assemble_model(m)
    stepping = ImplicitRun(a.data, lw.GeneralizedAlpha(), a.state, 1e-3, None)
    assert len(stepping.lu.condensed.first) == 30 and len(stepping.lu.core) == 0
    assert len(stepping.lu.nodes) == 30


@pytest.mark.parametrize("condensed", [True, False])
def test_linear_equations_with_nodes_against_dense_ones(condensed):
    from inside import analyse, refactor, solve, sweep_back

    m = all_nodes()
    if not condensed:  # a circuit that joins many bodies goes to the core
        for i in range(1, 5):
            block = m.add(f"block{i}", lw.Body(4.0, (1, 1, 1), position=(i, 0, 0)))
            m.add(f"hinge{i}", lw.Revolute(m["block0"], block, at=(i, 0, 0), axis=(0, 1, 0)))
            m.add(f"chamber{i}", Chamber(block, 1.1, 0.9, 1.0))
            m.add(f"pipe{i}", Resistor(m["chamber0"], m[f"chamber{i}"], 0.4))
    data, rng = compile_model(m).data(), np.random.default_rng(5)
    state = states(data, rng)
    e = data.evaluate(state, cM=5.0, cD=2.0)
    A, p = e.matrix.toarray(), data.pattern
    vals = data.work.vals
    vals[p.places] = e.values
    lu = analyse(p, vals, data.system.length)
    assert len(lu.condensed.first) > 0
    assert (len(lu.core) == 0) == condensed
    b, c = rng.normal(size=(2, p.unknowns))
    x = b.copy()
    assert refactor(lu, vals, x) < 1e8
    sweep_back(lu, vals, x)
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=0, atol=1e-9 * np.abs(x).max())
    y = c.copy()
    solve(lu, vals, y)
    np.testing.assert_allclose(y, np.linalg.solve(A, c), rtol=0, atol=1e-9 * np.abs(y).max())


def test_a_network_of_resistors_is_solved_at_once():
    """A ladder of six nodes, every second one with a capacitor, against the matrix exponential."""
    n, m = 6, lw.Model("ladder")
    for i in range(n):
        m.add(f"node{i}", Slow(1.0 if i % 2 else 0.0, 0.1, start=1.0 if i % 2 else 0.0))
    for i in range(n - 1):
        m.add(f"r{i}", Resistor(m[f"node{i}"], m[f"node{i + 1}"], 1.0 + i))
    m.add("end", Resistor(m["node0"], REFERENCE, 2.0))
    r = run(m, 1.0, 2e-3)
    G = 0.1 * np.eye(n)
    G[0, 0] += 2.0
    for i in range(n - 1):
        G[np.ix_([i, i + 1], [i, i + 1])] += (1.0 + i) * np.array([[1, -1], [-1, 1]])
    fast, held = np.arange(1, n, 2), np.arange(0, n, 2)
    S = G[np.ix_(fast, fast)] - G[np.ix_(fast, held)] @ np.linalg.solve(
        G[np.ix_(held, held)], G[np.ix_(held, fast)]
    )
    q = la.expm(-S) @ np.ones(len(fast))
    found = np.array([r[f"node{i}"].level.values[-1] for i in range(n)])
    np.testing.assert_allclose(found[fast], q, rtol=0, atol=5e-6)
    other = -np.linalg.solve(G[np.ix_(held, held)], G[np.ix_(held, fast)] @ found[fast])
    np.testing.assert_allclose(found[held], other, rtol=0, atol=1e-12)


# ----------------------------------------------------------------- statics, modes, state spaces


def test_equilibrium_with_nodes():
    """3 q + q³ = 5 beside a weight on a chamber: p = m g/A."""
    m = chamber_model()
    m.gravity = (0, 0, -10)
    m["chamber0"].elasticity = 0.0  # no rate: of the speed alone; then held by a spring below
    with pytest.raises(lw.LinkworkError):
        lw.static(m)
    m = lw.Model("level", gravity=(0, 0, -10))
    m.add("tank", Slow(2.0, 3.0, 1.0, 5.0, start=0.0))
    block = m.add("block", lw.Body(2.0, (1, 1, 1)))
    m.add("slide", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("spring", lw.Spring(lw.Frame(lw.GROUND, (0, 0, 3)), block, stiffness=100, length=3))
    rest = lw.static(m)
    q = float(rest["tank"].level)
    assert abs(3 * q + q**3 - 5) < 1e-9
    np.testing.assert_allclose(float(rest["block"].position[2]), -0.2, rtol=1e-9)
    modes = lw.eigen(m, at=rest)
    np.testing.assert_allclose(
        np.sort(np.abs(modes.eigenvalues)), np.sort([(3 + 3 * q * q) / 2, np.sqrt(50.0)]), rtol=1e-9
    )
    assert "level 'tank'" in repr(modes)


def test_modes_are_found_only_where_values_stay():
    with pytest.raises(lw.ModelError, match="level 'tank' changes by -1.5 in a second"):
        lw.eigen(slow_model())


def test_state_space_of_a_slow_node():
    """2 q̇ = −3 q: A = −1.5; q itself is an output."""
    m = slow_model(start=0.0)
    ss = lw.linearize(m, outputs=["tank.level"])
    np.testing.assert_allclose(ss.A, [[-1.5]], rtol=1e-12)
    np.testing.assert_allclose(ss.C, [[1.0]])


# ------------------------------------------------------------------------- starts, files, words


@pytest.mark.filterwarnings("ignore::linkwork.errors.FunctionWarning")
def test_runs_go_on_with_the_same_digits(tmp_path):
    whole = run(all_running(), 0.4, 1e-3)
    run(all_running(), 0.2, 1e-3).save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=0.4, model=all_running())
    np.testing.assert_array_equal(rest.values[-1], whole.values[-1])
    np.testing.assert_array_equal(rest.motion[-1], whole.motion[-1])


def all_running():
    m = chamber_model(2)
    m.add("slow", Slow(2.0, 3.0, 0.4, lw.expression("sin(9*t)"), 1.0))
    m.add("modes", Oscillators(np.eye(9), 0.1 * np.eye(9), np.diag(np.arange(9.0)), start=0.1))
    return m


@pytest.mark.filterwarnings("ignore::linkwork.errors.FunctionWarning")
def test_files_keep_values_bit_for_bit(tmp_path):
    m = all_running()
    r = run(m, 0.1, 1e-3, file=tmp_path / "a.nc")
    r.save(tmp_path / "b.nc")
    for name in ("a.nc", "b.nc"):
        again = lw.load(tmp_path / name, model=m)
        np.testing.assert_array_equal(again.values, r.values)
        assert again["modes"].amplitude.shape == (101, 9)
        assert again["chamber1"].pressure.attrs["units"] == "Pa"
    powers = ("dissipated_power", "supplied_power")
    assert r["slow"].names == ("level", "level_rate", *powers)


def test_a_start_without_solution_names_the_node():
    """0 q = 1."""
    with pytest.raises(lw.LinkworkError, match="level 'tank'"):
        run(slow_model(1.0, c=0.0, k=0.0), 1.0, 0.1)


@pytest.mark.parametrize("method", [lw.EnergyMomentum(), lw.Recursive()], ids=repr)
def test_methods_that_know_bodies_alone_say_so(method):
    with pytest.raises(lw.ModelError, match="knows bodies alone, but model .* has level 'tank'"):
        run(slow_model(), 1.0, 0.1, method=method)


@pytest.mark.parametrize("value", ["high", [1.0, 2.0], np.nan])
def test_bad_start_values_are_refused(value):
    with pytest.raises(lw.ModelError, match="value of a level must be a finite number, but"):
        Node(scalar("level", 1), value)


def test_models_of_nodes_alone_are_told_and_not_drawn(tmp_path):
    m = slow_model()
    assert "level 'tank', of order 1" in str(m)
    with pytest.raises(lw.ModelError, match="'slow' has no bodies to draw"):
        run(m, 0.1, 0.01).animate(tmp_path / "slow.html")


def test_nodes_of_items_that_are_not_in_the_model_are_refused():
    m = slow_model()
    m.add("r", Resistor(m["tank"], Slow(1.0, 1.0), 1.0))
    with pytest.raises(lw.ModelError, match="uses a level, which is not in model 'slow'"):
        run(m, 0.1, 0.01)


@pytest.mark.filterwarnings("error")
def test_numbers_that_overflow_are_refused():
    m = slow_model(start=1e49)
    m["tank"].__dict__.update(k=1e300)  # as an item that computes its numbers
    with pytest.raises(lw.LinkworkError, match="not finite"):
        run(m, 1.0, 0.1)


def test_a_fast_rotor_does_not_disturb_its_nodes():
    """At half a radian per step the run is in the form for fast rotation; q̇ = 20 (1 − q)."""
    m = lw.Model("rotor")
    rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), rate=500.0))
    m.add("slow", Slow(1.0, 20.0, u=20.0))
    r = run(m, 0.5, 1e-3)
    np.testing.assert_allclose(r["slow"].level, 1 - np.exp(-20 * r.time), rtol=0, atol=2e-5)
    np.testing.assert_allclose(r.energy.kinetic / r.energy.kinetic[0], 1, rtol=0, atol=1e-6)


# --------------------------------------------------------------------------------- the map


def test_the_map_of_unknowns_there_and_back():
    nodes = (Node(scalar("pressure", 1), name="tank"), Oscillators(np.eye(3), 0, 0).node)
    nodes[1].name = "beam"
    layout = Layout(("rod", "crank"), nodes)
    assert (layout.rigid, layout.values, layout.motions) == (12, 4, 16)
    assert layout.describe(10) == "body 'crank', ry"
    assert layout.moves(8) == "body 'crank' (moving along z)"
    assert layout.describe(12) == "pressure 'tank'"
    assert layout.describe(15) == "amplitude 'beam', amplitude 3"
    back = [layout.place(u) for u in range(16)]
    sizes = layout.sizes
    assert back == [(g, c) for g in range(4) for c in range(sizes[g])]
    assert layout.order.tolist() == [1, 2, 2, 2]
