"""Problems for the staged methods: an oscillator, a heavy top, a double pendulum; their ends."""

from functools import cache

import numpy as np
import pytest
from inside import STAGED

import linkwork as lw
from linkwork.extend import rotations

EVERY = pytest.mark.parametrize("cls", STAGED, ids=lambda c: c.__name__)
STEPS_FOR = {1: (4e-3, 2e-3), 2: (1e-2, 5e-3), 3: (1e-2, 5e-3), 4: (2e-2, 1e-2), 5: (1e-2, 5e-3)}


def oscillator(stiffness, position=1.0, velocity=1.0):
    m = lw.Model("oscillator")
    b = m.add("b", lw.Body(1, (1, 1, 1), position=(position, 0, 0), velocity=(velocity, 0, 0)))
    k = (stiffness,) * 3 + (1.0,) * 3
    m.add("spring", lw.Bushing(lw.Frame(lw.GROUND), lw.Frame(b), stiffness=k))
    return m


def heavy_top():
    m = lw.Model("top", gravity=(0, 0, -9.81))
    q, w = rotations.exponential(np.array([0.6, 0.3, 0.1])), np.array([0.4, -0.3, 6.0])
    R = rotations.matrix(q)
    arm = np.array([0, 0, 0.4])
    top = lw.Body(2, (0.8, 0.9, 0.5), position=R @ arm, orientation=q, angular_velocity=w,
                  velocity=R @ np.cross(w, arm))  # fmt: skip
    m.add("body", top)
    m.add("pin", lw.Spherical(lw.GROUND, top, at=(0, 0, 0)))
    return m


def double_pendulum():
    m = lw.Model("double pendulum", gravity=(0, 0, -9.81))
    w1, w2 = np.array([1.0, 0.5, -0.3]), np.array([-0.7, 0.8, 1.2])
    hinge, arm = np.array([1.0, 0, 0]), np.array([0, 0.4, 0.1])
    upper = m.add("upper", lw.Body(1, (0.1, 0.12, 0.15), position=hinge / 2, angular_velocity=w1,
                                   velocity=np.cross(w1, hinge / 2)))  # fmt: skip
    body = m.add("body", lw.Body(0.8, (0.07, 0.05, 0.09), position=hinge + arm, angular_velocity=w2,
                                 velocity=np.cross(w1, hinge) + np.cross(w2, arm)))  # fmt: skip
    m.add("top", lw.Spherical(lw.GROUND, upper, at=(0, 0, 0)))
    m.add("pin", lw.Spherical(upper, body, at=hinge))
    return m


def end_of(model, method, h, t=0.5, **options):
    """Position and orientation, velocities, and the force in the pin at the end."""
    run = lw.transient(model, t=t, h=h, method=method, every=10**6, progress=False, **options)
    body = run["body"]
    parts = (body.position, body.orientation), (body.velocity, body.angular_velocity)
    found = [np.concatenate([p.values[-1] for p in pair]) for pair in parts]
    return [*found, run["pin"].force_world.values[-1]]


def exact(t):
    return np.cos(2 * t) + 0.5 * np.sin(2 * t), -2 * np.sin(2 * t) + np.cos(2 * t)


@cache
def reference(make):
    """The end of a mechanism by SciPy's DOP853 on the augmented equations."""
    return end_of(make(), lw.ODE("DOP853", rtol=1e-13, atol=1e-13), 0.125)
