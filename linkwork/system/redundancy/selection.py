"""Independent rows: keep r = rank Cq rows that impose C = 0 as all of them do.

Component by component, those of full rank set aside first; the rows to leave out are those with
large pivots in (w N)ᵀ, N the self-stresses and w the preference: 1 for joints that close a loop
(later ones first), 0.1 for joints of the spanning tree made of the earliest joints, a
hundredth of these for rows that load friction, 0.001 for driven rows, less for what is inside a
flexible link.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.linear_algebra.sparse_rows import SparseRows
from linkwork.system.layout import SIX
from linkwork.system.redundancy.blocks import batches
from linkwork.system.redundancy.components import joint_components
from linkwork.system.redundancy.elimination import eliminated, fixed_by_others
from linkwork.system.redundancy.full_rank import (
    LARGE,
    RowSpace,
    deficient,
    large_labels,
    without_independent,
)
from linkwork.system.redundancy.rows import (
    ConstraintRows,
    Floats,
    Ints,
    Mask,
    is_turn,
    row_of,
    vertex_of,
)
from linkwork.system.redundancy.self_stress import Component, SelfStress
from linkwork.system.redundancy.sentences import (
    NEGLIGIBLE,
    conflicting,
    joint_sentences,
    large_sentences,
    motor_sentences,
)

TREE_WEIGHT, PRESSING_WEIGHT, DRIVEN_WEIGHT, SPARED_WEIGHT = 0.1, 1e-2, 1e-3, 1e-4
FAR = 1e4  # lengths of bodies this many times apart have scales of their own
NOTHING = 1e-13  # an arm over L that is round-off


@dataclass(frozen=True, eq=False)
class Redundancy:
    """What `independent_rows` found.

    keep           (neq,) true for the rows to step with
    rank           number of these rows
    components     the redundant ones only
    conflicts      driven rows that the other rows already fix (kept where possible)
    messages       sentences for the user
    smallest_kept  smallest pivot (singular value, for a joint by itself) in the whole model
    """

    keep: Mask
    components: list[Component]
    conflicts: Ints
    messages: list[str]
    smallest_kept: float

    @property
    def rank(self) -> int:
        return int(self.keep.sum())

    @property
    def dropped(self) -> Ints:
        return np.flatnonzero(~self.keep)


def independent_rows(
    rows: ConstraintRows, *, tolerance: float = 1e-9, dense: int = LARGE
) -> Redundancy:
    """Choose a well-conditioned set of rows that imposes what all of them impose.

    A pivot below ``tolerance`` · √max(rows, columns), relative to the largest one of its
    component, counts as zero; so does a row ``tolerance`` times smaller than the median row.
    Components of more than ``dense`` rows are looked at without dense matrices first.
    """
    A = scaled(rows, tolerance)
    label, closing = joint_components(rows)
    preference = row_preference(rows, closing)
    suspects, smallest = without_independent(A, label[rows.owner], dense)
    parts: list[SelfStress] = []
    large: list[Component] = []
    conflicts = np.empty(0, np.intp)
    messages: list[str] = []
    for number in large_labels(suspects, dense):
        members = np.flatnonzero(suspects == number)
        block, weight = A.csr[members], preference[members]
        found = eliminated(block, weight, tolerance)
        if found is None:  # close to the tolerance: the dense factorisation decides
            continue
        suspects[members] = -1
        smallest = min(smallest, found.smallest_kept)
        whole = Component(
            members, members[found.keep], members[~found.keep], found.smallest_kept,
            found.largest_dropped,
        )  # fmt: skip
        if whole.dropped.size:
            large.append(whole)
            clash = np.empty(0, np.intp)
            if rows.driven[members].any():
                driven = rows.driven[members]
                clash = members[fixed_by_others(block, found.keep, driven, tolerance)]
            conflicts = np.append(conflicts, clash)
            messages += large_sentences(whole, clash, rows, A.csr, found.space)
    for batch in batches(A, suspects):
        owner = rows.owner[batch.rows]
        alone = (owner == owner[:, :1]).all(axis=1)
        blocks = batch.dense(A.data)
        suspect = ~alone
        if alone.any():
            suspect[alone], least = deficient(blocks[alone], tolerance)
            smallest = min(smallest, least)
        for block, members in zip(blocks[suspect], batch.rows[suspect], strict=True):
            part = SelfStress.of(block, members, preference, tolerance)
            smallest = min(smallest, part.smallest_kept)
            if part.dropped.size:
                parts.append(part)
    parts.sort(key=lambda part: int(part.rows[part.dropped[0]]))
    keep = np.ones(A.shape[0], bool)
    for component in large:
        keep[component.dropped] = False
    for part in parts:
        keep[part.rows[part.dropped]] = False
        clash = conflicting(part, rows)
        conflicts = np.append(conflicts, part.rows[clash])
        messages += motor_sentences(part, clash, rows, preference)
        messages += joint_sentences(part, clash, rows)
    components = large + [part.component() for part in parts]
    return Redundancy(keep, components, np.sort(conflicts), messages, smallest)


def shared_rows(rows: ConstraintRows, redundancy: Redundancy, tolerance: float = 1e-9) -> Mask:
    """Rows that load friction and whose multipliers are not unique: a self-stress changes them."""
    A, shared = scaled(rows, tolerance).csr, ~redundancy.keep
    for part in redundancy.components:
        if rows.pressing[part.kept].any():
            space = RowSpace(A[part.kept])
            for i in part.dropped:
                shares = np.abs(space.coefficients(A[[i]].toarray()[0]))
                shared[part.kept[shares > NEGLIGIBLE]] = True
    return shared & rows.pressing


def scaled(rows: ConstraintRows, tolerance: float) -> SparseRows:
    """Cq with rotation columns over a length and rows of length one (or zero)."""
    Cq, row = rows.Cq, row_of(rows.Cq)
    turns = is_turn(Cq.indices)
    data = np.where(turns, Cq.data / body_lengths(rows)[vertex_of(Cq.indices)], Cq.data)
    norm = np.sqrt(np.bincount(row, data**2, Cq.shape[0]))
    own = np.where(rows.rotation[row], Cq.data, data)  # angles are not compared with lengths
    size = np.sqrt(np.bincount(row, own**2, Cq.shape[0]))
    something = size > tolerance * np.median(size[size > 0]) if size.any() else size > 0
    factor = np.divide(1.0, norm, out=np.zeros_like(norm), where=something)
    return SparseRows(data * factor[row], Cq.indices, Cq.indptr, Cq.shape)


def body_lengths(rows: ConstraintRows) -> Floats:
    """L for every body, or its longest arm where that is of quite another size.

    Scaling columns changes no rank, but beside arms of 10¹² m those of 1 m would be round-off.
    """
    Cq = rows.Cq
    arms = is_turn(Cq.indices) & ~rows.rotation[row_of(Cq)]
    longest = np.zeros(rows.nb)
    np.maximum.at(longest, vertex_of(Cq.indices[arms]), np.abs(Cq.data[arms]))
    usual = (longest < FAR * rows.L) & (longest > rows.L / FAR)
    return np.where(usual | (longest < NOTHING * rows.L), rows.L, longest)


def row_preference(rows: ConstraintRows, closing: Mask) -> Floats:
    """Weight of each row in the choice of rows to leave out (large: leave out gladly)."""
    later = 0.9 + 0.1 * (np.arange(closing.size) + 1) / max(closing.size, 1)
    weight = (later * np.where(closing, 1.0, TREE_WEIGHT))[rows.owner]
    weight = np.where(rows.pressing, PRESSING_WEIGHT * weight, weight)
    weight = np.where(rows.spared, SPARED_WEIGHT * weight, weight)
    return np.where(rows.driven, DRIVEN_WEIGHT * weight, weight)


def degrees_of_freedom(nb: int, redundancy: Redundancy) -> int:
    """6 nb − rank, at the position where the rows were evaluated."""
    return SIX * nb - redundancy.rank
