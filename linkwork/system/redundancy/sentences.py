"""What to say about rows left out: row d = Σ_j a_j row j, in the names of their joints."""

from __future__ import annotations

import numpy as np

from linkwork.kernels import sparse as sp
from linkwork.system.redundancy.full_rank import RowSpace
from linkwork.system.redundancy.rows import ConstraintRows, Floats, Ints
from linkwork.system.redundancy.self_stress import Component, SelfStress, well_conditioned_rows

NAMES_SHOWN = 4
NEGLIGIBLE = 1e-6  # coefficient of a normalised row in a dependency


def conflicting(part: SelfStress, rows: ConstraintRows) -> Ints:
    """Driven rows fixed by the passive rows and the motors before them (positions in part)."""
    found: list[int] = []
    basis = np.zeros((part.N.shape[1], 0))
    for i in np.flatnonzero(rows.driven[part.rows])[::-1]:
        rest = part.N[i] - basis @ (basis.T @ part.N[i])
        if np.linalg.norm(rest) > NEGLIGIBLE:
            found.append(i)
            basis = np.linalg.qr(np.column_stack([basis, rest]))[0]
    return np.array(found[::-1], dtype=np.intp)


def motor_sentences(
    part: SelfStress, clash: Ints, rows: ConstraintRows, preference: Floats
) -> list[str]:
    if not clash.size:
        return []
    weight = preference[part.rows]
    weight[clash] = 1 / NEGLIGIBLE
    dropped = well_conditioned_rows(part.N, weight)
    size = part.coefficients(dropped)
    sentences = []
    for i in clash:
        row = part.rows[i]
        others = other_joints(part, size[dropped == i], rows, rows.owner[row])
        verb = "fixes" if others.size == 1 else "fix"
        end = "is left out" if i in part.dropped else "can only follow what they allow"
        name = rows.joint_names[rows.owner[row]]
        names = listed(others, rows) if others.size else "its other rows"
        sentences.append(
            f"motor '{name}' drives a direction that {names} already {verb}; it {end}"
        )
    return sentences


def joint_sentences(part: SelfStress, clash: Ints, rows: ConstraintRows) -> list[str]:
    size = part.coefficients(part.dropped)
    owner = rows.owner[part.rows]
    plain = ~np.isin(part.dropped, clash)
    idle = size.max(axis=1) <= NEGLIGIBLE
    sentences = []
    for joint in np.unique(owner[part.dropped[plain]]):
        name, total = rows.joint_names[joint], int(np.sum(owner == joint))
        mine = plain & (owner[part.dropped] == joint)
        if (mine & idle).any():
            words = ", ".join(rows.row_name[i] for i in part.rows[part.dropped[mine & idle]])
            sentences.append(f"joint '{name}': nothing moves its row {words}, which is left out")
        mine &= ~idle
        count = int(mine.sum())
        if not count:
            continue
        others = other_joints(part, size[mine], rows, joint)
        sentences.append(repeating(rows, joint, count, total, others))
    return sentences


def large_sentences(
    part: Component, clash: Ints, rows: ConstraintRows, A: sp.csr_array, space: RowSpace
) -> list[str]:
    """One for each motor, and for each joint or, where they are many, one for all joints."""
    sentences = []
    for i in clash:
        end = "is left out" if i in part.dropped else "can only follow what they allow"
        sentences.append(
            f"motor '{rows.joint_names[rows.owner[i]]}' drives a direction that other joints "
            f"already fix; it {end}"
        )
    plain = part.dropped[~np.isin(part.dropped, clash)]
    joints = np.unique(rows.owner[plain])
    if joints.size > NAMES_SHOWN:
        total = int(np.isin(rows.owner[part.rows], joints).sum())
        sentences.append(
            f"joints {listed(joints, rows)}: {plain.size} of their {total} rows repeat what the "
            "other joints of their loops already impose; reactions in these directions are not "
            "unique"
        )
        return sentences
    for joint in joints:
        mine = plain[rows.owner[plain] == joint]
        shares = np.abs([space.coefficients(A[[i]].toarray()[0]) for i in mine]).max(axis=0)
        others = np.unique(rows.owner[part.kept[shares > NEGLIGIBLE]])
        total = int(np.sum(rows.owner[part.rows] == joint))
        sentences.append(repeating(rows, joint, mine.size, total, others[others != joint]))
    return sentences


def repeating(rows: ConstraintRows, joint: int, count: int, total: int, others: Ints) -> str:
    """That so many rows of a joint repeat what others impose."""
    which = f"{count} of its {total} rows" if count < total else "all its rows"
    if total == 1:
        which = "its row"
    repeat = "repeats" if count == 1 else "repeat"
    impose = "imposes" if others.size == 1 else "impose"
    where = "this direction" if count == 1 else "these directions"
    names = listed(others, rows) if others.size else "its other rows"
    return (
        f"joint '{rows.joint_names[joint]}': {which} {repeat} what {names} already {impose}; "
        f"reactions in {where} are not unique"
    )


def listed(joints: Ints, rows: ConstraintRows) -> str:
    names = ", ".join(f"'{rows.joint_names[j]}'" for j in joints[:NAMES_SHOWN])
    more = joints.size - NAMES_SHOWN
    return f"{names} and {more} more" if more > 0 else names


def other_joints(part: SelfStress, size: Floats, rows: ConstraintRows, joint: int) -> Ints:
    """The other joints with a share in these dependencies."""
    joints = np.unique(rows.owner[part.rows[size.max(axis=0) > NEGLIGIBLE]])
    return joints[joints != joint]
