"""Optimisation of parameters: a thin layer over scipy.optimize.

    min f(build(x)),   low ≤ x ≤ high,   searched in u = (x − low)/(high − low)

so that parameters of any size count alike.  A variant that cannot be built or run, or whose
objective is nan, counts as infinitely bad, and the search goes on elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError, ModelError
from linkwork.model import checks
from linkwork.model.calls import explained

METHODS = {  # those of scipy that keep within bounds → what they call the number of evaluations
    "Nelder-Mead": "maxfev", "Powell": "maxfev", "L-BFGS-B": "maxfun", "TNC": "maxfun",
    "COBYLA": "maxiter", "COBYQA": "maxfev", "SLSQP": "maxiter", "trust-constr": "maxiter",
}  # fmt: skip


@dataclass(frozen=True)
class Optimum:
    """Where the objective is least: parameters x, value, what build(x) gave, and how it was found.

    history : (evaluations, parameters + 1), the parameters and the objective of every evaluation
    """

    x: dict[str, float]
    value: float
    model: Any = field(repr=False)
    evaluations: int
    converged: bool
    message: str
    history: np.ndarray = field(repr=False)


@explained
def optimize(
    build: Callable, objective: Callable[[Any], float], x0: Mapping[str, float],
    bounds: Mapping[str, tuple[float, float]], *, method: str | None = None,
    tolerance: float = 1e-6, evaluations: int = 500,
) -> Optimum:  # fmt: skip
    """The parameters within bounds for which objective(build(**parameters)) is least.

    method      : of scipy.optimize.minimize, one that keeps within bounds; without it Nelder and
                  Mead's, and Brent's for one parameter
    tolerance   : of the parameters, as a share of their range;   evaluations : at most so many

    Example
    -------
    >>> import linkwork as lw
    >>> best = lw.optimize(lambda k: k, lambda k: (k - 3) ** 2, {"k": 1}, {"k": (0, 10)})
    >>> round(best.x["k"], 4), best.converged
    (3.0, True)
    """
    from scipy.optimize import minimize, minimize_scalar

    for word, given in (("x0", x0), ("bounds", bounds)):
        if not isinstance(given, Mapping):
            raise ModelError(
                f"{word} must be a dict from parameters to "
                f"{'numbers' if word == 'x0' else 'pairs (low, high)'}, but {checks.show(given)} "
                "was given"
            )
    for word, function in (("build", build), ("objective", objective)):
        if not callable(function):
            raise ModelError(f"{word} must be a function, but {checks.show(function)} was given")
    checks.number(tolerance, "tolerance of optimize", positive=True)
    checks.count(evaluations, "evaluations")
    if method is not None:
        checks.choice(method, "method of optimize", tuple(METHODS))
    names = list(x0)
    low, high = _bounds(names, x0, bounds)
    history: list[list[float]] = []
    troubles: list[Exception] = []

    def value(u: Any) -> float:
        x = low + np.atleast_1d(u) * (high - low)
        try:
            found = _number(objective(build(**dict(zip(names, map(float, x))))))
        except LinkworkError as error:
            if not history:
                raise
            troubles.append(error)
            found = np.inf
        history.append([*map(float, x), found])
        return found if np.isfinite(found) else 1e300

    start = (np.array([x0[n] for n in names], float) - low) / (high - low)
    value(start)
    if not np.isfinite(history[0][-1]):
        raise ModelError(
            f"the objective is {history[0][-1]:g} at x0; start where it is a finite number"
        )
    if len(names) == 1 and method is None:
        options = {"xatol": tolerance, "maxiter": evaluations}
        found = minimize_scalar(value, bounds=(0.0, 1.0), method="bounded", options=options)
    else:
        kind = method or "Nelder-Mead"
        options = {METHODS[kind]: evaluations}
        found = minimize(
            value, start, method=kind, bounds=[(0.0, 1.0)] * len(names), tol=tolerance,
            options=options,
        )  # fmt: skip
    table = np.array(history)
    best = table[int(np.nanargmin(table[:, -1]))]
    x = dict(zip(names, map(float, best[:-1])))
    message, ended = str(found.message), bool(float(found.fun) <= best[-1])
    if not ended:  # on a plateau of failures, or in a lesser minimum than one passed before
        message = "the search ended where the objective is greater than at the parameters given"
    if troubles:
        message += f"; {len(troubles)} variants failed, the last since {troubles[-1]}"
    return Optimum(
        x, float(best[-1]), build(**x), len(table), bool(found.success) and ended, message, table
    )


def _number(found: Any) -> float:
    """What an objective returned; a sentence where it is no number."""
    try:
        x = np.nan if isinstance(found, str) else float(found)
    except (TypeError, ValueError):
        x = np.nan
    if np.isnan(x):
        raise ModelError(
            f"the objective must return a number, but {checks.show(found)} was returned"
        )
    return x


def _bounds(
    names: list[str], x0: Mapping[str, float], bounds: Mapping[str, tuple[float, float]]
) -> tuple[np.ndarray, np.ndarray]:
    if not names or set(names) != set(bounds):
        raise ModelError(
            f"x0 and bounds must name the same parameters, but x0 has {sorted(names)} and bounds "
            f"{sorted(bounds)}"
        )
    pairs = np.array([checks.vector(bounds[n], f"bounds of '{n}'", 2) for n in names])
    for name, (low, high) in zip(names, pairs):
        start = checks.number(x0[name], f"x0 of '{name}'")
        if not low < high or not low <= start <= high:
            raise ModelError(
                f"'{name}' must start within its bounds, but {start:g} and ({low:g}, {high:g}) "
                "were given"
            )
    return pairs[:, 0], pairs[:, 1]
