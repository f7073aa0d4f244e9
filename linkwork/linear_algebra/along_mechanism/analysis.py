"""The arrays of an elimination from what was taken off (peeling) and what is left: the core."""

from __future__ import annotations

import numpy as np

from linkwork.elements.layout import STRIDE
from linkwork.kernels.registers.eights import zeros8
from linkwork.linear_algebra.along_mechanism.between import bridged
from linkwork.linear_algebra.along_mechanism.condensation import Condensed, find_condensed
from linkwork.linear_algebra.along_mechanism.core import find_core
from linkwork.linear_algebra.along_mechanism.addressed import addresses
from linkwork.linear_algebra.along_mechanism.peeling import (
    Peeling,
    breaks,
    code_for,
    is_hinge,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.substructure.substructures import (
    gathered,
    packed,
    unpacked,
)  # fmt: skip
from linkwork.linear_algebra.along_mechanism.tables import (
    LEFT,
    NODE_INTS,
    ROW,
    ROW_INTS,
    ROWS,
    STORE,
    WIDE,
    Elimination,
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
    first, others = (None, np.zeros((0, 4))) if pivots is None else unpacked(pivots[5])

    def taken_off(length: float) -> tuple[Peeling, np.ndarray, Condensed, np.ndarray]:
        values = zeros8(pattern.size)
        values[:] = vals
        condensed, groups = find_condensed(pattern, values, first)
        peeling = Peeling(pattern, length, two_sided, groups)
        if pivots is None:
            peeling.peel(values)
        else:
            peeling.repeat(values, others, *pivots[:5])
        return peeling, values, condensed, groups

    found = taken_off(length)
    if found[0].refused and scaled:
        again = taken_off(1.0)
        if again[0].gone.sum() > found[0].gone.sum():
            found, length = again, 1.0
    peeling, values, condensed, groups = found
    core = find_core(
        pattern, values, [*peeling.nodes, *peeling.others], peeling.waiting,
        None if pivots is None else pivots[6:], peeling.trial.left, groups,
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
        condensed=condensed,
        groups=groups,
        between=bridged(peeling.bridges, peeling.trial.scale),
        substructures=gathered(peeling.substructures, length),
        breaks=breaks(peeling.others),
        first=packed(groups, peeling.others),
        store=zeros8(int(stores.sum())),
        x=zeros8(STRIDE * pattern.bodies),
        out=np.zeros(peeling.unknowns),
    )
    hinges = peeling.hinges and all(map(is_hinge, counts.tolist()))
    return made._replace(code=addresses(made, code_for(hinges)))
