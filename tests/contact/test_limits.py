"""limits= of joints: the stop that they stand for."""

import numpy as np
import pytest

import linkwork as lw

G = 9.81


def pendulum(**words):
    m = lw.Model("pendulum", gravity=(0, 0, -G))
    rod = m.add("rod", lw.Body(2.0, (0.2, 0.2, 0.01), position=(0.5, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), **words))
    return m


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.Recursive(), lw.RK4()], ids=repr)
def test_a_pendulum_comes_to_rest_at_its_upper_limit(method):
    """It falls about y, by positive angles, to 1 rad, where its weight holds it."""
    m = pendulum(limits=(-0.5, 1.0))
    run = lw.transient(m, t=4, h=5e-4, method=method, progress=False)
    angle = run["pin"].angle.values
    J = 0.2 + 2 * 0.25
    arrives = np.sqrt(2 * 2 * G * 0.5 * np.sin(1.0) / J)
    fast = 1.5 / 0.1
    # the depth goes with the speed to the power 4/5; damping makes it less
    assert 0.1 * 0.03 < angle.max() - 1.0 < 0.03 * (arrives / fast) ** 0.8
    assert abs(run["pin"].rate.values[-1]) < 0.05
    assert angle[-1] == pytest.approx(1.0, abs=0.01)
    # what holds it there is the moment of its weight
    assert run["pin_stop"].torque.values[-1] == pytest.approx(-2 * G * 0.5 * np.cos(1), rel=0.02)


def test_a_slide_bounces_between_its_limits():
    m = lw.Model("slide")
    body = m.add("body", lw.Body(3.0, (1, 1, 1), velocity=(0, 0, 2.0)))
    rail = lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1), limits=(-0.2, 0.3))
    m.add("rail", rail)
    run = lw.transient(m, t=1, h=2e-4, progress=False)
    place = run["rail"].displacement.values
    assert place.max() < 0.3 + 0.02 * 0.5 and place.min() >= -0.2 - 0.02 * 0.5
    speed = run["rail"].speed.values
    assert speed.min() < -0.1 and abs(speed[-1]) < 2.0


def test_limits_are_a_stop_of_the_model():
    m = pendulum(limits=(None, 1.0))
    stop = m["pin_stop"]
    assert isinstance(stop, lw.Stop) and stop.joint is m["pin"]
    assert (stop.lower, stop.upper) == (None, 1.0)
    with pytest.raises(lw.ModelError, match=r"change model\['pin_stop'\]"):
        m["pin"].limits = (0, 1)


@pytest.mark.parametrize("limits, words", [
    (1.0, r"must be \(lower, upper\)"), ((1.0, 0.5), "is not below"), ((None, None), "must be"),
    ((0, np.nan), "limits of"), (("a", 1), "limits of"),
])  # fmt: skip
def test_bad_limits_are_refused(limits, words):
    with pytest.raises(lw.ModelError, match=words):
        pendulum(limits=limits)


def test_joints_with_two_motions_ask_for_a_stop():
    body = lw.Body(1, (1, 1, 1))
    for joint in (lw.Cylindrical, lw.Spherical, lw.Fixed):
        with pytest.raises(lw.ModelError, match="add lw.Stop"):
            joint(lw.GROUND, body, at=(0, 0, 0), limits=(0, 1))
