"""Template drives: vectors and matrices whose numbers are drives, as sums of one times a drive.

    null | zero     single, v, f: v f(t)     component, f₁, f₂, …: Σ e_k f_k(t)     array, n, …: Σ

`zero` is the old name of `null`, `inactive` a component without a drive, and the word `single` may
be left out.  Of one number there is no v: `single, f` is f.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.io.mbdyn.drives.callers import KEYS, drive_output, read_law
from linkwork.io.mbdyn.drives.plain import TIME, Law, constant, of, total
from linkwork.io.mbdyn.drives.unused import noted_use
from linkwork.io.mbdyn.syntax.arguments import Arguments
from linkwork.io.mbdyn.syntax.geometry import matrix, vector
from linkwork.model.drives import Constant, Drive

Terms = list[tuple[np.ndarray, Law]]
NOTHING = ("null", "zero")
WORDS = (*NOTHING, "single", "component", "array", "reference")


def read_terms(args: Arguments, read_vector: Any, n: int = 3) -> Terms:
    """A vector of drives as Σ vector × drive; `single` vectors may name the frame they are in."""
    if args.keyword(*NOTHING):
        return []
    if args.keyword("single"):
        return [single_number(args)] if n == 1 else [(read_vector(args), read_law(args))]
    if args.keyword("component"):
        axes = np.eye(n)
        return [
            (axes[k], read_law(args)) for k in range(n) if not args.keyword("inactive")
        ]
    if args.keyword("array"):
        count = args.count("the number of template drive callers")
        return [term for _ in range(count) for term in read_terms(args, read_vector, n)]
    if args.keyword("reference"):
        return known_terms(args, n, f"{n} numbers (a vector in another frame is written single, "
                           "reference, …)")  # fmt: skip
    return [(vector(args, n) if n > 1 else np.ones(1), read_law(args))]


def single_number(args: Arguments) -> tuple[np.ndarray, Law]:
    """`single, f` of one number; `single, c, f` is c f, which is ours."""
    if args.key() in KEYS or args.key() == "reference":
        return np.ones(1), read_law(args)
    c = args.real("a drive")
    if args.key() in KEYS or args.key() == "reference":
        return np.array([c]), read_law(args)
    return np.ones(1), of(constant(c))


def known_terms(args: Arguments, n: int, what: str) -> Terms:
    """The template drive caller whose label comes next."""
    i = args.i
    label = args.label("the label of a template drive caller")
    found: Terms | None = args.deck.template_drives.get((label, n))
    if found is None:
        args.fail(f"there is no template drive caller {label} of {what}", i)
    return found


def matrix_terms(args: Arguments) -> Terms:
    """A 3×3 matrix of drives as Σ matrix × drive."""
    if args.keyword(*NOTHING):
        return []
    if args.keyword("component"):
        kind = args.keyword("sym", "diag")
        places = [(r, c) for r in range(3) for c in range(3)]
        if kind:
            places = [(r, c) for r, c in places if r == c or (kind == "sym" and r < c)]
        found = []
        for r, c in places:
            if not args.keyword("inactive"):
                unit = np.zeros((3, 3))
                unit[r, c] = 1.0
                if kind == "sym":
                    unit[c, r] = 1.0
                found.append((unit, read_law(args)))
        return found
    if args.keyword("array"):
        count = args.count("the number of template drive callers")
        return [term for _ in range(count) for term in matrix_terms(args)]
    if args.keyword("reference"):
        return known_terms(args, 9, "3x3 numbers")
    args.keyword("single")
    return [(matrix(args, 3, "an inertia matrix"), read_law(args))]


def component(terms: Terms, k: int) -> Drive | None:
    """The k-th component as one drive of time; None where it is zero."""
    found = []
    for v, law in terms:
        if v[k] != 0:
            drive = law(TIME)
            if isinstance(drive, Constant):
                found.append(constant(float(v[k]) * drive.v))
            else:
                found.append(drive if v[k] == 1 else float(v[k]) * drive)
    drive = total(*found)
    return None if isinstance(drive, Constant) and drive.v == 0 else drive


def template_drive_card(args: Arguments) -> None:
    """template drive caller: label, [name, "…",] 1 | 3 | 6 | "3x3", drive [, output, …];"""
    label = args.label("the label of a template drive caller")
    args.card = f"template drive caller {label}"
    if args.keyword("name"):
        args.string("a name")
    i = args.i
    size = str(args.value("the dimension of a template drive caller"))
    if size not in SIZES:
        args.unsupported(
            f"template drive callers have 1, 3, 6 or 3x3 numbers here, found {size}", i
        )
    n, read = SIZES[size]
    terms = [(value, noted_use(args, law)) for value, law in read(args)]
    args.deck.template_drives[label, n] = terms
    drive_output(args, "template drive callers")
    args.end()


def vector_of(n: int) -> Callable[[Arguments], Terms]:
    return lambda args: read_terms(args, lambda a: vector(a, n), n)


SIZES: dict[str, tuple[int, Callable[[Arguments], Terms]]] = {
    "1": (1, vector_of(1)), "3": (3, vector_of(3)), "6": (6, vector_of(6)),
    "3x3": (9, matrix_terms),
}  # fmt: skip
