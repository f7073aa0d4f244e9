"""The time loop: conditioning, energy, redundant rows, steps in pieces."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from inside import ImplicitRun, assemble_model, evaluate
from small_mechanisms import double_pendulum, spatial_four_bar

import linkwork as lw
from linkwork.integrators.second_order.stepper import STIFFNESS

# ------------------------------------------------------------------------------------- conditioning


@pytest.mark.parametrize("stabilized", [False, True])
def test_condition_number_does_not_grow_as_the_step_shrinks(stabilized):
    assembled = assemble_model(double_pendulum())
    numbers = []
    for h in 10.0 ** np.arange(-2, -9, -1):
        method = lw.GeneralizedAlpha(0.8, stabilized=stabilized)
        run = ImplicitRun(assembled.data, method, assembled.state, h, None)
        run.advance(np.array([h]), np.zeros((1, 0)), np.array([-1]), empty(assembled.full.system))
        w, p = run.data.work, run.data.pattern
        evaluate(run.data.equations, h, 1 / run.data.system.mass)
        A = sp.csr_matrix((w.vals[p.places], p.indices, p.indptr)).toarray()
        numbers.append(np.linalg.cond(A))
    assert max(numbers) < 1.05 * numbers[0], numbers


def empty(system):
    from inside import step_rows

    return step_rows(system, 0)


@pytest.mark.parametrize(("h", "stabilized"), [(1e-2, False), (1e-4, False), (1e-6, True)])
def test_accelerations_stay_right_for_small_steps(h, stabilized):
    """The second derivative of the position is what the equations say.

    With positions alone (index 3) round-off enters as 1e-16/h²; velocities cure that.
    """
    method = lw.GeneralizedAlpha(stabilized=stabilized)
    run = lw.transient(double_pendulum(), t=10 * h, h=h, method=method, progress=False)
    state = run.state()
    from inside import accelerations

    exact = accelerations(assemble_model(double_pendulum()).data, state)
    round_off = 1e-9 if stabilized else 1e-13 / h**2
    assert np.abs(state.acceleration - exact.acceleration).max() < 60 * h**2 + round_off
    assert float(run.violation.position.max()) < 1e-12


# ------------------------------------------------------------------------------------------- energy


def test_energy_balance_closes_with_dampers_drives_and_forces():
    """Energy + dissipated − supplied is constant to second order in h."""
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        m = lw.Model("balance", gravity=(0, 0, -9.81))
        crank = m.add("crank", lw.Body.link((0, 0, 0), (1, 0, 0), 0.05, mass=2))
        arm = m.add("arm", lw.Body.link((1, 0, 0), (2, 0, 0), 0.05, mass=1))
        m.add("motor", lw.Motor(lw.GROUND, crank, (0, 0, 0), (0, 1, 0), angle=lw.sine(1.0, 0.5)))
        joint = m.add("joint", lw.Revolute(crank, arm, at=(1, 0, 0), axis=(0, 1, 0)))
        m.add("torsion", lw.TorsionSpring(joint, stiffness=20, damping=2))
        m.add("spring", lw.Spring(lw.GROUND, arm, (3, 0, 1), (2, 0, 0), stiffness=50, damping=3))
        m.add("push", lw.Force(arm, (3, 0, 1), drive=lw.sine(1.0, 0.8), follower=True))
        run = lw.transient(m, t=2, h=h, method=lw.GeneralizedAlpha(1.0, stabilized=True),
                           progress=False)  # fmt: skip
        e = run.energy
        errors.append(float(abs(e.balance).max()))
        assert float(e.dissipated[-1]) > 1.0 and abs(float(e.supplied[-1])) > 1.0
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2), errors
    assert errors[-1] < 2e-4


def test_undamped_method_keeps_energy_and_momentum_of_a_free_body():
    """Energy with fourth order, angular momentum to the tolerance of Newton's method."""
    m = lw.Model("free")
    m.add("body", lw.Body(1, (1, 2, 3), angular_velocity=(1, 2, 0.5), velocity=(1, 0, 0)))
    errors = []
    for h in (2e-2, 1e-2):
        run = lw.transient(m, t=10, h=h, method=lw.GeneralizedAlpha(1.0), progress=False)
        drift = run.angular_momentum.values - run.angular_momentum.values[0]
        errors.append(float(abs(run.energy.balance).max()))
        assert np.abs(drift).max() < 1e-12
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.05) and errors[1] < 1e-6
    np.testing.assert_allclose(run.momentum.values, np.tile([1, 0, 0], (len(run.time), 1)))


# --------------------------------------------------------------------------------------- redundancy


def test_spatial_four_bar_runs_and_is_explained():
    m = spatial_four_bar()
    with pytest.warns(lw.LinkworkWarning, match=r"joint 'D': 3 of its 5 rows repeat") as caught:
        run = lw.transient(m, t=2, h=1e-3, progress=False)
    assert len([w for w in caught if w.category is lw.LinkworkWarning]) == 1
    assert np.ptp(run["A"].angle.values) > 1.0  # it moves
    assert float(run.violation.position.max()) < 1e-10
    # planar mechanism: the same motion from joints that leave nothing redundant
    plane = lw.Model("plane", gravity=(0, -9.81, 0))
    for name in ("bar0", "bar1", "bar2"):
        item = m[name]
        plane.add(name, lw.Body(item.mass, item.inertia, item.position, item.orientation))
    p = [(0, 0, 0), (0, 1, 0), (2, 1.5, 0), (2, 0, 0)]
    a, b, c = plane["bar0"], plane["bar1"], plane["bar2"]
    plane.add("A", lw.Revolute(lw.GROUND, a, at=p[0], axis=(0, 0, 1), rate=-1.0))
    plane.add("B", lw.Revolute(a, b, at=p[1], axis=(0, 0, 1)))
    plane.add("D", lw.Revolute(lw.GROUND, c, at=p[3], axis=(0, 0, 1)))
    plane.add("C", lw.PointOnLine(b, c, at=p[2], axis=(0, 0, 1)))
    other = lw.transient(plane, t=2, h=1e-3, progress=False)
    for name in ("bar0", "bar1", "bar2"):
        np.testing.assert_allclose(
            run[name].position.values, other[name].position.values, atol=1e-9
        )


def test_minimum_norm_reactions_of_a_door_on_three_hinges():
    """Weight carried along the common axis: equal thirds; the hinges' x forces balance it."""
    m = lw.Model("door", gravity=(0, 0, -10))
    door = m.add("door", lw.Body.box((1.0, 0.04, 2.0), mass=12, position=(0.5, 0, 1.0)))
    for i, z in enumerate((0.2, 1.0, 1.8)):
        m.add(f"hinge{i}", lw.Revolute(lw.GROUND, door, at=(0, 0, z), axis=(0, 0, 1)))
    with pytest.warns(lw.LinkworkWarning, match="repeat"):
        run = lw.transient(m, t=0.1, h=1e-3, progress=False)
    forces = np.array([run[f"hinge{i}"].force_world.values[-1] for i in range(3)])
    # Newton stops at 1e-8 of the accelerations
    np.testing.assert_allclose(forces[:, 2], 40.0, rtol=1e-8)
    np.testing.assert_allclose(forces.sum(axis=0), (0, 0, 120.0), atol=1e-6)
    torque = sum(
        np.cross((0, 0, z), f) + run[f"hinge{i}"].torque_world.values[-1]
        for i, (z, f) in enumerate(zip((0.2, 1.0, 1.8), forces, strict=True))
    )
    np.testing.assert_allclose(torque, -np.cross((0.5, 0, 1.0), (0, 0, -120.0)), atol=1e-6)


def stepped(run, times):
    """Plain steps at these times."""
    n = len(times)
    run.advance(times, run.data.schedule(times), np.full(n, -1), empty(run.data.system))


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.HHT(stabilized=True)])
def test_a_step_taken_in_pieces_fits_into_the_run(method):
    """A run that has to cut a step goes on as accurately as one that has not."""
    m, h = double_pendulum(), 5e-3
    exact = lw.transient(m, t=0.5, h=0.5, method=lw.ODE(rtol=1e-11, atol=1e-12), progress=False)
    errors = []
    for cut in (False, True):
        assembled = assemble_model(m)
        run = ImplicitRun(assembled.data, method, assembled.state, h, None)
        times = h * np.arange(1, 101)
        stepped(run, times[:50])
        if cut:
            run._substeps(times[50])
            assert run.time == times[50]
        stepped(run, times[51:] if cut else times[50:])
        errors.append(np.abs(run.state().motion - exact.motion[-1]).max())
    assert errors[1] < 1.3 * errors[0] < 0.05


def test_other_rows_in_the_middle_of_a_run_change_nothing():
    """Out-of-plane rows of joint A or of joint D left out: the same motion and the same forces."""
    assembled = assemble_model(spatial_four_bar(), warn=False)
    full = assembled.full
    other = np.array(
        [not (row.owner == "A" and row.name in ("z", "rx", "ry")) for row in full.system.all_rows]
    )
    assert not np.array_equal(other, assembled.data.keep)
    times = 1e-3 * np.arange(1, 401)
    states = []
    for switch in (False, True):
        run = ImplicitRun(
            assembled.data, lw.GeneralizedAlpha(), assembled.state, 1e-3,
            lambda state: full.restricted(other), full=full,
        )  # fmt: skip
        stepped(run, times[:200])
        if switch:
            run._other_rows()
            assert np.array_equal(run.data.keep, other)
        stepped(run, times[200:])
        states.append(run.state())
    np.testing.assert_allclose(states[1].motion, states[0].motion, rtol=0, atol=1e-10)
    forces = [full.evaluate(replace(s, acceleration=None)).Cq.T @ s.gamma for s in states]
    np.testing.assert_allclose(forces[1], forces[0], rtol=0, atol=1e-5)


# -------------------------------------------------------------------------------- how runs go wrong


def test_constraint_stiffness_improves_newton():
    """With K_c Newton's method is exact: fewer iterations on a fast spinning, loaded chain."""
    iterations = []
    for stiffness in (1.0, 0.0):
        assembled = assemble_model(double_pendulum())
        method = lw.GeneralizedAlpha(0.8)
        run = ImplicitRun(assembled.data, method, assembled.state, 0.05, None, bool(stiffness))
        total = 0
        for k in range(40):
            t = np.array([0.05 * (k + 1)])
            run.advance(t, np.zeros((1, 0)), np.array([-1]), empty(assembled.full.system))
            total += int(run.stepper.report[0])
        iterations.append(total)
    assert run.stepper.settings[STIFFNESS] == 0.0
    assert iterations[0] < iterations[1]


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.MS2(), lw.MSSTC3(), lw.RK4()])
@pytest.mark.parametrize("begin", [1e9, -1e9, 2.0**31])
def test_late_times_have_fewer_digits(method, begin):
    """Steps of 0.5 ms where times are 0.1 to 0.2 µs apart: as many as asked for, and no others."""
    m = lw.Model()
    m.add("ball", lw.Body(1, (1, 1, 1), velocity=(2, 0, 0)))
    start = replace(lw.assemble(m), time=begin)
    for n in (1, 2, 7, 100):
        run = lw.transient(
            m, t=begin + n * 5e-4, h=5e-4, start=start, method=method, progress=False
        )
        assert len(run.time) == n + 1
        way = float(run["ball"].position[-1, 0])
        assert way == pytest.approx(2 * n * 5e-4, rel=1e-3)


def test_steps_that_times_cannot_tell():
    m = lw.Model()
    m.add("ball", lw.Body(1, (1, 1, 1)))
    start = replace(lw.assemble(m), time=1e12)
    with pytest.raises(lw.ModelError, match="too short at t = 1e.12.* begin nearer to t = 0"):
        lw.transient(m, t=1e12 + 1, h=1e-4, start=start, progress=False)
