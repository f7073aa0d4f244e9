"""C81 tables: c_l, c_d and c_m over angle of attack (degrees) and Mach number.

Fixed columns: a title of 30 characters and six counts of two digits (Mach numbers and angles of
c_l, of c_d, of c_m); for each coefficient a line of Mach numbers, then a line for each angle, in
fields of seven characters, ten a line; lines that go on begin with seven blanks.

Free format: a line '# FREE FORMAT', then 'title; six counts', then the same numbers between blanks.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks

if TYPE_CHECKING:
    from linkwork.elements.aero.airfoils.airfoil import Airfoil

FIELD, FIELDS, TITLE = 7, 10, 30
FREE = "free format"


def read_c81(path: Any, outside: str = "error") -> Airfoil:
    """The airfoil of a file."""
    lines = text_of(path, "a C81 table").splitlines()
    return parse_c81(lines, str(path), outside)


def text_of(path: Any, what: str) -> str:
    """The text of a file; a sentence where there is none."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except (OSError, TypeError, ValueError) as error:
        raise ModelError(
            f"{what} cannot be read from {checks.show(path)} ({checks.line(error)}); give the path "
            "of a file"
        ) from None


def parse_c81(lines: list[str], name: str, outside: str) -> Airfoil:
    """The airfoil from the lines of a table."""
    from linkwork.elements.aero.airfoils.airfoil import Airfoil

    free = bool(lines) and lines[0].lstrip("# ").strip().lower() == FREE
    reader: Any = FreeReader(lines, name) if free else FixedReader(lines, name)
    title, counts = reader.head()
    grids = []
    for k, word in enumerate(("lift", "drag", "moment")):
        columns, angles = counts[2 * k], counts[2 * k + 1]
        if columns < 1 or angles < 1:
            reader.fail(f"its header counts {columns} Mach numbers and {angles} angles of {word}")
        mach = reader.row(columns, word, lead=False)
        rows = np.array([reader.row(columns + 1, word, lead=True) for _ in range(angles)])
        grids.append((np.clip(np.radians(rows[:, 0]), -math.pi, math.pi), mach, rows[:, 1:]))
    try:
        lift, drag, moment = grids
        return Airfoil(lift, drag, moment, title=title or "C81", outside=outside)
    except ModelError as error:
        raise ModelError(f"C81 table '{name}': {error}") from None


class Reader:
    """Lines of a table, one after the other."""

    def __init__(self, lines: list[str], name: str) -> None:
        self.lines, self.name, self.i = lines, name, 0

    def fail(self, why: str) -> NoReturn:
        raise ModelError(
            f"C81 table '{self.name}', line {self.i}: {why}; correct the file, or give another"
        )

    def line(self, what: str) -> str:
        while self.i < len(self.lines):
            self.i += 1
            if self.lines[self.i - 1].strip():
                return self.lines[self.i - 1]
        self.fail(f"it ends where {what} was expected")

    def number(self, text: str, word: str) -> float:
        try:
            value = float(text)
        except ValueError:
            self.fail(f"expected a number of the {word} table, found {checks.show(text)}")
        if not math.isfinite(value):
            self.fail(f"expected a finite number of the {word} table, found {text.strip()}")
        return value


class FixedReader(Reader):
    """Fields of seven characters."""

    def head(self) -> tuple[str, list[int]]:
        line = self.line("its header")
        digits = line[TITLE : TITLE + 12].ljust(12)
        parts = [digits[2 * k : 2 * k + 2] for k in range(6)]
        if not all(part.strip().isdigit() for part in parts):
            self.fail(
                f"expected six counts of two digits from column {TITLE + 1} on, found "
                f"{checks.show(line[TITLE:])}"
            )
        return line[:TITLE].strip(), [int(part) for part in parts]

    def row(self, count: int, word: str, lead: bool) -> list[float]:
        """`count` numbers; those of a line that has no angle begin in the second field."""
        found: list[float] = []
        first = 0 if lead else 1
        while len(found) < count:
            line = self.line(f"a row of the {word} table")
            taken = 0
            for k in range(first, FIELDS):
                text = line[FIELD * k : FIELD * (k + 1)]
                if len(found) == count or not text.strip():
                    break
                found.append(self.number(text, word))
                taken += 1
            if not taken:
                self.fail(f"a row of the {word} table has {len(found)} numbers in place of {count}")
            first = 1
        return found


class FreeReader(Reader):
    """Numbers between blanks."""

    def head(self) -> tuple[str, list[int]]:
        self.i = 1
        title, mark, counts = self.line("its header").rpartition(";")
        parts = counts.split()
        if not mark or len(parts) != 6 or not all(part.isdigit() for part in parts):
            self.fail("expected 'title; six counts'")
        return title.strip(), [int(part) for part in parts]

    def row(self, count: int, word: str, lead: bool) -> list[float]:
        found: list[float] = []
        while len(found) < count:
            parts = self.line(f"a row of the {word} table").split()
            if len(found) + len(parts) > count:
                self.fail(f"a row of the {word} table has more than {count} numbers")
            found += [self.number(part, word) for part in parts]
        return found


# ---------------------------------------------------------------------------------- writing


def write_c81(foil: Airfoil, path: Any, free: bool) -> None:
    """The tables of an airfoil as a file."""
    if foil.axis != "mach":
        raise ModelError(
            f"airfoil '{foil.title}' has tables over Reynolds numbers, which a C81 table has no "
            "place for; make one of a single polar"
        )
    grids = foil.grids
    counts = [n for g in grids for n in (len(g.columns), len(g.alpha))]
    title = re.sub(r"[;\s]+", " ", foil.title)
    lines = [f"# {FREE.upper()}", f"{title}; {' '.join(map(str, counts))}"]
    if not free:
        if max(counts) > 99:
            raise ModelError(
                f"airfoil '{foil.title}' has {max(counts)} angles or Mach numbers, but fixed "
                "columns have place for 99; write it with free=True"
            )
        lines = [title[:TITLE].ljust(TITLE) + "".join(f"{n:2d}" for n in counts)]
    for g in grids:
        lines += free_lines(g) if free else fixed_lines(g, foil.title)
    try:
        Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    except (OSError, TypeError, ValueError) as error:
        raise ModelError(
            f"airfoil '{foil.title}' cannot be written to {checks.show(path)} "
            f"({checks.line(error)})"
        ) from None


def free_lines(g: Any) -> list[str]:
    rows = [" ".join(repr(float(x)) for x in g.columns)]
    for a, values in zip(g.alpha, g.values):
        rows.append(" ".join(repr(float(x)) for x in (math.degrees(a), *values)))
    return rows


def fixed_lines(g: Any, title: str) -> list[str]:
    rows = split([""] + [short(x, title) for x in g.columns])
    for a, values in zip(g.alpha, g.values):
        rows += split([short(x, title) for x in (math.degrees(a), *values)])
    return rows


def split(fields: list[str]) -> list[str]:
    """Fields of seven characters, ten a line."""
    found = ["".join(f.ljust(FIELD) for f in fields[:FIELDS])]
    rest = fields[FIELDS:]
    while rest:
        found.append(" " * FIELD + "".join(f.ljust(FIELD) for f in rest[: FIELDS - 1]))
        rest = rest[FIELDS - 1 :]
    return found


def short(x: float, title: str) -> str:
    """A number in at most seven characters."""
    for digits in (4, 3, 2, 1, 0):
        text = f"{x:.{digits}f}"
        if len(text) <= FIELD:
            return text
    raise ModelError(
        f"airfoil '{title}' has the number {x:g}, which needs more than {FIELD} characters; write "
        "it with free=True"
    )
