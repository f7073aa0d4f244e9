"""Result files: NetCDF4 that any program reads, and that comes back to the bit.

    /             time, body, joint, row; position(time, body, xyz) … force(time, joint, xyz)
    /diagnostics  what the method counted           /restart  from where it goes on
    /model        the model as JSON (or why it cannot be stored), its rows, and how it was run

A last line behind the HDF5 data, which other programs ignore, holds the format and a checksum of
all that comes before it, so that a damaged or cut file is recognised before HDF5 sees it.  A file
is written under another name beside its place and then renamed: whatever happens meanwhile, the
file that was there stays as it was.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import linkwork
from linkwork.errors import LinkworkError, ModelError, ResultFileError
from linkwork.model.model import Model
from linkwork.results.model_file import model_from_dict
from linkwork.results.result import UNITS, Result, diagnostic_dims, flat_variables
from linkwork.system.system import System, compile_model

FORMAT = 1
MAGIC = b"\x89HDF\r\n\x1a\n"
MARK = b"\nlinkwork result "
TAIL = len(MARK) + len("00001 sha256 ") + 64 + 1


# ------------------------------------------------------------------------------------ writing


def _path(path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)) or "\0" in os.fspath(path):
        raise ResultFileError(f"a result file needs a path such as 'run.nc', found {path!r}")
    return Path(path)


def check_writable(path: str | Path) -> Path:
    """The path of a file that can be written, or a ResultFileError; call it before a long run."""
    target = Path(os.path.realpath(_path(path)))
    if target.is_dir():
        raise ResultFileError(f"cannot write '{path}': it is a folder; give the name of a file")
    if not target.parent.is_dir():
        raise ResultFileError(
            f"cannot write '{path}': there is no folder '{target.parent}'; make it first or give "
            "another path"
        )
    if target.exists() and not os.access(target, os.W_OK):
        raise ResultFileError(f"cannot write '{path}': it is read-only; give another path")
    trial = _beside(target)
    try:
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise _cannot_write(path, error) from error
    return target


def save(result: Result, path: str | Path) -> None:
    """Store a result; a file of that name is replaced only once the new one is complete."""
    target = check_writable(path)
    trial = _beside(target)
    try:
        with open(trial, "x+b") as file:
            sink = _Sink(file)
            try:
                _write(result, sink)
            except Exception as error:
                raise sink.error or error from error
            if sink.error is not None:
                raise sink.error
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0, os.SEEK_END)
            file.write(_last_line(digest))
            file.flush()
            os.fsync(file.fileno())
        os.replace(trial, target)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            trial.unlink(missing_ok=True)


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.part")


def _cannot_write(path: str | Path, error: OSError) -> ResultFileError:
    reason = error.strerror or str(error)
    return ResultFileError(
        f"cannot write '{path}': {reason}; make room or save the result under another path"
    )


class _Sink(io.RawIOBase):
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


def _write(result: Result, file: Any) -> None:
    import h5netcdf

    coords, variables = flat_variables(result)
    system = result.system
    with h5netcdf.File(file, "w") as root:
        root.attrs["title"] = f"linkwork result of '{result.info['model']}'"
        root.attrs["linkwork_format"] = FORMAT
        root.attrs["linkwork_version"] = linkwork.__version__
        root.attrs["units"] = UNITS
        for key in ("method", "h", "seconds"):
            if isinstance(result.info.get(key), (str, int, float)):
                root.attrs[key] = result.info[key]
        for name, coordinate in coords.items():
            if name == "time":
                _put(root, name, *coordinate)
            else:
                _put(root, name, (name,), coordinate, {})
        for name, (dims, values, attributes) in variables.items():
            _put(root, name, dims, values, attributes)
        diagnostics = root.create_group("diagnostics")
        for name, array in result.arrays.items():
            _put_array(diagnostics, name, array, diagnostic_dims(name, array, len(result)))
        restart = root.create_group("restart")
        for name, array in result.restart.items():
            _put_array(restart, name, array, tuple(f"{name}_{i}" for i in range(array.ndim)))
        model = root.create_group("model")
        _put_text(model, "info", _info_text(result.info))
        if isinstance(result.stored_model, str):
            _put_text(model, "note", result.stored_model)
        else:
            _put_text(model, "json", json.dumps(result.stored_model))
        _put_text(model, "rows", json.dumps([[r.owner, r.name] for r in system.all_rows]))


def _info_text(info: dict[str, Any]) -> str:
    def plain(value: Any) -> Any:
        return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else str(value)

    return json.dumps(info, default=plain)


def _put(group: Any, name: str, dims: tuple[str, ...], values: Any, attributes: dict) -> None:
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


def _put_text(group: Any, name: str, text: str) -> None:
    """A text of any length, as bytes: JSON may be longer than an attribute can be."""
    _put_array(group, name, np.frombuffer(text.encode(), np.uint8), (f"{name}_length",))


def _put_array(group: Any, name: str, array: np.ndarray, dims: tuple[str, ...]) -> None:
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
    _put(group, name, dims, stored, {"numpy_type": array.dtype.str, "numpy_shape": shape})


# ------------------------------------------------------------------------------------ reading


def load(path: str | Path, model: Model | None = None) -> Result:
    """Read a result that `run.save` stored.

    `model` is needed only where the stored run used Python functions, which a file cannot keep.

    Example: ``run = lw.load("run.nc")``
    """
    path = _path(path)
    _check_whole(path)
    with _reading(path):
        parts = _read(path)
    system = _system(path, parts, model)
    with _reading(path):
        result = Result(
            system, parts["time"], parts["motion"], parts["acceleration"], parts["gamma"],
            parts["work"], parts["diagnostics"], parts["info"], parts["restart"],
        )  # fmt: skip
    return result


@contextlib.contextmanager
def _reading(path: str | Path) -> Iterator[None]:
    try:
        yield
    except LinkworkError:
        raise
    except Exception as error:  # HDF5 and its wrappers raise nearly anything
        raise ResultFileError(
            f"cannot read '{path}': its contents are not those of a linkwork result "
            f"({type(error).__name__}: {error}); save it again"
        ) from error


def _check_whole(path: str | Path) -> None:
    """That the file is ours, of this format, and just as it was written."""
    try:
        with open(path, "rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise ResultFileError(
                    f"'{path}' is not a linkwork result file; give a file that run.save wrote"
                )
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - TAIL))
            tail = file.read()
            _check_format(path, tail)
            file.seek(0)
            digest = hashlib.sha256()
            left = size - TAIL
            while left > 0:
                block = file.read(min(left, 1 << 20))
                digest.update(block)
                left -= len(block)
    except ResultFileError:
        raise
    except OSError as error:
        raise ResultFileError(
            f"cannot read '{path}': {error.strerror or error}; check the path"
        ) from error
    if tail != _last_line(digest.hexdigest()):
        raise ResultFileError(
            f"'{path}' is damaged, or another program changed it: its checksum is wrong; "
            "take a copy of it or run again"
        )


def _check_format(path: str | Path, tail: bytes) -> None:
    words = tail[len(MARK) :].split()
    if not tail.startswith(MARK) or len(words) != 3 or not words[0].isdigit():
        raise ResultFileError(
            f"'{path}' is not a complete linkwork result file: its last line is missing, so it "
            "was cut off or another program wrote it; take a copy of it or run again"
        )
    if int(words[0]) != FORMAT:
        raise ResultFileError(
            f"'{path}' is a linkwork result of format {int(words[0])}, but this version of "
            f"linkwork reads format {FORMAT}; use the version of linkwork that wrote it"
        )


def _last_line(digest: str) -> bytes:
    return MARK + f"{FORMAT:05d} sha256 {digest}\n".encode()


def _read(path: str | Path) -> dict[str, Any]:
    import h5netcdf

    with h5netcdf.File(path, "r") as root:
        values = {k: v[...] for k, v in root.variables.items() if v.dtype.kind == "f"}
        motion = ("position", "orientation", "velocity", "angular_velocity")
        acceleration = ("acceleration", "angular_acceleration")
        T = len(values["time"])
        work = ("dissipated", "supplied")
        model = root.groups["model"]
        return {
            "time": values["time"],
            "motion": np.concatenate([values[k] for k in motion], axis=2),
            "acceleration": np.concatenate([values[k] for k in acceleration], axis=2),
            "gamma": values.get("multiplier", np.zeros((T, 0))),
            "work": np.stack([values[k] for k in work], axis=1) if work[0] in values else None,
            "bodies": [_text(name) for name in root.variables["body"][...]],
            "info": json.loads(_get_text(model, "info")),
            "diagnostics": _get_arrays(root.groups["diagnostics"]),
            "restart": _get_arrays(root.groups["restart"]),
            "rows": json.loads(_get_text(model, "rows")),
            "model": json.loads(_get_text(model, "json")) if "json" in model.variables else None,
            "note": _get_text(model, "note") if "note" in model.variables else "",
        }


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _get_array(variable: Any) -> np.ndarray:
    dtype = np.dtype(_text(variable.attrs["numpy_type"]))
    shape = json.loads(_text(variable.attrs["numpy_shape"]))
    if 0 in shape:
        return np.zeros(shape, dtype)
    return np.ascontiguousarray(variable[...]).view(dtype).reshape(shape)


def _get_arrays(group: Any) -> dict[str, np.ndarray]:
    return {name: _get_array(v) for name, v in group.variables.items()}


def _get_text(group: Any, name: str) -> str:
    return _get_array(group.variables[name]).tobytes().decode()


def _system(path: str | Path, parts: dict[str, Any], model: Model | None) -> System:
    """The compiled model, stored or given, that fits the arrays."""
    if model is None:
        if parts["model"] is None:
            raise ResultFileError(
                f"'{path}' does not hold its model ({parts['note']}): write "
                f"lw.load({str(path)!r}, model=...), or read the plain arrays with "
                "xarray.open_dataset"
            )
        model = model_from_dict(parts["model"])
    system = compile_model(model)
    rows = [[row.owner, row.name] for row in system.all_rows]
    if list(system.names) != parts["bodies"] or rows != parts["rows"]:
        raise ResultFileError(
            f"'{path}' was not made with model '{model.name}': it has "
            f"{len(parts['bodies'])} bodies and {len(parts['rows'])} constraint rows "
            f"({_difference(system, parts)}); give the model of the run"
        )
    return system


def _difference(system: System, parts: dict[str, Any]) -> str:
    there = {*parts["bodies"], *(owner for owner, _ in parts["rows"])}
    here = {*system.names, *(row.owner for row in system.all_rows)}
    only_file, only_model = sorted(there - here), sorted(here - there)
    if only_file or only_model:
        return f"only in the file: {only_file}; only in the model: {only_model}"
    return "the same names, but not the same rows or order"
