"""Where the kernel of beam elements finds its numbers.

reals of an element with n nodes (two or three), n − 1 points at which its section is evaluated:

    nodes   [offset f (3), section axes Q (4)] n       from the body's frame to that of the node
    points  [N (3), N′ (3), weight, Q (4), ε0 (3), κ0 (3), linear, damped, given, n m (6), section]

N and N′ are the values of the shape functions and their derivatives by arc length; the weight is
the length that a point stands for.  Where `given` is set, the tangent has the force and moment n, m
that stand there in place of those of the strains (analysis.statics.slender).  A linear section is
C and D as 3×3 blocks nn, nm, mn, mm; any other is the numbers of a law of six components
(elements.laws).  Elements of two nodes have no third shape function; in its place stands whether
they are helicoidal (elements.beams.helicoidal).

Work of a call: numbers of nodes, then matrices of one point.
"""

from __future__ import annotations

F, Q, NODE = 0, 3, 7  # of a node
SHAPE, SLOPE, WEIGHT, AXES, STRAIN0, LINEAR, DAMPED = 0, 3, 6, 7, 11, 17, 18
GIVEN, STRESS, SECTION = 19, 20, 26
HELICOIDAL = SHAPE + 2
MATRICES = 72  # numbers of a linear section: C and D

# work of nodes: place of the beam's axis, arm to it, velocities, turn θ from the reference node,
# difference of angular velocities, T⁻¹(θ)
PLACE, ARM, SPIN, SPEED, TURN, TWIST, INVERSE, NODE_WORK = 0, 3, 6, 9, 12, 15, 18, 27
# of a point: C and D, then for every node Θ, Θ′ and how the rates change with a turn of the node
STIFF, VISCOUS, SHAPES = 3 * NODE_WORK, 3 * NODE_WORK + 36, 3 * NODE_WORK + 72
THETA, THETA1, RATE_N, RATE_M, SHAPE_WORK = 0, 9, 18, 27, 36
WORK = SHAPES + 3 * SHAPE_WORK


def reals_of(nodes: int, section: int) -> int:
    """Numbers of an element whose sections have so many each."""
    return nodes * NODE + (nodes - 1) * (SECTION + section)


def point_at(nodes: int, section: int, k: int) -> int:
    """Where the numbers of a point begin."""
    return nodes * NODE + k * (SECTION + section)
