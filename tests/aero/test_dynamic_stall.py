"""Sections with two states and with dynamic stall.

Against Wagner's function and C(k), Kirchhoff's curve, and the equations of Hansen, Gaunaa and
Madsen (2004) as they print them, integrated by SciPy.
"""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_lifting_surfaces import held, theodorsen

import linkwork as lw
from linkwork.elements.aero.airfoils.separation import separation

SPEED, CHORD = 30.0, 0.5


def attached_part(alpha):
    """Leishman and Beddoes' fit of f for the NACA 0012 at M = 0.3: break at 15.25°."""
    a = np.abs(np.degrees(alpha))
    return np.where(a <= 15.25, 1 - 0.3 * np.exp((a - 15.25) / 3.0),
                    0.04 + 0.66 * np.exp((15.25 - a) / 2.3))  # fmt: skip


def kirchhoff():
    """An airfoil whose static lift is Kirchhoff's with that separation."""
    alpha = np.radians(np.arange(-40.0, 40.5, 0.5))
    slope = 2 * np.pi
    lift = slope * alpha * ((1 + np.sqrt(attached_part(alpha))) / 2) ** 2
    drag = 0.01 + 0.4 * (1 - attached_part(alpha))
    return lw.Airfoil.polar(alpha, lift, drag, -0.1 * np.sign(alpha) * (1 - attached_part(alpha)),
                            degrees=False, title="Kirchhoff")  # fmt: skip


def pitching(model, mean, swing, k, foil, turns=3, steps=400):
    """A wing that pitches about its quarter chord; the last turn: times, outputs."""
    omega = 2 * SPEED * k / CHORD
    period = 2 * np.pi / omega
    m = lw.Model("pitching")
    m.air = lw.Air(density=1.2, velocity=(SPEED, 0, 0))
    wing = m.add("wing", lw.Body(1, (1, 1, 1)))
    motor = lw.expression(f"{mean} + {swing}*sin({omega}*t)")
    m.add("motor", lw.Motor(lw.GROUND, wing, at=(0, 0, 0), axis=(0, 1, 0), angle=motor))
    m.add("foil", lw.LiftingSurface(
        wing, CHORD, foil, (0, -0.5, 0), (0, 0.5, 0), points=1, model=model,
    ))  # fmt: skip
    run = lw.transient(m, turns * period, period / steps, progress=False)
    return run, slice(-steps, None), omega


@pytest.mark.parametrize("model", ["wagner", "dynamic stall"])
def test_step_response_is_wagners_function(model):
    air = lw.Air(density=1.0, velocity=(2.0, 0, 0))  # b/U = 0.5 s: τ = 2 t
    m = held(chord=2.0, air=air, model=model, control=lambda t: 0.01 * (t > 0), points=1)
    run = lw.transient(m, 10.0, 5e-4, progress=False, every=10)
    for t, value in ((0.5, 0.5942), (1.0, 0.6655), (2.5, 0.7938), (5, 0.8786), (10, 0.9328)):
        k = int(np.argmin(np.abs(run.time - t)))
        # the step begins somewhere within the first one of the run
        assert run["wing"].alpha.values[k, 0] / 0.01 == pytest.approx(value, abs=1e-3)


@pytest.mark.parametrize("model", ["wagner", "dynamic stall"])
@pytest.mark.parametrize("k", [0.1, 0.5])
def test_attached_flow_is_theodorsens_without_the_terms_of_accelerations(model, k):
    """c_l = 2π C(k) (α + ωb/U) + π b ω/U, c_m = −π b ω/2U at the quarter chord."""
    swing = 0.01
    run, last, omega = pitching(model, 0.0, swing, k, lw.Airfoil.flat_plate(), turns=10)
    phase = np.exp(-1j * omega * run.time[last])
    found = [2j * np.mean(run["foil"].numbers(n)[last, 0] * phase) / swing for n in ("cl", "cm")]
    rate = 1j * k  # b ω/U over the amplitude
    lift = 2 * np.pi * theodorsen(k, 1) * (1 + rate) + np.pi * rate
    assert abs(found[0] - lift) < 2e-3 * abs(lift)  # steps of a 400th of the period; start decays
    assert abs(found[1] + np.pi * rate / 2) < 2e-3 * abs(rate)


def test_separation_is_that_which_made_the_lift():
    foil = kirchhoff()
    found = separation(foil.lift.alpha, foil.lift.values[:, 0], (foil.drag.alpha,
                       foil.drag.values[:, 0]), 2 * np.pi)  # fmt: skip
    within = np.abs(found.alpha) < np.radians(25)
    np.testing.assert_allclose(found.attached[within], attached_part(found.alpha[within]),
                               atol=2e-3)  # fmt: skip
    assert found.zero == 0.0 and found.drag == pytest.approx(foil.cd(0.0))


@pytest.mark.parametrize("degrees", [-12.0, 4.0, 14.0, 17.0, 24.0, 35.0])
def test_at_rest_it_is_the_static_table(degrees):
    foil, alpha = kirchhoff(), math.radians(degrees)
    wing = lw.static(held(foil, twist=alpha, model="dynamic stall", points=1), progress=False)
    for word in ("cl", "cd", "cm"):
        expected = getattr(foil, word)(alpha)
        assert wing["wing"].numbers(word)[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def published(mean, swing, omega, times, foil):
    """Equations 1 to 4 and 12 of Hansen, Gaunaa and Madsen: lift, with their states x₁ … x₄."""
    slope, T = foil.lift_slope(), CHORD / (2 * SPEED)
    A, b, Tp, Tf = (0.165, 0.335), (0.0455, 0.3), 1.7 * T, 3.0 * T

    def motion(t):
        return mean + swing * math.sin(omega * t), swing * omega * math.cos(omega * t)

    def parted(alpha):
        r = foil.cl(alpha) / (slope * alpha) if abs(alpha) > 1e-12 else 1.0
        return (2 * math.sqrt(min(max(r, 0.25), 1.0)) - 1) ** 2

    def effective(t, x):
        alpha, rate = motion(t)
        at = math.atan2(SPEED * math.sin(alpha) + rate * CHORD / 2, SPEED * math.cos(alpha))
        return at * (1 - sum(A)) + x[0] + x[1], at, rate

    def rates(t, x):
        E, at, rate = effective(t, x)
        pressure = slope * E + math.pi * T * rate * slope / (2 * math.pi)
        return [b[0] / T * (A[0] * at - x[0]), b[1] / T * (A[1] * at - x[1]),
                (pressure - x[2]) / Tp, (parted(x[2] / slope) - x[3]) / Tf]  # fmt: skip

    start = [0.0, 0.0, 0.0, 1.0]  # of the body as it is described, level in the wind
    found = solve_ivp(rates, (0, times[-1]), start, t_eval=times, rtol=1e-9, atol=1e-11).y.T
    lift = []
    for t, x in zip(times, found):
        E, _, rate = effective(t, x)
        f, static = parted(E), foil.cl(E)
        free = static / 2 if f > 1 - 1e-9 else (static - slope * E * f) / (1 - f)
        lift.append(slope * E * x[3] + free * (1 - x[3]) + slope / 2 * T * rate)
    return np.array(lift)


def test_stall_of_a_pitching_wing_is_that_of_the_published_equations():
    foil = kirchhoff()
    mean, swing = math.radians(10), math.radians(10)
    run, _, omega = pitching("dynamic stall", mean, swing, 0.1, foil, turns=2)
    expected = published(mean, swing, omega, run.time, foil)
    found = run["foil"].cl.values[:, 0]
    # tables of separation are linear over half degrees, and the steps are a 400th of the period
    np.testing.assert_allclose(found, expected, atol=4e-3)


def test_stall_comes_late_and_flow_attaches_late():
    """The published picture: lift above the static maximum on the way up, below the static curve
    on the way down, and more of both the faster it pitches."""
    foil = kirchhoff()
    highest = max(foil.cl(math.radians(a)) for a in np.arange(0, 25, 0.25))
    peaks, losses = [], []
    for k in (0.02, 0.1):
        run, last, _ = pitching("dynamic stall", math.radians(12), math.radians(8), k, foil)
        cl, alpha = run["foil"].cl.values[last, 0], run["motor"].angle.values[last]
        peaks.append(cl.max())
        down = np.gradient(alpha) < 0
        static = np.array([foil.cl(a) for a in alpha])
        losses.append((static - cl)[down].max())
    assert highest < peaks[0] < peaks[1] and 0.02 < losses[0] < losses[1]


def test_two_states_flutter_near_the_six_where_the_wing_is_heavy():
    """The typical section at a mass ratio of 200: apparent mass is half a percent of the wing."""
    def section(model):
        def build(speed):
            m = lw.Model("section")
            m.air = lw.Air(density=1.2, velocity=(speed, 0, 0))
            mass = 200 * math.pi * 1.2 * 0.25**2
            inertia = (1, 0.24 * mass * 0.25**2, 1)
            foil = m.add("foil", lw.Body(mass, inertia, position=(0.025, 0, 0)))
            pivot = lw.Frame(foil, (-0.025, 0, 0))
            m.add("guide", lw.Lock(lw.GROUND, pivot, rows="x y rx rz"))
            k = mass * 0.24 * 0.25**2 * 50**2
            m.add("springs", lw.Bushing(lw.GROUND, pivot,
                                        stiffness=[1, 1, mass * 20**2, 1, k, 1]))  # fmt: skip
            m.add("wing", lw.LiftingSurface(
                foil, 0.5, lw.Airfoil.flat_plate(), (0, -0.5, 0), (0, 0.5, 0),
                aerodynamic_centre=0.075, points=1, model=model,
            ))  # fmt: skip
            return m

        return lw.flutter(build, np.linspace(20, 160, 8), n=2, progress=False).flutter_speed

    speeds = [section(model) for model in ("theodorsen", "wagner")]
    assert speeds[1] == pytest.approx(speeds[0], rel=0.02)


@pytest.mark.parametrize("words, says", [
    ({"lags": 2}, "lags of a LiftingSurface must be two numbers"),
    ({"lags": (1, 0)}, "lags of a LiftingSurface must be positive"),
    ({"model": "bielawa"}, "quasi-steady"),
])  # fmt: skip
def test_bad_parameters_are_refused(words, says):
    with pytest.raises(lw.ModelError, match=says):
        held(**{"model": "dynamic stall", **words})


def test_an_airfoil_without_lift_cannot_stall():
    with pytest.raises(lw.ModelError, match="whose lift does not grow"):
        held(lw.Airfoil.flat_plate(slope=0.0, drag=0.1), model="dynamic stall")
