"""All methods by name, and a method back from its text (as stored in result files)."""

from __future__ import annotations

import ast
from typing import Any

from linkwork.errors import ResultFileError
from linkwork.integrators.second_order.methods import BDF2, HHT, GeneralizedAlpha, Newmark
from linkwork.integrators.first_order import methods as staged
from linkwork.integrators.explicit.ode import ODE, RK4
from linkwork.integrators.nonsmooth.method import Moreau
from linkwork.nullspace.method import EnergyMomentum
from linkwork.recursive.method import Recursive

STAGED = (
    staged.ImplicitEuler, staged.CrankNicolson, staged.BDF, staged.MS2, staged.MS3, staged.MS4,
    staged.Hope, staged.SS2, staged.SS3, staged.SS4, staged.Bathe, staged.MSSTC3, staged.MSSTC4,
    staged.MSSTC5, staged.MSSTH3, staged.MSSTH4, staged.MSSTH5, staged.DIRK33, staged.DIRK43,
    staged.DIRK54,
)  # fmt: skip
METHODS: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        GeneralizedAlpha, HHT, Newmark, BDF2, RK4, ODE, Moreau, EnergyMomentum, Recursive, *STAGED
    )  # fmt: skip
}


def method_from_text(text: str) -> Any:
    """The method whose repr is `text`; only literals are read, nothing is executed."""
    try:
        call = ast.parse(text, mode="eval").body
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        words = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
        return METHODS[call.func.id](**words)
    except (SyntaxError, ValueError, KeyError, TypeError, AssertionError):
        raise ResultFileError(
            f"the file names the method {text!r}, which this version of linkwork does not know; "
            "call lw.transient(model, t, h, method, start=lw.load(path)) instead of resume"
        ) from None
