"""The tree that the recursive formulation walks and the joints it cuts, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.model.model import Model
from linkwork.recursive.tree.topology import Topology, topology_of
from linkwork.system.system import compile_model


@explained
def topology(model: Model, cuts: Sequence[str] = ()) -> Topology:
    """The tree of bodies and joints that `lw.Recursive(cuts=...)` walks, and the joints it cuts.

    Printed it shows the tree; `.plot()` draws it, `.primary` and `.cut` are the names of the joints
    in the tree and of the cut ones, and `.loop(name)` the bodies of the loop that a cut one closes.

    cuts : names of joints to cut; the others are chosen

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model("triangle")
    >>> a = m.add("a", lw.Body.link((0, 0, 0), (1, 1, 0), radius=0.01, density=7800))
    >>> b = m.add("b", lw.Body.link((1, 1, 0), (2, 0, 0), radius=0.01, density=7800))
    >>> left = m.add("left", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 0, 1)))
    >>> top = m.add("top", lw.Revolute(a, b, at=(1, 1, 0), axis=(0, 0, 1)))
    >>> right = m.add("right", lw.PointOnLine(lw.GROUND, b, at=(2, 0, 0), axis=(1, 0, 0)))
    >>> print(lw.topology(m, cuts=["right"]))
    ground
    └─ left ─ a
       └─ top ─ b
    cut: right, between ground and b
    """
    if isinstance(cuts, str) or not all(isinstance(c, str) for c in cuts):
        raise ModelError(
            f"cuts of topology must be a list of joint names, but {checks.show(cuts)} was given"
        )
    return topology_of(compile_model(model), tuple(cuts))
