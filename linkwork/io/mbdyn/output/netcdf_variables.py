"""Variables over time in a NetCDF file: their places first, then their numbers in blocks of times.

h5netcdf takes milliseconds for every variable, and h5py's own functions most of one, so variables
are made by the functions of HDF5.  Their numbers lie one after the other in the file, from an
offset on that HDF5 tells, and are written there.

An axis is a dimension scale: each variable lists its scales (DIMENSION_LIST), each scale lists the
variables that are attached to it (REFERENCE_LIST), and NetCDF's numbers of the axes are in
attributes (NetCDF-4 file format, appendix C of the NetCDF user's guide).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

AXES: dict[tuple[int, ...], tuple[str, ...]] = {
    (3,): ("Vec3",), (3, 3): ("Mat3x3_rows", "Mat3x3_cols"), (): (),
}  # fmt: skip


class Variable(NamedTuple):
    """Numbers at some times (one alone where there is no axis of time), and text about them."""

    name: str
    values: np.ndarray
    told: dict[str, str]


def add_variables(path: Path, variables: list[Variable], times: int) -> list[int]:
    """Add variables to a file that has their axes; where in the file each has its numbers."""
    import h5py
    from h5py import h5a, h5d, h5p, h5r, h5s, h5t

    with h5py.File(path, "r+") as file:
        made = h5p.create(h5p.DATASET_CREATE)
        made.set_alloc_time(h5d.ALLOC_TIME_EARLY)
        made.set_fill_time(h5d.FILL_TIME_NEVER)
        made.set_attr_creation_order(h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED)
        axes = Axes(file)
        scalar, text = h5s.create(h5s.SCALAR), h5py.string_dtype()
        text_type, in_memory = h5t.py_create(text, logical=True), h5t.py_create(text)
        offsets = []
        for name, values, told in variables:
            inner = values.shape[1:]
            space = h5s.create_simple((times, *inner)) if values.ndim else scalar
            kind = h5t.py_create(values.dtype)
            variable = h5d.create(file.id, name.encode(), kind, space, made)
            if values.ndim:
                axes.attach(variable, name.encode(), ("time", *AXES[inner]))
            for key, words in told.items():
                attribute = h5a.create(variable, key.encode(), text_type, scalar)
                attribute.write(np.array(words, text), mtype=in_memory)
            offsets.append(variable.get_offset() or 0)
        axes.close(h5r)
    return offsets


class Axes:
    """The axes of a file, and the variables that are attached to each."""

    def __init__(self, file: Any) -> None:
        from h5py import h5r

        self.file = file
        names = ("time", *(dim for dims in AXES.values() for dim in dims))
        self.numbers = {name: int(file[name].attrs["_Netcdf4Dimid"]) for name in names}
        self.references = {name: h5r.create(file.id, name.encode(), h5r.OBJECT) for name in names}
        self.attached: dict[str, list[tuple[bytes, int]]] = {name: [] for name in names}
        self.lists: dict[tuple[str, ...], Any] = {}

    def attach(self, variable: Any, name: bytes, dims: tuple[str, ...]) -> None:
        from h5py import h5a

        if dims not in self.lists:
            self.lists[dims] = self.list_of(dims)
        scales, stored, held, numbers, number, space, scalar, whole = self.lists[dims]
        h5a.create(variable, b"DIMENSION_LIST", stored, space).write(scales, mtype=held)
        h5a.create(variable, b"_Netcdf4Coordinates", whole, space).write(numbers, mtype=whole)
        h5a.create(variable, b"_Netcdf4Dimid", whole, scalar).write(number, mtype=whole)
        for place, dim in enumerate(dims):
            self.attached[dim].append((name, place))

    def list_of(self, dims: tuple[str, ...]) -> Any:
        """What all variables with these axes have: their scales and numbers, and types of both."""
        import h5py
        from h5py import h5s, h5t

        scales = np.empty(len(dims), h5py.vlen_dtype(h5py.ref_dtype))
        for k, dim in enumerate(dims):
            scales[k] = np.array([self.references[dim]], h5py.ref_dtype)
        numbers = np.array([self.numbers[dim] for dim in dims], np.int32)
        number = np.array(self.numbers[dims[0]], np.int32)
        space, scalar = h5s.create_simple((len(dims),)), h5s.create(h5s.SCALAR)
        stored = h5t.vlen_create(h5t.STD_REF_OBJ)
        held = h5t.py_create(scales.dtype)
        return scales, stored, held, numbers, number, space, scalar, h5t.NATIVE_INT32

    def close(self, h5r: Any) -> None:
        """Write which variables each axis has, besides those that are there."""
        import h5py

        kind = np.dtype([("dataset", h5py.ref_dtype), ("dimension", np.int32)])
        for dim, attached in self.attached.items():
            scale = self.file[dim]
            known = list(scale.attrs.get("REFERENCE_LIST", ()))
            found = np.empty(len(known) + len(attached), kind)
            for k, each in enumerate(known):
                found[k] = each
            for k, (name, place) in enumerate(attached, len(known)):
                found[k] = (h5r.create(self.file.id, name, h5r.OBJECT), place)
            if len(attached):
                scale.attrs["REFERENCE_LIST"] = found
