"""Beams and cables in drawings: short pieces along the deformed axis with the section's outline.

A piece lies between two places of the axis, its cross axes are those of the section there.  Pieces
may be coloured by what the section carries: blue is nothing, red the largest value of the run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.elements.beams.kernels.strains import node_frames
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.results.outputs.deformed.beams import (
    axis_at,
    beam_elements,
    beam_sections,
    node_places,
    nodes_of,
    section_places,
)  # fmt: skip
from linkwork.results.outputs.deformed.cables import cable_points, tensions
from linkwork.results.result import Result
from linkwork.view.lines import Line

PIECES, MOST = 6, 96  # of an element, and of a beam
SCALE = np.array([(48, 76, 168), (40, 150, 150), (110, 190, 80), (240, 190, 50), (200, 40, 40)])
QUANTITIES = ("moment", "force", "strain", "curvature")


def check_colours(colours: str | None) -> None:
    if colours is not None and colours not in QUANTITIES:
        raise ModelError(
            f"colours must be one of {', '.join(QUANTITIES)}, but {checks.show(colours)} was given"
        )


def beam_lines(
    result: Result, name: str, size: float, colour: Any, colours: str | None = None
) -> list[Line]:
    """The pieces of one beam."""
    item, elements = result.system.model[name], beam_elements(result, name)
    section = item.section(0.5) if callable(getattr(item, "section", None)) else item.section
    outline: Any = getattr(section, "outline", None)
    count = min(MOST, PIECES * len(elements))
    s = np.linspace(0, 1, count + 1)
    axis, middle = axis_at(result, name, s), (s[1:] + s[:-1]) / 2
    turns = piece_axes(result, name, axis, middle)
    box = bool(outline) and not math.isclose(*outline)
    radius = min(outline) / 2 if outline else 0.008 * size
    shades = None if colours is None else shading(result, name, colours, middle)
    return [
        Line(
            name, "bodies", axis[:, k], axis[:, k + 1], radius, colour, k + 1,
            sides=tuple(outline) if box else None, turns=turns[:, k] if box else None,
            shades=None if shades is None else shades[:, k],
        )
        for k in range(count)
    ]  # fmt: skip


def piece_axes(result: Result, name: str, axis: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Quaternions (F, pieces, 4): z along each piece, x the y axis of the section there."""
    elements = beam_elements(result, name)
    reals, r, q = nodes_of(result, elements)
    _, axes = node_frames(reals, len(r), r, q)
    inner = np.stack(axes[:-1], axis=2)
    all_axes = np.concatenate([inner.reshape(inner.shape[0], -1, 4), axes[-1][:, -1:]], axis=1)
    nodes = node_places(result.system.model[name], elements)
    i = np.clip(np.searchsorted(nodes, middle) - 1, 0, len(nodes) - 2)
    x = ((middle - nodes[i]) / (nodes[i + 1] - nodes[i]))[None, :, None]
    first, second = all_axes[:, i], all_axes[:, i + 1]
    second = np.where(np.sum(first * second, axis=-1, keepdims=True) < 0, -second, second)
    between = (1 - x) * first + x * second
    y = rotations.matrix(between / np.linalg.norm(between, axis=-1, keepdims=True))[..., 1]
    z = np.diff(axis, axis=1)
    z = z / np.maximum(np.linalg.norm(z, axis=-1, keepdims=True), 1e-300)
    y = y - np.sum(y * z, axis=-1, keepdims=True) * z
    y = y / np.maximum(np.linalg.norm(y, axis=-1, keepdims=True), 1e-300)
    R = np.stack([y, np.cross(z, y), z], axis=-1)
    from scipy.spatial.transform import Rotation  # for many at once

    found = Rotation.from_matrix(R.reshape(-1, 3, 3)).as_quat()[:, [3, 0, 1, 2]]
    return found.reshape(*z.shape[:2], 4)


def shading(result: Result, name: str, quantity: str, places: np.ndarray) -> np.ndarray:
    """Colours (F, pieces, 3) of a quantity at places along the beam."""
    found = beam_sections(result, name)
    values = found.stress if quantity in ("moment", "force") else found.strain
    first = 3 if quantity in ("moment", "curvature") else 0
    sizes = np.linalg.norm(values[..., first : first + 3], axis=-1)
    s = section_places(result.system.model[name], beam_elements(result, name))
    there = np.array([np.interp(places, s, row) for row in sizes])
    return shades_of(there)


def shades_of(values: np.ndarray) -> np.ndarray:
    """Colours (…, 3) of values from zero to the largest."""
    largest = float(values.max(initial=0.0)) or 1.0
    x = np.clip(values / largest, 0, 1) * (len(SCALE) - 1)
    i = np.minimum(x.astype(int), len(SCALE) - 2)
    part = (x - i)[..., None]
    return np.round((1 - part) * SCALE[i] + part * SCALE[i + 1]).astype(int)


def cable_lines(result: Result, name: str, size: float, colours: str | None = None) -> list[Line]:
    """The segments of a cable, thin; by its tension where forces are coloured."""
    points, radius = cable_points(result, name), 0.004 * size
    shades = shades_of(tensions(result, name)) if colours == "force" else None
    return [
        Line(
            name, "bodies", points[:, k], points[:, k + 1], radius, (92, 70, 48), k + 1,
            shades=None if shades is None else shades[:, k],
        )
        for k in range(points.shape[1] - 1)
    ]  # fmt: skip
