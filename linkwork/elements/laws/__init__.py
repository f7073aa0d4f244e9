"""Constitutive laws: what deformable joints are made of (`lw.laws`)."""

from linkwork.elements.laws.base import ConstitutiveLaw
from linkwork.elements.laws.contact import Hertz, HuntCrossley, Tsuji
from linkwork.elements.laws.functions import (
    FunctionViscoelastic, ScalarFunctionElastic, Symbolic,
)  # fmt: skip
from linkwork.elements.laws.linear import (
    AxialTorsion, LinearElastic, LinearViscoelastic, LinearViscous,
)  # fmt: skip
from linkwork.elements.laws.nonlinear import (
    CubicElastic, DoubleLinear, InverseSquare, IsotropicHardening, LogElastic, Stop,
    Turbulent,
)  # fmt: skip
from linkwork.elements.laws.shock_absorber import ShockAbsorber
from linkwork.elements.laws.wrappers import (
    Axial, Bistop, InvariantAngular, Parallel, TimeVariant,
)  # fmt: skip

__all__ = [
    "Axial", "AxialTorsion", "Bistop", "ConstitutiveLaw", "CubicElastic", "DoubleLinear",
    "FunctionViscoelastic", "Hertz", "HuntCrossley", "InvariantAngular", "InverseSquare",
    "IsotropicHardening",
    "LinearElastic", "LinearViscoelastic", "LinearViscous", "LogElastic", "Parallel",
    "ScalarFunctionElastic", "ShockAbsorber", "Stop", "Symbolic", "TimeVariant", "Tsuji",
    "Turbulent",
]  # fmt: skip
