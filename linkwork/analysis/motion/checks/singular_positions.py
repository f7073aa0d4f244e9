"""Reactions beside a singular position, where a step cannot know them.

Beside a position in which C_q loses rank, such as the flat one of parallelograms in a row, forces
in the joints of rigid bodies grow as 1/σ, with σ the least singular value of C_q, or cancel; errors
of accelerations, some h² in implicit steps, enter them as h²/σ².  The steps nearest to the position
come within σ ~ h of it: their forces may be off by any factor, however small the step, while
positions and velocities are as good as elsewhere.

Such steps stand out by themselves: a force that differs from the mean of those before and after it.
Where that happens and σ is far below its value at the start, it is told.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.result import Result
from linkwork.system.system import System

OFF = 0.01  # of the largest force: what is told
ALONE = 3.0  # times what forces differ by two steps before and after
NEAR = 0.05  # of the least singular value at the start
RANK = 1e-9  # of the largest singular value: zero
LARGEST = 600  # unknowns of bodies; larger models are not looked at
CHUNK = 1024  # stored steps at a time
MOST = 8  # steps that are looked at, those that stand out most


def warn_of_singular_positions(result: Result) -> None:
    """Say so where a run has passed so near to a singular position that reactions are unknown."""
    system = result.system
    if system.layout.values or 6 * system.bodies > LARGEST or len(result) < 7:
        return
    if result.gamma is None or not has_loops(system):
        return
    rows = np.array([k for k, row in enumerate(system.all_rows) if not row.is_angle], dtype=int)
    with np.errstate(all="ignore"):
        worst, whose, largest = differences(result, rows)
    if not 0 < largest < np.inf:
        return
    beside = np.maximum(worst[:-4], worst[4:])
    alone = 2 + np.flatnonzero((worst[2:-2] > OFF * largest) & (worst[2:-2] > ALONE * beside))
    if not len(alone):
        return
    some = alone[np.argsort(-worst[alone])][:MOST]
    least = least_singular_values(result, np.concatenate([[0], some]))
    near = some[least[1:] < NEAR * least[0]]
    if not len(near):
        return
    k = int(near[0])
    joint = system.all_rows[whose[k]].owner
    others = f" (and {len(near) - 1} more times)" if len(near) > 1 else ""
    warnings.warn(
        f"'{system.model.name}' passes a singular position at t = {result.time[k]:.6g}{others}, "
        "beside which forces in joints of rigid bodies are hardly determined and may grow without "
        f"bound: those of that step, {worst[k]:.3g} N in '{joint}', may be wrong, whatever the "
        "step; the motion is right. Leave such steps out when you look for the largest force, or "
        "make joints elastic (lw.Bushing)",
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


def differences(result: Result, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """How far forces of stored steps are from the mean of those before and after, whose they are
    (rows), and the largest force."""
    steps, largest = len(result), 0.0
    worst, whose = np.zeros(steps), np.zeros(steps, dtype=int)
    for begin in range(0, steps, CHUNK):
        first, last = max(begin - 1, 0), min(begin + CHUNK + 1, steps)
        gamma = np.asarray(result.gamma[first:last])[:, rows]
        largest = max(largest, float(np.abs(gamma).max()))
        off = np.abs(gamma[1:-1] - (gamma[:-2] + gamma[2:]) / 2)
        worst[first + 1 : last - 1] = off.max(axis=1)
        whose[first + 1 : last - 1] = rows[off.argmax(axis=1)]
    return worst, whose, largest


def least_singular_values(result: Result, steps: np.ndarray) -> np.ndarray:
    """The least singular value of C_q at some stored steps that is not zero at the first."""
    system = result.system
    motion = np.stack([result.motion[int(k)] for k in steps])
    jacobians = system.dense_jacobians(result.time[steps], motion)
    scale = np.tile(np.repeat([system.length, 1.0], 3), system.bodies)
    values = np.linalg.svd(jacobians * scale, compute_uv=False)
    rank = int((values[0] > RANK * values[0, 0]).sum())
    return values[:, rank - 1]
