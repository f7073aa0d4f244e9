"""A drawing on a stage: the nodes of a viser scene, moved from frame to frame.

A body is one node with one mesh, and what is fixed to it (symbols of joints) are nodes below it, so
that a frame costs two messages per body.  What is hidden is neither made nor moved.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.model.frame import GROUND
from linkwork.view.camera import Shot, grid_cell, shot, way_of
from linkwork.view.lines import Line
from linkwork.view.pages.gate import guarded
from linkwork.view.scene import Drawing, Solid, Symbol, nearest
from linkwork.view.solids.meshes import merged
from linkwork.view.solids.shapes import Colour, Part
from linkwork.view.solids.symbols import STEEL
from linkwork.view.traces import traces_of

THINNEST = 0.002  # radius of a rod, in sizes of the mechanism: what is thinner is not seen
GLASS = 0.25  # opacity of solids of equal inertia
HIGHLIGHT = (255, 205, 40)
ARROWS = {
    ("forces", "force"): (214, 50, 60), ("forces", "torque"): (226, 120, 30),
    ("reactions", "force"): (20, 140, 85), ("reactions", "torque"): (130, 60, 190),
}  # fmt: skip
GROUPS = (
    "bodies", "joints", "springs", "forces", "reactions", "inertia", "markers", "names", "traces",
    "ground",
)  # fmt: skip
GHOST = 0.28  # opacity of another run
UNSEEN = ("forces", "reactions", "inertia", "markers", "names", "traces", "ground")  # of a ghost


_silence = threading.Lock()


def serve(host: str, port: int) -> Any:
    """A viser server without its chatter; a LinkworkError says what is missing."""
    try:
        import viser
    except ImportError as error:
        raise LinkworkError(
            f"the viewer needs the package viser, which could not be imported ({error}); install "
            "it with: pip install viser"
        ) from None
    with silent(), guarded(host):
        server = viser.ViserServer(host=host, port=port, verbose=False)
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    return server


def stop(server: Any) -> None:
    """Stop a server, silently."""
    with silent():
        server.stop()


@contextmanager
def silent() -> Iterator[None]:
    """What viser prints goes nowhere: by rich, which notebooks show without standard output."""
    import rich

    console = rich.get_console()
    with _silence:
        quiet, console.quiet = console.quiet, True
        try:
            yield
        finally:
            console.quiet = quiet


def poser(scene: Any) -> Callable[[Any, np.ndarray, np.ndarray], None]:
    """A function that places a node: node, position, quaternion.

    The node's own setters first look whether anything changed, to five digits: that takes most of
    a frame's time, and loses small motions far from the origin.  The messages they send are sent
    directly where this version of viser has them.
    """
    try:
        from viser._messages import SetOrientationMessage, SetPositionMessage

        send = scene._queue_scene_message
    except (ImportError, AttributeError):

        def by_setters(node: Any, position: np.ndarray, turn: np.ndarray) -> None:
            node.position, node.wxyz = position, turn

        return by_setters

    def directly(node: Any, position: np.ndarray, turn: np.ndarray) -> None:
        send(SetPositionMessage(node.name, tuple(position.tolist())))
        send(SetOrientationMessage(node.name, tuple(turn.tolist())))

    return directly


def visible(parts: list[Part], size: float) -> list[Part]:
    """Parts whose rods are thick enough to be seen in a mechanism of that size."""
    thin = THINNEST * size
    return [
        replace(p, numbers=(thin, p.numbers[1])) if p.kind == "cylinder" and p.numbers[0] < thin
        else p for p in parts
    ]  # fmt: skip


class Stage:
    """The scene of one drawing; `move(i)` brings it to frame i.

    ghost  : another run in the same scene, transparent
    follow : a body that stays where it is in the picture, while the ground moves; see `way_of`
    """

    def __init__(
        self, server: Any, drawing: Drawing, hidden: tuple[str, ...] = (), *, ghost: bool = False,
        follow: str | None = None,
    ) -> None:  # fmt: skip
        self.server, self.scene, self.drawing = server, server.scene, drawing
        self.root = "/other run" if ghost else ""
        self.way: np.ndarray | None = None  # (F, 3) of the body that is followed
        self.still: list[tuple[Any, np.ndarray]] = []  # nodes on the ground, and where they are
        self.ghost: Stage | None = None
        self.scale = 1.0  # of arrows
        self.place = poser(self.scene)
        self.frame, self.shifted = 0, False
        self.bodies: list[Any] = []  # one node each
        self.groups: dict[str, list[Any]] = {group: [] for group in GROUPS}  # nodes to hide
        self.looks: dict[str, list[tuple[Any, Colour]]] = {}  # item → nodes, colours
        self.given_traces = list(drawing.traces)
        self.shown = {group: group not in hidden for group in GROUPS}
        self.shot = shot(drawing, follow=follow)
        with server.atomic():
            if not ghost:
                self._ground()
                self._camera(self.shot)
            for solid in drawing.solids:
                self._solid(solid)
            for symbol in drawing.symbols:
                self._symbol(symbol)
            self.lines = [self._line(line) for line in drawing.lines]
            for group in GROUPS:
                if group in hidden:
                    self.show(group, False)
                else:
                    self._make(group)
        if drawing.other is not None:
            self.ghost = Stage(server, drawing.other, UNSEEN, ghost=True)
        if not ghost:
            self.way = way_of(drawing, follow)
        self.move(0)

    # -------------------------------------------------------------------------------- building
    def _ground(self) -> None:
        s, look = self.drawing.size, self.shot
        cell = grid_cell(s)
        self.scene.set_up_direction(tuple(look.up))
        node = self.scene.add_frame("/ground", show_axes=False)
        self.scene.add_grid(
            "/ground/grid", infinite_grid=True, plane=look.plane, position=tuple(look.floor),
            cell_size=cell, section_size=5 * cell, cell_color=(222, 225, 230),
            section_color=(190, 196, 205), fade_distance=14 * s, shadow_opacity=0.16,
        )  # fmt: skip
        self.scene.add_frame(
            "/ground/axes", axes_length=0.12 * s, axes_radius=0.004 * s, origin_radius=0.007 * s
        )
        self.groups["ground"].append(node)
        self.still.append((node, np.zeros(3)))

    def _camera(self, look: Shot) -> None:
        camera = self.server.initial_camera
        camera.position, camera.look_at, camera.up = look.position, look.target, look.up
        camera.fov, camera.near, camera.far = look.fov, look.distance / 500, look.distance * 500
        self.scene.configure_default_lights(cast_shadow=True)
        self.scene.configure_environment_map(None)
        self.scene.add_light_hemisphere(
            "/light", sky_color=(255, 255, 255), ground_color=(205, 205, 215), intensity=2.0
        )

    def _solid(self, solid: Solid) -> None:
        """One node for the body; parts of another look are nodes below it."""
        path = f"{self.root}/bodies/{solid.name}"
        looks: dict[tuple[Colour, float | None], list[Part]] = {}
        for part in solid.parts:
            looks.setdefault((part.colour or solid.colour, part.opacity), []).append(part)
        several = len(looks) > 1
        if several:
            self.bodies.append(self.scene.add_frame(path, show_axes=False))
        for k, ((colour, opacity), parts) in enumerate(looks.items()):
            where = f"{path}/part {k + 1}" if several else path
            node = self._mesh(where, parts, colour, opacity, solid.name)
            if not several:
                self.bodies.append(node)
        self.groups["bodies"].append(self.bodies[-1])

    def _symbol(self, symbol: Symbol) -> None:
        marker = symbol.marker
        fixed = marker.body is GROUND
        path = self.root + (f"/{symbol.group}/{symbol.name}" if fixed else
                            f"/bodies/{marker.body.name}/{symbol.name}")  # fmt: skip
        first = symbol.parts[0]
        node = self._mesh(
            path, symbol.parts, first.colour or STEEL, first.opacity, symbol.name,
            position=tuple(marker.position), wxyz=tuple(marker.orientation),
        )  # fmt: skip
        self.groups[symbol.group].append(node)
        if fixed:
            self.still.append((node, np.asarray(marker.position)))

    def _line(self, line: Line) -> Any:
        part = line.part
        piece = f" piece {line.piece}" if line.piece else ""
        path = f"{self.root}/{line.group}/{line.name}{piece}"
        node = self._mesh(path, [part], line.colour or STEEL, None, line.name)
        self.groups[line.group].append(node)
        return node

    def _mesh(
        self, path: str, parts: list[Part], colour: Colour, opacity: float | None, item: str,
        **place: Any,
    ) -> Any:  # fmt: skip
        parts = visible(parts, self.drawing.size)
        opacity = GHOST if self.root else opacity
        node = self.scene.add_mesh_simple(
            path, *merged(parts), color=colour, opacity=opacity, cast_shadow=opacity is None,
            side="double" if any(p.kind == "mesh" for p in parts) else "front", **place,
        )  # fmt: skip
        self.looks.setdefault(item, []).append((node, colour))
        return node

    def _make(self, group: str) -> None:
        """The nodes of groups that are made when they are first shown."""
        if self.groups[group]:
            return
        drawing, s, nodes = self.drawing, self.drawing.size, self.groups[group]
        if group in ("forces", "reactions"):
            for kind in ("force", "torque"):
                if any(a.group == group and a.kind == kind for a in drawing.arrows):
                    nodes.append(self.scene.add_arrows(
                        f"/{group}/{kind}", np.zeros((0, 2, 3)), ARROWS[group, kind],
                        shaft_radius=0.0045 * s, head_radius=0.012 * s, head_length=0.035 * s,
                    ))  # fmt: skip
        elif group == "traces":
            for trace in drawing.traces:
                if len(trace.path) > 1:
                    path = f"/traces/{len(nodes)} {trace.name}"
                    nodes.append(self.scene.add_line_segments(
                        path, trace.segments, trace.colour, thickness=0.006 * s
                    ))  # fmt: skip
                    self.still.append((nodes[-1], np.zeros(3)))
        elif group == "inertia":
            for solid, body in zip(drawing.solids, self.bodies):
                if solid.inertia is not None:
                    path = f"{body.name}/inertia"
                    nodes.append(self._mesh(path, [solid.inertia], solid.colour, GLASS, ""))
        elif group == "names":
            for solid, body in zip(drawing.solids, self.bodies):
                nodes.append(self.scene.add_label(
                    f"{body.name}/name", solid.name, font_screen_scale=0.8, anchor="bottom-left"
                ))  # fmt: skip
        elif group == "markers" and drawing.markers[0].shape[1]:
            positions, turns = drawing.markers
            nodes.append(self.scene.add_batched_axes(
                "/markers", turns[0], positions[0], axes_length=0.05 * s, axes_radius=0.0015 * s
            ))  # fmt: skip

    def has(self, group: str) -> bool:
        """Whether there is anything to show in a group."""
        if group in ("forces", "reactions"):
            return any(a.group == group for a in self.drawing.arrows)
        if group == "markers":
            return bool(self.drawing.markers[0].shape[1])
        if group == "inertia":
            return any(s.inertia is not None for s in self.drawing.solids)
        return group in ("names", "traces") or bool(self.groups[group])

    # ---------------------------------------------------------------------------------- moving
    def move(self, i: int) -> None:
        """Bring everything that is shown to frame i."""
        self.frame = i
        off = np.zeros(3) if self.way is None else self.way[i]
        with self.server.atomic():
            self._move(i, off)
            if self.ghost is not None:
                t = self.drawing.time[i : i + 1]
                self.ghost._move(int(nearest(self.ghost.drawing.time, t)[0]), off)

    def _move(self, i: int, off: np.ndarray) -> None:
        """To frame i, with the origin at −off."""
        if off.any() or self.shifted:
            self.shifted = bool(off.any())
            for node, place in self.still:
                node.position = tuple(place - off)
        motion = self.drawing.result.motion[i]
        for solid, node in zip(self.drawing.solids, self.bodies):
            self.place(node, motion[solid.number, :3] - off, motion[solid.number, 3:7])
        for line, node in zip(self.drawing.lines, self.lines):
            if self.shown[line.group]:
                self.place(node, line.start[i] - off, line.orientation[i])
                length = max(float(line.length[i]), 1e-6 * self.drawing.size)
                node.scale = (1.0, 1.0, length)
                if line.shades is not None:
                    node.color = tuple(int(x) for x in line.shades[i])
        for group in ("forces", "reactions"):
            if self.shown[group]:
                for node in self.groups[group]:
                    ends = self.arrow_ends(group, node.name.rpartition("/")[2], i)
                    node.points = ends - off.astype(np.float32)
        if self.shown["markers"]:
            positions, turns = self.drawing.markers
            for node in self.groups["markers"]:
                node.batched_positions, node.batched_wxyzs = positions[i] - off, turns[i]

    def arrow_ends(self, group: str, kind: str, i: int) -> np.ndarray:
        """(n, 2, 3): from the points along the vectors."""
        return self.drawing.arrow_ends(group, kind, i, self.scale).astype(np.float32)

    # --------------------------------------------------------------------------------- showing
    def show(self, group: str, visible: bool) -> None:
        """Show or hide a group of items."""
        self.shown[group] = visible
        if visible:
            self._make(group)
        for node in self.groups[group]:
            node.visible = visible

    def highlight(self, item: str | None) -> None:
        """Paint one item, and the others as they were."""
        for name, parts in self.looks.items():
            for node, colour in parts:
                node.color = HIGHLIGHT if name == item else colour

    def follow(self, body: str | None) -> None:
        """Keep a body, or the mechanism, where it is in the picture; "ground" lets it go again."""
        self.way = way_of(self.drawing, body)
        self.move(self.frame)

    def trace(self, names: list[str]) -> None:
        """Draw the paths of these bodies and joints, beside those that the drawing came with."""
        old = self.groups["traces"]
        gone = {id(node) for node in old}  # nodes with arrays cannot be compared
        self.still = [(node, place) for node, place in self.still if id(node) not in gone]
        for node in old:
            node.remove()
        old.clear()
        there = {trace.name for trace in self.given_traces}
        more = [name for name in names if name not in there]
        self.drawing.traces = [
            *self.given_traces, *traces_of(self.drawing.result, more, len(self.given_traces))
        ]
        self.show("traces", True)
        self.move(self.frame)
