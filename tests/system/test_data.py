"""A System is constant, and two of its Data do not disturb each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.motion.beginning import new_run
from linkwork.integrators.contract import step_rows


def pendulum():
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1.0, (0.1,) * 3, position=(0.5, 0, 0)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    return m, rod, pin


def turned(state, angle):
    """The same position, reached by a turn of the first body about y."""
    motion = state.motion.copy()
    motion[0, :3] = 0.5 * np.cos(angle), 0, -0.5 * np.sin(angle)
    motion[0, 3:7] = np.cos(angle / 2), 0, np.sin(angle / 2), 0
    return replace(state, motion=motion, memory=None)


def test_an_evaluation_does_not_depend_on_the_one_before():
    m, _, pin = pendulum()
    m.add("spring", lw.TorsionSpring(pin, stiffness=2.0))
    system = lw.compile_model(m)
    data, start = system.data(), system.described_state()
    fresh = lw.compile_model(m).data().evaluate(turned(start, 0.3)).f
    for angle in np.arange(0.0, 4 * np.pi, 0.5):  # two turns, each of them noted
        data.remember(turned(start, angle))
    assert np.array_equal(data.evaluate(turned(start, 0.3)).f, fresh)


@pytest.mark.parametrize("array", ["reals", "memory", "ints", "gravity"])
def test_arrays_of_a_system_cannot_be_written(array):
    tables = lw.compile_model(pendulum()[0]).tables
    assert not getattr(tables, array).flags.writeable


def test_what_one_data_does_another_does_not_see():
    m, _, pin = pendulum()
    m.add("spring", lw.TorsionSpring(pin, stiffness=2.0))
    m.add("push", lw.JointTorque(pin, lw.expression("sin(t)")))
    system = lw.compile_model(m)
    start, one, other = system.described_state(), system.data(), system.data()
    before = [array.copy() for array in other.tables if isinstance(array, np.ndarray)]
    for angle in np.arange(0.0, 4 * np.pi, 0.5):
        one.remember(turned(replace(start, time=angle), angle))
    one.tables.gravity[:] = 0.0
    one.set_rows(np.zeros(len(system.all_rows), bool))
    assert not np.array_equal(one.tables.reals, other.tables.reals)
    assert not np.array_equal(one.memory, other.memory)
    after = [array for array in other.tables if isinstance(array, np.ndarray)]
    assert all(np.array_equal(x, y) for x, y in zip(before, after, strict=True))
    assert np.array_equal(other.evaluate(start).f, system.data().evaluate(start).f)


def test_steps_leave_parameters_alone():
    """Turns, paths of friction, points that touched and held signals are memory."""
    m, rod, pin = pendulum()
    m.add("spring", lw.TorsionSpring(pin, stiffness=2.0))
    m.add("friction", lw.Friction(pin, lw.Coulomb(0.1), radius=0.02))
    m.add("drag", lw.DeformableAxial(pin, law=lw.laws.LinearViscous(0.1)))
    ball = m.add("ball", lw.Body.sphere(0.1, mass=1.0, position=(2, 0, 0.0999)))
    m.add("floor", lw.Contact(ball, lw.GROUND, lw.laws.HuntCrossley(1e6), friction=0.3))
    held = lw.sample_hold(lw.reads(rod, "position", "z"), 0.02)
    m.add("push", lw.Force(ball, (1, 0, 0), drive=held))
    assembled = assemble_model(m)
    system, steps, h = assembled.full.system, 50, 1e-3
    run = new_run(lw.GeneralizedAlpha(), assembled.full, assembled.data, assembled.state, h, True)
    times = h * np.arange(1, steps + 1)
    out = step_rows(system, 1, sum(run.own.values()))
    run.advance(times, run.data.schedule(times), np.zeros(steps, int), out)
    tables = run.data.tables
    assert not np.array_equal(tables.memory, system.tables.memory)
    for family, row in zip(system.families, system.tables.directory.tolist(), strict=True):
        if not family.signal and family.memory.size:
            part = slice(row[4], row[4] + row[1] * row[5])
            assert np.array_equal(tables.reals[part], system.tables.reals[part]), family.name
