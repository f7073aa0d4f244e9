"""Rotations by unit quaternions (w, x, y, z), R(ρ) taking local to parent components.

    ρ exp(θ):  R ← R exp(θ̃),  θ in local axes          (Peng et al. 2024, appendix B)
    T(x):      exp(x + δx) = exp(x) exp(T(x) δx)         right tangent operator of SO(3)
    T(x)⁻¹ = I + x̃/2 + (1/φ² − (1 + cos φ)/(2 φ sin φ)) x̃²,  φ = |x|

The first half works on tuples inside kernels, the second on numpy arrays with any leading axes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.kernels.compiled import fused_inlined, fused_spliced, inlined, spliced

# ----------------------------------------------------------------------- compiled, on tuples


@spliced
def qmul(p, q):
    """Quaternion product p q."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@inlined
def qconj(q):
    return (q[0], -q[1], -q[2], -q[3])


@inlined
def qadd(p, q):
    return (p[0] + q[0], p[1] + q[1], p[2] + q[2], p[3] + q[3])


@inlined
def qscale(s, q):
    return (s * q[0], s * q[1], s * q[2], s * q[3])


@fused_spliced
def qexp(x):
    """Unit quaternion of the rotation vector x."""
    p2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    if p2 < 1e-2:  # series: relative error below 1e-19
        s = 0.5 - p2 * (1.0 / 48.0 - p2 * (1.0 / 3840.0 - p2 * (
            1.0 / 645120.0 - p2 * (1.0 / 185794560.0))))  # fmt: skip
        c = 1.0 - p2 * (0.125 - p2 * (1.0 / 384.0 - p2 * (
            1.0 / 46080.0 - p2 * (1.0 / 10321920.0))))  # fmt: skip
    else:
        p = math.sqrt(p2)
        s = math.sin(0.5 * p) / p
        c = math.cos(0.5 * p)
    return (c, s * x[0], s * x[1], s * x[2])


@fused_spliced
def rotation_matrix(q):
    w, x, y, z = q
    return (
        w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z,
    )  # fmt: skip


@fused_spliced
def inverse_tangent_by(x, k):
    """T(x)⁻¹ = I + x̃/2 + k x̃²."""
    a, b, c = x
    return (
        1.0 - k * (b * b + c * c), k * a * b - 0.5 * c, k * a * c + 0.5 * b,
        k * a * b + 0.5 * c, 1.0 - k * (a * a + c * c), k * b * c - 0.5 * a,
        k * a * c - 0.5 * b, k * b * c + 0.5 * a, 1.0 - k * (a * a + b * b),
    )  # fmt: skip


@fused_spliced
def inverse_tangent(x):
    """T(x)⁻¹, for rotation vectors shorter than 2π."""
    p2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    if p2 < 1e-2:  # series: relative error below 1e-17
        k = 1.0 / 12.0 + p2 * (1.0 / 720.0 + p2 * (1.0 / 30240.0 + p2 * (
            1.0 / 1209600.0 + p2 * (1.0 / 47900160.0))))  # fmt: skip
    else:
        p = math.sqrt(p2)
        k = 1.0 / p2 - (1.0 + math.cos(p)) / (2.0 * p * math.sin(p))
    return inverse_tangent_by(x, k)


@fused_inlined
def tangent_factors(p2):
    """(1 − cos φ)/φ² and (φ − sin φ)/φ³ for φ² = p2."""
    if p2 < 1e-2:  # series: relative error below 1e-15
        a = 0.5 - p2 * (1.0 / 24.0 - p2 * (1.0 / 720.0 - p2 / 40320.0))
        b = 1.0 / 6.0 - p2 * (1.0 / 120.0 - p2 * (1.0 / 5040.0 - p2 / 362880.0))
    else:
        p = math.sqrt(p2)
        a = (1.0 - math.cos(p)) / p2
        b = (p - math.sin(p)) / (p * p2)
    return a, b


@fused_inlined
def tangent(x):
    """T(x) = I − (1 − cos φ)/φ² x̃ + (φ − sin φ)/φ³ x̃²."""
    p2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    s, k = tangent_factors(p2)
    a, b, c = x
    return (
        1.0 - k * (b * b + c * c), k * a * b + s * c, k * a * c - s * b,
        k * a * b - s * c, 1.0 - k * (a * a + c * c), k * b * c + s * a,
        k * a * c + s * b, k * b * c - s * a, 1.0 - k * (a * a + b * b),
    )  # fmt: skip


@fused_spliced
def turn_factors(p2):
    """cos(φ/2), sin(φ/2)/φ, k of T(x)⁻¹ = I + x̃/2 + k x̃², and 2 dk/dφ² for φ² = p2: all that
    exp(x), T(x)⁻¹ and its slope need beside x."""
    if p2 < 1e-2:  # series as in `qexp` and `inverse_tangent`
        s = 0.5 - p2 * (1.0 / 48.0 - p2 * (1.0 / 3840.0 - p2 * (
            1.0 / 645120.0 - p2 * (1.0 / 185794560.0))))  # fmt: skip
        c = 1.0 - p2 * (0.125 - p2 * (1.0 / 384.0 - p2 * (
            1.0 / 46080.0 - p2 * (1.0 / 10321920.0))))  # fmt: skip
        k = 1.0 / 12.0 + p2 * (1.0 / 720.0 + p2 * (1.0 / 30240.0 + p2 * (
            1.0 / 1209600.0 + p2 * (1.0 / 47900160.0))))  # fmt: skip
        slope = 1.0 / 360.0 + p2 * (1.0 / 7560.0 + p2 * (1.0 / 201600.0))
    else:
        p = math.sqrt(p2)
        s, c = math.sin(0.5 * p), math.cos(0.5 * p)
        cot, over = c / s, 1.0 / p2
        k = over - cot / (2.0 * p)
        slope = 0.5 * cot * over / p + (0.25 * (1.0 + cot * cot) - 2.0 * over) * over
        s = s / p
    return c, s, k, slope


@fused_spliced
def inverse_tangent_slope(x, d, k, slope):
    """∂(T(−x)⁻¹ d)/∂x for a fixed d: how a chord turned back changes with the turn.

    T(−x)⁻¹ d = d − x×d/2 + k x×(x×d),  k(φ) and slope = 2 dk/dφ² by `turn_factors`
    """
    p2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    a, b, c = x
    along = a * d[0] + b * d[1] + c * d[2]
    # x×(x×d) = x (x·d) − d φ²
    u, v, w = a * along - d[0] * p2, b * along - d[1] * p2, c * along - d[2] * p2
    return (
        k * (along - a * d[0]) + slope * u * a,
        k * (a * d[1] - 2.0 * d[0] * b) + slope * u * b - 0.5 * d[2],
        k * (a * d[2] - 2.0 * d[0] * c) + slope * u * c + 0.5 * d[1],
        k * (b * d[0] - 2.0 * d[1] * a) + slope * v * a + 0.5 * d[2],
        k * (along - b * d[1]) + slope * v * b,
        k * (b * d[2] - 2.0 * d[1] * c) + slope * v * c - 0.5 * d[0],
        k * (c * d[0] - 2.0 * d[2] * a) + slope * w * a - 0.5 * d[1],
        k * (c * d[1] - 2.0 * d[2] * b) + slope * w * b + 0.5 * d[0],
        k * (along - c * d[2]) + slope * w * c,
    )


@fused_inlined
def tangent_slope(x, d):
    """∂(T(x) d)/∂x for a fixed d: how the body rate of x changes with x.

    T(x) d = d − a x×d + b x×(x×d),  a and b functions of φ² as in T(x)
    """
    p2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    a, b = tangent_factors(p2)
    if p2 < 1e-2:  # 2 da/dφ² and 2 db/dφ²
        a1 = -1.0 / 12.0 + p2 * (1.0 / 180.0 - p2 / 6720.0)
        b1 = -1.0 / 60.0 + p2 * (1.0 / 1260.0 - p2 / 60480.0)
    else:
        a1, b1 = (1.0 - p2 * b - 2.0 * a) / p2, (a - 3.0 * b) / p2
    along = x[0] * d[0] + x[1] * d[1] + x[2] * d[2]
    u, v = x[1] * d[2] - x[2] * d[1], x[2] * d[0] - x[0] * d[2]
    w = x[0] * d[1] - x[1] * d[0]
    # x×(x×d) = x (x·d) − d φ², and its part of the columns with the factors a1 and b1
    p = b1 * (x[0] * along - d[0] * p2) - a1 * u - 2.0 * b * d[0]
    q = b1 * (x[1] * along - d[1] * p2) - a1 * v - 2.0 * b * d[1]
    r = b1 * (x[2] * along - d[2] * p2) - a1 * w - 2.0 * b * d[2]
    e = b * along
    return (
        e + b * x[0] * d[0] + p * x[0], b * x[0] * d[1] + p * x[1] - a * d[2],
        b * x[0] * d[2] + p * x[2] + a * d[1],
        b * x[1] * d[0] + q * x[0] + a * d[2], e + b * x[1] * d[1] + q * x[1],
        b * x[1] * d[2] + q * x[2] - a * d[0],
        b * x[2] * d[0] + r * x[0] - a * d[1], b * x[2] * d[1] + r * x[1] + a * d[0],
        e + b * x[2] * d[2] + r * x[2],
    )  # fmt: skip


@fused_inlined
def tangent_times(x, d):
    """T(x) d = d − (1 − cos φ)/φ² x×d + (φ − sin φ)/φ³ x×(x×d): the body rate of x with ẋ = d."""
    a, b = tangent_factors(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    u, v = x[1] * d[2] - x[2] * d[1], x[2] * d[0] - x[0] * d[2]
    w = x[0] * d[1] - x[1] * d[0]
    return (
        d[0] - a * u + b * (x[1] * w - x[2] * v),
        d[1] - a * v + b * (x[2] * u - x[0] * w),
        d[2] - a * w + b * (x[0] * v - x[1] * u),
    )


@inlined
def qlog(q):
    """Rotation vector of a unit quaternion, shorter than 2π: its sign is kept, not its angle."""
    s2 = q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    if s2 < 2.5e-3 and q[0] > 0.0:  # 2 asin(s)/s: relative error below 1e-15
        k = 2.0 + s2 * (1.0 / 3.0 + s2 * (3.0 / 20.0 + s2 * (5.0 / 56.0 + s2 * 35.0 / 576.0)))
    else:
        s = math.sqrt(s2)
        k = 2.0 * math.atan2(s, q[0]) / s
    return (k * q[1], k * q[2], k * q[3])


# -------------------------------------------------------------- numpy, with any leading axes


def multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quaternion product p q."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    if p.ndim == q.ndim == 1:  # of one pair in a tenth of the time
        a, b, c, d = p.tolist()
        w, x, y, z = q.tolist()
        return np.array([
            a * w - (0.0 + b * x + c * y + d * z), a * x + w * b + (c * z - d * y),
            a * y + w * c + (d * x - b * z), a * z + w * d + (b * y - c * x),
        ])  # fmt: skip
    a, b, c, d = (p[..., k] for k in range(4))
    w, x, y, z = (q[..., k] for k in range(4))
    found = np.empty(np.broadcast_shapes(p.shape, q.shape))
    found[..., 0] = a * w - (0.0 + b * x + c * y + d * z)
    found[..., 1] = a * x + w * b + (c * z - d * y)
    found[..., 2] = a * y + w * c + (d * x - b * z)
    found[..., 3] = a * z + w * d + (b * y - c * x)
    return found


def conjugate(q: np.ndarray) -> np.ndarray:
    return np.asarray(q, float) * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(R: np.ndarray, u: np.ndarray) -> np.ndarray:
    """R u at every time."""
    return np.einsum("tij,tj->ti", R, u)


def rotate_back(R: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Rᵀ u at every time."""
    return np.einsum("tji,tj->ti", R, u)


def matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    q = np.asarray(q, float)
    w, x, y, z = q.tolist() if q.ndim == 1 else np.moveaxis(q, -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.array(rows) if q.ndim == 1 else stacked(rows, q.shape[:-1])


def stacked(rows: list[list[Any]], shape: tuple[int, ...]) -> np.ndarray:
    """Matrices (..., 3, 3) from their nine entries."""
    out = np.empty((*shape, 3, 3))
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            out[..., i, j] = entry
    return out


def from_matrix(R: np.ndarray) -> np.ndarray:
    """Unit quaternion of a rotation matrix, the largest component taken as positive pivot."""
    R = np.asarray(R, float)
    d = np.array([np.trace(R), R[0, 0], R[1, 1], R[2, 2]])
    i = int(np.argmax(d))
    if i == 0:
        q = np.array([1 + d[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        a, b, c = i - 1, i % 3, (i + 1) % 3
        q = np.empty(4)
        q[0] = R[c, b] - R[b, c]
        q[1 + a] = 1 + R[a, a] - R[b, b] - R[c, c]
        q[1 + b] = R[a, b] + R[b, a]
        q[1 + c] = R[a, c] + R[c, a]
    return q / np.linalg.norm(q)


def from_matrices(R: np.ndarray) -> np.ndarray:
    """Unit quaternions (T, 4) of many rotation matrices (T, 3, 3), as `from_matrix` of one."""
    x, y, z = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    xy, yz, zx = R[:, 0, 1] + R[:, 1, 0], R[:, 1, 2] + R[:, 2, 1], R[:, 2, 0] + R[:, 0, 2]
    u, v, w = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    # of each pivot the column 4 q_i q: w, then x, y, z
    columns = np.array([
        [1 + (x + y + z), u, v, w], [u, 1 + x - y - z, xy, zx],
        [v, xy, 1 + y - z - x, yz], [w, zx, yz, 1 + z - x - y],
    ])  # fmt: skip
    pivot = np.argmax(np.array([x + y + z, x, y, z]), axis=0)
    q = columns[pivot, :, np.arange(len(R))]
    return np.asarray(q / np.linalg.norm(q, axis=1, keepdims=True))


def exponential(x: np.ndarray) -> np.ndarray:
    """Unit quaternions of rotation vectors."""
    x = np.asarray(x, float)
    p = np.linalg.norm(x, axis=-1, keepdims=True)
    return np.concatenate([np.cos(p / 2), np.sinc(p / (2 * np.pi)) / 2 * x], axis=-1)


def logarithm(q: np.ndarray) -> np.ndarray:
    """Rotation vectors, shorter than or equal to π, of unit quaternions."""
    q = np.asarray(q, float)
    q = np.where(q[..., :1] < 0, -q, q)
    s = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    small = s < 1e-12
    factor = np.where(small, 2.0, 2 * np.arctan2(s, q[..., :1]) / np.where(small, 1.0, s))
    return factor * q[..., 1:]


def tilde(a: np.ndarray) -> np.ndarray:
    """Skew matrices ã (..., 3, 3) with ã b = a × b."""
    x, y, z = np.moveaxis(np.asarray(a, float), -1, 0)
    return stacked([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]], np.shape(x))
