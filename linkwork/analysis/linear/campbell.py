"""Campbell diagrams: natural frequencies of a rotating model over its speed.

At every speed the model is brought to its steady rotation and linearised there (eigen).  Modes are
followed from one speed to the next by their shapes, with

    MAC = |xᴴy|²/(xᴴx yᴴy)

and by how far their eigenvalues lie from where the last two speeds lead (an assignment problem), so
that branches cross instead of exchanging names.

- R. J. Allemang, D. L. Brown: A correlation coefficient for modal vector analysis. Proceedings of
  the 1st International Modal Analysis Conference (1982), 110-116.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.linear.eigen import eigen
from linkwork.analysis.linear.equations.steady import motion_rate
from linkwork.analysis.linear.modes import Modes
from linkwork.analysis.statics.rotation import SpinLike
from linkwork.analysis.statics.search import ProgressLog
from linkwork.analysis.statics.static import static
from linkwork.elements.joints.joints import Joint
from linkwork.errors import LinkworkError, ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.model.frame import GROUND
from linkwork.model.given import VectorLike
from linkwork.model.model import Model, private_copy

MORE = 6  # modes beyond those asked for, so that a branch that rises is not lost
FREE = 1e-6  # of the largest |λ|: motions that nothing holds


@dataclass(frozen=True)
class Branches:
    """Eigenvalues over a speed, one column for each branch."""

    speeds: np.ndarray
    eigenvalues: np.ndarray
    stable: np.ndarray

    @property
    def frequency(self) -> np.ndarray:
        return np.abs(self.eigenvalues.imag) / (2 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        size = np.abs(self.eigenvalues)
        return -self.eigenvalues.real / np.where(size > 0, size, 1.0) + 0.0


@dataclass(frozen=True)
class Campbell(Branches):
    """Frequencies over speeds, one column for each branch.

    speeds    : (m,) rad/s                         frequency : (m, n) Hz, NaN where a branch is lost
    eigenvalues : (m, n) complex, 1/s              damping   : (m, n) −Re λ/|λ|
    stable    : (m,) no eigenvalue has a positive real part
    axes      : of the last speed: frequencies seen in turning axes differ from those in world axes
                by multiples of the speed
    modes     : the modes at every speed, as lw.eigen gives them
    """

    axes: str
    name: str
    modes: tuple[Modes, ...] = field(repr=False)

    def critical_speeds(self, order: float = 1.0) -> np.ndarray:
        """Speeds (rad/s) at which a branch meets `order` times the speed, between the speeds given
        by linear interpolation, ascending."""
        order = checks.number(order, "order", positive=True)
        apart = 2 * np.pi * self.frequency - order * np.abs(self.speeds)[:, None]
        found = []
        for column in apart.T:
            for i in np.flatnonzero(np.isfinite(column[:-1]) & np.isfinite(column[1:])):
                a, b = column[i], column[i + 1]
                if a * b < 0 or (b == 0 and a != 0):
                    share = a / (a - b)
                    found.append(self.speeds[i] + share * (self.speeds[i + 1] - self.speeds[i]))
        return np.sort(np.array(found))

    def plot(self, ax: Any = None, orders: Any = (1, 2, 3, 4)) -> Any:
        """Frequencies over the speed with the lines of its multiples 1P, 2P …; returns the axes."""
        from linkwork.analysis.linear.plots import plot_campbell

        return plot_campbell(self, ax, orders)

    def __repr__(self) -> str:
        n = self.frequency.shape[1]
        lines = [f"{n} branches of '{self.name}' at {len(self.speeds)} speeds, in {self.axes}"]
        lines.append(f"{'rad/s':>10}  " + "  ".join(f"{i:>8} Hz" for i in range(n)))
        for speed, row, stable in zip(self.speeds, self.frequency, self.stable):
            numbers = "  ".join(f"{x:>11.5g}" for x in row)
            lines.append(f"{speed:>10.5g}  {numbers}{'' if stable else '  unstable'}")
        return "\n".join(lines)


@explained
def campbell(
    build: Callable[[float], Model], speeds: VectorLike, n: int = 6, *,
    spin: SpinLike | Callable[[float], SpinLike] | None = None,
    progress: bool = True,
) -> Campbell:  # fmt: skip
    """Natural frequencies of build(speed) for every speed (rad/s), followed by mode shape.

    build : a function of the speed that returns the model rotating so fast: a joint on the ground
            with a rate or a driven angle, or bodies with an angular velocity
    n     : branches to follow
    spin  : what turns, as in lw.static(model, spin=...): a joint's name, or a function of the speed
            that returns an angular velocity; False: take the assembled model as it moves.  None
            finds it: the one joint on the ground that turns, or else the one between bodies, with a
            rotor behind it; where this is no steady motion, the assembled model as it moves

    Example
    -------
    >>> import linkwork as lw
    >>> def blade(speed):
    ...     m = lw.Model("blade")
    ...     hub = m.add("hub", lw.Body(1, (1, 1, 1)))
    ...     m.add("drive", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1),
    ...                             angle=lw.ramp(speed)))
    ...     bar = m.add("bar", lw.Body.link((0, 0, 0), (1, 0, 0), radius=1e-4, density=1e6))
    ...     hinge = m.add("hinge", lw.Revolute(hub, bar, at=(0, 0, 0), axis=(0, 1, 0)))
    ...     m.add("spring", lw.TorsionSpring(hinge, stiffness=1))
    ...     return m
    >>> found = lw.campbell(blade, [0, 10, 20], n=1, progress=False)
    >>> (found.frequency[:, 0] ** 2 - found.frequency[0, 0] ** 2).round(3)      # (Ω/2π)²
    array([ 0.   ,  2.533, 10.132])
    """
    numbers = np.atleast_1d(np.asarray(speeds, float))
    if numbers.ndim != 1 or not len(numbers) or not np.all(np.isfinite(numbers)):
        raise ModelError(
            f"speeds of campbell must be finite numbers, but "
            f"{checks.show(speeds)} was given"
        )
    checks.count(n, "n")
    found: list[Modes] = []
    name = "model"
    talk = ProgressLog("campbell", progress)
    for i, speed in enumerate(numbers):
        talk.tell(f"speed {i + 1} of {len(numbers)}, {speed:g} rad/s")
        try:
            model = build(float(speed))
            if not isinstance(model, Model):
                raise ModelError(f"build must return a linkwork Model, not {type(model).__name__}")
            name = model.name
            chosen = spin(float(speed)) if callable(spin) else spin
            found.append(modes_at(private_copy(model), chosen, int(n) + MORE))
        except LinkworkError as error:
            raise type(error)(f"campbell at the speed {speed:g} rad/s: {error}") from error
    values = followed(found, numbers, int(n))
    stable = np.array([modes.stable for modes in found])
    return Campbell(numbers, values, stable, found[-1].axes, name, tuple(found))


def modes_at(model: Model, spin: Any, n: int) -> Modes:
    """Modes of a model about its steady motion."""
    if spin is None:
        assembled = assemble_model(model)
        if motion_rate(assembled.full.system, assembled.state) == 0.0:
            return eigen(model, at=static(model, progress=False), n=n)
        joints = turning_joints(model, assembled.state)
        if len(joints) != 1:
            return eigen(model, n=n)
        try:
            at = static(model, spin=joints[0], progress=False)
        except LinkworkError as first:
            try:
                return eigen(model, n=n)
            except LinkworkError:
                raise first from None
        return eigen(model, at=at, n=n)
    if spin is False:
        return eigen(model, n=n)
    at = static(model, spin=spin, progress=False)
    return eigen(model, at=at, n=n)


def turning_joints(model: Model, state: Any) -> list[str]:
    """Names of the joints that turn: those on the ground, or if there is none, the others."""
    grounded: list[str] = []
    others: list[str] = []
    for name, item in model.items.items():
        if not isinstance(item, Joint):
            continue
        rates = [world_rate(f.body, state) for f in item.frames]
        if np.abs(rates[1] - rates[0]).max() > 1e-9 * max(np.abs(rates).max(), 1e-300):
            on_ground = any(f.body is GROUND for f in item.frames)
            (grounded if on_ground else others).append(name)
    return grounded or others


def world_rate(body: Any, state: Any) -> np.ndarray:
    """The angular velocity of a body in world axes."""
    if body is GROUND:
        return np.zeros(3)
    motion = state[body.name]
    return rotations.matrix(motion.orientation) @ motion.angular_velocity


def followed(found: list[Modes], speeds: np.ndarray, n: int) -> np.ndarray:
    """(speeds, n) eigenvalues, each column a branch."""
    from scipy.optimize import linear_sum_assignment

    out = np.full((len(found), n), np.nan, complex)
    shapes: list[np.ndarray | None] = [None] * n
    for k, modes in enumerate(found):
        size = np.abs(modes.eigenvalues).max(initial=0.0)
        held = np.flatnonzero(np.abs(modes.eigenvalues) > FREE * size)
        values = modes.eigenvalues[held]
        x = modes.shapes[held].reshape(len(held), int(np.prod(modes.shapes.shape[1:])))
        if k == 0:
            pairs = [(j, j) for j in range(min(n, len(held)))]
        else:
            known = [j for j in range(n) if shapes[j] is not None]
            cost = np.array([
                [unlike(shapes[j], x[i]) + distance(expected(out, speeds, k, j), values[i])
                 for i in range(len(held))]
                for j in known
            ]).reshape(len(known), len(held))  # fmt: skip
            rows, columns = linear_sum_assignment(cost)
            pairs = [(known[r], c) for r, c in zip(rows, columns)]
        for j, i in pairs:
            out[k, j], shapes[j] = values[i], x[i]
    return out


def expected(out: np.ndarray, speeds: np.ndarray, k: int, j: int) -> complex:
    """Where the last two speeds lead a branch."""
    last = out[k - 1, j]
    if k < 2 or not np.isfinite(last + out[k - 2, j]) or speeds[k - 1] == speeds[k - 2]:
        return last
    slope = (last - out[k - 2, j]) / (speeds[k - 1] - speeds[k - 2])
    return last + slope * (speeds[k] - speeds[k - 1])


def distance(a: complex, b: complex) -> float:
    """Of two eigenvalues, over their size."""
    if not np.isfinite(a):
        return 1.0
    return float(abs(a - b) / max(abs(a), abs(b), 1e-300))


def unlike(x: np.ndarray | None, y: np.ndarray) -> float:
    """1 − MAC of two shapes."""
    assert x is not None
    return 1.0 - float(abs(np.vdot(x, y)) ** 2 / (np.vdot(x, x).real * np.vdot(y, y).real))
