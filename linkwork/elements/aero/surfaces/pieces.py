"""Where a lifting surface is: the elements that it is made of, with their frames and points.

On a body it is one straight piece, on frames one element between these nodes, on a beam one for
each of its elements.  Section axes are x forward, to the leading edge, y up, z along the span.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.aero.surfaces.family import Stations, stations
from linkwork.elements.beams.beam import Beam
from linkwork.elements.beams.family import shape_functions
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.frame import Frame, as_frame, carries_frames

if TYPE_CHECKING:
    from linkwork.elements.aero.surfaces.surface import LiftingSurface


MOST_POINTS = 100  # up to where numpy's abscissas are tested


class Piece:
    """One element of a surface: its frames and points, and the places s of these."""

    def __init__(self, frames: list[Frame], at: Stations) -> None:
        self.frames, self.at = frames, at


def pieces_of(surface: LiftingSurface) -> list[Piece]:
    """The elements of a surface, whatever it is on."""
    if isinstance(surface.on, Beam):
        return on_beam(surface, surface.on)
    if isinstance(surface.on, (list, tuple)) and not isinstance(surface.on, Frame):
        return on_nodes(surface, [as_frame(end, surface.label) for end in surface.on])
    if not isinstance(surface.on, Frame) and not carries_frames(surface.on):
        hint = getattr(surface.on, "frame_hint", "pass the item that model.add returned")
        raise ModelError(
            f"{surface.label} needs a body, a Frame or a Beam, but {checks.show(surface.on)} was "
            f"given; {hint}"
        )
    return on_body(surface, as_frame(surface.on, surface.label))


def on_body(surface: LiftingSurface, frame: Frame) -> list[Piece]:
    """One straight piece, between two world points or about a frame."""
    what = surface.label
    if surface.span is not None:
        span = checks.number(surface.span, f"span of {what}", positive=True)
        if surface.start is not None or surface.end is not None:
            raise ModelError(f"{what}: give either span or start and end, not both")
        return [Piece([frame], on_line(surface, span, False))]
    if surface.start is None or surface.end is None:
        raise ModelError(
            f"{what} on a body needs start and end, two world points, or span about a Frame"
        )
    start = checks.vector(surface.start, f"start of {what}")
    end = checks.vector(surface.end, f"end of {what}")
    along_, size = checks.unit(end - start)
    if size <= 1e-12 * max(np.abs(start).max(), np.abs(end).max(), 1e-300):
        raise ModelError(f"start and end of {what} must be two different points")
    axes, turned = section_axes(surface, along_, 0.0)
    middle = (start + end) / 2
    R = rotations.matrix(frame.body.orientation)
    q = rotations.multiply(rotations.conjugate(frame.body.orientation), axes)
    place = Frame(frame.body, R.T @ (middle - frame.body.position), q / np.linalg.norm(q))
    return [Piece([place], on_line(surface, size, turned))]


def on_line(surface: LiftingSurface, span: float, turned: bool) -> Stations:
    """Points of a straight surface; turned: its z axis points from end to start."""
    x, w = np.polynomial.legendre.leggauss(count(surface, 8))
    side = -1.0 if turned else 1.0
    return Stations(x, np.zeros(len(x), int), w * span / 2, (1 + x) / 2, side * x * span / 2)


def on_nodes(surface: LiftingSurface, frames: list[Frame]) -> list[Piece]:
    """One element whose nodes are two or three frames."""
    refuse(surface, "start", "end", "span")
    if len(frames) not in (2, 3):
        raise ModelError(f"{surface.label} on frames needs two or three of them, in their order "
                         f"along the span, but {len(frames)} were given")  # fmt: skip
    p = np.array([frame.world()[0] for frame in frames])
    at = stations(
        len(frames), count(surface, 2),
        lambda xi: float(np.linalg.norm(shape_functions(len(frames), xi)[1] @ p)),
        lambda xi: (1 + xi) / 2,
    )  # fmt: skip
    return [Piece(frames, at)]


def on_beam(surface: LiftingSurface, beam: Beam) -> list[Piece]:
    """One element for each of the beam's, as far as the surface reaches."""
    refuse(surface, "span")
    what, mesh, bodies = surface.label, beam.mesh, beam.bodies()
    start = 0.0 if surface.start is None else checks.number(surface.start, f"start of {what}")
    end = 1.0 if surface.end is None else checks.number(surface.end, f"end of {what}")
    if not 0 <= start < end <= 1:
        raise ModelError(
            f"{what} on a beam must reach from one place to a later one, start < end between 0 "
            f"and 1, but start = {start:g} and end = {end:g} were given"
        )
    frames = []
    for s, body in zip(mesh.s, bodies):
        direction = rotations.matrix(body.orientation)[:, 0]
        q, _ = section_axes(surface, direction, float(s))
        local = rotations.multiply(rotations.conjugate(body.orientation), q)
        frames.append(Frame(body, orientation=local / np.linalg.norm(local)))
    found, step = [], beam.order - 1
    for e in range(beam.elements):
        part = slice(step * e, step * e + beam.order)
        s, p = mesh.s[part], mesh.position[part]
        middle, half = (s[0] + s[-1]) / 2, (s[-1] - s[0]) / 2
        low, high = (start - middle) / half, (end - middle) / half
        if low >= 1 or high <= -1:
            continue

        def speed(xi: float, p: np.ndarray = p) -> float:
            return float(np.linalg.norm(shape_functions(beam.order, xi)[1] @ p))

        def place(xi: float, m: float = middle, h: float = half) -> float:
            return ((m + h * xi) - start) / (end - start)

        at = stations(beam.order, count(surface, 2), speed, place, low, high)
        found.append(Piece(frames[part], at))
    return found


def directions(surface: LiftingSurface, s: float) -> list[np.ndarray]:
    """Forward and up at a place."""
    found = []
    for word in ("forward", "up"):
        what = f"{word} of {surface.label}"
        found.append(checks.direction(checks.at_place(getattr(surface, word), s, what), what))
    return found


def section_axes(surface: LiftingSurface, along_: np.ndarray, s: float) -> tuple[np.ndarray, bool]:
    """Section axes in the world where the span goes along a direction, as a quaternion; and
    whether their z axis is opposite to it."""
    what = surface.label
    forward, up = directions(surface, s)
    x, size = checks.unit(forward - (forward @ along_) * along_)
    if size < 1e-6:
        raise ModelError(
            f"forward of {what} lies along its span; give the direction from the trailing to "
            "the leading edge"
        )
    y = np.cross(along_, x)
    if abs(y @ up) < 1e-6:
        raise ModelError(f"up of {what} lies in its plane; give the direction of positive lift")
    turned = bool(y @ up < 0)
    z = -along_ if turned else along_
    return rotations.from_matrix(np.column_stack([x, np.cross(z, x), z])), turned


def count(surface: LiftingSurface, default: int) -> int:
    """Gauss points of a piece."""
    if surface.points is None:
        return default
    points = checks.count(surface.points, f"points of {surface.label}")
    if points > MOST_POINTS:
        raise ModelError(
            f"points of {surface.label} must be at most {MOST_POINTS}, but {checks.show(points)} "
            "was given; divide the surface instead"
        )
    return points


def refuse(surface: LiftingSurface, *words: str) -> None:
    """For parameters that a surface of this kind has no use for."""
    for word in words:
        if getattr(surface, word) is not None:
            raise ModelError(
                f"{surface.label} reaches along what it is on; leave out {word}, but "
                f"{checks.show(getattr(surface, word))} was given"
            )
