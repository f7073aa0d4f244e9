"""Mechanisms with loops: random ones, and parallelograms in a row."""

import numpy as np

import linkwork as lw


def random_mechanism(rng, planar):
    """A tree of bodies and joints that close loops; planar ones are redundant in space."""
    m = lw.Model("random", gravity=(0, -9.81, 0))
    bodies = []

    def place():
        return np.append(rng.normal(size=2), 0.0) if planar else rng.normal(size=3)

    def joint(name, a, b):
        kinds = [lw.Revolute] if planar else [lw.Revolute, lw.Spherical, lw.Cylindrical]
        kind = kinds[rng.integers(len(kinds))]
        axis = {} if kind is lw.Spherical else {"axis": (0, 0, 1) if planar else rng.normal(size=3)}
        m.add(name, kind(a, b, at=place(), **axis))

    n = int(rng.integers(4, 20))
    for i in range(n):
        body = m.add(f"b{i}", lw.Body(1 + rng.random(), (0.2, 0.3, 0.4), position=place()))
        parent = bodies[rng.integers(len(bodies))] if bodies and rng.random() < 0.8 else lw.GROUND
        joint(f"j{i}", parent, body)
        bodies.append(body)
    for k in range(n // 4):
        i, j = rng.choice(n, 2, replace=False)
        joint(f"loop{k}", bodies[i], bodies[j])
    return m


def four_bars(n):
    """n parallelograms in a row, in space: three rows too many for each."""
    m = lw.Model("four-bars", gravity=(0, -9.81, 0))
    z = (0, 0, 1)

    def upright(k):
        bar = m.add(f"bar{k}", lw.Body(1, (0.1, 0.01, 0.1), position=(k, 0.5, 0)))
        m.add(f"foot{k}", lw.Revolute(lw.GROUND, bar, at=(k, 0, 0), axis=z))
        return bar

    left = upright(0)
    for k in range(1, n + 1):
        right = upright(k)
        top = m.add(f"top{k}", lw.Body(1, (0.01, 0.1, 0.1), position=(k - 0.5, 1, 0)))
        m.add(f"left{k}", lw.Revolute(left, top, at=(k - 1, 1, 0), axis=z))
        m.add(f"right{k}", lw.Revolute(top, right, at=(k, 1, 0), axis=z))
        left = right
    return m
