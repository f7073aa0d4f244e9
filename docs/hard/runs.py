"""A hard motion by one method, and what becomes of it: a cell of docs/hard-motions.md.

Every motion has an error that can be known (measures.py) and a bound.  A cell is

    right     within the bound, without a warning
    coarse    beyond it, and a run with half the step (a tenth of the tolerance where there is one)
              has less than 0.6 of the error
    warned    linkwork warned of this very run
    refused   one of linkwork's errors, before the first step or where the motion became impossible
    SILENT    none of these: a defect of linkwork
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import linkwork as lw

METHODS: dict[str, Callable[..., Any]] = {
    "default": lambda rho=0.8: lw.GeneralizedAlpha(rho),
    "stabilized": lambda rho=0.8: lw.GeneralizedAlpha(rho, stabilized=True),
    "BDF2": lambda **_: lw.BDF2(),
    "MS2": lambda **_: lw.MS2(),
    "EnergyMomentum": lambda **_: lw.EnergyMomentum(),
    "Recursive": lambda **_: lw.Recursive(),
    "RK4": lambda **_: lw.RK4(),
}
REDUNDANT = "are not unique"  # said of joints, not of the run
COARSE = 0.6  # of the error, at most, with half the step


@dataclass
class Motion:
    """A model, moved to t with steps of h; `error` of the run, and what counts as right."""

    name: str
    model: Callable[[], lw.Model]
    t: float
    h: float
    error: Callable[[Any], float]
    bound: float
    every: int = 1
    options: dict[str, Any] = field(default_factory=dict)  # of transient
    parameters: dict[str, float] = field(default_factory=dict)  # of generalized-alpha
    begin: Callable[[lw.Model], Any] | None = None  # the state to start from
    without: list[str] = field(default_factory=list)  # methods that are not run: a dash


@dataclass
class Cell:
    kind: str
    error: float
    said: str = ""
    seconds: float = 0.0


def attempt(motion: Motion, method: str, *, finer: bool = False) -> Cell:
    """One run: its error and what linkwork said of it."""
    began = time.process_time()
    kind, error, said = "right", float("nan"), ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = motion.model()
            options, h = dict(motion.options), motion.h / (2 if finer else 1)
            if finer and "tolerance" in options:
                options["tolerance"] /= 10
            if motion.begin is not None:
                options["start"] = motion.begin(model)
            run = lw.transient(
                model, t=motion.t, h=h, every=motion.every, progress=False,
                method=METHODS[method](**motion.parameters), **options,
            )  # fmt: skip
            error = motion.error(run)
        except lw.LinkworkError as refusal:
            kind, said = "refused", str(refusal)
    told = [str(w.message) for w in caught if issubclass(w.category, lw.LinkworkWarning)]
    told = [sentence for sentence in told if REDUNDANT not in sentence]
    if kind == "right" and told:
        kind, said = "warned", told[0]
    return Cell(kind, error, said, time.process_time() - began)


def judge(motion: Motion, method: str) -> Cell:
    """The cell of a motion and a method; a second run tells what is coarse from what is wrong."""
    if method in motion.without:
        return Cell("–", float("nan"))
    cell = attempt(motion, method)
    if cell.kind == "right" and not cell.error <= motion.bound:
        half = attempt(motion, method, finer=True)
        better = half.error <= COARSE * cell.error or half.error <= motion.bound
        cell.kind = "coarse" if better and cell.error < 1 else "SILENT"
        cell.said = f"{half.error:.1e} when finer"
        cell.seconds += half.seconds
    return cell
