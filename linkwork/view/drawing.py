"""The drawing of a run: which solids, symbols, lines and arrows its items are shown by (scene.py).

Frames are stored times of the run, thinned where there are more than a page can use.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.elements.aero.craft.force import AerodynamicForce
from linkwork.elements.aero.surfaces.surface import LiftingSurface
from linkwork.elements.bodies.body import Body
from linkwork.elements.bodies.central_gravity import CentralGravity
from linkwork.elements.bodies.moving_frame import MovingFrame
from linkwork.elements.bodies.variable_mass import VariableMass
from linkwork.elements.deformable.axial import DeformableAxial
from linkwork.elements.deformable.bushing import Bushing
from linkwork.elements.deformable.joints import Deformable
from linkwork.elements.deformable.rod import Rod
from linkwork.elements.deformable.slide import DeformableSlide
from linkwork.elements.deformable.viscous_body import ViscousBody
from linkwork.elements.flexible.link import FlexibleLink
from linkwork.elements.flexible.parts import Part as LinkPart
from linkwork.elements.forces.force import Load
from linkwork.elements.forces.force_pair import ForcePair
from linkwork.elements.forces.gear_teeth import GearTeeth
from linkwork.elements.forces.joint_load import JointLoad
from linkwork.elements.forces.spring import Spring
from linkwork.elements.forces.stop import Stop
from linkwork.elements.forces.torsion_spring import TorsionSpring
from linkwork.elements.forces.user_force import UserForce
from linkwork.elements.friction.brake import Brake
from linkwork.elements.friction.friction import Friction
from linkwork.elements.hydraulics.cylinder import Cylinder
from linkwork.elements.hydraulics.motor import RotaryMotor
from linkwork.elements.joints.distance import Distance
from linkwork.elements.joints.gear import Gear
from linkwork.elements.joints.joints import Joint
from linkwork.elements.joints.lock import LOCK
from linkwork.elements.joints.orthogonal import Orthogonal
from linkwork.elements.joints.rigid_displacement import RigidBodyDisplacement
from linkwork.elements.joints.rolling import Rolling
from linkwork.elements.joints.velocity_lock import VelocityLock
from linkwork.elements.signals.measured import FrameSensor
from linkwork.elements.signals.sensor import StrapdownSensor
from linkwork.elements.tyres.tyre import Tyre
from linkwork.errors import ModelError
from linkwork.kernels.rotations import rotate
from linkwork.model import checks
from linkwork.model.frame import GROUND, Frame
from linkwork.results.outputs.deformed.flexible import deformed
from linkwork.results.outputs.replayed import element_outputs, has_reaction, reaction
from linkwork.results.result import Result
from linkwork.view.lines import Line, cylinder_lines
from linkwork.view.loads import applied, frames_of
from linkwork.view.scene import Arrow, Drawing, Solid, Symbol, nearest, place
from linkwork.view.solids.figures import figure
from linkwork.view.solids.shapes import Part, parts_of
from linkwork.view.solids.symbols import joint_parts, spiral
from linkwork.view.surfaces import add_surface
from linkwork.view.traces import traces_of

TURNING = (
    TorsionSpring, DeformableAxial, DeformableSlide, Stop, Friction, Brake, RotaryMotor,
)  # fmt: skip
PALETTE = (
    (38, 104, 166), (208, 98, 30), (38, 132, 92), (156, 72, 132), (196, 144, 20),
    (66, 150, 196), (124, 82, 58), (98, 104, 118),
)  # fmt: skip
STORED = 1_000_000  # bodies times frames that a page keeps
PIECES = 16  # of a flexible link


def draw(
    result: Result, frames: np.ndarray | None = None, title: str = "", *, traces: Any = (),
    other: Result | None = None, colours: str | None = None,
) -> Drawing:  # fmt: skip
    """The drawing of a result at some of its stored times (all that a page can use otherwise).

    traces : points whose paths are drawn;   other : a run that is drawn as a ghost, at these times
    colours : what beams are coloured by: moment, force, strain or curvature
    """
    if not result.system.bodies:
        raise ModelError(
            f"model '{result.system.model.name}' has no bodies to draw; plot its values, for "
            'example run.plot("tank.level")'
        )
    if frames is None:
        most = max(2, STORED // max(result.system.bodies, 1))
        frames = nearest(result.time, np.linspace(result.time[0], result.time[-1], most))
        frames = np.arange(len(result)) if len(result) <= most else np.unique(frames)
    thin = result if len(frames) == len(result) else at_frames(result, frames)
    check_places(thin)
    drawing = Drawing(thin, title or str(result.info["model"]), result, frames)
    drawing.traces = traces_of(result, traces)
    if other is not None:
        drawing.other = draw(other, np.unique(nearest(other.time, drawing.time)))
    model, size = thin.system.model, thin.system.length
    points = attachments(model)
    _add_links(drawing)
    _add_beams(drawing, colours)
    for number, (name, body) in enumerate(zip(thin.system.names, thin.system.items, strict=True)):
        if isinstance(body, LinkPart):
            continue
        parts, inertia = parts_of(body.shape, body.label), None
        if not parts:
            parts, inertia = figure(body, points.get(name, []), size)
        drawing.solids.append(Solid(name, number, parts, PALETTE[number % len(PALETTE)], inertia))
    for item in model.items.values():
        if not isinstance(item, (Body, FlexibleLink)):
            _add_item(drawing, item)
    _add_reactions(drawing)
    _add_contacts(drawing, result, frames)
    return drawing


def check_places(result: Result) -> None:
    """Refuse places that no picture can hold: those of a damaged file."""
    places = np.abs(result.motion[:][:, :, :7])
    if not (places <= checks.LARGEST).all():
        i, number, k = np.argwhere(~(places <= checks.LARGEST))[0]
        what = "a coordinate" if k < 3 else "an orientation"
        raise ModelError(
            f"body '{result.system.names[number]}' has {what} of {result.motion[i, number, k]:g} "
            f"at t = {result.time[i]:g} s and cannot be drawn; its file was changed, or made by "
            "another program"
        )


def _add_links(drawing: Drawing) -> None:
    """Flexible links: pieces of their deformed axes, and a ball at every interface node."""
    system, motion = drawing.result.system, drawing.result.motion[:]
    values = drawing.result.values[:]
    for link in system.flexible:
        outline = link.item.section.outline
        radius = min(outline) / 2 if outline else 0.008 * system.length
        colour = PALETTE[link.frame % len(PALETTE)]
        for b in (link.frame, *link.nodes):
            ball = Part("sphere", (1.05 * radius,))
            drawing.solids.append(Solid(system.names[b], b, [ball], colour))
        axis = deformed(link, motion, values, np.linspace(0, 1, PIECES + 1))
        for k in range(PIECES):
            ends = axis[:, k], axis[:, k + 1]
            name = system.names[link.frame]
            drawing.lines.append(Line(name, "bodies", *ends, radius, colour, k + 1))


def _add_beams(drawing: Drawing, colours: str | None) -> None:
    """Beams and cables: pieces along the deformed axis."""
    result = drawing.result
    slender = dict.fromkeys(e.owner for e in result.system.elements if e.entry.family.slender)
    cables = dict.fromkeys(
        e.owner for e in result.system.elements if e.entry.family.name.startswith("cable segment")
    )
    if not slender and not cables:
        return
    from linkwork.view.beams import beam_lines, cable_lines, check_colours  # slow to import

    check_colours(colours)
    for name in slender:
        first = next(e for e in result.system.elements if e.owner == name)
        colour = PALETTE[first.ends[0] % len(PALETTE)]
        drawing.lines += beam_lines(result, name, drawing.size, colour, colours)
    for name in cables:
        drawing.lines += cable_lines(result, name, drawing.size, colours)


def at_frames(result: Result, frames: np.ndarray) -> Result:
    """The result at some of its stored times."""
    work = None if result.work is None else result.work[frames]
    return Result(
        result.system, result.time[frames], result.motion[frames], result.acceleration[frames],
        result.gamma[frames], work, info=result.info, values=result.values[frames],
    )  # fmt: skip


def attachments(model: Any) -> dict[str, list[np.ndarray]]:
    """Name of a body → the places on it where joints, springs and loads act."""
    points: dict[str, list[np.ndarray]] = {}
    for item in model.items.values():
        for frame in frames_of(item):
            points.setdefault(str(frame.body.name), []).append(np.asarray(frame.position))
    return points


# -------------------------------------------------------------------------------- item by item


def _add_item(drawing: Drawing, item: Any) -> None:
    result, name = drawing.result, str(item.name)
    if isinstance(item, Cylinder):
        a, b = (place(result, frame)[0] for frame in item.frames)
        drawing.lines += cylinder_lines(item, a, b)
    elif isinstance(item, (Spring, Rod, Distance)):
        a, b = (place(result, frame)[0] for frame in item.frames)
        spring = not isinstance(item, Distance)
        radius = _radius(drawing, item) * (1.0 if spring else 0.4)
        drawing.lines.append(Line(name, "springs" if spring else "joints", a, b, radius))
    elif isinstance(item, TURNING):
        marked = getattr(item, "joint", item)
        radius = 3 * _radius(drawing, marked)
        _add_symbol(drawing, name, "springs", [spiral(radius, 0.06 * radius)], marked.frames[0])
    elif isinstance(item, (Bushing, Deformable, ViscousBody)):
        radius = 2.2 * _radius(drawing, item)
        part = Part("cylinder", (radius, 1.2 * radius), colour=(60, 60, 60), opacity=0.45)
        _add_symbol(drawing, name, "springs", [part], frames_of(item)[0])
        _add_loads(drawing, item)
    elif isinstance(item, Tyre):
        _add_tyre(drawing, item)
    elif isinstance(item, Rolling):
        rim = (item.radius,) if item.axis is None else (item.radius, 0.1 * item.radius)
        part = Part("cylinder" if item.axis is not None else "sphere", rim, opacity=0.35)
        _add_symbol(drawing, name, "joints", [part], item.frames[1])
    elif isinstance(item, VelocityLock):
        part = Part("sphere", (_radius(drawing, item),), colour=(60, 60, 60), opacity=0.6)
        _add_symbol(drawing, name, "joints", [part], item.frames[1])
    elif isinstance(item, (Joint, Orthogonal)):
        parts = joint_parts(item, _radius(drawing, item), _travel(result, name))
        _add_symbol(drawing, name, "joints", parts, item.frames[0])
    elif isinstance(item, (Load, ForcePair, JointLoad, GearTeeth, MovingFrame, CentralGravity,
                           VariableMass, UserForce, AerodynamicForce)):  # fmt: skip
        _add_loads(drawing, item)
    elif item.view == "cam":
        from linkwork.view.cams import add_cam  # slow to import

        add_cam(drawing, item)
    elif isinstance(item, LiftingSurface):
        add_surface(drawing, item)
    elif isinstance(item, Gear):
        a, b = (place(result, joint.frames[0])[0] for joint in (item.first, item.second))
        drawing.lines.append(Line(name, "joints", a, b, 0.4 * _radius(drawing, item.first)))
    elif isinstance(item, RigidBodyDisplacement):
        ends = item.frames[: len(item.points) + 1]
        middle, *points = (place(result, frame)[0] for frame in ends)
        radius = 0.4 * _radius(drawing, item)
        for frame, point in zip(ends[1:], points, strict=True):
            label = f"{name} to {frame.body.name}"
            drawing.lines.append(Line(label, "joints", middle, point, radius))
    elif isinstance(item, StrapdownSensor):
        part = Part("box", (2 * _radius(drawing, item),) * 3, colour=(60, 60, 60))
        _add_symbol(drawing, name, "joints", [part], item.frames[0])
    elif isinstance(item, FrameSensor):
        part = Part("box", (0.02 * drawing.size,) * 3, colour=(60, 60, 60))
        _add_symbol(drawing, name, "joints", [part], item.frame)


def _add_symbol(drawing: Drawing, name: str, group: str, parts: list[Part], marker: Frame) -> None:
    position, _ = place(drawing.result, marker)
    drawing.symbols.append(Symbol(name, group, parts, marker, position))


def _radius(drawing: Drawing, item: Any) -> float:
    """A size for the symbol of an item that suits the bodies it joins."""
    bodies = {frame.body.name for frame in frames_of(item)}
    mine = [s for s in drawing.solids if s.name in bodies]
    local = min((s.extent for s in mine if s.extent > 0), default=drawing.size)
    wall = max((s.wall for s in mine if s.wall < 0.2 * s.extent), default=0.0)
    return max(min(0.06 * local, 0.018 * drawing.size), 1.35 * wall, 0.002 * drawing.size)


def _travel(result: Result, name: str) -> tuple[float, float]:
    for e in result.system.elements:
        if e.owner == name and e.entry.family is LOCK:
            (found,) = element_outputs(result, [e])
            z = found["_position"][:, 2]
            return float(z.min()), float(z.max())
    return 0.0, 0.0


def _add_loads(drawing: Drawing, item: Any) -> None:
    for number, (point, force, torque) in applied(drawing.run, item, drawing.frames).items():
        several = len(frames_of(item)) > 1
        name = f"{item.name} on {drawing.result.system.names[number]}" if several else item.name
        for kind, vector in (("force", force), ("torque", torque)):
            if np.abs(vector).max(initial=0.0) > 0:
                drawing.arrows.append(Arrow(str(name), "forces", kind, point, vector))


def _add_tyre(drawing: Drawing, item: Tyre) -> None:
    """The force of a tyre where it touches the road."""
    result = drawing.result
    view = result[str(item.name)]
    point = np.column_stack([view.numbers(f"contact_{x}") for x in "xyz"])
    for _, force, _ in applied(drawing.run, item, drawing.frames).values():
        drawing.arrows.append(Arrow(str(item.name), "forces", "force", point, force))


def _add_contacts(drawing: Drawing, result: Result, frames: np.ndarray) -> None:
    """Forces on second bodies at their points of contact, from all stored times: bristles follow
    the path."""
    item: Any
    for item in result.system.model.items.values():
        if item.view not in ("contact", "cam"):
            continue
        from linkwork.results.outputs.views.contact import contact_arrows  # slow to import

        ground = getattr(item, "ground", None)
        if ground is not None:
            parts = parts_of(ground, f"the ground of {item.label}")
            light = [replace(p, colour=p.colour or (196, 200, 206)) for p in parts]
            _add_symbol(drawing, f"ground of {item.name}", "joints", light, Frame(GROUND))
        for name, point, force in contact_arrows(result, item):
            drawing.arrows.append(Arrow(name, "forces", "force", point[frames], force[frames]))


def _add_reactions(drawing: Drawing) -> None:
    """Reactions on second bodies, where the multipliers are known."""
    result = drawing.result
    if not result.gamma.size or np.isnan(result.gamma).all():
        return
    for joint in result.joints:
        elements = [e for e in result.system.elements if e.owner == joint and e.entry.rows]
        if not has_reaction(elements):
            continue
        wrench = reaction(result, elements)
        for kind in ("force", "torque"):
            vector = rotate(wrench.R, getattr(wrench, kind))
            drawing.arrows.append(Arrow(joint, "reactions", kind, wrench.point, vector))
