"""Polars in files of XFOIL (accumulated polars) and AeroDyn (AirfoilInfo tables).

XFOIL: a line of dashes under the names of the columns, alpha CL CD CDp CM …, one polar a file.
AeroDyn 15: lines 'value  name', of which NumTabs, Re (in millions) and NumAlf count, then NumAlf
rows of angle, c_l, c_d and, where there is one, c_m, for each Reynolds number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from linkwork.elements.aero.airfoils.c81 import text_of
from linkwork.errors import ModelError
from linkwork.model import checks

if TYPE_CHECKING:
    from linkwork.elements.aero.airfoils.airfoil import Airfoil

COMMENTS = "!#"


def read_polar(path: Any, outside: str = "error") -> Airfoil:
    """The airfoil of a file of either kind."""
    lines = text_of(path, "a polar").splitlines()
    if any("NumAlf" in line for line in lines):
        return read_aerodyn(lines, str(path), outside)
    return read_xfoil(lines, str(path), outside)


def fail(name: str, line: int, why: str) -> NoReturn:
    raise ModelError(f"polar '{name}', line {line}: {why}; correct the file, or give another")


def numbers(text: str, name: str, line: int) -> list[float]:
    """The numbers at the beginning of a line."""
    found: list[float] = []
    for word in text.split():
        try:
            found.append(float(word))
        except ValueError:
            break
    if any(not math.isfinite(x) for x in found):
        fail(name, line, f"expected finite numbers, found {checks.show(text)}")
    return found


def read_xfoil(lines: list[str], name: str, outside: str) -> Airfoil:
    from linkwork.elements.aero.airfoils.airfoil import Airfoil

    title, mach = "XFOIL polar", 0.0
    for i, line in enumerate(lines):
        words = line.split()
        if line.strip().startswith("Calculated polar for:"):
            title = line.partition(":")[2].strip() or title
        if "Mach" in words and "=" in words:
            after = numbers(line.partition("Mach")[2].replace("=", " "), name, i + 1)
            mach = after[0] if after else 0.0
        if words and set("".join(words)) == {"-"}:
            header = lines[i - 1].lower().split() if i else []
            wanted = {word: header.index(word) for word in ("alpha", "cl", "cd", "cm")
                      if word in header}  # fmt: skip
            if not {"alpha", "cl", "cd"} <= set(wanted):
                fail(name, i, "expected columns alpha, CL and CD above the line of dashes")
            rows = []
            for k, text in enumerate(lines[i + 1 :], i + 2):
                if text.strip():
                    row = numbers(text, name, k)
                    if len(row) <= max(wanted.values()):
                        fail(name, k, f"expected {len(header)} numbers, found {checks.show(text)}")
                    rows.append(row)
            if not rows:
                fail(name, i + 1, "it has no rows")
            table = np.array([[row[k] for k in wanted.values()] for row in rows])
            table = table[np.argsort(table[:, 0])]
            columns = dict(zip(wanted, table.T))
            return Airfoil.polar(
                columns["alpha"], columns["cl"], columns["cd"], columns.get("cm"), title=title,
                mach=mach, outside=outside,
            )  # fmt: skip
    fail(name, len(lines), "it is neither a polar of XFOIL nor tables of AeroDyn")


def read_aerodyn(lines: list[str], name: str, outside: str) -> Airfoil:
    from linkwork.elements.aero.airfoils.airfoil import Airfoil

    found: list[tuple[float, Airfoil]] = []
    reynolds, i = 1.0, 0
    while i < len(lines):
        words = lines[i].split()
        if len(words) > 1 and words[1] == "Re":
            given = numbers(lines[i], name, i + 1)
            reynolds = 1e6 * given[0] if given else 1e6
        if len(words) > 1 and words[1] == "NumAlf":
            given = numbers(lines[i], name, i + 1)
            if not given or given[0] < 1 or given[0] != int(given[0]):
                fail(name, i + 1, f"expected how many angles there are, found {words[0]}")
            rows: list[list[float]] = []
            while len(rows) < int(given[0]):
                i += 1
                if i >= len(lines):
                    fail(name, i, f"it ends after {len(rows)} of {int(given[0])} angles")
                if not lines[i].strip() or lines[i].strip()[0] in COMMENTS:
                    continue
                row = numbers(lines[i], name, i + 1)
                if len(row) < 3:
                    fail(name, i + 1, f"expected an angle, c_l and c_d, found {lines[i].strip()!r}")
                rows.append(row)
            table = np.array([[*row[:3], row[3] if len(row) > 3 else 0.0] for row in rows])
            found.append((reynolds, Airfoil.polar(*table.T, title=name, outside=outside)))
        i += 1
    return found[0][1] if len(found) == 1 else Airfoil.of_reynolds(found)
