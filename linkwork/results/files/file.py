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
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import linkwork
from linkwork.errors import FunctionWarning, ResultFileError, users_line
from linkwork.model import checks
from linkwork.model.model import Model
from linkwork.results.files.fitting import fitting_system, reading
from linkwork.results.files.file_array import FileArray, StoredSteps
from linkwork.results.files.memory import kept_in_memory
from linkwork.results.files.netcdf import (
    Sink,
    get_arrays,
    get_text,
    put,
    put_array,
    put_text,
    text_of,
)
from linkwork.results.result import UNITS, Result
from linkwork.results.files.variables import (
    ACCELERATION,
    MOTION,
    VALUES,
    WORK,
    diagnostic_dims,
    flat_variables,
)
from linkwork.system.system import System

FORMAT = 1
MAGIC = b"\x89HDF\r\n\x1a\n"
MARK = b"\nlinkwork result "
TAIL = len(MARK) + len("00001 sha256 ") + 64 + 1


# ------------------------------------------------------------------------------------ writing


def _path(path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)) or "\0" in os.fspath(path):
        raise ResultFileError(
            f"a result file needs a path such as 'run.nc', found {checks.show(path)}"
        )
    return Path(path)


def check_writable(path: str | Path) -> Path:
    """The path of a file that can be written, or a ResultFileError; call it before a long run."""
    target = Path(os.path.realpath(_path(path)))
    if os.path.isdir(target):  # False also for names that no file can have
        raise ResultFileError(f"cannot write '{path}': it is a folder; give the name of a file")
    if os.path.exists(target) and not os.path.isfile(target):  # a rename would replace it
        raise ResultFileError(
            f"cannot write '{path}': it is a device or a pipe, not a file on a disk; give the name "
            "of a file, or none"
        )
    if not os.path.isdir(target.parent):
        raise ResultFileError(
            f"cannot write '{path}': there is no folder '{target.parent}'; make it first or give "
            "another path"
        )
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise ResultFileError(f"cannot write '{path}': it is read-only; give another path")
    trial = beside(target)
    try:
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise cannot_write(path, error) from error
    return target


def save(result: Result, path: str | Path) -> None:
    """Store a result; a file of that name is replaced only once the new one is complete."""
    target = check_writable(path)
    warn_of_functions(path, result.stored_model)
    trial = beside(target)
    try:
        with open(trial, "x+b") as file:
            if isinstance(result.motion, FileArray):
                result.motion.steps.copy_to(file)
                file.flush()
                os.fsync(file.fileno())
            else:
                sink = Sink(file)
                try:
                    _write(result, sink)
                except Exception as error:
                    raise sink.error or error from error
                if sink.error is not None:
                    raise sink.error
                seal(file)
        os.replace(trial, target)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            trial.unlink(missing_ok=True)


def warn_of_functions(path: Any, stored_model: dict[str, Any] | str) -> None:
    """Say at once, not when it is too late, that a file will not hold its model."""
    if isinstance(stored_model, str) and stored_model:
        reason = stored_model.partition("; ")[0]
        warnings.warn(
            f"'{path}' will not hold its model, and cannot be viewed or resumed alone: {reason}; "
            f"read it with lw.load('{path}', model=...), or use a formula (lw.expression) or a "
            "table (lw.table)",
            FunctionWarning,
            stacklevel=users_line(),
        )


def seal(file: Any) -> None:
    """The last line with the checksum, and all of it on the disk."""
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    file.seek(0, os.SEEK_END)
    file.write(_last_line(digest))
    file.flush()
    os.fsync(file.fileno())


def beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.part")


def cannot_write(path: str | Path, error: OSError) -> ResultFileError:
    reason = error.strerror or str(error)
    return ResultFileError(
        f"cannot write '{path}': {reason}; make room or save the result under another path"
    )


def _write(result: Result, file: Any) -> None:
    import h5netcdf

    coords, variables = flat_variables(result)
    with h5netcdf.File(file, "w") as root:
        write_title(root, result.info["model"])
        for name, coordinate in coords.items():
            if isinstance(coordinate, tuple):
                put(root, name, *coordinate)
            else:
                put(root, name, (name,), coordinate, {})
        for name, (dims, values, attributes) in variables.items():
            put(root, name, dims, values, attributes)
        diagnostics = root.create_group("diagnostics")
        for name, array in result.arrays.items():
            put_array(diagnostics, name, array, diagnostic_dims(name, array, len(result)))
        write_model(root, result.system, result.stored_model)
        write_end(root, result.info, result.restart)


def write_title(root: Any, name: str) -> None:
    root.attrs["title"] = f"linkwork result of '{name}'"
    root.attrs["linkwork_format"] = FORMAT
    root.attrs["linkwork_version"] = linkwork.__version__
    root.attrs["units"] = UNITS


def write_model(root: Any, system: System, stored: dict[str, Any] | str) -> None:
    model = root.create_group("model")
    if isinstance(stored, str):
        put_text(model, "note", stored)
    else:
        put_text(model, "json", json.dumps(stored))
    put_text(model, "rows", json.dumps([[r.owner, r.name] for r in system.all_rows]))


def write_end(root: Any, info: dict[str, Any], restart: dict[str, np.ndarray]) -> None:
    """How the run went, and from where it goes on."""
    for key in ("method", "h", "seconds"):
        if isinstance(info.get(key), (str, int, float)):
            root.attrs[key] = info[key]
    put_text(root.groups["model"], "info", _info_text(info))
    group = root.create_group("restart")
    for name, value in restart.items():
        array = np.asarray(value)
        put_array(group, name, array, tuple(f"{name}_{i}" for i in range(array.ndim)))


def _info_text(info: dict[str, Any]) -> str:
    def plain(value: Any) -> Any:
        return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else str(value)

    return json.dumps(info, default=plain)


def plain_info(info: dict[str, Any]) -> dict[str, Any]:
    """How a run went, as JSON keeps it."""
    told: dict[str, Any] = json.loads(_info_text(info))
    return told


# ------------------------------------------------------------------------------------ reading


def load(path: str | Path, model: Model | None = None, *, advice: bool = True) -> Result:
    """Read a result that `run.save` stored.

    `model` is needed only where the stored run used Python functions, which a file cannot keep.
    The steps of large files (256 MB) stay there and are read where they are needed.  Of a run that
    was killed, or is still going on, all steps until its last flush are read, and a warning says
    how far they go (with advice: and what to do).

    Example: ``run = lw.load("run.nc")``
    """
    from linkwork.results.files.unfinished import load_unfinished, newer_pieces  # of later modules

    path = _path(path)
    pieces = newer_pieces(path)
    if pieces is not None:
        return load_unfinished(path, pieces, model, advice)
    _check_whole(path)
    with reading(path):
        parts = _read(path)
    return _result(path, parts, fitting_system(path, parts, model))


def _result(
    path: str | Path, parts: dict[str, Any], system: System, stored_model: Any = None
) -> Result:
    with reading(path):
        return Result(
            system, parts["time"], parts["motion"], parts["acceleration"], parts["gamma"],
            parts["work"], parts["diagnostics"], parts["info"], parts["restart"],
            stored_model=stored_model, values=parts["values"],
        )  # fmt: skip


def opened(source: Any, system: System, stored_model: dict[str, Any] | str) -> Result:
    """The result in a file just written (a path, or an open one that has none), its steps left
    there."""
    steps = StoredSteps(source)
    with reading(steps.name):
        parts = _read(source, steps)
    return _result(steps.name, parts, system, stored_model)


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


NUMBERS = ("h", "seconds", "cpu_seconds", "steps", "every", "repairs", "end", "tolerance")


def checked_info(info: Any) -> dict[str, Any]:
    """How a run went, where what others rely on has its kind; a ValueError where it has not."""
    if not isinstance(info, dict):
        raise ValueError(f"how it was run must be a dict, not {type(info).__name__}")
    angles, notes = info.get("angles") or {}, info.get("notes") or []
    wrong = [word for word in NUMBERS if not isinstance(info.get(word, 0), (int, float))]
    if not isinstance(angles, dict) or not all(isinstance(x, float) for x in angles.values()):
        wrong.append("angles")
    if not isinstance(notes, list):
        wrong.append("notes")
    wrong += [word for word in ("method", "model", "ended_by")
              if not isinstance(info.get(word, ""), str)]  # fmt: skip
    if wrong:
        raise ValueError(f"{wrong[0]} of the run is {checks.show(info[wrong[0]])}")
    return info


def read_info(path: str | Path) -> dict[str, Any]:
    """How the run of a finished file was made."""
    import h5netcdf

    with h5netcdf.File(path, "r") as root:
        info: dict[str, Any] = json.loads(get_text(root.groups["model"], "info"))
    return info


def _read(path: Any, steps: StoredSteps | None = None) -> dict[str, Any]:
    """Everything in a file; with `steps`, or from a large file, the motion stays in it."""
    import h5netcdf

    if steps is None and os.path.getsize(path) > kept_in_memory():
        steps = StoredSteps(path)
    with h5netcdf.File(path, "r") as root:
        variables, T = root.variables, len(root.dimensions["time"])
        told = json.loads(get_text(root.groups["model"], "rows"))
        rows = [(str(owner), str(name)) for owner, name in told]

        def stored(parts: Any, middle: tuple[int, ...]) -> Any:
            if steps is not None:
                return FileArray(steps, parts, (T, *middle, max((p[2] for p in parts), default=0)))
            return np.concatenate([variables[p[0]][...] for p in parts], axis=-1)

        multiplier = [("multiplier", 0, len(rows))] if rows else []
        bodies = [text_of(x) for x in variables["body"][...]] if "body" in variables else []
        motion, rates = ([p[:3] for p in parts] for parts in (MOTION, ACCELERATION))
        none = np.zeros((T, 0, 13)), np.zeros((T, 0, 6))
        model = root.groups["model"]
        return {
            "time": variables["time"][...],
            "motion": stored(motion, (len(bodies),)) if bodies else none[0],
            "acceleration": stored(rates, (len(bodies),)) if bodies else none[1],
            "gamma": stored(multiplier, ()) if rows else np.zeros((T, 0)),
            "values": np.stack([variables[name][...] for name, _ in VALUES], axis=1)
            if VALUES[0][0] in variables
            else np.zeros((T, 3, 0)),
            "work": np.stack([variables[k][...] for k in WORK], axis=1)
            if WORK[0] in variables
            else None,
            "bodies": bodies,
            "info": checked_info(json.loads(get_text(model, "info"))),
            "diagnostics": get_arrays(root.groups["diagnostics"]),
            "restart": get_arrays(root.groups["restart"]),
            "rows": [list(pair) for pair in rows],
            "model": json.loads(get_text(model, "json")) if "json" in model.variables else None,
            "note": get_text(model, "note") if "note" in model.variables else "",
        }
