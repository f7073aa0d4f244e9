"""Vector nodes that leave the equations, most of them before the bodies: static condensation.

    x_g = S_gg⁻¹ (r_g − S_gN x_N)
    S_NN ← S_NN − S_Ng S_gg⁻¹ S_gN,     r_N ← r_N − S_Ng S_gg⁻¹ r_g

for a node g that no constraint holds and whose neighbours N are joined to each other already, so
that no new block appears: what an element keeps to itself, the amplitudes or the pressure beside
one body.  A chain of bodies with such nodes then costs what the chain alone does.  What cannot
leave this way (meshes, circuits that join many bodies) is part of the core.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import STRIDE, row_width
from linkwork.kernels.compiled import far, fused_inlined
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.registers.eights import last8, load8, spread8, store8
from linkwork.linear_algebra.along_mechanism.tables import BACK, OTHER
from linkwork.linear_algebra.pattern import Pattern

MOST = 32  # unknowns of a node that may leave this way
WEAK = 1e-10  # a smaller pivot of S_gg, relative to its row, is none
# ints of a node: unknowns, first of them, block S_gg, width of its rows, neighbours; where S_gg⁻¹,
# S_gg⁻¹ r_g and S_gg⁻¹ S_gN are in the store; then of each neighbour: first unknown, unknowns,
# blocks S_gj and S_jg, width of the rows of S_gj; then the blocks S_ij of all pairs
(SIZE, FIRST, BLOCK, WIDTH, COUNT, INVERSE, SIDE, REST, HEAD) = range(9)
PLACES = INVERSE, SIDE, REST
J_FIRST, J_SIZE, J_GJ, J_JG, J_WIDTH, J_BODY, NEIGHBOUR = range(7)

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


def numbers_of(p: Pattern, g: int, near: list[int]) -> tuple[list[int], int]:
    """The ints of a node, and its numbers in the store."""
    m, others = len(p.members(g)), sum(p.width(j) for j in near)
    side = m * row_width(m)
    rest = side + row_width(m)
    record = [m, int(p.first[g]), p.blocks[g, g], row_width(m), len(near), 0, side, rest]
    for j in near:
        size = len(p.members(j))
        record += [int(p.first[j]), size, p.blocks[g, j], p.blocks[j, g], row_width(size)]
        record.append(int(j < p.bodies))
    record += [p.blocks[i, j] for i in near for j in near]
    return record, rest + m * others


@far
def condense(c, vals, rhs, x, out, begin, end, task):
    """A task for the nodes from `begin` to `end`; infinite without pivots."""
    s, v, b, y = borrow(c.store), borrow(vals), borrow(rhs), borrow(out)
    if task == BACK:
        for k in range(end - 1, begin - 1, -1):
            back(s, borrow(c.ints[c.first[k] :]), y)
        return 0.0
    for k in range(begin, end):
        ints = borrow(c.ints[c.first[k] :])
        if task != OTHER:
            if not invert(s, ints, v):
                return np.inf
            fold(s, ints, v)
        forward(s, ints, v, b)
    return 0.0


@fused_inlined
def exchange(a, i, j, width):
    """Two rows of an array."""
    for c in range(0, width, STRIDE):
        x = load8(a, i + c)
        store8(a, i + c, load8(a, j + c))
        store8(a, j + c, x)


@fused_inlined
def subtract(a, i, j, width, factor):
    """A multiple of row j from row i."""
    for c in range(0, width, STRIDE):
        store8(a, i + c, load8(a, i + c) - load8(a, j + c) * factor)


@fused_inlined
def invert(store, ints, vals):
    """S_gg⁻¹ by Gauss and Jordan, with exchanges of rows; False where a pivot vanishes.

    [S | I] is worked on as S and the inverse to be; S is used up.
    """
    m, at, block, width = ints[SIZE], ints[INVERSE], ints[BLOCK], ints[WIDTH]
    for i in range(m):
        for c in range(0, width, STRIDE):
            store8(store, at + i * width + c, spread8(0.0))
        store[at + i * width + i] = 1.0
    for k in range(m):
        p, best = k, 0.0
        for i in range(k, m):
            if abs(vals[block + i * width + k]) > best:
                p, best = i, abs(vals[block + i * width + k])
        if not 1e-300 < best < 1e300:
            return False
        exchange(vals, block + k * width, block + p * width, width)
        exchange(store, at + k * width, at + p * width, width)
        scale = 1.0 / vals[block + k * width + k]
        for c in range(k * width, (k + 1) * width, STRIDE):
            store8(vals, block + c, load8(vals, block + c) * scale)
            store8(store, at + c, load8(store, at + c) * scale)
        for i in range(m):
            factor = vals[block + i * width + k]
            if i != k and factor != 0.0:
                subtract(vals, block + i * width, block + k * width, width, factor)
                subtract(store, at + i * width, at + k * width, width, factor)
    return True


@fused_inlined
def fold(store, ints, vals):
    """X = S_gg⁻¹ S_gN, and S_ij −= S_ig X_j."""
    m, at, x, n, w = ints[SIZE], ints[INVERSE], ints[REST], ints[COUNT], ints[WIDTH]
    for q in range(n):
        j = HEAD + NEIGHBOUR * q
        body, gj, width = ints[j + J_BODY] != 0, ints[j + J_GJ], ints[j + J_WIDTH]
        for c in range(0, width, STRIDE):
            for i in range(m):
                s = spread8(0.0)
                for k in range(m):
                    s = s + load8(vals, gj + k * width + c) * store[at + i * w + k]
                store8(store, x + i * width + c, last8(s, 0.0, 0.0) if body else s)
            for p in range(n):
                i = HEAD + NEIGHBOUR * p
                ig, ij = ints[i + J_JG], ints[HEAD + NEIGHBOUR * n + n * p + q] + c
                for r in range(ints[i + J_SIZE]):
                    s = load8(vals, ij + r * width)
                    for k in range(m):
                        s = s - load8(store, x + k * width + c) * vals[ig + r * w + k]
                    store8(vals, ij + r * width, s)
        x += m * width


@fused_inlined
def forward(store, ints, vals, rhs):
    """y = S_gg⁻¹ r_g, and r_j −= S_jg y."""
    m, at, y, first = ints[SIZE], ints[INVERSE], ints[SIDE], ints[FIRST]
    for i in range(m):
        s = 0.0
        for k in range(m):
            s += store[at + i * ints[WIDTH] + k] * rhs[first + k]
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
        size, width, others = ints[j + J_SIZE], ints[j + J_WIDTH], ints[j + J_FIRST]
        for i in range(m):
            for c in range(size):
                rhs[first + i] -= store[x + i * width + c] * rhs[others + c]
        x += m * width
