"""A result file that is written block by block: from the pieces of a run's journal, or by the run.

Steps are appended in blocks of some megabytes; the memory needed does not depend on how many there
are.  Before a block is handed to HDF5, which takes write errors badly, the file system must grant
room for it and for everything that ends the file:

    granted ≥ (written so far) + (this block) + (reserve: one more block, restart numbers, …)

so a disk that is full leaves a whole file with all steps until then.  Like every result file it is
written beside its place, sealed with a checksum and renamed.  Reactions are not among its
variables: `lw.load` computes them from the multipliers.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import ResultFileError
from linkwork.kernels.compiling.undisturbed import undisturbed
from linkwork.results.files.file import (
    beside,
    cannot_write,
    check_writable,
    opened,
    seal,
    write_end,
    write_model,
    write_title,
)
from linkwork.results.files.journal import allocate
from linkwork.results.files.memory import share
from linkwork.results.files.netcdf import put
from linkwork.results.result import Result
from linkwork.results.files.variables import (
    ACCELERATION,
    MOTION,
    MULTIPLIER,
    VALUES,
    WORK,
    coordinates,
    time_attributes,
    units_of_values,
    work_words,
)
from linkwork.system.system import System

BLOCK = 32  # one of so many parts of the memory is appended at once: 8 MB
CHUNK = 256  # and so is the motion that HDF5 keeps together: 1 MB
METADATA = 1 << 20  # bytes for what HDF5 adds by itself


class Extent:
    """How large the parts of a result file are.

    own : diagnostics over time, and how many numbers each has
    """

    def __init__(
        self, system: System, stored_model: dict[str, Any] | str, own: dict[str, int]
    ) -> None:
        self.own = {"iterations": 1, "step": 1, **own}
        numbers = 19 * system.bodies + 3 * system.layout.values + len(system.all_rows) + 3
        row = 8 * (numbers + sum(self.own.values()))
        self.row_bytes = row
        self.chunk = max(1, min(4096, share(CHUNK) // (8 * 13 * max(1, system.bodies))))
        self.block = max(1, share(BLOCK) // row)  # rows to append at once
        text = len(json.dumps(stored_model)) + 64 * len(system.all_rows)
        restart = 8 * (64 * (system.bodies + system.layout.values) + 8 * len(system.all_rows))
        chunks = row * self.chunk + 8 * 5 * 1024  # those not full
        self.reserve = METADATA + 2 * (text + restart) + 2 * self.block * row + chunks


class Recording:
    """Appends steps to a result file; `finish` gives the result, whose steps stay in the file.

    path   : of the file; None makes a temporary one without a name, of which nothing is left when
             its result goes or the process is killed
    own    : further diagnostics over time, and how many numbers each has
    locked : the caller keeps other runs from the file, so that there is one name to write under
    """

    def __init__(
        self, system: System, stored_model: dict[str, Any] | str, path: str | Path | None,
        own: dict[str, int] | None = None, *, locked: bool = False,
    ) -> None:  # fmt: skip
        import h5netcdf

        self.system, self.stored_model, self.given = system, stored_model, path
        self.source: Any  # what HDF5 opens
        if path is None:
            self.source = tempfile.TemporaryFile()  # noqa: SIM115  (the result keeps it)
            self.granted = self.source.fileno()
        else:
            self.target = check_writable(path)
            self.trial = beside(self.target)
            if locked:
                self.trial = self.target.with_name(f".{self.target.name}.joined")
            self.source = self.trial
        self.rows = 0  # stored so far
        extent = Extent(system, stored_model, own or {})
        self.own, self.row_bytes, self.reserve = extent.own, extent.row_bytes, extent.reserve
        self.chunk, self.block = extent.chunk, extent.block
        try:
            with self._cleaned():
                self.root = h5netcdf.File(self.source, "w", rdcc_nbytes=share(CHUNK))
                if path is not None:
                    self.granted = os.open(self.trial, os.O_RDWR)
                self._grant(0)
                self._begin()
        except OSError as error:
            raise self._cannot_write(error) from error

    def _cannot_write(self, error: OSError) -> ResultFileError:
        return cannot_write(self.given or tempfile.gettempdir(), error)

    @contextlib.contextmanager
    def _cleaned(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.discard()
            raise

    def _begin(self) -> None:
        root, system = self.root, self.system
        write_title(root, system.model.name)
        root.dimensions["time"] = None
        for name, values in coordinates(system).items():
            put(root, name, (name,), values, {})
        self.variables: dict[str, Any] = {}
        self._add(root, "time", (), (), time_attributes())
        for p in (*MOTION, *ACCELERATION) if system.bodies else ():
            words = {"long_name": p.words, "units": p.units}
            shape = (system.bodies, p.last - p.first)
            self._add(root, p.name, ("body", p.axis), shape, words)
        if system.all_rows:
            words = {"long_name": MULTIPLIER, "units": ""}
            self._add(root, "multiplier", ("row",), (len(system.all_rows),), words)
        if system.layout.values:
            put(root, "unit", *units_of_values(system))
            for name, text in VALUES:
                told = {"long_name": text, "units": ""}
                self._add(root, name, ("number",), (system.layout.values,), told)
        for name in WORK:
            self._add(root, name, (), (), {"long_name": work_words(name), "units": "J"})
        diagnostics = root.create_group("diagnostics")
        for name, width in self.own.items():
            more = {} if width == 1 else {f"{name}_1": width}
            for dim, size in more.items():
                diagnostics.dimensions[dim] = size
            words = {"numpy_type": np.dtype(float).str}
            self._add(diagnostics, name, tuple(more), tuple(more.values()), words)
        write_model(root, system, self.stored_model)

    def _add(
        self, group: Any, name: str, dims: tuple[str, ...], shape: tuple[int, ...], words: dict
    ) -> None:
        """A variable over time, for which time can grow."""
        chunks = (self.chunk if shape else max(self.chunk, 1024), *shape)
        variable = group.create_variable(name, ("time", *dims), float, chunks=chunks)
        for key, value in words.items():
            variable.attrs[key] = value
        self.variables[name] = variable._h5ds  # h5netcdf looks it up by name every time

    def _grant(self, rows: int) -> None:
        """Have the file system promise room for these rows and for the end of the file."""
        end = (self.rows + rows) * self.row_bytes * 9 // 8 + self.reserve  # HDF5's tables: 1/8
        size = os.fstat(self.granted).st_size
        if end > size:
            allocate(self.granted, size, end)

    # ---------------------------------------------------------------------------------- writing
    def append(self, values: dict[str, np.ndarray]) -> None:
        """Rows of all arrays: time, motion, acceleration, gamma, work, iterations, step.

        The rows are stored also when a ResultFileError says that there is no room for more.
        """
        n = len(values["time"])
        full = None
        try:
            self._grant(n)
        except OSError as error:
            full = error
        with undisturbed():
            self._put(values, n)
        if full is not None:
            raise self._cannot_write(full) from full

    def _put(self, values: dict[str, np.ndarray], n: int) -> None:
        first, last = self.rows, self.rows + n
        flat = {k: values[k] for k in ("time", *self.own)}
        flat["multiplier"] = values["gamma"]
        for k, (name, _) in enumerate(VALUES):
            flat[name] = values["values"][:, k]
        for k, name in enumerate(WORK):
            flat[name] = values["work"][:, k]
        for array, parts in (("motion", MOTION), ("acceleration", ACCELERATION)):
            flat |= {p.name: values[array][:, :, p.first : p.last] for p in parts}
        for name, variable in self.variables.items():
            variable.resize(last, axis=0)
            variable[first:last] = np.ascontiguousarray(flat[name])
        self.rows = last

    def finish(self, info: dict[str, Any], restart: dict[str, Any]) -> Result:
        """Seal the file, put it in its place, and open it as a result."""
        try:
            with self._cleaned(), undisturbed():
                diagnostics = self.root.groups["diagnostics"].variables
                for name, width in self.own.items():
                    shape = [self.rows] if width == 1 else [self.rows, width]
                    diagnostics[name].attrs["numpy_shape"] = json.dumps(shape)
                write_end(self.root, info, restart)
                self.root.close()
                if self.given is None:
                    _complete(self.source)
                else:
                    os.close(self.granted)
                    with open(self.trial, "r+b") as file:
                        _complete(file)
                    os.replace(self.trial, self.target)
        except ResultFileError:
            raise
        except OSError as error:
            raise self._cannot_write(error) from error
        where = self.source if self.given is None else self.target
        return opened(where, self.system, self.stored_model)

    def discard(self) -> None:
        """Leave nothing behind."""
        with contextlib.suppress(Exception):
            self.root.close()
        if self.given is None:
            self.source.close()
            return
        with contextlib.suppress(OSError, AttributeError):
            os.close(self.granted)
        self.trial.unlink(missing_ok=True)


def _complete(file: Any) -> None:
    """Cut off the room that was granted and not used, and seal."""
    file.truncate(end_of_data(file))
    seal(file)


def end_of_data(file: Any) -> int:
    """Where HDF5's data end, from the file's superblock (HDF5 File Format Specification, II.A)."""
    file.seek(0)
    block = file.read(48)
    place = 40 if block[8] < 2 else 28
    return int(struct.unpack_from("<Q", block, place)[0])
