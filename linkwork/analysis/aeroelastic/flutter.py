"""Flutter and divergence: eigenvalues of a model in the wind over its speed.

At every speed the model is brought to its equilibrium in the wind and linearised there, states of
unsteady airfoils included, so that λ are the eigenvalues of the coupled system themselves (no
iteration over reduced frequencies).  It flutters where an oscillation begins to grow, Re λ = 0 with
Im λ ≠ 0, and diverges where an eigenvalue passes through zero, which the determinant of the
stiffness does with it.  Modes are followed from speed to speed by their shapes (campbell), between
as many speeds as tell where the first one passes (passages); where is found by Brent's method.

- D. H. Hodges, G. A. Pierce: Introduction to structural dynamics and aeroelasticity, 2nd ed.
  (2011), chapter 5.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.analysis.aeroelastic.passages import NARROW, first_passage
from linkwork.analysis.linear.campbell import Branches, followed
from linkwork.analysis.linear.eigen import eigen
from linkwork.analysis.linear.modes import Modes
from linkwork.analysis.statics.search import ProgressLog
from linkwork.analysis.statics.static import static
from linkwork.errors import LinkworkError, LinkworkWarning, ModelError
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.model.given import VectorLike
from linkwork.model.model import Model, private_copy

STILL = 1e-5  # Re λ over |λ| that counts as no growth
BEYOND = 10.0  # instabilities are looked for up to so many times the branches' first |λ|
SWINGS = 0.5  # |Im λ| over |λ| above which a mode is one of the structure, not of a filter
SLOW = 1e-4  # |Im λ| over |λ| below which a mode does not oscillate


@dataclass
class Survey:
    """Modes of build(speed) over the speed, each found once.

    limit  : of |λ| up to which instabilities are looked for
    refine : look between the speeds given, and find where something passes through zero exactly
    """

    build: Callable[[float], Model]
    refine: bool
    limit: float = np.inf
    known: dict[float, Modes] = field(default_factory=dict)

    def at(self, speed: float) -> Modes:
        if speed not in self.known:
            self.known[speed] = modes_at(self.build, speed)
        return self.known[speed]

    def grows(self, speed: float) -> bool:
        return unstable(self.at(speed), self.limit)

    def determinant(self, speed: float) -> tuple[float, float]:
        return determinant(self.at(speed))

    def branches(self, *speeds: float) -> np.ndarray:
        """(speeds, n) oscillating eigenvalues followed from the first speed on."""
        modes = [oscillating(self.at(v), self.limit) for v in speeds]
        return followed(modes, np.array(speeds), len(modes[0].eigenvalues))

    def growth(self, *speeds: float) -> np.ndarray:
        """Re λ of these beyond what counts as no growth."""
        values = self.branches(*speeds)
        return values.real - STILL * np.abs(values)

    def interval(
        self, speeds: np.ndarray, follow: Callable[..., np.ndarray], passed: Callable[[float], bool]
    ) -> tuple[float, float] | None:
        """Between which speeds something passes first."""
        narrow = NARROW * float(speeds[-1] - speeds[0])
        for a, b in zip(speeds[:-1].tolist(), speeds[1:].tolist()):
            if self.refine:
                found = first_passage(follow, passed, a, b, narrow)
            else:
                found = (a, b) if passed(b) else None
            if found is not None:
                return found
        return None


@dataclass(frozen=True)
class Flutter(Branches):
    """Eigenvalues over the speed of the wind, one column for each branch.

    speeds      : (m,)                             frequency : (m, n) Hz
    eigenvalues : (m, n) complex, 1/s              damping   : (m, n) −Re λ/|λ|
    stable      : (m,) nothing grows
    flutter_speed, flutter_frequency : where an oscillation begins to grow (rad/s); None if nowhere
    divergence_speed : where the stiffness becomes singular; None if nowhere
    modes       : at every speed, as lw.eigen gives them
    """

    flutter_speed: float | None
    flutter_frequency: float | None
    divergence_speed: float | None
    name: str
    modes: tuple[Modes, ...] = field(repr=False)

    def plot(self, axes: Any = None) -> Any:
        """V-f and V-g diagrams: frequencies and damping over the speed; returns the two axes."""
        from linkwork.analysis.aeroelastic.plots import plot_flutter

        return plot_flutter(self, axes)

    def __repr__(self) -> str:
        lines = [f"'{self.name}' at {len(self.speeds)} speeds: "
                 f"{told('flutter', self.flutter_speed, self.flutter_frequency)}, "
                 f"{told('divergence', self.divergence_speed, None)}"]  # fmt: skip
        for speed, row, stable in zip(self.speeds, self.eigenvalues, self.stable):
            numbers = "  ".join(f"{x.real:>10.4g} {x.imag:>+10.4g}i" for x in row)
            lines.append(f"{speed:>10.5g}  {numbers}{'' if stable else '  unstable'}")
        return "\n".join(lines)


def told(what: str, speed: float | None, frequency: float | None) -> str:
    if speed is None:
        return f"no {what}"
    return f"{what} at {speed:.6g}" + ("" if frequency is None else f" ({frequency:.5g} rad/s)")


@explained
def flutter(
    build: Callable[[float], Model], speeds: VectorLike, n: int = 4, *, refine: bool = True,
    progress: bool = True,
) -> Flutter:  # fmt: skip
    """Stability of build(speed) for every speed of the wind, with the speeds where it is lost.

    build  : a function of the speed that returns the model in that wind
    speeds : ascending; from the first one on an instability is looked for between each two
    n      : branches to follow, those that oscillate slowest at the first speed; instabilities are
             looked for among modes up to ten times as fast
    refine : look between the speeds where branches bend, and find those of flutter and divergence
             to seven digits; else by interpolation between the speeds given

    Example
    -------
    >>> import linkwork as lw
    >>> def vane(speed):
    ...     m = lw.Model("vane")
    ...     m.air = lw.Air(density=1.2, velocity=(speed, 0, 0))
    ...     plate = m.add("plate", lw.Body(1, (0.1, 0.1, 0.1), position=(0.1, 0, 0)))
    ...     pin = m.add("pin", lw.Revolute(lw.GROUND, plate, at=(0, 0, 0), axis=(0, 1, 0)))
    ...     m.add("spring", lw.TorsionSpring(pin, stiffness=20))
    ...     m.add("foil", lw.LiftingSurface(plate, chord=0.4, airfoil=lw.Airfoil.flat_plate(),
    ...         start=(0, -0.5, 0), end=(0, 0.5, 0), aerodynamic_centre=0.1, velocity_point=0.1))
    ...     return m
    >>> found = lw.flutter(vane, [5, 10, 15, 20], n=1, progress=False)
    >>> round(found.divergence_speed, 4)      # √(2 k/(ρ S e 2π))
    11.5165
    """
    numbers = np.atleast_1d(np.asarray(speeds, float)) if checks.array(speeds) is not None else None
    if numbers is None or numbers.ndim != 1 or not len(numbers) or not np.isfinite(numbers).all():
        raise ModelError(
            f"speeds of flutter must be finite numbers, but {checks.show(speeds)} was given"
        )
    if (np.diff(numbers) <= 0).any():
        raise ModelError(f"speeds of flutter must rise, but {checks.show(speeds)} was given")
    checks.count(n, "n")
    survey = Survey(build, checks.flag(refine, "refine"))
    talk = ProgressLog("flutter", progress)
    for i, speed in enumerate(numbers.tolist()):
        talk.tell(f"speed {i + 1} of {len(numbers)}, {speed:g}")
        survey.at(speed)
    found = [survey.at(speed) for speed in numbers.tolist()]
    values = followed([oscillating(modes) for modes in found], numbers, int(n))
    name = found[0].data.system.model.name if found[0].data is not None else "model"
    first = np.abs(values[0][np.isfinite(values[0])])
    all_of_first = np.abs(found[0].eigenvalues)
    survey.limit = BEYOND * float(first.max(initial=0.0)) or float(all_of_first.max())
    swing, frequency = crossing(survey, numbers)
    lean = divergence(survey, numbers)
    stable = np.array([
        not survey.grows(speed) and not (lean is not None and speed > lean)
        for speed in numbers.tolist()
    ])  # fmt: skip
    return Flutter(numbers, values, stable, swing, frequency, lean, name, tuple(found))


def modes_at(build: Callable[[float], Model], speed: float) -> Modes:
    """Modes of a model about its equilibrium in the wind."""
    try:
        model = build(speed)
        if not isinstance(model, Model):
            raise ModelError(f"build must return a linkwork Model, not {type(model).__name__}")
        model = private_copy(model)  # of which both analyses warn once
        rest = static(model, progress=False)
        with warnings.catch_warnings():  # of the highest modes, which are not followed
            warnings.filterwarnings("ignore", ".*highest of the mesh", LinkworkWarning)
            return eigen(model, at=rest, sparse=False)
    except LinkworkError as error:
        raise type(error)(f"flutter at the speed {speed:g}: {error}") from error


def oscillating(modes: Modes, limit: float = np.inf) -> Modes:
    """The modes that oscillate, slowest first, up to a limit."""
    size = np.abs(modes.eigenvalues)
    keep = (np.abs(modes.eigenvalues.imag) > SWINGS * size) & (size < limit)
    picked = np.flatnonzero(keep)
    return Modes(
        modes.eigenvalues[picked], modes.shapes[picked], modes.bodies, modes.stable, modes.axes,
    )  # fmt: skip


def swinging(modes: Modes, limit: float) -> np.ndarray:
    """Eigenvalues that oscillate, up to a limit."""
    values = modes.eigenvalues[np.abs(modes.eigenvalues.imag) > SLOW * np.abs(modes.eigenvalues)]
    return values[np.abs(values) < limit]


def fastest(modes: Modes, limit: float) -> complex:
    """The oscillating eigenvalue that grows most, by more than what counts as none."""
    values = swinging(modes, limit)
    if not len(values):
        return complex(-np.inf)
    return complex(values[int(np.argmax(values.real - STILL * np.abs(values)))])


def unstable(modes: Modes, limit: float) -> bool:
    """Whether an oscillation grows."""
    value = fastest(modes, limit)
    return value.real > STILL * abs(value)


def determinant(modes: Modes) -> tuple[float, float]:
    """Sign and logarithm of the determinant of stiffness and constraints."""
    assert modes.data is not None and modes.state is not None
    matrix = modes.data.evaluate(modes.state, cK=1.0).matrix.toarray()
    sign, size = np.linalg.slogdet(matrix)
    return float(sign), float(size)


def crossing(survey: Survey, speeds: np.ndarray) -> tuple[float | None, float | None]:
    """The first speed at which an oscillation grows (perhaps the first one itself), and how fast it
    oscillates there (rad/s)."""
    from scipy.optimize import brentq

    if survey.grows(float(speeds[0])):
        return float(speeds[0]), fastest(survey.at(float(speeds[0])), survey.limit).imag
    between = survey.interval(speeds, survey.growth, survey.grows)
    if between is None:
        return None, None
    a, b = between
    ends, grows = survey.branches(a, b), survey.growth(a, b) > 0
    column = np.flatnonzero(~grows[0] & grows[1] & (ends[0].real < 0))
    if not len(column):
        return b, fastest(survey.at(b), survey.limit).imag
    shares = ends[0, column].real / (ends[0, column].real - ends[1, column].real)
    first = int(np.argmin(shares))
    below, above = ends[:, column[first]]

    def value(v: float) -> complex:
        """The eigenvalue of the branch that passes, nearest to the chord."""
        values = survey.at(v).eigenvalues
        chord = below + (above - below) * (v - a) / (b - a)
        return complex(values[int(np.argmin(np.abs(values - chord)))])

    if not survey.refine:
        share = float(shares[first])
        return a + (b - a) * share, (below + (above - below) * share).imag
    speed = float(brentq(lambda v: value(v).real, a, b, xtol=1e-9 * b))
    return speed, value(speed).imag


def divergence(survey: Survey, speeds: np.ndarray) -> float | None:
    """The first speed at which the stiffness is singular: its determinant changes its sign."""
    from scipy.optimize import brentq

    start, _ = survey.determinant(float(speeds[0]))

    def follow(*at: float) -> np.ndarray:
        """The determinant over its geometric mean between the ends, negative before it changes."""
        known = np.array([survey.determinant(v) for v in at])
        share = (np.array(at) - at[0]) / (at[-1] - at[0])
        trend = known[0, 1] + share * (known[-1, 1] - known[0, 1])
        return (-start * known[:, 0] * np.exp(np.minimum(known[:, 1] - trend, 700.0)))[:, None]

    between = survey.interval(speeds, follow, lambda v: survey.determinant(v)[0] != start)
    if between is None:
        return None
    a, b = between
    sizes = [survey.determinant(v)[1] for v in between]
    if not survey.refine:
        return a + (b - a) / (1 + float(np.exp(min(sizes[1] - sizes[0], 700.0))))

    def relative(v: float) -> float:
        sign, size = survey.determinant(v)
        return sign * float(np.exp(min(size - sizes[0], 700.0)))

    return float(brentq(relative, a, b, xtol=1e-9 * b))
