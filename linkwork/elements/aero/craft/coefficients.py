"""Coefficients of a craft over angle of attack and sideslip, from a file.

Lines that begin with % or # are comments.  The first number line has the counts of α and of β;
then for each β, for each α, come α, β, three coefficients of force and three of moment (MBDyn's
input manual, generic aerodynamic element data).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checks

COLUMNS = 8


def read_coefficients(path: Any, angle: float = 1.0, length: float = 1.0) -> tuple[Any, Any, Any]:
    """α and β (rad) and coefficients (α, β, 6); angles times `angle`, and where lengths are scaled,
    forces times its square and moments times its cube."""
    what = f"file '{path}' of aerodynamic coefficients"
    try:
        text = Path(path).read_text(encoding="utf-8", errors="strict")
    except (OSError, ValueError) as error:
        raise ModelError(f"{what} cannot be read ({checks.line(error)})") from error
    lines = [(i + 1, line) for i, line in enumerate(text.splitlines())
             if line.strip() and line[0] not in "%#"]  # fmt: skip
    if not lines:
        raise ModelError(f"{what} has no numbers; it begins with the counts of both angles")
    head = lines[0][1].split()
    if len(head) != 2 or not all(x.isdigit() and 0 < int(x) <= 10000 for x in head):
        raise ModelError(
            f"{what}, line {lines[0][0]}: expected the counts of angles of attack and of sideslip "
            f"angles, found {checks.show(lines[0][1].strip())}"
        )
    n, m = map(int, head)
    rows = lines[1:]
    if len(rows) != n * m:
        raise ModelError(f"{what}: expected {n} times {m} lines of coefficients, found {len(rows)}")
    numbers = np.array([row_of(what, i, line) for i, line in rows])
    table = numbers.reshape(m, n, COLUMNS).transpose(1, 0, 2)
    alpha, beta = table[:, 0, 0], table[0, :, 1]
    if not (np.all(table[:, :, 0] == alpha[:, None]) and np.all(table[:, :, 1] == beta)):
        raise ModelError(
            f"{what}: expected the same angles of attack for each sideslip angle, one after the "
            "other; sort the table"
        )
    values = table[:, :, 2:] * np.repeat([length**2, length**3], 3)
    return alpha * angle, beta * angle, values


def row_of(what: str, i: int, line: str) -> list[float]:
    words = line.split()
    try:
        found = [float(x) for x in words]
    except ValueError:
        found = []
    if len(found) != COLUMNS or not np.isfinite(found).all():
        raise ModelError(
            f"{what}, line {i}: expected two angles and six coefficients, found "
            f"{checks.show(line.strip())}"
        )
    return found
