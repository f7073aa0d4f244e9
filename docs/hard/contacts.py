"""Hard motions with contact: mechanisms, closed forms and the list (docs/hard-motions.md)."""

from __future__ import annotations

import math

import numpy as np

import linkwork as lw
from docs.hard import measures
from docs.hard.mechanisms import DOWN, G, X, Z
from docs.hard.runs import Motion

RADIUS, FALL, KEPT = 0.1, 0.5, 0.5  # the ball, how deep it falls, its restitution
STIFF, SPEED = 1e4, 10.0  # N m/rad of the stop of a hinge, rad/s towards it


def ball() -> lw.Model:
    """A ball that falls 0.5 m on a plane, restitution 0.5."""
    m = lw.Model("bouncing ball", gravity=DOWN)
    body = m.add("ball", lw.Body.sphere(RADIUS, mass=1, position=(0, 0, RADIUS + FALL)))
    m.add("touch", lw.Contact(body, lw.GROUND, restitution=KEPT))
    return m


def ball_height(t: float) -> tuple[float, float, float]:
    """Parabolas between impacts that take no time and keep KEPT of the speed."""
    begin, speed, height = 0.0, 0.0, FALL
    while True:
        fly = (speed + math.sqrt(speed**2 + 2 * G * height)) / G
        if t < begin + fly:
            left = t - begin
            return 0.0, 0.0, RADIUS + height + speed * left - G * left**2 / 2
        begin, speed, height = begin + fly, KEPT * (G * fly - speed), 0.0


def box(restitution: float) -> lw.Model:
    """A box of 1 kg thrown at 3 m/s and 10 rad/s on a rough plane."""
    m = lw.Model("tumbling box", gravity=DOWN)
    body = m.add("box", lw.Body.box((0.3, 0.2, 0.1), mass=1, position=(0, 0, 0.6),
                                    velocity=(3, 0, 0), angular_velocity=(2, 10, 1)))  # fmt: skip
    m.add("touch", lw.Contact(body, lw.GROUND, friction=0.4, restitution=restitution))
    return m


def chain(links: int = 8) -> lw.Model:
    """A chain of links of 0.1 m and 0.1 kg, hinges alternately along y and z, dropped level."""
    m = lw.Model("falling chain", gravity=DOWN)
    bodies: list[lw.Body] = []
    for k in range(links):
        tilt = 0.02 * k
        bodies.append(m.add(f"link {k}", lw.Body.link(
            (0.1 * k, 0, 0.3 + tilt), (0.1 * k + 0.1, 0, 0.32 + tilt), radius=0.01, mass=0.1
        )))  # fmt: skip
        if k:
            axis = (0, 1, 0) if k % 2 else Z
            m.add(f"hinge {k}", lw.Revolute(
                bodies[k - 1], bodies[k], at=(0.1 * k, 0, 0.3 + tilt), axis=axis))
    m.add("touch", lw.Contact(bodies, lw.GROUND, friction=0.3))
    return m


def hinge_on_a_stop() -> lw.Model:
    """A rod of 1 m and 3 kg that turns at 10 rad/s against an elastic stop 0.5 rad ahead."""
    m = lw.Model("hinge on a stop", gravity=(0, 0, 0))
    rod = m.add("rod", lw.Body.link((0, 0, 0), X, radius=0.02, mass=3))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=Z, rate=SPEED))
    m.add("stop", lw.Stop(pin, upper=0.5, stiffness=STIFF, exponent=1.0))
    return m


def rod_after_the_stop(t: float) -> np.ndarray:
    """Half an oscillation on the stop, then the same speed back."""
    w = math.sqrt(STIFF / (1 + 3 * 0.02**2 / 4))
    left = t - 0.5 / SPEED - math.pi / w
    angle = 0.5 - SPEED * left
    return 0.5 * np.array([math.cos(angle), math.sin(angle), 0])


def energy_made(run: lw.Result) -> float:
    """The largest rise of T + V, which contact and friction can only lower, over what there was."""
    total = run.energy.total.values
    rise = total - np.minimum.accumulate(total)
    return float(rise.max() / (total[0] - total.min()))


def contacts() -> list[Motion]:
    return [
        Motion("ball that bounces twice, restitution 0.5", ball, 0.9, 1e-3,
               measures.place("ball", ball_height, FALL), 2e-2),
        Motion("box thrown on a plane, restitution 0.5", lambda: box(0.5), 2, 1e-3,
               energy_made, 2e-2),
        Motion("box thrown on a plane, restitution 0", lambda: box(0.0), 2, 1e-3,
               energy_made, 2e-2),
        Motion("chain of 8 links that falls on a plane", chain, 1, 1e-3, energy_made, 2e-2),
        Motion("hinge against a stop at 10 rad/s, in touch for 31 ms", hinge_on_a_stop, 0.15, 1e-3,
               measures.place("rod", rod_after_the_stop, 0.5), 1e-2),
    ]  # fmt: skip
