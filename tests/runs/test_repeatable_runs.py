"""Runs do not depend on the clock, which decides how many steps one call of the method takes."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.motion import time_loop


def in_calls_of(monkeypatch, size, run):
    """A run whose calls take so many steps, but for the first."""
    monkeypatch.setattr(time_loop, "next_chunk", lambda last, spent, most: min(size, most))
    return run()


def falling_chain() -> lw.Model:
    """Five links, on pins and balls by turns, that land one after the other."""
    rng = np.random.default_rng(2)
    m, last, p, links = lw.Model("chain", gravity=(0, 0, -9.81)), None, np.array([0, 0, 0.4]), []
    for k in range(5):
        along, axis = rng.normal(size=(2, 3))
        q = p + 0.1 * along / np.linalg.norm(along) + (0.05, 0, 0.03)
        link = lw.Body.link(p, q, radius=0.01, density=3000, velocity=(0.5, 0.2, 0))
        links.append(m.add(f"link {k}", link))
        if last is not None and k % 2:
            m.add(f"ball {k}", lw.Spherical(last, link, at=p))
        elif last is not None:
            m.add(f"pin {k}", lw.Revolute(last, link, at=p, axis=axis))
        last, p = link, q
    m.add("floor", lw.Contact(links, lw.GROUND, friction=0.4))
    return m


def tumbling_boxes() -> lw.Model:
    m, boxes = lw.Model("boxes", gravity=(0, 0, -9.81)), []
    for k in range(3):
        box = lw.Body.box((0.2, 0.3, 0.1), density=500, position=(0.05 * k, 0, 0.5 + 0.3 * k),
                          velocity=(1, 0, 0), angular_velocity=(3, 2, 1 + k))  # fmt: skip
        boxes.append(m.add(f"box {k}", box))
        m.add(f"floor {k}", lw.Contact(box, lw.GROUND, friction=0.3))
    m.add("each other", lw.Contact(boxes, friction=0.2))
    return m


@pytest.mark.parametrize(
    "build, t, method",
    [(falling_chain, 0.4, lw.GeneralizedAlpha()), (falling_chain, 0.4, lw.MS2()),
     (falling_chain, 0.3, lw.RK4()), (tumbling_boxes, 0.6, lw.GeneralizedAlpha())],
)  # fmt: skip
def test_impacts_have_the_same_digits_however_many_steps_a_call_takes(
    monkeypatch, build, t, method
):
    one, many = (
        in_calls_of(
            monkeypatch, size, lambda: lw.transient(build(), t, 1e-3, method, progress=False)
        )
        for size in (1, 100_000)
    )
    np.testing.assert_array_equal(one.motion, many.motion)


def test_a_run_that_becomes_too_fast_ends_with_the_same_step(monkeypatch):
    """A wheel under a constant torque: with ω = 410 t it turns by more than the 3 rad in a step of
    10 ms that are refused from t = 3/4.1 on, which is in the step to 0.74 s."""
    m = lw.Model("wheel")
    wheel = m.add("wheel", lw.Body(1, (1, 1, 1)))
    m.add("pin", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0)))
    m.add("motor", lw.Torque(wheel, (0, 0, 410)))
    ends = []
    for size in (1, 7, 100_000):
        with pytest.raises(lw.ConvergenceError, match="became too fast") as caught:
            in_calls_of(
                monkeypatch, size, lambda: lw.transient(m, 3, 0.01, lw.RK4(), progress=False)
            )
        ends.append((caught.value.result.time[-1], str(caught.value)))
    assert ends[0] == ends[1] == ends[2]
    assert ends[0][0] == pytest.approx(0.74)
