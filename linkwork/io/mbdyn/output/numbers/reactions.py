"""How MBDyn writes the reactions of its joints: their sign, and the axes of the local columns.

Hinges and rotations between two nodes give what acts on the second node.  The others give the
opposite: what the node does to the ground (clamps and pins), or what acts on the first node (total
joints, in line, in plane, imposed and driven motions).  Moments are about the point of the second
node.  Local axes are mostly those of the joint at the first node (at the ground), but

    revolute hinges, pins and rotations, axial rotation, universal pins    those at the second node
    driven and imposed displacements                                       those of the first node
    spherical pins, driven and imposed displacements of a pin              the world's
    in plane, universal hinges and pins     the only component of the force, of the moment, is first
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.io.mbdyn.deck.deck import JointRecord
from linkwork.io.mbdyn.output.numbers.motion import Motion, rotate_back

if TYPE_CHECKING:
    from linkwork.io.mbdyn.output.numbers.tables import Tables

OPPOSITE = {
    "beam slider", "clamp", "drive displacement", "drive displacement pin", "drive hinge",
    "imposed displacement", "imposed displacement pin", "imposed orientation", "in line",
    "in plane", "pin", "plane pin",
    "revolute pin", "spherical pin", "total joint", "total pin joint",
}  # fmt: skip
AT_SECOND = {"axial rotation", "beam slider", "cardano pin", "plane hinge", "plane pin",
             "revolute hinge", "revolute pin", "revolute rotation", "universal pin"}  # fmt: skip
OF_NODE = {"drive displacement", "imposed displacement"}
OF_WORLD = {"drive displacement pin", "imposed displacement pin", "pin", "spherical pin"}
CROSSED = {"cardano hinge", "cardano pin", "cardano rotation", "universal hinge", "universal pin",
           "universal rotation"}  # fmt: skip


def written(
    tables: Tables, joint: JointRecord, a: Motion, b: Motion, F: np.ndarray, M: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """f, m in local axes and F, M in global ones from what acts on the second node."""
    if joint.kind in OPPOSITE:
        F, M = -F, -M
    axes = turned = a.R if joint.points is None else b.R
    if joint.rotation_axes is not None:
        turned = tables.motion(joint.nodes[0]).R @ joint.rotation_axes[0]
    if joint.kind in AT_SECOND:
        axes = turned = b.R
    elif joint.kind in OF_NODE:
        axes = turned = tables.motion(joint.nodes[0]).R
    elif joint.kind in OF_WORLD:
        return F, M, F, M
    f, m = rotate_back(axes, F), rotate_back(turned, M)
    if joint.kind == "in plane":
        f = f[:, [2, 0, 1]]  # the normal is the third axis here
    if joint.kind in CROSSED:
        n = np.cross(b.R[:, :, 1], a.R[:, :, 2])
        m = np.zeros_like(M)
        m[:, 0] = np.sum(M * n, axis=1) / np.sum(n * n, axis=1)
    return f, m, F, M
