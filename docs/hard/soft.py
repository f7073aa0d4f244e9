"""Hard motions of beams, links, ropes, thin shapes, wheels and wings (docs/hard-motions.md)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

import linkwork as lw
from docs.hard import measures
from docs.hard.mechanisms import DOWN, G, X, Z
from docs.hard.runs import Motion
from linkwork.results.outputs import totals

FLAT = dict(E=2.1e11, density=7800)  # steel
PULL, MASS, CRITICAL = 1.0, 0.78, 26.33  # N at a strip of 0.78 kg, and its first frequency (rad/s)
KEPT = 0.5  # restitution of a ball
HUB, LOW = 410.0, 2e5  # kg on a tyre of so many N/m


def tumbling_beam() -> lw.Model:
    """A free steel strip of 1 m that tumbles at 115 rad/s."""
    m = lw.Model("tumbling beam")
    strip = lw.Section.rectangle(0.02, 0.002, **FLAT)
    m.add("beam", lw.Beam((-0.5, 0, 0), (0.5, 0, 0), strip, elements=6,
                          angular_velocity=(50, 100, 30)))  # fmt: skip
    return m


def lost_angular_momentum(run: lw.Result) -> float:
    """|L(t) − L(0)|/|L(0)| of all bodies about the origin."""
    motion, (mass, inertia) = np.asarray(run.motion)[[0, -1]], totals.masses(run)
    found = []
    for row in motion:
        L = np.einsum("b,bi->i", mass, np.cross(row[:, :3], row[:, 7:10]))
        for q, J, w in zip(row[:, 3:7], inertia, row[:, 10:13], strict=True):
            L = L + measures.rotation(q) @ J @ w
        found.append(L)
    return float(np.linalg.norm(found[1] - found[0]) / np.linalg.norm(found[0]))


def blade(spin: float) -> lw.Model:
    """A steel strip as a flexible link on a hub that turns it edgewise; a force bends it."""
    m = lw.Model("blade")
    strip = lw.Section.rectangle(0.02, 0.005, **FLAT)
    link = m.add("strip", lw.FlexibleLink((0, 0, 0), X, strip, modes=1, boundary="clamped-free",
                                          angular_velocity=(0, 0, spin)))  # fmt: skip
    m.add("hub", lw.Motor(lw.GROUND, link.root, at=(0, 0, 0), axis=Z, angle=lw.ramp(spin)))
    m.add("pull", lw.Force(link.tip, (0, 0, PULL)))
    return m


def blade_tip(spin: float) -> Callable[[lw.Result], float]:
    """Deflection of the first mode, 4 F (1 − cos ω t)/(m ω²), ω² = ω₀² + 1.193 Ω² (Southwell)."""
    square = CRITICAL**2 + 1.193 * spin**2
    scale = 8 * PULL / (MASS * CRITICAL**2)

    def error(run: lw.Result) -> float:
        exact = 4 * PULL / (MASS * square) * (1 - math.cos(math.sqrt(square) * run.time[-1]))
        return abs(float(run["strip.tip"].position[-1, 2]) - exact) / scale

    return error


def shot(speed: float, thick: float) -> lw.Model:
    """A ball of 1 kg and 0.1 m radius that is shot at a plate on the ground from 0.5 m."""
    m = lw.Model("shot")
    ball = m.add("ball", lw.Body.sphere(0.1, mass=1, position=(0, 0, 0.6), velocity=(0, 0, -speed)))
    plate = {"kind": "box", "size": (4, 4, thick), "position": (0, 0, -thick / 2)}
    m.add("touch", lw.Contact(ball, lw.GROUND, ground=plate, restitution=KEPT))
    return m


def speed_after(speed: float) -> Callable[[lw.Result], float]:
    """Error of the speed with which the ball comes back, over that with which it came."""
    return lambda run: abs(float(run["ball"].velocity[-1, 2]) / speed - KEPT)


def two_balls() -> lw.Model:
    """A ball of 10 mm radius that is shot at its like at 100 m/s, restitution 1."""
    m = lw.Model("two balls")
    one = m.add("one", lw.Body.sphere(0.01, mass=0.01))
    two = m.add("two", lw.Body.sphere(0.01, mass=0.01, position=(0, 0, 0.55),
                                      velocity=(0, 0, -100)))  # fmt: skip
    m.add("touch", lw.Contact(two, one, restitution=1.0))
    return m


def rope_on_one_segment() -> lw.Model:
    """A mass of 1 kg that falls 0.8 m into a rope of 1 m without mass to speak of."""
    m = lw.Model("rope", gravity=DOWN)
    ball = m.add("ball", lw.Body.sphere(0.05, mass=1, position=(0, 0, -0.2)))
    m.add("rope", lw.Cable(lw.GROUND, ball, at_a=(0, 0, 0), length=1.0, stiffness=1e4, mass=1e-6,
                           segments=1))  # fmt: skip
    return m


def rope_height(t: float) -> tuple[float, float, float]:
    """Free fall by 0.8 m, then half an oscillation on the rope, and so on."""
    fall, w = math.sqrt(1.6 / G), math.sqrt(1e4)
    speed, sag = G * fall, G / 1e4
    turn = math.atan2(sag * w, speed)
    touch = (math.pi + 2 * turn) / w
    if t < fall:
        return 0.0, 0.0, -0.2 - G * t * t / 2
    rest = (t - fall) % (touch + 2 * fall)
    if rest < touch:
        return 0.0, 0.0, -1.0 - sag - math.hypot(speed / w, sag) * math.sin(w * rest - turn)
    rest -= touch
    return 0.0, 0.0, -1.0 + speed * rest - G * rest * rest / 2


def eccentric_wheel() -> lw.Model:
    """A wheel that rolls at 20 rad/s with its own mass once more beside its centre."""
    m = lw.Model("eccentric wheel", gravity=DOWN)
    disc = m.add("disc", lw.Body(2, (0.045, 0.09, 0.045), position=(0, 0, 0.3),
                                 velocity=(6, 0, 0), angular_velocity=(0, 20, 0)))  # fmt: skip
    mass = m.add("mass", lw.Body(2, (1e-3, 1e-3, 1e-3), position=(0, 0, 0.55),
                                 velocity=(11, 0, 0), angular_velocity=(0, 20, 0)))  # fmt: skip
    m.add("bolt", lw.Fixed(disc, mass, at=(0, 0, 0.3)))
    m.add("guide", lw.Lock(lw.GROUND, disc, at=(0, 0, 0.3), rows="rx rz"))
    m.add("roll", lw.Rolling(disc, lw.GROUND, radius=0.3, axis=(0, 1, 0)))
    return m


def held_down(run: lw.Result) -> float:
    """The largest pull of the plane, which a real wheel would not have, over the weight."""
    return float(np.maximum(-run["roll"].force.values[1:, 2], 0.0).max() / (4 * G))


def dropped_tyre(fall: float) -> lw.Model:
    """A wheel of 410 kg that falls on its undamped tyre."""
    data = lw.TyreData.magic(radius=0.32, stiffness=LOW, load=4000, x=(12, 1.6, 1, 0.5),
                             y=(10, 1.4, 0.95, -1))  # fmt: skip
    m, up = lw.Model("dropped tyre", gravity=DOWN), (0, 0, 0.32 + fall)
    hub = m.add("hub", lw.Body(HUB - 10, (10, 10, 10), position=up))
    rim = m.add("rim", lw.Body(10, (0.5, 0.9, 0.5), position=up))
    m.add("axle", lw.Revolute(hub, rim, at=up, axis=(0, 1, 0)))
    m.add("guide", lw.Lock(lw.GROUND, hub, at=up, rows="x y rx ry rz"))
    m.add("tyre", lw.Tyre(hub, rim, data))
    return m


def tyre_height(fall: float) -> Callable[[lw.Result], float]:
    """As the rope's mass; no real tyre is pressed by more than half of its radius."""
    sag = HUB * G / LOW
    deep = sag + math.sqrt(sag**2 + 2 * sag * fall)

    def error(run: lw.Result) -> float:
        if deep > 0.16:
            return 1.0
        lowest = float(run["hub"].position.values[:, 2].min())
        return abs(0.32 - lowest - deep) / deep

    return error


def thrown_block() -> lw.Model:
    """A block of 1 kg at 3 m/s in a guide that is pressed with 1e9 N."""
    m = lw.Model("thrown block")
    block = m.add("block", lw.Body(1, (1, 1, 1)))
    guide = m.add("guide", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=X, speed=3))
    m.add("brake", lw.Friction(guide, lw.Coulomb(0.4), preload=1e9))
    return m


def soft() -> list[Motion]:
    def strip(part: float) -> Motion:
        spin = part * CRITICAL
        return Motion(f"flexible link that turns at {part:g} of its first frequency",
                      lambda: blade(spin), 0.1, 1e-3, blade_tip(spin), 3e-2)  # fmt: skip

    def tyre(fall: float) -> Motion:
        return Motion(f"tyre dropped from {fall:g} m", lambda: dropped_tyre(fall), 1, 1e-3,
                      tyre_height(fall), 1e-2)  # fmt: skip

    return [
        Motion("free beam that tumbles, angular momentum, h = 1e-4 s", tumbling_beam, 0.2, 1e-4,
               lost_angular_momentum, 1e-2),
        strip(0.2), strip(1.0), strip(2.0),
        Motion("ball shot at 300 m/s at a thick plate", lambda: shot(300, 2.0), 0.01, 1e-3,
               speed_after(300), 1e-2),
        Motion("ball shot at 1000 m/s at a plate of 1 mm", lambda: shot(1000, 1e-3), 0.01, 1e-3,
               speed_after(1000), 1e-2),
        Motion("ball shot at its like at 100 m/s", two_balls, 0.02, 1e-3,
               measures.place("two", lambda t: (0.0, 0.0, 0.02), 0.5), 2e-2),
        Motion("mass that falls into a light rope", rope_on_one_segment, 0.7, 1e-3,
               measures.place("ball", cache(rope_height), 0.8), 2e-2),
        Motion("wheel that would lift off its plane", eccentric_wheel, 0.5, 1e-3, held_down, 1e-2),
        tyre(0.2), tyre(2.0),
        Motion("block in a guide that is pressed with 1e9 N, h = 1e-4 s", thrown_block, 0.05, 1e-4,
               measures.place("block", lambda t: (0.0, 0.0, 0.0), 1e-3), 1e-2),
    ]  # fmt: skip
