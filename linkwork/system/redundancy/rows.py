"""The rows of C_q, δC = C_q (δr, θ), and whose they are: what redundancy is judged from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.kernels import sparse as sp
from linkwork.linear_algebra.sparse_rows import SparseRows
from linkwork.system.layout import SIX, Layout

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]

GROUND = -1


@dataclass(frozen=True, eq=False)
class ConstraintRows:
    """The constraint Jacobian at an assembled position, and whose rows they are.

    Cq            sparse, (neq, 6 nb); columns 6b..6b+2 move body b, 6b+3..6b+5 turn it
    owner         (neq,) joint number of each row
    row_name      (neq,) words such as "x" or "ry"
    joint_names   name of each joint
    joint_bodies  bodies of each joint, ground being -1; a joint with one body is tied to ground.
                  A row that is not a function of relative motion must list ground as well
    L             characteristic length, makes rotations and displacements comparable
    driven        (neq,) true for rows that a motor drives (default none)
    spared        (neq,) true for rows that are kept if others can go (default none)
    pressing      (neq,) true for rows whose multipliers load friction (default none)

    ``rotation`` (computed) marks rows that displacements do not enter: their multipliers are
    moments, the others' forces.
    """

    Cq: SparseRows
    owner: Ints
    row_name: Sequence[str]
    joint_names: Sequence[str]
    joint_bodies: Sequence[Sequence[int]]
    L: float = 1.0
    driven: Mask = field(default_factory=lambda: np.zeros(0, bool))
    spared: Mask = field(default_factory=lambda: np.zeros(0, bool))
    pressing: Mask = field(default_factory=lambda: np.zeros(0, bool))
    rotation: Mask = field(init=False)

    def __post_init__(self) -> None:
        Cq = canonical(self.Cq)
        neq = Cq.shape[0]
        object.__setattr__(self, "Cq", Cq)
        object.__setattr__(self, "owner", np.asarray(self.owner, dtype=np.intp))
        for name in ("driven", "spared", "pressing"):
            mask = getattr(self, name)
            given = np.asarray(mask, bool) if len(mask) else np.zeros(neq, bool)
            object.__setattr__(self, name, given)
        self._check_sizes()
        self._check_bodies()
        row, moves = row_of(Cq), ~is_turn(Cq.indices)
        square = np.where(moves, Cq.data, Cq.data / self.L) ** 2
        translation = np.bincount(row[moves], square[moves], neq)
        object.__setattr__(self, "rotation", translation <= 1e-18 * np.bincount(row, square, neq))

    def _check_sizes(self) -> None:
        neq, nj = self.Cq.shape[0], len(self.joint_names)
        if self.Cq.shape[1] % SIX:
            raise ValueError(f"Cq has {self.Cq.shape[1]} columns; expected six for each body")
        for name in ("owner", "driven", "spared", "pressing", "row_name"):
            found = len(getattr(self, name))
            if found != neq:
                raise ValueError(f"{name} has {found} entries; expected one for each of {neq} rows")
        if len(self.joint_bodies) != nj:
            raise ValueError(f"{nj} joint_names, but joint_bodies for {len(self.joint_bodies)}")
        if neq and not 0 <= self.owner.min() <= self.owner.max() < nj:
            raise ValueError(f"owner must lie in 0..{nj - 1}")
        if not (np.isfinite(self.L) and self.L > 0):
            raise ValueError(f"the characteristic length L must be positive, found {self.L}")
        if not np.isfinite(self.Cq.data).all():
            joint = self.owner[row_of(self.Cq)[~np.isfinite(self.Cq.data)][0]]
            raise ValueError(f"joint '{self.joint_names[joint]}': its Jacobian is not finite")

    def _check_bodies(self) -> None:
        """The decomposition rests on the graph, so the graph must know every nonzero."""
        joint, body = joint_body_pairs(self.joint_bodies)
        outside = (body < GROUND) | (body >= self.nb)
        if outside.any():
            name, found = self.joint_names[joint[outside][0]], body[outside][0]
            raise ValueError(
                f"joint '{name}': bodies are numbered 0..{self.nb - 1}, ground -1; found {found}"
            )
        if not self.nb:
            return
        used = self.owner[row_of(self.Cq)] * self.nb + vertex_of(self.Cq.indices)
        used = used[np.flatnonzero(np.diff(used, prepend=-1))]
        stray = used[~np.isin(used, (joint * self.nb + body)[body >= 0])]
        if stray.size:
            j, b = divmod(int(stray[0]), self.nb)
            raise ValueError(
                f"joint '{self.joint_names[j]}': its rows depend on body {b}, which its "
                f"joint_bodies {tuple(self.joint_bodies[j])} do not list"
            )

    def only(self, keep: Mask) -> ConstraintRows:
        """Some of the rows, of the same joints."""
        return ConstraintRows(
            Cq=self.Cq.csr[keep], owner=self.owner[keep],
            row_name=[name for name, k in zip(self.row_name, keep, strict=True) if k],
            joint_names=self.joint_names, joint_bodies=self.joint_bodies, L=self.L,
            driven=self.driven[keep], spared=self.spared[keep], pressing=self.pressing[keep],
        )  # fmt: skip

    @property
    def nb(self) -> int:
        """Number of bodies."""
        return int(self.Cq.shape[1]) // SIX


def as_vertices(
    layout: Layout, Cq: SparseRows, length: float
) -> tuple[SparseRows, dict[int, tuple[int, ...]]]:
    """C_q with six columns for each vertex of the graph, and the vertices of every group.

    Bodies are as they are.  Values of vector nodes are the first three columns of further
    vertices, three values each and counted in sizes of the value over the length L.
    """
    vertices: dict[int, tuple[int, ...]] = {b: (b,) for b in range(GROUND, len(layout.bodies))}
    column, factor = np.arange(layout.motions), np.ones(layout.motions)
    used = len(layout.bodies)
    for k, (node, first) in enumerate(zip(layout.nodes, layout.first)):
        i = np.arange(node.size)
        count = -(-node.size // 3)
        vertices[len(layout.bodies) + k] = tuple(range(used, used + count))
        column[layout.rigid + first + i] = SIX * (used + i // 3) + i % 3
        factor[layout.rigid + first + i] = node.scale / length
        used += count
    return SparseRows(
        Cq.data * factor[Cq.indices], column[Cq.indices], Cq.indptr, (Cq.shape[0], SIX * used)
    ), vertices


def canonical(Cq: Any) -> SparseRows:
    """Sorted rows without duplicates, from these or from a sparse matrix of scipy."""
    if isinstance(Cq, SparseRows):
        if np.all(np.diff(Cq.row * Cq.shape[1] + Cq.indices) > 0):
            return Cq
        Cq = Cq.csr
    Cq = sp.csr_array(Cq)
    if not Cq.has_canonical_format:
        Cq = Cq.copy()
        Cq.sum_duplicates()
    return SparseRows(Cq.data, Cq.indices, Cq.indptr, Cq.shape)


def vertex_of(column: Ints) -> Ints:
    """The vertex (a body, or three values) that each column belongs to."""
    return column // SIX


def is_turn(column: Ints) -> Mask:
    """Which columns are rotations."""
    return column % SIX >= 3


def row_of(Cq: Any) -> Ints:
    """Row number of each stored entry."""
    return np.repeat(np.arange(Cq.shape[0]), np.diff(Cq.indptr))


def joint_body_pairs(joint_bodies: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    count = np.fromiter((len(bodies) for bodies in joint_bodies), np.intp, len(joint_bodies))
    body = np.fromiter(chain.from_iterable(joint_bodies), np.intp, int(count.sum()))
    return np.repeat(np.arange(count.size), count), body
