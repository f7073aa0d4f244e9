"""Strains, stresses and energy of beam elements over many times, in numpy (elements.beams.kernel).

Arrays have any leading axes, times and elements: positions (…, 3) of each node as a list, numbers
of elements (…, reals).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.beams.layout import (
    AXES, HELICOIDAL, LINEAR, NODE, SECTION, SHAPE, SLOPE, STRAIN0, WEIGHT, F, Q,
)  # fmt: skip
from linkwork.elements.beams.kernels.turning import B_TERMS, C_TERMS
from linkwork.elements.laws.base import ENERGY, STRESS, over_times
from linkwork.kernels import rotations


class Point(NamedTuple):
    """A section at one evaluation point: its place and axes, strains ε κ (…, 6) and their rates."""

    place: np.ndarray
    axes: np.ndarray
    strain: np.ndarray
    rate: np.ndarray | None


def times(X: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", X, x)


def back(X: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("...ji,...j->...i", X, x)


def turn_map(theta: np.ndarray, change: np.ndarray | None = None) -> np.ndarray:
    """T(θ), or dT[change] (elements.beams.turning)."""
    p = np.sum(theta * theta, axis=-1)[..., None, None]
    b, c = (np.polyval(terms[::-1], p) for terms in (B_TERMS, C_TERMS))
    X = rotations.tilde(theta)
    if change is None:
        return np.eye(3) + b * X + c * (X @ X)
    b1, c1 = (np.polyval(np.polyder(np.array(terms[::-1])), p) for terms in (B_TERMS, C_TERMS))
    Y, along = rotations.tilde(change), 2 * np.sum(theta * change, axis=-1)[..., None, None]
    return b * Y + along * b1 * X + c * (X @ Y + Y @ X) + along * c1 * (X @ X)


def inverse_map(theta: np.ndarray) -> np.ndarray:
    """T⁻¹(θ)."""
    return np.linalg.inv(turn_map(theta))


def along_screw(
    a: np.ndarray, d: np.ndarray, a1: Any = None, d1: Any = None
) -> tuple[np.ndarray, np.ndarray, Any]:
    """−h a × d, d − g a × (a × d) and the rate of the latter (elements.beams.helicoidal)."""
    p = np.sum(a * a, axis=-1)[..., None]
    y = np.maximum(np.sqrt(p), 1e-4) / 2
    small = p < 1e-8
    g = np.where(small, 1 / 24 + 7 * p / 5760, (y / np.sin(y) - 1) / (4 * y * y))
    h = np.where(small, 1 / 8 + p / 384, np.tan(y / 2) / (4 * y))
    b = np.cross(a, d)
    slope, rate = d - g * np.cross(a, b), None
    if a1 is not None:
        by_y = (np.sin(y) - y * np.cos(y)) / np.sin(y) ** 2 / (4 * y * y)
        by_y = by_y - (y / np.sin(y) - 1) / (2 * y**3)
        g1 = np.where(small, 7 / 5760 + 31 * p / 483840, by_y / (8 * y))
        along = np.sum(a * a1, axis=-1)[..., None]
        turning = np.cross(a1, b) + np.cross(a, np.cross(a1, d) + np.cross(a, d1))
        rate = d1 - g * turning - 2 * g1 * along * np.cross(a, b)
    return -h * b, slope, rate


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


def evaluation_points(
    reals: np.ndarray, r: Any, q: Any, v: Any = None, omega: Any = None
) -> list[Point]:
    """The sections at all evaluation points; rates where velocities are given."""
    n = len(r)
    base, width = n - 2, (reals.shape[-1] - n * NODE) // (n - 1)
    places, axes = node_frames(reals, n, r, q)
    turns = [rotations.logarithm(rotations.multiply(a, rotations.conjugate(axes[base])))
             for a in axes]  # fmt: skip
    if v is not None:
        spin = [times(rotations.matrix(q[i]), omega[i]) for i in range(n)]
        speed = [v[i] + np.cross(spin[i], places[i] - r[i]) for i in range(n)]
        twist = [times(inverse_map(turns[i]), spin[i] - spin[base]) for i in range(n)]
    found = []
    for k in range(n - 1):
        c = n * NODE + k * width
        N = [reals[..., c + SHAPE + i, None] for i in range(n)]
        N1 = [reals[..., c + SLOPE + i, None] for i in range(n)]

        def sums(x: list[np.ndarray], N: Any = N, N1: Any = N1) -> tuple[np.ndarray, np.ndarray]:
            return sum(a * b for a, b in zip(N, x)), sum(a * b for a, b in zip(N1, x))

        (theta, theta1), (p, p1) = sums(turns), sums(places)
        screw = n == 2 and bool(np.any(reals[..., c + HELICOIDAL] != 0))
        if screw:
            rates: Any = (None, None)
            if v is not None:
                rates = twist[1] + np.cross(spin[0], turns[1]), speed[1] - speed[0]
            moved, d, d_rate = along_screw(turns[1], places[1] - places[0], *rates)
            p, p1 = p + moved, N1[1] * d
        T = turn_map(theta)
        section = rotations.multiply(axes[base], reals[..., c + AXES : c + AXES + 4])
        E = rotations.matrix(rotations.multiply(rotations.exponential(theta), section))
        strain = np.concatenate([back(E, p1), back(E, times(T, theta1))], axis=-1)
        strain = strain - reals[..., c + STRAIN0 : c + STRAIN0 + 6]
        rate = None
        if v is not None:
            (turn, turn1), (_, v1) = sums(twist), sums(speed)
            v1 = N1[1] * d_rate if screw else v1
            w = spin[base] + times(T, turn)
            u = v1 - np.cross(w, p1)
            t = times(T, turn1) + times(turn_map(theta, theta1), turn)
            rate = np.concatenate([back(E, u), back(E, t)], axis=-1)
        found.append(Point(p, E, strain, rate))
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
) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment (…, 6) in section axes at point k, and the energy per length (…); codes of
    one element, or of several (elements, points, …)."""
    width = (reals.shape[-1] - n * NODE) // (n - 1)
    c = n * NODE + k * width
    numbers, rate = reals[..., c + SECTION : c + width], point.rate
    if np.all(reals[..., c + LINEAR] != 0):
        elastic = times(blocks(numbers[..., :36]), point.strain)
        energy = 0.5 * np.sum(point.strain * elastic, axis=-1)
        if rate is not None:
            elastic = elastic + times(blocks(numbers[..., 36:72]), rate)
        return elastic, energy
    shape = point.strain.shape
    flat = np.broadcast_to(numbers, (*shape[:-1], numbers.shape[-1])).reshape(-1, width - SECTION)
    law = np.broadcast_to(codes[..., k, :], (*shape[:-1], codes.shape[-1])).reshape(len(flat), -1)
    found = over_times(
        law, flat, point.strain.reshape(-1, 6), None if rate is None else rate.reshape(-1, 6)
    )
    return found[:, STRESS : STRESS + 6].reshape(shape), found[:, ENERGY].reshape(shape[:-1])


def law_codes(integers: np.ndarray, n: int) -> np.ndarray:
    """The integers (points, …) of the laws of an element with n nodes."""
    return integers[:-1].reshape(n - 1, -1)


def strain_energy(integers: np.ndarray, reals: np.ndarray, r: Any, q: Any) -> np.ndarray:
    """Σ weight · W over the points of an element, (…)."""
    n = len(r)
    width = (reals.shape[-1] - n * NODE) // (n - 1)
    total = 0.0
    for k, point in enumerate(evaluation_points(reals, r, q)):
        weight = reals[..., n * NODE + k * width + WEIGHT]
        total = total + weight * section_stress(law_codes(integers, n), reals, n, k, point)[1]
    return np.asarray(total)
