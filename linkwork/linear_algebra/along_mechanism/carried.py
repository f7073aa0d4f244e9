"""A body whose six rows give all of its unknowns by those of its neighbours.

    C_b x_b + C_N x_N = c,  C_b regular:      x_b = T x_N + d,   T = −C_b⁻¹ C_N,   d = C_b⁻¹ c

It leaves the equations with its rows, and where its neighbours N, bodies or vector nodes, are
joined to each other already no new block appears:

    S_NN ← S_NN + S_Nb T + Tᵀ H,      H = S_bN + S_bb T
    r_N ← r_N − S_Nb d + Tᵀ w,        w = r_b − S_bb d,        λ = C_b⁻ᵀ (w − H x_N)

Flexible links have such bodies: their interface nodes follow a frame and amplitudes.  Where nothing
else holds them they leave one after the other; then the frame leaves by the rows of the last, to
which the rest of the mechanism is joined, and at last the amplitudes, which no row holds any more
(`condensation`).
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import SIX, STRIDE, row_width
from linkwork.kernels.compiled import far, fused_inlined
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.registers.eights import any8, item8, last8, load8, spread8, store8, sum8
from linkwork.linear_algebra.along_mechanism.tables import BACK, FRESH, LOST, OTHER, RHS
from linkwork.linear_algebra.pattern import Pattern

# ints of a body: it, its first multiplier, blocks S_bb and C_b, neighbours, width of their rows;
# where C_b⁻¹, T, H, d and w, and room for x_N are in the store; then of each neighbour: first
# unknown, unknowns, width of its rows, blocks S_bj, S_jb and C_j, whether it is a body; then the
# blocks S_ij of all pairs
(BODY, U0, BB, CB, COUNT, WIDTH, INVERSE, T, H, SIDE, ROOM, HEAD) = range(12)
PLACES = INVERSE, T, H, SIDE, ROOM
J_FIRST, J_SIZE, J_WIDTH, J_BJ, J_JB, J_CJ, J_BODY, NEIGHBOUR = range(8)
SMALLEST = 1e-12  # pivot of C_b, whose rows are of size one


def numbers_of(p: Pattern, b: int, rows: int, near: list[int]) -> tuple[list[int], int]:
    """The ints of a body that leaves with a group of rows, and its numbers in the store."""
    sizes = [len(p.members(j)) for j in near]
    wide = sum(map(row_width, sizes))
    t = SIX * STRIDE
    side = t + 2 * SIX * wide
    record = [b, int(p.first[rows]), p.blocks[b, b], p.blocks[rows, b], len(near), wide]
    record += [0, t, t + SIX * wide, side, side + 2 * STRIDE]
    for j, size in zip(near, sizes, strict=True):
        blocks = p.blocks[b, j], p.blocks[j, b], p.blocks[rows, j]
        record += [int(p.first[j]), size, row_width(size), *blocks, int(j < p.bodies)]
    record += [p.blocks[i, j] for i in near for j in near]
    return record, side + 2 * STRIDE + wide


@far
def leave_carried(c, vals, rhs, x, out, begin, end, task):
    """A task for the bodies from `begin` to `end`; the growth squared where they are factorised."""
    s, v, b, growth = borrow(c.store), borrow(vals), borrow(rhs), 0.0
    if task == BACK:
        for k in range(end - 1, begin - 1, -1):
            back(s, borrow(c.ints[c.first[k] :]), borrow(x), borrow(out))
        return 0.0
    for k in range(begin, end):
        t = borrow(c.ints[c.first[k] :])
        if task != OTHER:
            growth = max(growth, factor(s, t, v, borrow(c.scale)))
            if not growth < (LOST if task == FRESH else np.inf):
                return np.inf
            add_to_neighbours(s, t, v)
        forward(s, t, v, b, task != OTHER)
    return growth


@fused_inlined
def invert6(s, at, work, v, block):
    """The inverse of a 6×6 block, in rows of eight; `work` is used up.  False without pivots."""
    for i in range(6):
        store8(s, work + STRIDE * i, last8(load8(v, block + STRIDE * i), 0.0, 0.0))
        store8(s, at + STRIDE * i, spread8(0.0))
        s[at + STRIDE * i + i] = 1.0
    for k in range(6):
        p, best = k, 0.0
        for i in range(k, 6):
            if abs(s[work + STRIDE * i + k]) > best:
                p, best = i, abs(s[work + STRIDE * i + k])
        if not SMALLEST < best < 1.0 / np.finfo(np.float64).tiny:
            return False
        x, y = load8(s, work + STRIDE * p), load8(s, at + STRIDE * p)
        if p != k:
            store8(s, work + STRIDE * p, load8(s, work + STRIDE * k))
            store8(s, at + STRIDE * p, load8(s, at + STRIDE * k))
        scale = 1.0 / item8(x, k)
        x, y = x * scale, y * scale
        store8(s, work + STRIDE * k, x)
        store8(s, at + STRIDE * k, y)
        for i in range(6):
            factor = s[work + STRIDE * i + k]
            if i != k and factor != 0.0:
                store8(s, work + STRIDE * i, load8(s, work + STRIDE * i) - x * factor)
                store8(s, at + STRIDE * i, load8(s, at + STRIDE * i) - y * factor)
    return True


@fused_inlined
def six_products(rows, at, step, numbers, row, start, factor):
    """start + factor Σ rows[l] numbers[row + l] over six rows, `step` apart."""
    for l in range(6):
        start = start + load8(rows, at + step * l) * (factor * numbers[row + l])
    return start


@fused_inlined
def factor(s, t, v, scale):
    """C_b⁻¹, T and H; the squares of T in scaled unknowns, infinite where C_b has no pivots."""
    inverse, wide, squares = t[INVERSE], t[WIDTH], spread8(0.0)
    if not invert6(s, inverse, t[H], v, t[CB]):
        return np.inf
    at = 0
    for q in range(t[COUNT]):
        j = HEAD + NEIGHBOUR * q
        width, body = t[j + J_WIDTH], t[j + J_BODY] != 0
        for c in range(at, at + width, STRIDE):
            block = t[j + J_CJ] + c - at
            for i in range(6):
                row = inverse + STRIDE * i
                x = six_products(v, block, width, s, row, spread8(0.0), -1.0)
                if body:
                    x = last8(x, 0.0, 0.0)
                    y = x * load8(scale, 0) * scale[STRIDE + i]
                    squares = squares + y * y
                store8(s, t[T] + wide * i + c, x)
            for i in range(6):
                x = load8(v, t[j + J_BJ] + width * i + c - at)
                x = six_products(s, t[T] + c, wide, v, t[BB] + STRIDE * i, x, 1.0)
                store8(s, t[H] + wide * i + c, last8(x, 0.0, 0.0) if body else x)
        at += width
    return 1.0 + sum8(squares)


@fused_inlined
def add_to_neighbours(s, t, v):
    """S_ij += S_ib T_j + T_iᵀ H_j."""
    wide, count, column = t[WIDTH], t[COUNT], 0
    for p in range(count):
        i, pair = HEAD + NEIGHBOUR * p, HEAD + NEIGHBOUR * count + count * p
        for r in range(t[i + J_SIZE]):
            load = t[i + J_JB] + STRIDE * r
            forces, at = any8(last8(load8(v, load), 0.0, 0.0)), 0
            for q in range(count):
                width = t[HEAD + NEIGHBOUR * q + J_WIDTH]
                for c in range(0, width, STRIDE):
                    place = t[pair + q] + width * r + c
                    x = load8(v, place)
                    for l in range(6):
                        h = load8(s, t[H] + wide * l + at + c)
                        x = x + h * s[t[T] + wide * l + column + r]
                    if forces:
                        x = six_products(s, t[T] + at + c, wide, v, load, x, 1.0)
                    store8(v, place, x)
                at += width
        column += t[i + J_WIDTH]


@fused_inlined
def forward(s, t, v, b, loaded):
    """d, w and r_N; loaded: part of r_b is in its column of S_bb."""
    wide, d, w, room = t[WIDTH], t[SIDE], t[SIDE] + STRIDE, t[ROOM]
    for i in range(6):
        s[w + i] = b[t[U0] + i]
    for i in range(6):
        s[d + i] = sum8(load8(s, t[INVERSE] + STRIDE * i) * load8(s, w))
    x = load8(s, d)
    for i in range(6):
        place = t[BB] + STRIDE * i
        load = v[place + RHS] if loaded else 0.0
        s[w + i] = b[SIX * t[BODY] + i] + load - sum8(load8(v, place) * x)
    for c in range(0, wide, STRIDE):
        store8(s, room + c, six_products(s, t[T] + c, wide, s, w, spread8(0.0), 1.0))
    for q in range(t[COUNT]):
        j = HEAD + NEIGHBOUR * q
        for r in range(t[j + J_SIZE]):
            b[t[j + J_FIRST] + r] += s[room + r] - sum8(load8(v, t[j + J_JB] + STRIDE * r) * x)
        room += t[j + J_WIDTH]


@fused_inlined
def back(s, t, x, out):
    """x_b and λ from the motion of the neighbours."""
    wide, d, inverse, at = t[WIDTH], t[SIDE], t[INVERSE], t[ROOM]
    for q in range(t[COUNT]):
        j = HEAD + NEIGHBOUR * q
        for r in range(t[j + J_SIZE]):
            s[at + r] = out[t[j + J_FIRST] + r]
        at += t[j + J_WIDTH]
    forces = spread8(0.0)
    for i in range(6):
        moved, less = spread8(0.0), spread8(0.0)
        for c in range(0, wide, STRIDE):
            y = load8(s, t[ROOM] + c)
            moved = moved + load8(s, t[T] + wide * i + c) * y
            less = less + load8(s, t[H] + wide * i + c) * y
        value = s[d + i] + sum8(moved)
        x[STRIDE * t[BODY] + i] = out[SIX * t[BODY] + i] = value
        force = s[d + STRIDE + i] - sum8(less)
        forces = forces + load8(s, inverse + STRIDE * i) * force
    for i in range(6):
        out[t[U0] + i] = item8(forces, i)
