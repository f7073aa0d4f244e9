"""Jacobian of an end effector, and inverse kinematics: joint coordinates for a wanted pose.

With v the joint velocities (recursive.joint_space), p and X position and axes of a frame, w its
angular velocity, and c(q) = 0 the rows of cut joints, where the mechanism has loops,

    (ṗ, w) = J v,      J P,  P = 1 − c_q⁺ c_q: the part that the loops allow, J P v = J v for them

Inverse kinematics solves r(q) = (p* − p, log(X* Xᵀ), −c) = 0 by Newton's method with damping
(Levenberg and Marquardt; Nakamura and Hanafusa 1986),

    least |A δ − r|² + μ |δ|²,   A = [J; c_q],      lengths over the mechanism's size

μ is a part of |r|², so that steps are Newton's near the solution; a coordinate at a limit that
would leave it is kept there.  Where no start of several leads to the pose, the remaining distance
is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.assembly.assemble import StateLike, start_of
from linkwork.errors import AssemblyError, ModelError
from linkwork.kernels import rotations
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.model.frame import GROUND, Frame, as_frame
from linkwork.model.given import FrameLike, OrientationLike, VectorLike
from linkwork.model.model import Model, private_copy
from linkwork.recursive.joint_space import JointSpace
from linkwork.system.state import State

if TYPE_CHECKING:
    import xarray as xr

COMPONENTS = ("vx", "vy", "vz", "wx", "wy", "wz")
ITERATIONS, STARTS = 100, 24
CLOSE = 1e-10  # lengths over the mechanism's size, radians


class Effector:
    """A frame of a mechanism in joint coordinates."""

    def __init__(self, model: Model, frame: Any, state: Any) -> None:
        model = private_copy(model)
        self.frame = as_frame(frame, "the end effector")
        if self.frame.body is GROUND:
            raise ModelError(
                "the end effector is on GROUND, which cannot move; give a frame on a body"
            )
        start = start_of(model, state, "state", "leave", warn=False)
        full, at = start.full, start.state
        body = model.own(self.frame.body)
        self.body = next((i for i, b in enumerate(full.system.items) if b is body), -1)
        if self.body < 0:
            raise ModelError(
                f"the end effector is on {self.frame.body!r}, which is not in model "
                f"'{model.name}'; add it with model.add(name, ...)"
            )
        self.length, self.model = full.system.length, model
        self.space = JointSpace(full, at)
        self.time = at.time

    def pose(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position and rotation matrix of the frame."""
        m = self.space.state(q, t=self.time).motion[self.body]
        R = rotations.matrix(m[3:7])
        return m[:3] + R @ self.frame.position, R @ rotations.matrix(self.frame.orientation)

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """(6, velocities): velocity and angular velocity of the frame for unit joint velocities."""
        n = len(self.space.v)
        still = self._velocity(q, np.zeros(n))  # of motion laws
        columns = [self._velocity(q, e) - still for e in np.eye(n)]
        return np.array(columns).T.reshape(6, n)

    def _velocity(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        m = self.space.state(q, v, t=self.time).motion[self.body]
        R = rotations.matrix(m[3:7])
        return np.concatenate([m[7:10] + R @ np.cross(m[10:13], self.frame.position), R @ m[10:13]])

    def loops(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """c and c_q of cut joints; empty without loops."""
        n = len(self.space.v)
        if not self.space.row_names:
            return np.zeros(0), np.zeros((0, n))
        c = self.space.violation(q, t=self.time)
        return c, self.space.jacobian(q, t=self.time)

    def moved(self, q: np.ndarray, d: np.ndarray) -> np.ndarray:
        """Coordinates after a small motion d along the velocities."""
        out, balls = q.copy(), self.space.parts.coordinates.balls
        places = self._places()
        for j, i in enumerate(places):
            if i >= 0:
                out[i] += d[j]
        for i, j in balls:
            turned = rotations.multiply(q[i : i + 4], rotations.exponential(d[j : j + 3]))
            out[i : i + 4] = turned / np.linalg.norm(turned)
        return out

    def _places(self) -> list[int]:
        """The coordinate of each velocity; −1 for those of a ball."""
        balls = {int(j): int(i) for i, j in self.space.parts.coordinates.balls}
        places, i, j, n = [], 0, 0, len(self.space.v)
        while j < n:
            if j in balls:
                places += [-1, -1, -1]
                i, j = i + 4, j + 3
            else:
                places.append(i)
                i, j = i + 1, j + 1
        return places


@explained
def jacobian(
    model: Model, frame: FrameLike, state: StateLike | None = None
) -> xr.DataArray:
    """The Jacobian of a frame: its velocity (m/s) and angular velocity (rad/s) in world axes for
    unit velocities of the joints, 6 × freedoms.

    frame : a body or Frame;   state : a State or Result (without it: the assembled model)

    Rows are vx, vy, vz, wx, wy, wz, columns the joints' freedoms in the order of
    lw.joint_space(model).velocity_names.  Of mechanisms with loops it is projected onto the
    velocities that the loops allow; joints with motion laws have no column.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model()
    >>> arm = m.add("arm", lw.Body(1, (1, 1, 1), position=(0.5, 0, 0)))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1)))
    >>> lw.jacobian(m, lw.Frame(arm, (0.5, 0, 0))).values.round(9).T.tolist()
    [[0.0, 1.0, 0.0, 0.0, 0.0, 1.0]]
    """
    import xarray as xr

    effector = Effector(model, frame, state)
    q = effector.space.q
    J, (_, cq) = effector.jacobian(q), effector.loops(q)
    if len(cq):
        J = J - J @ np.linalg.pinv(cq, rcond=1e-9) @ cq
    names = list(effector.space.velocity_names)
    return xr.DataArray(J, coords={"component": list(COMPONENTS), "freedom": names},
                        dims=("component", "freedom"), name="jacobian")  # fmt: skip


@dataclass(frozen=True, repr=False)
class Posture:
    """Where `reach` has led: joint coordinates, and the state of all bodies.

    posture["elbow"] is the coordinate of a joint that has one, posture["wrist.rz"] one of several;
    posture.state starts other analyses.
    """

    state: State
    names: tuple[str, ...]
    q: np.ndarray
    distance: float
    angle: float

    def __getitem__(self, name: str) -> float:
        return float(self.q[coordinate(self.names, name, "a Posture")])

    def __repr__(self) -> str:
        width = max((len(name) for name in self.names), default=0)
        lines = [f"{name:<{width}}  {x + 0.0:.6g}" for name, x in zip(self.names, self.q)]
        left = f"{self.distance:.1e} m and {self.angle:.1e} rad from the wanted pose"
        return "\n  ".join([f"joint coordinates (rad, m), {left}", *lines])


def coordinate(names: tuple[str, ...], name: Any, what: str) -> int:
    """The number of a joint coordinate, by its name or that of a joint that has one."""
    found = [i for i, known in enumerate(names) if known == name]
    found = found or [i for i, known in enumerate(names) if known.rpartition(".")[0] == name]
    if len(found) != 1:
        raise ModelError(
            f"{what} has no joint coordinate {checks.show(name)}; there are {', '.join(names)}"
        )
    return found[0]


@explained
def reach(
    model: Model, frame: FrameLike, pose: VectorLike | Frame, *,
    orientation: OrientationLike | None = None, start: StateLike | None = None,
    limits: Mapping[str, Sequence[float]] | None = None, tolerance: float = 1e-8, seed: int = 0,
) -> Posture:  # fmt: skip
    """Joint coordinates that bring a frame to a pose: inverse kinematics.

    frame       : a body or Frame
    pose        : the wanted position (world), three numbers, or a Frame on GROUND, whose position
                  and axes are wanted
    orientation : wanted axes (a quaternion w, x, y, z); without it and with a mere position, the
                  orientation is free
    start       : a State or Result to begin from (without it: the assembled model); of several
                  solutions the one that Newton's method finds from there
    limits      : {joint: (low, high)} of coordinates, rad or m
    tolerance   : of the position over the mechanism's size, and of the orientation (rad)

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model()
    >>> a = m.add("a", lw.Body(1, (1, 1, 1), position=(0.5, 0, 0)))
    >>> b = m.add("b", lw.Body(1, (1, 1, 1), position=(1.5, 0, 0)))
    >>> one = m.add("one", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 0, 1)))
    >>> two = m.add("two", lw.Revolute(a, b, at=(1, 0, 0), axis=(0, 0, 1)))
    >>> found = lw.reach(m, lw.Frame(b, (0.5, 0, 0)), (1, 1, 0))
    >>> abs(round(found["two"], 6))
    1.570796
    """
    effector = Effector(model, frame, start)
    place, axes = wanted_pose(pose, orientation)
    tolerance = checks.number(tolerance, "tolerance of reach", positive=True)
    bounds = coordinate_limits(effector, limits)
    rng = np.random.default_rng(seed)
    best: tuple[float, np.ndarray] | None = None
    for attempt in range(STARTS):
        q = effector.space.q if attempt == 0 else random_start(effector, bounds, rng)
        q, left = newton(effector, np.clip(q, *bounds), place, axes, bounds)
        if best is None or left < best[0]:
            best = left, q
        if left <= tolerance:
            break
    assert best is not None
    q = best[1]
    p, X = effector.pose(q)
    distance = float(np.linalg.norm(place - p))
    angle = 0.0 if axes is None else float(np.linalg.norm(turn_between(X, axes)))
    if best[0] > tolerance:
        within = " within the limits" if limits else ""
        turned = "" if axes is None else f" and {angle:.4g} rad"
        raise AssemblyError(
            f"{effector.frame.body!r} cannot reach ({place[0]:g}, {place[1]:g}, {place[2]:g})"
            f"{within}: the nearest posture that was found of model '{model.name}' leaves "
            f"{distance:.4g} m{turned}; ask for a pose that is nearer"
        )
    state = effector.space.state(q, t=effector.time)
    return Posture(state, effector.space.names, q, distance, angle)


def wanted_pose(pose: Any, orientation: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Position, and rotation matrix or none."""
    if isinstance(pose, Frame):
        if orientation is not None:
            raise ModelError("reach: the frame says the orientation; leave out orientation")
        position, q = pose.world()
        return position, rotations.matrix(q)
    place = checks.vector(pose, "pose of reach")
    if orientation is None:
        return place, None
    return place, rotations.matrix(checks.quaternion(orientation, "orientation of reach"))


def coordinate_limits(
    effector: Effector, limits: Mapping[str, Any] | None
) -> tuple[np.ndarray, np.ndarray]:
    names = effector.space.names
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    if limits is not None and not isinstance(limits, Mapping):
        raise ModelError(
            f"limits of reach must be a dict of joints and (low, high), but {checks.show(limits)} "
            "was given"
        )
    for name, pair in (limits or {}).items():
        i = coordinate(names, name, f"limits of reach: model '{effector.model.name}'")
        low[i], high[i] = checks.vector(pair, f"limits of '{name}' in reach", length=2)
        if not low[i] < high[i]:
            raise ModelError(
                f"limits of '{name}' in reach must be (low, high), but {low[i]:g} and {high[i]:g} "
                "were given"
            )
    return low, high


def random_start(effector: Effector, bounds: tuple, rng: np.random.Generator) -> np.ndarray:
    """Coordinates at random: within limits, else within half a turn or the mechanism's size."""
    q, d = effector.space.q, np.zeros(len(effector.space.v))
    low, high = bounds
    for j, i in enumerate(effector._places()):
        turns = i < 0 or not effector.space.velocity_names[j].endswith((".z", ".x", ".y"))
        size = np.pi if turns else effector.length
        d[j] = size * rng.uniform(-1, 1)
        if i >= 0 and np.isfinite(low[i]) and np.isfinite(high[i]):
            d[j] = rng.uniform(low[i], high[i]) - q[i]
    return effector.moved(q, d)


def turn_between(X: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The rotation vector (world axes) from X to the wanted axes."""
    q = rotations.from_matrix(axes @ X.T)
    return rotations.logarithm(q if q[0] >= 0 else -q)


def newton(
    effector: Effector, q: np.ndarray, place: np.ndarray, axes: np.ndarray | None, bounds: tuple
) -> tuple[np.ndarray, float]:
    """Coordinates and what is left of r, after Newton's method with damping."""
    L, places, (low, high) = effector.length, effector._places(), bounds

    def residual(q: np.ndarray) -> np.ndarray:
        p, X = effector.pose(q)
        turn = np.zeros(0) if axes is None else turn_between(X, axes)
        return np.concatenate([(place - p) / L, turn, -effector.loops(q)[0] / L])

    def clipped(q: np.ndarray) -> np.ndarray:
        return np.clip(q, low, high)

    r = residual(q)
    size, factor = float(np.linalg.norm(r)), 1e-2
    for _ in range(ITERATIONS):
        if size <= CLOSE:
            break
        J = effector.jacobian(q)
        A = np.concatenate([J[:3] / L, J[3:] if axes is not None else J[:0],
                            effector.loops(q)[1] / L])  # fmt: skip
        free = np.ones(A.shape[1], bool)
        for _ in range(len(places) + 1):  # coordinates at limits that would leave them stay there
            B = A * free
            damped = np.concatenate([B, np.sqrt(factor) * size * np.eye(B.shape[1])])
            d = np.linalg.lstsq(damped, np.append(r, np.zeros(B.shape[1])), rcond=None)[0]
            out = [
                j for j, i in enumerate(places)
                if free[j] and i >= 0
                and ((q[i] <= low[i] and d[j] < 0) or (q[i] >= high[i] and d[j] > 0))
            ]  # fmt: skip
            if not out:
                break
            free[out] = False
        largest = np.abs(d).max(initial=0.0)
        if largest > 1.0:
            d /= largest
        trial = clipped(effector.moved(q, d))
        new = residual(trial)
        smaller = float(np.linalg.norm(new))
        if smaller < size:
            gained = smaller < (1 - 1e-9) * size
            q, r, size, factor = trial, new, smaller, max(factor / 10, 1e-12)
            if not gained:
                break
        else:
            factor *= 10
            if factor > 1e12:
                break
    return q, size
