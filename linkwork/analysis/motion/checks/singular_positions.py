"""Reactions beside a singular position, where a step cannot know them.

Beside a position in which C_q loses rank, such as the flat one of parallelograms in a row, forces
in the joints of rigid bodies grow as 1/σ, with σ the least singular value of C_q, or cancel.  An
error of the position by δ then changes them by δ/σ of themselves, and accelerations that satisfy
the constraints up to some h², those of implicit steps, change them by h²/σ²: where a step comes
within σ ~ h of the position, by any factor, while positions and velocities are as good as
elsewhere.  The first follows from the accuracy of the motion; the second is looked for here.

Such steps stand out by themselves: a force that differs from the mean of those before and after it.
There the error is that of multipliers whose accelerations satisfy the constraints, with velocities
that do,

    C_q M⁻¹ C_qᵀ Δγ = C_q v̇ − Q_c(q, v − M⁻¹C_qᵀ μ),     C_q M⁻¹ C_qᵀ μ = C_q v + C_t

and it is told where it is a good part of the forces.  Where σ is below what positions of a run are
accurate to these decide the forces, whatever the method, and that is told, too.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.result import Result
from linkwork.system.matrices import Evaluation
from linkwork.system.state import State
from linkwork.system.system import System

OFF = 0.05  # of the largest force in a step: what is told
NEAR = 0.05  # of σ at the start
STANDS_OUT = 0.01  # of the largest force: differences that are looked at
ALONE = 3.0  # times what forces differ by two steps before and after
LOST = 1e-11  # σ², of the largest eigenvalue: positions accurate to 3e-6 do not tell forces
RANK = 1e-13  # of the largest eigenvalue of C_q M⁻¹ C_qᵀ: zero, of rows that repeat others
LARGEST = 2000  # unknowns of bodies; larger models are not looked at
CHUNK = 1024  # stored steps at a time
MOST = 8  # steps that are looked at, those that stand out most; fewer in larger models
WORK = 8 * 600**3  # what may be spent on them, in cubes of unknowns


def warn_of_singular_positions(result: Result) -> None:
    """Say so where a run has passed so near to a singular position that reactions are unknown."""
    system = result.system
    if system.layout.values or system.layout.motions > LARGEST or len(result) < 7:
        return
    if result.gamma is None or not has_loops(system):
        return
    rows = np.array([k for k, row in enumerate(system.all_rows) if not row.is_angle], dtype=int)
    with np.errstate(all="ignore"):
        worst, largest = differences(result, rows)
    if not 0 < largest < np.inf:
        return
    beside = np.maximum(worst[:-4], worst[4:])
    stands_out = worst[2:-2] > STANDS_OUT * largest
    alone = 2 + np.flatnonzero(stands_out & (worst[2:-2] > ALONE * beside))
    if not len(alone):
        return
    most = min(MOST, max(1, round(WORK / max(1, system.layout.motions) ** 3)))
    some = alone[np.argsort(-worst[alone])][:most]
    try:
        some, lost = singular_steps(result, some)
        tell_errors(result, rows, some, lost)
    except np.linalg.LinAlgError:  # masses or motions of which nothing can be said
        return


def tell_errors(result: Result, rows: np.ndarray, some: np.ndarray, lost: np.ndarray) -> None:
    """Say so where forces of some of these steps are not those of their position and velocity."""
    system = result.system
    if not len(some):
        return
    errors = [force_errors(result, int(k))[rows] for k in some]
    sizes = [np.abs(result.gamma[int(k)][rows]).max() for k in some]
    off = np.array([np.abs(error).max() for error in errors])
    wrong = np.flatnonzero((off > OFF * np.array(sizes)) | lost)
    if not len(wrong):
        return
    first = int(wrong[np.argmax(off[wrong])])
    k, joint = int(some[first]), system.all_rows[rows[np.abs(errors[first]).argmax()]].owner
    others = f" (and {len(wrong) - 1} more times)" if len(wrong) > 1 else ""
    warnings.warn(
        f"'{system.model.name}' passes a singular position at t = {result.time[k]:.6g}{others}, "
        f"beside which forces in joints are hardly determined: that of '{joint}' in this step, of "
        f"up to {sizes[first]:.3g} N, is not that of its position and velocity and may be far off, "
        "as may be those of the next steps; the motion is right, and a smaller step may come "
        "nearer still. Leave such steps out when you look for the largest force, or make joints "
        "elastic (lw.Bushing)",
        LinkworkWarning, stacklevel=users_line(),
    )  # fmt: skip


def has_loops(system: System) -> bool:
    """Whether joints close a loop, through the ground or without it: trees have full rank."""
    root = list(range(system.bodies + 1))  # the last is the ground

    def find(b: int) -> int:
        while root[b] != b:
            root[b] = b = root[root[b]]
        return b

    for e in system.elements:
        if e.entry.rows:
            first, *others = {end if 0 <= end < system.bodies else -1 for end in e.ends}
            for other in others:
                a, b = find(first), find(other)
                if a == b:
                    return True
                root[a] = b
    return False


def differences(result: Result, rows: np.ndarray) -> tuple[np.ndarray, float]:
    """How far forces of stored steps are from the mean of those before and after, and the largest
    force."""
    steps, largest = len(result), 0.0
    worst = np.zeros(steps)
    for begin in range(0, steps, CHUNK):
        first, last = max(begin - 1, 0), min(begin + CHUNK + 1, steps)
        gamma = np.asarray(result.gamma[first:last])[:, rows]
        largest = max(largest, float(np.abs(gamma).max()))
        worst[first + 1 : last - 1] = np.abs(gamma[1:-1] - (gamma[:-2] + gamma[2:]) / 2).max(axis=1)
    return worst, largest


def carried_rows(result: Result, state: State) -> tuple[Evaluation, np.ndarray, np.ndarray]:
    """The evaluation at a state, C_q, and M⁻¹ C_qᵀ."""
    here = result.system.evaluate(state, cM=1.0, cK=0.0, rates=True)
    Cq, M = here.Cq.toarray(), here.stiffness.toarray()
    own = np.diag(M)
    M += np.diag(np.where(own > 0.0, 0.0, own.mean()))  # of turns that joints hold, in a plane
    return here, Cq, np.linalg.solve(M, Cq.T)


def singular_steps(result: Result, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those of some stored steps in which σ is far below its value at the start, and in which of
    them it is below what positions are accurate to."""
    least, rank = 0.0, 0
    near, lost = [], []
    for k in (0, *steps.tolist()):
        _, Cq, carried = carried_rows(result, result.state(int(k)))
        values = np.linalg.eigvalsh(Cq @ carried)[::-1]
        if rank == 0:
            rank = int((values > RANK * values[0]).sum())
            least = float(values[rank - 1])
        elif values[rank - 1] < NEAR**2 * least:
            near.append(k)
            lost.append(values[rank - 1] < LOST * values[0])
    return np.array(near, dtype=int), np.array(lost, dtype=bool)


def force_errors(result: Result, k: int) -> np.ndarray:
    """Δγ of a stored step, (rows,)."""
    state = result.state(k)
    here, Cq, carried = carried_rows(result, state)
    if state.acceleration is None:
        return np.zeros(len(Cq))
    inverse = np.linalg.pinv(Cq @ carried, rcond=RANK, hermitian=True)
    motion = state.motion.copy()
    v = motion[:, 7:].ravel()
    v -= carried @ (inverse @ (Cq @ v + here.Ct))
    motion[:, 7:] = v.reshape(-1, 6)
    moved = replace(state, motion=motion)
    Qc = result.system.evaluate(moved, tangent=False, rates=True).Qc
    return inverse @ (Cq @ state.acceleration.ravel() - Qc)
