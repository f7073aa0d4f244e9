"""Relative motion of the two markers of a lock joint over time, in numpy.

    x = R_Sᵀ (r_P − r_S),   ρ = ρ_S* ρ_P,   and their time derivatives by the product rule

    angle about z, the twist of ρ = (s, v):
    φ = 2 atan2(v_z, s),   φ̇ = 2 (s v̇_z − v_z ṡ)/(s² + v_z²)

Where rx and ry are held φ̇ is the relative angular velocity about the joint's axis.

Turns between stored times are those nearest to the integral of φ̇, with φ̈ at both ends

    ∫ φ̇ dt = h (φ̇₀ + φ̇₁)/2 + δ + O(h⁵),   δ = h² (φ̈₀ − φ̈₁)/12

The error left, h⁵ φ⁽⁵⁾/720, is a sixtieth of the second difference of δ from one time to the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.joints.lock import LEVEL, QA, QB, UA, UB
from linkwork.kernels.rotations import conjugate, matrix

TURN = 2 * np.pi


class Motion(NamedTuple):
    """One body over time: r (T, 3), q (T, 4), v (T, 3) in world axes, w (T, 3) in body axes."""

    r: np.ndarray
    q: np.ndarray
    v: np.ndarray
    w: np.ndarray


def rotate(R: np.ndarray, u: np.ndarray) -> np.ndarray:
    """R u at every time."""
    return np.einsum("tij,tj->ti", R, u)


def rotate_back(R: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Rᵀ u at every time."""
    return np.einsum("tji,tj->ti", R, u)


def multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quaternion products (T, 4), component by component: several times as fast as np.cross."""
    (pw, px, py, pz), (qw, qx, qy, qz) = p.T, q.T
    out = np.empty(p.shape)
    out[:, 0] = pw * qw - px * qx - py * qy - pz * qz
    out[:, 1] = pw * qx + qw * px + py * qz - pz * qy
    out[:, 2] = pw * qy + qw * py + pz * qx - px * qz
    out[:, 3] = pw * qz + qw * pz + px * qy - py * qx
    return out


def _pure(u: np.ndarray) -> np.ndarray:
    """The quaternion (0, u)."""
    return np.concatenate([np.zeros_like(u[:, :1]), u], axis=1)


def _law(reals: np.ndarray, column: int, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Value and first derivative of some numbers of a lock element."""
    first = column + LEVEL
    return reals[:, column : column + length], reals[:, first : first + length]


def relative_place(reals: np.ndarray, a: Motion, b: Motion) -> tuple[np.ndarray, np.ndarray]:
    """x and ẋ (T, 3) from the numbers of a lock element, (T, 64), and its two bodies."""
    (ua, ua1), (qa, qa1) = _law(reals, UA, 3), _law(reals, QA, 4)
    ub, ub1 = _law(reals, UB, 3)
    Ra, Rb = matrix(a.q), matrix(b.q)
    # y = R_aᵀ (r_b + R_b u_b − r_a), the driven marker seen from body a
    y = rotate_back(Ra, b.r - a.r + rotate(Rb, ub))
    y1 = rotate_back(Ra, b.v - a.v + rotate(Rb, np.cross(b.w, ub) + ub1)) - np.cross(a.w, y)
    z, z1, back, back1 = _pure(y - ua), _pure(y1 - ua1), conjugate(qa), conjugate(qa1)
    x = multiply(multiply(back, z), qa)
    x1 = (
        multiply(multiply(back, z1), qa)
        + multiply(multiply(back1, z), qa)
        + multiply(multiply(back, z), qa1)
    )
    return x[:, 1:], x1[:, 1:]


def relative_turn(reals: np.ndarray, a: Motion, b: Motion) -> tuple[np.ndarray, np.ndarray]:
    """ρ and ρ̇ (T, 4)."""
    (qa, qa1), (qb, qb1) = _law(reals, QA, 4), _law(reals, QB, 4)
    back, back1 = conjugate(qa), conjugate(qa1)
    p = multiply(conjugate(a.q), b.q)
    p1 = 0.5 * (multiply(p, _pure(b.w)) - multiply(_pure(a.w), p))
    m = multiply(back, p)
    m1 = multiply(back1, p) + multiply(back, p1)
    return multiply(m, qb), multiply(m1, qb) + multiply(m, qb1)


def turn_change(
    reals: np.ndarray, a: Motion, b: Motion, spin_a: np.ndarray, spin_b: np.ndarray
) -> np.ndarray:
    """ρ̈ (T, 4), from the angular accelerations of both bodies in body axes too."""
    (qa, qa1), (qb, qb1) = _law(reals, QA, 4), _law(reals, QB, 4)
    qa2, qb2 = (reals[:, column + 2 * LEVEL : column + 2 * LEVEL + 4] for column in (QA, QB))
    wa, wb = _pure(a.w), _pure(b.w)
    p = multiply(conjugate(a.q), b.q)
    p1 = 0.5 * (multiply(p, wb) - multiply(wa, p))
    p2 = 0.5 * (multiply(p1, wb) + multiply(p, _pure(spin_b)) - multiply(_pure(spin_a), p))
    p2 -= 0.5 * multiply(wa, p1)
    back, back1, back2 = conjugate(qa), conjugate(qa1), conjugate(qa2)
    m, m1 = multiply(back, p), multiply(back1, p) + multiply(back, p1)
    m2 = multiply(back2, p) + 2 * multiply(back1, p1) + multiply(back, p2)
    return multiply(m2, qb) + 2 * multiply(m1, qb1) + multiply(m, qb2)


def twist(rho: np.ndarray) -> np.ndarray:
    """The angle about z, −π … π."""
    angle = 2 * np.arctan2(rho[:, 3], rho[:, 0])
    return angle - TURN * np.round(angle / TURN)


def twist_rate(rho: np.ndarray, rho1: np.ndarray) -> np.ndarray:
    """Time derivative of `twist`; zero where a half turn of swing leaves it undefined."""
    size = rho[:, 0] ** 2 + rho[:, 3] ** 2
    rate = 2 * (rho[:, 0] * rho1[:, 3] - rho[:, 3] * rho1[:, 0])
    return np.divide(rate, size, out=np.zeros_like(rate), where=size > 1e-30)


def twist_change(rho: np.ndarray, rho1: np.ndarray, rho2: np.ndarray) -> np.ndarray:
    """Second time derivative of `twist`."""
    size = rho[:, 0] ** 2 + rho[:, 3] ** 2
    grows = 2 * (rho[:, 0] * rho1[:, 0] + rho[:, 3] * rho1[:, 3])
    change = 2 * (rho[:, 0] * rho2[:, 3] - rho[:, 3] * rho2[:, 0])
    change = change - twist_rate(rho, rho1) * grows
    return np.divide(change, size, out=np.zeros_like(change), where=size > 1e-30)


def unwrap(
    time: np.ndarray, angle: np.ndarray, rate: np.ndarray, start: float,
    change: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """The angle counted over turns: from the branch nearest to `start`, and between samples the
    number of turns nearest to the integral of the rate, however sparse they are."""
    expected, _ = expected_turn(time, rate, change)
    turns = np.round((expected - np.diff(angle)) / TURN)
    first = np.round((start - angle[0]) / TURN)
    return angle + TURN * np.concatenate([[first], first + np.cumsum(turns)])


def expected_turn(
    time: np.ndarray, rate: np.ndarray, change: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """The integral of the rate between stored times, and how far it may be off (generously)."""
    h = np.diff(time)
    expected = h * (rate[1:] + rate[:-1]) / 2
    if len(h) < 3:
        return expected, np.zeros_like(expected)
    if change is None or not np.all(np.isfinite(change)):
        change = np.gradient(rate, time)
    delta = h**2 * (change[:-1] - change[1:]) / 12
    off = np.abs(delta[2:] - 2 * delta[1:-1] + delta[:-2]) / 10
    return expected + delta, np.concatenate([off[:1], off, off[-1:]])


def doubtful(
    time: np.ndarray, angle: np.ndarray, rate: np.ndarray, change: np.ndarray | None
) -> int | None:
    """The first stored time after which the number of turns is not certain; None where all are.

    angle is counted over turns: it differs from the integral of the rate by up to half a turn.
    """
    expected, off = expected_turn(time, rate, change)
    bad = np.maximum(np.abs(expected - np.diff(angle)), off) > TURN / 4
    return int(np.argmax(bad)) if bad.any() else None
