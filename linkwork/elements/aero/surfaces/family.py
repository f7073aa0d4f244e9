"""Families of lifting surfaces and the numbers of one: geometry at rest, points, airfoils."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork.elements.aero.airfoils.tables import TABLE_CODES, shifted
from linkwork.elements.aero.surfaces.kernel import SURFACE_KERNEL
from linkwork.elements.aero.surfaces.layout import (
    A1, AIR_CODES, AXES, CENTRE, CENTRE_AC, CHORD, CONTROL, FILTER, HEAD, MIX, NODE, NODE_F, NODE_Q,
    NO_FIELD, POINT, POINT_CODES, POINT_V, PRESSURE_LAG, RADIUS, RATE0, SEPARATION_LAG, SHAPE,
    SHARE, SPAN, TIP, TWIST, WEIGHT, reals_of,
)  # fmt: skip
from linkwork.elements.aero.surfaces.survey import TOLD_NUMBERS
from linkwork.elements.beams.family import shape_functions
from linkwork.elements.layout import int_width
from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.frame import Frame
from linkwork.model.outputs import Output
from linkwork.model.registry import Entry, Family, Law

CUTS = {1: (-1.0, 1.0), 2: (-1.0, 0.0, 1.0), 3: (-1.0, -1 / math.sqrt(3), 1 / math.sqrt(3), 1.0)}


@functools.cache
def surface_family(ends: int, reals: int, integers: int, points: int) -> Family:
    """Surfaces with so many ends, numbers and points; all share one kernel."""
    name = f"lifting surface of {ends}, {reals} and {integers}"
    outputs = (Output("_points", "", tuple(range(points * TOLD_NUMBERS))),)
    return Family(
        name, SURFACE_KERNEL, bodies=ends, reals=reals, integers=integers, outputs=outputs
    )


class Stations(NamedTuple):
    """Points of an element: ξ, the piece each belongs to, its length, its place s on the span,
    and on a single body its distance from the frame along the span."""

    xi: np.ndarray
    piece: np.ndarray
    length: np.ndarray
    s: np.ndarray
    span: np.ndarray


def stations(
    nodes: int, points: int, speed: Callable[[float], float], place: Callable[[float], float],
    start: float = -1.0, end: float = 1.0,
) -> Stations:  # fmt: skip
    """Gauss points in the pieces of an element between start and end.

    speed : length per ξ;  place : s at ξ
    """
    x, w = np.polynomial.legendre.leggauss(points)
    cuts = CUTS[nodes]
    rows = []
    for piece, (a, b) in enumerate(zip(cuts[:-1], cuts[1:])):
        a, b = max(a, start), min(b, end)
        if b <= a:
            continue
        for xi, weight in zip((a + b) / 2 + (b - a) / 2 * x, (b - a) / 2 * w):
            rows.append((xi, piece, weight * speed(xi), place(xi)))
    found = np.array(rows).reshape(-1, 4)
    none = np.zeros(len(found))
    return Stations(found[:, 0], found[:, 1].astype(int), found[:, 2], found[:, 3], none)


def along(value: Any, what: str, s: np.ndarray) -> np.ndarray:
    """A quantity at places s: a number, pairs (s, value), a function of s, or values at points."""
    if callable(value):
        numbers = checks.array([checks.at_place(value, x, what) for x in s.tolist()])
        if numbers is None or numbers.shape != s.shape or not np.all(np.isfinite(numbers)):
            raise ModelError(f"{what} must give a finite number at every s from 0 to 1")
        return numbers
    given = checks.array(value)
    if given is None or not np.all(np.isfinite(given)):
        raise ModelError(
            f"{what} must be a number, pairs (s, value) or a function of s, but "
            f"{checks.show(value)} was given"
        )
    if given.ndim == 0:
        return np.full(len(s), float(given))
    if given.ndim == 2 and given.shape[1] == 2 and len(given) > 0:
        if (np.diff(given[:, 0]) <= 0).any():
            raise ModelError(f"the places s of {what} must rise; {checks.show(value)} was given")
        if given[0, 0] < -1e-9 or given[-1, 0] > 1 + 1e-9:
            raise ModelError(
                f"the places s of {what} must lie between 0 and 1; {checks.show(value)} was given"
            )
        return np.interp(s, given[:, 0], given[:, 1])
    if given.shape == s.shape:
        return given
    raise ModelError(
        f"{what} must be a number, pairs (s, value), a function of s or one number for each of "
        f"{len(s)} points, but {checks.show(value)} was given"
    )


class Foils(NamedTuple):
    """Airfoils of points: tables one after the other, and of each point the first integers of two
    of them and a mix."""

    numbers: np.ndarray
    codes: np.ndarray
    first: np.ndarray
    second: np.ndarray
    mix: np.ndarray


def foils_at(airfoils: list[tuple[float, Any]], blend: bool, s: np.ndarray) -> Foils:
    """airfoils : (s, airfoil), s where it holds, or with blend=False up to where."""
    tables: list[np.ndarray] = []
    codes: list[np.ndarray] = []
    places: dict[int, int] = {}
    size = 0
    for _, foil in airfoils:
        if id(foil) not in places:
            places[id(foil)] = TABLE_CODES.width * len(tables)
            tables.append(foil.numbers)
            codes.append(shifted(foil.codes, size))
            size += len(foil.numbers)
    numbers, integers = np.concatenate(tables), np.concatenate(codes)
    bounds = np.array([x for x, _ in airfoils])
    starts = np.array([places[id(foil)] for _, foil in airfoils])
    last = len(airfoils) - 1
    if not blend or last == 0:
        i = np.minimum(np.searchsorted(bounds, s - 1e-12), last)
        return Foils(numbers, integers, starts[i], starts[i], np.zeros(len(s)))
    i = np.clip(np.searchsorted(bounds, s, side="right") - 1, 0, last - 1)
    mix = np.clip((s - bounds[i]) / (bounds[i + 1] - bounds[i]), 0.0, 1.0)
    return Foils(numbers, integers, starts[i], starts[i + 1], mix)


class Strip(NamedTuple):
    """What is known at the points of an element."""

    chord: np.ndarray
    centre: np.ndarray
    velocity: np.ndarray
    twist: np.ndarray
    share: np.ndarray
    tip: np.ndarray
    rate: np.ndarray  # K₀ of the states


class Unsteady(NamedTuple):
    """Constants of the states of points: how many, filter frequency, A₁ A₂ b₁ b₂, lags T_p T_f."""

    states: int
    frequency: float
    wagner: tuple[float, float, float, float]
    lags: Sequence[float]


class Disc(NamedTuple):
    """The rotor whose inflow a surface meets: its ends, kind of field, radius, axes and centre."""

    ends: tuple[Any, ...]
    field: int
    radius: float
    axes: np.ndarray
    centre: np.ndarray


def surface_entry(
    frames: list[Frame], at: Stations, strip: Strip, foils: Foils, unsteady: Unsteady | None,
    disc: Disc | None, air: Any, control: float, node: Any,
) -> Entry:  # fmt: skip
    """One element on frames, whose axes are x forward, y up, z along the span."""
    n, m = len(frames), len(at.xi)
    own, codes = air.numbers()
    size = reals_of(n, len(own), m, len(foils.numbers))
    reals = np.zeros(size)
    first = HEAD + len(own) + n * NODE
    table = first + m * POINT
    reals[CONTROL] = control
    states, field = 0, NO_FIELD
    reals[HEAD : HEAD + len(own)] = own
    bodies: tuple[Any, ...] = tuple(frame.body for frame in frames)
    if unsteady is not None:
        states, reals[FILTER] = unsteady.states, unsteady.frequency
        reals[A1 : A1 + 4] = unsteady.wagner
        reals[PRESSURE_LAG], reals[SEPARATION_LAG] = unsteady.lags
        bodies += (node,)
    if disc is not None:
        field, reals[RADIUS] = disc.field, disc.radius
        reals[AXES : AXES + 9], reals[CENTRE : CENTRE + 3] = disc.axes.ravel(), disc.centre
        bodies += disc.ends
    for i, frame in enumerate(frames):
        c = HEAD + len(own) + NODE * i
        reals[c + NODE_F : c + NODE_F + 3] = frame.position
        reals[c + NODE_Q : c + NODE_Q + 4] = frame.orientation
    for j in range(m):
        c = first + POINT * j
        shape = [1.0] if n == 1 else shape_functions(n, at.xi[j])[0]
        reals[c + SHAPE : c + SHAPE + n] = shape
        reals[c + WEIGHT] = at.length[j]
        reals[c + CHORD], reals[c + CENTRE_AC] = strip.chord[j], strip.centre[j]
        reals[c + POINT_V], reals[c + TWIST] = strip.velocity[j], strip.twist[j]
        reals[c + SHARE], reals[c + TIP] = strip.share[j], strip.tip[j]
        reals[c + MIX], reals[c + RATE0], reals[c + SPAN] = foils.mix[j], strip.rate[j], at.span[j]
    reals[table:] = foils.numbers
    laws: list[Law] = air.laws(HEAD)
    begin = AIR_CODES + len(codes)
    tables = begin + POINT_CODES * m
    points = np.column_stack([at.piece, tables + foils.first, tables + foils.second]).ravel()
    integers = (
        n, states, field, m, first, begin, *codes, *points.astype(int).tolist(),
        *shifted(foils.codes, table).tolist(), int_width(len(bodies), 0),
    )  # fmt: skip
    family = surface_family(len(bodies), size, len(integers), m)
    return Entry(family, bodies, reals, laws=laws, integers=integers)
