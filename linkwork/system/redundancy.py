"""Which constraint rows are independent, and what to say about the others.

Rows of Cq are redundant when some multipliers load no body: Cqᵀ y = 0 with y ≠ 0, a state of
self-stress. A joint row is a function of relative motion only, so the wrenches it puts on its
bodies balance each other, and a self-stress is a flow of wrenches through the joint graph
(vertices: bodies and ground, edges: joints) that is conserved at every vertex. Cut the graph at
an articulation vertex: nothing flows into the part cut off, so the flow restricted to each
biconnected component is a self-stress by itself, and across a bridge it vanishes. Hence

    rank Cq = Σ rank Cq[rows of one component],

with a bridge, or any joint alone in its component, as the smallest one. A joint of more than two
bodies is a star of edges from its first body; components that share such a joint are one.

In each component, with columns scaled (rotations by 1/L) and rows normalised,

1. column-pivoted QR of Cqᵀ gives the rank r and an orthonormal basis N of the self-stresses;
2. the rows to leave out, D, are chosen by column-pivoted QR of (w N)ᵀ. The smallest singular
   value of the kept rows is at least σ_r(Cq) σ_min(N[D]), so large pivots here are good
   conditioning there, and the weights w state a preference at a bounded price: 1 for joints that
   close a loop (later ones first), 0.1 for joints of the spanning tree made of the earliest
   joints, 0.001 for driven rows.

Off the constraint manifold dependent rows look independent: evaluate Cq at an assembled position.
Cost: a component of m rows takes O(m³) operations and 8 m n bytes (dense); the rest is linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import splu
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]

GROUND = -1
LARGE = 300  # rows of a component that are first looked at without a dense factorisation
SURE = 1e-6  # smallest singular value of normalised rows that are independent beyond doubt
TREE_WEIGHT, DRIVEN_WEIGHT = 0.1, 1e-3
NAMES_SHOWN = 4
NEGLIGIBLE = 1e-6  # coefficient of a normalised row in a dependency


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

    ``rotation`` (computed) marks rows that displacements do not enter: their multipliers are
    moments, the others' forces.
    """

    Cq: sp.csr_array
    owner: Ints
    row_name: Sequence[str]
    joint_names: Sequence[str]
    joint_bodies: Sequence[Sequence[int]]
    L: float = 1.0
    driven: Mask = field(default_factory=lambda: np.zeros(0, bool))
    rotation: Mask = field(init=False)

    def __post_init__(self) -> None:
        Cq = _canonical(self.Cq)
        neq = Cq.shape[0]
        driven = np.asarray(self.driven, bool) if len(self.driven) else np.zeros(neq, bool)
        object.__setattr__(self, "Cq", Cq)
        object.__setattr__(self, "owner", np.asarray(self.owner, dtype=np.intp))
        object.__setattr__(self, "driven", driven)
        self._check_sizes()
        self._check_bodies()
        row, square, moves = _row_of(Cq), Cq.data**2, Cq.indices % 6 < 3
        translation = np.bincount(row[moves], square[moves], neq)
        object.__setattr__(self, "rotation", translation <= 1e-18 * np.bincount(row, square, neq))

    def _check_sizes(self) -> None:
        neq, nj = self.Cq.shape[0], len(self.joint_names)
        if self.Cq.shape[1] % 6:
            raise ValueError(f"Cq has {self.Cq.shape[1]} columns; expected six for each body")
        for name in ("owner", "driven", "row_name"):
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
            joint = self.owner[_row_of(self.Cq)[~np.isfinite(self.Cq.data)][0]]
            raise ValueError(f"joint '{self.joint_names[joint]}': its Jacobian is not finite")

    def _check_bodies(self) -> None:
        """The decomposition rests on the graph, so the graph must know every nonzero."""
        joint, body = _joint_body_pairs(self.joint_bodies)
        outside = (body < GROUND) | (body >= self.nb)
        if outside.any():
            name, found = self.joint_names[joint[outside][0]], body[outside][0]
            raise ValueError(
                f"joint '{name}': bodies are numbered 0..{self.nb - 1}, ground -1; found {found}"
            )
        if not self.nb:
            return
        used = self.owner[_row_of(self.Cq)] * self.nb + self.Cq.indices // 6
        used = used[np.flatnonzero(np.diff(used, prepend=-1))]
        stray = used[~np.isin(used, (joint * self.nb + body)[body >= 0])]
        if stray.size:
            j, b = divmod(int(stray[0]), self.nb)
            raise ValueError(
                f"joint '{self.joint_names[j]}': its rows depend on body {b}, which its "
                f"joint_bodies {tuple(self.joint_bodies[j])} do not list"
            )

    @property
    def nb(self) -> int:
        """Number of bodies."""
        return int(self.Cq.shape[1]) // 6


@dataclass(frozen=True, eq=False)
class Component:
    """A part of the mechanism with more rows than its rank; row numbers are the model's.

    Pivots are of normalised rows: the smallest kept is a measure of conditioning (1 is perfect),
    the largest dropped is what was taken for zero (the error of assembly).
    """

    rows: Ints
    kept: Ints
    dropped: Ints
    smallest_kept: float
    largest_dropped: float


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


def independent_rows(rows: ConstraintRows, *, tolerance: float = 1e-9) -> Redundancy:
    """Choose a well-conditioned set of rows that imposes what all of them impose.

    A pivot below ``tolerance`` · √max(rows, columns), relative to the largest one of its
    component, counts as zero; so does a row ``tolerance`` times smaller than the median row.
    """
    A = _scaled(rows, tolerance)
    label, closing = _joint_components(rows)
    preference = _preference(rows, closing)
    suspects, smallest = _without_independent(A, label[rows.owner])
    parts: list[_SelfStress] = []
    for batch in _batches(A, suspects):
        owner = rows.owner[batch.rows]
        alone = (owner == owner[:, :1]).all(axis=1)
        dense = batch.dense(A.data)
        suspect = ~alone
        if alone.any():
            suspect[alone], least = _deficient(dense[alone], tolerance)
            smallest = min(smallest, least)
        for block, members in zip(dense[suspect], batch.rows[suspect], strict=True):
            part = _SelfStress.of(block, members, preference, tolerance)
            smallest = min(smallest, part.smallest_kept)
            if part.dropped.size:
                parts.append(part)
    parts.sort(key=lambda part: int(part.rows[part.dropped[0]]))
    keep = np.ones(A.shape[0], bool)
    conflicts = np.empty(0, np.intp)
    messages: list[str] = []
    for part in parts:
        keep[part.rows[part.dropped]] = False
        clash = _conflicting(part, rows)
        conflicts = np.append(conflicts, part.rows[clash])
        messages += _motor_sentences(part, clash, rows, preference)
        messages += _joint_sentences(part, clash, rows)
    components = [part.component() for part in parts]
    return Redundancy(keep, components, np.sort(conflicts), messages, smallest)


def degrees_of_freedom(nb: int, redundancy: Redundancy) -> int:
    """6 nb − rank, at the position where the rows were evaluated."""
    return 6 * nb - redundancy.rank


class MinimumNorm:
    """Reactions over all rows: the same forces Cqᵀ y, the smallest norm.

    The norm is √Σ(w y)² over the rows of each redundant component, w = 1 for a row that
    displacements enter (y is a force) and 1/L for a row of rotations only (y is a moment, y/L a
    force), or the ``weight`` given. Multipliers outside redundant components stay as they are.

    With x = W y and B = W⁻¹ Cq, the answer is x less its part in the null space of Bᵀ. Its
    dimension is the one `Redundancy` found, so being slightly off the manifold does no harm.
    """

    def __init__(
        self, rows: ConstraintRows, redundancy: Redundancy, *, weight: Floats | None = None
    ) -> None:
        self.L = rows.L
        self.weight = np.where(rows.rotation, 1 / rows.L, 1.0) if weight is None else weight
        self.last = ~redundancy.keep
        self.label = np.full(rows.Cq.shape[0], -1, np.intp)
        for number, component in enumerate(redundancy.components):
            self.label[component.rows] = number
        self.indptr, self.indices = rows.Cq.indptr, rows.Cq.indices
        self.plan = self._plan(rows.Cq)

    def _plan(self, Cq: sp.csr_array) -> tuple[list[_Batch], Floats]:
        """Where each nonzero goes, and its scale; valid for this sparsity pattern."""
        scale = np.where(Cq.indices % 6 >= 3, 1 / self.L, 1.0) / self.weight[_row_of(Cq)]
        return _batches(Cq, self.label, last=self.last), scale

    def __call__(self, Cq: sp.csr_array, y: Floats) -> Floats:
        """Multipliers over all rows with the forces of ``y`` (which has 0 in left-out rows)."""
        result = np.array(y, dtype=float)
        if not self.plan[0]:
            return result
        batches, scale = self.plan
        if not _same_pattern(Cq, self.indptr, self.indices):
            Cq = _canonical(Cq)
            batches, scale = self._plan(Cq)
        data = Cq.data * scale
        for batch in batches:
            N = _null_space(batch.dense(data), batch.last)
            x = (result[batch.rows] * self.weight[batch.rows])[..., None]
            x = x - N @ (N.swapaxes(1, 2) @ x)
            result[batch.rows] = x[..., 0] / self.weight[batch.rows]
        return result


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Left-out rows that are violated, with their error as a length; true when there is none."""

    rows: Ints
    error: Floats
    messages: list[str]

    def __bool__(self) -> bool:
        return self.rows.size == 0


def consistent(
    rows: ConstraintRows, redundancy: Redundancy, C: Floats, *, tolerance: float = 1e-6
) -> LeftOut:
    """Do the rows left out still hold? The tolerance is a length; rotation rows count L times."""
    dropped = redundancy.dropped
    error = np.abs(np.asarray(C)[dropped]) * np.where(rows.rotation[dropped], rows.L, 1.0)
    bad = ~(error <= tolerance)  # so that nan is bad
    messages = [
        f"joint '{rows.joint_names[rows.owner[i]]}', row {rows.row_name[i]}: left out as "
        f"redundant but violated by {abs(C[i]):.2g}; the independent rows must be chosen again"
        for i in dropped[bad]
    ]
    return LeftOut(dropped[bad], error[bad], messages)


# The joint graph


def _joint_body_pairs(joint_bodies: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    count = np.fromiter((len(bodies) for bodies in joint_bodies), np.intp, len(joint_bodies))
    body = np.fromiter(chain.from_iterable(joint_bodies), np.intp, int(count.sum()))
    return np.repeat(np.arange(count.size), count), body


def _joint_components(rows: ConstraintRows) -> tuple[Ints, Mask]:
    """Component of each joint, and the joints outside the tree of the earliest ones."""
    nj, nv = len(rows.joint_names), rows.nb + 1
    joint, u, v = _star_edges(rows)
    edge, first, inverse = np.unique(
        np.minimum(u, v) * nv + np.maximum(u, v), return_index=True, return_inverse=True
    )
    low, high = edge // nv, edge % nv
    # Kruskal with the joint number as weight: explicit +1 because a stored 0 is no edge.
    graph = sp.csr_array((joint[first] + 1.0, (low, high)), shape=(nv, nv))
    tree = minimum_spanning_tree(graph).tocoo()
    in_tree = np.isin(edge, tree.row.astype(np.intp) * nv + tree.col)
    block = np.arange(edge.size) if in_tree.all() else _biconnected(low, high, edge, nv)
    closing = np.zeros(nj, bool)
    closing[joint[~in_tree[inverse] | (joint != joint[first][inverse])]] = True
    # Joints and blocks as vertices: blocks that share a joint become one component.
    size = nj + edge.size
    share = sp.csr_array((np.ones(joint.size), (joint, nj + block[inverse])), shape=(size, size))
    return connected_components(share, directed=False)[1][:nj].astype(np.intp), closing


def _star_edges(rows: ConstraintRows) -> tuple[Ints, Ints, Ints]:
    """Edges (joint, u, v) from the first body of each joint to its others; ground is nb."""
    joint, body = _joint_body_pairs(rows.joint_bodies)
    count = np.bincount(joint, minlength=len(rows.joint_bodies))
    lone = np.flatnonzero(count == 1)
    joint, body = np.append(joint, lone), np.append(body, np.full(lone.size, GROUND))
    order = np.argsort(joint, kind="stable")
    joint, body = joint[order], body[order] % (rows.nb + 1)
    centre = body[np.searchsorted(joint, joint)]
    real = centre != body
    return joint[real], centre[real], body[real]


def _biconnected(low: Ints, high: Ints, edge: Ints, nv: int) -> Ints:
    """Biconnected component of each edge (edges given as sorted keys low · nv + high)."""
    import networkx as nx  # a tree never gets here, and need not wait for it

    graph = nx.Graph()
    graph.add_edges_from(zip(low.tolist(), high.tolist(), strict=True))
    block = np.empty(edge.size, np.intp)
    for number, edges in enumerate(nx.biconnected_component_edges(graph)):
        pair = np.sort(np.array(edges, dtype=np.intp), axis=1)
        block[np.searchsorted(edge, pair[:, 0] * nv + pair[:, 1])] = number
    return block


# Sparse rows into dense blocks


def _canonical(Cq: sp.csr_array) -> sp.csr_array:
    Cq = sp.csr_array(Cq)
    if not Cq.has_canonical_format:
        Cq = Cq.copy()
        Cq.sum_duplicates()
    return Cq


def _row_of(Cq: sp.csr_array) -> Ints:
    """Row number of each stored entry."""
    return np.repeat(np.arange(Cq.shape[0]), np.diff(Cq.indptr))


def _same_pattern(Cq: sp.csr_array, indptr: Ints, indices: Ints) -> bool:
    return Cq.format == "csr" and all(
        a is b or np.array_equal(a, b) for a, b in ((Cq.indptr, indptr), (Cq.indices, indices))
    )


def _scaled(rows: ConstraintRows, tolerance: float) -> sp.csr_array:
    """Cq with rotation columns over L and rows of length one (or zero)."""
    Cq, row = rows.Cq, _row_of(rows.Cq)
    data = np.where(Cq.indices % 6 >= 3, Cq.data / rows.L, Cq.data)
    norm = np.sqrt(np.bincount(row, data**2, Cq.shape[0]))
    something = norm > tolerance * np.median(norm[norm > 0]) if norm.any() else norm > 0
    factor = np.divide(1.0, norm, out=np.zeros_like(norm), where=something)
    return sp.csr_array((data * factor[row], Cq.indices, Cq.indptr), shape=Cq.shape)


@dataclass(frozen=True, eq=False)
class _Batch:
    """Blocks of equal shape: ``rows`` (g, m) are the model's; the ``last`` ones come last."""

    rows: Ints
    last: int
    shape: tuple[int, int, int]
    source: Ints
    target: Ints

    def dense(self, data: Floats) -> Floats:
        block = np.zeros(self.shape)
        block.reshape(-1)[self.target] = data[self.source]
        return block


def _batches(A: sp.csr_array, label: Ints, *, last: Mask | None = None) -> list[_Batch]:
    """Dense blocks of the rows of equal label (a negative label is left out), by shape."""
    last = np.zeros(label.size, bool) if last is None else last
    order = np.lexsort((last, label))
    order = order[label[order] >= 0]
    if not order.size:
        return []
    _, start, group, m = np.unique(
        label[order], return_index=True, return_inverse=True, return_counts=True
    )
    group_of, local = np.full(label.size, -1, np.intp), np.zeros(label.size, np.intp)
    group_of[order], local[order] = group, np.arange(order.size) - start[group]

    row, nb = _row_of(A), max(A.shape[1] // 6, 1)
    entry = np.flatnonzero(group_of[row] >= 0)
    row, column = row[entry], A.indices[entry].astype(np.intp)
    pair, slot = np.unique(group_of[row] * nb + column // 6, return_inverse=True)
    slot -= np.searchsorted(pair, np.arange(m.size) * nb)[group_of[row]]
    n = 6 * np.maximum(np.bincount(pair // nb, minlength=m.size), 1)
    k = np.bincount(group, last[order], m.size).astype(np.intp)

    kinds, kind = np.unique(np.stack([m, n, k], axis=1), axis=0, return_inverse=True)
    kind = kind.reshape(-1)  # numpy 2.0 alone keeps the axis
    by_kind = np.argsort(kind[group_of[row]], kind="stable")
    cuts = np.searchsorted(kind[group_of[row]][by_kind], np.arange(len(kinds) + 1))
    place = np.empty(m.size, np.intp)
    result = []
    for number, (mk, nk, kk) in enumerate(kinds.tolist()):
        groups = np.flatnonzero(kind == number)
        place[groups] = np.arange(groups.size)
        mine = by_kind[cuts[number] : cuts[number + 1]]
        r = row[mine]
        target = (place[group_of[r]] * mk + local[r]) * nk + 6 * slot[mine] + column[mine] % 6
        members = order[start[groups][:, None] + np.arange(mk)]
        result.append(_Batch(members, kk, (groups.size, mk, nk), entry[mine], target))
    return result


# Rank, null space, choice


def _without_independent(A: sp.csr_array, label: Ints) -> tuple[Ints, float]:
    """Labels of rows, negative for large components that surely have full rank; their least σ."""
    number, count = np.unique(label[label >= 0], return_counts=True)
    label, smallest = label.copy(), 1.0
    for component in number[count > LARGE]:
        members = label == component
        sigma = _smallest_singular_value(A[members])
        if sigma > SURE:
            label[members] = -1
            smallest = min(smallest, sigma)
    return label, smallest


def _smallest_singular_value(A: sp.csr_array) -> float:
    """σ_min by inverse iteration on A Aᵀ through the sparse [[I, Aᵀ], [A, 0]]; 0 if singular."""
    A = A[:, np.unique(A.indices)]
    m, n = A.shape
    if m > n:
        return 0.0
    try:
        lu = splu(sp.block_array([[sp.eye_array(n), A.T], [A, None]]).tocsc())
    except RuntimeError:
        return 0.0
    y = np.cos(np.arange(m) ** 2.0)  # no pattern of the mechanism is orthogonal to this
    size = np.inf
    for _ in range(20):
        y = lu.solve(np.concatenate([np.zeros(n), y / np.linalg.norm(y)]))[n:]
        size = float(np.linalg.norm(y))
    return 1 / np.sqrt(size) if np.isfinite(size) and size > 0 else 0.0


def _deficient(dense: Floats, tolerance: float) -> tuple[Mask, float]:
    """Which blocks of a stack lack full row rank; the smallest singular value of the others."""
    _, m, n = dense.shape
    if m > n:
        return np.ones(len(dense), bool), 1.0
    s = np.linalg.svd(dense, compute_uv=False)
    full = s[:, -1] > tolerance * np.sqrt(max(m, n)) * s[:, 0]
    return ~full, float(s[full, -1].min(initial=1.0))


def _preference(rows: ConstraintRows, closing: Mask) -> Floats:
    """Weight of each row in the choice of rows to leave out (large: leave out gladly)."""
    later = 0.9 + 0.1 * (np.arange(closing.size) + 1) / max(closing.size, 1)
    weight = (later * np.where(closing, 1.0, TREE_WEIGHT))[rows.owner]
    return np.where(rows.driven, DRIVEN_WEIGHT * weight, weight)


@dataclass(frozen=True, eq=False)
class _SelfStress:
    """A component, a basis N (m, k) of its self-stresses, and the k rows to leave out."""

    rows: Ints
    N: Floats
    dropped: Ints  # positions in rows
    smallest_kept: float
    largest_dropped: float

    @classmethod
    def of(cls, A: Floats, rows: Ints, preference: Floats, tolerance: float) -> _SelfStress:
        R, pivot = la.qr(A.T, mode="r", pivoting=True, check_finite=False)
        d = np.abs(np.diag(R))
        r = int(np.sum(d > tolerance * np.sqrt(max(A.shape)) * d[0]))
        m = len(rows)
        if r == m:
            return cls(rows, np.empty((m, 0)), np.empty(0, np.intp), float(d.min()), 0.0)
        N = np.zeros((m, m - r))
        N[pivot[:r]] = -la.solve_triangular(R[:r, :r], R[:r, r:m])
        N[pivot[r:], np.arange(m - r)] = 1
        N = np.linalg.qr(N)[0]
        dropped = _pivots(N, preference[rows])
        left = np.delete(A, dropped, axis=0).T
        kept = np.abs(np.diag(la.qr(left, mode="r", pivoting=True, check_finite=False)[0]))
        return cls(rows, N, dropped, float(kept.min(initial=1.0)), float(d[r:].max(initial=0.0)))

    def component(self) -> Component:
        dropped = self.rows[self.dropped]
        kept = np.delete(self.rows, self.dropped)
        return Component(self.rows, kept, dropped, self.smallest_kept, self.largest_dropped)

    def coefficients(self, dropped: Ints) -> Floats:
        """(k, m) normalised row ``dropped[i]`` = Σ coefficients[i, j] row j, sizes only."""
        size = np.abs(np.linalg.solve(self.N[dropped].T, self.N.T))
        size[:, dropped] = 0
        return size


def _pivots(N: Floats, weight: Floats) -> Ints:
    """As many rows of N as it has columns, with a well-conditioned N[rows]; in order."""
    _, pivot = la.qr((weight[:, None] * N).T, mode="r", pivoting=True, check_finite=False)
    return np.sort(pivot[: N.shape[1]])


def _null_space(B: Floats, k: int) -> Floats:
    """Orthonormal basis (g, m, k) of Bᵀ x = 0, the last k rows of B depending on the others."""
    g, m, _ = B.shape
    N = np.zeros((g, m, k))
    if m > k:
        Q, R = np.linalg.qr(B[:, : m - k].swapaxes(1, 2))
        # In a singular position a kept row may depend on others: any finite answer will do.
        d = np.abs(np.diagonal(R, axis1=1, axis2=2))
        floor = 1e-14 * d.max(axis=1, keepdims=True) + np.finfo(float).tiny
        i = np.arange(m - k)
        R[:, i, i] += np.where(d < floor, floor, 0.0)
        N[:, : m - k] = -np.linalg.solve(R, (B[:, m - k :] @ Q).swapaxes(1, 2))
    N[:, np.arange(m - k, m), np.arange(k)] = 1
    return np.linalg.qr(N)[0]


# Sentences


def _conflicting(part: _SelfStress, rows: ConstraintRows) -> Ints:
    """Driven rows fixed by the passive rows and the motors before them (positions in part)."""
    found: list[int] = []
    basis = np.zeros((part.N.shape[1], 0))
    for i in np.flatnonzero(rows.driven[part.rows])[::-1]:
        rest = part.N[i] - basis @ (basis.T @ part.N[i])
        if np.linalg.norm(rest) > NEGLIGIBLE:
            found.append(i)
            basis = np.linalg.qr(np.column_stack([basis, rest]))[0]
    return np.array(found[::-1], dtype=np.intp)


def _motor_sentences(
    part: _SelfStress, clash: Ints, rows: ConstraintRows, preference: Floats
) -> list[str]:
    if not clash.size:
        return []
    weight = preference[part.rows]
    weight[clash] = 1 / NEGLIGIBLE
    dropped = _pivots(part.N, weight)
    size = part.coefficients(dropped)
    sentences = []
    for i in clash:
        row = part.rows[i]
        others, several = _others(part, size[dropped == i], rows, rows.owner[row])
        verb = "fix" if several else "fixes"
        end = "is left out" if i in part.dropped else "can only follow what they allow"
        name = rows.joint_names[rows.owner[row]]
        sentences.append(
            f"motor '{name}' drives a direction that {others} already {verb}; it {end}"
        )
    return sentences


def _joint_sentences(part: _SelfStress, clash: Ints, rows: ConstraintRows) -> list[str]:
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
        others, several = _others(part, size[mine], rows, joint)
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


def _others(part: _SelfStress, size: Floats, rows: ConstraintRows, joint: int) -> tuple[str, bool]:
    """Names of the other joints with a share in these dependencies, and whether several."""
    taking_part = part.rows[size.max(axis=0) > NEGLIGIBLE]
    joints = np.unique(rows.owner[taking_part])
    joints = joints[joints != joint]
    if not joints.size:
        return "its other rows", True
    names = ", ".join(f"'{rows.joint_names[j]}'" for j in joints[:NAMES_SHOWN])
    more = joints.size - NAMES_SHOWN
    return (f"{names} and {more} more" if more > 0 else names), joints.size > 1
