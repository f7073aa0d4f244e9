"""Flexible links beyond their theory, which is linear in the deflections.

It has no terms of the tension that rotation causes.  With the rate Ω of the floating frame across
the link, a mass μ per length and the slopes w' of its axis, the tension T = ½ μ Ω² (l² − x²) would
store

    V = ½ ∫ T (w'·w') dx = ½ Ω² q·B q          beside the elastic energy  ½ q·K q

so that a link which bends by q is stiffer than it is taken for by the part Ω² q·Bq/q·Kq: a blade
that spins with its first frequency would have √2.2 times that frequency, and the linear one bends
without end in the plane of its rotation.  That, and deflections of more than a tenth of the length,
are told.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.elements.flexible.link import FlexibleLink
from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.outputs.stored import body_numbers, node_places
from linkwork.results.result import Result

SAMPLES = 512  # stored times that are looked at
POINTS = 33  # along a link
STIFFENS = 0.25  # of its stiffness, in the tension of its rotation
LARGE = 0.1  # of its length: deflections
SMALL = 1e-5  # of its length: deflections of which nothing is said
BENDS = 0.1  # of the largest elastic energy: times that count


def warn_of_deflections(result: Result) -> bool:
    """Say so where a flexible link was bent or turned beyond its theory; whether it was."""
    if trouble := deflection_trouble(result):
        warnings.warn(trouble, LinkworkWarning, stacklevel=users_line())
    return bool(trouble)


def deflection_trouble(result: Result) -> str:
    """One sentence on the first link that is beyond its theory; empty where all are within."""
    links = [x for x in result.system.model.items.values() if isinstance(x, FlexibleLink)]
    if not links:
        return ""
    some = np.unique(np.linspace(0, len(result) - 1, SAMPLES).astype(int))
    motion, values = result.motion[some.tolist()], result.values[some.tolist()]
    number, place = body_numbers(result), node_places(result)
    for link in links:
        n, first = len(link.shapes.squares), place(link.amplitudes)
        q = values[:, 0, first : first + n]
        spin = motion[:, number(link.bodies()[0]), 10:13]
        with np.errstate(all="ignore"):
            if trouble := beyond_theory(link, result.time[some], q, spin):
                return trouble
    return ""


def deflections(link: FlexibleLink, q: np.ndarray) -> np.ndarray:
    """(T,) the largest deflection along a link with the amplitudes q (T, m)."""
    Phi = link.shapes.at(np.linspace(0, 1, POINTS))[0]
    return np.linalg.norm(np.einsum("sim,tm->tsi", Phi[:, 1:], q), axis=-1).max(axis=1)


def large_deflection(link: FlexibleLink, time: np.ndarray, q: np.ndarray) -> str:
    """One sentence where a link with the amplitudes q (T, m) is bent beyond its theory."""
    across = deflections(link, q)
    k = int(np.argmax(np.where(np.isfinite(across), across, np.inf)))
    if across[k] <= LARGE * link.length:
        return ""
    return (
        f"{link.label} is bent by {across[k]:.3g} m at t = {time[k]:.4g}, of {link.length:.3g} "
        "m of its length: its theory is for small deflections, up to a tenth of it, so that "
        "what it does is off; take lw.Beam, or several shorter links"
    )


def beyond_theory(link: FlexibleLink, time: np.ndarray, q: np.ndarray, spin: np.ndarray) -> str:
    """One sentence on a link with the amplitudes q (T, m) and rates (T, 3) in its own axes."""
    if trouble := large_deflection(link, time, q):
        return trouble
    s, across = np.linspace(0, 1, POINTS), deflections(link, q)
    Psi = link.shapes.at(s)[1]
    tension = 0.5 * link.modal.mass / link.length * link.length**3 * (1 - s**2)
    weight = np.full(POINTS, 1 / (POINTS - 1))
    weight[[0, -1]] /= 2
    B = np.einsum("s,sim,sin->mn", weight * tension, Psi[:, 1:], Psi[:, 1:])
    bending = np.diag(B) > 1e-12 * max(np.diag(B).max(), 1e-300)
    q, B, K = q[:, bending], B[np.ix_(bending, bending)], np.diag(link.modal.K)[bending]
    elastic, rate = q**2 @ K, np.linalg.norm(spin[:, 1:], axis=1)
    stiffer = rate**2 * np.einsum("ti,ij,tj->t", q, B, q) / np.where(elastic > 0, elastic, np.inf)
    counts = (across > SMALL * link.length) & (elastic > BENDS * elastic.max(initial=0.0))
    stiffer = np.where(counts, stiffer, 0.0)
    k = int(np.argmax(stiffer)) if len(stiffer) else 0
    if not len(stiffer) or not stiffer[k] > STIFFENS:
        return ""
    return (
        f"{link.label} turns at {rate[k]:.3g} rad/s across its axis at t = {time[k]:.4g}: the "
        f"tension of that rotation would make it stiffer by {100 * stiffer[k]:.0f} %, which its "
        "theory of small deflections leaves out, so that it bends too far; take lw.Beam, which has "
        "it, or several shorter links"
    )
