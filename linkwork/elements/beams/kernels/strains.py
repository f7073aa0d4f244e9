"""Strains and stresses of beam elements without velocities, in numpy (elements.beams.kernel).

Arrays have any leading axes such as elements: positions (…, 3) of each node as a list, numbers
of elements (…, reals).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.beams.layout import (
    AXES, HELICOIDAL, LINEAR, NODE, SECTION, SHAPE, SLOPE, STRAIN0, F, Q,
)  # fmt: skip
from linkwork.elements.beams.kernels.turning import B_TERMS, C_TERMS
from linkwork.elements.laws.base import STRESS, over_times
from linkwork.kernels import rotations


class Point(NamedTuple):
    """A section at one evaluation point: its axes and strains ε κ (…, 6)."""

    axes: np.ndarray
    strain: np.ndarray


def times(X: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", X, x)


def back(X: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("...ji,...j->...i", X, x)


def turn_map(theta: np.ndarray) -> np.ndarray:
    """T(θ) (elements.beams.turning)."""
    p = np.sum(theta * theta, axis=-1)[..., None, None]
    b, c = (np.polyval(terms[::-1], p) for terms in (B_TERMS, C_TERMS))
    X = rotations.tilde(theta)
    return np.eye(3) + b * X + c * (X @ X)


def slope_along_screw(a: np.ndarray, d: np.ndarray) -> np.ndarray:
    """d − g a × (a × d) (elements.beams.helicoidal)."""
    p = np.sum(a * a, axis=-1)[..., None]
    y = np.maximum(np.sqrt(p), 1e-4) / 2
    g = np.where(p < 1e-8, 1 / 24 + 7 * p / 5760, (y / np.sin(y) - 1) / (4 * y * y))
    return d - g * np.cross(a, np.cross(a, d))


def node_frames(
    reals: np.ndarray, n: int, r: Any, q: Any
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Places p_i of the beam's axis and section quaternions at the nodes."""
    places, axes = [], []
    for i in range(n):
        R = rotations.matrix(q[i])
        places.append(r[i] + times(R, reals[..., NODE * i + F : NODE * i + F + 3]))
        axes.append(rotations.multiply(q[i], reals[..., NODE * i + Q : NODE * i + Q + 4]))
    return places, axes


def evaluation_points(reals: np.ndarray, r: Any, q: Any) -> list[Point]:
    """The sections at all evaluation points."""
    n = len(r)
    base, width = n - 2, (reals.shape[-1] - n * NODE) // (n - 1)
    places, axes = node_frames(reals, n, r, q)
    turns = [rotations.logarithm(rotations.multiply(a, rotations.conjugate(axes[base])))
             for a in axes]  # fmt: skip
    found = []
    for k in range(n - 1):
        c = n * NODE + k * width
        N = [reals[..., c + SHAPE + i, None] for i in range(n)]
        N1 = [reals[..., c + SLOPE + i, None] for i in range(n)]
        theta, theta1 = (sum(a * b for a, b in zip(x, turns)) for x in (N, N1))
        p1 = sum(a * b for a, b in zip(N1, places))
        if n == 2 and np.any(reals[..., c + HELICOIDAL] != 0):
            p1 = N1[1] * slope_along_screw(turns[1], places[1] - places[0])
        section = rotations.multiply(axes[base], reals[..., c + AXES : c + AXES + 4])
        E = rotations.matrix(rotations.multiply(rotations.exponential(theta), section))
        strain = np.concatenate([back(E, p1), back(E, times(turn_map(theta), theta1))], axis=-1)
        found.append(Point(E, strain - reals[..., c + STRAIN0 : c + STRAIN0 + 6]))
    return found


def blocks(numbers: np.ndarray) -> np.ndarray:
    """6×6 matrices (…, 6, 6) from 3×3 blocks nn, nm, mn, mm in a row."""
    shape = numbers.shape[:-1]
    parts = numbers.reshape(*shape, 2, 2, 3, 3)
    return np.swapaxes(parts, -3, -2).reshape(*shape, 6, 6)


def in_blocks(X: np.ndarray) -> np.ndarray:
    """The 36 numbers of a 6×6 matrix, 3×3 blocks one after the other."""
    return X.reshape(2, 3, 2, 3).transpose(0, 2, 1, 3).ravel()


def section_stress(
    codes: np.ndarray, reals: np.ndarray, n: int, k: int, point: Point
) -> np.ndarray:
    """Force and moment (…, 6) in section axes at point k; codes of one element, or of several
    (elements, points, …)."""
    width = (reals.shape[-1] - n * NODE) // (n - 1)
    c = n * NODE + k * width
    numbers = reals[..., c + SECTION : c + width]
    if np.all(reals[..., c + LINEAR] != 0):
        return times(blocks(numbers[..., :36]), point.strain)
    shape = point.strain.shape
    flat = np.broadcast_to(numbers, (*shape[:-1], numbers.shape[-1])).reshape(-1, width - SECTION)
    law = np.broadcast_to(codes[..., k, :], (*shape[:-1], codes.shape[-1])).reshape(len(flat), -1)
    found = over_times(law, flat, point.strain.reshape(-1, 6))
    return found[:, STRESS : STRESS + 6].reshape(shape)


def law_codes(integers: np.ndarray, n: int) -> np.ndarray:
    """The integers (points, …) of the laws of an element with n nodes."""
    return integers[:-1].reshape(n - 1, -1)
