"""A substructure leaves the equations: a frame F and a vector node q with the bodies that follow them.

Every follower N has six rows C_N x_N + C_F x_F + C_q x_q = c with a regular C_N.  With z = (x_F, x_q)

    x_N = T z + d,    T = −C_N⁻¹ [C_F  C_q],    d = C_N⁻¹ c                    (all but one, the gate R)
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
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import STRIDE
from linkwork.math.compiled import far, fused_inlined

FACTOR, FORWARD, BACK = range(3)
RHS = 6  # column of the right-hand side (elimination.tables)
NONE, SURE = 1e-12, 1e-8  # parts of rows of size one for q: nothing, and something
# ints of a substructure; blocks are named by their groups, R is the gate
(
    VALUES, WIDTH, Q0, F0, R0, GATE, CHILDREN, ROWS, RANK, FF, FQ, QF, QQ, FR, RF, QR, RQ, RR, CF, CN,
    CQ, U0, A, SIDE, ZR, RZ, FRAME, FRAME_SIDE, G, H, E, GATE_INVERSE, ALL, WHOLE, REST, MIX, SADDLE,
    SWAP, ANSWER, ANSWER_SIDE, BACKWARD, CHILD, LATE, COUNT, HEAD,
) = range(45)  # fmt: skip
# of a child: its body's first unknown and number, blocks, rows, rows delayed to it, places in store
(
    C_FIRST, C_BODY, C_NN, C_NF, C_FN, C_NQ, C_QN, C_CF, C_CN, C_CQ, C_U0, C_ROWS, C_T, C_D, C_INVERSE,
    C_OWN, C_SIDE, C_FRAME, C_HELD, C_SIZE,
) = range(20)  # fmt: skip
PLACE, UNKNOWN, PAIR = range(3)  # of a delayed row


@fused_inlined
def invert6(s, at, work):
    """The inverse of the 6×6 matrix at `work`, which is used up, at `at`; False without pivots."""
    for i in range(36):
        s[at + i] = 0.0
    for i in range(6):
        s[at + 7 * i] = 1.0
    for k in range(6):
        p, best = k, 0.0
        for i in range(k, 6):
            if abs(s[work + 6 * i + k]) > best:
                p, best = i, abs(s[work + 6 * i + k])
        if not 1e-12 < best < 1e300:
            return False
        if p != k:
            for j in range(6):
                x, y = work + 6 * k + j, work + 6 * p + j
                s[x], s[y] = s[y], s[x]
                x, y = at + 6 * k + j, at + 6 * p + j
                s[x], s[y] = s[y], s[x]
        scale = 1.0 / s[work + 7 * k]
        for j in range(6):
            s[work + 6 * k + j] *= scale
            s[at + 6 * k + j] *= scale
        for i in range(6):
            factor = s[work + 6 * i + k]
            if i != k and factor != 0.0:
                for j in range(6):
                    s[work + 6 * i + j] -= factor * s[work + 6 * k + j]
                    s[at + 6 * i + j] -= factor * s[at + 6 * k + j]
    return True


@fused_inlined
def copy_block(s, at, width, vals, block, stride, rows, columns):
    for i in range(rows):
        for j in range(columns):
            s[at + width * i + j] = vals[block + stride * i + j]


@fused_inlined
def load_blocks(s, t, vals):
    """Blocks of frame, q and gate into the store."""
    m, w = t[VALUES], t[WIDTH]
    n = 6 + m
    copy_block(s, t[A], n, vals, t[FF], STRIDE, 6, 6)
    copy_block(s, t[A] + 6, n, vals, t[FQ], w, 6, m)
    copy_block(s, t[A] + 6 * n, n, vals, t[QF], STRIDE, m, 6)
    copy_block(s, t[A] + 6 * n + 6, n, vals, t[QQ], w, m, m)
    copy_block(s, t[ZR], 6, vals, t[FR], STRIDE, 6, 6)
    copy_block(s, t[ZR] + 36, 6, vals, t[QR], STRIDE, m, 6)
    copy_block(s, t[RZ], n, vals, t[RF], STRIDE, 6, 6)
    copy_block(s, t[RZ] + 6, n, vals, t[RQ], w, 6, m)
    for i in range(6 * n):  # the equation of the frame, for the gate's multipliers
        s[t[FRAME] + i] = s[t[A] + i]


@fused_inlined
def insert_child(s, t, k, vals):
    """T of a follower; A and the rows V with it inserted.  False: its rows have no pivots."""
    m, w = t[VALUES], t[WIDTH]
    n = 6 + m
    T, own, inverse = t[k + C_T], t[k + C_OWN], t[k + C_INVERSE]
    copy_block(s, own, 6, vals, t[k + C_CN], STRIDE, 6, 6)
    if not invert6(s, inverse, own):
        return False
    copy_block(s, t[k + C_HELD], n, vals, t[k + C_CF], STRIDE, 6, 6)
    copy_block(s, t[k + C_HELD] + 6, n, vals, t[k + C_CQ], w, 6, m)
    for i in range(6):
        for j in range(n):
            x = 0.0
            for l in range(6):
                x -= s[inverse + 6 * i + l] * s[t[k + C_HELD] + n * l + j]
            s[T + n * i + j] = x
    wide = 6 + n
    copy_block(s, own, wide, vals, t[k + C_NN], STRIDE, 6, 6)
    copy_block(s, own + 6, wide, vals, t[k + C_NF], STRIDE, 6, 6)
    copy_block(s, own + 12, wide, vals, t[k + C_NQ], w, 6, m)
    zn = t[k + C_FRAME]  # S_zN: rows of the frame, then of q
    copy_block(s, zn, 6, vals, t[k + C_FN], STRIDE, 6, 6)
    copy_block(s, zn + 36, 6, vals, t[k + C_QN], STRIDE, m, 6)
    for i in range(6):  # S_NN T + S_Nz, times Tᵀ
        for j in range(n):
            x = s[own + wide * i + 6 + j]
            for l in range(6):
                x += s[own + wide * i + l] * s[T + n * l + j]
            for l in range(n):
                s[t[A] + n * l + j] += s[T + n * i + l] * x
    for i in range(n):
        for l in range(6):
            x = s[zn + 6 * i + l]
            if x != 0.0:
                for j in range(n):
                    s[t[A] + n * i + j] += x * s[T + n * l + j]
    return True


@fused_inlined
def child_rows(s, t, k, row, vals):
    """V = W T of the rows delayed to a follower, from row `row` on; returns the next row."""
    n, T = 6 + t[VALUES], t[k + C_T]
    for r in range(t[k + C_ROWS]):
        place = t[k + C_SIZE + PAIR * r + PLACE]
        for j in range(n):
            x = 0.0
            for l in range(6):
                x += vals[place + l] * s[T + n * l + j]
            s[t[ALL] + n * row + j] = x
        row += 1
    return row


@fused_inlined
def insert_gate(s, t, vals):
    """G and H of the gate's rows; False where these do not give the frame."""
    m, w = t[VALUES], t[WIDTH]
    copy_block(s, t[SADDLE], 6, vals, t[CF], STRIDE, 6, 6)
    if not invert6(s, t[GATE_INVERSE], t[SADDLE]):
        return False
    for i in range(6):
        for j in range(6):
            x = 0.0
            for l in range(6):
                x -= s[t[GATE_INVERSE] + 6 * i + l] * vals[t[CN] + STRIDE * l + j]
            s[t[G] + 6 * i + j] = x
        for j in range(m):
            x = 0.0
            for l in range(6):
                x -= s[t[GATE_INVERSE] + 6 * i + l] * vals[t[CQ] + w * l + j]
            s[t[H] + m * i + j] = x
    return True


@fused_inlined
def through_gate(s, t, at, i, j):
    """Entry (i, j) of a matrix over z times [G H; 0 1]: j counts the gate's six, then q."""
    n, x = 6 + t[VALUES], 0.0
    if j < 6:
        for l in range(6):
            x += s[at + n * i + l] * s[t[G] + 6 * l + j]
        return x
    x = s[at + n * i + j]
    for l in range(6):
        x += s[at + n * i + l] * s[t[H] + t[VALUES] * l + j - 6]
    return x


@fused_inlined
def rank_rows(s, t, length):
    """Rows V over (gate, q) mixed so that the first have parts for q of full rank and the others
    none; the rank, or −1 where that is not clear."""
    m, p, n, MIXED = t[VALUES], t[ROWS], 6 + t[VALUES], t[WHOLE]
    for r in range(p):
        for j in range(n):
            s[MIXED + n * r + j] = through_gate(s, t, t[ALL], r, j)
        size = 0.0
        for j in range(n):
            x = abs(s[MIXED + n * r + j])
            size = max(size, x if 3 <= j < 6 else x * length)
        if not 0.0 < size < 1e300:
            return -1
        for j in range(n):
            s[MIXED + n * r + j] /= size
        for j in range(p):
            s[t[MIX] + p * r + j] = 1.0 / size if j == r else 0.0
    rank = 0
    while rank < min(p, m):
        best, row, column = 0.0, rank, 6
        for r in range(rank, p):
            for j in range(6, n):
                if abs(s[MIXED + n * r + j]) > best:
                    best, row, column = abs(s[MIXED + n * r + j]), r, j
        if best * length < NONE:
            break
        if not SURE < best * length:
            return -1
        if row != rank:
            for j in range(n):
                x, y = MIXED + n * rank + j, MIXED + n * row + j
                s[x], s[y] = s[y], s[x]
            for j in range(p):
                x, y = t[MIX] + p * rank + j, t[MIX] + p * row + j
                s[x], s[y] = s[y], s[x]
        for r in range(rank + 1, p):
            factor = s[MIXED + n * r + column] / s[MIXED + n * rank + column]
            for j in range(n):
                s[MIXED + n * r + j] -= factor * s[MIXED + n * rank + j]
            for j in range(p):
                s[t[MIX] + p * r + j] -= factor * s[t[MIX] + p * rank + j]
        rank += 1
    return rank


@fused_inlined
def form_saddle(s, t, k):
    """[[Q, V_qᵀ], [V_q, 0]], [B; V_R] and [B' V_Rᵀ]; S_RR gains what goes through the gate."""
    m, n = t[VALUES], 6 + t[VALUES]
    size = m + k
    D, Y, X = t[SADDLE], t[ANSWER], t[BACKWARD]
    for i in range(size * size):
        s[D + i] = 0.0
    for i in range(n):  # A [G H; 0 1], and with S_zR
        for j in range(n):
            x = through_gate(s, t, t[A], i, j)
            if j < 6:
                x += s[t[ZR] + 6 * i + j]
            s[t[REST] + n * i + j] = x
    for i in range(m):
        for j in range(n):
            x = s[t[REST] + n * (6 + i) + j]
            for l in range(6):
                x += s[t[H] + m * l + i] * s[t[REST] + n * l + j]
            if j < 6:
                s[Y + 6 * i + j] = x
            else:
                s[D + size * i + j - 6] = x
    for i in range(6):
        for j in range(m):
            x = through_gate(s, t, t[RZ], i, 6 + j)
            for l in range(6):
                x += s[t[G] + 6 * l + i] * s[t[REST] + n * l + 6 + j]
            s[X + size * i + j] = x
        for r in range(k):
            s[X + size * i + m + r] = s[t[WHOLE] + n * r + i]
    for r in range(k):
        for j in range(6):
            s[Y + 6 * (m + r) + j] = s[t[WHOLE] + n * r + j]
        for j in range(m):
            s[D + size * (m + r) + j] = s[D + size * j + m + r] = s[t[WHOLE] + n * r + 6 + j]


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
def solve_saddle(s, t, size, at, step):
    """One column, from `at` on with entries `step` apart, in place."""
    D = t[SADDLE]
    for k in range(size):
        p = int(s[t[SWAP] + k])
        if p != k:
            x, y = at + step * k, at + step * p
            s[x], s[y] = s[y], s[x]
    for i in range(size):
        x = s[at + step * i]
        for j in range(i):
            x -= s[D + size * i + j] * s[at + step * j]
        s[at + step * i] = x
    for i in range(size - 1, -1, -1):
        x = s[at + step * i]
        for j in range(i + 1, size):
            x -= s[D + size * i + j] * s[at + step * j]
        s[at + step * i] = x / s[D + size * i + i]


@fused_inlined
def add_to_gate(s, t, k, vals, length):
    """S_RR less the Schur complement; the squares of what x_R moves q by, scaled."""
    m, n = t[VALUES], 6 + t[VALUES]
    size, Y, X, squares = m + k, t[ANSWER], t[BACKWARD], 1.0
    for j in range(6):
        solve_saddle(s, t, size, Y + j, 6)
        unit = 1.0 if j < 3 else 1.0 / length
        for i in range(m):
            squares += (s[Y + 6 * i + j] * unit) ** 2
    for i in range(6):
        for j in range(6):
            x = through_gate(s, t, t[RZ], i, j)
            for l in range(6):
                x += s[t[G] + 6 * l + i] * s[t[REST] + n * l + j]
            for l in range(size):
                x -= s[X + size * i + l] * s[Y + 6 * l + j]
            vals[t[RR] + STRIDE * i + j] += x
    return squares


@fused_inlined
def sides(s, t, vals, b, factors):
    """The way of a right-hand side: into the store, and on to the gate and the delayed rows.

    factors: nodes before have left theirs in the column RHS of their neighbours' blocks
    """
    m, p, k = t[VALUES], t[ROWS], t[RANK]
    n, size, row = 6 + m, m + k, 0
    z, whole = t[SIDE], t[FRAME_SIDE]
    for i in range(6):
        x = b[t[F0] + i]
        if factors:
            x += vals[t[FF] + STRIDE * i + RHS]
        s[z + i] = s[whole + i] = x
    for i in range(m):
        s[z + 6 + i] = b[t[Q0] + i]
    at = t[CHILD]
    for _ in range(t[CHILDREN]):
        d, own, wide = t[at + C_D], t[at + C_OWN], 6 + n
        for i in range(6):
            x = 0.0
            for l in range(6):
                x += s[t[at + C_INVERSE] + 6 * i + l] * b[t[at + C_U0] + l]
            s[d + i] = x
        for i in range(6):
            x = b[t[at + C_FIRST] + i]
            if factors:
                x += vals[t[at + C_NN] + STRIDE * i + RHS]
            s[t[at + C_SIDE] + i] = x
            for l in range(6):
                x -= s[own + wide * i + l] * s[d + l]
            for j in range(n):
                s[z + j] += s[t[at + C_T] + n * i + j] * x
        for i in range(n):
            for l in range(6):
                s[z + i] -= s[t[at + C_FRAME] + 6 * i + l] * s[d + l]
        for r in range(t[at + C_ROWS]):
            pair = at + C_SIZE + PAIR * r
            x = 0.0
            if factors:
                x += vals[t[pair + PLACE] + RHS]
            if not factors or t[pair + UNKNOWN] < t[COUNT]:
                x += b[t[pair + UNKNOWN]]
            for l in range(6):
                x -= s[t[at + C_HELD] + 6 * n + 6 * r + l] * s[d + l]
            s[t[E] + 6 + row] = x  # ω, behind e
            row += 1
        at += C_SIZE + PAIR * t[at + C_ROWS]
    for i in range(6):
        x = 0.0
        for l in range(6):
            x += s[t[GATE_INVERSE] + 6 * i + l] * b[t[U0] + l]
        s[t[E] + i] = x
    for r in range(p):
        for l in range(6):
            s[t[E] + 6 + r] -= s[t[ALL] + n * r + l] * s[t[E] + l]
    for i in range(n):
        for l in range(6):
            s[z + i] -= s[t[A] + n * i + l] * s[t[E] + l]
    y = t[ANSWER_SIDE]
    for i in range(m):
        x = s[z + 6 + i]
        for l in range(6):
            x += s[t[H] + m * l + i] * s[z + l]
        s[y + i] = x
    for r in range(p):
        x = 0.0
        for l in range(p):
            x += s[t[MIX] + p * r + l] * s[t[E] + 6 + l]
        if r < k:
            s[y + m + r] = x
        else:
            pair = t[LATE] + PAIR * (r - k)
            if factors:
                vals[t[pair + PLACE] + RHS] = x
            else:
                b[t[pair + UNKNOWN]] = x
    solve_saddle(s, t, size, y, 1)
    for i in range(6):
        x = 0.0
        for l in range(6):
            x += s[t[G] + 6 * l + i] * s[z + l] - s[t[RZ] + n * i + l] * s[t[E] + l]
        for l in range(size):
            x -= s[t[BACKWARD] + size * i + l] * s[y + l]
        if factors:
            vals[t[RR] + STRIDE * i + RHS] += x
        else:
            b[t[R0] + i] += x


@fused_inlined
def write_late(s, t, vals):
    """Rows without a part for q, to the gate."""
    n, k = 6 + t[VALUES], t[RANK]
    for r in range(t[ROWS] - k):
        place = t[t[LATE] + PAIR * r + PLACE]
        for j in range(6):
            vals[place + j] = s[t[WHOLE] + n * (k + r) + j]
        vals[place + 7] = 0.0


@fused_inlined
def solve_back(s, t, x, out):
    """Motions and multipliers of a substructure from the motion of its gate."""
    m, p, k = t[VALUES], t[ROWS], t[RANK]
    n, size, z, y, gate = 6 + m, m + k, t[SIDE], t[SADDLE] + (m + k) * (m + k), STRIDE * t[GATE]
    for i in range(size):
        a = s[t[ANSWER_SIDE] + i]
        for j in range(6):
            a -= s[t[ANSWER] + 6 * i + j] * x[gate + j]
        s[y + i] = a
    mu = t[E] + 6  # in place of ω
    for r in range(p):
        a = 0.0
        for l in range(p):
            if l < k:
                a += s[t[MIX] + p * l + r] * s[y + m + l]
            else:
                a += s[t[MIX] + p * l + r] * out[t[t[LATE] + PAIR * (l - k) + UNKNOWN]]
        s[mu + r] = a
    for i in range(6):
        a = s[t[E] + i]
        for j in range(6):
            a += s[t[G] + 6 * i + j] * x[gate + j]
        for j in range(m):
            a += s[t[H] + m * i + j] * s[y + j]
        s[z + i] = out[t[F0] + i] = a
    for i in range(m):
        s[z + 6 + i] = out[t[Q0] + i] = s[y + i]
    force, frame = t[FRAME_SIDE], t[F0] // 6
    for i in range(6):
        x[STRIDE * frame + i] = s[z + i]
        for j in range(n):
            s[force + i] -= s[t[FRAME] + n * i + j] * s[z + j]
        for j in range(6):
            s[force + i] -= s[t[ZR] + 6 * i + j] * x[gate + j]
    at, row = t[CHILD], 0
    for _ in range(t[CHILDREN]):
        body, own, wide, side = STRIDE * t[at + C_BODY], t[at + C_OWN], 6 + n, t[at + C_SIDE]
        for i in range(6):
            a = s[t[at + C_D] + i]
            for j in range(n):
                a += s[t[at + C_T] + n * i + j] * s[z + j]
            x[body + i] = out[t[at + C_FIRST] + i] = a
        for i in range(6):
            for l in range(6):
                s[side + i] -= s[own + wide * i + l] * x[body + l]
                s[force + i] -= s[t[at + C_FRAME] + 6 * i + l] * x[body + l]
            for j in range(n):
                s[side + i] -= s[own + wide * i + 6 + j] * s[z + j]
        for r in range(t[at + C_ROWS]):
            place = t[at + C_HELD] + 6 * n + 6 * r  # W
            for i in range(6):
                s[side + i] -= s[place + i] * s[mu + row]
            out[t[at + C_SIZE + PAIR * r + UNKNOWN]] = s[mu + row]
            row += 1
        for i in range(6):
            a = 0.0
            for l in range(6):
                a += s[t[at + C_INVERSE] + 6 * l + i] * s[side + l]
            out[t[at + C_U0] + i] = a
            for l in range(6):
                s[force + l] -= s[t[at + C_HELD] + n * i + l] * a
        at += C_SIZE + PAIR * t[at + C_ROWS]
    for i in range(6):
        a = 0.0
        for l in range(6):
            a += s[t[GATE_INVERSE] + 6 * l + i] * s[force + l]
        out[t[U0] + i] = a


@fused_inlined
def factor_substructure(s, t, vals, b, length):
    """All of it; the growth squared, infinite where it has no pivots."""
    load_blocks(s, t, vals)
    at, row = t[CHILD], 0
    for _ in range(t[CHILDREN]):
        if not insert_child(s, t, at, vals):
            return np.inf
        for r in range(t[at + C_ROWS]):
            for l in range(6):
                place = t[at + C_HELD] + 6 * (6 + t[VALUES]) + 6 * r + l
                s[place] = vals[t[at + C_SIZE + PAIR * r + PLACE] + l]
        row = child_rows(s, t, at, row, vals)
        at += C_SIZE + PAIR * t[at + C_ROWS]
    if not insert_gate(s, t, vals):
        return np.inf
    rank = rank_rows(s, t, length)
    if t[RANK] < 0:
        t[RANK] = rank
    if rank < 0 or rank != t[RANK]:
        return np.inf
    form_saddle(s, t, rank)
    if not factor_saddle(s, t, t[VALUES] + rank):
        return np.inf
    growth = add_to_gate(s, t, rank, vals, length)
    write_late(s, t, vals)
    always = length > 0.0
    sides(s, t, vals, b, always)
    return growth


@far
def leave(c, vals, b, x, out, number, task):
    """FACTOR with the right-hand side b, FORWARD for another one, BACK; growth of the first."""
    t = c.ints[c.first[number] : c.first[number + 1]]
    s = c.store[c.places[number] : c.places[number + 1]]
    if task == BACK:
        solve_back(s, t, x, out)
        return 0.0
    if task == FACTOR:
        return factor_substructure(s, t, vals, b, c.length[0])
    never = c.length[0] < 0.0
    sides(s, t, vals, b, never)
    return 0.0
