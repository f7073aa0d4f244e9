"""The problem's block of MBDyn decks: methods, strategies, convergence, and the start."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_text import BODY, NODE, deck_text
from scipy.special import ellipj, ellipk

import linkwork as lw
from linkwork import MbdynError, UnsupportedCard, run_deck
from linkwork.io.mbdyn.deck.running import assembled, chosen_method
from linkwork.io.mbdyn.problem.methods import METHODS, RADIUS

G, PI = 9.81, np.pi


# -------------------------------------------------------------------------------------- methods


def swing(t):
    """x of the pendulum of integrators.mbd, which swings ±90°: sin(φ/2) = k sn(K(k²) − ω t, k²)."""
    w, k = np.sqrt(2 * G / (0.02 + 2)), np.sin(PI / 4)
    return np.sin(2 * np.arcsin(k * ellipj(ellipk(k**2) - w * t, k**2)[0]))


CARDS = [f"{name}, .6" if name in RADIUS else name for name in METHODS] + ["bdf, order, 1"]


@pytest.mark.parametrize("card", CARDS)
def test_every_method_has_its_order(changed, card):
    """Halving the step divides the error of a pendulum by 2^order; the deck gives that method."""
    errors = []
    first_order = card in ("implicit euler", "bdf, order, 1")
    for h in (1e-3, 5e-4) if first_order else (0.02, 0.01):
        deck = changed(
            "integrators", ("method: .*?;", f"method: {card};"), ("step: .02", f"step: {h}")
        )
        run = run_deck(deck, progress=False)
        errors.append(np.abs(run["node 1"].position.values[:, 0] - swing(run.time)).max())
    method = deck.analysis.method()
    assert np.log2(errors[0] / errors[1]) == pytest.approx(method.order, abs=0.2)
    name = METHODS[card.partition(",")[0]]
    words = {"order": 1} if "order" in card else {"rho": 0.6} if card[:-4] in RADIUS else {}
    assert method == getattr(lw, name)(
        **words, tolerance=1e-11, test="minmax", max_iterations=30
    )


def test_a_radius_may_change(changed):
    """The method of the deck is that of linkwork with the same drive."""
    deck = changed("integrators")
    run = run_deck(deck, progress=False)
    assert deck.analysis.method().radius(0.0) == pytest.approx(0.8)
    assert deck.analysis.method().radius(0.7) == pytest.approx(0.4)

    def rho(t):
        return 0.8 - 0.2 * (1 - np.cos(2 * PI * np.minimum(t, 0.5)))

    m = lw.Model(gravity=(0, 0, -G))
    bob = m.add("bob", lw.Body(2, (0.01, 0.02, 0.02), position=(1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    method = lw.MS3(rho=rho, tolerance=1e-11, test="minmax", max_iterations=30)
    other = lw.transient(m, 2.0, 0.02, method, progress=False)
    found = run["node 1"].position.values
    np.testing.assert_allclose(found, other["bob"].position.values, atol=1e-11)


def test_the_radius_of_algebraic_variables_changes_nothing(changed):
    one = run_deck(changed("integrators", ("method: .*?;", "method: ms4, .6;")), progress=False)
    deck = changed("integrators", ("method: .*?;", "method: ms4, .6, const, .1;"))
    two = run_deck(deck, progress=False)
    assert any("second spectral radius" in note for note in deck.notes)
    np.testing.assert_array_equal(one.motion, two.motion)
    np.testing.assert_array_equal(one.gamma, two.gamma)


@pytest.mark.parametrize(
    ("card", "sentence"),
    [("third order, ad hoc", "DIRK33, mssth3"), ("ms", "needs a spectral radius"),
     ("ms, 1.2", "between 0 and 1, found 1.2"), ("ms, .1, .2, .3", "one or two spectral radii"),
     ("ms, ramp, 1., 0., 5., 0.", "between 0 and 1"), ("bdf, order, 3", "order of bdf is 1 or 2"),
     ("euler", "is not supported")],
)  # fmt: skip
def test_methods_that_are_refused(changed, card, sentence):
    with pytest.raises(MbdynError, match=sentence):
        run_deck(changed("integrators", ("method: .*?;", f"method: {card};")), progress=False)
    if card.startswith("third"):
        with pytest.raises(UnsupportedCard):
            changed("integrators", ("method: .*?;", f"method: {card};"))


def test_hybrid_names_the_method_of_all_that_choose_none(changed):
    deck = changed("integrators", ("method: .*?;", "method: hybrid, ms, .7;"))
    plain = changed("integrators", ("method: .*?;", "method: ms, .7;"))
    assert chosen_method(deck) == chosen_method(plain)


# ------------------------------------------------------------------------------------ strategies

DROP = {"smallest": 1e-4, "largest": 4e-3}


def falling(t):
    """z of variable_step.mbd: a mass on a spring, from z = −1 upwards at 2 m/s."""
    w = np.sqrt(800 / 2)
    return -1 - G / w**2 * (1 - np.cos(w * t)) + 2 / w * np.sin(w * t)


def spring_model():
    m = lw.Model(gravity=(0, 0, -G))
    body = m.add("mass", lw.Body(2, (0, 0, 0), position=(0, 0, -1), velocity=(0, 0, 2)))
    m.add("line", lw.Lock(lw.GROUND, body, at=(0, 0, -1), rows="x y rx ry rz"))
    m.add("spring", lw.Spring(lw.GROUND, body, stiffness=800, length=1))
    return m


METHOD = lw.MS2(rho=0.8, tolerance=1e-9, test="relnorm", max_iterations=20)


def test_steps_from_a_drive(changed):
    deck = changed("variable_step")
    run = run_deck(deck, progress=False)
    z = run["node 1"].position.values[:, 2]
    # the phase errs by (ω h)²/6 ω t at most, of which h = 4e-3 holds for a third of the time
    np.testing.assert_allclose(z, falling(run.time), atol=6e-4)
    sizes = np.diff(run.time)
    assert sizes[0] == pytest.approx(1e-3) and sizes.max() == pytest.approx(4e-3)
    late = sizes[(run.time[:-1] > 0.5) & (run.time[:-1] < 0.99)]
    np.testing.assert_allclose(late, 5e-4)

    def step(t):
        return min(4e-3, float(np.interp(t, [0, 0.4, 0.5, 1], [1e-3, 8e-3, 5e-4, 5e-4])))

    other = lw.transient(spring_model(), 1.0, 1e-3, METHOD, strategy=lw.ChangeStrategy(step),
                         progress=False)  # fmt: skip
    np.testing.assert_allclose(z, other["mass"].position.values[:, 2], atol=1e-12)


def test_a_step_that_is_a_drive(changed):
    """`time step` as a drive caller is the strategy change with it."""
    deck = changed("variable_step", ("time step: 1.e-3;", "time step: piecewise linear, 2, 0., "
                   "1.e-3, 1., 3.e-3;"), ("(?s)strategy: .*?;", ""))  # fmt: skip
    assert deck.analysis.step == pytest.approx(1e-3)
    sizes = np.diff(run_deck(deck, progress=False).time)
    np.testing.assert_allclose(sizes[:5], [1e-3, 1.002e-3, 1.004004e-3, 1.006012008e-3,
                                           1.008024032e-3])  # fmt: skip


def test_steps_below_the_smallest_end_the_run(changed):
    with pytest.raises(lw.errors.ModelError, match="min time step of 0.001"):
        run_deck(changed("variable_step", ("min time step: .*?;", "min time step: 1.e-3;")),
                 progress=False)  # fmt: skip


def test_steps_by_iterations(changed):
    """Easy steps are lengthened up to the largest; the same run as in Python."""
    deck = changed("variable_step", ("(?s)strategy: .*?;", "strategy: factor, .5, 1, 1.2, 5, 2;"))
    run = run_deck(deck, progress=False)
    strategy = lw.FactorStrategy(reduction=0.5, steps_before_reduction=1, growth=1.2,
                                 steps_before_growth=5, min_iterations=2, max_iterations=20,
                                 **DROP)  # fmt: skip
    other = lw.transient(spring_model(), 1.0, 1e-3, METHOD, strategy=strategy, progress=False)
    np.testing.assert_allclose(run.time, other.time, atol=1e-14)
    z = run["node 1"].position.values[:, 2]
    np.testing.assert_allclose(z, other["mass"].position.values[:, 2], atol=1e-12)
    np.testing.assert_allclose(z, falling(run.time), atol=2e-3)
    assert np.diff(run.time).max() == pytest.approx(4e-3)


def test_equal_steps_where_the_user_gives_one(changed):
    run = run_deck(changed("variable_step"), progress=False, h=2e-3)
    np.testing.assert_allclose(np.diff(run.time), 2e-3)


@pytest.mark.parametrize(
    ("card", "sentence"),
    [("factor, 1.5, 1, 1.2, 1, 2", "below 1, found 1.5"), ("factor, .5", "before a reduction"),
     ("often", "expected a strategy"), ("no change, 2", "end of the card")],
)  # fmt: skip
def test_strategies_that_are_refused(changed, card, sentence):
    with pytest.raises(MbdynError, match=sentence):
        changed("variable_step", ("(?s)strategy: .*?;", f"strategy: {card};"))


def test_files_of_a_run_with_changing_steps(changed, tmp_path):
    deck = changed("variable_step", ("gravity;", "gravity; output frequency: 10;"))
    run = run_deck(deck, progress=False)
    lw.write_mbdyn(deck, run, tmp_path / "out")
    rows = [line.split()[1:] for line in (tmp_path / "out.out").read_text().splitlines()
            if line.startswith("Step")]  # fmt: skip
    rows = np.array(rows, float)
    assert np.array_equal(rows[:, 0], np.arange(0, len(run), 10))
    np.testing.assert_allclose(rows[1:, 2], np.diff(run.time)[9::10], rtol=1e-5)
    np.testing.assert_allclose(rows[:, 1], run.time[::10], rtol=1e-8)


# ----------------------------------------------------------------------------------- convergence


@pytest.mark.parametrize(
    ("card", "words"),
    [("1.e-4", {"tolerance": 1e-4, "test": "norm"}),
     ("1.e-4, test, minmax, scale", {"tolerance": 1e-4, "test": "minmax"}),
     ("1.e-4, test, relnorm, 1.e-2", {"tolerance": 1e-4, "test": "relnorm"}),
     ("1.e-4, test, sepnorm, null, test, norm", {"tolerance": 1e-4, "test": "sepnorm"}),
     ("null, 1.e-5", {}), ("1.e-4, test, none, 1.e-5, test, minmax", {})],
)  # fmt: skip
def test_tolerances(changed, card, words):
    deck = changed("integrators", ("method: .*?;", "method: ms, .6;"),
                   ("tolerance: .*?;", f"tolerance: {card};"))  # fmt: skip
    method = deck.analysis.method()
    assert method == lw.MS2(rho=0.6, max_iterations=30, **words)
    if not words:
        assert any("test of corrections" in note for note in deck.notes)


@pytest.mark.parametrize("card", ["null", "0.", "-1.", "1.e-4, test, most", "null, null"])
def test_tolerances_that_are_refused(changed, card):
    with pytest.raises(MbdynError):
        changed("integrators", ("tolerance: .*?;", f"tolerance: {card};"))


@pytest.mark.parametrize("test", ["norm", "minmax"])
def test_the_residual_in_out_is_that_of_the_results(changed, tmp_path, test):
    """ResErr is what m a − m g − F and J ω̇ + ω × J ω − T leave, and the open joint."""
    deck = changed("integrators", ("method: .*?;", "method: ms, .6;"),
                   ("tolerance: .*?;", f"tolerance: 1.e-2, test, {test};"))  # fmt: skip
    run = run_deck(deck, progress=False)
    lw.write_mbdyn(deck, run, tmp_path / "out")
    rows = np.array([line.split()[1:] for line in (tmp_path / "out.out").read_text().splitlines()
                     if line.startswith("Step")], float)[1:]  # fmt: skip
    bob, pin, J = run["node 1"], run["joint 1"], np.diag([0.01, 0.02, 0.02])
    R = lw.kernels.rotations.matrix(bob.orientation.values)
    w, wdot = bob.angular_velocity.values, bob.angular_acceleration.values
    F = pin.force_world.values
    forces = 2 * (bob.acceleration.values + [0, 0, G]) - F
    point = -R[:, :, 0]  # from the centre to the pin
    torque = np.einsum("tji,tj->ti", R, pin.torque_world.values + np.cross(point, F))
    torques = wdot @ J + np.cross(w, w @ J) - torque
    opened = bob.position.values + point
    x, z = R[:, :, 0], R[:, :, 1]
    held = [opened, z[:, [0]] / 2, z[:, [2]] / 2]  # rows rx, ry: half the tilt of the axis
    every = np.hstack([forces, torques, *held])[1:]
    size = np.linalg.norm(every, axis=1) if test == "norm" else np.abs(every).max(axis=1)
    assert x.shape == (len(run), 3) and size.max() > 1e-6
    np.testing.assert_allclose(rows[:, 4], size, rtol=1e-4, atol=1e-12)
    assert rows[:, 4].max() <= 1e-2 and rows[:, 3].max() >= 1
    assert np.all(rows[:, 6] == 0)


def test_corrections_in_out(changed, tmp_path):
    """Without a test of the residual the last correction decides, and is told."""
    deck = changed("integrators", ("tolerance: .*?;", ""))
    lw.write_mbdyn(deck, run_deck(deck, progress=False), tmp_path / "out")
    rows = np.array([line.split()[1:] for line in (tmp_path / "out.out").read_text().splitlines()
                     if line.startswith("Step")], float)[1:]  # fmt: skip
    assert np.all(rows[:, 4] == 0) and np.all(rows[:, 6] == 1)
    assert rows[:, 5].min() > 0 and rows[:, 5].max() < 1e-2


# -------------------------------------------------------------------------------------- the start


def test_nodes_give_way_as_their_stiffness_says(changed):
    """What is missing is shared as 1/stiffness: .12 m as 3 : 1, 1.2 m/s as 1 : 2."""
    deck = changed("rough_start")
    run = run_deck(deck, progress=False)
    x = [run[f"node {n}"].position.values[:, 0] for n in (1, 2)]
    np.testing.assert_allclose(x[0], -0.09 + 0.4 * run.time, atol=1e-9)
    np.testing.assert_allclose(x[1], 0.91 + 0.4 * run.time, atol=1e-9)
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1), velocity=(0, 0, 0)))
    b = m.add("b", lw.Body(2, (1, 1, 1), position=(0.88, 0, 0), velocity=(1.2, 0, 0)))
    for body in (a, b):
        at = (0, 0, 0) if body is a else (0.88, 0, 0)
        m.add(f"line {body.name}", lw.Lock(lw.GROUND, body, at=at, rows="y z rx ry rz"))
    m.add("rod", lw.Distance(a, b, length=1))
    state = lw.assemble(m, weights={"a": 10 / 3, "b": 10}, velocity_weights={"a": 4, "b": 2})
    np.testing.assert_allclose(state.positions[:, 0], [-0.09, 0.91], atol=1e-12)
    np.testing.assert_allclose(state.velocities[:, 0], 0.4, atol=1e-12)
    mine = assembled(deck, deck.model).state
    np.testing.assert_allclose(mine.positions, state.positions, atol=1e-12)
    np.testing.assert_allclose(mine.velocities, state.velocities, atol=1e-12)
    assert any("dummy steps are not taken" in note for note in deck.notes)
    assert {"derivatives tolerance", "dummy steps method", "initial tolerance"} <= set(
        deck.without_effect)


def test_velocity_weights_default_to_those_of_positions():
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1), velocity=(0, 0, 0)))
    b = m.add("b", lw.Body(1, (1, 1, 1), position=(1, 0, 0), velocity=(1.2, 0, 0)))
    m.add("rod", lw.Distance(a, b, length=1))
    v = lw.assemble(m, weights={"a": 2}).velocities[:, 0]
    np.testing.assert_allclose(v, 1.2 * 2 / 3 * np.ones(2) - 0.4 * np.ones(2), atol=1e-12)
    with pytest.raises(lw.errors.ModelError, match="weights of assemble must be a dict"):
        lw.assemble(m, velocity_weights=[1, 2])


def test_joints_that_are_open_where_assembly_is_skipped(changed):
    deck = changed("rough_start", ("initial tolerance", "skip initial joint assembly; "
                                   "initial tolerance"))  # fmt: skip
    run_deck(deck, progress=False)
    note = next(note for note in deck.notes if "skip initial joint assembly" in note)
    assert "'joint 1' by 120 mm" in note and "joint 2" not in note
    closed = changed("integrators", ("gravity;", "gravity; skip initial joint assembly;"))
    run_deck(closed, progress=False)
    assert not closed.notes and "skip initial joint assembly" in closed.without_effect


def test_dummy_steps_have_nothing_to_settle(changed):
    """Accelerations and reactions of the first instant are those of the pendulum at rest."""
    deck = changed("integrators", ("max iterations", "dummy steps number: 5; max iterations"))
    run = run_deck(deck, progress=False)
    fall = G * 2 / 2.02
    assert run["node 1"].acceleration.values[0, 2] == pytest.approx(-fall, rel=1e-12)
    assert run["joint 1"].force_world.values[0, 2] == pytest.approx(2 * (G - fall), rel=1e-9)


@pytest.mark.parametrize("phase", ["input", "assembly", "derivatives", "dummy steps"])
def test_runs_that_end_after_a_phase(changed, phase):
    deck = changed("rough_start", ("time step:", f"abort after: {phase}; time step:"),
                   ("joints: 3", "forces: 1; joints: 3"),
                   ("joint: 1, dist", "force: 1, absolute, 2, position, null, 1., 0., 0., 6.; "
                                      "joint: 1, dist"))  # fmt: skip
    run = run_deck(deck, progress=False)
    assert len(run) == 1
    x = run["node 2"].position.values[0, 0]
    assert x == pytest.approx(0.88 if phase == "input" else 0.91)
    # 6 N on 1 + 2 kg: 2 m/s², and the rod pulls the first mass with 2 N
    moving = phase in ("derivatives", "dummy steps")
    assert run["node 1"].acceleration.values[0, 0] == pytest.approx(2.0 * moving, abs=1e-12)
    pull = -run["joint 1"].force_world.values[0, 0]
    assert pull == pytest.approx(2.0 * moving, abs=1e-12)


def test_a_deck_without_a_method_or_times(tmp_path):
    deck = deck_text(nodes=NODE, elements=BODY).replace("method: ms, .6;", "")
    path = tmp_path / "deck.mbd"
    path.write_text(deck)
    found = lw.read_deck(path)
    run_deck(found, progress=False)
    assert chosen_method(found) == lw.BDF(order=2)
    assert any("lw.BDF(order=2)" in note for note in found.notes)
    path.write_text(deck.replace("time step:", "tolerance: 1.e-4; max iterations: 7; time step:"))
    method = chosen_method(lw.read_deck(path))
    assert method == lw.BDF(order=2, tolerance=1e-4, test="norm", max_iterations=7)
    for old, sentence in (("final time: 1.;", "gives no final time"),
                          ("time step: 1.e-2;", "gives no time step")):  # fmt: skip
        path.write_text(deck.replace(old, ""))
        with pytest.raises(MbdynError, match=sentence):
            run_deck(lw.read_deck(path), progress=False)
    path.write_text(deck.replace("final time: 1.", "final time: 0."))
    with pytest.raises(MbdynError, match="not after the initial time"):
        run_deck(lw.read_deck(path), progress=False)
