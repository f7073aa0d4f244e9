"""Nodes that follow multipliers: what their slopes change in a solution of the equations.

    x − g(γ, q) = 0,        c = ∂g/∂γ

The matrix has no blocks of a node against multipliers.  With J without and J' = J − Σ e_x cᵀ with
them, the solution of J' δ = r follows from that of J δ = r and one more for every such node, one
after the other (Sherman and Morrison):

    z = J⁻¹ e_x,      δ ← δ + z (c·δ)/(1 − c·z)

Numbers that follow distant bodies (system.far_feedback) are the same with u in the place of e_x and
−w in that of c.
"""

from __future__ import annotations

from linkwork.kernels.compiled import inlined, spliced
from linkwork.linear_algebra.along_mechanism import solve

ROW, SLOPES, FIRST, SENSOR = 0, 1, 2, 5  # unknown, place of its slopes, three multipliers


@inlined
def along(tables, k, n, z):
    """c·z over the multipliers in z, or −w·z."""
    total, sensors = 0.0, tables.sensors.shape[0]
    if k >= sensors:
        w = tables.updates[k - sensors, 1]
        for i in range(n):
            total -= w[i] * z[i]
        return total
    for j in range(3):
        e = n + tables.sensors[k, FIRST + j]
        if e < z.shape[0]:
            total += tables.reals[tables.sensors[k, SLOPES] + j] * z[e]
    return total


@inlined
def put_side(tables, k, n, z):
    """e_x or u into z; whether it changes anything."""
    z[:] = 0.0
    sensors = tables.sensors.shape[0]
    if k < sensors:
        z[tables.sensors[k, ROW]] = 1.0
        return True
    u, w, size = tables.updates[k - sensors, 0], tables.updates[k - sensors, 1], 0.0
    for i in range(n):
        z[i] = u[i]
        size += abs(w[i])
    return size > 0.0


@spliced
def answer_sensors(lu, tables, work, solution):
    """Correct a solution for the slopes of sensors by multipliers, and for numbers that follow
    distant bodies; after the factorisation."""
    if tables.answers.shape[0] > 0:
        correct_for_updates(lu, tables, work, solution)


@inlined
def correct_for_updates(lu, tables, work, solution):
    """By rank-one updates, one after the other."""
    n = tables.motions[0]
    for k in range(tables.answers.shape[0]):
        z = tables.answers[k]
        if put_side(tables, k, n, z):
            solve(lu, work.vals, z)
        for i in range(k + 1):
            target = z if i < k else solution
            other = tables.answers[i]
            part = along(tables, i, n, target) / (1.0 - along(tables, i, n, other))
            for e in range(target.shape[0]):
                target[e] += part * other[e]
