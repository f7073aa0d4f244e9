"""Runs of the command line: whatever stops them, what was computed is kept and found again."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import linkwork
from linkwork.cli.reading import output_path, read_model
from linkwork.cli.speaking import UsageError
from linkwork.cli.tables import print_run
from linkwork.errors import ConvergenceError, Interrupted

if TYPE_CHECKING:
    from linkwork.model.model import Model
    from linkwork.results.result import Result
    from linkwork.system.initial_conditions.consistent_start import Start


def assemble(model: Model) -> Start:
    from linkwork.analysis.assembly.assemble import assemble_model

    return assemble_model(model, warn=False)


def move(
    model: Model, assembled: Start, target: Path | None, t: Any, h: Any, method: Any,
    every: int, tolerance: float | None, strategy: Any = None, flush: float = 1.0,
) -> Result:  # fmt: skip
    """Run; whatever stops it, what was computed until then is kept where the user can find it."""
    try:
        result = linkwork.transient(
            model, t, h, method, start=assembled.state, every=every, tolerance=tolerance,
            strategy=strategy, file=target, flush=flush,
        )  # fmt: skip
    except ConvergenceError as error:
        sentence = str(error).partition("; the results until")[0]  # an attribute means nothing here
        if target is not None and error.result is not None:
            sentence += f"; the results until t = {error.result.time[-1]:.6g} are in '{target}'"
        raise ConvergenceError(sentence, time=error.time) from error
    except Interrupted as error:
        raise as_command(error, t) from error
    return result if target is None else with_reactions(result, target)


def as_command(error: Interrupted, end: float) -> Interrupted:
    """The error of a run that was stopped, with the command that goes on."""
    if error.path is None:
        return error
    sentence = str(error).partition("; go on with")[0]
    told = f"{sentence}; go on with: linkwork resume {error.path} -t {end:g}"
    return Interrupted(told, result=error.result, path=error.path)


def with_reactions(result: Result, target: Path) -> Result:
    """The file with the variables `force` and `torque` too, unless it is a large one."""
    from linkwork.results.files.file import load
    from linkwork.results.files.memory import kept_in_memory

    if result.motion.nbytes > kept_in_memory() // 2:
        return result
    whole = load(target, model=result.system.model)
    whole.save(target)
    return whole


def with_model(path: str, model: str | None) -> Result:
    """A result file, with the model of a file where its own cannot be stored."""
    return linkwork.load(path, model=None if model is None else read_model(model)[0])


def go_on(
    path: str, t: float | None, output: str | None, flush: float, model: Model | None = None
) -> None:
    """Go on with the run of a result file."""
    from linkwork.integrators.catalogue import method_from_text
    from linkwork.results.files.file import load
    from linkwork.results.files.unfinished import newer_pieces

    pieces = newer_pieces(Path(path))
    if t is None and pieces is not None and pieces.head is not None:
        t = float(pieces.head["end"])
    elif t is None:
        stored = load(path, model=model)
        t, now = float(stored.info.get("end", -inf)), float(stored.time[-1])
        if t <= now:
            raise UsageError(
                f"the run of '{path}' is at its end, t = {now:g}; give a later one, for example "
                f"-t {now + 1:g}"
            )
    target = output_path(output) or Path(path.removesuffix(".part"))
    result = with_reactions(linkwork.resume(path, t, model=model, file=target, flush=flush), target)
    print_run(
        result, assemble(result.system.model), method_from_text(result.info["method"]),
        result.info.get("tolerance"), target, None,
    )  # fmt: skip


def check_plot(assembled: Start, name: str) -> None:
    """Finds a wrong name before the run rather than after it."""
    from linkwork.results.plots import WHOLE, find
    from linkwork.results.result import Result

    if name.split(".")[0] not in WHOLE:
        state = assembled.state
        find(Result(assembled.full.system, [state.time], state.motion[None]), name)


def save_plot(result: Result, path: Path, names: list[str]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    figure = np.atleast_1d(result.plot(*names))[0].figure
    figure.savefig(path, dpi=150)
    plt.close(figure)
