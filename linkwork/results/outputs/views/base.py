"""What a run tells about one item: `run["rod"].position`, `run["pin"].force`.

A view offers named outputs; each is computed from the stored arrays when it is asked for, and
comes as an xarray DataArray over time (and components).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.model.outputs import REACTION
from linkwork.results.outputs.parts import DISSIPATED, SUPPLIED, has_power, power_of
from linkwork.results.outputs.replayed import ItemOutputs

if TYPE_CHECKING:
    import xarray as xr

    from linkwork.results.result import Result

Axis = str | tuple[int, ...] | dict[str, Any]  # components, numbers of modes, or coordinates


@dataclass(frozen=True)
class Output:
    """A named output: how to compute it, its components ("", "xyz", "wxyz"), units, in words."""

    values: Callable[[], np.ndarray]
    axis: Axis
    units: str
    words: str


class View:
    """One item of a run; `dir(view)` and `view.names` list what it has."""

    def __init__(self, result: Result, name: str) -> None:
        self._result = result
        self._name = name
        self._item = result.system.described(name)
        self._outputs: dict[str, Output] = self._make_outputs() | self._power_outputs()

    def _make_outputs(self) -> dict[str, Output]:
        return self._node_outputs()

    def _node_outputs(self) -> dict[str, Output]:
        """Values and rates of the vector nodes that the item brings."""
        outputs: dict[str, Output] = {}
        layout = self._result.system.layout
        for node in self._item.vector_nodes():
            k = [id(x) for x in layout.nodes].index(id(node))
            place = slice(int(layout.first[k]), int(layout.first[k + 1]))
            name, unit = node.kind.name.replace(" ", "_"), node.kind.units[0]
            axis = "" if node.size == 1 else tuple(range(1, node.size + 1))
            for row, (output, units) in enumerate(((name, unit), (f"{name}_rate", f"{unit}/s"))):
                outputs[output] = Output(
                    partial(self._values, row, place), axis, units, output.replace("_", " ")
                )
        return outputs

    def _declared_outputs(self, asked: ItemOutputs) -> dict[str, Output]:
        """What the families of the item's elements declare."""
        elements = [self._result.system.elements[i] for i in asked.numbers]
        return {
            x.name: Output(
                partial(asked.__getitem__, x.name), x.axis, x.unit,
                x.words or x.name.replace("_", " "),
            )
            for e in elements for x in e.entry.family.outputs
            if not x.name.startswith("_") and x not in REACTION
        }  # fmt: skip

    def _power_outputs(self) -> dict[str, Output]:
        """Power that the item's elements dissipate and supply."""
        result, name = self._result, self._name
        if not any(e.owner == name and has_power(e) for e in result.system.elements):
            return {}
        return {
            f"{word}_power": Output(
                lambda column=column: power_of(result, {name})[:, column],  # type: ignore[misc]
                "", "W", f"{word} power",
            )
            for word, column in (("dissipated", DISSIPATED), ("supplied", SUPPLIED))
        }  # fmt: skip

    def _values(self, row: int, place: slice) -> np.ndarray:
        found = self._result.values[:, row, place]
        return found[:, 0] if found.shape[1] == 1 else found

    @property
    def names(self) -> tuple[str, ...]:
        """The outputs there are."""
        return tuple(self._outputs)

    @property
    def time(self) -> np.ndarray:
        """The times of the outputs (s)."""
        return self._result.time

    def __getattr__(self, name: str) -> xr.DataArray:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._outputs:
            near = difflib.get_close_matches(name, self._outputs, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            more = ["point((x, y, z))"] if hasattr(type(self), "point") else []
            listed = ", ".join([*self._outputs, *more]) or "no results of its own"
            raise AttributeError(f"{self._item.label} has no '{name}'{hint} (it has {listed})")
        output = self._outputs[name]
        return self._array(name, output.values(), output.axis, output.units, output.words)

    def numbers(self, name: str) -> np.ndarray:
        """An output as a plain array over (time, components)."""
        return self._outputs[name].values()

    def _array(
        self, name: str, values: np.ndarray, axis: Axis, units: str, words: str
    ) -> xr.DataArray:
        array = self._result.data_array(
            f"{self._name}.{name}", values, axis, units, f"{self._item.label}: {words}"
        )
        return array.isel(time=0) if self._result.single else array

    def to_xarray(self) -> xr.Dataset:
        """All outputs of the item in one Dataset."""
        import xarray as xr

        return xr.Dataset({name: getattr(self, name) for name in self._outputs})

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._outputs})

    def __repr__(self) -> str:
        times = "one state" if self._result.single else f"{len(self._result)} times"
        return f"{self._item.label} at {times}: {', '.join(self._outputs) or 'nothing to show'}"
