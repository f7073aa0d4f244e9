"""Which constraint rows are independent, and what to say about the others.

Rows of Cq are redundant when some multipliers load no body: Cqᵀ y = 0 with y ≠ 0, a state of
self-stress. A joint row is a function of relative motion only, so the wrenches it puts on its
bodies balance each other, and a self-stress is a flow of wrenches through the joint graph
(vertices: bodies and ground, edges: joints) that is conserved at every vertex. Cut the graph at
an articulation vertex: nothing flows into the part cut off, so the flow restricted to each
biconnected component is a self-stress by itself, and across a bridge it vanishes. Hence

    rank Cq = Σ rank Cq[rows of one component],

with a bridge, or any joint alone in its component, as the smallest one. A joint of more than two
bodies is a star of edges from its first body; components that share such a joint are one. A vector
node that rows hold is a vertex for every three of its values; such rows are not functions of
relative motion unless an item says so, and reach the ground.

In each component, with columns scaled (rotations by 1/L) and rows normalised,

1. column-pivoted QR of Cqᵀ gives the rank r and an orthonormal basis N of the self-stresses;
2. the rows to leave out, D, are chosen by column-pivoted QR of (w N)ᵀ. The smallest singular
   value of the kept rows is at least σ_r(Cq) σ_min(N[D]), so large pivots here are good
   conditioning there, and the weights w state a preference at a bounded price: 1 for joints that
   close a loop (later ones first), 0.1 for joints of the spanning tree made of the earliest
   joints, a hundredth of these for rows that load friction, 0.001 for driven rows.

Components of more than 300 rows are looked at by sparse elimination, whose choice is proved (see
`elimination`); the cost is linear for rows of loops.  The dense factorisation, O(m³) for m rows,
decides where that is too close to the tolerance.

Off the constraint manifold dependent rows look independent: evaluate Cq at an assembled position.
"""

from linkwork.system.redundancy.left_out import LeftOut, consistent
from linkwork.system.redundancy.reactions import MinimumNorm
from linkwork.system.redundancy.rows import ConstraintRows, as_vertices
from linkwork.system.redundancy.selection import (
    Redundancy,
    degrees_of_freedom,
    independent_rows,
    shared_rows,
)
from linkwork.system.redundancy.self_stress import Component

__all__ = [
    "Component",
    "ConstraintRows",
    "LeftOut",
    "MinimumNorm",
    "Redundancy",
    "as_vertices",
    "consistent",
    "degrees_of_freedom",
    "independent_rows",
    "shared_rows",
]
