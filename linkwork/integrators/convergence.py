"""Convergence tests on the residual, as MBDyn names them (its theory manual, chapter 3).

    norm      √(r·r)
    minmax    the largest |r_i|
    relnorm   √(r·r) / √(s·s),   s_i = Σ |r_i| over what the residual is the balance of
    sepnorm   the largest of these ratios over sets of one dimension: forces, torques, lengths,
              angles.  A set counts as zero when s vanishes in it, or when its ratio is above 0.1
              while its s is below 1e-5 of the largest of its kind: nothing happens in it.

r are the equations of motion of all bodies, with s from inertia and every element; those of vector
nodes, with s from every element and sets by the kinds of nodes; and the constraint rows, with s
from the displacement of every body and value, |C_q x| (from its acceleration and Q_c in the
stabilised form).  The three are measured on their own, so that large forces do not hide an open
joint: relnorm is the largest of their ratios.
"""

from __future__ import annotations

from linkwork.elements.layout import OMEGA, SIX, TANGENT
from linkwork.integrators.second_order.stepper import CA
from linkwork.integrators.values import MOVE
from linkwork.kernels.compiled import inlined, lean
from linkwork.kernels.vectors import at, at9, cross, mv
from linkwork.system.evaluate import acceleration_of, ask

NORM, RELNORM, SEPNORM, MINMAX = 1, 2, 3, 4
TESTS = {"correction": 0, "norm": NORM, "relnorm": RELNORM, "sepnorm": SEPNORM,
         "minmax": MINMAX}  # fmt: skip
IDLE_RATIO, IDLE_SHARE = 1e-1, 1e-5


@inlined
def inertia_sums(tables, work, sums):
    """|m v̇| + |m g| and |J ω̇| + |ω × J ω| of every body."""
    for b in range(tables.bodies.shape[0]):
        m, J = tables.bodies[b, 0], at9(tables.bodies, b, 1)
        w = at(work.nodes, b, OMEGA)
        spin, gyro = mv(J, at(work.vdot, b, 3)), cross(w, mv(J, w))
        for i in range(3):
            sums[b, i] = m * (abs(work.vdot[b, i]) + abs(tables.gravity[i]))
            sums[b, 3 + i] = abs(spin[i]) + abs(gyro[i])


@lean
def absolute_sums(kernels, tables, work, stages, time):
    """Add |contribution| of every element to the equations of its bodies in stages.sums."""
    ground, f, sums = stages.sums.shape[0] - 1, stages.scratch, stages.sums
    balance, others = stages.value_scratch, stages.value_sums
    inertia_sums(tables, work, sums)
    others[:] = 0.0
    dissipated, supplied, wanted = work.power[0], work.power[1], work.coef[TANGENT]
    work.coef[TANGENT] = 0.0
    element = 0
    for m in range(tables.directory.shape[0]):
        wi, wr, wm = tables.directory[m, 3], tables.directory[m, 5], tables.directory[m, 7]
        for k in range(tables.directory[m, 1]):
            f[ground] = 0.0
            for j in range(stages.ends.shape[1]):
                f[stages.ends[element, j]] = 0.0
            ask(kernels, tables.directory[m, 0], tables, work, f, balance, work.out, time, 1,
                tables.directory[m, 2] + k * wi, wi, tables.directory[m, 4] + k * wr, wr,
                tables.directory[m, 6] + k * wm, wm)  # fmt: skip
            for j in range(stages.spans.shape[1]):
                for v in range(stages.spans[element, j, 0], stages.spans[element, j, 1]):
                    others[v] += abs(balance[v])
                    balance[v] = 0.0
            for j in range(stages.ends.shape[1]):
                b = stages.ends[element, j]
                for c in range(6):
                    sums[b, c] += abs(f[b, c])
                    f[b, c] = 0.0  # a body may be named twice
            element += 1
    work.power[0], work.power[1], work.coef[TANGENT] = dissipated, supplied, wanted


@inlined
def row_sum(tables, work, stepper, e, linear):
    """Σ |contribution| to the constraint row of unknown e."""
    total, rigid = 0.0, SIX * stepper.p.shape[0]
    for p in range(tables.indptr[e], tables.indptr[e + 1]):
        c = tables.indices[p]
        if linear:
            moved = acceleration_of(work, c)
        else:
            moved = stepper.p[c // SIX, c % SIX] if c < rigid else stepper.flow[MOVE, c - rigid]
        total += abs(work.vals[tables.places[p]] * moved)
    return total + abs(work.Qc[e - tables.motions[0]]) if linear else total


@inlined
def set_squares(tables, work, stepper, stages, kind, linear):
    """Sums of r² and s² over one set: 0 forces, 1 torques, 2 lengths, 3 angles."""
    bodies, n, rr, ss = stepper.p.shape[0], tables.motions[0], 0.0, 0.0
    if kind < 2:
        for b in range(bodies):
            for i in range(3 * kind, 3 * kind + 3):
                rr += work.f[b, i] ** 2
                ss += stages.sums[b, i] ** 2
    else:
        scale = stepper.settings[CA] if linear else 1.0  # rhs is C, or (C_q v̇ − Q_c)/ca
        for e in range(n, stepper.rhs.shape[0]):
            if (stages.angles[e - n] != 0.0) == (kind == 3):
                rr += (scale * stepper.rhs[e]) ** 2
                ss += row_sum(tables, work, stepper, e, linear) ** 2
    return rr, ss


@inlined
def value_squares(work, stepper, stages, which):
    """Sums of r² and s² over the values of one set, of all where `which` is −1."""
    rr = ss = 0.0
    for i in range(stepper.flow.shape[1]):
        if which < 0 or stages.sets[i] == which:
            rr += work.balance[i] ** 2
            ss += stages.value_sums[i] ** 2
    return rr, ss


@inlined
def separate_values(work, stepper, stages):
    """The largest ratio over sets of values."""
    worst = largest = 0.0
    count = 0
    for i in range(stepper.flow.shape[1]):
        count = max(count, stages.sets[i] + 1)
    for which in range(count):
        largest = max(largest, value_squares(work, stepper, stages, which)[1])
    for which in range(count):
        rr, ss = value_squares(work, stepper, stages, which)
        worst = max(worst, separate(rr, ss, 0.0, largest))
    return worst


@inlined
def separate(r0, s0, r1, s1):
    """The larger ratio of two sets, of which one may be idle."""
    worst, largest = 0.0, max(s0, s1) ** 0.5
    for rr, ss in ((r0, s0), (r1, s1)):
        if ss > 0.0:
            ratio = (rr / ss) ** 0.5
            idle = ratio > IDLE_RATIO and ss**0.5 < IDLE_SHARE * largest
            worst = max(worst, 0.0 if idle else ratio)
    return worst


@inlined
def largest_residual(work, stepper, linear):
    """The largest |r_i| over the equations of motion and the constraint rows."""
    bodies, worst = stepper.p.shape[0], 0.0
    scale = stepper.settings[CA] if linear else 1.0
    for b in range(bodies):
        for i in range(6):
            worst = max(worst, abs(work.f[b, i]))
    for i in range(stepper.flow.shape[1]):
        worst = max(worst, abs(work.balance[i]))
    for e in range(SIX * bodies + stepper.flow.shape[1], stepper.rhs.shape[0]):
        worst = max(worst, abs(scale * stepper.rhs[e]))
    return worst


@lean
def residual_measure(kernels, tables, work, stepper, stages, time, test, linear):
    """The number that a test compares with the tolerance; constraint residuals are in rhs."""
    if test == MINMAX:
        return largest_residual(work, stepper, linear)
    if test != NORM:
        absolute_sums(kernels, tables, work, stages, time)
    found = 0.0
    for kind in range(0, 4, 2):  # equations of motion, constraints
        r0, s0 = set_squares(tables, work, stepper, stages, kind, linear)
        r1, s1 = set_squares(tables, work, stepper, stages, kind + 1, linear)
        if test == NORM:
            found += r0 + r1
        elif test == SEPNORM:
            found = max(found, separate(r0, s0, r1, s1))
        elif s0 + s1 > 0.0:
            found = max(found, ((r0 + r1) / (s0 + s1)) ** 0.5)
    if stepper.flow.shape[1] > 0:
        rr, ss = value_squares(work, stepper, stages, -1)
        if test == NORM:
            found += rr
        elif test == SEPNORM:
            found = max(found, separate_values(work, stepper, stages))
        elif ss > 0.0:
            found = max(found, (rr / ss) ** 0.5)
    return found**0.5 if test == NORM else found
