"""A velocity seen from a body that turns: what an accelerometer on it integrates to.

    u = Rᵀ v,   v̇ = R a(t),   Rᵀ w = ω(t)        so   u̇ = a − ω × u

a function of time alone, whatever the orientation.  It is integrated (Dormand and Prince's method
of order eight) to round-off of the values asked for; its derivatives follow from the equation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.errors import DriveError
from linkwork.model.drives.base import Drive, _check_drives


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
    def _solved(self) -> dict[str, Any]:
        """The times and values that have been integrated to, in order."""
        return {"t": [self.start], "u": [np.array(self.value)]}

    def _rate(self, t: float, u: np.ndarray) -> np.ndarray:
        at = np.array([t])
        a = np.array([d.values(at)[0] for d in self.acceleration])
        w = np.array([d.values(at)[0] for d in self.spin])
        return a - np.cross(w, u)

    def _advance(self, times: np.ndarray) -> np.ndarray:
        """u at increasing times, (T, 3); goes on from what is known."""
        from scipy.integrate import solve_ivp

        known = self._solved
        last = int(np.searchsorted(known["t"], times[0] + 1e-300, side="right")) - 1
        t0, u0 = known["t"][max(last, 0)], known["u"][max(last, 0)]
        if times[-1] == t0:
            return np.broadcast_to(u0, (len(times), 3))
        found = solve_ivp(self._rate, (t0, times[-1]), u0, "DOP853", times, rtol=1e-12, atol=1e-14,
                          max_step=max((times[-1] - t0) / 8, 1e-300))  # fmt: skip
        if not found.success:
            raise DriveError(f"{self.label}: cannot be integrated to t = {times[-1]:g}")
        if times[-1] > known["t"][-1]:
            known["t"].append(float(times[-1]))
            known["u"].append(found.y[:, -1].copy())
        return found.y.T

    def _vectors(self, t: np.ndarray) -> np.ndarray:
        if t.min() < self.start - 1e-12 * (1 + abs(self.start)):
            raise DriveError(
                f"{self.label}: expected times from {self.start:g} on, found {t.min():g}; start "
                "the run there"
            )
        times, back = np.unique(np.maximum(t, self.start), return_inverse=True)
        return self._advance(times)[back]

    def _jet(self, t: np.ndarray) -> np.ndarray:
        u = self._vectors(t)
        a = np.stack([d.jet(t) for d in self.acceleration], axis=2)
        w = np.stack([d.jet(t) for d in self.spin], axis=2)
        u1 = a[:, 0] - np.cross(w[:, 0], u)
        u2 = a[:, 1] - np.cross(w[:, 1], u) - np.cross(w[:, 0], u1)
        return np.stack([u, u1, u2], axis=1)[:, :, self.axis]

    def _values(self, t: np.ndarray) -> np.ndarray:
        return self._vectors(t)[:, self.axis]

    def named(self, what: str) -> Drive:
        return CarriedVelocity(
            tuple(d.named(what) for d in self.acceleration),
            tuple(d.named(what) for d in self.spin), self.start, self.value, self.axis, what=what,
        )  # fmt: skip
