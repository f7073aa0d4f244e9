"""File drivers: tables of numbers in text files beside the deck, one drive per column.

    fixed step      one line per step of time
    variable step   the time in the first column

Lines that begin with `#` are comments; those of `# initial time: t` and `# time step: h` can stand
for what the card leaves to the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.model.drives import Constant, Drive, Piecewise, Table


def file_of(args: Arguments, name: str) -> Path:
    """A file named in a deck: from its folder, with $NAME, ${NAME} and ~ replaced.

    A variable that is not set is the folder of the deck, where the file is there.
    """
    unset: list[str] = []

    def value(m: re.Match) -> str:
        word = m.group(1) or m.group(2)
        if word not in args.deck.environment:
            unset.append(word)
        alone = m.start() == 0 and m.string[m.end() :].startswith("/")
        return args.deck.environment.get(word, "." if alone else "")

    given, i = name, max(args.i - 1, 0)
    name = re.sub(r"\$(?:\{(\w+)\}|(\w+))", value, name)
    if "\0" in name:
        args.fail(f"no file can be called {name!r}, with a byte 0 in it", i)
    path = Path(os.path.expanduser(name))
    path = path if path.is_absolute() else Path(args.source.file).parent / path
    if unset and not os.path.isfile(path):
        args.fail(f"the file \"{given}\" cannot be found: the environment variable {unset[0]} is "
                  f"not set; set it, or write setenv: \"{unset[0]}=…\"; before", i)  # fmt: skip
    if unset:
        args.deck.note(f"the environment variable {unset[0]} is not set; \"{given}\" is '{path}'")
    return path


def fixed_step(args: Arguments) -> list[Drive]:
    """fixed step, count | n, columns, [initial time,] t, [time step,] h, …, "file"

    Both times may be `from file`.
    """
    count = None if args.keyword("count") else args.count("the number of steps")
    columns = args.count("the number of columns")
    given: list[float | None] = []
    for word in ("initial time", "time step"):
        args.keyword(word)
        given.append(None if args.keyword("from file") else args.real(f"the {word} of the file"))
    how = options(args)
    table, comments = read_table(args, columns)
    if count is not None and len(table) < count:
        args.fail(f"the file has {len(table)} lines of numbers, and {count} are announced", 0)
    begin, step = (
        from_comments(args, comments, word) if value is None else value
        for word, value in zip(("initial time", "time step"), given)
    )
    if step <= 0:
        args.fail(f"the time step of the file must be positive, found {step:g}", 0)
    table = table[:count]
    return drives(args, begin + step * np.arange(len(table)), table, *how)


def variable_step(args: Arguments) -> list[Drive]:
    """variable step, channels, …, "file";  the first column is the time"""
    columns = args.count("the number of channels")
    how = options(args)
    table, _ = read_table(args, columns + 1)
    return drives(args, table[:, 0], table[:, 1:], *how)


def options(args: Arguments) -> tuple[str, str, str]:
    """[interpolation, linear | const,] [pad zeroes, yes | no | bailout, none | upper | …,]

    How it interpolates, and what there is before and after the table: zero, hold or error.
    """
    kind, before, after = "linear", "zero", "zero"
    while word := args.keyword("interpolation", "pad zeroes", "pad zeros", "bailout"):
        if word == "interpolation":
            kind = args.one_of(("linear", "const"), "an interpolation")
        elif word == "bailout":
            limits = args.one_of(("none", "upper", "lower", "any"), "bounds")
            before = "error" if limits in ("lower", "any") else before
            after = "error" if limits in ("upper", "any") else after
        else:
            before = after = "zero" if args.flag("whether zeroes stand outside") else "hold"
    return kind, before, after


def read_table(args: Arguments, columns: int) -> tuple[np.ndarray, list[str]]:
    """The numbers of a file, and its comments."""
    i = args.i
    path = file_of(args, args.string("the name of a file"))
    try:
        lines = path.read_text(encoding="latin-1").splitlines()
    except OSError as error:
        args.fail(f"the file '{path}' cannot be read: {error.strerror or error}", i)
    comments = [line for line in lines if line.lstrip().startswith("#")]
    rows = [line.split() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if len(rows) < 2 or any(len(row) < columns for row in rows):
        args.fail(f"'{path}' must have at least two lines of {columns} numbers", i)
    try:
        table = np.array([[float(x) for x in row[:columns]] for row in rows])
    except ValueError as error:
        args.fail(f"'{path}' must hold numbers: {error}", i)
    if not np.isfinite(table).all():
        args.fail(f"'{path}' must hold finite numbers", i)
    return table, comments


def from_comments(args: Arguments, comments: list[str], word: str) -> float:
    for line in comments:
        found = re.match(rf"\s*#\s*{word}\s*:\s*(\S+)", line)
        if found:
            try:
                return float(found.group(1))
            except ValueError:
                break
    args.fail(f"the file has no comment '# {word}: …' with a number", 0)


def drives(
    args: Arguments, t: np.ndarray, table: np.ndarray, kind: str, before: str, after: str
) -> list[Drive]:
    if not (np.diff(t) > 0).all():
        args.fail("the times of the file must increase", 0)
    try:
        return [column(t, y, kind, before, after) for y in table.T]
    except LinkworkError as error:
        raise args.translated(error, 0) from None


def column(t: np.ndarray, y: np.ndarray, kind: str, before: str, after: str) -> Drive:
    drive: Drive = Table(tuple(t), tuple(y), "linear", "hold")
    if kind == "const":
        drive = Piecewise(tuple(t[1:]), tuple(Constant(float(x)) for x in y))
    if before == after == "hold":
        return drive
    outside = {"zero": Constant(0.0), "hold": drive,
               "error": Table(tuple(t), tuple(y), "linear", "error")}  # fmt: skip
    ends = (float(t[0]), float(np.nextafter(t[-1], np.inf)))
    return Piecewise(ends, (outside[before], drive, outside[after]))


FILES: dict[str, Callable[[Arguments], list[Drive]]] = {
    "fixed step": fixed_step, "variable step": variable_step,
}  # fmt: skip


def file_driver(args: Arguments) -> None:
    """file: label, type, …;"""
    args.deck.count("file drivers")
    label = args.deck.new_label(args, "file driver")
    _, card = args.entry(FILES, "file driver")
    args.deck.files[label] = card(args)


DRIVERS: dict[str, Callable[[Arguments], None]] = {"file": file_driver}
