"""Factors of a substructure with a right-hand side, and its Schur complement to the gate.

`numbers` has the equations.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import STRIDE
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.registers.eights import any8, item8, last8, load8, spread8, store8
from linkwork.linear_algebra.along_mechanism.substructure.record import (
    ALL, ANSWER, C_CF, C_CN, C_CQ, C_DELAYED, C_FIRST, C_FN, C_INVERSE, C_NF, C_NN, C_NQ, C_OWN,
    C_QN, C_ROWS, C_SIZE, C_T, C_U0, CF, CHILD, CHILDREN, CN, COUNT, CQ, F0, FF, FQ, FR, GAIN, GH,
    INVERSE, LATE, MIX, MIXED, NONE, PAIR, PLACE, Q0, QF, QQ, QR, RANK, REST, RF, RHS, ROWS, RQ, RR,
    SADDLE, SPACE, SURE, SWAP, U0, UNKNOWN, VALUES, WIDE, WIDTH, A,
)  # fmt: skip


@fused_inlined
def invert6(s, at, work, v, block):
    """The inverse of a 6×6 block, in rows of eight; `work` is used up.  False without pivots."""
    for i in range(6):
        store8(s, work + STRIDE * i, load8(v, block + STRIDE * i))
        store8(s, at + STRIDE * i, spread8(0.0))
        s[at + STRIDE * i + i] = 1.0
    for k in range(6):
        p, best = k, 0.0
        for i in range(k, 6):
            if abs(s[work + STRIDE * i + k]) > best:
                p, best = i, abs(s[work + STRIDE * i + k])
        if not 1e-12 < best < 1e300:
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
def load_rows(s, t, v, b):
    """S_zz with the right-hand side."""
    A_, wide, w = t[A], t[WIDE], t[WIDTH]
    for i in range(6):
        row, side = A_ + wide * i, b[t[F0] + i] + v[t[FF] + STRIDE * i + RHS]
        store8(s, row, last8(load8(v, t[FF] + STRIDE * i), side, 0.0))
        for c in range(0, w, STRIDE):
            store8(s, row + STRIDE + c, load8(v, t[FQ] + w * i + c))
    for i in range(t[VALUES]):
        row = A_ + wide * (6 + i)
        store8(s, row, last8(load8(v, t[QF] + STRIDE * i), b[t[Q0] + i], 0.0))
        for c in range(0, w, STRIDE):
            store8(s, row + STRIDE + c, load8(v, t[QQ] + w * i + c))


@fused_inlined
def solved_rows(s, t, at, inverse, v, body, values, b, u):
    """−C⁻¹ [C_body | c | C_q] of six rows, whose regular part has the inverse."""
    wide, w = t[WIDE], t[WIDTH]
    for i in range(6):
        x = spread8(0.0)
        for l in range(6):
            row = last8(load8(v, body + STRIDE * l), b[u + l], 0.0)
            x = x - row * s[inverse + STRIDE * i + l]
        store8(s, at + wide * i, x)
        for c in range(0, w, STRIDE):
            x = spread8(0.0)
            for l in range(6):
                x = x - load8(v, values + w * l + c) * s[inverse + STRIDE * i + l]
            store8(s, at + wide * i + STRIDE + c, x)


@fused_inlined
def insert_child(s, t, k, v, b):
    """T of a follower, [T | −d], its equation with that inserted, and A; False without pivots."""
    wide, w, T, own = t[WIDE], t[WIDTH], t[k + C_T], t[k + C_OWN]
    if not invert6(s, t[k + C_INVERSE], own, v, t[k + C_CN]):
        return False
    solved_rows(s, t, T, t[k + C_INVERSE], v, t[k + C_CF], t[k + C_CQ], b, t[k + C_U0])
    for i in range(6):
        nn = t[k + C_NN] + STRIDE * i
        side = b[t[k + C_FIRST] + i] + v[nn + RHS]
        x = last8(load8(v, t[k + C_NF] + STRIDE * i), side, 0.0)
        for l in range(6):
            x = x + load8(s, T + wide * l) * v[nn + l]
        store8(s, own + wide * i, x)
        for c in range(0, w, STRIDE):
            x = load8(v, t[k + C_NQ] + w * i + c)
            for l in range(6):
                x = x + load8(s, T + wide * l + STRIDE + c) * v[nn + l]
            store8(s, own + wide * i + STRIDE + c, x)
    for r in range(6 + t[VALUES]):
        column = r if r < 6 else r + 2
        zn = t[k + C_FN] + STRIDE * r if r < 6 else t[k + C_QN] + STRIDE * (r - 6)
        forces = any8(load8(v, zn))
        for c in range(0, wide, STRIDE):
            x = load8(s, t[A] + wide * r + c)
            for l in range(6):
                x = x + load8(s, own + wide * l + c) * s[T + wide * l + column]
            if forces:
                for l in range(6):
                    x = x + load8(s, T + wide * l + c) * v[zn + l]
            store8(s, t[A] + wide * r + c, x)
    return True


@fused_inlined
def insert_rows(s, t, k, row, v, b):
    """V of the rows delayed to a follower, from row `row` on; returns the next row."""
    wide, T = t[WIDE], t[k + C_T]
    for r in range(t[k + C_ROWS]):
        pair = k + C_SIZE + PAIR * r
        place, own = t[pair + PLACE], t[k + C_DELAYED] + STRIDE * r
        given, side = load8(v, place), v[place + RHS]
        if t[pair + UNKNOWN] < t[COUNT]:
            side += b[t[pair + UNKNOWN]]
        store8(s, own, last8(given, 0.0, 0.0))
        for c in range(0, wide, STRIDE):
            x = spread8(0.0)
            for l in range(6):
                x = x + load8(s, T + wide * l + c) * s[own + l]
            store8(s, t[ALL] + wide * row + c, x)
        s[t[ALL] + wide * row + RHS] += side
        row += 1
    return row


@fused_inlined
def through_gate(s, t, at, to, x, c):
    """Vector c of a row over z, as one over (x_R, x_q): x with the frame inserted, to `to`."""
    for l in range(6):
        x = x + load8(s, t[GH] + t[WIDE] * l + c) * s[at + l]
    store8(s, to + c, x)


@fused_inlined
def insert_gate(s, t, v):
    """The rows of A and V over (x_R, x_q)."""
    wide = t[WIDE]
    for r in range(6 + t[VALUES]):
        row, to = t[A] + wide * r, t[REST] + wide * r
        zr = t[FR] + STRIDE * r if r < 6 else t[QR] + STRIDE * (r - 6)
        through_gate(s, t, row, to, last8(load8(v, zr), s[row + RHS], 0.0), 0)
        for c in range(STRIDE, wide, STRIDE):
            through_gate(s, t, row, to, load8(s, row + c), c)
    for r in range(t[ROWS]):
        row, to = t[ALL] + wide * r, t[MIXED] + wide * r
        through_gate(s, t, row, to, last8(spread8(0.0), s[row + RHS], 0.0), 0)
        for c in range(STRIDE, wide, STRIDE):
            through_gate(s, t, row, to, load8(s, row + c), c)


@fused_inlined
def rank_rows(s, t, length):
    """Rows V mixed so that the first have parts for q of full rank and the others none; the rank,
    or −1 where that is not clear."""
    m, p, wide, at = t[VALUES], t[ROWS], t[WIDE], t[MIXED]
    for r in range(p):
        size = 0.0
        for j in range(6):
            x = abs(s[at + wide * r + j])
            size = max(size, x if j > 2 else x * length)
        for j in range(m):
            size = max(size, abs(s[at + wide * r + STRIDE + j]) * length)
        if not 0.0 < size < 1e300:
            return -1
        for c in range(0, wide, STRIDE):
            store8(s, at + wide * r + c, load8(s, at + wide * r + c) * (1.0 / size))
        for j in range(p):
            s[t[MIX] + p * r + j] = 1.0 / size if j == r else 0.0
    rank = 0
    while rank < min(p, m):
        best, row, column = 0.0, rank, STRIDE
        for r in range(rank, p):
            for j in range(STRIDE, STRIDE + m):
                if abs(s[at + wide * r + j]) > best:
                    best, row, column = abs(s[at + wide * r + j]), r, j
        if best * length < NONE:
            break
        if not best * length > SURE:
            return -1
        if row != rank:
            for j in range(wide):
                x, y = at + wide * rank + j, at + wide * row + j
                s[x], s[y] = s[y], s[x]
            for j in range(p):
                x, y = t[MIX] + p * rank + j, t[MIX] + p * row + j
                s[x], s[y] = s[y], s[x]
        for r in range(rank + 1, p):
            factor = s[at + wide * r + column] / s[at + wide * rank + column]
            for j in range(wide):
                s[at + wide * r + j] -= factor * s[at + wide * rank + j]
            for j in range(p):
                s[t[MIX] + p * r + j] -= factor * s[t[MIX] + p * rank + j]
        rank += 1
    return rank


@fused_inlined
def form_saddle(s, t, v, k):
    """[[Q, V_qᵀ], [V_q, 0]], its right-hand sides [B | r_q; V_R | ω], and the equations of the
    gate, [S_RR's part | r_R's], then B', behind."""
    m, wide, w, size = t[VALUES], t[WIDE], t[WIDTH], t[VALUES] + k
    D, room = t[SADDLE], t[SPACE]
    for i in range(m):
        for c in range(0, wide, STRIDE):
            x = load8(s, t[REST] + wide * (6 + i) + c)
            for l in range(6):
                h = s[t[GH] + wide * l + STRIDE + i]
                x = x + load8(s, t[REST] + wide * l + c) * h
            store8(s, room + c, x)
        store8(s, t[ANSWER] + STRIDE * i, load8(s, room))
        for j in range(m):
            s[D + size * i + j] = s[room + STRIDE + j]
    for r in range(k):
        row = t[MIXED] + wide * r
        store8(s, t[ANSWER] + STRIDE * (m + r), load8(s, row))
        for j in range(m):
            s[D + size * (m + r) + j] = s[D + size * j + m + r] = s[row + STRIDE + j]
        for l in range(k):
            s[D + size * (m + r) + m + l] = 0.0
    for i in range(6):
        for c in range(0, wide, STRIDE):
            x = spread8(0.0) if c == 0 else load8(v, t[RQ] + w * i + c - STRIDE)
            for l in range(6):
                x = x + load8(s, t[GH] + wide * l + c) * v[t[RF] + STRIDE * i + l]
                x = x + load8(s, t[REST] + wide * l + c) * s[t[GH] + wide * l + i]
            store8(s, t[GAIN] + wide * i + c, x)


@fused_inlined
def factor_saddle(s, t, size):
    """LU factors with exchanges of rows, in place; False where a pivot vanishes."""
    D = t[SADDLE]
    for k in range(size):
        p, best = k, 0.0
        for i in range(k, size):
            if abs(s[D + size * i + k]) > best:
                p, best = i, abs(s[D + size * i + k])
        if not 1e-300 < best < 1e300:
            return False
        s[t[SWAP] + k] = p
        if p != k:
            for j in range(size):
                x, y = D + size * k + j, D + size * p + j
                s[x], s[y] = s[y], s[x]
        inverse = 1.0 / s[D + size * k + k]
        for i in range(k + 1, size):
            factor = s[D + size * i + k] * inverse
            s[D + size * i + k] = factor
            if factor != 0.0:
                for j in range(k + 1, size):
                    s[D + size * i + j] -= factor * s[D + size * k + j]
    return True


@fused_inlined
def solve_all(s, t, size):
    """All right-hand sides, eight numbers each, in place."""
    D, Y = t[SADDLE], t[ANSWER]
    for k in range(size):
        p = int(s[t[SWAP] + k])
        if p != k:
            x = load8(s, Y + STRIDE * k)
            store8(s, Y + STRIDE * k, load8(s, Y + STRIDE * p))
            store8(s, Y + STRIDE * p, x)
    for i in range(size):
        x = load8(s, Y + STRIDE * i)
        for j in range(i):
            x = x - load8(s, Y + STRIDE * j) * s[D + size * i + j]
        store8(s, Y + STRIDE * i, x)
    for i in range(size - 1, -1, -1):
        x = load8(s, Y + STRIDE * i)
        for j in range(i + 1, size):
            x = x - load8(s, Y + STRIDE * j) * s[D + size * i + j]
        store8(s, Y + STRIDE * i, x * (1.0 / s[D + size * i + i]))


@fused_inlined
def add_to_gate(s, t, k, v, length):
    """S_RR less the Schur complement, delayed rows; the squares of how x_R moves q, scaled."""
    m, wide, squares = t[VALUES], t[WIDE], 1.0
    for i in range(m):
        for j in range(6):
            x = s[t[ANSWER] + STRIDE * i + j] * (1.0 if j < 3 else 1.0 / length)
            squares += x * x
    for i in range(6):
        gain = t[GAIN] + wide * i
        x = load8(v, t[RR] + STRIDE * i) + load8(s, gain)
        for j in range(m):
            x = x - load8(s, t[ANSWER] + STRIDE * j) * s[gain + STRIDE + j]
        for r in range(k):
            x = x - load8(s, t[ANSWER] + STRIDE * (m + r)) * s[t[MIXED] + wide * r + i]
        store8(v, t[RR] + STRIDE * i, x)
    for r in range(k, t[ROWS]):
        store8(v, t[t[LATE] + PAIR * (r - k) + PLACE], load8(s, t[MIXED] + wide * r))
    return squares


@fused_inlined
def factor_substructure(s, t, v, b, length):
    """All of it; the growth squared, infinite where it has no pivots."""
    load_rows(s, t, v, b)
    at, row = t[CHILD], 0
    for _ in range(t[CHILDREN]):
        if not insert_child(s, t, at, v, b):
            return np.inf
        row = insert_rows(s, t, at, row, v, b)
        at += C_SIZE + PAIR * t[at + C_ROWS]
    if not invert6(s, t[INVERSE], t[SPACE], v, t[CF]):
        return np.inf
    solved_rows(s, t, t[GH], t[INVERSE], v, t[CN], t[CQ], b, t[U0])
    insert_gate(s, t, v)
    rank = rank_rows(s, t, length)
    if t[RANK] < 0:
        t[RANK] = rank
    if rank < 0 or rank != t[RANK]:
        return np.inf
    form_saddle(s, t, v, rank)
    if not factor_saddle(s, t, t[VALUES] + rank):
        return np.inf
    solve_all(s, t, t[VALUES] + rank)
    return add_to_gate(s, t, rank, v, length)
