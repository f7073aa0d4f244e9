"""Flutter and divergence: eigenvalues of a model in the wind over its speed.

At every speed the model is brought to its equilibrium in the wind and linearised there, states of
unsteady airfoils included, so that λ are the eigenvalues of the coupled system themselves (no
iteration over reduced frequencies).  It flutters where an oscillation begins to grow, Re λ = 0 with
Im λ ≠ 0, and diverges where an eigenvalue passes through zero, which the determinant of the
stiffness does with it.  Modes are followed from speed to
speed by their shapes (campbell); the speed at which one crosses is found by Brent's method.

- D. H. Hodges, G. A. Pierce: Introduction to structural dynamics and aeroelasticity, 2nd ed.
  (2011), chapter 5.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.analysis.linear.campbell import Branches, followed
from linkwork.analysis.linear.eigen import eigen
from linkwork.analysis.linear.modes import Modes
from linkwork.analysis.statics.search import ProgressLog
from linkwork.analysis.statics.static import static
from linkwork.errors import LinkworkError, LinkworkWarning, ModelError
from linkwork.model import checks
from linkwork.model.given import VectorLike
from linkwork.model.model import Model

STILL = 1e-5  # Re λ over |λ| that counts as no growth
NEAR = 1.6  # factor of a frequency within which a mode is the same
BEYOND = 10.0  # instabilities are looked for up to so many times the branches' largest |λ|
SWINGS = 0.5  # |Im λ| over |λ| above which a mode is one of the structure, not of a filter
SLOW = 1e-4  # |Im λ| over |λ| below which a mode does not oscillate


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


def flutter(
    build: Callable[[float], Model], speeds: VectorLike, n: int = 4, *, refine: bool = True,
    progress: bool = True,
) -> Flutter:  # fmt: skip
    """Stability of build(speed) for every speed of the wind, with the speeds where it is lost.

    build  : a function of the speed that returns the model in that wind
    speeds : ascending; from the first one on an instability is looked for between each two
    n      : branches to follow, those that oscillate slowest at the first speed; instabilities are
             looked for among modes up to ten times as fast
    refine : find the speeds of flutter and divergence to seven digits, else by interpolation

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
    found: list[Modes] = []
    talk = ProgressLog("flutter", progress)
    for i, speed in enumerate(numbers):
        talk.tell(f"speed {i + 1} of {len(numbers)}, {speed:g}")
        found.append(modes_at(build, float(speed)))
    structural = [oscillating(modes) for modes in found]
    values = followed(structural, numbers, int(n))
    name = found[0].system.model.name if found[0].system is not None else "model"
    known = np.abs(values[np.isfinite(values)])
    limit = BEYOND * float(known.max(initial=0.0)) or float(np.abs(found[0].eigenvalues).max())
    swing, frequency = crossing(build, numbers, found, limit, refine)
    lean = divergence(build, numbers, found, refine)
    stable = np.array([
        not unstable(m, limit) and not (lean is not None and speed > lean)
        for speed, m in zip(numbers, found)
    ])  # fmt: skip
    return Flutter(numbers, values, stable, swing, frequency, lean, name, tuple(found))


def modes_at(build: Callable[[float], Model], speed: float) -> Modes:
    """Modes of a model about its equilibrium in the wind."""
    try:
        model = build(speed)
        if not isinstance(model, Model):
            raise ModelError(f"build must return a linkwork Model, not {type(model).__name__}")
        rest = static(model, progress=False)
        with warnings.catch_warnings():  # of the highest modes, which are not followed
            warnings.filterwarnings("ignore", ".*highest of the mesh", LinkworkWarning)
            return eigen(model, at=rest, sparse=False)
    except LinkworkError as error:
        raise type(error)(f"flutter at the speed {speed:g}: {error}") from error


def oscillating(modes: Modes) -> Modes:
    """The modes that oscillate, slowest first."""
    keep = np.abs(modes.eigenvalues.imag) > SWINGS * np.abs(modes.eigenvalues)
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


def near(modes: Modes, omega: float) -> complex:
    """The eigenvalue that grows most among those that oscillate about as fast as ω."""
    values = modes.eigenvalues
    values = values[(values.imag > omega / NEAR) & (values.imag < omega * NEAR)]
    return complex(values[int(np.argmax(values.real))]) if len(values) else complex(-np.inf)


def determinant(modes: Modes) -> tuple[float, float]:
    """Sign and logarithm of the determinant of stiffness and constraints."""
    assert modes.system is not None and modes.state is not None
    matrix = modes.system.evaluate(modes.state, cK=1.0).matrix.toarray()
    sign, size = np.linalg.slogdet(matrix)
    return float(sign), float(size)


def crossing(
    build: Callable[[float], Model], speeds: np.ndarray, found: list[Modes], limit: float,
    refine: bool,
) -> tuple[float | None, float | None]:  # fmt: skip
    """The first speed at which an oscillation grows (perhaps the first one itself), and how fast it
    oscillates there (rad/s)."""
    from scipy.optimize import brentq

    grow = [unstable(modes, limit) for modes in found]
    if not any(grow):
        return None, None
    i = int(np.argmax(grow))
    omega = fastest(found[i], limit).imag
    if i == 0:
        return float(speeds[0]), omega
    a, b = float(speeds[i - 1]), float(speeds[i])
    before, after = near(found[i - 1], omega), near(found[i], omega)
    if not refine or not before.real < 0:
        if not np.isfinite(before.real):
            return b, omega
        share = before.real / (before.real - after.real) if before.real < 0 else 0.0
        return a + (b - a) * share, before.imag + (after.imag - before.imag) * share
    speed = float(brentq(lambda v: near(modes_at(build, v), omega).real, a, b, xtol=1e-9 * b))
    return speed, near(modes_at(build, speed), omega).imag


def divergence(
    build: Callable[[float], Model], speeds: np.ndarray, found: list[Modes], refine: bool
) -> float | None:  # fmt: skip
    """The first speed at which the stiffness is singular: its determinant changes its sign."""
    from scipy.optimize import brentq

    known = [determinant(modes) for modes in found]
    for i in range(len(speeds) - 1):
        (s1, l1), (s2, l2) = known[i], known[i + 1]
        if s1 * s2 >= 0:
            continue
        a, b = float(speeds[i]), float(speeds[i + 1])

        def relative(v: float, s1: float = s1, l1: float = l1) -> float:
            sign, size = determinant(modes_at(build, v))
            return sign * s1 * np.exp(min(size - l1, 700.0))

        if not refine:
            return a + (b - a) / (1 + np.exp(min(l2 - l1, 700.0)))
        return float(brentq(relative, a, b, xtol=1e-9 * b))
    return None
