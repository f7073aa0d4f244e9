"""Rotors: the inflow that the lifting surfaces of a rotor induce and meet."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.aero.rotors import kernel as rk
from linkwork.elements.aero.air.air import Air, air_around
from linkwork.elements.aero.surfaces.family import Disc
from linkwork.elements.aero.rotors.inflow import DYNAMIC, GLAUERT, MANGLER, NONE, UNIFORM, VARIANTS
from linkwork.elements.aero.surfaces.layout import LINEAR_FIELD, MANGLER_FIELD
from linkwork.elements.layout import int_width
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.frame import GROUND, Frame, as_frame
from linkwork.model.given import FrameLike, Number, OrientationLike, VectorLike, given
from linkwork.model.nodes import Node, vector
from linkwork.model.registry import Entry, Family, Item

MODELS = {"none": NONE, "uniform": UNIFORM, "glauert": GLAUERT, "mangler": MANGLER,
          "dynamic": DYNAMIC}  # fmt: skip
LOADS = vector("rotor load", 3, 0, "N")
STEADY = vector("mean inflow", 1, 0, "m/s")
SMALLEST = 1e-6  # of the tip speed: below it hover is no singular state any more
UNSOLVED = (
    "momentum theory has no steady inflow where air rises through a disc somewhat faster than the "
    "rotor drives it down (vortex ring state); take model=\"dynamic\", whose inflow has states"
)
STARTING = 0.005  # thrust coefficient that iterations begin with


@functools.cache
def rotor_family(ends: int, reals: int, integers: int) -> Family:
    """Rotors with so many ends and numbers; all share one kernel."""
    name = f"rotor of {ends}, {reals} and {integers}"
    return Family(name, rk.ROTOR_KERNEL, bodies=ends, reals=reals, integers=integers)


@dataclass(eq=False)
class Rotor(Item):
    """The inflow of a rotor; lifting surfaces with inflow=rotor load it and meet its velocity.

    hub       : a body or Frame that turns with the blades; its origin is the centre of the disc
    craft     : a body or Frame that does not turn, default lw.GROUND: its velocity
                against the air is that of the rotor
    radius    : m;   speed : rad/s, a typical one (for starting values and the threshold)
    axis      : world direction of the thrust in the reference configuration; default (0, 0, 1)
    model     : "none", "uniform", "glauert", "mangler" (Mangler-Squire, μ > 0.1) or "dynamic"
                (Pitt-Peters)
    variant   : of "glauert": "glauert", "coleman leishman", "drees", "payne", "white and blake",
                "pitt and peters", "howlett", "drees 2"
    hover_correction, forward_correction : k_H and k_F of the mean inflow
    ground    : a world point on the ground and its normal, (point, normal), for the ground effect
    threshold : of the typical speed, below which there is no inflow; default 0.01
    orientation : of the rotor's axes in the world, in place of axis (z along the thrust)
    start     : of model "dynamic": (mean, slope along x, slope along y) of the inflow at the start
                of a run, m/s at the rim, in the rotor's axes; default: the mean inflow of a rotor
                that hovers with a thrust coefficient of 0.005

    Outputs over time: thrust, force and torque (rotor's axes), power, speed, inflow_mean,
    inflow_momentum (of momentum theory, which dynamic inflow tends to; inflow_ratio and wake_skew
    are taken from it), advance_ratio, `rotor_load` and `inflow`; run["rotor"].inflow_at(r,
    psi) gives the induced velocity on the disc, run["rotor"].plot_inflow() draws it.

    Example
    -------
    >>> import linkwork as lw
    >>> hub = lw.Body(10, (1, 1, 2), angular_velocity=(0, 0, 30))
    >>> rotor = lw.Rotor(hub, radius=5, speed=30)
    """

    view: ClassVar[str] = "rotor"

    hub: FrameLike
    craft: FrameLike = GROUND
    radius: Number = given(None)
    speed: Number = given(None)
    axis: VectorLike = (0.0, 0.0, 1.0)
    model: str = "uniform"
    variant: str = "glauert"
    hover_correction: float = 1.0
    forward_correction: float = 1.0
    ground: tuple[VectorLike, VectorLike] | None = None
    threshold: float = 0.01
    orientation: OrientationLike | None = None
    air: Air | None = None
    start: VectorLike | None = None
    frames: tuple[Frame, ...] = field(init=False, repr=False)

    needs_air: ClassVar[bool] = True
    places: ClassVar[frozenset[str]] = Item.places | {"hub", "craft"}

    def __post_init__(self) -> None:
        what = self.label
        for word in ("radius", "speed"):
            if getattr(self, word) is None:
                raise ModelError(f"{what} needs a {word}; write for example "
                                 "lw.Rotor(hub, radius=5, speed=30)")  # fmt: skip
        self.radius = checks.number(self.radius, f"radius of {what}", positive=True)
        self.speed = checks.number(self.speed, f"speed of {what}")
        if self.speed == 0:
            raise ModelError(
                f"speed of {what} must not be zero: it is the typical speed of rotation, which "
                "starting values and the threshold of the inflow are measured by"
            )
        checks.choice(self.model, f"model of {what}", tuple(MODELS))
        checks.choice(self.variant, f"variant of {what}", VARIANTS)
        checks.direction(self.axis, f"axis of {what}")
        for word in ("hover_correction", "forward_correction"):
            setattr(self, word, checks.number(getattr(self, word), f"{word} of {what}",
                                              positive=True))  # fmt: skip
        self.threshold = checks.number(self.threshold, f"threshold of {what}", minimum=0)
        if self.start is not None:
            if self.kind != DYNAMIC:
                raise ModelError(
                    f'start of {what} is that of inflow with states, model="dynamic"; the model '
                    f'"{self.model}" finds its inflow from the loads, so leave start out'
                )
            self.start = checks.vector(self.start, f"start of {what}")
        if self.air is not None and not isinstance(self.air, Air):
            raise ModelError(f"air of {what} must be an lw.Air, but {checks.show(self.air)} was "
                             "given")  # fmt: skip
        if self.ground is not None:
            listed = isinstance(self.ground, (list, tuple)) and len(self.ground) == 2
            if not listed:
                raise ModelError(f"ground of {what} must be (point, normal), but "
                                 f"{checks.show(self.ground)} was given")  # fmt: skip
            point, normal = self.ground
            self.ground = (checks.vector(point, f"point of the ground of {what}"),
                           checks.direction(normal, f"normal of the ground of {what}"))  # fmt: skip
        hub, craft = as_frame(self.hub, what), as_frame(self.craft, what)
        if hub.body is GROUND:
            raise ModelError(f"hub of {what} is GROUND, which cannot turn; give the body that does")
        axis = None if self.orientation is not None else self.axis
        axes = checks.axes(axis, self.orientation, what)
        q = rotations.multiply(rotations.conjugate(craft.body.orientation), axes)
        self.frames = (hub, Frame(craft.body, craft.position, q / np.linalg.norm(q)))
        self._make_nodes()

    @property
    def kind(self) -> int:
        return MODELS[self.model]

    def _make_nodes(self) -> None:
        order = 1 if self.kind == DYNAMIC else 0
        known = self.__dict__.get("nodes")
        tip = checks.number(
            abs(self.speed) * self.radius, f"speed times radius of {self.label}", positive=True
        )
        u = tip * math.sqrt(STARTING / 2)
        if known is None or known[1].kind.order != order:
            inflow = Node(vector("inflow", 4, order, "m/s"), (u, 0.0, 0.0, 0.0), scale=u)
            size = STARTING * math.pi * self.radius**2 * tip**2
            known = [Node(LOADS, (size, 0.0, 0.0), scale=size), inflow]
            for node in known:
                node.unsolved = UNSOLVED
            if self.kind == DYNAMIC:
                known.append(Node(STEADY, u, scale=u))
            self.__dict__["nodes"] = known
        if order == 1:
            known[1].value[:3] = (u, 0.0, 0.0) if self.start is None else self.start

    def vector_nodes(self) -> list[Node]:
        return self.__dict__["nodes"]

    def needs(self) -> tuple[Item, ...]:
        return () if self.air is None else (self.air,)

    def disc(self) -> Disc:
        """What its lifting surfaces need to know."""
        hub, craft = self.frames
        nodes = self.vector_nodes()
        field_ = MANGLER_FIELD if self.kind == MANGLER else LINEAR_FIELD
        return Disc(
            (nodes[0], nodes[1], craft.body, hub.body), field_, self.radius,
            rotations.matrix(craft.orientation), np.asarray(hub.position, float),
        )  # fmt: skip

    def the_air(self) -> Air:
        """The air it turns in."""
        return air_around(self, "turn in")

    def refuse_no_blades(self) -> None:
        items = self.surroundings.get("items", {})
        if items and not any(getattr(item, "inflow", None) is self for item in items.values()):
            raise ModelError(
                f"{self.label} has no blades, so nothing loads it; give its lifting surfaces "
                "inflow=, for example lw.LiftingSurface(..., inflow=rotor), or leave it out"
            )

    def entries(self) -> list[Entry]:
        self.refuse_no_blades()
        air = self.the_air()
        numbers, codes = air.numbers()
        reals = np.zeros(rk.AIR + len(numbers))
        hub, craft = self.frames
        tip = abs(self.speed) * self.radius
        reals[rk.RADIUS], reals[rk.THRESHOLD] = self.radius, self.threshold * abs(self.speed)
        reals[rk.SMALL] = (SMALLEST * tip) ** 2
        reals[rk.KH], reals[rk.KF] = self.hover_correction, self.forward_correction
        reals[rk.NORMAL + 2] = 1.0
        if self.ground is not None:
            reals[rk.GROUND] = 1.0
            reals[rk.POINT : rk.POINT + 3], reals[rk.NORMAL : rk.NORMAL + 3] = self.ground
        reals[rk.AXES : rk.AXES + 9] = rotations.matrix(craft.orientation).ravel()
        reals[rk.PLACE : rk.PLACE + 3] = craft.position
        reals[rk.CENTRE : rk.CENTRE + 3] = hub.position
        reals[rk.AIR :] = numbers
        ends = (*self.vector_nodes(), craft.body, hub.body)
        begin = int_width(len(ends), 0)
        integers = (self.kind, VARIANTS.index(self.variant), *codes, begin)
        family = rotor_family(len(ends), len(reals), len(integers))
        return [Entry(family, ends, reals, laws=air.laws(rk.AIR), integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.elements.aero.airfoils.airfoil import Airfoil
        from linkwork.elements.aero.surfaces.surface import LiftingSurface

        air = Air(density="standard", velocity=rng.normal(size=3) + np.array([3.0, 0, 0]))
        found: list[Any] = [air]
        rotors: list[Any] = []
        ground = ((0, 0, -9.0), (0, 0.1, 1))
        kinds = (dict(model="glauert", variant=str(rng.choice(VARIANTS))), dict(model="mangler"),
                 dict(model="dynamic", ground=ground), dict(ground=ground))  # fmt: skip
        for words in kinds:
            rotor = cls(
                Frame(a, rng.normal(size=3)), Frame(b, rng.normal(size=3)), 6.0, 2.0,
                rng.normal(size=3), hover_correction=1.1, forward_correction=1.2, threshold=1e-9,
                **words,
            )  # fmt: skip
            kind = rng.choice(["quasi-steady", "theodorsen"])
            blade = LiftingSurface(
                Frame(a, rng.normal(size=3), rotations.exponential(rng.normal(size=3))), 0.5,
                Airfoil.flat_plate(drag=0.1), span=1.0, points=1, inflow=rotor, model=str(kind),
                filter_frequency=2.0, speed=2.0, aerodynamic_centre=0.1,
            )  # fmt: skip
            found.append(blade)
            rotors.append(rotor)
        return [*found, *rotors]
