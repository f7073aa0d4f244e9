"""Reactions beside a singular position, where a step cannot know them.

Beside a position in which C_q loses rank, such as the flat one of parallelograms in a row, forces
in the joints of rigid bodies grow as 1/σ, with σ the least singular value of C_q, or cancel.  An
error of the position by δ then changes them by δ/σ of themselves, and accelerations that satisfy
the constraints up to some h², those of implicit steps, change them by h²/σ²: where a step comes
within σ ~ h of the position, by any factor, while positions and velocities are as good as
elsewhere.  The first follows from the accuracy of the motion; the second is looked for here.

The force of a step then differs from the mean of those before and after it, or that of its
neighbours does: it changes its sign with σ, so that a force which is lost in between is nothing
conspicuous by itself.  Hence all steps beside such a difference are looked at, and in joint
coordinates those with small pivots of the loops' equations.  There the error is that of multipliers
whose accelerations satisfy the constraints, with velocities that do,

    C_q M⁻¹ C_qᵀ Δγ = C_q v̇ − Q_c(q, v − M⁻¹C_qᵀ μ),     C_q M⁻¹ C_qᵀ μ = C_q v + C_t

and it is told where it is a good part of the forces.  So are forces that positions do not decide:
joints that are open by ε, at least by round-off, let the mechanism move by ε/σ without resistance;
velocities then point elsewhere by a part ε/σ² of themselves, and forces change by ε/σ⁴ of what
centrifugal ones are.  They are computed once more at a position that is moved so.  A look costs as
much as five to twenty implicit steps (constraint_forces), so one in a hundred is looked at, and a
few more.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.analysis.motion.checks.singular.branches import tell_branches
from linkwork.analysis.motion.checks.singular.constraint_forces import ConstraintForces
from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.result import Result
from linkwork.system.system import System

OFF = 0.05  # of the largest force in a step: what is told
NEAR = 0.05  # of σ elsewhere in the run
STANDS_OUT = 0.01  # of the largest force in three steps: differences that are looked at
ALONE = 3.0  # times what forces differ by some steps before and after
APART = 4  # steps: how wide the forces of a singular position are at most
BESIDE = 2  # steps before and after one that stands out, which are looked at as well
SMALL_PIVOT = 1e-7  # of the loops' equations in joint coordinates: looked at in any case
CHUNK = 1024  # stored steps at a time
MOST = 8  # steps that are looked at, and
PART = 0.01  # of the steps


def warn_of_singular_positions(result: Result) -> None:
    """Say so where a run has passed so near to a singular position that reactions are unknown."""
    system = result.system
    if system.layout.values or len(result) < 7:
        return
    if result.gamma is None or not has_loops(system):
        return
    rows = np.array([k for k, row in enumerate(system.all_rows) if not row.is_angle], dtype=int)
    with np.errstate(all="ignore"):
        worst, size = differences(result, rows)
    if not 0 < size.max() < np.inf:
        return
    some = suspects(result, worst, size)
    if not len(some):
        return
    try:
        with np.errstate(all="ignore"):
            forces = ConstraintForces(result)
            tell_errors(result, forces, rows, some)
            tell_branches(result, forces, some, size)
    except (np.linalg.LinAlgError, RuntimeError):  # masses of which nothing can be said
        return


def suspects(result: Result, worst: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Stored steps that may be beside a singular position, at most as many as may be looked at."""
    most = MOST + int(PART * len(result))
    pivot = result.arrays.get("loop_pivot")
    small = np.zeros(0, int)
    if pivot is not None:
        pivot = np.asarray(pivot).reshape(len(result))
        small = np.flatnonzero(pivot < SMALL_PIVOT)
        small = small[np.argsort(pivot[small], kind="stable")][:most]
    local = np.maximum(size, np.maximum(shifted(size, 1), shifted(size, -1)))
    beside = np.minimum(shifted(worst, APART), shifted(worst, -APART))
    alone = np.flatnonzero((worst > STANDS_OUT * local) & (worst > ALONE * beside))
    first = alone[np.argsort(-worst[alone], kind="stable")]
    most_of_all = alone[np.argsort(-worst[alone] / local[alone], kind="stable")]
    found: dict[int, None] = dict.fromkeys(small.tolist())
    for pair in zip(first.tolist(), most_of_all.tolist(), strict=True):
        for k in pair:
            found.update(dict.fromkeys(range(k - BESIDE, k + BESIDE + 1)))
        if len(found) >= most:
            break
    return np.array([k for k in found if 0 < k < len(result)], dtype=int)[:most]


def tell_errors(
    result: Result, forces: ConstraintForces, rows: np.ndarray, some: np.ndarray
) -> None:
    """Say so where forces of some of these steps are not those of their position and velocity."""
    system = result.system
    wrong, worst, joint, most, largest = [], 0, "", -1.0, 0.0
    for k in sorted(some.tolist()):
        least, place = forces.at(k)
        if not least < NEAR**2 * forces.usual:
            continue
        (found, unknown), gamma = forces.errors(k, place), result.gamma[k][rows]
        errors = np.maximum(np.abs(found), np.abs(unknown))[rows]
        off, force = float(errors.max()), float(np.abs(gamma).max())
        if off <= OFF * force:
            continue
        wrong.append(k)
        if off > most or len(wrong) == 1:
            row = int(errors.argmax() if off < np.inf else np.abs(gamma).argmax())
            worst, joint, most, largest = k, system.all_rows[rows[row]].owner, off, force
    if not wrong:
        return
    others = f" (and {len(wrong) - 1} more times)" if len(wrong) > 1 else ""
    warnings.warn(
        f"'{system.model.name}' passes a singular position at t = {result.time[worst]:.6g}{others}"
        f", beside which forces in joints are hardly determined: that of '{joint}' in this step, "
        f"of up to {largest:.3g} N, is not that of its position and velocity and may be far off, "
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


def differences(result: Result, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far forces of stored steps are from the mean of those before and after; their sizes."""
    steps = len(result)
    worst, size = np.zeros(steps), np.zeros(steps)
    for begin in range(0, steps, CHUNK):
        first, last = max(begin - 1, 0), min(begin + CHUNK + 1, steps)
        gamma = np.asarray(result.gamma[first:last])[:, rows]
        size[first:last] = np.abs(gamma).max(axis=1)
        worst[first + 1 : last - 1] = np.abs(gamma[1:-1] - (gamma[:-2] + gamma[2:]) / 2).max(axis=1)
    return worst, size


def shifted(a: np.ndarray, by: int) -> np.ndarray:
    """a[k + by], with zero beyond the ends."""
    out = np.zeros_like(a)
    if by > 0:
        out[:-by] = a[by:]
    else:
        out[-by:] = a[:by]
    return out
