"""What a case of the corpus computed: its numbers by name, its warnings, its error.

    Record(arrays, warnings, error)        recorded(case) runs a case; numbers(x) flattens results
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import linkwork as lw

STORED = ("time", "motion", "acceleration", "gamma", "values", "work")  # attributes of a Result
FOLDER = re.compile(r"(?<![\w.])(/[^/\s'\"]+)+/")
DIGITS = re.compile(r"[-+−]?\d[\d,]*\.?\d*(e[-+]?\d+)?")


@dataclass
class Record:
    """`error` is (class, sentence); sentences are without their numbers, which may differ by
    round-off alone."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    warnings: list[tuple[str, str]] = field(default_factory=list)
    error: tuple[str, str] | None = None


def without_numbers(sentence: str) -> str:
    """Nor with folders, which are others in every run."""
    return DIGITS.sub("#", FOLDER.sub("", " ".join(sentence.split())))


def recorded(case: Callable[[], Any]) -> Record:
    """The record of a case; a linkwork error that holds results until then gives them, too."""
    record = Record()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            record.arrays = dict(numbers(case()))
        except Exception as error:
            record.error = type(error).__name__, without_numbers(str(error))
            if (result := getattr(error, "result", None)) is not None:
                record.arrays = dict(numbers(result))
    record.warnings = [(w.category.__name__, without_numbers(str(w.message))) for w in caught]
    return record


def numbers(value: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """All numbers of a result, state, spectrum, dictionary or sequence, by name."""
    if isinstance(value, lw.Result):
        yield from numbers_of_run(value, name)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from numbers(each, f"{name}.{key}" if name else str(key))
    elif isinstance(value, (list, tuple)) and not all(np.isscalar(each) for each in value):
        for k, each in enumerate(value):
            yield from numbers(each, f"{name}[{k}]")
    elif isinstance(value, str) or value is None:
        return
    elif hasattr(value, "motion"):
        for word in ("time", "motion", "acceleration", "gamma", "memory", "values"):
            yield from numbers(getattr(value, word, None), f"{name}.{word}")
    else:
        array = np.asarray(value)
        if array.dtype.kind in "fciub":
            yield name, array


def numbers_of_run(run: lw.Result, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """What a run stored: arrays over time, diagnostics, and what a restart needs."""
    stored = {word: getattr(run, word) for word in STORED if getattr(run, word) is not None}
    for word, values in stored.items():
        yield f"{name}{word}", np.asarray(values[:])
    for group, arrays in (("diagnostics", run.arrays), ("restart", run.restart)):
        for word, values in arrays.items():
            if values.dtype.kind in "fciub":
                yield f"{name}{group}.{word}", np.asarray(values)


def outputs(run: lw.Result) -> dict[str, np.ndarray]:
    """Every output of every item, the energies and the momenta."""
    found = {
        f"outputs.{item}.{output}": np.asarray(run[item].numbers(output))
        for item in run.named for output in run[item].names
    }  # fmt: skip
    found |= {f"outputs.energy.{word}": values.values for word, values in run.energy.items()}
    found["outputs.momentum"] = run.momentum.values
    found["outputs.angular_momentum"] = run.angular_momentum.values
    return found
