"""Balls on height fields: the surface through the heights is smooth."""

import numpy as np
import pytest

import linkwork as lw

R, RADIUS, G = 0.5, 0.02, 9.81


def bowl(friction, start, points=41, velocity=(0, 0, 0)):
    """A marble at rest in a paraboloid z = (x² + y²)/2R, touching it above (start, 0)."""
    side = np.linspace(-0.2, 0.2, points)
    x, y = np.meshgrid(side, side)
    m = lw.Model("bowl", gravity=(0, 0, -G))
    normal = np.array([-start / R, 0, 1]) / np.hypot(1, start / R)
    centre = np.array([start, 0, start**2 / (2 * R)]) + RADIUS * normal
    marble = m.add("marble", lw.Body.sphere(RADIUS, density=2500, position=centre,
                                            velocity=velocity))  # fmt: skip
    ground = {"kind": "heights", "heights": (x**2 + y**2) / (2 * R), "size": (0.4, 0.4)}
    law = lw.laws.HuntCrossley(1e8, damping=20)
    m.add("touch", lw.Contact(marble, lw.GROUND, law=law, friction=friction, ground=ground))
    return m


@pytest.mark.parametrize(("friction", "part"), [(None, 1.0), (0.5, 5 / 7)])
def test_a_marble_swings_as_a_pendulum(friction, part):
    """ω² = g/(R − r), and 5/7 of that where it rolls; along y = 0 it is between triangles."""
    m = bowl(friction, start=0.01)
    period = 2 * np.pi / np.sqrt(part * G / (R - RADIUS))
    run = lw.transient(m, t=2.2 * period, h=1e-3, progress=False)
    x = run["marble"].position.values[:, 0]
    down = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))
    crossing = run.time[down] + 1e-3 * x[down] / (x[down] - x[down + 1])
    np.testing.assert_allclose(np.diff(crossing)[0], period, rtol=2e-3)  # amplitude: 4e-4
    np.testing.assert_allclose(run["marble"].position.values[:, 1], 0, atol=1e-9)


def test_the_path_does_not_depend_on_the_grid():
    """Paraboloids are exact, whatever the distance of the heights."""
    ends = [
        lw.transient(bowl(None, 0.05, points, (0, 0.2, 0)), t=0.5, h=1e-3, progress=False)
        ["marble"].position.values[-1]
        for points in (17, 41)
    ]  # fmt: skip
    np.testing.assert_allclose(ends[0], ends[1], atol=2e-5)


def test_a_marble_with_the_law_of_no_parameters_goes_through_the_bowl():
    """Released from above on the line between two rows of triangles (t = 0.008 once failed)."""
    side = np.linspace(-0.4, 0.4, 41)
    x, y = np.meshgrid(side, side)
    m = lw.Model("bowl", gravity=(0, 0, -G))
    marble = m.add("marble", lw.Body.sphere(RADIUS, density=2500, position=(0.2, 0, 0.062)))
    ground = {"kind": "heights", "heights": (x**2 + y**2) / (2 * R), "size": (0.8, 0.8)}
    m.add("touch", lw.Contact(marble, lw.GROUND, friction=0.3, ground=ground))
    run = lw.transient(m, t=0.5, h=1e-3, progress=False)
    total = run.energy["total"].values
    assert total[-1] <= total[0] * (1 + 1e-3)
    assert run["touch"].gap.min() > -1e-4
