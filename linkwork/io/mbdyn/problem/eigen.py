"""The card `eigenanalysis`: when, which modes, and what of them is written.

    eigenanalysis: when | list, n, when, … [, option, …];
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from linkwork.io.mbdyn.syntax.arguments import Arguments


@dataclass
class EigenRequest:
    """What a deck wants to know about small motions.

    parameter : the number c of the map Λ = (1 + c λ)/(1 − c λ) to discrete time
    modes, mode : how many modes, and those whose Λ is largest or smallest in what
    output    : "matrices", "sparse", "eigenvectors", "geometry"
    lower, upper : frequencies in Hz between which modes are written, if they oscillate
    """

    times: list[float]
    listed: bool = False
    suffix: str = "%02d"
    parameter: float = 0.0  # until it is known
    modes: int | None = None
    mode: str = ""
    lower: float | None = None
    upper: float | None = None
    precision: int = 16
    output: set[str] = field(default_factory=set)

    def file(self, name: str, k: int) -> str:
        """The text file of analysis k."""
        return f"{name}_{self.suffix % k}.m" if self.listed else f"{name}.m"


def eigenanalysis(args: Arguments) -> None:
    listed = bool(args.keyword("list"))
    n = args.count("the number of times") if listed else 1
    times = [args.real("the time of the eigenanalysis") for _ in range(n)]
    request = EigenRequest(times, listed)
    while args.more():
        _, option = args.entry(OPTIONS, "option of eigenanalysis")
        option(args, request)
    if not request.parameter:
        request.parameter = default_parameter(request)
    args.deck.analysis.eigen = request


def default_parameter(request: EigenRequest) -> float:
    """c where Λ of `mode` singles out what lies between the limits, else 1."""
    if request.mode == "smallest magnitude" and (request.upper or 0.0) > 0:
        return 1 / (2 * math.pi * 5 * request.upper)  # type: ignore[operator]
    if request.mode == "largest imaginary part" and (request.lower or 0.0) > 0:
        return 5 / (2 * math.pi * request.lower)  # type: ignore[operator]
    return 1.0


Option = Callable[[Arguments, EigenRequest], None]


def put_out(what: str) -> Option:
    def option(args: Arguments, request: EigenRequest) -> None:
        request.output.add(what)

    return option


def suffix_width(args: Arguments, request: EigenRequest) -> None:
    if args.keyword("compute"):
        width = len(str(max(1, len(request.times) - 1)))
    else:
        width = min(args.count("the width of the suffix"), 20)
    request.suffix = f"%0{width}d"


def suffix_format(args: Arguments, request: EigenRequest) -> None:
    i = args.i
    found = args.string("the format of the suffix")
    if not re.fullmatch(r"[\w.-]{0,40}%0?\d{0,2}d[\w.-]{0,40}", found):
        args.fail("the format of the suffix must have one %d, such as \"%03d\", and no blanks", i)
    request.suffix = found


def precision(args: Arguments, request: EigenRequest) -> None:
    request.precision = min(args.count("the number of digits"), 16)


def matrix_precision(args: Arguments, request: EigenRequest) -> None:
    args.count("the number of digits")
    args.deck.ignore("matrix output precision")


def parameter(args: Arguments, request: EigenRequest) -> None:
    request.parameter = args.positive("the parameter of the eigenanalysis")


def lower(args: Arguments, request: EigenRequest) -> None:
    request.lower = args.real("the lower frequency limit")


def upper(args: Arguments, request: EigenRequest) -> None:
    request.upper = args.real("the upper frequency limit")


def lapack(args: Arguments, request: EigenRequest) -> None:
    if args.keyword("balance"):
        args.one_of(("no", "scale", "permute", "all"), "a way to balance")
    args.deck.ignore("use lapack of eigenanalysis")


def iterative(args: Arguments, request: EigenRequest) -> None:
    """use arpack | jdqz, modes, vectors, tolerance [, [max iterations,] n]: so many lowest modes"""
    request.modes = args.count("the number of eigenvalues")
    args.count("the number of vectors")
    args.real("the tolerance")
    if args.keyword("max iterations") or (args.more() and not args.is_word()):
        args.count("the largest number of iterations")


def external(args: Arguments, request: EigenRequest) -> None:
    """use external: matrices are written for another program"""
    args.deck.note("use external: eigenvalues are computed here, too")


def mode(args: Arguments, request: EigenRequest) -> None:
    """mode, largest | smallest … of Λ: which modes an iterative solver finds"""
    request.mode = args.one_of(MODES, "which eigenvalues there are to find")


MODES = tuple(f"{end} {what}" for what in ("magnitude", "real part", "imaginary part")
              for end in ("largest", "smallest"))  # fmt: skip


OPTIONS: dict[str, Option] = {
    "suffix width": suffix_width, "suffix format": suffix_format,
    "output matrices": put_out("matrices"), "output full matrices": put_out("matrices"),
    "output sparse matrices": put_out("sparse"), "output eigenvectors": put_out("eigenvectors"),
    "output geometry": put_out("geometry"), "matrix output precision": matrix_precision,
    "results output precision": precision, "parameter": parameter,
    "lower frequency limit": lower, "upper frequency limit": upper, "use lapack": lapack,
    "use arpack": iterative, "use jdqz": iterative, "use external": external,
    "mode": mode,
}  # fmt: skip
