"""Spinning bodies with the default and the methods of MBDyn: a heavy top and an overhung rotor,
also from decks.

The top's reference is Euler's equation about the fixed point, by SciPy; that of the rotor is in
joint coordinates.
"""

from functools import cache

import mbdyn_steps
import numpy as np
import pytest
from inside import STAGED, assemble_model, method_run, step_rows
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.extend import rotations

MASS, INERTIA, SPIN = 15.0, np.array([0.234375, 0.46875, 0.234375]), (0.0, 150.0, -4.61538)
# errors of MBDyn's steps after 1 s with h = 1e-3, rho = 0 and 0.6, by mbdyn_steps (the last test)
STRONG, MBDYN = {"top": 1.00e-4, "rotor": 7.7e-5}, {"top": 3.09e-5, "rotor": 2.21e-5}
FAST = [lw.GeneralizedAlpha(), lw.HHT(), lw.BDF2(), lw.MS2(0.6), lw.MS2(0.8), lw.MS2(1.0), lw.MS3(),
        lw.MS4(), lw.SS2(), lw.SS3(), lw.SS4(), lw.Hope(), lw.BDF(), lw.CrankNicolson(), lw.Bathe(),
        lw.DIRK33()]  # fmt: skip


def top():
    m, w, arm = lw.Model("top", gravity=(0, 0, -9.81)), np.array(SPIN), np.array([0, 1.0, 0])
    body = lw.Body(MASS, INERTIA, position=arm, angular_velocity=w, velocity=np.cross(w, arm))
    m.add("disc", body)
    m.add("pin", lw.Spherical(lw.GROUND, body, at=(0, 0, 0)))
    return m


def rotor():
    """A disc at 300 rad/s on a light hub that leans on a torsion spring."""
    m, arm = lw.Model("rotor", gravity=(0, -9.81, 0)), np.array([0, 0, 0.3])
    hub = m.add("hub", lw.Body(0.5, (0.002, 0.002, 0.001), position=arm / 2))
    disc = lw.Body(2, (0.01, 0.01, 0.02), position=arm, angular_velocity=(0, 0, 300.0))
    m.add("disc", disc)
    m.add("pin", lw.Spherical(lw.GROUND, hub, at=(0, 0, 0)))
    ends = lw.Frame(lw.GROUND), lw.Frame(hub)
    m.add("spring", lw.Bushing(*ends, stiffness=(0, 0, 0, 400.0, 400.0, 400.0)))
    m.add("shaft", lw.Revolute(hub, disc, at=arm, axis=(0, 0, 1)))
    return m


@cache
def truth(name):
    """Place of the disc after a second."""
    if name == "rotor":
        run = lw.transient(rotor(), t=1, h=1e-4, method=lw.Recursive(), every=10**4, progress=False)
        return run["disc"].position.values[-1]
    J = INERTIA + MASS * np.array([1.0, 0, 1.0])

    def rates(t, y):
        e, w = y[:4] / np.linalg.norm(y[:4]), y[4:]
        down = rotations.matrix(e).T @ [0, 0, -9.81 * MASS]
        turn = rotations.multiply(e, np.array([0, *w])) / 2
        return np.concatenate([turn, (np.cross([0, 1, 0], down) - np.cross(w, J * w)) / J])

    end = solve_ivp(rates, (0, 1), [1, 0, 0, 0, *SPIN], method="DOP853", rtol=1e-10, atol=1e-10)
    e = end.y[:4, -1] / np.linalg.norm(end.y[:4, -1])
    return rotations.matrix(e)[:, 1]


def allowed(name, strong):
    """Twice MBDyn's error at equal step; strong: rho = 0."""
    return 2 * (STRONG if strong else MBDYN)[name]


def error(name, method, h):
    model = {"top": top, "rotor": rotor}[name]()
    run = lw.transient(model, t=1, h=h, method=method, every=10**6, progress=False)
    return np.abs(run["disc"].position.values[-1] - truth(name)).max()


@pytest.mark.parametrize("name", ["top", "rotor"])
@pytest.mark.parametrize("method", FAST, ids=repr)
def test_fast_spin(name, method):
    """No worse than twice MBDyn at equal step, and of the declared order."""
    errors = np.array([error(name, method, h) for h in (1e-3, 5e-4)])
    most = allowed(name, isinstance(method, (lw.BDF, lw.BDF2)))
    assert errors[0] < most, errors
    assert errors[1] < errors[0] / 3.4 or errors[1] < 0.1 * most, errors


@pytest.mark.parametrize("h", [1e-4, 2e-5])
@pytest.mark.parametrize("name", ["top", "rotor"])
def test_spin_in_small_steps(name, h):
    """Turns of 0.003 to 0.03 rad in a step: rates in body axes would err fifty times as much."""
    assert error(name, lw.GeneralizedAlpha(), h) < allowed(name, False) * (h / 1e-3) ** 2


TOP_DECK = """begin: data; problem: initial value; end: data;
begin: initial value; initial time: 0.; final time: 1.; time step: 1.e-3;
  max iterations: 20; tolerance: 1.e-8; method: {method};
end: initial value;
begin: control data; structural nodes: 1; rigid bodies: 1; joints: 1; gravity; end: control data;
begin: nodes;
  structural: 1, dynamic, 0., 1., 0., eye, 4.61538, 0., 0., 0., 150., -4.61538;
end: nodes;
begin: elements;
  body: 1, 1, 15., null, diag, 0.234375, 0.46875, 0.234375;
  joint: 1, spherical pin, 1, position, 0., -1., 0., position, null;
  gravity: uniform, 0., 0., -1., const, 9.81;
end: elements;
"""
ROTOR_DECK = """begin: data; problem: initial value; end: data;
begin: initial value; initial time: 0.; final time: 1.; time step: 1.e-3;
  max iterations: 20; tolerance: 1.e-8; method: {method};
end: initial value;
begin: control data; structural nodes: 3; rigid bodies: 2; joints: 4; gravity; end: control data;
begin: nodes;
  structural: 1, dynamic, 0., 0., .3, eye, null, 0., 0., 300.;
  structural: 2, dynamic, 0., 0., .15, eye, null, null;
  structural: 3, static, null, eye, null, null;
end: nodes;
begin: elements;
  body: 1, 1, 2., null, diag, .01, .01, .02;
  body: 2, 2, .5, null, diag, .002, .002, .001;
  joint: 1, clamp, 3, node, node;
  joint: 2, spherical hinge, 3, null, 2, 0., 0., -.15;
  joint: 3, deformable hinge, 3, 2, linear elastic isotropic, 400.;
  joint: 4, revolute hinge, 2, 0., 0., .15, hinge, eye, 1, null, hinge, eye;
  gravity: uniform, 0., -1., 0., const, 9.81;
end: elements;
"""


@pytest.mark.parametrize("method", ["ms, .6", "ms, .8", "ms, 1.", "hope, .6", "ss2, .6", "bdf"])
@pytest.mark.parametrize("name", ["top", "rotor"])
def test_fast_spin_in_decks(tmp_path, name, method):
    deck = {"top": TOP_DECK, "rotor": ROTOR_DECK}[name].format(method=method)
    (tmp_path / "deck.mbd").write_text(deck)
    run = lw.run_deck(lw.read_deck(tmp_path / "deck.mbd"), progress=False)
    error = np.abs(run["node 1"].position.values[-1] - truth(name)).max()
    assert error < allowed(name, method == "bdf")


@pytest.mark.parametrize("cls", STAGED, ids=lambda c: c.__name__)
def test_free_bodies_keep_their_angular_momentum(cls):
    m = lw.Model("tumbling")
    m.add("body", lw.Body(1, (0.1, 0.2, 0.25), angular_velocity=(3.0, 40.0, 1.0)))
    run = lw.transient(m, t=1, h=2e-3, method=cls(tolerance=1e-11), progress=False)
    L = run["body"].angular_velocity.values * (0.1, 0.2, 0.25)
    L = np.einsum("tij,tj->ti", rotations.matrix(run["body"].orientation.values), L)
    assert np.abs(L - L[0]).max() < 1e-9 * np.linalg.norm(L[0])


def test_the_run_knows_its_largest_turn():
    """300 rad/s in steps of 1 ms, by the disc and not by the hub; also after a restart."""
    assembled = assemble_model(rotor())
    run = method_run(lw.MS2(), assembled.full, assembled.data, assembled.state, 1e-3)
    times = 1e-3 * np.arange(1, 6)
    run.advance(times, run.data.schedule(times), np.full(5, -1), step_rows(run.data.system, 0))
    turn, body = run.largest_turn
    assert turn == pytest.approx(0.3, rel=1e-3) and run.data.system.names[body] == "disc"
    again = method_run(lw.MS2(), assembled.full, assembled.data, run.state(), 1e-3)
    assert again.largest_turn == (turn, body)


def dense(name):
    """The same bodies for mbdyn_steps."""
    if name == "top":
        w, arm = np.array(SPIN), np.array([0, 1.0, 0])
        return mbdyn_steps.Bodies(
            [MASS], [np.diag(INERTIA)], [arm], [np.eye(3)], [np.cross(w, arm)], [w],
            lambda r, R: ([np.array([0, 0, -9.81 * MASS])], [np.zeros(3)]),
            lambda r, R: r[0] - R[0] @ arm,
        )  # fmt: skip
    arm, still = np.array([0, 0, 0.3]), np.zeros(3)

    def loads(r, R):
        lean = rotations.logarithm(rotations.from_matrix(R[1]))
        return [np.array([0, -9.81 * m, 0]) for m in (2, 0.5)], [still, -400 * R[1] @ lean]

    def constraints(r, R):
        across = [R[0][:, 2] @ R[1][:, i] for i in (0, 1)]
        half = R[1] @ arm / 2
        return np.concatenate([r[1] - half, r[0] - r[1] - half, across])

    return mbdyn_steps.Bodies(
        [2, 0.5], [np.diag([0.01, 0.01, 0.02]), np.diag([0.002, 0.002, 0.001])], [arm, arm / 2],
        [np.eye(3)] * 2, [still] * 2, [np.array([0, 0, 300.0]), still], loads, constraints,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.6])
@pytest.mark.parametrize("name", ["top", "rotor"])
def test_errors_of_steps_as_in_the_manual_of_mbdyn(name, rho):
    """What the bounds above are taken from."""
    found = mbdyn_steps.position_of_first(dense(name), 1e-3, 1000, rho)
    error = np.abs(found - truth(name)).max()
    assert error == pytest.approx((STRONG if rho == 0.0 else MBDYN)[name], rel=0.02)
