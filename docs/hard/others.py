"""Hard motions: limits, ropes, gains, brakes, snapping springs, rockets (docs/hard-motions.md)."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

import linkwork as lw
from docs.hard import measures
from docs.hard.mechanisms import DOWN, G, X, Z
from docs.hard.runs import Motion

GAIN, RATE_GAIN, SAMPLE = 3e4, 50.0, 0.01  # of a controller that is unstable
SPEED, PRESS, RUBS = 3.0, 50.0, 0.4  # m/s of a block, N on it, and its friction
STIFF, HALF, RISE, LOAD = 1e4, 1.0, 0.2, -40.0  # two inclined springs that snap through
BURN, EXHAUST, START = 4.5, 300.0, 5.0  # kg/s, m/s, kg of a rocket


def limited_hinge() -> lw.Model:
    """A rod of 1 m and 3 kg that turns at 30 rad/s into limits= of its hinge."""
    m = lw.Model("limited hinge", gravity=(0, 0, 0))
    rod = m.add("rod", lw.Body.link((0, 0, 0), X, radius=0.02, mass=3))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=Z, rate=30, limits=(-0.5, 0.5)))
    return m


def slack_rope() -> lw.Model:
    """A mass of 1 kg, 0.6 m to the side of the hook of a slack rope of 1 m: it falls and swings."""
    m = lw.Model("slack rope", gravity=DOWN)
    ball = m.add("ball", lw.Body.sphere(0.05, mass=1, position=(0.6, 0, 0)))
    m.add("rope", lw.Cable(lw.GROUND, ball, at_a=(0, 0, 0), length=1.0, stiffness=1e4, mass=0.01,
                           segments=5))  # fmt: skip
    return m


def unstable_cart() -> lw.Model:
    """A cart of 1 kg with a sampled controller whose gains are too large."""
    m = lw.Model("unstable cart", gravity=DOWN)
    cart = m.add("cart", lw.Body(1, (1, 1, 1), position=X))
    m.add("rail", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=X))
    place, speed = lw.reads(cart, "position", axis=X), lw.reads(cart, "velocity", axis=X)
    pull = lw.Controller(lambda t, y: -GAIN * y[0] - RATE_GAIN * y[1], [place, speed], ["u"],
                         every=SAMPLE)["u"]  # fmt: skip
    m.add("pull", lw.Force(cart, X, drive=pull))
    return m


def unstable_place(t: float) -> tuple[float, float, float]:
    """Between samples the force is constant."""
    x, v = 1.0, 0.0
    for _ in range(round(t / SAMPLE)):
        u = -GAIN * x - RATE_GAIN * v
        x, v = x + SAMPLE * v + u * SAMPLE**2 / 2, v + SAMPLE * u
    return x, 0.0, 0.0


def braked_block() -> lw.Model:
    """A block of 1 kg at 3 m/s in a guide with dry friction, which stops it for good."""
    m = lw.Model("braked block", gravity=(0, 0, 0))
    block = m.add("block", lw.Body(1, (1, 1, 1)))
    guide = m.add("guide", lw.Prismatic(lw.GROUND, block, at=(0, 0, 0), axis=X, speed=SPEED))
    m.add("brake", lw.Friction(guide, lw.Coulomb(RUBS), preload=PRESS))
    return m


def braked_place(t: float) -> tuple[float, float, float]:
    """μ N brakes until v = 0."""
    brakes = RUBS * PRESS
    t = min(t, SPEED / brakes)
    return SPEED * t - brakes * t * t / 2, 0.0, 0.0


def snapping_mass() -> lw.Model:
    """A mass of 1 kg on two inclined springs, pressed through the flat position."""
    m = lw.Model("snapping mass", gravity=(0, 0, 0))
    mass = m.add("mass", lw.Body(1, (1, 1, 1), position=(0, 0, RISE)))
    m.add("guide", lw.Prismatic(lw.GROUND, mass, at=(0, 0, RISE), axis=Z))
    for side in (-1, 1):
        m.add(f"spring {side}", lw.Spring(
            lw.Frame(lw.GROUND, position=(side * HALF, 0, 0)), mass, stiffness=STIFF,
            length=math.hypot(HALF, RISE)))  # fmt: skip
    m.add("load", lw.Force(mass, (0, 0, LOAD)))
    return m


def snapping_height(t: float) -> tuple[float, float, float]:
    """z'' = load − 2 k (l − l₀) z/l, l² = 1 + z²."""

    def rate(_: float, y: np.ndarray) -> list[float]:
        long = math.hypot(HALF, y[0])
        return [y[1], LOAD - 2 * STIFF * (long - math.hypot(HALF, RISE)) * y[0] / long]

    return 0.0, 0.0, float(measures.solved(rate, [RISE, 0.0], t)[0])


def rocket() -> lw.Model:
    """A rocket of 5 kg that burns nine tenths of its mass in one second."""
    m = lw.Model("rocket", gravity=DOWN)
    ship = m.add("ship", lw.Body(0.5, (0.1, 0.1, 0.1)))
    fuel = lw.table([0, 1], [START - 0.5, START - 0.5 - BURN], kind="linear")
    m.add("fuel", lw.VariableMass(ship, fuel))
    m.add("thrust", lw.Force(ship, (0, 0, BURN * EXHAUST)))
    return m


def rocket_height(t: float) -> tuple[float, float, float]:
    """Tsiolkovsky: v = c ln(m₀/m) − g t, integrated once more."""
    m = START - BURN * t
    return 0.0, 0.0, EXHAUST * (t - m / BURN * math.log(START / m)) - G * t * t / 2


def others() -> list[Motion]:
    limit = cache(measures.fine(limited_hinge, "rod", 1e-6))
    return [
        Motion("hinge into its limits at 30 rad/s", limited_hinge, 0.08, 1e-3,
               measures.place("rod", limit, 0.5), 1e-2),
        Motion("mass on a slack rope, jerked taut", slack_rope, 1, 1e-3, measures.energy, 5e-2),
        Motion("cart with a sampled controller, unstable gains", unstable_cart, 0.1, 1e-3,
               measures.place("cart", unstable_place, abs(unstable_place(0.1)[0])), 1e-3),
        Motion("block that friction brings to rest", braked_block, 0.3, 1e-3,
               measures.place("block", braked_place, SPEED**2 / (2 * RUBS * PRESS)), 1e-2),
        Motion("mass that springs let snap through", snapping_mass, 0.5, 1e-3,
               measures.place("mass", snapping_height, RISE), 1e-2),
        Motion("rocket that burns nine tenths of its mass", rocket, 0.99, 1e-3,
               measures.place("ship", rocket_height, rocket_height(0.99)[2]), 1e-3),
    ]  # fmt: skip
