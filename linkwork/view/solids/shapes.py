"""Shapes of bodies, in body axes, and what the user may say about them.

A body's `shape` is a dict with a `kind`, a list of such dicts, or the name of a mesh file:

    {"kind": "box", "size": (a, b, c)}            {"kind": "sphere", "radius": r}
    {"kind": "cylinder", "radius": r, "length": l}      (along z)
    {"kind": "link", "start": p, "end": q, "radius": r}
    {"kind": "mesh", "file": "wheel.stl", "scale": 0.001}      (with the colours of the file)
    {"kind": "mesh", "vertices": [...], "faces": [...]}        (or "convex": True without faces)
    {"kind": "capsule", "radius": r, "length": l}       (along z, and round ends)
    {"kind": "plane", "normal": n}        {"kind": "heights", "heights": [[...]], "size": (a, b)}

and with each, where wanted, `position`, `orientation`, `color` (r, g, b: 0 … 255), `opacity`.  A
shape that cannot be drawn is warned about, and the body is drawn from its inertia instead: the
results are there to be looked at all the same.
"""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import LinkworkWarning, ModelError
from linkwork.kernels import rotations
from linkwork.model import checks

NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])
NO_MOVE = np.zeros(3)
MOST_COLOURS = 24  # of a mesh file; where there are more, like ones share their mean
Colour = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Part:
    """One solid: box (three sides), cylinder (radius, length), sphere (radius) or a mesh."""

    kind: str
    numbers: tuple[float, ...] = ()
    position: np.ndarray = field(default_factory=lambda: NO_MOVE)
    orientation: np.ndarray = field(default_factory=lambda: NO_TURN)
    colour: Colour | None = None
    opacity: float | None = None
    vertices: np.ndarray | None = None
    faces: np.ndarray | None = None
    smooth: bool = False  # a mesh without sharp edges

    @property
    def reach(self) -> float:
        """How far it extends from its own origin."""
        if self.kind == "box":
            return float(np.linalg.norm(self.numbers)) / 2
        if self.kind == "cylinder":
            return float(np.hypot(self.numbers[0], self.numbers[1] / 2))
        if self.kind == "mesh":
            return float(np.linalg.norm(self.vertices, axis=1).max())  # type: ignore[arg-type]
        return self.numbers[0]


def rod(start: np.ndarray, end: np.ndarray, radius: float, **look: Any) -> Part:
    """A cylinder between two points."""
    d = end - start
    turn = checks.axes(d, None, "a link")
    length = float(np.linalg.norm(d))
    return Part("cylinder", (radius, length), (start + end) / 2, turn, **look)


def parts_of(shape: Any, what: str) -> list[Part]:
    """What a body's shape consists of; none where it has none or cannot be drawn (warned about)."""
    if shape is None:
        return []
    try:
        several = shape if isinstance(shape, (list, tuple)) else [shape]
        return [part for one in several for part in _parts(one, what)]
    except ModelError as error:
        warnings.warn(f"{error}; it is drawn from its inertia", LinkworkWarning, stacklevel=2)
        return []


def _parts(shape: Any, what: str) -> list[Part]:
    if isinstance(shape, (str, Path)):
        shape = {"kind": "mesh", "file": shape}
    if not isinstance(shape, dict) or "kind" not in shape:
        raise ModelError(
            f"shape of {what} must be a dict such as {{'kind': 'box', 'size': (1, 1, 1)}} or the "
            f"name of a mesh file, but {checks.show(shape)} was given"
        )
    kind = shape["kind"]
    if kind not in MAKERS:
        near = difflib.get_close_matches(str(kind), MAKERS, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(MAKERS)}"
        raise ModelError(f"shape of {what} has the unknown kind {checks.show(kind)}; {hint}")
    try:
        made = MAKERS[kind](shape, f"shape of {what}")
    except KeyError as error:
        raise ModelError(f"shape of {what} is a {kind} and needs {error}") from None
    parts = made if isinstance(made, list) else [made]
    if kind in ("capsule", "plane"):  # placed already
        shape = {word: value for word, value in shape.items() if word in ("color", "opacity")}
    return [_placed(part, shape, f"shape of {what}") for part in parts]


def _placed(part: Part, shape: dict, what: str) -> Part:
    """The part with the place, turn and look that the user gave."""
    given: dict[str, Any] = {}
    if "position" in shape:
        given["position"] = checks.vector(shape["position"], f"position of {what}")
    if "orientation" in shape:
        given["orientation"] = checks.quaternion(shape["orientation"], f"orientation of {what}")
    if "color" in shape:
        red, green, blue = checks.vector(shape["color"], f"color of {what}")
        given["colour"] = (int(red), int(green), int(blue))
    if "opacity" in shape:
        given["opacity"] = checks.number(shape["opacity"], f"opacity of {what}")
    return replace(part, **given)


def _positive(shape: dict, word: str, what: str) -> float:
    return checks.number(shape[word], f"{word} of {what}", positive=True)


def _box(shape: dict, what: str) -> Part:
    size = checks.vector(shape["size"], f"size of {what}")
    return Part("box", (float(size[0]), float(size[1]), float(size[2])))


def _cylinder(shape: dict, what: str) -> Part:
    return Part("cylinder", (_positive(shape, "radius", what), _positive(shape, "length", what)))


def _sphere(shape: dict, what: str) -> Part:
    return Part("sphere", (_positive(shape, "radius", what),))


def _link(shape: dict, what: str) -> Part:
    start, end = (checks.vector(shape[word], f"{word} of {what}") for word in ("start", "end"))
    return rod(start, end, _positive(shape, "radius", what))


def _capsule(shape: dict, what: str) -> list[Part]:
    """A cylinder and two balls."""
    radius, length = _positive(shape, "radius", what), _positive(shape, "length", what)
    turn = checks.quaternion(shape.get("orientation"), f"orientation of {what}")
    place = checks.vector(shape.get("position", (0, 0, 0)), f"position of {what}")
    way = rotations.matrix(turn)[:, 2] * length / 2
    balls = [Part("sphere", (radius,), place + side * way) for side in (-1, 1)]
    return [Part("cylinder", (radius, length), place, turn), *balls]


def _plane(shape: dict, what: str) -> Part:
    """A square metre of it, or of the size given."""
    edge = _positive(shape, "size", what) if "size" in shape else 1.0
    normal = checks.vector(shape.get("normal", (0, 0, 1)), f"normal of {what}")
    turn = checks.axes(normal, None, what)
    place = checks.vector(shape.get("position", (0, 0, 0)), f"position of {what}")
    thin = 0.005 * edge
    return Part("box", (edge, edge, 2 * thin), place - thin * rotations.matrix(turn)[:, 2], turn)


def _heights(shape: dict, what: str) -> Part:
    """A height field as triangles, two for every cell."""
    heights, size = np.asarray(shape["heights"], float), np.asarray(shape["size"], float)
    rows, columns = heights.shape
    y, x = np.meshgrid(np.linspace(-0.5, 0.5, rows), np.linspace(-0.5, 0.5, columns), indexing="ij")
    vertices = np.column_stack([x.ravel() * size[0], y.ravel() * size[1], heights.ravel()])
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    one = np.column_stack([first, first + 1, first + columns + 1])
    two = np.column_stack([first, first + columns + 1, first + columns])
    return Part("mesh", vertices=vertices, faces=np.concatenate([one, two]))


def _given_mesh(shape: dict, what: str) -> Part:
    """A mesh whose vertices the shape has itself."""
    from linkwork.elements.contact.geometry.meshes import hull_of, vertices_and_faces  # needs scipy

    vertices, faces = vertices_and_faces(shape, what)
    if shape.get("convex"):
        vertices, faces = hull_of(vertices, what)
    return Part("mesh", vertices=vertices, faces=faces)


def _mesh(shape: dict, what: str) -> Part | list[Part]:
    """A mesh file (STL, OBJ, PLY, GLB …), one part for each of its colours."""
    if "vertices" in shape:
        return _given_mesh(shape, what)
    path = Path(shape["file"])
    if not os.path.isfile(path):
        raise ModelError(f"{what} is the mesh file '{path}', which does not exist")
    import trimesh

    try:
        scene = trimesh.load_scene(path)
        meshes = scene.dump(concatenate=False)  # each where the file places it
        found = [piece for mesh in meshes for piece in _coloured(mesh)]
    except Exception as error:  # readers of many formats, each with errors of its own
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise ModelError(f"{what}: the mesh file '{path}' cannot be read ({reason[0]})") from None
    if not found or not all(np.all(np.isfinite(vertices)) for vertices, _, _ in found):
        raise ModelError(f"{what}: the mesh file '{path}' holds no triangles")
    scale = _positive(shape, "scale", what) if "scale" in shape else 1.0
    return [
        Part("mesh", vertices=scale * vertices, faces=faces, colour=colour)
        for vertices, faces, colour in found
    ]


def _coloured(mesh: Any) -> list[tuple[np.ndarray, np.ndarray, Colour | None]]:
    """Vertices, triangles and colour of the pieces of a mesh that have one colour each."""
    vertices, faces = np.array(mesh.vertices, float), np.array(mesh.faces, int)
    visual = mesh.visual
    if not len(faces):
        return []
    if visual.kind == "face" or visual.kind == "vertex":
        colours = np.asarray(visual.face_colors)[:, :3]
    elif visual.kind == "texture":
        colours = np.tile(np.asarray(visual.material.main_color)[:3], (len(faces), 1))
    else:
        return [(vertices, faces, None)]  # the file says nothing: the body's own colour
    which = few_colours(colours)
    pieces: list[tuple[np.ndarray, np.ndarray, Colour | None]] = []
    for k in range(which.max() + 1):
        used, mine = np.unique(faces[which == k], return_inverse=True)
        red, green, blue = colours[which == k].mean(axis=0).round()
        pieces.append((vertices[used], mine.reshape(-1, 3), (int(red), int(green), int(blue))))
    return pieces


def few_colours(colours: np.ndarray) -> np.ndarray:
    """Which of at most MOST_COLOURS groups of like colours each triangle belongs to."""
    which = np.zeros(len(colours), int)
    for bits in range(8, 0, -1):  # of red, green and blue that are told apart
        groups, which = np.unique(colours >> (8 - bits), axis=0, return_inverse=True)
        if len(groups) <= MOST_COLOURS:
            break
    return which.ravel()


MAKERS: dict[str, Callable[[dict, str], Part | list[Part]]] = {
    "box": _box, "cylinder": _cylinder, "sphere": _sphere, "link": _link, "mesh": _mesh,
    "capsule": _capsule, "plane": _plane, "heights": _heights,
}  # fmt: skip
