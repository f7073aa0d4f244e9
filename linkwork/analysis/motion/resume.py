"""lw.resume: going on with a stored run, with the digits that an uninterrupted one would have."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from linkwork.analysis.motion.continuing import Earlier
from linkwork.analysis.motion.step_control.strategies import strategy_from_parameters
from linkwork.analysis.motion.transient import Options, move
from linkwork.errors import LinkworkWarning, ResultFileError
from linkwork.model import checks
from linkwork.model.model import Model
from linkwork.results.result import Result


def resume(
    path: str | Path, t: float, *, model: Model | None = None, file: str | Path | None = None,
    **options: Any,
) -> Result:  # fmt: skip
    """Go on with a stored run to time t, with the same method, step and digits.

    path    : of a result file; of a run that was killed, what its last flush has left
    model   : needed where the run used Python functions, which a file cannot keep
    file    : where to write; the file itself (file=path) then holds the whole run, another one,
              or none, holds what is new
    options : those of `transient`; stop= must be given again

    A run that is at time t already is returned as it is.

    Example: ``lw.resume("run.nc", t=20, file="run.nc")``
    """
    from linkwork.integrators.catalogue import method_from_text
    from linkwork.results.files.file import load

    t = checks.number(t, "t, the end time,")
    stored = load(path, model=model, advice=False)
    h, every, text = told(path, stored)
    method = method_from_text(text)
    if "tolerance" not in options and "strategy" not in options:
        options |= strategy_from_parameters(stored.info)
    options.setdefault("every", every)
    options.setdefault("constraint_stiffness", bool(stored.info.get("constraint_stiffness", True)))
    options.setdefault("meets_jumps", bool(stored.info.get("meets_jumps", True)))
    same = file is not None and is_same(path, file)
    if abs(t - float(stored.time[-1])) < 1e-6 * h:
        return ended(path, stored, file, same)
    warn_of_events(path, stored, options)
    earlier = Earlier.of(stored) if same else None
    return move(
        stored.system.model, t, h, method,
        Options(start=stored, file=file, earlier=earlier, **options),
    )  # fmt: skip


def told(path: Any, stored: Result) -> tuple[float, int, str]:
    """Step, `every` and method of a stored run."""
    try:
        return float(stored.info["h"]), int(stored.info["every"]), str(stored.info["method"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ResultFileError(
            f"'{path}' is not of a run that goes on: it does not say how it was made; "
            "call lw.transient(model, t, h, method, start=lw.load(path)) instead of resume"
        ) from None


def is_same(path: Any, file: Any) -> bool:
    """Whether a run that goes on from `path` writes to the same file."""
    target = os.path.realpath(os.fspath(file))
    return os.path.realpath(os.fspath(path)) in (target, f"{target}.part")


def warn_of_events(path: Any, stored: Result, options: dict[str, Any]) -> None:
    """Events of a run that was stopped before any of them are not known any more."""
    events = stored.info.get("stop")
    if events and options.get("stop") is None and not stored.info.get("ended_by"):
        warnings.warn(
            f"the run of '{path}' was to end at {' or '.join(map(str, events))}, which a file "
            "cannot keep; give stop= again, or it goes on beyond",
            LinkworkWarning, stacklevel=3,
        )  # fmt: skip


def ended(path: Any, stored: Result, file: Any, same: bool) -> Result:
    """A run with nothing left to do: its file is made whole, or written under another name."""
    from linkwork.results.files.unfinished import make_whole

    if same:
        return make_whole(Path(path), Path(os.path.realpath(os.fspath(file))), stored)
    if file is not None:
        stored.save(file)
    return stored
