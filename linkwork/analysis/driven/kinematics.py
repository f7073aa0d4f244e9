"""Kinematics: the motion of a mechanism whose drives leave it no freedom, and what they must give.

At every time, with as many independent rows as unknowns,

    C(q, t) = 0        Newton's method from the screw motion of every body by h v + h²/2 v̇
    C_q v  = −C_t      velocities
    C_q v̇  = Q_c       accelerations
    C_qᵀγ  = f − f_g − M v̇   multipliers: reactions and drive forces, of least norm over all rows

all by one factorisation of [[W, C_qᵀ], [C_q, 0]], which for a square C_q gives C_q⁻¹ and C_q⁻ᵀ,
in one compiled loop.  Supplied and dissipated work are the powers γ·C_t + (loads) and (dampers) by
the trapezoidal rule.  A step whose positions are not found, or are found elsewhere than the motion
leads or on another branch of the mechanism (`steps`), is taken in halves; where that does not help
either the mechanism locks.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.linalg as la

from linkwork.analysis.assembly.assemble import StateLike, start_of
from linkwork.analysis.contacts_at_start import refuse_hard
from linkwork.analysis.driven.mechanism import Driven
from linkwork.analysis.motion.ending import interruptible
from linkwork.analysis.scales import column_scale
from linkwork.elements.joints.joints import ROW_NAMES
from linkwork.elements.layout import SIX
from linkwork.errors import ModelError
from linkwork.linear_algebra.sparse_rows import array_of
from linkwork.model import checks
from linkwork.model.model import Model
from linkwork.results.result import Result
from linkwork.system.initial_conditions.joint_graph import JOINT, JointGraph
from linkwork.system.redundancy import Redundancy
from linkwork.system.state import State
from linkwork.system.system import System


@interruptible
def kinematics(
    model: Model, t: float, h: float, *, start: StateLike | None = None, every: int = 1,
    progress: bool = True,
) -> Result:  # fmt: skip
    """Positions, velocities, accelerations and drive forces of a fully driven mechanism.

    t, h  : end time and step (of output: the motion itself has no integration error)
    start : a State, Result or Equilibrium that says where to begin (the model is assembled
            otherwise)
    every : store every so many steps; the start and the end are always stored

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model()
    >>> arm = m.add("arm", lw.Body(1, (1, 1, 1), position=(2, 0, 0)))
    >>> motor = m.add("motor", lw.Motor(lw.GROUND, arm, (0, 0, 0), (0, 0, 1), angle=lw.ramp(3)))
    >>> kin = lw.kinematics(m, t=1, h=0.1, progress=False)
    >>> round(float(kin["arm"].velocity[0, 1]), 9)
    6.0
    """
    t = checks.number(t, "t, the end time,")
    h = checks.number(h, "h, the step,", positive=True)
    checks.count(every, "every")
    begin = start_of(model, start, "start")
    full, redundancy, state = begin.full, begin.redundancy, begin.state
    checks.steps(t, h, state.time)
    full.system.refuse_velocity_rows("lw.kinematics")
    refuse_hard(full.system, "lw.kinematics")
    full.system.refuse_nodes("lw.kinematics")
    require_driven(full.system, redundancy, state)
    run = Driven(full, redundancy, begin.data, state, h, every)
    run.angles = start.angles() if isinstance(start, Result) else {}
    return run.go(t, progress)


def require_driven(system: System, redundancy: Redundancy, state: State) -> None:
    """Refuse a mechanism that its drives do not move completely."""
    for link in system.flexible:
        raise ModelError(
            f"{link.item.label} deforms, so that drives alone do not say how "
            f"'{system.model.name}' moves; use lw.transient, or a Body in its place"
        )
    free = system.layout.rigid - redundancy.rank
    if not free:
        return
    found = moving_joints(system, state)
    where = f": drive for example {', '.join(found[:6])}" if found else ""
    raise ModelError(
        f"kinematics of '{system.model.name}' needs every motion driven, but {free} degree"
        f"{'s' * (free > 1)} of freedom {'are' if free > 1 else 'is'} not{where}; replace free "
        "joints by Motor or Actuator or give Lock a drive, or use lw.transient"
    )


def moving_joints(system: System, state: State) -> list[str]:
    """Free rows of joints that can move, as words: joint 'slider' (z)."""
    if system.bodies > 200:
        return []
    data = system.data()
    Cq = data.evaluate(replace(state, gamma=None, acceleration=None)).Cq.toarray()
    Cq *= column_scale(system)
    N = la.null_space(Cq, rcond=1e-9) if len(Cq) else np.eye(system.layout.rigid)
    graph = JointGraph(data, state)
    weights = np.repeat([[1.0 / system.length, 1.0]], 3, axis=1)
    entries, row, column, shape = graph.jacobian(state, weights)
    rates = array_of(entries, row, column, shape) @ (column_scale(system)[:, None] * N)
    moves = np.abs(rates).max(axis=1, initial=0.0).reshape(-1, SIX) > 1e-6
    rows: dict[str, list[str]] = {}
    for edge, moving in zip(graph.edges, moves):
        free = [i for i in range(SIX) if moving[i] and i not in edge.rows]
        if edge.kind == JOINT and free:
            rows.setdefault(edge.owner, []).extend(ROW_NAMES[i] for i in free)
    words = [f"joint '{name}' ({' '.join(names)})" for name, names in rows.items()]
    tied = {e for element in system.elements for e in element.ends if element.entry.rows}
    return words + [f"body '{n}'" for b, n in enumerate(system.names) if b not in tied]
