"""Shapes of cross sections: area, its moments, torsion constant and shear coefficient.

y and z are the section's axes, Iy = ∫z² dA, Iz = ∫y² dA.  The torsion constant J of a rectangle
with sides a ≥ b is Saint-Venant's series (Timoshenko and Goodier, Theory of Elasticity, 3rd ed.,
§ 109):

    J = a b³/3 (1 − 192/π⁵ b/a Σ_{n = 1, 3, 5, …} tanh(n π a/(2 b))/n⁵)

Shear stiffness is k G A with the coefficients of G. R. Cowper (The shear coefficient in
Timoshenko's beam theory, Journal of Applied Mechanics 33 (1966)), μ the ratio of radii of a tube:

    rectangle 10 (1 + ν)/(12 + 11 ν),   circle 6 (1 + ν)/(7 + 6 ν),
    tube 6 (1 + ν)(1 + μ²)²/((7 + 6 ν)(1 + μ²)² + (20 + 12 ν) μ²)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from linkwork.errors import ModelError
from linkwork.model import checks


class Shape(NamedTuple):
    """A cross section (m², m⁴), its width and height (m), and the shear coefficient of ν."""

    kind: str
    area: float
    Iy: float
    Iz: float
    J: float
    outline: tuple[float, float]
    shear: Callable[[float], float]


def rectangle(width: Any, height: Any) -> Shape:
    w = checks.number(width, "width of Section.rectangle", positive=True)
    h = checks.number(height, "height of Section.rectangle", positive=True)
    a, b = max(w, h), min(w, h)
    series = sum(math.tanh(n * math.pi * a / (2 * b)) / n**5 for n in range(1, 40, 2))
    J = a * b**3 / 3 * (1 - 192 / math.pi**5 * b / a * series)

    def shear(nu: float) -> float:
        return 10 * (1 + nu) / (12 + 11 * nu)

    return Shape("rectangle", w * h, w * h**3 / 12, h * w**3 / 12, J, (w, h), shear)


def circle(radius: Any) -> Shape:
    r = checks.number(radius, "radius of Section.circle", positive=True)
    I = math.pi * r**4 / 4

    def shear(nu: float) -> float:
        return 6 * (1 + nu) / (7 + 6 * nu)

    return Shape("circle", math.pi * r * r, I, I, 2 * I, (2 * r, 2 * r), shear)


def tube(outer: Any, inner: Any) -> Shape:
    r = checks.number(outer, "outer radius of Section.tube", positive=True)
    hole = checks.number(inner, "inner radius of Section.tube", minimum=0)
    if hole >= r:
        raise ModelError(
            f"the inner radius of Section.tube must be smaller than the outer one, {r:g}, but "
            f"{hole:g} was given"
        )
    I, A = math.pi * (r**4 - hole**4) / 4, math.pi * (r * r - hole * hole)

    def shear(nu: float) -> float:
        square = (hole / r) ** 2
        both = (1 + square) ** 2
        return 6 * (1 + nu) * both / ((7 + 6 * nu) * both + (20 + 12 * nu) * square)

    return Shape("tube", A, I, I, 2 * I, (2 * r, 2 * r), shear)
