"""Lifting surfaces: wings and blades on bodies and beams (aero.surfaces.kernel)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from linkwork.elements.aero.air.air import Air, air_around
from linkwork.elements.aero.airfoils.airfoil import Airfoil
from linkwork.elements.aero.surfaces.family import (
    Disc, Stations, Strip, Unsteady, along, foils_at, surface_entry,
)  # fmt: skip
from linkwork.elements.aero.surfaces.layout import (
    CONTROL, QUASI_STEADY, STALL, THEODORSEN, WAGNER,
)  # fmt: skip
from linkwork.elements.aero.surfaces.pieces import Piece, directions, pieces_of
from linkwork.elements.aero.surfaces.starting import start_motion, steady_states
from linkwork.elements.beams.beam import Beam
from linkwork.elements.signals.signals import factor_law
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.drives import Constant, as_drive
from linkwork.model.drives.base import leaves_that_follow
from linkwork.model.frame import Frame
from linkwork.model.given import AlongLike, FrameLike, Function, VectorLike, given
from linkwork.model.nodes import Node, vector
from linkwork.model.registry import Entry, Item

if TYPE_CHECKING:
    from linkwork.elements.aero.rotors.rotor import Rotor

WAGNERS = {1: (0.165, 0.335, 0.0455, 0.300), 2: (0.165, 0.335, 0.041, 0.320)}
MODELS = {"quasi-steady": QUASI_STEADY, "wagner": WAGNER, "theodorsen": THEODORSEN,
          "dynamic stall": STALL}  # fmt: skip
FASTER = 1000.0  # the filter of derivatives over 2U/c
LEAST_SPEED = 1.0  # m/s, for the scale of states


@dataclass(eq=False)
class LiftingSurface(Item):
    """A wing or blade by strip theory on a body, or on a beam.

    on        : a body or Frame; a Beam; or two or three frames, the nodes of one element
    chord     : m;  airfoil : an Airfoil, or pairs (s, Airfoil) between which coefficients are
                linear (blend=False: each holds up to its s)
    start, end : of a surface on a body, world points in the reference configuration; on a Beam the
                parts of its length from 0 to 1 between which the surface reaches
    span      : in place of them, the length (m) of a surface about a Frame's origin along its z
    forward, up : world directions from trailing to leading edge and of positive lift, in the
                  reference configuration, default (-1, 0, 0) and (0, 0, 1); with `span` or frames,
                  their axes x and y are these
    aerodynamic_centre : m forward of the reference line (the body's line, the beam's axis)
    velocity_point     : m forward of it, where the angle of attack is taken; without it half a
                chord behind the aerodynamic centre, the three-quarter point
    twist     : rad, nose up;   control : rad, a number or a function of time or of the motion, and
                control_shape: its part along the span;   tip_loss : factor of the normal force
    points    : Gauss points on a body; on a beam, in the piece of each node
    model     : "quasi-steady"; unsteady "theodorsen", with six states a point, "wagner", with two
                and without the apparent mass of accelerations, or "dynamic stall", with four
    wagner    : 1 or 2, the constants of Wagner's function;  filter_frequency : rad/s, of the
                derivatives in "theodorsen" (without it 1000 · 2U/c)
    lags      : of pressure and separation in "dynamic stall", in semi-chords of the path; default
                (1.7, 3)
    speed     : m/s, a typical one for the scale of states (without it that at the start)
    inflow    : the Rotor whose induced velocity it meets
    air       : an Air of its own; without it that of the model

    Chord, centre, velocity point, twist, control_shape and tip_loss are numbers, pairs (s, value)
    or functions of s from 0 to 1.  Outputs over (time, s): alpha, mach, cl, cd, cm, lift, drag,
    moment, force, and over time force_total, torque_total and power.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model("tunnel")
    >>> m.air = lw.Air(density=1.225, velocity=(30, 0, 0))
    >>> plate = m.add("plate", lw.Body(2, (1, 1, 1)))
    >>> wing = m.add("wing", lw.LiftingSurface(plate, chord=0.5, airfoil=lw.Airfoil.flat_plate(),
    ...     start=(0, -1, 0), end=(0, 1, 0), twist=0.05))
    """

    view: ClassVar[str] = "surface"

    on: FrameLike | Beam | Sequence[FrameLike]
    chord: AlongLike | None = None
    airfoil: Airfoil | Sequence[tuple[float, Airfoil]] | None = None
    start: float | VectorLike | None = None
    end: float | VectorLike | None = None
    span: float | None = None
    forward: VectorLike = (-1.0, 0.0, 0.0)
    up: VectorLike = (0.0, 0.0, 1.0)
    aerodynamic_centre: AlongLike = 0.0
    velocity_point: AlongLike | None = None
    twist: AlongLike = 0.0
    control: Function = given(0.0)
    control_shape: AlongLike = 1.0
    tip_loss: AlongLike = 1.0
    points: int | None = None
    model: str = "quasi-steady"
    wagner: int = 1
    lags: Sequence[float] = (1.7, 3.0)
    filter_frequency: float | None = None
    speed: float | None = None
    blend: bool = True
    inflow: Rotor | None = None
    air: Air | None = None
    pieces: list[Piece] = field(init=False, repr=False)
    frames: tuple[Frame, ...] = field(init=False, repr=False)

    needs_air: ClassVar[bool] = True
    places: ClassVar[frozenset[str]] = Item.places | {
        "on", "start", "end", "span", "forward", "up", "points"
    }  # fmt: skip

    def __post_init__(self) -> None:
        what = self.label
        if self.chord is None or self.airfoil is None:
            missing = "a chord" if self.chord is None else "an airfoil"
            raise ModelError(
                f"{what} needs {missing}; write for example lw.LiftingSurface(body, chord=0.5, "
                "airfoil=lw.Airfoil.naca0012(), start=(0, 0, 0), end=(0, 2, 0))"
            )
        checks.choice(self.model, f"model of {what}", tuple(MODELS))
        if type(self.wagner) is not int or self.wagner not in WAGNERS:
            raise ModelError(f"wagner of {what} must be 1 or 2, but {checks.show(self.wagner)} was "
                             "given")  # fmt: skip
        self.lags = self._lags()
        self.blend = checks.flag(self.blend, f"blend of {what}")
        for word in ("filter_frequency", "speed"):
            if getattr(self, word) is not None:
                number = checks.number(getattr(self, word), f"{word} of {what}", positive=True)
                setattr(self, word, number)
        if self.air is not None and not isinstance(self.air, Air):
            raise ModelError(f"air of {what} must be an lw.Air, but {checks.show(self.air)} was "
                             "given")  # fmt: skip
        if self.inflow is not None and not hasattr(self.inflow, "disc"):
            raise ModelError(f"inflow of {what} must be an lw.Rotor, but "
                             f"{checks.show(self.inflow)} was given")  # fmt: skip
        self.control = as_drive(self.control, f"control of {what}", follows=True)
        for _, foil in self._airfoils():
            if self.states == STALL and foil.lift_slope() <= 0:
                raise ModelError(f"{what} cannot stall with {foil}, whose lift does not grow with "
                                 "the angle; choose another model or airfoil")  # fmt: skip
        directions(self, 0.0)
        self.pieces = pieces_of(self)
        self.frames = tuple(frame for piece in self.pieces for frame in piece.frames)
        for piece in self.pieces:
            self._strip(piece.at)
        self._make_nodes()

    def _lags(self) -> tuple[float, float]:
        what = f"lags of {self.label}"
        given = checks.array(self.lags)
        if given is None or given.shape != (2,):
            raise ModelError(f"{what} must be two numbers, of pressure and of separation, but "
                             f"{checks.show(self.lags)} was given")  # fmt: skip
        pressure, separation = (checks.number(x, what, positive=True) for x in given)
        return pressure, separation

    @property
    def states(self) -> int:
        """States of a point."""
        return MODELS[self.model]

    # ------------------------------------------------------------------------------ geometry
    def _airfoils(self) -> list[tuple[float, Airfoil]]:
        """Pairs (s, airfoil), rising."""
        what = f"airfoil of {self.label}"
        if isinstance(self.airfoil, Airfoil):
            return [(1.0, self.airfoil)]
        given = list(self.airfoil) if isinstance(self.airfoil, (list, tuple)) else []
        pairs = [tuple(x) for x in given if isinstance(x, (list, tuple)) and len(x) == 2]
        known = all(isinstance(foil, Airfoil) for _, foil in pairs)
        if not given or len(pairs) < len(given) or not known:
            raise ModelError(
                f"{what} must be an lw.Airfoil or pairs (s, lw.Airfoil), but "
                f"{checks.show(self.airfoil)} was given"
            )
        places = [checks.number(s, f"place of an {what}") for s, _ in pairs]
        if any(b <= a for a, b in zip(places[:-1], places[1:])):
            raise ModelError(f"the places s of the {what} must rise, but they are {places}")
        return list(zip(places, (f for _, f in pairs)))

    # -------------------------------------------------------------------------------- strips
    def _strip(self, at: Stations) -> Strip:
        """Numbers at the points of an element."""
        what, s = self.label, at.s
        chord = along(self.chord, f"chord of {what}", s)
        if (chord <= 0).any():
            raise ModelError(
                f"chord of {what} must be positive, but it is {chord.min():g} at s = "
                f"{s[int(np.argmin(chord))]:.4g}"
            )
        centre = along(self.aerodynamic_centre, f"aerodynamic_centre of {what}", s)
        point = centre - chord / 2
        if self.velocity_point is not None:
            point = along(self.velocity_point, f"velocity_point of {what}", s)
        if self.model != "quasi-steady" and (np.abs(point - centre) < 1e-6 * chord).any():
            raise ModelError(
                f"velocity_point of {what} must differ from its aerodynamic centre in the model "
                f"'{self.model}'; leave it out, which is half a chord behind"
            )
        tip = along(self.tip_loss, f"tip_loss of {what}", s)
        if (tip < 0).any() or (tip > 1).any():
            raise ModelError(
                f"tip_loss of {what} must lie between 0 and 1, but {checks.show(self.tip_loss)} "
                "was given"
            )
        return Strip(
            chord, centre, point, along(self.twist, f"twist of {what}", s),
            along(self.control_shape, f"control_shape of {what}", s), tip, np.ones(len(s)),
        )  # fmt: skip

    @property
    def s(self) -> np.ndarray:
        """Places of all points, from 0 to 1 along the span."""
        return np.concatenate([piece.at.s for piece in self.pieces])

    def frames_of_pieces(self) -> list[tuple[Frame, ...]]:
        """The frames of each element, where they are on their bodies."""
        sizes = [len(piece.frames) for piece in self.pieces]
        ends = np.cumsum(sizes)
        return [self.frames[b - n : b] for n, b in zip(sizes, ends)]

    def all_airfoils(self) -> list[Airfoil]:
        return [foil for _, foil in self._airfoils()]

    # ------------------------------------------------------------------------------- states
    def _make_nodes(self) -> None:
        known: list[Node] = self.__dict__.setdefault("state_nodes", [])
        sizes = [self.states * len(piece.at.s) for piece in self.pieces if self.states]
        if [node.size for node in known] != sizes:
            kinds = [vector("aerodynamic state", n, 1) for n in sizes]
            self.__dict__["state_nodes"] = [Node(kind, 0.0, internal=True) for kind in kinds]

    def vector_nodes(self) -> list[Node]:
        return self.__dict__["state_nodes"]

    def needs(self) -> tuple[Item, ...]:
        found = [x for x in (self.inflow, self.air) if x is not None]
        return (*((self.on,) if isinstance(self.on, Beam) else ()), *found)

    # -------------------------------------------------------------------------- compilation
    def the_air(self) -> Air:
        """The air it moves through."""
        return air_around(self, "move through", "density=1.225, velocity=(30, 0, 0)")

    def start_speed(self) -> float:
        """Speed against the air at the start, for the scale of states."""
        if self.speed is not None:
            return self.speed
        wind = self.the_air().velocities(np.zeros(1))[0][:3]
        best: float = LEAST_SPEED
        for frame in self.frames:
            v = getattr(frame.body, "velocity", None)
            w = getattr(frame.body, "angular_velocity", None)
            own = np.zeros(3) if v is None else np.asarray(v, float)
            arm = rotations.matrix(frame.body.orientation) @ frame.position
            if w is not None:
                spin = rotations.matrix(frame.body.orientation) @ np.asarray(w, float)
                reach = np.linalg.norm(arm) + float(np.abs(self.pieces[0].at.span).max(initial=0))
                best = max(best, float(np.linalg.norm(spin) * reach))
            best = max(best, float(np.linalg.norm(own - wind)))
        return best

    def disc(self) -> Disc | None:
        return None if self.inflow is None else self.inflow.disc()

    def entries(self) -> list[Entry]:
        air, disc, found = self.the_air(), self.disc(), []
        airfoils, nodes, frames = self._airfoils(), self.vector_nodes(), self.frames_of_pieces()
        follows = bool(leaves_that_follow(self.control))
        start = 0.0 if follows else float(self.control.values(np.zeros(1))[0])
        unsteady_speed = self.start_speed() if nodes else 0.0
        for i, piece in enumerate(self.pieces):
            strip, unsteady = self._strip(piece.at), None
            foils = foils_at(airfoils, self.blend, piece.at.s)
            if nodes:
                rate = 2 * unsteady_speed / strip.chord
                strip = strip._replace(rate=rate)
                frequency = self.filter_frequency or FASTER * float(rate.max())
                unsteady = Unsteady(self.states, frequency, WAGNERS[self.wagner], self.lags)
                moving = start_motion(list(frames[i]), piece.at, strip, start, air)
                nodes[i].value = steady_states(moving, strip, unsteady, foils)
            entry = surface_entry(
                list(frames[i]), piece.at, strip, foils, unsteady, disc, air, start,
                nodes[i] if nodes else None,
            )  # fmt: skip
            if not isinstance(self.control, Constant):
                entry.laws.append(factor_law(CONTROL, self.control))
            found.append(entry)
        return found

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        from linkwork.elements.bodies.body import Body

        air = Air.sample(rng, a, b)
        alpha = np.linspace(-math.pi, math.pi, 9)
        grid = (alpha, [0.0, 0.4], rng.normal(size=(9, 2)))
        foil = Airfoil(grid, grid, grid)
        body = cls(
            Frame(a, rng.normal(size=3), rotations.exponential(rng.normal(size=3))), 0.7,
            [(0.0, foil), (1.0, Airfoil.flat_plate())], span=1.3, twist=0.1, points=2,
            aerodynamic_centre=0.1, tip_loss=0.8, control=0.2,
        )  # fmt: skip
        words: dict[str, Any] = dict(
            chord=0.7, airfoil=foil, twist=[(0, 0.1), (1, 0.3)], points=1, aerodynamic_centre=0.2
        )
        ends = [
            Frame(x, 0.2 * rng.normal(size=3), rotations.exponential(0.3 * rng.normal(size=3)))
            for x in (a, b)
        ]
        two = cls(ends, model="theodorsen", filter_frequency=3.0, speed=2.0, **words)
        lagging = [
            cls(Frame(x, rng.normal(size=3)), 0.7, part, span=1.3, points=1, model=model, speed=2.0)
            for x, model, part in ((a, "wagner", foil), (b, "dynamic stall", Airfoil.naca0012()))
        ]
        middle = Body(1, (1, 1, 1), (a.position + b.position) / 2 + 0.1 * rng.normal(size=3),
                      orientation=a.orientation)  # fmt: skip
        three = cls([ends[0], middle, ends[1]], **words)
        return [air, body, two, *lagging, middle, three]
