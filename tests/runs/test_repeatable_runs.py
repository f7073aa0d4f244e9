"""Runs do not depend on the clock, which decides how many steps one call of the method takes."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw


def in_calls_of(monkeypatch, size, run):
    """A run whose calls take so many steps, but for the first."""
    monkeypatch.setenv("LINKWORK_STEPS_PER_CALL", str(size))
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


def blocked_four_bar() -> lw.Model:
    """A motor turns the long crank until the loop is stretched, at 0.56 s."""
    m, z = lw.Model("four-bar", gravity=(0, -9.81, 0)), (0, 0, 1)
    places = [(0, 0, 0), (0, 1, 0), (1.2, 0.7, 0), (1.2, 0, 0)]
    crank, coupler, rocker = (
        m.add(name, lw.Body.link(p, q, radius=0.02, density=7800))
        for name, p, q in zip(("crank", "coupler", "rocker"), places, places[1:])
    )
    m.add("motor", lw.Motor(lw.GROUND, crank, at=places[0], axis=z, angle=lw.ramp(-2)))
    m.add("pin", lw.Revolute(crank, coupler, at=places[1], axis=z))
    m.add("wrist", lw.Revolute(coupler, rocker, at=places[2], axis=z))
    m.add("foot", lw.Revolute(lw.GROUND, rocker, at=places[3], axis=z))
    return m


@pytest.mark.filterwarnings("ignore:.*rows repeat")
@pytest.mark.parametrize(
    "method",
    [lw.GeneralizedAlpha(), lw.MS2(), lw.BDF(), lw.RK4(), lw.Recursive(), lw.Recursive("implicit")],
    ids=repr,
)
def test_counts_of_a_run_that_fails_are_those_of_the_steps_it_kept(monkeypatch, method):
    """Steps of a call that fails are taken once more, and count once."""
    counts = []
    for size in (1, 7, 1000):
        with pytest.raises(lw.ConvergenceError) as caught:
            in_calls_of(
                monkeypatch, size,
                lambda: lw.transient(blocked_four_bar(), 1.5, 0.01, method, progress=False),
            )  # fmt: skip
        result = caught.value.result
        iterations = result.diagnostics["iterations"].values
        assert np.all(iterations >= 0)
        names = ("repairs", "steps_in_pieces", "steps")
        counts.append([*(result.info[name] for name in names), *iterations])
    assert counts[0] == counts[1] == counts[2]
    assert counts[0][1] == 0, "the step that could not be taken in pieces is none of the run"


@pytest.mark.filterwarnings("ignore:.*rows repeat")
def test_iterations_are_those_of_the_last_step_also_where_steps_are_taken_one_by_one():
    """A run that looks for an event stores its steps by itself; joint coordinates count alike."""
    def four_bar():
        m = blocked_four_bar()
        m.remove("motor")
        crank = m["crank"]
        m.add("hinge", lw.Revolute(lw.GROUND, crank, at=(0, 0, 0), axis=(0, 0, 1), rate=-1))
        return m

    for method in (lw.Recursive(), lw.Recursive("implicit"), lw.GeneralizedAlpha()):
        plain = lw.transient(four_bar(), 0.2, 0.005, method, progress=False)
        watched = lw.transient(
            four_bar(), 0.2, 0.005, method, stop=[lambda t, now: 1.0], progress=False
        )
        here, there = (run.diagnostics["iterations"].values[1:] for run in (plain, watched))
        assert here.max() > 0 and here == pytest.approx(there, abs=0)
