"""Other right-hand sides of a factored substructure: on to the gate, and back from its motion.

`numbers` has the equations.
"""

from __future__ import annotations

from linkwork.elements.layout import SIX, STRIDE
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.registers.eights import last8, load8, spread8, store8, sum8
from linkwork.linear_algebra.along_mechanism.substructure.record import (
    ALL, ANSWER, C_BODY, C_DELAYED, C_FIRST, C_FN, C_INVERSE, C_NN, C_OWN, C_QN, C_ROWS, C_SIZE,
    C_T, C_U0, CHILD, CHILDREN, F0, GAIN, GATE, GH, INVERSE, LATE, MIX, MIXED, PAIR, Q0, R0, RANK,
    REST, RF, RHS, ROWS, SADDLE, SPACE, SWAP, U0, UNKNOWN, VALUES, WIDE, A,
)  # fmt: skip


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
    frame = t[F0] // SIX
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
