"""Optimisation of parameters: a thin layer over scipy.optimize.

    min f(build(x)),   low ≤ x ≤ high,   searched in u = (x − low)/(high − low)

so that parameters of any size count alike.  A variant that cannot be built or run counts as
infinitely bad, and the search goes on elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.errors import LinkworkError, ModelError
from linkwork.model import checks


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


def optimize(
    build: Callable, objective: Callable[[Any], float], x0: Mapping[str, float],
    bounds: Mapping[str, tuple[float, float]], *, method: str | None = None,
    tolerance: float = 1e-6, evaluations: int = 500,
) -> Optimum:  # fmt: skip
    """The parameters within bounds for which objective(build(**parameters)) is least.

    method      : of scipy.optimize.minimize; Nelder and Mead's without it, and Brent's for one
                  parameter
    tolerance   : of the parameters, as a share of their range;   evaluations : at most so many

    Example
    -------
    >>> import linkwork as lw
    >>> best = lw.optimize(lambda k: k, lambda k: (k - 3) ** 2, {"k": 1}, {"k": (0, 10)})
    >>> round(best.x["k"], 4), best.converged
    (3.0, True)
    """
    from scipy.optimize import minimize, minimize_scalar

    names = list(x0)
    low, high = _bounds(names, x0, bounds)
    history: list[list[float]] = []
    troubles: list[Exception] = []

    def value(u: Any) -> float:
        x = low + np.atleast_1d(u) * (high - low)
        try:
            found = float(objective(build(**dict(zip(names, map(float, x))))))
        except LinkworkError as error:
            if not history:
                raise
            troubles.append(error)
            found = np.inf
        history.append([*map(float, x), found])
        return found if np.isfinite(found) else 1e300

    start = (np.array([x0[n] for n in names], float) - low) / (high - low)
    value(start)
    if len(names) == 1 and method is None:
        options = {"xatol": tolerance, "maxiter": evaluations}
        found = minimize_scalar(value, bounds=(0.0, 1.0), method="bounded", options=options)
    else:
        kind = method or "Nelder-Mead"
        options = {"maxfev": evaluations} if kind in ("Nelder-Mead", "Powell") else {}
        found = minimize(
            value, start, method=kind, bounds=[(0.0, 1.0)] * len(names), tol=tolerance,
            options=options,
        )  # fmt: skip
    table = np.array(history)
    best = table[int(np.nanargmin(table[:, -1]))]
    x = dict(zip(names, map(float, best[:-1])))
    message = str(found.message)
    if troubles:
        message += f"; {len(troubles)} variants failed, the last since {troubles[-1]}"
    return Optimum(
        x, float(best[-1]), build(**x), len(table), bool(found.success), message, table
    )


def _bounds(
    names: list[str], x0: Mapping[str, float], bounds: Mapping[str, tuple[float, float]]
) -> tuple[np.ndarray, np.ndarray]:
    if not names or set(names) != set(bounds):
        raise ModelError(
            f"x0 and bounds must name the same parameters, but x0 has {sorted(names)} and bounds "
            f"{sorted(bounds)}"
        )
    pairs = np.array([[checks.number(v, f"bound of '{n}'") for v in bounds[n]] for n in names])
    for name, (low, high) in zip(names, pairs):
        start = checks.number(x0[name], f"x0 of '{name}'")
        if not low < high or not low <= start <= high:
            raise ModelError(
                f"'{name}' must start within its bounds, but {start:g} and ({low:g}, {high:g}) "
                "were given"
            )
    return pairs[:, 0], pairs[:, 1]
