"""What is known of a tyre: its size, springs, relaxation, and its forces over slip."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.tyres.magic_formula import COEFFICIENTS
from linkwork.elements.tyres.tir import coefficients, number, read_tir, required
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.given import Lengths, PathLike, VectorLike, given

STANDING = 0.2  # of the critical damping, of the nominal load's mass on a standing tyre


@dataclass(frozen=True)
class TyreData:
    """The numbers of a tyre; made by `TyreData.magic`, `TyreData.brush` or `TyreData.read`.

    radius       : of the tyre without load (m)
    stiffness    : radial, N/m;    damping : radial, N s/m
    relaxation   : lengths (m) along and across, over which forces follow the slip
    model        : "magic" or "brush";    numbers : coefficients by their names in .tir files
    low_speed    : m/s, below which slip is damped so that a vehicle comes to rest
    rolling_loss : rolling resistance, torque over load and radius
    """

    radius: float
    stiffness: float
    damping: float = 0.0
    relaxation: Lengths = given(None)
    model: str = "magic"
    numbers: Mapping[str, float] = field(default_factory=dict)
    low_speed: float = 1.0
    kinds: ClassVar[dict[str, type[TyreData]]] = {}

    def __post_init__(self) -> None:
        def put(word: str, value: Any) -> None:
            object.__setattr__(self, word, value)

        for word in ("radius", "stiffness", "low_speed"):
            put(word, checks.number(getattr(self, word), f"{word} of a TyreData", positive=True))
        put("damping", checks.number(self.damping, "damping of a TyreData", minimum=0))
        checks.choice(self.model, "model of a TyreData", ("magic", "brush"))
        given = (self.radius / 2, self.radius) if self.relaxation is None else self.relaxation
        lengths = np.broadcast_to(np.asarray(checks.array(given), float), (2,))
        if not np.all(lengths > 0):
            raise ModelError(
                f"relaxation of a TyreData must be positive lengths, but "
                f"{checks.show(given)} was given"
            )
        put("relaxation", (float(lengths[0]), float(lengths[1])))
        unknown = set(self.numbers) - set(COEFFICIENTS)
        if unknown:
            raise ModelError(f"numbers of a TyreData has no {', '.join(sorted(unknown))}")
        put("numbers", {k: float(v) for k, v in self.numbers.items()})

    @classmethod
    def magic(
        cls, *, radius: float, stiffness: float, load: float, x: VectorLike, y: VectorLike,
        trail: float = 0.0, camber: float = 0.0, combined: bool = True,
        rolling_loss: float = 0.0, **words: Any,
    ) -> TyreData:  # fmt: skip
        """Magic formula with constant B, C, D, E along (x) and across (y), forces over the load.

        load (N) at which trail (m), the pneumatic trail at small slip, is given; D is the friction,
        B of y is positive, and forces oppose the slip; camber: lateral force over load and camber
        angle (1/rad); combined: forces along and across limit each other; rolling_loss: torque over
        load and radius.  Other words as of TyreData.

        Example
        -------
        >>> import linkwork as lw
        >>> tyre = lw.TyreData.magic(
        ...     radius=0.32, stiffness=2e5, load=4e3, x=(12, 1.6, 1.0, 0.5), y=(10, 1.4, 0.95, -1)
        ... )
        """
        load = checks.number(load, "load of TyreData.magic", positive=True)
        trail = checks.number(trail, "trail of TyreData.magic", minimum=0)
        camber = checks.number(camber, "camber of TyreData.magic")
        loss = checks.number(rolling_loss, "rolling_loss of TyreData.magic", minimum=0)
        curves = []
        for word, curve in (("x", x), ("y", y)):
            found = checks.array(curve)
            if found is None or found.shape != (4,) or not np.all(found[:3] > 0) or found[3] > 1:
                raise ModelError(
                    f"{word} of TyreData.magic must be B, C, D (positive) and E (at most 1), but "
                    f"{checks.show(curve)} was given"
                )
            curves.append([float(v) for v in found])
        (Bx, Cx, Dx, Ex), (By, Cy, Dy, Ey) = curves
        radius = checks.number(radius, "radius of TyreData.magic", positive=True)
        large = 1e6  # K_y = PKY1 sin(2 atan(F_z/(PKY2 F_z0))) is then proportional to the load
        numbers = {
            "FNOMIN": load, "R0": radius, "PCX1": Cx, "PDX1": Dx, "PEX1": Ex, "PKX1": Bx * Cx * Dx,
            "PCY1": Cy, "PDY1": Dy, "PEY1": Ey, "PKY1": -By * Cy * Dy * large / 2, "PKY2": large,
            "PKY4": 2.0, "PVY3": -camber, "QCZ1": 1.1, "QBZ1": By / 2, "QDZ1": trail / radius,
            "QSY1": loss,
        }  # fmt: skip
        if checks.flag(combined, "combined of TyreData.magic"):
            numbers |= {"RCX1": 1.0, "RBX1": By, "RBX2": Bx, "RCY1": 1.0, "RBY1": Bx, "RBY2": By}
        return cls(radius=radius, stiffness=stiffness, model="magic", numbers=numbers, **words)

    @classmethod
    def brush(
        cls, *, radius: float, stiffness: float, load: float, slip_stiffness: float,
        friction: float, patch: float = 0.1, **words: Any,
    ) -> TyreData:  # fmt: skip
        """The brush model: one friction and one stiffness in all directions.

        slip_stiffness (N) over slip ratio and slip angle at the load (N), to which it is
        proportional; patch: half the length of the contact (m), for the aligning moment.
        """
        given = dict(load=load, slip_stiffness=slip_stiffness, friction=friction, patch=patch)
        for word, value in given.items():
            given[word] = checks.number(value, f"{word} of TyreData.brush", positive=True)
        numbers = {
            "FNOMIN": given["load"], "R0": radius, "PDX1": given["friction"],
            "PKX1": given["slip_stiffness"], "QDZ1": given["patch"],
        }  # fmt: skip
        return cls(radius=radius, stiffness=stiffness, model="brush", numbers=numbers, **words)

    @classmethod
    def read(cls, path: PathLike, *, ignore: bool | Sequence[str] = (), **words: Any) -> TyreData:
        """The tyre of a .tir file: MF 5.2, or MF 6.1 at its nominal pressure.

        ignore: names of coefficients that the formulas do not cover and that are taken as zero, or
        True for all; other words of TyreData replace what the file says.
        """
        name, found = Path(path).name, read_tir(path)
        numbers = coefficients(found, name, ignore)
        radius = numbers["R0"]
        given: dict[str, Any] = {
            "radius": radius, "stiffness": required(found, "VERTICAL_STIFFNESS", name),
            "damping": number(found, "VERTICAL_DAMPING", name)
            if "VERTICAL_DAMPING" in found else 0.0,
        }  # fmt: skip
        lengths = relaxation(found, numbers, name)
        if lengths is not None:
            given["relaxation"] = lengths
        return cls(**{**given, "model": "magic", "numbers": numbers, **words})

    def reals(self) -> list[float]:
        """The coefficients in the order of the table."""
        return [self.numbers.get(key, 0.0) for key in COEFFICIENTS]

    @property
    def slopes(self) -> tuple[float, float]:
        """Slip stiffness and cornering stiffness (N, N/rad) at the nominal load."""
        n = self.numbers
        if self.model == "brush":
            return n["PKX1"], n["PKX1"]
        across = n["PKY1"] * n["FNOMIN"] * math.sin(n.get("PKY4", 2.0) * math.atan(1 / n["PKY2"]))
        return n["PKX1"] * n["FNOMIN"], abs(across)

    def low_damping(self) -> tuple[float, float]:
        """s/m by which slips at standstill grow with the sliding speed.

        A standing tyre is a spring of the stiffness K/σ (Pacejka 2006, section 8.6, damps it, too).
        """
        mass = self.numbers["FNOMIN"] / 9.81
        along, across = (
            2 * STANDING * math.sqrt(K / length * mass) / K
            for K, length in zip(self.slopes, self.relaxation)
        )
        return along, across

    def forces(
        self, slip_ratio: float | VectorLike = 0.0, slip_angle: float | VectorLike = 0.0,
        camber: float | VectorLike = 0.0, load: float | VectorLike | None = None,
    ) -> dict[str, np.ndarray]:
        """Steady forces (N) and moments (N m) over slips (rad) and loads (N; the nominal one):
        longitudinal_force, lateral_force, aligning_moment, overturning_moment, rolling_moment.

        Example
        -------
        >>> import linkwork as lw
        >>> tyre = lw.TyreData.brush(
        ...     radius=0.3, stiffness=2e5, load=4e3, slip_stiffness=6e4, friction=0.9
        ... )
        >>> round(float(tyre.forces(slip_ratio=1.0)["longitudinal_force"]))
        3600
        """
        from linkwork.elements.tyres.patch import FORMULA, TYRE_REALS
        from linkwork.elements.tyres.tyre import forces_over

        load = self.numbers["FNOMIN"] if load is None else load
        given = np.broadcast_arrays(*(np.asarray(x, float) for x in (
            slip_ratio, slip_angle, camber, load
        )))  # fmt: skip
        rows = np.ascontiguousarray(np.column_stack([x.ravel() for x in given]))
        reals = np.zeros((1, TYRE_REALS.width))
        reals[0, FORMULA:] = self.reals()
        out = np.zeros((len(rows), 5))
        forces_over(self.model == "brush", reals, rows, out)
        names = ("longitudinal_force", "lateral_force", "aligning_moment", "overturning_moment",
                 "rolling_moment")  # fmt: skip
        return {name: out[:, i].reshape(given[0].shape) for i, name in enumerate(names)}

    def parameters(self) -> dict[str, Any]:
        """What describes it, for files."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


TyreData.kinds["TyreData"] = TyreData


def relaxation(
    found: dict[str, Any], numbers: dict[str, float], name: str
) -> tuple[float, float] | None:
    """Lengths at the nominal load: PTX, PTY of MF 5.2, or slip stiffness over that of the tyre."""
    radius, load = numbers["R0"], numbers["FNOMIN"]
    if found.get("PTX1") and found.get("PTY1") and found.get("PTY2"):
        along = number(found, "PTX1", name) * radius * float(found.get("LSGKP", 1.0))
        across = number(found, "PTY1", name) * radius * float(found.get("LSGAL", 1.0))
        across *= math.sin(2 * math.atan(1 / number(found, "PTY2", name)))
        return abs(along), abs(across)
    if found.get("LONGITUDINAL_STIFFNESS") and found.get("LATERAL_STIFFNESS"):
        across = numbers["PKY1"] * load * math.sin(numbers["PKY4"] * math.atan(1 / numbers["PKY2"]))
        return (
            abs(numbers["PKX1"]) * load / required(found, "LONGITUDINAL_STIFFNESS", name),
            abs(across) / required(found, "LATERAL_STIFFNESS", name),
        )
    return None


def as_tyre_data(value: Any, what: str) -> TyreData:
    if not isinstance(value, TyreData):
        raise ModelError(
            f"data of {what} must be a TyreData, but {checks.show(value)} was given; write for "
            "example lw.TyreData.magic(...) or lw.TyreData.read('tyre.tir')"
        )
    return value
