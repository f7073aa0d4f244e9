"""Constitutive laws: what deformable joints are made of (`lw.laws`)."""

from linkwork.elements.laws.base import ConstitutiveLaw
from linkwork.elements.laws.functions import (
    FunctionViscoelastic, ScalarFunctionElastic, ShockAbsorber, Symbolic,
)  # fmt: skip
from linkwork.elements.laws.linear import (
    AxialTorsion, LinearElastic, LinearViscoelastic, LinearViscous,
)  # fmt: skip
from linkwork.elements.laws.nonlinear import (
    CubicElastic, DoubleLinear, InverseSquare, IsotropicHardening, LogElastic, Stop,
    Turbulent,
)  # fmt: skip
from linkwork.elements.laws.wrappers import Axial, Parallel, TimeVariant

__all__ = [
    "Axial", "AxialTorsion", "ConstitutiveLaw", "CubicElastic", "DoubleLinear",
    "FunctionViscoelastic", "InverseSquare", "IsotropicHardening", "LinearElastic",
    "LinearViscoelastic", "LinearViscous", "LogElastic", "Parallel", "ScalarFunctionElastic",
    "ShockAbsorber", "Stop", "Symbolic", "TimeVariant", "Turbulent",
]  # fmt: skip
