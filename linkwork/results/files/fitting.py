"""The compiled model that stored arrays belong to: the one in the file, or the one given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from linkwork.errors import LinkworkError, ResultFileError
from linkwork.model import checks
from linkwork.model.model import Model
from linkwork.system.system import System, compile_model


@contextmanager
def reading(path: str | Path) -> Iterator[None]:
    try:
        yield
    except LinkworkError:
        raise
    except Exception as error:  # HDF5 and its wrappers raise nearly anything
        raise ResultFileError(
            f"cannot read '{path}': its contents are not those of a linkwork result "
            f"({type(error).__name__}: {checks.line(error)}); save it again"
        ) from error


def fitting_system(path: str | Path, parts: dict[str, Any], model: Model | None) -> System:
    """The compiled model, stored or given, that fits the arrays."""
    if model is None:
        if parts["model"] is None:
            raise ResultFileError(
                f"'{path}' does not hold its model ({parts['note']}): write "
                f"lw.load({str(path)!r}, model=...), or read the plain arrays with "
                "xarray.open_dataset"
            )
        from linkwork.results.files.model_file import model_from_dict  # slow to import

        model = model_from_dict(parts["model"])
    with reading(path):
        system = compile_model(model)
    rows = [[row.owner, row.name] for row in system.all_rows]
    if list(system.names) != parts["bodies"] or rows != parts["rows"]:
        refuse_older_layout(path, system, parts)
        raise ResultFileError(
            f"'{path}' was not made with model '{model.name}': it has "
            f"{len(parts['bodies'])} bodies and {len(parts['rows'])} constraint rows "
            f"({_difference(system, parts)}); give the model of the run"
        )
    return system


def refuse_older_layout(path: str | Path, system: System, parts: dict[str, Any]) -> None:
    """Files of a former layout have bodies "link.modes" for the amplitudes of flexible links."""
    links = [link.item.name for link in system.flexible]
    former = [re.compile(rf"{re.escape(str(name))}\.modes\d*") for name in links]
    found = [body for body in parts["bodies"] if any(old.fullmatch(body) for old in former)]
    if found:
        raise ResultFileError(
            f"'{path}' was written by an older version of linkwork, which kept the amplitudes of "
            f"flexible links as bodies ({', '.join(map(repr, found))}); this version cannot go on "
            "from it or show it: run the model again (lw.transient), or read the plain arrays with "
            "xarray.open_dataset"
        )


def _difference(system: System, parts: dict[str, Any]) -> str:
    there = {*parts["bodies"], *(owner for owner, _ in parts["rows"])}
    here = {*system.names, *(row.owner for row in system.all_rows)}
    only_file, only_model = sorted(there - here), sorted(here - there)
    if only_file or only_model:
        return f"only in the file: {only_file}; only in the model: {only_model}"
    return "the same names, but not the same rows or order"
