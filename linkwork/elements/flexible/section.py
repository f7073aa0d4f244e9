"""Cross sections of beams: stiffness and mass per length.

x lies along the beam, y and z are the section's principal axes.  EIy resists bending about y, which
moves the beam along z; rectangle(width, height) has its width along y and its height along z.

    EA, EIy = E ∫z² dA, EIz = E ∫y² dA, GJ = E J / (2 (1 + ν));   Jx = Jy + Jz, Jy = ρ ∫z² dA, …

The torsion constant J of a rectangle with sides a ≥ b is Saint-Venant's series (Timoshenko and
Goodier, Theory of Elasticity, 3rd ed., § 109):

    J = a b³/3 (1 − 192/π⁵ b/a Σ_{n = 1, 3, 5, …} tanh(n π a/(2 b))/n⁵)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

from linkwork.errors import ModelError
from linkwork.model import checks
from linkwork.model.given import Number, VectorLike, given

STIFFNESSES = ("EA", "EIy", "EIz", "GJ")
INERTIAS = ("Jx", "Jy", "Jz")


@dataclass(frozen=True)
class Section:
    """Stiffness and mass per length of a beam, about the section's own axes y and z.

    EA in N; EIy, EIz (bending about y and about z) and GJ in N m²; mass in kg/m; Jx, Jy, Jz are
    moments of inertia per length, kg m.  Inertias that are not given are those of a homogeneous
    material, J = mass · EI/EA.  `rectangle`, `circle` and `tube` compute all of them.

    Example
    -------
    >>> import linkwork as lw
    >>> steel = lw.Section.rectangle(0.02, 0.01, E=2.1e11, density=7800)
    >>> round(steel.mass, 6)
    1.56
    """

    EA: float
    EIy: float
    EIz: float
    GJ: float
    mass: float
    Jx: Number = given(None)
    Jy: Number = given(None)
    Jz: Number = given(None)
    # for drawing: width along y, height along z
    outline: VectorLike | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        for word in (*STIFFNESSES, "mass"):
            value = checks.number(getattr(self, word), f"{word} of a Section", positive=True)
            set_(self, word, value)
        density = self.mass / self.EA
        homogeneous = (density * (self.EIy + self.EIz), density * self.EIy, density * self.EIz)
        for word, usual in zip(INERTIAS, homogeneous, strict=True):
            given = getattr(self, word)
            value = usual if given is None else given
            set_(self, word, checks.number(value, f"{word} of a Section", minimum=0))
        if self.outline is not None:
            size = checks.vector(self.outline, "outline of a Section", 2)
            set_(self, "outline", (float(size[0]), float(size[1])))

    def parameters(self) -> dict[str, Any]:
        """The numbers, for files."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def rectangle(
        cls, width: float, height: float, *, E: float, nu: float = 0.3, density: float
    ) -> Section:
        """A solid rectangle: width along y, height along z."""
        w = across(width, "width of Section.rectangle")
        h = across(height, "height of Section.rectangle")
        a, b = max(w, h), min(w, h)
        series = sum(math.tanh(n * math.pi * a / (2 * b)) / n**5 for n in range(1, 40, 2))
        J = a * b**3 / 3 * (1 - 192 / math.pi**5 * b / a * series)
        return cls.of_material(
            "rectangle", w * h, w * h**3 / 12, h * w**3 / 12, J, E, nu, density, (w, h)
        )

    @classmethod
    def circle(cls, radius: float, *, E: float, nu: float = 0.3, density: float) -> Section:
        """A solid circle."""
        r = across(radius, "radius of Section.circle")
        I = math.pi * r**4 / 4
        size = (2 * r, 2 * r)
        return cls.of_material("circle", math.pi * r * r, I, I, 2 * I, E, nu, density, size)

    @classmethod
    def tube(
        cls, outer: float, inner: float, *, E: float, nu: float = 0.3, density: float
    ) -> Section:
        """A round tube with these two radii."""
        r = across(outer, "outer radius of Section.tube")
        hole = checks.number(inner, "inner radius of Section.tube", minimum=0)
        if hole >= r:
            raise ModelError(
                f"the inner radius of Section.tube must be smaller than the outer one, {r:g}, but "
                f"{hole:g} was given"
            )
        I, A = math.pi * (r**4 - hole**4) / 4, math.pi * (r * r - hole * hole)
        return cls.of_material("tube", A, I, I, 2 * I, E, nu, density, (2 * r, 2 * r))

    @classmethod
    def of_material(
        cls, kind: str, area: float, Iy: float, Iz: float, J: float, E: Any, nu: Any, density: Any,
        outline: tuple[float, float],
    ) -> Section:  # fmt: skip
        """From the area, its moments and the torsion constant."""
        what = f"Section.{kind}"
        E = checks.number(E, f"E of {what}", positive=True)
        nu = checks.number(nu, f"nu of {what}")
        if not -1 < nu <= 0.5:
            raise ModelError(f"nu of {what} must lie between -1 and 0.5, but {nu:g} was given")
        rho = checks.number(density, f"density of {what}", positive=True)
        return cls(
            E * area, E * Iy, E * Iz, E / (2 * (1 + nu)) * J, rho * area,
            rho * (Iy + Iz), rho * Iy, rho * Iz, outline,
        )  # fmt: skip


def across(value: Any, what: str) -> float:
    """A length (m) whose fourth power is a number."""
    x = checks.number(value, what, positive=True)
    if not 1e-50 < x < 1e50:
        raise ModelError(f"{what} must lie between 1e-50 and 1e50 m, but {x:g} was given")
    return x
