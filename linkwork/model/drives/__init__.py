"""Drives: functions of time with their first and second derivatives.

    constant  ramp  sine  table  polynomial  expression  function
"""

from linkwork.model.drives.base import (
    Constant,
    Delayed,
    Drive,
    Polynomial,
    Product,
    Ramp,
    Sine,
    Sum,
    Table,
    constant,
    drive_from_dict,
    polynomial,
    ramp,
    sine,
    table,
)
from linkwork.model.drives.differences import differentiate
from linkwork.model.drives.formula import Expression, expression
from linkwork.model.drives.function import Function, as_drive, function

__all__ = [
    "Constant",
    "Delayed",
    "Drive",
    "Expression",
    "Function",
    "Polynomial",
    "Product",
    "Ramp",
    "Sine",
    "Sum",
    "Table",
    "as_drive",
    "constant",
    "differentiate",
    "drive_from_dict",
    "expression",
    "function",
    "polynomial",
    "ramp",
    "sine",
    "table",
]
