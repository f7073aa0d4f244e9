"""Laws of a whole rotation: unit quaternions ρ(t) with their first two time derivatives.

Three laws on rotation rows are turns one after another; a rotation law says the relative
orientation itself, through any number of turns and without a singular position.  Its jet
(ρ, ρ', ρ'') has four components, which need no condition but the unit norm:

    four functions p    ρ = k p,  k = (p·p)^(−1/2)
    three functions θ   ρ = (c, s θ),  u = θ·θ,  c = cos(√u/2),  s = sin(√u/2)/√u
                        c' = −s/4,  s' = (c/2 − s)/(2u)         (derivatives by u)
    two laws            ρ = ρ₁ ρ₂

with time derivatives by the chain and product rules, exact where those of the functions are.  A.
Tasora and P. Righettini (Application of quaternion algebra to the efficient computation of
Jacobians for holonomic-rheonomic constraints, 1999) have them as q_Δ, q_P and q_S.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.errors import DriveError
from linkwork.kernels import rotations
from linkwork.model.drives.base import Drive, _check_drives, refuse_rotation
from linkwork.model.drives.function import as_drive, checked, function
from linkwork.model.drives.table import table
from linkwork.model.drives.words import shown
from linkwork.model.given import DriveLike, OrientationLike, Turned, VectorLike

TERMS = 8  # of the series of s where u is small
FAR = 0.5  # cosine of half the turn between neighbours of a table, which may be 120°


# ------------------------------------------------------------------- quaternions with derivatives


def quaternion_product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Product of two quaternions that carry two time derivatives, (T, 3 levels, 4)."""
    mul = rotations.multiply
    return np.stack(
        [
            mul(p[:, 0], q[:, 0]),
            mul(p[:, 1], q[:, 0]) + mul(p[:, 0], q[:, 1]),
            mul(p[:, 2], q[:, 0]) + 2 * mul(p[:, 1], q[:, 1]) + mul(p[:, 0], q[:, 2]),
        ],
        axis=1,
    )


def axis_turn(i: int, jet: np.ndarray) -> np.ndarray:
    """Quaternion of a turn about axis i by an angle with two derivatives, (T, 3 levels, 4)."""
    angle, d1, d2 = jet.T / 2
    c, s = np.cos(angle), np.sin(angle)
    q = np.zeros((len(angle), 3, 4))
    q[:, :, 0] = np.stack([c, -s * d1, -s * d2 - c * d1**2], axis=1)
    q[:, :, 1 + i] = np.stack([s, c * d1, c * d2 - s * d1**2], axis=1)
    return q


def normalised(p: np.ndarray) -> np.ndarray:
    """p/|p| of four numbers with two derivatives, (T, 3 levels, 4)."""
    p0, p1, p2 = p[:, 0], p[:, 1], p[:, 2]
    u = np.sum(p0 * p0, axis=1, keepdims=True)
    u1 = 2 * np.sum(p0 * p1, axis=1, keepdims=True)
    u2 = 2 * np.sum(p1 * p1 + p0 * p2, axis=1, keepdims=True)
    k = u**-0.5
    k1 = -0.5 * k / u * u1
    k2 = 0.75 * k / u**2 * u1**2 - 0.5 * k / u * u2
    return np.stack([k * p0, k1 * p0 + k * p1, k2 * p0 + 2 * k1 * p1 + k * p2], axis=1)


def sine_series() -> list[list[float]]:
    """Coefficients of the powers of u in s and in its first two derivatives by u."""
    a = [(-1) ** k / (2 ** (2 * k + 1) * math.factorial(2 * k + 1)) for k in range(TERMS + 2)]
    slope = [k * a[k] for k in range(1, TERMS + 2)]
    return [a[:TERMS], slope[:TERMS], [k * slope[k] for k in range(1, TERMS + 1)]]


SERIES = sine_series()


def polynomial_value(x: np.ndarray, a: list[float]) -> np.ndarray:
    """Σ a_k x^k, the same digits whatever the number of x (a product of matrices has not)."""
    y = np.full_like(x, a[-1])
    for c in reversed(a[:-1]):
        y = y * x + c
    return y


def sine_part(u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """s and its first two derivatives by u."""
    small = u < 1.0
    x = np.where(small, u, 0.0)
    series = [polynomial_value(x, a) for a in SERIES]
    w = np.where(small, 1.0, u)
    root = np.sqrt(w)
    c, s = np.cos(root / 2), np.sin(root / 2) / root
    s1 = (c / 2 - s) / (2 * w)
    s2 = (-(s / 8 + s1) * w - (c / 2 - s)) / (2 * w * w)
    return tuple(np.where(small, x, y) for x, y in zip(series, (s, s1, s2)))  # type: ignore[return-value]


def rotation_vector_jets(jets: np.ndarray) -> np.ndarray:
    """Quaternion of exp(θ), (T, 3 levels, 4), from θ (T, 3 levels, 3); levels are derivatives."""
    th, th1, th2 = jets[:, 0], jets[:, 1], jets[:, 2]
    u = np.sum(th * th, axis=1)
    u1 = 2 * np.sum(th * th1, axis=1)
    u2 = 2 * np.sum(th1 * th1 + th * th2, axis=1)
    s, ds, dds = sine_part(u)
    s1, s2 = ds * u1, dds * u1 * u1 + ds * u2
    q = np.empty((len(u), 3, 4))
    q[:, 0, 0] = np.cos(np.sqrt(u) / 2)
    q[:, 1, 0] = -s / 4 * u1
    q[:, 2, 0] = -(s1 * u1 + s * u2) / 4
    q[:, 0, 1:] = s[:, None] * th
    q[:, 1, 1:] = s1[:, None] * th + s[:, None] * th1
    q[:, 2, 1:] = s2[:, None] * th + 2 * s1[:, None] * th1 + s[:, None] * th2
    return q


# ------------------------------------------------------------------------------------------ laws


@dataclass(frozen=True)
class RotationLaw(Drive):
    """A rotation that is a function of time; it stands under "rotation" in a drive of a Lock."""

    rotation: ClassVar[bool] = True

    def jets(self, t: np.ndarray) -> np.ndarray:
        """The unit quaternion and its first two derivatives at n times, (n, 3, 4)."""
        raise NotImplementedError

    def _detail(self) -> str:
        return "rotation law"

    def at(self, t: float) -> Quaternion:
        """The law that stays where this one is at time t."""
        return quaternion(*self.jets(np.array([float(t)]))[0, 0].tolist())

    def _jet(self, t: np.ndarray) -> np.ndarray:
        refuse_rotation(self, self.what)
        raise NotImplementedError

    def __mul__(self, other: Any) -> RotationLaw:
        return RotationProduct(self, other) if isinstance(other, RotationLaw) else NotImplemented

    def __add__(self, other: Any) -> Drive:
        return NotImplemented

    __radd__ = __rsub__ = __sub__ = __rmul__ = __add__


@dataclass(frozen=True)
class Quaternion(RotationLaw):
    """The rotation of a quaternion (w, x, y, z) of four functions.  See `quaternion`."""

    parts: tuple[Drive, Drive, Drive, Drive]

    def __post_init__(self) -> None:
        _check_drives(self, *self.parts)

    def jets(self, t: np.ndarray) -> np.ndarray:
        p = np.stack([part.jet(t) for part in self.parts], axis=2)
        size = np.linalg.norm(p[:, 0], axis=1)
        if len(size) and not 1e-100 < size.min() <= size.max() < 1e100:
            k = int(np.argmin(size) if size.min() <= 1e-100 else np.argmax(size))
            raise DriveError(
                f"{self.label}: expected four numbers that are not all zero at t = {t[k]:.6g}, "
                f"found a quaternion of length {size[k]:.3g}; correct the law"
            )
        return normalised(p)


@dataclass(frozen=True)
class RotationVector(RotationLaw):
    """The rotation exp(θ) of three functions.  See `rotation_vector`."""

    theta: tuple[Drive, Drive, Drive]

    def __post_init__(self) -> None:
        _check_drives(self, *self.theta)

    def jets(self, t: np.ndarray) -> np.ndarray:
        return rotation_vector_jets(np.stack([d.jet(t) for d in self.theta], axis=2))


@dataclass(frozen=True)
class RotationProduct(RotationLaw):
    """The second rotation in the axes that the first has turned."""

    a: RotationLaw
    b: RotationLaw

    def jets(self, t: np.ndarray) -> np.ndarray:
        return quaternion_product(self.a.jets(t), self.b.jets(t))


def quaternion(
    *parts: DriveLike | Callable[[float], VectorLike],
    d1: Callable[[float], VectorLike] | None = None,
    d2: Callable[[float], VectorLike] | None = None,
) -> Quaternion:
    """A rotation over time from a quaternion (w, x, y, z), scalar first.

    Four functions of time or numbers; or one Python function of time that returns four numbers,
    `d1` and `d2` its first two derivatives (found numerically without them, with a warning).  The
    length does not matter: the law is p/|p| with exact derivatives.  ρ and −ρ are the same
    rotation, but the functions must not jump between them.

    Example
    -------
    >>> import linkwork as lw
    >>> tumble = lw.quaternion(lw.sine(1, 0.5, 1.5708), lw.sine(1, 0.5), 0, 0)
    """
    if len(parts) == 1 and callable(parts[0]) and not isinstance(parts[0], Drive):

        def component(f: Any, i: int) -> Any:
            return None if f is None else lambda t: _four(f(t))[i]

        f = parts[0]
        given = [function(component(f, i), component(d1, i), component(d2, i)) for i in range(4)]
        return Quaternion(tuple(given))  # type: ignore[arg-type]
    if len(parts) != 4 or d1 is not None or d2 is not None:
        raise DriveError(
            "quaternion: expected four functions of time or numbers w, x, y, z, or one Python "
            f"function that returns four numbers (with d1 and d2), found {shown(parts)}"
        )
    return Quaternion(_drives(parts, "quaternion"))  # type: ignore[arg-type]


def _four(value: Any) -> np.ndarray:
    found = np.asarray(value, float)
    if found.shape != (4,):
        raise ValueError(f"an array of shape {found.shape} instead of four numbers w, x, y, z")
    return found


def rotation_vector(x: DriveLike, y: DriveLike, z: DriveLike) -> RotationVector:
    """A rotation over time from its vector θ (rad), three functions of time or numbers.

    |θ| may grow through π, 2π and on; the vector of several turns about one axis is that axis
    times the angle counted over turns.

    Example
    -------
    >>> import linkwork as lw
    >>> spin = lw.rotation_vector(0, 0, lw.ramp(100.0))
    """
    return RotationVector(_drives((x, y, z), "rotation_vector"))  # type: ignore[arg-type]


def _drives(parts: Any, what: str) -> tuple[Drive, ...]:
    return tuple(x if isinstance(x, Drive) else as_drive(x, what=what) for x in parts)


def rotation_table(
    t: VectorLike, orientations: Sequence[OrientationLike] | np.ndarray | Turned, *,
    kind: str = "cubic", outside: str = "error",
) -> Quaternion:  # fmt: skip
    """A smooth rotation through orientations that were measured or computed at times t.

    orientations : quaternions (n, 4), scalar first, of either sign; rotation matrices (n, 3, 3); or
    a SciPy Rotation of n.  Quaternions of one sign are joined by splines and normalised; `kind` and
    `outside` as for lw.table.  Neighbours must be less than 120° apart.

    Example
    -------
    >>> import numpy as np, linkwork as lw
    >>> from scipy.spatial.transform import Rotation
    >>> t = np.linspace(0, 1, 21)
    >>> law = lw.rotation_table(t, Rotation.from_euler("ZXZ", np.outer(t, (6, 1, 9))))
    """
    q = _quaternions(orientations)
    size = np.linalg.norm(q, axis=1, keepdims=True)
    if not np.isfinite(q).all() or not len(q) or size.min() < 1e-6:
        raise DriveError(
            "rotation_table: expected finite quaternions that are not zero, found "
            f"{shown(orientations)}"
        )
    q = q / size
    cosine = np.sum(q[1:] * q[:-1], axis=1)
    if len(cosine) and np.abs(cosine).min() < FAR:
        k = int(np.abs(cosine).argmin())
        turn = 2 * np.degrees(np.arccos(min(1.0, abs(cosine[k]))))
        raise DriveError(
            f"rotation_table: expected neighbours less than 120° apart, found {turn:.0f}° between "
            f"numbers {k} and {k + 1}; give more orientations in between"
        )
    q[1:] *= np.cumprod(np.where(cosine < 0, -1.0, 1.0))[:, None]
    parts = tuple(table(t, column, kind=kind, outside=outside) for column in q.T)
    return Quaternion(parts)  # type: ignore[arg-type]


def _quaternions(orientations: Any) -> np.ndarray:
    """(n, 4), scalar first."""
    if hasattr(orientations, "as_quat"):
        return np.atleast_2d(orientations.as_quat())[:, [3, 0, 1, 2]]
    try:
        found = np.asarray(orientations, float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim == 3 and found.shape[1:] == (3, 3):
        if np.allclose(found @ found.transpose(0, 2, 1), np.eye(3), rtol=0, atol=1e-6):
            return np.array([rotations.from_matrix(R) for R in found])
    elif found.ndim == 2 and found.shape[1] == 4:
        return found.copy()
    raise DriveError(
        "rotation_table: expected n quaternions (n, 4), rotation matrices (n, 3, 3) or a SciPy "
        f"Rotation, found {shown(orientations)}"
    )


def as_rotation(x: Any, what: str) -> RotationLaw:
    """A rotation law, or an error that says what would be one; `what` names the item."""
    if isinstance(x, RotationLaw):
        return checked(x, what)  # type: ignore[return-value]
    raise DriveError(
        f"{what}: expected a rotation over time such as lw.quaternion(…), lw.rotation_vector(…) or "
        f"lw.rotation_table(…), found {shown(x)}"
    )
