"""Linkages whose joints are open: a spatial four-bar, bodies displaced at random, open rows."""

import numpy as np

import linkwork as lw
from linkwork.extend import rotations

Z = (0, 0, 1)


def link(m, name, start, end):
    return m.add(name, lw.Body.link(start, end, 0.02, mass=1.0))


def four_bar():
    """A spatial four-bar R-S-U-R: one degree of freedom, nothing redundant."""
    m = lw.Model("four-bar")
    p = [(0, 0, 0), (0, 0.5, 0.3), (2, 1.5, 0.5), (2, 0, 0.2)]
    a, b, c = (link(m, f"bar{i}", p[i], p[i + 1]) for i in range(3))
    m.add("A", lw.Revolute(lw.GROUND, a, at=p[0], axis=(1, 0.2, 0)))
    m.add("B", lw.Spherical(a, b, at=p[1]))
    m.add("C", lw.Universal(b, c, at=p[2], axis_a=(0, 1, 0.2), axis_b=(0.2, -0.2, 1)))
    m.add("D", lw.Revolute(lw.GROUND, c, at=p[3], axis=(0, 0.3, 1)))
    return m, 1


def bodies(m):
    return {n: b for n, b in m.items.items() if isinstance(b, lw.Body)}


def displaced(m, size, seed=0):
    """Every body moved and turned at random, markers with them."""
    rng = np.random.default_rng(seed)
    for b in bodies(m).values():
        step = size * rng.normal(size=(2, 3))
        b.position = b.position + step[0]
        b.orientation = rotations.multiply(b.orientation, rotations.exponential(step[1]))
    return m


def errors(assembled):
    """Of all rows, also those left out."""
    return np.abs(assembled.full.evaluate(assembled.state).C).max(initial=0.0)
