"""Integration methods of decks: each keyword is a class of linkwork and the words it takes.

Where a class is not part of this version, the nearest method it has takes its place, and the deck's
notes say so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import linkwork
from linkwork.io.mbdyn.arguments import Arguments
from linkwork.io.mbdyn.drive_cards import read_drive


class Method(NamedTuple):
    """A method of linkwork: class, whether it has a spectral radius, further words."""

    name: str
    radius: bool = False
    words: dict[str, Any] = {}  # noqa: RUF012  (nobody writes to it)


METHODS: dict[str, Method] = {
    "crank nicolson": Method("CrankNicolson"),
    "implicit euler": Method("ImplicitEuler"),
    "bdf": Method("BDF2"),
    "ms": Method("MS2", True), "ms2": Method("MS2", True), "ms3": Method("MS3", True),
    "ms4": Method("MS4", True), "hope": Method("Hope", True), "ss2": Method("SS2", True),
    "ss3": Method("SS3", True), "ss4": Method("SS4", True), "Bathe": Method("Bathe", True),
    "msstc3": Method("MSSTC3", True), "msstc4": Method("MSSTC4", True),
    "msstc5": Method("MSSTC5", True), "mssth3": Method("MSSTH3", True),
    "mssth4": Method("MSSTH4", True), "mssth5": Method("MSSTH5", True),
    "DIRK33": Method("DIRK33"), "DIRK43": Method("DIRK43"), "DIRK54": Method("DIRK54"),
}  # fmt: skip


def method(args: Arguments) -> Callable[[], Any]:
    """`ms, 0.6`: the method, made when the whole file has been read."""
    name, found = args.entry(METHODS, "method")
    first = name == "bdf" and bool(args.keyword("order")) and order(args) == 1
    if first:
        found = METHODS["implicit euler"]
    radii = []
    while found.radius and args.more():
        radii.append((args.i, read_drive(args)))
    if found.radius and not radii:
        args.fail(f"the method {name} needs a spectral radius between 0 and 1")
    if len(radii) > 2:
        args.fail(f"the method {name} takes one or two spectral radii, found {len(radii)}")

    def make() -> Any:
        values = [constant_radius(args, i, drive()) for i, drive in radii]
        if len(values) == 2 and values[0] != values[1]:
            args.unsupported("a second spectral radius for algebraic variables is not supported")
        return make_method(args, name, found, values[0] if values else None)

    return make


def order(args: Arguments) -> int:
    i = args.i
    found = args.integer("the order of bdf")
    if found not in (1, 2):
        args.fail(f"the order of bdf is 1 or 2, found {found}", i)
    return found


def constant_radius(args: Arguments, i: int, drive: Any) -> float:
    begin, end = args.deck.analysis.initial_time, args.deck.analysis.final_time
    times = np.linspace(begin, begin + 1 if end is None else end, 11)
    rho = drive.values(times)
    if np.ptp(rho) > 0:
        args.unsupported("a spectral radius that changes with time is not supported", i)
    if not 0 <= rho[0] <= 1:
        args.fail(f"a spectral radius lies between 0 and 1, found {rho[0]:g}", i)
    return float(rho[0])


def make_method(args: Arguments, name: str, found: Method, rho: float | None) -> Any:
    words = dict(found.words)
    limit = args.deck.analysis.max_iterations
    if limit is not None:
        words["max_iterations"] = max(limit, 20)  # theirs stops at another tolerance
    if rho is not None:
        words["rho"] = rho
    if found.name in linkwork.__all__:
        return getattr(linkwork, found.name)(**words)
    words.pop("rho", None)
    if name == "crank nicolson":
        chosen = linkwork.Newmark(gamma=0.5, stabilized=True, **words)
    elif found.name == "ImplicitEuler" or found.name.startswith("DIRK"):
        chosen = linkwork.GeneralizedAlpha(rho=0.0, **words)
    else:
        rho = 0.0 if rho is None else rho
        chosen = linkwork.GeneralizedAlpha(rho=rho, stabilized=rho == 1, **words)
    args.deck.note(f"method {name} is not part of this version; {chosen!r} takes its place")
    return chosen
