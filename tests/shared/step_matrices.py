"""Matrices of an implicit step for mechanisms of many shapes, for tests of linear solvers.

Matrices are those of a step of 1 ms, with random multipliers so that the constraints' stiffness
K_c is there, and with positions that violate the joints, so that nothing cancels.
"""

from dataclasses import dataclass, replace

import numpy as np
from inside import Data, analyse, refactor, sweep_back, unknown_scale

import linkwork as lw
from linkwork import compile_model
from linkwork.extend import rotations

EPS = np.finfo(float).eps
BACKWARD = 1e-13  # of |A||x| + |b|; round-off of some hundred operations per unknown is 1e-14
CA = 4e6  # v̇ = CA x + …, a step of 1 ms
Z = (0, 0, 1)


# ------------------------------------------------------------------------------------- equations


@dataclass
class Step:
    """The equations of a step of a system: values, dense matrix, and one right-hand side."""

    data: Data
    vals: np.ndarray
    A: np.ndarray
    b: np.ndarray

    def analyse(self, pivots=None):
        kept = self.vals.copy()
        e = analyse(self.data.pattern, self.vals, self.data.system.length, pivots)
        assert np.array_equal(kept, self.vals)
        return e

    def solve(self, e, b=None):
        """Solution, growth, and the values as refactor left them."""
        vals, x = self.vals.copy(), (self.b if b is None else b).copy()
        growth = refactor(e, vals, x)
        if growth < np.inf:
            sweep_back(e, vals, x)
        return x, growth, vals

    def check(self, x, b=None, backward=BACKWARD):
        """Backward error of equations of motion and of rows, each by itself; then the error."""
        b = self.b if b is None else b
        D, n = unknown_scale(self.data), 6 * self.data.system.bodies
        A, y, c = D[:, None] * self.A * D, x / D, D * b
        assert np.all(np.isfinite(x))
        residual, size = np.abs(A @ y - c), np.abs(A) @ np.abs(y) + np.abs(c)
        for part in (slice(0, n), slice(n, None)):
            assert residual[part].max(initial=0) <= backward * size[part].max(initial=0)
        exact = np.linalg.solve(A, c)
        # first order; numpy's own error is in it
        bound = max(1e2 * EPS, backward) * np.linalg.cond(A, 1) * np.abs(exact).max()
        assert np.abs(y - exact).max() <= bound


def step(data, state, rng, load=1.0):
    """load: K_c as a multiple of the masses, roughly."""
    system = data.system
    m, L = system.mass, system.length
    gamma = load * m * CA * L * 0.1 * rng.standard_normal(len(system.all_rows))
    gamma[[r.is_angle for r in system.all_rows]] *= L
    state = replace(state, gamma=gamma)
    matrix = data.evaluate(state, cM=1 / m, cD=2e3 / (CA * m), cK=1 / (CA * m)).matrix
    b = rng.standard_normal(data.unknowns) / unknown_scale(data)
    return Step(data, data.work.vals.copy(), matrix.toarray(), b)


def displaced(data, rng, size=0.1, state=None):
    """Every body moved by a part of the mechanism's length, and turned."""
    system = data.system
    state = state or system.described_state()
    move = size * rng.standard_normal((system.bodies, 6))
    move[:, :3] *= system.length
    motion = state.moved(move).motion
    motion[:, 7:] = rng.standard_normal((system.bodies, 6))
    return replace(state, motion=motion)


def solved(model, rng=None, core=0, load=1.0, backward=BACKWARD, data=None, state=None):
    """A model's step solved and checked; core: how many bodies are left to the sparse LU.

    backward: bound of the backward error; None: by the growth, which the elimination gives.
    """
    rng = rng or np.random.default_rng(1)
    data = data or compile_model(model).data()
    now = step(data, state or displaced(data, rng), rng, load)
    e = now.analyse()
    x, growth, vals = now.solve(e)
    assert growth < 1e7
    now.check(x, backward=max(BACKWARD, EPS * growth) if backward is None else backward)
    if core is not None:
        assert left_to_core(e, data.system) == core
    return now, e, vals


def left_to_core(e, system):
    """Bodies in the core; no rows without bodies."""
    bodies = np.unique(e.core[e.core < 6 * system.bodies] // 6)
    assert len(bodies) or not len(e.core)
    return len(bodies)


# ------------------------------------------------------------------------------------ mechanisms

JOINTS = {
    1: [lw.PointOnPlane, lw.Distance, lw.Orthogonal],
    2: [lw.PointOnLine, lw.Parallel],
    3: [lw.Spherical, lw.Planar, lw.Align, lw.Rzeppa],
    4: [lw.Universal, lw.Cylindrical, lw.Homokinetic, lw.Oldham],
    5: [lw.Revolute, lw.Prismatic],
    6: [lw.Fixed],
}


def add_body(m, rng, position, mass=1.0):
    G = rng.standard_normal((3, 3))
    J = 0.02 * mass * (np.eye(3) + np.trace(G @ G.T) * np.eye(3) - G @ G.T)
    return m.add(f"body{len(m.items)}", lw.Body(mass, J, position, rotations.exponential(G[0])))


def add_joint(m, rng, kind, a, b):
    """A joint between two bodies, some way between them."""
    pa, pb = (np.zeros(3) if x is lw.GROUND else x.position for x in (a, b))
    at = (pa + pb) / 2 + 0.2 * rng.standard_normal(3)
    axes = rng.standard_normal((2, 3))
    if kind is lw.Distance:
        joint = kind(a, b, pa + 0.2 * axes[0], pb + 0.2 * axes[1])
    elif kind is lw.Orthogonal:
        joint = kind(a, b, *axes)
    elif kind is lw.Spring:
        joint = kind(a, b, pa + 0.2 * axes[0], pb + 0.2 * axes[1], stiffness=1e6, damping=1e3)
    elif kind is lw.Bushing:
        joint = kind(a, b, at=at, axis=axes[0], stiffness=(1e6,) * 6, damping=(1e3,) * 6)
    else:
        joint = kind(a, b, at=at, axis=axes[0])
    return m.add(f"joint{len(m.items)}", joint)


def tree(parents, kinds, rng, mass=None):
    """Body i hangs on body parents[i] by a joint of kinds[i]; −1: the ground, None: on nothing."""
    m, bodies = lw.Model("tree"), []
    for i, (p, kind) in enumerate(zip(parents, kinds)):
        a = lw.GROUND if p is None or p < 0 else bodies[p]
        from_ = np.zeros(3) if a is lw.GROUND else a.position
        way = rng.standard_normal(3)
        bodies.append(add_body(m, rng, from_ + way / np.linalg.norm(way), mass[i] if mass else 1.0))
        if p is not None and kind is not None:
            pair = [a, bodies[-1]]
            add_joint(m, rng, kind, *(pair if rng.random() < 0.5 else pair[::-1]))
    return m, bodies


def chain(n, kind, rng, mass=None):
    return tree(range(-1, n - 1), [kind] * n, rng, mass)


def star(arms, kind, rng, base=-1):
    return tree([base] + [0] * arms, [kind] * (arms + 1), rng)


def ladder(n, kind, rng):
    """Two chains with rungs, on the ground at one corner."""
    m = lw.Model("ladder")
    sides = [[add_body(m, rng, (i, j, 0.0)) for i in range(n)] for j in range(2)]
    for side in sides:
        for a, b in zip(side, side[1:]):
            add_joint(m, rng, kind, a, b)
    for a, b in zip(*sides):
        add_joint(m, rng, kind, a, b)
    add_joint(m, rng, lw.Revolute, lw.GROUND, sides[0][0])
    return m


def ring(n, kind, rng, hanging=0):
    """A closed ring that does not touch the ground; hanging: a chain on one of its bodies."""
    m = lw.Model("ring")
    angles = 2 * np.pi * np.arange(n) / n
    bodies = [add_body(m, rng, (np.cos(t), np.sin(t), 0)) for t in angles]
    for i in range(n):
        add_joint(m, rng, kind, bodies[i - 1], bodies[i])
    for i in range(hanging):
        bodies.append(add_body(m, rng, bodies[-1].position + (0, 0.3, 1)))
        add_joint(m, rng, list(JOINTS.values())[i % 6][0], bodies[-2], bodies[-1])
    return m


def loop(kinds, rng, ground=True):
    """Planar polygon of bars in a plane turned at random; all axes normal to it."""
    n, R = len(kinds), rotations.matrix(rotations.exponential(rng.standard_normal(3)))
    t = 2 * np.pi * np.arange(n) / n
    p = np.stack([np.cos(t) * (1 + 0.3 * np.sin(3 * t)), 1.3 * np.sin(t), 0 * t], axis=1) @ R.T
    m = lw.Model("loop")
    bars = [m.add(f"bar{i}", lw.Body.link(p[i], p[(i + 1) % n], 0.02, mass=1.0))
            for i in range(ground, n)]  # fmt: skip
    bars = [lw.GROUND] * ground + bars
    for i, kind in enumerate(kinds):
        m.add(f"joint{i}", kind(bars[i - 1], bars[i], at=p[i], axis=R[:, 2]))
    return m


def four_bars(n):
    """n parallelograms side by side of hinges in space: 3 n rows too many."""
    m = lw.Model("four-bars")
    link, left = lw.Body.link, lw.GROUND
    for k in range(n + 1):
        upright = m.add(f"upright{k}", link((k, 0, 0), (k, 1, 0), 0.02, mass=1.0))
        m.add(f"A{k}", lw.Revolute(lw.GROUND, upright, at=(k, 0, 0), axis=Z))
        if k:
            coupler = m.add(f"coupler{k}", link((k - 1, 1, 0), (k, 1, 0), 0.02, mass=1.0))
            m.add(f"B{k}", lw.Revolute(left, coupler, at=(k - 1, 1, 0), axis=Z))
            m.add(f"C{k}", lw.Revolute(coupler, upright, at=(k, 1, 0), axis=Z))
        left = upright
    return m


def bricard():
    """Six hinges along the edges of a cube; one row of thirty too many."""
    m, p = lw.Model("bricard"), np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1),
                                          (0, 0, 1)], float)  # fmt: skip
    ends = [lw.GROUND]
    for i in range(1, 6):
        ends.append(m.add(f"bar{i}", lw.Body.link(p[i], p[(i + 1) % 6], 0.02, mass=1.0)))
    for i in range(6):
        axis = np.cross(p[i] - p[i - 1], p[(i + 1) % 6] - p[i])
        m.add(f"hinge{i}", lw.Revolute(ends[i - 1], ends[i], at=p[i], axis=axis))
    return m


def hexapod():
    """A plate on six legs of two bodies: universal, prismatic and spherical joint."""
    m = lw.Model("hexapod")
    plate = m.add("plate", lw.Body.cylinder(0.5, 0.05, mass=5, position=(0, 0, 1)))
    for i in range(6):
        a, b = np.radians([120 * (i // 2) + 10 * (-1) ** i, 120 * (i // 2) + 50 * (-1) ** i])
        p, q = np.array([np.cos(a), np.sin(a), 0]), np.array([np.cos(b), np.sin(b), 2]) / 2
        low = m.add(f"low{i}", lw.Body.link(p, (p + q) / 2, 0.02, mass=1.0))
        high = m.add(f"high{i}", lw.Body.link((p + q) / 2, q, 0.02, mass=1.0))
        m.add(f"U{i}", lw.Universal(lw.GROUND, low, at=p, axis=q - p))
        m.add(f"P{i}", lw.Prismatic(low, high, (p + q) / 2, q - p))
        m.add(f"S{i}", lw.Spherical(high, plate, at=q))
    return m
