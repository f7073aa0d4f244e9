"""Sweeps over grids and samples of distributions: many variants, one Dataset.

    grid      {"stiffness": [1e3, 2e3], "damping": [0, 5]}          all combinations
    sample    {"stiffness": scipy.stats.norm(1e3, 50), "damping": (0, 5)}   n draws; a pair of
              numbers is the range of a uniform distribution
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.study.counting import Counting
from linkwork.study.store import Store
from linkwork.study.variant import Measured, Outcome
from linkwork.study.workers import outcomes, worker_count

if TYPE_CHECKING:
    import xarray as xr


@explained
def sweep(
    build: Callable, grid: Mapping[str, Any], measure: Callable | None = None, *,
    workers: int | None = None, client: Any = None, store: str | Path | None = None,
    progress: bool | str = True,
) -> xr.Dataset:  # fmt: skip
    """Run build(**parameters) for all combinations of a grid and collect what it returns.

    build    : returns a number, or a dict from names to numbers or arrays; with `measure` it
               returns anything, such as a model, and measure(that) returns the numbers
    workers  : processes, all cores without it; client : of a Dask cluster, instead
    store    : a file in which finished variants are kept; the same call resumes the study

    A variant that raises, or whose worker is killed, is NaN in the result, and the variable
    `failure` says why.

    Example
    -------
    >>> import linkwork as lw
    >>> found = lw.sweep(lambda k, m: (k / m) ** 0.5, {"k": [1, 4], "m": [1]}, workers=1)
    >>> found.value.values.ravel().tolist()
    [1.0, 2.0]
    """
    names, axes = list(grid), [list(np.atleast_1d(values)) for values in grid.values()]
    if not names or not all(axes):
        raise ModelError('sweep needs a grid such as {"stiffness": [1e3, 2e3]}, none of it empty')
    parameters = [dict(zip(names, map(_plain, values))) for values in itertools.product(*axes)]
    done = _run(parameters, build, measure, workers, client, store, progress)
    shape = tuple(map(len, axes))
    return _dataset(done, shape, tuple(names), dict(zip(names, axes)))


@explained
def sample(
    build: Callable, distributions: Mapping[str, Any], n: int, measure: Callable | None = None, *,
    seed: int = 0, workers: int | None = None, client: Any = None,
    store: str | Path | None = None,
    progress: bool | str = True,
) -> xr.Dataset:  # fmt: skip
    """Run build(**parameters) for n draws from distributions; else like `sweep`.

    distributions : name → a frozen distribution of scipy.stats, or (low, high) for a uniform one
    seed          : of the random numbers; the same seed gives the same draws

    Example
    -------
    >>> import linkwork as lw
    >>> found = lw.sample(lambda k: 2 * k, {"k": (0, 1)}, n=100, workers=1)
    >>> bool(0.8 < float(found.value.mean()) < 1.2), found.sizes["sample"]
    (True, 100)
    """
    n = checks.count(n, "n of sample")
    rng = np.random.default_rng(seed)
    draws = {name: _draws(name, d, n, rng) for name, d in distributions.items()}
    if not draws:
        raise ModelError('sample needs distributions such as {"stiffness": (900, 1100)}')
    parameters = [{name: float(x[i]) for name, x in draws.items()} for i in range(n)]
    done = _run(parameters, build, measure, workers, client, store, progress)
    coords = {name: ("sample", x) for name, x in draws.items()}
    return _dataset(done, (n,), ("sample",), {"sample": np.arange(n), **coords})


def _draws(name: str, distribution: Any, n: int, rng: np.random.Generator) -> np.ndarray:
    if hasattr(distribution, "rvs"):
        return np.asarray(distribution.rvs(size=n, random_state=rng), float)
    pair = checks.array(distribution)
    if pair is None or pair.shape != (2,) or not pair[0] <= pair[1]:
        raise ModelError(
            f"the distribution of '{name}' must be one of scipy.stats with its parameters, or a "
            f"pair (low, high), but {checks.show(distribution)} was given"
        )
    return rng.uniform(pair[0], pair[1], n)


def _plain(value: Any) -> Any:
    """Numbers of Python instead of numpy's, for files and messages."""
    return value.item() if isinstance(value, np.generic) else value


def _run(
    parameters: list[dict[str, Any]], build: Callable, measure: Callable | None,
    workers: int | None, client: Any, store: Any, progress: bool | str,
) -> list[Outcome]:  # fmt: skip
    kept = Store(store, parameters)
    tasks = [(i, p) for i, p in enumerate(parameters) if i not in kept.done]
    wave = worker_count(len(tasks), workers, client)
    with Counting(len(parameters), len(parameters) - len(tasks), progress, wave) as bar:
        for outcome in outcomes(tasks, build, measure, workers, client):
            kept.keep(outcome)
            bar.one_more(bool(outcome.failure))
    return [kept.done[i] for i in range(len(parameters))]


# ------------------------------------------------------------------------------- one Dataset


def _dataset(
    done: list[Outcome], shape: tuple[int, ...], dims: tuple[str, ...], coords: dict[str, Any]
) -> xr.Dataset:
    import xarray as xr

    first: Measured = {}
    for outcome in done:
        for name, one in (outcome.measured or {}).items():
            first.setdefault(name, one)
    failures = [outcome.failure or _odd(outcome, first) for outcome in done]
    variables: dict[str, Any] = {}
    for name, like in first.items():
        if name in dims or name in coords:
            raise ModelError(f"'{name}' is a parameter and cannot be the name of a result too")
        values = np.full((len(done), *like["shape"]), np.nan)
        for k, outcome in enumerate(done):
            if not failures[k] and outcome.measured is not None and name in outcome.measured:
                values[k] = np.reshape(outcome.measured[name]["values"], like["shape"])
        variables[name] = ((*dims, *like["dims"]), values.reshape(*shape, *like["shape"]))
        coords = {**like["coords"], **coords}
    variables["failure"] = (dims, np.array(failures, dtype=object).reshape(shape))
    return xr.Dataset(variables, coords)


def _odd(outcome: Outcome, first: Measured) -> str:
    """What does not fit the shape that the first variant gave."""
    for name, one in (outcome.measured or {}).items():
        if one["shape"] != first[name]["shape"]:
            return (
                f"'{name}' has shape {tuple(one['shape'])} where the first variant has "
                f"{tuple(first[name]['shape'])}; return arrays of one shape"
            )
    return ""
