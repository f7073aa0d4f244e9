"""The joint graph: rank Cq = Σ rank Cq[rows of one component].

A joint row is a function of relative motion only, so the wrenches it puts on its bodies balance
each other, and a self-stress is a flow of wrenches through the joint graph (vertices: bodies and
ground, edges: joints) that is conserved at every vertex.  Cut the graph at an articulation vertex:
nothing flows into the part cut off, so the flow restricted to each biconnected component is a
self-stress by itself, and across a bridge it vanishes.  A joint of more than two bodies is a star
of edges from its first body; components that share such a joint are one.
"""

from __future__ import annotations

import numpy as np

from linkwork.system.compilation.extents import joined
from linkwork.system.redundancy.rows import GROUND, ConstraintRows, Ints, Mask, joint_body_pairs


def joint_components(rows: ConstraintRows) -> tuple[Ints, Mask]:
    """Component of each joint, and the joints outside the tree of the earliest ones."""
    nj, nv = len(rows.joint_names), rows.nb + 1
    joint, u, v = star_edges(rows)
    edge, first, inverse = np.unique(
        np.minimum(u, v) * nv + np.maximum(u, v), return_index=True, return_inverse=True
    )
    low, high = edge // nv, edge % nv
    in_tree = np.zeros(edge.size, bool)
    earliest = np.argsort(joint[first], kind="stable")  # Kruskal: the joint's number as weight
    in_tree[earliest] = joined(zip(low[earliest].tolist(), high[earliest].tolist()), nv)[1]
    block = np.arange(edge.size) if in_tree.all() else biconnected(low, high, edge, nv)
    closing = np.zeros(nj, bool)
    closing[joint[~in_tree[inverse] | (joint != joint[first][inverse])]] = True
    # Joints and blocks as vertices: blocks that share a joint become one component.
    together = zip(joint.tolist(), (nj + block[inverse]).tolist())
    return np.array(joined(together, nj + edge.size)[0][:nj], np.intp), closing


def star_edges(rows: ConstraintRows) -> tuple[Ints, Ints, Ints]:
    """Edges (joint, u, v) from the first body of each joint to its others; ground is nb."""
    joint, body = joint_body_pairs(rows.joint_bodies)
    count = np.bincount(joint, minlength=len(rows.joint_bodies))
    lone = np.flatnonzero(count == 1)
    joint, body = np.append(joint, lone), np.append(body, np.full(lone.size, GROUND))
    order = np.argsort(joint, kind="stable")
    joint, body = joint[order], body[order] % (rows.nb + 1)
    centre = body[np.searchsorted(joint, joint)]
    real = centre != body
    return joint[real], centre[real], body[real]


def biconnected(low: Ints, high: Ints, edge: Ints, nv: int) -> Ints:
    """Biconnected component of each edge (edges given as sorted keys low · nv + high)."""
    import networkx as nx  # a tree never gets here, and need not wait for it

    graph = nx.Graph()
    graph.add_edges_from(zip(low.tolist(), high.tolist(), strict=True))
    block = np.empty(edge.size, np.intp)
    for number, edges in enumerate(nx.biconnected_component_edges(graph)):
        pair = np.sort(np.array(edges, dtype=np.intp), axis=1)
        block[np.searchsorted(edge, pair[:, 0] * nv + pair[:, 1])] = number
    return block
