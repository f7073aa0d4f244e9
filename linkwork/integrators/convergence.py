"""Convergence tests on the residual, as MBDyn names them (its theory manual, chapter 3).

    norm      √(r·r)
    relnorm   √(r·r) / √(s·s),   s_i = Σ over elements |r_i|: what the residual is the balance of
    sepnorm   the largest of relnorm over sets of equations of one dimension: forces, torques,
              lengths, angles.  A set counts as zero when s vanishes in it, or when its ratio is
              above 0.1 while its s is below 1e-5 of the largest: nothing happens in it.

r are the equations of motion of all bodies and the constraint rows.  A row has one element, so
s = |r| there.
"""

from __future__ import annotations

from linkwork.elements.layout import OMEGA, TANGENT
from linkwork.math.compiled import inlined, lean
from linkwork.math.vectors import at, at9, cross, mv

NORM, RELNORM, SEPNORM = 1, 2, 3
TESTS = {"correction": 0, "norm": NORM, "relnorm": RELNORM, "sepnorm": SEPNORM}
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
    inertia_sums(tables, work, sums)
    dissipated, supplied, wanted = work.power[0], work.power[1], work.coef[TANGENT]
    work.coef[TANGENT] = 0.0
    element = 0
    for m in range(tables.directory.shape[0]):
        i, wi = tables.directory[m, 2], tables.directory[m, 3]
        r, wr = tables.directory[m, 4], tables.directory[m, 5]
        for k in range(tables.directory[m, 1]):
            f[ground] = 0.0
            for j in range(stages.ends.shape[1]):
                f[stages.ends[element, j]] = 0.0
            kernels[tables.directory[m, 0]](
                tables.ints[i + k * wi : i + (k + 1) * wi].reshape(1, wi),
                tables.reals[r + k * wr : r + (k + 1) * wr].reshape(1, wr),
                work.nodes, work.gamma, time, work.coef,
                f, work.C, work.Ct, work.Qc, work.vals, work.power,
            )  # fmt: skip
            for j in range(stages.ends.shape[1]):
                b = stages.ends[element, j]
                for c in range(6):
                    sums[b, c] += abs(f[b, c])
                    f[b, c] = 0.0  # a body may be named twice
            element += 1
    work.power[0], work.power[1], work.coef[TANGENT] = dissipated, supplied, wanted


@inlined
def set_squares(work, stepper, stages, kind):
    """Sums of r² and s² over one set: 0 forces, 1 torques, 2 lengths, 3 angles."""
    bodies, rr, ss = stepper.p.shape[0], 0.0, 0.0
    if kind < 2:
        for b in range(bodies):
            for i in range(3 * kind, 3 * kind + 3):
                rr += work.f[b, i] ** 2
                ss += stages.sums[b, i] ** 2
    else:
        for e in range(6 * bodies, stepper.rhs.shape[0]):
            if (stages.angles[e - 6 * bodies] != 0.0) == (kind == 3):
                rr += stepper.rhs[e] ** 2
        ss = rr
    return rr, ss


@lean
def residual_measure(kernels, tables, work, stepper, stages, time, test):
    """The number that a test compares with the tolerance; constraint residuals are in rhs."""
    if test != NORM:
        absolute_sums(kernels, tables, work, stages, time)
    squares, sizes, largest = 0.0, 0.0, 0.0
    for kind in range(4):
        rr, ss = set_squares(work, stepper, stages, kind)
        squares, sizes, largest = squares + rr, sizes + ss, max(largest, ss)
    if test == NORM:
        return squares**0.5
    if test == RELNORM:
        return (squares / sizes) ** 0.5 if sizes > 0.0 else 0.0
    worst = 0.0
    for kind in range(4):
        rr, ss = set_squares(work, stepper, stages, kind)
        if ss > 0.0:
            ratio = (rr / ss) ** 0.5
            idle = ratio > IDLE_RATIO and ss**0.5 < IDLE_SHARE * largest**0.5
            worst = max(worst, 0.0 if idle else ratio)
    return worst
