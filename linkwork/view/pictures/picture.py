"""Pictures of a drawing without a browser or a display: its triangles, a camera, the floor, text.

Meshes are made once and moved with their bodies; `raster` draws them at twice the size, and the
mean of four pixels is one of the picture.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.frame import GROUND
from linkwork.results.result import Result
from linkwork.view.camera import Shot, following, grid_cell, shot, way_of
from linkwork.view.drawing import draw
from linkwork.view.pages.offline import HIDDEN
from linkwork.view.pages.stage import ARROWS, GHOST, UNSEEN, visible
from linkwork.view.pictures.raster import blurred, draw_floor, draw_shade, draw_triangles
from linkwork.view.scene import Drawing, nearest
from linkwork.view.solids.meshes import merged
from linkwork.view.solids.shapes import Part, rod
from linkwork.view.solids.symbols import STEEL, tube

if TYPE_CHECKING:
    from PIL.Image import Image

FINER = 2  # times as many pixels are drawn, each way
SOFT = 3  # pixels of a shadow's edge
FEW = 60  # frames from which a camera finds its place for a single picture
INK = (70, 74, 82)
AXES = ((214, 50, 60), (20, 140, 85), (38, 104, 200))  # x, y, z of the world


@dataclass(frozen=True)
class Picture:
    """A picture that was made; a notebook shows it."""

    image: Image
    path: Path | None = None

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.image.save(file, "PNG")
        return file.getvalue()

    def __repr__(self) -> str:
        size = f"picture of {self.image.width} × {self.image.height} pixels"
        return size + (f" in '{self.path}'" if self.path else "")


@dataclass(eq=False)
class Mesh:
    """Triangles of one look that move together; item says which body or line carries them."""

    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray
    colour: np.ndarray
    opacity: float


def mesh_of(parts: list[Part], colour: Any, opacity: float | None, size: float) -> Mesh:
    vertices, faces = merged(visible(parts, size))
    return Mesh(vertices, vertex_normals(vertices, faces), faces, np.array(colour) / 255.0,
                1.0 if opacity is None else opacity)  # fmt: skip


def vertex_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Means of the normals of the triangles around each vertex, by their areas."""
    corner = vertices[faces]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    sums = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(sums, faces[:, k], normal)
    return sums / np.maximum(np.linalg.norm(sums, axis=1), 1e-300)[:, None]


class Studio:
    """Takes pictures of a drawing, frame by frame.

    hidden : groups that are not drawn;   look : where from (the camera of the pages otherwise)
    """

    def __init__(
        self, drawing: Drawing, size: tuple[int, int] = (1280, 720),
        hidden: tuple[str, ...] = (), look: Shot | None = None,
    ) -> None:  # fmt: skip
        self.drawing, self.size, self.hidden = drawing, size, hidden
        self.look = shot(drawing) if look is None else look
        s = drawing.size
        self.solids = [
            (solid.number, mesh_of([part], part.colour or solid.colour, part.opacity, s))
            for solid in drawing.solids if "bodies" not in hidden for part in solid.parts
        ]  # fmt: skip
        self.symbols = [
            (symbol.marker, mesh_of([part], part.colour or STEEL, part.opacity, s))
            for symbol in drawing.symbols if symbol.group not in hidden for part in symbol.parts
        ]  # fmt: skip
        self.lines = [
            (line, mesh_of([line.part], line.colour or STEEL, None, s))
            for line in drawing.lines if line.group not in hidden
        ]  # fmt: skip
        self.ghost = None if drawing.other is None else Studio(drawing.other, size, UNSEEN)
        self.fixed = [] if "ground" in hidden else [
            mesh_of([rod(np.zeros(3), 0.12 * s * axis, 0.004 * s)], colour, None, s)
            for axis, colour in zip(np.eye(3), AXES)
        ]  # fmt: skip
        self.fixed += [
            mesh_of([tube(t.path, 0.004 * s)], t.colour, None, s)
            for t in drawing.traces if len(t.path) > 2 and "traces" not in hidden
        ]  # fmt: skip

    # ----------------------------------------------------------------------------- the scene
    def meshes(self, i: int) -> list[Mesh]:
        """Everything at frame i, in world axes."""
        motion, names = self.drawing.result.motion[i], self.drawing.result.system.names
        found = list(self.fixed)
        for number, mesh in self.solids:
            found.append(moved(mesh, motion[number, :3], motion[number, 3:7]))
        for marker, mesh in self.symbols:
            at = moved(mesh, marker.position, marker.orientation)
            if marker.body is not GROUND:
                body = motion[names.index(str(marker.body.name))]
                at = moved(at, body[:3], body[3:7])
            found.append(at)
        for line, mesh in self.lines:
            stretch = np.array([1.0, 1.0, max(float(line.length[i]), 1e-6 * self.drawing.size)])
            normals = mesh.normals / stretch
            longer = replace(mesh, vertices=mesh.vertices * stretch, normals=normals)
            if line.shades is not None:
                longer = replace(longer, colour=line.shades[i] / 255.0)
            found.append(moved(longer, line.start[i], line.orientation[i]))
        for (group, kind), colour in ARROWS.items():
            if group not in self.hidden:
                found += [
                    arrow(start, end, colour, self.drawing.size)
                    for start, end in self.drawing.arrow_ends(group, kind, i)
                ]
        if self.ghost is not None:
            j = int(nearest(self.ghost.drawing.time, self.drawing.time[i : i + 1])[0])
            found += [replace(m, opacity=GHOST * m.opacity) for m in self.ghost.meshes(j)]
        return found

    # --------------------------------------------------------------------------- the picture
    def take(self, i: int, look: Shot | None = None, text: str = "") -> Image:
        """The picture of frame i, with a line of text at its lower edge."""
        from PIL import Image

        look = self.look if look is None else look
        w, h = FINER * self.size[0], FINER * self.size[1]
        image, depth = np.ones((h, w, 3)), np.zeros((h, w))
        lens = Lens(look, w, h)
        light = lens.light
        half = light + lens.back
        half /= np.linalg.norm(half)
        meshes = self.meshes(i)
        opaque = [m for m in meshes if m.opacity >= 1]
        clear = [m for m in meshes if m.opacity < 1]
        clear.sort(key=lambda m: -float(((m.vertices - look.position) ** 2).sum(1).mean()))
        for m in [joined(opaque)] if opaque else []:
            colours, opacity = m.face_colours, np.ones(len(m.faces))
            draw_triangles(lens.screen(m.vertices), m.normals, m.faces, colours, opacity,
                           light, look.up, half, image, depth)  # fmt: skip
        if "ground" not in self.hidden:
            self._floor(lens, opaque, image, depth)
        for one in clear:
            colours = np.tile(one.colour, (len(one.faces), 1))
            opacity = np.full(len(one.faces), one.opacity)
            draw_triangles(lens.screen(one.vertices), one.normals, one.faces, colours, opacity,
                           light, look.up, half, image, depth)  # fmt: skip
        picture = Image.fromarray(np.uint8(255 * np.clip(image, 0, 1) + 0.5))
        picture = picture.reduce(FINER)
        if text:
            write(picture, text)
        return picture

    def _floor(self, lens: Lens, opaque: list[Mesh], image: np.ndarray, depth: np.ndarray) -> None:
        look, s = lens.look, self.drawing.size
        axis = int(np.argmax(np.abs(look.up)))
        height = float(look.floor[axis])
        coarse = Lens(look, lens.w // FINER, lens.h // FINER)  # soft edges need no more
        shade = np.zeros((coarse.h, coarse.w))
        for m in [joined(opaque[len(self.fixed) :])] if len(opaque) > len(self.fixed) else []:
            above = (m.vertices[:, axis] - height) * look.up[axis]
            fallen = m.vertices - np.outer(above / (lens.light @ look.up), lens.light)
            whole = above[m.faces].min(axis=1) > -1e-9 * s
            draw_shade(coarse.screen(fallen), np.ascontiguousarray(m.faces[whole]), shade)
            shade = blurred(shade, SOFT)
        shade = shade.repeat(FINER, axis=0).repeat(FINER, axis=1)
        draw_floor(
            look.position, lens.ahead, lens.right / lens.focus, -lens.upright / lens.focus, height,
            axis, grid_cell(s), 2.2 * look.distance, shade, image, depth,
        )  # fmt: skip


@dataclass(eq=False)
class Joined:
    """Triangles of several meshes."""

    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray
    face_colours: np.ndarray


def joined(meshes: list[Mesh]) -> Joined:
    counts = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    return Joined(
        np.concatenate([m.vertices for m in meshes]), np.concatenate([m.normals for m in meshes]),
        np.concatenate([m.faces + n for m, n in zip(meshes, counts)]),
        np.concatenate([np.tile(m.colour, (len(m.faces), 1)) for m in meshes]),
    )  # fmt: skip


class Lens:
    """Where points of the scene are in a picture of w × h pixels."""

    def __init__(self, look: Shot, w: int, h: int) -> None:
        self.look, self.w, self.h = look, w, h
        self.back = (look.position - look.target) / look.distance
        self.ahead = -self.back
        right = np.cross(look.up, self.back)
        self.right = right / np.linalg.norm(right)
        self.upright = np.cross(self.back, self.right)
        self.focus = h / 2 / np.tan(look.fov / 2)

    @property
    def light(self) -> np.ndarray:
        """The direction of the lamp: above the viewer's left shoulder."""
        sideways = self.back - (self.back @ self.look.up) * self.look.up
        direction = self.look.up + 0.7 * sideways - 0.45 * self.right
        return direction / np.linalg.norm(direction)

    def screen(self, points: np.ndarray) -> np.ndarray:
        """(n, 3): x, y in pixels and 1/z; behind the viewer 1/z is negative."""
        d = points - self.look.position
        z = d @ self.ahead
        z = np.where(np.abs(z) < 1e-3 * self.look.distance, -1.0, z)
        x = self.w / 2 + self.focus * (d @ self.right) / z
        y = self.h / 2 - self.focus * (d @ self.upright) / z
        return np.column_stack([x, y, 1.0 / z])


def moved(mesh: Mesh, position: np.ndarray, turn: np.ndarray) -> Mesh:
    R = rotations.matrix(np.asarray(turn))
    return replace(mesh, vertices=mesh.vertices @ R.T + position, normals=mesh.normals @ R.T)


def arrow(start: np.ndarray, end: np.ndarray, colour: Any, size: float) -> Mesh:
    """A shaft and a head."""
    d = end - start
    length = float(np.linalg.norm(d))
    head = min(0.035 * size, 0.6 * length)
    neck = end - d / length * head
    shaft = rod(start, neck, 0.0045 * size)
    turn = shaft.orientation
    around = np.linspace(0, 2 * np.pi, 21)[:-1]
    rim = 0.012 * size * np.column_stack([np.cos(around), np.sin(around), 0 * around])
    i, j = np.arange(20), (np.arange(20) + 1) % 20
    tip = np.vstack([rim, np.array([[0.0, 0.0, head], [0.0, 0.0, 0.0]])])
    faces = np.vstack([np.stack([i, j, np.full(20, 20)], 1), np.stack([j, i, np.full(20, 21)], 1)])
    cone = Part("mesh", vertices=tip, faces=faces, position=neck, orientation=turn)
    return mesh_of([shaft, cone], colour, None, size)


def write(picture: Image, text: str) -> None:
    """A line of text at the lower left."""
    from matplotlib import font_manager
    from PIL import ImageDraw, ImageFont

    height = max(11, round(picture.height / 36))
    font = ImageFont.truetype(font_manager.findfont("DejaVu Sans"), height)
    place = (height, picture.height - 2 * height)
    ImageDraw.Draw(picture).text(place, text, fill=INK, font=font)


def check_size(size: Any) -> tuple[int, int]:
    """Width and height in pixels; even, as films want them."""
    pair = checks.array(size)
    if pair is None or pair.shape != (2,) or not np.all((pair >= 16) & (pair <= 8192)):
        raise ModelError(
            f"size of a picture must be (width, height) in pixels, 16 to 8192, but "
            f"{checks.show(size)} was given"
        )
    return 2 * round(float(pair[0]) / 2), 2 * round(float(pair[1]) / 2)


def picture(
    result: Result, path: Any = None, t: float | None = None, *, size: Any = (1280, 720),
    side: str = "home", reactions: bool = False, title: str = "", text: bool = True,
    follow: str | None = None, traces: Any = (), other: Result | None = None,
    colours: str | None = None,
) -> Picture:  # fmt: skip
    """A picture of one stored time; see `Result.picture`."""
    target = _target(path)
    whole = isinstance(t, int) and not isinstance(t, bool)
    i = result._index(0 if t is None else float(t) if whole else t)  # t=2 means 2 s
    few = np.unique([i, *np.linspace(0, len(result) - 1, FEW).astype(int)])
    everything = draw(result, few, title, traces=traces, other=other, colours=colours)
    frame = int(np.argmin(np.abs(everything.time - result.time[i])))
    hidden = HIDDEN if reactions else (*HIDDEN, "reactions")
    look = following(shot(everything, side, follow), way_of(everything, follow), frame)
    studio = Studio(everything, check_size(size), hidden, look)
    words = everything.title
    if len(result) > 1:
        words += f"   {everything.when(frame)}"
    image = studio.take(frame, text=words if text else "")
    if target is not None:
        image.save(target)
    return Picture(image, target)


def _target(path: Any) -> Path | None:
    from linkwork.results.files.file import check_writable

    if path is None:
        return None
    target = Path(path)
    if target.suffix.lower() not in (".png", ".jpg", ".jpeg", ".webp"):
        raise ModelError(
            f"a picture is a .png, .jpg or .webp file; give a name that ends so, not "
            f"'{target.name}'"
        )
    check_writable(target)
    return target
