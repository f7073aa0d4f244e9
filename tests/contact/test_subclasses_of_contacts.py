"""A user's class that is derived from Contact behaves as a Contact."""

from dataclasses import dataclass

import numpy as np
import pytest
from inside import draw

import linkwork as lw


@dataclass(eq=False)
class Bumper(lw.Contact):
    """A Contact under another name."""


def falling(**words):
    m = lw.Model(gravity=(0, 0, -9.81))
    ball = m.add("ball", lw.Body.sphere(0.1, density=1000, position=(0, 0, 0.1)))
    m.add("bumper", Bumper(ball, lw.GROUND, **words))
    return m


def test_a_hard_one_is_refused_where_a_contact_is():
    with pytest.raises(lw.ModelError, match="Bumper 'bumper', which is hard: use method=lw.Moreau"):
        lw.transient(falling(hard=True), t=0.1, h=1e-3, progress=False)


def test_a_hard_one_carries_the_ball_by_impulses():
    run = lw.transient(falling(hard=True), t=0.1, h=1e-3, method=lw.Moreau(), progress=False)
    assert run["ball"].position[-1, 2] == pytest.approx(0.1, abs=1e-4)


def test_a_soft_one_has_the_outputs_and_arrows_of_a_contact():
    m = falling(law=lw.laws.HuntCrossley(1e6, damping=1e5))
    run = lw.transient(m, t=0.5, h=1e-3, progress=False)
    weight = 9.81 * m["ball"].mass
    assert run["bumper"].normal_force[-1] == pytest.approx(weight, rel=1e-3)
    np.testing.assert_allclose(run["bumper"].point[-1], [0, 0, 0], atol=1e-3)
    assert "bumper" in {arrow.name for arrow in draw(run).arrows}
