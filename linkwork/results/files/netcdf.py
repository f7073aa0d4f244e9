"""Variables of a NetCDF file: numbers, texts, and arrays that come back to the bit."""

from __future__ import annotations

import io
import json
import os
from typing import Any

import numpy as np

from linkwork.errors import ModelError


def put(group: Any, name: str, dims: tuple[str, ...], values: Any, attributes: dict) -> None:
    """A variable over named axes, made where they are new."""
    array = np.asarray(values)
    for dim, size in zip(dims, array.shape):
        if dim not in group.dimensions:
            group.dimensions[dim] = size
    if array.dtype.kind == "U":
        import h5py

        variable = group.create_variable(name, dims, h5py.string_dtype(), data=array.astype(object))
    else:
        variable = group.create_variable(name, dims, data=array)
    for key, value in attributes.items():
        variable.attrs[key] = value


def put_text(group: Any, name: str, text: str) -> None:
    """A text of any length, as bytes: JSON may be longer than an attribute can be."""
    put_array(group, name, np.frombuffer(text.encode(), np.uint8), (f"{name}_length",))


def put_array(group: Any, name: str, array: np.ndarray, dims: tuple[str, ...]) -> None:
    """An array of numbers that comes back with its type and shape, also where it is empty."""
    stored = np.ascontiguousarray(array).reshape(array.shape)
    if stored.dtype.kind == "b":
        stored = stored.view(np.uint8)
    elif stored.dtype.kind == "c":
        stored = stored[..., None].view(stored.real.dtype)
        dims = (*dims, "real_imaginary")
    elif stored.dtype.kind not in "fiu":
        raise ModelError(f"'{name}' of a result is an array of {array.dtype}, not of numbers")
    shape = json.dumps(list(array.shape))
    if stored.size == 0:
        stored, dims = np.zeros((), stored.dtype), ()
    put(group, name, dims, stored, {"numpy_type": array.dtype.str, "numpy_shape": shape})


def text_of(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def get_array(variable: Any) -> np.ndarray:
    dtype = np.dtype(text_of(variable.attrs["numpy_type"]))
    shape = json.loads(text_of(variable.attrs["numpy_shape"]))
    if 0 in shape:
        return np.zeros(shape, dtype)
    return np.ascontiguousarray(variable[...]).view(dtype).reshape(shape)


def get_arrays(group: Any) -> dict[str, np.ndarray]:
    return {name: get_array(v) for name, v in group.variables.items()}


def get_text(group: Any, name: str) -> str:
    return get_array(group.variables[name]).tobytes().decode()


class Sink(io.RawIOBase):
    """A file for HDF5 to write to that never fails: HDF5 takes write errors badly, so the first
    one is kept for later and the rest is dropped."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.error: OSError | None = None

    def write(self, data: Any) -> int:
        if self.error is None:
            try:
                self.file.write(data)
            except OSError as error:
                self.error = error
        return len(data)

    def readinto(self, buffer: Any) -> int:
        return self.file.readinto(buffer)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if self.error is not None and whence == os.SEEK_SET:
            return offset
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()

    def truncate(self, size: int | None = None) -> int:
        if self.error is None:
            try:
                return self.file.truncate(size)
            except OSError as error:
                self.error = error
        return size or 0

    def flush(self) -> None:
        if self.error is None and not self.file.closed:
            try:
                self.file.flush()
            except OSError as error:
                self.error = error

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True
