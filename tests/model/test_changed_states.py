"""A state that the user changes after a run is what the next run starts from."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

g = 9.81
METHODS = [lw.GeneralizedAlpha(), lw.BDF2(), lw.RK4(), lw.ODE(), lw.ImplicitEuler(),
           lw.EnergyMomentum()]  # fmt: skip


def thrown(method) -> tuple[lw.Model, lw.Result]:
    m = lw.Model("ball", gravity=(0, 0, -g))
    m.add("ball", lw.Body(1, (0.1, 0.1, 0.1), velocity=(1, 0, 0)))
    return m, lw.transient(m, t=0.5, h=0.01, method=method, progress=False)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("way", ["with_velocities", "in place"])
def test_a_run_starts_with_the_velocity_that_was_set(method, way):
    """Thrown up at 3 m/s instead: after 0.2 s it is at z₀ + 3 t − g t²/2, with v = 3 − g t."""
    m, run = thrown(method)
    state = run.state()
    if way == "in place":
        state.motion[0, 7:10] = (0, 0, 3)
    else:
        state = state.with_velocities(np.array([0, 0, 3.0, 0, 0, 0]))
    z = float(state.motion[0, 2])
    after = lw.transient(m, t=0.7, h=0.01, start=state, method=method, progress=False)
    assert float(after["ball"].velocity[0, 2]) == 3.0
    assert float(after["ball"].velocity[-1, 2]) == pytest.approx(3 - g * 0.2, abs=1e-6)
    first_order = type(method).__name__ == "ImplicitEuler"
    there = z + 3 * 0.2 - g * 0.2**2 / 2
    assert float(after["ball"].position[-1, 2]) == pytest.approx(there, abs=0.02 if first_order
                                                                 else 1e-4)  # fmt: skip


def test_a_state_that_was_not_changed_goes_on_with_the_same_digits():
    m, run = thrown(lw.GeneralizedAlpha())
    whole = lw.transient(m, t=0.7, h=0.01, progress=False)
    after = lw.transient(m, t=0.7, h=0.01, start=run.state(), progress=False)
    assert np.array_equal(after.motion[-1], whole.motion[-1])
