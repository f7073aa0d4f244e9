"""Reactions of least norm at many stored motions: one plan, then a factorisation at each of them.

Of all y with the forces Cqᵀy = Cqᵀy₀ the one with the least Σ(w y)² is, with Q = W⁻²,

    y = Q Cq z,      Cqᵀ Q Cq z = Cqᵀ y₀,      repeated once for Cqᵀ(y₀ − y)

The matrix A has blocks of six for each body b, and where two bodies share a joint.  Bodies leave in
turn, that of the fewest neighbours first, which costs the same for every body in rows of loops:

    P = A_bb⁻¹,    U_j = P A_bj,    A_ij −= A_biᵀ U_j    for its neighbours i, j

It is singular: motions z that stay free have no Cq z.  A pivot of A_bb that is round-off beside the
diagonal entry that it began as is left out with its unknown, which takes nothing from the range of
Cq.  There must be as many of these as the rank of Cq says; a motion at which there are not, or at
which the repetition does not settle, is left to `MinimumNorm` by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from linkwork.elements.layout import STRIDE, TANGENT
from linkwork.kernels.compiled import fused_inlined
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import Flags, Floats, Floats2, Ints, Ints2, stored
from linkwork.kernels.registers.eights import load8, spread8, store8, sum8, zeros8
from linkwork.linear_algebra.least_degree import least_degree
from linkwork.linear_algebra.pattern import BLOCK
from linkwork.system.evaluate import Equations, StoredMotion, call_families, load_stored
from linkwork.system.layout import SIX

if TYPE_CHECKING:
    from linkwork.system.data import Data

# Of a diagonal entry: what is left of it when its unknown depends on others.  A pivot of 1e-7
# leaves noise of 1e-9, less than a pivot; long loops, whose own may be smaller, have a second try.
NO_PIVOT = (1e-7, 1e-11)
SETTLED = 1e-15  # relative error that further repetitions would take away
REPEAT = 6  # times at most


@stored
class Plan(NamedTuple):
    """Where everything lies; bodies by their turn in the elimination.

    groups    (n, 4): first row, number of rows, first part and pair; one more follows the last
    parts     (n, 2): where a joint's rows for one body lie among the values, that body's vector
    pairs     (n, 3): where two bodies' rows of a joint lie, and the block that they add to
    near      (n, 2): a later neighbour's vector and its block; near_at: the first of each body
    updates   (n, 3): which neighbour i, the blocks of j and of i, j; update_at: as near_at
    q, rank   1/w² of every row, 0 of rows that stay as they are; rank of Cq
    blocks    the matrix, first the diagonal blocks; diagonal: its entries before elimination
    """

    groups: Ints2
    parts: Ints2
    pairs: Ints2
    near: Ints2
    near_at: Ints
    updates: Ints2
    update_at: Ints
    q: Floats
    rank: Ints
    blocks: Floats
    diagonal: Floats
    right: Floats
    z: Floats
    scratch: Floats


def make_plan(data: Data, q: Floats, rank: int) -> Plan | None:
    """For a system with all rows in its equations; q as in `Plan`.

    Vector nodes of up to six values are treated as bodies are; None where there are larger ones.
    """
    p, n = data.pattern, data.system.motions
    columns: dict[int, list[int]] = {}
    for group, body in p.blocks:
        if group >= p.moving and q[p.first[group] - n : p.first[group + 1] - n].any():
            columns.setdefault(group, []).append(body)
            if len(p.members(body)) > SIX:
                return None
    used = sorted({b for bodies in columns.values() for b in bodies})
    local = {b: i for i, b in enumerate(used)}
    ends = [[local[b] for b in bodies] for bodies in columns.values()]
    turn = least_degree(len(used), ends)
    joints = [[int(turn[i]) for i in each] for each in ends]
    place, near, updates = symbolic(len(used), joints)
    groups: list[list[int]] = []
    parts: list[list[int]] = []
    pairs: list[list[int]] = []
    for (group, bodies), turns in zip(columns.items(), joints):
        rows = p.first[group] - n, p.first[group + 1] - p.first[group]
        groups.append([*rows, len(parts), len(pairs)])
        places = [p.blocks[group, b] for b in bodies]
        parts += [[at, STRIDE * t] for at, t in zip(places, turns)]
        pairs += [
            [i, j, place[a, b]]
            for i, a in zip(places, turns) for j, b in zip(places, turns) if a <= b
        ]  # fmt: skip
    groups.append([0, 0, len(parts), len(pairs)])
    room = STRIDE * len(used)
    return Plan(
        table(groups, 4), table(parts, 2), table(pairs, 3),
        table([row for each in near for row in each], 2), ends_of(near),
        table([row for each in updates for row in each], 3), ends_of(updates),
        q, np.array([rank]), zeros8(BLOCK * len(place)), zeros8(room), zeros8(room), zeros8(room),
        zeros8(BLOCK * max((len(each) for each in near), default=0)),
    )  # fmt: skip


def symbolic(
    bodies: int, joints: list[list[int]]
) -> tuple[dict[tuple[int, int], int], list[list[list[int]]], list[list[list[int]]]]:
    """Where blocks lie, later neighbours of each body, and what its elimination changes."""
    later: list[set[int]] = [set() for _ in range(bodies)]
    for turns in joints:
        for a in turns:
            later[a].update(b for b in turns if b > a)
    for others in later:
        if others:
            first = min(others)
            later[first] |= others - {first}
    keys = [(b, b) for b in range(bodies)]
    keys += [(b, other) for b, others in enumerate(later) for other in sorted(others)]
    place = {key: BLOCK * i for i, key in enumerate(keys)}
    near = [[[STRIDE * o, place[b, o]] for o in sorted(others)] for b, others in enumerate(later)]
    updates = [
        [[BLOCK * i, place[b, v], place[u, v]]
         for i, u in enumerate(sorted(others)) for v in sorted(others) if v >= u]
        for b, others in enumerate(later)
    ]  # fmt: skip
    return place, near, updates


def table(rows: list[list[int]], width: int) -> Ints:
    return np.array(rows, np.int64).reshape(-1, width)


def ends_of(lists: list[list[list[int]]]) -> Ints:
    return np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int64)


# ------------------------------------------------------------------------------------- compiled


@fused_inlined
def six(a, i):
    """Six rows of a block."""
    return (
        load8(a, i), load8(a, i + STRIDE), load8(a, i + 2 * STRIDE),
        load8(a, i + 3 * STRIDE), load8(a, i + 4 * STRIDE), load8(a, i + 5 * STRIDE),
    )  # fmt: skip


@fused_inlined
def form(plan, values):
    """Cqᵀ Q Cq from the rows of Cq."""
    plan.blocks[:] = 0.0
    A, vals, q = borrow(plan.blocks), borrow(values), borrow(plan.q)
    groups, pairs = borrow(plan.groups), borrow(plan.pairs)
    for g in range(0, plan.groups.size - 4, 4):
        row, count = groups[g], groups[g + 1]
        for k in range(3 * groups[g + 3], 3 * groups[g + 7], 3):
            i, j, t = pairs[k], pairs[k + 1], pairs[k + 2]
            a, b, c, d, e, f = six(A, t)
            for r in range(count):
                v = load8(vals, j) * q[row + r]
                a, b, c = a + v * vals[i], b + v * vals[i + 1], c + v * vals[i + 2]
                d, e, f = d + v * vals[i + 3], e + v * vals[i + 4], f + v * vals[i + 5]
                i, j = i + STRIDE, j + STRIDE
            store8(A, t, a)
            store8(A, t + STRIDE, b)
            store8(A, t + 2 * STRIDE, c)
            store8(A, t + 3 * STRIDE, d)
            store8(A, t + 4 * STRIDE, e)
            store8(A, t + 5 * STRIDE, f)


@fused_inlined
def invert(A, block, diagonal, at, units, small):
    """A_bb becomes P, without the unknowns that have no pivot; how many these are."""
    left_out, kept = 0, spread8(0.0)
    for c in range(6):
        here = block + STRIDE * c
        pivot = A[here + c]
        if not pivot > small * diagonal[at + c]:
            left_out += 1
            continue
        one, inverse = load8(units, STRIDE * c), 1.0 / pivot
        kept = kept + one
        v = load8(A, here) * inverse
        w = v + one * inverse
        for r in range(6):
            there = block + STRIDE * r
            if r != c:
                store8(A, there, load8(A, there) - w * A[there + c])
        store8(A, here, v + one * (inverse - 1.0))
    if left_out > 0:
        for c in range(6):
            here = block + STRIDE * c
            store8(A, here, load8(A, here) * kept * sum8(kept * load8(units, STRIDE * c)))
    return left_out


@fused_inlined
def factor(plan, eye, small):
    """P and U of all bodies, in place; how many unknowns were left out."""
    A, diagonal, units = borrow(plan.blocks), borrow(plan.diagonal), borrow(eye)
    near, near_at = borrow(plan.near), borrow(plan.near_at)
    updates, update_at, given = borrow(plan.updates), borrow(plan.update_at), borrow(plan.scratch)
    bodies, left_out = plan.near_at.size - 1, 0
    for b in range(bodies):
        for c in range(6):
            diagonal[STRIDE * b + c] = A[BLOCK * b + (STRIDE + 1) * c]
    for b in range(bodies):
        block, scratch = BLOCK * b, 0
        left_out += invert(A, block, diagonal, STRIDE * b, units, small)
        for k in range(near_at[b], near_at[b + 1]):
            place = near[2 * k + 1]
            p, q, r, s, t, u = six(A, place)
            for c in range(6):
                store8(given, scratch + STRIDE * c, load8(A, place + STRIDE * c))
            for c in range(6):
                i = block + STRIDE * c
                v = p * A[i] + q * A[i + 1] + r * A[i + 2]
                v = v + s * A[i + 3] + t * A[i + 4] + u * A[i + 5]
                store8(A, place + STRIDE * c, v)
            scratch += BLOCK
        for k in range(3 * update_at[b], 3 * update_at[b + 1], 3):
            i, target = updates[k], updates[k + 2]
            p, q, r, s, t, u = six(A, updates[k + 1])
            for c in range(6):
                v = load8(A, target + STRIDE * c)
                v = v - p * given[i] - q * given[i + STRIDE] - r * given[i + 2 * STRIDE]
                v = v - s * given[i + 3 * STRIDE] - t * given[i + 4 * STRIDE]
                store8(A, target + STRIDE * c, v - u * given[i + 5 * STRIDE])
                i += 1
    return left_out


@fused_inlined
def solve(plan):
    """z of the right-hand side, which is used up."""
    A, right, z = borrow(plan.blocks), borrow(plan.right), borrow(plan.z)
    near, near_at, bodies = borrow(plan.near), borrow(plan.near_at), plan.near_at.size - 1
    for b in range(bodies):
        i = STRIDE * b
        for k in range(near_at[b], near_at[b + 1]):
            there, place = near[2 * k], near[2 * k + 1]
            p, q, r, s, t, u = six(A, place)
            v = load8(right, there) - p * right[i] - q * right[i + 1] - r * right[i + 2]
            store8(right, there, v - (s * right[i + 3] + t * right[i + 4] + u * right[i + 5]))
    for b in range(bodies - 1, -1, -1):
        i = STRIDE * b
        p, q, r, s, t, u = six(A, BLOCK * b)
        v = p * right[i] + q * right[i + 1] + r * right[i + 2]
        store8(z, i, v + (s * right[i + 3] + t * right[i + 4] + u * right[i + 5]))
        for k in range(near_at[b], near_at[b + 1]):
            v, place = load8(z, near[2 * k]), near[2 * k + 1]
            for c in range(6):
                z[i + c] -= sum8(load8(A, place + STRIDE * c) * v)


@fused_inlined
def load_bodies(plan, values, given, done):
    """The right-hand side Cqᵀ(given − done); the weighted square of what is given."""
    plan.right[:] = 0.0
    right, vals, q, y0, y = (
        borrow(plan.right), borrow(values), borrow(plan.q), borrow(given), borrow(done)
    )  # fmt: skip
    groups, parts, size = borrow(plan.groups), borrow(plan.parts), 0.0
    for g in range(0, plan.groups.size - 4, 4):
        row, count = groups[g], groups[g + 1]
        for k in range(2 * groups[g + 2], 2 * groups[g + 6], 2):
            place, at = parts[k], parts[k + 1]
            v = load8(right, at)
            for r in range(row, row + count):
                v = v + load8(vals, place) * (y0[r] - y[r])
                place += STRIDE
            store8(right, at, v)
        for r in range(row, row + count):
            if q[r] > 0.0:
                size += y0[r] * y0[r] / q[r]
    return size


@fused_inlined
def add_reactions(plan, values, done):
    """y += Q Cq z; the weighted square of what was added."""
    z, vals, q, y = borrow(plan.z), borrow(values), borrow(plan.q), borrow(done)
    groups, parts, size = borrow(plan.groups), borrow(plan.parts), 0.0
    for g in range(0, plan.groups.size - 4, 4):
        row, first, last = groups[g], 2 * groups[g + 2], 2 * groups[g + 6]
        for r in range(groups[g + 1]):
            v = spread8(0.0)
            for k in range(first, last, 2):
                v = v + load8(vals, parts[k] + STRIDE * r) * load8(z, parts[k + 1])
            s = sum8(v)
            more = q[row + r] * s
            y[row + r] += more
            size += more * s
    return size


@fused_inlined
def least_norm(plan, vals, given, y, units):
    """y of least norm with the forces of `given`; false where that is not certain."""
    unknowns, sure = SIX * (plan.near_at.size - 1), False
    for small in NO_PIVOT:
        form(plan, vals)
        sure = unknowns - factor(plan, units, small) == plan.rank[0]
        if sure:
            break
    if not sure:
        return False
    y[:] = 0.0
    whole, last = 0.0, 0.0
    for k in range(REPEAT):
        size = load_bodies(plan, vals, given, y)
        solve(plan)
        added = add_reactions(plan, vals, y)
        if not added < np.inf:
            return False
        if k == 0:
            whole = max(added, SETTLED * size)
        elif added <= SETTLED * SETTLED * size or added * added <= (SETTLED**2 * whole) * last:
            return True
        elif added > 0.01 * last:
            return False
        last = added
    return False


@stored
class Reactions(NamedTuple):
    """Multipliers at stored motions, and which of them are certain."""

    gamma: Floats2
    good: Flags
    y: Floats  # room for one row
    units: Floats


@c_function(Equations, Plan, StoredMotion, Reactions, returns=None)
def reactions_over_time(equations, plan, stored_motion, reactions):
    """Multipliers `gamma` at stored motions become those of least norm where that is `good`."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    times, gamma, good = stored_motion.times, reactions.gamma, reactions.good
    y, units = reactions.y, reactions.units
    work.coef[:] = 0.0
    work.coef[TANGENT] = 1.0
    work.gamma[:] = 0.0
    for k in range(times.shape[0]):
        load_stored(tables, work, stored_motion, k)
        call_families(kernels, tables, work, times[k])
        good[k] = least_norm(plan, work.vals, gamma[k], y, units)
        if good[k]:
            for g in range(plan.groups.shape[0] - 1):
                first = plan.groups[g, 0]
                for r in range(first, first + plan.groups[g, 1]):
                    gamma[k, r] = y[r]
