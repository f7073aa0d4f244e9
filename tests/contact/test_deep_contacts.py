"""Laws that are too soft for what hits are told of."""

from __future__ import annotations

import pytest

import linkwork as lw

K, MASS, RADIUS = 1e6, 1.0, 0.1


def balls(speed: float) -> lw.Model:
    """A ball that hits its like with a linear law: they sink by v √(m/2k)."""
    m = lw.Model("balls")
    one = m.add("one", lw.Body.sphere(RADIUS, mass=MASS))
    two = m.add("two", lw.Body.sphere(RADIUS, mass=MASS, position=(0, 0, 0.3),
                                      velocity=(0, 0, -speed)))  # fmt: skip
    m.add("touch", lw.Contact(two, one, law=lw.laws.LinearElastic(K)))
    return m


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.RK4()], ids=repr)
@pytest.mark.parametrize("part", [0.9, 1.1])
def test_balls_that_sink_into_each_other_by_their_radius_are_told(method, part):
    speed = part * RADIUS * (2 * K / MASS) ** 0.5
    end = 0.1 / speed + 2e-3
    if part < 1:
        run = lw.transient(balls(speed), t=end, h=5e-5, method=method, progress=False)
        apart = run["two"].position.values[:, 2] - run["one"].position.values[:, 2]
        assert abs(2 * RADIUS - apart.min() - part * RADIUS) < 0.01 * RADIUS
        return
    with pytest.warns(lw.LinkworkWarning, match="body 'two' and body 'one' are 0.1[01]"):
        lw.transient(balls(speed), t=end, h=5e-5, method=method, progress=False)


def test_a_soft_floor_says_nothing():
    """A plane has no other side: the ball sinks by v √(m/k), deeper than it is wide."""
    m = lw.Model("soft floor")
    ball = m.add("ball", lw.Body.sphere(RADIUS, mass=MASS, position=(0, 0, 0.2),
                                        velocity=(0, 0, -10)))  # fmt: skip
    m.add("touch", lw.Contact(ball, lw.GROUND, law=lw.laws.LinearElastic(1e3)))
    run = lw.transient(m, t=0.1, h=1e-4, progress=False)
    assert abs(float(run["ball"].position.values[:, 2].min()) - RADIUS + 10 / 1e3**0.5) < 1e-3
