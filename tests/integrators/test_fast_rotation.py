"""The form of the implicit step for fast rotation, and the change to it and back."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pytest
from example_scripts import load_example
from inside import ImplicitRun, assemble_model, evaluate, set_coefficients, step_rows

import linkwork as lw
from linkwork.extend import rotations
from linkwork.integrators.second_order import stepper as sp
from linkwork.integrators.second_order.fast_rotation.momenta import SHARE
from linkwork.integrators.second_order.fast_rotation.step import guess_fast, place_fast


def rod(rate: float) -> lw.Model:
    m = lw.Model("rod", gravity=(0, 0, 0))
    body = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    m.add("pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1), rate=rate))
    return m


def heavy_top(spin: float = 150.0) -> lw.Model:
    """Géradin and Cardona's top, as in Brüls, Cardona, Arnold 2012."""
    m = lw.Model("top", gravity=(0, 0, -9.81))
    inertia = (0.234375, 0.46875, 0.234375)
    spins = (0, spin, -4.61538)
    top = m.add("top", lw.Body(15, inertia, position=(0, 1, 0), angular_velocity=spins))
    m.add("ball", lw.Spherical(lw.GROUND, top, at=(0, 0, 0)))
    return m


def crossed_pendulum(rate: float) -> lw.Model:
    m = lw.Model("crossed", gravity=(0, 0, -9.81))
    a = m.add("a", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.02, mass=1))
    b = m.add("b", lw.Body.link((1, 0, 0), (2, 0, 0), radius=0.02, mass=1))
    m.add("p", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 0, 1), rate=rate))
    m.add("q", lw.Revolute(a, b, at=(1, 0, 0), axis=(0, 1, 0), rate=0.3 * rate))
    return m


# ------------------------------------------------------------------------------------ rod on a pin


def check_rod(turn: float, steps: int, every: int) -> None:
    h = 1e-3
    run = lw.transient(rod(turn / h), t=steps * h, h=h, every=every, progress=False)
    energy = run.energy.kinetic.values
    assert abs(energy / energy[0] - 1).max() < 1e-3
    # positions fix the angle up to whole turns, the stored rates between them count those
    exact = turn * run.time / h
    place = run["rod"].position.values
    lag = np.angle(np.exp(1j * (np.arctan2(place[:, 1], place[:, 0]) - exact)))
    assert abs(lag).max() < min(1e-4 * turn * steps, 1.0)
    spin = np.linalg.norm(run["rod"].angular_velocity.values[-1])
    assert spin == pytest.approx(turn / h, rel=1e-4)


@pytest.mark.parametrize("turn", [0.05, 0.25, 0.3, 1.0])
def test_rod_on_a_pin_turns_at_constant_speed(turn):
    """T = ½ J ω² is constant; index 3 multiplied it by 1e19 from 0.3 rad per step on."""
    check_rod(turn, 2000, 1)


@pytest.mark.slow
def test_rod_on_a_pin_for_a_hundred_thousand_steps():
    check_rod(1.0, 100_000, 10)


# ------------------------------------------------------------------------------------ tops, bodies


def error_of_top(method: lw.GeneralizedAlpha, h: float) -> float:
    exact = (0.1733439641, 0.6400885921, -0.7484907911)  # Brüls, Cardona, Arnold 2012, at 1 s
    run = lw.transient(heavy_top(), t=1, h=h, method=method, every=10**6, progress=False)
    return float(np.abs(run["top"].position.values[-1] - exact).max())


def test_heavy_top_within_a_few_tenths_of_a_millimetre_at_one_millisecond():
    """The prototype's world-momentum forms have 3.2e-4 m, rates in body axes 7.4e-3 m."""
    coarse, fine = (error_of_top(lw.GeneralizedAlpha(), h) for h in (1e-3, 5e-4))
    assert coarse < 3.2e-4
    assert coarse / fine == pytest.approx(4, abs=0.5)
    assert error_of_top(lw.GeneralizedAlpha(stabilized=False), 1e-3) > 10 * coarse


def test_angular_momentum_of_a_tumbling_body_is_kept_to_round_off():
    m = lw.Model("tumbling", gravity=(0, 0, 0))
    m.add("body", lw.Body(1, (0.1, 0.2, 0.3), angular_velocity=(1, 30, 1)))
    run = lw.transient(m, t=2, h=2e-3, progress=False)
    L = run.angular_momentum.values
    # the start's rate of acceleration is found by differences, which leave 1e-10
    assert np.abs(L - L[0]).max() < 1e-9 * np.abs(L[0]).max()
    assert np.abs(L - L[1]).max() < 1e-12 * np.abs(L[0]).max()


def orientation_error(I, w, h: float) -> float:
    """Of a free body after a second, against joint coordinates with a fine step."""
    m = lw.Model("free", gravity=(0, 0, 0))
    m.add("body", lw.Body(1, I, angular_velocity=w))
    exact, found = (
        lw.transient(m, t=1, h=step, method=method, every=10**6, progress=False)["body"]
        .orientation.values[-1]
        for step, method in ((1e-4, lw.Recursive()), (h, lw.GeneralizedAlpha(stabilized=True)))
    )
    return 2 * float(np.sqrt(max(0.0, 1 - (exact @ found) ** 2)))


@pytest.mark.parametrize(
    ("I", "w"), [((0.1, 0.1, 0.2), (3, 3, 100)), ((0.1, 0.15, 0.2), (40, 10, 5))]
)
def test_free_bodies_turn_with_fourth_order(I, w):
    """The trapezoidal rule alone is of second order: 1e-2 rad off where this is by 2e-5."""
    errors = [orientation_error(I, w, h) for h in (4e-3, 2e-3)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.4), errors


def test_a_spinning_projectile_flies_straight():
    m = lw.Model("projectile", gravity=(0, 0, -9.81))
    m.add("body", lw.Body(1, (0.1, 0.2, 0.3), velocity=(10, 0, 0), angular_velocity=(300, 1, 1)))
    run = lw.transient(m, t=1, h=1e-3, progress=False)
    place = run["body"].position.values[-1]
    np.testing.assert_allclose(place, (10, 0, -9.81 / 2), rtol=0, atol=1e-10)


def test_crossed_hinges_at_three_hundred_radians_per_second():
    """Against joint coordinates with a fine step; index 3 is off by more than a metre there."""
    exact = lw.transient(
        crossed_pendulum(300), t=0.1, h=1e-5, method=lw.Recursive(), every=10**6, progress=False
    ).motion[-1, :, :3]
    errors = []
    for h in (1e-3, 5e-4, 2.5e-4):
        run = lw.transient(crossed_pendulum(300), t=0.1, h=h, every=10**6, progress=False)
        errors.append(np.abs(run.motion[-1, :, :3] - exact).max())
    assert errors[0] < 0.05 and errors[1] / errors[2] == pytest.approx(4, abs=0.6), errors


# ------------------------------------------------------------------------------------ its equations


def spinning_disc() -> lw.Model:
    """A compact body, for which the integral of the momentum has more than its trapezoidal rule."""
    m, w, arm = lw.Model("disc"), np.array([30.0, -40.0, 300.0]), np.array([0.1, 0.2, 0.3])
    body = lw.Body(2, (0.3, 0.4, 0.5), position=arm, angular_velocity=w, velocity=np.cross(w, arm))
    m.add("body", body)
    m.add("pin", lw.Spherical(lw.GROUND, body, at=(0, 0, 0)))
    return m


@pytest.mark.parametrize("build", [lambda: crossed_pendulum(300), spinning_disc])
@pytest.mark.parametrize("share", [0.0, 0.6, 1.0])
def test_tangent_of_the_inertia(share, build):
    """∂(M v̇ + f_g)/∂q by central differences on the manifold, in a violated state."""
    h, rng = 1e-3, np.random.default_rng(3)
    assembled = assemble_model(build())
    data = assembled.data
    run = ImplicitRun(
        data, lw.GeneralizedAlpha(stabilized=True), assembled.state, h, None, full=assembled.full
    )
    times = h * np.arange(1, 4)
    nowhere, out = np.full(3, -1), step_rows(assembled.full.system, 0)
    run.advance(times, data.schedule(times), nowhere, out)
    stepper, fast, work, n = run.stepper, run.fast, data.work, data.system.bodies
    guess_fast(data.equations, stepper, fast)
    fast.spins[:, SHARE] = share
    middle = fast.move.copy()
    middle[:, :6] += 1e-3 * rng.normal(size=(n, 6))

    def residual(increment: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        step = increment.reshape(n, 6)
        fast.move[:] = middle
        fast.move[:, :3] += step[:, :3]
        turned = rotations.multiply(
            rotations.exponential(middle[:, 3:6]), rotations.exponential(step[:, 3:])
        )
        fast.move[:, 3:6] = rotations.logarithm(turned)
        work.gamma[:] = 0.0
        place_fast(data.equations, stepper, fast)
        set_coefficients(stepper, work, True)
        values = work.vals.copy()
        evaluate(data.equations, run.time, 1 / stepper.settings[sp.MASS])
        return work.f[:n].ravel().copy(), values

    values = residual(np.zeros(6 * n))[1]
    scale = stepper.settings[sp.CA] * stepper.settings[sp.MASS]
    for b, base in enumerate(data.tables.blocks[:n]):
        block = np.array([values[base + 8 * i : base + 8 * i + 6] for i in range(6)])
        for j in range(6):
            e = np.zeros(6 * n)
            e[6 * b + j] = 1e-6
            found = (residual(e)[0] - residual(-e)[0])[6 * b : 6 * b + 6] / 2e-6 / scale
            np.testing.assert_allclose(block[:, j], found, rtol=0, atol=1e-8 * np.abs(block).max())


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(stabilized=True), lw.BDF2(stabilized=True)])
def test_positions_and_velocities_satisfy_the_joints(method):
    run = lw.transient(crossed_pendulum(100), t=0.1, h=1e-3, method=method, progress=False)
    assert float(run.violation.position.max()) < 1e-9
    assert float(run.violation.velocity[1:].max()) < 1e-6 * 100


# --------------------------------------------------------------------------------- change of form


def swinging(tip: float) -> lw.Model:
    """A rod let go from the horizontal, fast enough below for the other form: h ω ≈ 0.03."""
    m = lw.Model("swing", gravity=(0, 0, -9.81))
    body = m.add("rod", lw.Body.link((0, 0, 0), (tip, 0, 0), radius=0.01, mass=1))
    m.add("pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


def test_a_run_changes_over_and_keeps_its_energy():
    m = swinging(0.4)  # ω = √(3g/l) = 8.6 rad/s below
    h = 0.004
    run = lw.transient(m, t=4, h=h, progress=False)
    energy = run.energy
    assert np.abs(energy.total - energy.total[0]).max() < 2e-4 * np.ptp(energy.kinetic.values)
    both = ImplicitRun(
        (a := assemble_model(m)).data, lw.GeneralizedAlpha(), a.state, h, None, full=a.full
    )
    forms = []
    for k in range(80):
        t = h * np.array([k + 1.0])
        both.advance(t, a.data.schedule(t), np.array([-1]), step_rows(a.full.system, 0))
        forms.append(both.turning)
    assert not forms[0] and forms[-1]


def test_the_way_there_and_back_is_exact():
    """History to momenta and back gives the same accelerations, also the algorithmic ones."""
    a = assemble_model(crossed_pendulum(20))
    run = ImplicitRun(
        a.data, lw.GeneralizedAlpha(stabilized=False), a.state, 1e-3, None, full=a.full
    )
    times = 1e-3 * np.arange(1, 20)
    run.advance(times, a.data.schedule(times), np.full(19, -1), step_rows(a.full.system, 0))
    before = run.stepper.history.copy()
    run._change_form()
    assert np.abs(run.stepper.history - before).max() > 1.0  # other variables
    run._change_form()
    size = np.abs(before).max(axis=(1, 2), keepdims=True)
    assert (np.abs(run.stepper.history - before) / size).max() < 1e-11


@pytest.mark.parametrize("first", [True, False])
def test_second_order_across_the_change(first):
    """From one form to the other halfway, against joint coordinates with a fine step."""
    m = crossed_pendulum(10)
    exact = lw.transient(m, t=0.4, h=1e-4, method=lw.Recursive(), every=10**6, progress=False)
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        a = assemble_model(m)
        method = lw.GeneralizedAlpha(stabilized=first)
        run = ImplicitRun(a.data, method, a.state, h, None, full=a.full)
        times = h * np.arange(1, round(0.4 / h) + 1)
        for part in np.split(times, 2):
            laws, out = a.data.schedule(part), step_rows(a.full.system, 0)
            run.advance(part, laws, np.full(len(part), -1), out)
            run._change_form()
        errors.append(np.abs(run.state().positions - exact.motion[-1, :, :3]).max())
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert orders[-1] == pytest.approx(2, abs=0.25), errors


def test_restart_in_the_fast_form_has_the_same_digits(tmp_path):
    m = heavy_top()
    whole = lw.transient(m, t=0.2, h=1e-3, progress=False)
    first = lw.transient(m, t=0.1, h=1e-3, progress=False)
    first.save(tmp_path / "first.nc")
    rest = lw.transient(m, t=0.2, h=1e-3, start=lw.load(tmp_path / "first.nc"), progress=False)
    assert np.array_equal(rest.motion[-1], whole.motion[-1])


def test_undamped_methods_have_velocities_in_their_constraints():
    """ρ = 1 is unstable in index 3; energy of a planar pendulum at 10 s."""
    for h in (1e-2, 5e-3, 2e-3):
        run = lw.transient(
            swinging(1.0), t=10, h=h, method=lw.GeneralizedAlpha(rho=1.0), every=10, progress=False
        )
        energy = run.energy
        change = np.abs(energy.total - energy.total[0]).max()
        assert change < 10 * h**2 * np.ptp(energy.kinetic.values)


# ------------------------------------------------------------------------- what is told and refused


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.EnergyMomentum(), lw.MS2()])
def test_a_top_that_no_step_resolves_is_refused(method):
    with pytest.raises(lw.ModelError, match=r"body 'top' turns by 100 rad in a step of 0.001 s"):
        lw.transient(heavy_top(1e5), t=0.1, h=1e-3, method=method, progress=False)


def test_large_turns_are_told_once():
    with pytest.warns(lw.LinkworkWarning, match="body 'rod' turns by 1.5 rad in a step") as caught:
        lw.transient(rod(1500.0), t=0.1, h=1e-3, progress=False)
    assert len(caught) == 1 and caught[0].filename == __file__  # where the run was asked for


def test_a_top_that_turns_by_a_radian_in_a_step_is_told_of():
    """Its axis moves by 4 mm, of which a sixth is wrong after 0.1 s (Euler's equations)."""
    with pytest.warns(lw.LinkworkWarning, match="turns by 1 rad .* axis that moves") as caught:
        lw.transient(heavy_top(1e5), t=0.005, h=1e-5, progress=False)
    assert len(caught) == 1 and "take h = 4.9e-06 s" in str(caught[0].message)


def yawing_wheel(turn: float, h: float) -> lw.Model:
    """A wheel on a pin whose carrier is driven about another axis."""
    m = lw.Model("wheel", gravity=(0, 0, 0))
    carrier = m.add("carrier", lw.Body(1, (0.1, 0.1, 0.1)))
    wheel = m.add("wheel", lw.Body(1, (0.02, 0.01, 0.01), position=(0.3, 0, 0)))
    m.add("yaw", lw.Motor(lw.GROUND, carrier, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(2.0)))
    m.add("pin", lw.Revolute(carrier, wheel, at=(0.3, 0, 0), axis=(1, 0, 0), rate=turn / h))
    return m


def test_turns_that_are_resolved_are_not_told_of():
    h, turn = 1e-3, 0.9
    free = lw.Model("free", gravity=(0, 0, 0))
    free.add("body", lw.Body(1, (0.1, 0.2, 0.3), angular_velocity=(0, 0, turn / h)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.transient(free, t=0.2, h=h, progress=False)
        run = lw.transient(yawing_wheel(turn, h), t=0.2, h=h, progress=False)
    torque = np.linalg.norm(run["pin"].torque_world.values, axis=1)  # J ω Ω, of the gyroscope
    assert torque[5:] == pytest.approx(0.02 * turn / h * 2.0, rel=1e-5)


def test_index_three_that_makes_energy_says_so_when_it_fails():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        with pytest.raises(lw.ConvergenceError, match="out of nothing") as caught:
            lw.transient(
                rod(400.0), t=5, h=1e-3, method=lw.GeneralizedAlpha(stabilized=False),
                progress=False,
            )  # fmt: skip
    assert "may lock" not in str(caught.value)


def test_a_crank_on_a_pin_near_its_centre_needs_no_other_form():
    """Andrews' squeezer turns its crank by 0.035 rad in a step; a rod with that changes over."""
    squeezer = load_example("andrews_squeezer").build()
    method = lw.GeneralizedAlpha
    runs = [lw.transient(squeezer, t=0.05, h=2.5e-5, method=method(stabilized=form), progress=False,
                         every=2000) for form in (None, False)]  # fmt: skip
    np.testing.assert_array_equal(runs[0].motion, runs[1].motion)
    runs = [lw.transient(rod(35.0), t=0.1, h=1e-3, method=method(stabilized=form), progress=False)
            for form in (None, True)]  # fmt: skip
    np.testing.assert_array_equal(runs[0].motion, runs[1].motion)


def test_fast_rotation_costs_about_twice_the_smooth_form():
    """CPU time of the best of several runs in turns; some 1.55 times on an idle machine."""
    squeezer, best = load_example("andrews_squeezer").build(), {}
    for trial in range(6):
        for form in (False, True):
            method = lw.GeneralizedAlpha(stabilized=form)
            begin = time.process_time()
            run = lw.transient(
                squeezer, t=0.05, h=2.5e-5, method=method, progress=False, every=2000
            )
            taken = time.process_time() - begin
            best[form] = min(taken, best.get(form, np.inf)) if trial else np.inf
            assert run.arrays["iterations"][-1] <= 2
    assert best[True] < 2.5 * best[False], best
