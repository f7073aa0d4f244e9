"""The time loop: conditioning, energy, redundancy, restarts, events, and how runs end."""

import runpy
import signal
import threading
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import linkwork as lw
from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.integrators import stepping as st
from linkwork.integrators.implicit import ImplicitRun
from linkwork.system.evaluate import evaluate


def double_pendulum():
    m = lw.Model("double", gravity=(0, 0, -9.81))
    a = m.add("a", lw.Body.link((0, 0, 0), (1, 0, 0), 0.02, mass=1))
    b = m.add("b", lw.Body.link((1, 0, 0), (2, 0, 0), 0.02, mass=1))
    m.add("A", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("B", lw.Revolute(a, b, at=(1, 0, 0), axis=(0, 0.6, 0.8)))
    return m


def spatial_four_bar():
    """Four parallel revolutes in space, pushed: three rows too many, one degree of freedom.

    As described it is in equilibrium, so it needs the push to go anywhere.
    """
    m = lw.Model("four-bar", gravity=(0, -9.81, 0))
    points = [(0, 0, 0), (0, 1, 0), (2, 1.5, 0), (2, 0, 0)]
    bars = [
        m.add(f"bar{i}", lw.Body.link(points[i], points[i + 1], 0.02, mass=1.0)) for i in range(3)
    ]
    ends = [lw.GROUND, *bars, lw.GROUND]
    for i, name in enumerate("ABCD"):
        rate = -1.0 if name == "A" else None
        m.add(name, lw.Revolute(ends[i], ends[i + 1], at=points[i], axis=(0, 0, 1), rate=rate))
    return m


# --------------------------------------------------------------------------------- conditioning


@pytest.mark.parametrize("stabilized", [False, True])
def test_condition_number_does_not_grow_as_the_step_shrinks(stabilized):
    assembled = assemble_model(double_pendulum())
    numbers = []
    for h in 10.0 ** np.arange(-2, -9, -1):
        method = lw.GeneralizedAlpha(0.8, stabilized=stabilized)
        run = ImplicitRun(assembled.system, method, assembled.state, h, None)
        run.advance(np.array([h]), np.zeros((1, 0)), np.array([-1]), empty(assembled.full))
        w, p = run.system.work, run.system.pattern
        evaluate(run.system.kernels, run.system.tables, w, h, 1 / run.system.mass)
        A = sp.csr_matrix((w.vals[p.places], p.indices, p.indptr)).toarray()
        numbers.append(np.linalg.cond(A))
    assert max(numbers) < 1.05 * numbers[0], numbers


def empty(system):
    from linkwork.integrators.implicit import make_output

    return make_output(system, 0)


@pytest.mark.parametrize(("h", "stabilized"), [(1e-2, False), (1e-4, False), (1e-6, True)])
def test_accelerations_stay_right_for_small_steps(h, stabilized):
    """The second derivative of the position is what the equations say.

    With positions alone (index 3) round-off enters as 1e-16/h²; velocities cure that.
    """
    method = lw.GeneralizedAlpha(stabilized=stabilized)
    run = lw.transient(double_pendulum(), t=10 * h, h=h, method=method, progress=False)
    state = run.state()
    from linkwork.system.accelerations import accelerations

    exact = accelerations(assemble_model(double_pendulum()).system, state)
    round_off = 1e-9 if stabilized else 1e-13 / h**2
    assert np.abs(state.acceleration - exact.acceleration).max() < 60 * h**2 + round_off
    assert float(run.violation.position.max()) < 1e-12


# --------------------------------------------------------------------------------------- energy


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
    m = lw.Model("free")
    m.add("body", lw.Body(1, (1, 2, 3), angular_velocity=(1, 2, 0.5), velocity=(1, 0, 0)))
    errors = []
    for h in (2e-2, 1e-2):  # not exactly: with second order
        run = lw.transient(m, t=10, h=h, method=lw.GeneralizedAlpha(1.0), progress=False)
        drift = run.angular_momentum.values - run.angular_momentum.values[0]
        errors.append([float(abs(run.energy.balance).max()), np.abs(drift).max()])
    np.testing.assert_allclose(np.divide(*errors), 4, rtol=0.05)
    assert max(errors[1]) < 3e-4
    np.testing.assert_allclose(run.momentum.values, np.tile([1, 0, 0], (len(run.time), 1)))


# ----------------------------------------------------------------------------------- redundancy


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
    run.advance(times, run.system.schedule(times), np.full(n, -1), empty(run.system))


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.HHT(stabilized=True)])
def test_a_step_taken_in_pieces_fits_into_the_run(method):
    """A run that has to cut a step goes on as accurately as one that has not."""
    m, h = double_pendulum(), 5e-3
    exact = lw.transient(m, t=0.5, h=0.5, method=lw.ODE(rtol=1e-11, atol=1e-12), progress=False)
    errors = []
    for cut in (False, True):
        assembled = assemble_model(m)
        run = ImplicitRun(assembled.system, method, assembled.state, h, None)
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
        [not (row.owner == "A" and row.name in ("z", "rx", "ry")) for row in full.all_rows]
    )
    assert not np.array_equal(other, assembled.system.keep)
    times = 1e-3 * np.arange(1, 401)
    states = []
    for switch in (False, True):
        run = ImplicitRun(
            assembled.system, lw.GeneralizedAlpha(), assembled.state, 1e-3,
            lambda state: full.with_rows(other), full=full,
        )  # fmt: skip
        stepped(run, times[:200])
        if switch:
            run._other_rows()
            assert np.array_equal(run.system.keep, other)
        stepped(run, times[200:])
        states.append(run.state())
    np.testing.assert_allclose(states[1].motion, states[0].motion, rtol=0, atol=1e-10)
    forces = [full.evaluate(replace(s, acceleration=None)).Cq.T @ s.gamma for s in states]
    np.testing.assert_allclose(forces[1], forces[0], rtol=0, atol=1e-5)


# ------------------------------------------------------------------------------------- restarts


@pytest.mark.parametrize(
    "method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.HHT(stabilized=True)], ids=repr
)
def test_a_restart_gives_the_same_digits(tmp_path, method):
    m = double_pendulum()
    whole = lw.transient(m, t=2, h=1e-3, method=method, every=10, progress=False)
    half = lw.transient(m, t=1, h=1e-3, method=method, every=10, progress=False)
    half.save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=2, progress=False)
    assert rest.time[0] == half.time[-1]
    assert np.array_equal(whole.time[100:], rest.time)
    assert np.array_equal(whole.motion[100:], rest.motion)
    assert np.array_equal(whole.gamma[100:], rest.gamma)
    assert np.array_equal(whole.energy.total[100:], rest.energy.total)


def test_a_restart_of_a_redundant_mechanism_gives_the_same_digits(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        m = spatial_four_bar()
        whole = lw.transient(m, t=1, h=1e-3, every=100, progress=False)
        lw.transient(m, t=0.5, h=1e-3, every=100, progress=False).save(tmp_path / "half.nc")
        rest = lw.resume(tmp_path / "half.nc", t=1, progress=False)
    assert np.array_equal(whole.motion[5:], rest.motion)


def test_turns_and_memory_go_on_over_a_restart(tmp_path):
    """A wheel at 10 rad/s against a weak torsion spring, stored twice a turn."""
    m = lw.Model("wheel")
    wheel = m.add("wheel", lw.Body.cylinder(0.5, 0.1, mass=10))
    axle = m.add("axle", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=10.0))
    m.add("spring", lw.TorsionSpring(axle, stiffness=0.1))
    half = lw.transient(m, t=2, h=1e-3, every=300, progress=False)
    half.save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=4, progress=False)
    w = np.sqrt(0.1 / (10 * 0.5**2 / 2))  # angle(t) = 10/w sin(w t)
    for run in (half, rest):
        exact = 10 / w * np.sin(w * run.time)
        np.testing.assert_allclose(run["axle"].angle.values, exact, atol=1e-4)
        np.testing.assert_allclose(run["spring"].torque.values, -0.1 * exact, atol=1e-5)
        assert float(abs(run.energy.balance).max()) < 1e-3


EXPLICIT = [lw.RK4(), *(lw.ODE(name) for name in ("RK45", "RK23", "DOP853", "Radau", "BDF"))]


@pytest.mark.parametrize("method", EXPLICIT, ids=lambda m: getattr(m, "solver", "RK4"))
@pytest.mark.parametrize("redundant", [False, True])
def test_explicit_methods_go_on_with_the_same_digits(tmp_path, method, redundant):
    """Stages, step sizes, Jacobians, pivots and work done go through the file."""
    m = double_pendulum()
    m.add("damper", lw.Spring(lw.GROUND, m["b"], at_a=(0, 0, 3), stiffness=5, damping=0.4))
    if redundant:
        still = m.add("still", lw.Body(1, (1, 1, 1)))
        for name in "CD":
            m.add(name, lw.Fixed(lw.GROUND, still, at=(0, 0, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        whole = lw.transient(m, t=0.4, h=1e-3, method=method, progress=False)
        half = lw.transient(m, t=0.2, h=1e-3, method=method, progress=False)
        half.save(tmp_path / "half.nc")
        rest = lw.resume(tmp_path / "half.nc", t=0.4, progress=False)
    assert len(rest.time) == 201
    for name in ("time", "motion", "acceleration", "gamma", "work"):
        a, b = (np.asarray(getattr(run, name))[-201:] for run in (rest, whole))
        np.testing.assert_array_equal(a, b, err_msg=name)


def test_the_same_input_gives_the_same_output():
    runs = [lw.transient(double_pendulum(), t=0.5, h=1e-3, progress=False) for _ in range(2)]
    assert np.array_equal(runs[0].motion, runs[1].motion)


def test_going_on_from_a_state_of_another_method():
    m = double_pendulum()
    first = lw.transient(m, t=0.5, h=1e-3, progress=False)
    second = lw.transient(m, t=1, h=1e-3, method=lw.RK4(), start=first, progress=False)
    third = lw.transient(m, t=1, h=1e-3, start=first.state(), progress=False)
    assert second.time[0] == 0.5 and second.time[-1] == 1.0
    gap = np.abs(second["b"].position.values[-1] - third["b"].position.values[-1]).max()
    assert gap < 1e-5  # second order of one of them


def test_storing_every_so_many_steps():
    run = lw.transient(double_pendulum(), t=0.1, h=1e-3, every=7, progress=False)
    np.testing.assert_allclose(run.time, [*np.arange(0, 0.1, 7e-3), 0.1])
    odd = lw.transient(double_pendulum(), t=0.0123, h=1e-3, progress=False)
    assert odd.time[-1] == 0.0123 and len(odd.time) == 14


# --------------------------------------------------------------------------------------- events


def test_an_event_ends_the_run_at_its_root():
    """A ball dropped from 1 m reaches the floor at sqrt(2/g)."""
    m = lw.Model("drop", gravity=(0, 0, -9.81))
    m.add("ball", lw.Body(1, (1, 1, 1), position=(0, 0, 1)))
    run = lw.transient(
        m, t=10, h=1e-2, stop=lambda t, now: now["ball"].position[2], progress=False
    )
    assert run.time[-1] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-10)
    assert abs(run["ball"].position.values[-1, 2]) < 1e-10
    assert "event" in run.info["ended_by"]


def test_a_joint_limit_ends_the_run():
    m = double_pendulum()
    run = lw.transient(m, t=5, h=1e-3, stop=lw.JointLimit("A", angle=(-1, 1)), progress=False)
    assert abs(float(run["A"].angle[-1])) == pytest.approx(1.0, abs=1e-9)
    assert run.time[-1] < 5


@pytest.mark.parametrize("stop", [3, "angle", [lambda t, now: "high"], lw.JointLimit])
def test_bad_events_are_refused(stop):
    with pytest.raises((lw.ModelError, TypeError)):
        lw.transient(double_pendulum(), t=1, h=1e-2, stop=stop, progress=False)


# ------------------------------------------------------------------------------ how runs go wrong


def locking_crank():
    """Crank 1 m, rod 0.8 m to a slider on the x axis: locks where sin(angle) = 0.8."""
    m = lw.Model("locks")
    end = (1.8, 0, 0)
    crank = m.add("crank", lw.Body.link((0, 0, 0), (1, 0, 0), 0.05, mass=1))
    rod = m.add("rod", lw.Body.link((1, 0, 0), end, 0.05, mass=1))
    slider = m.add("slider", lw.Body.box((0.1, 0.1, 0.1), mass=1, position=end))
    m.add("motor", lw.Motor(lw.GROUND, crank, (0, 0, 0), (0, 0, 1), angle=lw.ramp(1.0)))
    m.add("pin", lw.Revolute(crank, rod, at=(1, 0, 0), axis=(0, 0, 1)))
    m.add("wrist", lw.PointOnLine(rod, slider, at=end, axis=(0, 0, 1)))
    m.add("guide", lw.Prismatic(lw.GROUND, slider, at=end, axis=(1, 0, 0)))
    return m


def test_a_mechanism_that_locks_says_where_and_keeps_the_results():
    with pytest.raises(lw.ConvergenceError) as caught:
        lw.transient(locking_crank(), t=3, h=1e-2, progress=False)
    error = caught.value
    assert error.time == pytest.approx(np.arcsin(0.8), abs=0.02)
    assert "t = " in str(error) and "joint '" in str(error) and "row" in str(error)
    assert error.time is not None and error.result.time[-1] < 3
    assert np.all(np.isfinite(error.result.motion))


def test_ctrl_c_saves_what_was_computed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    m = double_pendulum()
    lw.transient(m, t=1e-2, h=1e-3, progress=False)  # compiled before the clock starts
    timer = threading.Timer(0.6, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        lw.transient(m, t=1e5, h=1e-3, every=1000, progress=False)
    timer.join()
    assert isinstance(caught.value, lw.Interrupted)
    assert "double-interrupted.nc" in str(caught.value)
    stored = lw.load("double-interrupted.nc")
    assert stored.time[-1] > 0 and np.array_equal(stored.motion, caught.value.result.motion)
    more = lw.resume("double-interrupted.nc", t=float(stored.time[-1]) + 1, progress=False)
    assert more.time[0] == pytest.approx(stored.state().time)


def pushed_by(function):
    m = lw.Model("pushed")
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    m.add("push", lw.UserForce([body], function))
    return m


def test_ctrl_c_inside_a_users_function_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls = []

    def force(t, motion):
        if t > 0.05 and not calls:
            calls.append(t)
            raise KeyboardInterrupt
        return np.zeros(6)

    with pytest.raises(lw.Interrupted, match="interrupted at t = 0.0") as caught:
        lw.transient(pushed_by(force), t=1e4, h=1e-3, progress=False)
    assert caught.value.result.time[-1] < 1e3
    assert (tmp_path / "pushed-interrupted.nc").exists() or "not saved" in str(caught.value)


@pytest.mark.parametrize("method", [None, lw.RK4(), lw.ODE()], ids=repr)
def test_a_users_function_that_fails_is_named_and_the_results_are_kept(method):
    def force(t, motion):
        return [1.0, 0, 0, 0, 0, 0] if t < 0.5 else 1 / 0

    with pytest.raises(lw.ModelError, match="UserForce 'push'.*ZeroDivisionError") as caught:
        lw.transient(pushed_by(force), t=1, h=1e-2, method=method, progress=False)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    kept = caught.value.result
    assert kept.time[-1] <= 0.5
    if not isinstance(method, lw.ODE):  # which looks ahead by steps of its own
        assert kept.time[-1] > 0.3
    np.testing.assert_allclose(kept["body"].position.values[:, 0], kept.time**2 / 2, atol=1e-9)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (dict(t=0, h=1e-3), "t must be later"),
        (dict(t=-1, h=1e-3), "t must be later"),
        (dict(t=1, h=0), "h, the step, must be positive"),
        (dict(t=1, h=-1e-3), "h, the step, must be positive"),
        (dict(t=np.nan, h=1e-3), "t, the end time, must be a finite"),
        (dict(t=1, h=np.inf), "h, the step, must be a finite"),
        (dict(t=1, h=1e-3, every=0), "every must be"),
        (dict(t=1, h=1e-3, tolerance=-1), "tolerance must be positive"),
        (dict(t=1, h=1e-3, method="rk4"), "method must be an integrator"),
        (dict(t=1, h=1e-3, start=3), "start must be a State or a Result"),
        (dict(t=1e12, h=1e-3), "would store .* GB, more than the"),
    ],
)
def test_bad_arguments(words, message):
    with pytest.raises(lw.ModelError, match=message):
        lw.transient(double_pendulum(), **words, progress=False)


@pytest.mark.parametrize(
    "method",
    [
        lambda: lw.GeneralizedAlpha("a"), lambda: lw.GeneralizedAlpha(1.2),
        lambda: lw.GeneralizedAlpha(tolerance=np.nan), lambda: lw.HHT(0.5),
        lambda: lw.HHT(stabilized="no"), lambda: lw.Newmark(0.4), lambda: lw.Newmark(0.6, beta=-1),
        lambda: lw.BDF2(max_iterations=0), lambda: lw.RK4(baumgarte=3),
        lambda: lw.RK4(baumgarte=(-1, 1)), lambda: lw.ODE("Euler"), lambda: lw.ODE(rtol=-1),
    ],
)  # fmt: skip
def test_bad_parameters_of_methods(method):
    with pytest.raises(lw.ModelError):
        method()


def test_a_start_that_is_none_is_refused():
    m = double_pendulum()
    state = lw.assemble(m)
    bad = state.motion.copy()
    bad[0, 0] = np.nan
    for motion, message in (
        (bad, "finite numbers"),
        (state.moved(np.full(12, 0.3)).motion, "start violates joint"),
        (state.motion * 2, "unit quaternions"),
    ):
        with pytest.raises(lw.ModelError, match=message):
            lw.transient(m, t=1, h=1e-2, start=replace(state, motion=motion), progress=False)


def test_an_event_met_exactly_at_a_step_ends_the_run():
    run = lw.transient(
        double_pendulum(), t=1, h=0.125, stop=lambda t, now: t - 0.25, progress=False
    )
    assert run.time[-1] == pytest.approx(0.25, abs=1e-12)


def test_constraint_stiffness_improves_newton():
    """With K_c Newton's method is exact: fewer iterations on a fast spinning, loaded chain."""
    iterations = []
    for stiffness in (1.0, 0.0):
        assembled = assemble_model(double_pendulum())
        method = lw.GeneralizedAlpha(0.8)
        run = ImplicitRun(assembled.system, method, assembled.state, 0.05, None, bool(stiffness))
        total = 0
        for k in range(40):
            t = np.array([0.05 * (k + 1)])
            run.advance(t, np.zeros((1, 0)), np.array([-1]), empty(assembled.full))
            total += int(run.stepper.report[0])
        iterations.append(total)
    assert run.stepper.settings[st.STIFFNESS] == 0.0
    assert iterations[0] < iterations[1]


def test_energy_out_of_nothing_is_told():
    """A fast top at a coarse step: generalized-alpha makes energy, and says so."""
    example = Path(__file__).parent.parent / "examples" / "gyro_top.py"
    m = runpy.run_path(str(example))["build"]()
    with pytest.warns(lw.LinkworkWarning, match="kinetic energy of 'gyro top' rose .* too large"):
        lw.transient(m, t=0.3, h=5e-3, progress=False)
    lw.transient(m, t=0.3, h=5e-4, progress=False)  # a warning here is an error
    lw.transient(m, t=0.3, h=5e-3, method=lw.EnergyMomentum(), progress=False)
