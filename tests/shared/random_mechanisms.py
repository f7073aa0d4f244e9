"""Random mechanisms: the same seed gives the same one, at rest or moving as its joints allow.

Trees with every kind of joint, and loops that are assembled as they are built; springs, dampers,
torsion springs and motors; lengths, masses and speeds over decades.  Each has a time in which it
moves by about itself, and a step of a hundredth of that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import linkwork as lw

G = 9.81
TREE_JOINTS = (
    lw.Revolute, lw.Revolute, lw.Revolute, lw.Spherical, lw.Universal, lw.Prismatic,
    lw.Cylindrical, lw.Planar, lw.PointOnLine, lw.PointOnPlane, lw.Parallel, lw.Align, lw.Oldham,
    lw.Rzeppa, lw.Homokinetic, lw.Fixed,
)  # fmt: skip
LOOP_JOINTS = (lw.Spherical, lw.Cylindrical, lw.Universal)


@dataclass
class RandomMechanism:
    """A model, made anew by `build()`; its length and mass are those of a typical body."""

    name: str
    build: Callable[[], lw.Model]
    t: float
    h: float
    length: float
    mass: float


def random_mechanism(seed: int) -> RandomMechanism:
    """The mechanism of a seed."""
    rng = np.random.default_rng(seed)
    L, M = 10 ** rng.uniform(-1.5, 1.5), 10 ** rng.uniform(-2, 2)
    period = float(np.sqrt(L / G))
    turn = 10 ** rng.uniform(-1, 0.7) / period  # rad/s
    kind = str(rng.choice(["tree", "chain", "loop", "loop", "two loops"]))
    bodies = int(rng.integers(1, 6)) if kind in ("tree", "chain") else int(rng.integers(3, 6))

    def build() -> lw.Model:
        draw = Draw(np.random.default_rng([seed, 1]), L, M, turn)
        return draw.loops(kind, bodies) if "loop" in kind else draw.tree(kind, bodies)

    time = min(period, 1 / turn)
    t = 2.5 * period if "loop" in kind else min(2.5 * period, 6 / turn)
    h = time / 100
    return RandomMechanism(f"{kind} of {bodies}, seed {seed}", build, h * round(t / h), h, L, M)


class Draw:
    """Adds random parts to a model."""

    def __init__(self, rng: np.random.Generator, L: float, M: float, turn: float) -> None:
        self.rng, self.L, self.M, self.turn = rng, L, M, turn

    def mass(self) -> float:
        return float(self.M * 10 ** self.rng.uniform(-1, 1))

    # ------------------------------------------------------------------------------------- trees
    def tree(self, kind: str, bodies: int) -> lw.Model:
        """Each body on an earlier one, or on the last; joints between them, moving as they may."""
        rng, L = self.rng, self.L
        m = lw.Model(kind, gravity=G * direction(rng) * (rng.random() < 0.8))
        parts: list[Any] = [lw.GROUND]
        places, twists = [np.zeros(3)], [(np.zeros(3), np.zeros(3))]  # velocity at the origin, turn
        for k in range(bodies):
            parent = len(parts) - 1 if kind == "chain" else int(rng.integers(0, len(parts)))
            joint = TREE_JOINTS[int(rng.integers(0, len(TREE_JOINTS)))]
            size = L * 10 ** rng.uniform(-0.5, 0.5)
            at = places[parent] + 0.5 * size * direction(rng) * (parent > 0)
            place = at + 0.5 * size * direction(rng)
            axis = direction(rng)
            slide, spin = self.allowed(joint, axis)
            v, w = twists[parent]
            omega = w + spin
            origin = v + np.cross(w, at) + slide - np.cross(omega, at)
            mass, gyration = self.mass(), 0.3 * size * rng.uniform(0.8, 1.1, 3)
            turned = Rotation.random(random_state=rng)
            body = m.add(f"body {k}", lw.Body(
                mass, mass * gyration**2, position=place, orientation=turned,
                velocity=origin + np.cross(omega, place),
                angular_velocity=turned.as_matrix().T @ omega))  # fmt: skip
            item = m.add(f"joint {k}", joint(parts[parent], body, at=at, axis=axis))
            if joint is lw.Revolute and rng.random() < 0.3:
                stiffness = mass * size**2 * rng.uniform(0, 4) * G / size
                damping = 0.1 * stiffness * np.sqrt(size / G)
                m.add(f"torsion {k}", lw.TorsionSpring(item, stiffness=stiffness, damping=damping))
            parts.append(body)
            places.append(place)
            twists.append((origin, omega))
        self.springs(m, parts, places)
        return m

    def allowed(self, joint: Any, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A velocity and an angular velocity of b against a that the joint's rows leave free."""
        if joint is lw.Universal:
            return np.zeros(3), np.zeros(3)
        rows = joint.rows.split() if isinstance(joint.rows, str) else list(joint.rows)
        out = []
        for prefix, size in (("", self.turn * self.L), ("r", self.turn)):
            v = size * self.rng.normal(size=3) * (self.rng.random() < 0.8)
            along = axis * (axis @ v)
            free = np.zeros(3)
            if f"{prefix}z" not in rows:
                free += along
            if f"{prefix}x" not in rows:  # x and y are free together, or not, in all of them
                free += v - along
            out.append(free)
        return out[0], out[1]

    def springs(self, m: lw.Model, parts: list[Any], places: list[np.ndarray]) -> None:
        """Some springs and dampers between bodies, with periods above that of a pendulum."""
        rng = self.rng
        for k in range(int(rng.integers(0, 3))):
            i, j = sorted(rng.choice(len(parts), 2, replace=False)) if len(parts) > 1 else (0, 0)
            if i == j:
                continue
            a = places[i] + 0.3 * self.L * direction(rng)
            b = places[j] + 0.3 * self.L * direction(rng)
            least = min(p.mass for p in (parts[i], parts[j]) if p is not lw.GROUND)
            stiffness = least * G / self.L * 10 ** rng.uniform(-1, 0.5)
            m.add(f"spring {k}", lw.Spring(
                parts[i], parts[j], at_a=a, at_b=b, stiffness=stiffness,
                damping=rng.uniform(0, 0.3) * least * np.sqrt(G / self.L)))  # fmt: skip

    # ------------------------------------------------------------------------------------- loops
    def loops(self, kind: str, bars: int) -> lw.Model:
        """One polygon of bars on the ground or in the air, or two with a bar in common."""
        rng = self.rng
        R = Rotation.random(random_state=rng).as_matrix()
        m = lw.Model(kind, gravity=G * direction(rng))
        grounded = rng.random() < 0.7
        corners = self.corners(bars + 1, np.zeros(2))
        driven = grounded and rng.random() < 0.3
        parts = self.polygon(m, "a", corners, R, lw.GROUND if grounded else None, driven)
        if kind == "two loops":
            first, last = corners[-1], corners[0]
            middle = 0.5 * (first + last)
            out = middle - corners.mean(axis=0)
            more = np.array([last + out, middle + 1.5 * out, first + out])
            more += 0.1 * self.L * rng.normal(size=more.shape)
            self.polygon(m, "b", np.vstack([first, last, more])[[1, 2, 3, 4, 0]], R, parts[0])
        if not grounded:
            self.spin(m, R)
        return m

    def corners(self, n: int, centre: np.ndarray) -> np.ndarray:
        """Of a convex polygon, none of whose angles is near a flat one."""
        t = 2 * np.pi * (np.arange(n) + self.rng.uniform(-0.25, 0.25, n)) / n
        return centre + self.L * np.stack([np.cos(t), 1.3 * np.sin(t)], axis=1)

    def polygon(
        self, m: lw.Model, word: str, corners: np.ndarray, R: np.ndarray, last: Any,
        driven: bool = False,
    ) -> list[Any]:  # fmt: skip
        """Bars from corner to corner; the last, back to the first corner, may be there already.

        driven: the first hinge turns to and fro by a little, from rest
        """
        rng, n = self.rng, len(corners)
        p = np.column_stack([corners, np.zeros(n)]) @ R.T
        kinds: list[Any] = [lw.Revolute] * n
        for k in rng.choice(n, int(rng.integers(0, 3)), replace=False):
            kinds[int(k)] = LOOP_JOINTS[int(rng.integers(0, 3))]
        bars = []
        for k in range(n):
            if k == n - 1 and last is not None:
                bars.append(last)
                continue
            radius = 0.03 * float(np.linalg.norm(p[(k + 1) % n] - p[k]))
            bars.append(m.add(f"bar {word}{k}", lw.Body.link(
                p[k], p[(k + 1) % n], radius=radius, mass=self.mass())))  # fmt: skip
        law: dict[str, Any] = {}
        if driven:
            kinds[0] = lw.Motor
            law["angle"] = 0.2 - lw.sine(0.2, np.sqrt(G / self.L) / 6, np.pi / 2)
        for k in range(n):
            words = law if k == 0 else {}
            joint = kinds[k](bars[k - 1], bars[k], at=p[k], axis=R[:, 2], **words)
            m.add(f"joint {word}{k}", joint)
        return bars[-1:] + bars[:-1]

    def spin(self, m: lw.Model, R: np.ndarray) -> None:
        """All bodies turn together."""
        omega = self.turn * direction(self.rng)
        for body in m.items.values():
            if isinstance(body, lw.Body):
                body.velocity = np.cross(omega, body.position)
                q = np.asarray(body.orientation)
                turned = Rotation.from_quat(np.roll(q, -1)).as_matrix()
                body.angular_velocity = turned.T @ omega


def direction(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)
