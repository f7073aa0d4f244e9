"""Where a step leads: its prediction, and the motion of all bodies for a displacement x.

The equations are in `stepping`.
"""

from __future__ import annotations

from linkwork.elements.layout import NODE, POS, QUAT, ROT, STRIDE, VEL
from linkwork.integrators.second_order.stepper import CA, CV, LENGTH, MASS, STEP
from linkwork.integrators.values import HISTORY, VDOT, VDOTPREV, place_values, predict_values
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import inlined, spliced
from linkwork.kernels.registers.eights import larger8, load8, spread8, store8, triples8
from linkwork.system.evaluate import Equations
from linkwork.integrators.second_order.stepper import Stepper
from linkwork.kernels.memory.c_functions import c_function
from linkwork.kernels.rotations import qexp, qmul, rotation_matrix


@spliced
def turn_body(base, nodes, q, turn):
    """Orientation q₀ exp(turn) of the body whose numbers begin at q, and its rotation matrix;
    returns exp(turn)."""
    r, g = q + QUAT, qexp(turn)
    e = qmul((base[r], base[r + 1], base[r + 2], base[r + 3]), g)
    nodes[r], nodes[r + 1], nodes[r + 2], nodes[r + 3] = e
    R = rotation_matrix(e)
    r = q + ROT
    nodes[r], nodes[r + 1], nodes[r + 2] = R[0], R[1], R[2]
    nodes[r + 3], nodes[r + 4], nodes[r + 5] = R[3], R[4], R[5]
    nodes[r + 6], nodes[r + 7], nodes[r + 8] = R[6], R[7], R[8]
    return g


@spliced
def place_body(b, n, x, affine, base, nodes, vdot, ca, cv):
    """Motion of one body; n: numbers of all bodies."""
    i, q = STRIDE * b, NODE * b
    move = load8(x, i)
    store8(nodes, q + VEL, move * cv + load8(affine, i))  # the rotation matrix comes behind
    store8(vdot, i, move * ca + load8(affine, n + i))
    nodes[q + POS] = base[q + POS] + x[i]
    nodes[q + POS + 1] = base[q + POS + 1] + x[i + 1]
    nodes[q + POS + 2] = base[q + POS + 2] + x[i + 2]
    turn_body(base, nodes, q, (x[i + 3], x[i + 4], x[i + 5]))


@spliced
def placing(stepper, work):
    """Motion of all bodies at the end of the step from x, v and v̇ by the method."""
    ca, cv = stepper.settings[CA], stepper.settings[CV]
    x, nodes, vdot = borrow(work.x), borrow(work.nodes), borrow(work.vdot)
    affine, base, bodies = borrow(stepper.affine), borrow(stepper.base), stepper.p.shape[0]
    for b in range(bodies):
        place_body(b, STRIDE * bodies, x, affine, base, nodes, vdot, ca, cv)
    place_values(stepper.flow, work.values, 1.0 / (ca * stepper.settings[MASS]))


@inlined
def place_again(stepper, work):
    """`placing`, where it need not be part of the function that calls it."""
    placing(stepper, work)


@spliced
def largest_rate(squares, length):
    """The largest of six numbers of bodies from their squares; those of translation by length."""
    moves, turns = triples8(squares)
    most = max(moves[0], moves[1], moves[2]) ** 0.5 * length
    return max(most, max(turns[0], turns[1], turns[2]) ** 0.5)


@spliced
def continue_multipliers(stepper, work):
    """Multipliers that go on linearly."""
    gamma, past = borrow(work.gamma), borrow(stepper.gamma)
    rows = work.gamma.shape[0]
    for e in range(rows):
        gamma[e] = 2.0 * past[e] - past[rows + e]


@spliced
def predict_body(i, n, H, x, affine, k, inverse):
    """Affine parts and x of the body whose numbers begin at i; its accelerations."""
    v0 = a0 = spread8(0.0)
    for j in range(HISTORY):
        past = load8(H, j * n + i)
        v0 = v0 + past * k[0, j]
        a0 = a0 + past * k[1, j]
    store8(affine, i, v0)
    store8(affine, n + i, a0)
    vdot = load8(H, VDOT * n + i)
    store8(x, i, (vdot * 2.0 - load8(H, VDOTPREV * n + i) - a0) * inverse)
    return vdot


@spliced
def predicting(stepper, work):
    """Affine parts of the method, and x for linearly continued accelerations and multipliers."""
    k, bodies = stepper.weights, stepper.p.shape[0]
    n = STRIDE * bodies
    H, x, affine = borrow(stepper.history), borrow(work.x), borrow(stepper.affine)
    inverse, length = 1.0 / stepper.settings[CA], 1.0 / stepper.settings[LENGTH]
    squares = spread8(0.0)
    for i in range(0, n, STRIDE):
        vdot = predict_body(i, n, H, x, affine, k, inverse)
        squares = larger8(squares, vdot * vdot)
    largest = largest_rate(squares, length)
    if stepper.flow.shape[1] > 0:
        ahead = predict_values(stepper.flow, k, stepper.settings[CA], stepper.settings[STEP])
        largest = max(largest, ahead)
    continue_multipliers(stepper, work)
    return largest


@c_function(Equations, Stepper, returns=None)
def guess(equations, stepper):
    """The motion of all bodies at the predicted end of the next step, for Python."""
    predicting(stepper, equations.work)
    placing(stepper, equations.work)
