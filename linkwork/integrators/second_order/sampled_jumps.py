"""Forces that jump at a step, where controllers take samples: what jumps with them.

The step to a sample ends with the forces before it, the next one begins with those after it.
"""

from __future__ import annotations

from linkwork.elements.layout import ACCEPT, SIX
from linkwork.integrators.second_order.stepper import CA, MASS, MOVING, STEP
from linkwork.integrators.values import ALG, BY_X, ORDER, V, VDOT, VDOTPREV, VPREV, XPREV
from linkwork.kernels.compiled import inlined
from linkwork.kernels.rotations import inverse_tangent
from linkwork.kernels.vectors import mv
from linkwork.linear_algebra.along_mechanism import solve
from linkwork.system.evaluate import refill
from linkwork.linear_algebra.low_rank import answer_sensors


@inlined
def sampled_jump(kernels, tables, lu, work, stepper, time, turns):
    """How accelerations and multipliers jump with what samples hold from this step on.

    The step's matrix says how they change with the forces: M Δv̇ + C_qᵀ Δγ = ΔF up to terms of h,
    which leaves the next step an error of h² ΔF.  The right-hand side has Δv̇ then, and the jumps
    of second derivatives and rates of vector nodes; turns: the rotation vectors of the step.
    Returns whether anything jumps.
    """
    s, bodies, rhs = stepper.settings, stepper.p.shape[0], stepper.rhs
    ca, scale = s[CA], -1.0 / (s[CA] * s[MASS])
    for b in range(bodies):
        for i in range(6):
            work.trial[b, i] = work.f[b, i]
    for i in range(stepper.flow.shape[1]):
        work.trial_balance[i] = work.balance[i]
    work.coef[ACCEPT] = 0.0
    refill(kernels, tables, work, time, 0.0)
    rhs[:] = 0.0
    jump = 0.0
    for b in range(bodies):
        for i in range(6):
            rhs[SIX * b + i] = scale * (work.f[b, i] - work.trial[b, i])
            jump = max(jump, abs(rhs[SIX * b + i]))
    for i in range(stepper.flow.shape[1]):
        rhs[SIX * bodies + i] = scale * (work.balance[i] - work.trial_balance[i])
        jump = max(jump, abs(rhs[SIX * bodies + i]))
    if jump == 0.0:
        return False
    solve(lu, work.vals, rhs)
    answer_sensors(lu, tables, work, rhs)
    for i in range(stepper.flow.shape[1]):
        order = stepper.flow[ORDER, i]
        rhs[SIX * bodies + i] *= ca if order == 2.0 else stepper.flow[BY_X, i]
    for b in range(bodies):
        j, x = SIX * b, (turns[b, 3], turns[b, 4], turns[b, 5])
        d = mv(inverse_tangent(x), (rhs[j + 3], rhs[j + 4], rhs[j + 5]))
        for i in range(3):
            rhs[j + i] *= ca
            rhs[j + 3 + i] = ca * d[i]
    n, supplied = tables.motions[0], work.power[1]
    for e in range(n, rhs.shape[0]):
        change = rhs[e] * ca * s[MASS]
        stepper.gamma[0, e - n] += change
        stepper.gamma[1, e - n] += change
        if s[MOVING] != 0.0:
            supplied += stepper.gamma[0, e - n] * work.Ct[e - n]
    stepper.work[2], stepper.work[3] = work.power[0], supplied
    return True


@inlined
def let_history_jump(stepper, b, i, change):
    """A component of the acceleration, and what lies behind as if it had been so before, too:
    predictions and backward differences look back."""
    H, h = stepper.history, stepper.settings[STEP]
    H[VDOT, b, i] += change
    H[ALG, b, i] += change
    H[VDOTPREV, b, i] += change
    H[VPREV, b, i] -= h * change
    H[XPREV, b, i] -= 0.5 * h * h * change


@inlined
def let_values_jump(flow, h, change, first):
    """The same of second derivatives and rates of vector nodes, from change[first] on."""
    for i in range(flow.shape[1]):
        d = change[first + i]
        if flow[ORDER, i] == 2.0:
            flow[VDOT, i] += d
            flow[ALG, i] += d
            flow[VDOTPREV, i] += d
            flow[VPREV, i] -= h * d
            flow[XPREV, i] -= 0.5 * h * h * d
        elif flow[ORDER, i] == 1.0:
            flow[V, i] += d
            flow[ALG, i] += d
            flow[VPREV, i] += d
            flow[XPREV, i] += h * d


@inlined
def take_up_samples(kernels, tables, lu, work, stepper, time):
    """The next step begins with what samples hold from now on."""
    if sampled_jump(kernels, tables, lu, work, stepper, time, work.x):
        bodies = stepper.p.shape[0]
        for b in range(bodies):
            for i in range(6):
                let_history_jump(stepper, b, i, stepper.rhs[SIX * b + i])
        let_values_jump(stepper.flow, stepper.settings[STEP], stepper.rhs, SIX * bodies)
