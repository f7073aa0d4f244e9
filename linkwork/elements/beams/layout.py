"""Where the kernel of beam elements finds its numbers.

reals of an element with n nodes (two or three), n − 1 points at which its section is evaluated:

    nodes   [offset f (3), section axes Q (4)] n       from the body's frame to that of the node
    points  [N (3), N′ (3), weight, Q (4), ε0 (3), κ0 (3), linear, damped, given, n m (6), section]

N and N′ are the values of the shape functions and their derivatives by arc length; the weight is
the length that a point stands for.  Where `given` is set, the tangent has the force and moment n, m
that stand there in place of those of the strains (analysis.statics.slender).  A linear section is
C and D as 3×3 blocks nn, nm, mn, mm; any other is the reals of a law of six components
(elements.laws).  Elements of two nodes have no third shape function; in its place stands whether
they are helicoidal (elements.beams.helicoidal).

integers: those of the laws of all points, and last n.

Work of a call: numbers of nodes, then matrices of one point.
"""

from __future__ import annotations

from linkwork.kernels.record import record

BEAM_NODE = record(f=3, q=4)
F, Q = BEAM_NODE
NODE = BEAM_NODE.width
SHAPE, SLOPE, WEIGHT, AXES, STRAIN0, LINEAR, DAMPED, GIVEN, STRESS, SECTION = record(
    shape=3, slope=3, weight=1, axes=4, strain0=6, linear=1, damped=1, given=1, stress=6, section=0
)
HELICOIDAL = SHAPE + 2
MATRICES = 72  # numbers of a linear section: C and D

# work of nodes: place of the beam's axis, arm to it, velocities, turn θ from the reference node,
# difference of angular velocities, T⁻¹(θ)
PLACE, ARM, SPIN, SPEED, TURN, TWIST, INVERSE, NODE_WORK = record(
    place=3, arm=3, spin=3, speed=3, turn=3, twist=3, inverse=9, node_work=0
)
# of a point: C and D, then for every node Θ, Θ′ and how the rates change with a turn of the node
STIFF, VISCOUS, SHAPES = record(3 * NODE_WORK, stiff=36, viscous=36, shapes=0)
THETA, THETA1, RATE_N, RATE_M, SHAPE_WORK = record(
    theta=9, theta1=9, rate_n=9, rate_m=9, shape_work=0
)
WORK = SHAPES + 3 * SHAPE_WORK


def reals_of(nodes: int, section: int) -> int:
    """Numbers of an element whose sections have so many each."""
    return nodes * NODE + (nodes - 1) * (SECTION + section)


def point_at(nodes: int, section: int, k: int) -> int:
    """Where the numbers of a point begin."""
    return nodes * NODE + k * (SECTION + section)
