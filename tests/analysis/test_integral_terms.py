"""Small motions with integral terms of loads, and what they cannot know of the past."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

KP, KI, KD, PUSH = 4.0, 20.0, 2.0, 0.5


def cart(drive, share=(1.0,), push=0.0):
    """A cart of 1 kg on a rail under shares of one drive of its place and speed."""
    m = lw.Model("cart")
    body = m.add("cart", lw.Body(1.0, (1, 1, 1)))
    m.add("rail", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=(1, 0, 0)))
    force = drive(lw.reads(body, "position", "x"), lw.reads(body, "velocity", "x"))
    for k, part in enumerate(share):
        m.add(f"part {k}", lw.Force(body, (1, 0, 0), drive=part * force))
    m.add("push", lw.Force(body, (1, 0, 0), drive=push))
    return m


def pid(ki, **words):
    return lambda x, v: lw.PID(-1 * x, KP, ki, KD, rate=-1 * v, **words)


INTEGRALS = {  # the coefficients of s³ + k_d s² + k_p s + k_i
    "integral": (lambda x, v: -KP * x - KD * v - KI * lw.integral(x), [1, KD, KP, KI]),
    "PID": (pid(KI), [1, KD, KP, KI]),
    "PID within limits": (pid(3.0, limits=(-5, 5)), [1, KD, KP, 3]),
    "PD": (pid(0.0), [1, KD, KP]),
    "twice": (lambda x, v: -KP * x - KD * v - 3 * lw.integral(lw.integral(x)), [1, KD, KP, 0, 3]),
    "rate limit": (lambda x, v: lw.rate_limit(-KP * x - KD * v, 100), [1, KD, KP]),
}


def whole(values):
    """Eigenvalues with the conjugates that are left out, in order."""
    values = np.asarray(values)
    return np.sort_complex(np.append(values, np.conj(values[values.imag > 0])))


@pytest.mark.parametrize("share", [(1.0,), (0.25, 0.75)], ids=["one load", "two loads"])
@pytest.mark.parametrize("name", INTEGRALS)
def test_eigenvalues_of_loads_that_integrate(name, share):
    """Roots of the characteristic polynomial; the user's model stays as it is."""
    drive, polynomial = INTEGRALS[name]
    m = cart(drive, share)
    items = list(m.items)
    exact = np.sort_complex(np.roots(polynomial))
    np.testing.assert_allclose(whole(lw.eigen(m).eigenvalues), exact, atol=1e-9)
    space = lw.linearize(m, inputs=["push"], outputs=["rail.displacement"])
    found = np.sort_complex(np.linalg.eigvals(space.A))
    np.testing.assert_allclose(found, exact, atol=1e-9)
    assert list(m.items) == items
    np.testing.assert_array_equal(m["part 0"].drive.what, "drive of Force 'part 0'")


def test_a_loop_with_too_much_integral_action_grows_as_its_eigenvalue_says():
    m = cart(lambda x, v: -KP * x - KD * v - KI * lw.integral(x))
    growing = lw.eigen(m).eigenvalues[0]
    assert growing.real > 0.4
    m["cart"].velocity = (1e-3, 0, 0)
    run = lw.transient(m, t=12, h=2e-3, progress=False)
    x = np.abs(run["cart"].position.values[:, 0])
    early, late = x[(run.time > 4) & (run.time <= 8)].max(), x[run.time > 8].max()
    assert np.log(late / early) / 4 == pytest.approx(growing.real, rel=0.1)


def test_the_state_of_a_run_brings_what_its_integral_has_summed():
    """The load of a cubic: its slope by the integral depends on what that is, 3 c I²."""
    c = 8.0
    m = cart(lambda x, v: -KP * x - KD * v - c * lw.integral(x) ** 3, push=PUSH)
    run = lw.transient(m, t=60, h=2e-3, progress=False)
    summed = (PUSH / c) ** (1 / 3)
    exact = np.sort_complex(np.roots([1, KD, KP, 3 * c * summed**2]))
    np.testing.assert_allclose(whole(lw.eigen(m, at=run).eigenvalues), exact, rtol=1e-4)


KEPT = {
    "delay": lambda x, v: lw.delay(-KP * x, 0.1),
    "sample and hold": lambda x, v: lw.sample_hold(-KP * x, 0.1),
    "sampled PID": lambda x, v: lw.PID(-1 * x, KP, KI, every=0.1),
    "controller": lambda x, v: lw.Controller(lambda t, x: -KP * x[0], [x], every=0.1)[0],
}


@pytest.mark.parametrize("name", KEPT)
def test_what_keeps_the_past_is_refused(name):
    m = cart(KEPT[name])
    for analysis in (
        lambda: lw.eigen(m),
        lambda: lw.linearize(m, inputs=["push"], outputs=["rail.displacement"]),
        lambda: lw.root_locus(lambda gain: cart(KEPT[name]), [0, 1], equilibrium=False),
    ):
        with pytest.raises(lw.ModelError, match="'part 0' follows something sampled or delayed"):
            analysis()
