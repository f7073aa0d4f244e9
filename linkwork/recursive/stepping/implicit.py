"""Generalized-alpha in joint coordinates, for stiff modes of flexible links.

    (1 − α_m) A₁ + α_m A₀ = (1 − α_f) v̇₁ + α_f v̇₀
    q₁ = q₀ exp(h v₀ + h² ((½ − β) A₀ + β A₁)),   v₁ = v₀ + h ((1 − γ) A₀ + γ A₁)

(Chung and Hulbert 1993), v̇₁ = forward(q₁, v₁).  With K and D of the amplitudes and of torsion
springs about hinges, κ = c (β h² K + γ h D), c = (1 − α_f)/(1 − α_m), Newton's method with the
matrix M + κ is one articulated sweep per iteration: with κ added to D of the joint and κ v̇ to its
force, the accelerations it gives are the next v̇.  That of brakes about hinges is found anew in
every iteration (stepping.brakes).  Other derivatives are left out, which is right while h² times
them is small: loads, weight and gyroscopic terms of mechanisms.

Iterations end when corrections are small beside the accelerations, or no longer shrink: round-off ε
of positions is one of ε/h² of accelerations where something stiff holds, which may pass zero.
"""

from __future__ import annotations

import numpy as np

from linkwork.kernels.compiled import fused_inlined, lean
from linkwork.system.evaluate import Work
from linkwork.recursive.tree.layout import Tree
from linkwork.system.evaluate import Tables
from linkwork.recursive.tree.layout import Sweep
from linkwork.recursive.tree.parts import Motion
from linkwork.recursive.loops.closing import Loops
from linkwork.integrators.contract import StepRows
from linkwork.kernels.memory.records import by_address, record_at
from linkwork.recursive.loops.closing import MEMORY, SAMPLES, TRIED, forward, move
from linkwork.recursive.stepping.brakes import VELOCITY, add_brakes, holding
from linkwork.recursive.stepping.runge_kutta import FINE, NOT_FINITE, copy, finish, finite, set_laws

NO_CONVERGENCE = 20
# corrections that are round-off once they do not shrink: over accelerations, over positions/h²
ENOUGH, ROUND_OFF = 1e-7, 1e-13
# weights
ALPHA_M, ALPHA_F, BETA, GAMMA, LIMIT, ROUNDS, WEIGHTS = range(7)


def weights_of(rho: float, tolerance: float, rounds: int) -> np.ndarray:
    out = np.zeros(WEIGHTS)
    out[ALPHA_M], out[ALPHA_F] = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    out[GAMMA] = 0.5 - out[ALPHA_M] + out[ALPHA_F]
    out[BETA] = 0.25 * (1 - out[ALPHA_M] + out[ALPHA_F]) ** 2
    out[LIMIT], out[ROUNDS] = tolerance, rounds
    return out


@fused_inlined
def newmark(weights, h, algorithmic, a, ahead, v0, v, displacement):
    """A₁, v₁ and the displacement of a step from v̇₁."""
    am, af, beta, gamma = weights[ALPHA_M], weights[ALPHA_F], weights[BETA], weights[GAMMA]
    for i in range(v.shape[0]):
        new = ((1.0 - af) * ahead[i] + af * a[i] - am * algorithmic[0, i]) / (1.0 - am)
        algorithmic[1, i] = new
        old = algorithmic[0, i]
        displacement[i] = h * v0[i] + h * h * ((0.5 - beta) * old + beta * new)
        v[i] = v0[i] + h * ((1.0 - gamma) * old + gamma * new)


@fused_inlined
def still(weights, h, old, a, v):
    """v̇₁ of a coordinate that does not move in the step."""
    am, af, beta = weights[ALPHA_M], weights[ALPHA_F], weights[BETA]
    new = -(v / h + (0.5 - beta) * old) / beta
    return ((1.0 - am) * new + am * old - af * a) / (1.0 - af)


@fused_inlined
def change(a, b):
    """Largest difference, against the size of b."""
    most, size = 0.0, 1e-300
    for i in range(a.shape[0]):
        d = abs(a[i] - b[i])
        if not d <= most:
            most = d
        size = max(size, abs(b[i]))
    return most / max(size, 1e-12)


@fused_inlined
def blurred(q, a, h):
    """Round-off of positions, as one of accelerations over their size."""
    place, size = 1.0, 1e-12
    for i in range(q.shape[0]):
        place = max(place, abs(q[i]))
    for i in range(a.shape[0]):
        size = max(size, abs(a[i]))
    return ROUND_OFF * place / (h * h * size)


@by_address
@lean
def advance_implicit(
    sweeps, kernels, tables, work, tree, s, loops, cut,
    run, times, h, schedule, own, saved, out, weights,
    stiffness, algorithmic, brakes, room,
):  # fmt: skip
    """Steps at `times`; stiffness (2, velocities): K and D.  Returns (status, steps done)."""
    tables, work = record_at(Tables, tables), record_at(Work, work)
    tree, s = record_at(Tree, tree), record_at(Sweep, s)
    loops = record_at(Loops, loops)
    run, out = record_at(Motion, run), record_at(StepRows, out)
    c = (1.0 - weights[ALPHA_F]) / (1.0 - weights[ALPHA_M])
    guess, kappa, load = run.stages[0], run.stages[1], run.stages[2]
    fixed = run.stages[4]
    by_place, by_speed = c * weights[BETA] * h * h, c * weights[GAMMA] * h
    for i in range(kappa.shape[0]):
        kappa[i] = fixed[i] = c * (
            weights[BETA] * h * h * stiffness[0, i] + weights[GAMMA] * h * stiffness[1, i]
        )
    for step in range(times.shape[0]):
        sweeps.leave_turns(loops.swings, run.q, run.v, run.a, algorithmic[0])
        copy(run.q, run.q0)
        copy(run.v, run.v0)
        copy(run.a, run.a0)
        set_laws(tables, s, schedule, own, step)
        copy(run.a, guess)
        room[:] = 0.0
        for k in range(brakes.shape[0]):
            if holding(tables.reals, tables.memory, brakes, k):
                i = brakes[k, VELOCITY]
                guess[i] = still(weights, h, algorithmic[0, i], run.a0[i], run.v0[i])
        status, before = NO_CONVERGENCE, 1e300
        for _ in range(int(weights[ROUNDS])):
            newmark(weights, h, algorithmic, run.a0, guess, run.v0, run.vs, run.d)
            copy(run.q0, run.qs)
            move(loops, run.qs, run.d)
            add_brakes(
                tables.reals, tables.memory, brakes, room, run.q0, run.qs, run.vs, guess,
                by_place, by_speed, fixed, kappa,
            )  # fmt: skip
            for i in range(load.shape[0]):
                load[i] = kappa[i] * guess[i]
            forward(
                sweeps, kernels, tables, work, tree, s, loops, cut,
                times[step], run.qs, run.vs, load, kappa,
                run.stages[3],
            )  # fmt: skip
            if not finite(run.stages[3]):
                status = NOT_FINITE
                break
            far = change(run.stages[3], guess)
            copy(run.stages[3], guess)
            loops.report[TRIED] += 1.0
            if far <= weights[LIMIT] or (
                far > 0.5 * before and far <= ENOUGH + blurred(run.qs, guess, h)
            ):
                status = FINE
                break
            before = far
        if status == FINE:
            newmark(weights, h, algorithmic, run.a0, guess, run.v0, run.vs, run.d)
            move(loops, run.q, run.d)
            copy(run.vs, run.v)
            status = finish(
                sweeps, kernels, tables, work, tree, s, loops, cut,
                run, times[step], h, out, saved[step],
            )  # fmt: skip
        if status != FINE:
            copy(run.q0, run.q)
            copy(run.v0, run.v)
            copy(run.a0, run.a)
            return status, step
        copy(algorithmic[1], algorithmic[0])
        if loops.settings[MEMORY] == SAMPLES:  # it jumps as the accelerations do
            for i in range(guess.shape[0]):
                algorithmic[0, i] += run.a[i] - guess[i]
    return FINE, times.shape[0]
