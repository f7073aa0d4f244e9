"""Drives: functions of time with their first and second derivatives.

    constant  ramp  sine  table  polynomial  expression  formula  function
    quaternion  rotation_vector  rotation_table        (rotations over time)

Further kinds are put together from these: pieces in time, chains, integrals, sampled values.
"""

from linkwork.model.drives.base import Drive
from linkwork.model.drives.chebyshev import Chebyshev
from linkwork.model.drives.differences import differentiate
from linkwork.model.drives.formulas.formula import (
    Combined,
    Expression,
    Formula,
    expression,
    formula,
)
from linkwork.model.drives.function import Function, as_drive, function
from linkwork.model.drives.integral import Integral
from linkwork.model.drives.pieces import Chain, Derivative, Periodic, Piecewise, Quotient
from linkwork.model.drives.rotations.carried import CarriedVelocity
from linkwork.model.drives.rotations.rotation import (
    Quaternion,
    RotationLaw,
    RotationProduct,
    RotationVector,
    as_rotation,
    quaternion,
    rotation_table,
    rotation_vector,
)
from linkwork.model.drives.rotations.turns import Turn, TurnMatrix
from linkwork.model.drives.sampled import (
    ClosestNext,
    DiscreteFilter,
    Meter,
    Random,
    SampleAndHold,
    Switch,
)  # fmt: skip
from linkwork.model.drives.simple import (
    Constant,
    Polynomial,
    Ramp,
    Sine,
    constant,
    polynomial,
    ramp,
    sine,
)
from linkwork.model.drives.stored import drive_from_dict
from linkwork.model.drives.sums import Delayed, Product, Sum
from linkwork.model.drives.table import Table, table

__all__ = [
    "CarriedVelocity",
    "Chain",
    "Chebyshev",
    "ClosestNext",
    "Combined",
    "Constant",
    "Delayed",
    "Derivative",
    "DiscreteFilter",
    "Drive",
    "Expression",
    "Formula",
    "Function",
    "Integral",
    "Meter",
    "Periodic",
    "Piecewise",
    "Polynomial",
    "Product",
    "Quaternion",
    "Quotient",
    "Ramp",
    "Random",
    "RotationLaw",
    "RotationProduct",
    "RotationVector",
    "SampleAndHold",
    "Sine",
    "Sum",
    "Switch",
    "Table",
    "Turn",
    "TurnMatrix",
    "as_drive",
    "as_rotation",
    "constant",
    "differentiate",
    "drive_from_dict",
    "expression",
    "formula",
    "function",
    "polynomial",
    "quaternion",
    "ramp",
    "rotation_table",
    "rotation_vector",
    "sine",
    "table",
]
