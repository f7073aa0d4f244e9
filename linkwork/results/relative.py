"""Relative motion of the two markers of a lock joint over time, in numpy.

    x = R_Sᵀ (r_P − r_S),   ρ = ρ_S* ρ_P,   and their time derivatives by the product rule

    angle about z, the twist of ρ = (s, v):
    φ = 2 atan2(v_z, s),   φ̇ = 2 (s v̇_z − v_z ṡ)/(s² + v_z²)

Where rx and ry are held φ̇ is the relative angular velocity about the joint's axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.lock import LEVEL, QA, QB, UA, UB
from linkwork.math.rotations import conjugate, matrix

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


def twist(rho: np.ndarray) -> np.ndarray:
    """The angle about z, −π … π."""
    angle = 2 * np.arctan2(rho[:, 3], rho[:, 0])
    return angle - TURN * np.round(angle / TURN)


def twist_rate(rho: np.ndarray, rho1: np.ndarray) -> np.ndarray:
    """Time derivative of `twist`; zero where a half turn of swing leaves it undefined."""
    size = rho[:, 0] ** 2 + rho[:, 3] ** 2
    rate = 2 * (rho[:, 0] * rho1[:, 3] - rho[:, 3] * rho1[:, 0])
    return np.divide(rate, size, out=np.zeros_like(rate), where=size > 1e-30)


def unwrap(time: np.ndarray, angle: np.ndarray, rate: np.ndarray, start: float) -> np.ndarray:
    """The angle counted over turns: from the branch nearest to `start`, and between samples the
    number of turns nearest to the trapezoidal integral of the rate, however sparse they are."""
    expected = np.diff(time) * (rate[1:] + rate[:-1]) / 2
    turns = np.round((expected - np.diff(angle)) / TURN)
    first = np.round((start - angle[0]) / TURN)
    return angle + TURN * np.concatenate([[first], first + np.cumsum(turns)])
