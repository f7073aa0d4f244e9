"""Trim: controls with which a model in the air has wanted loads.

    L(c) = wanted,   c ← c − J⁻¹ (L(c) − wanted)

L are outputs of the equilibrium, or means over the last period of a run.  J is found by differences
once and then updated by Broyden's formula from the steps themselves (C. G. Broyden, Mathematics of
Computation 19, 1965); where a step makes matters worse, it is halved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.analysis.motion.transient import transient
from linkwork.analysis.statics.search import ProgressLog
from linkwork.analysis.statics.static import static
from linkwork.errors import ConvergenceError, LinkworkError, ModelError
from linkwork.integrators.contract import MethodLike
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.model.given import VectorLike
from linkwork.model.model import Model

AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True)
class Trim:
    """Controls that reach wanted loads.

    controls : in the order of `start`;  loads : what they give, by name
    jacobian : (loads, controls) slopes;  iterations : of Newton's method;  run : the last one
    """

    controls: np.ndarray
    loads: dict[str, float]
    jacobian: np.ndarray
    iterations: int
    run: Any = field(repr=False)


@explained
def trim(
    build: Callable[[np.ndarray], Model], wanted: Mapping[str, float], start: VectorLike, *,
    t: float | None = None, h: float | None = None, period: float | None = None,
    method: MethodLike | None = None, step: float = 0.01, tolerance: float = 1e-6,
    max_iterations: int = 20, progress: bool = True,
) -> Trim:  # fmt: skip
    """Find the controls with which outputs have wanted values, by Newton's method.

    build  : a function of the controls (an array) that returns the model with them
    wanted : {"rotor.thrust": 6000, "rotor.torque.x": 0}: item and output, and a component of a
             vector; as many as there are controls.  Of outputs along a span the sum is taken
    start  : the controls to begin with
    t, h, period : run the model to time t with step h, and take means over the last period (the
             whole run if it is left out); without t the outputs of lw.static(model) are taken
    step   : change of a control for the differences;  tolerance : of the loads, over the largest
             of the wanted ones

    Example
    -------
    >>> import linkwork as lw
    >>> def wing(controls):
    ...     m = lw.Model("wing")
    ...     m.air = lw.Air(velocity=(30, 0, 0))
    ...     plate = m.add("plate", lw.Body(2, (1, 1, 1)))
    ...     m.add("hold", lw.Fixed(lw.GROUND, plate, at=(0, 0, 0)))
    ...     m.add("foil", lw.LiftingSurface(plate, chord=0.5, airfoil=lw.Airfoil.naca0012(),
    ...         start=(0, -1, 0), end=(0, 1, 0), twist=float(controls[0])))
    ...     return m
    >>> found = lw.trim(wing, {"foil.force_total.z": 200.0}, [0.05], progress=False)
    >>> round(found.loads["foil.force_total.z"], 3)
    200.0
    """
    c = checks.array(start)
    if c is None or c.ndim != 1 or not len(c) or not np.isfinite(c).all():
        raise ModelError(f"start of trim must be a list of numbers, but {checks.show(start)} was "
                         "given")  # fmt: skip
    if not isinstance(wanted, Mapping) or len(wanted) != len(c):
        raise ModelError(
            f"wanted of trim must be a dict with as many loads as there are controls, {len(c)}, "
            f"but {checks.show(wanted)} was given"
        )
    goal = np.array([checks.number(x, f"wanted {name!r} of trim") for name, x in wanted.items()])
    if t is not None and h is None:
        raise ModelError("trim needs the step h of its runs to the time t; give both")
    size = float(np.abs(goal).max()) or 1.0
    talk = ProgressLog("trim", progress)

    def loads(controls: np.ndarray) -> tuple[np.ndarray, Any]:
        try:
            model = build(controls.copy())
            if not isinstance(model, Model):
                raise ModelError(f"build must return a linkwork Model, not {type(model).__name__}")
            if t is None:
                run: Any = static(model, progress=False)
            else:
                run = transient(model, t, h, method, progress=False)  # type: ignore[arg-type]
            return np.array([measured(run, name, period) for name in wanted]), run
        except LinkworkError as error:
            shown = ", ".join(f"{x:.5g}" for x in controls)
            raise type(error)(f"trim with the controls {shown}: {error}") from error

    L, run = loads(c)
    J = np.empty((len(goal), len(c)))
    for k in range(len(c)):
        there = c.copy()
        there[k] += step
        J[:, k] = (loads(there)[0] - L) / step
    for iteration in range(max_iterations):
        error = float(np.abs(L - goal).max()) / size
        talk.tell(f"iteration {iteration}, loads off by {error:.3g} of the largest")
        if error <= tolerance:
            return Trim(c, dict(zip(wanted, map(float, L))), J, iteration, run)
        try:
            change = -np.linalg.solve(J, L - goal)
        except np.linalg.LinAlgError:
            raise ModelError(
                "trim cannot go on: the controls do not change the wanted loads independently of "
                "each other; take other controls or loads"
            ) from None
        for _ in range(6):
            new, run = loads(c + change)
            if np.abs(new - goal).max() < np.abs(L - goal).max():
                break
            change = change / 2
        J += np.outer(new - L - J @ change, change) / float(change @ change)
        c, L = c + change, new
    raise ConvergenceError(
        f"trim has not reached the wanted loads in {max_iterations} iterations: "
        f"{', '.join(f'{name} = {x:.5g}' for name, x in zip(wanted, L))}; start nearer to them, or "
        "let the runs settle (t=)"
    )


def measured(run: Any, name: str, period: float | None) -> float:
    """An output as one number: of a vector the component, summed over the span, mean over time."""
    item, _, rest = name.partition(".")
    output, _, part = rest.partition(".")
    if not output or (part and part not in AXES):
        raise ModelError(
            f"a wanted load of trim must read item.output or item.output.x, but {name!r} was given"
        )
    values = getattr(run[item], output)
    if part:
        values = values.isel(xyz=AXES[part])
    if "s" in values.dims:
        values = values.sum("s")
    if "time" in values.dims:
        if period is not None:
            late = values.time > float(values.time[-1]) - period * (1 + 1e-9)
            values = values[late.values][1:]  # both ends of a period are the same phase
        values = values.mean("time")
    return float(values)
