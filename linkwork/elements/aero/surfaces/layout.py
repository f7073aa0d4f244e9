"""Where the kernel of lifting surfaces finds its numbers.

Ends of an element: its bodies (one, or the two or three nodes of a beam); where it has states, a
node of them; and in a rotor, the rotor's loads, its inflow, the body with the rotor's axes, and the
body with its centre.

reals of an element:

    head    control deflection, filter frequency, A₁ A₂ b₁ b₂, radius of the rotor, its axes on the
            body that has them, its centre on the hub, lags of dynamic stall (semi-chords)
    air     (wind)
    nodes   [place of the reference line f (3), section axes Q (4)] for each body
    points  (below)
    tables  (tables)

A point: values of the shape functions, the length it stands for, chord, aerodynamic centre and
velocity point (forward of the reference line), twist, its part of the control deflection, tip loss,
the part of the second of its two airfoil tables, a reference for the scale of its states, and on a
single body its place along the span.

integers: bodies, states of each point, field of the inflow, points, where the points begin among
the reals and the integers; the air, of each point the node whose piece it belongs to and its two
tables, the tables, and last the column where the integers begin.

Work of a call: what the section gives (outputs fx, fy, m, the rates of its states, and fz) with its
derivatives by Vx, Vy, ωz and altitude, by the states, and that of fz by Vz; then matrices of nodes.
"""

from __future__ import annotations

from linkwork.kernels.record import record

CONTROL, FILTER, A1, A2, B1, B2, RADIUS, AXES, CENTRE, PRESSURE_LAG, SEPARATION_LAG, HEAD = record(
    control=1, filter=1, a1=1, a2=1, b1=1, b2=1, radius=1, axes=9, centre=3, pressure_lag=1,
    separation_lag=1, head=0,
)  # fmt: skip
AIR = HEAD  # where the air begins
BODIES, STATES, FIELD, POINTS, FIRST, FIRST_CODE, AIR_CODES = record(
    bodies=1, states=1, field=1, points=1, first=1, first_code=1, air_codes=0
)
NODE_F, NODE_Q, NODE = record(node_f=3, node_q=4, node=0)
(SHAPE, WEIGHT, CHORD, CENTRE_AC, POINT_V, TWIST, SHARE, TIP, MIX, RATE0, SPAN, POINT) = record(
    shape=3, weight=1, chord=1, centre_ac=1, point_v=1, twist=1, share=1, tip=1, mix=1, rate0=1,
    span=1, point=0,
)  # fmt: skip
PIECE, TABLE, TABLE2, POINT_CODES = record(piece=1, table=1, table2=1, point_codes=0)

NO_FIELD, LINEAR_FIELD, MANGLER_FIELD = range(3)
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
PLACE, ARM, SPIN, SPEED, TURN, TWIST_RATE, INVERSE, NODE_WORK = record(
    place=3, arm=3, spin=3, speed=3, turn=3, twist_rate=3, inverse=9, node_work=0
)
# rows of eight for the tangent: displacement, velocity and angular velocity of a node, what its
# turn and that of the reference node do to a section
ROWS = PLACES + 3 * NODE_WORK
MOVED, GAINED, SPUN, OWN, CROSSED, NODE_ROWS = record(
    moved=24, gained=24, spun=24, own=24, crossed=24, node_rows=0
)
TOTAL = ROWS + 3 * NODE_ROWS  # force and moment on each node, in world axes and in its own
WORK = TOTAL + 3 * 6


def reals_of(bodies: int, air: int, points: int, tables: int) -> int:
    """Numbers of an element."""
    return HEAD + air + bodies * NODE + points * POINT + tables
