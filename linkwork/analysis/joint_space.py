"""joint_space: a model's equations in joint coordinates, from its assembled position."""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.analysis.assembly.assemble import StateLike, start_of
from linkwork.model.calls import explained
from linkwork.model.model import Model
from linkwork.recursive.joint_space import JointSpace


@explained
def joint_space(
    model: Model, *, cuts: Sequence[str] = (), start: StateLike | None = None
) -> JointSpace:
    """The model in joint coordinates: forward and inverse dynamics, mass matrix, loop Jacobian.

    cuts  : names of joints to cut, where loops are;   start : a State, Result or Equilibrium

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -10))
    >>> rod = m.add("rod", lw.Body(2, (0, 0, 0), position=(1, 0, 0)))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> robot = lw.joint_space(m)
    >>> robot.forward([0.0]).round(9).tolist(), robot.mass_matrix([0.0]).round(9).tolist()
    ([10.0], [[2.0]])
    """
    begin = start_of(model, start, "start", "refuse", warn=False)
    return JointSpace(begin.full, begin.state, cuts)
