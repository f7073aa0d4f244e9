"""Where the kernel of lifting surfaces finds its numbers.

Ends of an element: its bodies (one, or the two or three nodes of a beam); where it has states, a
node of them; and in a rotor, the rotor's loads, its inflow, the body with the rotor's axes, and the
body with its centre.

reals of an element:

    head    bodies, states of each point, field of the inflow, points, control deflection, place of
            the points, filter frequency, A₁ A₂ b₁ b₂, radius of the rotor, its axes on the body
            that has them, its centre on the hub, lags of dynamic stall (semi-chords)
    air     (wind)
    nodes   [place of the reference line f (3), section axes Q (4)] for each body
    points  (below)
    tables  (tables)

A point: values of the shape functions, the node whose piece it belongs to, the length it stands
for, chord, aerodynamic centre and velocity point (forward of the reference line), twist, its part
of the control deflection, tip loss, places of its two airfoil tables and the part of the second, a
reference for the scale of its states, and on a single body its place along the span.

Work of a call: what the section gives (outputs fx, fy, m, the rates of its states, and fz) with its
derivatives by Vx, Vy, ωz and altitude, by the states, and that of fz by Vz; then matrices of nodes.
"""

from __future__ import annotations

from linkwork.elements.aero.air import wind

(BODIES, STATES, FIELD, POINTS, CONTROL, FIRST, FILTER, A1, A2, B1, B2, RADIUS, AXES, CENTRE,
 PRESSURE_LAG, SEPARATION_LAG, HEAD) = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 21, 24, 25, 26
)  # fmt: skip
AIR = HEAD  # where the air begins
NODE_F, NODE_Q, NODE = 0, 3, 7
(SHAPE, PIECE, WEIGHT, CHORD, CENTRE_AC, POINT_V, TWIST, SHARE, TIP, TABLE, TABLE2, MIX, RATE0,
 SPAN, POINT) = (0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)  # fmt: skip

NO_FIELD, LINEAR_FIELD, MANGLER_FIELD = 0.0, 1.0, 2.0
QUASI_STEADY, WAGNER, STALL, THEODORSEN = 0, 2, 4, 6  # states of a point
MOST_STATES, OUTPUTS, INPUTS = 6, 10, 4
SPANWISE = 9  # the output that is the force along the span

# ends of a rotor behind the bodies and the states
LOADS, INFLOW, CRAFT, HUB, ROTOR_ENDS = 0, 1, 2, 3, 4
LOAD_VALUES, INFLOW_VALUES = 3, 4

# work
VALUE = 0  # of the outputs
BY_INPUT = VALUE + OUTPUTS  # 10 × 4
BY_STATE = BY_INPUT + OUTPUTS * INPUTS  # 10 × 6
BY_SPEED = BY_STATE + OUTPUTS * MOST_STATES  # fz by Vz
TOLD = BY_SPEED + 1  # alpha, Mach, c_l, c_d, c_m, dynamic pressure, sweep
TOLD_SIZE = 8
ROW = 8
PLACES = TOLD + TOLD_SIZE
# of a node: place of the reference line, arm to it, velocities, turn from the reference node,
# difference of angular velocities, T⁻¹(θ)
PLACE, ARM, SPIN, SPEED, TURN, TWIST_RATE, INVERSE, NODE_WORK = 0, 3, 6, 9, 12, 15, 18, 27
# rows of eight for the tangent: displacement, velocity and angular velocity of a node, what its
# turn and that of the reference node do to a section
ROWS, MOVED, GAINED, SPUN, OWN, CROSSED, NODE_ROWS = PLACES + 3 * NODE_WORK, 0, 24, 48, 72, 96, 120
TOTAL = ROWS + 3 * NODE_ROWS  # force and moment on each node, in world axes and in its own
WORK = TOTAL + 3 * 6


def reals_of(bodies: int, air: int, points: int, tables: int) -> int:
    """Numbers of an element."""
    return HEAD + air + bodies * NODE + points * POINT + tables


def air_size(gusts: int) -> int:
    return wind.AIR + wind.GUST * gusts
