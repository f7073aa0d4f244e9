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
from linkwork.elements.beams.kernels.strains import node_frames
from linkwork.elements.beams.kernels.kernel import MOST_TURN
from linkwork.errors import LinkworkWarning
from linkwork.kernels import rotations
from linkwork.results.outputs.replayed import element_outputs
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


def nodes_of(
    result: Result, elements: list[Element]
) -> tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]:
    """Reals (1, elements, …) and the motion r, q of the nodes (T, elements, …)."""
    reals = np.array([e.entry.reals for e in elements])[None]
    motion, T = result.motion[:], len(result)
    ground = np.tile([0.0, 0, 0, 1, *np.zeros(9)], (T, 1, 1))
    motion = np.concatenate([motion, ground], axis=1)
    nodes = [motion[:, b] for b in np.array([e.ends for e in elements]).T]
    return reals, [m[..., :3] for m in nodes], [m[..., 3:7] for m in nodes]


def beam_sections(result: Result, name: str) -> Sections:
    """Forces, moments and strains of all sections of a beam."""
    elements = beam_elements(result, name)
    warn_of_turns(result, name, *nodes_of(result, elements))
    found = element_outputs(result, elements)

    def joined(output: str, *shape: int) -> np.ndarray:
        return np.stack([x[output] for x in found], axis=1).reshape(len(result), -1, *shape)

    return Sections(
        joined("_stress", 6), joined("_strain", 6), joined("_section_axes", 3, 3),
        joined("_section_place", 3),
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
    reals, r, q = nodes_of(result, elements)
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

