"""Strains and forces of a beam element as drives that follow the motion (`lw.reads`).

In the section axes of the reference node r, with the turns t_i and the places d_i of the other
nodes seen from there (model.signals.readings), those of the sections at a point are

    θ = Σ N_i t_i,   θ′ = Σ N_i′ t_i,   p′ = Σ N_i′ d_i
    ε = Qᵀ exp(−θ̃) p′ − ε0 = Qᵀ (p′ − a θ × p′ + b θ × (θ × p′)) − ε0
    κ = Qᵀ T(θ)ᵀ θ′ − κ0   = Qᵀ (θ′ − b θ × θ′ + c θ × (θ × θ′)) − κ0

a = 1 − c |θ|², b and c the series of elements.beams.turning; force and moment are C (ε, κ).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.elements.beams.kernels.strains import blocks
from linkwork.elements.beams.kernels.turning import B_TERMS, C_TERMS
from linkwork.elements.beams.layout import (
    AXES, DAMPED, LINEAR, NODE, SECTION, SHAPE, SLOPE, STRAIN0,
)  # fmt: skip
from linkwork.errors import DriveError
from linkwork.kernels import rotations
from linkwork.model.drives import Constant, Drive, formula
from linkwork.model.signals.readings import reads

if TYPE_CHECKING:
    from linkwork.elements.beams.element import BeamElement

QUANTITIES = ("strain", "curvature", "section_force", "section_moment", "position")
NAMES = "xyz"


def element_reading(element: BeamElement, quantity: str, axis: Any) -> Drive:
    """A quantity such as "curvature", of an element of three nodes "curvature 1" or "curvature 2",
    along an axis of the section (of the world: "position")."""
    word, _, number = quantity.partition(" ")
    points = element.nodes - 1
    if word not in QUANTITIES or number not in (("", "1") if points == 1 else ("1", "2")):
        places = "" if points == 1 else ", each with its evaluation point such as 'strain 1'"
        raise DriveError(
            f"a reading of {element.label}: expected one of {', '.join(QUANTITIES)}{places}, found "
            f"{quantity!r}"
        )
    along = np.array((0.0, 0.0, 1.0) if axis is None else axis, float)
    if along.shape != (3,) or not np.all(np.isfinite(along)):
        raise DriveError(f"a reading of {element.label}: expected x, y, z or three numbers as axis")
    if element.helicoidal:
        raise DriveError(f"a reading of {element.label}: helicoidal elements cannot be read")
    return PointReading(element, int(number or 1) - 1).along(word, along)


class PointReading:
    """What can be read at one evaluation point."""

    def __init__(self, element: BeamElement, point: int) -> None:
        self.element, n = element, element.nodes
        reals = element.entries()[0].reals
        width = (len(reals) - n * NODE) // (n - 1)
        self.reals = reals[n * NODE + point * width : n * NODE + (point + 1) * width]
        self.r = n - 2
        self.others = [i for i in range(n) if i != self.r]

    def along(self, word: str, axis: np.ndarray) -> Drive:
        """A component of one of the quantities."""
        if word == "position":
            return combined(axis, self.place())
        strains = self.strains()
        if word in ("strain", "curvature"):
            return combined(axis, strains[:3] if word == "strain" else strains[3:])
        if not self.reals[LINEAR] or self.reals[DAMPED]:
            raise DriveError(
                f"a reading of {self.element.label}: force and moment of sections can be read "
                "where they are linear and not damped; read strain and curvature"
            )
        C = blocks(self.reals[SECTION : SECTION + 36])
        rows = C[:3] if word == "section_force" else C[3:]
        return combined(axis @ rows, strains)

    def place(self) -> list[Drive]:
        """The point in world axes."""
        frames = self.element.frames
        weights = self.reals[SHAPE : SHAPE + len(frames)]
        return [combined(weights, [reads(f, "position", x) for f in frames]) for x in NAMES]

    def strains(self) -> list[Drive]:
        """ε and κ."""
        frames = self.element.frames
        base = frames[self.r]
        turns = [[reads(frames[i], "rotation", x, relative_to=base) for i in self.others]
                 for x in NAMES]  # fmt: skip
        away = [[reads(frames[i], "position", x, relative_to=base, axes=base) for i in self.others]
                for x in NAMES]  # fmt: skip
        N, N1 = self.reals[SHAPE:][self.others], self.reals[SLOPE:][self.others]
        theta = [combined(N, parts) for parts in turns]
        size = formula("x*x + y*y + z*z", **dict(zip(NAMES, theta)))
        b, c = (formula(horner(terms), p=size) for terms in (B_TERMS, C_TERMS))
        a = formula("1 - p*c", p=size, c=c)
        Q = rotations.matrix(self.reals[AXES : AXES + 4])
        found = []
        for parts, first, second, k in ((away, a, b, 0), (turns, b, c, 3)):
            x = [combined(N1, each) for each in parts]
            turned = [turned_back(theta, x, i, first, second) for i in range(3)]
            zero = self.reals[STRAIN0 + k : STRAIN0 + k + 3]
            found += [combined(Q[:, i], turned) - float(zero[i]) for i in range(3)]
        return found


def combined(weights: np.ndarray, parts: list[Drive]) -> Drive:
    """Σ w_i x_i."""
    kept = [(float(w), x) for w, x in zip(weights, parts) if w]
    if not kept:
        return Constant(0.0)
    names = {f"x{i}": x for i, (_, x) in enumerate(kept)}
    return formula(" + ".join(f"({w!r})*x{i}" for i, (w, _) in enumerate(kept)), **names)


def turned_back(theta: list[Drive], x: list[Drive], i: int, first: Drive, second: Drive) -> Drive:
    """Component i of x − first θ × x + second θ × (θ × x), with θ × (θ × x) = θ (θ·x) − |θ|² x."""
    j, k = (i + 1) % 3, (i + 2) % 3
    text = (
        "xi - f*(tj*xk - tk*xj) + s*(ti*(ti*xi + tj*xj + tk*xk) - (ti*ti + tj*tj + tk*tk)*xi)"
    )
    return formula(
        text, f=first, s=second, xi=x[i], xj=x[j], xk=x[k], ti=theta[i], tj=theta[j], tk=theta[k]
    )


def horner(terms: tuple[float, ...]) -> str:
    """Σ c_k pᵏ as a text."""
    text = f"({terms[-1]!r})"
    for c in terms[-2::-1]:
        text = f"(({c!r}) + p*{text})"
    return text
