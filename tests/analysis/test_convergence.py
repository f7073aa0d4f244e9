"""lw.convergence: the error of a run, the step that would do, and how fast errors grow."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw

G = 9.81


def rods(n: int) -> lw.Model:
    """n thin rods of 1 m and 1 kg in a plane, horizontal at rest."""
    m = lw.Model(f"{n} rods", gravity=(0, -G, 0))
    last = lw.GROUND
    for k in range(n):
        body = lw.Body(1.0, (1e-9, 1 / 12, 1 / 12), position=(k + 0.5, 0, 0))
        rod = m.add(f"rod {k}", body)
        m.add(f"pin {k}", lw.Revolute(last, rod, at=(k, 0, 0), axis=(0, 0, 1)))
        last = rod
    return m


def pendulum_angle(times):
    """Of one rod, from its equation 1/3 a'' = -g/2 cos a."""
    run = solve_ivp(lambda t, y: [y[1], -1.5 * G * np.cos(y[0])], (0, times[-1]), [0, 0],
                    t_eval=times, rtol=1e-12, atol=1e-13)  # fmt: skip
    return run.y[0]


# one form of the step throughout: the default may change it from one step size to the next
STABILIZED = lw.GeneralizedAlpha(stabilized=True)


@pytest.mark.parametrize("method, order", [(STABILIZED, 2), (lw.Recursive(), 4), (lw.BDF2(), 2)])
def test_error_and_order_are_those_of_the_exact_solution(method, order):
    found = lw.convergence(rods(1), t=2, h=0.01, method=method, accuracy=0.3)
    run = found.runs[0]
    exact = pendulum_angle(run.time)
    error = np.maximum.accumulate(np.abs(run["pin 0"].angle.values - exact))
    assert found.order == pytest.approx(order, abs=0.2)
    assert found.verdict == "accurate"
    # positions over the size (1 m) err by half as much as angles: the angle decides
    assert found.error[-1] == pytest.approx(error[-1], rel=0.05)


def test_the_step_it_names_has_the_accuracy():
    found = lw.convergence(rods(1), t=4, h=0.02, accuracy=2e-3)
    assert found.verdict == "coarse"
    assert found.known_until < 4
    run = lw.transient(rods(1), t=4, h=found.step, progress=False)
    error = np.abs(run["pin 0"].angle.values - pendulum_angle(run.time)).max()
    assert 0.3 * 2e-3 < error < 2e-3  # small enough, and not needlessly small


def test_phases_that_fall_behind_are_coarse_not_chaotic():
    m = lw.Model("rotor", gravity=(0, 0, 0))
    rod = m.add("rod", lw.Body(1.0, (1e-9, 1 / 12, 1 / 12), position=(0.5, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 0, 1), rate=100))
    found = lw.convergence(m, t=5, h=2e-3, method=lw.EnergyMomentum())
    assert found.verdict == "coarse"  # though the phase is lost by more than a radian
    run = lw.transient(m, t=5, h=found.step, method=lw.EnergyMomentum(), progress=False)
    assert abs(run["pin"].angle.values[-1] - 500) < 0.01


def double_pendulum(t, y):
    """Two rods of 1 m and 1 kg: angles a, b from the horizontal, upwards, and their rates."""
    a, b, u, v = y
    c, s = np.cos(a - b), np.sin(a - b)
    mass = np.array([[4 / 3, c / 2], [c / 2, 1 / 3]])
    load = [-s * v * v / 2 - 1.5 * G * np.cos(a), s * u * u / 2 - 0.5 * G * np.cos(b)]
    return np.array([u, v, *np.linalg.solve(mass, load)])


def doubling_time_of_small_differences(until: float) -> float:
    """Mean time of the variational equation from 1 to its size at the end, differences of 1e-7."""
    tiny = 1e-7

    def both(t, y):
        slope = double_pendulum(t, y[:4])
        ahead = double_pendulum(t, y[:4] + tiny * y[4:])
        return [*slope, *((ahead - double_pendulum(t, y[:4] - tiny * y[4:])) / (2 * tiny))]

    times = np.linspace(0, until, 400)
    run = solve_ivp(both, (0, until), [0, 0, 0, 0, 0.6, -0.8, 0, 0], t_eval=times, rtol=1e-9,
                    atol=1e-11, max_step=0.01)  # fmt: skip
    grown = np.log2(np.linalg.norm(run.y[4:], axis=0))
    return float(1 / np.polyfit(times, grown, 1)[0])


def test_errors_of_a_double_pendulum_double_as_the_variational_equation_says():
    found = lw.convergence(rods(2), t=30, h=2e-3, method=lw.Recursive())
    assert found.verdict == "chaotic"
    expected = doubling_time_of_small_differences(found.known_until)
    # both are means over a time in which the rate varies
    assert found.doubling_time == pytest.approx(expected, rel=0.4)
    finer = lw.convergence(rods(2), t=30, h=1e-3, method=lw.Recursive())
    assert finer.known_until > found.known_until
    assert np.isnan(found.step)
    assert "errors double every" in str(found)


def test_no_step_is_named_for_a_whip_that_is_lost():
    """Crossed hinges that crack: a run with half the step is lost as well."""
    m = lw.Model("whip", gravity=(0, -7.848, -5.886))
    last = lw.GROUND
    for k in range(30):
        link = m.add(f"link {k}", lw.Body(0.1, (1e-6, 1e-3 / 12, 1e-3 / 12),
                                          position=(0.1 * k + 0.05, 0, 0)))  # fmt: skip
        axis = (0, 1, 0) if k % 2 else (0, 0, 1)
        m.add(f"hinge {k}", lw.Revolute(last, link, at=(0.1 * k, 0, 0), axis=axis))
        last = link
    found = lw.convergence(m, t=3, h=1e-3)
    assert found.error[-1] > 1  # rad
    assert found.verdict == "chaotic" and np.isnan(found.step)
    assert lw.convergence(m, t=3, h=5e-4).error[-1] > 0.1


def test_a_step_that_meets_nothing_is_round_off():
    m = lw.Model("rest", gravity=(0, 0, 0))
    m.add("ball", lw.Body(1, (1, 1, 1)))
    found = lw.convergence(m, t=1, h=0.1)
    assert found.verdict == "accurate" and np.isnan(found.order)
    assert found.step == 0.1


@pytest.mark.parametrize("words, message", [
    ({"accuracy": 0}, "accuracy of convergence must be"),
    ({"h": -1}, "h, the step, must be"),
    ({"every": 0.5}, "every must be"),
])  # fmt: skip
def test_wrong_parameters_are_named(words, message):
    with pytest.raises(lw.LinkworkError, match=message):
        lw.convergence(rods(1), **{"t": 1, "h": 0.1, **words})
