"""Forces and torques that a function of the user computes from time and the motion of frames.

    (F_i, T_i) = function(t, motion)_i,   in world axes, at the origin of frame i = 1 … n

    residual of body i:   −F,   −Rᵀ(s × F + T) = −(u × F_l + T_l),   F_l = RᵀF, T_l = RᵀT
    tangent:   −(ũ F̃_l + T̃_l) in its columns θ, exact; and, where the force is `stiff`,
               the changes of F and T with every body's motion by central differences

The kernel calls the function by its address (memory.pointers), so that one compiled loop serves
every function; a numba function costs as much as a compiled element, a Python function some
10 µs per evaluation.  It is called once per evaluation, and with stiff=True 24 n times more when
a tangent is wanted.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.extending import is_jitted

from linkwork.elements.failures import Failure
from linkwork.elements.layout import (
    CD, CK, OMEGA, OUT, POS, ROT, STRIDE, TANGENT, VEL, add33, write,
)  # fmt: skip
from linkwork.elements.signals.probes import FORCE, TORQUE, Probe, measured_load
from linkwork.errors import DriveError, ModelError
from linkwork.kernels import rotations
from linkwork.kernels.memory.addresses import WeakItem
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.memory.pointers import SIGNATURE, PythonCallback, call
from linkwork.kernels.record import record
from linkwork.kernels.rotations import qexp, rotation_matrix
from linkwork.kernels.vectors import (
    accumulate, add, at, at9, cross, dot, madd, mm, mv, scale, skew, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import Drive
from linkwork.model.frame import Frame, as_frame
from linkwork.model.given import FrameLike
from linkwork.model.outputs import POWER, Output
from linkwork.model.registry import Entry, Family, Item

FRAME = 12  # reals per frame: its place and its rotation matrix on the body
# integers, the last of the row: addresses of the function and of its Python twin, and
# whether it is stiff
USER = record(function=1, twin=1, stiff=1)
FUNCTION, TWIN, STIFF = USER
OWN = USER.width
STEP = 2.0**-18  # of central differences: truncation and round-off both near 1e-10
NUMBERS = 18  # of motion, per frame


class Motion(NamedTuple):
    """The motion of n frames, in world axes: what a user's function gets.

    position (n, 3), orientation (n, 3, 3) as rotation matrices from frame to world, velocity
    (n, 3) of the origins, angular_velocity (n, 3).
    """

    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


def split_motion(x, n):
    """Motion from 18 n numbers: all positions, orientations, velocities, angular velocities."""
    return Motion(
        x[: 3 * n].reshape((n, 3)),
        x[3 * n : 12 * n].reshape((n, 3, 3)),
        x[12 * n : 15 * n].reshape((n, 3)),
        x[15 * n :].reshape((n, 3)),
    )


as_motion = inlined(split_motion)


@inlined
def put_motion(motion, n, i, u, Q, r, R, v, w):
    """Write the motion of frame i on a body with r, R, v (world) and w (body axes)."""
    X = mm(R, Q)
    p, dp, spin = add(r, mv(R, u)), add(v, mv(R, cross(w, u))), mv(R, w)
    for j in range(3):
        motion[3 * i + j] = p[j]
        motion[12 * n + 3 * i + j] = dp[j]
        motion[15 * n + 3 * i + j] = spin[j]
    for j in range(9):
        motion[3 * n + 9 * i + j] = X[j]


@inlined
def put_body(motion, n, i, reals, k, nodes, b, j, h):
    """The motion of frame i with its body moved by h in direction j.

    Directions: 0-2 position, 3-5 rotation, 6-8 velocity, 9-11 angular velocity.
    """
    r, R, v, w = at(nodes, b, POS), at9(nodes, b, ROT), at(nodes, b, VEL), at(nodes, b, OMEGA)
    e = (h if j % 3 == 0 else 0.0, h if j % 3 == 1 else 0.0, h if j % 3 == 2 else 0.0)
    if j < 3:
        r = add(r, e)
    elif j < 6:
        R = mm(R, rotation_matrix(qexp(e)))
    elif j < 9:
        v = add(v, e)
    else:
        w = add(w, e)
    c = FRAME * i
    put_motion(motion, n, i, at(reals, k, c), at9(reals, k, c + 3), r, R, v, w)


@inlined
def user_wrench(ints, k, time, motion, wrench):
    """The user's function; where a result is not finite, its Python twin finds out why."""
    own = ints.shape[1] - OWN
    address, twin = ints[k, own + FUNCTION], ints[k, own + TWIN]
    call(address, time, motion, wrench)
    if twin != address and not np.isfinite(wrench.sum()):
        call(twin, time, motion, wrench)


@inlined
def user_tangent(ints, reals, k, n, nodes, time, coef, vals, motion, up, down):
    """Central differences: body i moved, wrench on body m."""
    for i in range(n):
        b = ints[k, i]
        for j in range(12):
            c = coef[CK] if j < 6 else coef[CD]
            if c == 0.0:
                continue
            h = STEP
            if j < 3:
                h *= 1.0 + abs(nodes[b, POS + j])
            elif j >= 6:
                h *= 1.0 + abs(nodes[b, VEL + j - 6])
            put_body(motion, n, i, reals, k, nodes, b, j, h)
            user_wrench(ints, k, time, motion, up)
            put_body(motion, n, i, reals, k, nodes, b, j, -h)
            user_wrench(ints, k, time, motion, down)
            for m in range(n):
                a = ints[k, m]
                R, u = at9(nodes, a, ROT), at(reals, k, FRAME * m)
                d = -0.5 * c / h
                x, y, q = up, down, 6 * m
                F = (d * (x[q] - y[q]), d * (x[q + 1] - y[q + 1]), d * (x[q + 2] - y[q + 2]))
                q += 3
                T = (d * (x[q] - y[q]), d * (x[q + 1] - y[q + 1]), d * (x[q + 2] - y[q + 2]))
                T = add(cross(u, tv(R, F)), tv(R, T))
                p = ints[k, n + n * m + i] + j % 6
                for s in range(3):
                    vals[p + s * STRIDE] += F[s]
                    vals[p + (3 + s) * STRIDE] += T[s]
        put_body(motion, n, i, reals, k, nodes, b, 0, 0.0)


def user_kernel(ints, reals, motion, loads):
    nodes, time, coef = motion.nodes, motion.time, motion.coef
    f, vals, power = loads.f, loads.vals, loads.power
    n = reals.shape[1] // FRAME
    given, wrench, other = np.empty(NUMBERS * n), np.empty(6 * n), np.empty(6 * n)
    for k in range(ints.shape[0]):
        for i in range(n):
            put_body(given, n, i, reals, k, nodes, ints[k, i], 0, 0.0)
        user_wrench(ints, k, time, given, wrench)
        supplied = 0.0
        for i in range(n):
            b, q = ints[k, i], 6 * i
            R, u = at9(nodes, b, ROT), at(reals, k, FRAME * i)
            F, T = (wrench[q], wrench[q + 1], wrench[q + 2]), (
                wrench[q + 3], wrench[q + 4], wrench[q + 5],
            )  # fmt: skip
            Fl, Tl = tv(R, F), tv(R, T)
            moment = add(cross(u, Fl), Tl)
            accumulate(f, b, 0, scale(-1.0, F))
            accumulate(f, b, 3, scale(-1.0, moment))
            power[1] += dot(F, at(nodes, b, VEL)) + dot(moment, at(nodes, b, OMEGA))
            if coef[OUT] != 0.0:
                supplied += dot(F, at(nodes, b, VEL)) + dot(moment, at(nodes, b, OMEGA))
                write(loads.out[:, q:], k, F + T + (supplied,))
            if coef[TANGENT] != 0.0:
                X = madd(mm(skew(u), skew(Fl)), skew(Tl))
                add33(vals, ints[k, n + n * i + i], 3, 3, -coef[CK], X)
        if coef[TANGENT] != 0.0 and ints[k, ints.shape[1] - OWN + STIFF] != 0:
            user_tangent(ints, reals, k, n, nodes, time, coef, vals, given, wrench, other)


USER_KERNEL = Kernel(user_kernel, allocates=True)


@functools.cache
def user_force_family(n: int) -> Family:
    """The family of user forces on n frames; all share one kernel."""
    ends = [("", "the body")]
    if n > 1:
        ends = [(f"_{i + 1}", f"frame {i + 1}") for i in range(n)]
    outputs = [
        Output(name + end, unit, "xyz", f"{name} on {where} (world axes)")
        for end, where in ends for name, unit in (("force", "N"), ("torque", "N m"))
    ]  # fmt: skip
    return Family(
        f"user force on {n}", USER_KERNEL, bodies=n, reals=FRAME * n, integers=OWN,
        outputs=(*outputs, POWER),
    )  # fmt: skip


# ---------------------------------------------------------------------------- making addresses


_COMPILED: weakref.WeakKeyDictionary[Any, dict[int, Any]] = weakref.WeakKeyDictionary()


def compiled_callback(function: Any, n: int) -> CompiledCallback:
    """A numba function of the user as a C callback; not finite where it fails or has no shape."""
    known = _COMPILED.setdefault(function, {})
    if n not in known:
        size, numbers = 6 * n, NUMBERS * n

        def enter(t, source, target):
            wrench = numba.carray(target, (size,))
            wrench[:] = np.nan
            try:
                found = np.asarray(function(t, as_motion(numba.carray(source, (numbers,)), n)))
                if found.size == size:
                    wrench[:] = found.ravel()
            except Exception:  # its Python twin tells the user which
                wrench[:] = np.nan

        known[n] = CompiledCallback(function, n, numba.cfunc(SIGNATURE)(enter))
    return known[n]


@dataclass(eq=False)
class CompiledCallback:
    """A numba function of the user for n frames with an address."""

    function: Any
    frames: int
    compiled: Any

    @property
    def address(self) -> int:
        return self.compiled.address

    def __reduce__(self) -> Any:
        return compiled_callback, (self.function, self.frames)


def shapes(n: int) -> list[tuple[int, ...]]:
    """What a function may return for n frames: six numbers each, or force and torque."""
    return ([(6,), (2, 3)] if n == 1 else []) + [(n, 6), (n, 2, 3)]


@dataclass(eq=False)
class UserForce(Item):
    """Forces and torques on frames, computed by a function of time and of the frames' motion.

    frames is a body or Frame, or several; function(t, motion) gets a Motion (arrays over the
    frames: position, orientation, velocity, angular_velocity, in world axes) and returns an array
    (n, 6) or (n, 2, 3), or 6 numbers or a pair (force, torque) for one frame: force (N) and torque
    (N m) in world axes at each frame's origin.  A plain Python function works at some 10 µs per
    call; compiled with numba's njit it is as fast as an element of the package, and returns one
    array.  It must depend on its arguments alone.

    stiff=True tells the solver how the force changes with the motion, by 24 n more calls for each
    tangent: needed where the force is a stiff spring or contact, not for a mild load.

    jumps : times (s) at which the function jumps by itself, such as a switch in it; steps end there

    Outputs: force and torque (world axes), of several frames force_1, torque_1, …, and power.

    Example
    -------
    >>> import numpy as np, linkwork as lw
    >>> ball = lw.Body.sphere(0.1, density=1000)
    >>> def drag(t, motion):
    ...     v = motion.velocity[0]
    ...     return np.concatenate((-0.5 * np.sqrt(v @ v) * v, np.zeros(3)))
    >>> air = lw.UserForce(ball, drag)
    """

    frames: FrameLike | Sequence[FrameLike]
    function: Callable
    stiff: bool = False
    jumps: Sequence[float] = ()
    failure: Failure | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        ends: list[Any] = [self.frames]
        if isinstance(self.frames, (list, tuple)):
            ends = list(self.frames)
        if not ends:
            raise ModelError(f"{self.label} needs at least one body or Frame to act on")
        self.frames = [as_frame(end, self.label) for end in ends]
        if not callable(self.function):
            raise ModelError(
                f"{self.label} needs function(t, motion), but {checks.show(self.function)} was "
                "given"
            )
        self.stiff = checks.flag(self.stiff, f"stiff of {self.label}")
        times = checks.array(self.jumps) if len_of(self.jumps) else np.zeros(0)
        listed = isinstance(self.jumps, (list, tuple)) or len_of(self.jumps)
        if not listed or times is None or times.ndim != 1 or not np.isfinite(times).all():
            raise ModelError(
                f"jumps of {self.label} must be a list of times in s, but "
                f"{checks.show(self.jumps)} was given"
            )
        self.jumps = tuple(times.tolist())
        self.__dict__.pop("twin", None)  # of an earlier function

    @property
    def acted_on(self) -> list[Frame]:
        """The frames, once they were checked."""
        return self.frames  # type: ignore[return-value]

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("twin", "failure")}

    @functools.cached_property
    def twin(self) -> PythonCallback:
        """The function in plain Python, with an address; it remembers the first failure."""
        plain = self.function.py_func if is_jitted(self.function) else self.function
        n, item = len(self.acted_on), WeakItem(self)

        def enter(t: float, numbers: np.ndarray, wrench: np.ndarray) -> None:
            wrench[:] = np.nan
            failure = None
            try:
                found = plain(t, split_motion(numbers, n))
                array = np.asarray(found, dtype=float)
                if array.shape in shapes(n):
                    wrench[:] = array.ravel()
                    if not np.isfinite(array).all():
                        failure = Failure(t, None, "returned numbers that are not finite")
                else:
                    expected = " or ".join(map(str, shapes(n)))
                    failure = Failure(
                        t, None, f"returned an array of shape {array.shape} instead of {expected}"
                    )
            except BaseException as error:
                what = f"raised {type(error).__name__}: {checks.line(error)}"
                failure = Failure(t, error, what)
            owner = item()
            if failure is None or owner is None or owner.failure is not None:
                return
            if np.isfinite(numbers).all():  # else an iteration went astray: not its fault
                owner.failure = failure

        return PythonCallback(enter, NUMBERS * n, 6 * n)

    def reading(self, quantity: str, axis: Any) -> Drive:
        count = len(self.acted_on)
        ends = [f"_{k + 1}" if count > 1 else "" for k in range(count)]
        offered = tuple(word + end for end in ends for word in ("force", "torque"))
        bodies = [frame.body for frame in self.acted_on]
        if len({id(body) for body in bodies}) < count:
            raise DriveError(
                f"a reading of {self.label}: it acts at several places of one body, whose forces "
                "are not told apart; give a UserForce for each of them"
            )
        word, _, number = str(quantity).partition("_")
        which = int(number) - 1 if number.isdecimal() else 0
        return measured_load(self, word, axis, offered, which=which, word=quantity)

    def probe(self, quantity: str, which: int) -> Probe:
        kind = FORCE if quantity == "force" else TORQUE
        return Probe(kind, ((0, which),), self.acted_on[which].position)

    def entries(self) -> list[Entry]:
        n = len(self.acted_on)
        self.failure = None
        reals = np.zeros(FRAME * n)
        twin = self.twin
        callback: Any = twin
        if is_jitted(self.function):
            try:
                callback = compiled_callback(self.function, n)
            except numba.core.errors.NumbaError as error:
                raise ModelError(
                    f"function of {self.label} cannot be compiled by numba; correct it, or leave "
                    f"out njit: {str(error).strip().splitlines()[0]}"
                ) from error
        for i, frame in enumerate(self.acted_on):
            c = FRAME * i
            reals[c : c + 3] = frame.position
            reals[c + 3 : c + 12] = rotations.matrix(frame.orientation).ravel()
        bodies = tuple(frame.body for frame in self.acted_on)
        integers = (callback, twin, int(self.stiff))
        return [Entry(user_force_family(n), bodies, reals, integers=integers, keep=self)]

    @classmethod
    def sample(cls, rng: np.random.Generator, a: Any, b: Any) -> UserForce:
        k = rng.normal(size=(3, 3))

        def function(t: float, motion: Motion) -> np.ndarray:
            d = motion.position[1] - motion.position[0]
            v = motion.velocity[1] - motion.velocity[0]
            force = np.sin(k @ d) - 0.3 * v * (1 + d @ d)
            twist = motion.orientation[0] @ np.cos(motion.orientation[1].T @ k[0])
            torque = twist + 0.2 * motion.angular_velocity[1] * (1 + t)
            return np.array([[*force, *torque], [*(-force), *(torque * v)]])

        frames = [Frame(x, rng.normal(size=3), _quaternion(rng)) for x in (a, b)]
        return cls(frames, function, stiff=True)


def len_of(given: Any) -> int:
    """How many there are of something that may be no list."""
    return len(given) if isinstance(given, (list, tuple, np.ndarray)) else 0


def _quaternion(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)
