"""Forces, moments and strains along a beam over time, and its deformed axis.

Values are those of the sections at the evaluation points of its elements (elements.beams.kernel):
force and moment that the part beyond a section exerts on the part before it.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.elements.beams.beam import Beam
from linkwork.elements.beams.family import POINTS, shape_functions
from linkwork.elements.beams.kernels.strains import (
    evaluation_points, law_codes, node_frames, section_stress,
)  # fmt: skip
from linkwork.elements.beams.kernels.kernel import MOST_TURN
from linkwork.errors import LinkworkWarning
from linkwork.kernels import rotations
from linkwork.results.outputs.stored import element_reals
from linkwork.system.compilation.numbering import Element

if TYPE_CHECKING:
    from linkwork.results.result import Result


class Sections(NamedTuple):
    """Over T times and the evaluation points of a beam, from its start to its end."""

    stress: np.ndarray  # (T, points, 6) force and moment, section axes
    strain: np.ndarray  # (T, points, 6) strain and curvature
    axes: np.ndarray  # (T, points, 3, 3)
    place: np.ndarray  # (T, points, 3)


def beam_elements(result: Result, name: str) -> list[Element]:
    """The elements of a beam, in order."""
    return [e for e in result.system.elements if e.owner == name and e.entry.family.slender]


def parts(
    result: Result, elements: list[Element]
) -> tuple[np.ndarray, np.ndarray, list[list[np.ndarray]]]:
    """Integers of laws (elements, points, …), reals (T or 1, elements, …) and the motion r, q, v, ω
    of the nodes (T, elements, …)."""
    if any(e.entry.laws for e in elements):
        reals = np.stack([element_reals(result, e) for e in elements], axis=1)
    else:
        reals = np.array([e.entry.reals for e in elements])[None]
    motion, T = result.motion[:], len(result)
    ground = np.tile([0.0, 0, 0, 1, *np.zeros(9)], (T, 1, 1))
    motion = np.concatenate([motion, ground], axis=1)
    ends = np.array([e.ends for e in elements])
    nodes = [motion[:, b] for b in ends.T]
    n = ends.shape[1]
    laws = [law_codes(e.entry.integer_row, n) for e in elements]
    codes = np.zeros((len(laws), n - 1, max(part.shape[1] for part in laws)), np.int64)
    for own, part in zip(codes, laws):
        own[:, : part.shape[1]] = part
    columns = (0, 3), (3, 7), (7, 10), (10, 13)
    return codes, reals, [[m[..., a:b] for m in nodes] for a, b in columns]


def beam_sections(result: Result, name: str) -> Sections:
    """Forces, moments and strains of all sections of a beam."""
    elements = beam_elements(result, name)
    codes, reals, (r, q, v, omega) = parts(result, elements)
    warn_of_turns(result, name, reals, r, q)
    points = evaluation_points(reals, r, q, v, omega)
    stress = [section_stress(codes, reals, len(r), k, point)[0] for k, point in enumerate(points)]

    def joined(values: list[np.ndarray]) -> np.ndarray:
        stacked = np.stack(values, axis=2)  # (T, elements, points, …)
        return stacked.reshape(stacked.shape[0], -1, *stacked.shape[3:])

    return Sections(
        joined(stress), joined([p.strain for p in points]), joined([p.axes for p in points]),
        joined([p.place for p in points]),
    )  # fmt: skip


def warn_of_turns(result: Result, name: str, reals: np.ndarray, r: Any, q: Any) -> None:
    """Say so where sections turn by half a turn from node to node, which no element can follow."""
    _, axes = node_frames(reals, len(r), r, q)
    back = rotations.conjugate(axes[len(r) - 2])
    turns = [np.linalg.norm(rotations.logarithm(rotations.multiply(a, back)), axis=-1)
             for a in axes]  # fmt: skip
    far = np.max(turns, axis=(0, 2)) > MOST_TURN
    if np.any(far):
        when = float(result.time[int(np.argmax(far))])
        warnings.warn(
            f"sections of beam '{name}' turn by half a turn from node to node at t = {when:.4g}, "
            "which its elements cannot follow: results are wrong from there on; take more elements",
            LinkworkWarning, stacklevel=2,
        )  # fmt: skip


def section_places(item: Any, elements: list[Element]) -> np.ndarray:
    """s of the evaluation points: the part of a beam's length; of one element, of its own."""
    n = elements[0].entry.family.bodies
    xi = np.array(POINTS[n])
    ends = np.array([0.0, 1.0])
    if isinstance(item, Beam):
        ends = item.mesh.s[:: n - 1]
    middle, half = (ends[1:] + ends[:-1]) / 2, np.diff(ends) / 2
    return (middle[:, None] + half[:, None] * xi).ravel()


def centre_line(result: Result, name: str) -> np.ndarray:
    """World positions (T, nodes, 3) of the beam's axis at its nodes."""
    elements = beam_elements(result, name)
    _, reals, (r, q, _, _) = parts(result, elements)
    places, _ = node_frames(reals, len(r), r, q)
    inner = np.stack(places[:-1], axis=2)
    inner = inner.reshape(inner.shape[0], -1, 3)
    return np.concatenate([inner, places[-1][:, -1:]], axis=1)


def node_places(item: Any, elements: list[Element]) -> np.ndarray:
    """s of the nodes."""
    n = elements[0].entry.family.bodies
    return item.mesh.s if isinstance(item, Beam) else np.linspace(0, 1, n)


def axis_at(result: Result, name: str, s: np.ndarray) -> np.ndarray:
    """World positions (T, places, 3) of the deformed axis at parts s of the length."""
    elements = beam_elements(result, name)
    n, item = elements[0].entry.family.bodies, result.system.model[name]
    line, nodes = centre_line(result, name), node_places(item, elements)
    ends = nodes[:: n - 1]
    e = np.clip(np.searchsorted(ends, s, side="right") - 1, 0, len(ends) - 2)
    xi = 2 * (s - ends[e]) / (ends[e + 1] - ends[e]) - 1
    found = np.zeros((len(result), len(s), 3))
    for i in range(n):
        N = np.array([shape_functions(n, x)[0][i] for x in xi])
        found += N[:, None] * line[:, (n - 1) * e + i]
    return found

