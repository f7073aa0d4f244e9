"""Residual and tangent of a compiled system: bodies first, then every family through its kernel.

    r = M v̇ + f_g + C_qᵀγ − f,   C(q, t);   matrix [[cM M + cD D + cK K, C_qᵀ], [C_q, 0]]

Families whose forces depend on accelerations (`inertial`) come first.

Numbers of elements that follow the motion (signals.signals) are put into the table before the
other families are asked; with y(q, v, t) such a number of an element with the residual f(q, v, y),

    K gains ∂f/∂y ∂y/∂q,   D gains ∂f/∂y ∂y/∂v,      ∂f/∂y by central differences of its kernel
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.bodies.body import body_terms
from linkwork.elements.layout import (
    BY_RATE,
    BY_VALUE,
    CD,
    CK,
    CM,
    COEF_SIZE,
    GRAVITY,
    NODE,
    QUAT,
    RATE,
    ROT,
    SECOND,
    SIX,
    STRIDE,
    TANGENT,
    VEL,
)  # fmt: skip
from linkwork.kernels.compiled import inlined, lean, spliced
from linkwork.kernels.kernel import Loads, Motion, call_kernel
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.memory.records import (
    Floats,
    Floats2,
    Floats3,
    Ints,
    Ints2,
    refer,
    rows_at,
    stored,
)
from linkwork.kernels.registers.eights import zeros8
from linkwork.kernels.rotations import rotation_matrix
from linkwork.kernels.vectors import at4
from linkwork.linear_algebra.pattern import Pattern

SLOTS = 64  # families in one model
DIRECTORY_COLUMNS = 8
# a row of Tables.signals: where its number is among the reals, its first end, how many ends it
# has, how many of them are those it acts on, its first int, the place it fills; the family acted
# on; which update it is (system.far_feedback), −1 for blocks; where the element has its memory
(NUMBER, ENDS, BODIES, LOADED, INTS, TARGET, SLOT, INT, INT_WIDTH, REAL, REAL_WIDTH, UPDATE,
 MEMORY, MEMORY_WIDTH, SIGNAL_COLUMNS) = range(15)  # fmt: skip
# a row of Tables.signal_ends: unknowns of an end, where its slopes begin, whether it is a vector
# node, numbers in a row of blocks against it
UNKNOWNS, SLOPES, IS_NODE, WIDTH, END_COLUMNS = range(5)
TRIAL = 2.0**-17  # of central differences: exact for what is linear, 1e-10 elsewhere


@stored
class Tables(NamedTuple):
    """The frozen numbers of a system (`reals` changes with time where laws say so).

    directory rows: [slot, elements, first int, ints each, first real, reals each, first of the
    memory, memory each]
    """

    directory: Ints2
    ints: Ints
    reals: Floats
    memory: Floats  # what elements remember, in the order of their families
    bodies: Floats2
    blocks: Ints
    gravity: Floats
    indptr: Ints
    indices: Ints
    places: Ints  # of the CSR entries in Work.vals
    motions: Ints  # how many unknowns stand before the multipliers
    targets: Ints  # flat places in reals that laws write
    signals: Ints2  # numbers that follow the motion, (n, SIGNAL_COLUMNS)
    signal_ends: Ints2  # bodies and nodes they act on and read, (n, END_COLUMNS)
    signal_family_count: Ints  # how many families, the first, compute them
    sensors: Ints2  # nodes that follow multipliers (linear_algebra.low_rank)
    answers: Floats2  # (sensors and updates, unknowns) room for what they change
    updates: Floats3  # (n, 2, motion unknowns) u and w of numbers that follow distant bodies


@stored
class Work(NamedTuple):
    """What an evaluation fills in; made once, used again and again."""

    nodes: Floats2
    vdot: Floats2
    x: Floats2
    values: Floats2
    gamma: Floats
    coef: Floats
    f: Floats2
    balance: Floats
    C: Floats
    Ct: Floats
    Qc: Floats
    vals: Floats
    sums: Floats  # the part of vals that is cleared before elements add to it
    power: Floats
    out: Floats2  # no outputs: `replay` has a table of its own
    trial: Floats2  # residuals of one element, for its change with a number that it is given
    trial_balance: Floats  # the same of vector nodes
    trial_memory: Floats  # the memory of that element before its trials


@stored
class Equations(NamedTuple):
    """What compiled functions take of a Data."""

    kernels: Ints  # addresses of the kernels by slot
    tables: Tables
    work: Work


@stored
class StoredMotion(NamedTuple):
    """A motion to be evaluated again: at each of some times ..."""

    times: Floats
    motion: Floats3  # (times, bodies, 13)
    values: Floats3  # (times, 3, values) of vector nodes
    schedule: Floats2  # what motion laws give


@stored
class Rows(NamedTuple):
    """... and a row of numbers for each of them."""

    numbers: Floats2


def make_work(bodies: int, values: int, rows: int, memory: int, pattern: Pattern) -> Work:
    """Work arrays; memory: the largest of an element whose numbers follow the motion."""
    vals = zeros8(pattern.size)
    nodes = zeros8(NODE * (bodies + 1)).reshape(-1, NODE)
    nodes[:, QUAT] = 1.0
    nodes[:, [ROT, ROT + 4, ROT + 8]] = 1.0
    return Work(
        nodes=nodes,
        vdot=zeros8(STRIDE * (bodies + 1)).reshape(-1, STRIDE),
        x=zeros8(STRIDE * (bodies + 1)).reshape(-1, STRIDE),
        values=np.zeros((6, values + 1)),
        gamma=np.zeros(rows + 1),
        coef=np.zeros(COEF_SIZE),
        f=np.zeros((bodies + 1, 6)),
        balance=np.zeros(values + 1),
        C=np.zeros(rows + 1),
        Ct=np.zeros(rows + 1),
        Qc=np.zeros(rows + 1),
        vals=vals,
        sums=vals[pattern.sums],
        power=np.zeros(2),
        out=np.zeros((0, 0)),
        trial=np.zeros((bodies + 1, 6)),
        trial_balance=np.zeros(values + 1),
        trial_memory=np.zeros(memory),
    )


@inlined
def set_rotation(nodes, b):
    R = rotation_matrix(at4(nodes, b, QUAT))
    for i in range(9):
        nodes[b, ROT + i] = R[i]


@lean
def set_rotations(nodes):
    for b in range(nodes.shape[0]):
        set_rotation(nodes, b)


@inlined
def velocity_of(work, unknown):
    """The rate of a motion unknown: of a body in its axes, or of a value."""
    rigid = SIX * (work.nodes.shape[0] - 1)
    if unknown < rigid:
        return work.nodes[unknown // SIX, VEL + unknown % SIX]
    return work.values[RATE, unknown - rigid]


@inlined
def acceleration_of(work, unknown):
    """The second derivative of a motion unknown."""
    rigid = SIX * (work.nodes.shape[0] - 1)
    if unknown < rigid:
        return work.vdot[unknown // SIX, unknown % SIX]
    return work.values[SECOND, unknown - rigid]


@spliced
def ask(kernels, slot, tables, work, f, balance, out, time, n, i, wi, r, wr, m, wm):
    """The kernel in a slot on n elements whose ints, reals and memory begin at i, r and m;
    residuals to f and balance, outputs to `out`."""
    call_kernel(
        kernels, slot,
        rows_at(tables.ints, i, n, wi), rows_at(tables.reals, r, n, wr),
        refer(Motion(
            work.nodes, work.vdot, work.x, work.values, work.gamma, time, work.coef,
            rows_at(tables.memory, m, n, wm),
        )),
        refer(Loads(f, balance, work.C, work.Ct, work.Qc, work.vals, work.power, out)),
    )  # fmt: skip


@spliced
def call_families(kernels, tables, work, time):
    """Every family's kernel, on the part of the tables that is its own."""
    d = tables.directory
    for m in range(d.shape[0]):
        if m == tables.signal_family_count[0]:
            for s in range(tables.signals.shape[0]):
                tables.reals[tables.signals[s, TARGET]] = tables.reals[tables.signals[s, NUMBER]]
        ask(kernels, d[m, 0], tables, work, work.f, work.balance, work.out, time, d[m, 1], d[m, 2],
            d[m, 3], d[m, 4], d[m, 5], d[m, 6], d[m, 7])  # fmt: skip
    if work.coef[TANGENT] != 0.0 and tables.signals.shape[0] > 0:
        signal_tangents(kernels, tables, work, time)


@inlined
def residual_of(work, end, node, p):
    """Row p of the trial residual of a body or of a vector node."""
    return work.trial_balance[end + p] if node else work.trial[end, p]


@inlined
def set_trial(tables, work, first, ends, loaded, factor):
    """The trial residuals of the ends that a signal acts on, times a factor; zero for none."""
    for k in range(loaded):
        end, node = tables.ints[first + k], tables.signal_ends[ends + k, IS_NODE] != 0
        for p in range(tables.signal_ends[ends + k, UNKNOWNS]):
            value = factor * residual_of(work, end, node, p) if factor != 0.0 else 0.0
            if node:
                work.trial_balance[end + p] = value
            else:
                work.trial[end, p] = value


@inlined
def slope_by(tables, work, row, end, q):
    """What a signal changes by with unknown q of an end."""
    at, n = tables.signal_ends[row, SLOPES] + q, tables.signal_ends[row, UNKNOWNS]
    by_place, by_rate = tables.reals[at], tables.reals[at + n]
    if tables.signal_ends[row, IS_NODE] != 0:
        return work.values[BY_VALUE, end + q] * by_place + work.values[BY_RATE, end + q] * by_rate
    return work.coef[CK] * by_place + work.coef[CD] * by_rate


@inlined
def put_update(tables, work, s, scale):
    """u and w of a number that follows distant bodies; u from the trial residuals."""
    row, to = tables.signals[s], tables.updates[tables.signals[s, UPDATE]]
    for k in range(row[BODIES]):
        end = tables.ints[row[INTS] + k]
        if end >= tables.bodies.shape[0]:  # the ground
            continue
        for q in range(SIX):
            if k < row[LOADED]:
                to[0, SIX * end + q] = scale * work.trial[end, q]
            to[1, SIX * end + q] = slope_by(tables, work, row[ENDS] + k, end, q)


@inlined
def signal_tangents(kernels, tables, work, time):
    """What numbers that follow the motion add to the tangent."""
    dissipated, supplied = work.power[0], work.power[1]
    work.coef[TANGENT] = 0.0
    g, e = tables.signals, tables.signal_ends
    for s in range(g.shape[0]):
        y, n, loaded, b = tables.reals[g[s, NUMBER]], g[s, BODIES], g[s, LOADED], g[s, INTS]
        h, first = TRIAL * (1.0 + abs(y)), g[s, ENDS]
        for i in range(g[s, MEMORY_WIDTH]):  # trials are no part of the path
            work.trial_memory[i] = tables.memory[g[s, MEMORY] + i]
        set_trial(tables, work, b, first, loaded, 0.0)
        for side in range(2):  # −f(y − h), then + f(y + h)
            tables.reals[g[s, TARGET]] = y + (2 * side - 1) * h
            ask(kernels, g[s, SLOT], tables, work, work.trial, work.trial_balance, work.out,
                time, 1, g[s, INT], g[s, INT_WIDTH], g[s, REAL], g[s, REAL_WIDTH], g[s, MEMORY],
                g[s, MEMORY_WIDTH])  # fmt: skip
            if side == 0:
                set_trial(tables, work, b, first, loaded, -1.0)
        tables.reals[g[s, TARGET]] = y
        for i in range(g[s, MEMORY_WIDTH]):
            tables.memory[g[s, MEMORY] + i] = work.trial_memory[i]
        if g[s, UPDATE] >= 0:
            put_update(tables, work, s, 1.0 / (2.0 * h))
            continue
        for k in range(loaded):
            here, node = tables.ints[b + k], e[first + k, IS_NODE] != 0
            for j in range(n):
                base, there = tables.ints[b + n + n * k + j], tables.ints[b + j]
                for p in range(e[first + k, UNKNOWNS]):
                    change = residual_of(work, here, node, p) / (2.0 * h)
                    for q in range(e[first + j, UNKNOWNS]):
                        slope = slope_by(tables, work, first + j, there, q)
                        work.vals[base + e[first + j, WIDTH] * p + q] += change * slope
    work.coef[TANGENT] = 1.0
    work.power[0], work.power[1] = dissipated, supplied


@spliced
def fill(kernels, tables, work, time, cM):
    """`evaluate`, as part of the function that calls it, which has references."""
    work.f[:] = 0.0
    work.balance[:] = 0.0
    work.power[:] = 0.0
    if work.coef[TANGENT] != 0.0:
        work.sums[:] = 0.0
    work.coef[CM] = cM
    for i in range(3):
        work.coef[GRAVITY + i] = tables.gravity[i]
    body_terms(
        tables.bodies, tables.blocks, work.nodes, work.vdot, work.x, tables.gravity, cM,
        work.coef, work.f, work.vals,
    )  # fmt: skip
    call_families(kernels, tables, work, time)


@inlined
def refill(kernels, tables, work, time, cM):
    """`fill`, where it need not be part of the function that calls it."""
    fill(kernels, tables, work, time, cM)


@c_function(Equations, float, float, returns=None)
def evaluate(equations, time, cM):
    """Fill work.f, C, (Ct, Qc,) vals and power from work.nodes, vdot, x and gamma."""
    fill(equations.kernels, equations.tables, equations.work, time, cM)


@inlined
def load_stored(tables, work, stored_motion, k):
    """The k-th stored motion and values, and the numbers that laws give at its time."""
    motion, values = stored_motion.motion, stored_motion.values
    schedule = stored_motion.schedule
    for b in range(motion.shape[1]):
        load_body(work, motion, k, b)
    load_numbers(tables, work, values, schedule, k)


@inlined
def load_body(work, motion, k, b):
    """The k-th stored motion of body b."""
    for i in range(13):
        work.nodes[b, i] = motion[k, b, i]
    set_rotation(work.nodes, b)


@inlined
def load_numbers(tables, work, values, schedule, k):
    """The k-th stored values, and the numbers that laws give at its time."""
    for i in range(values.shape[2]):
        for j in range(3):
            work.values[j, i] = values[k, j, i]
    for j in range(tables.targets.shape[0]):
        tables.reals[tables.targets[j]] = schedule[k, j]


@c_function(Equations, StoredMotion, Rows, returns=None)
def jacobian_values(equations, stored_motion, rows):
    """The values of C_q at stored motions, one row each."""
    kernels, tables, work = equations.kernels, equations.tables, equations.work
    times, out = stored_motion.times, rows.numbers
    begin = tables.indptr[tables.motions[0]]
    work.coef[:] = 0.0
    work.coef[TANGENT] = 1.0
    work.gamma[:] = 0.0
    for k in range(times.shape[0]):
        load_stored(tables, work, stored_motion, k)
        refill(kernels, tables, work, times[k], 0.0)
        for p in range(out.shape[1]):
            out[k, p] = work.vals[tables.places[begin + p]]
