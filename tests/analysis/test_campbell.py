"""Campbell diagrams against closed forms and against the rotor of docs/references.md, section 2."""

from __future__ import annotations

import numpy as np
import pytest
from test_steady_rotation import arm, blade, rotating, rotor

import linkwork as lw


def test_whirl_of_a_rotor_splits_forward_and_backward():
    def build(speed: float) -> lw.Model:
        m = rotor(speed)
        m.gravity = (0, 0, 0)
        return m

    found = lw.campbell(build, [0.0, 0.5, 1.0], n=6, progress=False)
    assert found.frequency.shape == (3, 6) and found.stable.all()
    at_rest = [0.79907783, 0.79907783, 0.81649651, 4.01554495, 4.01554495, 99.87492178]
    spinning = [0.79755506, 0.80037855, 0.81649651, 3.31861819, 4.86019624, 99.87492178]
    np.testing.assert_allclose(np.sort(found.eigenvalues[0].imag), at_rest, rtol=1e-8)
    np.testing.assert_allclose(np.sort(found.eigenvalues[2].imag), spinning, rtol=1e-8)
    # branches go on: that which rises at first goes on rising
    change = np.diff(found.frequency[:, 3:5], axis=0)
    assert (np.sign(change[0]) == np.sign(change[1])).all()
    assert "6 branches of 'rotor' at 3 speeds, in world axes" in repr(found)


def crossing(speed: float) -> lw.Model:
    """A flapping bar, ω² = k/I + Ω², and a mass along the arm, ω² = k/m − Ω²: they cross."""
    m, hub = rotating(speed)
    bar = m.add("bar", lw.Body(1, (0, 1 / 12, 1 / 12), position=(0.5, 0, 0)))
    hinge = m.add("hinge", lw.Revolute(hub, bar, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("flap", lw.TorsionSpring(hinge, stiffness=100 / 3))
    mass = m.add("mass", lw.Body(2, (0.01, 0.01, 0.01), position=(0, 0.5, 0)))
    m.add("slide", lw.Prismatic(hub, mass, at=(0, 0.5, 0), axis=(0, 1, 0)))
    m.add("spring", lw.Spring(hub, mass, at_a=(0, 0, 0), stiffness=400, length=0.5))
    return m


def test_branches_cross_without_exchanging_names():
    speeds = np.linspace(0, 12, 13)
    found = lw.campbell(crossing, speeds, n=2, progress=False)
    flap, slide = np.sqrt(100 + speeds**2), np.sqrt(200 - speeds**2)
    assert flap[0] < slide[0] and flap[-1] > slide[-1]
    np.testing.assert_allclose(2 * np.pi * found.frequency, np.column_stack([flap, slide]))
    # √(200 − Ω²) = Ω at 10, between speeds by interpolation; the flap branch never meets 1P
    assert found.critical_speeds(1) == pytest.approx([10.0], rel=1e-9)
    assert found.critical_speeds(2) == pytest.approx(
        np.sort([np.sqrt(100 / 3), np.sqrt(200 / 5)]), rel=5e-3
    )


def test_a_diagram_is_drawn_with_its_orders():
    found = lw.campbell(crossing, [0, 4, 8], n=2, progress=False)
    axes = found.plot(orders=(1, 2))
    assert axes.get_xlabel() == "speed (rad/s)"
    assert [t.get_text() for t in axes.texts] == ["1P", "2P"]


def test_the_speed_that_fails_is_named():
    def build(speed: float) -> lw.Model:
        m = blade(speed, 0.1, (0, 1, 0))
        if speed > 5:
            m.gravity = (0, -9.81, 0)
        return m

    with pytest.raises(lw.ModelError, match="campbell at the speed 6 rad/s: .*gravity"):
        lw.campbell(build, [4, 6, 8], progress=False)
    with pytest.raises(lw.ModelError, match="must return a linkwork Model"):
        lw.campbell(lambda speed: None, [1.0])
    with pytest.raises(lw.ModelError, match="speeds of campbell"):
        lw.campbell(build, [])


def test_what_turns_can_be_given():
    by_name = lw.campbell(arm, [2.0, 5.0], n=1, spin="drive", progress=False)
    by_rate = lw.campbell(arm, [2.0, 5.0], n=1, spin=lambda w: (0, 0, w), progress=False)
    expected = np.sqrt(200 - np.array([2.0, 5.0]) ** 2)
    for found in (by_name, by_rate):
        np.testing.assert_allclose(2 * np.pi * found.frequency[:, 0], expected, rtol=1e-9)
