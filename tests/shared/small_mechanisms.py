"""Mechanisms for the tests of the time loop: pendulums, a redundant four-bar, a redundant door."""

import linkwork as lw


def double_pendulum():
    m = lw.Model("double", gravity=(0, 0, -9.81))
    a = m.add("a", lw.Body.link((0, 0, 0), (1, 0, 0), 0.02, mass=1))
    b = m.add("b", lw.Body.link((1, 0, 0), (2, 0, 0), 0.02, mass=1))
    m.add("A", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("B", lw.Revolute(a, b, at=(1, 0, 0), axis=(0, 0.6, 0.8)))
    return m


def spatial_four_bar():
    """Four parallel revolutes in space, pushed: three rows too many, one degree of freedom.

    As described it is in equilibrium, so it needs the push to go anywhere.
    """
    m = lw.Model("four-bar", gravity=(0, -9.81, 0))
    points = [(0, 0, 0), (0, 1, 0), (2, 1.5, 0), (2, 0, 0)]
    bars = [
        m.add(f"bar{i}", lw.Body.link(points[i], points[i + 1], 0.02, mass=1.0)) for i in range(3)
    ]
    ends = [lw.GROUND, *bars, lw.GROUND]
    for i, name in enumerate("ABCD"):
        rate = -1.0 if name == "A" else None
        m.add(name, lw.Revolute(ends[i], ends[i + 1], at=points[i], axis=(0, 0, 1), rate=rate))
    return m


def chain(n=3):
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    parent = lw.GROUND
    for i in range(n):
        body = m.add(f"link{i}", lw.Body(1, (0.01, 0.1, 0.1), position=(i + 0.5, 0, 0)))
        m.add(f"joint{i}", lw.Revolute(parent, body, at=(i, 0, 0), axis=(0, 1, 0)))
        parent = body
    return m


def door():
    """On two hinges: ten rows of which five are redundant."""
    m = lw.Model("door", gravity=(0.3, 0, -9.81))
    leaf = m.add("leaf", lw.Body(20, (2, 1, 1), position=(0, 0.5, 0)))
    for name, z in (("low", -0.7), ("high", 0.7)):
        m.add(name, lw.Revolute(lw.GROUND, leaf, at=(0, 0, z), axis=(0, 0, 1)))
    return m
