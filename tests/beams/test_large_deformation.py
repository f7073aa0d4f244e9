"""Statics of structures that deform far: chains of bodies and bushings bent as elasticas.

The chain has n rigid pieces with bushings of stiffness EI/h between them, h = L/n (half a piece at
the clamp).  As a lumped model of an elastica its error falls with h².  References: elastica under a
dead tip load, PL²/EI = 1, 5, 10 (J. M. Gere, S. P. Timoshenko: Mechanics of Materials; digits
recomputed from the boundary value problem), and the circle that an end moment 2π EI/L makes.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.extend import rotations

# PL²/EI: shortening, deflection, tip angle, over L and in rad
ELASTICA = {
    1: (0.05643324, 0.30172077, 0.46135195),
    5: (0.38762836, 0.71379152, 1.21536812),
    10: (0.55499560, 0.81060902, 1.43028554),
}


def cantilever(n: int, EA: float = 1e7) -> lw.Model:
    """Along x from the origin, length 1, EI = GJ = 1."""
    m, h, before = lw.Model("cantilever"), 1 / n, lw.GROUND
    for i in range(n):
        inertia = h**3 / 12 + 1e-3 * h
        x = (i + 0.5) * h
        b = m.add(f"b{i}", lw.Body(h, (1e-3 * h, inertia, inertia), position=(x, 0, 0)))
        s = h if i else h / 2
        k = (EA / s, EA / s, EA / s, 1 / s, 1 / s, 1 / s)
        m.add(f"j{i}", lw.Bushing(before, b, at=(i * h, 0, 0), stiffness=k))
        before = b
    return m


def tip(eq, n: int) -> np.ndarray:
    motion = eq.state[f"b{n - 1}"]
    R = rotations.matrix(motion.orientation)
    end = motion.position + R @ [0.5 / n, 0, 0]
    return np.array([1 - end[0], -end[2], np.arcsin(-R[2, 0])])


@pytest.mark.parametrize("load", ELASTICA)
def test_a_bent_chain_comes_to_the_elastica_with_order_two(load):
    errors = []
    for n in (10, 20):
        m = cantilever(n)
        m.add("P", lw.Force(lw.Frame(m[f"b{n - 1}"], (0.5 / n, 0, 0)), (0, 0, -load)))
        eq = lw.static(m, progress=False)
        assert eq.stable
        errors.append(np.abs(tip(eq, n) - ELASTICA[load]).max())
    assert errors[1] < 3e-3
    assert 1.8 < np.log2(errors[0] / errors[1]) < 2.2


def test_an_end_moment_rolls_a_chain_to_a_circle():
    n = 16
    m = cantilever(n)
    m.add("M", lw.Torque(m[f"b{n - 1}"], (0, 2 * np.pi, 0)))
    eq = lw.static(m, progress=False)
    # pieces turn by 2π/n each, half at the clamp: a polygon that closes but for half a piece's turn
    turn = 2 * np.pi / n
    angles = turn * (np.arange(n) + 0.5)
    end = np.array([np.cos(angles).sum(), -np.sin(angles).sum()]) / n
    moved = tip(eq, n)
    np.testing.assert_allclose([1 - moved[0], -moved[1]], end, atol=1e-9)


def test_a_force_that_follows_bends_a_chain_past_the_vertical():
    n = 10
    m = cantilever(n)
    m.add("P", lw.Force(lw.Frame(m[f"b{n - 1}"], (0.5 / n, 0, 0)), (0, 0, -10), follower=True))
    eq = lw.static(m, progress=False)
    # moments about every bushing balance: EI times its turn is the moment of the tip force there
    bodies = [eq.state[f"b{i}"] for i in range(n)]
    R = rotations.matrix(bodies[-1].orientation)
    end, force = bodies[-1].position + R @ [0.5 / n, 0, 0], R @ [0, 0, -10]
    angle = [0.0]
    for b in bodies:
        X = rotations.matrix(b.orientation)
        angle.append(angle[-1] + np.arctan2(np.sin(np.arctan2(-X[2, 0], X[0, 0]) - angle[-1]),
                                            np.cos(np.arctan2(-X[2, 0], X[0, 0]) - angle[-1])))
    for i, b in enumerate(bodies):
        X = rotations.matrix(b.orientation)
        at = b.position - X @ [0.5 / n, 0, 0]
        arm = end - at
        moment = arm[2] * force[0] - arm[0] * force[2]
        stiffness = n if i else 2 * n
        assert moment == pytest.approx(stiffness * (angle[i + 1] - angle[i]), abs=1e-4)
    assert angle[-1] > np.pi / 2
