"""Airfoils: coefficients of lift, drag and moment over the angle of attack and the Mach number.

The angle is that of the section against the air, positive with the nose up; c_l is normal to the
relative velocity, c_d along it, c_m about the aerodynamic centre, positive with the nose up.

NACA 0012: measured forces at Re = 6e6, M = 0.15, transition fixed, up to 19° (C. L. Ladson: Effects
of independent variation of Mach and Reynolds numbers on the low-speed aerodynamic characteristics
of the NACA 0012 airfoil section, NASA TM-4074, 1988, 80 grit), and from 30° on the measurements of
symmetrical sections to 180° (R. E. Sheldahl, P. C. Klimas: Aerodynamic characteristics of seven
symmetrical airfoil sections through 180-degree angle of attack, SAND80-2114, 1981).  Made
symmetric.  Neither has moments beyond stall: there c_m is that of the normal force of a flat plate,
whose centre of pressure moves from the quarter chord through its middle at 90° to three quarters at
180°, taken as linear in the angle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from linkwork.elements.aero.airfoils.separation import separation
from linkwork.elements.aero.airfoils.tables import MACH, REYNOLDS, table_numbers
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.given import MatrixLike, PathLike, VectorLike

FULL = math.pi - 1e-3  # a table up to here covers all angles
AXES = {"mach": MACH, "reynolds": REYNOLDS}
OUTSIDE = ("error", "hold")

LADSON = (
    (0.0, 0.0, 0.00809), (2.05, 0.2125, 0.00816), (4.04, 0.4316, 0.00823),
    (6.09, 0.6546, 0.00885), (8.30, 0.8873, 0.0105), (10.12, 1.0707, 0.01201),
    (11.13, 1.1685, 0.01239), (12.12, 1.2605, 0.01332), (13.08, 1.3455, 0.01503),
    (14.22, 1.4365, 0.01625), (15.26, 1.5129, 0.0190), (16.30, 1.5739, 0.02218),
    (17.13, 1.6116, 0.0256), (18.02, 0.9967, 0.18785), (19.08, 1.1358, 0.27292),
)  # fmt: skip
SHELDAHL = (
    (30, 0.855, 0.570), (35, 0.980, 0.745), (40, 1.035, 0.920), (45, 1.050, 1.075),
    (50, 1.020, 1.215), (55, 0.955, 1.345), (60, 0.875, 1.470), (65, 0.760, 1.575),
    (70, 0.630, 1.665), (75, 0.500, 1.735), (80, 0.365, 1.780), (85, 0.230, 1.800),
    (90, 0.090, 1.800), (95, -0.050, 1.780), (100, -0.185, 1.750), (105, -0.320, 1.700),
    (110, -0.450, 1.635), (115, -0.575, 1.555), (120, -0.670, 1.465), (125, -0.760, 1.350),
    (130, -0.850, 1.225), (135, -0.930, 1.085), (140, -0.980, 0.925), (145, -0.900, 0.755),
    (150, -0.770, 0.575), (155, -0.670, 0.420), (160, -0.635, 0.320), (165, -0.680, 0.230),
    (170, -0.850, 0.140), (175, -0.660, 0.055), (180, 0.000, 0.025),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Grid:
    """A coefficient over angles (rad) and columns of Mach or Reynolds numbers."""

    alpha: np.ndarray
    columns: np.ndarray
    values: np.ndarray

    @property
    def covers_all(self) -> bool:
        return bool(self.alpha[0] <= -FULL and self.alpha[-1] >= FULL)


GridLike: TypeAlias = "Grid | tuple[VectorLike, VectorLike, MatrixLike]"


@dataclass(frozen=True, eq=False)
class Airfoil:
    """Coefficients of a section from tables: `Airfoil.flat_plate()`, `.naca0012()`, `.read_c81()`,
    `.polar()`, or three grids.

    lift, drag, moment : each (angles in rad, Mach numbers, values of shape (angles, Mach numbers))
    title    : what it is called in files and messages
    axis     : "mach" or "reynolds", what the columns of the grids are
    outside  : "error" refuses runs whose angles leave the tables, "hold" keeps the last entries;
               so it is for Mach numbers above the last column, and above 1 where there is one
               column; slower flow and Reynolds numbers outside hold the last column

    Example
    -------
    >>> import linkwork as lw
    >>> plate = lw.Airfoil.flat_plate()
    >>> round(plate.cl(0.1), 4)
    0.6283
    """

    lift: GridLike
    drag: GridLike
    moment: GridLike
    title: str = "airfoil"
    axis: str = "mach"
    outside: str = "error"
    kinds: ClassVar[dict[str, Any]] = {}
    numbers: np.ndarray = field(init=False, repr=False)
    codes: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        if not isinstance(self.title, str) or not self.title.isprintable():
            raise ModelError(
                f"title of an Airfoil must be a text, but {checks.show(self.title)} was given"
            )
        what = f"airfoil '{self.title}'"
        checks.choice(self.axis, f"axis of {what}", tuple(AXES))
        checks.choice(self.outside, f"outside of {what}", OUTSIDE)
        for word in ("lift", "drag", "moment"):
            set_(self, word, as_grid(getattr(self, word), f"{word} of {what}"))
        grids = [(g.alpha, g.columns, g.values) for g in self.grids]
        slopes, (lift, drag, _) = self.lift_slopes(), grids
        apart = separation(lift[0], lift[2][:, 0], (drag[0], drag[2][:, 0]), float(slopes[0]))
        numbers, codes = table_numbers(AXES[self.axis], slopes, grids, apart)
        set_(self, "numbers", numbers)
        set_(self, "codes", codes)

    @property
    def grids(self) -> tuple[Grid, Grid, Grid]:
        """Lift, drag and moment."""
        return self.lift, self.drag, self.moment  # type: ignore[return-value]

    # ------------------------------------------------------------------------------- asking
    def cl(self, alpha: float, column: float = 0.0) -> float:
        """c_l at an angle (rad) and a Mach (or Reynolds) number."""
        return self._at(self.grids[0], alpha, column)

    def cd(self, alpha: float, column: float = 0.0) -> float:
        """c_d at an angle (rad) and a Mach (or Reynolds) number."""
        return self._at(self.grids[1], alpha, column)

    def cm(self, alpha: float, column: float = 0.0) -> float:
        """c_m at an angle (rad) and a Mach (or Reynolds) number."""
        return self._at(self.grids[2], alpha, column)

    def _at(self, grid: Grid, alpha: float, column: float) -> float:
        x = checks.number(alpha, f"angle for airfoil '{self.title}'")
        y = checks.number(column, f"Mach or Reynolds number for airfoil '{self.title}'")
        if self.outside == "error" and not grid.alpha[0] - 1e-12 <= x <= grid.alpha[-1] + 1e-12:
            raise ModelError(outside_message(self, x))
        rows = np.array([np.interp(y, grid.columns, row) for row in grid.values])
        return float(np.interp(x, grid.alpha, rows))

    def lift_slope(self) -> float:
        """dc_l/dα at α = 0 in the first column (1/rad), over the entries beside 0."""
        return float(self.lift_slopes()[0])

    def lift_slopes(self) -> np.ndarray:
        """dc_l/dα at α = 0 in each column (1/rad), over the entries beside 0."""
        lift = self.grids[0]
        a, values = lift.alpha, lift.values
        if len(a) == 1:
            return np.zeros(len(lift.columns))
        i = int(np.clip(np.searchsorted(a, 0.0, side="right") - 1, 0, len(a) - 2))
        low = i - 1 if a[i] == 0.0 and i > 0 else i
        return np.asarray((values[i + 1] - values[low]) / (a[i + 1] - a[low]))

    @property
    def limits(self) -> tuple[float, float] | None:
        """The angles between which all three tables have data; None where they have them all."""
        grids = self.grids
        if all(g.covers_all for g in grids if len(g.alpha) > 1):
            return None
        wide = [g for g in grids if len(g.alpha) > 1]
        return max(float(g.alpha[0]) for g in wide), min(float(g.alpha[-1]) for g in wide)

    @property
    def highest_mach(self) -> float:
        """The Mach number up to which the tables hold: the last column, where there are several;
        one column is for subsonic flow."""
        if self.axis != "mach":
            return math.inf
        last = [float(g.columns[-1]) for g in self.grids if len(g.columns) > 1]
        return min(last, default=1.0)

    # ------------------------------------------------------------------------------- making
    @classmethod
    def flat_plate(cls, slope: float = 2 * math.pi, drag: float = 0.0) -> Airfoil:
        """A thin airfoil: c_l = slope · α at all angles, a constant c_d, no moment.

        Linear theory at any angle: for small ones.
        """
        slope = checks.number(slope, "slope of Airfoil.flat_plate", minimum=0.0)
        drag = checks.number(drag, "drag of Airfoil.flat_plate", minimum=0.0)
        ends = np.array([-math.pi, math.pi])
        return cls(
            (ends, [0.0], slope * ends[:, None]), ([0.0], [0.0], [[drag]]), ([0.0], [0.0], [[0.0]]),
            title="flat plate",
        )  # fmt: skip

    @classmethod
    def naca0012(cls) -> Airfoil:
        """NACA 0012 at Re = 6e6 and low speed, all angles (Ladson 1988; Sheldahl, Klimas 1981).

        Its Mach number is that of the measurements, 0.15, whatever the speed.
        """
        half = np.array([*LADSON, *SHELDAHL])
        alpha = np.radians(half[:, 0])
        normal = half[:, 1] * np.cos(alpha) + half[:, 2] * np.sin(alpha)
        stalled = half[:, 0] > 17.5
        centre = np.where(stalled, 0.25 + 0.25 * half[:, 0] / 90, 0.25)
        moment = -normal * (centre - 0.25)
        moment[-1] = 0.0
        angles = np.concatenate([-alpha[:0:-1], alpha])
        parts = [
            np.concatenate([sign * x[:0:-1], x])[:, None]
            for sign, x in ((-1, half[:, 1]), (1, half[:, 2]), (-1, moment))
        ]
        lift, drag, pitching = ((angles, [0.15], part) for part in parts)
        return cls(lift, drag, pitching, title="NACA 0012")

    @classmethod
    def polar(
        cls, alpha: VectorLike, cl: VectorLike, cd: VectorLike, cm: VectorLike | None = None, *,
        degrees: bool = True, title: str = "polar", mach: float = 0.0, outside: str = "error",
    ) -> Airfoil:  # fmt: skip
        """An airfoil from one polar: lists of the angles and of the coefficients at them."""
        degrees = checks.flag(degrees, "degrees of Airfoil.polar")
        found = checks.array(alpha)
        if found is None or found.ndim != 1:
            raise ModelError(
                f"alpha of Airfoil.polar must be a list of angles, but {checks.show(alpha)} was "
                "given"
            )
        angles = np.radians(found) if degrees else found
        columns = [checks.number(mach, "mach of Airfoil.polar", minimum=0)]
        parts = []
        for word, given in (("cl", cl), ("cd", cd), ("cm", np.zeros(len(angles)))):
            given = cm if word == "cm" and cm is not None else given
            values = checks.array(given)
            if values is None or values.shape != angles.shape:
                raise ModelError(
                    f"{word} of Airfoil.polar must be {len(angles)} numbers, one for each angle, "
                    f"but {checks.show(given)} was given"
                )
            parts.append((angles, columns, values[:, None]))
        lift, drag, moment = parts
        return cls(lift, drag, moment, title=title, outside=outside)

    @classmethod
    def of_reynolds(cls, polars: Sequence[tuple[float, Airfoil]], title: str = "") -> Airfoil:
        """One airfoil of several polars, each with its Reynolds number, on the same angles."""
        if not isinstance(polars, (list, tuple)) or not polars:
            raise ModelError(
                "polars of Airfoil.of_reynolds must be pairs (Reynolds number, Airfoil), but "
                f"{checks.show(polars)} was given"
            )
        ordered = sorted(polars, key=lambda pair: pair[0])
        columns = [checks.number(r, "a Reynolds number", positive=True) for r, _ in ordered]
        first = ordered[0][1]
        parts = []
        for word in ("lift", "drag", "moment"):
            angles = getattr(first, word).alpha
            values = []
            for _, part in ordered:
                own = getattr(part, word)
                values.append(np.interp(angles, own.alpha, own.values[:, 0]))
            parts.append((angles, columns, np.array(values).T))
        lift, drag, moment = parts
        return cls(
            lift, drag, moment, title=title or first.title, axis="reynolds", outside=first.outside
        )

    def extended(self, aspect_ratio: float = 10.0) -> Airfoil:
        """The airfoil with all angles: beyond its tables as a flat plate of an aspect ratio.

        c_d = c_dmax sin² α + B cos α, c_l = c_dmax/2 sin 2α + A cos² α / sin α up to 90°,
        c_dmax = 1.11 + 0.018 AR, A and B such that both go on from the last entries (L. A. Viterna,
        R. D. Corrigan: Fixed pitch rotor performance of large horizontal axis wind turbines, NASA
        CP-2230, 1982); mirrored with 0.7 of the lift beyond, c_m held.
        """
        from linkwork.elements.aero.airfoils.viterna import extended

        return extended(self, checks.number(aspect_ratio, "aspect_ratio", positive=True))

    @classmethod
    def read_c81(cls, path: PathLike, outside: str = "error") -> Airfoil:
        """An airfoil from a C81 table, in fixed columns or free format."""
        from linkwork.elements.aero.airfoils.c81 import read_c81

        return read_c81(path, outside)

    def write_c81(self, path: PathLike, *, free: bool = False) -> None:
        """Write a C81 table; in fixed columns with four decimals, in free format with all."""
        from linkwork.elements.aero.airfoils.c81 import write_c81

        write_c81(self, path, free)

    @classmethod
    def read_polar(cls, path: PathLike, outside: str = "error") -> Airfoil:
        """An airfoil from a file of XFOIL (accumulated polar) or AeroDyn (airfoil tables)."""
        from linkwork.elements.aero.airfoils.polars import read_polar

        return read_polar(path, outside)

    def parameters(self) -> dict[str, Any]:
        """What describes it, for files."""
        grids = {
            word: (grid.alpha, grid.columns, grid.values)
            for word, grid in zip(("lift", "drag", "moment"), self.grids)
        }
        return {**grids, "title": self.title, "axis": self.axis, "outside": self.outside}

    def __repr__(self) -> str:
        return f"Airfoil '{self.title}'"


Airfoil.kinds["Airfoil"] = Airfoil


def as_grid(given: Any, what: str) -> Grid:
    """A checked grid from (angles, columns, values)."""
    if isinstance(given, Grid):
        return given
    if not isinstance(given, (list, tuple)) or len(given) != 3:
        raise ModelError(
            f"{what} must be (angles, Mach numbers, values), but {checks.show(given)} was given"
        )
    alpha, columns, values = (checks.array(x) for x in given)
    if alpha is None or columns is None or values is None:
        raise ModelError(f"{what} must be numbers, but {checks.show(given)} was given")
    if alpha.ndim != 1 or columns.ndim != 1 or values.shape != (len(alpha), len(columns)):
        raise ModelError(
            f"{what} must have one value for each of {alpha.size} angles and {columns.size} Mach "
            f"numbers, but values of shape {values.shape} were given"
        )
    if not (np.isfinite(alpha).all() and np.isfinite(columns).all() and np.isfinite(values).all()):
        raise ModelError(f"{what} has numbers that are not finite; correct the table")
    if len(alpha) == 0 or len(columns) == 0:
        raise ModelError(f"{what} is empty; give at least one angle and one Mach number")
    for word, x in (("angles", alpha), ("Mach numbers", columns)):
        steps = np.diff(x)
        if (steps <= 0).any():
            k = int(np.argmax(steps <= 0))
            raise ModelError(
                f"the {word} of {what} must rise, but {x[k]:g} is followed by {x[k + 1]:g}; sort "
                "the table"
            )
    if np.abs(alpha).max() > math.pi + 1e-9:
        raise ModelError(
            f"the angles of {what} must lie between −π and π, but {np.abs(alpha).max():g} rad was "
            "given; convert degrees with numpy.radians"
        )
    return Grid(alpha, columns, values)


def outside_message(foil: Airfoil, alpha: float) -> str:
    """One sentence about an angle beyond the tables."""
    low, high = np.degrees(foil.limits or (-math.pi, math.pi))
    return (
        f"airfoil '{foil.title}' has no data at an angle of attack of {math.degrees(alpha):.4g}° "
        f"(its tables reach from {low:.4g}° to {high:.4g}°); extend it with .extended(), or make "
        'it with outside="hold"'
    )


def too_fast_message(foil: Airfoil, mach: float) -> str:
    """One sentence about a Mach number beyond the tables."""
    return (
        f"airfoil '{foil.title}' has no data at a Mach number of {mach:.4g} (its tables reach to "
        f'{foil.highest_mach:g}); give it more columns, or make it with outside="hold"'
    )
