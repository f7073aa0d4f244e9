"""The universal joint transmits as Hooke says, however it is described."""

from dataclasses import replace

import numpy as np
import pytest
from sample_elements import EXACT

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations


@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.3])
def test_universal_joint_transmits_as_hooke_says(alpha):
    """tan β = tan α / cos δ; dβ/dα = cos δ / (1 − sin² δ cos² α), shafts bent by δ."""
    bend = 0.7
    n = np.array([np.cos(bend), np.sin(bend), 0])
    beta = np.arctan2(np.sin(alpha), np.cos(alpha) * np.cos(bend))
    ratio = np.cos(bend) / (1 - (np.sin(bend) * np.cos(alpha)) ** 2)
    m = lw.Model()
    a = m.add("a", lw.Body(1, (1, 1, 1), position=(-1, 0, 0)))
    b = m.add("b", lw.Body(1, (1, 1, 1), position=n))
    m.add("u", lw.Universal(a, b, at=(0, 0, 0), axis_a=(0, 1, 0), axis_b=(0, 0, 1)))
    data = compile_model(m).data()
    state = data.system.described_state()
    turned = state.motion.copy()
    turned[0, 3:7] = rotations.exponential(alpha * np.array([1, 0, 0]))
    turned[1, 3:7] = rotations.exponential(beta * n)
    e = data.evaluate(replace(state, motion=turned))
    np.testing.assert_allclose(e.C, 0, atol=EXACT)
    velocities = np.zeros(12)
    velocities[3], velocities[9:] = 1.0, ratio * n
    np.testing.assert_allclose(e.Cq @ velocities, 0, atol=EXACT)


def test_universal_joint_from_its_shaft_from_frames_and_from_its_arms_are_the_same():
    """axis along the shaft x: the joint's x axis is world y, its y axis world z."""
    tables = []
    for words in (
        dict(axis=(1, 0, 0)),
        dict(axis_a=(0, 1, 0), axis_b=(0, 0, 1)),
        dict(orientation=[[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
    ):
        m = lw.Model()
        a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=(i, 0, 0))) for i, n in enumerate("ab"))
        m.add("u", lw.Universal(a, b, at=(0.5, 0, 0), **words))
        tables.append(compile_model(m).tables.reals)
    m = lw.Model()
    a, b = (m.add(n, lw.Body(1, (1, 1, 1), position=(i, 0, 0))) for i, n in enumerate("ab"))
    axes = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    ends = lw.Frame(a, (0.5, 0, 0), axes), lw.Frame(b, (-0.5, 0, 0), axes)
    m.add("u", lw.Universal(*ends))
    tables.append(compile_model(m).tables.reals)
    for other in tables[1:]:
        np.testing.assert_allclose(other, tables[0], atol=1e-15)
