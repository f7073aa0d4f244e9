"""Wheels beyond what their joint or force law can mean.

A wheel that rolls (lw.Rolling) is held to its plane, which would have to pull where the normal
force is negative: a real wheel leaves it.  The radial spring of a tyre (lw.Tyre) is known to where
its rim would hit the road; beyond half of the radius nothing of it is meant, and with the centre
below the road the arms of its forces change sign.
"""

from __future__ import annotations

import warnings

import numpy as np

from linkwork.elements.joints.rolling import Rolling
from linkwork.elements.tyres.tyre import Tyre
from linkwork.errors import LinkworkWarning, users_line
from linkwork.results.result import Result

PULLS = 1e-3  # of the largest normal force
NOISE = 1e-6  # of the largest kinetic energy over the mechanism's length
PRESSED = 0.5  # of the radius of a tyre


def warn_of_wheels(result: Result) -> None:
    """Say so where a plane pulled on a wheel, or a tyre was pressed beyond its rim."""
    for name, item in result.system.model.items.items():
        trouble = ""
        if isinstance(item, Rolling):
            trouble = lift_off(result, name, item)
        elif isinstance(item, Tyre):
            trouble = rim_on_road(result, name, item)
        if trouble:
            warnings.warn(trouble, LinkworkWarning, stacklevel=users_line())


def lift_off(result: Result, name: str, wheel: Rolling) -> str:
    """One sentence, if the normal force became negative."""
    normal = np.asarray(result[name].force.values)[1:, 2]  # the first is that of the start
    if not len(normal) or not normal.min() < 0:
        return ""
    kinetic = float(np.asarray(result.energy.kinetic.values).max())
    least = max(PULLS * np.abs(normal).max(), NOISE * kinetic / result.system.length)
    if not normal.min() < -least:
        return ""
    first = 1 + int(np.argmax(normal < -least))
    return (
        f"{wheel.label} is held to its plane by up to {-normal.min():.3g} N, first at t = "
        f"{result.time[first]:.4g}: a wheel would leave the plane there, and what follows is that "
        "of one which cannot; take lw.Contact or lw.Tyre, or end the run there (stop=)"
    )


def rim_on_road(result: Result, name: str, tyre: Tyre) -> str:
    """One sentence, if a tyre was pressed further than to half of its radius."""
    deflection, radius = np.asarray(result[name].deflection.values), tyre.data.radius
    k = int(np.argmax(np.where(np.isfinite(deflection), deflection, np.inf)))
    if deflection[k] <= PRESSED * radius:
        return ""
    return (
        f"{tyre.label} is pressed by {deflection[k]:.3g} m at t = {result.time[k]:.4g}, of "
        f"{radius:.3g} m of its radius: its rim would hit the road before, which its radial spring "
        "does not know, so that what follows is off; take a stiffer tyre, or a stop between hub "
        "and ground"
    )
