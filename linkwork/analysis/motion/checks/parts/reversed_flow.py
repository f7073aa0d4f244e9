"""Unsteady airfoils that are blown at from behind.

The states of Wagner's, Theodorsen's and the stall model follow the angle of attack of a flow from
the front.  Behind ±π/2 that angle jumps from π to −π, which the states take for a turn of the
flow: what they give then depends on the step and on the method.  Where the flow is reversed with a
good part of the largest dynamic pressure a run says so; quasi-steady surfaces know all angles.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.elements.aero.surfaces.surface import LiftingSurface
from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.result import Result

SHARE = 0.05  # of the largest dynamic pressure of the surface


def warn_of_reversed_flow(result: Result) -> None:
    """Say so where an unsteady airfoil met the air from behind."""
    for name, surface in result.system.model.items.items():
        if not isinstance(surface, LiftingSurface) or surface.model == "quasi-steady":
            continue
        view = result[name]
        alpha, mach = np.asarray(view.alpha.values), np.asarray(view.mach.values)
        behind = (np.abs(alpha) > np.pi / 2) & (mach**2 > SHARE * np.max(mach**2, initial=0.0))
        if not behind.any():
            continue
        k, point = np.argwhere(behind)[0]
        warnings.warn(
            f"{surface.label} meets the air from behind at t = {result.time[k]:.4g}, at an angle "
            f"of {np.degrees(alpha[k, point]):.0f}°: model='{surface.model}' is meant for flow "
            "from the front, and what it gives then is off; take model='quasi-steady' with an "
            "airfoil for all angles, or turn the surface (forward=)",
            LinkworkWarning, stacklevel=users_line(),
        )  # fmt: skip
