"""Rows of N parallelogram four-bars through their flat position, against the pendulum they are.

N + 1 uprights turn by the same angle θ from the vertical and N couplers move along circles, all of
them rods of 1 m and 1 kg: with I = (N + 1)/3 + N and G = g ((N + 1)/2 + N)

    I θ̈ = G sin θ

The last coupler does not turn, so each of its ends carries half of it, f_y = −(a_y + g)/2 on the
last upright, and the moments about that upright's foot give the other part of the force,

    θ̈/3 = (g/2 − f_y) sin θ + f_x cos θ

which grows without limit as the row becomes flat (cos θ → 0): there the loops' rows depend on each
other.
"""

from dataclasses import replace

import numpy as np
import pytest
from example_scripts import load_example
from scipy.integrate import solve_ivp

import linkwork as lw

GRAVITY = 9.81
row_of_four_bars = load_example("n_four_bar").build


def pendulum(n, times):
    """θ, θ̇ and the force at the top of the last upright, (T,), (T,) and (T, 2)."""
    k = GRAVITY * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    angle, rate = solve_ivp(
        lambda t, y: [y[1], k * np.sin(y[0])], (0, times[-1]), [0, 1],
        t_eval=times, method="DOP853", rtol=1e-13, atol=1e-13,
    ).y  # fmt: skip
    s, c = np.sin(angle), np.cos(angle)
    second = k * s
    fy = 0.5 * (second * s + rate**2 * c - GRAVITY)
    fx = (second / 3 - (GRAVITY / 2 - fy) * s) / c
    return angle, rate, np.stack([fx, fy], axis=1)


def run_row(method, n, t, h):
    return lw.transient(row_of_four_bars(n, False), t=t, h=h, method=method, progress=False)


@pytest.mark.parametrize(("n", "h"), [(10, 5e-4), (40, 1e-3)])
def test_energy_momentum_passes_flat_rows(n, h):
    run = run_row(lw.EnergyMomentum(), n, 0.75, h)
    angle, _, force = pendulum(n, run.time)
    assert np.cos(angle).min() < -0.1, "it has passed"
    for k in (0, n // 2, n):
        top = run[f"upright {k}"].point((0, 0.5, 0)).values - (k, 0, 0)
        assert np.abs(top[:, 0] - np.sin(angle)).max() < 10 * h**2
        assert np.abs(top[:, 1] - np.cos(angle)).max() < 20 * h**2
    energy = run.energy.total.values
    assert np.abs(energy / energy[0] - 1).max() < 1e-9
    there = np.abs(np.cos(angle)) > 5e-4  # not where the angle's error of 10 h² is felt
    found = run[f"C{n}"].force.values[:, :2]
    size = np.linalg.norm(force, axis=1)
    assert (np.linalg.norm(found - force, axis=1) < 0.03 * size + 0.01)[there].all()


@pytest.mark.parametrize(
    ("n", "h", "t"), [(2, 1e-3, 3), (2, 1e-2, 3.2), (10, 1e-3, 1.3), (10, 5e-4, 0.8)]
)
@pytest.mark.parametrize("correction", ["semi-analytic", "direct"])
def test_reactions_beside_flat_positions(n, h, t, correction):
    run = run_row(lw.Recursive(correction=correction), n, t, h)
    angle, _, force = pendulum(n, run.time)
    assert np.abs(np.cos(angle)).min() < 4e-3, "a step ends beside the flat position"
    found = run[f"C{n}"].force.values[:, :2]
    size = np.linalg.norm(force, axis=1)
    assert size.max() > 90, "the loop pushes hard there"
    assert np.abs(found - force).max(axis=1).max() < 2e-3 * size.max()
    assert (np.abs(found - force).max(axis=1) < 2e-3 * size + 1e-3).all()
    top = run["upright 0"].point((0, 0.5, 0)).values
    assert np.abs(top[:, 0] - np.sin(angle)).max() < 1e-7 * (h / 1e-3) ** 4
    assert float(run.violation.position.max()) < 1e-10


def turning_row(n, rate):
    """n parallelograms with cranks, couplers and pitch of 1 m, upright at the start, no gravity."""
    m = lw.Model("turning row", gravity=(0, 0, 0))
    z, cranks = (0, 0, 1), []
    for k in range(n + 1):
        crank = m.add(f"crank {k}", lw.Body.link((k, 0, 0), (k, 1, 0), radius=0.02, mass=1))
        m.add(f"pivot {k}", lw.Revolute(lw.GROUND, crank, at=(k, 0, 0), axis=z, rate=rate))
        cranks.append(crank)
    for k in range(n):
        rung = m.add(f"rung {k}", lw.Body.link((k, 1, 0), (k + 1, 1, 0), radius=0.02, mass=1))
        m.add(f"left {k}", lw.Revolute(cranks[k], rung, at=(k, 1, 0), axis=z))
        m.add(f"right {k}", lw.Revolute(rung, cranks[k + 1], at=(k + 1, 1, 0), axis=z))
    return m


@pytest.mark.filterwarnings("ignore:.*are not unique", "ignore:.*singular position")
@pytest.mark.parametrize(("n", "quarter"), [(1, 50), (10, 500), (10, 500.5), (40, 524), (80, 524)])
def test_steps_may_end_in_the_flat_position(n, quarter):
    """Energy-momentum steps turn the row by 2 atan(h ω/2): ω such that so many steps make a quarter
    of a turn, a whole number of them or one whose middle is flat, three times in a run."""
    h = 1e-3
    rate = 2 / h * np.tan(np.pi / 4 / quarter)
    steps = int(5.3 * quarter)
    run = lw.transient(
        turning_row(n, rate), t=steps * h, h=h, method=lw.EnergyMomentum(), progress=False
    )
    angle = np.arange(steps + 1) * np.pi / 2 / quarter
    for k in (0, n // 2, n):
        top = run[f"crank {k}"].point((0, 0, 0.5)).values - (k, 0, 0)
        # a flat row can bend by √ε to either side without opening its loops by more than round-off,
        # and at each of its n loops anew
        assert np.abs(top[:, 0] + np.sin(angle)).max() < 1e-7 * max(10, n)
        assert np.abs(top[:, 1] - np.cos(angle)).max() < 1e-7 * max(10, n)
    energy = run.energy.total.values
    assert np.abs(energy / energy[0] - 1).max() < 1e-9 * max(10, n)  # as the places above
    assert run.info["steps_in_pieces"] <= 3
    assert float(run.violation.position.max()) < 1e-12


@pytest.mark.filterwarnings("ignore:.*are not unique", "ignore:.*singular position")
@pytest.mark.parametrize("seed", range(3))
def test_steps_into_the_flat_position_do_not_depend_on_round_off(seed):
    """Starts that differ in the last place end near each other: where all rows hold to round-off
    Newton's method ends, and does not wander about the double root."""
    n, h, quarter = 40, 1e-3, 524
    m = turning_row(n, 2 / h * np.tan(np.pi / 4 / quarter))
    state, rng = lw.assemble(m), np.random.default_rng(seed)
    motion = state.motion.copy()
    motion[:, 7:] *= 1 + 2e-16 * rng.integers(-2, 3, size=motion[:, 7:].shape)
    steps = int(1.2 * quarter)
    run = lw.transient(
        m, t=steps * h, h=h, method=lw.EnergyMomentum(), start=replace(state, motion=motion),
        progress=False,
    )  # fmt: skip
    angle = np.arange(steps + 1) * np.pi / 2 / quarter
    top = run[f"crank {n}"].point((0, 0, 0.5)).values[:, 0] - n
    assert np.abs(top + np.sin(angle)).max() < 4e-11


@pytest.mark.parametrize(
    ("n", "method"), [(40, lw.Recursive()), (80, lw.EnergyMomentum()), (80, lw.GeneralizedAlpha())],
    ids=repr,
)  # fmt: skip
def test_forces_that_long_rows_cannot_tell_are_told(n, method):
    """At 1.244 s, 1e-4 or 4e-7 m from the flat position, forces of rows so long are off by a tenth
    or by a factor, while the motion is right."""
    h = 5e-4
    with pytest.warns(lw.LinkworkWarning, match="singular position at t = 1.24"):
        run = run_row(method, n, 1.3, h)
    angle, _, force = pendulum(n, run.time)
    found = run[f"C{n}"].force.values[:, :2]
    wrong = np.linalg.norm(found - force, axis=1) > 0.1 * np.linalg.norm(force, axis=1)
    assert wrong.any() and run.time[wrong].min() > 1.2435
    top = run["upright 0"].point((0, 0.5, 0)).values
    assert np.abs(top[:, 1] - np.cos(angle)).max() < 100 * h**2
