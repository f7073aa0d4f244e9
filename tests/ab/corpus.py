"""The runs that are compared: `corpus(extent)` gives them by name, "quick" or "full".

Mechanisms come from the commit under test (docs/hard, examples, tests/shared), so that a name that
changes with the code changes with them; what is done with them is here, in public names.
"""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import compositions
from record import numbers, outputs

import linkwork as lw

Case = Callable[[], Any]
STEPS = 300  # of a motion that is cut
WHOLE = 100_000  # longer motions are cut to this, also in the full corpus
SEED = 3  # of the samples of items
STEPS_PER_CALL = "LINKWORK_STEPS_PER_CALL"


def corpus(extent: str, root: Path) -> Iterator[tuple[str, Case]]:
    """Names begin with what they are of: hard, item, composition, deck, example, record."""
    yield from items()
    yield from compositions.all_of_them()
    yield from decks(sorted((root / "examples" / "mbdyn").glob("*.mbd")), "deck", extent)
    yield from hard_motions(extent)
    if extent == "full":
        yield from continued_motions()
        yield from examples()
        records = root.parent / "shared" / "records"
        yield from decks(sorted(records.glob("*/*.mbd")), "record", extent)


@contextlib.contextmanager
def steps_per_call(count: int | None) -> Iterator[None]:
    """How many steps the time loop takes in a call; None leaves it to the clock."""
    if count is not None:
        os.environ[STEPS_PER_CALL] = str(count)
    try:
        yield
    finally:
        os.environ.pop(STEPS_PER_CALL, None)


# ------------------------------------------------------------------------------------ hard motions


def hard_motions(extent: str) -> Iterator[tuple[str, Case]]:
    from docs.hard.motions import KINDS
    from docs.hard.runs import METHODS

    for motion in (motion for kind in KINDS for motion in kind.motions()):
        for method in METHODS:
            if method in motion.without:
                continue
            name = f"hard/{motion.name}/{method}"
            if extent == "full":
                yield f"{name}/whole", functools.partial(move, motion, method, WHOLE, None)
            for count in (7, None) if extent == "quick" else (1, 7):
                how = "auto" if count is None else f"{count} a call"
                yield f"{name}/{how}", functools.partial(move, motion, method, STEPS, count)


def move(motion: Any, method: str, steps: int, count: int | None, **more: Any) -> lw.Result:
    """A hard motion, cut to a number of steps, of which every 7th is stored in long runs."""
    from docs.hard.runs import METHODS

    model, options = motion.model(), dict(motion.options) | more
    if motion.begin is not None and "start" not in options:
        options["start"] = motion.begin(model)
    t = min(motion.t, steps * motion.h)
    every = motion.every if steps > STEPS else min(motion.every, 7)
    chosen = METHODS[method](**motion.parameters)
    with steps_per_call(count):
        return lw.transient(model, t, motion.h, chosen, every=every, progress=False, **options)


def continued_motions() -> Iterator[tuple[str, Case]]:
    """Runs that are saved and resumed at a third, and runs that are killed."""
    from docs.hard.motions import KINDS
    from docs.hard.runs import METHODS

    for kind in KINDS:
        for k, motion in enumerate(kind.motions()):
            for method in METHODS:
                if method in motion.without:
                    continue
                name = f"hard/{motion.name}/{method}"
                yield f"{name}/resumed", functools.partial(resumed, motion, method)
                if k == 0:
                    yield f"{name}/killed", functools.partial(killed, motion, method)


def resumed(motion: Any, method: str) -> lw.Result:
    """Run to a third of 300 steps, saved, and resumed from the file to the end."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.nc"
        move(motion, method, STEPS // 3, 7).save(file)
        return dict(numbers(gone_on(file, motion)))  # before the file goes


def gone_on(start: Path, motion: Any, **words: Any) -> lw.Result:
    """The run resumed from a file, which does not hold models with functions in Python."""
    words |= {"t": min(motion.t, STEPS * motion.h), "progress": False}
    with steps_per_call(7):
        try:
            return lw.resume(start, **words)
        except lw.ResultFileError as error:
            if "give the model again" not in str(error):
                raise
            return lw.resume(start, model=motion.model(), **words)


def killed(motion: Any, method: str) -> dict[str, Any]:
    """A run whose process is killed once its journal has grown, and that is resumed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.nc"
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                move(motion, method, STEPS, 1, file=file, flush=0.0)
            os._exit(0)
        journal = file.with_name("run.nc.part")
        first = size = 0
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            with contextlib.suppress(FileNotFoundError):  # not begun, or just joined
                size = journal.stat().st_size
            first = first or size
            if size > first + 4096:
                os.kill(child, 9)
                os.waitpid(child, 0)
                break
        if not file.exists() and not journal.exists():
            return {}  # refused before its first step, as other cases show
        with warnings.catch_warnings():  # where it was killed is a matter of chance
            warnings.simplefilter("ignore", lw.UnfinishedWarning)
            try:
                return dict(numbers(gone_on(file, motion, file=file)))
            except (lw.ConvergenceError, lw.ModelError):
                return {}  # a motion that fails, before or after the kill: other cases show how


# ------------------------------------------------------------------------------------------- items


def items() -> Iterator[tuple[str, Case]]:
    from inside import ITEMS

    for name in sorted(ITEMS):
        yield f"item/{name}", functools.partial(sample, name)


def sample(name: str) -> dict[str, Any]:
    """A short run of a registered item between two bodies, and what its outputs are."""
    import numpy as np
    from inside import ITEMS

    rng = np.random.default_rng(SEED)
    m = lw.Model(name, gravity=(0, 0, -9.81))
    bodies = [
        m.add(word, lw.Body(
            1.5, (0.1, 0.2, 0.25), position=rng.normal(size=3), velocity=0.1 * rng.normal(size=3)
        ))
        for word in "ab"
    ]  # fmt: skip
    item = ITEMS[name].sample(rng, *bodies)
    for k, part in enumerate(item if isinstance(item, list) else [item]):
        m.add(f"item {k}", part)
    with steps_per_call(7):
        run = lw.transient(m, 0.02, 1e-3, progress=False)
    return dict(numbers(run)) | outputs(run)


# ------------------------------------------------------------------------------- decks and examples


def decks(paths: list[Path], kind: str, extent: str) -> Iterator[tuple[str, Case]]:
    for path in paths:
        yield f"{kind}/{path.stem}", functools.partial(run_deck, path, extent)


def run_deck(path: Path, extent: str) -> dict[str, Any]:
    """A deck of MBDyn and its outputs; the quick corpus cuts it to 300 steps."""
    deck = lw.read_deck(path, environment={})
    t = None
    analysis = deck.analysis
    if extent == "quick" and analysis.moves and analysis.step and analysis.final_time:
        t = min(analysis.final_time, analysis.initial_time + STEPS * analysis.step)
    run = lw.run_deck(deck, progress=False, t=t)
    return dict(numbers(run)) | outputs(run)


def examples() -> Iterator[tuple[str, Case]]:
    from example_scripts import EXAMPLES, load_example

    for path in EXAMPLES:
        yield f"example/{path.stem}", lambda name=path.stem: example(load_example(name))


def example(script: Any) -> dict[str, Any]:
    """What the gallery's script computes, and the run of its model."""
    with contextlib.redirect_stdout(open(os.devnull, "w")):
        found = {f"main.{word}": value for word, value in script.main().items()}
    steps = min(script.time, 1000 * script.step)
    with contextlib.suppress(lw.LinkworkError):
        found |= outputs(lw.transient(script.model, steps, script.step, progress=False))
    return found
