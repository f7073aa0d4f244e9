"""Runs that did not come to their end: what their journals hold, opened, continued and joined.

    run.nc        a finished result, or none yet
    run.nc.part   the journal of a newer run that is still going on, or was killed

The journal wins, since it is newer: `lw.load` opens it and says how far it goes.  The finished file
stays until the newer run is whole; only then is it replaced, and the journal removed.  A journal
that a new run finds in its place is kept under another name.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import ResultFileError, UnfinishedWarning
from linkwork.kernels.compiling.undisturbed import undisturbed
from linkwork.model.model import Model
from linkwork.results.files import file as result_file
from linkwork.results.files.journal import MARK, Journal, Pieces, in_use, locked, part_of
from linkwork.results.files.memory import kept_in_memory
from linkwork.results.files.recording import Recording
from linkwork.results.result import Result
from linkwork.system.system import System

RUN = "run"  # word of a result's info: which run wrote the file


def journal_of(path: Path) -> Path | None:
    """The journal to open where the user names `path`: itself, or the one beside it."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        if file.read(len(MARK)) == MARK:
            return path
    part = part_of(Path(os.path.realpath(path)))
    return part if os.path.isfile(part) else None


def newer_pieces(path: Path) -> Pieces | None:
    """What a journal holds beyond the finished file, or None."""
    part = journal_of(path)
    if part is None:
        return None
    with result_file.reading(part):
        pieces = Pieces(part)
        if not pieces.begun or pieces.head is None:
            if part == path or not os.path.exists(path):
                raise ResultFileError(
                    f"'{part}' does not hold the start of a run: it was stopped before its first "
                    "step, or the file is damaged; run it again"
                )
            return None
        if part != path and pieces.head.get(RUN) == run_of(path):
            return None  # joined already; only the journal was not removed
    return pieces


def run_of(path: Path) -> Any:
    """Which run wrote a finished file; None where there is none that can be read."""
    try:
        return result_file.read_info(path).get(RUN)
    except Exception:  # of HDF5, where the file is damaged or not ours: loading it will say so
        return None


# ------------------------------------------------------------------------------------- opening


def load_unfinished(path: Path, pieces: Pieces, model: Model | None, advice: bool) -> Result:
    """The result of a run that did not come to its end; a warning says how far it goes."""
    with result_file.reading(pieces.path):
        head, stored_model = pieces.head or {}, (pieces.head or {})["model"]
        parts = {
            "bodies": [str(name) for name in head["bodies"]],
            "rows": [[str(owner), str(name)] for owner, name in head["constraints"]],
            "model": stored_model if isinstance(stored_model, dict) else None,
            "note": stored_model,
        }  # fmt: skip
        own = {str(k): int(v) for k, v in head["own"].items()}
        end = float(head["end"])
    system = result_file.fitting_system(pieces.path, parts, model)
    with result_file.reading(pieces.path):
        info = result_file.checked_info({**pieces.restart["info"], "end": end})
        numbers = strip(pieces.numbers, "restart.")
        blocks = with_last(pieces)
        size = sum(p.length for p in pieces.rows)
        result = (
            in_memory(system, stored_model, list(blocks), own, info, numbers)
            if size <= kept_in_memory()
            else joined(system, stored_model, None, blocks, own, info, numbers)
        )
    tell(path, pieces, float(result.time[-1]), end, advice)
    return result


def strip(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}


def with_last(pieces: Pieces) -> Iterator[dict[str, np.ndarray]]:
    """All stored steps, and the one where the run stood if that was not among them."""
    yield from pieces.blocks()
    last = strip(pieces.numbers, "last.")
    if last:
        yield last


def in_memory(
    system: System, stored_model: Any, blocks: list[dict[str, np.ndarray]], own: dict[str, int],
    info: dict[str, Any], restart: dict[str, np.ndarray],
) -> Result:  # fmt: skip
    whole = {name: np.concatenate([b[name] for b in blocks]) for name in blocks[0]}  # copies
    diagnostics = {name: whole[name] for name in own}
    return Result(
        system, whole["time"], whole["motion"], whole["acceleration"], whole["gamma"],
        whole["work"], diagnostics, info, restart, stored_model=stored_model,
        values=whole.get("values"),
    )  # fmt: skip


def tell(path: Path, pieces: Pieces, until: float, end: float, advice: bool) -> None:
    name = f"'{path}'"
    state = "is still being written" if pieces.alive else "was not finished"
    text = f"{name} {state}: it goes until t = {until:.6g} of {end:g}"
    if pieces.damaged and not pieces.alive:
        text += ", its last whole piece; what came after that is damaged and left out"
    if advice and not pieces.alive:
        text += f"; lw.resume({str(path)!r}, t={end:g}) goes on from there"
    if advice and path != pieces.path and os.path.exists(path):
        text += (
            f"; an older, finished result of that name is still there, and opens once "
            f"'{pieces.path.name}' is moved away"
        )
    warnings.warn(text, UnfinishedWarning, stacklevel=4)


# ------------------------------------------------------------------------------------- joining


def joined(
    system: System, stored_model: dict[str, Any] | str, target: Path | None,
    blocks: Iterable[dict[str, np.ndarray]], own: dict[str, int], info: dict[str, Any],
    restart: dict[str, Any],
) -> Result:  # fmt: skip
    """One result file of many pieces; memory does not grow with their number."""
    extra = {k: v for k, v in own.items() if k not in ("iterations", "step")}
    recording = Recording(system, stored_model, target, extra, locked=True)
    try:
        for block in gathered(blocks, recording.block):
            recording.append(block)
    except BaseException:
        recording.discard()
        raise
    return recording.finish(info, restart)


def gathered(blocks: Iterable[dict[str, np.ndarray]], rows: int) -> Iterator[dict[str, Any]]:
    """The same steps in blocks of half as many rows or more: HDF5 is slow with few at a time."""
    waiting: list[dict[str, np.ndarray]] = []
    for block in blocks:
        waiting.append(block)
        if 2 * sum(len(b["time"]) for b in waiting) >= rows:
            yield together(waiting)
            waiting = []
    if waiting:
        yield together(waiting)


def together(blocks: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    if len(blocks) == 1:
        return blocks[0]
    return {name: np.concatenate([b[name] for b in blocks]) for name in blocks[0]}


def finish(journal: Journal, system: System, stored_model: Any, own: dict[str, int], target: Path,
           given: Any, info: dict[str, Any], restart: dict[str, Any]) -> Result:  # fmt: skip
    """Join the journal of a run that has ended to its result file, and remove it."""
    journal.release()
    blocks = with_last(Pieces(journal.path, own=True))
    try:
        result = joined(system, stored_model, target, blocks, own, info, restart)
    except ResultFileError as error:
        journal.close(remove=False)
        raise ResultFileError(
            f"{error}; nothing is lost: the steps are in '{journal.path.name}', and once there is "
            f"room lw.resume('{given}', t={info['end']:g}, file='{given}') finishes the file"
        ) from error
    journal.close(remove=True)
    return result


def make_whole(path: Path, target: Path, stored: Result) -> Result:
    """Finish the file of a run that reached its end and was stopped before its journal was joined.

    path : as the user calls it;   target : where the file goes;   stored : all of the run
    """
    part = journal_of(path)
    if part is None:
        return stored
    with open(part, "rb") as file:
        if not locked(file.fileno()):
            raise in_use(target)
        own = {k: 1 if a.ndim == 1 else a.shape[1] for k, a in stored.arrays.items()}
        info = {**stored.info, RUN: (Pieces(part).head or {}).get(RUN)}
        blocks = rows_of(stored, len(stored), own, 1 << 10)
        with undisturbed():
            result = joined(
                stored.system, stored.stored_model, target, blocks, own, info, stored.restart
            )
            part.unlink()
    return result


# ---------------------------------------------------------------------------- making the journal


def new_journal(target: Path, reserve: int, *, over: bool) -> Journal:
    """A journal for a new run; one that is there is kept under another name.

    over : the new one begins with all that is in the old one, and replaces it
    """
    part = part_of(target)
    try:
        if os.path.exists(part):
            pieces = Pieces(part)
            if pieces.alive:
                raise in_use(target)
            if not over:
                make_way(target, pieces)
        return Journal(target, reserve, over=over)
    except ResultFileError:
        raise
    except OSError as error:
        raise result_file.cannot_write(target, error) from error


def make_way(target: Path, pieces: Pieces) -> None:
    """Remove a journal that holds nothing, and rename one that does."""
    if not pieces.begun:
        with open(pieces.path, "rb") as file:
            if file.read(len(MARK)) not in (MARK, b"", bytes(len(MARK))):
                raise ResultFileError(
                    f"cannot write '{target}': '{pieces.path.name}' is in the way, and is not of "
                    "linkwork; move it, or give another path"
                )
    if not pieces.begun or (pieces.head or {}).get(RUN) == run_of(target):
        pieces.path.unlink()
        return
    number = 1
    while os.path.exists(aside := target.with_name(f"{target.name}.{number}.part")):
        number += 1
    os.rename(pieces.path, aside)
    until = pieces.restart["time"]
    warnings.warn(
        f"an earlier run of '{target.name}' was not finished: its steps until t = {until:.6g} are "
        f"kept in '{aside.name}'; lw.resume('{aside.name}', t=…) goes on with it, or delete it",
        UnfinishedWarning, stacklevel=6,
    )  # fmt: skip


def rows_of(result: Result, rows: int, own: dict[str, int], block: int) -> Iterator[dict[str, Any]]:
    """The first steps of a result, block by block."""
    for first in range(0, rows, block):
        part = slice(first, min(first + block, rows))
        yield {
            "time": result.time[part], "motion": np.asarray(result.motion[part]),
            "acceleration": np.asarray(result.acceleration[part]),
            "gamma": np.asarray(result.gamma[part]), "work": np.asarray(result.work)[part],
            "values": np.asarray(result.values[part]),
            **{name: result.arrays[name][part] if name in result.arrays
               else np.full((part.stop - part.start, width)[: 1 if width == 1 else 2], np.nan)
               for name, width in own.items()},  # that only the new part of the run has
        }  # fmt: skip
