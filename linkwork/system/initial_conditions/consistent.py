"""A consistent start of a system with vector nodes, by Newton's method.

Every equation determines the highest derivative that is in it: accelerations of bodies and values
of second order, rates of first order, values of order zero; with the multipliers they are the
unknowns of

    r(q, q̇, q̈, γ) = 0,      C_q q̈ = Q_c

One step does where these enter linearly.  Where they are not determined, the index is reduced
(`index_reduction`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwork.elements.signals.measured import Sensor
from linkwork.errors import ConvergenceError, SingularError
from linkwork.linear_algebra import AlongMechanism, LinearSolver, SingularMatrix
from linkwork.linear_algebra.sparse_rows import SparseRows
from linkwork.system.data import Data
from linkwork.system.state import State
from linkwork.system.system import System

CLOSE = 1e-10  # the last correction, relative to the numbers of its kind
ENOUGH = 1e-6  # the same where corrections no longer shrink: round-off of stiff equations
FAINT = 1e-4  # of the other kind of forces: below that, numbers are not compared with themselves
LOOP = 1e-12  # what is left of one where a sensor is fed back to itself: nothing
MOST = 40


def highest_derivatives(system: System) -> np.ndarray:
    """(3, values) with ones at what the equations of each value determine."""
    return np.eye(3)[:, system.layout.order]


def consistent(data: Data, state: State) -> State:
    """The state with accelerations, multipliers, and what its vector nodes must have."""
    system = data.system
    layout, kept = system.layout, data.kept
    b, n, by = system.bodies, system.motions, highest_derivatives(system)
    acceleration, gamma = np.zeros((b, 6)), np.zeros(len(system.all_rows))
    values, before, second = state.values.copy(), np.inf, layout.order == 2
    values[2] = 0.0
    for _ in range(MOST):
        now = replace(state, acceleration=acceleration, gamma=gamma, values=values)
        e = data.evaluate(now, cM=1.0, cD=0.0, cK=0.0, rates=True, by=by)
        motion = np.concatenate([acceleration.ravel(), np.where(second, values[2], 0.0)])
        rhs = np.concatenate([-e.residual, e.Qc - e.jacobian.times(motion)])
        refuse_not_finite(system, np.concatenate([e.values, rhs]), state)
        y = solved(data, e.values, rhs, now)
        refuse_not_finite(system, y, state)
        acceleration = acceleration + y[: layout.rigid].reshape(-1, 6)
        step = y[layout.rigid : n]
        values = values + by * step
        gamma = gamma.copy()
        gamma[kept] += y[n:]
        size = correction(data, y, acceleration, gamma[kept], by, values)
        if size <= CLOSE or (size <= ENOUGH and size > 0.5 * before):
            return replace(state, acceleration=acceleration, gamma=gamma, values=values)
        before = size
    worst = int(np.argmax(np.abs(step) / layout.value_scale))
    place = layout.place(layout.rigid + worst)[0] - b
    if layout.nodes[place].name in sensor_names(system):
        raise SingularError(undetermined(system, [layout.rigid + worst]))
    raise ConvergenceError(
        f"the start of model '{system.model.name}' is not consistent: the equations of "
        f"{layout.describe(layout.rigid + worst)} have no solution near its value at "
        f"t = {state.time:g}; {layout.nodes[place].unsolved or 'give it another start value'}",
        time=state.time, state=state,
    )  # fmt: skip


def refuse_not_finite(system: System, numbers: np.ndarray, state: State) -> None:
    if not np.all(np.isfinite(numbers)):
        raise SingularError(
            f"the equations of model '{system.model.name}' have numbers that are not finite at "
            f"t = {state.time:g}; look for a coefficient or a start value that is far too large"
        )


def correction(
    data: Data, y: np.ndarray, acceleration: np.ndarray, gamma: np.ndarray, by: np.ndarray,
    values: np.ndarray,
) -> float:  # fmt: skip
    """The largest correction, each over the largest number of its kind or the size of its value."""
    system = data.system
    rigid, n = system.layout.rigid, system.motions
    moved, held = (np.abs(x).max(initial=0.0) for x in (acceleration, gamma))
    mass = system.inertias[:, 0].max(initial=0.0)
    inertia = mass + np.abs(system.inertias[:, 1:]).max(initial=0.0)
    # values of one order: one of them may vanish beside the others, in sizes of the values
    step, wanted = (
        np.abs(x) / system.layout.value_scale for x in (y[rigid:n], (by * values).sum(axis=0))
    )
    # multipliers may vanish beside the forces that accelerate, and these beside multipliers;
    # accelerations of bodies beside those of amplitudes
    inner = np.max(wanted[by[2] > 0], initial=0.0) * system.length
    parts = [
        (y[:rigid], max(moved, FAINT * held / (mass or 1.0), FAINT * inner)),
        (y[n:], max(held, FAINT * inertia * max(moved, FAINT * inner))),
    ]
    for order, least in enumerate((1.0, 0.0, FAINT * moved / system.length)):
        mine = by[order] > 0
        parts.append((step[mine], max(np.max(wanted[mine], initial=0.0), least)))
    return float(max(np.abs(part).max(initial=0.0) / max(whole, 1e-300) for part, whole in parts))


def solved(data: Data, values: np.ndarray, rhs: np.ndarray, state: State) -> np.ndarray:
    """The solution with the matrix of these values, equations and unknowns scaled to size one."""
    p = data.pattern
    matrix = SparseRows(values, p.indices, p.indptr, (p.unknowns, p.unknowns))
    D = unit_scale(matrix, unknown_scale(data))
    matrix.data[:] *= D[matrix.row] * D[matrix.indices]
    solver, y = AlongMechanism(p, data.system.length, scaled=True), D * rhs
    try:
        solver.factorise(matrix.data, y)
    except SingularMatrix as error:
        raise SingularError(singular_start(data, error.unknown, state)) from error
    follow_multipliers(data, solver, D)
    return D * solver.low_rank.corrected(y)


def follow_multipliers(data: Data, solver: LinearSolver, D: np.ndarray) -> None:
    """The slopes of nodes that follow multipliers (linear_algebra.low_rank), by updates."""
    t, n, size = data.tables, data.system.motions, len(D)
    for row, slopes, *multipliers in t.sensors:
        u, c = np.zeros(size), np.zeros(size + 1)
        for j, e in enumerate(multipliers):
            c[min(n + e, size)] += t.reals[slopes + j]  # behind all: a row that is not there
        u[row] = D[row]
        if abs(solver.update(u, -D * c[:-1])) <= LOOP:
            raise SingularError(undetermined(data.system, [row]))


def sensor_names(system: System) -> set[str]:
    """The nodes of a model's sensors."""
    items = system.model.items.items()
    return {name for name, item in items if isinstance(item, Sensor)}


def undetermined(system: System, sensors: Sequence[int]) -> str:
    """One sentence: an algebraic loop through these sensors (unknowns) has no solution."""
    names = ", ".join(system.layout.describe(int(i)) for i in sensors)
    return (
        f"the equations of model '{system.model.name}' do not determine {names}: the loads that "
        "follow it change it by just as much as they follow, an algebraic loop without a solution; "
        "give another gain to the drives that read it, or mass and inertia to all bodies"
    )


def unknown_scale(data: Data) -> np.ndarray:
    """Makes M and C_q of size one in any units: D A D with these on the diagonal of D; ones for
    values of vector nodes, whose equations have units of their own."""
    system = data.system
    m, L = math.sqrt(system.mass), system.length
    bodies = np.tile(np.repeat([1 / m, 1 / (m * L)], 3), system.bodies)
    rows = [m * L if row.is_angle else m for row in data.kept_rows]
    return np.concatenate([bodies, np.ones(system.layout.values), rows])


def unit_scale(matrix: SparseRows, start: np.ndarray | None = None) -> np.ndarray:
    """Powers of two that bring the entries of a matrix near one when rows and columns have them;
    start: where they are looked for."""
    D = np.ones(matrix.shape[0]) if start is None else start.copy()
    for _ in range(4):
        size = np.abs(matrix.data) * D[matrix.row] * D[matrix.indices]
        largest = np.zeros(len(D))
        np.maximum.at(largest, matrix.row, size)
        np.maximum.at(largest, matrix.indices, size)
        D /= np.sqrt(np.where(largest > 0, largest, 1.0))
    return np.exp2(np.rint(np.log2(D)))


def singular_start(data: Data, unknown: int | None, state: State) -> str:
    """One sentence: what is not determined at the start."""
    system = data.system
    if unknown is not None and unknown >= system.motions:
        return (
            f"the equations are singular at {data.kept_rows[unknown - system.motions]}: its "
            "direction is already fixed by other joints in this position; look for redundant or "
            "conflicting joints"
        )
    where = "" if unknown is None else f": nothing determines {system.layout.moves(unknown)}"
    return (
        f"the equations of model '{system.model.name}' are singular at t = {state.time:g}{where}; "
        + (system.layout.remedy(unknown) or "look for a node that nothing holds, or a body "
           "without inertia")
    )  # fmt: skip
