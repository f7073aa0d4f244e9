"""Change over between the two forms of the implicit step: history there and back.

    smooth motion (stepping.py)         ω, ω̇, algorithmic a in body axes;   v, v̇ in world axes
    fast rotation (momenta.py)          L = R Ĵω, L̇ = R (Ĵω̇ + ω × Ĵω) in world axes;
                                        v, v̇ − s ω × v in axes that turn with the part s

The algorithmic acceleration belongs to the time t + c h, c = α_m − α_f of the method: with it
goes what the change of variables adds to the rate of the acceleration over that time.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import OMEGA, QUAT, SIX, STRIDE
from linkwork.integrators.second_order.fast_rotation import momenta as fr
from linkwork.integrators.second_order.fast_rotation.momentum_integral import BEND, BENT, COURSE
from linkwork.integrators.second_order.stepper import Stepper
from linkwork.integrators.values import ALG, V, VDOT, VDOTPREV, VPREV, XPREV
from linkwork.kernels import rotations
from linkwork.kernels.registers.eights import vectors
from linkwork.system.data import Data

TURN = 0.02  # radians in a step from which on a motion is fast
PATIENCE = 200  # steps with less than half of that before it is smooth again
# smallest principal moment of Ĵ over the largest, in joints and in flight: a change of momentum
# across a thin body is a large spin about its axis, and Newton's method begins far away
THIN, THIN_IN_FLIGHT = 0.25, 1e-4
APART = 1 / 3  # of a moment across: how far from the moment of spin it must be


def fast_rotation(
    data: Data, turning: bool, offset: float, round_: bool = False
) -> fr.FastRotation:
    """Room for a system; turning: whether histories of translations may turn with their body;
    round_: for formulas of first order, where Ĵ of thin bodies has equal moments."""
    system = data.system
    n = system.bodies
    limits = np.zeros(fr.LIMITS)
    limits[[fr.TURNING, fr.OFFSET, fr.FAST]] = turning, offset, TURN / 2
    spins = np.zeros((n, fr.SPINS))
    held = np.zeros(n + 1, bool)
    for e in system.elements:
        if e.entry.rows:  # on bodies and the ground, which is the last
            held[[b for b in e.ends if -1 <= b < n]] = True
    least = np.where(held[:n], THIN, THIN_IN_FLIGHT)
    inertia = data.tables.bodies[:, 1:10].reshape(n, 3, 3)
    J = spin_inertias(inertia, least)
    whole = np.all(inertia == J, axis=(1, 2))
    if round_:
        largest = np.linalg.eigvalsh(J)[:, -1]
        J[~whole] = largest[~whole, None, None] * np.eye(3)
    spins[:, fr.SPIN : fr.SPIN + 9] = J.reshape(n, 9)
    spins[:, fr.SPIN_INVERSE : fr.SPIN_INVERSE + 9] = np.linalg.inv(J).reshape(n, 9)
    spins[:, fr.WHOLE] = whole
    course = np.zeros((n, COURSE))
    if round_:
        D = whole[:, None, None] * terms_of_spin(inertia)
        course[:, BEND : BEND + 9], course[:, BENT] = D.reshape(n, 9), D.any(axis=(1, 2))
    else:
        compact = spin_inertias(inertia, np.full(n, THIN))
        course[:, BENT] = np.all(inertia == compact, axis=(1, 2))
    holds = np.append(~system.on_velocities[data.kept], False).astype(float)
    return fr.FastRotation(
        spins, vectors(n), vectors(n), vectors(n), vectors(fr.PAST, n), holds, *row_blocks(data),
        limits, course,
    )  # fmt: skip


def row_blocks(data: Data) -> tuple[np.ndarray, np.ndarray]:
    """Where the blocks of bodies begin in every row of C_q, and which they are."""
    system = data.system
    p, first = data.pattern, data.pattern.indptr[system.motions]
    unknown, place = p.indices[first:], p.places[first:]
    row = np.repeat(np.arange(data.rows), np.diff(p.indptr[system.motions :]))
    body = (unknown < SIX * system.bodies) & (unknown % SIX == 0)
    starts = np.concatenate([[0], np.cumsum(np.bincount(row[body], minlength=data.rows))])
    return starts, np.stack([place[body], STRIDE * (unknown[body] // SIX)], axis=1)


def spin_inertias(J: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Ĵ: the inertias of the bodies, with moments of at least that part of the largest."""
    I, axes = np.linalg.eigh((J + np.swapaxes(J, 1, 2)) / 2)
    most, floor = I[:, -1:], least[:, None] * I[:, -1:]
    whole = (most > 0) & (I[:, :1] >= floor)
    I = np.where(most > 0, np.maximum(I, floor), 1.0)
    return np.where(whole[:, :, None], J, np.einsum("bij,bj,bkj->bik", axes, I, axes))


def terms_of_spin(J: np.ndarray) -> np.ndarray:
    """D of momentum_integral.py: d_k = I_j/(12 (I_j − I_i)) for the axis i of spin, whose moment is
    furthest from the middle one, and zero where I_j is near I_i."""
    I, axes = np.linalg.eigh((J + np.swapaxes(J, 1, 2)) / 2)
    largest = (I[:, 2] - I[:, 1] > I[:, 1] - I[:, 0])[:, None]
    spin, across = np.where(largest, I[:, 2:], I[:, :1]), np.where(largest, I[:, :2], I[:, 1:])
    apart = (np.abs(across - spin) >= APART * across) & (across > 0)
    d = np.where(apart, across, 0.0) / np.where(apart, 12 * (across - spin), 1.0)
    d, none = d[:, ::-1], np.zeros((len(J), 1))  # that of one axis across belongs to the other
    d = np.where(largest, np.hstack([d, none]), np.hstack([none, d]))
    return np.einsum("bij,bj,bkj->bik", axes, d, axes)


def times(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("bij,bj->bi", A, b)


def back_times(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("bji,bj->bi", A, b)


def turned_by(R: np.ndarray, x: np.ndarray) -> np.ndarray:
    """R exp(x̃) for all bodies."""
    return R @ rotations.matrix(rotations.exponential(x))


class Spins:
    """Orientations and inertias of the bodies at the last good step."""

    def __init__(self, stepper: Stepper, fast: fr.FastRotation) -> None:
        n = stepper.p.shape[0]
        self.J = fast.spins[:, fr.SPIN : fr.SPIN + 9].reshape(n, 3, 3)
        self.inverse = fast.spins[:, fr.SPIN_INVERSE : fr.SPIN_INVERSE + 9].reshape(n, 3, 3)
        self.R = rotations.matrix(stepper.base[:n, QUAT : QUAT + 4])

    def momenta(self, R: np.ndarray, w: np.ndarray, a: np.ndarray) -> tuple:
        """L and L̇ of bodies with ω and ω̇."""
        L = times(self.J, w)
        return times(R, L), times(R, times(self.J, a) + np.cross(w, L))

    def turned(self, w: np.ndarray, a: np.ndarray) -> np.ndarray:
        """What turning adds to RᵀL̈ beside Ĵω̈."""
        L, rate = times(self.J, w), times(self.J, a)
        return np.cross(a, L) + 2 * np.cross(w, rate) + np.cross(w, np.cross(w, L))

    def torque_rates(self, w: np.ndarray, a: np.ndarray, jerk: np.ndarray) -> np.ndarray:
        """L̈ of bodies with ω, ω̇ and ω̈ at the last good step."""
        return times(self.R, times(self.J, jerk) + self.turned(w, a))

    def rates(self, R: np.ndarray, L: np.ndarray, rate: np.ndarray) -> tuple:
        """ω and ω̇ of bodies with L and L̇."""
        own = back_times(R, L)
        w = times(self.inverse, own)
        return w, times(self.inverse, back_times(R, rate) - np.cross(w, own))


def to_momenta(stepper: Stepper, fast: fr.FastRotation, h: float, begins: bool) -> None:
    """The history for the fast form; begins: there was no step before."""
    H, spins = stepper.history, Spins(stepper, fast)
    fast.vdot[:] = H[VDOT]
    stepper.p[:] = fast.past[:] = 0.0
    fast.limits[[fr.QUIET, fr.FOLLOWS, fr.LEADS, fr.EVEN, fr.SLOPE]] = 0.0, 0.0, 1.0, 0.0, 0.0
    R, late = spins.R, fast.limits[fr.OFFSET] * h
    w, a, alg = (H[row, :, 3:6].copy() for row in (V, VDOT, ALG))
    x = h * w if begins else H[XPREV, :, 3:6].copy()
    before = turned_by(R, -x)
    past = spins.momenta(before, H[VPREV, :, 3:6].copy(), H[VDOTPREV, :, 3:6].copy())
    H[V, :, 3:6], H[VDOT, :, 3:6] = spins.momenta(R, w, a)
    more = times(spins.J, alg - a) + late * spins.turned(w, a)
    H[ALG, :, 3:6] = H[VDOT, :, 3:6] + times(R, more)
    H[VPREV, :, 3:6], H[VDOTPREV, :, 3:6] = past
    H[XPREV, :, 3:6] = times(before + R, times(spins.J, x)) / 2
    fast.move[:] = 0.0
    fast.move[:, 3:6] = x
    fast.spins[:, fr.SHARE] = 0.0
    if fast.limits[fr.TURNING]:
        change_shares(stepper, fast, h, shares(stepper, fast))


def to_rates(stepper: Stepper, fast: fr.FastRotation, h: float) -> None:
    """The history for the smooth form."""
    n = stepper.p.shape[0]
    change_shares(stepper, fast, h, np.zeros(n))
    H, spins, late = stepper.history, Spins(stepper, fast), fast.limits[fr.OFFSET] * h
    R, x = spins.R, fast.move[:, 3:6].copy()
    L, rate, alg = (H[row, :, 3:6].copy() for row in (V, VDOT, ALG))
    w, a = spins.rates(R, L, rate)
    more = back_times(R, alg - rate) - late * spins.turned(w, a)
    H[ALG, :, 3:6] = a + times(spins.inverse, more)
    past = spins.rates(turned_by(R, -x), H[VPREV, :, 3:6].copy(), H[VDOTPREV, :, 3:6].copy())
    H[V, :, 3:6], H[VDOT, :, 3:6] = w, a
    H[VPREV, :, 3:6], H[VDOTPREV, :, 3:6] = past
    H[XPREV, :, 3:6] = x


def world_spins(stepper: Stepper) -> np.ndarray:
    """R ω of all bodies at the last good step."""
    motion = stepper.base[: stepper.p.shape[0]]
    R = rotations.matrix(motion[:, QUAT : QUAT + 4])
    return times(R, motion[:, OMEGA : OMEGA + 3])


def spin_rates(stepper: Stepper, fast: fr.FastRotation, rate: np.ndarray) -> np.ndarray:
    """Ĵ⁻¹Rᵀ of rates of angular momenta: as accelerations in body axes."""
    spins = Spins(stepper, fast)
    return times(spins.inverse, back_times(spins.R, rate))


def shares(stepper: Stepper, fast: fr.FastRotation) -> np.ndarray:
    """The part of its rotation that each body's translation turns with."""
    turning = np.cross(world_spins(stepper), stepper.history[V, :, :3])
    along = np.maximum(np.sum(turning * fast.vdot[:, :3], axis=1), 0.0)
    size = np.sum(turning**2, axis=1) ** 2 * np.sum(fast.vdot[:, :3] ** 2, axis=1)
    return np.clip(2 * along**3 / np.where(size > 0, size, np.inf) - 0.5, 0.0, 1.0)


def change_shares(stepper: Stepper, fast: fr.FastRotation, h: float, new: np.ndarray) -> None:
    """What the history knows of accelerations, for other shares."""
    H, w, old = stepper.history, world_spins(stepper), fast.spins[:, fr.SHARE]
    v, a = H[V, :, :3], fast.vdot[:, :3]
    u, wdot = np.cross(w, v), times(Spins(stepper, fast).R, fast.vdot[:, 3:6])
    common, twice = np.cross(wdot, v) + 2 * np.cross(w, a), np.cross(w, u)
    less = (new - old)[:, None] * u
    jerk = (new - old)[:, None] * common - (new**2 - old**2)[:, None] * twice
    H[VDOT, :, :3] -= less
    H[ALG, :, :3] -= less + fast.limits[fr.OFFSET] * h * jerk
    H[VDOTPREV, :, :3] -= less - h * jerk
    fast.spins[:, fr.SHARE] = new
