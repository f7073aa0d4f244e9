"""Bodies without inertia: fine where joints carry them, and told where nothing does."""

import numpy as np
import pytest
from mistakes import GRAVITY, body, refuse, run

import linkwork as lw


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.RK4()], ids=["implicit", "rk4"])
def test_a_free_body_without_inertia_is_told(method):
    for words, how in [(dict(inertia=(0, 0, 0)), "turning"), (dict(mass=0), "moving")]:
        m = lw.Model("m", gravity=GRAVITY)
        m.add("other", body())
        m.add("ball", body(**words))
        refuse(
            lambda m=m: run(m, method=method),
            rf"body 'ball' \({how}.* has no inertia.*; give it mass and inertia, or a joint",
            lw.SingularError,
        )


def test_a_point_mass_on_a_hinge_is_a_pendulum():
    m = lw.Model("m", gravity=(0, 0, -9.81))
    bob = m.add("bob", lw.Body(2, (0, 0, 0), position=(0, 0, -1)))
    m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0), angle=1e-3))
    result = run(m, t=1, h=1e-3)
    exact = 1e-3 * np.cos(np.sqrt(9.81) * result.time)
    # h² ω²/12 … of a period, and 1e-6/16 of the amplitude
    np.testing.assert_allclose(result["pin"].angle.values, exact, atol=2e-8)


def test_a_point_mass_on_a_ball_joint_may_spin_undetermined():
    m = lw.Model("m", gravity=GRAVITY)
    bob = m.add("bob", lw.Body(2, (0, 0, 0), position=(0, 0, -1)))
    m.add("ball", lw.Spherical(lw.GROUND, bob, at=(0, 0, 0)))
    refuse(lambda: run(m), "body 'bob' .*turning about", lw.SingularError)


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.RK4()], ids=["implicit", "rk4"])
def test_a_massless_body_between_others_is_a_link(method):
    """A massless cross between two hinges: the same motion as a universal joint."""
    motions = []
    for cross in (True, False):
        m = lw.Model("m", gravity=GRAVITY)
        arm = lw.Body(1, (0.1, 0.2, 0.2), position=(0.5, 0, 0))
        if cross:
            x = m.add("cross", lw.Body(0, (0, 0, 0)))
            m.add("arm", arm)
            m.add("A", lw.Revolute(lw.GROUND, x, at=(0, 0, 0), axis=(0, 1, 0)))
            m.add("B", lw.Revolute(x, arm, at=(0, 0, 0), axis=(0, 0, 1)))
        else:
            m.add("arm", arm)
            m.add("A", lw.Universal(lw.GROUND, arm, (0, 0, 0), (0, 1, 0), (0, 0, 1)))
        m.add("push", lw.Force(lw.Frame(arm, (0.5, 0, 0)), (0, 3, 0)))
        motions.append(run(m, t=0.3, h=1e-3, method=method)["arm"].position.values)
    np.testing.assert_allclose(*motions, atol=1e-8)
