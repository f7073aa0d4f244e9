"""Force and moment of the air on a whole craft (aero.craft.kernel)."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.aero.air.air import Air, air_around
from linkwork.elements.aero.craft import kernel as ck
from linkwork.elements.aero.craft.coefficients import read_coefficients
from linkwork.errors import ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.frame import GROUND, Frame, as_frame
from linkwork.model.given import FrameLike, PathLike, VectorLike
from linkwork.model.registry import Entry, Family, Item

SIDESLIPS = {"geometric": ck.GEOMETRIC, "mbdyn": ck.MBDYN}


@functools.cache
def craft_family(reals: int, integers: int) -> Family:
    """Elements with so many numbers; all share one kernel."""
    name = f"aerodynamic force of {reals} and {integers}"
    return Family(
        name, ck.CRAFT_KERNEL, bodies=1, reals=reals, integers=integers, outputs=ck.OUTPUTS
    )


@dataclass(eq=False)
class AerodynamicForce(Item):
    """Force and moment of the air on a body from coefficients over its angles against the air.

    on       : a body or Frame, whose axes point to the nose (x), to the right (y) and down (z); the
               loads act at its origin, and it is its velocity that the angles are taken from
    alpha, beta : angle of attack and sideslip angle (rad), rising
    coefficients : of three forces and three moments in these axes, shape (alpha, beta, 6)
    area, length : m², m; forces are q · area · c, moments q · area · length · c
    alpha_first : angles of attack reach from −π to π, and β within ±π/2, else the other way round
    sideslip : "geometric", β = −asin(v₂/|v|) in forward flight, or "mbdyn", −atan(v₂/√(v₁² + v₂²)),
               which MBDyn's decks mean and which stays within 45° of the axis x; with alpha_first
               both are −atan(v₂/|v₁|)
    outside  : "error" refuses runs whose angles leave the table, "hold" keeps the last entries
    air      : an Air of its own; without it that of the model

    `AerodynamicForce.read(on, path)` takes the coefficients from a file.  Outputs over time: alpha,
    beta, force and torque (its axes), force_world, torque_world (about its origin), power.

    Example
    -------
    >>> import linkwork as lw, numpy as np
    >>> m = lw.Model("kite")
    >>> m.air = lw.Air(density=1.225, velocity=(0, 0, 0))
    >>> craft = m.add("craft", lw.Body(3, (1, 1, 1), velocity=(20, 0, 0)))
    >>> table = np.zeros((2, 2, 6))
    >>> table[:, :, 0] = -0.3
    >>> drag = m.add("drag", lw.AerodynamicForce(craft, (-1, 1), (-1, 1), table, area=0.5))
    """

    on: FrameLike
    alpha: VectorLike
    beta: VectorLike
    coefficients: Sequence[Any] | np.ndarray
    area: float = 1.0
    length: float = 1.0
    alpha_first: bool = False
    outside: str = "error"
    air: Air | None = None
    sideslip: str = "geometric"
    frames: tuple[Frame, ...] = field(init=False, repr=False)

    needs_air: ClassVar[bool] = True
    places: ClassVar[frozenset[str]] = Item.places | {"on"}

    def __post_init__(self) -> None:
        what = self.label
        frame = as_frame(self.on, what)
        if frame.body is GROUND:
            raise ModelError(f"{what} acts on a body, not on GROUND")
        self.frames = (frame,)
        self.alpha, self.beta = (self._angles(word) for word in ("alpha", "beta"))
        table = checks.array(self.coefficients)
        wanted = (len(self.alpha), len(self.beta), 6)
        if table is None or table.shape != wanted or not np.isfinite(table).all():
            raise ModelError(
                f"coefficients of {what} must be finite numbers of shape {wanted}, six for each "
                f"pair of angles, but {checks.show(self.coefficients)} was given"
            )
        self.coefficients = table
        for word in ("area", "length"):
            setattr(self, word, checks.number(getattr(self, word), f"{word} of {what}",
                                              positive=True))  # fmt: skip
        self.alpha_first = checks.flag(self.alpha_first, f"alpha_first of {what}")
        checks.choice(self.sideslip, f"sideslip of {what}", tuple(SIDESLIPS))
        checks.choice(self.outside, f"outside of {what}", ("error", "hold"))
        if self.air is not None and not isinstance(self.air, Air):
            raise ModelError(f"air of {what} must be an lw.Air, but {checks.show(self.air)} was "
                             "given")  # fmt: skip

    def _angles(self, word: str) -> np.ndarray:
        found = checks.array(getattr(self, word))
        good = found is not None and found.ndim == 1 and len(found) > 0
        if not good or not np.isfinite(found).all() or (np.diff(found) <= 0).any():  # type: ignore
            raise ModelError(f"{word} of {self.label} must be rising angles (rad), but "
                             f"{checks.show(getattr(self, word))} was given")  # fmt: skip
        assert found is not None
        if np.abs(found).max() > math.pi + 1e-9:
            raise ModelError(
                f"{word} of {self.label} must lie between −π and π, but {np.abs(found).max():g} "
                "rad was given; convert degrees with numpy.radians"
            )
        return found

    @classmethod
    def read(
        cls, on: FrameLike, path: PathLike, *, degrees: bool = False, **words: Any
    ) -> AerodynamicForce:
        """The force with coefficients from a file of MBDyn's generic aerodynamic force."""
        scale = math.pi / 180 if checks.flag(degrees, "degrees") else 1.0
        return cls(on, *read_coefficients(path, scale), **words)

    def needs(self) -> tuple[Item, ...]:
        return () if self.air is None else (self.air,)

    def the_air(self) -> Air:
        """The air it moves through."""
        return air_around(self, "move through")

    def entries(self) -> list[Entry]:
        air = self.the_air()
        own, codes = air.numbers()
        n, m = len(self.alpha), len(self.beta)
        first = ck.AIR + len(own)
        reals = np.zeros(first + n + m + 6 * n * m)
        frame = self.frames[0]
        reals[ck.POINT : ck.POINT + 3] = frame.position
        reals[ck.AXES : ck.AXES + 9] = rotations.matrix(frame.orientation).ravel()
        reals[ck.AREA], reals[ck.VOLUME] = self.area, self.area * self.length
        angles = ck.ALPHA_FIRST if self.alpha_first else SIDESLIPS[self.sideslip]
        reals[ck.AIR : first] = own
        table = [self.alpha, self.beta, np.ravel(self.coefficients)]
        reals[first:] = np.concatenate([np.asarray(x, float) for x in table])
        integers = (angles, n, m, first, *codes)
        family, laws = craft_family(len(reals), len(integers)), air.laws(ck.AIR)
        return [Entry(family, (frame.body,), reals, laws=laws, integers=integers)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> Any:
        air = Air.sample(rng, a, b)
        alpha, beta = np.linspace(-1.7, 1.7, 3), np.linspace(-math.pi, math.pi, 4)
        found: list[Item] = [air]
        for body, first, sideslip in (
            (a, False, "geometric"), (b, True, "geometric"), (b, False, "mbdyn")
        ):  # fmt: skip
            at = Frame(body, rng.normal(size=3), rotations.exponential(rng.normal(size=3)))
            pair = (beta, alpha) if first else (alpha, beta)
            shape = (len(pair[0]), len(pair[1]), 6)
            found.append(cls(at, *pair, rng.normal(size=shape), 0.7, 0.4, first,
                             sideslip=sideslip))  # fmt: skip
        return found
