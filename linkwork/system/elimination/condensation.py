"""Vector nodes that leave the equations first, before the bodies: static condensation.

    x_g = S_gg⁻¹ (r_g − S_gN x_N)
    S_NN ← S_NN − S_Ng S_gg⁻¹ S_gN,     r_N ← r_N − S_Ng S_gg⁻¹ r_g

for a node g that no constraint holds and whose neighbours N are joined to each other already, so
that no new block appears: what an element keeps to itself, the amplitudes or the pressure beside
one body.  A chain of bodies with such nodes then costs what the chain alone does.  What cannot
leave this way (meshes, circuits that join many bodies) is part of the core.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from linkwork.math.memory.records import Floats, Ints, stored

from linkwork.elements.layout import row_width
from linkwork.math.compiled import far, fused_inlined
from linkwork.system.pattern import Pattern

MOST = 32  # unknowns of a node that may leave this way
WEAK = 1e-10  # a smaller pivot of S_gg, relative to its row, is none
# ints of a node: unknowns, first of them, block S_gg, width of its rows, neighbours; where S_gg⁻¹,
# S_gg⁻¹ r_g and S_gg⁻¹ S_gN are in the store; then of each neighbour: first unknown, unknowns,
# blocks S_gj and S_jg, width of the rows of S_gj; then the blocks S_ij of all pairs
(SIZE, FIRST, BLOCK, WIDTH, COUNT, INVERSE, SIDE, REST, HEAD) = range(9)
J_FIRST, J_SIZE, J_GJ, J_JG, J_WIDTH, NEIGHBOUR = range(6)
FACTOR, FORWARD, BACK = range(3)


@stored
class Condensed(NamedTuple):
    """The nodes that leave first, in their order: where their numbers are, and their factors."""

    first: Ints  # of each node among the ints; one more follows the last
    ints: Ints
    store: Floats


def find_condensed(
    pattern: Pattern, vals: np.ndarray, groups: np.ndarray | None = None
) -> tuple[Condensed, np.ndarray]:
    """Which nodes leave first, and their groups; they have left `vals` then.

    groups : those of an earlier elimination, to do the same again
    """
    p = pattern
    near: list[set[int]] = [set() for _ in range(p.moving)]
    held: set[int] = set()
    if p.moving > p.bodies:
        for row, column in p.blocks:
            if row >= p.moving:
                held.add(column)
            elif row != column:
                near[row].add(column)
    records: list[list[int]] = []
    gone: dict[int, None] = {}  # in order, and looked up at once
    size, rest = 0, np.zeros(p.unknowns)
    everyone = sorted(range(p.bodies, p.moving), key=lambda g: len(near[g]))
    todo = deque(everyone if groups is None else groups.tolist())
    while todo:
        g = todo.popleft()
        if g in gone or (groups is None and (g in held or not leaves(p, g, near[g], vals))):
            continue
        neighbours = sorted(near[g])
        record, end = numbers_of(p, g, neighbours, 0)
        condense(Condensed(np.array([0, len(record)]), np.array(record), np.zeros(end)),
                 vals, rest, FACTOR)  # fmt: skip
        record, size = numbers_of(p, g, neighbours, size)
        records.append(record)
        gone[g] = None
        for j in neighbours:
            near[j].discard(g)
            if j >= p.bodies and groups is None:
                todo.append(j)
    first = np.concatenate([[0], np.cumsum([len(r) for r in records])]).astype(np.int64)
    ints = np.array([x for record in records for x in record], np.int64)
    return Condensed(first, ints, np.zeros(size)), np.array(list(gone), np.int64)


def leaves(p: Pattern, g: int, near: set[int], vals: np.ndarray) -> bool:
    """Whether a node can leave: small, its own equations determine it, no new block appears."""
    m = len(p.members(g))
    if m > MOST or not all((i, j) in p.blocks for i in near for j in near):
        return False
    own = vals[p.blocks[g, g] : p.blocks[g, g] + m * row_width(m)].reshape(m, -1)[:, :m]
    largest = np.abs(own).max(axis=1, keepdims=True)
    if not np.all(np.isfinite(own)) or not np.all(largest > 0):
        return False
    return bool(np.linalg.cond(own / largest, 1) < 1.0 / WEAK)


def numbers_of(p: Pattern, g: int, near: list[int], at: int) -> tuple[list[int], int]:
    """The ints of a node whose factors begin at `at` in the store, and where they end."""
    m, others = len(p.members(g)), sum(len(p.members(j)) for j in near)
    side = at + m * m
    record = [m, int(p.first[g]), p.blocks[g, g], row_width(m), len(near), at, side, side + m]
    for j in near:
        size = len(p.members(j))
        record += [int(p.first[j]), size, p.blocks[g, j], p.blocks[j, g], row_width(size)]
    record += [p.blocks[i, j] for i in near for j in near]
    return record, side + m + m * others


@far
def condense(c, vals, rhs, task):
    """FACTOR (with the right-hand side), FORWARD for another one, BACK; infinite without pivots."""
    count = c.first.shape[0] - 1
    if task == BACK:
        for k in range(count - 1, -1, -1):
            back(c.store, c.ints[c.first[k] :], rhs)
        return 0.0
    for k in range(count):
        ints = c.ints[c.first[k] :]
        if task == FACTOR:
            if not invert(c.store, ints, vals):
                return np.inf
            fold(c.store, ints, vals)
        forward(c.store, ints, vals, rhs)
    return 0.0


@fused_inlined
def invert(store, ints, vals):
    """S_gg⁻¹ by Gauss and Jordan, with exchanges of rows; False where a pivot vanishes.

    [S | I] is worked on as S and the inverse to be; S is used up.
    """
    m, at, block, width = ints[SIZE], ints[INVERSE], ints[BLOCK], ints[WIDTH]
    for i in range(m):
        for j in range(m):
            store[at + i * m + j] = 1.0 if i == j else 0.0
    for k in range(m):
        p, best = k, 0.0
        for i in range(k, m):
            if abs(vals[block + i * width + k]) > best:
                p, best = i, abs(vals[block + i * width + k])
        if not 1e-300 < best < 1e300:
            return False
        for j in range(m):
            s, t = block + k * width + j, block + p * width + j
            vals[s], vals[t] = vals[t], vals[s]
            s, t = at + k * m + j, at + p * m + j
            store[s], store[t] = store[t], store[s]
        scale = 1.0 / vals[block + k * width + k]
        for j in range(m):
            vals[block + k * width + j] *= scale
            store[at + k * m + j] *= scale
        for i in range(m):
            factor = vals[block + i * width + k]
            if i != k and factor != 0.0:
                for j in range(m):
                    vals[block + i * width + j] -= factor * vals[block + k * width + j]
                    store[at + i * m + j] -= factor * store[at + k * m + j]
    return True


@fused_inlined
def fold(store, ints, vals):
    """X = S_gg⁻¹ S_gN, and S_ij −= S_ig X_j."""
    m, at, x, n = ints[SIZE], ints[INVERSE], ints[REST], ints[COUNT]
    for q in range(n):
        j = HEAD + NEIGHBOUR * q
        size, gj, width = ints[j + J_SIZE], ints[j + J_GJ], ints[j + J_WIDTH]
        for i in range(m):
            for c in range(size):
                s = 0.0
                for k in range(m):
                    s += store[at + i * m + k] * vals[gj + k * width + c]
                store[x + i * size + c] = s
        for p in range(n):
            i = HEAD + NEIGHBOUR * p
            ig, ij = ints[i + J_JG], ints[HEAD + NEIGHBOUR * n + n * p + q]
            for r in range(ints[i + J_SIZE]):
                for k in range(m):
                    factor = vals[ig + r * ints[WIDTH] + k]
                    for c in range(size):
                        vals[ij + r * width + c] -= factor * store[x + k * size + c]
        x += m * size


@fused_inlined
def forward(store, ints, vals, rhs):
    """y = S_gg⁻¹ r_g, and r_j −= S_jg y."""
    m, at, y, first = ints[SIZE], ints[INVERSE], ints[SIDE], ints[FIRST]
    for i in range(m):
        s = 0.0
        for k in range(m):
            s += store[at + i * m + k] * rhs[first + k]
        store[y + i] = s
    for q in range(ints[COUNT]):
        j = HEAD + NEIGHBOUR * q
        for r in range(ints[j + J_SIZE]):
            for k in range(m):
                rhs[ints[j + J_FIRST] + r] -= (
                    vals[ints[j + J_JG] + r * ints[WIDTH] + k] * store[y + k]
                )


@fused_inlined
def back(store, ints, rhs):
    """x_g = y − X x_N."""
    m, y, x, first = ints[SIZE], ints[SIDE], ints[REST], ints[FIRST]
    for i in range(m):
        rhs[first + i] = store[y + i]
    for q in range(ints[COUNT]):
        j = HEAD + NEIGHBOUR * q
        size, others = ints[j + J_SIZE], ints[j + J_FIRST]
        for i in range(m):
            for c in range(size):
                rhs[first + i] -= store[x + i * size + c] * rhs[others + c]
        x += m * size
