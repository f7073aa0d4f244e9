"""The arrays of an elimination from what was taken off (peeling) and what is left: the core."""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import STRIDE
from linkwork.kernels.registers.eights import zeros8
from linkwork.linear_algebra.along_mechanism.addressed import addresses
from linkwork.linear_algebra.along_mechanism.core import find_core
from linkwork.linear_algebra.along_mechanism.peeling import (
    Peeling, breaks, bridged, carried_bodies, code_for, condensed, is_hinge,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.tables import (
    BRIDGES, CARRIED, CONDENSED, LEFT, NODE_INTS, ROW, ROW_INTS, ROWS, STORE, WIDE, Elimination,
    store_size,
)  # fmt: skip
from linkwork.linear_algebra.pattern import Pattern


def analyse(
    pattern: Pattern, vals: np.ndarray, length: float, pivots: tuple | None = None,
    two_sided: bool = False, scaled: bool = False,
) -> Elimination:  # fmt: skip
    """Nodes and core for a matrix with these values, which stay; call `refactor` next.

    `length` makes displacements and rotations comparable.  `pivots` is `.pivots` of an earlier
    elimination of the same pattern.  two_sided: the columns of constraints are not their rows,
    they lie `pattern.left` behind these.  scaled: the unknowns are comparable as they are: where
    bodies are refused, a length of one is tried, too.  Raises SingularMatrix.
    """

    def taken_off(length: float) -> tuple[Peeling, np.ndarray]:
        values = zeros8(pattern.size)
        values[:] = vals
        peeling = Peeling(pattern, length, two_sided)
        if pivots is None:
            peeling.peel(values)
        else:
            peeling.repeat(values, *pivots[:6])
        return peeling, values

    peeling, values = taken_off(length)
    if peeling.refused and scaled:
        again, others = taken_off(1.0)
        if again.gone.sum() > peeling.gone.sum():
            peeling, values = again, others
    core = find_core(
        pattern, values, [*peeling.nodes, *peeling.others], peeling.waiting,
        None if pivots is None else pivots[6:], peeling.trial.left,
    )  # fmt: skip
    n = len(peeling.nodes)
    sizes = [store_size(node.ints[ROWS], node.ints[WIDE], two_sided) for node in peeling.nodes]
    stores = np.array(sizes, np.int64)
    nodes = np.array([node.ints for node in peeling.nodes], np.int64).reshape(n, NODE_INTS)
    counts = np.array([len(node.rows) for node in peeling.nodes], np.int64)
    nodes[:, ROW] = np.cumsum(counts) - counts
    nodes[:, [STORE, LEFT]] += (np.cumsum(stores) - stores)[:, None]
    late = [len(node.late) for node in peeling.nodes]
    rows = [row for node in peeling.nodes for row in node.rows]
    delayed = np.array([x for node in peeling.nodes for x in node.late], np.int64).reshape(-1, 2)
    apart = [[x for x in peeling.others if x.kind == kind] for kind in range(3)]
    scale = peeling.trial.scale
    made = peeling.trial._replace(
        nodes=nodes,
        rows=np.array(rows, np.int64).reshape(-1, ROW_INTS),
        order=np.array([i for node in peeling.nodes for i in node.order], np.int64),
        pivot_col=np.array([node.pivot_col for node in peeling.nodes], np.int64).ravel(),
        straight=np.array([node.straight for node in peeling.nodes], np.int64),
        limit=np.array([node.limit for node in peeling.nodes], float),
        late_at=(np.cumsum(late) - late).astype(np.int64),
        late_place=delayed[:, 0].copy(),
        late_unknown=delayed[:, 1].copy(),
        core=core.unknowns,
        core_place=core.places,
        core_rhs=np.zeros(len(core.unknowns)),
        lu=core.lu,
        condensed=condensed(apart[CONDENSED]),
        carried=carried_bodies(apart[CARRIED], scale),
        between=bridged(apart[BRIDGES], scale),
        breaks=breaks(peeling.others),
        departures=np.array(
            [(x.after, x.kind, x.groups[0], x.code) for x in peeling.others], np.int64
        ).reshape(-1, 4),
        store=zeros8(int(stores.sum())),
        x=zeros8(STRIDE * pattern.bodies),
        out=np.zeros(peeling.unknowns),
    )
    hinges = peeling.hinges and all(map(is_hinge, counts.tolist()))
    return made._replace(code=addresses(made, code_for(hinges)))
