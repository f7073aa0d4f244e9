"""How wrong a run of docs/hard-motions.md is: one number, by a formula or another solution.

Each function takes what it needs and returns a function of a Result: its error, relative to the
motion's own size, so that 0.01 is one per cent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import linkwork as lw
from docs.hard.mechanisms import (
    BASE,
    COUPLER,
    CRANK,
    DAMPING,
    GAIN,
    SAMPLE,
    TOP_INERTIA,
    TOP_MASS,
    G,
    elbow,
)  # fmt: skip

Measure = Callable[[Any], float]


def energy(run: lw.Result) -> float:
    """Largest error of the energy balance, over the energy that was exchanged."""
    e = run.energy
    kinetic, balance = e.kinetic.values, e.balance.values
    potential = e.total.values - kinetic
    there = kinetic[0] + potential[0] - potential.min() + abs(e.supplied.values).max()
    return float(abs(balance - balance[0]).max() / there)


def constant_speed(joint: str, rate: float) -> Measure:
    """The larger of the error of the kinetic energy and ten times that of the turns made."""

    def error(run: lw.Result) -> float:
        kinetic = run.energy.kinetic.values
        turned = float(run[joint].angle.values[-1]) / (rate * run.time[-1])
        return max(abs(kinetic[-1] / kinetic[0] - 1), 10 * abs(turned - 1))

    return error


def place(body: str, where: Callable[[float], Any], size: float) -> Measure:
    """Error of a body's position at the end, over `size`; `where` gives the right one."""

    def error(run: lw.Result) -> float:
        found = run[body].position.values[-1]
        return float(np.linalg.norm(found - where(float(run.time[-1]))) / size)

    return error


def rocker_centre(slack: float) -> Callable[[float], np.ndarray]:
    """Middle of the rocker of `crank_and_rocker`, on the branch on which it begins."""

    def where(t: float) -> np.ndarray:
        turned = 2 * math.pi * t
        B = CRANK * np.array([math.sin(turned), 0, math.cos(turned)])
        D = np.array([BASE, 0, 0])
        return (D + elbow(B, D, COUPLER, CRANK + BASE - COUPLER + slack)) / 2

    return where


def angular_momentum(inertia: tuple[float, float, float]) -> Measure:
    """Change of R J ω, with ω in body axes, over its value."""

    def error(run: lw.Result) -> float:
        q, w = run.motion[[0, -1], 0, 3:7], run.motion[[0, -1], 0, 10:13]
        spin = [rotation(a) @ (np.array(inertia) * b) for a, b in zip(q, w, strict=True)]
        return float(np.linalg.norm(spin[1] - spin[0]) / np.linalg.norm(spin[0]))

    return error


def orientation_of_disc(
    across: float, axial: float, spin: tuple[float, float, float]
) -> Measure:
    """Angle in radians to where a free disc with these moments across and about z is in truth:
    R = exp(t L/I_t) exp(t (1 − I_a/I_t) ω_z e_z), R = I at the start."""

    def error(run: lw.Result) -> float:
        t, w = float(run.time[-1]), np.array(spin)
        L = w * (across, across, axial)
        own = Rotation.from_rotvec([0, 0, t * (1 - axial / across) * w[2]])
        exact = (Rotation.from_rotvec(t * L / across) * own).as_matrix()
        return float((Rotation.from_matrix(rotation(run.motion[-1, 0, 3:7]).T @ exact)).magnitude())

    return error


def rotation(q: np.ndarray) -> np.ndarray:
    """The matrix of a unit quaternion, scalar first."""
    w, x, y, z = q
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def solved(rate: Callable, start: list[float], t: float) -> np.ndarray:
    """y(t) of y' = rate(t, y), by Dormand and Prince's method of order eight."""
    return solve_ivp(rate, (0, t), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]


def top_centre(spin: float) -> Callable[[float], np.ndarray]:
    """The heavy top from Euler's equations about its point: J ω' + ω × J ω = c × Rᵀ m g."""
    arm, weight = np.array([0, 1.0, 0]), np.array([0, 0, -G * TOP_MASS])
    J = np.array(TOP_INERTIA) + TOP_MASS * np.array([1.0, 0, 1.0])

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q, w = y[:4], y[4:]
        turn = 0.5 * np.concatenate([[-q[1:] @ w], q[0] * w + np.cross(q[1:], w)])
        moment = np.cross(arm, rotation(q / np.linalg.norm(q)).T @ weight)
        return np.concatenate([turn, (moment - np.cross(w, J * w)) / J])

    def where(t: float) -> np.ndarray:
        q = solved(rate, [1, 0, 0, 0, 0, spin, -4.61538], t)[:4]
        return rotation(q / np.linalg.norm(q)) @ arm

    return where


def crank_pin(speed: float, rod: float) -> Callable[[float], np.ndarray]:
    """Centre of the crank of `slider_crank`: T = ½ m(θ) θ'² is constant, so θ' = ω √(m(0)/m(θ)).

    With crank a, rod l, a sin θ = −l sin φ, all of mass ½ and radius r:
    """
    a, m, r = 0.1, 0.5, 0.01

    def reduced(angle: float) -> float:
        s, c = math.sin(angle), math.cos(angle)
        cos_rod = c if rod == a else math.sqrt(1 - (a * s / rod) ** 2)
        turn = -1.0 if rod == a else -a * c / (rod * cos_rod)  # dφ/dθ
        sin_rod = -a * s / rod
        centre = (-a * s - 0.5 * rod * sin_rod * turn) ** 2
        centre += (a * c + 0.5 * rod * cos_rod * turn) ** 2
        slider = (-a * s - rod * sin_rod * turn) ** 2
        inertia = m * (a * a / 3 + r * r / 4) + m * (rod**2 / 12 + r * r / 4) * turn**2
        return inertia + m * centre + m * slider

    def where(t: float) -> np.ndarray:
        angle = solved(lambda _, y: [speed * math.sqrt(reduced(0) / reduced(y[0]))], [0], t)[0]
        return 0.5 * a * np.array([math.cos(angle), math.sin(angle), 0])

    return where


def pendulum_centre(t: float) -> np.ndarray:
    """Centre of the rod of `pendulum`: (⅓ + r²/4) α'' = ½ g cos α, α below the level."""
    J = 1 / 3 + 0.02**2 / 4
    angle = solved(lambda _, y: [y[1], 0.5 * G * math.cos(y[0]) / J], [0, 0], t)[0]
    return 0.5 * np.array([math.cos(angle), 0, -math.sin(angle)])


def sampled_cart_place(t: float) -> tuple[float, float, float]:
    """The cart of `sampled_cart`: between samples the force is constant."""
    x, v = 1.0, 0.0
    for _ in range(round(t / SAMPLE)):
        u = -GAIN * x - DAMPING * v
        x, v = x + SAMPLE * v + u * SAMPLE**2 / 2, v + SAMPLE * u
    return x, 0.0, 0.0


def bounces(t: float, k: float = 1e6, g: float = G) -> tuple[float, float, float]:
    """The mass of `bouncing_mass`: free fall, then half an oscillation about −g/k on the stop."""
    speed, w = math.sqrt(2 * g * 0.1), math.sqrt(k)
    fall, turn = speed / g, math.atan2(g / w, speed)
    touch = (math.pi + 2 * turn) / w  # x = −g/k + a sin, from 0 to 0
    rest = (t - fall) % (2 * fall + touch)
    if t < fall:
        return 0.0, 0.0, 0.1 - g * t * t / 2
    if rest < touch:
        size = math.hypot(speed / w, g / k)
        return 0.0, 0.0, -g / k - size * math.sin(w * rest - turn)
    rest -= touch
    return 0.0, 0.0, speed * rest - g * rest * rest / 2


def fine(
    model: Callable[[], lw.Model], body: str, h: float, method: Any = None
) -> Callable[[float], np.ndarray]:
    """The place of a body with a very small step, from RK4 on the Cartesian equations."""

    def where(t: float) -> np.ndarray:
        run = lw.transient(model(), t, h, method or lw.RK4(), every=10**9, progress=False)
        return run[body].position.values[-1]

    return where
