"""Published and independently recomputed values: sections 1 and 2 of docs/references.md.

[X] exact or recomputed from the full definition, [V] recomputed and equal to a published value,
[P] published.  The models are those of examples/.

Time runs are extrapolated: the methods are of second order with errors c₂h² + c₃h³ + …, so runs
with h, h/2, h/4 … give the limit h → 0 to many more digits than the last one has.  Tolerances are
the digits of the reference where these are fewer, and otherwise what round-off leaves of the runs
(about 1e-11 of positions over 10⁴ to 10⁵ steps).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from example_scripts import load_example
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import linkwork as lw


def extrapolated(
    model: lw.Model, t: float, h: float, levels: int, measure: Callable[[lw.Result], np.ndarray],
    interval: float | None = None, method: object = None,
) -> np.ndarray:  # fmt: skip
    """The limit h → 0 of what `measure` takes from runs stored every `interval` seconds.

    One form of the step for all of them: the error is a series in h then.
    """
    method = lw.GeneralizedAlpha(stabilized=False) if method is None else method
    steps = [h / 2**k for k in range(levels)]
    values = []
    for step in steps:
        every = round((t if interval is None else interval) / step)
        run = lw.transient(model, t=t, h=step, every=every, method=method, progress=False)
        values.append(measure(run))
    powers = [0, *range(2, levels + 1)]
    V = (np.array(steps)[:, None] / h) ** powers
    return np.tensordot(np.linalg.inv(V)[0], np.array(values), 1)


# ------------------------------------------- 1. tangent stiffness of constraints (Peng et al. 2024)


def test_pendulum_eigenvalues() -> None:
    """Peng et al. 2024, section 4.1 [X]: √(g/L) below, ±√(g/L) and unstable above."""
    build, omega = load_example("pendulum").build, math.sqrt(9.81 / 4)
    low, high = lw.static(build(30)), lw.static(build(150))
    assert low.stable and not high.stable
    assert np.allclose(low["bob"].position, (0, 0, -4), rtol=0, atol=1e-10)
    assert np.allclose(high["bob"].position, (0, 0, 4), rtol=0, atol=1e-10)
    assert np.allclose(
        lw.eigen(build(30), at=low.state).eigenvalues, [1j * omega], rtol=0, atol=1e-10
    )
    above = lw.eigen(build(150), at=high.state)
    assert not above.stable
    assert np.allclose(np.sort_complex(above.eigenvalues), [-omega, omega], rtol=0, atol=1e-10)


@pytest.mark.parametrize(("degrees", "z"), [(80, 4), (85, 4), (95, -4), (100, -4)])
def test_plain_newton_goes_the_wrong_way(degrees: float, z: float) -> None:
    """references.md, section 1 [X]: Newton's method without line search near 90°."""
    found = lw.static(load_example("pendulum").build(degrees), line_search=False)
    assert np.allclose(found["bob"].position, (0, 0, z), rtol=0, atol=1e-9)
    assert found.stable == (z < 0)


def test_horizontal_pendulum_falls_down() -> None:
    """references.md, section 1 [X]: the tangent is singular at 90°, the fallback goes down."""
    found = lw.static(load_example("pendulum").build(90))
    assert found.stable and np.allclose(found["bob"].position, (0, 0, -4), rtol=0, atol=1e-8)


def test_pendulum_without_constraint_stiffness() -> None:
    """Peng et al. 2024, section 4.1 [X]: no stiffness; statics refuses, eigen gives zero."""
    model = load_example("pendulum").build(30)
    with pytest.raises(lw.SingularError, match="without constraint stiffness"):
        lw.static(model, constraint_stiffness=False)
    at = lw.static(model).state
    with pytest.warns(lw.LinkworkWarning, match="stiffness of constraints"):
        modes = lw.eigen(model, at=at, constraint_stiffness=False)
    assert np.all(modes.eigenvalues == 0)


def test_double_wishbone() -> None:
    """Peng et al. 2024, section 4.3: with constraint stiffness the spectrum is met, without not."""
    found = load_example("double_wishbone").main()
    assert abs(found["with"] / found["spectrum"] - 1) < 2e-3  # resolution 1/30 s, Hann's window
    assert abs(found["without"] / found["spectrum"] - 1) > 0.10


# ------------------------------------------------------------------------ 3. rigid mechanisms

A01 = {1: (0.98629175113188, -0.16501085312554), 5: (-0.94230543504376, -0.33475433841400),
       10: (-0.27508746257612, -0.96141920509913)}  # fmt: skip
A01_PERIOD = 2.367841947576237


def simple_pendulum() -> lw.Model:
    m = lw.Model("A01", gravity=(0, -9.81, 0))
    bob = m.add("bob", lw.Body(1, (0, 0, 0), position=(-1, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 0, 1)))
    return m


def test_planar_pendulum() -> None:
    """IFToMM A01 [X]: positions at t = 1, 5, 10."""
    found = extrapolated(
        simple_pendulum(), 10, 4e-3, 5, lambda r: r["bob"].position.values[list(A01), :2], 1
    )
    assert np.allclose(found, list(A01.values()), rtol=0, atol=2e-10)


def test_planar_pendulum_period() -> None:
    """IFToMM A01 [X]: a period and a quarter later the pendulum is at its lowest point."""
    assert abs(A01_PERIOD - 4 * ellipk(0.5) / math.sqrt(9.81)) < 1e-14
    t = 1.25 * A01_PERIOD
    found = extrapolated(simple_pendulum(), t, t / 1000, 5, lambda r: r["bob"].position.values[-1])
    late = found[0] / math.sqrt(2 * 9.81)  # s: how much it misses the place over its speed there
    assert abs(late) < 1e-10 * A01_PERIOD
    assert abs(found[1] + 1) < 1e-12


A02 = {1: (-0.195020301950, -0.980799205662), 5: (-0.811310461002, -0.584615545353),
       10: (0.328458111535, 0.944518538181)}  # fmt: skip


def first_upper_joint(run: lw.Result) -> np.ndarray:
    return run["upright 0"].point((0, 0.5, 0)).values[list(A02), :2]


def test_n_four_bar() -> None:
    """IFToMM A02, N = 2 [V]: B0 after passing the flat singular position, in the plane."""
    model = load_example("n_four_bar").build(2, spatial=False)
    check_n_four_bar(extrapolated(model, 10, 4e-3, 5, first_upper_joint, 1))


def check_n_four_bar(found: np.ndarray) -> None:
    """Eleven digits before the singular position; passing it twice multiplies errors.

    How much depends on how near a step comes to the singular position: 1e-10 to 4e-10 was seen.
    """
    error = np.abs(found - list(A02.values())).max(axis=1)
    assert np.all(error < [2e-11, 1e-9, 1e-9]), error


def test_n_four_bar_in_space() -> None:
    """IFToMM A02, N = 2 [V]: with hinges in space, six redundant rows."""
    model = load_example("n_four_bar").build(2, spatial=True)
    with pytest.warns(lw.LinkworkWarning, match="3 of its 5 rows repeat"):
        check_n_four_bar(extrapolated(model, 10, 4e-3, 5, first_upper_joint, 1))


def test_andrews_squeezer() -> None:
    """IVP test set, Andrews [V to 1e-10]: seven angles at 0.03 s, crank end at 0.01 … 0.05 s."""
    example = load_example("andrews_squeezer")

    def measure(run: lw.Result) -> np.ndarray:
        F = example.crank_end(run)[[10, 30, 50]]
        return np.concatenate([example.angles(run)[30], F.ravel()])

    found = extrapolated(example.build(), 0.05, 2e-5, 4, measure, 0.001)
    angles = (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
              0.5244099658805304, 0.5347301163226948, 1.048080741042263)  # fmt: skip
    crank = (-3.890552388649e-3, 5.819244118541e-3, -6.963039427e-3, -7.183884307e-4,
             -5.208504722e-3, 4.676695260e-3)  # fmt: skip
    assert np.allclose(found[:7], angles, rtol=1e-10, atol=3e-11)
    assert np.allclose(found[7:], crank, rtol=0, atol=2e-12)
    assert np.allclose(found[7:9], crank[:2], rtol=0, atol=1e-14)


def test_five_bar() -> None:
    """references.md, section 2 [X]: equilibrium to eight digits, frequencies to six."""
    example = load_example("five_bar")
    eq = lw.static(example.model)
    assert eq.stable
    for rod, point in ("AC", "C"), ("CD", "C"), ("CD", "D"), ("DE", "D"), ("DE", "E"), ("EB", "E"):
        place = np.array(example.POINTS[point]) - example.model[rod].position
        assert np.allclose(eq[rod].point(place)[:2], example.REFERENCE[point], rtol=0, atol=6e-9)
    modes = lw.eigen(example.model, at=eq.state)
    assert np.allclose(modes.eigenvalues, [3.284544j, 7.126232j], rtol=0, atol=6e-7)


@pytest.mark.parametrize("stabilized", [False, True])
def test_heavy_top(stabilized: bool) -> None:
    """Géradin and Cardona; Brüls, Cardona, Arnold 2012 [V]: centre of mass at 0.2, 1, 2 s."""
    reference = [(0.6055505614, 0.5989576818, -0.5239830274),
                 (0.1733439641, 0.6400885921, -0.7484907911),
                 (-0.1504168227, -0.7241655916, -0.6730222696)]  # fmt: skip
    found = extrapolated(
        load_example("heavy_top").build(), 2, 2e-4, 4,
        lambda r: r["top"].position.values[[1, 5, 10]], 0.2,
        lw.GeneralizedAlpha(0.9, stabilized=stabilized),
    )  # fmt: skip
    assert np.allclose(found, reference, rtol=0, atol=3e-10)


def spin_after(t: float, steps: int) -> np.ndarray:
    return extrapolated(
        load_example("free_body").build(), t, t / steps, 4,
        lambda r: r["body"].angular_velocity.values[-1],
    )  # fmt: skip


def test_free_body() -> None:
    """Dzhanibekov [X]: angular velocity at 10 s, and the same a period later.

    Turning over multiplies round-off by about 100 (it starts 0.01 off an unstable axis).
    """
    period = 39.10573419728772
    at_10, later = spin_after(10, 1000), spin_after(10 + period, 2500)
    assert np.allclose(at_10, (-0.87457344, 0.48499619, 0.50500122), rtol=0, atol=5.1e-9)
    assert np.allclose(later, at_10, rtol=0, atol=2e-9)  # a period wrong by 5e-9 s would show
    assert np.allclose(spin_after(period, 2500), (0.01, 1, 0.01), rtol=0, atol=2e-10)


@pytest.mark.parametrize(("factor", "stable"), [(1 - 1e-6, False), (1 + 1e-6, True)])
def test_sleeping_top(factor: float, stable: bool) -> None:
    """Lagrange's top [X]: stable if and only if Ia ω > 2 √(m g h It)."""
    assert abs(2 * math.sqrt(0.01 * 9.81 * 0.04 * 0.000316) / 0.0004 - 5.56772844) < 5e-9
    assert lw.eigen(load_example("sleeping_top").build(5.56772844 * factor)).stable == stable


ROTOR = {
    0: [0, -0.00031926 + 0.79907783j, -0.00031926 + 0.79907783j, -0.00033333 + 0.81649651j,
        -0.00806233 + 4.01554495j, -0.00806233 + 4.01554495j, -5 + 99.87492178j],
    1: [0, -0.00031871 + 0.79755506j, -0.00031982 + 0.80037855j, -0.00033333 + 0.81649651j,
        -0.00654268 + 3.31861819j, -0.00958199 + 4.86019624j, -5 + 99.87492178j],
}  # fmt: skip


@pytest.mark.parametrize("spin", ROTOR)
def test_rotor_and_stator(spin: int) -> None:
    """references.md, section 2 [X]: spin splits the tilting frequencies; all modes, all digits."""
    modes = lw.eigen(load_example("rotor_stator").build(spin))
    assert np.allclose(modes.eigenvalues.real, np.real(ROTOR[spin]), rtol=0, atol=5.1e-9)
    assert np.allclose(modes.eigenvalues.imag, np.imag(ROTOR[spin]), rtol=0, atol=5.1e-9)


def falling_bar(at: tuple, axis: tuple) -> np.ndarray:
    """Centre of mass, force and torque on the ground at t = 1 s, from the equation of motion."""
    n = np.array(axis) / np.linalg.norm(axis)
    u, g = np.array([2.0, 0, 0]), np.array([0, 0, -9.80665])
    J = np.diag([0.04, 0.1, 0.1])
    about_axis = n @ J @ n + u @ u - (u @ n) ** 2

    def turn(angle: float) -> np.ndarray:
        N = np.cross(np.eye(3), n)
        return np.eye(3) + math.sin(angle) * N + (1 - math.cos(angle)) * N @ N

    def acceleration(angle: float) -> float:
        return float(n @ np.cross(turn(angle) @ u, g)) / about_axis

    end = solve_ivp(
        lambda _, y: [y[1], acceleration(y[0])], (0, 1), [0, 0], method="DOP853", rtol=1e-13,
        atol=1e-14,
    ).y[:, -1]  # fmt: skip
    R, w, wdot = turn(end[0]), end[1] * n, acceleration(end[0]) * n
    r, J = R @ u, R @ J @ R.T
    force = np.cross(wdot, r) + np.cross(w, np.cross(w, r)) - g
    torque = J @ wdot + np.cross(w, J @ w) + np.cross(r, force)
    return np.array([at + r, -force, -torque])


BAR = {
    "about y": (
        (0, 0, 0), (0, 1, 0),
        [(-0.89238149, 0, -1.78987577), (-11.46123757, 0, -23.22732763), (0, 0, 0)],
        [5.1e-9, 5.1e-9, 1e-9],
    ),
    # five digits of the published forces agree with the equation of motion
    "inclined": (
        (1, 2, 3), (0, 1, 1),
        [(1.04210, 3.41390, 1.58610), (0.427164, 9.56081, -19.3673),
         (-13.8654, 0.206446, -0.206446)],
        [5.1e-6, 5e-4, 2.5e-4],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAR)
def test_bar_on_one_joint(case: str) -> None:
    """Chrono's revolute joint tests, by ADAMS [V/P]; and the equation of motion, to 1e-9 [X]."""
    at, axis, reference, digits = BAR[case]
    found = extrapolated(
        load_example("bar_on_one_joint").build(at, axis), 1, 2e-3, 4,
        lambda r: np.array([
            r["bar"].position.values[-1], -r["hinge"].force_world.values[-1],
            -r["hinge"].torque_world.values[-1],
        ]),
        method=lw.GeneralizedAlpha(0.8, stabilized=True, tolerance=1e-12),
    )  # fmt: skip
    for value, expected, tolerance in zip(found, reference, digits):
        assert np.allclose(value, expected, rtol=0, atol=tolerance)
    assert np.allclose(found, falling_bar(at, axis), rtol=0, atol=1e-9)
