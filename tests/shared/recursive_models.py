"""Mechanisms for the tests of the recursive formulation, and its comparison with the core.

The core's RK4 integrates absolute coordinates with all joints as constraints on the acceleration
level: the same elements, but other unknowns, other equations and another linear solve.
The random loops serve the tests of energy-momentum steps too.
"""

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import linkwork as lw

QUIET = {"progress": False}


def add_body(m, rng, place, name=None, moving=True):
    """A body whose axes are not principal and whose moments keep the triangle inequality."""
    x = rng.normal(size=(3, 3))
    x = 0.1 * x @ x.T + 0.05 * np.eye(3)
    J = np.trace(x) * np.eye(3) - x
    return m.add(name or f"body {len(m.items)}", lw.Body(
        rng.uniform(0.5, 3), J, position=place, orientation=Rotation.random(random_state=rng),
        velocity=rng.normal(size=3) * moving,
        angular_velocity=rng.normal(size=3) * moving))  # fmt: skip


def pair(parent, child, turned):
    """The bodies of a joint: the parent first, or the child."""
    return (child, parent) if turned else (parent, child)


def chain_with(kind, turned, seed=1, **words):
    """ground – hinge – arm – [joint] – hand – ball – finger, all moving, under gravity."""
    rng = np.random.default_rng(seed)
    m = lw.Model(f"chain with {kind.__name__}", gravity=(1.0, -2.0, -9.0))
    arm = add_body(m, rng, (0.3, 0.1, -0.2), "arm")
    hand = add_body(m, rng, (0.9, 0.3, -0.1), "hand")
    finger = add_body(m, rng, (1.4, 0.1, 0.2), "finger")
    m.add("base", lw.Revolute(lw.GROUND, arm, at=(0, 0, 0), axis=(1, 2, -1)))
    at, axis = (0.6, 0.2, 0.1), (2, -1, 1)
    m.add("joint", kind(*pair(arm, hand, turned), at=at, axis=axis, **words))
    m.add("ball", lw.Spherical(hand, finger, at=(1.2, 0.2, 0.1)))
    return m


def polygon(kinds, corners, R=None, gravity=(1, -9, 2), on_ground=True, radius=0.05):
    """Bars between corners given as parts of a turn, all joint axes along R's third."""
    R = np.eye(3) if R is None else R
    n, t = len(kinds), 2 * np.pi * np.asarray(corners)
    p = np.stack([np.cos(t), 1.3 * np.sin(t), 0 * t], axis=1) @ R.T
    m = lw.Model("loop", gravity=gravity)
    bars = [lw.GROUND] if on_ground else []
    for i in range(on_ground, n):
        bars.append(m.add(f"bar {i}", lw.Body.link(p[i], p[(i + 1) % n], radius, mass=1)))
    for i, kind in enumerate(kinds):
        m.add(f"joint {i}", kind(bars[i - 1], bars[i], at=p[i], axis=R[:, 2]))
    return m


@st.composite
def loops(draw, radius=0.05):
    """A polygon of bars in any plane, on the ground or free.  Hinges alone leave three rows too
    many; others may stand for one or two of them.  A ball by itself also leaves rows too many."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(4, 6))
    kinds = [lw.Revolute] * n
    for k in draw(st.sets(st.integers(0, n - 1), max_size=2)):
        kinds[k] = draw(st.sampled_from((lw.Spherical, lw.Cylindrical, lw.Universal)))
    R = Rotation.random(random_state=rng).as_matrix()
    corners = (np.arange(n) + rng.uniform(-0.2, 0.2, n)) / n
    return polygon(kinds, corners, R, 9.81 * rng.normal(size=3), draw(st.booleans()), radius)


def four_bar(last=lw.Revolute, rate=3.0, motor=None):
    """Crank, coupler, rocker.  With four hinges three of its rows repeat others in space."""
    A, B, C, D = (0, 0, 0), (0.4, 0.1, 0), (1.2, 0.8, 0), (1.5, 0, 0)
    m = lw.Model("four-bar", gravity=(0, -9.81, 0))
    z = (0, 0, 1)
    crank = m.add("crank", lw.Body.link(A, B, radius=0.03, mass=1))
    coupler = m.add("coupler", lw.Body.link(B, C, radius=0.03, mass=2))
    rocker = m.add("rocker", lw.Body.link(D, C, radius=0.03, mass=1.5))
    if motor is None:
        m.add("A", lw.Revolute(lw.GROUND, crank, at=A, axis=z, rate=rate))
    else:
        m.add("A", lw.Motor(lw.GROUND, crank, at=A, axis=z, angle=motor))
    m.add("B", lw.Revolute(crank, coupler, at=B, axis=z))
    m.add("D", lw.Revolute(lw.GROUND, rocker, at=D, axis=z))
    m.add("C", last(coupler, rocker, at=C, axis=z))
    return m


def slider_crank(rate=8.0):
    m = lw.Model("slider-crank", gravity=(0, -9.81, 0))
    z = (0, 0, 1)
    crank = m.add("crank", lw.Body.link((0, 0, 0), (0.1, 0.1, 0), radius=0.01, mass=1))
    rod = m.add("rod", lw.Body.link((0.1, 0.1, 0), (0.5, 0, 0), radius=0.01, mass=1))
    piston = m.add("piston", lw.Body.box((0.05, 0.05, 0.05), mass=0.5, position=(0.5, 0, 0)))
    m.add("main", lw.Revolute(lw.GROUND, crank, at=(0, 0, 0), axis=z, rate=rate))
    m.add("big end", lw.Revolute(crank, rod, at=(0.1, 0.1, 0), axis=z))
    m.add("small end", lw.Revolute(rod, piston, at=(0.5, 0, 0), axis=z))
    m.add("cylinder", lw.Prismatic(lw.GROUND, piston, at=(0.5, 0, 0), axis=(1, 0, 0)))
    return m


def hexapod():
    """A plate on six legs, each a universal joint, a slide with a spring, and a ball."""
    m = lw.Model("hexapod", gravity=(0, 0, -9.81))
    spin = (0.2, -0.1, 0.5)
    plate = m.add("plate", lw.Body.box(
        (0.8, 0.8, 0.1), mass=20, position=(0, 0, 1), angular_velocity=spin))  # fmt: skip
    for k in range(6):
        t = np.pi / 3 * k
        foot = np.array([np.cos(t), np.sin(t), 0])
        t += 0.3 if k % 2 else -0.3
        head = np.array([0.5 * np.cos(t), 0.5 * np.sin(t), 1])
        middle = 0.5 * (foot + head)
        low = m.add(f"cylinder {k}", lw.Body.link(foot, middle, radius=0.05, mass=2))
        high = m.add(f"rod {k}", lw.Body.link(middle, head, radius=0.03, mass=1))
        side = np.cross(head - foot, (0, 0, 1))
        m.add(f"foot {k}", lw.Universal(
            lw.GROUND, low, at=foot, axis_a=side, axis_b=np.cross(side, head - foot)))  # fmt: skip
        m.add(f"slide {k}", lw.Prismatic(low, high, at=middle, axis=head - foot))
        m.add(f"spring {k}", lw.Spring(low, high, at_a=foot, at_b=head, stiffness=4000, damping=20))
        m.add(f"head {k}", lw.Spherical(high, plate, at=head))
    return m


def run_with(method, model, t=0.2, h=1e-3, **words):
    return lw.transient(model, t, h, method, **QUIET, **words)


def angle_between(p, q):
    c = np.abs(np.sum(p * q, axis=-1))
    s = np.linalg.norm(p - np.sign(np.sum(p * q, axis=-1, keepdims=True)) * q, axis=-1)
    return np.where(c > 0.9, 2 * s, 2 * np.arccos(np.minimum(c, 1)))


def assert_same_motion(a, b, within, forces=None):
    """Positions, orientations, velocities and accelerations; reactions: force and torque."""
    assert np.array_equal(a.time, b.time)
    size = 1 + np.abs(b.motion[:, :, :3]).max()
    assert np.abs(a.motion[:, :, :3] - b.motion[:, :, :3]).max() < within * size
    assert angle_between(a.motion[:, :, 3:7], b.motion[:, :, 3:7]).max() < within
    fast = 1 + np.abs(b.motion[:, :, 7:]).max()
    assert np.abs(a.motion[:, :, 7:] - b.motion[:, :, 7:]).max() < 10 * within * fast
    faster = 1 + np.abs(b.acceleration).max()
    assert np.abs(a.acceleration - b.acceleration).max() < 100 * within * faster
    for name in a.joints:
        if not hasattr(a[name], "force"):  # the rows inside a flexible link
            continue
        for part in ("force", "torque", "force_world", "torque_world"):
            mine, other = (np.asarray(getattr(r[name], part).values) for r in (a, b))
            strong = 1 + np.abs(other).max()
            assert np.abs(mine - other).max() < (forces or 100 * within) * strong, (name, part)
