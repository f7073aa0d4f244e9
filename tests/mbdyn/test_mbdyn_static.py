"""model: static: inertia is left out, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_decks import DECKS

import linkwork as lw
from linkwork.io.mbdyn.output.numbers.tables import Tables

HEAD = """
begin: data; problem: initial value; end: data;
begin: initial value; initial time: 0.; final time: 1.; time step: {h}; end: initial value;
begin: control data; model: static; structural nodes: 2; rigid bodies: 1; joints: {joints};
  {control} end: control data;
begin: nodes;
  structural: 1, static, null, eye, null, null;
  structural: 2, dynamic, null, eye, null, null;
end: nodes;
begin: elements;
  joint: 1, clamp, 1, node, node;
  body: 2, 2, 3., null, diag, 1., 2., 4.;
  {elements}
end: elements;
"""
SLIDE = """joint: 2, total joint, 1, 2, position constraint, 0, 1, 1, null,
  orientation constraint, 1, 1, 1, null;"""
PULLED = "force: 1, absolute, 2, position, null, 1., 0., 0., {};"


def ran(tmp_path, elements, h=0.01, control="forces: 1;"):
    path = tmp_path / "deck.mbd"
    joints = 1 + elements.count("joint:")
    path.write_text(HEAD.format(h=h, joints=joints, control=control, elements=elements))
    deck = lw.read_deck(path, environment={})
    return deck, lw.run_deck(deck, progress=False)


def test_a_damper_resists_a_growing_load(tmp_path):
    """ẋ + x = t: x = t − 1 + e^−t, with the error of a method of second order."""
    rod = "joint: 3, rod, 1, position, -1., 0., 0., 2, 1., linear viscoelastic, 1., 1.;"
    errors = []
    for h in (0.02, 0.01):
        _, run = ran(tmp_path, SLIDE + rod + PULLED.format("time"), h)
        t, x = run.time, run["node 2"].position.values[:, 0]
        v = run["node 2"].velocity.values[:, 0]
        errors.append(np.abs(x - (t - 1 + np.exp(-t))).max())
        np.testing.assert_allclose(v, 1 - np.exp(-t), atol=0.5 * h)
    assert errors[1] < 0.01**2
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.2)


def test_a_viscous_rod_creeps_under_a_constant_load(tmp_path):
    """In series with a spring: the spring takes up the load at once, the damper c x = F t."""
    rods = """joint: 3, rod, 1, position, -1., 0., 0., 2, 1., linear viscoelastic, 0., 4.;"""
    _, run = ran(tmp_path, SLIDE + rods + PULLED.format("const, 2."))
    np.testing.assert_allclose(run["node 2"].position.values[:, 0], run.time / 2, atol=1e-7)


def test_a_spring_alone_is_in_equilibrium_from_the_start(tmp_path):
    rod = "joint: 3, rod, 1, position, -1., 0., 0., 2, 1., linear elastic, 50.;"
    _, run = ran(tmp_path, SLIDE + rod + PULLED.format("const, 2."))
    np.testing.assert_allclose(run["node 2"].position.values[:, 0], 2 / 50, rtol=1e-9)
    assert np.abs(run["node 2"].velocity.values).max() < 1e-9


def test_weight_acts_and_gyroscopic_moments_do_not(tmp_path):
    """The weight on its hinge; turned about (0, 1, 1) with 5 rad/s, ω × Jω would be 25 N m."""
    hinge = """joint: 2, total joint,
      1, rotation orientation, 1, 0., 1., 1., 2, 1., 0., 0.,
      2, rotation orientation, 1, 0., 1., 1., 2, 1., 0., 0.,
      position constraint, 1, 1, 1, null,
      orientation constraint, 1, 1, 1, component, const, 0., const, 0., linear, 0., 5.;"""
    deck, run = ran(tmp_path, hinge + "gravity: 0., 0., -1., 9.81;", control="gravity;")
    _, _, force, moment, _ = Tables(deck, run).joint(deck.joints[2])
    np.testing.assert_allclose(np.abs(force[1:]), np.tile([0, 0, 3 * 9.81], (100, 1)), atol=1e-8)
    assert np.abs(moment).max() < 1e-8
    assert np.linalg.norm(run["node 2"].angular_velocity.values[-1]) == pytest.approx(5, rel=1e-3)


@pytest.mark.parametrize("model", ["modlugre, 1.e5, 0., 0., .7", "discrete coulomb"])
def test_friction_holds_then_slides(tmp_path, model):
    """k x = F − μ N beyond μ N = 0.3 · 30 N, but for what bristles give way, μ N/σ₀."""
    slider = f"""joint: 2, in line, 1, position, null, orientation, 3, 1., 0., 0., 2, 0., 1., 0.,
        2, friction, {model}, "mu", simple;
      joint: 4, prismatic, 1, 2; gravity: 0., 0., -1., 10.;
      joint: 3, rod, 1, position, -1., 0., 0., 2, 1., linear elastic, 10.;"""
    mu = 'scalar function: "mu", const, .3;'
    _, run = ran(tmp_path, mu + slider + PULLED.format("linear, 0., 30."),
                 control="forces: 1; gravity;")  # fmt: skip
    x = np.maximum(0, 30 * run.time - 9) / 10
    np.testing.assert_allclose(run["node 2"].position.values[:, 0], x, atol=1e-3)


def test_a_velocity_is_imposed(tmp_path):
    """x = ∫ sin(t) dt of a joint on velocities, against a spring."""
    drive = """joint: 2, total joint, 1, 2, position constraint, velocity, 1, 1,
      component, sine, 0., 1., 1., forever, 0., const, 0., const, 0.,
      orientation constraint, 1, 1, 1, null;"""
    _, run = ran(tmp_path, drive, control="")
    exact = 1 - np.cos(run.time)
    np.testing.assert_allclose(run["node 2"].position.values[:, 0], exact, atol=1e-4)


def test_filters_and_decays_go_on(tmp_path):
    """The filters' deck without inertia: states have the same courses as with it."""
    text = (DECKS / "filters.mbd").read_text()
    text = text.replace("final time: 2.", "final time: 1.")
    assert "begin: control data;" in text
    path = tmp_path / "filters.mbd"
    path.write_text(text.replace("begin: control data;", "begin: control data; model: static;"))
    deck = lw.read_deck(path, environment={})
    run = lw.run_deck(deck, progress=False, t=0.3, h=0.01)
    x = Tables(deck, run).scalar(deck.scalars["abstract", 1])[:, 0]
    np.testing.assert_allclose(x, 0.5 - 0.3 * np.exp(-3 * run.time), atol=4e-4)
    steps = Tables(deck, run).scalar(deck.scalars["abstract", 3])[:, 0]
    np.testing.assert_allclose(steps, 3 - 2 * np.exp(-run.time), atol=4e-4)
