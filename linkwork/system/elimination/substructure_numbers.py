"""A substructure leaves the equations: a frame F, a vector node q and the bodies that follow both.

A follower N has six rows C_N x_N + C_F x_F + C_q x_q = c with a regular C_N.  With z = (x_F, x_q)

    x_N = T z + d,    T = −C_N⁻¹ [C_F  C_q],    d = C_N⁻¹ c            (all but one, the gate R)
    A = S_zz + Σ S_zN T + Tᵀ S_Nz + Tᵀ S_NN T,       r_z + Σ Tᵀ (r_N − S_NN d) − S_zN d

Rows W x_N = ω that were delayed to a follower become V = W T.  The rows of the gate, through which
the substructure is joined to the rest, give the frame by the gate and q,

    x_F = G x_R + H x_q + e,     G = −C_F⁻¹ C_N,   H = −C_F⁻¹ C_q,   e = C_F⁻¹ c

so that q alone is left, with the rows V, whose part for q is brought to full rank k by Gauss's
elimination; rows without such a part are delayed to the gate.  What remains,

    [Q    V_qᵀ] [x_q]   [r_q]   [B  ]
    [V_q  0   ] [μ  ] = [ω  ] − [V_R] x_R

is solved densely, and its Schur complement is added to S_RR.  Multipliers follow from the equations
of followers and frame.  So a chain of links with a few amplitudes each costs what a chain of bodies
does.  (Static condensation of a superelement, here with constraints; the order of elimination is
that of the articulated body, Featherstone 1983.)

Rows over z or over (x_R, x_q) are vectors of eight: six numbers of the body with the right-hand
side in column 6, then q.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import STRIDE
from linkwork.math.borrowed import borrow
from linkwork.math.compiled import far, fused_inlined
from linkwork.math.eights import any8, item8, last8, load8, spread8, store8, sum8

FACTOR, FORWARD, BACK = range(3)
RHS = 6  # column of the right-hand side (elimination.tables)
NONE, SURE = 1e-12, 1e-8  # parts of rows of size one for q: nothing, and something
# ints of a substructure: values, width of their rows, of all rows; first unknowns of q, F and the
# gate R; children, rows delayed to them, rank of these; blocks; rows of the gate; places in store
(
    VALUES, WIDTH, WIDE, Q0, F0, R0, GATE, CHILDREN, ROWS, RANK, FF, FQ, QF, QQ, FR, RF, QR, RQ, RR,
    CF, CN, CQ, U0, A, GH, INVERSE, ALL, MIXED, MIX, REST, SADDLE, SWAP, ANSWER, GAIN, SPACE, CHILD,
    LATE, COUNT, HEAD,
) = range(39)  # fmt: skip
# of a child: its first unknown and body, blocks, rows, rows delayed to it, places in the store
(
    C_FIRST, C_BODY, C_NN, C_NF, C_FN, C_NQ, C_QN, C_CF, C_CN, C_CQ, C_U0, C_ROWS, C_T, C_OWN,
    C_INVERSE, C_DELAYED, C_SIZE,
) = range(17)  # fmt: skip
PLACE, UNKNOWN, PAIR = range(3)  # of a delayed row


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


# ------------------------------------------------------------------------ other right-hand sides


@fused_inlined
def solved_side(s, t, at, inverse, b, u):
    """−C⁻¹ c into the column of the right-hand side."""
    for i in range(6):
        x = 0.0
        for l in range(6):
            x -= s[inverse + STRIDE * i + l] * b[u + l]
        s[at + t[WIDE] * i + RHS] = x


@fused_inlined
def forward_child(s, t, k, row, v, b):
    """A right-hand side through a follower; returns the next of its rows."""
    wide, T, own = t[WIDE], t[k + C_T], t[k + C_OWN]
    solved_side(s, t, T, t[k + C_INVERSE], b, t[k + C_U0])
    for i in range(6):
        x = b[t[k + C_FIRST] + i]
        for l in range(6):
            x += v[t[k + C_NN] + STRIDE * i + l] * s[T + wide * l + RHS]
        s[own + wide * i + RHS] = x
    for r in range(6 + t[VALUES]):
        column = r if r < 6 else r + 2
        zn = t[k + C_FN] + STRIDE * r if r < 6 else t[k + C_QN] + STRIDE * (r - 6)
        x = 0.0
        for l in range(6):
            x += s[own + wide * l + RHS] * s[T + wide * l + column]
            x += s[T + wide * l + RHS] * v[zn + l]
        s[t[A] + wide * r + RHS] += x
    for r in range(t[k + C_ROWS]):
        x = b[t[k + C_SIZE + PAIR * r + UNKNOWN]]
        for l in range(6):
            x += s[t[k + C_DELAYED] + STRIDE * r + l] * s[T + wide * l + RHS]
        s[t[ALL] + wide * row + RHS] = x
        row += 1
    return row


@fused_inlined
def forward(s, t, v, b):
    """Another right-hand side: into the store, on to the gate and to delayed rows."""
    m, p, k, wide = t[VALUES], t[ROWS], t[RANK], t[WIDE]
    size, y = m + k, t[ANSWER] + RHS
    for i in range(6):
        s[t[A] + wide * i + RHS] = b[t[F0] + i]
    for i in range(m):
        s[t[A] + wide * (6 + i) + RHS] = b[t[Q0] + i]
    at, row = t[CHILD], 0
    for _ in range(t[CHILDREN]):
        row = forward_child(s, t, at, row, v, b)
        at += C_SIZE + PAIR * t[at + C_ROWS]
    solved_side(s, t, t[GH], t[INVERSE], b, t[U0])
    for r in range(6 + m):
        x = s[t[A] + wide * r + RHS]
        for l in range(6):
            x += s[t[A] + wide * r + l] * s[t[GH] + wide * l + RHS]
        s[t[REST] + wide * r + RHS] = x
    for r in range(p):
        x = s[t[ALL] + wide * r + RHS]
        for l in range(6):
            x += s[t[ALL] + wide * r + l] * s[t[GH] + wide * l + RHS]
        s[t[SPACE] + r] = x
    for i in range(m):
        x = s[t[REST] + wide * (6 + i) + RHS]
        for l in range(6):
            x += s[t[GH] + wide * l + STRIDE + i] * s[t[REST] + wide * l + RHS]
        s[y + STRIDE * i] = x
    for r in range(p):
        x = 0.0
        for l in range(p):
            x += s[t[MIX] + p * r + l] * s[t[SPACE] + l]
        if r < k:
            s[y + STRIDE * (m + r)] = x
        else:
            b[t[t[LATE] + PAIR * (r - k) + UNKNOWN]] = x
    solve_one(s, t, size, y)
    for i in range(6):
        x, gain = 0.0, t[GAIN] + wide * i
        for l in range(6):
            x += v[t[RF] + STRIDE * i + l] * s[t[GH] + wide * l + RHS]
            x += s[t[GH] + wide * l + i] * s[t[REST] + wide * l + RHS]
        for j in range(m):
            x -= s[gain + STRIDE + j] * s[y + STRIDE * j]
        for r in range(k):
            x -= s[t[MIXED] + wide * r + i] * s[y + STRIDE * (m + r)]
        b[t[R0] + i] += x


@fused_inlined
def solve_one(s, t, size, y):
    """One right-hand side, whose numbers are eight apart, in place."""
    D = t[SADDLE]
    for k in range(size):
        p = int(s[t[SWAP] + k])
        if p != k:
            s[y + STRIDE * k], s[y + STRIDE * p] = s[y + STRIDE * p], s[y + STRIDE * k]
    for i in range(size):
        x = s[y + STRIDE * i]
        for j in range(i):
            x -= s[D + size * i + j] * s[y + STRIDE * j]
        s[y + STRIDE * i] = x
    for i in range(size - 1, -1, -1):
        x = s[y + STRIDE * i]
        for j in range(i + 1, size):
            x -= s[D + size * i + j] * s[y + STRIDE * j]
        s[y + STRIDE * i] = x / s[D + size * i + i]


# ------------------------------------------------------------------------------------ and back


@fused_inlined
def product(s, row, known, wide):
    """A row times a vector that has −1 in the place of the right-hand side."""
    x = load8(s, row) * load8(s, known)
    for c in range(STRIDE, wide, STRIDE):
        x = x + load8(s, row + c) * load8(s, known + c)
    return sum8(x)


@fused_inlined
def put_multipliers(s, inverse, force, out, u):
    """C⁻ᵀ times a force."""
    for i in range(6):
        x = 0.0
        for l in range(6):
            x += s[inverse + STRIDE * l + i] * s[force + l]
        out[u + i] = x


@fused_inlined
def back(s, t, x, out):
    """Motions and multipliers of a substructure from the motion of its gate."""
    m, p, k, wide = t[VALUES], t[ROWS], t[RANK], t[WIDE]
    y = t[SPACE]  # (x_R, −1, x_q), then z the same way, forces, multipliers
    z, force, mu, mixed = y + wide, y + 2 * wide, y + 2 * wide + STRIDE, y + 2 * wide + STRIDE + p
    for c in range(0, 2 * wide, STRIDE):
        store8(s, y + c, spread8(0.0))
    store8(s, y, last8(load8(x, STRIDE * t[GATE]), -1.0, 0.0))
    for i in range(m + k):
        value = -sum8(load8(s, t[ANSWER] + STRIDE * i) * load8(s, y))
        if i < m:
            out[t[Q0] + i] = s[y + STRIDE + i] = s[z + STRIDE + i] = value
        else:
            s[mixed + i - m] = value
    for r in range(k, p):
        s[mixed + r] = out[t[t[LATE] + PAIR * (r - k) + UNKNOWN]]
    for r in range(p):
        value = 0.0
        for l in range(p):
            value += s[t[MIX] + p * l + r] * s[mixed + l]
        s[mu + r] = value
    frame = t[F0] // 6
    for i in range(6):
        value = product(s, t[GH] + wide * i, y, wide)
        s[z + i] = out[t[F0] + i] = x[STRIDE * frame + i] = value
    s[z + RHS] = -1.0
    at, row = t[CHILD], 0
    for _ in range(t[CHILDREN]):
        for i in range(6):
            value = product(s, t[at + C_T] + wide * i, z, wide)
            x[STRIDE * t[at + C_BODY] + i] = out[t[at + C_FIRST] + i] = value
            s[force + i] = -product(s, t[at + C_OWN] + wide * i, z, wide)
        for r in range(t[at + C_ROWS]):
            for i in range(6):
                s[force + i] -= s[t[at + C_DELAYED] + STRIDE * r + i] * s[mu + row]
            out[t[at + C_SIZE + PAIR * r + UNKNOWN]] = s[mu + row]
            row += 1
        put_multipliers(s, t[at + C_INVERSE], force, out, t[at + C_U0])
        at += C_SIZE + PAIR * t[at + C_ROWS]
    for i in range(6):
        s[force + i] = -product(s, t[REST] + wide * i, y, wide)
        for r in range(p):
            s[force + i] -= s[t[ALL] + wide * r + i] * s[mu + r]
    put_multipliers(s, t[INVERSE], force, out, t[U0])


@far
def leave(c, vals, rhs, x, out, number, task):
    """FACTOR with the right-hand side, FORWARD for another one, BACK; the growth of the first."""
    t = borrow(c.ints[c.first[number] :])
    s, v, b = borrow(c.store[c.places[number] :]), borrow(vals), borrow(rhs)
    if task == FACTOR:
        return factor_substructure(s, t, v, b, c.length[0])
    if task == BACK:
        back(s, t, borrow(x), borrow(out))
    else:
        forward(s, t, v, b)
    return 0.0
