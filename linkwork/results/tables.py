"""Results as one wide table: a row per stored time, a column per number, "rod.position.x".

Names are those of plots.  Without any, the table has every output of every item and the energies;
units are in `table.attrs["units"]`, column → unit.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.results.files.file import check_writable
from linkwork.results.plots import Curve, find

if TYPE_CHECKING:
    import pandas as pd

    from linkwork.results.result import Result


def wide_table(result: Result, names: tuple[str, ...]) -> pd.DataFrame:
    """A pandas DataFrame over time."""
    import pandas as pd

    curves = [curve for name in names or all_names(result) for curve in find(result, name)]
    index = pd.Index(result.time, name="time")
    table = pd.DataFrame({c.label: np.atleast_1d(c.values) for c in curves}, index=index)
    table.attrs = {"model": str(result.info["model"]), "units": units_of(curves)}
    return table


def all_names(result: Result) -> list[str]:
    """Every output of every item, and the energies."""
    found = [f"{item}.{output}" for item in result.named for output in result[item].names]
    return [*found, "energy"]


def units_of(curves: list[Curve]) -> dict[str, str]:
    return {"time": "s", **{c.label: c.units for c in curves}}


def write_csv(result: Result, path: Any, names: tuple[str, ...], units: bool) -> None:
    """One line of names, then a line per time; numbers come back to the bit."""
    target = check_writable(path)
    table = wide_table(result, names)
    if units:
        known = table.attrs["units"]
        label = {c: f"{c} ({known[c]})" for c in table.columns if known[c] not in ("", "1")}
        table = table.rename(columns=label).rename_axis("time (s)")
    table.to_csv(Path(target), float_format="%.17g")


def write_parquet(result: Result, path: Any, names: tuple[str, ...]) -> None:
    """A Parquet file, with the names of the columns and the units in its metadata."""
    target = check_writable(path)
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise LinkworkError(
            f"to_parquet needs the package pyarrow ({error}); install it with: "
            "pip install 'linkwork[parquet]', or write a table with to_csv"
        ) from None
    wide_table(result, names).to_parquet(Path(target), engine="pyarrow")
