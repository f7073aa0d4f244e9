"""Where the sweeps along the tree find and put numbers.

Bodies are numbered from the base to the tips: parents come before children, and the ground is the
last.  Vectors are in world axes, about the body's *reference point* P, the origin of its joint's
marker; orientations are those of that marker, so that a hinge turns about the third axis.

ints[i]    PARENT, KIND, IQ, IV, DOF, FREE, TURN, BASE, BODY, LAW, LINK
reals[i]   CQ marker on the parent (quaternion), CA its place there from the parent's P,
           MD mass × centre of mass, INERTIA about P (xx xy xz yy yz zz), MASS,
           BQ from the marker's axes to the body's, COM centre of mass; all in the marker's axes
sweep[i]   QUAT, ROT, OMEGA; U = P − P of the parent; BIAS angular and linear acceleration at zero
           joint accelerations, later the accelerations themselves; articulated inertia
           [[J, B], [Bᵀ, M]]; WRENCH bias moment and force; HINGE what the elimination of a hinge
           keeps: U = I S (6), 1/D, and τ − Sᵀp; SLIDE velocity of P relative to the parent
columns    of a joint that is not a plain hinge, from its BASE on, k its degrees of freedom: S (8k),
           U (8k), D (k²) as Cholesky factor, τ − Sᵀp (k), all with L⁻¹; for the amplitudes of a
           flexible link also C (8k), E (k²), r (k)
"""

from __future__ import annotations

from typing import NamedTuple


from linkwork.math.memory.records import Floats, Floats2, Ints2, stored

from linkwork.math.compiled import fused_inlined

# ints
PARENT, KIND, IQ, IV, DOF, FREE, TURN, BASE, BODY, LAW, LINK, INTS = range(12)
# kinds of joints: the plain hinge, any other, a floating frame behind one of its ends, and an end
# in front of its floating frame
HINGE_JOINT, GENERAL, BENDING, SECTION = range(4)
# how a general joint turns: not at all, about z, as a ball, about x and then y, or without twist
NO_TURN, ABOUT_Z, BALL, CROSS, SWING = range(5)

# reals
CQ, CA, MD, INERTIA, MASS, BQ, COM, REALS = 0, 4, 7, 10, 16, 17, 21, 24

# sweep
QUAT, ROT, OMEGA, U, BIAS, J, B, M, WRENCH, HINGE, SLIDE, RECORD = (
    0, 4, 13, 16, 19, 25, 31, 40, 46, 52, 60, 64
)  # fmt: skip

LANES = 8


@stored
class Tree(NamedTuple):
    """The frozen numbers of a tree."""

    ints: Ints2  # (n, INTS)
    reals: Floats2  # (n, REALS)
    gravity: Floats
    amplitudes: Ints2  # (links, 4) first value, coordinate and velocity, how many
    links: Floats  # numbers of flexible links, see `bending`
    places: Ints2  # (ends, 3) where the numbers of a link and of an end begin, its modes
    rotors: Floats  # (velocities + 1,) inertia of rotors that turn with joints, as at the joint


@stored
class Sweep(NamedTuple):
    """What the sweeps fill in; made once."""

    sweep: Floats2  # (n + 1, RECORD)
    columns: Floats
    halves: Floats  # (2 nq) cos and sin of half of every coordinate
    places: Floats2  # (n + 1, 8) position and velocity of P
    laws: Floats2  # (driven, 21): r_t, ρ_t and their derivatives
    lanes: Floats2  # (n + 1, 6 LANES) wrenches and motions of eight answers at once
    link_mass: Floats2  # of one flexible link, as elements.flexible.inertia fills it
    link_sums: Floats2
    link_bias: Floats
    drives: Floats  # (velocities + 1,) forces of joint loads along the velocities
    loads: Floats2  # (joint loads, 3) place of a load's number, velocity, sign


@fused_inlined
def put3(w, p, a):
    w[p], w[p + 1], w[p + 2] = a


@fused_inlined
def put4(w, p, a):
    w[p], w[p + 1], w[p + 2], w[p + 3] = a


@fused_inlined
def put9(w, p, a):
    (
        w[p], w[p + 1], w[p + 2], w[p + 3], w[p + 4], w[p + 5], w[p + 6], w[p + 7], w[p + 8],
    ) = a  # fmt: skip


@fused_inlined
def add3(w, p, a):
    w[p] += a[0]
    w[p + 1] += a[1]
    w[p + 2] += a[2]
