"""Bodies that spin: in their axes the rates turn, in world axes they are as slow as the motion.

The axis of a top moves slowly, but what it turns by across its axis oscillates in body axes with
the spin n: ω̈ ≈ −n² ω⊥, and the relations of a method on ω err by h² ω̈.  In world axes the rate of
the acceleration is ω̈ + ω × ω̇, which is smaller by the factor (precession)/n.  Where it is smaller
by RATIO in several looks, momenta in world axes (momenta.py) are the better variables,
however small the turn in a step.

Where no body spins, what a body turns by in a step matters by the error that it makes in the form
for smooth motion (φ = h|ω|).  Rates in body axes are exact as long as the axis of rotation stands
still (it turns by h|ω × ω̇|/ω² in a step); translation in fixed axes errs by φ²/12 of the velocity
v.  With the part of the kinetic energy that is that of v,

    effective turn² = φ² m v²/(m v² + ω·Jω)      φ² where the axis moves, or φ > ALWAYS

A crank on a fixed pin near its centre of mass has hardly any.
"""

from __future__ import annotations

from linkwork.elements.bodies.body import BODY_REALS, INERTIA, MASS
from linkwork.elements.layout import STRIDE
from linkwork.integrators.values import VDOT, VDOTPREV, V
from linkwork.kernels.memory.borrowed import borrow
from linkwork.kernels.compiled import inlined, lean
from linkwork.kernels.vectors import add, cross, dot, mv, nine, scale, sub, three

SLOW = 5e-4  # radians in a step below which no body spins
SMALL = 1e-11  # of the angular velocity: a change of h ω̇ in a step that is round-off
RATIO = 0.4  # of the rates of the acceleration in world and body axes
ALWAYS, STEADY = 0.1, 1e-5  # radians in a step that count whole; of the axis, that do not count
LOOKS, SEEN = 3, 7  # looks in a row; the place of their count in `p`, which this form does not use


@inlined
def spins(w, a, before, h):
    """Whether a body with ω, ω̇ and the ω̇ of the step before, all in body axes, spins."""
    rate, change = dot(w, w), sub(a, before)
    size = dot(change, change)
    if not rate * h * h > SLOW * SLOW or not size * h * h > SMALL * SMALL * rate:
        return False
    world = add(change, scale(h, cross(w, a)))
    return dot(world, world) < RATIO * RATIO * size


@inlined
def effective_turn(m, J, v, w, a, h):
    """The square of the turn in a step that counts, of a body with v, ω and ω̇."""
    rate = dot(w, w)
    turn = h * h * rate
    moving, side = m * dot(v, v), cross(w, a)
    energy, axis = moving + dot(w, mv(J, w)), STEADY * rate
    if turn > ALWAYS * ALWAYS or h * h * dot(side, side) > axis * axis or not energy > 0.0:
        return turn
    return turn * moving / energy


@lean
def turns_fast(history, inertia, h, most):
    """Whether the effective turn of a body in a step of length h is larger than `most`."""
    n, H, bodies = STRIDE * inertia.shape[0], borrow(history), borrow(inertia)
    for b in range(inertia.shape[0]):
        i, k = STRIDE * b, BODY_REALS * b
        v, w, a = three(H, V * n + i), three(H, V * n + i + 3), three(H, VDOT * n + i + 3)
        if not h * h * dot(w, w) > most * most:
            continue
        J = nine(bodies, k + INERTIA)
        if effective_turn(bodies[k + MASS], J, v, w, a, h) > most * most:
            return True
    return False


@lean
def keeps_spinning(history, p, h, looks):
    """Count the looks in a row at which each body spun; whether one has spun for so many."""
    bodies, found = p.shape[0], False
    n, H = STRIDE * bodies, borrow(history)
    for b in range(bodies):
        i = STRIDE * b + 3
        w, a, before = three(H, V * n + i), three(H, VDOT * n + i), three(H, VDOTPREV * n + i)
        if spins(w, a, before, h):
            p[b, SEEN] += 1.0
            found = found or p[b, SEEN] >= looks
        else:
            p[b, SEEN] = 0.0
    return found
