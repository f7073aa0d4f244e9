"""A velocity seen from a body that turns: what an accelerometer on it integrates to.

    u = Rᵀ v,   v̇ = R a(t),   Rᵀ w = ω(t)        so   u̇ = a − ω × u

a function of time alone, whatever the orientation.  It is integrated by Dormand and Prince's method
of order eight, anew behind every corner of a and ω; its derivatives follow from the equation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives.base import Drive, _check_drives
from linkwork.model.drives.integral import cut


@dataclass(frozen=True)
class CarriedVelocity(Drive):
    """Component `axis` (0, 1, 2) of u; acceleration and spin are three drives each."""

    acceleration: tuple[Drive, ...]
    spin: tuple[Drive, ...]
    start: float
    value: tuple[float, ...]
    axis: int

    def __post_init__(self) -> None:
        for name in ("acceleration", "spin"):
            parts = tuple(getattr(self, name))
            _check_drives(self, *parts)
            self._set(name, parts)
        self._set_numbers("start")
        self._set_list("value", 3)
        if self.axis not in (0, 1, 2):
            raise DriveError(f"{self.label}: expected axis 0, 1 or 2, found {self.axis!r}")

    @cached_property
    def _solved(self) -> list[Any]:
        """Solutions one behind the other; each goes on where the last one ends."""
        return []

    def _rate(self, t: float, u: np.ndarray) -> np.ndarray:
        at = np.array([t])
        a = np.array([d.values(at)[0] for d in self.acceleration])
        w = np.array([d.values(at)[0] for d in self.spin])
        return a - np.cross(w, u)

    def _reach(self, time: float) -> None:
        """Integrate at least to a time, and as far again as is known already."""
        from scipy.integrate import solve_ivp

        parts = self._solved
        t0, u0 = (parts[-1].t_max, parts[-1](parts[-1].t_max)) if parts else (
            self.start, np.array(self.value)
        )
        end = max(time, 2 * t0 - self.start)
        for begin, corner, _ in zip(*cut(self, np.array([t0]), np.array([end])), strict=True):
            last = np.nextafter(corner, begin)  # on this side of it
            found = solve_ivp(lambda t, u, last=last: self._rate(min(t, last), u), (begin, corner),
                              u0, "DOP853", dense_output=True, rtol=1e-12, atol=1e-13)  # fmt: skip
            if not found.success:
                raise DriveError(f"{self.label}: cannot be integrated to t = {end:g}")
            parts.append(found.sol)
            u0 = found.y[:, -1]

    def _vectors(self, t: np.ndarray) -> np.ndarray:
        if t.min() < self.start - 1e-12 * (1 + abs(self.start)):
            raise DriveError(
                f"{self.label}: expected times from {self.start:g} on, found {t.min():g}; start "
                "the run there"
            )
        t = np.maximum(t, self.start)
        if t.max() == self.start:
            return np.tile(self.value, (t.size, 1))
        while not self._solved or self._solved[-1].t_max < t.max():
            self._reach(float(t.max()))
        u = np.empty((t.size, 3))
        which = np.searchsorted([part.t_max for part in self._solved], t)
        for i in np.unique(which):
            u[which == i] = self._solved[i](t[which == i]).T
        return u

    def _jet(self, t: np.ndarray) -> np.ndarray:
        u = self._vectors(t)
        a = np.stack([d.jet(t) for d in self.acceleration], axis=2)
        w = np.stack([d.jet(t) for d in self.spin], axis=2)
        u1 = a[:, 0] - np.cross(w[:, 0], u)
        u2 = a[:, 1] - np.cross(w[:, 1], u) - np.cross(w[:, 0], u1)
        return np.stack([u, u1, u2], axis=1)[:, :, self.axis]

    def _values(self, t: np.ndarray) -> np.ndarray:
        return self._vectors(t)[:, self.axis]
