"""Decks that impose a speed: moments and forces are J dω/dt and m dv/dt, corners included."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

DECK = """begin: data; problem: initial value; end: data;
begin: initial value; initial time: 0.; final time: 2.; time step: {h};
    tolerance: 1e-8; max iterations: 50; method: ms, .6; end: initial value;
begin: control data; structural nodes: 2; rigid bodies: 1; joints: 2; end: control data;
begin: nodes; structural: 1, static, null, eye, null, null;
    structural: 2, dynamic, null, eye, null, null; end: nodes;
begin: elements; body: 2, 2, 1., null, diag, 1., 1., 1.;
    joint: 1, clamp, 1, node, node; joint: 2, {joint}; end: elements;
"""
RAMP = "ramp, 10., 1., 3., 0."
FORMULA = 'string, "10.*max(0., Time-1.00037)"'
SPUN = "position constraint, 1, 1, 1, null, orientation constraint, 1, 1, angular velocity, {z}"
PUSHED = "position constraint, 1, 1, velocity, {z}, orientation constraint, 1, 1, 1, null"
JOINTS = {  # whose load about or along z is 10 behind the corner, and its output
    "axial rotation": ("axial rotation, 1, null, 2, null, {law}", "torque"),
    "total joint, angle": ("total joint, 1, 2, " + SPUN, "torque"),
    "total joint, velocity": ("total joint, 1, 2, " + PUSHED, "force"),
    "linear velocity": ("linear velocity, 2, 0., 0., 1., {law}", "force"),
}


def imposing(model, run, output):
    """The size of the load that imposes the speed."""
    name = next(n for n, item in model.items.items() if isinstance(item, lw.VelocityLock))
    return np.abs(getattr(run[name], output).values).max(axis=1)


HALF_COSINE = "cosine, 0., 2*pi, 2.5, half, 0."


@pytest.mark.parametrize("method", ["ms, 0.6", "crank nicolson", "hope, 0.6"])
@pytest.mark.parametrize("kind", JOINTS)
def test_a_speed_that_rises_in_ten_steps_is_met_and_does_not_ring(kind, method, tmp_path):
    """v = 2.5 (1 − cos 2πt) until 0.5 s, where the jerk jumps; MBDyn errs by 1.5 % with ms, 0.6."""
    path = tmp_path / "speed.mbd"
    joint, output = JOINTS[kind]
    joint = joint.format(law=HALF_COSINE, z=f"0., 0., 1., {HALF_COSINE}")
    deck = DECK.format(h=0.05, joint=joint).replace("ms, .6", method)
    path.write_text(deck.replace("final time: 2.", "final time: 0.8"))
    run = lw.run_deck(lw.read_deck(path), progress=False)
    t, rises = run.time, run.time < 0.4999
    body = run["node 2"]
    v = body.angular_velocity if output == "torque" else body.velocity
    exact = np.where(rises, 2.5 * (1 - np.cos(2 * np.pi * t)), 5)
    np.testing.assert_allclose(v.values[:, 2], exact, atol=1e-12)
    load = imposing(run.system.model, run, output) / (5 * np.pi)
    np.testing.assert_allclose(load, np.sin(2 * np.pi * t) * rises, atol=0.03)


@pytest.mark.parametrize("h", [0.005, 0.001])
@pytest.mark.parametrize("law", [RAMP, FORMULA])
@pytest.mark.parametrize("kind", JOINTS)
def test_a_corner_of_an_imposed_speed_asks_for_no_impulse(kind, law, h, tmp_path):
    joint, output = JOINTS[kind]
    path = tmp_path / "speed.mbd"
    path.write_text(DECK.format(h=h, joint=joint.format(law=law, z=f"0., 0., 1., {law}")))
    model = lw.read_mbdyn(path)
    run = lw.transient(model, t=2.0, h=h, method=lw.GeneralizedAlpha(0.6), progress=False)
    load = imposing(model, run, output)
    np.testing.assert_allclose(load[run.time < 0.9999], 0, atol=1e-6)
    np.testing.assert_allclose(load[run.time > 1.0004], 10, rtol=1e-6)
