"""The shock absorber of a landing gear: a gas spring with an oil damper and stops.

    σ = −p S (1 + c ε)^(−n) (1 − φ tanh(ε̇/ε̇_φ)) + ½ ρ ζ S_f (S_f/A)² v|v| + μ tanh(ε̇/ε̇_μ),   v = s ε̇
    A = metering(ε) + orifice(ε̇)

and beyond its range k p + d ṗ at a penetration p that grows, k p at one that shrinks.  (MBDyn's
input manual, shock absorber: its drag coefficient over length is 1/s here, with ζ = 1.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linkwork.elements.laws.base import Code, ConstitutiveLaw, Own
from linkwork.elements.laws.formula import (
    NUMBER, ProgramNumbers, function_program, measured, program,
)  # fmt: skip
from linkwork.elements.laws.functions import SYMBOLIC, clock
from linkwork.errors import ModelError
from linkwork.kernels.memory.pointers import Routine
from linkwork.model import checks
from linkwork.model.drives import polynomial
from linkwork.model.drives.formulas.formula import parse_formula
from linkwork.model.drives.words import is_number
from linkwork.model.given import DriveLike, VectorLike

STRAIN, RATE = 0, 6  # variables of the program


@dataclass(frozen=True, eq=False)
class ShockAbsorber(ConstitutiveLaw):
    """A gas spring and an oil damper, as in landing gear; strain is negative in compression.

    σ = −p S (1 + c ε)^(−n) + ½ ρ ζ S_f (S_f/A)² v|v| + μ tanh(ε̇/ε̇_μ),   v = s ε̇

    pressure p and area S of the gas, interaction c (its stroke times S over its volume), exponent
    n of the polytrope; fluid_area S_f, density ρ, drag ζ, scale s from strain rate to velocity;
    the area A is metering, a number or a function of strain (`negative` another for compression),
    and orifice, a function of the strain rate.  friction (μ, ε̇_μ); gas_friction (φ, ε̇_φ) takes the
    part φ tanh(ε̇/ε̇_φ) of the gas force.  Beyond lower … upper a penalty (stiffness, viscosity)
    acts, its viscosity only outward.
    """

    pressure: float
    area: float
    interaction: float
    exponent: float
    metering: DriveLike | None = None
    fluid_area: float = 0.0
    density: float = 0.0
    drag: float = 1.0
    scale: float = 1.0
    negative: DriveLike | None = None
    upper: float = 0.0
    lower: float = -0.5
    penalty: VectorLike = (1e9, 0.0)
    friction: VectorLike | None = None
    gas_friction: VectorLike | None = None
    orifice: DriveLike | None = None
    routine: ClassVar[Routine] = SYMBOLIC
    sizes: ClassVar[tuple[int, ...]] = (1,)

    def own(self, n: int, what: str) -> Own:
        names: dict[str, int | ProgramNumbers] = {"e": STRAIN, "r": RATE}
        words = ["pressure", "area", "fluid_area", "density", "drag"]
        numbers = {w: checks.number(getattr(self, w), f"{w} of {what}", minimum=0) for w in words}
        words = ["interaction", "exponent", "upper", "lower", "scale"]
        numbers |= {w: checks.number(getattr(self, w), f"{w} of {what}") for w in words}
        formula = "-pressure*area*(1 + interaction*e)^(-exponent)"
        if self.gas_friction is not None:
            formula += "*(1 - gas_mu*tanh(r/gas_v))"
        oil = self.oil(names, what)
        if oil:
            formula += f" + density*drag*fluid_area^3/2*(scale*r)*abs(scale*r)/({oil})^2"
        if numbers["lower"] >= numbers["upper"]:
            raise ModelError(
                f"lower of {what} must be below upper, but {self.lower!r} and {self.upper!r} were "
                "given"
            )
        k, d = checks.vector(self.penalty, f"penalty of {what}", 2)
        formula += " + where(e > upper, k*(e - upper) + d*max(r, 0), 0)"
        formula += " + where(e < lower, k*(e - lower) + d*min(r, 0), 0)"
        numbers |= {"k": float(k), "d": float(d)}
        if self.friction is not None:
            formula += " + mu*tanh(r/v)"
        for word, mu, v in (("friction", "mu", "v"), ("gas_friction", "gas_mu", "gas_v")):
            if getattr(self, word) is not None:
                pair = checks.vector(getattr(self, word), f"{word} of {what}", 2)
                width = checks.number(pair[1], f"rate in {word} of {what}", positive=True)
                numbers |= {mu: float(pair[0]), v: width}
        names |= {w: [Code(NUMBER), x] for w, x in numbers.items()}
        part = program(parse_formula(formula, what, tuple(names)), names, what, m=12)
        return [Code(0), *clock([part]), *measured(part)]

    def oil(self, names: dict[str, int | ProgramNumbers], what: str) -> str:
        """The area that the oil flows through as a formula; "" where there is no oil."""
        terms = []
        areas = {"metering": self.metering, "negative": self.negative, "orifice": self.orifice}
        alone = self.metering is None or self.orifice is None
        for word, area in areas.items():
            if is_number(area):
                checks.number(area, f"{word} of {what}", positive=alone, minimum=0)
        if self.metering is not None:
            terms.append("where(r < 0, B, A)")
            compressed = self.metering if self.negative is None else self.negative
            names["A"] = function_program(self.metering, f"metering of {what}", STRAIN)
            names["B"] = function_program(compressed, f"negative of {what}", STRAIN)
        if self.orifice is not None:
            terms.append("O")
            names["O"] = function_program(self.orifice, f"orifice of {what}", RATE)
        return " + ".join(terms)

    @classmethod
    def samples(cls, rng: np.random.Generator, n: int) -> Iterator[ConstitutiveLaw]:
        oil: dict[str, Any] = dict(
            metering=polynomial([1, 0.1, 0.05]), fluid_area=0.7, density=1.1, drag=0.8, scale=1.2,
            upper=3, lower=-3,
        )  # fmt: skip
        yield cls(2.0, 1.5, 0.2, 1.3, negative=0.9, friction=(0.2, 0.5), **oil)
        yield cls(2.0, 1.5, 0.2, 1.3, orifice=polynomial([0.5, 0, 0.1]), gas_friction=(0.3, 0.7),
                  **oil)  # fmt: skip
        for upper, lower in ((-0.9, -2.0), (2.0, 0.9)):
            yield cls(2.0, 1.5, 0.2, 1.3, upper=upper, lower=lower, penalty=(20, 3))
