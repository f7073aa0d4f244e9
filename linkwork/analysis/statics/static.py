"""Statics: where all forces balance, C_qᵀγ = f(q), C(q, t) = 0, with nothing moving and t frozen.

Every iterate lies on the constraints.  There the multipliers are those of least squares, and what
they leave is the unbalanced force (scaled: lengths over L, W = diag(1/L², 1)),

    [W    C_qᵀ] [d]   [f ]
    [C_q  0   ] [γ] = [−C],        r = C_qᵀγ − f,    d: the way back to C = 0.

Newton's method with the exact tangent, K_c included (Peng et al. 2024),

    [K(γ)  C_qᵀ] [δ ]     [r]
    [C_q   0   ] [Δγ] = − [0],     |θ| ≤ 0.7, then back to C = 0, and halved until |r| falls.

It finds the equilibrium nearest in its sense, stable or not; where it fails, load steps and
relaxation follow (static_search).  Then stability is judged (stability).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.analysis.assembly.assemble import StateLike, start_of
from linkwork.analysis.contacts_at_start import refuse_hard
from linkwork.analysis.motion.checks.lowest_values import LowestValues
from linkwork.analysis.motion.ending import interruptible
from linkwork.analysis.statics.balance import Point
from linkwork.analysis.statics.equilibrium import Equilibrium, equilibrium
from linkwork.analysis.statics.rotation import (
    ANGLES,
    STEADY,
    Rotation,
    Rotor,
    SpinLike,
    rotation_from,
)  # fmt: skip
from linkwork.analysis.statics.search import ProgressLog, Search
from linkwork.elements.failures import raise_if_failed
from linkwork.errors import ConvergenceError, ModelError
from linkwork.model import checks
from linkwork.model.model import Model, private_copy
from linkwork.system.compilation.numbering import row_scale
from linkwork.system.data import Data
from linkwork.system.initial_conditions.independence import choose_rows
from linkwork.system.initial_conditions.positions import close_joints
from linkwork.system.state import State


@interruptible
def static(
    model: Model, *, at: StateLike | None = None, time: float | None = None, loads: int = 1,
    tolerance: float = 1e-10, max_iterations: int = 60, progress: bool = True,
    spin: SpinLike | None = None, constraint_stiffness: bool = True, line_search: bool = True,
) -> Equilibrium:  # fmt: skip
    """A position in which all forces balance, found from the described one (or from `at`).

    at             : a State, Result or Equilibrium to start from; it is assembled otherwise
    time           : at which drives are frozen (default: that of `at`, or 0)
    loads          : let the unbalanced force of the start act in so many equal steps
    tolerance      : largest unbalanced force, relative to the forces at work
    max_iterations : of each attempt (Newton's method, every load step, relaxation five times that)
    spin           : find the state in which everything turns steadily about a fixed axis: an
                     angular velocity (3 numbers, rad/s) about an axis through the origin, a pair of
                     it and a point of the axis, or a joint on the ground that turns (driven, or
                     with a rate).  With a joint between bodies, what hangs on it is a rotor that
                     turns in a bearing at rest.  The state has these velocities, for lw.eigen
    constraint_stiffness=False leaves K_c out, line_search=False takes full Newton steps in
    positions and multipliers, both without any fallback: to compare, not to use.

    Without spin velocities are ignored and dampers do nothing.  Friction holds up to its limit, or
    has slid from the start and holds there: other positions balance as well.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> bob = m.add("bob", lw.Body(1, (1, 1, 1), position=(0.6, 0, -0.8)))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> eq = lw.static(m)
    >>> eq.stable, [round(float(x), 6) + 0.0 for x in eq["bob"].position]
    (True, [0.0, 0.0, -1.0])
    """
    checks.count(loads, "loads")
    checks.count(max_iterations, "max_iterations")
    tolerance = checks.number(tolerance, "tolerance", positive=True)
    if time is not None:
        time = checks.number(time, "time")
    model = private_copy(model)
    full, data, state = beginning(model, at, time)
    motion = None if spin is None else rotation_from(model, model.own(spin), state.time)
    talk = ProgressLog(f"statics of '{model.name}'", progress)
    try:
        for _ in range(4):
            search = Search(
                full, data, tolerance, max_iterations, constraint_stiffness, line_search, talk
            )
            search.rotation = motion if isinstance(motion, Rotation) else None
            point, data, state = attempt(search, state, loads)
            if point is not None:
                refuse_unsteady(search, point)
                found = equilibrium(search, point)
                if any(item.needs_air for item in model.items.values()):
                    from linkwork.analysis.outside_tables import refuse_outside_tables  # slow

                    refuse_outside_tables(found.result)
                LowestValues(full.system).require_equilibrium(found.state.values, model.name)
                return found if not isinstance(motion, Rotor) else spinning(found, motion)
    finally:
        raise_if_failed(model)  # the cause to report, not its consequences
    raise ConvergenceError(
        f"statics of '{model.name}' ends in a position where the number of independent joint rows "
        "changes; start from another position (at=) or remove redundant rows", state=state,
    )  # fmt: skip


def beginning(model: Model, at: Any, time: float | None) -> tuple[Data, Data, State]:
    """All rows, independent rows, and where to start, at rest."""
    start = start_of(model, at, "at", time=time, rest=True)
    refuse_driven_speeds(start.full, start.state.time)
    refuse_hard(start.full.system, "lw.static")
    state = start.state
    if at is None:
        state = replace(state, memory=start.full.system.described_state().memory)
    return start.full, start.data, state


def spinning(found: Equilibrium, rotor: Rotor) -> Equilibrium:
    """The equilibrium with the velocities of a rotor that turns in it."""
    names = ", ".join(f"'{found.system.names[b]}'" for b in rotor.bodies)
    report = f"{found.report}\n  rotation    {names} with {rotor.speed:.6g} rad/s"
    return replace(found, state=rotor.of(found.system, found.state), report=report)


def refuse_unsteady(search: Search, point: Point) -> None:
    """An error where a rotation does not go on as it is: when everything has turned further, the
    joints must let it be there, and the forces must balance again."""
    rotation, data = search.rotation, search.data
    if rotation is None or not rotation.speed:
        return
    name, gravity = data.system.model.name, data.tables.gravity
    if np.linalg.norm(np.cross(gravity, rotation.rate)) > STEADY * rotation.speed * np.linalg.norm(
        gravity
    ):
        raise ModelError(
            f"'{name}' has no steady rotation: gravity ({', '.join(f'{g:g}' for g in gravity)}) is "
            "not along the axis, so loads change as it turns; leave it out, or let it be along the "
            "axis"
        )
    for angle in ANGLES:
        state = rotation.of(rotation.carried(point.state, angle))
        error = np.abs(search.full.evaluate(state, tangent=False).C)
        error *= row_scale(search.full.kept_rows, search.full.system.length)
        worst = int(np.argmax(error)) if error.size else 0
        if error.size and error[worst] > STEADY:
            raise ModelError(
                f"'{name}' cannot turn steadily with spin: {search.full.kept_rows[worst]} does not "
                "let everything turn about that axis at that rate; give a joint that does as spin="
            )
        later = search.settle(state)
        if later is None or later.largest > STEADY * max(later.scale, point.scale):
            where = "" if later is None else (
                f" on {data.system.layout.describe(int(np.argmax(np.abs(later.force))))}"
            )
            raise ModelError(
                f"'{name}' has no steady rotation: the forces{where} do not balance any more when "
                "it has turned further; let gravity and forces from the ground act along the axis "
                "or evenly around it"
            )


def refuse_driven_speeds(full: Data, time: float) -> None:
    """Refuse rows on velocities that are not zero where everything is to be at rest.

    Rows that hold velocities at zero hold positions in statics: whatever rolls has rolled, without
    slipping, from where the search began.
    """
    system = full.system
    if not system.on_velocities.any():
        return
    e = full.evaluate(system.described_state(time).at_rest(), tangent=False, rates=True)
    speed = np.abs(e.Ct) * system.on_velocities[full.kept]
    if speed.any():
        row = full.kept_rows[int(np.argmax(speed))]
        raise ModelError(
            f"lw.static looks for rest, but {system.model[row.owner].label} drives a speed of "
            f"{speed.max():.3g} in its row {row.name}; give a speed of zero, or use lw.transient"
        )


def attempt(search: Search, state: State, loads: int) -> tuple[Point | None, Data, State]:
    """An equilibrium; or None with other rows to try, where those left out do not hold."""
    full, data = search.full, search.data
    try:
        point = search.find(state, loads)
    except ConvergenceError as error:
        if data.keep.all():
            raise
        other = choose_rows(full, error.state, warn=False)[1]
        if np.array_equal(other.keep, data.keep):
            raise
        return None, other, error.state
    if left_out_rows_hold(full, data, point.state):
        return point, data, point.state
    state = close_joints(full, point.state)
    return None, choose_rows(full, state, warn=False)[1], state


def left_out_rows_hold(full: Data, data: Data, state: State) -> bool:
    """Whether the rows that are not in the equations are satisfied, too."""
    if data.keep.all():
        return True
    C = full.evaluate(state, tangent=False).C
    return bool(np.abs(row_scale(full.kept_rows, full.system.length) * C).max() < 1e-8)
