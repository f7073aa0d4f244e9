"""Numbers of a contact element, and the table of its points.

An element is a pair of shapes: the first is fixed to body a, the second to b.  Its numbers:

    reals     radii, bounding spheres, margin, radii of spinning and rolling; friction at the places
              that elements.friction.bristles knows; the law, the geometry in body axes
    integers  what the pair is, how many points (or triangles) it has, where the geometry begins and
              its sizes, whether a and b are exchanged, points of the table of g(v), the friction
              model; the law

Points of a pair are rows of a table: of which kind each is (contact.points says how each moves),
depth δ, place P where the force acts, place X on the second shape, place Y on the first, normal n
from the first to the second, and numbers of its kind.
"""

from __future__ import annotations

from linkwork.elements.layout import int_width
from linkwork.kernels.record import record

# reals before those of elements.friction.bristles from MU on
RADIUS_A, RADIUS_B, REACH_A, REACH_B, CENTRE_A, CENTRE_B, MARGIN, SPIN, ROLL = record(
    radius_a=1, radius_b=1, reach_a=1, reach_b=1, centre_a=3, centre_b=3, margin=1, spin=1, roll=1,
)  # fmt: skip
# integers, after those of the ends; FLIP is −1 where a and b are exchanged, 1 elsewhere
CONTACT_INTEGERS = record(
    pair=1, count=1, geometry_at=1, sizes=3, flip=1, table_points=1, friction=1, law_at=1, law=0,
)  # fmt: skip
PAIR, COUNT, GEOMETRY_AT, SIZES, FLIP, TABLE_POINTS, FRICTION, LAW_AT, LAW = CONTACT_INTEGERS
SMOOTH = -1  # FRICTION of surfaces without any
CODES = int_width(2, 0)

# memory: the notes of elements.corners but for the last, which are the largest speed with which
# points that bore nothing met in an evaluation since a run has set it to zero, the time of the
# first of these, and how many points bore a load after the last step (0.5: overlap only); then
# points of a and b that touched, in body axes; the turn of b in a; bristles of sliding (in axes of
# a) and spinning; of rolling (in axes of a)
MET, MET_AT, PRESSED, TOUCHED_A, TOUCHED_B, TURNED, BENT, SPUN, ROLLED, MEMORY = record(
    met=1, met_at=1, pressed=1, touched_a=3, touched_b=3, turned=4, bent=3, spun=1, rolled=3,
    memory=0,
)  # fmt: skip
NOTES = TOUCHED_A

# pairs
(PLANE_POINTS, PLANE_CYLINDER, BALL_BALL, SEGMENT_BALL, SEGMENT_SEGMENT, BOX_BALL, EDGE_SEGMENT,
 BOX_BOX, CYLINDER_BALL, HULL_BALL, MESH_BALL, FIELD_BALL, CAM_ROLLER,
 CAM_FLAT) = range(14)  # fmt: skip

# COUNT of a segment and a ball: not at its ends; nor off a corner.  Of one that crosses: a cylinder
SIDE_ONLY, CORNER_ONLY, FLAT_ENDS = 1, 2, 1

# kinds of points
FACE, CROSSING, CORNER, RIM, CURVE, FLAT, SURFACE, POINTS, LINE, LINES, CIRCLE = range(11)

# columns of the table of points
(KIND, DEPTH, PLACE, ON_B, ON_A, NORMAL, OWN, ARM, LOAD, BY_DEPTH, BY_RATE, SPEED, BEFORE,
 COLUMNS) = (0, 1, 2, 5, 8, 11, 14, 23, 24, 25, 26, 27, 30, 31)  # fmt: skip
MOST_POINTS = 64

UNIT = 1e-12  # lengths over which directions are not computed
