"""Runs of one System in several threads: each has its own Data, and none disturbs another."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.motion.beginning import new_run
from linkwork.analysis.statics.search import ProgressLog, Search
from linkwork.analysis.statics.static import attempt
from linkwork.integrators.catalogue import METHODS
from linkwork.integrators.contract import step_rows

STEPS, H = 40, 1e-3


def four_bar():
    """A four-bar with a spring that counts turns, a motion law and a damper."""
    m = lw.Model("four-bar", gravity=(0, 0, -9.81))
    ends = [(0, 0, 0), (0, 0, 0.3), (0.9, 0, 0.8), (1, 0, 0)]
    bars = []
    for k in range(3):
        a, b = np.array(ends[k]), np.array(ends[k + 1])
        bars.append(m.add(f"bar {k}", lw.Body(1.0 + k, (0.1, 0.2, 0.15), position=(a + b) / 2)))
    pairs = [(lw.GROUND, bars[0]), (bars[0], bars[1]), (bars[1], bars[2]), (bars[2], lw.GROUND)]
    for k, (a, b) in enumerate(pairs):
        kind = lw.Revolute if k < 2 else lw.Spherical if k == 2 else lw.Universal
        more = {} if k == 2 else {"axis": (0, 1, 0)}
        m.add(f"joint {k}", kind(a, b, at=ends[k], **more))
    m.add("spring", lw.TorsionSpring(m["joint 0"], stiffness=20.0, damping=0.3))
    m.add("push", lw.Force(bars[2], (0, 0, 1), drive=lw.sine(5.0, 8.0)))
    return m


def pendulum():
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1.0, (0.1, 0.2, 0.15), position=(0.5, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("spring", lw.TorsionSpring(m["pin"], stiffness=2.0, damping=0.1))
    return m


def motion(method, assembled, rate, gate=None):
    """Positions of some steps with a body turned a little faster than in another thread."""
    full = assembled.full.system.data()
    data = full.restricted(assembled.data.keep)
    state = replace(assembled.state, memory=None)
    state = with_rate(data, state, rate)
    if gate is not None:
        gate.wait()
    run = new_run(method, full, data, state, H, True)
    out = step_rows(full.system, STEPS, sum(run.own.values()))
    for k in range(STEPS):  # one by one, so that threads change over within the run
        times = run.origin + H * np.arange(k + 1, k + 2)
        run.advance(times, run.data.schedule(times), np.array([k]), out)
    return out.motion, out.gamma, run.memory


def with_rate(data, state, rate):
    """A velocity that the joints allow: the driven motion of the mechanism's only freedom."""
    Cq = data.evaluate(replace(state, gamma=None, acceleration=None)).Cq.toarray()
    v = np.linalg.svd(Cq)[2][-1]
    return state.with_velocities(rate * v * np.sign(v[np.argmax(np.abs(v))]))


@pytest.mark.parametrize("name", sorted(METHODS))
def test_runs_of_one_system_in_threads_have_the_digits_of_runs_one_by_one(name):
    build = pendulum if name == "EnergyMomentum" else four_bar
    if name in ("RK4", "ODE", "Moreau"):
        build = pendulum
    assembled, method = assemble_model(build(), warn=False), METHODS[name]()
    rates = [0.5, 1.0, 1.5, 2.0]
    alone = [motion(method, assembled, rate) for rate in rates]
    gate = threading.Barrier(len(rates))
    with ThreadPoolExecutor(len(rates)) as pool:
        together = list(pool.map(lambda rate: motion(method, assembled, rate, gate), rates))
    for one, other in zip(alone, together):
        for a, b in zip(one, other):
            assert np.array_equal(a, b)
    assert np.abs(alone[0][0] - alone[1][0]).max() > 1e-4  # the runs do differ


def test_evaluations_in_threads_have_the_digits_of_evaluations_one_by_one():
    system = lw.compile_model(four_bar())
    rng = np.random.default_rng(1)
    start = system.described_state()
    states = [
        start.moved(0.3 * rng.normal(size=system.motions)).with_velocities(
            rng.normal(size=(system.bodies, 6))
        )
        for _ in range(200)
    ]

    def residuals(states):
        data = system.data()
        return [data.evaluate(state, tangent=False, rates=True) for state in states]

    parts = [states[k::4] for k in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(residuals, parts))
    for part, found in zip(parts, together):
        for one, other in zip(residuals(part), found):
            assert np.array_equal(one.f, other.f) and np.array_equal(one.C, other.C)


def test_equilibria_of_one_system_in_threads():
    assembled = assemble_model(pendulum(), warn=False)

    def rest(angle):
        data = assembled.full.system.data()
        search = Search(data, data, 1e-10, 50, True, True, ProgressLog("rest", False))
        state = replace(assembled.state, memory=None).at_rest()
        turned = np.array(state.motion)
        turned[0, :3] = 0.5 * np.cos(angle), 0, -0.5 * np.sin(angle)
        turned[0, 3:7] = np.cos(angle / 2), 0, np.sin(angle / 2), 0
        point, _, _ = attempt(search, replace(state, motion=turned), 1)
        return point.state.motion

    angles = [0.2, 0.5, 0.8, 1.1]
    alone = [rest(angle) for angle in angles]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(rest, angles))
    for one, other in zip(alone, together):
        assert np.array_equal(one, other)
