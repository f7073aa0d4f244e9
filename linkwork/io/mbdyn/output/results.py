"""Everything a deck's run leaves on disk, under one name."""

from __future__ import annotations

from pathlib import Path

from linkwork.errors import MbdynError
from linkwork.io.mbdyn.deck.deck import Deck
from linkwork.io.mbdyn.deck.eigen_analysis import eigen_analyses
from linkwork.io.mbdyn.deck.running import require_deck
from linkwork.io.mbdyn.output.blocks import Ahead, write_blocks
from linkwork.io.mbdyn.output.eigen import mode_lines, write_text_files
from linkwork.io.mbdyn.output.files import TextFiles
from linkwork.io.mbdyn.output.log_file import write_log
from linkwork.io.mbdyn.output.netcdf import NetCDF
from linkwork.io.mbdyn.output.numbers.tables import Tables
from linkwork.model import checks
from linkwork.results.result import Result


def write_mbdyn(deck: Deck, run: Result, name: str | Path, *, netcdf: bool = True) -> list[Path]:
    """Write name.mov, .jnt, .out, .log, .nc, and .ine, .frc and .m where something is in them.

    deck is what lw.read_deck gave, run a result of its model; returns the paths.
    netcdf : False leaves out name.nc, which has the same numbers as the text, with sixteen digits;
             a deck with `output results: netcdf, no text;` keeps it, and has text only of
             what it has not

    Example: ``lw.write_mbdyn(deck, lw.run_deck(deck), "pendulum")``
    """
    require_deck(deck, "write_mbdyn")
    if not run.system.model.is_copy_of(deck.model):
        raise MbdynError("the result belongs to another model than the deck", str(deck.path))
    with_text = deck.analysis.text
    with_netcdf = checks.flag(netcdf, "netcdf of write_mbdyn") or not with_text
    tables = Tables(deck, run)
    modes = eigen_analyses(deck, run)
    try:
        apart = [*(write_text_files(deck, modes, name) if with_text else []), write_log(deck, name)]
        with Ahead() as ahead:
            text = TextFiles(tables, name, list(mode_lines(modes)), ahead, with_text)
            binary = NetCDF(tables, name, modes, ahead)
            write_blocks(tables, [text, *[binary] * with_netcdf], ahead)
        return [*text.paths, *apart, *[binary.path] * with_netcdf]
    except OSError as error:
        raise MbdynError(
            f"its results cannot be written to '{name}.*': {error.strerror or error}",
            str(deck.path),
        ) from None
