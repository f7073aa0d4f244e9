"""Loads that follow bodies at the other end of a chain: rank-one updates against blocks."""

import numpy as np
import pytest

import linkwork as lw
from linkwork import compile_model
from linkwork.system import far_feedback

LINKS = 12


def chain(gain=1.0):
    """Three readings of the tip, of its own pin, and of bodies half-way."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    last, pins, links = lw.GROUND, [], []
    for k in range(LINKS):
        link = lw.Body.link((0.1 * k, 0, 0), (0.1 * k + 0.1, 0, 0), radius=0.01, mass=0.1)
        links.append(m.add(f"link{k}", link))
        axis = (0, 1, 0.2 * (k % 2))
        pin = lw.Revolute(last, links[k], at=(0.1 * k, 0, 0), axis=axis)
        pins.append(m.add(f"pin{k}", pin))
        last = links[k]
    tip = links[-1]
    drive = -0.5 * lw.reads(tip, "position", "z") - 0.1 * lw.reads(tip, "velocity", "z")
    m.add("root", lw.JointTorque(pins[0], gain * drive))
    m.add("push", lw.Force(tip, (0, 0, 1), drive=0.1 * gain * lw.reads(pins[0], "angle")))
    spin = lw.reads(tip, "angular velocity", "y")
    twist = lw.formula("sin(a) - 0.1*w", a=lw.reads(pins[2], "angle"), w=spin)
    m.add("twist", lw.Torque(links[6], (0, 1, 0), drive=0.02 * gain * twist))
    return m


def test_updates_are_what_blocks_would_add():
    """The matrix with blocks is the one without and u wᵀ of every number."""
    full = compile_model(chain()).data()
    steps = full.system.data(steps=True, updates=True)
    assert len(steps.apart) == 3
    assert full.system.data(steps=True).pattern.blocks == full.pattern.blocks
    rng = np.random.default_rng(3)
    state = full.system.described_state()
    state.motion[:] += 0.1 * rng.normal(size=state.motion.shape)
    state.motion[:, 3:7] /= np.linalg.norm(state.motion[:, 3:7], axis=1)[:, None]
    matrices = [
        s.evaluate(state, cM=1.0, cD=0.3, cK=0.7).stiffness.toarray() for s in (full, steps)
    ]
    updates = sum(np.outer(u, w) for u, w in steps.tables.updates)
    assert np.abs(updates).max() > 0.01
    assert np.allclose(matrices[1] + updates, matrices[0], rtol=1e-12, atol=1e-12)


METHODS = [
    lw.GeneralizedAlpha(), lw.BDF2(), lw.GeneralizedAlpha(stabilized=True), lw.MS2(), lw.RK4(),
    lw.ODE(),
]  # fmt: skip


@pytest.fixture(scope="module")
def ends():
    """Of the tip, with and without feedback, in joint coordinates, where nothing is left out."""
    words = dict(t=0.1, h=1e-4, method=lw.Recursive(), progress=False)
    found = [lw.transient(chain(g), **words)["link11"].position.values[-1] for g in (5, 0)]
    assert np.abs(found[0] - found[1]).max() > 0.01
    return found


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_runs_tend_to_those_in_joint_coordinates(method, ends):
    """Of the method's order, in as many iterations as without feedback."""
    runs = [
        lw.transient(chain(gain), t=0.1, h=h, method=method, progress=False)
        for gain, h in ((5, 1e-3), (5, 5e-4), (0, 1e-3))
    ]
    errors = [np.abs(run["link11"].position.values[-1] - ends[0]).max() for run in runs[:2]]
    assert errors[0] < 1e-5 and errors[0] / errors[1] > 3.6
    iterations = [run.diagnostics.iterations[1:].mean() for run in runs]
    assert iterations[0] <= 1.5 * iterations[2]


def test_stiff_feedback_over_a_distance_converges():
    """Gains beside which the inertia of the chain hardly counts; joint coordinates agree."""
    run = lw.transient(chain(300), t=0.05, h=1e-4, progress=False)
    other = lw.transient(chain(300), t=0.05, h=2.5e-5, method=lw.Recursive(), progress=False)
    tips = [x["link11"].position.values[-1] for x in (run, other)]
    assert np.abs(tips[0] - tips[1]).max() < 2e-5 * np.abs(tips[1]).max()
    assert run.info["repairs"] == 0


def test_what_is_near_or_apart_keeps_its_blocks():
    m = chain()
    m["root"].drive = lw.reads(m["link2"], "position", "z")
    m["push"].drive = lw.reads(m["pin9"], "angle")
    m["twist"].drive = lw.reads(m["pin6"], "rate")
    other = m.add("other", lw.Body(1, (1, 1, 1), position=(0, 5, 0)))
    m.add("far", lw.Force(other, (0, 0, 1), drive=lw.reads(m["link11"], "position", "z")))
    assert not far_feedback.distant_signals(compile_model(m).elements)
