"""One model through several formulations, and how far they agree.

Two methods of orders p and q that integrate the same equations differ by O(h^min(p, q)): halving
the step divides the difference by 2^min(p, q).  A mistake in one formulation leaves a difference
that does not vanish.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.assembly.assemble import StateLike, assemble_model
from linkwork.analysis.comparison.differences import apart, differences, told_once
from linkwork.analysis.motion.transient import transient
from linkwork.errors import LinkworkError, ModelError
from linkwork.integrators.contract import MethodLike
from linkwork.integrators.second_order.methods import LinearMethod, default_method
from linkwork.model import checks
from linkwork.model.calls import explained
from linkwork.model.model import Model
from linkwork.nullspace.method import EnergyMomentum
from linkwork.recursive.method import Recursive
from linkwork.results.result import Result
from linkwork.system.initial_conditions.given_states import state_in

if TYPE_CHECKING:
    import xarray as xr

DIFFERENCES = {"position": "m", "angle": "rad", "force": "N", "torque": "N m"}
OF_NODES = {"value": "1"}  # of vector nodes, over the size of each value
OTHERS = {"energy": "J", "violation": "", "cpu": "s"}
MARGIN = 0.35  # by which an observed order may fall short of the expected one
FLOOR = 3e-10  # differences of the size of the mechanism's that Newton's methods leave
CLOSE = 0.1  # of what halving the step changes: differences in which nearly equal errors cancel
TOUCHES = 2e-4  # differences where touches are resolved, in pieces as long as they ask for, not h
OPEN = 30.0  # how much more than a joint is open its bodies may be displaced, in flat loops


@explained
def compare(
    model: Model, t: float, h: float, methods: Sequence[MethodLike] | None = None, *,
    reference: MethodLike | None = None, check_order: bool = False, every: int = 1,
    start: StateLike | None = None,
) -> Comparison:  # fmt: skip
    """Run the model with several methods and compare positions, orientations, reactions and values
    of nodes (pressures, currents, states).

    methods     : GeneralizedAlpha(), EnergyMomentum() and Recursive() if none are given; one that
                  refuses the model, or fails on the way, is listed with its reason
    reference   : the method (one of `methods`) that the others are compared with; the one of
                  highest order if none is given
    check_order : run with h/2 too, and give for each pair of methods the observed order of their
                  difference beside the expected one; `agree` says whether they all fit
    every       : compare every so many steps
    start       : as in `transient`

    The result prints a table; `.runs` are the results by method, `.plot()` draws the differences.

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    >>> rod = m.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.01, density=7800))
    >>> pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> found = lw.compare(m, t=0.5, h=0.005, check_order=True)
    >>> found.agree
    True
    >>> float(found.table.position.sel(run="GeneralizedAlpha")) < 1e-3
    True
    """
    t = checks.number(t, "t, the end time,")
    h = checks.number(h, "h, the step,", positive=True)
    every = checks.count(every, "every")
    if methods is None:
        methods = (default_method(model), EnergyMomentum(), Recursive())
    if not isinstance(methods, (list, tuple)) or len(methods) < 2:
        raise ModelError(
            "methods of compare must be a list of at least two integrators such as "
            f"lw.GeneralizedAlpha(), but {checks.show(methods)} was given"
        )
    names = distinct(methods)
    if reference is not None and reference not in list(methods):
        raise ModelError(
            f"reference of compare must be one of the methods, but {checks.show(reference)} was "
            f"given; they are {', '.join(names)}"
        )
    with told_once():
        if start is None:
            assemble_model(model)  # what is wrong with the model itself is raised here
        found = Comparison(model.name, h, {}, {}, {}, "")
        fine: dict[str, Result] = {}
        for name, method in zip(names, methods, strict=True):
            if check_order and isinstance(method, LinearMethod) and method.stabilized is None:
                method = replace(method, stabilized=True)  # one form for both steps
            try:
                found.runs[name], found.cpu[name] = timed(model, t, h, method, every, start)
                if check_order:
                    fine[name] = run(model, t, h / 2, method, 2 * every, start)
            except LinkworkError as error:
                found.runs.pop(name, None)
                found.refused[name] = str(error)
    found.orders_declared = {
        n: int(getattr(m, "order", 0)) for n, m in zip(names, methods, strict=True)
    }
    if not found.runs:
        raise ModelError(
            f"no method could run model '{model.name}': "
            + "; ".join(f"{name}: {reason}" for name, reason in found.refused.items())
        )
    found.reference = found.best(names[list(methods).index(reference)] if reference else None)
    if check_order:
        found.orders = {
            (a, b): pair_order(found, fine, a, b) for a, b in combinations(found.runs, 2)
        }
    return found


def run(model: Model, t: float, h: float, method: Any, every: int, start: Any) -> Result:
    return transient(model, t, h, method, every=every, start=start, progress=False)


def timed(
    model: Model, t: float, h: float, method: Any, every: int, start: Any
) -> tuple[Result, float]:
    """A run and its CPU time per step, without preparations and without the first step."""
    begin = float(getattr(state_in(start), "time", 0.0))
    run(model, min(begin + h, t), h, method, 1, start)  # compiled from here on
    result = run(model, t, h, method, every, start)
    return result, float(result.info["cpu_seconds"]) / max(1, int(result.info["steps"]) - 1)


def distinct(methods: Sequence[Any]) -> list[str]:
    """Names of the methods: the class where that is enough, else as the user wrote them."""
    kinds = [type(m).__name__ for m in methods]
    names = [k if kinds.count(k) == 1 else shorter(m) for k, m in zip(kinds, methods, strict=True)]
    return [n if names.count(n) == 1 else f"{n} #{i + 1}" for i, n in enumerate(names)]


def shorter(method: Any) -> str:
    """The method with those of its words that are not the usual ones."""
    if not hasattr(method, "__dict__"):
        return repr(method)
    usual = type(method)()
    words = [
        f"{key}={value!r}" for key, value in vars(method).items()
        if value != getattr(usual, key, None)
    ]  # fmt: skip
    return f"{type(method).__name__}({', '.join(words)})"


@dataclass(frozen=True)
class PairOrder:
    """How the difference of two methods shrinks: with h, with h/2, its order, the expected one.

    floor : a difference that Newton's method, the joints, closed as they are, and touches leave
    own   : what halving the step changes in the one of the two that it changes less
    """

    coarse: float
    fine: float
    expected: int
    floor: float = FLOOR
    own: float = 0.0

    @property
    def observed(self) -> float:
        """log₂ of the quotient; not a number where nothing is left to compare."""
        if self.coarse < FLOOR or self.fine == 0:
            return float("nan")
        return float(np.log2(self.coarse / self.fine))

    @property
    def agree(self) -> bool:
        """Whether the difference vanishes with the expected order, or is round-off already.

        Where the errors of both are nearly equal they cancel in the difference, whose order says
        nothing then: methods agree that differ far less than each one errs.
        """
        if self.expected == 0 or self.fine < self.floor:
            return self.fine < self.floor
        if self.fine < CLOSE * self.own:
            return True
        return self.observed > self.expected - MARGIN


def pair_order(found: Comparison, fine: dict[str, Result], a: str, b: str) -> PairOrder:
    expected = min(found.orders_declared[a], found.orders_declared[b])
    length = found.runs[a].system.length
    widest = max(violation(run) for runs in (found.runs, fine) for run in (runs[a], runs[b]))
    floor = max(FLOOR, min(OPEN * widest / length, 100 * FLOOR))
    if any(family.memory.notes for family in found.runs[a].system.families):
        floor = TOUCHES
    own = min(apart(found.runs[name], fine[name]) for name in (a, b))
    coarse = apart(found.runs[a], found.runs[b])
    return PairOrder(coarse, apart(fine[a], fine[b]), expected, floor, own)


def violation(result: Result) -> float:
    """The largest |C| of a run."""
    worst = result.violation.position.values
    return float(worst.max()) if worst.size else 0.0


# -------------------------------------------------------------------------------------- the result


@dataclass
class Comparison:
    """Runs of one model with several methods, and their differences from the reference.

    runs      : results by the name of the method
    refused   : reasons of the methods that did not run
    reference : name of the method that the others are compared with
    cpu       : CPU time per step in s
    orders    : with check_order, by pairs of names: .coarse, .fine, .observed, .expected, .agree
    """

    model: str
    h: float
    runs: dict[str, Result]
    refused: dict[str, str]
    cpu: dict[str, float]
    reference: str
    orders: dict[tuple[str, str], PairOrder] = field(default_factory=dict)
    orders_declared: dict[str, int] = field(default_factory=dict, repr=False)

    def best(self, wanted: str | None) -> str:
        if wanted is not None:
            if wanted not in self.runs:
                raise ModelError(
                    f"the reference {wanted} could not run model '{self.model}': "
                    f"{self.refused[wanted]}"
                )
            return wanted
        return max(self.runs, key=lambda name: self.orders_declared[name])

    @property
    def agree(self) -> bool:
        """Whether all pairs of methods agree to the order of the methods (check_order=True)."""
        if not self.orders:
            raise ModelError(
                "whether methods agree is seen by halving the step: call compare with "
                "check_order=True, and at least two methods that run the model"
            )
        return all(pair.agree for pair in self.orders.values())

    @property
    def table(self) -> xr.Dataset:
        """Over `run` (methods): position, angle, force, torque, energy, violation, cpu, and
        value where there are pressures, currents or others.

        The first four are the largest differences from the reference, and so is value, over the
        size of each; energy is the largest error
        of the energy balance; violation the largest |C|; cpu the CPU time per step.  Methods that
        did not run have none.
        """
        import xarray as xr

        names = [*self.runs, *self.refused]
        columns: dict[str, Any] = {
            key: ("run", np.full(len(names), np.nan), {"units": units})
            for key, units in {**self._differences, **OTHERS}.items()
        }
        for k, name in enumerate(self.runs):
            for key, value in self._row(name).items():
                columns[key][1][k] = value
        return xr.Dataset(columns, {"run": names}, {"reference": self.reference, "h": self.h})

    @property
    def _differences(self) -> dict[str, str]:
        """What is compared, with units."""
        nodes = any(run.system.layout.values for run in self.runs.values())
        return {**DIFFERENCES, **OF_NODES} if nodes else DIFFERENCES

    def _row(self, name: str) -> dict[str, float]:
        mine = self.runs[name]
        found = differences(mine, self.runs[self.reference])
        out = {key: float(found[key].max()) for key in self._differences}
        energy = mine.energy
        drift = energy["balance"] if "balance" in energy else energy["total"] - energy["total"][0]
        out["energy"] = float(np.abs(drift.values).max())
        out["violation"] = violation(mine)
        out["cpu"] = self.cpu[name]
        return out

    def _lines(self) -> Iterator[str]:
        ran = self.runs[self.reference]
        yield (
            f"'{self.model}' until t = {ran.time[-1]:g} with h = {self.h:g}, {len(self.runs)} "
            f"methods; largest differences from {self.reference}"
        )
        compared = self._differences
        head = ["method", *(f"{k} ({u})" for k, u in compared.items()),
                "energy (J)", "violation", "CPU/step (µs)"]  # fmt: skip
        rows = [head]
        table = self.table
        for k, name in enumerate(self.runs):
            row = {key: float(table[key][k]) for key in table.data_vars}
            told = ["–" if name == self.reference else f"{row[key]:.1e}" for key in compared]
            rows.append([
                name, *told, f"{row['energy']:.1e}", f"{row['violation']:.1e}",
                f"{1e6 * row['cpu']:.1f}",
            ])  # fmt: skip
        widths = [max(len(r[k]) for r in rows) for k in range(len(head))]
        for r in rows:
            first, *others = (f"{x:<{w}}" if k == 0 else f"{x:>{w}}"
                              for k, (x, w) in enumerate(zip(r, widths)))  # fmt: skip
            yield "  ".join([first, *others]).rstrip()
        for name, reason in self.refused.items():
            yield f"{name} did not run: {reason}"
        for (a, b), pair in self.orders.items():
            seen = "round-off" if np.isnan(pair.observed) else f"order {pair.observed:.2f}"
            verdict = "agree" if pair.agree else "DO NOT AGREE"
            yield (
                f"{a} and {b} {verdict}: {pair.coarse:.1e} with h, {pair.fine:.1e} with h/2, "
                f"{seen} (expected {pair.expected})"
            )

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def plot(self, ax: Any = None) -> Any:
        """Differences from the reference over time, logarithmic; returns the axes."""
        from linkwork.analysis.comparison.compare_plot import plot_comparison

        return plot_comparison(self, ax)
