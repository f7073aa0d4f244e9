"""Everything a deck's run leaves on disk, under one name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from linkwork.errors import MbdynError
from linkwork.io.mbdyn.deck import Deck
from linkwork.io.mbdyn.files import Tables, write_text
from linkwork.io.mbdyn.netcdf import write_netcdf
from linkwork.io.mbdyn.running import eigenvalues
from linkwork.results.result import Result


def write_mbdyn(deck: Deck, run: Result, name: str | Path) -> list[Path]:
    """Write name.mov, .jnt, .out, .nc, and .ine and .frc where there is something in them.

    deck is what lw.read_deck gave, run a result of its model; returns the paths.

    Example: ``lw.write_mbdyn(deck, lw.run_deck(deck), "pendulum")``
    """
    if run.system.model is not deck.model:
        raise MbdynError("the result belongs to another model than the deck", str(deck.path))
    tables = Tables(deck, run)
    modes = list(mode_lines(eigenvalues(deck, run)))
    try:
        paths = write_text(tables, name, modes) if deck.analysis.text else []
        return [*paths, write_netcdf(tables, name)]
    except OSError as error:
        raise MbdynError(
            f"its results cannot be written to '{name}.*': {error.strerror or error}",
            str(deck.path),
        ) from None


def mode_lines(found: list[tuple[float, Any]]) -> Iterator[str]:
    for time, modes in found:
        yield f"# eigenanalysis at t = {time:g}\n"
        if isinstance(modes, str):
            yield f"# {modes}\n"
            continue
        yield "# Eig Re Im Damp% Freq(Hz)\n"
        for k, (value, damping, frequency) in enumerate(
            zip(modes.eigenvalues, modes.damping, modes.frequency), 1
        ):
            yield f"Eig {k} {value.real:.9e} {value.imag:.9e} {100 * damping:.6g} {frequency:.9g}\n"
