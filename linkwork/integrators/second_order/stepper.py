"""What an implicit run carries from step to step, and what its compiled steps report."""

from __future__ import annotations

from typing import NamedTuple

from linkwork.kernels.memory.records import Floats, Floats2, Floats3, Ints, stored
from linkwork.linear_algebra.along_mechanism.tables import Elimination

# status of a call
DONE, NO_CONVERGENCE, PIVOTS, DIVERGED = 0, 1, 2, 3
TURNS = 5  # done, and a body turned by more than the form for smooth motion is meant for, or spins
WILD = 7  # done, and velocities violate the constraints by more than that form leaves
# settings
(CA, CV, CALPHA, STEP, TOLERANCE, MAX_ITERATIONS, LENGTH, MASS, MOST_TURN, MEMORY, MOVING,
 GROWTH, STIFFNESS, LEARN, NOISE, SAMPLED, JUMPS, SETTINGS) = range(18)  # fmt: skip
# report: iterations, last correction, worst unknown, its residual, the residual of a test, the
# violation of velocities over the largest velocity
(ITERATIONS, CORRECTION, WORST, RESIDUAL, TESTED, VIOLATED, REPORT) = range(7)


@stored
class Stepper(NamedTuple):
    """Everything a run carries from step to step."""

    base: Floats2  # (bodies + 1, NODE) accepted motion
    history: Floats3  # (HISTORY, bodies, 8), six in use, as in the next two
    gamma: Floats2  # (2, rows + 1) multipliers now and a step before
    p: Floats2  # (bodies, 8) displacement beside the method's own (fast_rotation/, stages.py)
    affine: Floats3  # (2, bodies, 8) constant parts of v and v̇
    rhs: Floats  # (unknowns,)
    flow: Floats2  # (FLOW, values) of vector nodes (values.py)
    weights: Floats2  # (WEIGHTS, HISTORY) rows kv, ka, kα, then of first order
    settings: Floats  # (SETTINGS,)
    work: Floats  # (4,) dissipated, supplied work; the powers at the last step
    kappa: Floats  # (1,) Newton's constant
    report: Floats  # (REPORT,), see above
    kept: Ints  # numbers of the rows in the equations among all rows
    sizes: Floats  # (rows + 1,) 1/L for rows that measure a length, 1 for angles
    six: Floats  # six ones and two zeros
    last: Floats  # (unknowns,) the last correction of Newton's method, where it is restrained


@stored
class SmoothSteps(NamedTuple):
    """A run in the form for smooth motion."""

    factors: Elimination
    stepper: Stepper
    vdot: Floats2  # (bodies, 8) accelerations at the last good step
