"""Which function finds the points of a pair of shapes.

Pairs whose bounding balls are apart by more than the margin have none.
"""

from __future__ import annotations

from linkwork.elements.contact.geometry.boxes import box_ball, box_box, edge_segment
from linkwork.elements.contact.cams.cam import cam_flat, cam_roller
from linkwork.elements.contact.layout import (
    BALL_BALL, BOX_BALL, BOX_BOX, CAM_FLAT, CAM_ROLLER, CENTRE_A, CENTRE_B, CYLINDER_BALL,
    EDGE_SEGMENT, FIELD_BALL, GEOMETRY_AT, HULL_BALL, MARGIN, PAIR, PLANE_CYLINDER, PLANE_POINTS,
    REACH_A, REACH_B, SEGMENT_BALL, SEGMENT_SEGMENT,
)  # fmt: skip
from linkwork.elements.contact.geometry.round_shapes import (
    ball_ball, cylinder_ball, placed, plane_cylinder, plane_points, segment_ball, segment_segment,
)  # fmt: skip
from linkwork.elements.contact.geometry.triangles import hull_ball, mesh_ball
from linkwork.kernels.compiled import inlined
from linkwork.kernels.vectors import at, dot, sub


@inlined
def find_points(codes, reals, i, w, Ra, ra, Rb, rb):
    """Points of element i into the table w: how many, and −1 where the normal belongs to b.

    codes : the integers of contacts, from CODES on
    """
    g, pair = codes[i, GEOMETRY_AT], codes[i, PAIR]
    apart = sub(placed(Rb, rb, at(reals, i, CENTRE_B)), placed(Ra, ra, at(reals, i, CENTRE_A)))
    reach = reals[i, REACH_A] + reals[i, REACH_B] + reals[i, MARGIN]
    if dot(apart, apart) > reach * reach:
        return 0, 1.0
    if pair == PLANE_POINTS:
        return plane_points(codes, reals, i, g, w, Ra, ra, Rb, rb), 1.0
    if pair == BALL_BALL:
        return ball_ball(reals, i, g, w, Ra, ra, Rb, rb), 1.0
    if pair == SEGMENT_BALL:
        return segment_ball(codes, reals, i, g, w, Ra, ra, Rb, rb), 1.0
    if pair == SEGMENT_SEGMENT:
        return segment_segment(codes, reals, i, g, w, Ra, ra, Rb, rb), 1.0
    if pair == BOX_BALL:
        return box_ball(reals, i, g, w, Ra, ra, Rb, rb), 1.0
    if pair == EDGE_SEGMENT:
        return edge_segment(codes, reals, i, g, w, Ra, ra, Rb, rb), 1.0
    if pair == BOX_BOX:
        return box_box(reals, i, g, w, Ra, ra, Rb, rb)
    if pair == PLANE_CYLINDER:
        return plane_cylinder(reals, i, g, w, Ra, ra, Rb, rb), 1.0
    if pair == CYLINDER_BALL:
        return cylinder_ball(reals, i, g, w, Ra, ra, Rb, rb), 1.0
    if pair == HULL_BALL:
        return hull_ball(codes, reals, i, g, w, Ra, ra, Rb, rb), 1.0
    if pair == CAM_ROLLER:
        return cam_roller(codes, reals, i, g, w, Ra, ra, Rb, rb), 1.0
    if pair == CAM_FLAT:
        return cam_flat(codes, reals, i, g, w, Ra, ra, Rb, rb), 1.0
    return mesh_ball(codes, reals, i, g, w, Ra, ra, Rb, rb, pair == FIELD_BALL), 1.0
