"""How a cable hangs at rest: the discrete elastic catenary.

With the tension T₀ at its first end the points follow one after the other,

    p_{i+1} = p_i + l₀ (1 + |T_i|/EA) T_i/|T_i|,     T_{i+1} = T_i − w l₀,   w the weight per length

and T₀ is found such that the last point is the other end.  The inextensible catenary, a cosh(x/a),
√(L² − v²) = 2 a sinh(h/2a) between ends h apart across and v along gravity, gives a first T₀.
"""

from __future__ import annotations

import math

import numpy as np


def hanging_shape(
    a: np.ndarray, b: np.ndarray, length: float, segments: int, EA: float, weight: np.ndarray
) -> np.ndarray:
    """Places (segments + 1, 3) of a cable of this length from a to b.

    weight : per length, N/m, where it pulls to
    """
    chord, w = b - a, float(np.linalg.norm(weight))
    distance = float(np.linalg.norm(chord))
    straight = a + np.linspace(0, 1, segments + 1)[:, None] * chord
    if segments == 1 or (w == 0.0 and length <= distance):
        return straight
    if w == 0.0:
        return folded(a, b, length, segments)
    first = first_tension(chord, length, weight, EA)
    found = matched(first, a, b, length / segments, segments, EA, weight)
    return folded(a, b, length, segments) if found is None else found


def along(
    T: np.ndarray, a: np.ndarray, piece: float, segments: int, EA: float, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The points that follow from the first tension, and how the last one changes with it."""
    points, slope = [a], np.zeros((3, 3))
    T = T.copy()
    for _ in range(segments):
        size = np.sqrt(T @ T)
        e = T / size
        points.append(points[-1] + piece * (1 + size / EA) * e)
        ee = np.outer(e, e)
        slope += piece * ((1 / size + 1 / EA) * (np.eye(3) - ee) + ee / EA)
        T = T - weight * piece
    return np.array(points), slope


def first_tension(
    chord: np.ndarray, length: float, weight: np.ndarray, EA: float
) -> np.ndarray:
    """At the first end, of the inextensible catenary; of a straight string where it is taut."""
    w = float(np.linalg.norm(weight))
    down = weight / w
    v = float(chord @ down)
    across = chord - v * down
    h, distance = float(np.linalg.norm(across)), float(np.linalg.norm(chord))
    if length <= distance * (1 + 1e-6) or h <= 1e-9 * length:
        strain = max(length * w / EA, distance / length - 1, 1e-6)
        return EA * strain * chord / max(distance, 1e-12 * length) - weight * length / 2
    ratio = np.sqrt(length * length - v * v) / h
    x = np.sqrt(6 * (ratio - 1)) if ratio < 3 else np.log(2 * ratio)
    for _ in range(60):
        x -= (np.sinh(x) - ratio * x) / (np.cosh(x) - ratio)
    H = w * h / (2 * x)
    # upwards at the first end: half of the weight, and what the ends' difference in height shifts
    up = w * length / 2 - w * v / (2 * np.tanh(x))
    return H * across / h - up * down


def matched(
    T: np.ndarray, a: np.ndarray, b: np.ndarray, piece: float, segments: int, EA: float,
    weight: np.ndarray,
) -> np.ndarray | None:  # fmt: skip
    """Newton's method for the first tension, with shorter steps where one leads away."""
    points, slope = along(T, a, piece, segments, EA, weight)
    for _ in range(200):
        miss = b - points[-1]
        wrong = float(np.linalg.norm(miss))
        if wrong <= 1e-12 * piece * segments:
            break
        try:
            step, factor = np.linalg.solve(slope, miss), 1.0
        except np.linalg.LinAlgError:
            return None
        while True:
            trial = along(T + factor * step, a, piece, segments, EA, weight)
            if np.linalg.norm(b - trial[0][-1]) < wrong or factor < 1e-6:
                break
            factor /= 2
        if factor < 1e-6:
            break
        T, (points, slope) = T + factor * step, trial
    if float(np.linalg.norm(b - points[-1])) > 1e-6 * piece * segments:
        return None
    points[-1] = b
    return points


def folded(a: np.ndarray, b: np.ndarray, length: float, segments: int) -> np.ndarray:
    """A zigzag with sides of the free length, where nothing says how it lies."""
    chord = b - a
    distance = float(np.linalg.norm(chord))
    e = chord / distance if distance > 0 else np.array([1.0, 0.0, 0.0])
    n = np.cross(e, [0.0, 0.0, 1.0] if abs(e[2]) < 0.9 else [0.0, 1.0, 0.0])
    n /= np.linalg.norm(n)
    high = math.sqrt(max(length * length - distance * distance, 0.0)) / segments
    points = a + np.linspace(0, 1, segments + 1)[:, None] * chord
    points[1:-1:2] += high * n
    return points
