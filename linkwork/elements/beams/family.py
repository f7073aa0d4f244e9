"""Families of beam elements and the numbers of one: geometry at rest, sections, shape functions.

    three nodes  ξ = −1, 0, 1:   N = (ξ(ξ−1)/2, 1 − ξ², ξ(ξ+1)/2),  points ξ = ∓1/√3
    two nodes    ξ = −1, 1:      N = ((1−ξ)/2, (1+ξ)/2),            point ξ = 0

Strains are zero in the reference configuration, however curved and twisted it is: ε0 and κ0 are the
values there.  With one point, bending moments that change along a two-node element are not seen;
their flexibility is added to that of shear, which keeps the element from locking:

    C⁻¹ + L²/12 ẽ₁ᵀ (C⁻¹)_mm ẽ₁   in the block nn                         (1/GA + L²/(12 EI))

and damping D becomes AᵀDA + L²/12 BᵀDB, A = C⁻¹Ĉ, B = (C⁻¹)_mm ẽ₁ Ĉ_n the strain's slope, so that
D proportional to C stays so.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from linkwork.elements.beams.kernels.helicoidal import HELICOIDAL_KERNEL
from linkwork.elements.beams.kernels.kernel import BEAM_KERNEL, MOST_TURN
from linkwork.elements.beams.layout import (
    AXES, DAMPED, HELICOIDAL, LINEAR, MATRICES, NODE, SECTION, SHAPE, SLOPE, STRAIN0, WEIGHT, F,
    Q, point_at, reals_of,
)  # fmt: skip
from linkwork.elements.beams.kernels.outputs import beam_outputs
from linkwork.elements.beams.kernels.strains import (
    evaluation_points, in_blocks, slope_along_screw,
)  # fmt: skip
from linkwork.elements.flexible.section import Section
from linkwork.elements.laws.base import law_numbers, padded
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model.frame import Frame
from linkwork.model.registry import Entry, Family, Law

GAUSS = 1 / math.sqrt(3)
POINTS = {2: (0.0,), 3: (-GAUSS, GAUSS)}
ACROSS = rotations.tilde(np.array([1.0, 0.0, 0.0]))  # ẽ₁


def shape_functions(n: int, xi: float) -> tuple[np.ndarray, np.ndarray]:
    """N and dN/dξ of n nodes."""
    if n == 2:
        return np.array([(1 - xi) / 2, (1 + xi) / 2]), np.array([-0.5, 0.5])
    return (
        np.array([xi * (xi - 1) / 2, 1 - xi * xi, xi * (xi + 1) / 2]),
        np.array([xi - 0.5, -2 * xi, xi + 0.5]),
    )


@functools.cache
def beam_family(nodes: int, section: int, integers: int, helicoidal: bool = False) -> Family:
    """Elements of two or three nodes whose sections have so many numbers; all share one kernel."""
    return Family(
        f"{'helicoidal ' * helicoidal}beam of {nodes} nodes, {section} and {integers}",
        HELICOIDAL_KERNEL if helicoidal else BEAM_KERNEL, bodies=nodes,
        reals=reals_of(nodes, section), integers=integers, slender=True, whole=not helicoidal,
        shares=not helicoidal, outputs=beam_outputs(nodes - 1),
    )  # fmt: skip


def two_node_matrices(
    C: np.ndarray, D: np.ndarray, length: float
) -> tuple[np.ndarray, np.ndarray]:
    """C and D of a two-node element's section, with the flexibility of bending in shear."""
    soft = np.linalg.inv(C)
    more = soft.copy()
    more[:3, :3] += length**2 / 12 * ACROSS.T @ soft[3:, 3:] @ ACROSS
    corrected = np.linalg.inv(more)
    corrected = (corrected + corrected.T) / 2
    A, B = soft @ corrected, np.zeros((6, 6))
    B[3:] = soft[3:, 3:] @ ACROSS @ corrected[:3]
    return corrected, A.T @ D @ A + length**2 / 12 * B.T @ D @ B


def section_numbers(
    section: Section, length: float | None, what: str
) -> tuple[np.ndarray, tuple[Any, ...], bool, list[Law]]:
    """Reals of a section, the integers of its law (none of a linear one), whether it is damped, and
    what changes in time.

    length : of a two-node element, whose flexibility in bending is added to that in shear
    """
    if section.law is None and section.prestrain is None and section.prestress is None:
        C, D = section.matrix, section.damping_matrix
        if length is not None:
            C, D = two_node_matrices(C, D, length)
        return np.concatenate([in_blocks(C), in_blocks(D)]), (), bool(np.any(D)), []
    law = section.as_law(what)
    if length is not None:
        law = section.as_law(what, lambda C, D: two_node_matrices(C, D, length))
    numbers, integers, laws = law_numbers(law, 6, what, 0)
    return numbers, integers, True, laws


def room(count: int) -> int:
    """Places for a law's numbers: powers of two, so that few families serve all laws."""
    return max(128, 1 << (count - 1).bit_length())


def beam_entry(
    frames: list[Frame], sections: list[Section], what: str, axes: Any = None,
    shear_correction: bool = True, helicoidal: bool = False,
) -> Entry:  # fmt: skip
    """The element through frames on its bodies, whose x axes lie along the beam.

    sections : at the evaluation points;  axes : their axes in the reference configuration, as
               quaternions in the world, where they are not those interpolated between the nodes
    shear_correction : whether a two-node element has the flexibility of its bending in shear
    helicoidal : whether a two-node element lies along a screw
    """
    n = len(frames)
    world = [frame.world() for frame in frames]
    p = np.array([place for place, _ in world])
    slopes = [shape_functions(n, xi)[1] @ p for xi in POINTS[n]]
    if helicoidal:
        turn = rotations.multiply(world[1][1], rotations.conjugate(world[0][1]))
        slopes = [slope_along_screw(rotations.logarithm(turn), p[1] - p[0]) / 2]
    speeds = [float(np.linalg.norm(slope)) for slope in slopes]
    length = 2.0 * speeds[0] if n == 2 and shear_correction else None
    made = [section_numbers(section, length, what) for section in sections]
    linear = not any(part[1] for part in made)
    places = MATRICES if linear else room(max(len(part[0]) for part in made))
    count = 0 if linear else max(len(padded(part[1])) for part in made)
    reals, laws = np.zeros(reals_of(n, places)), []
    for i, frame in enumerate(frames):
        reals[NODE * i + F : NODE * i + F + 3] = frame.position
        reals[NODE * i + Q : NODE * i + Q + 4] = frame.orientation
    for k, (xi, speed) in enumerate(zip(POINTS[n], speeds)):
        c = point_at(n, places, k)
        N, N1 = shape_functions(n, xi)
        reals[c + SHAPE : c + SHAPE + n], reals[c + SLOPE : c + SLOPE + n] = N, N1 / speed
        if helicoidal:
            reals[c + HELICOIDAL] = 1.0
        reals[c + WEIGHT] = 2.0 * speed / (n - 1)
        reals[c + AXES] = 1.0
        numbers, codes, damped, changing = made[k]
        reals[c + LINEAR], reals[c + DAMPED] = not codes, damped
        if not linear and not codes:
            raise ModelError(
                f"{what} has one section with a law and one without; give both a law"
            )
        reals[c + SECTION : c + SECTION + len(numbers)] = numbers
        for law in changing:
            laws.append(Law(c + SECTION + law.column, law.values, law.length, law.signal))
    integers = [x for part in made for x in (*part[1], *[0] * (count - len(part[1])))]
    family = beam_family(n, places, len(integers) + 1, helicoidal)
    ends = tuple(f.body for f in frames)
    entry = Entry(family, ends, reals, laws=laws, integers=(*integers, n))
    set_reference(entry, frames, axes, what)
    return entry


def set_reference(entry: Entry, frames: list[Frame], axes: Any, what: str) -> None:
    """Axes of the sections, and strains of the reference configuration, which count as none."""
    n, reals = len(frames), entry.reals
    places = (len(reals) - n * NODE) // (n - 1) - SECTION
    r = [np.asarray(frame.body.position, float) for frame in frames]
    q = [np.asarray(frame.body.orientation, float) for frame in frames]
    turn = [rotations.multiply(f.world()[1], rotations.conjugate(frames[n - 2].world()[1]))
            for f in frames]  # fmt: skip
    angles = np.linalg.norm(rotations.logarithm(np.array(turn)), axis=1)
    if angles.max() > MOST_TURN:
        raise ModelError(
            f"the section axes of {what} turn by {np.degrees(angles.max()):.4g}° from node to "
            "node, but must turn by less than half a turn; take more elements, or other axes"
        )
    if axes is not None:
        for k, point in enumerate(evaluation_points(reals, r, q)):
            c = point_at(n, places, k)
            between = rotations.from_matrix(point.axes)
            reals[c + AXES : c + AXES + 4] = rotations.multiply(
                rotations.conjugate(between), np.asarray(axes[k], float)
            )
    for k, point in enumerate(evaluation_points(reals, r, q)):
        c = point_at(n, places, k)
        reals[c + STRAIN0 : c + STRAIN0 + 6] = point.strain
