"""joint_space: a model's equations in joint coordinates, from its assembled position."""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.analysis.assembly.assemble import assemble_model
from linkwork.analysis.starts import StateLike, require_closed, require_state, state_in
from linkwork.model.calls import explained
from linkwork.model.model import Model
from linkwork.recursive.joint_space import JointSpace
from linkwork.system.system import compile_model


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
    if start is None:
        assembled = assemble_model(model)
        return JointSpace(assembled.full, assembled.state, cuts)
    state = state_in(start)
    full = compile_model(model).data()
    require_state(full.system, state, start, "start")
    require_closed(full, state, "start")
    return JointSpace(full, state, cuts)
