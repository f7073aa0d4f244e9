"""What to say about rows left out: row d = Σ_j a_j row j, in the names of their joints."""

from __future__ import annotations

import numpy as np

from linkwork.system.redundancy.rows import ConstraintRows, Floats, Ints
from linkwork.system.redundancy.self_stress import SelfStress, well_conditioned_rows

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
        others, several = other_joints(part, size[dropped == i], rows, rows.owner[row])
        verb = "fix" if several else "fixes"
        end = "is left out" if i in part.dropped else "can only follow what they allow"
        name = rows.joint_names[rows.owner[row]]
        sentences.append(
            f"motor '{name}' drives a direction that {others} already {verb}; it {end}"
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
        others, several = other_joints(part, size[mine], rows, joint)
        which = f"{count} of its {total} rows" if count < total else "all its rows"
        if total == 1:
            which = "its row"
        repeat = "repeats" if count == 1 else "repeat"
        impose = "impose" if several else "imposes"
        where = "this direction" if count == 1 else "these directions"
        sentences.append(
            f"joint '{name}': {which} {repeat} what {others} already {impose}; "
            f"reactions in {where} are not unique"
        )
    return sentences


def other_joints(
    part: SelfStress, size: Floats, rows: ConstraintRows, joint: int
) -> tuple[str, bool]:
    """Names of the other joints with a share in these dependencies, and whether several."""
    taking_part = part.rows[size.max(axis=0) > NEGLIGIBLE]
    joints = np.unique(rows.owner[taking_part])
    joints = joints[joints != joint]
    if not joints.size:
        return "its other rows", True
    names = ", ".join(f"'{rows.joint_names[j]}'" for j in joints[:NAMES_SHOWN])
    more = joints.size - NAMES_SHOWN
    return (f"{names} and {more} more" if more > 0 else names), joints.size > 1
