"""Sweeps over grids and samples of distributions: many variants, one Dataset.

    grid      {"stiffness": [1e3, 2e3], "damping": [0, 5]}          all combinations
    sample    {"stiffness": scipy.stats.norm(1e3, 50), "damping": (0, 5)}   n draws; a pair of
              numbers is the range of a uniform distribution
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.study.counting import Counting
from linkwork.study.store import Store
from linkwork.study.variant import NO_NUMBERS, Measured, Outcome
from linkwork.study.workers import outcomes, worker_count

if TYPE_CHECKING:
    import xarray as xr

MAX_VARIANTS = 1_000_000  # each takes about a kilobyte


@explained
def sweep(
    build: Callable, grid: Mapping[str, Any], measure: Callable | None = None, *,
    workers: int | None = None, client: Any = None, store: str | Path | None = None,
    time_limit: float | None = None, progress: bool | str = True,
) -> xr.Dataset:  # fmt: skip
    """Run build(**parameters) for all combinations of a grid and collect what it returns.

    build    : returns a number, or a dict from names to numbers or arrays; with `measure` it
               returns anything, such as a model, and measure(that) returns the numbers
    workers  : processes, all cores without it; client : of a Dask cluster, instead
    store    : a file in which finished variants are kept; the same call resumes the study
    time_limit : seconds that a variant may take; its process is ended then

    A variant that raises, that takes too long, or whose worker is killed, is NaN in the result, and
    the variable `failure` says why.

    Example
    -------
    >>> import linkwork as lw
    >>> found = lw.sweep(lambda k, m: (k / m) ** 0.5, {"k": [1, 4], "m": [1]}, workers=1)
    >>> found.value.values.ravel().tolist()
    [1.0, 2.0]
    """
    if not isinstance(grid, Mapping) or not grid:
        raise ModelError(
            'sweep needs a grid such as {"stiffness": [1e3, 2e3]}, but '
            f"{checks.show(grid)} was given"
        )
    names, axes = list(grid), [_axis(name, values) for name, values in grid.items()]
    shape = tuple(map(len, axes))
    _check_count(math.prod(shape))
    parameters = [dict(zip(names, map(_plain, values))) for values in itertools.product(*axes)]
    done = _run(parameters, build, measure, workers, client, store, time_limit, progress)
    return _dataset(done, shape, tuple(names), dict(zip(names, axes)))


@explained
def sample(
    build: Callable, distributions: Mapping[str, Any], n: int, measure: Callable | None = None, *,
    seed: int = 0, workers: int | None = None, client: Any = None,
    store: str | Path | None = None, time_limit: float | None = None, progress: bool | str = True,
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
    _check_count(n := checks.count(n, "n of sample"))
    if not isinstance(distributions, Mapping) or not distributions:
        raise ModelError(
            'sample needs distributions such as {"stiffness": (900, 1100)}, but '
            f"{checks.show(distributions)} was given"
        )
    rng = np.random.default_rng(seed)
    draws = {name: _draws(name, d, n, rng) for name, d in distributions.items()}
    parameters = [{name: float(x[i]) for name, x in draws.items()} for i in range(n)]
    done = _run(parameters, build, measure, workers, client, store, time_limit, progress)
    coords = {name: ("sample", x) for name, x in draws.items()}
    return _dataset(done, (n,), ("sample",), {"sample": np.arange(n), **coords})


def _axis(name: str, values: Any) -> list[Any]:
    """The values of one parameter of a grid."""
    if isinstance(values, range):
        _check_count(len(values))
    try:
        found = np.atleast_1d(values)
    except ValueError:  # lists of different lengths
        found = np.zeros((0, 0))
    mixed = found.dtype.kind == "U" and not all(isinstance(x, str) for x in values)
    if found.ndim != 1 or not found.size or mixed or isinstance(values, (Mapping, Set, Iterator)):
        raise ModelError(
            f"the values of '{name}' in the grid must be a list of numbers or of texts, not empty, "
            f"but {checks.show(values)} was given; number other things, and let build look them up"
        )
    return list(found)


def _check_count(n: int) -> None:
    if n > MAX_VARIANTS:
        raise ModelError(
            f"the study has {n:.3g} variants, more than the {MAX_VARIANTS:,} that fit into memory; "
            "give the parameters fewer values, or draw some variants with lw.sample"
        )


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
    workers: int | None, client: Any, store: Any, time_limit: float | None, progress: bool | str,
) -> list[Outcome]:  # fmt: skip
    for word, function in (("build", build), ("measure", measure)):
        if not callable(function) and (word == "build" or function is not None):
            raise ModelError(f"{word} must be a function, but {checks.show(function)} was given")
    if workers is not None:
        checks.count(workers, "workers")
    if time_limit is not None:
        checks.number(time_limit, "time_limit", positive=True)
        if client is not None:
            raise ModelError(
                "time_limit ends processes of this machine, not those of a cluster; leave it out, "
                "or client"
            )
    kept = Store(store, parameters)
    tasks = [(i, p) for i, p in enumerate(parameters) if i not in kept.done]
    wave = worker_count(len(tasks), workers, client)
    with (
        Counting(len(parameters), len(parameters) - len(tasks), progress, wave) as bar,
        closing(outcomes(tasks, build, measure, workers, client, time_limit)) as found,
    ):
        for outcome in found:
            if outcome.failure.startswith(NO_NUMBERS):
                _refuse_if_all(outcome, kept, parameters)
            kept.keep(outcome)
            bar.one_more(bool(outcome.failure))
    return [kept.done[i] for i in range(len(parameters))]


def _refuse_if_all(outcome: Outcome, kept: Store, parameters: list[dict[str, Any]]) -> None:
    """Do not run on where no variant has returned anything that can be kept."""
    if not any(other.measured for other in kept.done.values()):
        given = ", ".join(f"{k}={v!r}" for k, v in parameters[outcome.number].items())
        raise ModelError(f"{outcome.failure.removeprefix('ModelError: ')} for {given}")


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
