"""Result: the stored motion of a run and everything that follows from it.

What follows is computed when it is asked for: outputs of items by views/, energies and momenta
by totals.py, and how well the joints held by violation.py.  The arrays are in memory or, for long
runs, in a file (file_array.py) and read where needed.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.beams.nodes import BeamNode
from linkwork.elements.joints.lock import LOCK
from linkwork.errors import ModelError
from linkwork.model.given import VectorLike
from linkwork.model.outputs import Role
from linkwork.results.outputs import replayed, totals
from linkwork.results.files.model_file import model_to_dict
from linkwork.results.files.file_array import FileArray
from linkwork.results.outputs.joint_angles import counted_angle
from linkwork.results.outputs.remembered import all_memory
from linkwork.results.shown import Shown
from linkwork.results.summary import summary
from linkwork.results.files.variables import (
    diagnostic_dims,
    flat_variables,
    joints_of,
    time_variable,
)
from linkwork.results.outputs.stamp import stamp
from linkwork.results.outputs.views.base import Axis, View
from linkwork.results.outputs.views.choice import view
from linkwork.system.data import Data
from linkwork.system.state import State
from linkwork.system.system import System

if TYPE_CHECKING:
    import xarray as xr

UNITS = "SI, or the consistent units of the model"


class Result(Shown):
    """What a run stored, item by item and as a whole.

    system       : compiled with all rows          time         : (T,)
    motion       : (T, bodies, 13) position, quaternion (w, x, y, z), velocity, angular velocity
    acceleration : (T, bodies, 6)                  gamma        : (T, all rows) multipliers
    values       : (T, 3, n) of scalar and vector nodes: values, rates, second derivatives
    work         : (T, 2) dissipated and supplied until then, or None where it is not known
    diagnostics  : name → array over the stored times, or over steps
    info         : method, h, model, seconds (of the steps), reaction_seconds (after them, where
                   joints are redundant), notes (a list of sentences), angles (of joints at the
                   start, to go on counting turns), memory (at the start, of what holds)
    restart      : arrays from which the method goes on exactly; "memory" belongs to the state

    Example
    -------
    >>> import linkwork as lw
    >>> m = lw.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add("ball", lw.Body(2, (1, 1, 1)))
    >>> run = lw.transient(m, t=1, h=0.01, progress=False)
    >>> round(float(run["ball"].velocity[-1, 2]), 2), round(float(run.energy.kinetic[-1]), 2)
    (-9.81, 96.24)
    """

    def __init__(
        self, system: System, time: VectorLike, motion: np.ndarray,
        acceleration: np.ndarray | None = None, gamma: np.ndarray | None = None,
        work: np.ndarray | None = None, diagnostics: dict[str, Any] | None = None,
        info: dict[str, Any] | None = None, restart: dict[str, Any] | None = None, *,
        single: bool = False, stored_model: dict[str, Any] | str | None = None,
        values: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        T, nb, rows = len(time), system.bodies, len(system.all_rows)
        self.system = system
        self.time = _array(time, (T,), "time")
        self.motion: Any = _array(motion, (T, nb, 13), "motion")
        self.acceleration: Any = _array(acceleration, (T, nb, 6), "acceleration")
        self.gamma: Any = _array(gamma, (T, rows), "gamma")
        shape = (T, 3, system.layout.values)
        self.values: Any = _array(np.zeros(shape) if values is None else values, shape, "values")
        self.work = None if work is None else _array(work, (T, 2), "work")
        self.arrays = {k: np.asarray(v) for k, v in (diagnostics or {}).items()}
        self.info: dict[str, Any] = {"model": system.model.name, **(info or {})}
        self.restart = {k: np.asarray(v) for k, v in (restart or {}).items()}
        self.single = single
        if stored_model is None:
            stored_model = "" if single else snapshot(system)
        self.stored_model: dict[str, Any] | str = stored_model
        self._views: dict[str, View] = {}

    def imposed(self, owner: str, law: Any) -> np.ndarray:
        """What a motion law of an item says at the stored times."""
        return np.asarray(law.values(self.time))

    @classmethod
    def of_state(cls, system: System, state: State) -> Result:
        """A result of one state, whose items give numbers and vectors without a time axis."""

        def first(x: np.ndarray | None) -> np.ndarray | None:
            return None if x is None else x[None]

        return cls(
            system, np.array([state.time]), state.motion[None], first(state.acceleration),
            first(state.gamma), single=True, values=state.values[None],
            restart={} if state.memory is None else {"memory": state.memory},
        )  # fmt: skip

    # ----------------------------------------------------------------------------- as a whole
    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, name: str) -> View:
        """The results of one item: run["rod"].position, run["pin"].force."""
        if name not in self._views:
            self._views[name] = view(self, name)
        return self._views[name]

    @property
    def named(self) -> list[str]:
        """What can be asked for: the items of the model, and the frames of flexible links."""
        nodes = [self.system.names[b] for link in self.system.flexible for b in link.nodes]
        nodes += [
            str(body.name) for body in self.system.items
            if isinstance(body, BeamNode) and not body.suffix.startswith("node")
        ]  # fmt: skip
        return [*self.system.model, *nodes]

    def _ipython_key_completions_(self) -> list[str]:
        return self.named

    def data_array(
        self, name: str, values: np.ndarray, axis: Axis, units: str, words: str
    ) -> xr.DataArray:
        """A DataArray over time and, with axis "xyz" or "wxyz", over components, or over modes, or
        over the coordinates of a dict."""
        import xarray as xr

        coords: dict[str, Any] = {"time": time_variable(self.time)}
        if isinstance(axis, dict):
            coords |= axis
        elif axis:
            coords[axis if isinstance(axis, str) else "mode"] = list(axis)
        return xr.DataArray(
            np.array(values), coords, tuple(coords), name, {"long_name": words, "units": units}
        )

    @cached_property
    def memory(self) -> np.ndarray:
        """(T, n): `State.memory` at every stored time."""
        return all_memory(self)

    # -------------------------------------------------------------------- energy and momentum
    @cached_property
    def data(self) -> Data:
        """The arrays with which kernels are asked for outputs."""
        return self.system.data()

    @cached_property
    def sums_of_elements(self) -> dict[Role, np.ndarray]:
        """Energies and momenta of all elements together."""
        return replayed.totals(self)

    @cached_property
    def sums_of_bodies(self) -> np.ndarray:
        return totals.sums_of_bodies(self)

    @cached_property
    def _energies(self) -> dict[str, tuple[np.ndarray, str]]:
        return totals.energies(self)

    @property
    def energy(self) -> xr.Dataset:
        """kinetic, potential, total, and (where the method knows) dissipated, supplied, balance."""
        import xarray as xr

        return xr.Dataset({
            name: self.data_array(name, values, "", "J", words)
            for name, (values, words) in self._energies.items()
        })  # fmt: skip

    def energy_of(self, *names: str) -> xr.Dataset:
        """kinetic, stored, dissipated and supplied energy of some items, bodies and others, by
        which one sees where energy is and goes.

        Stored energy is that of gravity and of deformation.  Dissipated and supplied energy are
        integrals by the trapezoidal rule over the stored times, from the first of them on.

        Example: ``run.energy_of("rod", "spring")``
        """
        import xarray as xr

        from linkwork.results.outputs.parts import energies_of

        if not names:
            raise ModelError('energy_of needs names of items, such as energy_of("rod", "spring")')
        for name in names:
            self.system.described(name)
        return xr.Dataset({
            name: self.data_array(name, values, "", "J", words)
            for name, (values, words) in energies_of(self, set(names)).items()
        })  # fmt: skip

    @property
    def pressures(self) -> xr.Dataset:
        """All pressures of the hydraulic circuit (Pa), by the names of their items."""
        from linkwork.results.circuit import pressures

        return pressures(self)

    @property
    def momentum(self) -> xr.DataArray:
        """Linear momentum Σ m v, world axes."""
        return self.data_array("momentum", totals.momentum(self), "xyz", "N s", "momentum")

    @property
    def angular_momentum(self) -> xr.DataArray:
        """Angular momentum Σ r × m v + R J ω about the origin, world axes."""
        words = "angular momentum about the origin"
        return self.data_array(
            "angular_momentum", totals.angular_momentum(self), "xyz", "N m s", words
        )

    # ------------------------------------------------------------------------------- accuracy
    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the items that constrain."""
        return joints_of(self.system)

    @cached_property
    def _violations(self) -> tuple[np.ndarray, np.ndarray]:
        from linkwork.results.outputs.violation import worst_of_joints

        return worst_of_joints(self)

    def law_rates(self, rows: list[int]) -> np.ndarray:
        """C_t of these rows, (T, rows): how motion laws alone change the constraints."""
        from linkwork.results.outputs.violation import violations

        found = np.zeros((len(self), len(rows)))
        parts = violations(
            self.system, self.time, self.motion, self.memory, still=True, values=self.values
        )
        for part, _, rate in parts:
            found[part] = rate[:, rows]
        return found

    @property
    def violation(self) -> xr.Dataset:
        """Largest errors of each joint's constraints over (time, joint): positions, velocities."""
        import xarray as xr

        coords = {"time": time_variable(self.time), "joint": list(self.joints)}
        position, velocity = self._violations
        return xr.Dataset(
            {
                "position": (("time", "joint"), position.copy(), {
                    "long_name": "largest constraint error", "units": "m or rad/2"}),
                "velocity": (("time", "joint"), velocity.copy(), {
                    "long_name": "largest rate of a constraint", "units": "m/s or rad/2/s"}),
            },
            coords,
        )  # fmt: skip

    @property
    def diagnostics(self) -> xr.Dataset:
        """Newton iterations, step sizes and what the method adds, over time or over steps."""
        import xarray as xr

        n = len(self)
        variables = {k: (diagnostic_dims(k, v, n), v.copy()) for k, v in self.arrays.items()}
        return xr.Dataset(variables, {"time": time_variable(self.time)})

    # ------------------------------------------------------------------------- states, storing
    def state(self, t: float | int | None = None) -> State:
        """The state at a stored time: the last, at an index (an int), or nearest to a time (float).

        Example: ``run.state()``, ``run.state(-1)``, ``run.state(0.25)``
        """
        i = self._index(t)
        last = i == len(self) - 1

        def known(x: np.ndarray) -> np.ndarray | None:
            return None if np.isnan(x).all() and x.size else x.copy()

        restart: dict[str, Any] = {k: v.copy() for k, v in self.restart.items()} if last else {}
        if restart:  # they are of this state alone, and not of one that the user makes from it
            restart["of"] = stamp(float(self.time[i]), self.motion[i], self.values[i])
        return State(
            float(self.time[i]), self.system.names, self.motion[i].copy(),
            known(self.acceleration[i]), known(self.gamma[i]), self.memory[i].copy(),
            restart, self.values[i].copy(),
        )  # fmt: skip

    def _index(self, t: float | int | None) -> int:
        n, first, last = len(self), float(self.time[0]), float(self.time[-1])
        if t is None:
            return n - 1
        if isinstance(t, (int, np.integer)):
            if not -n <= t < n:
                raise ModelError(
                    f"the run has {n} stored times, found index {t}; give an index from 0 to "
                    f"{n - 1}, or a time as a float such as {float(t)}"
                )
            return int(t) % n
        if not first - 1e-9 * abs(last - first) <= t <= last + 1e-9 * abs(last - first):
            raise ModelError(
                f"the run goes from t = {first:g} to {last:g}, found t = {t:g}; "
                "give a time within it"
            )
        return int(np.argmin(np.abs(self.time - t)))

    def angles(self, i: int = -1) -> dict[str, float]:
        """The angles of all joints that turn, at a stored time, counted over turns.

        A run that goes on from this one keeps counting when its info["angles"] is this.  Not a
        number where turns are not certain.
        """
        found = {}
        for e in self.system.elements:
            if e.entry.family is LOCK and 5 not in e.entry.rows and "angle" in self[e.owner].names:
                counted, doubt = counted_angle(self, e)
                found[e.owner] = float(counted[i]) if doubt is None else np.nan
        return found

    def to_xarray(self) -> xr.Dataset:
        """One Dataset: motion over (time, body), reactions over (time, joint), energies."""
        import xarray as xr

        coords, variables = flat_variables(self)
        dataset = xr.Dataset(variables, coords, {"title": self.info["model"], "units": UNITS})
        return dataset.merge(self.energy, compat="override")

    def to_pandas(self, *names: str) -> Any:
        """A wide pandas DataFrame over time with columns such as "rod.position.x".

        names : as in `plot`, ``run.to_pandas("rod.position", "pin.force.x", "energy")``; without
                them, every output of every item and the energies.  `table.attrs["units"]` has units
        """
        from linkwork.results.tables import wide_table

        return wide_table(self, names)

    def to_csv(self, path: str | Path, *names: str, units: bool = False) -> None:
        """Write the table of `to_pandas` as text: a line of names, then a line per stored time.

        units : put them behind the names, "rod.position.x (m)"
        """
        from linkwork.results.tables import write_csv

        write_csv(self, path, names, units)

    def to_parquet(self, path: str | Path, *names: str) -> None:
        """Write the table of `to_pandas` as a Parquet file (needs the package pyarrow)."""
        from linkwork.results.tables import write_parquet

        write_parquet(self, path, names)

    def save(self, path: str | Path) -> None:
        """Store the run in a NetCDF file; `lw.load` reads it back to the bit.

        A run that keeps its steps in a file already is copied.  Where the model has Python
        functions, which a file cannot keep, a warning says so.
        """
        from linkwork.results.files.file import save

        save(self, path)

    def __repr__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        from linkwork.results.summary import summary_html

        return summary_html(self)

    # ------------------------------------------------------------------------------ copying
    def __reduce__(self) -> Any:
        """Pickled by cloudpickle, which keeps Python functions too; steps in a file are read."""
        import cloudpickle

        own = {k: v for k, v in vars(self).items() if k != "data"}
        state = {k: v[:] if isinstance(v, FileArray) else v for k, v in own.items()}
        return _restored, (cloudpickle.dumps(state | {"_views": {}}),)


def _restored(state: bytes) -> Result:
    import cloudpickle

    result = Result.__new__(Result)
    result.__dict__.update(cloudpickle.loads(state))
    return result


def _array(values: Any, shape: tuple[int, ...], what: str) -> Any:
    """A contiguous float array of that shape, or one in a file; NaN where nothing is known."""
    if values is None:
        return np.full(shape, np.nan)
    if isinstance(values, FileArray) and values.shape == shape:
        return values
    array = np.ascontiguousarray(values, dtype=float)
    if array.shape != shape:
        raise ModelError(f"{what} of a Result must have shape {shape}, found {array.shape}")
    return array


def snapshot(system: System) -> dict[str, Any] | str:
    """The model as plain data, or the sentence that says why it cannot be stored."""
    try:
        return model_to_dict(system.model)
    except ModelError as error:
        return str(error)
